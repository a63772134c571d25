(** * Messages that rest on another bound (claim FIELD-1)

    A program may take the smaller of a message and of another bound that holds anyway, the sum of the losses of the group without the receiver: messages
    then start at that bound, fall from update to update, and may rest on it. The inequality of Witness.v need not hold for such messages. Here is one that
    does: what reaches the sender of a message may be replaced by any bound about the sender that holds while the receiver is known. Updates keep it, in
    any order, settled or not, and it is enough. *)
Require Import Reals List Lra Psatz Arith Lia.
From Kith Require Import Sums Gruss Records Field Block Witness.
Import ListNotations.
Open Scope R_scope.

Section Rests.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.
Variable L : nat -> R.
Variable c : nat -> nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall i j, 1 <= c i j.

(** [G i p]: any bound about record [i] while [p] is known, for every field with the declared strengths, every mechanism and whatever else is known. *)
Variable G : nat -> nat -> R.
Hypothesis G1 : forall i p, 1 <= G i p.
Hypothesis G_bounds : forall W w K i p, NoDup W -> incl W nodes -> In i nodes -> i <> p -> ~ In i W -> ~ In p W -> field V nodes c w -> plain L K ->
  loses_x vals W w K i (G i p).

(** Walks that never return, cut to [G] at every step; the last step came from [p]. *)
Fixpoint cut (n : nat) (p i : nat) (W : list nat) : R :=
  Rmin (G i p) match n with
  | O => L i
  | S n => L i * prod nodes (fun j => if in_dec Nat.eq_dec j W then phi (c i j) (cut n i j (remove Nat.eq_dec j W)) else 1)
  end.
Lemma cut_ge1 n : forall p i W, 1 <= cut n p i W.
Proof.
  induction n as [|n IH]; intros p i W; cbn [cut]; apply Rmin_glb; auto.
  assert (1 <= prod nodes (fun j => if in_dec Nat.eq_dec j W then phi (c i j) (cut n i j (remove Nat.eq_dec j W)) else 1)).
  { apply prod_ge1. intro j. destruct (in_dec Nat.eq_dec j W); [now apply phi_ge1|lra]. }
  specialize (L1 i). nra.
Qed.
Lemma smaller W w K i a b : loses_x vals W w K i a -> loses_x vals W w K i b -> loses_x vals W w K i (Rmin a b).
Proof. intros A B. unfold Rmin. now destruct (Rle_dec a b). Qed.
Theorem cut_walks n : forall W w K i p, (length W <= n)%nat -> NoDup W -> incl W nodes -> In i nodes -> i <> p -> ~ In i W -> ~ In p W -> field V nodes c w -> plain L K ->
  loses_x vals W w K i (cut n p i W).
Proof.
  induction n as [|n IH]; intros W w K i p len N inc Ii ip I Ip Fw FK; cbn [cut]; (apply smaller; [now apply G_bounds|]).
  - assert (W = []) by (destruct W; [easy|simpl in len; lia]). subst. now apply (walks V vals some nodes L c L1 c1 0%nat).
  - apply (one_step V vals some nodes L c L1 c1 (cut n i)); auto using cut_ge1. intros j w' K' J Fw' FK'. assert (Q := remove_length_lt Nat.eq_dec W j J).
    apply IH; auto using NoDup_rem, remove_In; [lia| |intro; subst; tauto|]; [intros k hk; apply in_remove in hk; now apply inc|]. intro hk. apply in_remove in hk. tauto.
Qed.

(** The inequality: as in Witness.v, but no more than [G] need pass a link. *)
Definition rests (m : nat -> nat -> R) : Prop := forall j k, In j nodes -> In k nodes -> j <> k ->
  1 <= m k j /\ (c j k <= m k j \/ phi (c j k) (Rmin (G k j) (without nodes L m k j)) <= m k j).

Section Given.
Variable m : nat -> nat -> R.
Hypothesis H : rests m.
Lemma sent_ge1 k j : In k nodes -> 1 <= prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else m l k).
Proof. intros Ik. apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. apply H; auto. Qed.
Lemma passes_cut n k j U : In j nodes -> In k nodes -> j <> k -> cut n j k U <= Rmin (G k j) (without nodes L m k j) -> phi (c j k) (cut n j k U) <= m k j.
Proof.
  intros Ij Ik D Q. assert (b1 := cut_ge1 n j k U). destruct (H j k Ij Ik D) as [_ [P|P]]; (eapply Rle_trans; [|exact P]).
  - now apply phi_le_strength.
  - now apply phi_mono_r.
