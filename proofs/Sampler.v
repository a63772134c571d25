(** * The sampler of discrete Laplace noise, digit by digit (claim DL-1, step 1)

    A size M is drawn as the number of m >= 1 with U < T m, where T m = 2 q^m / (1 + q) and the binary digits of the uniform number U are drawn one after another.
    After n digits the number p that they spell is one of N = 2^n, each as likely as the others, and U is anywhere in [p/N, (p+1)/N). [decided]: whatever the
    digits that follow, M = m. [sampled_law]: that has at most the probability T m - T (m+1), and falls short of it by at most 2/N: so the law of M is
    T m - T (m+1) exactly, whichever digits are looked at first. [two_sided]: with a fair sign it is the law of Laplace.v.                             *)
Require Import Reals Lra Lia Psatz Arith.
Open Scope R_scope.

(** How many p < n satisfy P. *)
Fixpoint count (n : nat) (P : nat -> bool) : nat := match n with O => O | S n => ((if P n then 1 else 0) + count n P)%nat end.
Definition leb (x y : R) : bool := if Rle_dec x y then true else false.
Lemma leb_iff x y : leb x y = true <-> x <= y.
Proof. unfold leb. destruct (Rle_dec x y); split; easy. Qed.
Lemma count_le n P Q : (forall p, (p < n)%nat -> P p = true -> Q p = true) -> (count n P <= count n Q)%nat.
Proof.
  induction n as [|n IH]; intro H; [easy|]. cbn. specialize (IH ltac:(intros; apply H; auto; lia)). specialize (H n (le_n _)). destruct (P n); [rewrite H by easy; lia|]. destruct (Q n); lia.
Qed.
Lemma count_split n P Q : count n P = (count n (fun p => P p && Q p)%bool + count n (fun p => P p && negb (Q p))%bool)%nat.
Proof. induction n as [|n IH]; [easy|]. cbn. rewrite IH. destruct (P n), (Q n); cbn; lia. Qed.
Lemma count_none n P : (forall p, (p < n)%nat -> P p = false) -> count n P = O.
Proof. induction n as [|n IH]; intro H; [easy|]. cbn. rewrite H by lia. apply IH. intros; apply H; lia. Qed.
(** Numbers that lie wholly below x, or that start below it. *)
Lemma count_below n x : 0 <= x <= INR n -> INR (count n (fun p => leb (INR p + 1) x)) <= x < INR (count n (fun p => leb (INR p + 1) x)) + 1.
Proof.
  intros [x0 xn]. set (c := fun k => INR (count k (fun p => leb (INR p + 1) x))).
  assert (H : forall k, (c k = INR k /\ INR k <= x) \/ (c k <= INR k /\ c k <= x < c k + 1)).
  { induction k as [|k IH]; [left; cbn; lra|]. unfold c in *. cbn [count]. rewrite plus_INR, S_INR. unfold leb at 1 3 5 7. destruct (Rle_dec (INR k + 1) x).
    - left. destruct IH as [[E L]|[A B]]; [cbn [INR]; lra|]. exfalso. lra.
    - right. cbn [INR]. destruct IH as [[E L]|[A B]]; lra. }
  destruct (H n) as [[E L]|[_ B]]; [|exact B]. fold (c n). lra.
Qed.
Lemma count_started n x : 0 <= x <= INR n -> x <= INR (count n (fun p => negb (leb x (INR p)))) < x + 1.
Proof.
  intros [x0 xn]. set (c := fun k => INR (count k (fun p => negb (leb x (INR p))))).
  assert (H : forall k, (c k = INR k /\ INR k < x + 1) \/ (x <= INR k /\ x <= c k < x + 1)).
  { induction k as [|k IH]; [left; cbn; lra|]. unfold c in *. cbn [count]. rewrite plus_INR, S_INR. destruct (leb x (INR k)) eqn:B; cbn [negb INR].
    - apply leb_iff in B. right. destruct IH as [[E L]|[A D]]; lra.
    - assert (L : INR k < x) by (apply Rnot_le_lt; intro h; apply leb_iff in h; congruence). destruct IH as [[E G]|[A D]]; [left; lra|lra]. }
  destruct (H n) as [[E L]|[_ B]]; [|exact B]. fold (c n). lra.
Qed.
(** Numbers that lie wholly between y and x. *)
Lemma count_between n x y : 0 <= y -> y <= x -> x <= INR n ->
  x - y - 2 <= INR (count n (fun p => leb (INR p + 1) x && leb y (INR p))%bool) <= x - y.
