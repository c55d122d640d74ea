(* The listed laws are distributions: their probabilities are not negative and add up to 1. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra FMapPositive.
From Dipc Require Import Chain Bounds Privacy.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

Definition totals (m : model) (on : interval) : Prop :=
  forall u p, In (u, p) (laws m) -> forall eps, 0 < eps -> inside on eps -> mass m (fun _ => true) 0 p eps = 1.
Definition distributions (m : model) (on : interval) : Prop :=
  totals m on /\ forall i eps, 0 < eps -> inside on eps -> 0 <= probability m i eps.

Section Check.
  Variable m : model.
  Variable range : R -> Prop.                (* of t = eps / unit *)
  Variables nonnegative positive_there : fn -> bool.
  Hypothesis nonnegative_sound : forall f, nonnegative f = true -> forall t, range t -> 0 <= val f t.
  Hypothesis positive_sound : forall f, positive_there f = true -> forall t, range t -> 0 < val f t.
  Variable on : interval.
  Notation u := (unit m).
  Hypothesis in_range : forall eps, 0 < eps -> inside on eps -> range (eps / IZR (Zpos u)).

  (* Over the common denominator the numerators add up to it. *)
  Definition total_check (p : list positive) : bool :=
    let s := map (fun_t m) p in
    let l := common s in
    forallb (known m) l &&
    match collected m l s with
    | Some f => match add f (times_term (-1) 0 (product m l)) with [] => true | _ => false end
    | None => false
    end.
  Definition totals_check : bool :=
    positive_denominators m positive_there && forallb (fun law => total_check (snd law)) (laws m).
  Definition positive_check : bool :=
    positive_denominators m positive_there &&
    forallb (fun entry => sum_nonneg m nonnegative [at_t m (snd entry)]) (PositiveMap.elements (functions m)).

  Lemma mass_val p : forall n eps, mass m (fun _ => true) n p eps = sval m (map (fun_t m) p) (eps / IZR (Zpos u)).
  Proof.
    induction p as [|i p IH]; intros n eps; cbn [mass map sval]; [reflexivity |].
    rewrite IH, <- fun_t_val. reflexivity.
  Qed.
  Theorem totals_sound : totals_check = true -> totals m on.
  Proof.
    intros H v p Hin eps He Ho. apply andb_prop in H as [D H]. rewrite forallb_forall in H. specialize (H _ Hin).
    cbn [snd] in H. unfold total_check in H. set (s := map (fun_t m) p) in *. apply andb_prop in H as [Hl H].
    destruct (collected m (common s) s) as [f|] eqn:E; [| discriminate].
    assert (T := in_range eps He Ho). set (t := eps / IZR (Zpos u)) in *.
    assert (V := collected_val m range positive_there positive_sound D _ t Hl T s f E).
    assert (P := value_of_product_positive m range positive_there positive_sound D _ t Hl T).
    assert (Z : val (add f (times_term (-1) 0 (product m (common s)))) t = 0).
    { destruct (add f _); [reflexivity | discriminate]. }
    rewrite add_val, times_term_val, product_val, Rmult_0_l, exp_0 in Z.
    rewrite mass_val. fold s t. apply Rmult_eq_reg_l with (value_of_product m (common s) t); lra.
  Qed.
  Theorem positive_check_sound : positive_check = true ->
    forall i eps, 0 < eps -> inside on eps -> 0 <= probability m i eps.
  Proof.
    intros H i eps He Ho. apply andb_prop in H as [D H]. rewrite forallb_forall in H.
    unfold probability, function. destruct (PositiveMap.find i (functions m)) as [r|] eqn:F.
    - apply PositiveMap.find_2, PositiveMap.elements_1, SetoidList.InA_alt in F as [[j r'] [[_ E] Hin]].
      cbn in E. subst r'. apply H in Hin. cbn [snd] in Hin.
      apply (sum_nonneg_sound m range nonnegative positive_there nonnegative_sound positive_sound D _ _) with
        (2 := in_range eps He Ho) in Hin.
      cbn [sval at_t above below] in Hin. unfold den_t in Hin. rewrite !scaled_val in Hin.
      unfold value, numerator. lra.
    - unfold value, numerator, Rdiv; cbn [above eval]. rewrite Rmult_0_l. apply Rle_refl.
  Qed.
End Check.

Theorem totals_check_sound m on e : totals_check m (positive_on e (unit m) on) = true -> totals m on.
Proof.
  apply (totals_sound m _ _ (positive_on_sound e (unit m) on)). apply inside_range.
Qed.
Definition distributions_check (m : model) (on : interval) (e : prover) : bool :=
  totals_check m (positive_on e (unit m) on) &&
  positive_check m (nonnegative_on e (unit m) on) (positive_on e (unit m) on).
Theorem distributions_check_sound m on e : distributions_check m on e = true -> distributions m on.
Proof.
  intros H. apply andb_prop in H as [H1 H2]. split; [exact (totals_check_sound m on e H1) |].
  apply (positive_check_sound m _ _ _ (nonnegative_on_sound e (unit m) on) (positive_on_sound e (unit m) on) on)
    with (2 := H2). apply inside_range.
Qed.

(* At the eps of a violation. *)
Definition only (eps : Q) : interval := Interval eps true (Some eps) true.
Section Point.
  Variables (m : model) (n : nat) (eps : Q).
  Definition not_negative (f : fn) : bool := above_zero false (low_at n f (point_t m eps)).
  Lemma not_negative_sound f : not_negative f = true -> forall x, x = Q2R (point_t m eps) -> 0 <= val f x.
  Proof.
    intros H x ->. apply above_zero_nonneg in H as [b [E Hb]]. apply low_at_sound in E. lra.
  Qed.
  Lemma only_range x : 0 < x -> inside (only eps) x -> x / IZR (Zpos (unit m)) = Q2R (point_t m eps).
  Proof.
    intros _ [L H]. cbn in L, H. assert (x = Q2R eps) as -> by lra.
    unfold point_t. rewrite over_unit_val. reflexivity.
  Qed.
  Definition totals_at_check : bool := totals_check m (at_point m n eps).
  Definition distributions_at_check : bool :=
    totals_at_check && positive_check m not_negative (at_point m n eps).
  Theorem totals_at_sound : totals_at_check = true -> totals m (only eps).
  Proof. apply (totals_sound m _ _ (at_point_sound m n eps)). apply only_range. Qed.
  Theorem distributions_at_sound : distributions_at_check = true -> distributions m (only eps).
  Proof.
    intros H. apply andb_prop in H as [H1 H2]. split; [exact (totals_at_sound H1) |].
    apply (positive_check_sound m _ _ _ not_negative_sound (at_point_sound m n eps) (only eps)) with (2 := H2).
    apply only_range.
  Qed.
End Point.
