(** * The best prevalence for the law with equal ties (step 7 of the exact loss of groups)

    How much two tilts of the law with equal ties reinforce each other is largest where the law is symmetric. This is the inequality of Griffiths, Hurst and
    Sherman for a complete graph; the proof takes two copies of the law and looks where they agree. *)
Require Import Reals Lra Lia Psatz Arith.
From Kith Require Import Levels Spread.
Open Scope R_scope.

Lemma inverse_pow p a b : 0 < p -> p ^ (a + b) * (/ p) ^ b = p ^ a.
Proof. intro. rewrite pow_add, Rmult_assoc, <- Rpow_mult_distr, Rinv_r, pow1 by lra. ring. Qed.
Lemma inverse_ge1 x : 1 <= x -> 0 < / x <= 1.
Proof. intro. split; [apply Rinv_0_lt_compat; lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. Qed.

(** ** One more member makes a symmetric law more sensitive *)
Section Symmetric.
Variable e : R.                       (* e^(-strength), for each pair of members that differ *)
Hypothesis e0 : 0 < e.
Hypothesis e1 : e <= 1.
(** n members, tied equally, under a field p; its sign does not matter. *)
Definition spins n p := bin n (fun k => e ^ (k * (n - k)) * (p ^ k * (/ p) ^ (n - k))).
Lemma spins_pos n p : 0 < p -> 0 < spins n p.
Proof.
  intro. assert (q := Rinv_0_lt_compat p H). apply bin_pos. intros k _. repeat apply Rmult_lt_0_compat; now apply pow_lt.
Qed.
Lemma spins_even n p : 0 < p -> spins n (/ p) = spins n p.
Proof.
  intro. unfold spins. rewrite bin_mirror. apply bin_in. intros k hk. rewrite Rinv_inv by lra.
  replace (n - (n - k))%nat with k by lia. replace ((n - k) * k)%nat with (k * (n - k))%nat by lia. ring.
Qed.

Definition both p d := p ^ d + (/ p) ^ d.                                  (* 2 cosh(d x), p = e^x *)
Definition th x := (x - / x) / (x + / x).
Definition gain d lo hi p := (lo + hi) * ((p + / p) / 2) + (hi - lo) * ((p - / p) / 2) * th (p ^ d).
Lemma both_rising x y : 0 < x -> x <= y -> 1 <= x * y -> x + / x <= y + / y.
Proof.
  intros x0 xy p. apply Rmult_le_reg_r with (x * y); [nra|]. replace ((x + / x) * (x * y)) with (x * x * y + y) by (field; lra).
  replace ((y + / y) * (x * y)) with (x * y * y + x) by (field; lra). nra.
Qed.
Lemma th_rising x y : 1 <= x -> x <= y -> 0 <= th x <= th y.
Proof.
  intros x1 xy. assert (T : forall x, 1 <= x -> th x = 1 - 2 / (x * x + 1)) by (intros; unfold th; field; split; nra).
  rewrite !T by lra. split.
  - assert (2 / (x * x + 1) <= 1); [|lra]. apply Rmult_le_reg_r with (x * x + 1); [nra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra.
  - assert (2 / (y * y + 1) <= 2 / (x * x + 1)); [|lra]. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; nra.
Qed.
Lemma gain_rises d d' lo hi lo' hi' p p' : 1 <= p -> p <= p' -> (d <= d')%nat -> 0 < lo' -> lo * hi = lo' * hi' -> 0 < lo -> lo <= hi -> hi <= hi' ->
  gain d lo hi p <= gain d' lo' hi' p'.
Proof.
  intros p1 pp dd l0' E l0 lh hh. unfold gain.
  assert (S : lo + hi <= lo' + hi').
  { apply Rmult_le_reg_r with hi'; [lra|]. replace ((lo' + hi') * hi') with (lo' * hi' + hi' * hi') by ring. rewrite <- E.
    assert (0 <= (hi' - hi) * (hi' - lo)) by (apply Rmult_le_pos; lra). nra. }
  assert (L : lo' <= lo).
  { apply Rmult_le_reg_r with hi'; [lra|]. rewrite <- E. apply Rmult_le_compat_l; lra. }
  assert (C : (p + / p) / 2 <= (p' + / p') / 2) by (assert (h := both_rising p p' ltac:(lra) pp ltac:(nra)); lra).
  assert (D : 0 <= (p - / p) / 2 <= (p' - / p') / 2).
  { assert (h := inverse_ge1 p p1). assert (/ p' <= / p) by (apply Rinv_le_contravar; lra). lra. }
  assert (Q : 1 <= p ^ d <= p' ^ d').
  { split; [now apply pow_R1_Rle|]. apply Rle_trans with (p' ^ d); [apply pow_incr; lra|apply Rle_pow; [lra|easy]]. }
  assert (T := th_rising (p ^ d) (p' ^ d') ltac:(easy) ltac:(easy)).
  assert (0 < / p) by (apply Rinv_0_lt_compat; lra).
  apply Rplus_le_compat.
  - apply Rmult_le_compat; lra.
  - apply Rmult_le_compat; try lra; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
Qed.
Lemma both_pos p d : 0 < p -> 0 < both p d.
Proof. intro. apply Rplus_lt_0_compat; apply pow_lt; [easy|]. now apply Rinv_0_lt_compat. Qed.
Lemma both_gain d lo hi p : 0 < p -> both p d * gain d lo hi p = p ^ d * (lo * / p + hi * p) + (/ p) ^ d * (hi * / p + lo * p).
Proof. intro. unfold both, gain, th. rewrite pow_inv by lra. assert (q := pow_lt p d H). assert (r : 0 < / p ^ d) by now apply Rinv_0_lt_compat. field. split; [lra|]. split; nra. Qed.
(** cosh(x a) cosh(y b) >= cosh(y a) cosh(x b) for x >= y >= 0, a >= b >= 0 *)
Lemma both_pairs p q a b : 1 <= q -> q <= p -> (b <= a)%nat -> both q a * both p b <= both p a * both q b.
Proof.
  intros q1 qp ab. unfold both. rewrite !pow_inv by lra.
  assert (pa := pow_R1_Rle p a ltac:(lra)). assert (pb := pow_R1_Rle p b ltac:(lra)). assert (qa := pow_R1_Rle q a q1). assert (qb := pow_R1_Rle q b q1).
  assert (Ea : p ^ a = p ^ b * p ^ (a - b)) by (rewrite <- pow_add; f_equal; lia). assert (Eb : q ^ a = q ^ b * q ^ (a - b)) by (rewrite <- pow_add; f_equal; lia).
  assert (pd := pow_R1_Rle p (a - b) ltac:(lra)). assert (qd := pow_R1_Rle q (a - b) q1). assert (dd : q ^ (a - b) <= p ^ (a - b)) by (apply pow_incr; lra).
  assert (bb : q ^ b <= p ^ b) by (apply pow_incr; lra).
  assert (aa : q ^ a <= p ^ a) by (apply pow_incr; lra).
  (* sums and differences of exponents *)
  assert (H1 : q ^ a * p ^ b + / (q ^ a * p ^ b) <= p ^ a * q ^ b + / (p ^ a * q ^ b)).
  { apply both_rising; [nra| |assert (1 <= q ^ a * p ^ b) by nra; assert (1 <= p ^ a * q ^ b) by nra; nra].
    rewrite Ea, Eb. replace (q ^ b * q ^ (a - b) * p ^ b) with (p ^ b * q ^ b * q ^ (a - b)) by ring. replace (p ^ b * p ^ (a - b) * q ^ b) with (p ^ b * q ^ b * p ^ (a - b)) by ring.
    apply Rmult_le_compat_l; [nra|easy]. }
  assert (H2 : q ^ a * / p ^ b + / (q ^ a * / p ^ b) <= p ^ a * / q ^ b + / (p ^ a * / q ^ b)).
  { apply both_rising.
    - apply Rmult_lt_0_compat; [lra|]. apply Rinv_0_lt_compat. lra.
    - apply Rmult_le_compat; try lra; [left; apply Rinv_0_lt_compat; lra|apply Rinv_le_contravar; lra].
    - replace (q ^ a * / p ^ b * (p ^ a * / q ^ b)) with (p ^ (a - b) * q ^ (a - b)) by (rewrite Ea, Eb; field; lra). nra. }
  assert (X : forall x y, 0 < x -> 0 < y -> (x + / x) * (y + / y) = x * y + / (x * y) + (x * / y + / (x * / y))) by (intros; field; lra).
  rewrite !X by lra. lra.
Qed.

(** D_j(p) D_(j+1)(q) <= D_j(q) D_(j+1)(p) for p >= q >= 1. *)
Lemma one_more j p q : 1 <= q -> q <= p -> spins j p * spins (S j) q <= spins j q * spins (S j) p.
Proof.
  intros q1 qp. set (m := fun k => Nat.min k (j - k)). set (w := fun k => e ^ (k * (j - k))).
  set (C := fun p k => w k * both p (j - 2 * m k)).
  set (G := fun p k => w k * (both p (j - 2 * m k) * gain (j - 2 * m k) (e ^ (j - m k)) (e ^ m k) p)).
  assert (twice : forall f, 2 * bin j f = bin j (fun k => f k + f (j - k)%nat)).
  { intro f. rewrite bin_add, <- (bin_mirror j f). ring. }
  assert (W : forall k, (k <= j)%nat -> w (j - k)%nat = w k).
  { intros k hk. unfold w. f_equal. replace (j - (j - k))%nat with k by lia. lia. }
  assert (EC : forall p, 0 < p -> 2 * spins j p = bin j (C p)).
  { intros x x0. unfold spins. rewrite twice. apply bin_in. intros k hk. fold (w k). fold (w (j - k)%nat). rewrite W by easy. unfold C, both.
    rewrite <- Rmult_plus_distr_l. f_equal. assert (i0 := Rinv_0_lt_compat x x0). replace (j - (j - k))%nat with k by lia.
    destruct (Nat.le_ge_cases k (j - k)) as [h|h].
    - replace (m k) with k by (unfold m; lia). rewrite <- (inverse_pow x (j - 2 * k) k), <- (inverse_pow (/ x) (j - 2 * k) k), Rinv_inv by lra.
      replace (j - 2 * k + k)%nat with (j - k)%nat by lia. ring.
    - replace (m k) with (j - k)%nat by (unfold m; lia). rewrite <- (inverse_pow x (j - 2 * (j - k)) (j - k)), <- (inverse_pow (/ x) (j - 2 * (j - k)) (j - k)), Rinv_inv by lra.
      replace (j - 2 * (j - k) + (j - k))%nat with k by lia. ring. }
  assert (EG : forall p, 0 < p -> 2 * spins (S j) p = bin j (G p)).
  { intros x x0. unfold spins. cbn [bin]. rewrite <- bin_add, twice. apply bin_in. intros k hk. assert (i0 := Rinv_0_lt_compat x x0).
    assert (S1 : forall k, (k <= j)%nat -> e ^ (k * (S j - k)) * (x ^ k * (/ x) ^ (S j - k)) + e ^ (S k * (S j - S k)) * (x ^ S k * (/ x) ^ (S j - S k))
        = w k * (x ^ k * (/ x) ^ (j - k) * (e ^ k * / x + e ^ (j - k) * x))).
    { intros l hl. unfold w. replace (l * (S j - l))%nat with (l * (j - l) + l)%nat by nia. replace (S l * (S j - S l))%nat with (l * (j - l) + (j - l))%nat by nia.
      replace (S j - l)%nat with (S (j - l)) by lia. replace (S j - S l)%nat with (j - l)%nat by lia. rewrite !pow_add. cbn [pow]. ring. }
    rewrite !S1 by lia. rewrite W by easy. unfold G. rewrite both_gain by easy. rewrite <- Rmult_plus_distr_l. f_equal. replace (j - (j - k))%nat with k by lia.
    destruct (Nat.le_ge_cases k (j - k)) as [h|h].
    - replace (m k) with k by (unfold m; lia). rewrite <- (inverse_pow x (j - 2 * k) k), <- (inverse_pow (/ x) (j - 2 * k) k), Rinv_inv by lra.
      replace (j - 2 * k + k)%nat with (j - k)%nat by lia. ring.
    - replace (m k) with (j - k)%nat by (unfold m; lia). rewrite <- (inverse_pow x (j - 2 * (j - k)) (j - k)), <- (inverse_pow (/ x) (j - 2 * (j - k)) (j - k)), Rinv_inv by lra.
      replace (j - 2 * (j - k) + (j - k))%nat with k by lia. replace (j - (j - k))%nat with k by lia. ring. }
  apply Rmult_le_reg_l with (2 * 2); [lra|].
  replace (2 * 2 * (spins j p * spins (S j) q)) with ((2 * spins (S j) q) * (2 * spins j p)) by ring.
  replace (2 * 2 * (spins j q * spins (S j) p)) with ((2 * spins (S j) p) * (2 * spins j q)) by ring.
  rewrite !EC, !EG by lra. apply pairs.
  assert (P : forall k l, (k <= j)%nat -> (l <= j)%nat -> (m k <= m l)%nat -> G q k * C p l + G q l * C p k <= G p k * C q l + G p l * C q k).
  { intros k l hk hl M. unfold G, C. set (U := (j - 2 * m k)%nat). set (V := (j - 2 * m l)%nat). assert (UV : (V <= U)%nat) by (unfold U, V; lia).
    assert (ms : (m k <= j - m k)%nat /\ (m l <= j - m l)%nat) by (unfold m; lia).
    assert (pe : forall a b, (a <= b)%nat -> 0 < e ^ b <= e ^ a).
    { intros a b ab. split; [now apply pow_lt|]. replace b with (a + (b - a))%nat by lia. rewrite pow_add. assert (x := pow_lt e a e0).
      assert (y : e ^ (b - a) <= 1) by (rewrite <- (pow1 (b - a)); apply pow_incr; lra). assert (z := pow_lt e (b - a) e0). nra. }
    set (gk := fun p => gain U (e ^ (j - m k)) (e ^ m k) p). set (gl := fun p => gain V (e ^ (j - m l)) (e ^ m l) p).
    assert (EE : e ^ (j - m l) * e ^ m l = e ^ (j - m k) * e ^ m k) by (rewrite <- !pow_add; f_equal; lia).
    destruct (pe (m k) (m l) M) as [a1 a2]. destruct (pe (m k) (j - m k)%nat ltac:(lia)) as [a3 a4]. destruct (pe (m l) (j - m l)%nat ltac:(lia)) as [a5 a6].
    assert (k1 : gk q <= gk p) by (apply gain_rises; auto; lra). assert (k2 : gl q <= gl p) by (apply gain_rises; auto; lra).
    assert (k3 : gl q <= gk p) by (apply gain_rises; auto; lra). assert (k4 : gl p <= gk p) by (apply gain_rises; auto; lra).
    assert (B := both_pairs p q U V q1 qp UV). assert (b1 := both_pos p U ltac:(lra)). assert (b2 := both_pos q U ltac:(lra)). assert (b3 := both_pos p V ltac:(lra)). assert (b4 := both_pos q V ltac:(lra)).
    assert (wk : 0 < w k) by now apply pow_lt. assert (wl : 0 < w l) by now apply pow_lt. assert (ww : 0 < w k * w l) by now apply Rmult_lt_0_compat.
    change (gain U (e ^ (j - m k)) (e ^ m k) q) with (gk q). change (gain U (e ^ (j - m k)) (e ^ m k) p) with (gk p).
    change (gain V (e ^ (j - m l)) (e ^ m l) q) with (gl q). change (gain V (e ^ (j - m l)) (e ^ m l) p) with (gl p).
    set (x := both p U * both q V) in *. set (y := both q U * both p V) in *. assert (y0 : 0 < y) by now apply Rmult_lt_0_compat.
    assert (F : gk q * y + gl q * x <= gk p * x + gl p * y).
    { assert (0 <= (gk p - gl q) * (x - y)) by (apply Rmult_le_pos; lra). nra. }
    apply (Rmult_le_compat_l (w k * w l)) in F; [|lra]. unfold x, y in F. lra. }
  intros k l hk hl. destruct (Nat.le_ge_cases (m k) (m l)) as [h|h]; [assert (T := P k l hk hl h); lra|assert (T := P l k hl hk h); lra].
Qed.
Lemma more j k p q : (j <= k)%nat -> 1 <= q -> q <= p -> spins j p * spins k q <= spins j q * spins k p.
Proof.
  intros H q1 qp. induction H as [|k H IH]; [lra|]. assert (O := one_more k p q q1 qp).
  assert (a := spins_pos k p ltac:(lra)). assert (b := spins_pos k q ltac:(lra)). assert (c := spins_pos j p ltac:(lra)). assert (d := spins_pos j q ltac:(lra)).
  assert (f := spins_pos (S k) p ltac:(lra)). assert (g := spins_pos (S k) q ltac:(lra)).
  apply Rmult_le_reg_r with (spins k p * spins k q); [now apply Rmult_lt_0_compat|].
  replace (spins j p * spins (S k) q * (spins k p * spins k q)) with ((spins j p * spins k q) * (spins k p * spins (S k) q)) by ring.
  replace (spins j q * spins (S k) p * (spins k p * spins k q)) with ((spins j q * spins k p) * (spins k q * spins (S k) p)) by ring.
  apply Rmult_le_compat; auto; left; now apply Rmult_lt_0_compat.
Qed.
End Symmetric.

(** ** Two copies: where they agree, and where they do not *)
Section Copies.
Variable r : R.                        (* e^(theta / 2) *)
Hypothesis r1 : 1 <= r.
(** n members with equal ties, fields [p] and [q] for the two values. *)
Definition equal n p q := bin n (fun k => (/ r) ^ (k * (n - k)) * (p ^ k * q ^ (n - k))).
Definition copies n p t := bin n (fun j => (/ r) ^ (j * (n - j)) * (spins (/ r * / r) j p * spins (/ r * / r) (n - j) t)).
Lemma equal_pos n p q : 0 < p -> 0 < q -> 0 < equal n p q.
Proof. intros. apply bin_pos. intros k _. assert (0 < / r) by (apply Rinv_0_lt_compat; lra). repeat apply Rmult_lt_0_compat; now apply pow_lt. Qed.
Lemma equal_swap n p q : equal n p q = equal n q p.
Proof.
  unfold equal. rewrite bin_mirror. apply bin_in. intros k hk. replace (n - (n - k))%nat with k by lia.
  replace ((n - k) * k)%nat with (k * (n - k))%nat by lia. ring.
Qed.
Lemma equal_scale n a p q : equal n (a * p) (a * q) = a ^ n * equal n p q.
Proof.
  unfold equal. rewrite <- bin_scale. apply bin_in. intros k hk. rewrite !Rpow_mult_distr.
  replace (a ^ n) with (a ^ k * a ^ (n - k)) by (rewrite <- pow_add; f_equal; lia). ring.
Qed.
Lemma two_copies n p t : 0 < p -> 0 < t -> equal n (p * t) 1 * equal n p t = (p * t) ^ n * copies n p t.
Proof.
  intros p0 t0. unfold equal, copies. rewrite <- bin_times, bin_twice, <- bin_scale. apply bin_in. intros j hj.
  unfold spins. rewrite <- bin_times. rewrite <- Rmult_assoc, <- bin_scale. apply bin_in. intros i hi. rewrite <- bin_scale. apply bin_in. intros m hm.
  remember (j - i)%nat as j' eqn:Ej. remember (n - j - m)%nat as m' eqn:Em.
  assert (En : n = (i + j' + m + m')%nat) by lia. assert (Ej' : j = (i + j')%nat) by lia. clear Ej Em hi hm hj. subst n j.
  replace (i + j' + m + m' - (i + j'))%nat with (m + m')%nat by lia.
  replace (i + j' + m + m' - (i + m))%nat with (j' + m')%nat by lia. replace (i + j' + m + m' - (i + m'))%nat with (j' + m)%nat by lia.
  rewrite pow1, !Rpow_mult_distr.
  replace ((/ r) ^ (i * j') * (/ r) ^ (i * j')) with ((/ r) ^ (i * j' + i * j')) by (now rewrite pow_add).
  replace ((/ r) ^ (m * m') * (/ r) ^ (m * m')) with ((/ r) ^ (m * m' + m * m')) by (now rewrite pow_add).
  replace (p ^ (i + j' + m + m')) with (p ^ (i + m + m' + j')) by (f_equal; lia). replace (t ^ (i + j' + m + m')) with (t ^ (i + j' + m + m')) by easy.
  transitivity ((/ r) ^ ((i + m) * (j' + m') + (i + m') * (j' + m)) * (p ^ (i + m + m') * p ^ i) * (t ^ (i + j' + m) * t ^ m)).
  - rewrite !pow_add. ring.
  - rewrite <- (inverse_pow p (i + m + m') j' p0), <- (inverse_pow t (i + j' + m) m' t0).
    replace ((i + m) * (j' + m') + (i + m') * (j' + m))%nat with ((i + j') * (m + m') + ((i * j' + i * j') + (m * m' + m * m')))%nat by ring.
    rewrite (pow_add (/ r) ((i + j') * (m + m'))), (pow_add (/ r) (i * j' + i * j')). ring.
Qed.
(** The two copies' fields reinforce each other most where the other field is 0. *)
Lemma copies_peak n p q t : 1 <= q -> q <= p -> 0 < t -> copies n p t * copies n q 1 <= copies n q t * copies n p 1.
Proof.
  intros q1 qp t0. set (e := / r * / r). assert (ir := inverse_ge1 r r1). assert (e0 : 0 < e) by (unfold e; nra). assert (e1 : e <= 1) by (unfold e; nra).
  assert (P : forall t, 1 <= t -> copies n p t * copies n q 1 <= copies n q t * copies n p 1).
  { clear t t0. intros t t1. apply pairs. fold e. intros j k hj hk.
    assert (R0 : forall i, 0 < (/ r) ^ (i * (n - i))) by (intro; now apply pow_lt).
    assert (S : forall j k, (j <= k)%nat -> (k <= n)%nat ->
       spins e j p * spins e (n - j) t * (spins e k q * spins e (n - k) 1) + spins e k p * spins e (n - k) t * (spins e j q * spins e (n - j) 1)
       <= spins e j q * spins e (n - j) t * (spins e k p * spins e (n - k) 1) + spins e k q * spins e (n - k) t * (spins e j p * spins e (n - j) 1)).
    { clear j k hj hk. intros j k jk kn. assert (A := more e e0 e1 j k p q jk q1 qp). assert (B := more e e0 e1 (n - k) (n - j) t 1 ltac:(lia) ltac:(lra) t1).
      assert (0 <= (spins e j q * spins e k p - spins e j p * spins e k q) * (spins e (n - k) 1 * spins e (n - j) t - spins e (n - k) t * spins e (n - j) 1)) by (apply Rmult_le_pos; lra). lra. }
    destruct (Nat.le_ge_cases j k) as [h|h].
    - assert (T := S j k h hk). apply (Rmult_le_compat_l ((/ r) ^ (j * (n - j)) * (/ r) ^ (k * (n - k)))) in T; [|left; apply Rmult_lt_0_compat; auto]. lra.
    - assert (T := S k j h hj). apply (Rmult_le_compat_l ((/ r) ^ (j * (n - j)) * (/ r) ^ (k * (n - k)))) in T; [|left; apply Rmult_lt_0_compat; auto]. lra. }
  destruct (Rle_dec 1 t) as [t1|t1]; [now apply P|].
  assert (E : forall x, copies n x t = copies n x (/ t)).
  { intro x. unfold copies. apply bin_ext. intro j. now rewrite <- (spins_even _ (n - j) t t0). }
  rewrite !E. apply P. rewrite <- Rinv_1. apply Rinv_le_contravar; lra.
Qed.
Lemma copies_even n p t : 0 < p -> copies n (/ p) t = copies n p t.
Proof. intro. unfold copies. apply bin_ext. intro j. now rewrite spins_even. Qed.
Lemma copies_pos n p t : 0 < p -> 0 < t -> 0 < copies n p t.
Proof.
  intros. assert (0 < / r) by (apply Rinv_0_lt_compat; lra). apply bin_pos. intros k _. apply Rmult_lt_0_compat; [now apply pow_lt|].
  apply Rmult_lt_0_compat; apply spins_pos; auto; nra.
Qed.

(** ** The law of Spread.v *)
Lemma wt_square k : wt (r * r) k * r ^ k = r ^ (k * k).
Proof.
  induction k; [simpl; ring|]. cbn [wt]. rewrite Rpow_mult_distr. replace (S k * S k)%nat with (k * k + (k + S k))%nat by lia. rewrite !pow_add, <- IHk. ring.
Qed.
Lemma cw_equal n u a : 0 < u -> 0 < a -> cw (r * r) n u (fun k => a ^ k) = equal n (r ^ n * u / r * a) 1.
Proof.
  intros u0 a0. unfold cw, equal. apply bin_in. intros k hk. rewrite pow1, Rmult_1_r. unfold Rdiv. rewrite !Rpow_mult_distr.
  assert (E : (/ r) ^ (k * (n - k)) * (r ^ n) ^ k = r ^ (k * k)).
  { rewrite <- pow_mult, Rmult_comm. replace (n * k)%nat with (k * k + k * (n - k))%nat by nia. apply inverse_pow. lra. }
  assert (rk := pow_lt r k ltac:(lra)). apply Rmult_eq_reg_r with (r ^ k); [|lra].
  assert (I : (/ r) ^ k * r ^ k = 1) by (rewrite <- Rpow_mult_distr, Rinv_l, pow1; lra).
  replace (wt (r * r) k * u ^ k * a ^ k * r ^ k) with ((wt (r * r) k * r ^ k) * u ^ k * a ^ k) by ring. rewrite wt_square, <- E.
  transitivity ((/ r) ^ (k * (n - k)) * (r ^ n) ^ k * u ^ k * a ^ k * ((/ r) ^ k * r ^ k)); [rewrite I|]; ring.
Qed.
(** Step 7. l = e^(Lambda / 2): whatever u is, the two tilts by theta and Lambda reinforce each other at most by the square of this number. *)
Definition reinforced n l := equal n (r * l) 1 / equal n r l.
Theorem peak n u l : 0 < u -> 1 <= l ->
  cw (r * r) n u (fun k => (r * r * (l * l)) ^ k) * mass (r * r) n u
  <= reinforced n l * reinforced n l * (cw (r * r) n u (fun k => (r * r) ^ k) * cw (r * r) n u (fun k => (l * l) ^ k)).
Proof.
  intros u0 l1. replace (mass (r * r) n u) with (cw (r * r) n u (fun k => 1 ^ k)) by (apply bin_ext; intro; rewrite pow1; ring).
  assert (rr : 0 < r * r) by nra. assert (ll : 0 < l * l) by nra. rewrite !cw_equal by (try easy; try lra; now apply Rmult_lt_0_compat). set (y := r ^ n * u / r). rewrite Rmult_1_r.
  assert (y0 : 0 < y) by (unfold y; apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; [apply pow_lt|]|]; lra).
  set (p := r * l). set (d := r / l). set (t := p * y). assert (p0 : 1 <= p) by (unfold p; nra). assert (d0 : 0 < d) by (unfold d; apply Rdiv_lt_0_compat; lra). assert (t0 : 0 < t) by (unfold t; nra).
  assert (pn := pow_lt p n ltac:(lra)). assert (dn := pow_lt d n d0). assert (tn := pow_lt t n t0). assert (ln := pow_lt l n ltac:(lra)).
  assert (E1 : equal n (y * (r * r * (l * l))) 1 * equal n y 1 = t ^ n * copies n p t).
  { assert (T := two_copies n p t ltac:(lra) t0). replace (equal n p t) with (p ^ n * equal n y 1) in T.
    2:{ rewrite <- equal_scale, equal_swap. f_equal; unfold t; ring. }
    replace (p * t) with (y * (r * r * (l * l))) in T at 1 by (unfold t, p; ring). rewrite Rpow_mult_distr in T. apply Rmult_eq_reg_l with (p ^ n); lra. }
  assert (E2 : equal n (y * (r * r)) 1 * equal n (y * (l * l)) 1 = t ^ n * copies n d t).
  { assert (T := two_copies n d t d0 t0). replace (equal n d t) with (d ^ n * equal n (y * (l * l)) 1) in T.
    2:{ rewrite <- equal_scale, equal_swap. f_equal; [ring|]. unfold t, d, p. field. lra. }
    replace (d * t) with (y * (r * r)) in T at 1 by (unfold t, d, p; field; lra). rewrite Rpow_mult_distr in T. apply Rmult_eq_reg_l with (d ^ n); lra. }
  assert (E3 : equal n p 1 * equal n p 1 = p ^ n * copies n p 1).
  { assert (T := two_copies n p 1 ltac:(lra) ltac:(lra)). now rewrite !Rmult_1_r in T. }
  assert (E4 : equal n r l * equal n r l = p ^ n * copies n d 1).
  { assert (T := two_copies n d 1 d0 ltac:(lra)). rewrite !Rmult_1_r in T.
    replace (equal n r l) with (l ^ n * equal n d 1) by (rewrite <- equal_scale; f_equal; unfold d; field; lra).
    replace (l ^ n * equal n d 1 * (l ^ n * equal n d 1)) with (l ^ n * l ^ n * (equal n d 1 * equal n d 1)) by ring. rewrite T, <- Rmult_assoc, <- !Rpow_mult_distr.
    f_equal. f_equal. unfold p, d. field. lra. }
  rewrite E1, E2. unfold reinforced. fold p. assert (h := equal_pos n r l ltac:(lra) ltac:(lra)).
  replace (equal n p 1 / equal n r l * (equal n p 1 / equal n r l)) with ((equal n p 1 * equal n p 1) / (equal n r l * equal n r l)) by (field; lra). rewrite E3, E4.
  assert (K : copies n p t * copies n d 1 <= copies n d t * copies n p 1).
  { destruct (Rle_dec 1 d) as [d1|d1].
    - apply copies_peak; [easy| |easy]. unfold d, p. apply Rmult_le_compat_l; [lra|]. assert (i := inverse_ge1 l l1). lra.
    - rewrite <- !(copies_even n d) by easy. assert (i : / d = l / r) by (unfold d; field; lra). assert (d2 : 1 < / d) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra).
      apply copies_peak; [lra| |easy]. rewrite i. unfold p. assert (j := inverse_ge1 r r1). unfold Rdiv. nra. }
  assert (c1 := copies_pos n d 1 d0 ltac:(lra)). assert (c2 := copies_pos n d t d0 t0).
  apply Rmult_le_reg_r with (copies n d 1); [easy|].
  replace (p ^ n * copies n p 1 / (p ^ n * copies n d 1) * (t ^ n * copies n d t) * copies n d 1) with (t ^ n * (copies n d t * copies n p 1)) by (field; split; lra).
  replace (t ^ n * copies n p t * copies n d 1) with (t ^ n * (copies n p t * copies n d 1)) by ring. apply Rmult_le_compat_l; lra.
Qed.
(** It is attained, where u makes the law symmetric. *)
Theorem peak_attained n l : 1 <= l -> exists u, 0 < u /\
  cw (r * r) n u (fun k => (r * r * (l * l)) ^ k) * mass (r * r) n u
  = reinforced n l * reinforced n l * (cw (r * r) n u (fun k => (r * r) ^ k) * cw (r * r) n u (fun k => (l * l) ^ k)).
Proof.
  intro l1. set (u := / (r ^ n * l)). assert (rn := pow_lt r n ltac:(lra)). assert (u0 : 0 < u) by (apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra).
  exists u. split; [easy|]. replace (mass (r * r) n u) with (cw (r * r) n u (fun k => 1 ^ k)) by (apply bin_ext; intro; rewrite pow1; ring).
  assert (rr : 0 < r * r) by nra. assert (ll : 0 < l * l) by nra. rewrite !cw_equal by (try easy; try lra; now apply Rmult_lt_0_compat). unfold reinforced. assert (h := equal_pos n r l ltac:(lra) ltac:(lra)).
  replace (r ^ n * u / r * (r * r * (l * l))) with (r * l) by (unfold u; field; lra). 
  assert (A : equal n (r * l) 1 = (r * l) ^ n * equal n (r ^ n * u / r * 1) 1).
  { rewrite <- equal_scale, equal_swap. f_equal; [|ring]. unfold u. field. lra. }
  assert (B : equal n r l = l ^ n * equal n (r ^ n * u / r * (r * r)) 1) by (rewrite <- equal_scale; f_equal; unfold u; field; lra).
  assert (C : equal n r l = r ^ n * equal n (r ^ n * u / r * (l * l)) 1) by (rewrite equal_swap, <- equal_scale; f_equal; unfold u; field; lra).
  rewrite Rpow_mult_distr in A. assert (ln := pow_lt l n ltac:(lra)).
  apply Rmult_eq_reg_l with (r ^ n * l ^ n); [|apply Rgt_not_eq; now apply Rmult_lt_0_compat].
  replace (r ^ n * l ^ n * (equal n (r * l) 1 * equal n (r ^ n * u / r * 1) 1)) with (equal n (r * l) 1 * (r ^ n * l ^ n * equal n (r ^ n * u / r * 1) 1)) by ring. rewrite <- A.
  replace (r ^ n * l ^ n * (equal n (r * l) 1 / equal n r l * (equal n (r * l) 1 / equal n r l) * (equal n (r ^ n * u / r * (r * r)) 1 * equal n (r ^ n * u / r * (l * l)) 1)))
    with (equal n (r * l) 1 / equal n r l * (equal n (r * l) 1 / equal n r l) * ((l ^ n * equal n (r ^ n * u / r * (r * r)) 1) * (r ^ n * equal n (r ^ n * u / r * (l * l)) 1))) by ring.
  rewrite <- B, <- C. field. lra.
Qed.
End Copies.
Print Assumptions peak.
