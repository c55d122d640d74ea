(* Claims for every size: the automaton of a certificate, its runs, and what strategies prove about them.

   dipc/kernel/sizes.py, "This is a proof", as theorems.  Sections 1 to 3 are the definitions that the theorem
   [claim] of a written file is about; nothing is assumed but the axioms of the reals. *)
From Coq Require Import Reals ZArith QArith Qreals Qround Qabs Qreduction List Bool Classical_Prop Lra Lia.
From Dipc Require Import Chain.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. Paths of a program on one input, and the densities of their samples ------------------- *)

Inductive kind := Lap | LapPlus | DLap.

(* [constant] + the sum of factors times values.  Values are known by their places in a list: the samples of
   the edge, the last one first, and then the live variables of the place where the edge begins. *)
Record form (C : Type) := Form { constant : C; terms : list (nat * Q) }.
Arguments Form {C} _ _.
Arguments constant {C} _.
Arguments terms {C} _.

Definition value (f : form R) (env : list R) : R :=
  fold_right (fun t v => Q2R (snd t) * nth (fst t) env 0 + v) (constant f) (terms f).

(* What happens on one path of the program, on one input: noise of rate [rate]*eps is drawn; a value is >= 0,
   > 0 or = 0, or the path is another one; a value is published; a finite draw has a value of probability [p];
   the exponential mechanism of rate [rate]*eps chooses the score of this number; from now on only these
   values are known. *)
Inductive action :=
  | Drawn (k : kind) (rate : Q) (mean : form R)
  | AtLeast (f : form R)
  | Above (f : form R)
  | Zero (f : form R)
  | Published (f : form R)
  | Chosen (p : R)
  | Scored (rate : Q) (scores : list R) (number : nat)
  | Kept (fs : list (form R)).
Definition path := list action.

Definition integral (r : R) : Prop := exists z, r = IZR z.

Definition support (k : kind) (mean y : R) : Prop :=
  match k with Lap => True | LapPlus => mean <= y | DLap => integral y /\ integral mean end.

(* The density of noise of rate l at the distance z from its mean; of DLap the probability. *)
Definition noise (k : kind) (l z : R) : R :=
  match k with
  | Lap => l / 2 * exp (- (l * Rabs z))
  | LapPlus => l * exp (- (l * z))
  | DLap => (1 - exp (- l)) / (1 + exp (- l)) * exp (- (l * Rabs z))
  end.

(* The probability of a score, of those of the exponential mechanism. *)
Definition weights (l : R) (scores : list R) : R := fold_right (fun s v => exp (l * s) + v) 0 scores.
Definition chance (l : R) (scores : list R) (number : nat) : R :=
  exp (l * nth number scores 0) / weights l scores.

(* The samples x lead along the path, and what is published then is in E. *)
Fixpoint event (p : path) (env x : list R) (E : list R -> Prop) : Prop :=
  match p with
  | [] => x = [] /\ E []
  | Drawn k _ mean :: p =>
      match x with [] => False | y :: x => support k (value mean env) y /\ event p (y :: env) x E end
  | AtLeast f :: p => 0 <= value f env /\ event p env x E
  | Above f :: p => 0 < value f env /\ event p env x E
  | Zero f :: p => value f env = 0 /\ event p env x E
  | Published f :: p => event p env x (fun out => E (value f env :: out))
  | Chosen _ :: p | Scored _ _ _ :: p => event p env x E
  | Kept fs :: p => event p (map (fun f => value f env) fs) x E
  end.

Fixpoint density (eps : R) (p : path) (env x : list R) : R :=
  match p with
  | [] => 1
  | Drawn k a mean :: p =>
      match x with
      | [] => 0
      | y :: x => noise k (Q2R a * eps) (y - value mean env) * density eps p (y :: env) x
      end
  | AtLeast _ :: p | Above _ :: p | Zero _ :: p | Published _ :: p => density eps p env x
  | Chosen c :: p => c * density eps p env x
  | Scored a scores i :: p => chance (Q2R a * eps) scores i * density eps p env x
  | Kept fs :: p => density eps p (map (fun f => value f env) fs) x
  end.

