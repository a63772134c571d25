(** * Among all laws with non-negative ties, the one with equal ties is the most spread (step 5 of the exact loss of groups)

    A law on {0,1}^n is [tied] with [c] if, given all other places, a place that is 1 makes the odds of another being 1 at least 1 and at most c times as
    high. For such a law q there is u such that the number of ones, seen through the points S^0 < S^1 < ..., has the same mean as under the law of weights
    c^(k (k - 1) / 2) u^k, and no convex function has a larger mean under q ([most_spread]; S is at least c). *)
Require Import Reals Lra Lia Psatz Arith Ranalysis Bool.
From Kith Require Import Levels Tilt.
Open Scope R_scope.

(** ** The law with equal ties *)
Section Equal.
Variable c : R.
Hypothesis c1 : 1 <= c.
(** c^(k (k - 1) / 2) *)
Fixpoint wt (k : nat) : R := match k with O => 1 | S k => c ^ k * wt k end.
Definition cw n u f := bin n (fun k => wt k * u ^ k * f k).
Definition mass n u := bin n (fun k => wt k * u ^ k).
Definition mean n u f := cw n u f / mass n u.

Lemma wt_pos k : 0 < wt k.
Proof. induction k; simpl; [lra|]. apply Rmult_lt_0_compat; [apply pow_lt; lra|easy]. Qed.
Lemma weight_pos u k : 0 < u -> 0 < wt k * u ^ k.
Proof. intro. apply Rmult_lt_0_compat; [apply wt_pos|now apply pow_lt]. Qed.
Lemma mass_pos n u : 0 < u -> 0 < mass n u.
Proof. intro. apply bin_pos. intros. now apply weight_pos. Qed.
Lemma cw_mass n u : cw n u (fun _ => 1) = mass n u.
Proof. apply bin_ext. intro. ring. Qed.
(** One more place, first or last. *)
Lemma cw_more n u f : cw (S n) u f = cw n u f + u * cw n (c * u) (fun k => f (S k)).
Proof.
  unfold cw. cbn [bin]. rewrite <- bin_scale. f_equal. apply bin_ext. intro k. cbn [wt pow]. rewrite Rpow_mult_distr. ring.
Qed.
Lemma mean_lin n u a b f g : mean n u (fun k => a * f k + b * g k) = a * mean n u f + b * mean n u g.
Proof.
  unfold mean, cw. rewrite (bin_ext n _ (fun k => a * (wt k * u ^ k * f k) + b * (wt k * u ^ k * g k))) by (intro; ring).
  rewrite bin_add, !bin_scale. unfold Rdiv. ring.
Qed.
Lemma mean_one n u : 0 < u -> mean n u (fun _ => 1) = 1.
Proof. intro. unfold mean. rewrite cw_mass. assert (m := mass_pos n u H). field. lra. Qed.
Lemma cw_mean n u f : 0 < u -> cw n u f = mean n u f * mass n u.
Proof. intro. unfold mean. assert (m := mass_pos n u H). field. lra. Qed.
(* weights that add up to 1 *)
Lemma mean_bin n u f : mean n u f = bin n (fun k => wt k * u ^ k / mass n u * f k).
Proof. unfold mean, cw. rewrite <- (Rmult_1_l (bin n _)). unfold Rdiv. rewrite Rmult_1_l, Rmult_comm, <- bin_scale. apply bin_ext. intro. ring. Qed.
Lemma mean_up n u v f : 0 < u -> u <= v -> (forall j k, (j <= k)%nat -> f j <= f k) -> mean n u f <= mean n v f.
Proof.
  intros u0 uv F. assert (mu := mass_pos n u u0). assert (mv := mass_pos n v ltac:(lra)). unfold mean.
  apply Rmult_le_reg_r with (mass n u * mass n v); [now apply Rmult_lt_0_compat|].
  replace (cw n u f / mass n u * (mass n u * mass n v)) with (cw n u f * mass n v) by (field; lra).
  replace (cw n v f / mass n v * (mass n u * mass n v)) with (cw n v f * mass n u) by (field; lra).
  unfold cw, mass. apply moved_up; [|exact F]. intros j k jk _.
  replace (u ^ k) with (u ^ j * u ^ (k - j)) by (rewrite <- pow_add; f_equal; lia).
  replace (v ^ k) with (v ^ j * v ^ (k - j)) by (rewrite <- pow_add; f_equal; lia).
  assert (P : u ^ (k - j) <= v ^ (k - j)) by (apply pow_incr; lra).
  assert (W : 0 <= wt j * wt k * u ^ j * v ^ j).
  { left. assert (a := wt_pos j). assert (b := wt_pos k). assert (d := pow_lt u j u0). assert (e := pow_lt v j ltac:(lra)). repeat apply Rmult_lt_0_compat; auto. }
  apply (Rmult_le_compat_l _ _ _ W) in P. lra.
Qed.

(** Where one geometric sequence is above a mixture of one that falls faster and one that rises faster is an interval. *)
Lemma mixed x u y a b g i j k : 0 < x -> x <= u -> u <= y -> 0 <= g -> (i <= j)%nat -> (j <= k)%nat ->
  a * x ^ i + b * y ^ i < g * u ^ i -> a * x ^ k + b * y ^ k < g * u ^ k -> a * x ^ j + b * y ^ j < g * u ^ j.
Proof.
  intros x0 xu uy g0 ij jk Di Dk. set (Q := y / x). set (e := u / x).
  assert (EQ : y = Q * x) by (unfold Q; field; lra). assert (Ee : u = e * x) by (unfold e; field; lra).
  assert (e1 : 1 <= e) by (apply Rmult_le_reg_r with x; [easy|]; lra). assert (eQ : e <= Q) by (apply Rmult_le_reg_r with x; [easy|]; lra).
  set (h := fun k => a + b * Q ^ k - g * e ^ k).
  assert (E : forall k, a * x ^ k + b * y ^ k < g * u ^ k <-> h k < 0).
  { intro l. unfold h. assert (p := pow_lt x l x0). rewrite EQ, Ee, !Rpow_mult_distr. split; intro H.
    - apply Rmult_lt_reg_r with (x ^ l); [easy|]. lra.
    - apply (Rmult_lt_compat_r (x ^ l)) in H; [|easy]. lra. }
  rewrite E in *. destruct (Rle_lt_or_eq_dec 1 Q ltac:(lra)) as [Q1|Q1].
  - apply (negative_between (fun k => Q ^ k) h) with i k; auto.
    + intro l. cbn [pow]. assert (p := pow_lt Q l ltac:(lra)). nra.
    + intro l. unfold h. cbn [pow]. assert (p := pow_lt Q l ltac:(lra)). assert (q := pow_lt e l ltac:(lra)).
      assert (T : 0 <= g * (Q ^ l * e ^ l) * ((e - 1) * (Q - 1) * (Q - e))).
      { apply Rmult_le_pos; [apply Rmult_le_pos; [easy|]; left; now apply Rmult_lt_0_compat|]. repeat apply Rmult_le_pos; lra. }
      apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0. eapply Rle_trans; [exact T|]. right. ring.
  - assert (e = 1) by lra. unfold h in *. rewrite H, <- Q1, !pow1 in *. easy.
Qed.

Section Points.
Variable z : nat -> R.
Hypothesis up : rising z.
(** Three laws of the family: the middle one is the least spread, if the outer ones are mixed so that the means agree. *)
Lemma middle n x u y phi : convex z phi -> 0 < x -> x <= u -> u <= y ->
  (mean n u phi - mean n x phi) * (mean n y z - mean n u z) <= (mean n y phi - mean n u phi) * (mean n u z - mean n x z).
