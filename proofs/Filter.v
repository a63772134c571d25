(** * The filter, with pure losses and deltas (claims LEDGER-1, CAP-6)

    An adversary asks question after question, each chosen by the answers so far. For two neighbouring snapshots, each answer's law under the first is a
    part that exceeds the law under the second by a factor of at most l, and a part of probability at most d (d = 0 for pure answers). A filter stops
    the sequence before the product of the l exceeds G, or the sum of the d exceeds D, on any history. Then for every set of whole transcripts (every
    weight between 0 and 1 of them), the first probability is at most G times the second, plus D. *)
Require Import Reals List Lra Psatz.
From Kith Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section Filter.
Variable Y : Type.
(** [p] and [p'] are the answer's laws under the two snapshots, [good] the part of [p] that is within the factor. *)
Inductive game :=
| stop (weight : R)
| ask (outputs : list Y) (p p' good : Y -> R) (next : Y -> game).
Fixpoint first (g : game) : R := match g with stop f => f | ask o p _ _ next => sum o (fun y => p y * first (next y)) end.
Fixpoint second (g : game) : R := match g with stop f => f | ask o _ p' _ next => sum o (fun y => p' y * second (next y)) end.
(** What the filter allows, with G and D left. *)
Fixpoint allowed (g : game) (G D : R) : Prop :=
  match g with
  | stop f => 0 <= f <= 1 /\ 1 <= G /\ 0 <= D
  | ask o p p' good next => exists l d, 1 <= l /\ 0 <= d /\
      (forall y, 0 <= good y <= p y) /\ (forall y, 0 <= p' y) /\ sum o p <= 1 /\
      (forall y, good y <= l * p' y) /\ sum o (fun y => p y - good y) <= d /\
      forall y, allowed (next y) (G / l) (D - d)
  end.
Lemma first_range g : forall G D, allowed g G D -> 0 <= first g <= 1.
Proof.
  induction g as [f|o p p' good next IH]; simpl; intros G D H; [tauto|]. destruct H as (l & d & l1 & d0 & Hg & Hp' & S1 & Hl & Hd & N). split.
  - apply sum_nonneg. intro y. destruct (IH y _ _ (N y)). specialize (Hg y). apply Rmult_le_pos; lra.
  - eapply Rle_trans; [|exact S1]. apply sum_le. intro y. destruct (IH y _ _ (N y)). specialize (Hg y). nra.
Qed.
Lemma second_nonneg g : forall G D, allowed g G D -> 0 <= second g.
Proof.
  induction g as [f|o p p' good next IH]; simpl; intros G D H; [tauto|]. destruct H as (l & d & _ & _ & _ & Hp' & _ & _ & _ & N).
  apply sum_nonneg. intro y. apply Rmult_le_pos; [easy|eauto].
Qed.
Lemma allowed_left g : (exists y : Y, True) -> forall G D, allowed g G D -> 0 <= G /\ 0 <= D.
Proof.
  intros [y0 _]. induction g as [f|o p p' good next IH]; simpl; intros G D H; [lra|].
  destruct H as (l & d & l1 & d0 & _ & _ & _ & _ & _ & N). destruct (IH y0 _ _ (N y0)) as [a b]. split; [|lra].
  apply Rmult_le_reg_r with (/ l); [apply Rinv_0_lt_compat; lra|]. rewrite Rmult_0_l. exact a.
Qed.
Theorem filtered g : (exists y : Y, True) -> forall G D, allowed g G D -> first g <= G * second g + D.
Proof.
  intro inh. induction g as [f|o p p' good next IH]; intros G D H; [simpl in *; nra|].
  assert (L := allowed_left _ inh _ _ H). simpl in H. destruct H as (l & d & l1 & d0 & Hg & Hp' & S1 & Hl & Hd & N).
  assert (Dd : 0 <= D - d) by (destruct inh as [y0 _]; exact (proj2 (allowed_left _ (ex_intro _ y0 I) _ _ (N y0)))).
  simpl. apply Rle_trans with (sum o (fun y => good y * first (next y)) + sum o (fun y => p y - good y)).
  - rewrite <- sum_add. apply sum_le. intro y. destruct (first_range _ _ _ (N y)). specialize (Hg y). nra.
  - assert (A : sum o (fun y => good y * first (next y)) <= sum o (fun y => G * (p' y * second (next y)) + (D - d) * p y)).
    { apply sum_le. intro y. assert (F := IH y _ _ (N y)). assert (S := second_nonneg _ _ _ (N y)). specialize (Hg y). specialize (Hl y).
      apply Rle_trans with (good y * (G / l * second (next y) + (D - d))); [apply Rmult_le_compat_l; lra|].
      rewrite Rmult_plus_distr_l. apply Rplus_le_compat; [|rewrite Rmult_comm; apply Rmult_le_compat_l; lra].
      replace (G * (p' y * second (next y))) with (l * p' y * (G / l * second (next y))) by (field; lra).
      apply Rmult_le_compat_r; [|easy]. apply Rmult_le_pos; [|easy]. apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat; lra. }
    rewrite sum_add, !sum_scale in A. assert ((D - d) * sum o p <= (D - d) * 1) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Filter.
Print Assumptions filtered.
