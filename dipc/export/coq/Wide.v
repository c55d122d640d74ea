(* Models with powers and exponents of 1/eps, and constants such as exp(-2): violations, which are at one eps.

   There all functions are numbers, sums of c exp(q): the values at 1 of functions c exp(q s) of s, which
   Privacy.v knows.  The names are those of Privacy.v, for a larger class of functions. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra Lia FMapPositive.
From Dipc Require Import Chain Bounds Privacy Distributions.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. What is claimed ------------------------------------------------------------------------ *)

(* factor eps^power exp(rate eps + constant + inverse/eps) *)
Record term := Term { factor : Q; power : Z; rate : Q; constant : Q; inverse : Q }.
Definition term_val (t : term) (eps : R) : R :=
  Q2R (factor t) * powerRZ eps (power t) * exp (Q2R (rate t) * eps + Q2R (constant t) + Q2R (inverse t) / eps).
Fixpoint terms_val (f : list term) (eps : R) : R :=
  match f with [] => 0 | t :: f => term_val t eps + terms_val f eps end.

Record ratio := Ratio { above : list term; below : positive }.  (* below: the number of a denominator *)
Record model := Model {
  denominators : list (positive * list term);
  functions : list (positive * ratio);
  domains : list (list Q);
  laws : list (list Q * list positive);                         (* input, function of each outcome *)
  how : adjacency;
}.

Section Claim.
  Variable m : model.

  Definition denominator (d : positive) : list term :=
    match PositiveMap.find d (table_of (denominators m)) with Some f => f | None => [] end.
  Definition value (r : ratio) (eps : R) := terms_val (above r) eps / terms_val (denominator (below r)) eps.
  Definition function (i : positive) : ratio :=
    match PositiveMap.find i (table_of (functions m)) with Some r => r | None => Ratio [] 1 end.
  Definition probability (i : positive) (eps : R) := value (function i) eps.

  (* The probability of a set of outcomes, the first of which has number n. *)
  Fixpoint mass (set : nat -> bool) (n : nat) (law : list positive) (eps : R) : R :=
    match law with
    | [] => 0
    | i :: law => (if set n then probability i eps else 0) + mass set (S n) law eps
    end.

  Definition delta_of (delta : option ratio) (eps : R) : R :=
    match delta with None => 0 | Some r => value r eps end.

  (* Some adjacent inputs, a set of outcomes and one eps > 0 break the claim. *)
  Definition violated (t : Q) (delta : R -> R) (on : interval) : Prop :=
    exists u p v q set eps, In (u, p) (laws m) /\ In (v, q) (laws m) /\ adjacent (how m) u v = true /\
    0 < eps /\ inside on eps /\ exp (Q2R t * eps) * mass set 0 q eps + delta eps < mass set 0 p eps.

  Definition totals (on : interval) : Prop :=
    forall u p, In (u, p) (laws m) -> forall eps, 0 < eps -> inside on eps -> mass (fun _ => true) 0 p eps = 1.
  Definition distributions (on : interval) : Prop :=
    totals on /\ forall i eps, 0 < eps -> inside on eps -> 0 <= probability i eps.
End Claim.

(* ---- 2. The values at one eps ------------------------------------------------------------------- *)

