(* The laws of core programs, computed as quotients of exponential polynomials, and proved to be what they mean. *)
From Coq Require Import Reals ZArith QArith Qreals Qround List Bool Lra Lia FMapPositive.
From Dipc Require Import Chain Bounds Privacy Core Samples.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. Quotients of exponential polynomials in t = eps / unit ----------------------------------- *)

Record fraction := Fraction { top : fn; bottom : fn }.
Definition one : fn := [(0%Z, [1%Z])].
Lemma one_val t : val one t = 1.
Proof. cbn. rewrite Rmult_0_l, exp_0. ring. Qed.
Definition whole (z : Z) : fn := if Z.eqb z 0 then [] else [(0%Z, [z])].
Lemma whole_val z t : val (whole z) t = IZR z.
Proof.
  unfold whole. destruct (Z.eqb_spec z 0) as [->|]; [reflexivity |]. cbn. rewrite Rmult_0_l, exp_0. ring.
Qed.

Definition is_one (f : fn) : bool := match f with [(0%Z, [1%Z])] => true | _ => false end.
Lemma is_one_eq f : is_one f = true -> f = one.
Proof.
  unfold is_one. destruct f as [|[[|p|p] [|[|[]|] []]] []]; try discriminate. reflexivity.
Qed.
Definition times (f g : fn) : fn := if is_one f then g else if is_one g then f else mul f g.
Lemma times_val f g t : val (times f g) t = val f t * val g t.
Proof.
  unfold times. destruct (is_one f) eqn:E; [apply is_one_eq in E; subst; rewrite one_val; ring |].
  destruct (is_one g) eqn:E2; [apply is_one_eq in E2; subst; rewrite one_val; ring | apply mul_val].
Qed.
Definition opposite (f : fn) : fn := times_term (-1) 0 f.
Lemma opposite_val f t : val (opposite f) t = - val f t.
Proof. unfold opposite. rewrite times_term_val, Rmult_0_l, exp_0. ring. Qed.
Definition same_fn (f g : fn) : bool := match add f (opposite g) with [] => true | _ => false end.
Lemma same_fn_val f g t : same_fn f g = true -> val f t = val g t.
Proof.
  unfold same_fn. destruct (add f (opposite g)) eqn:E; [| discriminate]. intros _.
  assert (V := add_val f (opposite g) t). rewrite E, opposite_val in V. cbn in V. lra.
Qed.

Definition fval (p : fraction) (t : R) : R := val (top p) t / val (bottom p) t.
Definition rational (q : Q) : fraction := Fraction (whole (Qnum q)) (whole (Zpos (Qden q))).
Definition sum_of (p q : fraction) : fraction :=
  if same_fn (bottom p) (bottom q) then Fraction (add (top p) (top q)) (bottom p)
  else Fraction (add (times (top p) (bottom q)) (times (top q) (bottom p))) (times (bottom p) (bottom q)).
Definition product_of (p q : fraction) : fraction :=
  Fraction (times (top p) (top q)) (times (bottom p) (bottom q)).
Definition minus_of (p : fraction) : fraction := Fraction (opposite (top p)) (bottom p).
(* exp of a multiple of eps, if its rate is an integer in t. *)
Definition exp_of (p : fraction) : option fraction :=
  match top p, bottom p with
  | [], _ => Some (Fraction one one)
  | [(0%Z, [0%Z; n])], [(0%Z, [d])] =>
      if Z.eqb (d * (n / d)) n then Some (Fraction [((n / d)%Z, [1%Z])] one) else None
  | _, _ => None
  end.

