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

(** ** Delta by an offset (DELTA-1, OFFSET-1)

    Whatever the class of laws is: if [B] bounds the loss about [i] for every mechanism of plain losses L, then a release that is
    (Lambda_j, delta_j)-private for every record j, with delta_j <= off (e^(Lambda_j) - 1), is (g, off (e^g - 1))-private under dependence, g = 2 ln B.
    [K] is the probability of a set of outputs; the deltas and losses may differ from record to record. *)
Theorem offset (w K : db -> R) (delta : nat -> R) (off b : R) i others :
  (forall x, 0 < w x) -> (forall K', plain L K' -> loses_x vals others w K' i b) ->
  (forall x, 0 <= K x) -> 0 < off ->
  (forall j a b x, K (upd x j a) <= L j * L j * K (upd x j b) + delta j) ->
  (forall j, delta j <= off * (L j * L j - 1)) ->
  forall known a a', given vals others w K known i a <= b * b * given vals others w K known i a' + off * (b * b - 1).
Proof.
  intros wp H K0 o0 KD D known a a'.
  assert (lk : plain L (fun x => K x + off)).
  { split; [intro x; specialize (K0 x); lra|]. intros j u v x. specialize (KD j u v x). specialize (D j). nra. }
  assert (T := H _ lk known a a').
  assert (split : forall u, total others (fun y => w y * (K y + off)) (upd known i u)
     = total others (fun y => w y * K y) (upd known i u) + off * total others w (upd known i u)).
  { intro u. rewrite <- total_scale. generalize (upd known i u). clear. induction others; simpl; intro x; [ring|].
    rewrite <- sum_add. apply sum_ext. intro. apply IHothers. }
  rewrite !split in T. unfold given.
  assert (za : 0 < total others w (upd known i a)) by now apply total_pos. assert (zb : 0 < total others w (upd known i a')) by now apply total_pos.
  set (Za := total others w (upd known i a)) in *. set (Zb := total others w (upd known i a')) in *.
  set (Ea := total others (fun y => w y * K y) (upd known i a)) in *. set (Eb := total others (fun y => w y * K y) (upd known i a')) in *.
  apply Rmult_le_reg_r with (Za * Zb); [nra|].
  replace (Ea / Za * (Za * Zb)) with (Ea * Zb) by (field; lra).
  replace ((b * b * (Eb / Zb) + off * (b * b - 1)) * (Za * Zb)) with (b * b * (Eb * Za) + off * (b * b - 1) * (Za * Zb)) by (field; lra). nra.
Qed.
(** DELTA-1 for fields. *)
Corollary dependent_delta (w K : db -> R) (delta : nat -> R) (off : R) i others :
  field V nodes c w -> NoDup others -> ~ In i others ->
  (forall x, 0 <= K x) -> 0 < off ->
  (forall j a b x, K (upd x j a) <= L j * L j * K (upd x j b) + delta j) -> (forall j, delta j <= off * (L j * L j - 1)) ->
  let b := B nodes L c (length others) i others in
  forall known a a', given vals others w K known i a <= b * b * given vals others w K known i a' + off * (b * b - 1).
Proof.
  intros Fw N I K0 o0 KD D b. apply offset with delta; auto; [apply Fw|]. intros K' FK'. now apply walks.
Qed.
End Guarantee.
Print Assumptions dependent_loss.
Print Assumptions offset.
Print Assumptions dependent_delta.
