(* A delta that is a constant such as exp(-2): a rational bound of it is enough. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra FMapPositive.
From Dipc Require Import Chain Bounds Privacy.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* The sum of c exp(k) over the pairs (c, k). *)
Fixpoint constant (l : list (Q * Q)) : R :=
  match l with [] => 0 | (c, k) :: l => Q2R c * exp (Q2R k) + constant l end.

(* A bound from below, from n terms of the series of exp. *)
Fixpoint constant_low (n : nat) (l : list (Q * Q)) : option Q :=
  match l with
  | [] => Some 0%Q
  | (c, k) :: l =>
      let bound := match Qcompare c 0 with Eq => Some 0%Q | Gt => Some (exp_low n k) | Lt => exp_high n k end in
      match bound, constant_low n l with
      | Some b, Some rest => Some (Qred (c * b + rest))
      | _, _ => None
      end
  end.
Lemma constant_low_sound n l : forall b, constant_low n l = Some b -> Q2R b <= constant l.
Proof.
  assert (Z : Q2R 0 = 0) by (unfold Q2R; cbn; field).
  induction l as [|[c k] l IH]; intros b H; cbn [constant_low constant] in *.
  - rewrite <- (some_eq H), Z. lra.
  - destruct (Qcompare_spec c 0) as [E|E|E].
    + destruct (constant_low n l) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      rewrite (Qeq_eqR _ _ E), Z, !Rmult_0_l. specialize (IH r eq_refl). lra.
    + apply Qlt_Rlt in E. rewrite Z in E.
      destruct (exp_high n k) as [h|] eqn:Eh; [| discriminate]. apply exp_high_sound in Eh.
      destruct (constant_low n l) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      specialize (IH r eq_refl). nra.
    + apply Qlt_Rlt in E. rewrite Z in E.
      destruct (constant_low n l) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      specialize (IH r eq_refl). assert (L := exp_low_sound n k). nra.
Qed.

Definition negated : list (Q * Q) -> list (Q * Q) := map (fun '(c, k) => (- c, k)%Q).
Lemma negated_val l : constant (negated l) = - constant l.
Proof.
  induction l as [|[c k] l IH]; [cbn; ring |].
  change (negated ((c, k) :: l)) with ((- c, k)%Q :: negated l). cbn [constant].
  rewrite IH, Q2R_opp. ring.
Qed.

(* A ratio that is a number. *)
Definition as_number (m : model) (r : ratio) : option Q :=
  match above r, denominator m (below r) with
  | [(0%Z, [a])], [(0%Z, [Zpos d])] => Some (a # d)
  | _, _ => None
  end.
Lemma number_val u a eps : eval u [(0%Z, [a])] eps = IZR a.
Proof.
  cbn [eval pval]. replace (IZR 0 / IZR (Zpos u) * eps) with 0 by (unfold Rdiv; ring).
  rewrite exp_0. ring.
Qed.
Lemma as_number_val m r q eps : as_number m r = Some q -> value m r eps = Q2R q.
Proof.
  unfold as_number, value, numerator.
  destruct (above r) as [|[[| |] [|a [|? ?]]] [|? ?]]; try discriminate.
  destruct (denominator m (below r)) as [|[[| |] [|[|d|] [|? ?]]] [|? ?]]; try discriminate.
  intros H. rewrite <- (some_eq H), !number_val. reflexivity.
Qed.

Definition at_most (m : model) (r : ratio) (n : nat) (l : list (Q * Q)) : bool :=
  match as_number m r, constant_low n l with Some q, Some b => Qle_bool q b | _, _ => false end.
Definition at_least (m : model) (r : ratio) (n : nat) (l : list (Q * Q)) : bool :=
  match as_number m r, constant_low n (negated l) with Some q, Some b => Qle_bool (- q) b | _, _ => false end.

Theorem private_constant_sound m t r on e size entries n l :
  private_check m t (Some r) on e size entries && at_most m r n l = true ->
  private m t (fun _ => constant l) on.
Proof.
  intros H. apply andb_prop in H as [H1 H2]. apply private_check_sound in H1.
  apply (private_above m t (delta_of m (Some r))); [| exact H1]. intros eps _ _. cbn [delta_of].
  unfold at_most in H2. destruct (as_number m r) as [q|] eqn:E; [| discriminate].
  destruct (constant_low n l) as [b|] eqn:B; [| discriminate].
  rewrite (as_number_val m r q eps E). apply constant_low_sound in B.
  apply Qle_bool_iff, Qle_Rle in H2. lra.
Qed.
Theorem violated_constant_sound m t r on k eps outcomes n l :
  violated_check m t (Some r) on k eps outcomes && at_least m r n l = true ->
  violated m t (fun _ => constant l) on.
Proof.
  intros H. apply andb_prop in H as [H1 H2]. apply violated_check_sound in H1.
  apply (violated_below m t (delta_of m (Some r))); [| exact H1]. intros x. cbn [delta_of].
  unfold at_least in H2. destruct (as_number m r) as [q|] eqn:E; [| discriminate].
  destruct (constant_low n (negated l)) as [b|] eqn:B; [| discriminate].
  rewrite (as_number_val m r q x E). apply constant_low_sound in B. rewrite negated_val in B.
  apply Qle_bool_iff, Qle_Rle in H2. rewrite Q2R_opp in H2. lra.
Qed.
