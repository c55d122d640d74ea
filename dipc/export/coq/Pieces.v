(* Signs by pieces: derivatives at one end of a short interval, and bounds of the next one on all of it.

   docs/certificates.md, "The other proofs, by hand". *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra Lia.
From Coquelicot Require Import Hierarchy Derive.
From Dipc Require Import Chain Bounds.
Import ListNotations.
Open Scope bool_scope.
Open Scope lazy_bool_scope.
Open Scope R_scope.

(* ---- 1. Bounds on an interval ------------------------------------------------------------------ *)

Lemma below_zero a : Qle_bool 0 a = true -> 0 <= Q2R a.
Proof. intros H. apply Qle_bool_iff, Qle_Rle in H. now rewrite Q2R_0 in H. Qed.
Lemma above_zero_not a : Qle_bool 0 a = false -> Q2R a < 0.
Proof.
  intros H. rewrite <- Q2R_0. apply Qlt_Rlt, Qnot_le_lt. intro K. apply Qle_bool_iff in K. congruence.
Qed.

Section Interval.
  Variables (n : nat) (a b : Q).
  Hypothesis a_nonneg : 0 <= Q2R a.
  Definition between (x : R) : Prop := Q2R a <= x <= Q2R b.

  Fixpoint plow (p : poly) : Q :=
    match p with
    | [] => 0
    | c :: p => let l := plow p in Qred (inject_Z c + l * (if Qle_bool 0 l then a else b))
    end.
  Lemma plow_sound p x : between x -> Q2R (plow p) <= pval p x.
  Proof.
    intros [Ha Hb]. induction p as [|c p IH]; cbn [plow pval]; [rewrite Q2R_0; lra |].
    rationals. rewrite Q2R_integer.
    destruct (Qle_bool 0 (plow p)) eqn:L; [apply below_zero in L | apply above_zero_not in L]; nra.
  Qed.

  (* A bound from below of p(x) exp(rate x). *)
  Definition term_low (rate : Z) (p : poly) : option Q :=
    let l := plow p in
    let '(least, most) := if (0 <=? rate)%Z then (a, b) else (b, a) in
    if Qle_bool 0 l then Some (l * exp_low n (Qred (inject_Z rate * least)))%Q
    else match exp_high n (Qred (inject_Z rate * most)) with Some e => Some (l * e)%Q | None => None end.
  Lemma term_low_sound rate p x q : between x -> term_low rate p = Some q -> Q2R q <= pval p x * exp (IZR rate * x).
  Proof.
    intros Hx. assert (P := plow_sound p x Hx). destruct Hx as [Ha Hb]. unfold term_low.
    set (l := plow p) in *.
    assert (E : let '(least, most) := if (0 <=? rate)%Z then (a, b) else (b, a) in
                IZR rate * Q2R least <= IZR rate * x <= IZR rate * Q2R most).
    { destruct (Z.leb_spec 0 rate) as [R|R]; [apply IZR_le in R | apply IZR_lt in R]; split; nra. }
    destruct (if (0 <=? rate)%Z then (a, b) else (b, a)) as [least most]. destruct E as [E1 E2].
    apply exp_grows in E1. apply exp_grows in E2. assert (X := exp_pos (IZR rate * x)).
    destruct (Qle_bool 0 l) eqn:L.
    - apply below_zero in L. intros H. rewrite <- (some_eq H), Q2R_mult.
      assert (K := exp_low_sound n (Qred (inject_Z rate * least))). rewrite (Qeq_eqR (Qred _) _ (Qred_correct _)), Q2R_mult, Q2R_integer in K.
      apply Rle_trans with (Q2R l * exp (IZR rate * x)); [apply Rmult_le_compat_l; lra | apply Rmult_le_compat_r; lra].
    - apply above_zero_not in L. destruct (exp_high n _) as [e|] eqn:K; [| discriminate].
      apply exp_high_sound in K. rewrite (Qeq_eqR (Qred _) _ (Qred_correct _)), Q2R_mult, Q2R_integer in K.
      intros H. rewrite <- (some_eq H), Q2R_mult.
      apply Rle_trans with (Q2R l * exp (IZR rate * x)); [nra | apply Rmult_le_compat_r; lra].
  Qed.

  Fixpoint low_between (f : fn) : option Q :=
    match f with
    | [] => Some 0%Q
    | (rate, p) :: f =>
        match term_low rate p, low_between f with Some q, Some rest => Some (Qred (q + rest)) | _, _ => None end
    end.
  Lemma low_between_sound f x : between x -> forall q, low_between f = Some q -> Q2R q <= val f x.
  Proof.
    intros Hx. induction f as [|[rate p] f IH]; intros q H; cbn [low_between val] in *.
    - rewrite <- (some_eq H), Q2R_0. lra.
    - destruct (term_low rate p) as [t|] eqn:T; [| discriminate].
      destruct (low_between f) as [r|]; [| discriminate].
      rewrite <- (some_eq H). rationals. apply (term_low_sound rate p x t Hx) in T. specialize (IH r eq_refl). lra.
  Qed.
End Interval.

(* ---- 2. Pieces --------------------------------------------------------------------------------- *)

(* The links of a chain backwards: from the upper end. *)
Section Backwards.
  Variables (g g' : R -> R) (s high : R).
  Hypothesis derivative : forall x, is_derive g x (g' x).
  Lemma back_nonneg x : x < high -> (forall c, x < c < high -> g' c - s * g c <= 0) -> 0 <= g high -> 0 <= g x.
  Proof.
    intros Hx H H0. destruct (mean_value g g' s x derivative high Hx) as [c [Hc E]]. specialize (H c Hc).
    assert (0 < exp (- (s * x))) by apply exp_pos.
    assert (0 < exp (- (s * c))) by apply exp_pos.
    assert (0 < exp (- (s * high))) by apply exp_pos.
    assert (0 <= exp (- (s * c)) * - (g' c - s * g c) * (high - x)) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= exp (- (s * high)) * g high) by (apply Rmult_le_pos; lra).
    apply Rmult_le_reg_l with (exp (- (s * x))); lra.
  Qed.
  Lemma back_positive x : x < high -> (forall c, x < c < high -> g' c - s * g c < 0) -> 0 <= g high -> 0 < g x.
  Proof.
    intros Hx H H0. destruct (mean_value g g' s x derivative high Hx) as [c [Hc E]]. specialize (H c Hc).
    assert (0 < exp (- (s * x))) by apply exp_pos.
    assert (0 < exp (- (s * c))) by apply exp_pos.
    assert (0 < exp (- (s * high))) by apply exp_pos.
    assert (0 < exp (- (s * c)) * - (g' c - s * g c) * (high - x)) by (repeat apply Rmult_lt_0_compat; lra).
    assert (0 <= exp (- (s * high)) * g high) by (apply Rmult_le_pos; lra).
    apply Rmult_lt_reg_l with (exp (- (s * x))); lra.
  Qed.
End Backwards.

Section Pieces.
  Variables (strictly : bool) (n order : nat).
  (* f > 0 or f >= 0 at all x > 0 of an interval. *)
  Definition signed (y : R) : Prop := if strictly then 0 < y else 0 <= y.
  Definition holds_on (a b : Q) (f : fn) : Prop := forall x, between a b x -> 0 < x -> signed (val f x).
  Definition sign_between (a b : Q) (f : fn) : bool := above_zero strictly (low_between n a b f).
  (* At 0 itself f >= 0 is enough. *)
  Definition sign_at (x : Q) (f : fn) : bool := above_zero (strictly && negb (Qle_bool x 0)) (low_at n f x).

  Lemma above_zero_signed q y : above_zero strictly q = true -> (forall b, q = Some b -> Q2R b <= y) -> signed y.
  Proof.
    intros H K. unfold signed. destruct strictly.
    - apply above_zero_strict in H as [b [E P]]. specialize (K b E). lra.
    - apply above_zero_nonneg in H as [b [E P]]. specialize (K b E). lra.
  Qed.
  Lemma sign_between_sound a b f : 0 <= Q2R a -> sign_between a b f = true -> holds_on a b f.
  Proof. intros Ha H x Hx _. apply (above_zero_signed _ _ H). now apply low_between_sound. Qed.
  Lemma sign_at_sound x f : sign_at x f = true -> 0 <= val f (Q2R x) /\ (0 < Q2R x -> signed (val f (Q2R x))).
  Proof.
    unfold sign_at, signed. intros H. destruct strictly; cbn [andb] in H.
    - destruct (Qle_bool x 0) eqn:E; cbn [negb] in H.
      + apply above_zero_nonneg in H as [b [L P]]. apply low_at_sound in L.
        apply Qle_bool_iff, Qle_Rle in E. rewrite Q2R_0 in E. split; [lra | intros; lra].
      + apply above_zero_strict in H as [b [L P]]. apply low_at_sound in L. split; [lra | intros; lra].
    - apply above_zero_nonneg in H as [b [L P]]. apply low_at_sound in L. split; [lra | intros; lra].
  Qed.

  (* The piece from a to b, by derivatives at a. *)
  Fixpoint from_left (order : nat) (a b : Q) (f : fn) : bool :=
    match f with
    | [] => negb strictly
    | (s, _) :: _ =>
        sign_between a b f |||
        match order with O => false | S order => sign_at a f &&& from_left order a b (derived s f) end
    end.
  Lemma empty_holds a b : negb strictly = true -> holds_on a b [].
  Proof. intros H x _ _. unfold signed. apply negb_true_iff in H. rewrite H. cbn. lra. Qed.
  Lemma from_left_sound order' a b : 0 <= Q2R a -> forall f, from_left order' a b f = true -> holds_on a b f.
  Proof.
    intros Ha. induction order' as [|k IH]; intros [|[s p] f] H; cbn [from_left] in H;
      try (now apply empty_holds); apply either in H as [H | H]; try (now apply sign_between_sound).
    apply both in H as [H0 H]. apply sign_at_sound in H0 as [V0 VA]. specialize (IH _ H).
    intros x [[L | <-] U] P; [| now apply VA].
    assert (D : forall y, is_derive (val ((s, p) :: f)) y (slope ((s, p) :: f) y)) by (intro; apply val_derive).
    assert (K : forall c, Q2R a < c < x -> signed (slope ((s, p) :: f) c - IZR s * val ((s, p) :: f) c)).
    { intros c Hc. rewrite <- derived_val. apply IH; [split; lra | lra]. }
    unfold signed in *. destruct strictly.
    - exact (link_positive _ _ (IZR s) (Q2R a) D x L K V0).
    - exact (link_nonneg _ _ (IZR s) (Q2R a) D x L K V0).
  Qed.

  (* By derivatives at b, where they must have alternating signs. *)
  Fixpoint from_right (order : nat) (a b : Q) (f : fn) : bool :=
    match f with
    | [] => negb strictly
    | (s, _) :: _ =>
        sign_between a b f |||
        match order with
        | O => false
        | S order => sign_at b f &&& from_right order a b (times_term (-1) 0 (derived s f))
        end
    end.
  Lemma negated_val f x : val (times_term (-1) 0 f) x = - val f x.
  Proof. rewrite times_term_val, Rmult_0_l, exp_0. ring. Qed.
  Lemma from_right_sound order' a b : 0 <= Q2R a -> forall f, from_right order' a b f = true -> holds_on a b f.
  Proof.
    intros Ha. induction order' as [|k IH]; intros [|[s p] f] H; cbn [from_right] in H;
      try (now apply empty_holds); apply either in H as [H | H]; try (now apply sign_between_sound).
    apply both in H as [H0 H]. apply sign_at_sound in H0 as [V0 VB]. specialize (IH _ H).
    intros x [L [U | ->]] P; [| now apply VB].
    assert (D : forall y, is_derive (val ((s, p) :: f)) y (slope ((s, p) :: f) y)) by (intro; apply val_derive).
    assert (K : forall c, x < c < Q2R b -> signed (- (slope ((s, p) :: f) c - IZR s * val ((s, p) :: f) c))).
    { intros c Hc. rewrite <- derived_val, <- negated_val. apply IH; [split; lra | lra]. }
    unfold signed in *. destruct strictly.
    - apply (back_positive _ _ (IZR s) (Q2R b) D x U); [| exact V0]. intros c Hc. specialize (K c Hc). lra.
    - apply (back_nonneg _ _ (IZR s) (Q2R b) D x U); [| exact V0]. intros c Hc. specialize (K c Hc). lra.
  Qed.

  (* Where neither will do the piece is halved. *)
  Fixpoint by_halves (depth : nat) (a b : Q) (f : fn) : bool :=
    from_left order a b f ||| from_right order a b f |||
    match depth with
    | O => false
    | S depth => let m := Qred ((a + b) * (1 # 2)) in by_halves depth a m f &&& by_halves depth m b f
    end.
  Lemma middle a b : Q2R (Qred ((a + b) * (1 # 2))) = (Q2R a + Q2R b) / 2.
  Proof. rationals. unfold Q2R at 3; cbn [Qnum Qden]. unfold Rdiv. now rewrite Rmult_1_l. Qed.
  Lemma by_halves_sound depth : forall a b f, 0 <= Q2R a -> by_halves depth a b f = true -> holds_on a b f.
  Proof.
    induction depth as [|depth IH]; intros a b f Ha H; cbn [by_halves] in H; apply either in H as [H | H];
      try (apply either in H as [H | H]; [now apply from_left_sound with order | now apply from_right_sound with order]).
    { discriminate H. }
    apply both in H as [H1 H2]. intros x [L U] P. assert (M := middle a b). set (m := Qred _) in *.
    destruct (Rle_lt_dec x (Q2R m)) as [X | X].
    - apply (IH a m f Ha H1 x); [split; lra | exact P].
    - apply (IH m b f); [lra | exact H2 | split; lra | exact P].
  Qed.
End Pieces.

(* ---- 3. The whole interval ---------------------------------------------------------------------- *)

(* All rates <= 0, which keeps numbers small: f exp(-s x) for the greatest rate s. *)
Definition levelled (f : fn) : fn := times_term 1 (- fst (last f (0%Z, []))) f.
Lemma levelled_val f x : exists c, 0 < c /\ val (levelled f) x = c * val f x.
Proof.
  unfold levelled. set (s := (- _)%Z). exists (exp (IZR s * x)). split; [apply exp_pos |].
  rewrite times_term_val. ring.
Qed.

(* Pieces up to the upper end, or up to the first of these eps from which on a chain proves it. *)
Definition distances : list Q := map inject_Z [1; 2; 4; 8; 16; 32; 64; 128; 256; 512; 1024]%Z.
Section Whole.
  Variables (terms order depth : nat) (strictly : bool) (u : positive) (on : interval).
  Definition first_t : Q := if Qle_bool 0 (low_t u on) then low_t u on else 0.
  Definition by_pieces (f : fn) : bool :=
    let f := levelled f in
    match high on with
    | Some b => by_halves strictly terms order depth first_t (over_unit u b) f
    | None =>
        let chain beyond :=
          if strictly then strict_from terms fuel (over_unit u beyond) f
          else nonneg_from terms fuel (over_unit u beyond) f in
        match find chain distances with
        | Some beyond => by_halves strictly terms order depth first_t (over_unit u beyond) f
        | None => false
        end
    end.
  Lemma by_pieces_sound f : by_pieces f = true -> forall t, in_range u on t -> signed strictly (val f t).
  Proof.
    intros H t [T0 [T1 T2]].
    assert (F : signed strictly (val (levelled f) t)).
    { assert (A : 0 <= Q2R first_t <= t).
      { unfold first_t. destruct (Qle_bool 0 (low_t u on)) eqn:E; [apply below_zero in E | rewrite Q2R_0]; lra. }
      unfold by_pieces in H. destruct (high on) as [b|].
      - apply (by_halves_sound _ _ _ _ _ _ _ (proj1 A) H); [split; [apply A | exact T2] | exact T0].
      - destruct (find _ distances) as [beyond|] eqn:E; [| discriminate H].
        apply find_some in E as [_ H1].
        destruct (Rle_lt_dec t (Q2R (over_unit u beyond))) as [L | L].
        + apply (by_halves_sound _ _ _ _ _ _ _ (proj1 A) H); [split; [apply A | exact L] | exact T0].
        + unfold signed. destruct strictly.
          * apply (strict_from_sound _ _ _ _ H1). lra.
          * apply (nonneg_from_sound _ _ _ _ H1). lra. }
    destruct (levelled_val f t) as [c [P E]]. rewrite E in F. unfold signed in *. destruct strictly.
    - apply Rmult_lt_reg_l with c; lra.
    - apply Rmult_le_reg_l with c; lra.
  Qed.
End Whole.

Section Prover.
  Variables (terms order depth : nat) (u : positive) (on : interval) (f : fn).

  (* Not surely negative at some eps of the interval: else the search for pieces would take long, in vain. *)
  Definition plausible : bool :=
    let a := first_t u on in
    let b := match high on with Some b => over_unit u b | None => Qred (a + over_unit u 16) end in
    let parts := [0; 1 # 1024; 1 # 256; 1 # 64; 1 # 16; 1 # 8; 1 # 4; 3 # 8; 1 # 2; 5 # 8; 3 # 4; 7 # 8; 1 # 1]%Q in
    let f := times_term (-1) 0 (levelled f) in
    forallb (fun part => negb (above_zero true (low_at 16 f (Qred (a + (b - a) * part))))) parts.

  Definition nonnegative_by_pieces : bool := plausible &&& by_pieces terms order depth false u on f.
  Definition positive_by_pieces : bool := plausible &&& by_pieces terms order depth true u on f.
  Lemma nonnegative_by_pieces_sound : nonnegative_by_pieces = true -> forall t, in_range u on t -> 0 <= val f t.
  Proof. intros H. apply both in H as [_ H]. exact (by_pieces_sound _ _ _ false _ _ _ H). Qed.
  Lemma positive_by_pieces_sound : positive_by_pieces = true -> forall t, in_range u on t -> 0 < val f t.
  Proof. intros H. apply both in H as [_ H]. exact (by_pieces_sound _ _ _ true _ _ _ H). Qed.
End Prover.

(* Up to so many derivatives on each piece, halved at most so often. *)
Definition Pieces (terms order depth : nat) : prover :=
  Prover (nonnegative_by_pieces terms order depth) (positive_by_pieces terms order depth)
    (nonnegative_by_pieces_sound terms order depth) (positive_by_pieces_sound terms order depth).

(* Chains where they will do, else pieces. *)
Definition Search : prover := First (Chains :: map (fun terms => Pieces terms 12 12) [8; 16; 32; 64]%nat).
