(** * Sums over subsets by size, and when one law is more spread than another

    [bin n f] is the sum of [f |y|] over all y in {0,1}^n: the sum over k of C(n,k) f(k). All that is said about groups whose members are alike is said
    with it. A law on sizes is given by its weight for one subset of each size.

    [convex z phi]: [phi] is convex as a function of [z], on the points z 0 < z 1 < ... *)
Require Import Reals Lra Lia Psatz Arith Ranalysis.
Open Scope R_scope.

Fixpoint bin (n : nat) (f : nat -> R) : R := match n with O => f O | S n => bin n f + bin n (fun k => f (S k)) end.

Lemma bin_in n : forall f g, (forall k, (k <= n)%nat -> f k = g k) -> bin n f = bin n g.
Proof. induction n; simpl; intros f g H; [apply H; lia|]. rewrite (IHn f g), (IHn (fun k => f (S k)) (fun k => g (S k))); auto; intros; apply H; lia. Qed.
Lemma bin_ext n f g : (forall k, f k = g k) -> bin n f = bin n g.
Proof. intro H. now apply bin_in. Qed.
Lemma bin_add n : forall f g, bin n (fun k => f k + g k) = bin n f + bin n g.
Proof. induction n; simpl; intros f g; [easy|]. rewrite IHn, (IHn (fun k => f (S k))). ring. Qed.
Lemma bin_scale n : forall a f, bin n (fun k => a * f k) = a * bin n f.
Proof. induction n; simpl; intros a f; [easy|]. rewrite IHn, (IHn a (fun k => f (S k))). ring. Qed.
Lemma bin_le n : forall f g, (forall k, (k <= n)%nat -> f k <= g k) -> bin n f <= bin n g.
Proof. induction n; simpl; intros f g H; [apply H; lia|]. apply Rplus_le_compat; apply IHn; intros; apply H; lia. Qed.
Lemma bin_zero n : bin n (fun _ => 0) = 0.
Proof. induction n; simpl; lra. Qed.
Lemma bin_pos n : forall f, (forall k, (k <= n)%nat -> 0 < f k) -> 0 < bin n f.
Proof. induction n; simpl; intros f H; [apply H; lia|]. apply Rplus_lt_0_compat; apply IHn; intros; apply H; lia. Qed.
Lemma bin_swap n : forall m f, bin n (fun k => bin m (fun l => f k l)) = bin m (fun l => bin n (fun k => f k l)).
Proof. induction n; simpl; intros m f; [easy|]. rewrite bin_add. now rewrite IHn, (IHn m (fun k l => f (S k) l)). Qed.
Lemma bin_times n m f g : bin n (fun k => bin m (fun l => f k * g l)) = bin n f * bin m g.
Proof.
  rewrite (bin_ext n _ (fun k => bin m g * f k)); [rewrite bin_scale; ring|]. intro k. rewrite bin_scale. ring.
Qed.
Lemma bin_continuous n : forall F : nat -> R -> R, (forall k, continuity (F k)) -> continuity (fun v => bin n (fun k => F k v)).
Proof.
  induction n; simpl; intros F H; [apply H|]. apply (continuity_plus (fun v => bin n (fun k => F k v)) (fun v => bin n (fun k => F (S k) v))); [now apply IHn|].
  apply (IHn (fun k => F (S k))). auto.
Qed.
(** Each subset and its complement. *)
Lemma bin_mirror n : forall f, bin n f = bin n (fun k => f (n - k)%nat).
Proof.
  induction n; intro f; [easy|]. cbn [bin]. rewrite (IHn f), (IHn (fun k => f (S k))), Rplus_comm.
  f_equal; apply bin_in; intros k hk; f_equal; lia.
Qed.
(** Subsets with one element marked. *)
Lemma bin_marked n : forall g, bin (S n) (fun k => INR k * g k) = INR (S n) * bin n (fun k => g (S k)).
Proof.
  induction n; intro g; [simpl; ring|].
  change (bin (S (S n)) (fun k => INR k * g k)) with (bin (S n) (fun k => INR k * g k) + bin (S n) (fun k => INR (S k) * g (S k))).
  rewrite IHn. rewrite (bin_ext (S n) (fun k => INR (S k) * g (S k)) (fun k => INR k * g (S k) + g (S k))) by (intro; rewrite S_INR; ring).
  rewrite bin_add, (IHn (fun k => g (S k))). rewrite (S_INR (S n)). cbn [bin]. ring.
