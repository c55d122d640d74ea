(* Differential privacy of listed laws, for every eps of an interval: what is claimed, and a checker that is right.

   A model is a table of functions of eps, a table of denominators, and for every input its law: for every
   outcome the number of a function and its denominator. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra Lia FMapPositive.
From Dipc Require Import Chain Bounds.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. What is claimed ------------------------------------------------------------------------ *)

(* Adjacent inputs: vectors whose cells are rational numbers (or stand for names). *)
Inductive adjacency :=
  | Everything                      (* all pairs *)
  | Each (distance : Q)             (* linf: no cell differs by more *)
  | Total (distance : Q)            (* l1: the differences add up to no more *)
  | Cells (count : nat)             (* hamming: no more cells differ *)
  | Listed (pairs : list (list Q * list Q)).

Definition difference (a b : Q) : Q := if Qle_bool a b then b - a else a - b.
Fixpoint each (d : Q) (u v : list Q) : bool :=
  match u, v with
  | [], [] => true
  | a :: u, b :: v => Qle_bool (difference a b) d && each d u v
  | _, _ => false
  end.
Fixpoint total (u v : list Q) : Q :=
  match u, v with a :: u, b :: v => Qred (difference a b + total u v) | _, _ => 0 end.
Fixpoint differing (u v : list Q) : nat :=
  match u, v with a :: u, b :: v => (if Qeq_bool a b then 0 else 1) + differing u v | _, _ => 0 end.
Fixpoint same (u v : list Q) : bool :=
  match u, v with [], [] => true | a :: u, b :: v => Qeq_bool a b && same u v | _, _ => false end.