(* All coefficients are multiples of 1/scale then, and all exponents of 1/unit. *)
Record units := Units { at_ : Q; unit : positive; scale : positive }.
Section Values.
  Variable w : units.
  Notation e := (at_ w).
  Hypothesis e_positive : 0 < Q2R e.

  Definition coefficient (t : term) : Q := Qred (factor t * e ^ power t).
  Definition exponent (t : term) : Q := Qred (rate t * e + constant t + inverse t / e).
  Definition times (q : Q) (p : positive) : Z := (Qnum q * Zpos p / Zpos (Qden q))%Z.
  Definition exact (q : Q) (p : positive) : bool := Qeq_bool q (times q p # p).
  Fixpoint fn_of (f : list term) : fn :=
    match f with
    | [] => []
    | t :: f => add [(times (exponent t) (unit w), [times (coefficient t) (scale w)])] (fn_of f)
    end.
  Definition exact_terms : list term -> bool :=
    forallb (fun t => exact (exponent t) (unit w) && exact (coefficient t) (scale w)).

  Lemma exact_val q p : exact q p = true -> Q2R q = IZR (times q p) / IZR (Zpos p).
  Proof. intros H. apply Qeq_bool_eq, Qeq_eqR in H. rewrite H. reflexivity. Qed.
  Lemma term_at t : term_val t (Q2R e) = Q2R (coefficient t) * exp (Q2R (exponent t)).
  Proof.
    assert (N : ~ (e == 0)%Q) by (intro Z; apply Qeq_eqR in Z; rewrite Z in e_positive; unfold Q2R in e_positive; cbn in e_positive; lra).
    unfold term_val, coefficient, exponent, Qdiv. rationals.
    rewrite Q2R_inv, RMicromega.Q2RpowerRZ by (exact N || (left; exact N)). reflexivity.
  Qed.
  Lemma add_eval u eps f : forall g, eval u (add f g) eps = eval u f eps + eval u g eps.
  Proof.
    induction f as [|[a p] f IHf]; intros g.
    - destruct g; cbn; ring.
    - induction g as [|[b q] g IHg]; [cbn; ring |].
      cbn [add]. destruct (Z.compare_spec a b) as [->| |].
      + assert (E := padd_val p q eps). rewrite <- trim_val in E.
        destruct (trim (padd p q)) eqn:T; cbn [eval]; rewrite IHf; cbn [pval] in E |- *; try rewrite E; cbn [eval] in *.
        * replace (pval p eps) with (- pval q eps) by lra. ring.
        * ring.
      + cbn [eval]. rewrite IHf. cbn [eval]. ring.
      + cbn [eval] in *. unfold add in IHg; fold add in IHg. cbn [eval]. rewrite IHg. ring.
  Qed.
  Lemma fn_of_val f : exact_terms f = true -> eval (unit w) (fn_of f) 1 = IZR (Zpos (scale w)) * terms_val f (Q2R e).
  Proof.
    assert (S : IZR (Zpos (scale w)) <> 0) by (apply not_0_IZR; discriminate).
    induction f as [|t f IH]; intros H; [cbn; ring |].
    cbn [exact_terms forallb] in H. apply andb_prop in H as [H1 H]. apply andb_prop in H1 as [H1 H2].
    cbn [fn_of terms_val]. rewrite add_eval, (IH H), term_at. apply exact_val in H1. apply exact_val in H2.
    rewrite H1, H2. cbn [eval pval]. rewrite !Rmult_1_r. field. exact S.
  Qed.

  Variable m : model.
  Definition ratio_of (r : ratio) : Privacy.ratio := Privacy.Ratio (fn_of (above r)) (below r).
  Definition values : Privacy.model := {|
    Privacy.unit := unit w;
    Privacy.denominators := table_of (map (fun '(i, f) => (i, fn_of f)) (denominators m));
    Privacy.functions := table_of (map (fun '(i, r) => (i, ratio_of r)) (functions m));
    Privacy.domains := domains m;
    Privacy.laws := laws m;
    Privacy.how := how m |}.
  Definition exact_model : bool :=
    forallb (fun '(_, f) => exact_terms f) (denominators m) &&
    forallb (fun '(_, r) => exact_terms (above r)) (functions m).
  Hypothesis model_exact : exact_model = true.

  Lemma found {A B} (h : A -> B) (good : A -> bool) l i : forallb (fun '(_, a) => good a) l = true ->
    match PositiveMap.find i (table_of l), PositiveMap.find i (table_of (map (fun '(i, a) => (i, h a)) l)) with
    | Some a, Some b => good a = true /\ b = h a
    | None, None => True
    | _, _ => False
    end.
  Proof.
    induction l as [|[j a] l IH]; intros H; [now rewrite !PositiveMap.gempty |].
    cbn [forallb] in H. apply andb_prop in H as [G H]. specialize (IH H).
    change (table_of ((j, a) :: l)) with (PositiveMap.add j a (table_of l)).
    change (table_of (map _ ((j, a) :: l)))
      with (PositiveMap.add j (h a) (table_of (map (fun '(i, a) => (i, h a)) l))).
    destruct (Pos.eq_dec i j) as [->|N]; [now rewrite !PositiveMap.gss | now rewrite !PositiveMap.gso by exact N].
  Qed.
  Lemma denominator_at d :
    eval (unit w) (Privacy.denominator values d) 1 = IZR (Zpos (scale w)) * terms_val (denominator m d) (Q2R e).
  Proof.
    assert (H := model_exact). apply andb_prop in H as [H _]. apply (found fn_of exact_terms _ d) in H.
    unfold Privacy.denominator, denominator. cbn [Privacy.denominators values].
    destruct (PositiveMap.find d (table_of (denominators m))), (PositiveMap.find d _); try contradiction.
    - destruct H as [G ->]. now apply fn_of_val.
    - cbn. ring.
  Qed.
  Lemma value_at r : exact_terms (above r) = true -> Privacy.value values (ratio_of r) 1 = value m r (Q2R e).
  Proof.
    intros H. unfold Privacy.value, Privacy.numerator, value. cbn [Privacy.above Privacy.below ratio_of Privacy.unit values].
    fold values. rewrite denominator_at, fn_of_val by exact H. unfold Rdiv.
    destruct (Req_dec (terms_val (denominator m (below r)) (Q2R e)) 0) as [->|N].
    - rewrite Rmult_0_r, Rinv_0. ring.
    - field. split; [exact N | apply not_0_IZR; discriminate].
  Qed.
  Lemma probability_at i : Privacy.probability values i 1 = probability m i (Q2R e).
  Proof.
    assert (H := model_exact). apply andb_prop in H as [_ H].
    apply (found ratio_of (fun r => exact_terms (above r)) _ i) in H.
    unfold Privacy.probability, probability, Privacy.function, function. cbn [Privacy.functions values].
    destruct (PositiveMap.find i (table_of (functions m))), (PositiveMap.find i _); try contradiction.
    - destruct H as [G ->]. now apply value_at.
    - now apply (value_at (Ratio [] 1)).
  Qed.
  Lemma mass_at set p : forall n, Privacy.mass values set n p 1 = mass m set n p (Q2R e).
  Proof.
    induction p as [|i p IH]; intros n; cbn [Privacy.mass mass]; [reflexivity |].
    rewrite IH, probability_at. reflexivity.
  Qed.
End Values.

(* ---- 3. What is checked ------------------------------------------------------------------------- *)

Lemma positive_sound q : negb (Qle_bool q 0) = true -> 0 < Q2R q.
Proof. intros H. apply less in H. replace 0 with (Q2R 0) by (unfold Q2R; cbn; field). exact H. Qed.
Lemma one_only x : inside (only 1) x -> x = 1.
Proof. intros [L H]. cbn in L, H. unfold Q2R in L, H; cbn in L, H. lra. Qed.

Definition exact_delta (w : units) (delta : option ratio) : bool :=
  match delta with None => true | Some r => exact_terms w (above r) end.
Definition violated_check (m : model) (t : Q) (delta : option ratio) (on : interval) (w : units) (n : nat)
    (outcomes : list nat) : bool :=
  let numbers := option_map (ratio_of w) delta in
  negb (Qle_bool (at_ w) 0) && inside_check on (at_ w) && exact_model w m && exact_delta w delta &&
  Privacy.violated_check (values w m) (Qred (t * at_ w)) numbers (only 1) n 1 outcomes.
Theorem violated_check_sound m t delta on w n outcomes :
  violated_check m t delta on w n outcomes = true -> violated m t (delta_of m delta) on.
Proof.
  intros H. apply andb_prop in H as [H H5]. apply andb_prop in H as [H H4]. apply andb_prop in H as [H H3].
  apply andb_prop in H as [H1 H2]. apply positive_sound in H1. apply inside_check_sound in H2.
  apply Privacy.violated_check_sound in H5 as (u & p & v & q & set & x & Hu & Hv & Ha & _ & Hx & H).
  apply one_only in Hx. subst x. exists u, p, v, q, set, (Q2R (at_ w)).
  rewrite !(mass_at w H1 m H3) in H.
  replace (Q2R (Qred (t * at_ w)) * 1) with (Q2R t * Q2R (at_ w)) in H by (rationals; ring).
  replace (Privacy.delta_of (values w m) (option_map (ratio_of w) delta) 1)
    with (delta_of m delta (Q2R (at_ w))) in H.
  - repeat split; try assumption; apply H2.
  - destruct delta as [r|]; [| reflexivity]. symmetry. now apply (value_at w H1 m H3 r).
Qed.

Definition totals_at_check (m : model) (w : units) (n : nat) : bool :=
  negb (Qle_bool (at_ w) 0) && exact_model w m && Distributions.totals_at_check (values w m) n 1.
Definition distributions_at_check (m : model) (w : units) (n : nat) : bool :=
  negb (Qle_bool (at_ w) 0) && exact_model w m && Distributions.distributions_at_check (values w m) n 1.
Lemma at_only w x : inside (only (at_ w)) x -> x = Q2R (at_ w).
Proof. intros [L H]. cbn in L, H. lra. Qed.
Lemma inside_one : 0 < 1 /\ inside (only 1) 1.
Proof. unfold inside; cbn. unfold Q2R; cbn. lra. Qed.
Lemma totals_at w m : 0 < Q2R (at_ w) -> exact_model w m = true ->
  Distributions.totals (values w m) (only 1) -> totals m (only (at_ w)).
Proof.
  intros H1 H2 T u p Hin eps _ He. apply at_only in He. subst eps.
  rewrite <- (mass_at w H1 m H2). destruct inside_one. now apply T with u.
Qed.
Theorem totals_at_sound m w n : totals_at_check m w n = true -> totals m (only (at_ w)).
Proof.
  intros H. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2]. apply positive_sound in H1.
  apply totals_at; try assumption. exact (Distributions.totals_at_sound _ _ _ H3).
Qed.
Theorem distributions_at_sound m w n : distributions_at_check m w n = true -> distributions m (only (at_ w)).
Proof.
  intros H. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2]. apply positive_sound in H1.
  apply Distributions.distributions_at_sound in H3 as [T P]. split; [now apply totals_at |].
  intros i eps _ He. apply at_only in He. subst eps. rewrite <- (probability_at w H1 m H2).
  destruct inside_one. now apply P.
Qed.
