(** * Messages are witnesses (claim FIELD-1; the checker that uses this is Checker.v)

    A bound for a field need not be computed by walks: whoever hands over numbers [m k j] (half exponentials of what passes from record [k]
    to record [j]) that satisfy one inequality per direction of a link has proved a bound. How the numbers were found does not matter. *)
Require Import Reals List Lra Psatz Arith.
From Kith Require Import Sums Gruss Records Field.
Import ListNotations.
Open Scope R_scope.

Section Witness.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.
Variable L : nat -> R.
Variable c : nat -> nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall i j, 1 <= c i j.

(** What reaches record [k] from everybody but [j], together with its own plain loss. *)
Definition without (m : nat -> nat -> R) (k j : nat) : R :=
  L k * prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else m l k).
(** Everything that reaches record [i]: the bound. *)
Definition reached (m : nat -> nat -> R) (i : nat) : R :=
  L i * prod nodes (fun l => if Nat.eq_dec l i then 1 else m l i).
(** The inequality: a message is at least the strength of its link, or at least what passes the link of all that reaches its sender. *)
Definition witness (m : nat -> nat -> R) : Prop := forall j k, In j nodes -> In k nodes -> j <> k ->
  1 <= m k j /\ (c j k <= m k j \/ phi (c j k) (without m k j) <= m k j).

Section Given.
Variable m : nat -> nat -> R.
Hypothesis W : witness m.

Lemma without_ge1 k j : In k nodes -> 1 <= without m k j.
Proof.
  intros Ik. unfold without. assert (1 <= prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else m l k)).
  { apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. apply W; auto. }
  specialize (L1 k). nra.
Qed.
Lemma passes n k j U : In j nodes -> In k nodes -> j <> k -> B nodes L c n k U <= without m k j -> phi (c j k) (B nodes L c n k U) <= m k j.
Proof.
  intros Ij Ik D H. assert (b1 := B_ge1 nodes L c L1 c1 n k U). destruct (W j k Ij Ik D) as [_ [H1|H1]].
  - eapply Rle_trans; [|exact H1]. now apply phi_le_strength.
  - eapply Rle_trans; [|exact H1]. now apply phi_mono_r.
Qed.
Lemma walks_below n : forall k j U, In k nodes -> In j nodes -> j <> k -> ~ In k U -> ~ In j U -> B nodes L c n k U <= without m k j.
Proof.
  induction n as [|n IH]; intros k j U Ik Ij D nk nj; simpl.
  - assert (H := without_ge1 k j Ik). unfold without in *.
    assert (1 <= prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else m l k)).
    { apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. apply W; auto. }
    specialize (L1 k). nra.
  - unfold without. apply Rmult_le_compat_l; [specialize (L1 k); lra|]. apply prod_le_in. intros l Il.
    destruct (in_dec Nat.eq_dec l U) as [lU|lU].
    + destruct (Nat.eq_dec l k); [subst; tauto|]. destruct (Nat.eq_dec l j); [subst; tauto|].
      split. { assert (1 <= phi (c k l) (B nodes L c n l (remove Nat.eq_dec l U))) by (apply phi_ge1; [easy|now apply B_ge1]). lra. }
      apply passes; auto. apply IH; auto; [apply remove_In|]. intro H. apply in_remove in H. tauto.
    + split; [lra|]. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. apply W; auto.
Qed.

(** FIELD-1, messages: whatever numbers satisfy the inequalities bound the loss about every record, for every field with the declared
    strengths, every mechanism with the declared plain losses and whatever other records are known. *)
Theorem witness_bounds w K i others :
  In i nodes -> NoDup others -> ~ In i others -> field V nodes c w -> plain L K ->
  loses vals others w K i (reached m i).
Proof.
  intros Ii N nI Fw FK. apply loses_iff; [exact some|apply Fw|].
  apply loses_mono with (B nodes L c (length others) i others); [exact some|apply Fw|apply FK| |].
  - split. { assert (H := B_ge1 nodes L c L1 c1 (length others) i others). lra. }
    generalize (length others). intros [|n]; simpl; unfold reached.
    + assert (1 <= prod nodes (fun l => if Nat.eq_dec l i then 1 else m l i)).
      { apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l i); [lra|]. apply W; auto. }
      specialize (L1 i). nra.
    + apply Rmult_le_compat_l; [specialize (L1 i); lra|]. apply prod_le_in. intros l Il.
      destruct (in_dec Nat.eq_dec l others) as [lU|lU].
      * destruct (Nat.eq_dec l i); [subst; tauto|].
        split. { assert (1 <= phi (c i l) (B nodes L c n l (remove Nat.eq_dec l others))) by (apply phi_ge1; [easy|now apply B_ge1]). lra. }
        apply passes; auto. apply walks_below; auto; [apply remove_In|]. intro H. apply in_remove in H. tauto.
      * split; [lra|]. destruct (Nat.eq_dec l i); [lra|]. apply W; auto.
  - now apply walks.
Qed.
End Given.
End Witness.
Print Assumptions witness_bounds.
