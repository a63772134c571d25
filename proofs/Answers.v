(** * From a checked statement to the loss of its answer (claims PLAN-1 with NOISE-1, NEST-4, GROUP-1, LEDGER-4)

    A statement whose claim the rules accept, answered with discrete Laplace noise for that claim on every group, loses at most the price, about every
    unit: for every vector of noisy numbers. Households: changing the rows of several units costs the claim once for each of them. *)
Require Import Reals List Lra Lia Psatz ZArith Arith Bool FunctionalExtensionality.
From Kith Require Import Sums Noise Statements.
Import ListNotations.

Section Answers.
Variables P S : Type.
Variable limit : nat -> nat.
Variable kept : nat -> list (P * S) -> list (P * S).
Hypothesis kept_few : forall t l, (length (kept t l) <= limit t)%nat.
Hypothesis kept_public : forall t l l', map fst l = map fst l' -> map fst (kept t l) = map fst (kept t l').
Notation snapshot := (snapshot P S).
Notation question := (question P S).
Notation answer := (answer P S kept).
Definition neighbours (public_rows : bool) (i : nat) (d d' : snapshot) : Prop :=
  (forall j, j <> i -> d j = d' j) /\ (public_rows = true -> forall t, map fst (d i t) = map fst (d' i t)).

Lemma l1_total groups (a a' : nat -> Z) : Z.of_nat (l1 groups a a') = Statements.total groups (fun g => Z.abs (a g - a' g)).
Proof. unfold l1. induction groups as [|g gs IH]; [easy|]. cbn [map list_sum fold_right Statements.total]. unfold list_sum in IH. rewrite Nat2Z.inj_add, IH. lia. Qed.

(** PLAN-1 with NOISE-1: p = e^(-1 / scale), p^-claim = e^(price). *)
Theorem answered_within public_rows groups q units d d' i claim p y : accepts P S limit public_rows (length groups) q (Z.of_nat claim) = true ->
  NoDup units -> NoDup groups -> neighbours public_rows i d d' -> (0 < p < 1)%R ->
  (noisy_vector p groups y (answer q units d) * p ^ claim <= noisy_vector p groups y (answer q units d'))%R.
Proof.
  intros A NU NG [E PR] Hp. apply noise_on_vectors; [easy|]. apply Nat2Z.inj_le. rewrite l1_total.
  now apply (accepted P S limit kept kept_few kept_public public_rows groups q (Z.of_nat claim) units d d' i).
Qed.

(** NEST-4: a change of several units, one after another: [path i0 ... d'] changes the units of [us]. *)
Inductive changed (public_rows : bool) : list nat -> snapshot -> snapshot -> Prop :=
| none d : changed public_rows [] d d
| more u us d d1 d' : neighbours public_rows u d d1 -> changed public_rows us d1 d' -> changed public_rows (u :: us) d d'.
Theorem household_moves public_rows groups q units us size claim d d' : accepts P S limit public_rows (length groups) q (Z.of_nat claim) = true ->
  NoDup units -> NoDup groups -> changed public_rows us d d' -> (length us <= size)%nat -> (l1 groups (answer q units d) (answer q units d') <= size * claim)%nat.
Proof.
  intros A NU NG C L. apply Nat.le_trans with (length us * claim)%nat; [|now apply Nat.mul_le_mono_r]. clear L.
  induction C as [d|u us d d1 d' [E PR] C IH].
  - unfold l1. replace (list_sum (map (fun g => Z.abs_nat (answer q units d g - answer q units d g)) groups)) with 0%nat; [lia|].
    clear. induction groups as [|g gs IH]; [easy|]. cbn [map list_sum fold_right]. unfold list_sum in IH. rewrite <- IH. lia.
  - assert (T : (l1 groups (answer q units d) (answer q units d1) <= claim)%nat).
    { apply Nat2Z.inj_le. rewrite l1_total. now apply (accepted P S limit kept kept_few kept_public public_rows groups q (Z.of_nat claim) units d d1 u). }
    assert (Tri : forall a b c, (l1 groups a c <= l1 groups a b + l1 groups b c)%nat).
    { intros a b c. unfold l1. clear. induction groups as [|g gs IH]; [easy|]. cbn [map list_sum fold_right]. unfold list_sum in IH. lia. }
    specialize (Tri (answer q units d) (answer q units d1) (answer q units d')). cbn [length]. lia.
Qed.

(** GROUP-1, GROUP-4: rows that are made of all units of a group. The group takes the place of the unit: whichever of its members change, and however
    many, only the row of their group changes, once. *)
Definition by_group (members : nat -> list nat) (d : snapshot) : snapshot := fun g t => flat_map (fun i => d i t) (members g).
Lemma group_neighbours members g i d d' : (forall h, h <> g -> ~ In i (members h)) -> (forall j, j <> i -> d j = d' j) ->
  neighbours false g (by_group members d) (by_group members d').
Proof.
  intros M E. split; [|discriminate]. intros h D. unfold by_group. apply functional_extensionality. intro t. specialize (M h D).
  induction (members h) as [|j js IH]; simpl; [easy|]. rewrite (E j) by (intro; subst; apply M; now left). f_equal. apply IH. intro; apply M; now right.
Qed.
Theorem group_moves members g i groups q all claim p y d d' : accepts P S limit false (length groups) q (Z.of_nat claim) = true ->
  NoDup all -> NoDup groups -> (forall h, h <> g -> ~ In i (members h)) -> (forall j, j <> i -> d j = d' j) -> (0 < p < 1)%R ->
  (noisy_vector p groups y (answer q all (by_group members d)) * p ^ claim <= noisy_vector p groups y (answer q all (by_group members d')))%R.
Proof. intros A NA NG M E Hp. apply (answered_within false groups q all _ _ g claim p y A NA NG); [now apply group_neighbours with i|exact Hp]. Qed.
End Answers.

(** ** Streams (LEDGER-4): windows of steps

    A unit is there in fewer than [window] consecutive steps, so only the steps of one window change with it: what all answers of all times lose about it is at
    most the sum of that window's charges. *)
Section Streams.
Variable data : Type.
Variable q : R.
Hypothesis q1 : (1 <= q)%R.
Fixpoint stream (Ks : list (nat * (data -> R))) (x : data) : R := match Ks with [] => 1%R | (_, K) :: Ks => (K x * stream Ks x)%R end.
Definition in_window (first window t : nat) : bool := (first <=? t)%nat && (t <? first + window)%nat.
Definition charged (first window : nat) (ts ls : list nat) : nat := list_sum (map snd (filter (fun tl => in_window first window (fst tl)) (combine ts ls))).
Theorem windows first window Ks ls x y : (forall t K, In (t, K) Ks -> 0 < K x /\ 0 < K y)%R ->
  Forall2 (fun tK l => if in_window first window (fst tK) then (snd tK x <= q ^ l * snd tK y)%R else snd tK x = snd tK y) Ks ls ->
  (stream Ks x <= q ^ charged first window (map fst Ks) ls * stream Ks y)%R.
Proof.
  intros P F. induction F as [|[t K] l Ks ls H F IH]; [simpl; lra|].
  assert (IH' := IH (fun t K I => P t K (or_intror I))). clear IH. destruct (P t K (or_introl eq_refl)) as [kx ky].
  assert (SP : forall z, (forall t K, In (t, K) Ks -> 0 < K z)%R -> (0 < stream Ks z)%R).
  { intros z Hz. clear - Hz. induction Ks as [|[t K] Ks IH]; simpl; [lra|]. apply Rmult_lt_0_compat; [apply (Hz t); now left|]. apply IH. intros; eapply Hz; right; eauto. }
  assert (sx : (0 < stream Ks x)%R) by (apply SP; intros; eapply P; right; eauto). assert (sy : (0 < stream Ks y)%R) by (apply SP; intros; eapply P; right; eauto).
  unfold charged in *. cbn [map fst combine filter stream snd] in *. destruct (in_window first window t); cbn [map snd list_sum fold_right] in *.
  - unfold list_sum in *. cbn [fold_right]. rewrite pow_add.
    set (a := (q ^ l)%R) in *. set (b := (q ^ fold_right Nat.add 0%nat (map snd (filter (fun tl => in_window first window (fst tl)) (combine (map fst Ks) ls))))%R) in *.
    replace (a * b * (K y * stream Ks y))%R with ((a * K y) * (b * stream Ks y))%R by ring. apply Rmult_le_compat; lra.
  - rewrite H. set (b := (q ^ _)%R) in *. replace (b * (K y * stream Ks y))%R with (K y * (b * stream Ks y))%R by ring. apply Rmult_le_compat_l; lra.
Qed.
End Streams.
Print Assumptions windows.
Print Assumptions answered_within.
