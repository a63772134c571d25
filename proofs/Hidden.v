(** * A group with one hidden cause (claim HIDDEN-1)

    The members of a group depend on each other only through a cause that is nobody's record: a field on a star whose middle has plain loss 0. The
    loss about a member is at most Lambda_i + phi(sum over the others of phi(Lambda_j)), however large the group is. *)
Require Import Reals List Lra Psatz Arith.
From Kith Require Import Sums Gruss Records Field Witness.
Import ListNotations.
Open Scope R_scope.

Section Hidden.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable h : nat.                        (* the cause *)
Variable members : list nat.
Hypothesis distinct : NoDup (h :: members).
Variable L : nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis Lh : L h = 1.                 (* no mechanism sees it *)
Variable s : R.                          (* e^(theta / 2): between two states of the cause the odds of two values of a member change by at most s^2 *)
Hypothesis s1 : 1 <= s.
Definition star (i j : nat) : R := if Nat.eq_dec i h then s else if Nat.eq_dec j h then s else 1.
Definition others_seen (j : nat) : R := prod (h :: members) (fun l => if Nat.eq_dec l h then 1 else if Nat.eq_dec l j then 1 else phi s (L l)).

Lemma others_seen_ge1 j : 1 <= others_seen j.
Proof. apply prod_ge1. intro l. destruct (Nat.eq_dec l h); [lra|]. destruct (Nat.eq_dec l j); [lra|]. now apply phi_ge1. Qed.
Definition message (k j : nat) : R := if Nat.eq_dec k h then phi s (others_seen j) else if Nat.eq_dec j h then phi s (L k) else 1.

Theorem hidden_cause w K i known_not : In i members -> NoDup known_not -> ~ In i known_not -> field V (h :: members) star w -> plain L K ->
  loses vals known_not w K i (L i * phi s (others_seen i)).
Proof.
  intros Ii N nI Fw FK. set (nodes := h :: members) in *. assert (ih : i <> h) by (intro; subst; inversion distinct; tauto).
  assert (c1 : forall i j, 1 <= star i j) by (intros a b; unfold star; destruct (Nat.eq_dec a h), (Nat.eq_dec b h); lra).
  assert (W : witness nodes L star message).
  { intros j k Ij Ik D. assert (M : message k j = if Nat.eq_dec k h then phi s (others_seen j) else if Nat.eq_dec j h then phi s (L k) else 1) by easy.
    rewrite M. clear M. destruct (Nat.eq_dec k h) as [->|kh].
    - split; [apply phi_ge1; [easy|apply others_seen_ge1]|right].
      assert (E : without nodes L message h j = others_seen j).
      { unfold without. rewrite Lh, Rmult_1_l. apply prod_ext. intro l. unfold message. destruct (Nat.eq_dec l h); [easy|]. destruct (Nat.eq_dec l j); [easy|].
        destruct (Nat.eq_dec h h); [easy|congruence]. }
      rewrite E. unfold star. destruct (Nat.eq_dec j h), (Nat.eq_dec h h); subst; try congruence; lra.
    - destruct (Nat.eq_dec j h) as [->|jh].
      + split; [now apply phi_ge1|right]. assert (E : without nodes L message k h = L k).
        { unfold without. rewrite (prod_ext nodes _ (fun _ => 1)), prod_one; [ring|]. intro l. unfold message.
          destruct (Nat.eq_dec l k); [easy|]. destruct (Nat.eq_dec l h); [easy|]. destruct (Nat.eq_dec k h); [congruence|easy]. }
        rewrite E. unfold star. destruct (Nat.eq_dec h h); [lra|congruence].
      + split; [lra|left]. unfold star. destruct (Nat.eq_dec j h), (Nat.eq_dec k h); subst; try congruence; lra. }
  assert (T := witness_bounds V vals some nodes L star L1 c1 message W w K i known_not (or_intror Ii) N nI Fw FK).
  replace (L i * phi s (others_seen i)) with (reached nodes L message i); [exact T|].
  unfold reached. f_equal. unfold nodes. simpl. destruct (Nat.eq_dec h i); [congruence|]. unfold message at 1. destruct (Nat.eq_dec h h); [|congruence].
  rewrite (prod_in members _ (fun _ => 1)), prod_one; [ring|]. intros l Il. destruct (Nat.eq_dec l i); [easy|]. unfold message.
  destruct (Nat.eq_dec l h); [subst; inversion distinct; tauto|]. destruct (Nat.eq_dec i h); [congruence|easy].
Qed.
End Hidden.
Print Assumptions hidden_cause.
