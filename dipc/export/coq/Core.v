(* The finite-state core of the language: programs, what they mean, and what it says that one is private.

   This is what a theorem about a program says; Samples.v and Laws.v prove it. *)
From Coq Require Import Reals ZArith QArith Qreals Qround List Bool Lra.
From Coquelicot Require Import Hierarchy Series PSeries.
From Dipc Require Import Chain Bounds Privacy.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. Expressions and probabilities ------------------------------------------------------------ *)

(* The value of every cell; numbers in lowest terms, true is 1, false is 0. *)
Definition memory := list Q.
Definition read (s : memory) (x : nat) : Q := nth x s 0%Q.
Fixpoint write (x : nat) (v : Q) (s : memory) : memory :=
  match x, s with
  | _, [] => []
  | O, _ :: s => v :: s
  | S x, a :: s => a :: write x v s
  end.

Inductive expr :=
  | Number (q : Q)
  | Cell (x : nat)
  | Added (a b : expr) | Reduced (a b : expr) | Times (a b : expr) | Divided (a b : expr)
  | Maximum (a b : expr) | Minimum (a b : expr) | Floor (a : expr)
  | Equal (a b : expr) | Less (a b : expr) | AtMost (a b : expr)
  | Not (a : expr) | And (a b : expr) | Or (a b : expr)
  | Cond (c a b : expr).                                          (* a if c holds, else b *)

Definition holds (q : Q) : bool := negb (Qeq_bool q 0).
Definition truth (b : bool) : Q := if b then 1%Q else 0%Q.
Fixpoint value_in (s : memory) (e : expr) : Q :=
  match e with
  | Number q => Qred q
  | Cell x => read s x
  | Added a b => Qred (value_in s a + value_in s b)
  | Reduced a b => Qred (value_in s a - value_in s b)
  | Times a b => Qred (value_in s a * value_in s b)
  | Divided a b => Qred (value_in s a / value_in s b)
  | Maximum a b => let v := value_in s a in let w := value_in s b in if Qle_bool v w then w else v
  | Minimum a b => let v := value_in s a in let w := value_in s b in if Qle_bool v w then v else w
  | Floor a => inject_Z (Qfloor (value_in s a))
  | Equal a b => truth (Qeq_bool (value_in s a) (value_in s b))
  | Less a b => truth (negb (Qle_bool (value_in s b) (value_in s a)))
  | AtMost a b => truth (Qle_bool (value_in s a) (value_in s b))
  | Not a => truth (negb (holds (value_in s a)))
  | And a b => truth (holds (value_in s a) && holds (value_in s b))
  | Or a b => truth (holds (value_in s a) || holds (value_in s b))
  | Cond c a b => if holds (value_in s c) then value_in s a else value_in s b
  end.

(* Functions of eps. *)
Inductive weight :=
  | Const (e : expr)
  | Eps
  | Exp (w : weight)
  | Sum (v w : weight) | Difference (v w : weight) | Product (v w : weight) | Quotient (v w : weight)
  | Choice (c : expr) (v w : weight).                             (* v if c holds, else w *)
Fixpoint at_eps (eps : R) (s : memory) (w : weight) : R :=
  match w with
  | Const e => Q2R (value_in s e)
  | Eps => eps
  | Exp w => exp (at_eps eps s w)
  | Sum v w => at_eps eps s v + at_eps eps s w
  | Difference v w => at_eps eps s v - at_eps eps s w
  | Product v w => at_eps eps s v * at_eps eps s w
  | Quotient v w => at_eps eps s v / at_eps eps s w
  | Choice c v w => if holds (value_in s c) then at_eps eps s v else at_eps eps s w
  end.

(* How they are written. *)
Declare Scope expr_scope.
Delimit Scope expr_scope with expr.
Bind Scope expr_scope with expr.
Notation "a + b" := (Added a b) : expr_scope.
Notation "a - b" := (Reduced a b) : expr_scope.
Notation "a * b" := (Times a b) : expr_scope.
Notation "a / b" := (Divided a b) : expr_scope.
Arguments Equal (a b)%expr. Arguments Less (a b)%expr. Arguments AtMost (a b)%expr.
Arguments Maximum (a b)%expr. Arguments Minimum (a b)%expr. Arguments Floor a%expr.
Arguments Not a%expr. Arguments And (a b)%expr. Arguments Or (a b)%expr. Arguments Cond (c a b)%expr.
Coercion Number : Q >-> expr.
Coercion Cell : nat >-> expr.
Declare Scope weight_scope.
Delimit Scope weight_scope with weight.
Bind Scope weight_scope with weight.
Notation "v + w" := (Sum v w) : weight_scope.
Notation "v - w" := (Difference v w) : weight_scope.
Notation "v * w" := (Product v w) : weight_scope.
Notation "v / w" := (Quotient v w) : weight_scope.
Arguments Exp w%weight. Arguments Choice c%expr (v w)%weight.
Coercion Const : expr >-> weight.