Proof.
  intros C x0 xu uy. set (A := mean n y z - mean n u z). set (B := mean n u z - mean n x z).
  assert (F : forall j k, (j <= k)%nat -> z j <= z k) by (intros; now apply z_le).
  assert (A0 : 0 <= A) by (unfold A; assert (h := mean_up n u y z ltac:(lra) uy F); lra).
  assert (B0 : 0 <= B) by (unfold B; assert (h := mean_up n x u z x0 xu F); lra).
  assert (mx := mass_pos n x x0). assert (mu := mass_pos n u ltac:(lra)). assert (my := mass_pos n y ltac:(lra)).
  set (U := fun k => (A + B) * (wt k * u ^ k / mass n u)). set (V := fun k => A * (wt k * x ^ k / mass n x) + B * (wt k * y ^ k / mass n y)).
  assert (EU : forall f, bin n (fun k => f k * U k) = (A + B) * mean n u f).
  { intro f. rewrite mean_bin, <- bin_scale. apply bin_ext. intro. unfold U. ring. }
  assert (EV : forall f, bin n (fun k => f k * V k) = A * mean n x f + B * mean n y f).
  { intro f. rewrite !mean_bin, <- !bin_scale, <- bin_add. apply bin_ext. intro. unfold V. ring. }
  assert (K := cut z phi n U V up C). rewrite !EU, !EV in K.
  assert (E0 : bin n U = bin n V).
  { rewrite (bin_ext n U (fun k => 1 * U k)), (bin_ext n V (fun k => 1 * V k)) by (intro; ring).
    rewrite EU, EV, !mean_one by lra. ring. }
  specialize (K E0 ltac:(unfold A, B; ring)). enough (T : (A + B) * mean n u phi <= A * mean n x phi + B * mean n y phi) by (unfold A, B in *; lra).
  apply K. intros i j k ij jk kn Di Dk.
  assert (E : forall l, V l < U l <-> A / mass n x * x ^ l + B / mass n y * y ^ l < (A + B) / mass n u * u ^ l).
  { intro l. unfold U, V. assert (w := wt_pos l). split; intro H.
    - apply Rmult_lt_reg_l with (wt l); [easy|]. unfold Rdiv in *. lra.
    - apply (Rmult_lt_compat_l (wt l)) in H; [|easy]. unfold Rdiv in *. lra. }
  rewrite E in *. apply mixed with i k; auto. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
Qed.
(** Two laws of the family with the same mean give the same mean of all convex functions. *)
Lemma same_le n u v phi : convex z phi -> 0 < u -> 0 < v -> mean n u z = mean n v z -> mean n u phi <= mean n v phi.
Proof.
  intros C u0 v0 E. assert (mu := mass_pos n u u0). assert (mv := mass_pos n v v0).
  assert (T : forall w f, mean n w f = bin n (fun k => f k * (wt k * w ^ k / mass n w))) by (intros; rewrite mean_bin; apply bin_ext; intro; ring).
  rewrite !T. apply (cut z phi n); auto.
  - rewrite (bin_ext n (fun k => wt k * u ^ k / mass n u) (fun k => 1 * (wt k * u ^ k / mass n u))) by (intro; ring).
    rewrite (bin_ext n (fun k => wt k * v ^ k / mass n v) (fun k => 1 * (wt k * v ^ k / mass n v))) by (intro; ring).
    rewrite <- (T u (fun _ => 1)), <- (T v (fun _ => 1)). now rewrite !mean_one.
  - now rewrite <- !T.
  - intros i j k ij jk _ Di Dk.
    assert (D : forall l, wt l * v ^ l / mass n v < wt l * u ^ l / mass n u <-> / mass n v * v ^ l < / mass n u * u ^ l).
    { intro l. assert (w := wt_pos l). split; intro H.
      - apply Rmult_lt_reg_l with (wt l); [easy|]. unfold Rdiv in *. lra.
      - apply (Rmult_lt_compat_l (wt l)) in H; [|easy]. unfold Rdiv in *. lra. }
    rewrite D in *. assert (pu := Rinv_0_lt_compat _ mu). destruct (Rle_dec v u) as [h|h].
    + assert (M := mixed v u u (/ mass n v) 0 (/ mass n u) i j k). rewrite !Rmult_0_l, !Rplus_0_r in M. apply M; auto; lra.
    + assert (M := mixed u u v 0 (/ mass n v) (/ mass n u) i j k). rewrite !Rmult_0_l, !Rplus_0_l in M. apply M; auto; lra.
Qed.
Lemma same n u v phi : convex z phi -> 0 < u -> 0 < v -> mean n u z = mean n v z -> mean n u phi = mean n v phi.
Proof. intros. apply Rle_antisym; now apply same_le. Qed.
(** Four of them: slopes rise. *)
Lemma slopes n p1 p2 p3 p4 phi : convex z phi -> 0 < p1 -> p1 <= p2 -> p2 <= p3 -> p3 <= p4 ->
  (mean n p2 phi - mean n p1 phi) * (mean n p4 z - mean n p3 z) <= (mean n p4 phi - mean n p3 phi) * (mean n p2 z - mean n p1 z).
Proof.
  intros C h1 h2 h3 h4. assert (F : forall j k, (j <= k)%nat -> z j <= z k) by (intros; now apply z_le).
  assert (a := mean_up n p1 p2 z h1 h2 F). assert (b := mean_up n p2 p3 z ltac:(lra) h3 F). assert (d := mean_up n p3 p4 z ltac:(lra) h4 F).
  destruct (Rle_lt_or_eq_dec _ _ b) as [lt|eq].
  - assert (A := middle n p1 p2 p3 phi C h1 h2 h3). assert (B := middle n p2 p3 p4 phi C ltac:(lra) h3 h4).
    set (r1 := mean n p1 z) in *. set (r2 := mean n p2 z) in *. set (r3 := mean n p3 z) in *. set (r4 := mean n p4 z) in *.
    set (f1 := mean n p1 phi) in *. set (f2 := mean n p2 phi) in *. set (f3 := mean n p3 phi) in *. set (f4 := mean n p4 phi) in *.
    apply Rmult_le_reg_r with (r3 - r2); [lra|].
    apply (Rmult_le_compat_r (r4 - r3)) in A; [|lra]. apply (Rmult_le_compat_r (r2 - r1)) in B; [|lra].
    apply Rle_trans with ((f3 - f2) * (r2 - r1) * (r4 - r3)); lra.
  - assert (f := same n p2 p3 phi C ltac:(lra) ltac:(lra) eq). assert (A := middle n p1 p2 p4 phi C h1 h2 ltac:(lra)). rewrite <- f, <- eq in *. exact A.
Qed.
End Points.
End Equal.

(** ** Points S^k *)
Section Powers.
Variables c s : R.
Hypothesis c1 : 1 <= c.
Hypothesis cs : c <= s.
Hypothesis s1 : 1 < s.
Definition z (k : nat) := s ^ k.
Lemma z_up : rising z.
Proof. intro k. unfold z. cbn [pow]. assert (p := pow_lt s k ltac:(lra)). nra. Qed.
Lemma convex_iff phi : convex z phi <-> forall k, s * (phi (S k) - phi k) <= phi (S (S k)) - phi (S k).
Proof.
  split; intros H k; specialize (H k); unfold z in *; cbn [pow] in *; assert (p := pow_lt s k ltac:(lra)).
  - apply Rmult_le_reg_r with (s ^ k * (s - 1)); [apply Rmult_lt_0_compat; lra|]. lra.
  - apply (Rmult_le_compat_r (s ^ k * (s - 1))) in H; [lra|]. apply Rmult_le_pos; lra.
