(* Noise in core programs: a finite sum, if all large samples do the same, and all small ones. *)
From Coq Require Import Reals ZArith QArith Qreals Qround List Bool Lra Lia.
From Coquelicot Require Import Hierarchy Series PSeries.
From Dipc Require Import Chain Bounds Privacy Core.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. The series --------------------------------------------------------------------------- *)

Section Geometric.
  Variables (z : R) (f : Z -> R).
  Hypothesis between : 0 < z < 1.
  Definition sides (n : nat) : R := f (Z.of_nat n) + f (- Z.of_nat n)%Z.
  Fixpoint finite_sum (j k : nat) : R :=
    match k with
    | O => z ^ j / (1 + z) * sides j
    | S k => (1 - z) * z ^ j / (1 + z) * sides j + finite_sum (S j) k
    end.
  Lemma finite_sum_series k : forall j, (forall i, (j + k <= i)%nat -> sides i = sides (j + k)) ->
    ex_series (fun n => z ^ (j + n) * sides (j + n)) /\
    finite_sum j k = (1 - z) / (1 + z) * Series (fun n => z ^ (j + n) * sides (j + n)).
  Proof.
    assert (Z1 : Rabs z < 1) by (rewrite Rabs_pos_eq; lra).
    induction k as [|k IH]; intros j H; cbn [finite_sum].
    - assert (E : forall n, z ^ n * (z ^ j * sides j) = z ^ (j + n) * sides (j + n)).
      { intros n. rewrite (H (j + n)%nat) by lia. rewrite Nat.add_0_r, pow_add. ring. }
      split.
      + apply (ex_series_ext (fun n => z ^ n * (z ^ j * sides j))); [exact E |].
        apply ex_series_scal_r. now apply ex_series_geom.
      + rewrite <- (Series_ext _ _ E), Series_scal_r, Series_geom by exact Z1. field. lra.
    - destruct (IH (S j)) as [X V].
      { intros i Hi. rewrite (H i), (H (S j + k)%nat) by lia. reflexivity. }
      assert (E : forall n, z ^ (S j + n) * sides (S j + n) = z ^ (j + S n) * sides (j + S n)).
      { intros n. now rewrite Nat.add_succ_r. }
      assert (X' : ex_series (fun n => z ^ (j + n) * sides (j + n))).
      { apply ex_series_incr_1. eapply ex_series_ext; [| exact X]. exact E. }
      split; [exact X' |]. rewrite V, (Series_incr_1 (fun n => z ^ (j + n) * sides (j + n))) by exact X'.
      rewrite (Series_ext _ _ E), Nat.add_0_r. field. lra.
  Qed.
  Lemma geometric_finite k : (forall i, (S k <= i)%nat -> sides i = sides (S k)) ->
    geometric z f = (1 - z) / (1 + z) * f 0%Z + finite_sum 1 k.
  Proof.
    intros H. destruct (finite_sum_series k 1 H) as [_ E]. rewrite E. unfold geometric, sides.
    rewrite Rmult_plus_distr_l. reflexivity.
  Qed.
End Geometric.
Lemma geometric_ext z f g : (forall i, f i = g i) -> geometric z f = geometric z g.
Proof.
  intros H. unfold geometric. rewrite H. do 2 f_equal. apply Series_ext. intros n. now rewrite !H.
Qed.

(* ---- 2. What depends on a sample --------------------------------------------------------------- *)

Lemma write_write x v w s : write x w (write x v s) = write x w s.
Proof. revert x. induction s as [|a s IH]; intros [|x]; cbn [write]; [reflexivity.. |]. now rewrite IH. Qed.
Lemma write_swap x y v w s : x <> y -> write x v (write y w s) = write y w (write x v s).
Proof.
  revert x y. induction s as [|a s IH]; intros [|x] [|y] H; cbn [write]; try reflexivity; [lia |].
  rewrite IH; [reflexivity | lia].
Qed.
Lemma read_other x y v s : x <> y -> read (write y v s) x = read s x.
Proof.
  unfold read. revert x y. induction s as [|a s IH]; intros [|x] [|y] H; cbn [write nth]; try reflexivity; [lia |].
  apply IH. lia.
Qed.
Lemma read_same x v s : (x < length s)%nat -> read (write x v s) x = v.
Proof.
  unfold read. revert x. induction s as [|a s IH]; intros [|x] H; cbn [write nth length] in *;
    [lia.. | reflexivity | apply IH; lia].
Qed.

(* On one side, values of x from high on (up), or up to low: what depends on x there, and how. *)
Section Side.
  Variables (x : nat) (smallest largest : Q) (up : bool).
  Definition beyond (v : Q) : bool := if up then Qle_bool largest v else Qle_bool v smallest.
  Definition between (e : expr) : bool :=
    match e with
    | Number q => negb (Qle_bool (Qred q) smallest) && negb (Qle_bool largest (Qred q))
    | _ => false
    end.
  Inductive behaviour := Fixed | Beyond | Unknown.
  Definition side (b : bool) : behaviour := if b then Beyond else Fixed.
  Definition against (a b : expr) (kind_a kind_b found : behaviour) : behaviour :=
    match kind_a, kind_b with
    | Fixed, Fixed => Fixed
    | Beyond, Fixed => if between b then found else Unknown
    | Fixed, Beyond => if between a then found else Unknown
    | _, _ => Unknown
    end.
  Definition fixed (k : behaviour) : bool := match k with Fixed => true | _ => false end.
  Definition all_fixed (b : bool) : behaviour := if b then Fixed else Unknown.
  Fixpoint kind (e : expr) : behaviour :=
    match e with
    | Number _ => Fixed
    | Cell y => if Nat.eqb x y then Beyond else Fixed
    | Maximum a b => against a b (kind a) (kind b) (side up)
    | Minimum a b => against a b (kind a) (kind b) (side (negb up))
    | Equal a b | Less a b | AtMost a b => against a b (kind a) (kind b) Fixed
    | Floor a | Not a => all_fixed (fixed (kind a))
    | Added a b | Reduced a b | Times a b | Divided a b | And a b | Or a b =>
        all_fixed (fixed (kind a) && fixed (kind b))
    | Cond c a b => all_fixed (fixed (kind c) && fixed (kind a) && fixed (kind b))
    end.
  Fixpoint fixed_weight (w : weight) : bool :=
    match w with
    | Const e => fixed (kind e)
    | Eps => true
    | Exp w => fixed_weight w
    | Sum v w | Difference v w | Product v w | Quotient v w => fixed_weight v && fixed_weight w
    | Choice c v w => fixed (kind c) && fixed_weight v && fixed_weight w
    end.
  Fixpoint tame (c : core) : bool :=
    match c with
    | Skip => true
    | Assign y e => negb (Nat.eqb x y) && fixed (kind e)
    | If e a b => fixed (kind e) && tame a && tame b
    | Choose y options => negb (Nat.eqb x y) && forallb (fun '(e, w) => fixed (kind e) && fixed_weight w) options
    | Noise y rate mean rest => negb (Nat.eqb x y) && fixed_weight rate && fixed (kind mean) && tame rest
    | Seq a b => tame a && tame b
    end.

  Lemma comparisons v e : beyond v = true -> between e = true -> exists c, (forall s, value_in s e = c) /\
    Qle_bool v c = negb up /\ Qle_bool c v = up /\ Qeq_bool v c = false /\ Qeq_bool c v = false.
  Proof.
    destruct e as [q| | | | | | | | | | | | | | |]; try discriminate. unfold beyond. cbn [between value_in].
    intros Hv H. apply andb_prop in H as [H1 H2]. exists (Qred q). split; [reflexivity |].
    set (c := Qred q) in *. clearbody c. apply negb_true_iff in H1, H2.
    assert (L : (smallest < c)%Q) by (apply Qnot_le_lt; intro K; apply Qle_bool_iff in K; congruence).
    assert (H : (c < largest)%Q) by (apply Qnot_le_lt; intro K; apply Qle_bool_iff in K; congruence).
    assert (F : forall a b, (b < a)%Q -> Qle_bool a b = false /\ Qle_bool b a = true /\
                              Qeq_bool a b = false /\ Qeq_bool b a = false).
    { intros a b K. repeat split.
      - apply not_true_is_false. intro E. apply Qle_bool_iff in E. apply (Qlt_not_le _ _ K E).
      - apply Qle_bool_iff. now apply Qlt_le_weak.
      - apply not_true_is_false. intro E. apply Qeq_bool_iff in E. rewrite E in K. now apply Qlt_irrefl in K.
      - apply not_true_is_false. intro E. apply Qeq_bool_iff in E. rewrite E in K. now apply Qlt_irrefl in K. }
    destruct up; apply Qle_bool_iff in Hv.
    - destruct (F v c) as (F1 & F2 & F3 & F4); [now apply Qlt_le_trans with largest |]. now repeat split.
    - destruct (F c v) as (F1 & F2 & F3 & F4); [now apply Qle_lt_trans with smallest |]. now repeat split.
  Qed.

  (* The same memory but for x, where both are on this side. *)
  Definition related (s r : memory) : Prop :=
    write x 0%Q s = write x 0%Q r /\ beyond (read s x) = true /\ beyond (read r x) = true.
  Lemma related_write s r y v : related s r -> x <> y -> related (write y v s) (write y v r).
  Proof.
    intros (E & Hs & Hr) N. unfold related. rewrite !read_other, !(write_swap x y) by exact N.
    now rewrite E.
  Qed.
  Lemma related_read s r y : related s r -> x <> y -> read s y = read r y.
  Proof.
    intros (E & _ & _) N. rewrite <- (read_other y x 0%Q s), <- (read_other y x 0%Q r) by congruence.
    now rewrite E.
  Qed.
  Definition behaves (k : behaviour) (v w : Q) : Prop :=
    match k with Fixed => v = w | Beyond => beyond v = true /\ beyond w = true | Unknown => True end.
  Lemma fixed_eq k v w : fixed k = true -> behaves k v w -> v = w.
  Proof. now destruct k. Qed.
  Ltac all_equal := match goal with
    | |- behaves (all_fixed ?b) _ _ => destruct b eqn:?E; cbn [all_fixed behaves]; [| exact I];
        repeat match goal with H : _ && _ = true |- _ => apply andb_prop in H as [? ?] end;
        repeat match goal with
          | F : fixed ?k = true, B : behaves ?k _ _ |- _ => apply (fixed_eq _ _ _ F) in B; rewrite B; clear F
          end; reflexivity
    end.
  Lemma kind_sound s r e : related s r -> behaves (kind e) (value_in s e) (value_in r e).
  Proof.
    intros R. induction e; cbn [kind value_in]; try all_equal; try reflexivity.
    - destruct (Nat.eqb_spec x x0) as [<-|N]; cbn [behaves]; [split; apply R | now apply related_read].
    all: unfold against; destruct (kind e1), (kind e2); cbn [behaves] in *; try exact I;
      try (rewrite IHe1, IHe2; reflexivity).
    all: try (destruct (between e2) eqn:B2; [| exact I]; destruct IHe1 as [X1 X2];
      destruct (comparisons _ e2 X1 B2) as (c & V & C1 & C2 & C3 & C4);
      destruct (comparisons _ e2 X2 B2) as (c' & V' & C1' & C2' & C3' & C4');
      assert (c' = c) as -> by (rewrite <- (V s); symmetry; apply V');
      rewrite !V, ?C1, ?C2, ?C3, ?C1', ?C2', ?C3'; unfold side; destruct up; cbn [negb behaves]; auto).
    all: destruct (between e1) eqn:B1; [| exact I]; destruct IHe2 as [X1 X2];
      destruct (comparisons _ e1 X1 B1) as (c & V & C1 & C2 & C3 & C4);
      destruct (comparisons _ e1 X2 B1) as (c' & V' & C1' & C2' & C3' & C4');
      assert (c' = c) as -> by (rewrite <- (V s); symmetry; apply V');
      rewrite !V, ?C1, ?C2, ?C4, ?C1', ?C2', ?C4'; unfold side; destruct up; cbn [negb behaves]; auto.
  Qed.
  Lemma fixed_sound s r e : related s r -> fixed (kind e) = true -> value_in s e = value_in r e.
  Proof. intros R F. apply (fixed_eq _ _ _ F). now apply kind_sound. Qed.
  Lemma fixed_weight_sound eps s r w : related s r -> fixed_weight w = true -> at_eps eps s w = at_eps eps r w.
  Proof.
    intros R. induction w as [e| |w IH|v IHv w IHw|v IHv w IHw|v IHv w IHw|v IHv w IHw|c v IHv w IHw];
      cbn [fixed_weight at_eps]; intros F; repeat (apply andb_prop in F as [F ?]);
      try (rewrite IHv, IHw by assumption); try rewrite IH by assumption; try reflexivity.
    - now rewrite (fixed_sound s r e R F).
    - now rewrite (fixed_sound s r c R F).
  Qed.
  Lemma tame_sound eps c : tame c = true -> forall f, (forall s r, related s r -> f s = f r) ->
    forall s r, related s r -> expected eps c f s = expected eps c f r.
  Proof.
    induction c as [|y e|e a IHa b IHb|y options|y rate mean rest IH|a IHa b IHb]; cbn [tame expected];
      intros H f Hf s r R.
    - now apply Hf.
    - apply andb_prop in H as [N F]. apply negb_true_iff, Nat.eqb_neq in N.
      rewrite (fixed_sound s r e R F). apply Hf. now apply related_write.
    - apply andb_prop in H as [H Hb]. apply andb_prop in H as [F Ha]. rewrite (fixed_sound s r e R F).
      destruct (holds _); [now apply IHa | now apply IHb].
    - apply andb_prop in H as [N F]. apply negb_true_iff, Nat.eqb_neq in N.
      induction options as [|[e w] options IH]; cbn [fold_right forallb] in *; [reflexivity |].
      apply andb_prop in F as [F Fs]. apply andb_prop in F as [Fe Fw]. rewrite (IH Fs).
      rewrite (fixed_sound s r e R Fe), (fixed_weight_sound eps s r w R Fw).
      rewrite (Hf _ _ (related_write s r y (value_in r e) R N)). reflexivity.
    - apply andb_prop in H as [H Hr]. apply andb_prop in H as [H Fm]. apply andb_prop in H as [N Fr].
      apply negb_true_iff, Nat.eqb_neq in N. rewrite (fixed_weight_sound eps s r rate R Fr), (fixed_sound s r mean R Fm).
      apply geometric_ext. intros i. apply IH; [exact Hr | | now apply related_write].
      intros s' r' R'. apply Hf. now apply related_write.
    - apply andb_prop in H as [Ha Hb]. apply IHa; [exact Ha | | exact R]. intros. now apply IHb.
  Qed.
End Side.

(* ---- 3. The law of the noise -------------------------------------------------------------------- *)

(* Bounds beyond all constants with which a program compares. *)
Definition direct (e : expr) : list Q := match e with Number q => [q] | _ => [] end.
Fixpoint numbers (e : expr) : list Q :=
  match e with
  | Number _ | Cell _ => []
  | Floor a | Not a => numbers a
  | Added a b | Reduced a b | Times a b | Divided a b | And a b | Or a b => numbers a ++ numbers b
  | Maximum a b | Minimum a b | Equal a b | Less a b | AtMost a b => direct a ++ direct b ++ numbers a ++ numbers b
  | Cond c a b => numbers c ++ numbers a ++ numbers b
  end.
Fixpoint constants (c : core) : list Q :=
  match c with
  | Skip => []
  | Assign _ e => numbers e
  | If e a b => numbers e ++ constants a ++ constants b
  | Choose _ options => flat_map (fun '(e, _) => numbers e) options
  | Noise _ _ mean rest => numbers mean ++ constants rest
  | Seq a b => constants a ++ constants b
  end.
Definition least (l : list Q) : Q := fold_right (fun a b => if Qle_bool a b then a else b) 0%Q l - 1.
Definition greatest (l : list Q) : Q := fold_right (fun a b => if Qle_bool a b then b else a) 0%Q l + 1.

(* The law of the noise: the samples 0, n and -n ... n + k - 1 and -(n + k - 1), and all beyond as two. *)
Section Spread.
  Variable rate : weight.
  Definition unity : weight := Const (Number 1).
  Definition power (n : nat) : weight :=
    Exp (Difference (Const (Number 0)) (Product (Const (Number (inject_Z (Z.of_nat n)))) rate)).
  Definition inner (n : nat) : weight :=
    Quotient (Product (Difference unity (power 1)) (power n)) (Sum unity (power 1)).
  Definition outer (n : nat) : weight := Quotient (power n) (Sum unity (power 1)).
  Fixpoint spread (n k : nat) : list (Z * weight) :=
    match k with
    | O => [(Z.of_nat n, outer n); (- Z.of_nat n, outer n)%Z]
    | S k => (Z.of_nat n, inner n) :: (- Z.of_nat n, inner n)%Z :: spread (S n) k
    end.
  Variables (eps : R) (s : memory).
  Notation z := (exp (- at_eps eps s rate)).
  Lemma one_value : Q2R (Qred 1) = 1.
  Proof. unfold Q2R; cbn. field. Qed.
  Lemma power_val n : at_eps eps s (power n) = z ^ n.
  Proof.
    cbn [power at_eps value_in]. rewrite !(Qeq_eqR _ _ (Qred_correct _)), Q2R_integer, <- INR_IZR_INZ.
    replace (Q2R 0) with 0 by (unfold Q2R; cbn; field).
    induction n as [|n IH]; [cbn [INR pow]; rewrite <- exp_0; f_equal; ring |].
    rewrite S_INR. cbn [pow]. rewrite <- IH, <- exp_plus. f_equal. ring.
  Qed.
  Lemma inner_val n : at_eps eps s (inner n) = (1 - z) * z ^ n / (1 + z).
  Proof.
    unfold inner, unity. cbn [at_eps value_in]. rewrite !power_val, one_value, pow_1. reflexivity.
  Qed.
  Lemma outer_val n : at_eps eps s (outer n) = z ^ n / (1 + z).
  Proof. unfold outer, unity. cbn [at_eps value_in]. rewrite !power_val, one_value, pow_1. reflexivity. Qed.
  Definition average (l : list (Z * weight)) (f : Z -> R) : R :=
    fold_right (fun '(i, w) sum => at_eps eps s w * f i + sum) 0 l.
  Lemma spread_val f k : forall n, average (spread n k) f = finite_sum z f n k.
  Proof.
    induction k as [|k IH]; intros n; cbn [spread average fold_right finite_sum]; unfold sides.
    - rewrite !outer_val. ring.
    - fold (average (spread (S n) k) f). rewrite IH, !inner_val. ring.
  Qed.
End Spread.
