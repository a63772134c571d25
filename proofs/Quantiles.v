(** * Quantiles: how far one unit moves the distances from the wanted rank (claim QUANTILE-1)

    A group has n rows; L of them lie below a candidate and U at or below it. The wanted rank is t, the distance of a candidate is d = max(0, L - t, t - U).
    Ranks are whole numbers of 1/den rows, den = 2h, the wanted part of the rows is num/den. *)
Require Import ZArith List Lia.
Import ListNotations.
Open Scope Z_scope.

(** The rank, kept a margin m away from both ends of the rows, or in their middle. *)
Definition rank (h num m n : Z) : Z := Z.min (Z.max (num * n) (Z.min m (h * n))) (Z.max (2 * h * n - m) (h * n)).
Definition distance (t L U : Z) : Z := Z.max 0 (Z.max (L - t) (t - U)).

(** (1) The rank does not fall when rows come, and grows by at most 1 for each. *)
Lemma rank_moves h num m n n' : 0 <= h -> 0 <= num <= 2 * h -> n <= n' -> 0 <= rank h num m n' - rank h num m n <= 2 * h * (n' - n).
Proof.
  intros H P N. unfold rank. assert (A : 0 <= num * n' - num * n <= 2 * (h * n' - h * n)) by nia. assert (B : 0 <= h * n' - h * n) by nia.
  replace (2 * h * n') with (2 * (h * n')) by ring. replace (2 * h * n) with (2 * (h * n)) by ring. replace (2 * h * (n' - n)) with (2 * (h * n' - h * n)) by ring. lia.
Qed.
(** The unit takes k rows out of the group and puts i rows in: distances change by at most max(i, k) rows, whatever the candidate. *)
Theorem distance_moves h num m n n' i k L L' U U' : 0 <= h -> 0 <= num <= 2 * h -> 0 <= i -> 0 <= k -> n' = n + i - k ->
  - (2 * h * k) <= L' - L <= 2 * h * i -> - (2 * h * k) <= U' - U <= 2 * h * i ->
  Z.abs (distance (rank h num m n') L' U' - distance (rank h num m n) L U) <= 2 * h * Z.max i k.
Proof.
  intros H P I K E HL HU. assert (T : (0 <= rank h num m n' - rank h num m n <= 2 * h * (i - k)) \/ (2 * h * (i - k) <= rank h num m n' - rank h num m n <= 0)).
  { destruct (Z_le_dec n n') as [d|d]; [left|right].
    - assert (M := rank_moves h num m n n' H P d). replace (n' - n) with (i - k) in M by lia. exact M.
    - assert (M := rank_moves h num m n' n H P ltac:(lia)). replace (n - n') with (k - i) in M by lia. split; [nia|lia]. }
  assert (X : 2 * h * i <= 2 * h * Z.max i k) by nia. assert (Y : 2 * h * k <= 2 * h * Z.max i k) by nia.
  replace (2 * h * (i - k)) with (2 * h * i - 2 * h * k) in T by ring. unfold distance. lia.
Qed.
(** (2) The median: its rank is half of the rows, and distances change by at most (i + k) / 2 rows. *)
Theorem median_moves h n n' i k L L' U U' : 0 <= h -> 0 <= i -> 0 <= k -> n' = n + i - k ->
  - (2 * h * k) <= L' - L <= 2 * h * i -> - (2 * h * k) <= U' - U <= 2 * h * i ->
  Z.abs (distance (h * n') L' U' - distance (h * n) L U) <= h * (i + k).
Proof. intros H I K E HL HU. subst n'. unfold distance. replace (h * (n + i - k)) with (h * n + h * i - h * k) by ring. replace (2 * h * k) with (2 * (h * k)) in * by ring.
  replace (2 * h * i) with (2 * (h * i)) in * by ring. replace (h * (i + k)) with (h * i + h * k) by ring. lia. Qed.
(** (3) What permute and flip is charged for: the largest change minus the smallest is at most twice that. *)
Theorem spread c (changes : list Z) v w : (forall x, In x changes -> Z.abs x <= c) -> In v changes -> In w changes -> v - w <= 2 * c.
Proof. intros H Hv Hw. assert (a := H v Hv). assert (b := H w Hw). lia. Qed.
Print Assumptions distance_moves.
