(* Rational bounds of exp from Taylor's polynomials, and the sign of an exponential polynomial at a point. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra Lia.
From Coquelicot Require Import Rcomplements Hierarchy Derive AutoDerive ElemFct.
From Dipc Require Import Chain.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. Taylor's polynomials of exp: sums of n terms x^i/i! ------------------------------------- *)

Fixpoint tail (n : nat) (x : R) : R :=      (* x^n/n! *)
  match n with O => 1 | S n => tail n x * x / INR (S n) end.
Fixpoint taylor (n : nat) (x : R) : R :=
  match n with O => 0 | S n => taylor n x + tail n x end.

Lemma tail_derive n x : is_derive (tail (S n)) x (tail n x).
Proof.
  induction n as [|n IH].
  - cbn [tail]. change (INR 1) with 1. auto_derive; [exact I | field].
  - assert (N : INR (S (S n)) <> 0) by (apply not_0_INR; discriminate).
    assert (E : forall y, tail (S (S n)) y = tail (S n) y * y * / INR (S (S n))).
    { intro y. reflexivity. }
    eapply is_derive_ext; [intro; symmetry; apply E |].
    evar_last.
    + apply @is_derive_mult with (f := fun y => tail (S n) y * y) (g := fun _ => / INR (S (S n))).
      * apply @is_derive_mult; [exact IH | apply @is_derive_id | intros; apply Rmult_comm].
      * apply @is_derive_const.
      * intros; apply Rmult_comm.
    + unfold plus, mult, zero, one; simpl.
      change (match n with 0%nat => 1 | S _ => INR n + 1 end) with (INR (S n)).
      assert (M : INR (S n) <> 0) by (apply not_0_INR; discriminate).
      assert (E' : INR (S (S n)) = INR (S n) + 1) by apply S_INR.
      generalize dependent (INR (S (S n))). intros b N _ ->. intros.
      change (tail (S n) x) with (tail n x * x / INR (S n)).
      generalize dependent (INR (S n)). intros a N M. field. split; assumption.
Qed.
Lemma taylor_derive n x : is_derive (taylor (S n)) x (taylor n x).
Proof.
  induction n as [|n IH].
  - eapply is_derive_ext; [intro; cbn [taylor tail]; symmetry; apply Rplus_0_l |]. apply @is_derive_const.
  - eapply is_derive_ext; [intro; reflexivity |].
    change (taylor (S n) x) with (taylor n x + tail n x).
    apply @is_derive_plus with (f := taylor (S n)) (g := tail (S n)); [exact IH | apply tail_derive].
Qed.
Lemma tail_zero n : tail (S n) 0 = 0.
Proof. cbn [tail]. unfold Rdiv. ring. Qed.
Lemma taylor_zero n : taylor (S n) 0 = 1.
Proof. induction n as [|n IH]; [cbn; ring |]. cbn [taylor] in *. rewrite IH, tail_zero. ring. Qed.

Lemma taylor_below n : forall x, 0 < x -> taylor n x <= exp x.
Proof.
  induction n as [|n IH]; intros x Hx; [left; apply exp_pos |].
  assert (K : 0 <= (fun y => exp y - taylor (S n) y) x); [| cbv beta in K; lra].
  apply (link_nonneg (fun y => exp y - taylor (S n) y) (fun y => exp y - taylor n y) 0 0).
  - intro y. apply @is_derive_minus; [apply is_derive_exp | apply taylor_derive].
  - exact Hx.
  - intros y Hy. specialize (IH y ltac:(lra)). lra.
  - rewrite exp_0, taylor_zero. lra.
Qed.

(* The error of the polynomials at -x has the sign of its first term. *)
Lemma alternating n : forall x, 0 < x -> 0 <= (-1) ^ n * (exp (- x) - taylor n (- x)).
Proof.
  induction n as [|n IH]; intros x Hx.
  - cbn. assert (0 < exp (- x)) by apply exp_pos. lra.
  - apply (link_nonneg (fun y => (-1) ^ S n * (exp (- y) - taylor (S n) (- y)))
             (fun y => (-1) ^ n * (exp (- y) - taylor n (- y))) 0 0).
    + intro y. evar_last.
      * apply @is_derive_scal. apply @is_derive_minus.
        -- apply is_derive_comp; [apply is_derive_exp |]. apply @is_derive_opp. apply @is_derive_id.
        -- apply is_derive_comp; [apply taylor_derive |]. apply @is_derive_opp. apply @is_derive_id.
      * unfold minus, plus, opp, scal, one; simpl. unfold mult; simpl. ring.
    + exact Hx.
    + intros y Hy. specialize (IH y ltac:(lra)). lra.
    + rewrite Ropp_0, exp_0, taylor_zero. lra.
Qed.
Lemma even_below n x : 0 < x -> taylor (2 * n) (- x) <= exp (- x).
Proof.
  intros Hx. assert (K := alternating (2 * n) x Hx). rewrite pow_1_even in K. lra.
Qed.

(* ---- 2. In rational numbers ---------------------------------------------------------------------- *)

Ltac rationals :=
  repeat (rewrite (Qeq_eqR _ _ (Qred_correct _)) || rewrite Q2R_plus || rewrite Q2R_mult).
Lemma Q2R_integer n : Q2R (inject_Z n) = IZR n.
Proof. unfold Q2R, inject_Z; cbn [Qnum Qden]. field. Qed.

(* The polynomial and the next term. *)
Fixpoint rational_taylor (n : nat) (x : Q) : Q * Q :=
  match n with
  | O => (0, 1)%Q
  | S k => let '(s, t) := rational_taylor k x in
      (Qred (s + t), Qred (t * Qred (x * (1 # Pos.of_succ_nat k))))%Q
  end.
Lemma rational_taylor_val n x :
  Q2R (fst (rational_taylor n x)) = taylor n (Q2R x) /\ Q2R (snd (rational_taylor n x)) = tail n (Q2R x).
Proof.
  induction n as [|n [IH1 IH2]]; cbn [rational_taylor].
  - split; unfold Q2R; cbn; field.
  - destruct (rational_taylor n x) as [s t]. cbn [fst snd taylor tail] in *. split; rationals.
    + now rewrite IH1, IH2.
    + replace (Q2R (1 # Pos.of_succ_nat n)) with (/ INR (S n)).
      * rewrite IH2. unfold Rdiv. now rewrite Rmult_assoc.
      * unfold Q2R; cbn [Qnum Qden]. rewrite INR_IZR_INZ, Nat2Z.inj_succ, <- Zpos_P_of_succ_nat. now rewrite Rmult_1_l.
Qed.

(* A lower bound of exp, from n terms, or twice as many for negative numbers. *)
Definition exp_low (n : nat) (x : Q) : Q :=
  match Qcompare x 0 with
  | Eq => 1
  | Gt => fst (rational_taylor n x)
  | Lt => fst (rational_taylor (2 * n) x)
  end.
Lemma exp_low_sound n x : Q2R (exp_low n x) <= exp (Q2R x).
Proof.
  unfold exp_low. destruct (Qcompare_spec x 0) as [E|E|E].
  - rewrite (Qeq_eqR _ _ E). replace (Q2R 0) with 0 by (unfold Q2R; cbn; field).
    rewrite exp_0. unfold Q2R; cbn. lra.
  - apply Qlt_Rlt in E. replace (Q2R 0) with 0 in E by (unfold Q2R; cbn; field).
    rewrite (proj1 (rational_taylor_val _ _)).
    replace (Q2R x) with (- - Q2R x) by ring. apply even_below. lra.
  - apply Qlt_Rlt in E. replace (Q2R 0) with 0 in E by (unfold Q2R; cbn; field).
    rewrite (proj1 (rational_taylor_val _ _)). now apply taylor_below.
Qed.
(* An upper bound, if there are enough terms. *)
Definition exp_high (n : nat) (x : Q) : option Q :=
  let b := exp_low n (- x) in if Qle_bool b 0 then None else Some (Qred (/ b)).
Lemma exp_high_sound n x b : exp_high n x = Some b -> exp (Q2R x) <= Q2R b.
Proof.
  unfold exp_high. assert (L := exp_low_sound n (- x)). destruct (Qle_bool (exp_low n (- x)) 0) eqn:E; [discriminate |].
  intros [= <-]. assert (P : (0 < exp_low n (- x))%Q).
  { apply Qnot_le_lt. intro K. apply Qle_bool_iff in K. congruence. }
  assert (R := Qlt_Rlt _ _ P). replace (Q2R 0) with 0 in R by (unfold Q2R; cbn; field).
  rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_inv by (intro Z; rewrite Z in P; discriminate P).
  rewrite Q2R_opp, exp_Ropp in L. replace (exp (Q2R x)) with (/ / exp (Q2R x)) by (field; assert (K := exp_pos (Q2R x)); lra).
  apply Rinv_le_contravar; [exact R | exact L].
Qed.

(* ---- 3. Lower bounds of an exponential polynomial ------------------------------------------------ *)

Fixpoint rational_pval (p : poly) (x : Q) : Q :=
  match p with [] => 0 | c :: p => Qred (inject_Z c + x * rational_pval p x) end.
Lemma rational_pval_val p x : Q2R (rational_pval p x) = pval p (Q2R x).
Proof.
  induction p as [|c p IH]; cbn [rational_pval pval]; [unfold Q2R; cbn; field |].
  rationals. now rewrite IH, Q2R_integer.
Qed.

Lemma some_eq {A} {a b : A} : Some a = Some b -> a = b.
Proof. now intros [= ->]. Qed.

(* A bound from below at a point. *)
Fixpoint low_at (n : nat) (f : fn) (x : Q) : option Q :=
  match f with
  | [] => Some 0%Q
  | (a, p) :: f =>
      let c := rational_pval p x in
      let y := Qred (inject_Z a * x) in
      let bound := match Qcompare c 0 with Eq => Some 0%Q | Gt => Some (exp_low n y) | Lt => exp_high n y end in
      match bound, low_at n f x with
      | Some b, Some rest => Some (Qred (c * b + rest))
      | _, _ => None
      end
  end.
Lemma low_at_sound n f x : forall b, low_at n f x = Some b -> Q2R b <= val f (Q2R x).
Proof.
  induction f as [|[a p] f IH]; intros b H; cbn [low_at val] in *.
  - injection H as <-. unfold Q2R; cbn. lra.
  - set (c := rational_pval p x) in *. set (y := Qred (inject_Z a * x)) in *.
    assert (Ey : Q2R y = IZR a * Q2R x) by (unfold y; rationals; now rewrite Q2R_integer).
    assert (Ec : Q2R c = pval p (Q2R x)) by apply rational_pval_val.
    rewrite <- Ey, <- Ec.
    destruct (Qcompare_spec c 0) as [E|E|E].
    + destruct (low_at n f x) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      assert (Z : Q2R 0 = 0) by (unfold Q2R; cbn; field).
      rewrite (Qeq_eqR _ _ E), Z, !Rmult_0_l. specialize (IH r eq_refl). lra.
    + apply Qlt_Rlt in E. replace (Q2R 0) with 0 in E by (unfold Q2R; cbn; field).
      destruct (exp_high n y) as [h|] eqn:Eh; [| discriminate]. apply exp_high_sound in Eh.
      destruct (low_at n f x) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      specialize (IH r eq_refl). nra.
    + apply Qlt_Rlt in E. replace (Q2R 0) with 0 in E by (unfold Q2R; cbn; field).
      destruct (low_at n f x) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      specialize (IH r eq_refl). assert (L := exp_low_sound n y). nra.
Qed.

Definition above_zero (strict : bool) (b : option Q) : bool :=
  match b with
  | Some b => if strict then negb (Qle_bool b 0) else Qle_bool 0 b
  | None => false
  end.
Lemma above_zero_nonneg b : above_zero false b = true -> exists q, b = Some q /\ 0 <= Q2R q.
Proof.
  destruct b as [q|]; [| discriminate]. intros H. exists q. split; [reflexivity |].
  apply Qle_bool_iff, Qle_Rle in H. replace (Q2R 0) with 0 in H by (unfold Q2R; cbn; field). exact H.
Qed.
Lemma above_zero_strict b : above_zero true b = true -> exists q, b = Some q /\ 0 < Q2R q.
Proof.
  destruct b as [q|]; [| discriminate]. intros H. exists q. split; [reflexivity |].
  cbn [above_zero] in H. apply Bool.negb_true_iff in H.
  replace 0 with (Q2R 0) by (unfold Q2R; cbn; field). apply Qlt_Rlt, Qnot_le_lt.
  intro K. apply Qle_bool_iff in K. congruence.
Qed.

(* ---- 4. The chain from a point > 0 on ------------------------------------------------------------- *)

Fixpoint nonneg_from (n fuel : nat) (low : Q) (f : fn) : bool :=
  match f, fuel with
  | [], _ => true
  | _, O => false
  | (s, _) :: _, S fuel => above_zero false (low_at n f low) && nonneg_from n fuel low (derived s f)
  end.
Theorem nonneg_from_sound n fuel low : forall f, nonneg_from n fuel low f = true ->
  forall x, Q2R low <= x -> 0 <= val f x.
Proof.
  induction fuel as [|fuel IH]; intros [|[s p] f] H x Hx; cbn [nonneg_from] in H; try discriminate H;
    try (cbn [val]; lra).
  apply andb_prop in H as [H0 H]. apply above_zero_nonneg in H0 as [b [E Hb]]. apply low_at_sound in E.
  destruct Hx as [Hx | <-]; [| lra].
  apply (link_nonneg (val ((s, p) :: f)) (slope ((s, p) :: f)) (IZR s) (Q2R low)).
  - intro; apply val_derive.
  - exact Hx.
  - intros y Hy. rewrite <- derived_val. apply IH; [exact H | lra].
  - lra.
Qed.

Fixpoint strict_from (n fuel : nat) (low : Q) (f : fn) : bool :=
  match fuel with
  | O => false
  | S fuel =>
      match f with
      | [] => false
      | [(_, [c])] => (0 <? c)%Z
      | (s, _) :: _ => above_zero true (low_at n f low) && strict_from n fuel low (derived s f)
      end
  end.
Theorem strict_from_sound n fuel low : forall f, strict_from n fuel low f = true ->
  forall x, Q2R low <= x -> 0 < val f x.
Proof.
  induction fuel as [|fuel IH]; intros f0 H x Hx; [discriminate H |].
  destruct f0 as [|[s p] f]; [discriminate H |].
  assert (G : above_zero true (low_at n ((s, p) :: f) low) && strict_from n fuel low (derived s ((s, p) :: f)) = true ->
              0 < val ((s, p) :: f) x).
  { intros K. apply andb_prop in K as [H0 K]. apply above_zero_strict in H0 as [b [E Hb]]. apply low_at_sound in E.
    destruct Hx as [Hx | <-]; [| lra].
    apply (link_positive (val ((s, p) :: f)) (slope ((s, p) :: f)) (IZR s) (Q2R low)).
    - intro; apply val_derive.
    - exact Hx.
    - intros y Hy. rewrite <- derived_val. apply IH; [exact K | lra].
    - lra. }
  destruct p as [|c [|? ?]], f as [|? ?]; try exact (G H).
  apply Z.ltb_lt, IZR_lt in H. cbn [val pval].
  assert (0 < exp (IZR s * x)) by apply exp_pos.
  rewrite Rmult_0_r, !Rplus_0_r. now apply Rmult_lt_0_compat.
Qed.