Qed.
Lemma convex_z a b : convex z (fun k => a + b * z k).
Proof. apply convex_iff. intro. unfold z. cbn [pow]. lra. Qed.
Lemma convex_next phi : convex z phi -> convex z (fun k => phi (S k)).
Proof. rewrite !convex_iff. intros H k. apply H. Qed.
(** z^(1 + tau) - a z^tau for 0 <= tau <= 1, with t = s^tau *)
Lemma convex_powers t a : 1 <= t -> t <= s -> 0 <= a -> convex z (fun k => (s * t) ^ k - a * t ^ k).
Proof.
  intros t1 ts a0. apply convex_iff. intro k. cbn [pow]. rewrite Rpow_mult_distr.
  assert (p := pow_lt s k ltac:(lra)). assert (q := pow_lt t k ltac:(lra)).
  assert (A : 0 <= s ^ k * t ^ k * (s * ((s * t - 1) * (t - 1)))).
  { apply Rmult_le_pos; [left; now apply Rmult_lt_0_compat|]. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; nra. }
  assert (B : 0 <= a * t ^ k * ((t - 1) * (s - t))).
  { apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. apply Rmult_le_pos; lra. }
  apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0. eapply Rle_trans; [exact (Rplus_le_le_0_compat _ _ A B)|]. right. ring.
Qed.
Notation mean := (mean c). Notation mass := (mass c). Notation cw := (cw c).
Lemma z_mono j k : (j <= k)%nat -> z j <= z k.
Proof. apply z_le, z_up. Qed.

(** Two laws of n places, one seen one place higher: the further apart they are, the more spread is the mixture. *)
Lemma apart n v u0 u1 p0 p1 phi : convex z phi -> 0 < v -> v <= u0 -> u0 <= u1 -> u1 <= c * v -> 0 <= p0 -> 0 <= p1 ->
  p0 * mean n u0 z + p1 * (s * mean n u1 z) = p0 * mean n v z + p1 * (s * mean n (c * v) z) ->
  p0 * mean n u0 phi + p1 * mean n u1 (fun k => phi (S k)) <= p0 * mean n v phi + p1 * mean n (c * v) (fun k => phi (S k)).