Section At.
  Variable t : R.
  Definition good (p : fraction) : Prop := 0 < val (bottom p) t.

  Lemma rational_good q : good (rational q).
  Proof. unfold good, rational; cbn [bottom]. rewrite whole_val. now apply IZR_lt. Qed.
  Lemma rational_val q : fval (rational q) t = Q2R q.
  Proof. unfold fval, rational; cbn [top bottom]. now rewrite !whole_val. Qed.
  Lemma sum_of_good p q : good p -> good q -> good (sum_of p q).
  Proof.
    unfold good, sum_of. intros. destruct (same_fn _ _); cbn [bottom]; [assumption |].
    rewrite times_val. now apply Rmult_lt_0_compat.
  Qed.
  Lemma sum_of_val p q : good p -> good q -> fval (sum_of p q) t = fval p t + fval q t.
  Proof.
    unfold good, fval, sum_of. intros. destruct (same_fn _ _) eqn:E; cbn [top bottom].
    - apply same_fn_val with (t := t) in E. rewrite add_val, <- E. field. lra.
    - rewrite add_val, !times_val. field. lra.
  Qed.
  Lemma product_of_good p q : good p -> good q -> good (product_of p q).
  Proof. unfold good, product_of; cbn [bottom]. intros. rewrite times_val. now apply Rmult_lt_0_compat. Qed.
  Lemma product_of_val p q : good p -> good q -> fval (product_of p q) t = fval p t * fval q t.
  Proof. unfold good, fval, product_of; cbn [top bottom]. intros. rewrite !times_val. field. lra. Qed.
  Lemma minus_of_val p : good p -> fval (minus_of p) t = - fval p t.
  Proof. unfold good, fval, minus_of; cbn [top bottom]. intros. rewrite opposite_val. field. lra. Qed.
  Lemma one_good : good (Fraction one one).
  Proof. unfold good; cbn [bottom]. rewrite one_val. lra. Qed.
  Lemma one_fval : fval (Fraction one one) t = 1.
  Proof. unfold fval; cbn [top bottom]. rewrite one_val. field. Qed.
  Lemma exp_of_sound p q : good p -> exp_of p = Some q -> good q /\ fval q t = exp (fval p t).
  Proof.
    destruct p as [f d]. unfold exp_of, good, fval; cbn [top bottom]. intros Hd H.
    destruct f as [|[[| |] [|[| |] [|n []]]] []]; try discriminate H.
    - injection H as <-. cbn [top bottom]. rewrite one_val. cbn [val]. split; [lra |].
      unfold Rdiv. rewrite Rmult_0_l, exp_0. field.
    - destruct d as [|[[| |] [|d []]] []]; try discriminate H.
      destruct (Z.eqb_spec (d * (n / d)) n) as [E|]; [| discriminate H]. injection H as <-.
      cbn [top bottom] in *. rewrite one_val. split; [lra |]. cbn [val pval] in *.
      rewrite Rmult_0_l, exp_0 in *. set (k := (n / d)%Z) in *. clearbody k. subst n.
      rewrite mult_IZR. assert (D : 0 < IZR d) by lra.
      replace (((0 + t * (IZR d * IZR k + t * 0)) * 1 + 0) / ((IZR d + t * 0) * 1 + 0)) with (IZR k * t)
        by (field; lra).
      field.
  Qed.
End At.

(* ---- 2. The laws of a program -------------------------------------------------------------------- *)

Definition both {A B C} (f : A -> B -> C) (a : option A) (b : option B) : option C :=
  match a, b with Some a, Some b => Some (f a b) | _, _ => None end.