(* ---- 2. Programs, and what they mean ------------------------------------------------------------- *)

Inductive core :=
  | Skip
  | Assign (x : nat) (e : expr)
  | If (c : expr) (yes no : core)
  | Choose (x : nat) (options : list (expr * weight))             (* each value with its probability *)
  | Noise (x : nat) (rate : weight) (mean : expr) (rest : core)   (* x is in use in the rest only *)
  | Seq (a b : core).

Arguments Assign x e%expr. Arguments If c%expr yes no.
Arguments Noise x rate%weight mean%expr rest.
Definition an_option (v : expr) (p : weight) : expr * weight := (v, p).
Notation "v ~> p" := (an_option v p) (at level 70).
Declare Scope core_scope.
Delimit Scope core_scope with core.
Notation "a ;; b" := (Seq a b) (at level 100, right associativity) : core_scope.

(* The expected value of f(Z) for two-sided geometric noise Z: the integer i has the probability
   (1 - z)/(1 + z) z^|i|. *)
Definition geometric (z : R) (f : Z -> R) : R :=
  (1 - z) / (1 + z) * (f 0%Z + Series (fun n => z ^ S n * (f (Z.of_nat (S n)) + f (- Z.of_nat (S n))%Z))).

(* The expected value of f after a program that starts in s. *)
Fixpoint expected (eps : R) (c : core) (f : memory -> R) (s : memory) : R :=
  match c with
  | Skip => f s
  | Assign x e => f (write x (value_in s e) s)
  | If c yes no => if holds (value_in s c) then expected eps yes f s else expected eps no f s
  | Choose x options =>
      fold_right (fun '(e, p) sum => at_eps eps s p * f (write x (value_in s e) s) + sum) 0 options
  | Noise x rate mean rest =>
      geometric (exp (- at_eps eps s rate)) (fun i =>
        expected eps rest (fun r => f (write x 0%Q r)) (write x (Qred (value_in s mean + inject_Z i)) s))
  | Seq a b => expected eps a (expected eps b f) s
  end.

Definition Flip (x : nat) (p : weight) : core :=
  Choose x [(Number 1, p); (Number 0, Difference (Const (Number 1)) p)].
Definition Uniform (x : nat) (values : list Q) : core :=
  Choose x (map (fun v => (Number v, Const (Number (1 # Pos.of_nat (length values))))) values).
(* Each value with a probability proportional to exp(rate score). *)
Definition Exponential (x : nat) (rate : weight) (scores : list (expr * weight)) : core :=
  let all := fold_right (fun '(_, score) sum => Sum (Exp (Product rate score)) sum) (Const (Number 0)) scores in
  Choose x (map (fun '(v, score) => (v, Quotient (Exp (Product rate score)) all)) scores).

(* ---- 3. Private programs ------------------------------------------------------------------------- *)

(* The first cells of the memory are the input; the others are 0 at the start. *)
Record mechanism := Mechanism {
  input_sets : list (list Q);
  neighbours : adjacency;
  more_cells : nat;
  code : core;
  outputs : list nat;
}.
Definition outcome (m : mechanism) (s : memory) : list Q := map (read s) (outputs m).
Definition start (m : mechanism) (input : list Q) : memory := input ++ repeat 0%Q (more_cells m).
(* The probability that the outcome is in a set. *)
Definition probability_of (m : mechanism) (input : list Q) (set : list Q -> bool) (eps : R) : R :=
  expected eps (code m) (fun s => if set (outcome m s) then 1 else 0) (start m input).

(* (t eps, delta)-differential privacy for every eps > 0 of the interval. *)
Definition private_program (m : mechanism) (t : Q) (delta : weight) (on : interval) : Prop :=
  forall u v, In u (vectors (input_sets m)) -> In v (vectors (input_sets m)) -> adjacent (neighbours m) u v = true ->
  forall set eps, 0 < eps -> inside on eps ->
    probability_of m u set eps <= exp (Q2R t * eps) * probability_of m v set eps + at_eps eps [] delta.

(* Some adjacent inputs, a set of outcomes and one eps > 0 break the claim. *)
Definition violated_program (m : mechanism) (t : Q) (delta : weight) (on : interval) : Prop :=
  exists u v set eps, In u (vectors (input_sets m)) /\ In v (vectors (input_sets m)) /\
    adjacent (neighbours m) u v = true /\ 0 < eps /\ inside on eps /\
    exp (Q2R t * eps) * probability_of m v set eps + at_eps eps [] delta < probability_of m u set eps.

Lemma violated_program_not_private m t delta on : violated_program m t delta on -> ~ private_program m t delta on.
Proof.
  intros (u & v & set & eps & Hu & Hv & Hw & He & Ho & H) K.
  specialize (K u v Hu Hv Hw set eps He Ho). lra.
Qed.
