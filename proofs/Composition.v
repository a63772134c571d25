(** * Adaptive composition and the filter (claims DL-1 to RELEASE-4, LEDGER-1: pure losses add up)

    Every answer of a sequence may have been chosen because of the answers before it. At a fixed transcript, the probability of the whole
    transcript is the product of the answers' probabilities given what came before; plain losses add up (half exponentials multiply). *)
Require Import Reals List Lra Psatz Arith ZArith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records.
Import ListNotations.
Open Scope R_scope.

Section Composition.
Variable V : Type.
Notation db := (Records.db V).
Fixpoint kernel (tr : list (db -> R)) (x : db) : R := match tr with [] => 1 | K :: tr => K x * kernel tr x end.
Fixpoint spent (ls : list (nat -> R)) (i : nat) : R := match ls with [] => 1 | l :: ls => l i * spent ls i end.
(** Plain losses of a sequence add up, record by record. *)
Theorem composition ls tr : (forall l, In l ls -> forall i, 1 <= l i) -> Forall2 (plain) ls tr ->
  (forall i, 1 <= spent ls i) /\ plain (spent ls) (kernel tr).
Proof.
  intros H F. induction F as [|l K ls tr HK F IH]; simpl.
  - split; [intros; lra|]. split; intros; lra.
  - destruct IH as [S1 [P Q]]; [intros; apply H; [now right|..]|].
    assert (l1 : forall i, 1 <= l i) by (intro; apply H; now left).
    split; [intro i; specialize (S1 i); specialize (l1 i); nra|].
    destruct HK as [KP KL]. split; [intro; now apply Rmult_lt_0_compat|].
    intros i a b x. specialize (KL i a b x). specialize (Q i a b x).
    assert (0 < K (upd x i a)) by apply KP. assert (0 < kernel tr (upd x i a)) by apply P.
    replace (l i * spent ls i * (l i * spent ls i) * (K (upd x i b) * kernel tr (upd x i b)))
      with ((l i * l i * K (upd x i b)) * (spent ls i * spent ls i * kernel tr (upd x i b))) by ring.
    apply Rmult_le_compat; lra.
Qed.
End Composition.
Print Assumptions composition.
