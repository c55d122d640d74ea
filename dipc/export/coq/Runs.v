(* Claims for every size: what they say.  Paths of a program with their probabilities, the automaton of a
   certificate, and how paths on adjacent inputs differ along its runs.

   The theorem of a written file is [private], defined at the end.  Nothing is proved here, and nothing assumed;
   the functions of eps are those of Chain.v, and intervals of eps those of Bounds.v. *)
From Coq Require Import Reals ZArith QArith Qreals List.
From Dipc Require Import Chain Bounds.
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
  | along_run r : is_run a (start a) r -> listed_changes a (differences a r)
  | in_between w l m n : listed_changes a l -> listed_changes a m -> 0 <= w <= 1 -> mixed w l m n ->
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

(* For every eps > 0 of the interval, whatever the length of the runs: for paths on u and u' that differ as the automaton says, and whatever they
   may publish, the probability on u is at most exp(t*eps) times that on u'. *)
Definition pair_of_paths := (path * path * (list R -> Prop))%type.
Definition on_input (q : pair_of_paths) : outcome := let '(p, _, E) := q in (p, E).
Definition on_neighbour (q : pair_of_paths) : outcome := let '(_, p', E) := q in (p', E).

Definition private (a : automaton) (t : Q) (on : interval) : Prop :=
  forall eps, 0 < eps -> inside on eps -> forall pairs : list pair_of_paths,
    List.Forall (fun q => exists d, listed_changes a d /\ differ eps d (fst (fst q)) (snd (fst q))) pairs ->
    forall v', probability eps (map on_neighbour pairs) v' ->
    exists v, probability eps (map on_input pairs) v /\ v <= exp (Q2R t * eps) * v'.
