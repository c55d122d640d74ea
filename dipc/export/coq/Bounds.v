(* Rational bounds of exp from Taylor's polynomials, and the sign of an exponential polynomial at a point. *)
From Coq Require Import Reals ZArith QArith Qreals List Bool Lra Lia.
From Coquelicot Require Import Rcomplements Hierarchy Derive AutoDerive ElemFct.
From Dipc Require Import Chain.
Import ListNotations.
Open Scope bool_scope.
Open Scope lazy_bool_scope.
Open Scope R_scope.

(* ---- 1. Taylor's polynomials of exp: sums of n terms x^i/i! ------------------------------------- *)

Fixpoint tail (n : nat) (x : R) : R :=      (* x^n/n! *)
  match n with O => 1 | S n => tail n x * x / INR (S n) end.
Fixpoint taylor (n : nat) (x : R) : R :=
  match n with O => 0 | S n => taylor n x + tail n x end.

Lemma tail_derive n x : is_derive (tail (S n)) x (tail n x).
Proof.
  induction n as [|n IH].
  - cbn [tail]. change (INR 1) with 1. auto_derive; [exact I | field].
  - assert (N : INR (S (S n)) <> 0) by (apply not_0_INR; discriminate).
    assert (E : forall y, tail (S (S n)) y = tail (S n) y * y * / INR (S (S n))).
    { intro y. reflexivity. }
    eapply is_derive_ext; [intro; symmetry; apply E |].
    evar_last.
    + apply @is_derive_mult with (f := fun y => tail (S n) y * y) (g := fun _ => / INR (S (S n))).
      * apply @is_derive_mult; [exact IH | apply @is_derive_id | intros; apply Rmult_comm].
      * apply @is_derive_const.
      * intros; apply Rmult_comm.
    + unfold plus, mult, zero, one; simpl.
      change (match n with 0%nat => 1 | S _ => INR n + 1 end) with (INR (S n)).
      assert (M : INR (S n) <> 0) by (apply not_0_INR; discriminate).
      assert (E' : INR (S (S n)) = INR (S n) + 1) by apply S_INR.
      generalize dependent (INR (S (S n))). intros b N _ ->. intros.
      change (tail (S n) x) with (tail n x * x / INR (S n)).
      generalize dependent (INR (S n)). intros a N M. field. split; assumption.
Qed.
Lemma taylor_derive n x : is_derive (taylor (S n)) x (taylor n x).
Proof.
  induction n as [|n IH].
  - eapply is_derive_ext; [intro; cbn [taylor tail]; symmetry; apply Rplus_0_l |]. apply @is_derive_const.
  - eapply is_derive_ext; [intro; reflexivity |].
    change (taylor (S n) x) with (taylor n x + tail n x).
    apply @is_derive_plus with (f := taylor (S n)) (g := tail (S n)); [exact IH | apply tail_derive].
Qed.
Lemma tail_zero n : tail (S n) 0 = 0.
Proof. cbn [tail]. unfold Rdiv. ring. Qed.
Lemma taylor_zero n : taylor (S n) 0 = 1.
Proof. induction n as [|n IH]; [cbn; ring |]. cbn [taylor] in *. rewrite IH, tail_zero. ring. Qed.

Lemma taylor_below n : forall x, 0 <= x -> taylor n x <= exp x.
Proof.
  induction n as [|n IH]; intros x [Hx | <-]; try (left; apply exp_pos); [| rewrite taylor_zero, exp_0; lra].
  assert (K : 0 <= (fun y => exp y - taylor (S n) y) x); [| cbv beta in K; lra].
  apply (link_nonneg (fun y => exp y - taylor (S n) y) (fun y => exp y - taylor n y) 0 0).
  - intro y. apply @is_derive_minus; [apply is_derive_exp | apply taylor_derive].
  - exact Hx.
  - intros y Hy. specialize (IH y ltac:(lra)). lra.
  - rewrite exp_0, taylor_zero. lra.
Qed.

(* For numbers up to 1/2 twice the next term is more than the rest of the series. *)
Lemma taylor_above n : forall x, 0 < x <= / 2 -> exp x <= taylor n x + 2 * tail n x.
Proof.
  induction n as [|n IH]; intros x Hx.
  - cbn [taylor tail]. assert (L := exp_ineq1_le (- x)). rewrite exp_Ropp in L.
    assert (P := exp_pos x). apply (Rmult_le_compat_l (exp x)) in L; [| lra].
    rewrite Rinv_r in L by lra. nra.
  - assert (K : 0 <= (fun y => taylor (S n) y + 2 * tail (S n) y - exp y) x); [| cbv beta in K; lra].
    apply (link_nonneg (fun y => taylor (S n) y + 2 * tail (S n) y - exp y)
             (fun y => taylor n y + 2 * tail n y - exp y) 0 0).
    + intro y. apply @is_derive_minus; [| apply is_derive_exp].
      apply @is_derive_plus; [apply taylor_derive |]. apply @is_derive_scal. apply tail_derive.
    + apply Hx.
    + intros y Hy. specialize (IH y ltac:(lra)). lra.
    + rewrite exp_0, taylor_zero, tail_zero. lra.
Qed.
Lemma exp_grows x y : x <= y -> exp x <= exp y.
Proof. intros [H | ->]; [left; now apply exp_increasing | apply Rle_refl]. Qed.

(* ---- 2. In fixed-point numbers: multiples of 2^(-4n) ------------------------------------------------- *)

Ltac rationals :=
  repeat (rewrite (Qeq_eqR _ _ (Qred_correct _)) || rewrite Q2R_plus || rewrite Q2R_mult).
Lemma Q2R_integer n : Q2R (inject_Z n) = IZR n.
Proof. unfold Q2R, inject_Z; cbn [Qnum Qden]. field. Qed.
Lemma some_eq {A} {a b : A} : Some a = Some b -> a = b.
Proof. now intros [= ->]. Qed.
Lemma Q2R_0 : Q2R 0 = 0.
Proof. unfold Q2R; cbn. field. Qed.

Fixpoint one (n : nat) : positive := match n with O => xH | S n => (one n)~0~0~0~0 end.
Definition bits (n : nat) : Z := 4 * Z.of_nat n.
Lemma one_val n : Zpos (one n) = (2 ^ bits n)%Z.
Proof.
  induction n as [|n IH]; [reflexivity |]. unfold bits in *.
  replace (4 * Z.of_nat (S n))%Z with (4 + 4 * Z.of_nat n)%Z by lia.
  rewrite Z.pow_add_r, <- IH by lia. cbn [one]. lia.
Qed.

Lemma quotient_below a b : (0 < b)%Z -> IZR (a / b) <= IZR a / IZR b.
Proof.
  intros H. assert (P := IZR_lt _ _ H). apply Rle_div_r; [exact P |].
  rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le.
Qed.
Lemma quotient_above a b : (0 < b)%Z -> IZR a / IZR b <= IZR (a / b + 1).
Proof.
  intros H. assert (P := IZR_lt _ _ H). apply Rle_div_l; [exact P |].
  rewrite <- mult_IZR. apply IZR_le. assert (D := Z.mul_succ_div_gt a b H). lia.
Qed.

Section Fixed.
  Variable n : nat.
  Notation k := (bits n).
  Notation unity := (IZR (Zpos (one n))).
  Lemma unity_positive : 0 < unity.
  Proof. now apply IZR_lt. Qed.
  Lemma shifted a : Z.shiftr a k = (a / Zpos (one n))%Z.
  Proof. rewrite one_val. apply Z.shiftr_div_pow2. unfold bits; lia. Qed.

  (* The polynomial and the next term, rounded down, or up if `up` is 1. *)
  Fixpoint series (up : Z) (terms : nat) (y : Z) : Z * Z :=
    match terms with
    | O => (0, Zpos (one n))%Z
    | S m => let '(s, t) := series up m y in
        (s + t, Z.shiftr (t * y) k / Z.of_nat (S m) + up)%Z
    end.
  Lemma step_val a b m : (a / unity) * (b / unity) / INR (S m) * unity = a * b / unity / IZR (Z.of_nat (S m)).
  Proof.
    rewrite <- INR_IZR_INZ. assert (U := unity_positive). assert (N : INR (S m) <> 0) by (apply not_0_INR; discriminate).
    field; split; lra || exact N.
  Qed.
  Lemma series_low m y : (0 <= y)%Z -> let x := IZR y / unity in
    (0 <= fst (series 0 m y))%Z /\ (0 <= snd (series 0 m y))%Z /\
    IZR (fst (series 0 m y)) <= unity * taylor m x /\ IZR (snd (series 0 m y)) <= unity * tail m x.
  Proof.
    intros Hy x. assert (U := unity_positive).
    assert (X : 0 <= x) by (apply Rle_div_r; [exact U | rewrite Rmult_0_l; now apply IZR_le]).
    induction m as [|m [IH [IH0 [IH1 IH2]]]]; cbn [series]; [cbn [fst snd taylor tail]; repeat split; lia || lra |].
    destruct (series 0 m y) as [s t]. cbn [fst snd taylor tail] in *. rewrite Z.add_0_r, shifted.
    split; [lia |]. split; [| split].
    - apply Z.div_pos; [apply Z.div_pos | ]; lia.
    - rewrite plus_IZR. lra.
    - apply Rle_trans with (IZR (t * y / Zpos (one n)) / IZR (Z.of_nat (S m))); [apply quotient_below; lia |].
      assert (N : 0 < IZR (Z.of_nat (S m))) by (apply IZR_lt; lia).
      apply Rle_trans with (IZR t * IZR y / unity / IZR (Z.of_nat (S m))).
      + apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |].
        rewrite <- mult_IZR. apply quotient_below. lia.
      + rewrite <- step_val. fold x. rewrite Rmult_comm. apply Rmult_le_compat_l; [lra |].
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, lt_0_INR; lia |].
        apply Rmult_le_compat_r; [exact X |]. apply Rle_div_l; [exact U | lra].
  Qed.
  Lemma series_high m y : (0 <= y)%Z -> let x := IZR y / unity in
    unity * taylor m x <= IZR (fst (series 1 m y)) /\ unity * tail m x <= IZR (snd (series 1 m y)).
  Proof.
    intros Hy x. assert (U := unity_positive).
    assert (X : 0 <= x) by (apply Rle_div_r; [exact U | rewrite Rmult_0_l; now apply IZR_le]).
    induction m as [|m [IH1 IH2]]; cbn [series]; [cbn [fst snd taylor tail]; split; lra |].
    destruct (series 1 m y) as [s t]. cbn [fst snd taylor tail] in *. rewrite shifted. split.
    - rewrite plus_IZR. lra.
    - apply Rle_trans with (IZR t * IZR y / unity / IZR (Z.of_nat (S m))).
      + rewrite <- step_val. fold x. rewrite (Rmult_comm unity). apply Rmult_le_compat_r; [lra |].
        apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, lt_0_INR; lia |].
        apply Rmult_le_compat_r; [exact X |]. apply Rle_div_r; [exact U | lra].
      + assert (N : 0 < IZR (Z.of_nat (S m))) by (apply IZR_lt; lia).
        rewrite <- mult_IZR. set (z := (t * y)%Z).
        assert (A : IZR z / unity / IZR (Z.of_nat (S m)) = IZR z / IZR (Zpos (one n) * Z.of_nat (S m))).
        { rewrite mult_IZR. field. split; lra. }
        rewrite A, Z.div_div by lia. apply quotient_above. lia.
  Qed.

  (* Squares: exp(2^m x) from exp(x). *)
  Fixpoint squared (up : Z) (m : nat) (z : Z) : Z :=
    match m with O => z | S m => squared up m (Z.shiftr (z * z) k + up) end.
  Lemma squared_low m : forall z x, (0 <= z)%Z -> IZR z <= unity * exp x ->
    IZR (squared 0 m z) <= unity * exp (IZR (2 ^ Z.of_nat m) * x).
  Proof.
    induction m as [|m IH]; intros z x Hz H; cbn [squared].
    - now rewrite Rmult_1_l.
    - rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia.
      replace (2 * IZR (2 ^ Z.of_nat m) * x) with (IZR (2 ^ Z.of_nat m) * (x + x)) by ring.
      apply IH; rewrite Z.add_0_r, shifted; [apply Z.div_pos; lia |].
      eapply Rle_trans; [apply quotient_below; lia |]. assert (U := unity_positive).
      apply Rle_div_l; [exact U |]. rewrite exp_plus, mult_IZR.
      assert (Z0 := IZR_le _ _ Hz). assert (E := exp_pos x).
      replace (unity * (exp x * exp x) * unity) with ((unity * exp x) * (unity * exp x)) by ring.
      apply Rmult_le_compat; lra.
  Qed.
  Lemma squared_high m : forall z x, unity * exp x <= IZR z ->
    unity * exp (IZR (2 ^ Z.of_nat m) * x) <= IZR (squared 1 m z).
  Proof.
    induction m as [|m IH]; intros z x H; cbn [squared].
    - now rewrite Rmult_1_l.
    - rewrite Nat2Z.inj_succ, Z.pow_succ_r, mult_IZR by lia.
      replace (2 * IZR (2 ^ Z.of_nat m) * x) with (IZR (2 ^ Z.of_nat m) * (x + x)) by ring.
      apply IH. rewrite shifted. eapply Rle_trans; [| apply quotient_above; lia].
      assert (U := unity_positive). apply (Rle_div_r _ _ _ U). rewrite exp_plus, mult_IZR.
      assert (E := exp_pos x). assert (P : 0 <= unity * exp x) by (apply Rmult_le_pos; lra).
      replace (unity * (exp x * exp x) * unity) with ((unity * exp x) * (unity * exp x)) by ring.
      apply Rmult_le_compat; lra.
  Qed.

  (* exp(x) for x > 0, from exp(x/2^m) with x/2^m <= 1/2. *)
  Definition fixed (x : Q) : Z := (Qnum x * Zpos (one n) / Zpos (Qden x))%Z.
  Definition halvings (x : Q) : nat := Z.to_nat (Z.log2 (fixed x + 1) - k + 2).
  Definition halved (x : Q) : Z := Z.shiftr (fixed x) (Z.of_nat (halvings x)).
  Definition grown_low (x : Q) : Z := squared 0 (halvings x) (fst (series 0 n (halved x))).
  Definition grown_high (x : Q) : option Z :=
    let y := (halved x + 1)%Z in
    if (2 * y <=? Zpos (one n))%Z then
      let '(s, t) := series 1 n y in Some (squared 1 (halvings x) (s + 2 * t))
    else None.

  Lemma fixed_val x : IZR (Qnum x * Zpos (one n)) / IZR (Zpos (Qden x)) = unity * Q2R x.
  Proof. unfold Q2R, Rdiv. rewrite mult_IZR. ring. Qed.
  Lemma halved_val (x : Q) : 0 < Q2R x -> let e := IZR (2 ^ Z.of_nat (halvings x)) in
    0 < e /\ (0 <= halved x)%Z /\ IZR (halved x) <= unity * (Q2R x / e) <= IZR (halved x + 1).
  Proof.
    intros Hx e. set (m := halvings x) in *.
    assert (P : (0 < 2 ^ Z.of_nat m)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (E : 0 < e) by now apply IZR_lt.
    assert (U := unity_positive). assert (V := fixed_val x).
    assert (N : (0 <= Qnum x)%Z).
    { apply le_IZR. apply Rmult_le_reg_r with (/ IZR (Zpos (Qden x))).
      - apply Rinv_0_lt_compat. now apply IZR_lt.
      - unfold Q2R in Hx. lra. }
    assert (F : (0 <= fixed x)%Z) by (apply Z.div_pos; lia).
    unfold halved. fold m. rewrite Z.shiftr_div_pow2 by lia. unfold fixed in *.
    rewrite Z.div_div by lia.
    replace (unity * (Q2R x / e)) with (IZR (Qnum x * Zpos (one n)) / IZR (Zpos (Qden x) * 2 ^ Z.of_nat m)).
    - split; [exact E |]. split; [apply Z.div_pos; lia |]. split; [apply quotient_below | apply quotient_above]; lia.
    - rewrite (mult_IZR (Zpos (Qden x))). fold e. replace (unity * (Q2R x / e)) with (unity * Q2R x / e) by (unfold Rdiv; ring).
      rewrite <- V. field; split; lra || (apply not_0_IZR; discriminate).
  Qed.
  Lemma grown_low_sound x : 0 < Q2R x -> IZR (grown_low x) <= unity * exp (Q2R x).
  Proof.
    intros Hx. destruct (halved_val x Hx) as [E [Y [L _]]]. assert (U := unity_positive).
    replace (Q2R x) with (IZR (2 ^ Z.of_nat (halvings x)) * (Q2R x / IZR (2 ^ Z.of_nat (halvings x)))) by (field; lra).
    destruct (series_low n (halved x) Y) as [T0 [_ [S _]]].
    apply squared_low; [exact T0 |]. eapply Rle_trans; [exact S |]. apply Rmult_le_compat_l; [lra |].
    eapply Rle_trans; [apply taylor_below, Rdiv_le_0_compat; [now apply IZR_le | exact U] |].
    apply exp_grows, Rle_div_l; [exact U | lra].
  Qed.
  Lemma grown_high_sound x b : 0 < Q2R x -> grown_high x = Some b -> unity * exp (Q2R x) <= IZR b.
  Proof.
    intros Hx. destruct (halved_val x Hx) as [E [Y [_ L]]]. assert (U := unity_positive). unfold grown_high.
    destruct (Z.leb_spec (2 * (halved x + 1)) (Zpos (one n))) as [H|]; [| discriminate].
    assert (Y' : (0 <= halved x + 1)%Z) by lia.
    destruct (series_high n (halved x + 1) Y') as [S T].
    destruct (series 1 n (halved x + 1)) as [s t]. cbn [fst snd] in *. intros K. rewrite <- (some_eq K).
    replace (Q2R x) with (IZR (2 ^ Z.of_nat (halvings x)) * (Q2R x / IZR (2 ^ Z.of_nat (halvings x)))) by (field; lra).
    apply squared_high. rewrite plus_IZR, mult_IZR. apply IZR_le in H. rewrite mult_IZR in H.
    set (y := IZR (halved x + 1) / unity) in *.
    assert (P : 0 < y) by (apply Rdiv_lt_0_compat; [apply IZR_lt; lia | exact U]).
    apply Rle_trans with (unity * (taylor n y + 2 * tail n y)); [| lra].
    apply Rmult_le_compat_l; [lra |]. apply Rle_trans with (exp y).
    - apply exp_grows, (Rle_div_r _ _ _ U). lra.
    - apply taylor_above. split; [exact P |]. apply (Rle_div_l _ _ _ U); lra.
  Qed.
End Fixed.

(* Bounds of exp, better ones for a larger n. *)
Definition exp_low (n : nat) (x : Q) : Q :=
  match Qcompare x 0 with
  | Eq => 1
  | Gt => grown_low n x # one n
  | Lt => match grown_high n (- x) with Some b => Zpos (one n) * Zpos (one n) / b # one n | None => 0 end
  end.
Definition exp_high (n : nat) (x : Q) : option Q :=
  match Qcompare x 0 with
  | Eq => Some 1%Q
  | Gt => match grown_high n x with Some b => Some (b # one n) | None => None end
  | Lt => let b := grown_low n (- x) in
      if (0 <? b)%Z then Some (Zpos (one n) * Zpos (one n) / b + 1 # one n) else None
  end.
Lemma sign_cases x : (Qcompare x 0 = Eq /\ exp (Q2R x) = 1) \/ (Qcompare x 0 = Gt /\ 0 < Q2R x) \/
  (Qcompare x 0 = Lt /\ 0 < Q2R (- x) /\ exp (Q2R x) = / exp (Q2R (- x))).
Proof.
  destruct (Qcompare_spec x 0) as [E|E|E].
  - left. split; [reflexivity |]. now rewrite (Qeq_eqR _ _ E), Q2R_0, exp_0.
  - right; right. apply Qlt_Rlt in E. rewrite Q2R_0 in E. rewrite Q2R_opp, exp_Ropp. repeat split; [lra |].
    assert (P := exp_pos (Q2R x)). field. lra.
  - right; left. apply Qlt_Rlt in E. rewrite Q2R_0 in E. now split.
Qed.
Lemma over_one n a : Q2R (a # one n) = IZR a / IZR (Zpos (one n)).
Proof. reflexivity. Qed.
Lemma inverse_val n b : 0 < IZR b -> IZR (Zpos (one n) * Zpos (one n)) / IZR b / IZR (Zpos (one n)) =
  / (IZR b / IZR (Zpos (one n))).
Proof. intros P. assert (U := unity_positive n). rewrite mult_IZR. field. split; lra. Qed.

Lemma exp_low_sound n x : Q2R (exp_low n x) <= exp (Q2R x).
Proof.
  assert (U := unity_positive n). unfold exp_low.
  destruct (sign_cases x) as [[-> ->] | [[-> P] | [-> [P ->]]]].
  - unfold Q2R; cbn. lra.
  - rewrite over_one. apply (Rle_div_l _ _ _ U). rewrite Rmult_comm. now apply grown_low_sound.
  - destruct (grown_high n (- x)) as [b|] eqn:E.
    + apply grown_high_sound in E; [| exact P]. assert (X := exp_pos (Q2R (- x))).
      assert (B : 0 < IZR b) by (apply Rlt_le_trans with (2 := E); now apply Rmult_lt_0_compat).
      rewrite over_one. eapply Rle_trans.
      * apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |]. apply quotient_below. now apply lt_IZR.
      * fold (IZR (Zpos (one n) * Zpos (one n)) / IZR b / IZR (Zpos (one n))). rewrite inverse_val by exact B.
        apply Rinv_le_contravar; [exact X |]. apply (Rle_div_r _ _ _ U). lra.
    + rewrite Q2R_0. left. apply Rinv_0_lt_compat, exp_pos.
Qed.
Lemma exp_high_sound n x b : exp_high n x = Some b -> exp (Q2R x) <= Q2R b.
Proof.
  assert (U := unity_positive n). unfold exp_high.
  destruct (sign_cases x) as [[-> ->] | [[-> P] | [-> [P ->]]]]; intros H.
  - injection H as <-. unfold Q2R; cbn. lra.
  - destruct (grown_high n x) as [c|] eqn:E; [| discriminate]. apply grown_high_sound in E; [| exact P].
    injection H as <-. rewrite over_one. apply (Rle_div_r _ _ _ U); lra.
  - destruct (Z.ltb_spec 0 (grown_low n (- x))) as [L|]; [| discriminate]. rewrite <- (some_eq H).
    assert (E := grown_low_sound n (- x) P). apply IZR_lt in L. rewrite over_one.
    eapply Rle_trans; [| apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat |]; apply quotient_above; now apply lt_IZR].
    fold (IZR (Zpos (one n) * Zpos (one n)) / IZR (grown_low n (- x)) / IZR (Zpos (one n))).
    rewrite inverse_val by exact L. apply Rinv_le_contravar; [now apply Rdiv_lt_0_compat |].
    apply (Rle_div_l _ _ _ U); lra.
Qed.

(* ---- 3. Lower bounds of an exponential polynomial ------------------------------------------------ *)

Fixpoint rational_pval (p : poly) (x : Q) : Q :=
  match p with [] => 0 | c :: p => Qred (inject_Z c + x * rational_pval p x) end.
Lemma rational_pval_val p x : Q2R (rational_pval p x) = pval p (Q2R x).
Proof.
  induction p as [|c p IH]; cbn [rational_pval pval]; [unfold Q2R; cbn; field |].
  rationals. now rewrite IH, Q2R_integer.
Qed.

(* A bound from below at a point. *)
Fixpoint low_at (n : nat) (f : fn) (x : Q) : option Q :=
  match f with
  | [] => Some 0%Q
  | (a, p) :: f =>
      let c := rational_pval p x in
      let y := Qred (inject_Z a * x) in
      let bound := match Qcompare c 0 with Eq => Some 0%Q | Gt => Some (exp_low n y) | Lt => exp_high n y end in
      match bound, low_at n f x with
      | Some b, Some rest => Some (Qred (c * b + rest))
      | _, _ => None
      end
  end.
Lemma low_at_sound n f x : forall b, low_at n f x = Some b -> Q2R b <= val f (Q2R x).
Proof.
  induction f as [|[a p] f IH]; intros b H; cbn [low_at val] in *.
  - injection H as <-. unfold Q2R; cbn. lra.
  - set (c := rational_pval p x) in *. set (y := Qred (inject_Z a * x)) in *.
    assert (Ey : Q2R y = IZR a * Q2R x) by (unfold y; rationals; now rewrite Q2R_integer).
    assert (Ec : Q2R c = pval p (Q2R x)) by apply rational_pval_val.
    rewrite <- Ey, <- Ec.
    destruct (Qcompare_spec c 0) as [E|E|E].
    + destruct (low_at n f x) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      assert (Z : Q2R 0 = 0) by (unfold Q2R; cbn; field).
      rewrite (Qeq_eqR _ _ E), Z, !Rmult_0_l. specialize (IH r eq_refl). lra.
    + apply Qlt_Rlt in E. replace (Q2R 0) with 0 in E by (unfold Q2R; cbn; field).
      destruct (exp_high n y) as [h|] eqn:Eh; [| discriminate]. apply exp_high_sound in Eh.
      destruct (low_at n f x) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      specialize (IH r eq_refl). nra.
    + apply Qlt_Rlt in E. replace (Q2R 0) with 0 in E by (unfold Q2R; cbn; field).
      destruct (low_at n f x) as [r|]; [| discriminate]. rewrite <- (some_eq H). rationals.
      specialize (IH r eq_refl). assert (L := exp_low_sound n y). nra.
Qed.

Definition above_zero (strict : bool) (b : option Q) : bool :=
  match b with
  | Some b => if strict then negb (Qle_bool b 0) else Qle_bool 0 b
  | None => false
  end.
Lemma above_zero_nonneg b : above_zero false b = true -> exists q, b = Some q /\ 0 <= Q2R q.
Proof.
  destruct b as [q|]; [| discriminate]. intros H. exists q. split; [reflexivity |].
  apply Qle_bool_iff, Qle_Rle in H. replace (Q2R 0) with 0 in H by (unfold Q2R; cbn; field). exact H.
Qed.
Lemma above_zero_strict b : above_zero true b = true -> exists q, b = Some q /\ 0 < Q2R q.
Proof.
  destruct b as [q|]; [| discriminate]. intros H. exists q. split; [reflexivity |].
  cbn [above_zero] in H. apply Bool.negb_true_iff in H.
  replace 0 with (Q2R 0) by (unfold Q2R; cbn; field). apply Qlt_Rlt, Qnot_le_lt.
  intro K. apply Qle_bool_iff in K. congruence.
Qed.

(* ---- 4. The chain from a point > 0 on ------------------------------------------------------------- *)

Fixpoint nonneg_from (n fuel : nat) (low : Q) (f : fn) : bool :=
  match f, fuel with
  | [], _ => true
  | _, O => false
  | (s, _) :: _, S fuel => above_zero false (low_at n f low) && nonneg_from n fuel low (derived s f)
  end.
Theorem nonneg_from_sound n fuel low : forall f, nonneg_from n fuel low f = true ->
  forall x, Q2R low <= x -> 0 <= val f x.
Proof.
  induction fuel as [|fuel IH]; intros [|[s p] f] H x Hx; cbn [nonneg_from] in H; try discriminate H;
    try (cbn [val]; lra).
  apply andb_prop in H as [H0 H]. apply above_zero_nonneg in H0 as [b [E Hb]]. apply low_at_sound in E.
  destruct Hx as [Hx | <-]; [| lra].
  apply (link_nonneg (val ((s, p) :: f)) (slope ((s, p) :: f)) (IZR s) (Q2R low)).
  - intro; apply val_derive.
  - exact Hx.
  - intros y Hy. rewrite <- derived_val. apply IH; [exact H | lra].
  - lra.
Qed.

Fixpoint strict_from (n fuel : nat) (low : Q) (f : fn) : bool :=
  match fuel with
  | O => false
  | S fuel =>
      match f with
      | [] => false
      | [(_, [c])] => (0 <? c)%Z
      | (s, _) :: _ => above_zero true (low_at n f low) && strict_from n fuel low (derived s f)
      end
  end.
Theorem strict_from_sound n fuel low : forall f, strict_from n fuel low f = true ->
  forall x, Q2R low <= x -> 0 < val f x.
Proof.
  induction fuel as [|fuel IH]; intros f0 H x Hx; [discriminate H |].
  destruct f0 as [|[s p] f]; [discriminate H |].
  assert (G : above_zero true (low_at n ((s, p) :: f) low) && strict_from n fuel low (derived s ((s, p) :: f)) = true ->
              0 < val ((s, p) :: f) x).
  { intros K. apply andb_prop in K as [H0 K]. apply above_zero_strict in H0 as [b [E Hb]]. apply low_at_sound in E.
    destruct Hx as [Hx | <-]; [| lra].
    apply (link_positive (val ((s, p) :: f)) (slope ((s, p) :: f)) (IZR s) (Q2R low)).
    - intro; apply val_derive.
    - exact Hx.
    - intros y Hy. rewrite <- derived_val. apply IH; [exact K | lra].
    - lra. }
  destruct p as [|c [|? ?]], f as [|? ?]; try exact (G H).
  apply Z.ltb_lt, IZR_lt in H. cbn [val pval].
  assert (0 < exp (IZR s * x)) by apply exp_pos.
  rewrite Rmult_0_r, !Rplus_0_r. now apply Rmult_lt_0_compat.
Qed.

(* ---- 5. Intervals of eps ------------------------------------------------------------------------- *)

(* An interval of eps; without high it has no end. *)
Record interval := Interval { low : Q; low_closed : bool; high : option Q; high_closed : bool }.
Definition inside (i : interval) (eps : R) : Prop :=
  (if low_closed i then Q2R (low i) <= eps else Q2R (low i) < eps) /\
  match high i with
  | Some b => if high_closed i then eps <= Q2R b else eps < Q2R b
  | None => True
  end.
Definition always : interval := Interval 0 false None false.

(* What eps is in units of 1/u, and an interval of eps. *)
Definition over_unit (u : positive) (eps : Q) : Q := Qred (eps * (1 # u)).
Lemma over_unit_val u eps : Q2R (over_unit u eps) = Q2R eps / IZR (Zpos u).
Proof.
  unfold over_unit. rewrite (Qeq_eqR _ _ (Qred_correct _)), Q2R_mult. unfold Rdiv. f_equal.
  unfold Q2R; cbn [Qnum Qden]. ring.
Qed.
Definition low_t (u : positive) (on : interval) : Q := over_unit u (low on).
Definition in_range (u : positive) (on : interval) (t : R) : Prop :=
  0 < t /\ Q2R (low_t u on) <= t /\
  match high on with Some b => t <= Q2R (over_unit u b) | None => True end.
Lemma inside_range u on eps : 0 < eps -> inside on eps -> in_range u on (eps / IZR (Zpos u)).
Proof.
  intros H0 [H1 H2]. assert (U : 0 < / IZR (Zpos u)) by (apply Rinv_0_lt_compat; now apply IZR_lt).
  split; [now apply scaled_positive | split].
  - unfold low_t. rewrite over_unit_val. apply Rmult_le_compat_r; [lra |]. destruct (low_closed on); lra.
  - destruct (high on) as [b|]; [| exact I]. rewrite over_unit_val.
    apply Rmult_le_compat_r; [lra |]. destruct (high_closed on); lra.
Qed.

(* For &&& and |||, which compute the second part only if the first one does not decide. *)
Lemma both (a b : bool) : (if a then b else false) = true -> a = true /\ b = true.
Proof. now destruct a. Qed.
Lemma either (a b : bool) : (if a then true else b) = true -> a = true \/ b = true.
Proof. destruct a; [now left | now right]. Qed.

(* How signs are proved. *)
Record prover := Prover {
  nonnegative_on : positive -> interval -> fn -> bool;
  positive_on : positive -> interval -> fn -> bool;
  nonnegative_on_sound : forall u on f, nonnegative_on u on f = true -> forall t, in_range u on t -> 0 <= val f t;
  positive_on_sound : forall u on f, positive_on u on f = true -> forall t, in_range u on t -> 0 < val f t;
}.

(* By so many derivatives at 0, or at the lower end with so many terms of exp. *)
Section Chains.
  Variables (terms fuel : nat) (u : positive) (on : interval) (f : fn).
  Definition from_low : bool := negb (Qle_bool (low_t u on) 0).
  Definition nonnegative_by_chain : bool :=
    nonneg fuel f ||| (from_low &&& nonneg_from terms fuel (low_t u on) f).
  Definition positive_by_chain : bool :=
    strict fuel f ||| (from_low &&& strict_from terms fuel (low_t u on) f).
  Lemma nonnegative_by_chain_sound : nonnegative_by_chain = true -> forall t, in_range u on t -> 0 <= val f t.
  Proof.
    unfold nonnegative_by_chain. intros H t [H0 [H1 _]]. apply either in H as [H | H].
    - now apply nonneg_sound with fuel.
    - apply both in H as [_ H]. now apply nonneg_from_sound with terms fuel (low_t u on).
  Qed.
  Lemma positive_by_chain_sound : positive_by_chain = true -> forall t, in_range u on t -> 0 < val f t.
  Proof.
    unfold positive_by_chain. intros H t [H0 [H1 _]]. apply either in H as [H | H].
    - now apply strict_sound with fuel.
    - apply both in H as [_ H]. now apply strict_from_sound with terms fuel (low_t u on).
  Qed.
End Chains.
Definition Effort (terms fuel : nat) : prover :=
  Prover (nonnegative_by_chain terms fuel) (positive_by_chain terms fuel)
    (nonnegative_by_chain_sound terms fuel) (positive_by_chain_sound terms fuel).

(* The first that does it, of some numbers or provers. *)
Fixpoint first_that {A} (does : A -> bool) (l : list A) : bool :=
  match l with [] => false | a :: l => does a ||| first_that does l end.
Lemma first_that_sound {A} (does : A -> bool) l : first_that does l = true -> exists a, does a = true.
Proof.
  induction l as [|a l IH]; intros H; [discriminate H |].
  apply either in H as [H | H]; [now exists a | exact (IH H)].
Qed.
Section First.
  Variables (l : list prover) (u : positive) (on : interval) (f : fn).
  Definition nonnegative_by_first : bool := first_that (fun e => nonnegative_on e u on f) l.
  Definition positive_by_first : bool := first_that (fun e => positive_on e u on f) l.
  Lemma nonnegative_by_first_sound : nonnegative_by_first = true -> forall t, in_range u on t -> 0 <= val f t.
  Proof. intros H. apply first_that_sound in H as [e H]. exact (nonnegative_on_sound e u on f H). Qed.
  Lemma positive_by_first_sound : positive_by_first = true -> forall t, in_range u on t -> 0 < val f t.
  Proof. intros H. apply first_that_sound in H as [e H]. exact (positive_on_sound e u on f H). Qed.
End First.
Definition First (l : list prover) : prover :=
  Prover (nonnegative_by_first l) (positive_by_first l) (nonnegative_by_first_sound l) (positive_by_first_sound l).

Lemma by_first {A : Type} {P : Prop} {does : A -> bool} (l : list A) :
  (forall a, does a = true -> P) -> first_that does l = true -> P.
Proof. intros H F. apply first_that_sound in F as [a F]. exact (H a F). Qed.

(* More derivatives than any function has, and more and more terms of exp. *)
Definition fuel : nat := 1000.
Definition precisions : list nat := [8; 16; 32; 64; 128]%nat.
Definition Chains : prover := First (map (fun terms => Effort terms fuel) precisions).