Qed.
Lemma cut_below n : forall k j U, In k nodes -> In j nodes -> j <> k -> ~ In k U -> ~ In j U -> cut n j k U <= Rmin (G k j) (without nodes L m k j).
Proof.
  induction n as [|n IH]; intros k j U Ik Ij D nk nj; cbn [cut]; apply Rle_min_compat_l; unfold without.
  - assert (Q := sent_ge1 k j Ik). specialize (L1 k). nra.
  - apply Rmult_le_compat_l; [specialize (L1 k); lra|]. apply prod_le_in. intros l Il. destruct (in_dec Nat.eq_dec l U) as [lU|lU].
    + destruct (Nat.eq_dec l k); [subst; tauto|]. destruct (Nat.eq_dec l j); [subst; tauto|].
      split. { assert (1 <= phi (c k l) (cut n k l (remove Nat.eq_dec l U))) by (apply phi_ge1; [easy|apply cut_ge1]). lra. }
      apply passes_cut; auto. apply IH; auto; [apply remove_In|]. intro J. apply in_remove in J. tauto.
    + split; [lra|]. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. apply H; auto.
Qed.

(** FIELD-1, messages with minima. *)
Theorem rests_bounds w K i others : In i nodes -> NoDup others -> incl others nodes -> ~ In i others -> field V nodes c w -> plain L K ->
  loses vals others w K i (reached nodes L m i).
Proof.
  intros Ii N inc nI Fw FK. apply loses_iff; [exact some|apply Fw|]. set (n := length others).
  set (top := L i * prod nodes (fun j => if in_dec Nat.eq_dec j others then phi (c i j) (cut n i j (remove Nat.eq_dec j others)) else 1)).
  apply loses_mono with top; [exact some|apply Fw|apply FK| |].
  - unfold top, reached. assert (1 <= prod nodes (fun j => if in_dec Nat.eq_dec j others then phi (c i j) (cut n i j (remove Nat.eq_dec j others)) else 1)).
    { apply prod_ge1. intro j. destruct (in_dec Nat.eq_dec j others); [apply phi_ge1; auto using cut_ge1|lra]. }
    assert (li := L1 i). split; [nra|]. apply Rmult_le_compat_l; [lra|]. apply prod_le_in. intros l Il. destruct (in_dec Nat.eq_dec l others) as [lU|lU].
    + destruct (Nat.eq_dec l i); [subst; tauto|].
      split. { assert (1 <= phi (c i l) (cut n i l (remove Nat.eq_dec l others))) by (apply phi_ge1; [easy|apply cut_ge1]). lra. }
      apply passes_cut; auto. apply cut_below; auto; [apply remove_In|]. intro J. apply in_remove in J. tauto.
    + split; [lra|]. destruct (Nat.eq_dec l i); [lra|]. apply H; auto.
  - apply (one_step V vals some nodes L c L1 c1 (cut n i)); auto using cut_ge1. intros j w' K' J Fw' FK'. assert (Q := remove_length_lt Nat.eq_dec others j J).
    apply cut_walks; auto using NoDup_rem, remove_In; [unfold n; lia| |intro; subst; tauto|]; [intros k hk; apply in_remove in hk; now apply inc|].
    intro hk. apply in_remove in hk. tauto.
Qed.

