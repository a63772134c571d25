(** * From charges to what is printed: the chain of guarantees (claims TRANSFER-1, DELTA-1)

    Answers are charged plain losses, a filter keeps every record's sum below its total, the declared dependence is a field: then what
    an adversary learns about a record is bounded, once, at the end; with a delta by an offset. *)
Require Import Reals List Lra Psatz Arith ZArith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Field Composition.
Import ListNotations.
Open Scope R_scope.

Section Guarantee.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.
Notation db := (Records.db V).
Notation total := (Records.total vals).
Variable L : nat -> R.
Variable c : nat -> nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall i j, 1 <= c i j.

(** TRANSFER-1 for fields: pure losses of an adaptive sequence under a filter. *)
Theorem dependent_loss ls tr w i others :
  (forall l, In l ls -> forall i, 1 <= l i) -> Forall2 plain ls tr ->      (* every answer has the plain loss it was charged *)
  (forall i, spent ls i <= L i) ->  (* the filter *)
  field V nodes c w -> NoDup others -> ~ In i others ->           (* the declaration *)
  loses vals others w (kernel V tr) i (B nodes L c (length others) i others).
Proof.
  intros H F Sp Fw N I. apply loses_iff; [exact some|apply Fw|]. destruct (composition V ls tr H F) as [S1 K].
  apply (walks V vals some nodes L c L1 c1); auto. apply plain_le with (spent ls); auto.
Qed.

(** DELTA-1: a release that is (Lambda_i, delta)-private for every record, where delta <= off (e^(Lambda_i) - 1), is
    (g, off (e^g - 1))-private under dependence. [E a] / [Z a] is the probability of a set of outputs given the value [a]. *)
Theorem dependent_delta K (delta off : R) w i others known a b :
  (forall x, 0 <= K x) -> 0 < off ->
  (forall i a b x, K (upd x i a) <= L i * L i * K (upd x i b) + delta) ->  (* (eps_i, delta) plain *)
  (forall i, delta <= off * (L i * L i - 1)) ->
  field V nodes c w -> NoDup others -> ~ In i others ->
  let b2 := B nodes L c (length others) i others * B nodes L c (length others) i others in
  let E a := total others (fun y => w y * K y) (upd known i a) in
  let Z a := total others w (upd known i a) in
  E a * Z b <= b2 * (E b * Z a) + off * (b2 - 1) * (Z a * Z b).
Proof.
  intros K0 o0 KD D Fw N I b2 E Z.
  assert (lk : plain L (fun x => K x + off)).
  { split; [intro x; specialize (K0 x); lra|]. intros j u v x. specialize (KD j u v x). specialize (D j). nra. }
  assert (T := walks V vals some nodes L c L1 c1 (length others) others w (fun x => K x + off) i (Nat.le_refl _) N I Fw lk known a b).
  assert (split : forall u, total others (fun y => w y * (K y + off)) (upd known i u) = E u + off * Z u).
  { intro u. unfold E, Z. rewrite <- total_scale. generalize (upd known i u). clear. induction others; simpl; intro x; [ring|].
    rewrite <- sum_add. apply sum_ext. intro. apply IHothers. }
  rewrite !split in T. fold (Z a) (Z b) in T. fold b2 in T. nra.
Qed.
End Guarantee.
Print Assumptions dependent_loss.
Print Assumptions dependent_delta.
