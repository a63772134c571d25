(** * What is done to an answer afterwards (claims AXIOM-1, AXIOM-2, AXIOM-3)

    [p] and [q] are the probabilities of the outputs given two values of the secret. Processing draws z from y by a law [Q y z] that does not
    depend on the data; a choice makes release 0 or release 1, with probabilities that do not depend on the data. *)
Require Import Reals List Lra Psatz Bool.
From Kith Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section PostProcessing.
Variables Y Z : Type.
Variable outputs : list Y.
Implicit Types (p q : Y -> R).

(** AXIOM-1: a pure loss is kept by whatever is done to the output. *)
Theorem processing g p q (Q : Y -> Z -> R) : (forall y z, 0 <= Q y z) -> (forall y, p y <= g * q y) ->
  forall z, sum outputs (fun y => p y * Q y z) <= g * sum outputs (fun y => q y * Q y z).
Proof.
  intros Q0 H z. rewrite <- sum_scale. apply sum_le. intro y. specialize (H y). specialize (Q0 y z). nra.
Qed.

(** AXIOM-2: a choice between two releases loses no more than the worse of them, whether or not it says which it made. *)
Theorem choice g s p0 q0 p1 q1 : 0 <= s <= 1 -> (forall y, p0 y <= g * q0 y) -> (forall y, p1 y <= g * q1 y) ->
  forall y, s * p0 y + (1 - s) * p1 y <= g * (s * q0 y + (1 - s) * q1 y) /\ s * p0 y <= g * (s * q0 y) /\ (1 - s) * p1 y <= g * ((1 - s) * q1 y).
Proof. intros Hs H0 H1 y. specialize (H0 y). specialize (H1 y). repeat split; nra. Qed.

(** AXIOM-3: with a delta, for all sets of outputs (all weights between 0 and 1), the same. *)
Definition approx g d p q := forall f : Y -> R, (forall y, 0 <= f y <= 1) -> sum outputs (fun y => p y * f y) <= g * sum outputs (fun y => q y * f y) + d.
(** Sets are enough: the worst weights are 0 and 1. *)
Theorem sets_suffice g d p q :
  (forall s : Y -> bool, sum outputs (fun y => if s y then p y else 0) <= g * sum outputs (fun y => if s y then q y else 0) + d) -> approx g d p q.
Proof.
  intros H f Hf. set (s y := if Rle_dec (g * q y) (p y) then true else false). specialize (H s).
  assert (sum outputs (fun y => p y * f y + - g * (q y * f y)) <= sum outputs (fun y => (if s y then p y else 0) + - g * (if s y then q y else 0))).
  { apply sum_le. intro y. specialize (Hf y). unfold s. destruct (Rle_dec (g * q y) (p y)); nra. }
  rewrite !sum_add, !sum_scale in H0. lra.
Qed.
Theorem processing_delta (targets : list Z) g d p q (Q : Y -> Z -> R) : (forall y z, 0 <= Q y z) -> (forall y, sum targets (Q y) <= 1) -> approx g d p q ->
  forall f : Z -> R, (forall z, 0 <= f z <= 1) ->
  sum targets (fun z => sum outputs (fun y => p y * Q y z) * f z) <= g * sum targets (fun z => sum outputs (fun y => q y * Q y z) * f z) + d.
Proof.
  intros Q0 Q1 A f Hf.
  assert (E : forall r : Y -> R, sum targets (fun z => sum outputs (fun y => r y * Q y z) * f z) = sum outputs (fun y => r y * sum targets (fun z => Q y z * f z))).
  { intro r. rewrite (sum_ext targets _ (fun z => sum outputs (fun y => r y * (Q y z * f z)))).
    - rewrite sum_swap. apply sum_ext. intro y. now rewrite <- sum_scale.
    - intro z. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro y. ring. }
  rewrite !E. apply A. intro y. split.
  - apply sum_nonneg. intro z. specialize (Q0 y z). specialize (Hf z). nra.
  - apply Rle_trans with (sum targets (Q y)); [|apply Q1]. apply sum_le. intro z. specialize (Q0 y z). specialize (Hf z). nra.
Qed.
End PostProcessing.
Print Assumptions processing_delta.
