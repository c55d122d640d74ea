(* Claims for every size: the checker of strategies over the finitely many edges, and that what it finds holds
   along runs of every length.

   It repeats what dipc/kernel/sizes.py computes; the definitions of the claim are in Runs.v. *)
From Coq Require Import Reals ZArith QArith Qreals Qround Qabs Qreduction List Bool Lra Lia.
From Dipc Require Import Chain Bounds Runs Coupling.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. The checker: finitely many edges, computed with rational numbers ----------------------- *)

(* For some edges of the automaton, in its order, the shifts of their samples; for each place phi, and delta
   for what is known there. *)
Record strategy := Strategy { phi : list Q; delta : list (list Q); shifts : list (option (list Q)) }.

Definition valueQ (f : form Q) (env : list Q) : Q :=
  fold_right (fun t v => Qred (snd t * nth (fst t) env 0 + v)%Q) (constant f) (terms f).

Definition integerQ (q : Q) : bool := Qeq_bool q (inject_Z (Qfloor q)).
Definition positiveQ (q : Q) : bool := negb (Qle_bool q 0).
Definition supportedQ (k : kind) (m s : Q) : bool :=
  match k with Lap => true | LapPlus => Qle_bool m s | DLap => integerQ s && integerQ m end.

Section Check.
Variables (on : interval) (how : prover).