Definition adjacent (how : adjacency) (u v : list Q) : bool :=
  match how with
  | Everything => true
  | Each d => each d u v
  | Total d => Qle_bool (total u v) d
  | Cells k => Nat.leb (differing u v) k
  | Listed pairs => existsb (fun '(a, b) => same a u && same b v) pairs
  end.

(* All vectors with their cells in these sets, the last one varying fastest. *)
Fixpoint vectors (domains : list (list Q)) : list (list Q) :=
  match domains with
  | [] => [[]]
  | domain :: rest => flat_map (fun a => map (cons a) (vectors rest)) domain
  end.

Record ratio := Ratio { above : fn; below : positive }.        (* below: the number of a denominator *)
Record model := Model {
  unit : positive;                                              (* rates are multiples of 1/unit *)
  denominators : PositiveMap.t fn;
  functions : PositiveMap.t ratio;
  domains : list (list Q);
  laws : list (list Q * list positive);                         (* input, function of each outcome *)
  how : adjacency;
}.

Section Claim.
  Variable m : model.

  Definition denominator (d : positive) : fn :=
    match PositiveMap.find d (denominators m) with Some f => f | None => [] end.
  Definition numerator (r : ratio) (eps : R) := eval (unit m) (above r) eps.
  Definition value (r : ratio) (eps : R) := numerator r eps / eval (unit m) (denominator (below r)) eps.
  Definition function (i : positive) : ratio :=
    match PositiveMap.find i (functions m) with Some r => r | None => Ratio [] 1 end.
  Definition probability (i : positive) (eps : R) := value (function i) eps.

  (* The probability of a set of outcomes, the first of which has number n. *)
  Fixpoint mass (set : nat -> bool) (n : nat) (law : list positive) (eps : R) : R :=
    match law with
    | [] => 0
    | i :: law => (if set n then probability i eps else 0) + mass set (S n) law eps
    end.

  (* (t eps, delta)-differential privacy for every eps > 0 of the interval. *)
  Definition private (t : Q) (delta : R -> R) (on : interval) : Prop :=
    map fst (laws m) = vectors (domains m) /\
    forall u p v q, In (u, p) (laws m) -> In (v, q) (laws m) -> adjacent (how m) u v = true ->
    forall set eps, 0 < eps -> inside on eps -> mass set 0 p eps <= exp (Q2R t * eps) * mass set 0 q eps + delta eps.

  (* Some adjacent inputs, a set of outcomes and one eps > 0 break the claim. *)
  Definition violated (t : Q) (delta : R -> R) (on : interval) : Prop :=
    exists u p v q set eps, In (u, p) (laws m) /\ In (v, q) (laws m) /\ adjacent (how m) u v = true /\
    0 < eps /\ inside on eps /\ exp (Q2R t * eps) * mass set 0 q eps + delta eps < mass set 0 p eps.

  Lemma violated_not_private t delta on : violated t delta on -> ~ private t delta on.
  Proof.
    intros (u & p & v & q & set & eps & Hu & Hv & Hw & He & Ho & H) [_ K].
    specialize (K u p v q Hu Hv Hw set eps He Ho). lra.
  Qed.
End Claim.

(* ---- 2. Sums of ratios that are not negative ---------------------------------------------------- *)

Section Check.
  Variable m : model.
  Variable range : R -> Prop.                (* of t = eps / unit *)
  Variables nonnegative positive_there : fn -> bool.
  Hypothesis nonnegative_sound : forall f, nonnegative f = true -> forall t, range t -> 0 <= val f t.
  Hypothesis positive_sound : forall f, positive_there f = true -> forall t, range t -> 0 < val f t.
  Notation u := (unit m).
  Notation den d := (denominator m d).

  (* In t = eps / u all rates are integers. *)
  Definition at_t (r : ratio) : ratio := Ratio (scaled u (above r)) (below r).
  Definition den_t (d : positive) : fn := scaled u (den d).

  Definition positive_denominators : bool :=
    forallb (fun '(_, f) => positive_there (scaled u f)) (PositiveMap.elements (denominators m)).
  Hypothesis denominators_positive : positive_denominators = true.

  Definition known (d : positive) : bool := PositiveMap.mem d (denominators m).
  Lemma den_positive d t : known d = true -> range t -> 0 < val (den_t d) t.
  Proof.
    intros H Ht. unfold known in H. apply PositiveMap.mem_2 in H as [f Hf].
    unfold den_t, denominator. rewrite (PositiveMap.find_1 Hf).
    unfold positive_denominators in denominators_positive. rewrite forallb_forall in denominators_positive.
    apply positive_sound; [| exact Ht].
    apply PositiveMap.elements_1 in Hf. apply SetoidList.InA_alt in Hf as [[d' f'] [[E1 E2] Hin]].
    cbn in E2. change (d = d') in E1. rewrite E2. exact (denominators_positive _ Hin).
  Qed.

  Definition sum := list ratio.      (* over t *)
  Fixpoint sval (s : sum) (t : R) : R :=
    match s with [] => 0 | r :: s => val (above r) t / val (den_t (below r)) t + sval s t end.

  Fixpoint without (d : positive) (l : list positive) : option (list positive) :=
    match l with
    | [] => None
    | e :: l => if Pos.eqb d e then Some l
                else match without d l with Some l => Some (e :: l) | None => None end
    end.
  Fixpoint common (s : sum) : list positive :=
    match s with
    | [] => []
    | r :: s => let l := common s in
        match without (below r) l with Some _ => l | None => below r :: l end
    end.
  Definition product (l : list positive) : fn := fold_right (fun d f => mul (den_t d) f) [(0%Z, [1%Z])] l.
  Fixpoint value_of_product (l : list positive) (t : R) : R :=
    match l with [] => 1 | d :: l => val (den_t d) t * value_of_product l t end.
  Lemma product_val l t : val (product l) t = value_of_product l t.
  Proof.
    induction l as [|d l IH]; cbn [product fold_right value_of_product].
    - cbn. rewrite Rmult_0_l, exp_0. ring.
    - rewrite mul_val. unfold product in IH. now rewrite IH.
  Qed.
  Lemma without_val d t : forall l rest, without d l = Some rest ->
    value_of_product l t = val (den_t d) t * value_of_product rest t.
  Proof.
    induction l as [|e l IH]; intros rest H; cbn [without] in H; [discriminate |].
    destruct (Pos.eqb_spec d e) as [->|].
    - injection H as <-. reflexivity.
    - destruct (without d l) eqn:E; [| discriminate]. injection H as <-.
      cbn [value_of_product]. rewrite (IH _ eq_refl). ring.
  Qed.

  (* The numerator over the common denominator. *)
  Fixpoint collected (l : list positive) (s : sum) : option fn :=
    match s with
    | [] => Some []
    | r :: s =>
        match without (below r) l, collected l s with
        | Some rest, Some f =>
            let g := match rest with [] => above r | _ => mul (above r) (product rest) end in Some (add g f)
        | _, _ => None
        end
    end.
  Definition sum_nonneg (s : sum) : bool :=
    let l := common s in
    forallb known l && match collected l s with Some f => nonnegative f | None => false end.

  Lemma value_of_product_positive l t : forallb known l = true -> range t -> 0 < value_of_product l t.
  Proof.
    intros H Ht. induction l as [|d l IH]; cbn [value_of_product]; [lra |].
    cbn [forallb] in H. apply andb_prop in H as [H1 H2].
    apply Rmult_lt_0_compat; [now apply den_positive | now apply IH].
  Qed.
  Lemma collected_val l t : forallb known l = true -> range t ->
    forall s f, collected l s = Some f -> val f t = value_of_product l t * sval s t.
  Proof.
    intros Hl Ht. induction s as [|r s IH]; intros f H; cbn [collected] in H.
    - injection H as <-. cbn. ring.
    - destruct (without (below r) l) as [rest|] eqn:E; [| discriminate].
      destruct (collected l s) as [g|]; [| discriminate]. injection H as <-.
      assert (V := without_val _ t _ _ E).
      assert (P := value_of_product_positive l t Hl Ht).
      assert (N : val (den_t (below r)) t <> 0) by (intro Z; rewrite V, Z, Rmult_0_l in P; lra).
      rewrite add_val, (IH g eq_refl). cbn [sval].
      replace (val _ t) with (val (above r) t * value_of_product rest t).
      + rewrite V. field. exact N.
      + destruct rest; [cbn; ring | rewrite mul_val, product_val; reflexivity].
  Qed.
  Lemma sum_nonneg_sound s t : sum_nonneg s = true -> range t -> 0 <= sval s t.
  Proof.
    intros H Ht. unfold sum_nonneg in H. apply andb_prop in H as [Hl H].
    destruct (collected _ s) as [f|] eqn:E; [| discriminate].
    assert (V := collected_val _ t Hl Ht s f E).
    assert (P := value_of_product_positive _ t Hl Ht).
    assert (K := nonnegative_sound f H t Ht).
    rewrite V in K. apply Rmult_le_reg_l with (value_of_product (common s) t); lra.
  Qed.
  Definition enough_alone (s : sum) : bool := match s with [] => true | _ => sum_nonneg s end.
  Lemma enough_alone_sound s t : enough_alone s = true -> range t -> 0 <= sval s t + 0.
  Proof.
    rewrite Rplus_0_r. destruct s; [intros; apply Rle_refl | apply sum_nonneg_sound].
  Qed.
  Lemma sval_app s r t : sval (s ++ r) t = sval s t + sval r t.
  Proof. induction s as [|x s IH]; cbn [app sval]; [ring | rewrite IH; ring]. Qed.

  (* ---- 3. Pairs of probabilities, and pairs of laws ---------------------------------------------- *)

  Variable tu : Z.                   (* the claimed epsilon is tu/u eps *)
  Definition loss (r : ratio) : ratio := Ratio (times_term 1 tu (above r)) (below r).    (* times e^epsilon *)
  Definition negative (r : ratio) : ratio := Ratio (times_term (-1) 0 (above r)) (below r).
  Definition fun_t (i : positive) : ratio := at_t (function m i).
  (* e^epsilon Q - P *)
  Definition slack (i j : positive) : sum := [loss (fun_t j); negative (fun_t i)].
  Definition excess (i j : positive) : sum := [fun_t i; negative (loss (fun_t j))].

  Definition rval (r : ratio) (t : R) := val (above r) t / val (den_t (below r)) t.
  Lemma loss_val r t : rval (loss r) t = exp (IZR tu * t) * rval r t.
  Proof. unfold rval, loss; cbn [above below]. rewrite times_term_val. unfold Rdiv. ring. Qed.
  Lemma negative_val r t : rval (negative r) t = - rval r t.
  Proof. unfold rval, negative; cbn [above below]. rewrite times_term_val, Rmult_0_l, exp_0. unfold Rdiv. ring. Qed.
  Lemma fun_t_val i eps : rval (fun_t i) (eps / IZR (Zpos u)) = probability m i eps.
  Proof.
    unfold rval, fun_t, at_t, den_t, probability, value, numerator; cbn [above below].
    now rewrite !scaled_val.
  Qed.

  Definition gap (i j : positive) (t : R) := rval (fun_t i) t - exp (IZR tu * t) * rval (fun_t j) t.
  Lemma slack_val i j t : sval (slack i j) t = - gap i j t.
  Proof.
    unfold slack, gap. cbn [sval]. fold (rval (loss (fun_t j)) t) (rval (negative (fun_t i)) t).
    rewrite loss_val, negative_val. ring.
  Qed.
  Lemma excess_val i j t : sval (excess i j) t = gap i j t.
  Proof.
    unfold excess, gap. cbn [sval]. fold (rval (fun_t i) t) (rval (negative (loss (fun_t j))) t).
    rewrite negative_val, loss_val. ring.
  Qed.

  Inductive sign := Minus | Plus | Open.    (* P <= e^epsilon Q, P >= e^epsilon Q, both are possible *)
  Definition signs := PositiveMap.t (positive * positive * sign).
  Variable size : positive.                 (* of the table of functions *)
  Definition code (i j : positive) : positive := (i * size + j)%positive.
  Definition table (entries : list (positive * positive * sign)) : signs :=
    fold_right (fun '(i, j, s) => PositiveMap.add (code i j) (i, j, s)) (PositiveMap.empty _) entries.
  Definition entry_holds (e : positive * positive * sign) : bool :=
    let '(i, j, s) := e in
    match s with
    | Minus => sum_nonneg (slack i j)
    | Plus => sum_nonneg (excess i j)
    | Open => true
    end.
  Definition look (known : signs) (i j : positive) : option sign :=
    match PositiveMap.find (code i j) known with
    | Some (i', j', s) => if Pos.eqb i i' && Pos.eqb j j' then Some s else None
    | None => None
    end.

  Lemma table_in entries k e : PositiveMap.find k (table entries) = Some e -> In e entries.
  Proof.
    induction entries as [|[[i j] s] entries IH]; cbn [table fold_right].
    - rewrite PositiveMap.gempty. discriminate.
    - unfold table in IH. destruct (Pos.eq_dec k (code i j)) as [->|N].
      + rewrite PositiveMap.gss. intros [= <-]. now left.
      + rewrite PositiveMap.gso by exact N. intro. right. now apply IH.
  Qed.

  Variable entries : list (positive * positive * sign).
  Hypothesis entries_hold : forallb entry_holds entries = true.
  Lemma look_sound i j s t : look (table entries) i j = Some s -> range t ->
    match s with Minus => gap i j t <= 0 | Plus => 0 <= gap i j t | Open => True end.
  Proof.
    intros H Ht. unfold look in H.
    destruct (PositiveMap.find _ _) as [[[i' j'] s']|] eqn:E; [| discriminate].
    destruct (Pos.eqb_spec i i') as [->|]; [| discriminate].
    destruct (Pos.eqb_spec j j') as [->|]; [| discriminate]. injection H as ->.
    apply table_in in E. rewrite forallb_forall in entries_hold. apply entries_hold in E.
    destruct s; cbn [entry_holds] in E; [| | exact I];
      apply (sum_nonneg_sound _ t) in E; try exact Ht.
    - rewrite slack_val in E. lra.
    - now rewrite excess_val in E.
  Qed.

  (* What is still to be shown when the positive gaps are subtracted. *)
  Variables (enough : sum -> bool) (more : R -> R).
  Hypothesis enough_sound : forall s t, enough s = true -> range t -> 0 <= sval s t + more t.

  (* Whether delta minus the positive gaps is not negative, whatever the signs of the open ones are. *)
  Fixpoint covered (known : signs) (p q : list positive) (rest : sum) : bool :=
    match p, q with
    | [], [] => enough rest
    | i :: p, j :: q =>
        match look known i j with
        | Some Minus => covered known p q rest
        | Some Plus => covered known p q (slack i j ++ rest)
        | Some Open => covered known p q rest && covered known p q (slack i j ++ rest)
        | None => false
        end
    | _, _ => false
    end.
  Fixpoint gaps (set : nat -> bool) (n : nat) (p q : list positive) (t : R) : R :=
    match p, q with
    | i :: p, j :: q => (if set n then gap i j t else 0) + gaps set (S n) p q t
    | _, _ => 0
    end.
  Lemma covered_sound set t : range t -> forall p q n rest,
    covered (table entries) p q rest = true -> length p = length q /\ gaps set n p q t <= sval rest t + more t.
  Proof.
    intros Ht. induction p as [|i p IH]; intros [|j q] n rest H; cbn [covered] in H; try discriminate.
    - split; [reflexivity |]. now apply enough_sound.
    - destruct (look (table entries) i j) as [s|] eqn:E; [| discriminate].
      assert (G := look_sound i j s t E Ht). cbn [gaps length].
      destruct s.
      + destruct (IH q (S n) rest H) as [L K]. split; [now f_equal |]. destruct (set n); lra.
      + destruct (IH q (S n) _ H) as [L K]. split; [now f_equal |].
        rewrite sval_app, slack_val in K. destruct (set n); lra.
      + apply andb_prop in H as [H1 H2].
        destruct (IH q (S n) _ H1) as [L K1], (IH q (S n) _ H2) as [_ K2]. split; [now f_equal |].
        rewrite sval_app, slack_val in K2. destruct (set n); lra.
  Qed.

  (* ---- 4. The whole claim ------------------------------------------------------------------------ *)

  Variable delta : sum.
  Definition pairs_covered : bool :=
    let known := table entries in
    forallb (fun '(u, p) => forallb (fun '(v, q) =>
      if adjacent (how m) u v then covered known p q delta else true) (laws m)) (laws m).
End Check.

Definition delta_t (m : model) (delta : option ratio) : sum :=
  match delta with None => [] | Some r => [at_t m r] end.
Definition delta_of (m : model) (delta : option ratio) (eps : R) : R :=
  match delta with None => 0 | Some r => value m r eps end.

Fixpoint identical (u v : list Q) : bool :=
  match u, v with
  | [], [] => true
  | a :: u, b :: v => Z.eqb (Qnum a) (Qnum b) && Pos.eqb (Qden a) (Qden b) && identical u v
  | _, _ => false
  end.
Lemma identical_eq u : forall v, identical u v = true -> u = v.
Proof.
  induction u as [|[n d] u IH]; intros [|[n' d'] v] H; try discriminate; [reflexivity |].
  cbn [identical Qnum Qden] in H. apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
  apply Z.eqb_eq in H1. apply Pos.eqb_eq in H2. apply IH in H3. now subst.
Qed.
Fixpoint all_identical (a b : list (list Q)) : bool :=
  match a, b with
  | [], [] => true
  | u :: a, v :: b => identical u v && all_identical a b
  | _, _ => false
  end.
Lemma all_identical_eq a : forall b, all_identical a b = true -> a = b.
Proof.
  induction a as [|u a IH]; intros [|v b] H; try discriminate; [reflexivity |].
  cbn [all_identical] in H. apply andb_prop in H as [H1 H2].
  apply identical_eq in H1. apply IH in H2. now subst.
Qed.

(* The multiple of 1/unit that a rate is, if it is one. *)
Definition in_units (m : model) (t : Q) : Z := (Qnum t * Zpos (unit m) / Zpos (Qden t))%Z.

Lemma rate_in_units m t : Q2R t = Q2R (in_units m t # unit m) ->
  forall eps, IZR (in_units m t) * (eps / IZR (Zpos (unit m))) = Q2R t * eps.
Proof.
  intros -> eps. unfold Q2R; cbn [Qnum Qden]. field. apply not_0_IZR. discriminate.
Qed.
Lemma gaps_val m tu t set eps : IZR tu * (eps / IZR (Zpos (unit m))) = Q2R t * eps ->
  forall p q n, length p = length q -> gaps m tu set n p q (eps / IZR (Zpos (unit m))) =
    mass m set n p eps - exp (Q2R t * eps) * mass m set n q eps.
Proof.
  intros E. induction p as [|i p IH]; intros [|j q] n L; try discriminate; cbn [gaps mass]; [ring |].
  rewrite IH by (now injection L). unfold gap. rewrite !fun_t_val, E. destruct (set n); ring.
Qed.
Lemma delta_val m delta eps : sval m (delta_t m delta) (eps / IZR (Zpos (unit m))) = delta_of m delta eps.
Proof.
  unfold delta_t, delta_of. destruct delta as [r|]; [| reflexivity]. cbn [sval].
  unfold at_t, den_t, value, numerator; cbn [above below]. rewrite !scaled_val. ring.
Qed.

Lemma private_above m t delta more on : (forall eps, 0 < eps -> inside on eps -> delta eps <= more eps) ->
  private m t delta on -> private m t more on.
Proof.
  intros L [H1 H2]. split; [exact H1 |]. intros u p v q Hu Hv Ha set eps He Ho.
  specialize (H2 u p v q Hu Hv Ha set eps He Ho). specialize (L eps He Ho). lra.
Qed.
Lemma violated_below m t delta less on : (forall eps, less eps <= delta eps) ->
  violated m t delta on -> violated m t less on.
Proof.
  intros L (u & p & v & q & set & eps & Hu & Hv & Ha & He & Ho & H).
  exists u, p, v, q, set, eps. specialize (L eps). repeat split; try assumption; [apply Ho .. | lra].
Qed.

(* Entries are pairs of functions with their signs; size is more than the numbers of the functions. *)
Section Privacy.
  Variables (m : model) (t : Q) (on : interval) (e : prover) (size : positive)
    (entries : list (positive * positive * sign)).
  Notation positive_there := (positive_denominators m (positive_on e (unit m) on)).

  (* For a delta that is the sum of start and of what the test enough adds. *)
  Definition private_by (enough : sum -> bool) (start : sum) : bool :=
    let tu := in_units m t in
    Qeq_bool t (tu # unit m) && positive_there &&
    all_identical (map fst (laws m)) (vectors (domains m)) &&
    forallb (entry_holds m (nonnegative_on e (unit m) on) tu) entries &&
    pairs_covered m tu size entries enough start.
  Lemma private_by_sound enough more start :
    (positive_there = true ->
      forall s x, enough s = true -> in_range (unit m) on x -> 0 <= sval m s x + more x) ->
    private_by enough start = true ->
    private m t (fun eps => let x := eps / IZR (Zpos (unit m)) in sval m start x + more x) on.
  Proof.
    unfold private_by. set (tu := in_units m t). intros E H.
    apply andb_prop in H as [H H4]. apply andb_prop in H as [H H3].
    apply andb_prop in H as [H H2]. apply andb_prop in H as [H0 H1].
    apply Qeq_bool_eq, Qeq_eqR in H0. split; [now apply all_identical_eq |].
    intros u p v q Hu Hv Hadj set eps Heps Hin.
    unfold pairs_covered in H4. rewrite forallb_forall in H4. specialize (H4 _ Hu). cbn in H4.
    rewrite forallb_forall in H4. specialize (H4 _ Hv). cbn in H4. rewrite Hadj in H4.
    assert (Hr := inside_range (unit m) on eps Heps Hin).
    destruct (covered_sound m (in_range (unit m) on) _ _ (nonnegative_on_sound e (unit m) on)
                (positive_on_sound e (unit m) on) H1 tu size entries H3 enough more (E H1) set _ Hr p q 0%nat _ H4) as [L K].
    rewrite (gaps_val m tu t set eps (rate_in_units m t H0 eps) p q 0%nat L) in K. cbn zeta. lra.
  Qed.
End Privacy.

Definition private_check (m : model) (t : Q) (delta : option ratio) (on : interval) (e : prover) (size : positive)
    (entries : list (positive * positive * sign)) : bool :=
  private_by m t on e size entries (enough_alone m (nonnegative_on e (unit m) on)) (delta_t m delta).
Theorem private_check_sound m t delta on e size entries :
  private_check m t delta on e size entries = true -> private m t (delta_of m delta) on.
Proof.
  intros H. apply (private_by_sound _ _ _ _ _ _ _ (fun _ => 0)) in H.
  - eapply private_above; [| exact H]. intros eps _ _. cbv beta zeta. rewrite delta_val. lra.
  - intros D s x. exact (enough_alone_sound m _ _ _ (nonnegative_on_sound e (unit m) on)
      (positive_on_sound e (unit m) on) D s x).
Qed.

(* ---- 5. A violation ------------------------------------------------------------------------------- *)

Section Violation.
  Variables (m : model) (t : Q) (delta : option ratio) (n : nat) (eps : Q).
  Definition point_t : Q := over_unit (unit m) eps.
  Definition at_point (f : fn) : bool := above_zero true (low_at n f point_t).
  Lemma at_point_sound f : at_point f = true -> forall x, x = Q2R point_t -> 0 < val f x.
  Proof.
    intros H x ->. unfold at_point in H. apply above_zero_strict in H as [b [E Hb]].
    apply low_at_sound in E. lra.
  Qed.
  Fixpoint excesses (tu : Z) (set : nat -> bool) (k : nat) (p q : list positive) : sum :=
    match p, q with
    | i :: p, j :: q => (if set k then excess m tu i j else []) ++ excesses tu set (S k) p q
    | _, _ => []
    end.
  Lemma excesses_val tu set : forall p q k x, sval m (excesses tu set k p q) x = gaps m tu set k p q x.
  Proof.
    induction p as [|i p IH]; intros [|j q] k x; cbn [excesses gaps]; try reflexivity.
    rewrite sval_app, IH. destruct (set k); [now rewrite excess_val | cbn; ring].
  Qed.
  Lemma negative_sum s x : sval m (map negative s) x = - sval m s x.
  Proof.
    induction s as [|r s IH]; cbn [map sval]; [ring |]. rewrite IH.
    fold (rval m (negative r) x) (rval m r x). rewrite negative_val. ring.
  Qed.
  Definition violation_by (enough : sum -> bool) (start : sum) (set : nat -> bool) (p q : list positive) : bool :=
    let tu := in_units m t in
    Qeq_bool t (tu # unit m) && Nat.eqb (length p) (length q) && negb (Qle_bool eps 0) &&
    positive_denominators m at_point && enough (excesses tu set 0 p q ++ start).
  Lemma violation_by_sound enough more start set p q :
    (positive_denominators m at_point = true -> forall s, enough s = true -> more < sval m s (Q2R point_t)) ->
    violation_by enough start set p q = true ->
    0 < Q2R eps /\
    exp (Q2R t * Q2R eps) * mass m set 0 q (Q2R eps) + (more - sval m start (Q2R point_t)) < mass m set 0 p (Q2R eps).
  Proof.
    unfold violation_by. set (tu := in_units m t). intros S H.
    apply andb_prop in H as [H H4]. apply andb_prop in H as [H H3].
    apply andb_prop in H as [H H2]. apply andb_prop in H as [H0 H1].
    apply Qeq_bool_eq, Qeq_eqR in H0. apply Nat.eqb_eq in H1. apply negb_true_iff in H2. split.
    { replace 0 with (Q2R 0) by (unfold Q2R; cbn; field). apply Qlt_Rlt, Qnot_le_lt.
      intro K. apply Qle_bool_iff in K. congruence. }
    specialize (S H3 _ H4). rewrite sval_app, excesses_val in S.
    assert (G := gaps_val m tu t set (Q2R eps) (rate_in_units m t H0 _) p q 0%nat H1).
    rewrite <- (over_unit_val (unit m) eps : Q2R point_t = _) in G. lra.
  Qed.

  Definition positive_sum (s : sum) : bool :=
    let l := common s in
    forallb (known m) l && match collected m l s with Some f => at_point f | None => false end.
  Lemma positive_sum_sound : positive_denominators m at_point = true ->
    forall s, positive_sum s = true -> 0 < sval m s (Q2R point_t).
  Proof.
    intros D s H. apply andb_prop in H as [Hl H].
    destruct (collected m (common s) s) as [f|] eqn:E; [| discriminate].
    assert (F := at_point_sound f H _ eq_refl).
    rewrite (collected_val m (fun x => x = Q2R point_t) at_point at_point_sound D _ _ Hl eq_refl s f E) in F.
    assert (V := value_of_product_positive m (fun x => x = Q2R point_t) at_point at_point_sound D _ _ Hl eq_refl).
    apply Rmult_lt_reg_l with (value_of_product m (common s) (Q2R point_t)); lra.
  Qed.
  Definition violation_check : (nat -> bool) -> list positive -> list positive -> bool :=
    violation_by positive_sum (map negative (delta_t m delta)).
  Theorem violation_check_sound set p q : violation_check set p q = true ->
    0 < Q2R eps /\
    exp (Q2R t * Q2R eps) * mass m set 0 q (Q2R eps) + delta_of m delta (Q2R eps) < mass m set 0 p (Q2R eps).
  Proof.
    intros H. apply (violation_by_sound _ 0) in H as [H1 H2]; [| exact positive_sum_sound].
    split; [exact H1 |]. assert (P := over_unit_val (unit m) eps : Q2R point_t = _).
    rewrite negative_sum, P, delta_val in H2. lra.
  Qed.
End Violation.

Definition inside_check (i : interval) (eps : Q) : bool :=
  (if low_closed i then Qle_bool (low i) eps else negb (Qle_bool eps (low i))) &&
  match high i with
  | Some b => if high_closed i then Qle_bool eps b else negb (Qle_bool b eps)
  | None => true
  end.
Lemma less a b : negb (Qle_bool b a) = true -> Q2R a < Q2R b.
Proof.
  intros H. apply negb_true_iff in H. apply Qlt_Rlt, Qnot_le_lt. intro K. apply Qle_bool_iff in K. congruence.
Qed.
Lemma inside_check_sound i eps : inside_check i eps = true -> inside i (Q2R eps).
Proof.
  unfold inside_check, inside. intros H. apply andb_prop in H as [H1 H2].
  split; [destruct (low_closed i) | destruct (high i); [destruct (high_closed i) | exact I]];
    first [now apply less | now apply Qle_Rle, Qle_bool_iff].
Qed.

(* The first two laws of the model are those of the input and of its neighbour. *)
Definition with_first (m : model) (on : interval) (eps : Q) (check : list positive -> list positive -> bool) : bool :=
  match laws m with
  | (u, p) :: (v, q) :: _ => adjacent (how m) u v && inside_check on eps && check p q
  | _ => false
  end.
Lemma with_first_sound m t delta on eps check set :
  (forall p q, check p q = true -> 0 < Q2R eps /\
    exp (Q2R t * Q2R eps) * mass m set 0 q (Q2R eps) + delta (Q2R eps) < mass m set 0 p (Q2R eps)) ->
  with_first m on eps check = true -> violated m t delta on.
Proof.
  unfold with_first. destruct (laws m) as [|[u p] [|[v q] rest]] eqn:E; try discriminate. intros C H.
  apply andb_prop in H as [H H3]. apply andb_prop in H as [H1 H2].
  apply C in H3 as [H3 H4]. apply inside_check_sound in H2.
  exists u, p, v, q, set, (Q2R eps).
  rewrite E. repeat split; try assumption; [now left | right; now left | |]; apply H2.
Qed.
Definition violated_check (m : model) (t : Q) (delta : option ratio) (on : interval) (n : nat) (eps : Q)
    (outcomes : list nat) : bool :=
  with_first m on eps (violation_check m t delta n eps (fun k => existsb (Nat.eqb k) outcomes)).
Theorem violated_check_sound m t delta on n eps outcomes :
  violated_check m t delta on n eps outcomes = true -> violated m t (delta_of m delta) on.
Proof. eapply with_first_sound. intros p q. apply violation_check_sound. Qed.

(* Tables as lists in a file. *)
Definition table_of {A} (entries : list (positive * A)) : PositiveMap.t A :=
  fold_right (fun '(i, a) => PositiveMap.add i a) (PositiveMap.empty A) entries.
