(* Exponential polynomials with integer coefficients, and the derivative chain that proves their signs.

   docs/certificates.md, "Why the derivative chain proves an inequality", as theorems. *)
From Coq Require Import Reals ZArith List Bool Lra Lia.
From Coquelicot Require Import Rcomplements Hierarchy Derive AutoDerive ElemFct.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. Analysis: one link of the chain ------------------------------------------------------ *)

Section Link.
  Variables (g g' : R -> R) (a low : R).
  Hypothesis derivative : forall x, is_derive g x (g' x).

  (* exp(-a x) g(x) grows at the rate exp(-a x) (g'(x) - a g(x)). *)
  Lemma mean_value x : low < x -> exists c, low < c < x /\
    exp (- (a * x)) * g x = exp (- (a * low)) * g low + exp (- (a * c)) * (g' c - a * g c) * (x - low).
  Proof.
    intros Hx.
    destruct (MVT_cor2 (fun y => exp (- (a * y)) * g y) (fun y => exp (- (a * y)) * (g' y - a * g y)) low x)
      as [c [E Hc]]; [exact Hx | |].
    - intros y _. apply is_derive_Reals. evar_last.
      + apply @is_derive_mult with (f := fun y => exp (- (a * y))) (g := g).
        * auto_derive; [exact I | reflexivity].
        * apply derivative.
        * intros; apply Rmult_comm.
      + unfold plus, mult; simpl. ring.
    - exists c. split; [exact Hc | lra].
  Qed.

  Lemma link_nonneg x : low < x ->
    (forall c, low < c < x -> 0 <= g' c - a * g c) -> 0 <= g low -> 0 <= g x.
  Proof.
    intros Hx H H0. destruct (mean_value x Hx) as [c [Hc E]].
    assert (0 < exp (- (a * x))) by apply exp_pos.
    assert (0 < exp (- (a * c))) by apply exp_pos.
    assert (0 < exp (- (a * low))) by apply exp_pos.
    assert (K := H c Hc).
    assert (0 <= exp (- (a * c)) * (g' c - a * g c) * (x - low)) by (repeat apply Rmult_le_pos; lra).
    assert (0 <= exp (- (a * low)) * g low) by (apply Rmult_le_pos; lra).
    apply Rmult_le_reg_l with (exp (- (a * x))); lra.
  Qed.

  Lemma link_positive x : low < x ->
    (forall c, low < c < x -> 0 < g' c - a * g c) -> 0 <= g low -> 0 < g x.
  Proof.
    intros Hx H H0. destruct (mean_value x Hx) as [c [Hc E]].
    assert (0 < exp (- (a * x))) by apply exp_pos.
    assert (0 < exp (- (a * c))) by apply exp_pos.
    assert (0 < exp (- (a * low))) by apply exp_pos.
    assert (K := H c Hc).
    assert (0 < exp (- (a * c)) * (g' c - a * g c) * (x - low)) by (repeat apply Rmult_lt_0_compat; lra).
    assert (0 <= exp (- (a * low)) * g low) by (apply Rmult_le_pos; lra).
    apply Rmult_lt_reg_l with (exp (- (a * x))); lra.
  Qed.
End Link.

(* ---- 2. Polynomials: the constant coefficient comes first ------------------------------------- *)

Definition poly := list Z.
Fixpoint pval (p : poly) (x : R) : R := match p with [] => 0 | c :: p => IZR c + x * pval p x end.

Fixpoint padd (p q : poly) : poly :=
  match p, q with
  | [], _ => q
  | _, [] => p
  | c :: p, d :: q => (c + d)%Z :: padd p q
  end.
Lemma padd_val p : forall q x, pval (padd p q) x = pval p x + pval q x.
Proof.
  induction p as [|c p IH]; intros [|d q] x; cbn [padd pval]; try ring.
  rewrite IH, plus_IZR. ring.
Qed.

Definition pscale (k : Z) (p : poly) : poly := map (Z.mul k) p.
Lemma pscale_val k p x : pval (pscale k p) x = IZR k * pval p x.
Proof.
  induction p as [|c p IH]; cbn [pscale map pval]; [ring |].
  unfold pscale in IH. rewrite IH, mult_IZR. ring.
Qed.

Fixpoint pmul (p q : poly) : poly :=
  match p with [] => [] | c :: p => padd (pscale c q) (0%Z :: pmul p q) end.
Lemma pmul_val p q x : pval (pmul p q) x = pval p x * pval q x.
Proof.
  induction p as [|c p IH]; cbn [pmul pval]; [ring |].
  rewrite padd_val, pscale_val. cbn [pval]. rewrite IH. ring.
Qed.

Fixpoint pderiv (p : poly) : poly := match p with [] => [] | _ :: p => padd p (0%Z :: pderiv p) end.
Lemma pderiv_val p x : is_derive (pval p) x (pval (pderiv p) x).
Proof.
  induction p as [|c p IH]; cbn [pval pderiv].
  - apply @is_derive_const.
  - evar_last.
    + apply @is_derive_plus; [apply @is_derive_const |].
      apply @is_derive_mult; [apply @is_derive_id | exact IH | intros; apply Rmult_comm].
    + rewrite padd_val. cbn [pval]. unfold plus, zero, mult, one; simpl. ring.
Qed.

(* p(u x) *)
Fixpoint stretched (u : Z) (p : poly) : poly :=
  match p with [] => [] | c :: p => c :: pscale u (stretched u p) end.
Lemma stretched_val u p x : pval (stretched u p) x = pval p (IZR u * x).
Proof.
  induction p as [|c p IH]; cbn [stretched pval]; [reflexivity |].
  rewrite pscale_val, IH. ring.
Qed.

Fixpoint trim (p : poly) : poly :=
  match p with
  | [] => []
  | c :: p => match trim p with [] => if Z.eqb c 0 then [] else [c] | p => c :: p end
  end.
Lemma trim_val p x : pval (trim p) x = pval p x.
Proof.
  induction p as [|c p IH]; cbn [trim pval]; [reflexivity |].
  rewrite <- IH. destruct (trim p).
  - destruct (Z.eqb_spec c 0) as [->|]; cbn [pval]; ring.
  - reflexivity.
Qed.

(* ---- 3. Exponential polynomials: rates, ascending, with their polynomials ---------------------- *)

Definition fn := list (Z * poly).
Fixpoint val (f : fn) (x : R) : R :=
  match f with [] => 0 | (a, p) :: f => pval p x * exp (IZR a * x) + val f x end.

Fixpoint add (f g : fn) {struct f} : fn :=
  let fix merge g :=
    match f, g with
    | [], _ => g
    | _, [] => f
    | (a, p) :: f', (b, q) :: g' =>
        match Z.compare a b with
        | Lt => (a, p) :: add f' g
        | Gt => (b, q) :: merge g'
        | Eq => match trim (padd p q) with [] => add f' g' | r => (a, r) :: add f' g' end
        end
    end
  in merge g.
Lemma add_val f : forall g x, val (add f g) x = val f x + val g x.
Proof.
  induction f as [|[a p] f IHf]; intros g x.
  - destruct g; cbn; ring.
  - induction g as [|[b q] g IHg]; [cbn; ring |].
    cbn [add]. destruct (Z.compare_spec a b) as [->| |].
    + assert (E := padd_val p q x). rewrite <- trim_val in E.
      destruct (trim (padd p q)) eqn:T; cbn [val]; rewrite IHf; cbn [pval] in E |- *; try rewrite E; cbn [val] in *.
      * replace (pval p x) with (- pval q x) by lra. ring.
      * ring.
    + cbn [val]. rewrite IHf. cbn [val]. ring.
    + cbn [val] in *. unfold add in IHg; fold add in IHg. cbn [val]. rewrite IHg. ring.
Qed.

(* k exp(s x) f(x) *)
Definition times_term (k s : Z) (f : fn) : fn := map (fun '(a, p) => ((a + s)%Z, pscale k p)) f.
Lemma times_term_val k s f x : val (times_term k s f) x = IZR k * exp (IZR s * x) * val f x.
Proof.
  induction f as [|[a p] f IH]; cbn [times_term map val]; [ring |].
  unfold times_term in IH. rewrite IH, pscale_val, plus_IZR, Rmult_plus_distr_r, exp_plus. ring.
Qed.

Definition times_row (s : Z) (q : poly) (f : fn) : fn := map (fun '(a, p) => ((a + s)%Z, pmul q p)) f.
Lemma times_row_val s q f x : val (times_row s q f) x = pval q x * exp (IZR s * x) * val f x.
Proof.
  induction f as [|[a p] f IH]; cbn [times_row map val]; [ring |].
  unfold times_row in IH. rewrite IH, pmul_val, plus_IZR, Rmult_plus_distr_r, exp_plus. ring.
Qed.

Fixpoint mul (f g : fn) : fn := match f with [] => [] | (s, q) :: f => add (times_row s q g) (mul f g) end.
Lemma mul_val f g x : val (mul f g) x = val f x * val g x.
Proof.
  induction f as [|[s q] f IH]; cbn [mul val]; [ring |].
  rewrite add_val, times_row_val, IH. ring.
Qed.

(* f' - s f *)
Fixpoint derived (s : Z) (f : fn) : fn :=
  match f with
  | [] => []
  | (a, p) :: f =>
      match trim (padd (pderiv p) (pscale (a - s) p)) with [] => derived s f | q => (a, q) :: derived s f end
  end.
Fixpoint slope (f : fn) (x : R) : R :=
  match f with
  | [] => 0
  | (a, p) :: f => (pval (pderiv p) x + IZR a * pval p x) * exp (IZR a * x) + slope f x
  end.
Lemma val_derive f x : is_derive (val f) x (slope f x).
Proof.
  induction f as [|[a p] f IH]; cbn [val slope]; [apply @is_derive_const |].
  apply @is_derive_plus; [| exact IH].
  evar_last.
  - apply @is_derive_mult with (f := pval p) (g := fun x => exp (IZR a * x)).
    + apply pderiv_val.
    + auto_derive; [exact I | reflexivity].
    + intros; apply Rmult_comm.
  - unfold plus, mult; simpl. ring.
Qed.
Lemma derived_val s f x : val (derived s f) x = slope f x - IZR s * val f x.
Proof.
  induction f as [|[a p] f IH]; cbn [derived val slope]; [ring |].
  assert (E := padd_val (pderiv p) (pscale (a - s) p) x).
  rewrite <- trim_val, pscale_val, minus_IZR in E.
  destruct (trim _) eqn:T; cbn [val]; rewrite IH; cbn [pval] in E |- *; [| rewrite E; ring].
  replace (pval (pderiv p) x) with (- (IZR a - IZR s) * pval p x) by lra. ring.
Qed.

Fixpoint at_zero (f : fn) : Z :=
  match f with [] => 0%Z | (_, []) :: f => at_zero f | (_, c :: _) :: f => (c + at_zero f)%Z end.
Lemma at_zero_val f : val f 0 = IZR (at_zero f).
Proof.
  induction f as [|[a [|c p]] f IH]; cbn [val at_zero pval]; [reflexivity | |];
    rewrite ?plus_IZR, IH, Rmult_0_r, exp_0; ring.
Qed.

(* ---- 4. The chain ----------------------------------------------------------------------------- *)

Fixpoint nonneg (fuel : nat) (f : fn) : bool :=
  match f, fuel with
  | [], _ => true
  | _, O => false
  | (s, _) :: _, S fuel => (0 <=? at_zero f)%Z && nonneg fuel (derived s f)
  end.
Theorem nonneg_sound fuel : forall f, nonneg fuel f = true -> forall x, 0 < x -> 0 <= val f x.
Proof.
  induction fuel as [|fuel IH]; intros [|[s p] f] H x Hx; cbn [nonneg] in H; try discriminate H;
    try (cbn [val]; lra).
  apply andb_prop in H as [H0 H]. apply Z.leb_le, IZR_le in H0.
  apply (link_nonneg (val ((s, p) :: f)) (slope ((s, p) :: f)) (IZR s) 0).
  - intro; apply val_derive.
  - exact Hx.
  - intros y Hy. rewrite <- derived_val. now apply IH.
  - now rewrite at_zero_val.
Qed.

Fixpoint strict (fuel : nat) (f : fn) : bool :=
  match fuel with
  | O => false
  | S fuel =>
      match f with
      | [] => false
      | [(_, [c])] => (0 <? c)%Z
      | (s, _) :: _ => (0 <=? at_zero f)%Z && strict fuel (derived s f)
      end
  end.
Theorem strict_sound fuel : forall f, strict fuel f = true -> forall x, 0 < x -> 0 < val f x.
Proof.
  induction fuel as [|fuel IH]; intros f0 H x Hx; [discriminate H |].
  destruct f0 as [|[s p] f]; [discriminate H |].
  assert (G : (0 <=? at_zero ((s, p) :: f))%Z && strict fuel (derived s ((s, p) :: f)) = true ->
              0 < val ((s, p) :: f) x).
  { intros K. apply andb_prop in K as [H0 K]. apply Z.leb_le, IZR_le in H0.
    apply (link_positive (val ((s, p) :: f)) (slope ((s, p) :: f)) (IZR s) 0).
    - intro; apply val_derive.
    - exact Hx.
    - intros y Hy. rewrite <- derived_val. now apply IH.
    - now rewrite at_zero_val. }
  destruct p as [|c [|? ?]], f as [|? ?]; try exact (G H).
  apply Z.ltb_lt, IZR_lt in H. cbn [val pval].
  assert (0 < exp (IZR s * x)) by apply exp_pos.
  rewrite Rmult_0_r, !Rplus_0_r. now apply Rmult_lt_0_compat.
Qed.

(* ---- 5. Functions of eps: rates in units of 1/u ------------------------------------------------ *)

(* The sum of p(eps) exp(a/u eps) over the pairs (a, p). *)
Fixpoint eval (u : positive) (f : fn) (eps : R) : R :=
  match f with [] => 0 | (a, p) :: f => pval p eps * exp (IZR a / IZR (Zpos u) * eps) + eval u f eps end.

Definition scaled (u : positive) (f : fn) : fn := map (fun '(a, p) => (a, stretched (Zpos u) p)) f.
Lemma scaled_val u f eps : val (scaled u f) (eps / IZR (Zpos u)) = eval u f eps.
Proof.
  assert (IZR (Zpos u) <> 0) by (apply not_0_IZR; discriminate).
  induction f as [|[a p] f IH]; cbn [scaled map val eval]; [reflexivity |].
  unfold scaled in IH. rewrite IH, stretched_val.
  replace (IZR (Zpos u) * (eps / IZR (Zpos u))) with eps by (field; assumption).
  replace (IZR a * (eps / IZR (Zpos u))) with (IZR a / IZR (Zpos u) * eps) by (field; assumption).
  reflexivity.
Qed.
Lemma scaled_positive u eps : 0 < eps -> 0 < eps / IZR (Zpos u).
Proof. intros H. apply Rdiv_lt_0_compat; [exact H | now apply IZR_lt]. Qed.
