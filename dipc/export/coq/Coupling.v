(* Claims for every size: the shift argument.  A shift of samples that keeps all guards carries the event on u
   into that on u', and probabilities grow at most by exp(eps*cost).

   dipc/kernel/sizes.py, "This is a proof", as theorems about the definitions of Runs.v. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Classical_Prop Lra Lia.
From Dipc Require Import Chain Bounds Runs.
Import ListNotations.
Open Scope bool_scope.
Open Scope R_scope.

(* ---- 1. Sums of lists ------------------------------------------------------------------------- *)

Fixpoint plus (a b : list R) : list R :=
  match a, b with [], _ => b | _, [] => a | x :: a, y :: b => x + y :: plus a b end.
Definition scale (w : R) (a : list R) : list R := map (Rmult w) a.
Definition between_lists (w : R) (a b : list R) : list R := plus (scale w a) (scale (1 - w) b).

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

(* ---- 2. A shift that keeps all guards and costs at most c ------------------------------------- *)

Definition dominated (eps : R) (c : Q) (u : positive) (f g : fraction) : Prop :=
  0 <= at_eps u f eps <= exp (Q2R c * eps) * at_eps u g eps.

(* Samples that move by s, one after the other, while the known values change by env: every guard is kept,
   what is published does not change, samples stay in the support, and all of it costs at most c. *)
Fixpoint coupled (eps : R) (d : list (move R)) (env s : list R) (c : R) : Prop :=
  match d with
  | [] => s = [] /\ 0 <= c
  | Draw k a f :: d =>
      match s with
      | [] => False
      | y :: s =>
          let m := value f env in
          0 < Q2R a /\
          match k with Lap => True | LapPlus => m <= y | DLap => integral y /\ integral m end /\
          coupled eps d (y :: env) s (c - Q2R a * Rabs (y - m))
      end
  | Guard f equal :: d => (if equal then value f env = 0 else 0 <= value f env) /\ coupled eps d env s c
  | Choose q u f g :: d => dominated eps q u f g /\ coupled eps d env s (c - Q2R q)
  | Score a g :: d => 0 < Q2R a /\ coupled eps d env s (c - Q2R a * Q2R g)
  | Keep fs :: d => coupled eps d (map (fun f => value f env) fs) s c
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
  coupled eps d denv s c -> 0 <= density eps p env x.
Proof.
  intros He. induction 1; intros env denv s cost x Hc; simpl in *; try (eapply IHdiffer; apply Hc).
  - lra.
  - destruct s as [|v s]; [contradiction|]. destruct Hc as (Ha & _ & Hc). destruct x as [|y x]; [lra|].
    apply Rmult_le_pos; [|eapply IHdiffer; exact Hc].
    apply noise_nonneg. apply Rmult_lt_0_compat; assumption.
  - destruct Hc as [Hq Hc]. apply Rmult_le_pos; [apply Hq|]. eapply IHdiffer; exact Hc.
  - apply Rmult_le_pos; [lra | eapply IHdiffer; exact Hc].
  - destruct Hc as [Ha Hc]. apply Rmult_le_pos; [|eapply IHdiffer; exact Hc].
    eapply chance_moved; [|eassumption..]. left. apply Rmult_lt_0_compat; assumption.
Qed.

(* The shift carries the event on u into that on u', and the density drops at most by exp(-eps*c). *)
Theorem shift_sound eps d p p' : 0 < eps -> differ eps d p p' -> forall env denv s c x E,
  coupled eps d denv s c -> event p env x E ->
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
  - destruct Hc as [Hq Hc]. destruct Hq as [Hr Hq'].
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

Lemma coupled_more eps d : forall env s c e, c <= e -> coupled eps d env s c -> coupled eps d env s e.
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
Theorem mixed_sound eps w l m n : 0 <= w <= 1 -> mixed w l m n -> forall a b s r c e,
  coupled eps l a s c -> coupled eps m b r e ->
  coupled eps n (between_lists w a b) (between_lists w s r) (w * c + (1 - w) * e).
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

(* ---- 3. The shift carries covers of the event on u' back, with their volumes ------------------- *)

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
  coupled eps d env s c -> keeps_integers (kinds p) s /\ kinds p' = kinds p.
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

Lemma above_moved eps d p p' s c E v : 0 < eps -> differ eps d p p' -> coupled eps d [] s c ->
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
