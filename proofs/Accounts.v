(** * Accounts: cells, versions of the data, policies that grow, persons and households (claims LEDGER-1, LEDGER-7, GROWTH-3, NEST-1)

    Totals are kept for cells (tuples of public values), in whole units of loss. A unit is in one cell at a time. When the data are replaced, or
    another policy divides the units in another way, a unit may be in another cell, and every new cell starts with the largest total of the old
    cells from which its units may come. *)
Require Import Reals List Lra Lia Psatz Arith.
Import ListNotations.

(** ** Cells *)
Section Cells.
Variable cell : Type.
Inductive event :=
| charge (amount : cell -> nat)             (* a question: what each cell is charged *)
| regroup (origins : cell -> list cell).    (* new data, or a new policy: from which old cells the units of a new cell may come *)
Definition ledger := cell -> nat.
Definition largest (total : ledger) (cells : list cell) : nat := fold_right (fun c m => Nat.max (total c) m) 0 cells.
Definition book (total : ledger) (e : event) : ledger :=
  match e with charge a => fun c => total c + a c | regroup o => fun c => largest total (o c) end.

(** The path of a unit: the cell in which it is at each event; after [regroup] it is in a cell of which its old cell is an origin. *)
Inductive path : list event -> cell -> nat -> Prop :=   (* events so far (latest first), the unit's cell, what it lost *)
| start c : path [] c 0
| asked a h c lost : path h c lost -> path (charge a :: h) c (lost + a c)
| moved o h c c' lost : path h c lost -> In c (o c') -> path (regroup o :: h) c' lost.
Definition totals (h : list event) : ledger := fold_right (fun e t => book t e) (fun _ => 0) h.

Lemma largest_ge t cs c : In c cs -> t c <= largest t cs.
Proof. induction cs as [|d cs IH]; simpl; [easy|]. intros [->|I]; [lia|]. specialize (IH I). lia. Qed.
(** LEDGER-7, GROWTH-3: whatever cells a unit was in, it never lost more than the total of the cell in which it is. *)
Theorem cell_total h c lost : path h c lost -> lost <= totals h c.
Proof. induction 1; simpl; [lia|lia|]. eapply Nat.le_trans; [exact IHpath|]. now apply largest_ge. Qed.
End Cells.
(** A total that is kept while units move freely would be too small: one unit, charged 1 in each of two cells. *)
Example a_mover_loses_two : exists h lost, path nat h 2 lost /\ lost = 2 /\ (forall c : nat, (fold_right (fun e t c => match e with charge _ a => t c + a c | regroup _ _ => t c end) (fun _ => 0) h) c <= 1).
Proof.
  exists [charge nat (fun c => if c =? 2 then 1 else 0); regroup nat (fun _ => [1]); charge nat (fun c => if c =? 1 then 1 else 0)], 2.
  split; [|split; [easy|]].
  - exact (asked nat (fun c => if c =? 2 then 1 else 0) _ 2 1 (moved nat (fun _ => [1]) _ 1 2 1 (asked nat (fun c => if c =? 1 then 1 else 0) _ 1 0 (start nat 1)) (or_introl eq_refl))).
  - intros c. simpl. destruct c as [|[|[|c]]]; simpl; lia.
Qed.

Open Scope R_scope.
From Kith Require Import Sums Records.

(** ** From accounts to mechanisms

    [q] is e^(one whole unit of loss). [within S n K]: changing the records of [S], all at once and in any way, changes the probability of the
    output by a factor of at most q^n. *)
Section Losses.
Variable V : Type.
Variable q : R.
Hypothesis q1 : 1 <= q.
Notation db := (Records.db V).
Definition within (S : list nat) (n : nat) (K : db -> R) : Prop := forall x y, (forall j, ~ In j S -> x j = y j) -> K x <= q ^ n * K y.