Qed.
(** Two subsets [y], [y'] of n: on [j] places they agree ([i] times both have the place), on the others they do not ([m] times y has it). *)
Lemma bin_twice n : forall f, bin n (fun k => bin n (fun l => f k l)) =
  bin n (fun j => bin j (fun i => bin (n - j) (fun m => f (i + m)%nat (i + (n - j - m))%nat))).
Proof.
  induction n; intro f; [simpl; easy|].
  assert (L : bin (S n) (fun k => bin (S n) (fun l => f k l)) =
    bin n (fun k => bin n (fun l => f k l + f k (S l) + (f (S k) l + f (S k) (S l))))).
  { cbn [bin]. rewrite <- bin_add. apply bin_ext. intro k. rewrite (bin_add n (fun l => f k l + f k (S l))), (bin_add n (fun l => f k l)), (bin_add n (fun l => f (S k) l)). ring. }
  rewrite L, (IHn (fun k l => f k l + f k (S l) + (f (S k) l + f (S k) (S l)))). cbn [bin]. rewrite <- bin_add. apply bin_in. intros j hj.
  replace (S n - j)%nat with (S (n - j)) by lia. replace (S n - S j)%nat with (n - j)%nat by lia. cbn [bin]. rewrite <- !bin_add.
  apply bin_in. intros i hi. rewrite <- !bin_add. apply bin_in. intros m hm.
  replace (i + S m)%nat with (S (i + m)) by lia. replace (i + (S (n - j) - m))%nat with (S (i + (n - j - m))) by lia.
  replace (i + (S (n - j) - S m))%nat with (i + (n - j - m))%nat by lia. cbn [Nat.add]. ring.
Qed.

(** Products of two sums, compared pair by pair. *)
Lemma pairs n a b c d : (forall j k, (j <= n)%nat -> (k <= n)%nat -> a j * b k + a k * b j <= c j * d k + c k * d j) ->
  bin n a * bin n b <= bin n c * bin n d.
Proof.
  intro H. assert (D : forall a b, bin n (fun k => bin n (fun j => a j * b k + a k * b j)) = 2 * (bin n a * bin n b)).
  { intros a' b'. rewrite (bin_ext n _ (fun k => bin n (fun j => b' k * a' j) + bin n (fun j => a' k * b' j))).
    - rewrite bin_add, !bin_times. ring.
    - intro k. rewrite <- bin_add. apply bin_ext. intro. ring. }
  apply Rmult_le_reg_l with 2; [lra|]. rewrite <- !D. apply bin_le. intros k hk. apply bin_le. intros j hj. now apply H.
Qed.
(** Chebyshev: weight that moves to larger sizes makes means of rising functions larger. *)
Lemma moved_up n u v f : (forall j k, (j <= k)%nat -> (k <= n)%nat -> u k * v j <= u j * v k) -> (forall j k, (j <= k)%nat -> f j <= f k) ->
  bin n (fun k => u k * f k) * bin n v <= bin n (fun k => v k * f k) * bin n u.
Proof.
  intros M F. apply pairs. intros j k hj hk. destruct (Nat.le_ge_cases j k) as [h|h].
  - specialize (M j k h hk). specialize (F j k h). nra.
  - specialize (M k j h hj). specialize (F k j h). nra.
Qed.

(** ** Convex on points *)
Definition rising (z : nat -> R) := forall k, z k < z (S k).
Definition convex (z phi : nat -> R) := forall k, (phi (S k) - phi k) * (z (S (S k)) - z (S k)) <= (phi (S (S k)) - phi (S k)) * (z (S k) - z k).

Section Convex.
Variables z phi : nat -> R.
Hypothesis up : rising z.
Hypothesis cx : convex z phi.
Lemma z_le j k : (j <= k)%nat -> z j <= z k.
Proof. induction 1; [lra|]. specialize (up m). lra. Qed.
Lemma z_lt j k : (j < k)%nat -> z j < z k.
Proof. intro H. assert (z (S j) <= z k) by now apply z_le. specialize (up j). lra. Qed.
(* the slope just above j *)
Let slope j := (phi (S j) - phi j) / (z (S j) - z j).
Lemma slope_at j : phi (S j) - phi j = slope j * (z (S j) - z j).
Proof. unfold slope. specialize (up j). field. lra. Qed.
Lemma slope_up j : slope j <= slope (S j).
Proof.
  assert (C := cx j). rewrite !slope_at in C. assert (a := up j). assert (b := up (S j)).
  apply Rmult_le_reg_r with ((z (S j) - z j) * (z (S (S j)) - z (S j))); [apply Rmult_lt_0_compat; lra|]. lra.
Qed.
Lemma slope_le j k : (j <= k)%nat -> slope j <= slope k.
Proof. induction 1; [lra|]. eapply Rle_trans; [exact IHle|apply slope_up]. Qed.
Lemma above j k : (j <= k)%nat -> slope j * (z k - z j) <= phi k - phi j.
Proof.
  induction 1 as [|k H IH]; [lra|]. assert (E := slope_at k). assert (a := up k). assert (M := slope_le j k H).
  assert (slope j * (z (S k) - z k) <= slope k * (z (S k) - z k)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Lemma below i j : (i <= j)%nat -> phi j - phi i <= slope j * (z j - z i).
Proof.
  induction 1 as [|j H IH]; [lra|]. assert (E := slope_at j). assert (a := up j). assert (M := slope_up j). assert (b := z_le i j H).
  assert (slope j * (z j - z i) <= slope (S j) * (z j - z i)) by (apply Rmult_le_compat_r; lra).
  assert (slope j * (z (S j) - z j) <= slope (S j) * (z (S j) - z j)) by (apply Rmult_le_compat_r; lra). lra.
Qed.
Lemma chord i j k : (i <= j)%nat -> (j <= k)%nat -> (phi j - phi i) * (z k - z j) <= (phi k - phi j) * (z j - z i).
Proof.
  intros h1 h2. assert (A := above j k h2). assert (B := below i j h1). assert (a := z_le i j h1). assert (b := z_le j k h2).
  apply Rle_trans with (slope j * (z j - z i) * (z k - z j)); [apply Rmult_le_compat_r; lra|].
  replace (slope j * (z j - z i) * (z k - z j)) with (slope j * (z k - z j) * (z j - z i)) by ring. apply Rmult_le_compat_r; lra.
Qed.
(** Where a convex function is negative is an interval. *)
Lemma negative_between i j k : (i <= j)%nat -> (j <= k)%nat -> phi i < 0 -> phi k < 0 -> phi j < 0.
Proof.
  intros h1 h2 n1 n2. assert (C := chord i j k h1 h2). assert (a := z_le i j h1). assert (b := z_le j k h2).
  destruct (Nat.eq_dec i j) as [->|D]; [easy|]. destruct (Nat.eq_dec j k) as [->|D2]; [easy|].
  assert (z i < z j) by (apply z_lt; lia). assert (z j < z k) by (apply z_lt; lia). nra.
Qed.
(** How far [phi] is above the line through the points [p] and [r]. *)
Let gap p r k := (phi k - phi p) * (z r - z p) - (phi r - phi p) * (z k - z p).
Lemma gap_inside p r k : (p < k)%nat -> (k < r)%nat -> gap p r k <= 0.
Proof. intros h1 h2. unfold gap. assert (C := chord p k r ltac:(lia) ltac:(lia)). lra. Qed.
Lemma gap_outside p r k : (p < r)%nat -> (k < p)%nat \/ (r < k)%nat -> 0 <= gap p r k.
Proof.
  intros h [h1|h1]; unfold gap.
  - assert (C := chord k p r ltac:(lia) ltac:(lia)). lra.
  - assert (C := chord p r k ltac:(lia) ltac:(lia)). lra.
Qed.

(** *** Cuts: two laws with the same mass and the same mean; where [u] is the larger is an interval. Then [v] is more spread. *)
Lemma cut_between n u v p r : (p < r)%nat -> bin n u = bin n v -> bin n (fun k => z k * u k) = bin n (fun k => z k * v k) ->
  (forall k, (k <= n)%nat -> (p < k)%nat -> (k < r)%nat -> v k <= u k) ->
  (forall k, (k <= n)%nat -> (k < p)%nat \/ (r < k)%nat -> u k <= v k) ->
  bin n (fun k => phi k * u k) <= bin n (fun k => phi k * v k).
Proof.
  intros pr E0 E1 I O. set (A := z r - z p). set (B := phi r - phi p). set (c := B * z p - phi p * A).
  assert (Ap : 0 < A) by (unfold A; assert (q := z_lt p r pr); lra).
  assert (Z : bin n (fun k => gap p r k * (u k - v k)) <= bin n (fun _ => 0)).
  { apply bin_le. intros k hk. destruct (Nat.eq_dec k p) as [->|kp]; [unfold gap; lra|]. destruct (Nat.eq_dec k r) as [->|kr]; [unfold gap; lra|].
    destruct (lt_dec p k), (lt_dec k r).
    - assert (g := gap_inside p r k l l0). specialize (I k hk l l0). generalize dependent (gap p r k). intros. nra.
    - assert (h : (k < p)%nat \/ (r < k)%nat) by lia. assert (g := gap_outside p r k pr h). specialize (O k hk h). generalize dependent (gap p r k). intros. nra.
    - assert (h : (k < p)%nat \/ (r < k)%nat) by lia. assert (g := gap_outside p r k pr h). specialize (O k hk h). generalize dependent (gap p r k). intros. nra.
    - lia. }
  rewrite bin_zero in Z.
  rewrite (bin_ext n _ (fun k => A * (phi k * u k) + (- A) * (phi k * v k) + ((- B) * (z k * u k) + B * (z k * v k) + (c * u k + (- c) * v k)))) in Z
    by (intro; unfold gap, c, A, B; ring).
  rewrite !bin_add, !bin_scale, E0, E1 in Z. apply Rmult_le_reg_l with A; lra.
Qed.
End Convex.

(** First and last place of a property among 0..n. *)
Lemma first_last (D : nat -> Prop) n : (forall k, D k \/ ~ D k) ->
  (forall k, (k <= n)%nat -> ~ D k) \/
  exists i j, (i <= j)%nat /\ (j <= n)%nat /\ D i /\ D j /\ forall k, (k <= n)%nat -> (k < i)%nat \/ (j < k)%nat -> ~ D k.
Proof.
  intro dec. induction n as [|n IH].
  - destruct (dec 0%nat) as [d|d]; [right; exists 0%nat, 0%nat; repeat split; auto; lia|left; intros k hk; now replace k with 0%nat by lia].
  - destruct (dec (S n)) as [d|d], IH as [N|(i & j & ij & jn & di & dj & O)].
    + right. exists (S n), (S n). repeat split; auto. intros k hk [h|h]; [apply N; lia|lia].
    + right. exists i, (S n). repeat split; auto; [lia|]. intros k hk [h|h]; [apply O; lia|lia].
    + left. intros k hk. destruct (Nat.eq_dec k (S n)) as [->|]; [easy|apply N; lia].
    + right. exists i, j. repeat split; auto. intros k hk h. destruct (Nat.eq_dec k (S n)) as [->|]; [easy|apply O; lia].
Qed.
Theorem cut z phi n u v : rising z -> convex z phi -> bin n u = bin n v -> bin n (fun k => z k * u k) = bin n (fun k => z k * v k) ->
  (forall i j k, (i <= j)%nat -> (j <= k)%nat -> (k <= n)%nat -> v i < u i -> v k < u k -> v j < u j) ->
  bin n (fun k => phi k * u k) <= bin n (fun k => phi k * v k).
Proof.
  intros R C E0 E1 D. destruct (first_last (fun k => v k < u k) n) as [N|(i & j & ij & jn & di & dj & O)].
  - intro k. destruct (Rlt_dec (v k) (u k)); auto.
  - apply (cut_between z phi R C n u v 0 1); auto; intros k hk; [lia|]. intros _. apply Rnot_lt_le. now apply N.
  - apply (cut_between z phi R C n u v (pred i) (S j)); auto; [lia| |].
    + intros k hk h1 h2. left. apply (D i k j); auto; lia.
    + intros k hk h. apply Rnot_lt_le. apply O; lia.
Qed.

(** A continuous function that is not positive at [x] and not negative at [y] is 0 in between. *)
Lemma zero_between f x y : continuity f -> x <= y -> f x <= 0 -> 0 <= f y -> exists v, x <= v <= y /\ f v = 0.
Proof. intros C xy fx fy. destruct (IVT_cor f x y C xy) as (v & h & e); [nra|]. now exists v. Qed.
Print Assumptions cut.