(* before <= exp(c*eps) * after for every eps > 0 of the interval; c is [shift]/unit. *)
Definition dominated_check (c : Q) (u : positive) (f g : fraction) : bool :=
  let shift := (Qnum c * Zpos u / Zpos (Qden c))%Z in
  let '(a, b) := (scaled u (fst f), scaled u (snd f)) in
  let '(a', b') := (scaled u (fst g), scaled u (snd g)) in
  Qeq_bool c (shift # u) && positive_on how u on b && positive_on how u on b' && nonnegative_on how u on a &&
  nonnegative_on how u on (add (times_term 1 shift (mul a' b)) (times_term (-1) 0 (mul a b'))).

(* What is known after the steps, and what they cost; None if something is not kept. *)
Fixpoint spent (ms : list (move Q)) (env s : list Q) : option (list Q * Q) :=
  match ms with
  | [] => match s with [] => Some (env, 0%Q) | _ => None end
  | Draw k a f :: ms =>
      match s with
      | [] => None
      | y :: s =>
          let m := valueQ f env in
          if positiveQ a && supportedQ k m y then
            match spent ms (y :: env) s with
            | Some (e, c) => Some (e, Qred (a * Qabs (y - m) + c))
            | None => None
            end
          else None
      end
  | Guard f equal :: ms =>
      let v := valueQ f env in
      if if equal then Qeq_bool v 0 else Qle_bool 0 v then spent ms env s else None
  | Choose q u f g :: ms =>
      if dominated_check q u f g then
        match spent ms env s with Some (e, c) => Some (e, Qred (q + c)) | None => None end
      else None
  | Score a g :: ms =>
      if positiveQ a then
        match spent ms env s with Some (e, c) => Some (e, Qred (a * g + c)) | None => None end
      else None
  | Keep fs :: ms => spent ms (map (fun f => valueQ f env) fs) s
  end.

Fixpoint equal_lists (a b : list Q) : bool :=
  match a, b with
  | [], [] => true
  | x :: a, y :: b => Qeq_bool x y && equal_lists a b
  | _, _ => false
  end.

Definition edge_check (t : strategy) (e : edge) (s : list Q) : bool :=
  match spent (moves e) (nth (source e) (delta t) []) s with
  | Some (env, c) =>
      equal_lists env (nth (target e) (delta t) []) &&
      Qle_bool c (nth (source e) (phi t) 0 - nth (target e) (phi t) 0)%Q
  | None => false
  end.

Definition strategy_check (a : automaton) (t : Q) (st : strategy) : bool :=
  forallb (Qle_bool 0) (phi st) && Qle_bool (nth (start a) (phi st) 0%Q) t &&
  equal_lists [] (nth (start a) (delta st) []) &&
  forallb (fun es => match snd es with Some s => edge_check st (fst es) s | None => true end)
    (combine (edges a) (shifts st)).

(* Coverage: [reached] has places with some of the strategies that contain all edges on a way there. *)
Definition contains (sts : list strategy) (n i : nat) : bool :=
  match nth_error sts i with
  | Some st => match nth_error (shifts st) n with Some (Some _) => true | _ => false end
  | None => false
  end.
Definition goes_on (sts : list strategy) (reached : list (nat * list nat)) (n : nat) (e : edge)
    (left : list nat) : bool :=
  existsb (fun next => Nat.eqb (fst next) (target e) &&
      forallb (fun i => existsb (Nat.eqb i) left && contains sts n i) (snd next)) reached.
Definition covered (a : automaton) (sts : list strategy) (reached : list (nat * list nat)) : bool :=
  existsb (fun here => Nat.eqb (fst here) (start a)) reached &&
  forallb (fun here =>
      match snd here with [] => false | _ => true end &&
      forallb (fun i => Nat.ltb i (length sts)) (snd here) &&
      forallb (fun ne => negb (Nat.eqb (source (snd ne)) (fst here)) ||
          goes_on sts reached (fst ne) (snd ne) (snd here))
        (combine (seq 0 (length (edges a))) (edges a))) reached.

Definition sizes_check (a : automaton) (t : Q) (sts : list strategy) (reached : list (nat * list nat)) : bool :=
  forallb (strategy_check a t) sts && covered a sts reached.

(* ---- 2. What the checker finds holds along runs of every length -------------------------------- *)

Local Arguments Qred : simpl never.
Local Arguments Q2R : simpl never.
Local Arguments Qabs : simpl never.
Local Arguments Qplus : simpl never.
Local Arguments Qmult : simpl never.
Local Arguments Qminus : simpl never.

Lemma Q2R_zero : Q2R 0 = 0.
Proof. unfold Q2R; cbn. lra. Qed.

Lemma Qred_real q : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.

Lemma value_real f env : value (real_form f) (map Q2R env) = Q2R (valueQ f env).
Proof.
  unfold value, valueQ, real_form. destruct f as [c ts]; cbn [constant terms].
  induction ts as [|[i q] ts IH]; cbn [fold_right fst snd]; [reflexivity|].
  rewrite IH, Qred_real, Q2R_plus, Q2R_mult, <- Q2R_zero, map_nth. reflexivity.
Qed.

Lemma values_real fs env :
  map (fun f => value f (map Q2R env)) (map real_form fs) = map Q2R (map (fun f => valueQ f env) fs).
Proof. rewrite !map_map. apply map_ext. intros f. apply value_real. Qed.

Lemma Qle_bool_real a b : Qle_bool a b = true -> Q2R a <= Q2R b.
Proof. intros H. apply Qle_Rle, Qle_bool_iff, H. Qed.

Lemma integerQ_real q : integerQ q = true -> integral (Q2R q).
Proof.
  intros H. apply Qeq_bool_iff, Qeq_eqR in H. exists (Qfloor q). rewrite H.
  unfold Q2R, inject_Z; cbn. lra.
Qed.

Lemma positiveQ_real q : positiveQ q = true -> 0 < Q2R q.
Proof.
  unfold positiveQ. intros H. rewrite <- Q2R_zero. apply Qlt_Rlt. apply Qnot_le_lt. intros K.
  apply Qle_bool_iff in K. rewrite K in H. discriminate.
Qed.

Lemma Qabs_real q : Q2R (Qabs q) = Rabs (Q2R q).
Proof.
  apply Qabs_case; intros H; apply Qle_Rle in H; rewrite Q2R_zero in H.
  - rewrite Rabs_pos_eq; [reflexivity | exact H].
  - rewrite Q2R_opp, Rabs_left1; [reflexivity | exact H].
Qed.

Lemma equal_lists_real a : forall b, equal_lists a b = true -> map Q2R a = map Q2R b.
Proof.
  induction a as [|x a IH]; intros [|y b]; simpl; try discriminate; [reflexivity|].
  intros H. apply andb_prop in H. destruct H as [H H']. rewrite (IH b H').
  apply Qeq_bool_iff, Qeq_eqR in H. rewrite H. reflexivity.
Qed.

Section At.
Variable eps : R.
Hypotheses (Heps : 0 < eps) (Hon : inside on eps).

Lemma dominated_sound c u f g : dominated_check c u f g = true -> dominated eps c u f g.
Proof.
  destruct f as [a b], g as [a' b']. unfold dominated_check. cbn [fst snd]. intros H.
  apply andb_prop in H as [H Hn]. apply andb_prop in H as [H Ha]. apply andb_prop in H as [H Hb'].
  apply andb_prop in H as [Hc Hb]. apply Qeq_bool_iff, Qeq_eqR in Hc.
  assert (Hx := inside_range u on eps Heps Hon).
  assert (A := nonnegative_on_sound _ _ _ _ Ha _ Hx). assert (B := positive_on_sound _ _ _ _ Hb _ Hx).
  assert (B' := positive_on_sound _ _ _ _ Hb' _ Hx). assert (N := nonnegative_on_sound _ _ _ _ Hn _ Hx).
  rewrite add_val, !times_term_val, !mul_val, !scaled_val in N. rewrite !scaled_val in *.
  assert (U : IZR (Zpos u) <> 0) by (apply not_0_IZR; discriminate).
  assert (E : IZR (Qnum c * Zpos u / Zpos (Qden c)) * (eps / IZR (Zpos u)) = Q2R c * eps).
  { rewrite Hc. unfold Q2R; cbn [Qnum Qden]. field. exact U. }
  rewrite E in N. replace (0 * (eps / IZR (Zpos u))) with 0 in N by ring. rewrite exp_0 in N.
  unfold dominated, at_eps. cbn [fst snd]. split.
  - apply Rmult_le_pos; [exact A | left; apply Rinv_0_lt_compat, B].
  - apply (Rmult_le_reg_r (eval u b eps * eval u b' eps)); [apply Rmult_lt_0_compat; assumption|].
    replace (eval u a eps / eval u b eps * (eval u b eps * eval u b' eps))
      with (eval u a eps * eval u b' eps) by (field; lra).
    replace (exp (Q2R c * eps) * (eval u a' eps / eval u b' eps) * (eval u b eps * eval u b' eps))
      with (exp (Q2R c * eps) * (eval u a' eps * eval u b eps)) by (field; lra). lra.
Qed.

(* (i) guards and published values are kept along an edge, (ii) what is known changes as computed. *)
Lemma spent_sound ms : forall env s env' c rest r total,
  spent ms env s = Some (env', c) ->
  coupled eps rest (map Q2R env') r total ->
  coupled eps (map real_move ms ++ rest) (map Q2R env) (map Q2R s ++ r) (Q2R c + total).
Proof.
  induction ms as [|[k a f|f equal|q u f g|a g|fs] ms IH]; intros env s env' c rest r total H Hr; simpl in *.
  - destruct s; [|discriminate]. injection H as <- <-. simpl. eapply coupled_more; [|exact Hr].
    rewrite Q2R_zero. lra.
  - destruct s as [|y s]; [discriminate|].
    destruct (positiveQ a && supportedQ k (valueQ f env) y) eqn:G; [|discriminate].
    apply andb_prop in G. destruct G as [Ga Gk].
    destruct (spent ms (y :: env) s) as [[e c']|] eqn:K; [|discriminate]. injection H as <- <-.
    simpl. rewrite value_real. split; [apply positiveQ_real, Ga|]. split.
    + destruct k; simpl in Gk; [exact I | apply Qle_bool_real, Gk|].
      apply andb_prop in Gk. split; apply integerQ_real; apply Gk.
    + eapply coupled_more; [|exact (IH _ _ _ _ _ _ _ K Hr)].
      rewrite Qred_real, Q2R_plus, Q2R_mult, Qabs_real, Q2R_minus. lra.
  - rewrite value_real. destruct equal; match type of H with (if ?b then _ else _) = _ => destruct b eqn:G end;
      try discriminate; (split; [|eapply IH; eassumption]).
    + apply Qeq_bool_iff, Qeq_eqR in G. rewrite G. apply Q2R_zero.
    + apply Qle_bool_real in G. rewrite Q2R_zero in G. exact G.
  - destruct (dominated_check q u f g) eqn:G; [|discriminate]. split; [apply dominated_sound, G|].
    destruct (spent ms env s) as [[e c']|] eqn:K; [|discriminate]. injection H as <- <-.
    eapply coupled_more; [|exact (IH _ _ _ _ _ _ _ K Hr)]. rewrite Qred_real, Q2R_plus. lra.
  - destruct (positiveQ a) eqn:G; [|discriminate]. split; [apply positiveQ_real, G|].
    destruct (spent ms env s) as [[e c']|] eqn:K; [|discriminate]. injection H as <- <-.
    eapply coupled_more; [|exact (IH _ _ _ _ _ _ _ K Hr)]. rewrite Qred_real, Q2R_plus, Q2R_mult. lra.
  - rewrite values_real. eapply IH; eassumption.
Qed.

Lemma in_combine_at (A B : Type) n : forall (a : list A) (b : list B) x y,
  nth_error a n = Some x -> nth_error b n = Some y -> In (x, y) (combine a b).
Proof.
  induction n as [|n IH]; intros [|x' a] [|y' b] x y; simpl; try discriminate.
  - intros [= ->] [= ->]. left. reflexivity.
  - intros H H'. right. apply IH; assumption.
Qed.

(* The shifts of a strategy along a run, if it contains all edges of it. *)
Definition shifts_at (st : strategy) (n : nat) : list Q :=
  match nth_error (shifts st) n with Some (Some s) => s | _ => [] end.
Definition has (st : strategy) (n : nat) : bool :=
  match nth_error (shifts st) n with Some (Some _) => true | _ => false end.
Fixpoint shifts_along (st : strategy) (r : list nat) : list Q :=
  match r with [] => [] | n :: r => shifts_at st n ++ shifts_along st r end.

Lemma phi_nonneg l : forallb (Qle_bool 0) l = true -> forall i, 0 <= Q2R (nth i l 0%Q).
Proof.
  intros H i. rewrite <- Q2R_zero. apply Qle_bool_real.
  destruct (nth_in_or_default i l 0%Q) as [K | ->]; [|reflexivity].
  rewrite forallb_forall in H. apply H, K.
Qed.

(* (iii) By induction on the length of the run: from every place on, all of it costs at most phi. *)
Theorem run_sound a t st : strategy_check a t st = true -> forall r place,
  is_run a place r -> forallb (has st) r = true ->
  coupled eps (differences a r) (map Q2R (nth place (delta st) [])) (map Q2R (shifts_along st r))
    (Q2R (nth place (phi st) 0%Q)).
Proof.
  unfold strategy_check. intros H.
  apply andb_prop in H. destruct H as [H He]. apply andb_prop in H. destruct H as [H _].
  apply andb_prop in H. destruct H as [Hp _]. rewrite forallb_forall in He.
  induction r as [|n r IH]; intros place Hr Hs; simpl in *.
  - split; [reflexivity|]. apply phi_nonneg, Hp.
  - apply andb_prop in Hs. destruct Hs as [Hn Hs].
    destruct (nth_error (edges a) n) as [e|] eqn:En; [|contradiction]. destruct Hr as [<- Hr].
    unfold has in Hn. unfold shifts_at.
    destruct (nth_error (shifts st) n) as [[s|]|] eqn:Sn; try discriminate.
    specialize (He _ (in_combine_at _ _ n _ _ _ _ En Sn)). simpl in He. unfold edge_check in He.
    destruct (spent (moves e) (nth (source e) (delta st) []) s) as [[env c]|] eqn:K; [|discriminate].
    apply andb_prop in He. destruct He as [Ev Ec]. apply equal_lists_real in Ev.
    specialize (IH (target e) Hr Hs). rewrite <- Ev in IH. rewrite map_app.
    eapply coupled_more; [|exact (spent_sound _ _ _ _ _ _ _ _ K IH)].
    apply Qle_bool_real in Ec. rewrite Q2R_minus in Ec. lra.
Qed.

Lemma in_enumerated (A : Type) n : forall (l : list A) m x,
  nth_error l n = Some x -> In ((m + n)%nat, x) (combine (seq m (length l)) l).
Proof.
  induction n as [|n IH]; intros [|y l] m x; simpl; try discriminate.
  - intros [= ->]. left. f_equal. lia.
  - intros H. right. replace (m + Datatypes.S n)%nat with (Datatypes.S m + n)%nat by lia. apply IH, H.
Qed.

(* (iv) Some strategy contains all edges of a run. *)
Theorem coverage_sound a sts reached : covered a sts reached = true -> forall r place left,
  In (place, left) reached -> is_run a place r ->
  exists i st, In i left /\ nth_error sts i = Some st /\ forallb (has st) r = true.
Proof.
  intros H. apply andb_prop in H. destruct H as [_ H]. rewrite forallb_forall in H.
  induction r as [|n r IH]; intros place left Hin Hr; assert (K := H _ Hin); simpl in K.
  - apply andb_prop in K. destruct K as [K _]. apply andb_prop in K. destruct K as [K L].
    destruct left as [|i left]; [discriminate|]. simpl in L. apply andb_prop in L. destruct L as [L _].
    apply Nat.ltb_lt in L. destruct (nth_error sts i) as [st|] eqn:N.
    + exists i, st. repeat split; [left; reflexivity | exact N].
    + apply nth_error_None in N. lia.
  - simpl in Hr. destruct (nth_error (edges a) n) as [e|] eqn:En; [|contradiction]. destruct Hr as [<- Hr].
    apply andb_prop in K. destruct K as [_ K]. rewrite forallb_forall in K.
    specialize (K _ (in_enumerated _ n _ 0 _ En)). simpl in K. rewrite Nat.eqb_refl in K. simpl in K.
    unfold goes_on in K. apply existsb_exists in K. destruct K as [[next after] [Hnext K]]. simpl in K.
    apply andb_prop in K. destruct K as [T K]. apply Nat.eqb_eq in T. subst next.
    destruct (IH _ _ Hnext Hr) as (i & st & Hi & Hst & Hall). rewrite forallb_forall in K.
    specialize (K i Hi). apply andb_prop in K. destruct K as [Kl Kc].
    apply existsb_exists in Kl. destruct Kl as [j [Hj Ej]]. apply Nat.eqb_eq in Ej. subst j.
    exists i, st. repeat split; [exact Hj | exact Hst|]. simpl. rewrite Hall, andb_true_r.
    unfold contains in Kc. rewrite Hst in Kc. exact Kc.
Qed.

Theorem changes_coupled a t sts reached : sizes_check a t sts reached = true ->
  forall d, listed_changes a d -> exists s, coupled eps d [] s (Q2R t).
Proof.
  intros H. apply andb_prop in H. destruct H as [Hs Hc]. rewrite forallb_forall in Hs.
  induction 1 as [r Hr|w l m n _ [s IHl] _ [u IHm] Hw Hm].
  - assert (K := Hc). apply andb_prop in K. destruct K as [K _]. apply existsb_exists in K.
    destruct K as [[place left] [Hin K]]. simpl in K. apply Nat.eqb_eq in K. subst place.
    destruct (coverage_sound a sts reached Hc r (start a) left Hin Hr) as (i & st & _ & Hst & Hall).
    assert (Ck := Hs st (nth_error_In _ _ Hst)). exists (map Q2R (shifts_along st r)).
    assert (G := run_sound a t st Ck r (start a) Hr Hall). unfold strategy_check in Ck.
    apply andb_prop in Ck. destruct Ck as [Ck _]. apply andb_prop in Ck. destruct Ck as [Ck Cd].
    apply andb_prop in Ck. destruct Ck as [_ Cp]. apply Qle_bool_real in Cp.
    destruct (nth (start a) (delta st) []); [|discriminate]. eapply coupled_more; [exact Cp | exact G].
  - exists (between_lists w s u). replace (Q2R t) with (w * Q2R t + (1 - w) * Q2R t) by ring.
    exact (mixed_sound eps w l m n Hw Hm [] [] s u _ _ IHl IHm).
Qed.

End At.

(* The claim for every size. *)
Theorem sizes_check_sound a t sts reached : sizes_check a t sts reached = true -> private a t on.
Proof.
  intros H eps He Ho pairs Hp v'. apply infimum_scaled; [apply exp_pos | intros v; apply above_all_nonneg|].
  induction Hp as [|[[p p'] E] pairs [d [Hd Hq]] _ IH]; intros v Hv; simpl in *.
  - apply Rmult_le_pos; [left; apply exp_pos | exact Hv].
  - destruct Hv as (x & y & Hx & Hy & Hv). destruct (changes_coupled eps He Ho a t sts reached H d Hd) as [s Hs].
    exists (exp (eps * Q2R t) * x), (exp (Q2R t * eps) * y). repeat split.
    + exact (above_moved eps d p p' s _ E x He Hq Hs Hx).
    + apply IH, Hy.
    + rewrite (Rmult_comm eps). rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [|exact Hv].
      left. apply exp_pos.
Qed.
End Check.
