(** * The checker of witnesses, as a program over exact rationals (claim FIELD-1)

    Losses and strengths are rationals [>= e^(Lambda/2)], [>= e^(theta/2)]: whoever calls the program rounds exponentials up. A strength of
    [None] is infinite: a hard tie. If [check] says yes, [bound i] is a bound on the loss about [i]. The program is extracted to OCaml. *)
Require Import Reals QArith Qreals List Arith Lra Lia Bool.
From Kith Require Import Sums Gruss Rational Records Field Witness.
Import ListNotations.

Section Checker.
Variable nodes : list nat.
Variable L : nat -> Q.
Variable c : nat -> nat -> option Q.
Variable m : nat -> nat -> Q.

Definition without_q (k j : nat) : Q := L k * prodq nodes (fun l => if Nat.eq_dec l k then 1%Q else if Nat.eq_dec l j then 1%Q else m l k).
Definition bound_q (i : nat) : Q := Qred (L i * prodq nodes (fun l => if Nat.eq_dec l i then 1%Q else m l i)).
Definition check_message (j k : nat) : bool :=
  if Nat.eq_dec j k then true else
  Qle_bool 1 (m k j) &&
  match c j k with
  | None => Qle_bool (without_q k j) (m k j)
  | Some s => Qle_bool 1 s && (Qle_bool s (m k j) || Qle_bool (phiq s (without_q k j)) (m k j))
  end.
Definition check : bool := forallb (fun j => Qle_bool 1 (L j) && forallb (check_message j) nodes) nodes.

(** Real strengths and losses that the rationals cover. *)
Definition covers (L' : nat -> R) (c' : nat -> nat -> R) : Prop :=
  (forall i, 1 <= L' i)%R /\ (forall i j, 1 <= c' i j)%R /\ (forall i, In i nodes -> L' i <= Q2R (L i))%R /\
  forall i j s, In i nodes -> In j nodes -> c i j = Some s -> (c' i j <= Q2R s)%R.

Lemma check_sound L' c' : check = true -> covers L' c' -> witness nodes L' c' (fun k j => Q2R (m k j)).
Proof.
  intros C (L1 & c1 & HL & Hc). unfold check in C. rewrite forallb_forall in C.
  assert (M1 : forall j k, In j nodes -> In k nodes -> j <> k -> (1 <= Q2R (m k j))%R).
  { intros j k Ij Ik D. specialize (C j Ij). apply andb_prop in C. destruct C as [_ C]. rewrite forallb_forall in C. specialize (C k Ik).
    unfold check_message in C. destruct (Nat.eq_dec j k); [tauto|]. apply andb_prop in C. now apply Q2R_ge1. }
  assert (P1 : forall k j, In k nodes -> (1 <= prod nodes (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else Q2R (m l k)))%R).
  { intros k j Ik. apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l k); [lra|]. destruct (Nat.eq_dec l j); [lra|]. apply M1; auto. }
  assert (WQ : forall k j, In k nodes -> (1 <= without nodes L' (fun k j => Q2R (m k j)) k j <= Q2R (without_q k j))%R).
  { intros k j Ik. unfold without, without_q. rewrite Q2R_mult, Q2R_prod. specialize (P1 k j Ik).
    rewrite (prod_ext nodes (fun x => Q2R (if Nat.eq_dec x k then 1%Q else if Nat.eq_dec x j then 1%Q else m x k))
      (fun l => if Nat.eq_dec l k then 1 else if Nat.eq_dec l j then 1 else Q2R (m l k))%R).
    2:{ intro l. destruct (Nat.eq_dec l k), (Nat.eq_dec l j); auto using Q2R_one. }
    specialize (HL k Ik). specialize (L1 k). nra. }
  intros j k Ij Ik D. split; [now apply M1|]. specialize (C j Ij). apply andb_prop in C. destruct C as [_ C].
  rewrite forallb_forall in C. specialize (C k Ik). unfold check_message in C. destruct (Nat.eq_dec j k); [tauto|].
  apply andb_prop in C. destruct C as [_ C]. destruct (WQ k j Ik) as [w1 w2]. specialize (c1 j k).
  destruct (c j k) as [s|] eqn:E.
  - apply andb_prop in C. destruct C as [s1 C]. apply Q2R_ge1 in s1. assert (cs := Hc j k s Ij Ik E).
    apply orb_prop in C. destruct C as [C|C]; apply Qle_bool_R in C; [left; lra|right].
    rewrite Q2R_phi in C by lra. eapply Rle_trans; [|exact C]. now apply phi_mono.
  - right. apply Qle_bool_R in C. eapply Rle_trans; [apply phi_le_loss; lra|lra].
Qed.

(** FIELD-1: whatever witness the program accepts, its bound holds for every field of the class and every mechanism. *)
Theorem checked V (vals : list V) L' c' w K i others : check = true -> vals <> [] -> covers L' c' ->
  In i nodes -> NoDup others -> ~ In i others -> field V nodes c' w -> plain L' K ->
  loses vals others w K i (Q2R (bound_q i)).
Proof.
  intros C some cov Ii N nI Fw FK. assert (W := check_sound L' c' C cov). destruct cov as (L1 & c1 & HL & _).
  assert (T := witness_bounds V vals some nodes L' c' L1 c1 _ W w K i others Ii N nI Fw FK).
  apply loses_iff in T; [|exact some|apply Fw]. apply loses_iff; [exact some|apply Fw|].
  eapply loses_mono; [exact some|apply Fw|apply FK| |exact T].
  assert (P : (1 <= prod nodes (fun l => if Nat.eq_dec l i then 1 else Q2R (m l i)))%R).
  { apply prod_ge1_in. intros l Il. destruct (Nat.eq_dec l i); [lra|]. apply W; auto. }
  unfold reached, bound_q. rewrite Q2R_red, Q2R_mult, Q2R_prod.
  rewrite (prod_ext nodes (fun x => Q2R (if Nat.eq_dec x i then 1%Q else m x i)) (fun l => if Nat.eq_dec l i then 1 else Q2R (m l i))%R).
  2:{ intro l. destruct (Nat.eq_dec l i); auto using Q2R_one. }
  specialize (HL i Ii). specialize (L1 i). nra.
Qed.
End Checker.
Print Assumptions checked.