(** A transcript: each answer's mechanism given the answers before it. *)
Fixpoint transcript (Ks : list (db -> R)) (x : db) : R := match Ks with [] => 1 | K :: Ks => K x * transcript Ks x end.
Lemma transcript_pos Ks x : Forall (fun K : db -> R => forall x, 0 < K x) Ks -> 0 < transcript Ks x.
Proof. induction 1; simpl; [lra|]. apply Rmult_lt_0_compat; auto. Qed.
Lemma product_within S K K' a b : (forall x, 0 < K x) -> (forall x, 0 < K' x) -> within S a K -> within S b K' -> within S (a + b) (fun x => K x * K' x).
Proof.
  intros P P' h1 h2 x y E. specialize (h1 x y E). specialize (h2 x y E). rewrite pow_add.
  replace (q ^ a * q ^ b * (K y * K' y)) with ((q ^ a * K y) * (q ^ b * K' y)) by ring. apply Rmult_le_compat; auto; left; auto.
Qed.
Lemma within_le S a b K : (forall x, 0 < K x) -> (a <= b)%nat -> within S a K -> within S b K.
Proof. intros P H W x y E. specialize (W x y E). assert (q ^ a <= q ^ b) by now apply Rle_pow. specialize (P y). nra. Qed.
Lemma within_fewer S T a K : incl T S -> within S a K -> within T a K.
Proof. intros I W x y E. apply W. intros j n. apply E. auto. Qed.
Lemma transcript_within S Ks ls : Forall (fun K : db -> R => forall x, 0 < K x) Ks -> Forall2 (within S) ls Ks -> within S (list_sum ls) (transcript Ks).
Proof.
  intros P F. revert P. induction F as [|l K ls Ks HK F IH]; intros P; simpl; [intros x y E; simpl; lra|].
  inversion P; subst. apply product_within; auto. intro; now apply transcript_pos.
Qed.
(** Losses of several units add up: one after another. *)
Lemma within_union S T a b K : within S a K -> within T b K -> within (S ++ T) (a + b) K.
Proof.
  intros HS HT x y E. set (z := fun j => if in_dec Nat.eq_dec j S then y j else x j).
  assert (E1 : forall j, ~ In j S -> x j = z j) by (intros j n; unfold z; now destruct (in_dec Nat.eq_dec j S)).
  assert (E2 : forall j, ~ In j T -> z j = y j).
  { intros j n. unfold z. destruct (in_dec Nat.eq_dec j S); [easy|]. apply E. rewrite in_app_iff. tauto. }
  specialize (HS x z E1). specialize (HT z y E2). rewrite pow_add. assert (0 <= q ^ a) by (apply pow_le; lra).
  apply (Rmult_le_compat_l (q ^ a)) in HT; [|easy]. lra.
Qed.

(** Cells, in force: if every answer's loss about a unit is at most what the unit's cell was charged for it, all answers together lose at most the
    total of the cell in which the unit is. *)
Theorem cells_guarantee cell (h : list (event cell)) c lost Ks ls i : path cell h c lost ->
  Forall (fun K : db -> R => forall x, 0 < K x) Ks -> Forall2 (within [i]) ls Ks -> (list_sum ls <= lost)%nat ->
  within [i] (totals cell h c) (transcript Ks).
Proof.
  intros P K0 F S. apply within_le with (list_sum ls); [intro; now apply transcript_pos| |now apply transcript_within].
  eapply Nat.le_trans; [exact S|]. now apply cell_total.
Qed.

(** ** Persons and households

    A question about persons loses at most [a i] about person i, a question about households at most [b] about all persons of a household together,
    changed in any way. *)
Inductive question := about_persons (a : nat -> nat) | about_households (b : nat).
Definition answered (houses : list (list nat)) (w : question) (K : db -> R) : Prop := (forall x, 0 < K x) /\
  match w with
  | about_persons a => forall i, within [i] (a i) K
  | about_households b => forall H, In H houses -> within H b K
  end.
Fixpoint total_a (qs : list question) (i : nat) : nat := match qs with [] => 0 | about_persons a :: qs => a i + total_a qs i | _ :: qs => total_a qs i end.
Fixpoint total_b (qs : list question) : nat := match qs with [] => 0 | about_households b :: qs => b + total_b qs | _ :: qs => total_b qs end.