(* ---- 2. Probabilities: Lebesgue's outer integral of the density over an event ----------------- *)

(* A box has an interval for each real sample and a number for each integer one. *)
Inductive side := Between (low high : R) | At (z : Z).

Fixpoint kinds (p : path) : list kind :=
  match p with [] => [] | Drawn k _ _ :: p => k :: kinds p | _ :: p => kinds p end.

Definition fits_side (k : kind) (s : side) : Prop :=
  match k, s with DLap, At _ => True | Lap, Between _ _ | LapPlus, Between _ _ => True | _, _ => False end.
Definition fits (ks : list kind) (b : list side) : Prop := List.Forall2 fits_side ks b.

Definition length_of (s : side) : R := match s with Between l h => Rmax 0 (h - l) | At _ => 1 end.
Definition volume (b : list side) : R := fold_right (fun s v => length_of s * v) 1 b.

Definition hit_side (s : side) (y : R) : R :=
  match s with
  | Between l h => if Rle_dec l y then if Rle_dec y h then 1 else 0 else 0
  | At z => if Req_EM_T y (IZR z) then 1 else 0
  end.
Fixpoint hit (b : list side) (x : list R) : R :=
  match b, x with
  | [], [] => 1
  | s :: b, y :: x => hit_side s y * hit b x
  | _, _ => 0
  end.

Fixpoint partial (f : nat -> R) (n : nat) : R :=
  match n with O => 0 | S n => partial f n + f n end.

(* Weighted boxes, countably many, whose weights times volumes add up to at most v, lie above the density on
   the event.  The infimum of such v is the outer integral; for a measurable event it is the integral.  (Each
   point is reached by finitely many of the boxes: that makes no difference for the infimum, since the density
   is positive, and all weights can be multiplied by a number just above 1.) *)
Definition above (eps : R) (p : path) (E : list R -> Prop) (v : R) : Prop :=
  exists (w : nat -> R) (b : nat -> list side),
    (forall k, 0 <= w k) /\ (forall k, fits (kinds p) (b k)) /\
    (forall n, partial (fun k => w k * volume (b k)) n <= v) /\
    (forall x, event p [] x E -> exists n, density eps p [] x <= partial (fun k => w k * hit (b k) x) n).

(* Several paths, each with what it may publish: different paths exclude each other. *)
Definition outcome := (path * (list R -> Prop))%type.
Fixpoint above_all (eps : R) (l : list outcome) (v : R) : Prop :=
  match l with
  | [] => 0 <= v
  | (p, E) :: l => exists a b, above eps p E a /\ above_all eps l b /\ a + b <= v
  end.
Definition infimum (A : R -> Prop) (v : R) : Prop :=
  (forall x, A x -> v <= x) /\ (forall b, (forall x, A x -> b <= x) -> b <= v).
Definition probability (eps : R) (l : list outcome) (v : R) : Prop := infimum (above_all eps l) v.

(* ---- 3. The automaton: how paths on adjacent inputs differ ------------------------------------ *)

(* A function of eps over another one, both as in Chain.v, with rates in units of 1/unit. *)
Definition fraction := (fn * fn)%type.
Definition at_eps (unit : positive) (f : fraction) (eps : R) : R :=
  eval unit (fst f) eps / eval unit (snd f) eps.

(* One step of an edge; forms say how much a quantity changes from the run on u to that on u'.  Finite draws
   have a probability on u and one on u'; of the exponential mechanism no score gains more on the one that is
   chosen than [gain]. *)
Inductive move (C : Type) :=
  | Draw (k : kind) (rate : Q) (mean : form C)
  | Guard (f : form C) (equal : bool)
  | Choose (cost : Q) (unit : positive) (before after : fraction)
  | Score (rate gain : Q)
  | Keep (fs : list (form C)).
Arguments Draw {C} _ _ _.
Arguments Guard {C} _ _.
Arguments Choose {C} _ _ _ _.
Arguments Score {C} _ _.
Arguments Keep {C} _.

Record edge := Edge { source : nat; target : nat; moves : list (move Q) }.
Record automaton := Automaton { start : nat; edges : list edge }.

Definition real_form (f : form Q) : form R := Form (Q2R (constant f)) (terms f).
Definition real_move (m : move Q) : move R :=
  match m with
  | Draw k a f => Draw k a (real_form f)
  | Guard f equal => Guard (real_form f) equal
  | Choose c u l r => Choose c u l r
  | Score a g => Score a g
  | Keep fs => Keep (map real_form fs)
  end.

(* Edges, by number, that follow each other from a place. *)
Fixpoint is_run (a : automaton) (place : nat) (r : list nat) : Prop :=
  match r with
  | [] => True
  | n :: r =>
      match nth_error (edges a) n with
      | Some e => source e = place /\ is_run a (target e) r
      | None => False
      end
  end.
Fixpoint differences (a : automaton) (r : list nat) : list (move R) :=
  match r with
  | [] => []
  | n :: r =>
      match nth_error (edges a) n with Some e => map real_move (moves e) ++ differences a r | None => [] end
  end.

(* w * f + (1 - w) * g, for forms that differ in their constants only: for real inputs between two others. *)
Definition same (f g : form R) : Prop := terms f = terms g.
Definition mix (w : R) (f g : form R) : form R := Form (w * constant f + (1 - w) * constant g) (terms f).
Fixpoint mix_all (w : R) (fs gs : list (form R)) : list (form R) :=
  match fs, gs with f :: fs, g :: gs => mix w f g :: mix_all w fs gs | _, _ => [] end.

Inductive mixed (w : R) : list (move R) -> list (move R) -> list (move R) -> Prop :=
  | mixed_nil : mixed w [] [] []
  | mixed_draw k a f g l m n : k <> DLap -> same f g -> mixed w l m n ->
      mixed w (Draw k a f :: l) (Draw k a g :: m) (Draw k a (mix w f g) :: n)
  | mixed_guard f g equal l m n : same f g -> mixed w l m n ->
      mixed w (Guard f equal :: l) (Guard g equal :: m) (Guard (mix w f g) equal :: n)
  | mixed_choose c u f g l m n : mixed w l m n ->
      mixed w (Choose c u f g :: l) (Choose c u f g :: m) (Choose c u f g :: n)
  | mixed_score a g l m n : mixed w l m n -> mixed w (Score a g :: l) (Score a g :: m) (Score a g :: n)
  | mixed_keep fs gs l m n : List.Forall2 same fs gs -> mixed w l m n ->
      mixed w (Keep fs :: l) (Keep gs :: m) (Keep (mix_all w fs gs) :: n).

(* The changes along a run, and all those between. *)
Inductive listed_changes (a : automaton) : list (move R) -> Prop :=
  | along r : is_run a (start a) r -> listed_changes a (differences a r)
  | between w l m n : listed_changes a l -> listed_changes a m -> 0 <= w <= 1 -> mixed w l m n ->
      listed_changes a n.

(* f' is a form on u', f that on u, and d says how much more it is. *)
Definition changed (d f f' : form R) : Prop :=
  terms f = terms d /\ terms f' = terms d /\ constant f' = constant f + constant d.
Inductive all_changed : list (form R) -> list (form R) -> list (form R) -> Prop :=
  | none_changed : all_changed [] [] []
  | next_changed d f f' ds fs fs' : changed d f f' -> all_changed ds fs fs' ->
      all_changed (d :: ds) (f :: fs) (f' :: fs').

(* Paths on u and on u' that take the same decisions and differ by these changes.  A finite draw that is not
   more likely on u than on u', as one that does not depend on the input, is not a step of an edge. *)
Inductive differ (eps : R) : list (move R) -> path -> path -> Prop :=
  | differ_nil : differ eps [] [] []
  | differ_draw k a d f f' l p p' : changed d f f' -> differ eps l p p' ->
      differ eps (Draw k a d :: l) (Drawn k a f :: p) (Drawn k a f' :: p')
  | differ_at_least d f f' l p p' : changed d f f' -> differ eps l p p' ->
      differ eps (Guard d false :: l) (AtLeast f :: p) (AtLeast f' :: p')
  | differ_above d f f' l p p' : changed d f f' -> differ eps l p p' ->
      differ eps (Guard d false :: l) (Above f :: p) (Above f' :: p')
  | differ_zero d f f' l p p' : changed d f f' -> differ eps l p p' ->
      differ eps (Guard d true :: l) (Zero f :: p) (Zero f' :: p')
  | differ_published d f f' l p p' : changed d f f' -> differ eps l p p' ->
      differ eps (Guard d true :: l) (Published f :: p) (Published f' :: p')
  | differ_chosen c u f g l p p' : differ eps l p p' ->
      differ eps (Choose c u f g :: l) (Chosen (at_eps u f eps) :: p) (Chosen (at_eps u g eps) :: p')
  | differ_free q q' l p p' : 0 <= q <= q' -> differ eps l p p' ->
      differ eps l (Chosen q :: p) (Chosen q' :: p')
  | differ_scored a g i r r' l p p' : (i < length r)%nat ->
      List.Forall2 (fun x y => y - x <= nth i r' 0 - nth i r 0 + Q2R g) r r' -> differ eps l p p' ->
      differ eps (Score a g :: l) (Scored a r i :: p) (Scored a r' i :: p')
  | differ_kept ds fs fs' l p p' : all_changed ds fs fs' -> differ eps l p p' ->
      differ eps (Keep ds :: l) (Kept fs :: p) (Kept fs' :: p').

(* Whatever the length of the runs: for paths on u and u' that differ as the automaton says, and whatever they
   may publish, the probability on u is at most exp(t*eps) times that on u'. *)
Definition pair_of_paths := (path * path * (list R -> Prop))%type.
Definition on_input (q : pair_of_paths) : outcome := let '(p, _, E) := q in (p, E).
Definition on_neighbour (q : pair_of_paths) : outcome := let '(_, p', E) := q in (p', E).

Definition private (a : automaton) (t : Q) : Prop :=
  forall eps, 0 < eps -> forall pairs : list pair_of_paths,
    List.Forall (fun q => exists d, listed_changes a d /\ differ eps d (fst (fst q)) (snd (fst q))) pairs ->
    forall v', probability eps (map on_neighbour pairs) v' ->
    exists v, probability eps (map on_input pairs) v /\ v <= exp (Q2R t * eps) * v'.

(* ---- 4. Sums of lists ------------------------------------------------------------------------- *)

Fixpoint plus (a b : list R) : list R :=
  match a, b with [], _ => b | _, [] => a | x :: a, y :: b => x + y :: plus a b end.
Definition scale (w : R) (a : list R) : list R := map (Rmult w) a.
Definition between_lists (w : R) (a b : list R) : list R := plus (scale w a) (scale (1 - w) b).

Lemma plus_nil a : plus a [] = a.
Proof. destruct a; reflexivity. Qed.

Lemma nth_plus i : forall a b, nth i (plus a b) 0 = nth i a 0 + nth i b 0.
Proof.
  induction i as [|i IH]; intros [|x a] [|y b]; simpl; try lra; auto.
Qed.

Lemma nth_scale w i : forall a, nth i (scale w a) 0 = w * nth i a 0.
Proof. induction i as [|i IH]; intros [|x a]; simpl; auto; lra. Qed.

Definition linear (ts : list (nat * Q)) (env : list R) : R :=
  fold_right (fun t v => Q2R (snd t) * nth (fst t) env 0 + v) 0 ts.

Lemma value_linear f env : value f env = linear (terms f) env + constant f.
Proof.
  unfold value, linear. destruct f as [c ts]; simpl.
  induction ts as [|[i q] ts IH]; simpl; lra.
Qed.

Lemma linear_plus ts a b : linear ts (plus a b) = linear ts a + linear ts b.
Proof. induction ts as [|[i q] ts IH]; simpl; [lra|]. rewrite nth_plus, IH. ring. Qed.

Lemma linear_scale w ts a : linear ts (scale w a) = w * linear ts a.
Proof. induction ts as [|[i q] ts IH]; simpl; [lra|]. rewrite nth_scale, IH. ring. Qed.

Lemma value_changed d f f' env denv : changed d f f' ->
  value f' (plus env denv) = value f env + value d denv.
Proof.
  intros (H & H' & Hc). rewrite !value_linear, H, H', Hc, linear_plus. lra.
Qed.

Lemma values_changed ds fs fs' env denv : all_changed ds fs fs' ->
  map (fun f => value f (plus env denv)) fs' =
  plus (map (fun f => value f env) fs) (map (fun f => value f denv) ds).
Proof.
  induction 1 as [|d f f' ds fs fs' H _ IH]; simpl; [reflexivity|].
  rewrite (value_changed d f f'), IH by assumption. reflexivity.
Qed.

Lemma value_mix w f g a b : same f g ->
  value (mix w f g) (between_lists w a b) = w * value f a + (1 - w) * value g b.
Proof.
  unfold same. intros H. rewrite !value_linear. unfold mix, between_lists; simpl.
  rewrite linear_plus, !linear_scale, H. ring.
Qed.

Lemma values_mix w fs gs a b : List.Forall2 same fs gs ->
  map (fun f => value f (between_lists w a b)) (mix_all w fs gs) =
  between_lists w (map (fun f => value f a) fs) (map (fun f => value f b) gs).
Proof.
  induction 1 as [|f g fs gs H _ IH]; [reflexivity|].
  simpl mix_all. simpl map. rewrite IH, value_mix by assumption. reflexivity.
Qed.

(* ---- 5. A shift that keeps all guards and costs at most c ------------------------------------- *)

Definition dominated (c : Q) (u : positive) (f g : fraction) : Prop :=
  forall eps, 0 < eps -> 0 <= at_eps u f eps <= exp (Q2R c * eps) * at_eps u g eps.

(* Samples that move by s, one after the other, while the known values change by env: every guard is kept,
   what is published does not change, samples stay in the support, and all of it costs at most c. *)
Fixpoint coupled (d : list (move R)) (env s : list R) (c : R) : Prop :=
  match d with
  | [] => s = [] /\ 0 <= c
  | Draw k a f :: d =>
      match s with
      | [] => False
      | y :: s =>
          let m := value f env in
          0 < Q2R a /\
          match k with Lap => True | LapPlus => m <= y | DLap => integral y /\ integral m end /\
          coupled d (y :: env) s (c - Q2R a * Rabs (y - m))
      end
  | Guard f equal :: d => (if equal then value f env = 0 else 0 <= value f env) /\ coupled d env s c
  | Choose q u f g :: d => dominated q u f g /\ coupled d env s (c - Q2R q)
  | Score a g :: d => 0 < Q2R a /\ coupled d env s (c - Q2R a * Q2R g)
  | Keep fs :: d => coupled d (map (fun f => value f env) fs) s c
  end.

Lemma integral_plus a b : integral a -> integral b -> integral (a + b).
Proof. intros [x ->] [y ->]. exists (x + y)%Z. symmetry. apply plus_IZR. Qed.

Lemma noise_nonneg k l z : 0 < l -> 0 <= noise k l z.
Proof.
  intros H. assert (P := exp_pos (- (l * Rabs z))). assert (P' := exp_pos (- (l * z))).
  destruct k; simpl; try (apply Rmult_le_pos; lra).
  assert (K := exp_pos (- l)). assert (exp (- l) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
  apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
Qed.

Lemma exp_le a b : a <= b -> exp a <= exp b.
Proof. intros [H | ->]; [left; apply exp_increasing; exact H | right; reflexivity]. Qed.

Lemma far l a b : 0 < l -> exp (- (l * Rabs a)) <= exp (l * Rabs b) * exp (- (l * Rabs (a + b))).
Proof.
  intros H. rewrite <- exp_plus. apply exp_le. assert (T := Rabs_triang a b).
  apply (Rmult_le_compat_l l) in T; lra.
Qed.

(* A sample y around m becomes y + s around m + n. *)
Lemma noise_moved k l m y s n : 0 < l -> support k m y ->
  match k with Lap => True | LapPlus => n <= s | DLap => integral s /\ integral n end ->
  support k (m + n) (y + s) /\
  noise k l (y - m) <= exp (l * Rabs (s - n)) * noise k l (y + s - (m + n)).
Proof.
  intros Hl Hs Hk. replace (y + s - (m + n)) with ((y - m) + (s - n)) by ring.
  assert (F := far l (y - m) (s - n) Hl).
  destruct k; simpl in *.
  - split; [exact I|]. apply (Rmult_le_compat_l (l / 2)) in F; lra.
  - split; [lra|]. right. replace (- (l * (y - m))) with (l * (s - n) + - (l * (y - m + (s - n)))) by ring.
    rewrite exp_plus, (Rabs_pos_eq (s - n)) by lra. ring.
  - destruct Hs, Hk. split; [split; apply integral_plus; assumption|].
    assert (K := exp_pos (- l)). assert (exp (- l) < 1) by (rewrite <- exp_0; apply exp_increasing; lra).
    assert (P : 0 <= (1 - exp (- l)) / (1 + exp (- l)))
      by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
    apply (Rmult_le_compat_l _ _ _ P) in F. lra.
Qed.

Lemma weights_positive l s i : (i < length s)%nat -> 0 < weights l s.
Proof.
  assert (K : forall s, 0 <= weights l s).
  { intros r. induction r as [|x r IH]; simpl; [lra|]. assert (P := exp_pos (l * x)). lra. }
  destruct s as [|x s]; simpl; [lia|]. intros _. assert (P := exp_pos (l * x)). specialize (K s). lra.
Qed.

Lemma weights_moved l b b' g s s' : 0 <= l -> List.Forall2 (fun x y => y - x <= b' - b + g) s s' ->
  exp (l * b) * weights l s' <= exp (l * g) * exp (l * b') * weights l s.
Proof.
  intros Hl H. induction H as [|x y s s' H _ IH]; simpl; [lra|]. rewrite !Rmult_plus_distr_l.
  apply Rplus_le_compat; [|exact IH]. rewrite <- !exp_plus. apply exp_le.
  replace (l * b + l * y) with (l * (b + y)) by ring.
  replace (l * g + l * b' + l * x) with (l * (g + b' + x)) by ring. apply Rmult_le_compat_l; lra.
Qed.

Lemma chance_moved l g i s s' : 0 <= l -> (i < length s)%nat ->
  List.Forall2 (fun x y => y - x <= nth i s' 0 - nth i s 0 + g) s s' ->
  0 <= chance l s i /\ chance l s i <= exp (l * g) * chance l s' i.
Proof.
  intros Hl Hi H. unfold chance. assert (W := weights_positive l s i Hi).
  assert (L : length s = length s') by (clear -H; induction H; simpl; congruence).
  assert (W' : 0 < weights l s') by (apply (weights_positive l s' i); rewrite <- L; exact Hi).
  assert (P := exp_pos (l * nth i s 0)). split.
  - apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, W].
  - assert (K := weights_moved l _ _ g s s' Hl H).
    apply (Rmult_le_reg_r (weights l s * weights l s')); [apply Rmult_lt_0_compat; assumption|].
    replace (exp (l * nth i s 0) / weights l s * (weights l s * weights l s'))
      with (exp (l * nth i s 0) * weights l s') by (field; lra).
    replace (exp (l * g) * (exp (l * nth i s' 0) / weights l s') * (weights l s * weights l s'))
      with (exp (l * g) * exp (l * nth i s' 0) * weights l s) by (field; lra). exact K.
Qed.

Lemma event_length p : forall env x E, event p env x E -> length x = length (kinds p).
Proof.
  induction p as [|[k a f|f|f|f|f|q|a r i|fs] p IH]; simpl; intros env x E.
  - intros [-> _]. reflexivity.
  - destruct x as [|y x]; [contradiction|]. intros [_ H]. simpl. f_equal. eapply IH, H.
  - intros [_ H]. eapply IH, H.
  - intros [_ H]. eapply IH, H.
  - intros [_ H]. eapply IH, H.
  - apply IH.
  - apply IH.
  - apply IH.
  - apply IH.
Qed.

Lemma density_nonneg eps d p p' : 0 < eps -> differ eps d p p' -> forall env denv s c x,
  coupled d denv s c -> 0 <= density eps p env x.
Proof.
  intros He. induction 1; intros env denv s cost x Hc; simpl in *; try (eapply IHdiffer; apply Hc).
  - lra.
  - destruct s as [|v s]; [contradiction|]. destruct Hc as (Ha & _ & Hc). destruct x as [|y x]; [lra|].
    apply Rmult_le_pos; [|eapply IHdiffer; exact Hc].
    apply noise_nonneg. apply Rmult_lt_0_compat; assumption.
  - destruct Hc as [Hq Hc]. apply Rmult_le_pos; [apply Hq, He|]. eapply IHdiffer; exact Hc.
  - apply Rmult_le_pos; [lra | eapply IHdiffer; exact Hc].
  - destruct Hc as [Ha Hc]. apply Rmult_le_pos; [|eapply IHdiffer; exact Hc].
    eapply chance_moved; [|eassumption..]. left. apply Rmult_lt_0_compat; assumption.
Qed.

(* The shift carries the event on u into that on u', and the density drops at most by exp(-eps*c). *)
Theorem shift_sound eps d p p' : 0 < eps -> differ eps d p p' -> forall env denv s c x E,
  coupled d denv s c -> event p env x E ->
  event p' (plus env denv) (plus x s) E /\
  density eps p env x <= exp (eps * c) * density eps p' (plus env denv) (plus x s).
Proof.
  intros He. induction 1 as [|k a d f f' l p p' Hf Hd IH|d f f' l p p' Hf Hd IH|d f f' l p p' Hf Hd IH
    |d f f' l p p' Hf Hd IH|d f f' l p p' Hf Hd IH|q u f g l p p' Hd IH
    |q q' l p p' Hq Hd IH|a g i r r' l p p' Hi Hr Hd IH|ds fs fs' l p p' Hf Hd IH];
    intros env denv s c x E Hc Hx; simpl in Hc, Hx |- *.
  - destruct Hc as [-> Hc], Hx as [-> Hx]. simpl. split; [auto|].
    rewrite Rmult_1_r, <- exp_0. apply exp_le. apply Rmult_le_pos; lra.
  - destruct s as [|v s]; [contradiction|]. destruct x as [|y x]; [contradiction|].
    destruct Hc as (Ha & Hk & Hc), Hx as [Hs Hx]. simpl plus. rewrite (value_changed d f f') by assumption.
    assert (Hl : 0 < Q2R a * eps) by (apply Rmult_lt_0_compat; assumption).
    destruct (noise_moved k (Q2R a * eps) (value f env) y v (value d denv) Hl Hs Hk) as [Hs' Hn].
    destruct (IH (y :: env) (v :: denv) s _ x E Hc Hx) as [Hx' Hp]. simpl plus in Hx', Hp.
    split; [split; assumption|].
    assert (N := noise_nonneg k (Q2R a * eps) (y - value f env) Hl).
    assert (N' := density_nonneg eps l p p' He Hd (y :: env) (v :: denv) s _ x Hc).
    eapply Rle_trans; [apply Rmult_le_compat; [exact N | exact N' | exact Hn | exact Hp]|].
    right. replace (eps * c) with (Q2R a * eps * Rabs (v - value d denv)
      + eps * (c - Q2R a * Rabs (v - value d denv))) by ring.
    rewrite exp_plus. ring.
  - destruct Hc as [Hg Hc], Hx as [Hv Hx]. rewrite (value_changed d f f') by assumption.
    destruct (IH env denv s c x E Hc Hx). split; [split; [lra|] |]; assumption.
  - destruct Hc as [Hg Hc], Hx as [Hv Hx]. rewrite (value_changed d f f') by assumption.
    destruct (IH env denv s c x E Hc Hx). split; [split; [lra|] |]; assumption.
  - destruct Hc as [Hg Hc], Hx as [Hv Hx]. rewrite (value_changed d f f') by assumption.
    destruct (IH env denv s c x E Hc Hx). split; [split; [lra|] |]; assumption.
  - destruct Hc as [Hg Hc]. rewrite (value_changed d f f'), Hg, Rplus_0_r by assumption.
    apply IH; assumption.
  - destruct Hc as [Hq Hc]. destruct (Hq eps He) as [Hr Hq'].
    destruct (IH env denv s _ x E Hc Hx) as [Hx' Hp]. split; [exact Hx'|].
    assert (N' := density_nonneg eps l p p' He Hd env denv s _ x Hc).
    eapply Rle_trans; [apply Rmult_le_compat; [exact Hr | exact N' | exact Hq' | exact Hp]|].
    right. replace (eps * c) with (Q2R q * eps + eps * (c - Q2R q)) by ring.
    rewrite exp_plus. ring.
  - destruct (IH env denv s c x E Hc Hx) as [Hx' Hp]. split; [exact Hx'|].
    assert (N' := density_nonneg eps l p p' He Hd env denv s _ x Hc).
    eapply Rle_trans; [apply Rmult_le_compat; [apply Hq | exact N' | apply Hq | exact Hp]|]. lra.
  - destruct Hc as [Ha Hc]. assert (Hl : 0 < Q2R a * eps) by (apply Rmult_lt_0_compat; assumption).
    destruct (chance_moved (Q2R a * eps) (Q2R g) i r r') as [Hr' Hq]; [lra | exact Hi | exact Hr|].
    destruct (IH env denv s _ x E Hc Hx) as [Hx' Hp]. split; [exact Hx'|].
    assert (N' := density_nonneg eps l p p' He Hd env denv s _ x Hc).
    eapply Rle_trans; [apply Rmult_le_compat; [exact Hr' | exact N' | exact Hq | exact Hp]|].
    right. replace (eps * c) with (Q2R a * eps * Q2R g + eps * (c - Q2R a * Q2R g)) by ring.
    rewrite exp_plus. ring.
  - rewrite (values_changed ds fs fs') by assumption. apply IH; assumption.
Qed.

Lemma coupled_more d : forall env s c e, c <= e -> coupled d env s c -> coupled d env s e.
Proof.
  induction d as [|[k a f|f equal|q u f g|a g|fs] d IH]; simpl; intros env s c e He H.
  - split; [apply H|]. lra.
  - destruct s as [|y s]; [contradiction|]. destruct H as (Ha & Hk & H). split; [|split]; try assumption.
    eapply IH; [|exact H]. lra.
  - destruct H as [Hg H]. split; [exact Hg|]. eapply IH; eassumption.
  - destruct H as [Hq H]. split; [exact Hq|]. eapply IH; [|exact H]. lra.
  - destruct H as [Ha H]. split; [exact Ha|]. eapply IH; [|exact H]. lra.
  - eapply IH; eassumption.
Qed.

(* Between two shifts there is one for what lies between: the cost is convex. *)
Theorem mixed_sound w l m n : 0 <= w <= 1 -> mixed w l m n -> forall a b s r c e,
  coupled l a s c -> coupled m b r e ->
  coupled n (between_lists w a b) (between_lists w s r) (w * c + (1 - w) * e).
Proof.
  intros Hw. induction 1 as [|k q f g l m n Hk Hf H IH|f g equal l m n Hf H IH|q u f g l m n H IH
    |q f l m n H IH|fs gs l m n Hf H IH]; intros a b s r c e Hl Hm; simpl in Hl, Hm |- *.
  - destruct Hl as [-> Hc], Hm as [-> He]. split; [reflexivity|].
    assert (0 <= w * c) by (apply Rmult_le_pos; lra).
    assert (0 <= (1 - w) * e) by (apply Rmult_le_pos; lra). lra.
  - destruct s as [|y s]; [contradiction|]. destruct r as [|z r]; [contradiction|].
    destruct Hl as (Hq & Hy & Hl), Hm as (_ & Hz & Hm). unfold between_lists at 1. simpl plus.
    rewrite value_mix by assumption. split; [exact Hq|]. split.
    + destruct k; [exact I | | contradiction].
      apply (Rmult_le_compat_l w) in Hy; [|lra]. apply (Rmult_le_compat_l (1 - w)) in Hz; lra.
    + specialize (IH _ _ _ _ _ _ Hl Hm). unfold between_lists in IH |- *. simpl plus in IH.
      eapply coupled_more; [|exact IH].
      set (u := value f a) in *. set (v := value g b) in *.
      replace (w * y + (1 - w) * z - (w * u + (1 - w) * v)) with (w * (y - u) + (1 - w) * (z - v)) by ring.
      assert (T := Rabs_triang (w * (y - u)) ((1 - w) * (z - v))).
      rewrite (Rabs_mult w), (Rabs_mult (1 - w)), (Rabs_pos_eq w), (Rabs_pos_eq (1 - w)) in T by lra.
      apply (Rmult_le_compat_l (Q2R q)) in T; lra.
  - destruct Hl as [Hy Hl], Hm as [Hz Hm]. split; [|apply IH; assumption].
    rewrite value_mix by assumption. destruct equal.
    + rewrite Hy, Hz. ring.
    + apply (Rmult_le_compat_l w) in Hy; [|lra]. apply (Rmult_le_compat_l (1 - w)) in Hz; lra.
  - destruct Hl as [Hq Hl], Hm as [_ Hm]. split; [exact Hq|].
    replace (w * c + (1 - w) * e - Q2R q) with (w * (c - Q2R q) + (1 - w) * (e - Q2R q)) by ring.
    apply IH; assumption.
  - destruct Hl as [Hq Hl], Hm as [_ Hm]. split; [exact Hq|].
    replace (w * c + (1 - w) * e - Q2R q * Q2R f)
      with (w * (c - Q2R q * Q2R f) + (1 - w) * (e - Q2R q * Q2R f)) by ring.
    apply IH; assumption.
  - rewrite values_mix by assumption. apply IH; assumption.
Qed.

(* ---- 6. The shift carries covers of the event on u' back, with their volumes ------------------- *)

Lemma integer_part z : Int_part (IZR z) = z.
Proof.
  destruct (base_Int_part (IZR z)) as [H H'].
  apply le_IZR in H. assert (IZR z < IZR (Int_part (IZR z) + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in H0. lia.
Qed.

Definition back_side (b : side) (s : R) : side :=
  match b with Between l h => Between (l - s) (h - s) | At z => At (z - Int_part s) end.
Fixpoint back (b : list side) (s : list R) : list side :=
  match b, s with b :: bs, s :: ss => back_side b s :: back bs ss | _, _ => b end.

Definition keeps_integers (ks : list kind) (s : list R) : Prop :=
  List.Forall2 (fun k v => k = DLap -> integral v) ks s.

Lemma coupled_keeps_integers eps d p p' : differ eps d p p' -> forall env s c,
  coupled d env s c -> keeps_integers (kinds p) s /\ kinds p' = kinds p.
Proof.
  unfold keeps_integers.
  induction 1; intros env s cost H'; simpl in *;
    try (eapply IHdiffer; apply H').
  - destruct H' as [-> _]. split; [constructor | reflexivity].
  - destruct s as [|v s]; [contradiction|]. destruct H' as (_ & Hk & Hc).
    destruct (IHdiffer _ _ _ Hc) as [Hs ->]. split; [|reflexivity].
    constructor; [|exact Hs]. intros ->. apply Hk.
Qed.

Lemma volume_back ks b s : fits ks b -> keeps_integers ks s ->
  fits ks (back b s) /\ volume (back b s) = volume b.
Proof.
  intros Hb. revert s. induction Hb as [|k i ks b Hi Hb IH]; intros s Hs.
  - destruct s; (split; [constructor | reflexivity]).
  - inversion_clear Hs as [|k' v ks' r Hv Hr]. destruct (IH r Hr) as [IHf IHv]. split.
    + constructor; [|exact IHf]. destruct k, i; assumption || exact I.
    + simpl. rewrite IHv. f_equal. destruct i as [l h|z]; simpl; [|reflexivity].
      f_equal. ring.
Qed.

Lemma hit_back ks b s : fits ks b -> keeps_integers ks s -> forall x,
  length x = length ks -> hit (back b s) x = hit b (plus x s).
Proof.
  intros Hb. revert s. induction Hb as [|k i ks b Hi Hb IH]; intros s Hs x Hx.
  - inversion Hs. destruct x; [reflexivity | discriminate].
  - inversion_clear Hs as [|k' v ks' r Hv Hr]. destruct x as [|y x]; [discriminate|]. simpl.
    injection Hx as Hx. rewrite (IH r Hr x Hx). f_equal. destruct i as [l h|z]; simpl.
    + destruct (Rle_dec (l - v) y), (Rle_dec l (y + v)); try lra.
      destruct (Rle_dec y (h - v)), (Rle_dec (y + v) h); lra.
    + destruct k; try contradiction. destruct (Hv eq_refl) as [n ->]. rewrite integer_part, minus_IZR.
      destruct (Req_EM_T y (IZR z - IZR n)), (Req_EM_T (y + IZR n) (IZR z)); lra.
Qed.

Lemma partial_scale q f g n : (forall k, g k = q * f k) -> partial g n = q * partial f n.
Proof. intros H. induction n as [|n IH]; simpl; [ring|]. rewrite IH, H. ring. Qed.

Lemma above_moved eps d p p' s c E v : 0 < eps -> differ eps d p p' -> coupled d [] s c ->
  above eps p' E v -> above eps p E (exp (eps * c) * v).
Proof.
  intros He Hd Hc (w & b & Hw & Hb & Hv & Hx). assert (P := exp_pos (eps * c)).
  destruct (coupled_keeps_integers eps d p p' Hd [] s c Hc) as [Hs Hk]. rewrite Hk in Hb.
  exists (fun k => exp (eps * c) * w k), (fun k => back (b k) s). repeat split.
  - intros k. apply Rmult_le_pos; [lra | apply Hw].
  - intros k. apply (volume_back (kinds p)); [apply Hb | exact Hs].
  - intros n. rewrite (partial_scale (exp (eps * c)) (fun k => w k * volume (b k))).
    + apply Rmult_le_compat_l; [lra | apply Hv].
    + intros k. destruct (volume_back (kinds p) (b k) s (Hb k) Hs) as [_ ->]. ring.
  - intros x H. destruct (shift_sound eps d p p' He Hd [] [] s c x E Hc H) as [H' Hp]. simpl plus in H', Hp.
    destruct (Hx (plus x s) H') as [n Hn]. exists n. eapply Rle_trans; [exact Hp|].
    rewrite (partial_scale (exp (eps * c)) (fun k => w k * hit (b k) (plus x s))).
    + apply Rmult_le_compat_l; [lra | exact Hn].
    + intros k. rewrite (hit_back (kinds p)); [ring | apply Hb | exact Hs | eapply event_length, H].
Qed.

Lemma above_nonneg eps p E v : above eps p E v -> 0 <= v.
Proof. intros (w & b & _ & _ & Hv & _). exact (Hv O). Qed.

Lemma above_all_nonneg eps l : forall v, above_all eps l v -> 0 <= v.
Proof.
  induction l as [|[p E] l IH]; simpl; intros v H; [exact H|].
  destruct H as (a & b & Ha & Hb & H). apply above_nonneg in Ha. apply IH in Hb. lra.
Qed.

Lemma infimum_exists (A : R -> Prop) : (exists x, A x) -> (forall x, A x -> 0 <= x) -> exists v, infimum A v.
Proof.
  intros [x Hx] Hpos. destruct (completeness (fun y => A (- y))) as [m [Hu Hl]].
  - exists 0. intros y Hy. apply Hpos in Hy. lra.
  - exists (- x). rewrite Ropp_involutive. exact Hx.
  - exists (- m). split.
    + intros y Hy. assert (- y <= m); [|lra]. apply Hu. rewrite Ropp_involutive. exact Hy.
    + intros b Hb. assert (m <= - b); [|lra]. apply Hl. intros y Hy. apply Hb in Hy. lra.
Qed.

Lemma infimum_scaled (A B : R -> Prop) q v' : 0 < q -> (forall x, A x -> 0 <= x) ->
  (forall x, B x -> A (q * x)) -> infimum B v' -> exists v, infimum A v /\ v <= q * v'.
Proof.
  intros Hq Hpos H [_ Hg]. destruct (infimum_exists A) as [v Hv]; [| exact Hpos|].
  - apply NNPP. intros N. assert (v' + 1 <= v'); [|lra].
    apply Hg. intros x Hx. exfalso. apply N. exists (q * x). apply H, Hx.
  - exists v. split; [exact Hv|]. destruct Hv as [Hl _].
    assert (K : v / q <= v').
    { apply Hg. intros x Hx. apply (Rmult_le_reg_l q); [exact Hq|].
      replace (q * (v / q)) with v by (field; lra). apply Hl, H, Hx. }
    apply (Rmult_le_compat_l q) in K; [|lra]. replace (q * (v / q)) with v in K by (field; lra). exact K.
Qed.

(* ---- 7. The checker: finitely many edges, computed with rational numbers ----------------------- *)

(* For some edges of the automaton, in its order, the shifts of their samples; for each place phi, and delta
   for what is known there. *)
Record strategy := Strategy { phi : list Q; delta : list (list Q); shifts : list (option (list Q)) }.

Definition valueQ (f : form Q) (env : list Q) : Q :=
  fold_right (fun t v => Qred (snd t * nth (fst t) env 0 + v)%Q) (constant f) (terms f).

Definition integerQ (q : Q) : bool := Qeq_bool q (inject_Z (Qfloor q)).
Definition positiveQ (q : Q) : bool := negb (Qle_bool q 0).
Definition supportedQ (k : kind) (m s : Q) : bool :=
  match k with Lap => true | LapPlus => Qle_bool m s | DLap => integerQ s && integerQ m end.

(* before <= exp(c*eps) * after for every eps > 0, by the derivative chain; c is [shift]/unit. *)
Definition fuel (f : fn) : nat := fold_right (fun row n => length (snd row) + n)%nat 2%nat f.
Definition nonnegative (f : fn) : bool := nonneg (fuel f) f.
Definition positive_fn (f : fn) : bool := strict (fuel f) f.
Definition dominated_check (c : Q) (u : positive) (f g : fraction) : bool :=
  let shift := (Qnum c * Zpos u / Zpos (Qden c))%Z in
  let '(a, b) := (scaled u (fst f), scaled u (snd f)) in
  let '(a', b') := (scaled u (fst g), scaled u (snd g)) in
  Qeq_bool c (shift # u) && positive_fn b && positive_fn b' && nonnegative a &&
  nonnegative (add (times_term 1 shift (mul a' b)) (times_term (-1) 0 (mul a b'))).

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

(* ---- 8. What the checker finds holds along runs of every length -------------------------------- *)

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

Lemma dominated_sound c u f g : dominated_check c u f g = true -> dominated c u f g.
Proof.
  destruct f as [a b], g as [a' b']. unfold dominated_check. cbn [fst snd]. intros H eps He.
  apply andb_prop in H as [H Hn]. apply andb_prop in H as [H Ha]. apply andb_prop in H as [H Hb'].
  apply andb_prop in H as [Hc Hb]. apply Qeq_bool_iff, Qeq_eqR in Hc.
  assert (Hx := scaled_positive u eps He).
  assert (A := nonneg_sound _ _ Ha _ Hx). assert (B := strict_sound _ _ Hb _ Hx).
  assert (B' := strict_sound _ _ Hb' _ Hx). assert (N := nonneg_sound _ _ Hn _ Hx).
  rewrite add_val, !times_term_val, !mul_val, !scaled_val in N. rewrite !scaled_val in *.
  assert (U : IZR (Zpos u) <> 0) by (apply not_0_IZR; discriminate).
  assert (E : IZR (Qnum c * Zpos u / Zpos (Qden c)) * (eps / IZR (Zpos u)) = Q2R c * eps).
  { rewrite Hc. unfold Q2R; cbn [Qnum Qden]. field. exact U. }
  rewrite E in N. replace (0 * (eps / IZR (Zpos u))) with 0 in N by ring. rewrite exp_0 in N.
  unfold at_eps. cbn [fst snd]. split.
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
  coupled rest (map Q2R env') r total ->
  coupled (map real_move ms ++ rest) (map Q2R env) (map Q2R s ++ r) (Q2R c + total).
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
  coupled (differences a r) (map Q2R (nth place (delta st) [])) (map Q2R (shifts_along st r))
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
  forall d, listed_changes a d -> exists s, coupled d [] s (Q2R t).
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
    exact (mixed_sound w l m n Hw Hm [] [] s u _ _ IHl IHm).
Qed.

(* The claim for every size. *)
Theorem sizes_check_sound a t sts reached : sizes_check a t sts reached = true -> private a t.
Proof.
  intros H eps He pairs Hp v'. apply infimum_scaled; [apply exp_pos | intros v; apply above_all_nonneg|].
  induction Hp as [|[[p p'] E] pairs [d [Hd Hq]] _ IH]; intros v Hv; simpl in *.
  - apply Rmult_le_pos; [left; apply exp_pos | exact Hv].
  - destruct Hv as (x & y & Hx & Hy & Hv). destruct (changes_coupled a t sts reached H d Hd) as [s Hs].
    exists (exp (eps * Q2R t) * x), (exp (Q2R t * eps) * y). repeat split.
    + exact (above_moved eps d p p' s _ E x He Hq Hs Hx).
    + apply IH, Hy.
    + rewrite (Rmult_comm eps). rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [|exact Hv].
      left. apply exp_pos.
Qed.
