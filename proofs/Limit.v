(** * An upper limit for a probability, from independent runs (Clopper and Pearson)

    [chance n q S]: of n independent runs that each succeed with probability q, the number of successes is in S. If k successes were seen, u k is printed, where
    k or fewer successes have at most the probability alpha if a run succeeds with u k, or u k is at least 1 (it must be where all runs succeeded). Then the printed number is below a run's probability with probability
    at most alpha ([limit_holds]), over the runs alone.                                                                                                       *)
Require Import Reals Lra Lia Bool Arith Psatz.
Open Scope R_scope.

Fixpoint chance (n : nat) (q : R) (S : nat -> bool) : R :=
  match n with O => if S O then 1 else 0 | S n => q * chance n q (fun k => S (1 + k)%nat) + (1 - q) * chance n q S end.
Definition at_most (k : nat) : nat -> bool := fun j => (j <=? k)%nat.

Lemma chance_le n q : 0 <= q <= 1 -> forall S T, (forall k, (k <= n)%nat -> S k = true -> T k = true) -> chance n q S <= chance n q T.
Proof.
  intro H. induction n as [|n IH]; intros S T I; cbn [chance].
  - specialize (I O (le_n _)). destruct (S O); [rewrite I by easy; lra|]. destruct (T O); lra.
  - assert (a := IH (fun k => S (1 + k)%nat) (fun k => T (1 + k)%nat) ltac:(intros; apply I; auto; lia)). assert (b := IH S T ltac:(intros; apply I; auto; lia)).
    apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.
(** More likely successes make few of them less likely. *)
Lemma chance_down n : forall q q' S, 0 <= q -> q <= q' -> q' <= 1 -> (forall k, S (1 + k)%nat = true -> S k = true) -> chance n q' S <= chance n q S.
Proof.
  induction n as [|n IH]; intros q q' S q0 qq q1 D; cbn [chance]; [lra|].
  assert (a := IH q q' (fun k => S (1 + k)%nat) q0 qq q1 ltac:(intros k h; apply (D (1 + k)%nat h))). assert (b := IH q q' S q0 qq q1 D).
  assert (c : chance n q (fun k => S (1 + k)%nat) <= chance n q S) by (apply chance_le; [lra|auto]).
  set (A := chance n q _) in *. set (B := chance n q S) in *. set (A' := chance n q' _) in *. set (B' := chance n q' S) in *.
  apply Rle_trans with (q' * A + (1 - q') * B); [apply Rplus_le_compat; apply Rmult_le_compat_l; lra|]. assert (0 <= (q' - q) * (B - A)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma chance_none n q : forall S, (forall k, (k <= n)%nat -> S k = false) -> chance n q S = 0.
Proof. induction n as [|n IH]; intros S H; cbn [chance]; [now rewrite H|]. rewrite !IH; [ring|..]; intros; apply H; lia. Qed.

Definition below_number (u : nat -> R) (c : R) : nat -> bool := fun k => if Rlt_dec (u k) c then true else false.
Theorem limit_holds n q c alpha (u : nat -> R) : 0 <= alpha -> c <= q -> q <= 1 -> (forall k, (k <= n)%nat -> 1 <= u k \/ (0 <= u k /\ chance n (u k) (at_most k) <= alpha)) ->
  chance n q (below_number u c) <= alpha.
Proof.
  intros a0 cq q1 H.
  assert (F : forall m, (m <= n)%nat -> (forall k, (m < k)%nat -> (k <= n)%nat -> below_number u c k = false) -> chance n q (below_number u c) <= alpha).
  { assert (E : forall m, (m <= n)%nat -> (forall k, (m < k)%nat -> (k <= n)%nat -> below_number u c k = false) -> below_number u c m = true -> chance n q (below_number u c) <= alpha).
    { intros m hm L B. assert (h : u m < c) by (unfold below_number in B; now destruct (Rlt_dec (u m) c)). destruct (H m hm) as [u1|[u0 A]]; [lra|].
      eapply Rle_trans; [apply (chance_le n q ltac:(lra) _ (at_most m))|].
      - intros k hk b. unfold at_most. apply Nat.leb_le. destruct (le_lt_dec k m); [easy|]. rewrite L in b by easy. easy.
      - eapply Rle_trans; [|exact A]. apply chance_down; try lra. intros k. unfold at_most. rewrite !Nat.leb_le. lia. }
    induction m as [|m IH]; intros hm L.
    - destruct (below_number u c O) eqn:B; [now apply (E O)|]. rewrite chance_none; [easy|]. intros [|k] hk; [easy|]. apply L; lia.
    - destruct (below_number u c (S m)) eqn:B; [now apply (E (S m))|]. apply IH; [lia|]. intros k h hk. destruct (Nat.eq_dec k (S m)) as [->|]; [easy|]. apply L; lia. }
  apply (F n); [lia|]. intros; lia.
Qed.
(** Such limits exist for every alpha above 0: one run that failed allows 1 - alpha, and one that succeeded allows 1. *)
Lemma limits_exist alpha : 0 < alpha < 1 -> forall k, (k <= 1)%nat -> let u k := match k with O => 1 - alpha | S _ => 1 end in 1 <= u k \/ (0 <= u k /\ chance 1 (u k) (at_most k) <= alpha).
Proof. intros a [|[|k]] h u; subst u; cbn; [right; lra|left; lra|lia]. Qed.
Print Assumptions limit_holds.