Lemma within_members M (a : nat -> nat) K : (forall i, within [i] (a i) K) -> within M (list_sum (map a M)) K.
Proof.
  intros H. induction M as [|i M IH]; simpl.
  - intros x y E. replace y with x; [simpl; lra|]. apply FunctionalExtensionality.functional_extensionality. intro. apply E. tauto.
  - now apply (within_union [i] M).
Qed.
Lemma answered_pos houses qs Ks : Forall2 (answered houses) qs Ks -> Forall (fun K : db -> R => forall x, 0 < K x) Ks.
Proof. induction 1 as [|w K qs Ks [HK _] F IH]; [apply Forall_nil|]. now apply Forall_cons. Qed.
Lemma answered_within houses qs Ks H : Forall2 (answered houses) qs Ks -> In H houses -> within H (list_sum (map (total_a qs) H) + total_b qs) (transcript Ks).
Proof.
  intros F IH. induction F as [|w K qs Ks [HK HQ] F IHF]; simpl.
  - intros x y E. replace (list_sum (map (fun _ => 0%nat) H)) with 0%nat by (clear; induction H; simpl; easy). simpl. lra.
  - assert (P := answered_pos houses qs Ks F).
    assert (PT : forall x, 0 < transcript Ks x) by (intro; now apply transcript_pos).
    destruct w as [a|b]; simpl.
    + replace (list_sum (map (fun i => (a i + total_a qs i)%nat) H) + total_b qs)%nat
        with (list_sum (map a H) + (list_sum (map (total_a qs) H) + total_b qs))%nat by (clear; induction H; simpl; lia).
      apply product_within; [easy|easy| |exact IHF]. now apply within_members.
    + change (within H (list_sum (map (total_a qs) H) + (b + total_b qs)) (fun x => K x * transcript Ks x)).
      replace (list_sum (map (total_a qs) H) + (b + total_b qs))%nat with (b + (list_sum (map (total_a qs) H) + total_b qs))%nat by lia.
      apply product_within; [easy|easy| |exact IHF]. now apply HQ.
Qed.
(** NEST-1: a household of at most [size] persons loses at most size * (largest a) + b; a person at most a + b. *)
Theorem household_loses houses qs Ks H size amax : Forall2 (answered houses) qs Ks -> In H houses -> (length H <= size)%nat ->
  (forall i, In i H -> total_a qs i <= amax)%nat -> within H (size * amax + total_b qs) (transcript Ks).
Proof.
  intros F IH len A.
  assert (P := answered_pos houses qs Ks F).
  apply within_le with (list_sum (map (total_a qs) H) + total_b qs)%nat; [intro; now apply transcript_pos| |now apply answered_within with houses].
  apply Nat.add_le_mono_r. apply Nat.le_trans with (length H * amax)%nat; [|now apply Nat.mul_le_mono_r].
  clear - A. induction H as [|i H IH]; simpl; [lia|]. assert (total_a qs i <= amax)%nat by (apply A; now left). specialize (IH (fun j hj => A j (or_intror hj))). lia.
Qed.
Theorem person_loses houses qs Ks H i : Forall2 (answered houses) qs Ks -> In H houses -> In i H -> within [i] (total_a qs i + total_b qs) (transcript Ks).
Proof.
  intros F IH Ii. assert (F' : Forall2 (answered [[i]]) qs Ks).
  { clear - F IH Ii. induction F as [|w K qs Ks [HK HQ] F IHF]; constructor; auto. split; [easy|]. destruct w; [easy|].
    intros M [<-|[]]. apply within_fewer with H; [intros j [<-|[]]; easy|auto]. }
  assert (T := answered_within [[i]] qs Ks [i] F' (or_introl eq_refl)). simpl in T. now rewrite Nat.add_0_r in T.
Qed.
End Losses.
Print Assumptions cells_guarantee.
Print Assumptions household_loses.