Proof.
  intros y0 yx xn. assert (A := count_below n x ltac:(lra)). assert (B := count_started n y ltac:(lra)).
  rewrite (count_split n (fun p => leb (INR p + 1) x) (fun p => leb y (INR p))), plus_INR in A.
  set (C := count n (fun p => leb (INR p + 1) x && leb y (INR p))%bool) in *. set (D := count n (fun p => leb (INR p + 1) x && negb (leb y (INR p)))%bool) in *.
  assert (L : (D <= count n (fun p => negb (leb y (INR p))))%nat) by (apply count_le; intros p _ h; now apply andb_prop in h).
  apply le_INR in L. split; [lra|]. destruct (Rle_dec (y + 1) x) as [W|W].
  - assert (E : (count n (fun p => negb (leb y (INR p))) <= D)%nat).
    { apply count_le. intros p _ h. rewrite h, Bool.andb_true_r. apply leb_iff. assert (INR p < y); [|lra]. apply Rnot_le_lt. intro k. apply leb_iff in k. rewrite k in h. discriminate. }
    apply le_INR in E. lra.
  - unfold C. rewrite count_none; [cbn; lra|]. intros p _. destruct (leb (INR p + 1) x) eqn:P; [|easy]. destruct (leb y (INR p)) eqn:Q; [|easy]. apply leb_iff in P, Q. lra.
Qed.

Section Laplace.
Variable q : R.
Hypothesis q01 : 0 < q < 1.
(** T 0 = 1: every U is below it. *)
Definition T (m : nat) : R := match m with O => 1 | _ => 2 * q ^ m / (1 + q) end.
Lemma T_range m : 0 <= T (S m) /\ T (S m) <= T m /\ T m <= 1.
Proof.
  assert (P : forall k, 0 < q ^ k <= 1) by (intro k; split; [apply pow_lt; lra|rewrite <- (pow1 k); apply pow_incr; lra]).
  assert (F : forall k, 2 * q ^ S k / (1 + q) <= 1) by (intro k; apply Rmult_le_reg_r with (1 + q); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; cbn [pow]; specialize (P k); nra).
  assert (G : forall k, 0 <= 2 * q ^ k / (1 + q)) by (intro k; apply Rle_mult_inv_pos; [specialize (P k)|]; lra).
  split; [apply G|]. destruct m as [|m]; [split; [apply (F O)|cbn; lra]|]. split; [|apply F]. unfold T. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|].
  cbn [pow]. specialize (P m). assert (0 <= q * q ^ m * (1 - q)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
Qed.
(** After digits that spell p of N, the size is m whatever follows. *)
Definition decided (N m p : nat) : bool := (leb (INR p + 1) (INR N * T m) && leb (INR N * T (S m)) (INR p))%bool.
Theorem sampled_law N m : (0 < N)%nat -> T m - T (S m) - 2 / INR N <= INR (count N (decided N m)) / INR N <= T m - T (S m).
Proof.
  intro N0. assert (n0 : 0 < INR N) by now apply lt_0_INR. destruct (T_range m) as (a & b & c).
  assert (H := count_between N (INR N * T m) (INR N * T (S m)) ltac:(now apply Rmult_le_pos; [lra|]) ltac:(apply Rmult_le_compat_l; lra) ltac:(rewrite <- (Rmult_1_r (INR N)) at 2; apply Rmult_le_compat_l; lra)).
  fold (decided N m) in H. change (fun p => (leb (INR p + 1) (INR N * T m) && leb (INR N * T (S m)) (INR p))%bool) with (decided N m) in H.
  split; apply Rmult_le_reg_r with (INR N); try easy; unfold Rdiv.
  - rewrite Rmult_minus_distr_r, !Rmult_assoc, Rinv_l by lra. lra.
  - rewrite !Rmult_assoc, Rinv_l by lra. lra.
Qed.
(** With a fair sign: the noise z has the probability (1 - q) / (1 + q) q^|z|. *)
Theorem two_sided m : T 0 - T 1 = (1 - q) / (1 + q) /\ (T (S m) - T (S (S m))) / 2 = (1 - q) / (1 + q) * q ^ S m.
Proof. unfold T. cbn [pow]. split; field; lra. Qed.
End Laplace.
Print Assumptions sampled_law.