(** Updates, of any messages and in any order: a message that falls, but not below what its inequality asks, leaves all inequalities true. *)
Theorem update_rests m' : (forall j k, In j nodes -> In k nodes -> j <> k -> 1 <= m' k j <= m k j /\
    (m' k j = m k j \/ c j k <= m' k j \/ phi (c j k) (Rmin (G k j) (without nodes L m k j)) <= m' k j)) -> rests m'.
Proof.
  intros U j k Ij Ik D. destruct (U j k Ij Ik D) as [[u1 u2] u3]. split; [easy|].
  assert (less : Rmin (G k j) (without nodes L m' k j) <= Rmin (G k j) (without nodes L m k j)).
  { apply Rle_min_compat_l. unfold without. apply Rmult_le_compat_l; [specialize (L1 k); lra|]. apply prod_le_in. intros l Il.
    destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. assert (Q := U k l Ik Il ltac:(auto)). lra. }
  assert (ge1 : 1 <= Rmin (G k j) (without nodes L m' k j)).
  { apply Rmin_glb; [auto|]. unfold without. assert (1 <= prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else m' l k)).
    { apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. now apply U; auto. }
    specialize (L1 k). nra. }
  assert (mono : phi (c j k) (Rmin (G k j) (without nodes L m' k j)) <= phi (c j k) (Rmin (G k j) (without nodes L m k j))) by now apply phi_mono_r.
  destruct u3 as [E|[E|E]]; [|now left|right; lra]. destruct (H j k Ij Ik D) as [_ [P|P]]; [left|right]; rewrite E; lra.
Qed.
End Given.

(** Where messages start. *)
Theorem start_rests : rests (fun k j => phi (c j k) (G k j)).
Proof.
  intros j k Ij Ik D. split; [now apply phi_ge1|right]. apply phi_mono_r; auto; [|apply Rmin_l].
  apply Rmin_glb; auto. unfold without. assert (1 <= prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else phi (c k l) (G l k))).
  { apply prod_ge1_in. intros l _. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. now apply phi_ge1. }
  specialize (L1 k). nra.
Qed.
End Rests.

(** ** The group bound: the sum of all losses *)
Lemma prod_app l l' (f : nat -> R) : prod (l ++ l') f = prod l f * prod l' f.
Proof. induction l as [|a l IH]; simpl; [ring|]. rewrite IH. ring. Qed.
Lemma prod_incl (f : nat -> R) : (forall j, 1 <= f j) -> forall U nodes, NoDup U -> incl U nodes -> prod U f <= prod nodes f.
Proof.
  intros F. induction U as [|a U IH]; intros nodes N inc; [simpl; now apply prod_ge1|]. inversion N; subst.
  destruct (in_split a nodes) as (l1 & l2 & E); [apply inc; now left|]. subst nodes.
  assert (Q : prod U f <= prod (l1 ++ l2) f).
  { apply IH; [easy|]. intros b hb. assert (J := inc b (or_intror hb)). apply in_app_or in J. apply in_or_app. destruct J as [|[<-|]]; tauto. }
  rewrite prod_app in *. simpl. specialize (F a). assert (f a * prod U f <= f a * (prod l1 f * prod l2 f)) by (apply Rmult_le_compat_l; lra). lra.
Qed.
Definition group_without nodes (L : nat -> R) (k j : nat) : R := prod nodes (fun l => if Nat.eq_dec l j then 1 else L l).
Theorem rests_on_group V (vals : list V) nodes L c m w K i others : vals <> [] -> (forall i, 1 <= L i) -> (forall i j, 1 <= c i j) ->
  rests nodes L c (group_without nodes L) m -> In i nodes -> NoDup others -> incl others nodes -> ~ In i others -> field V nodes c w -> plain L K ->
  loses vals others w K i (reached nodes L m i).
Proof.
  intros some L1 c1 H Ii N inc nI Fw FK. assert (F : forall p l, 1 <= if Nat.eq_dec l p then 1 else L l) by (intros p l; destruct (Nat.eq_dec l p); [lra|auto]).
  apply (rests_bounds V vals some nodes L c L1 c1 (group_without nodes L)) with (m := m); auto; [intros; unfold group_without; apply prod_ge1; auto|].
  intros W w' K' k p NW incW Ik kp nk np Fw' FK'. apply loses_mono with (L k * prod W L); [exact some|apply Fw'|apply FK'| |apply group; auto; apply Fw'].
  assert (P := prod_ge1 W L L1). split; [specialize (L1 k); nra|]. change (L k * prod W L) with (prod (k :: W) L).
  rewrite (prod_in (k :: W) L (fun l => if Nat.eq_dec l p then 1 else L l)).
  - apply prod_incl; auto; [now constructor|]. intros b [<-|hb]; auto.
  - intros l [<-|hl]; destruct (Nat.eq_dec _ p); subst; tauto.
Qed.
Print Assumptions rests_on_group.
Print Assumptions update_rests.
Print Assumptions start_rests.
