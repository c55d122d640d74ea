(* A delta with a square root.  The sign of A + B sqrt(g) is that of A and B, or of the larger one: of A^2 - B^2 g. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra Lia FMapPositive.
From Dipc Require Import Chain Bounds Privacy Distributions.
Import ListNotations.
Open Scope bool_scope.
Open Scope lazy_bool_scope.
Open Scope R_scope.

(* ---- 1. What delta is ---------------------------------------------------------------------------- *)

(* plain + root sqrt(g), and a quotient of two of them with the same g *)
Record rooted := Rooted { plain : fn; root : fn }.
Record surd := Surd { top : rooted; bottom : rooted; radicand : fn }.
Definition rooted_value (u : positive) (g : fn) (f : rooted) (eps : R) : R :=
  eval u (plain f) eps + eval u (root f) eps * sqrt (eval u g eps).
Definition root_delta (m : model) (s : surd) (eps : R) : R :=
  rooted_value (unit m) (radicand s) (top s) eps / rooted_value (unit m) (radicand s) (bottom s) eps.

(* ---- 2. Signs ------------------------------------------------------------------------------------ *)

Definition rooted_val (g : fn) (f : rooted) (t : R) : R := val (plain f) t + val (root f) t * sqrt (val g t).
Definition opposite (f : fn) : fn := times_term (-1) 0 f.
Lemma opposite_val f t : val (opposite f) t = - val f t.
Proof. unfold opposite. rewrite times_term_val, Rmult_0_l, exp_0. ring. Qed.

(* A^2 - B^2 g *)
Definition norm (g : fn) (f : rooted) : fn :=
  add (mul (plain f) (plain f)) (opposite (mul (mul (root f) (root f)) g)).
Lemma norm_val g f t : 0 <= val g t ->
  val (norm g f) t = val (plain f) t * val (plain f) t - val (root f) t * sqrt (val g t) * (val (root f) t * sqrt (val g t)).
Proof.
  intros G. unfold norm. rewrite add_val, opposite_val, !mul_val. rewrite <- (sqrt_sqrt _ G) at 1. ring.
Qed.

(* The functions that nonnegative accepts are >= 0 at t; those that last accepts have the sign that is wanted. *)
Definition rooted_sign (nonnegative last : fn -> bool) (g : fn) (f : rooted) : bool :=
  (nonnegative (root f) &&& last (plain f)) |||
  (nonnegative (plain f) &&& last (norm g f)) |||
  (nonnegative (root f) &&& last (opposite (norm g f))).
Definition signed (strictly : bool) (y : R) : Prop := if strictly then 0 < y else 0 <= y.
Lemma rooted_sign_sound nonnegative last strictly g f t : 0 <= val g t ->
  (forall f, nonnegative f = true -> 0 <= val f t) -> (forall f, last f = true -> signed strictly (val f t)) ->
  rooted_sign nonnegative last g f = true -> signed strictly (rooted_val g f t).
Proof.
  intros G N L H. unfold rooted_val. assert (E := norm_val g f t G). assert (R := sqrt_pos (val g t)).
  set (a := val (plain f) t) in *. set (b := val (root f) t) in *. set (r := sqrt (val g t)) in *.
  apply either in H as [H | H]; [apply either in H as [H | H] |]; apply both in H as [H1 H2];
    apply N in H1; apply L in H2; try fold a in H1; try fold b in H1; try fold a in H2;
    try rewrite opposite_val in H2; try rewrite E in H2.
  - assert (0 <= b * r) by now apply Rmult_le_pos. unfold signed in *. destruct strictly; lra.
  - set (c := b * r) in *. unfold signed in *. destruct strictly; [apply Rnot_le_lt | apply Rnot_lt_le]; intro K; nra.
  - assert (0 <= b * r) by now apply Rmult_le_pos. set (c := b * r) in *.
    unfold signed in *. destruct strictly; [apply Rnot_le_lt | apply Rnot_lt_le]; intro K; nra.
Qed.

(* ---- 3. Signs on an interval, which is cut in two so often ------------------------------------------ *)

Definition cut (on : interval) : Q :=
  match high on with
  | Some b => Qred ((low on + b) * (1 # 2))
  | None => if Qle_bool (1 # 2) (low on) then Qred (2 * low on) else 1
  end.
Definition left_part (on : interval) : interval := Interval (low on) (low_closed on) (Some (cut on)) true.
Definition right_part (on : interval) : interval := Interval (cut on) true (high on) (high_closed on).
Lemma parts_range u on t : in_range u on t -> in_range u (left_part on) t \/ in_range u (right_part on) t.
Proof.
  intros [T0 [T1 T2]]. destruct (Rle_lt_dec t (Q2R (over_unit u (cut on)))) as [L | L]; [left | right];
    (split; [exact T0 | split]).
  - exact T1.
  - exact L.
  - apply Rlt_le, L.
  - exact T2.
Qed.

Section Parts.
  Variables (e : prover) (u : positive) (strictly : bool) (g : fn) (f : rooted).
  Definition signed_on (on : interval) : fn -> bool := (if strictly then positive_on else nonnegative_on) e u on.
  Fixpoint on_parts (cuts : nat) (on : interval) : bool :=
    rooted_sign (nonnegative_on e u on) (signed_on on) g f |||
    match cuts with O => false | S cuts => on_parts cuts (left_part on) &&& on_parts cuts (right_part on) end.
  Lemma on_parts_sound t : 0 <= val g t -> forall cuts on, on_parts cuts on = true -> in_range u on t ->
    signed strictly (rooted_val g f t).
  Proof.
    intros G. assert (W : forall on, rooted_sign (nonnegative_on e u on) (signed_on on) g f = true ->
      in_range u on t -> signed strictly (rooted_val g f t)).
    { intros on H T. apply (rooted_sign_sound _ _ _ _ _ _ G) with (3 := H); intros h K.
      - exact (nonnegative_on_sound e u on h K t T).
      - unfold signed_on, signed in *. destruct strictly;
          [exact (positive_on_sound e u on h K t T) | exact (nonnegative_on_sound e u on h K t T)]. }
    induction cuts as [|cuts IH]; intros on H T; cbn [on_parts] in H; apply either in H as [H | H];
      try discriminate; try exact (W on H T).
    apply both in H as [H1 H2]. apply (parts_range u) in T as [T | T]; now apply IH in T.
  Qed.
End Parts.

(* ---- 4. Sums of ratios and delta ------------------------------------------------------------------- *)

Definition rooted_at_t (u : positive) (f : rooted) : rooted := Rooted (scaled u (plain f)) (scaled u (root f)).
Lemma rooted_at_t_val u g f eps :
  rooted_val (scaled u g) (rooted_at_t u f) (eps / IZR (Zpos u)) = rooted_value u g f eps.
Proof. unfold rooted_val, rooted_at_t, rooted_value; cbn [plain root]. now rewrite !scaled_val. Qed.

(* f bottom + d top *)
Definition crossed (f d : fn) (bottom top : rooted) : rooted :=
  Rooted (add (mul f (plain bottom)) (mul d (plain top))) (add (mul f (root bottom)) (mul d (root top))).
Lemma crossed_val g f d b a t : rooted_val g (crossed f d b a) t = val f t * rooted_val g b t + val d t * rooted_val g a t.
Proof. unfold rooted_val, crossed; cbn [plain root]. rewrite !add_val, !mul_val. ring. Qed.

Section Sums.
  Variables (m : model) (s : surd).
  Notation u := (unit m).
  Notation g := (scaled u (radicand s)).
  Notation top_t := (rooted_at_t u (top s)).
  Notation bottom_t := (rooted_at_t u (bottom s)).
  Definition delta_at_t (t : R) : R := rooted_val g top_t t / rooted_val g bottom_t t.
  Lemma delta_at_t_val eps : delta_at_t (eps / IZR (Zpos u)) = root_delta m s eps.
  Proof. unfold delta_at_t, root_delta. now rewrite !rooted_at_t_val. Qed.

  (* Whether a sum and k delta have the sign that the test finds. *)
  Definition with_delta (k : Z) (test : rooted -> bool) (sum : list ratio) : bool :=
    let l := common sum in
    forallb (known m) l &&&
    match collected m l sum with
    | Some f => test (crossed f (times_term k 0 (product m l)) bottom_t top_t)
    | None => false
    end.
  Lemma with_delta_sound k test strictly sum (range : R -> Prop) positive_there t :
    (forall f, positive_there f = true -> forall t, range t -> 0 < val f t) ->
    positive_denominators m positive_there = true -> range t ->
    0 < rooted_val g bottom_t t -> (forall f, test f = true -> signed strictly (rooted_val g f t)) ->
    with_delta k test sum = true -> signed strictly (sval m sum t + IZR k * delta_at_t t).
  Proof.
    intros P D T B S H. apply both in H as [Hl H]. destruct (collected m (common sum) sum) as [f|] eqn:E; [| discriminate].
    assert (V := collected_val m range positive_there P D _ t Hl T sum f E).
    assert (W := value_of_product_positive m range positive_there P D _ t Hl T).
    apply S in H. rewrite crossed_val, times_term_val, product_val, Rmult_0_l, exp_0, V in H.
    set (w := value_of_product m (common sum) t) in *. unfold delta_at_t.
    set (b := rooted_val g bottom_t t) in *. set (a := rooted_val g top_t t) in *.
    assert (F : w * b * (sval m sum t + IZR k * (a / b)) = w * sval m sum t * b + IZR k * 1 * w * a) by (field; lra).
    assert (C : 0 < w * b) by now apply Rmult_lt_0_compat.
    unfold signed in *. rewrite <- F in H. destruct strictly.
    - apply Rmult_lt_reg_l with (w * b); lra.
    - apply Rmult_le_reg_l with (w * b); lra.
  Qed.

  Section Privacy.
    Variables (on : interval) (e : prover) (cuts : nat).
    Definition well_formed : bool :=
      nonnegative_on e u on g &&& on_parts e u true g bottom_t cuts on.
    Definition enough_root : list ratio -> bool := with_delta 1 (fun f => on_parts e u false g f cuts on).
    Lemma enough_root_sound : well_formed = true -> positive_denominators m (positive_on e u on) = true ->
      forall sum t, enough_root sum = true -> in_range u on t -> 0 <= sval m sum t + delta_at_t t.
    Proof.
      intros W D sum t H T. apply both in W as [W1 W2]. assert (G := nonnegative_on_sound e u on _ W1 t T).
      rewrite <- (Rmult_1_l (delta_at_t t)).
      apply (with_delta_sound 1 _ false sum _ _ t (positive_on_sound e u on) D T) with (3 := H).
      - exact (on_parts_sound e u true g bottom_t t G cuts on W2 T).
      - intros f K. exact (on_parts_sound e u false g f t G cuts on K T).
    Qed.
  End Privacy.
End Sums.

Definition private_root_check (m : model) (t : Q) (s : surd) (on : interval) (e : prover) (size : positive)
    (entries : list (positive * positive * sign)) (cuts : nat) : bool :=
  well_formed m s on e cuts &&& private_by m t on e size entries (enough_root m s on e cuts) [].
Theorem private_root_sound m t s on e size entries cuts :
  private_root_check m t s on e size entries cuts = true -> private m t (root_delta m s) on.
Proof.
  intros H. apply both in H as [W H].
  apply (private_by_sound _ _ _ _ _ _ _ (delta_at_t m s)) in H.
  - eapply private_above; [| exact H]. intros eps _ _. cbv beta zeta. rewrite delta_at_t_val. cbn [sval]. lra.
  - intros D. now apply enough_root_sound.
Qed.

(* ---- 5. A violation --------------------------------------------------------------------------------- *)

Section Violation.
  Variables (m : model) (t : Q) (s : surd) (n : nat) (eps : Q).
  Notation g := (scaled (unit m) (radicand s)).
  Definition positive_root : rooted -> bool := rooted_sign (not_negative m n eps) (at_point m n eps) g.
  Definition more_than_delta (sum : list ratio) : bool :=
    not_negative m n eps g &&& positive_root (rooted_at_t (unit m) (bottom s)) &&& with_delta m s (-1) positive_root sum.
  Lemma more_than_delta_sound : positive_denominators m (at_point m n eps) = true ->
    forall sum, more_than_delta sum = true ->
      delta_at_t m s (Q2R (point_t m eps)) < sval m sum (Q2R (point_t m eps)).
  Proof.
    intros D sum H. apply both in H as [H H3]. apply both in H as [H1 H2].
    assert (P := at_point_sound m n eps). assert (N := not_negative_sound m n eps).
    assert (G := N _ H1 _ eq_refl).
    assert (S : forall f, positive_root f = true -> signed true (rooted_val g f (Q2R (point_t m eps)))).
    { intros f. apply rooted_sign_sound; [exact G | |]; intros h K; [exact (N h K _ eq_refl) | exact (P h K _ eq_refl)]. }
    assert (L := with_delta_sound m s (-1) positive_root true sum (fun x => x = Q2R (point_t m eps)) _ _ P D eq_refl
      (S _ H2) S H3). cbn [signed] in L. lra.
  Qed.
  Definition root_violation (set : nat -> bool) : list positive -> list positive -> bool :=
    violation_by m t n eps more_than_delta [] set.
End Violation.

Definition violated_root_check (m : model) (t : Q) (s : surd) (on : interval) (n : nat) (eps : Q)
    (outcomes : list nat) : bool :=
  with_first m on eps (root_violation m t s n eps (fun k => existsb (Nat.eqb k) outcomes)).
Theorem violated_root_sound m t s on n eps outcomes :
  violated_root_check m t s on n eps outcomes = true -> violated m t (root_delta m s) on.
Proof.
  apply (with_first_sound _ _ _ _ _ _ (fun k => existsb (Nat.eqb k) outcomes)). intros p q H.
  apply (violation_by_sound _ _ _ _ _ _ _ _ _ _ (more_than_delta_sound m s n eps)) in H as [H1 H2].
  split; [exact H1 |]. rewrite (over_unit_val (unit m) eps : Q2R (point_t m eps) = _), delta_at_t_val in H2.
  cbn [sval] in H2. lra.
Qed.