Proof.
  intros C v0 h1 h2 h3 q0 q1 E.
  assert (A := slopes c c1 z z_up n v u0 u1 (c * v) phi C v0 h1 h2 h3).
  assert (r21 := mean_up c c1 n v u0 z v0 h1 z_mono). assert (r43 := mean_up c c1 n u1 (c * v) z ltac:(lra) h3 z_mono).
  assert (P : s * (mean n (c * v) phi - mean n u1 phi) <= mean n (c * v) (fun k => phi (S k)) - mean n u1 (fun k => phi (S k))).
  { assert (M := mean_up c c1 n u1 (c * v) (fun k => 1 * phi (S k) + (- s) * phi k) ltac:(lra) h3). rewrite !mean_lin in M. enough (T : forall j k, (j <= k)%nat -> 1 * phi (S j) + - s * phi j <= 1 * phi (S k) + - s * phi k) by (specialize (M T); lra).
    induction 1 as [|k H IH]; [lra|]. rewrite convex_iff in C. specialize (C k). lra. }
  set (r1 := mean n v z) in *. set (r2 := mean n u0 z) in *. set (r3 := mean n u1 z) in *. set (r4 := mean n (c * v) z) in *.
  set (f1 := mean n v phi) in *. set (f2 := mean n u0 phi) in *. set (f3 := mean n u1 phi) in *. set (f4 := mean n (c * v) phi) in *.
  apply (Rmult_le_compat_l p1) in P; [|easy]. enough (T : p0 * (f2 - f1) <= p1 * (s * (f4 - f3))) by lra.
  assert (E' : p0 * (r2 - r1) = p1 * (s * (r4 - r3))) by lra.
  destruct (Rle_lt_or_eq_dec _ _ r43) as [lt|eq].
  - apply Rmult_le_reg_r with (r4 - r3); [lra|]. apply (Rmult_le_compat_l p0) in A; [|easy].
    replace (p1 * (s * (f4 - f3)) * (r4 - r3)) with ((f4 - f3) * (p1 * (s * (r4 - r3)))) by ring. rewrite <- E'. lra.
  - assert (e43 : f3 = f4) by (apply (same c c1 z z_up); auto; lra). rewrite e43, eq in *.
    replace (p1 * (s * (f4 - f4))) with 0 by ring. replace (p1 * (s * (r4 - r4))) with 0 in E' by ring.
    destruct (Rmult_integral _ _ E') as [p|D].
    + rewrite p. lra.
    + assert (e21 : f1 = f2).
      { apply (same c c1 z z_up); auto; [lra|]. change (r1 = r2). lra. }
      rewrite e21. lra.
Qed.

(** One of [n + 1] places singled out, its law as strongly tied as allowed: some law with equal ties on n + 1 places is at least as spread. *)
Lemma cw_continuous n f a : continuity (fun v => cw n (a * v) f).
Proof.
  unfold Spread.cw. apply (bin_continuous n (fun k v => wt c k * (a * v) ^ k * f k)). intros k. reg.
Qed.
Lemma mass_le n u v : 0 < u -> u <= v -> mass n u <= mass n v.
Proof. intros. apply bin_le. intros k _. apply Rmult_le_compat_l; [left; now apply wt_pos|]. apply pow_incr; lra. Qed.
Lemma mass_scaled n u : 0 < u -> mass n (c * u) <= c ^ n * mass n u.
Proof.
  intros. unfold Spread.mass. rewrite <- bin_scale. apply bin_le. intros k hk. rewrite Rpow_mult_distr.
  assert (a := weight_pos c c1 u k H). assert (c ^ k <= c ^ n) by now apply Rle_pow. nra.
Qed.
Lemma mean_next n u : mean n u (fun k => z (S k)) = s * mean n u z.
Proof.
  transitivity (mean n u (fun k => s * z k + 0 * z k)); [|rewrite mean_lin; ring].
  unfold Spread.mean, Spread.cw. f_equal. apply bin_ext. intro. unfold z. cbn [pow]. ring.
Qed.
Lemma mean_grows n u : 0 < u -> mean n u z <= s * mean n (c * u) z.
Proof.
  intro. rewrite <- mean_next. eapply Rle_trans; [apply (mean_up c c1 n u (c * u)); [easy|nra|apply z_mono]|].
  assert (E : forall f g, (forall k, f k <= g k) -> mean n (c * u) f <= mean n (c * u) g); [|apply E; intro; apply z_mono; lia].
  intros f g L. unfold Spread.mean. assert (m := mass_pos c c1 n (c * u) ltac:(nra)). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
  apply bin_le. intros k _. apply Rmult_le_compat_l; [|easy]. left. apply weight_pos; nra.
Qed.
Lemma joined n v p0 p1 : 0 < v -> 0 < p0 -> 0 < p1 -> exists u, 0 < u /\ forall phi, convex z phi ->
  p0 * mean n v phi + p1 * mean n (c * v) (fun k => phi (S k)) <= (p0 + p1) * mean (S n) u phi.
Proof.
  intros v0 q0 q1. set (m := p0 * mean n v z + p1 * (s * mean n (c * v) z)).
  assert (cn : 1 <= c ^ n) by now apply pow_R1_Rle.
  assert (more : forall u, 0 < u -> cw (S n) u z = mass n u * mean n u z + u * mass n (c * u) * (s * mean n (c * u) z)).
  { intros u u0. rewrite cw_more, (cw_mean c c1 n u z u0), (cw_mean c c1 n (c * u)) by nra. rewrite mean_next. ring. }
  assert (mass_more : forall u, mass (S n) u = mass n u + u * mass n (c * u)).
  { intro u. rewrite <- !(cw_mass c). now rewrite cw_more. }
  (* some u with the right mean *)
  destruct (zero_between (fun u => (p0 + p1) * cw (S n) (1 * u) z - m * cw (S n) (1 * u) (fun _ => 1)) (Rmin v (p1 / (p0 * c ^ n))) (Rmax v (p1 / p0))) as (u & [ul uh] & e).
  - apply (continuity_minus (fun u => (p0 + p1) * cw (S n) (1 * u) z) (fun u => m * cw (S n) (1 * u) (fun _ => 1)));
      [apply (continuity_scal (fun u => cw (S n) (1 * u) z))|apply (continuity_scal (fun u => cw (S n) (1 * u) (fun _ => 1)))]; apply cw_continuous.
  - eapply Rle_trans; [apply Rmin_l|apply Rmax_l].
  - set (u := Rmin _ _). rewrite !Rmult_1_l, cw_mass.
    assert (d0 : 0 < p1 / (p0 * c ^ n)) by (apply Rdiv_lt_0_compat; nra).
    assert (u0 : 0 < u) by (now apply Rmin_glb_lt). assert (uv : u <= v) by apply Rmin_l.
    assert (ratio : u * c ^ n * p0 <= p1).
    { assert (h : u <= p1 / (p0 * c ^ n)) by apply Rmin_r. apply (Rmult_le_compat_r (p0 * c ^ n)) in h; [|nra].
      replace (p1 / (p0 * c ^ n) * (p0 * c ^ n)) with p1 in h by (field; lra). lra. }
    rewrite more, mass_more by easy. assert (A := mean_up c c1 n u v z u0 uv z_mono). assert (B := mean_up c c1 n (c * u) (c * v) z ltac:(nra) ltac:(nra) z_mono).
    assert (AB := mean_grows n u u0). assert (a0 := mass_pos c c1 n u u0). assert (b0 := mass_pos c c1 n (c * u) ltac:(nra)).
    assert (b1 := mass_scaled n u u0). unfold m. apply (Rmult_le_compat_l s) in B; [|lra].
    set (A' := mean n u z) in *. set (B' := s * mean n (c * u) z) in *. set (A0 := mean n v z) in *. set (B0 := s * mean n (c * v) z) in *.
    set (a := mass n u) in *. set (b' := mass n (c * u)) in *.
    assert (R : u * b' * p0 <= a * p1).
    { apply (Rmult_le_compat_l (u * p0)) in b1; [|nra]. apply (Rmult_le_compat_r a) in ratio; [|lra]. lra. }
    set (b := u * b') in *. assert (b00 : 0 < b) by (now apply Rmult_lt_0_compat).
    apply Rle_trans with ((p0 + p1) * (a * A' + b * B') - (p0 * A' + p1 * B') * (a + b)).
    + apply Rplus_le_compat_l, Ropp_le_contravar. apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
    + replace ((p0 + p1) * (a * A' + b * B') - (p0 * A' + p1 * B') * (a + b)) with (- ((B' - A') * (a * p1 - b * p0))) by ring.
      assert (0 <= (B' - A') * (a * p1 - b * p0)) by (apply Rmult_le_pos; lra). lra.
  - set (u := Rmax _ _). rewrite !Rmult_1_l, cw_mass.
    assert (uv : v <= u) by apply Rmax_l. assert (u0 : 0 < u) by lra.
    assert (ratio : p1 <= u * p0).
    { assert (h : p1 / p0 <= u) by apply Rmax_r. apply (Rmult_le_compat_r p0) in h; [|lra]. replace (p1 / p0 * p0) with p1 in h by (field; lra). lra. }
    rewrite more, mass_more by easy. assert (A := mean_up c c1 n v u z v0 uv z_mono). assert (B := mean_up c c1 n (c * v) (c * u) z ltac:(nra) ltac:(nra) z_mono).
    assert (AB := mean_grows n u u0). assert (a0 := mass_pos c c1 n u u0). assert (b0 := mass_pos c c1 n (c * u) ltac:(nra)).
    assert (b1 := mass_le n u (c * u) u0 ltac:(nra)). unfold m. apply (Rmult_le_compat_l s) in B; [|lra].
    set (A' := mean n u z) in *. set (B' := s * mean n (c * u) z) in *. set (A0 := mean n v z) in *. set (B0 := s * mean n (c * v) z) in *.
    set (a := mass n u) in *. set (b' := mass n (c * u)) in *.
    assert (R : a * p1 <= u * b' * p0).
    { apply (Rmult_le_compat_l (u * p0)) in b1; [|nra]. apply (Rmult_le_compat_r a) in ratio; [|lra]. lra. }
    set (b := u * b') in *. assert (b00 : 0 < b) by (now apply Rmult_lt_0_compat).
    apply Rle_trans with ((p0 + p1) * (a * A' + b * B') - (p0 * A' + p1 * B') * (a + b)).
    + replace ((p0 + p1) * (a * A' + b * B') - (p0 * A' + p1 * B') * (a + b)) with ((B' - A') * (b * p0 - a * p1)) by ring.
      apply Rmult_le_pos; lra.
    + apply Rplus_le_compat_l, Ropp_le_contravar. apply Rmult_le_compat_r; [lra|]. apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - rewrite !Rmult_1_l, cw_mass in e.
    assert (u0 : 0 < u).
    { eapply Rlt_le_trans; [|exact ul]. apply Rmin_glb_lt; [easy|]. apply Rdiv_lt_0_compat; nra. }
    exists u. split; [easy|]. intros phi C. set (N := INR (S n)). assert (N0 : 0 < N) by (apply lt_0_INR; lia).
    assert (mv := mass_pos c c1 n v v0). assert (mcv := mass_pos c c1 n (c * v) ltac:(nra)). assert (mu := mass_pos c c1 (S n) u u0).
    set (al := p0 / mass n v). set (be := p1 / (v * mass n (c * v))). set (ga := (p0 + p1) / mass (S n) u).
    set (lin := fun k => (al * (N - INR k) + be * INR k) / N).
    assert (M : forall f, p0 * mean n v f + p1 * mean n (c * v) (fun k => f (S k)) = bin (S n) (fun k => f k * (wt c k * (lin k * v ^ k)))).
    { intro f. set (g := fun k => wt c k * v ^ k * f k).
      assert (G1 : p0 * mean n v f = al * bin n g) by (unfold al, Spread.mean, Spread.cw, g; field; lra).
      assert (G2 : p1 * mean n (c * v) (fun k => f (S k)) = be * bin n (fun k => g (S k))).
      { unfold be, Spread.mean, Spread.cw. rewrite (bin_ext n (fun k => g (S k)) (fun k => v * (wt c k * (c * v) ^ k * f (S k)))).
        - rewrite bin_scale. field. lra.
        - intro k. unfold g. cbn [wt pow]. rewrite Rpow_mult_distr. ring. }
      assert (B := bin_marked n g). fold N in B. rewrite G1, G2.
      rewrite (bin_ext (S n) _ (fun k => al * g k + (be - al) / N * (INR k * g k))) by (intro; unfold lin, g; field; lra).
      rewrite bin_add, !bin_scale, B. cbn [bin]. field. lra. }
    assert (V : forall f, (p0 + p1) * mean (S n) u f = bin (S n) (fun k => f k * (wt c k * (ga * u ^ k)))).
    { intro f. rewrite mean_bin, <- bin_scale. apply bin_ext. intro. unfold ga. field. lra. }
    rewrite M, V. apply (cut z phi (S n)); [apply z_up|easy| | |].
    + rewrite (bin_ext (S n) (fun k => wt c k * (lin k * v ^ k)) (fun k => 1 * (wt c k * (lin k * v ^ k)))) by (intro; ring).
      rewrite (bin_ext (S n) (fun k => wt c k * (ga * u ^ k)) (fun k => 1 * (wt c k * (ga * u ^ k)))) by (intro; ring).
      rewrite <- (M (fun _ => 1)), <- (V (fun _ => 1)), !mean_one by nra. ring.
    + rewrite <- M, <- V, mean_next. fold m. rewrite cw_mean in e by easy. apply Rmult_eq_reg_r with (mass (S n) u); lra.
    + intros i j k ij jk _ Di Dk. set (q := u / v). assert (Eq : u = q * v) by (unfold q; field; lra). assert (q0' : 0 < q) by now apply Rdiv_lt_0_compat.
      assert (E : forall l, wt c l * (ga * u ^ l) < wt c l * (lin l * v ^ l) <-> ga * q ^ l - lin l < 0).
      { intro l. assert (w := wt_pos c c1 l). assert (vl := pow_lt v l v0). rewrite Eq, Rpow_mult_distr. split; intro H.
        - apply Rmult_lt_reg_l in H; [|easy]. apply Rmult_lt_reg_r with (v ^ l); [easy|]. lra.
        - apply Rmult_lt_compat_l; [easy|]. apply (Rmult_lt_compat_r (v ^ l)) in H; [|easy]. lra. }
      rewrite E in *. apply (negative_between INR (fun l => ga * q ^ l - lin l)) with i k; auto.
      * intro l. rewrite S_INR. lra.
      * intro l. unfold lin. rewrite !S_INR. cbn [pow]. assert (ql := pow_lt q l q0').
        assert (T : 0 <= ga * q ^ l * ((q - 1) * (q - 1))).
        { apply Rmult_le_pos; [|apply Rle_0_sqr]. apply Rmult_le_pos; [|lra]. left. apply Rdiv_lt_0_compat; lra. }
        apply Rminus_le. apply Ropp_le_cancel. rewrite Ropp_0. eapply Rle_trans; [exact T|]. right. field. lra.
Qed.
End Powers.

(** ** Laws on {0,1}^n *)
Lemma csum_ext n : forall f g, (forall x, f x = g x) -> sum n f = sum n g.
Proof. induction n; simpl; intros f g H; [apply H|]. apply IHn. intro. now rewrite !H. Qed.
Lemma csum_scale n a : forall f, sum n (fun x => a * f x) = a * sum n f.
Proof. induction n; simpl; intro f; [easy|]. rewrite <- IHn. apply csum_ext. intro. ring. Qed.
Lemma csum_add n : forall f g, sum n (fun x => f x + g x) = sum n f + sum n g.
Proof. induction n; simpl; intros f g; [easy|]. rewrite <- IHn. apply csum_ext. intro. ring. Qed.
Lemma csum_le n : forall f g, (forall x, f x <= g x) -> sum n f <= sum n g.
Proof. induction n; simpl; intros f g H; [apply H|]. apply IHn. intro. now apply Rplus_le_compat. Qed.
Lemma csum_pos n : forall f, (forall x, 0 < f x) -> 0 < sum n f.
Proof. induction n; simpl; intros f H; [apply H|]. apply IHn. intro. now apply Rplus_lt_0_compat. Qed.
Lemma csum_first n f : sum (S n) f = sum n (fun y => f (false, y)) + sum n (fun y => f (true, y)).
Proof. simpl. apply csum_add. Qed.

Fixpoint ones (n : nat) : cube n -> nat := match n with O => fun _ => O | S m => fun x => ((if fst x then 1 else 0) + ones m (snd x))%nat end.
Lemma ones_join n : forall x y, (ones n x <= ones n (join n x y))%nat.
Proof. induction n; intros x y; [easy|]. destruct x as [b x], y as [d y]. specialize (IHn x y). destruct b, d; cbn [ones join fst snd orb]; lia. Qed.
Lemma join_comm n : forall x y, join n x y = join n y x.
Proof. induction n; intros x y; [easy|]. cbn [join]. now rewrite IHn, orb_comm. Qed.
Lemma tilt_ones n c : forall x, tilt n (fun _ => c) x = c ^ ones n x.
Proof. induction n; intro x; [easy|]. destruct x as [b x]. cbn [tilt ones fst snd]. rewrite IHn, pow_add. destruct b; simpl; ring. Qed.
Lemma sum_ones n : forall f, sum n (fun x => f (ones n x)) = bin n f.
Proof. induction n; intro f; [easy|]. rewrite csum_first. simpl. now rewrite (IHn f), (IHn (fun k => f (S k))). Qed.

(** [g / f] grows by a factor between 1 and c from place to place. *)
Fixpoint grows (c : R) (n : nat) : (cube n -> R) -> (cube n -> R) -> Prop := match n with
  | O => fun _ _ => True
  | S m => fun f g => (forall y, g (false, y) * f (true, y) <= g (true, y) * f (false, y) <= c * (g (false, y) * f (true, y)))
      /\ forall b, grows c m (fun y => f (b, y)) (fun y => g (b, y)) end.
Fixpoint tied (c : R) (n : nat) : (cube n -> R) -> Prop := match n with
  | O => fun _ => True
  | S m => fun q => tied c m (fun y => q (false, y)) /\ tied c m (fun y => q (true, y)) /\ grows c m (fun y => q (false, y)) (fun y => q (true, y)) end.

Section Tied.
Variable c : R.
Hypothesis c1 : 1 <= c.
Lemma grows_up n : forall f g, (forall x, 0 < f x) -> (forall x, 0 < g x) -> grows c n f g ->
  forall x y, g x * f (join n x y) <= g (join n x y) * f x.
Proof.
  induction n; intros f g fp gp H x y; [destruct x; simpl; lra|]. destruct x as [b x], y as [d y]. destruct H as [H0 H1]. simpl.
  assert (I : forall e, g (e, x) * f (e, join n x y) <= g (e, join n x y) * f (e, x)).
  { intro e. apply (IHn (fun z => f (e, z)) (fun z => g (e, z))); auto. }
  destruct b; simpl; [apply I|]. destruct d; simpl; [|apply I]. destruct (H0 (join n x y)) as [h _]. specialize (I false).
  assert (a := fp (false, join n x y)). assert (b := gp (false, join n x y)). assert (k := fp (false, x)). assert (l := gp (false, x)).
  apply Rmult_le_reg_r with (f (false, join n x y) * g (false, join n x y)); [now apply Rmult_lt_0_compat|].
  set (J := join n x y) in *.
  replace (g (false, x) * f (true, J) * (f (false, J) * g (false, J))) with ((g (false, x) * f (false, J)) * (g (false, J) * f (true, J))) by ring.
  replace (g (true, J) * f (false, x) * (f (false, J) * g (false, J))) with ((g (false, J) * f (false, x)) * (g (true, J) * f (false, J))) by ring.
  apply Rmult_le_compat; try assumption; left; apply Rmult_lt_0_compat; auto.
Qed.
(** Non-negative ties: the law favours what two outcomes share together with what either has. *)
Lemma tied_up n : forall q, (forall x, 0 < q x) -> tied c n q -> forall x y, q x * q y <= q (join n x y) * q (meet n x y).
Proof.
  induction n; intros q qp H x y; [destruct x, y; simpl; lra|]. destruct x as [b x], y as [d y]. destruct H as (T0 & T1 & G). simpl.
  assert (I : forall e, q (e, x) * q (e, y) <= q (e, join n x y) * q (e, meet n x y)).
  { intros [|]; [apply (IHn (fun z => q (true, z)))|apply (IHn (fun z => q (false, z)))]; auto. }
  assert (U : forall x y, q (true, x) * q (false, join n x y) <= q (true, join n x y) * q (false, x)).
  { intros x' y'. apply (grows_up n (fun z => q (false, z)) (fun z => q (true, z))); auto. }
  destruct b, d; simpl; [apply I| | |apply I].
  - assert (u := U x y). specialize (I false). assert (p := qp (false, x)). assert (p' := qp (false, join n x y)). assert (p2 := qp (true, x)). assert (p3 := qp (false, y)). assert (p4 := qp (true, join n x y)). assert (p5 := qp (false, meet n x y)).
    apply Rmult_le_reg_r with (q (false, x) * q (false, join n x y)); [now apply Rmult_lt_0_compat|].
    set (J := join n x y) in *. set (M := meet n x y) in *.
    replace (q (true, x) * q (false, y) * (q (false, x) * q (false, J))) with ((q (true, x) * q (false, J)) * (q (false, x) * q (false, y))) by ring.
    replace (q (true, J) * q (false, M) * (q (false, x) * q (false, J))) with ((q (true, J) * q (false, x)) * (q (false, J) * q (false, M))) by ring.
    apply Rmult_le_compat; try assumption; left; now apply Rmult_lt_0_compat.
  - assert (u := U y x). rewrite join_comm in u. specialize (I false). assert (p := qp (false, y)). assert (p' := qp (false, join n x y)). assert (p2 := qp (true, y)). assert (p3 := qp (false, x)). assert (p4 := qp (true, join n x y)). assert (p5 := qp (false, meet n x y)).
    apply Rmult_le_reg_r with (q (false, y) * q (false, join n x y)); [now apply Rmult_lt_0_compat|].
    set (J := join n x y) in *. set (M := meet n x y) in *.
    replace (q (false, x) * q (true, y) * (q (false, y) * q (false, J))) with ((q (true, y) * q (false, J)) * (q (false, x) * q (false, y))) by ring.
    replace (q (true, J) * q (false, M) * (q (false, y) * q (false, J))) with ((q (true, J) * q (false, y)) * (q (false, J) * q (false, M))) by ring.
    apply Rmult_le_compat; try assumption; left; now apply Rmult_lt_0_compat.
Qed.
Lemma grows_lip n : forall f g, (forall x, 0 < f x) -> (forall x, 0 < g x) -> grows c n f g -> lip n (fun _ => c) (fun x => g x / f x).
Proof.
  induction n; intros f g fp gp H; [easy|]. destruct H as [H0 H1]. split.
  - intro y. destruct (H0 y) as [a b]. assert (f0 := fp (false, y)). assert (f1 := fp (true, y)). assert (g0 := gp (false, y)).
    assert (P : 0 < f (false, y) * f (true, y)) by now apply Rmult_lt_0_compat.
    assert (E0 : g (false, y) / f (false, y) * (f (false, y) * f (true, y)) = g (false, y) * f (true, y)) by (field; lra).
    assert (E1 : g (true, y) / f (true, y) * (f (false, y) * f (true, y)) = g (true, y) * f (false, y)) by (field; lra).
    split; (apply Rmult_le_reg_r with (f (false, y) * f (true, y)); [exact P|]); rewrite Rmult_assoc, E0, E1; [easy|].
    apply Rle_trans with (1 := a). rewrite <- (Rmult_1_l (g (true, y) * f (false, y))) at 1. apply Rmult_le_compat_r; [|easy]. left. apply Rmult_lt_0_compat; auto.
  - intro b. apply (IHn (fun y => f (b, y)) (fun y => g (b, y))); auto.
Qed.

(** The first place tied as strongly as allowed with the others has the largest influence on a mean of powers; none at all, the least. *)
Section First.
Variables (n : nat) (q0 q1 : cube n -> R).
Hypothesis q0p : forall x, 0 < q0 x.
Hypothesis q1p : forall x, 0 < q1 x.
Hypothesis T0 : tied c n q0.
Hypothesis T1 : tied c n q1.
Hypothesis G : grows c n q0 q1.
Lemma first_least s : 1 <= s -> sum n q1 * sum n (fun x => q0 x * s ^ ones n x) <= sum n (fun x => q1 x * s ^ ones n x) * sum n q0.
Proof.
  intro s1. assert (W := tilt_is_worst n q0 q1 (fun _ => 1) (fun x => s ^ ones n x)). cbv beta in W.
  rewrite (csum_ext n (fun x => q1 x * 1) q1), (csum_ext n (fun x => q0 x * 1) q0) in W by (intro; ring).
  apply W; try (intro; left; auto; fail); try (intro; lra).
  - intro. left. apply pow_lt. lra.
  - intros x y. apply (tied_up (S n) (fun x => if fst x then q1 (snd x) else q0 (snd x))) with (x := (true, x)) (y := (false, y)); [intros [[|] u]; simpl; auto|easy].
  - intros x y. rewrite Rmult_1_l, Rmult_1_r. apply Rle_pow; [easy|].
    rewrite join_comm. apply ones_join.
Qed.
Lemma first_most s : 1 <= s ->
  sum n (fun x => q1 x * s ^ ones n x) * sum n (fun x => q0 x * c ^ ones n x) <= sum n (fun x => q0 x * (s * c) ^ ones n x) * sum n q1.
Proof.
  intro s1. assert (W := tilt_is_worst n q0 (fun x => q0 x * s ^ ones n x) (fun x => q1 x / q0 x) (tilt n (fun _ => c))). cbv beta in W.
  rewrite (csum_ext n (fun x => q0 x * s ^ ones n x * (q1 x / q0 x)) (fun x => q1 x * s ^ ones n x)) in W
    by (intro x; assert (p := q0p x); field; lra).
  rewrite (csum_ext n (fun x => q0 x * (q1 x / q0 x)) q1) in W by (intro x; assert (p := q0p x); field; lra).
  rewrite (csum_ext n (fun x => q0 x * tilt n (fun _ => c) x) (fun x => q0 x * c ^ ones n x)) in W by (intro; now rewrite tilt_ones).
  rewrite (csum_ext n (fun x => q0 x * s ^ ones n x * tilt n (fun _ => c) x) (fun x => q0 x * (s * c) ^ ones n x)) in W
    by (intro; rewrite tilt_ones, Rpow_mult_distr; ring).
  apply W.
  - intro. left. auto.
  - intro. left. apply Rmult_lt_0_compat; [auto|apply pow_lt; lra].
  - intro. left. apply Rdiv_lt_0_compat; auto.
  - intro. left. apply tilt_pos. auto.
  - intros x y. assert (S := tied_up n q0 ltac:(auto) T0 x y). assert (P : s ^ ones n x <= s ^ ones n (join n x y)) by (apply Rle_pow; [easy|apply ones_join]).
    assert (a := pow_lt s (ones n x) ltac:(lra)).
    replace (q0 x * s ^ ones n x * q0 y) with ((q0 x * q0 y) * s ^ ones n x) by ring.
    replace (q0 (join n x y) * s ^ ones n (join n x y) * q0 (meet n x y)) with ((q0 (join n x y) * q0 (meet n x y)) * s ^ ones n (join n x y)) by ring.
    apply Rmult_le_compat; try lra. left. apply Rmult_lt_0_compat; auto.
  - apply (tilt_steep n (fun _ => c) (fun x => q1 x / q0 x)); auto.
    + intro. left. apply Rdiv_lt_0_compat; auto.
    + now apply grows_lip.
Qed.
End First.

Variable s : R.
Hypothesis cs : c <= s.
Hypothesis s1 : 1 < s.
Notation z := (z s). Notation mean := (mean c). Notation mass := (mass c).
Definition at_least_as_spread n (q : cube n -> R) u := forall phi, convex z phi -> sum n (fun x => q x * phi (ones n x)) <= sum n q * mean n u phi.
Lemma spread_mean n q u : (forall x, 0 < q x) -> at_least_as_spread n q u -> sum n (fun x => q x * z (ones n x)) = sum n q * mean n u z.
Proof.
  intros qp D. assert (A := D (fun k => 0 + 1 * z k) (convex_z s s1 0 1)). assert (B := D (fun k => 0 + (-1) * z k) (convex_z s s1 0 (-1))).
  assert (E : forall a, mean n u (fun k => 0 + a * z k) = a * mean n u z).
  { intro a. transitivity (mean n u (fun k => a * z k + 0 * z k)); [|rewrite mean_lin; ring]. unfold Spread.mean, Spread.cw. f_equal. apply bin_ext. intro. ring. }
  rewrite !E in *. assert (F : forall a, sum n (fun x => q x * (0 + a * z (ones n x))) = a * sum n (fun x => q x * z (ones n x))).
  { intro a. rewrite <- csum_scale. apply csum_ext. intro. ring. }
  rewrite !F in *. lra.
Qed.
Theorem most_spread n : forall q, (forall x, 0 < q x) -> tied c n q -> exists u, 0 < u /\ at_least_as_spread n q u.
Proof.
  induction n as [|n IH]; intros q qp T.
  - exists 1. split; [lra|]. intros phi _. unfold Spread.mean, Spread.cw, Spread.mass. simpl. right. field.
  - set (q0 := fun y => q (false, y)). set (q1 := fun y => q (true, y)).
    assert (T' := T). destruct T' as (T0 & T1 & G).
    destruct (IH q0 ltac:(intro; apply qp) T0) as (u0 & u00 & D0). destruct (IH q1 ltac:(intro; apply qp) T1) as (u1' & u10 & D1).
    assert (E0 := spread_mean n q0 u0 ltac:(intro; apply qp) D0). assert (E1 := spread_mean n q1 u1' ltac:(intro; apply qp) D1).
    set (p0 := sum n q0) in *. set (p1 := sum n q1) in *.
    assert (p00 : 0 < p0) by (apply csum_pos; intro; apply qp). assert (p10 : 0 < p1) by (apply csum_pos; intro; apply qp).
    assert (cu0 : 0 < c * u0) by nra.
    (* the mean given that the first place is 1 is between those at u0 and at c u0 *)
    assert (lo : mean n u0 z <= mean n u1' z).
    { assert (F : p1 * sum n (fun x => q0 x * z (ones n x)) <= sum n (fun x => q1 x * z (ones n x)) * p0)
        by (apply (first_least n q0 q1); auto; try (intro; apply qp); lra).
      rewrite E0, E1 in F. apply Rmult_le_reg_l with (p0 * p1); [now apply Rmult_lt_0_compat|]. lra. }
    assert (hi : mean n u1' z <= mean n (c * u0) z).
    { assert (F : sum n (fun x => q1 x * z (ones n x)) * sum n (fun x => q0 x * c ^ ones n x) <= sum n (fun x => q0 x * (s * c) ^ ones n x) * p1)
        by (apply (first_most n q0 q1); auto; try (intro; apply qp); lra).
      set (la := mean n (c * u0) z). assert (la0 : 0 < la).
      { apply Rdiv_lt_0_compat; [|now apply mass_pos]. apply bin_pos. intros k _. apply Rmult_lt_0_compat; [now apply weight_pos|apply pow_lt; lra]. }
      assert (C := D0 (fun k => (s * c) ^ k - la * c ^ k) (convex_powers s s1 c la c1 cs ltac:(lra))). fold p0 in C.
      assert (Z0 : mean n u0 (fun k => (s * c) ^ k - la * c ^ k) = 0).
      { assert (m := mass_pos c c1 n (c * u0) cu0). assert (m0 := mass_pos c c1 n u0 u00). unfold Spread.mean, Spread.cw.
        rewrite (bin_ext n _ (fun k => wt c k * (c * u0) ^ k * z k + (- la) * (wt c k * (c * u0) ^ k))) by (intro; unfold Spread.z; rewrite !Rpow_mult_distr; ring).
        rewrite bin_add, bin_scale. unfold la, Spread.mean, Spread.cw. fold (mass n (c * u0)). field. split; lra. }
      rewrite Z0, Rmult_0_r in C.
      rewrite (csum_ext n _ (fun x => q0 x * (s * c) ^ ones n x + (- la) * (q0 x * c ^ ones n x))) in C by (intro; ring).
      rewrite csum_add, csum_scale in C. rewrite E1 in F.
      set (X := sum n (fun x => q0 x * (s * c) ^ ones n x)) in *. set (Y := sum n (fun x => q0 x * c ^ ones n x)) in *.
      assert (Y0 : 0 < Y) by (apply csum_pos; intro; apply Rmult_lt_0_compat; [apply qp|apply pow_lt; lra]).
      apply Rmult_le_reg_l with (p1 * Y); [now apply Rmult_lt_0_compat|]. assert (X * p1 <= la * Y * p1) by (apply Rmult_le_compat_r; lra). lra. }
    (* the law with equal ties of that mean *)
    assert (cont : forall a f, continuity (fun u => cw c n (a * u) f)) by (intros; now apply cw_continuous).
    destruct (zero_between (fun u => cw c n (1 * u) z - mean n u1' z * cw c n (1 * u) (fun _ => 1)) u0 (c * u0)) as (u1 & [l1 h1] & e1).
    { apply (continuity_minus (fun u => cw c n (1 * u) z) (fun u => mean n u1' z * cw c n (1 * u) (fun _ => 1))); [apply cont|].
      apply (continuity_scal (fun u => cw c n (1 * u) (fun _ => 1))). apply cont. }
    { nra. }
    { rewrite !Rmult_1_l, cw_mass, (cw_mean c c1 n u0 z u00). assert (m := mass_pos c c1 n u0 u00). nra. }
    { rewrite !Rmult_1_l, cw_mass, (cw_mean c c1 n (c * u0) z cu0). assert (m := mass_pos c c1 n (c * u0) cu0). nra. }
    rewrite !Rmult_1_l, cw_mass, (cw_mean c c1 n u1 z ltac:(lra)) in e1.
    assert (m1 := mass_pos c c1 n u1 ltac:(lra)). assert (E1' : mean n u1 z = mean n u1' z) by (apply Rmult_eq_reg_r with (mass n u1); lra). clear e1.
    assert (D1' : at_least_as_spread n q1 u1).
    { intros phi C. rewrite (same c c1 z (z_up s s1) n u1 u1' phi C ltac:(lra) u10 E1'). now apply D1. }
    (* apart: v and c v *)
    set (m := p0 * mean n u0 z + p1 * (s * mean n u1 z)).
    destruct (zero_between (fun v => p0 * (cw c n (1 * v) z * cw c n (c * v) (fun _ => 1)) + p1 * s * (cw c n (c * v) z * cw c n (1 * v) (fun _ => 1))
        - m * (cw c n (1 * v) (fun _ => 1) * cw c n (c * v) (fun _ => 1))) (u1 / c) u0) as (v & [lv hv] & e).
    { apply (continuity_minus (fun v => p0 * (cw c n (1 * v) z * cw c n (c * v) (fun _ => 1)) + p1 * s * (cw c n (c * v) z * cw c n (1 * v) (fun _ => 1)))
               (fun v => m * (cw c n (1 * v) (fun _ => 1) * cw c n (c * v) (fun _ => 1)))).
      - apply (continuity_plus (fun v => p0 * (cw c n (1 * v) z * cw c n (c * v) (fun _ => 1))) (fun v => p1 * s * (cw c n (c * v) z * cw c n (1 * v) (fun _ => 1)))).
        + apply (continuity_scal (fun v => cw c n (1 * v) z * cw c n (c * v) (fun _ => 1))). apply (continuity_mult (fun v => cw c n (1 * v) z) (fun v => cw c n (c * v) (fun _ => 1))); apply cont.
        + apply (continuity_scal (fun v => cw c n (c * v) z * cw c n (1 * v) (fun _ => 1))). apply (continuity_mult (fun v => cw c n (c * v) z) (fun v => cw c n (1 * v) (fun _ => 1))); apply cont.
      - apply (continuity_scal (fun v => cw c n (1 * v) (fun _ => 1) * cw c n (c * v) (fun _ => 1))).
        apply (continuity_mult (fun v => cw c n (1 * v) (fun _ => 1)) (fun v => cw c n (c * v) (fun _ => 1))); apply cont. }
    { apply Rmult_le_reg_r with c; [lra|]. replace (u1 / c * c) with u1 by (field; lra). lra. }
    { assert (w0 : 0 < u1 / c) by (apply Rdiv_lt_0_compat; lra). replace (c * (u1 / c)) with u1 by (field; lra). rewrite Rmult_1_l, !cw_mass, !(cw_mean c c1) by lra.
      assert (w : u1 / c <= u0). { apply Rmult_le_reg_r with c; [lra|]. replace (u1 / c * c) with u1 by (field; lra). lra. }
      assert (A := mean_up c c1 n (u1 / c) u0 z w0 w (z_mono s s1)). assert (ma := mass_pos c c1 n (u1 / c) w0). unfold m.
      assert (P : 0 < mass n (u1 / c) * mass n u1) by now apply Rmult_lt_0_compat.
      replace (p0 * (mean n (u1 / c) z * mass n (u1 / c) * mass n u1) + p1 * s * (mean n u1 z * mass n u1 * mass n (u1 / c)) -
        (p0 * mean n u0 z + p1 * (s * mean n u1 z)) * (mass n (u1 / c) * mass n u1))
        with (- (p0 * (mean n u0 z - mean n (u1 / c) z) * (mass n (u1 / c) * mass n u1))) by ring.
      assert (0 <= p0 * (mean n u0 z - mean n (u1 / c) z) * (mass n (u1 / c) * mass n u1)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra. }
    { rewrite Rmult_1_l, !cw_mass, !(cw_mean c c1) by lra. assert (A := mean_up c c1 n u1 (c * u0) z ltac:(lra) h1 (z_mono s s1)).
      assert (ma := mass_pos c c1 n u0 u00). assert (mb := mass_pos c c1 n (c * u0) cu0). unfold m.
      assert (P : 0 < mass n u0 * mass n (c * u0)) by now apply Rmult_lt_0_compat.
      replace (p0 * (mean n u0 z * mass n u0 * mass n (c * u0)) + p1 * s * (mean n (c * u0) z * mass n (c * u0) * mass n u0) -
        (p0 * mean n u0 z + p1 * (s * mean n u1 z)) * (mass n u0 * mass n (c * u0)))
        with (p1 * s * (mean n (c * u0) z - mean n u1 z) * (mass n u0 * mass n (c * u0))) by ring.
      apply Rmult_le_pos; [apply Rmult_le_pos|]; nra. }
    assert (v0 : 0 < v) by (eapply Rlt_le_trans; [|exact lv]; apply Rdiv_lt_0_compat; lra).
    assert (vu : u1 <= c * v) by (apply (Rmult_le_compat_r c) in lv; [|lra]; replace (u1 / c * c) with u1 in lv by (field; lra); lra).
    rewrite Rmult_1_l, !cw_mass, !(cw_mean c c1) in e by nra.
    assert (ma := mass_pos c c1 n v v0). assert (mb := mass_pos c c1 n (c * v) ltac:(nra)).
    assert (Em : m = p0 * mean n v z + p1 * (s * mean n (c * v) z)).
    { apply Rmult_eq_reg_r with (mass n v * mass n (c * v)); [lra|]. apply Rgt_not_eq. now apply Rmult_lt_0_compat. }
    destruct (joined c s c1 s1 n v p0 p1 v0 p00 p10) as (u & up & J). exists u. split; [easy|].
    intros phi C. rewrite !csum_first. fold q0 q1 p0 p1. simpl ones.
    eapply Rle_trans; [|apply J; exact C]. eapply Rle_trans; [|apply (apart c s c1 s1 n v u0 u1 p0 p1 phi C v0 hv l1 vu ltac:(lra) ltac:(lra)); exact Em].
    apply Rplus_le_compat; [now apply D0|]. apply (D1' (fun k => phi (S k))). now apply convex_next.
Qed.

(** Step 6: of the tie between two tilts, the law with equal ties has at least as much as q, at some u. *)
Theorem equal_is_worst n q t : (forall x, 0 < q x) -> tied c n q -> 1 <= t -> t <= s -> exists u, 0 < u /\
  sum n (fun x => q x * (s * t) ^ ones n x) * sum n q * (cw c n u (fun k => s ^ k) * cw c n u (fun k => t ^ k))
  <= cw c n u (fun k => (s * t) ^ k) * mass n u * (sum n (fun x => q x * s ^ ones n x) * sum n (fun x => q x * t ^ ones n x)).
Proof.
  intros qp T t1 ts. destruct (most_spread n q qp T) as (u & u0 & D). exists u. split; [easy|].
  assert (Eq := spread_mean n q u qp D). unfold Spread.z in Eq. rewrite Eq. assert (m := mass_pos c c1 n u u0).
  assert (P : forall a, 0 < a -> 0 < cw c n u (fun k => a ^ k)) by (intros a a0; apply bin_pos; intros k _; apply Rmult_lt_0_compat; [now apply weight_pos|now apply pow_lt]).
  assert (a := P s ltac:(lra)). assert (b := P t ltac:(lra)). assert (d := P (s * t) ltac:(nra)).
  set (la := cw c n u (fun k => (s * t) ^ k) / cw c n u (fun k => t ^ k)).
  assert (la0 : 0 < la) by now apply Rdiv_lt_0_compat.
  assert (C := D (fun k => (s * t) ^ k - la * t ^ k) (convex_powers s s1 t la t1 ts ltac:(lra))).
  assert (Z0 : mean n u (fun k => (s * t) ^ k - la * t ^ k) = 0).
  { unfold Spread.mean. replace (cw c n u (fun k => (s * t) ^ k - la * t ^ k)) with (cw c n u (fun k => (s * t) ^ k) - la * cw c n u (fun k => t ^ k)).
    - unfold la. field. split; lra.
    - unfold Spread.cw. rewrite (bin_ext n (fun k => wt c k * u ^ k * ((s * t) ^ k - la * t ^ k)) (fun k => wt c k * u ^ k * (s * t) ^ k + (- la) * (wt c k * u ^ k * t ^ k))) by (intro; ring).
      rewrite bin_add, bin_scale. ring. }
  rewrite Z0, Rmult_0_r in C.
  rewrite (csum_ext n _ (fun x => q x * (s * t) ^ ones n x + (- la) * (q x * t ^ ones n x))) in C by (intro; ring).
  rewrite csum_add, csum_scale in C.
  set (X := sum n (fun x => q x * (s * t) ^ ones n x)) in *. set (Y := sum n (fun x => q x * t ^ ones n x)) in *.
  assert (Q : 0 < sum n q) by now apply csum_pos. rewrite (cw_mean c c1 n u (fun k => s ^ k) u0). fold (z). change (fun k => s ^ k) with z in *.
  set (M := mean n u z) in *. set (N := cw c n u (fun k => t ^ k)) in *. set (O := cw c n u (fun k => (s * t) ^ k)) in *.
  assert (M0 : 0 < M) by (apply Rdiv_lt_0_compat; [exact a|easy]).
  replace (X * sum n q * (M * mass n u * N)) with ((X * N) * (sum n q * M * mass n u)) by ring.
  replace (O * mass n u * (sum n q * M * Y)) with ((O * Y) * (sum n q * M * mass n u)) by ring.
  apply Rmult_le_compat_r; [left; apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|easy]|].
  assert (E : la * N = O) by (unfold la; field; lra). rewrite <- E. assert (X <= la * Y) by lra. nra.
Qed.
End Tied.
Print Assumptions most_spread.
Print Assumptions equal_is_worst.