Section Laws.
  Variable u : positive.
  Variable range : R -> Prop.                (* of t = eps / u *)
  Variable positive_there : fn -> bool.
  Hypothesis positive_sound : forall f, positive_there f = true -> forall t, range t -> 0 < val f t.

  Definition divided (p q : fraction) : option fraction :=
    if positive_there (top q) then Some (Fraction (times (top p) (bottom q)) (times (bottom p) (top q))) else None.
  Fixpoint law_of (s : memory) (w : weight) : option fraction :=
    match w with
    | Const e => Some (rational (value_in s e))
    | Eps => Some (Fraction [(0%Z, [0%Z; Zpos u])] one)
    | Exp w => match law_of s w with Some p => exp_of p | None => None end
    | Sum v w => both sum_of (law_of s v) (law_of s w)
    | Difference v w => both (fun p q => sum_of p (minus_of q)) (law_of s v) (law_of s w)
    | Product v w => both product_of (law_of s v) (law_of s w)
    | Quotient v w => match law_of s v, law_of s w with Some p, Some q => divided p q | _, _ => None end
    | Choice c v w => if holds (value_in s c) then law_of s v else law_of s w
    end.

  Variable t : R.
  Hypothesis in_range : range t.
  Notation eps := (IZR (Zpos u) * t).
  Lemma law_of_sound s w : forall p, law_of s w = Some p -> good t p /\ fval p t = at_eps eps s w.
  Proof.
    induction w as [e| |w IH|v IHv w IHw|v IHv w IHw|v IHv w IHw|v IHv w IHw|c v IHv w IHw];
      intros p H; cbn [law_of at_eps] in *;
      try (destruct (law_of s v) as [a|]; [| discriminate H]; destruct (IHv a eq_refl) as [Ga Ea];
           destruct (law_of s w) as [b|]; [| discriminate H]; destruct (IHw b eq_refl) as [Gb Eb]; rewrite <- Ea, <- Eb).
    - injection H as <-. split; [apply rational_good | apply rational_val].
    - injection H as <-. unfold good, fval; cbn [top bottom]. rewrite one_val. split; [lra |].
      cbn [val pval]. rewrite Rmult_0_l, exp_0. field.
    - destruct (law_of s w) as [a|]; [| discriminate H]. destruct (IH a eq_refl) as [Ga Ea].
      rewrite <- Ea. now apply exp_of_sound.
    - injection H as <-. split; [now apply sum_of_good | now apply sum_of_val].
    - injection H as <-. split; [now apply sum_of_good |].
      rewrite sum_of_val by assumption. rewrite minus_of_val by assumption. ring.
    - injection H as <-. split; [now apply product_of_good | now apply product_of_val].
    - unfold divided in H. destruct (positive_there (top b)) eqn:P; [| discriminate H]. injection H as <-.
      apply positive_sound with (t := t) in P; [| exact in_range]. unfold good, fval in *; cbn [top bottom].
      rewrite !times_val. split; [now apply Rmult_lt_0_compat | field; lra].
    - destruct (holds _); auto.
  Qed.

  (* The states that are reached, with their probabilities. *)
  Definition law := list (memory * fraction).
  Fixpoint meaning (l : law) (f : memory -> R) : R :=
    match l with [] => 0 | (s, p) :: l => fval p t * f s + meaning l f end.
  Definition all_good (l : law) : Prop := Forall (fun '(_, p) => good t p) l.

  (* Equal states are one; those with probability 0 are none. *)
  Fixpoint insert (s : memory) (p : fraction) (l : law) : law :=
    match l with
    | [] => [(s, p)]
    | (r, q) :: l => if identical s r then (r, sum_of p q) :: l else (r, q) :: insert s p l
    end.
  Definition put (s : memory) (p : fraction) (l : law) : law :=
    match top p with [] => l | _ => insert s p l end.
  Lemma put_sound s p l : good t p -> all_good l ->
    all_good (put s p l) /\ forall f, meaning (put s p l) f = fval p t * f s + meaning l f.
  Proof.
    intros Gp Gl. unfold put. destruct (top p) as [|row rows] eqn:E.
    - split; [exact Gl |]. intros f. unfold fval. rewrite E. cbn [val]. unfold Rdiv. ring.
    - clear E. induction Gl as [|[r q] l Gq Gl [IH1 IH2]]; cbn [insert].
      + split; [now repeat constructor | reflexivity].
      + destruct (identical s r) eqn:I.
        * apply identical_eq in I as ->. split; [constructor; [now apply sum_of_good | exact Gl] |].
          intros f. cbn [meaning]. rewrite sum_of_val by assumption. ring.
        * split; [now constructor |]. intros f. cbn [meaning]. rewrite IH2. ring.
  Qed.
  (* The second law, times a probability, and the first. *)
  Fixpoint mixed (p : fraction) (l rest : law) : law :=
    match l with [] => rest | (s, q) :: l => put s (product_of p q) (mixed p l rest) end.
  Lemma mixed_sound p l rest : good t p -> all_good l -> all_good rest ->
    all_good (mixed p l rest) /\ forall f, meaning (mixed p l rest) f = fval p t * meaning l f + meaning rest f.
  Proof.
    intros Gp Gl Gr. induction Gl as [|[s q] l Gq Gl [IH1 IH2]]; cbn [mixed meaning].
    - split; [exact Gr |]. intros f. ring.
    - destruct (put_sound s (product_of p q) (mixed p l rest)) as [P1 P2]; [now apply product_of_good | exact IH1 |].
      split; [exact P1 |]. intros f. rewrite P2, IH2, product_of_val by assumption. ring.
  Qed.

  Fixpoint drawn (s : memory) (x : nat) (options : list (expr * weight)) : option law :=
    match options with
    | [] => Some []
    | (e, w) :: options => both (put (write x (value_in s e) s)) (law_of s w) (drawn s x options)
    end.
  Fixpoint after (step : memory -> option law) (l : law) : option law :=
    match l with
    | [] => Some []
    | (s, p) :: l => both (mixed p) (step s) (after step l)
    end.
  (* After x is out of use. *)
  Fixpoint forgotten (x : nat) (l : law) : law :=
    match l with [] => [] | (s, p) :: l => put (write x 0%Q s) p (forgotten x l) end.
  Fixpoint spread_over (s : memory) (step : Z -> option law) (samples : list (Z * weight)) : option law :=
    match samples with
    | [] => Some []
    | (i, w) :: samples =>
        match law_of s w, step i, spread_over s step samples with
        | Some p, Some d, Some r => Some (mixed p d r)
        | _, _, _ => None
        end
    end.
  Definition sample_in (s : memory) (mean : expr) (i : Z) : Q := Qred (value_in s mean + inject_Z i).
  Definition positive_rate (s : memory) (rate : weight) : bool :=
    match law_of s rate with Some p => positive_there (top p) | None => false end.
  (* The first sample whose value is beyond all constants, less 1, if x behaves well. *)
  Definition reach (s : memory) (x : nat) (rate : weight) (mean : expr) (rest : core) : option nat :=
    let low := least (constants rest) in
    let high := greatest (constants rest) in
    let m := value_in s mean in
    let k := Z.to_nat (Z.max (Qceiling (high - m)) (Qceiling (m - low))) in
    if Nat.ltb x (length s) && positive_rate s rate && tame x low high true rest && tame x low high false rest &&
       Qle_bool high (sample_in s mean (Z.of_nat (S k))) && Qle_bool (sample_in s mean (- Z.of_nat (S k))) low
    then Some k else None.
  Fixpoint run (c : core) (s : memory) : option law :=
    match c with
    | Skip => Some [(s, Fraction one one)]
    | Assign x e => Some [(write x (value_in s e) s, Fraction one one)]
    | If c yes no => if holds (value_in s c) then run yes s else run no s
    | Choose x options => drawn s x options
    | Noise x rate mean rest =>
        match reach s x rate mean rest with
        | Some k =>
            let step i := match run rest (write x (sample_in s mean i) s) with
                          | Some l => Some (forgotten x l)
                          | None => None
                          end in
            spread_over s step ((0%Z, inner rate 0) :: spread rate 1 k)
        | None => None
        end
    | Seq a b => match run a s with Some l => after (run b) l | None => None end
    end.

  Lemma certain_sound s f : all_good [(s, Fraction one one)] /\ meaning [(s, Fraction one one)] f = f s.
  Proof.
    split; [repeat constructor; apply one_good |]. cbn [meaning]. rewrite one_fval. ring.
  Qed.
  Lemma drawn_sound s x options : forall l, drawn s x options = Some l -> all_good l /\
    forall f, fold_right (fun '(e, p) sum => at_eps eps s p * f (write x (value_in s e) s) + sum) 0 options = meaning l f.
  Proof.
    induction options as [|[e w] options IH]; intros l H; cbn [drawn fold_right] in *.
    - injection H as <-. split; [constructor | reflexivity].
    - destruct (law_of s w) as [p|] eqn:L; [| discriminate H].
      destruct (drawn s x options) as [r|]; [| discriminate H]. injection H as <-.
      apply law_of_sound in L as [Gp Ep]. destruct (IH r eq_refl) as [Gr Er].
      destruct (put_sound (write x (value_in s e) s) p r Gp Gr) as [P1 P2].
      split; [exact P1 |]. intros f. now rewrite P2, Ep, Er.
  Qed.
  Lemma after_sound step (g : (memory -> R) -> memory -> R) :
    (forall s l, step s = Some l -> all_good l /\ forall f, g f s = meaning l f) ->
    forall l, all_good l -> forall r, after step l = Some r -> all_good r /\ forall f, meaning l (g f) = meaning r f.
  Proof.
    intros Hs l Gl. induction Gl as [|[s p] l Gp Gl IH]; intros r H; cbn [after meaning] in *.
    - injection H as <-. split; [constructor | reflexivity].
    - destruct (step s) as [d|] eqn:D; [| discriminate H]. destruct (after step l) as [e|]; [| discriminate H].
      injection H as <-. destruct (Hs s d D) as [Gd Ed]. destruct (IH e eq_refl) as [Ge Ee].
      destruct (mixed_sound p d e Gp Gd Ge) as [M1 M2]. split; [exact M1 |].
      intros f. now rewrite M2, Ed, Ee.
  Qed.
  Lemma forgotten_sound x l : all_good l ->
    all_good (forgotten x l) /\ forall f, meaning (forgotten x l) f = meaning l (fun r => f (write x 0%Q r)).
  Proof.
    intros Gl. induction Gl as [|[s p] l Gp Gl [IH1 IH2]]; cbn [forgotten meaning]; [split; [constructor | reflexivity] |].
    destruct (put_sound (write x 0%Q s) p (forgotten x l) Gp IH1) as [P1 P2]. split; [exact P1 |].
    intros f. now rewrite P2, IH2.
  Qed.
  Lemma spread_over_sound s step (g : (memory -> R) -> Z -> R) :
    (forall i l, step i = Some l -> all_good l /\ forall f, g f i = meaning l f) ->
    forall samples r, spread_over s step samples = Some r ->
    all_good r /\ forall f, average eps s samples (g f) = meaning r f.
  Proof.
    intros Hs samples. induction samples as [|[i w] samples IH]; intros r H; cbn [spread_over average fold_right] in *.
    - injection H as <-. split; [constructor | reflexivity].
    - destruct (law_of s w) as [p|] eqn:L; [| discriminate H]. destruct (step i) as [d|] eqn:D; [| discriminate H].
      destruct (spread_over s step samples) as [e|]; [| discriminate H]. injection H as <-.
      apply law_of_sound in L as [Gp Ep]. destruct (Hs i d D) as [Gd Ed]. destruct (IH e eq_refl) as [Ge Ee].
      destruct (mixed_sound p d e Gp Gd Ge) as [M1 M2]. split; [exact M1 |].
      intros f. fold (average eps s samples (g f)). now rewrite M2, Ep, Ed, Ee.
  Qed.
  Lemma positive_rate_sound s rate : positive_rate s rate = true -> 0 < exp (- at_eps eps s rate) < 1.
  Proof.
    unfold positive_rate. intros H. destruct (law_of s rate) as [p|] eqn:L; [| discriminate H].
    apply law_of_sound in L as [Gp Ep]. apply positive_sound with (t := t) in H; [| exact in_range].
    split; [apply exp_pos |]. rewrite <- exp_0. apply exp_increasing. rewrite <- Ep. unfold good in Gp.
    assert (0 < fval p t) by (unfold fval; now apply Rdiv_lt_0_compat). lra.
  Qed.
  Lemma reach_sound s x rate mean rest k f : reach s x rate mean rest = Some k ->
    expected eps (Noise x rate mean rest) f s = average eps s ((0%Z, inner rate 0) :: spread rate 1 k) (fun i =>
      expected eps rest (fun r => f (write x 0%Q r)) (write x (sample_in s mean i) s)).
  Proof.
    unfold reach. set (low := least _). set (high := greatest _). set (k' := Z.to_nat _).
    destruct (_ && _) eqn:H; [| discriminate]. intros [= <-]. clearbody k' low high.
    apply andb_prop in H as [H HL]. apply andb_prop in H as [H HH]. apply andb_prop in H as [H TD].
    apply andb_prop in H as [H TU]. apply andb_prop in H as [HX HR]. apply Nat.ltb_lt in HX.
    apply positive_rate_sound in HR. cbn [expected]. fold (sample_in s mean).
    change (fun i => expected eps rest (fun r => f (write x 0%Q r)) (write x (Qred (value_in s mean + inject_Z i)) s))
      with (fun i => expected eps rest (fun r => f (write x 0%Q r)) (write x (sample_in s mean i) s)).
    set (g := fun i => expected eps rest (fun r => f (write x 0%Q r)) (write x (sample_in s mean i) s)).
    assert (SAME : forall up i j, tame x low high up rest = true ->
      beyond low high up (sample_in s mean i) = true -> beyond low high up (sample_in s mean j) = true -> g i = g j).
    { intros up i j T Bi Bj. unfold g. apply (tame_sound x low high up eps rest T).
      - intros a b (E & _ & _). now rewrite E.
      - unfold related. rewrite !write_write, !read_same by exact HX. now repeat split. }
    rewrite (geometric_finite _ g HR k').
    - cbn [average fold_right]. fold (average eps s (spread rate 1 k') g). rewrite spread_val, inner_val.
      cbn [pow]. field. lra.
    - intros i Hi. unfold sides. apply Qle_bool_iff in HH, HL. f_equal.
      + apply (SAME true); [exact TU | |]; cbn [beyond]; apply Qle_bool_iff; [| exact HH].
        apply Qle_trans with (1 := HH). unfold sample_in. rewrite !Qred_correct. apply Qplus_le_r.
        rewrite <- Zle_Qle. lia.
      + apply (SAME false); [exact TD | |]; cbn [beyond]; apply Qle_bool_iff; [| exact HL].
        refine (Qle_trans _ _ _ _ HL). unfold sample_in. rewrite !Qred_correct. apply Qplus_le_r.
        rewrite <- Zle_Qle. lia.
  Qed.
  Theorem run_sound c : forall s l, run c s = Some l -> all_good l /\ forall f, expected eps c f s = meaning l f.
  Proof.
    induction c as [|x e|c yes IHy no IHn|x options|x rate mean rest IH|a IHa b IHb]; intros s l H; cbn [run] in H;
      try (cbn [expected]).
    - injection H as <-. split; [apply (certain_sound s (fun _ => 0)) | intros; symmetry; apply certain_sound].
    - injection H as <-. split; [apply (certain_sound _ (fun _ => 0)) | intros; symmetry; apply certain_sound].
    - destruct (holds _); auto.
    - now apply drawn_sound.
    - destruct (reach s x rate mean rest) as [k|] eqn:K; [| discriminate H].
      eapply spread_over_sound with (g := fun f i =>
        expected eps rest (fun r => f (write x 0%Q r)) (write x (sample_in s mean i) s)) in H.
      + destruct H as [Gl El]. split; [exact Gl |]. intros f. rewrite <- El. exact (reach_sound s x rate mean rest k f K).
      + intros i d D. destruct (run rest _) as [e|] eqn:E; [| discriminate D]. injection D as <-.
        destruct (IH _ e E) as [Ge Ee]. destruct (forgotten_sound x e Ge) as [F1 F2]. split; [exact F1 |].
        intros f. now rewrite F2, Ee.
    - destruct (run a s) as [d|] eqn:D; [| discriminate H]. destruct (IHa s d D) as [Gd Ed].
      destruct (after_sound (run b) (expected eps b) IHb d Gd l H) as [Gl El].
      split; [exact Gl |]. intros f. now rewrite Ed, El.
  Qed.
End Laws.

(* ---- 3. Agreement with a listed model ------------------------------------------------------------ *)

(* Whether two quotients are one function. *)
Definition same_value (p : fraction) (above below : fn) : bool :=
  same_fn (times (top p) below) (times above (bottom p)).
Lemma same_value_sound p above below t : same_value p above below = true -> good t p -> 0 < val below t ->
  fval p t = val above t / val below t.
Proof.
  unfold same_value, good, fval. intros H Hp Hb. apply same_fn_val with (t := t) in H. rewrite !times_val in H.
  apply Rmult_eq_reg_r with (val (bottom p) t * val below t); [| nra].
  replace (val (top p) t / val (bottom p) t * (val (bottom p) t * val below t)) with (val (top p) t * val below t)
    by (field; lra).
  rewrite H. field. lra.
Qed.

Section Agreement.
  Variables (m : mechanism) (listed : model).
  Variable range : R -> Prop.                (* of t = eps / unit *)
  Variable positive_there : fn -> bool.
  Hypothesis positive_sound : forall f, positive_there f = true -> forall t, range t -> 0 < val f t.
  Hypothesis denominators_positive : positive_denominators listed positive_there = true.
  Notation u := (unit listed).

  Definition same_ratio (p : fraction) (r : ratio) : bool :=
    known listed (below r) && same_value p (scaled u (above r)) (den_t listed (below r)).
  Lemma same_ratio_sound p r t : range t -> good t p -> same_ratio p r = true ->
    fval p t = rval listed (at_t listed r) t.
  Proof.
    unfold same_ratio. intros Ht Hp H. apply andb_prop in H as [K H].
    apply same_value_sound with (t := t) in H; [exact H | exact Hp |].
    exact (den_positive listed range positive_there positive_sound denominators_positive _ t K Ht).
  Qed.

  (* The probability of an outcome, and the other states. *)
  Fixpoint part (o : list Q) (l : law) : fraction * law :=
    match l with
    | [] => (Fraction [] one, [])
    | (s, p) :: l =>
        let (sum, rest) := part o l in
        if identical (outcome m s) o then (sum_of p sum, rest) else (sum, (s, p) :: rest)
    end.
  Lemma part_sound t o l : all_good t l -> good t (fst (part o l)) /\ all_good t (snd (part o l)) /\
    forall g, meaning t l (fun s => g (outcome m s)) =
      fval (fst (part o l)) t * g o + meaning t (snd (part o l)) (fun s => g (outcome m s)).
  Proof.
    intros Gl. induction Gl as [|[s p] l Gp Gl (IH1 & IH2 & IH3)]; cbn [part meaning].
    - cbn [fst snd meaning]. split; [apply one_good | split; [constructor |]].
      intros g. unfold fval; cbn [top bottom val]. unfold Rdiv. ring.
    - destruct (part o l) as [sum rest]. cbn [fst snd] in *. destruct (identical _ o) eqn:I; cbn [fst snd].
      + apply identical_eq in I as <-. split; [now apply sum_of_good | split; [exact IH2 |]].
        intros g. rewrite sum_of_val, IH3 by assumption. ring.
      + split; [exact IH1 | split; [now constructor |]]. intros g. cbn [meaning]. rewrite IH3. ring.
  Qed.

  Fixpoint agrees (outcomes : list (list Q)) (listed_law : list positive) (l : law) : bool :=
    match outcomes, listed_law with
    | [], [] => match l with [] => true | _ => false end
    | o :: outcomes, i :: listed_law =>
        let (sum, rest) := part o l in same_ratio sum (function listed i) && agrees outcomes listed_law rest
    | _, _ => false
    end.
  Definition indicator (set : list Q -> bool) (o : list Q) : R := if set o then 1 else 0.
  Lemma agrees_sound eps set : range (eps / IZR (Zpos u)) -> forall outcomes numbers l which n,
    agrees outcomes numbers l = true -> all_good (eps / IZR (Zpos u)) l ->
    (forall k, (k < length outcomes)%nat -> which (n + k)%nat = set (nth k outcomes [])) ->
    meaning (eps / IZR (Zpos u)) l (fun s => indicator set (outcome m s)) = mass listed which n numbers eps.
  Proof.
    intros Ht. induction outcomes as [|o outcomes IH]; intros [|i numbers] l which n H Gl W; cbn [agrees mass] in *;
      try discriminate H.
    - destruct l; [reflexivity | discriminate H].
    - destruct (part_sound (eps / IZR (Zpos u)) o l Gl) as (G1 & G2 & E). rewrite E.
      destruct (part o l) as [sum rest]. cbn [fst snd] in *. apply andb_prop in H as [H1 H2].
      apply same_ratio_sound with (t := eps / IZR (Zpos u)) in H1; [| exact Ht | exact G1].
      change (rval listed (at_t listed (function listed i))) with (rval listed (fun_t listed i)) in H1.
      rewrite fun_t_val in H1. rewrite H1. rewrite (IH numbers rest which (S n) H2 G2).
      + assert (W0 := W 0%nat ltac:(cbn; lia)). rewrite Nat.add_0_r in W0. cbn [nth] in W0.
        rewrite W0. unfold indicator. destruct (set o); ring.
      + intros k Hk. specialize (W (S k) ltac:(cbn; lia)). rewrite Nat.add_succ_r in W. exact W.
  Qed.

  Variable outcomes : list (list Q).
  (* The listed laws are those of the program. *)
  Definition laws_agree : bool :=
    forallb (fun '(input, numbers) =>
      match run u positive_there (code m) (start m input) with
      | Some l => agrees outcomes numbers l
      | None => false
      end) (laws listed).
  Lemma laws_agree_sound input numbers set which eps : laws_agree = true -> In (input, numbers) (laws listed) ->
    range (eps / IZR (Zpos u)) -> (forall k, (k < length outcomes)%nat -> which k = set (nth k outcomes [])) ->
    probability_of m input set eps = mass listed which 0 numbers eps.
  Proof.
    intros H Hin Ht W. unfold laws_agree in H. rewrite forallb_forall in H. specialize (H _ Hin). cbn in H.
    destruct (run _ _ _ _) as [l|] eqn:E; [| discriminate H].
    destruct (run_sound u range positive_there positive_sound (eps / IZR (Zpos u)) Ht _ _ _ E) as [Gl El].
    assert (U : IZR (Zpos u) <> 0) by (apply not_0_IZR; discriminate).
    replace (IZR (Zpos u) * (eps / IZR (Zpos u))) with eps in El by (field; exact U).
    unfold probability_of. rewrite El. now apply agrees_sound with (outcomes := outcomes).
  Qed.

  (* The listed delta is that of the claim. *)
  Definition delta_agrees (delta : weight) (found : option ratio) : bool :=
    match law_of u positive_there [] delta with
    | Some p => match found with
                | None => match top p with [] => true | _ => false end
                | Some r => same_ratio p r
                end
    | None => false
    end.
  Lemma delta_agrees_sound delta found eps : delta_agrees delta found = true -> range (eps / IZR (Zpos u)) ->
    at_eps eps [] delta = delta_of listed found eps.
  Proof.
    intros H Ht. unfold delta_agrees in H.
    destruct (law_of u positive_there [] delta) as [p|] eqn:E; [| discriminate H].
    apply (law_of_sound u range positive_there positive_sound (eps / IZR (Zpos u)) Ht) in E as [Gp Ep].
    assert (U : IZR (Zpos u) <> 0) by (apply not_0_IZR; discriminate).
    replace (IZR (Zpos u) * (eps / IZR (Zpos u))) with eps in Ep by (field; exact U). rewrite <- Ep.
    destruct found as [r|]; cbn [delta_of].
    - apply same_ratio_sound with (t := eps / IZR (Zpos u)) in H; [| exact Ht | exact Gp]. rewrite H.
      unfold rval, at_t, den_t, value, numerator; cbn [above below]. now rewrite !scaled_val.
    - unfold fval. destruct (top p); [| discriminate H]. cbn [val]. unfold Rdiv. ring.
  Qed.
End Agreement.

(* ---- 4. Privacy of a program --------------------------------------------------------------------- *)

(* The listed model has the inputs and the adjacency of the program. *)
Definition private_program_check (listed : model) (code : core) (more : nat) (outputs : list nat) (t : Q)
    (delta : weight) (found : option ratio) (on : interval) (e : prover) (size : positive)
    (entries : list (positive * positive * sign)) (outcomes : list (list Q)) : bool :=
  let m := Mechanism (domains listed) (how listed) more code outputs in
  private_check listed t found on e size entries &&
  laws_agree m listed (positive_on e (unit listed) on) outcomes &&
  delta_agrees listed (positive_on e (unit listed) on) delta found.

Theorem private_program_sound listed code more outputs t delta found on e size entries outcomes :
  private_program_check listed code more outputs t delta found on e size entries outcomes = true ->
  private_program (Mechanism (domains listed) (how listed) more code outputs) t delta on.
Proof.
  unfold private_program_check. set (m := Mechanism _ _ _ _ _). intros H.
  apply andb_prop in H as [H HD]. apply andb_prop in H as [H HA].
  assert (D : positive_denominators listed (positive_on e (unit listed) on) = true).
  { unfold private_check, private_by in H. do 3 apply andb_prop in H as [H _]. now apply andb_prop in H as [_ H]. }
  apply private_check_sound in H as [HV HP].
  intros a b Ha Hb Hadj set eps Heps Hin. cbn [input_sets neighbours m] in Ha, Hb, Hadj.
  rewrite <- HV in Ha, Hb. apply in_map_iff in Ha as [[a' p] [<- Ha]]. apply in_map_iff in Hb as [[b' q] [<- Hb]].
  cbn [fst] in *. assert (Ht := inside_range (unit listed) on eps Heps Hin).
  assert (P := positive_on_sound e (unit listed) on).
  set (which := fun k => set (nth k outcomes [])).
  rewrite (laws_agree_sound m listed _ _ P D outcomes a' p set which eps HA Ha Ht (fun _ _ => eq_refl)).
  rewrite (laws_agree_sound m listed _ _ P D outcomes b' q set which eps HA Hb Ht (fun _ _ => eq_refl)).
  rewrite (delta_agrees_sound listed _ _ P D delta found eps HD Ht).
  exact (HP a' p b' q Ha Hb Hadj which eps Heps Hin).
Qed.

(* The first two laws of the listed model are those of the input and of its neighbour. *)
Definition violated_program_check (listed : model) (code : core) (more : nat) (outputs : list nat) (t : Q)
    (delta : weight) (found : option ratio) (on : interval) (n : nat) (eps : Q)
    (outcomes chosen : list (list Q)) : bool :=
  let m := Mechanism (domains listed) (how listed) more code outputs in
  let is_input v := existsb (identical v) (vectors (domains listed)) in
  let which k := existsb (identical (nth k outcomes [])) chosen in
  match laws listed with
  | (u, p) :: (v, q) :: _ =>
      is_input u && is_input v && adjacent (how listed) u v && inside_check on eps &&
      violation_check listed t found n eps which p q &&
      laws_agree m listed (at_point listed n eps) outcomes && delta_agrees listed (at_point listed n eps) delta found
  | _ => false
  end.
Lemma is_input_sound v inputs : existsb (identical v) inputs = true -> In v inputs.
Proof.
  intros H. apply existsb_exists in H as [w [Hw E]]. apply identical_eq in E. now subst.
Qed.
Theorem violated_program_sound listed code more outputs t delta found on n eps outcomes chosen :
  violated_program_check listed code more outputs t delta found on n eps outcomes chosen = true ->
  violated_program (Mechanism (domains listed) (how listed) more code outputs) t delta on.
Proof.
  unfold violated_program_check. set (m := Mechanism _ _ _ _ _).
  destruct (laws listed) as [|[u p] [|[v q] rest]] eqn:L; try discriminate. intros H.
  apply andb_prop in H as [H HD]. apply andb_prop in H as [H HA]. apply andb_prop in H as [H HV].
  apply andb_prop in H as [H HO]. apply andb_prop in H as [H Hadj]. apply andb_prop in H as [Hu Hv].
  apply is_input_sound in Hu. apply is_input_sound in Hv. apply inside_check_sound in HO.
  assert (D : positive_denominators listed (at_point listed n eps) = true).
  { unfold violation_check, violation_by in HV. apply andb_prop in HV as [HV _]. now apply andb_prop in HV as [_ HV]. }
  apply violation_check_sound in HV as [He HV].
  assert (P := at_point_sound listed n eps).
  assert (Ht := eq_sym (over_unit_val (unit listed) eps) : _ = Q2R (point_t listed eps)).
  set (set := fun o => existsb (identical o) chosen).
  exists u, v, set, (Q2R eps).
  assert (P' : forall f, at_point listed n eps f = true -> forall x, x = Q2R (point_t listed eps) -> 0 < val f x)
    by (intros; eapply P; eassumption).
  rewrite (laws_agree_sound m listed _ _ P' D outcomes u p set _ (Q2R eps) HA
             ltac:(rewrite L; now left) Ht (fun _ _ => eq_refl)).
  rewrite (laws_agree_sound m listed _ _ P' D outcomes v q set _ (Q2R eps) HA
             ltac:(rewrite L; right; now left) Ht (fun _ _ => eq_refl)).
  rewrite (delta_agrees_sound listed _ _ P' D delta found (Q2R eps) HD Ht).
  repeat split; try assumption; apply HO.
Qed.
