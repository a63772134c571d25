(** * Statements: how far one unit can move an answer (claims PLAN-1, PLAN-2, ROWS-1, UNIT-1, ROW-1, LEVEL-1, TABLES-1, JOIN-1)

    A small language of statements over tables as lists of rows for each unit, a program that computes a bound, and the proof that replacing one unit's rows
    changes the whole vector of answers by at most that bound in L1. The bound is computed from the statement alone; no function inside of it (of
    rows, of values, of groups) needs to be known: a sum's term is clamped, outermost, to declared ends.

    Each row has a public part and a secret part. Two snapshots are neighbours if they differ in the rows of one unit; where rows are public
    ([public_rows]), the public parts of its rows stay the same, row by row. *)
Require Import List ZArith Lia Bool Arith.
Import ListNotations.
Open Scope Z_scope.

Section Statements.
Variables P S : Type.                                   (* public part, secret part *)
Notation row := (P * S)%type.
Definition unit_rows := nat -> list row.                (* the rows of one unit, by table *)
Definition snapshot := nat -> unit_rows.                (* unit, table, rows *)

(** How rows of a unit are limited: any function of the unit's own rows (ROWS-1); where rows are public it goes by public parts. *)
Variable limit : nat -> nat.                            (* max_rows of a table *)
Variable kept : nat -> list row -> list row.
Hypothesis kept_few : forall t l, (length (kept t l) <= limit t)%nat.
Hypothesis kept_public : forall t l l', map fst l = map fst l' -> map fst (kept t l) = map fst (kept t l').

(** ** Sources of rows, unit by unit *)
Inductive source :=
| Table (t : nat)                                       (* the kept rows of a table *)
| FilterPublic (p : P -> bool) (s : source)             (* WHERE on public columns *)
| FilterSecret (p : row -> bool) (s : source)           (* WHERE on anything *)
| Compute (f : row -> S) (s : source)                   (* further secret columns *)
| Lookup (n : nat) (f : row -> list row) (s : source)   (* a join with a public table of which at most n rows match *)
| Join (a b : source) (f : row -> row -> list row) (n : nat)  (* a join of two tables of the same units, by the unit's key; each pair gives at most n rows *)
| PerUnit (n : nat) (f : list row -> list row) (s : source).  (* a sub-select or a window per unit: at most n rows, of all the unit's rows *)
Fixpoint rows (s : source) (u : unit_rows) : list row :=
  match s with
  | Table t => kept t (u t)
  | FilterPublic p s => filter (fun r => p (fst r)) (rows s u)
  | FilterSecret p s => filter p (rows s u)
  | Compute f s => map (fun r => (fst r, f r)) (rows s u)
  | Lookup n f s => flat_map (fun r => firstn n (f r)) (rows s u)
  | Join a b f n => flat_map (fun r => flat_map (fun q => firstn n (f r q)) (rows b u)) (rows a u)
  | PerUnit n f s => firstn n (f (rows s u))
  end.
(** How many rows a unit has at most. *)
Fixpoint most (s : source) : nat :=
  match s with
  | Table t => limit t
  | FilterPublic _ s | FilterSecret _ s | Compute _ s => most s
  | Lookup n _ s => most s * n
  | Join a b _ n => most a * (most b * n)
  | PerUnit n _ _ => n
  end.
(** Rows that are there whatever the secrets are. *)
Fixpoint steady (s : source) : bool :=
  match s with Table _ => true | FilterPublic _ s | Compute _ s => steady s | _ => false end.

Lemma filter_few A (p : A -> bool) l : (length (filter p l) <= length l)%nat.
Proof. induction l as [|a l IH]; simpl; [lia|]. destruct (p a); simpl; lia. Qed.
Lemma flat_few A B (f : A -> list B) n l : (forall a, (length (f a) <= n)%nat) -> (length (flat_map f l) <= length l * n)%nat.
Proof. intro H. induction l as [|a l IH]; simpl; [lia|]. rewrite app_length. specialize (H a). lia. Qed.
Lemma rows_most s u : (length (rows s u) <= most s)%nat.
Proof.
  induction s; simpl.
  - apply kept_few.
  - eapply Nat.le_trans; [apply filter_few|easy].
  - eapply Nat.le_trans; [apply filter_few|easy].
  - now rewrite map_length.
  - eapply Nat.le_trans; [apply flat_few with (n := n); intro; apply firstn_le_length|]. now apply Nat.mul_le_mono_r.
  - eapply Nat.le_trans; [apply flat_few with (n := (most s2 * n)%nat)|now apply Nat.mul_le_mono_r].
    intro r. eapply Nat.le_trans; [apply flat_few with (n := n); intro; apply firstn_le_length|]. now apply Nat.mul_le_mono_r.
  - apply firstn_le_length.
Qed.
Lemma rows_steady s u u' : steady s = true -> (forall t, map fst (u t) = map fst (u' t)) -> map fst (rows s u) = map fst (rows s u').
Proof.
  intros H E. induction s; simpl in *; try discriminate; auto.
  - specialize (IHs H). revert IHs. generalize (rows s u) (rows s u').
    induction l as [|r l IHl]; intros [|r' l'] G; simpl in *; try discriminate; auto. injection G as G1 G2. rewrite <- G1.
    destruct (p (fst r)); simpl; rewrite ?(IHl l' G2), ?G1; auto.
  - rewrite !map_map. simpl. now apply IHs.
Qed.

(** ** What is computed *)
Record measure := Measure { low : Z; high : Z; null : bool; term : row -> option Z }.   (* [null]: the term may be NULL, which counts 0 *)
Definition clamp (m : measure) (z : Z) : Z := Z.max (low m) (Z.min (high m) z).
Definition value (m : measure) (r : row) : Z :=
  match term m r with Some z => clamp m z | None => if null m then 0 else clamp m 0 end.
Inductive grouping :=
| Everything
| ByUnit (k : nat -> nat)         (* a public column of the unit *)
| ByPublic (k : P -> nat)         (* public columns of the row *)
| BySecret (k : row -> nat).
Definition key (g : grouping) (i : nat) (r : row) : nat :=
  match g with Everything => O | ByUnit k => k i | ByPublic k => k (fst r) | BySecret k => k r end.
Inductive statistic := Sum (m : measure) | Units.     (* a sum or a count (the sum of 1), and count(DISTINCT unit) *)
Record question := Question { from : source; by_ : grouping; what : statistic }.

Fixpoint total {A} (l : list A) (f : A -> Z) : Z := match l with [] => 0 | a :: l => f a + total l f end.
Definition part (q : question) (i : nat) (u : unit_rows) (group : nat) : Z :=
  let mine := filter (fun r => (key (by_ q) i r =? group)%nat) (rows (from q) u) in
  match what q with Sum m => total mine (value m) | Units => if mine then 0 else 1 end.
Definition answer (q : question) (units : list nat) (d : snapshot) (group : nat) : Z := total units (fun i => part q i (d i) group).

(** ** The bound, a program *)
Definition reach (m : measure) : Z := Z.max 0 (high m) - Z.min 0 (low m).      (* from 0, and between any two values *)
Definition size (m : measure) : Z := Z.max (Z.abs (low m)) (Z.abs (high m)).
Definition bound (public_rows : bool) (groups : nat) (q : question) : Z :=
  let n := Z.of_nat (most (from q)) in
  let fixed := public_rows && steady (from q) in
  match what q, by_ q with
  | Sum m, BySecret _ => n * (2 * size m)
  | Sum m, ByPublic _ => if fixed then n * (if null m then reach m else high m - low m) else n * (2 * size m)
  | Sum m, _ => n * (if fixed && negb (null m) then high m - low m else reach m)
  | Units, Everything | Units, ByUnit _ => if fixed then 0 else 1
  | Units, ByPublic _ => if fixed then 0 else Z.min (2 * n) (Z.of_nat groups)
  | Units, BySecret _ => Z.min (2 * n) (Z.of_nat groups)
  end.

(** ** The proof *)
Lemma total_ext A (l : list A) f g : (forall a, In a l -> f a = g a) -> total l f = total l g.
Proof. induction l; simpl; intro H; [easy|]. rewrite H by now left. now rewrite IHl by auto. Qed.
Lemma total_le A (l : list A) f g : (forall a, In a l -> f a <= g a) -> total l f <= total l g.
Proof. induction l; simpl; intro H; [lia|]. assert (f a <= g a) by (apply H; now left). assert (total l f <= total l g) by (apply IHl; auto). lia. Qed.
Lemma total_add A (l : list A) f g : total l (fun a => f a + g a) = total l f + total l g.
Proof. induction l; simpl; lia. Qed.
Lemma total_const A (l : list A) c : total l (fun _ => c) = Z.of_nat (length l) * c.
Proof. induction l; [simpl; lia|]. cbn [total length]. rewrite IHl. lia. Qed.
Lemma total_swap A B (l : list A) (m : list B) f : total l (fun a => total m (fun b => f a b)) = total m (fun b => total l (fun a => f a b)).
Proof. induction l; simpl; [rewrite total_const; lia|]. rewrite IHl. now rewrite <- total_add. Qed.

(** Only the changed unit's own part changes. *)
Lemma one_unit q units d d' i group : NoDup units -> (forall j, j <> i -> d j = d' j) ->
  Z.abs (answer q units d group - answer q units d' group) <= Z.abs (part q i (d i) group - part q i (d' i) group).
Proof.
  intros N E. unfold answer. induction units as [|j units IH]; simpl; [lia|]. inversion N; subst. destruct (Nat.eq_dec j i) as [->|D].
  - assert (T : total units (fun i => part q i (d i) group) = total units (fun i => part q i (d' i) group)).
    { apply total_ext. intros k I. rewrite E; [easy|]. intro; subst; tauto. } lia.
  - rewrite (E j D). specialize (IH H2). lia.
Qed.

Section Ends.
Variable m : measure.
Hypothesis ends : low m <= high m.
Lemma value_ends r : Z.min 0 (low m) <= value m r <= Z.max 0 (high m) /\ (null m = false -> low m <= value m r <= high m) /\ Z.abs (value m r) <= size m.
Proof. unfold value, clamp, size. destruct (term m r), (null m); lia. Qed.
Lemma total_values l : Z.of_nat (length l) * Z.min 0 (low m) <= total l (value m) <= Z.of_nat (length l) * Z.max 0 (high m).
Proof. induction l as [|r l IH]; [simpl; lia|]. cbn [total length]. destruct (value_ends r) as [h _]. nia. Qed.
Lemma total_sizes l : total l (fun r => Z.abs (value m r)) <= Z.of_nat (length l) * size m.
Proof. induction l as [|r l IH]; [simpl; lia|]. cbn [total length]. destruct (value_ends r) as (_ & _ & h). nia. Qed.
End Ends.

Lemma split_by (k : row -> nat) (f : row -> Z) groups l : NoDup groups ->
  total groups (fun g => total (filter (fun r => (k r =? g)%nat) l) f) = total (filter (fun r => existsb (Nat.eqb (k r)) groups) l) f.
Proof.
  intro N. induction l as [|r l IH]; [simpl; rewrite total_const; lia|].
  rewrite (total_ext _ groups _ (fun g => (if (k r =? g)%nat then f r else 0) + total (filter (fun r => (k r =? g)%nat) l) f)).
  2:{ intros g _. simpl. destruct (k r =? g)%nat; simpl; lia. }
  rewrite total_add, IH. simpl. assert (O : total groups (fun g => if (k r =? g)%nat then f r else 0) = if existsb (Nat.eqb (k r)) groups then f r else 0).
  { clear IH. induction groups as [|g gs IHg]; [easy|]. inversion N; subst. cbn [total existsb]. rewrite IHg by easy. destruct (Nat.eqb_spec (k r) g) as [<-|D]; cbn [orb]; [|lia].
    destruct (existsb (Nat.eqb (k r)) gs) eqn:X; [|lia]. apply existsb_exists in X. destruct X as (g & I & X). apply Nat.eqb_eq in X. subst. tauto. }
  rewrite O. destruct (existsb (Nat.eqb (k r)) groups); simpl; lia.
Qed.
Lemma abs_total A (l : list A) f : Z.abs (total l f) <= total l (fun a => Z.abs (f a)).
Proof. induction l; simpl; lia. Qed.
Lemma total_filter_le A (l : list A) p f : (forall a, 0 <= f a) -> 0 <= total (filter p l) f <= total l f.
Proof. intro H. induction l as [|a l IH]; simpl; [lia|]. specialize (H a). destruct (p a); simpl; lia. Qed.

(** All parts of a unit together, over all groups. *)
Lemma parts_by_key m (k : row -> nat) groups l : low m <= high m -> NoDup groups ->
  total groups (fun g => Z.abs (total (filter (fun r => (k r =? g)%nat) l) (value m))) <= Z.of_nat (length l) * size m.
Proof.
  intros E N. eapply Z.le_trans; [apply total_le; intros g _; apply abs_total|]. rewrite (split_by k (fun r => Z.abs (value m r))) by easy.
  eapply Z.le_trans; [apply total_filter_le; lia|]. now apply total_sizes.
Qed.

(** Steady rows keep their places: row by row. *)
Lemma row_by_row m (k : P -> nat) groups : low m <= high m -> NoDup groups -> forall l l', map fst l = map fst l' ->
  total groups (fun g => Z.abs (total (filter (fun r : row => (k (fst r) =? g)%nat) l) (value m) - total (filter (fun r : row => (k (fst r) =? g)%nat) l') (value m)))
  <= Z.of_nat (length l) * (if null m then reach m else high m - low m).
Proof.
  intros E N. induction l as [|r l IH]; intros [|r' l'] M; simpl in M; try discriminate.
  - simpl. rewrite total_const. lia.
  - injection M as M1 M2. specialize (IH l' M2). set (c := if null m then reach m else high m - low m) in *.
    assert (D : Z.abs (value m r - value m r') <= c).
    { destruct (value_ends m E r) as (a & b & _), (value_ends m E r') as (a' & b' & _). unfold c, reach. destruct (null m); [lia|]. specialize (b eq_refl). specialize (b' eq_refl). lia. }
    eapply Z.le_trans with (total groups (fun g => (if (k (fst r) =? g)%nat then c else 0) +
       Z.abs (total (filter (fun r => (k (fst r) =? g)%nat) l) (value m) - total (filter (fun r => (k (fst r) =? g)%nat) l') (value m)))).
    + apply total_le. intros g _. cbn [filter]. rewrite <- M1. destruct (k (fst r) =? g)%nat; cbn [total]; lia.
    + rewrite total_add. assert (O : total groups (fun g => if (k (fst r) =? g)%nat then c else 0) <= c).
      { assert (0 <= c) by lia. clear - N H. induction groups as [|g gs IHg]; simpl; [lia|]. inversion N; subst. specialize (IHg H3). destruct (Nat.eqb_spec (k (fst r)) g) as [<-|]; [|lia].
        assert (Z0 : total gs (fun g => if (k (fst r) =? g)%nat then c else 0) = 0); [|lia]. rewrite (total_ext _ gs _ (fun _ => 0)); [rewrite total_const; lia|].
        intros g I. destruct (Nat.eqb_spec (k (fst r)) g); [subst; tauto|easy]. }
      cbn [length]. lia.
Qed.
Lemma keys_same (k : P -> nat) g : forall l l' : list row, map fst l = map fst l' ->
  (filter (fun r : row => (k (fst r) =? g)%nat) l = [] <-> filter (fun r : row => (k (fst r) =? g)%nat) l' = []).
Proof.
  induction l as [|r l IH]; intros [|r' l'] M; simpl in M; try discriminate; [easy|]. injection M as M1 M2. simpl. rewrite <- M1.
  destruct (k (fst r) =? g)%nat; [easy|]. now apply IH.
Qed.
Lemma filter_const (b : bool) (l : list row) : filter (fun _ => b) l = if b then l else [].
Proof. induction l as [|r l IH]; simpl; [now destruct b|]. destruct b; [now rewrite IH|easy]. Qed.
(** A unit is in at most as many groups as it has rows. *)
Lemma units_few (k : row -> nat) groups l : NoDup groups ->
  total groups (fun g => if filter (fun r => (k r =? g)%nat) l then 0 else 1) <= Z.of_nat (length l).
Proof.
  intro N. eapply Z.le_trans with (total groups (fun g => total (filter (fun r => (k r =? g)%nat) l) (fun _ => 1))).
  - apply total_le. intros g _. rewrite total_const. destruct (filter _ l); simpl; lia.
  - rewrite (split_by k (fun _ => 1)) by easy. rewrite total_const. assert (H := filter_few row (fun r => existsb (Nat.eqb (k r)) groups) l). lia.
Qed.
Lemma one_key groups (k : nat) (f : nat -> Z) c : NoDup groups -> 0 <= c -> (forall g, g <> k -> f g = 0) -> f k <= c -> total groups f <= c.
Proof.
  intros N c0 Z0 F. induction groups as [|g gs IH]; simpl; [lia|]. inversion N; subst. destruct (Nat.eq_dec g k) as [->|D].
  - rewrite (total_ext _ gs f (fun _ => 0)); [rewrite total_const; lia|]. intros j J. apply Z0. intro; subst; tauto.
  - rewrite Z0 by easy. specialize (IH H2). lia.
Qed.

Definition ordered (q : question) : Prop := match what q with Sum m => low m <= high m | Units => True end.
(** PLAN-1: the L1 change of all groups' answers together, if the rows of unit [i] are replaced, is at most the bound. *)
Theorem bound_holds public_rows groups q units d d' i : ordered q -> NoDup units -> NoDup groups ->
  (forall j, j <> i -> d j = d' j) -> (public_rows = true -> forall t, map fst (d i t) = map fst (d' i t)) ->
  total groups (fun g => Z.abs (answer q units d g - answer q units d' g)) <= bound public_rows (length groups) q.
Proof.
  intros Or NU NG E PR. eapply Z.le_trans; [apply total_le; intros g _; apply (one_unit q units d d' i g NU E)|].
  assert (L : Z.of_nat (length (rows (from q) (d i))) <= Z.of_nat (most (from q))) by (assert (H := rows_most (from q) (d i)); lia).
  assert (L' : Z.of_nat (length (rows (from q) (d' i))) <= Z.of_nat (most (from q))) by (assert (H := rows_most (from q) (d' i)); lia).
  assert (ST : public_rows && steady (from q) = true -> map fst (rows (from q) (d i)) = map fst (rows (from q) (d' i))).
  { intro H. apply andb_prop in H. destruct H. apply rows_steady; auto. }
  unfold part, bound, ordered in *. set (l := rows (from q) (d i)) in *. set (l' := rows (from q) (d' i)) in *. set (n := Z.of_nat (most (from q))) in *.
  set (fixed := public_rows && steady (from q)) in *. destruct (what q) as [m|].
  - assert (two : forall k : row -> nat, total groups (fun g => Z.abs (total (filter (fun r => (k r =? g)%nat) l) (value m) - total (filter (fun r => (k r =? g)%nat) l') (value m))) <= n * (2 * size m)).
    { intro k. eapply Z.le_trans with (total groups (fun g => Z.abs (total (filter (fun r => (k r =? g)%nat) l) (value m)) + Z.abs (total (filter (fun r => (k r =? g)%nat) l') (value m)))).
      - apply total_le. intros; lia.
      - rewrite total_add. assert (A := parts_by_key m k groups l Or NG). assert (A' := parts_by_key m k groups l' Or NG). assert (0 <= size m) by (unfold size; lia). nia. }
    assert (one : Z.abs (total l (value m) - total l' (value m)) <= n * (if fixed && negb (null m) then high m - low m else reach m)).
    { destruct (fixed && negb (null m)) eqn:T.
      - apply andb_prop in T. destruct T as [T1 T2]. apply negb_true_iff in T2. specialize (ST T1).
        assert (R := row_by_row m (fun _ => 0%nat) [0%nat] Or ltac:(constructor; [easy|constructor]) l l' ST). rewrite T2 in R. simpl in R.
        rewrite !(filter_const true) in R. nia.
      - assert (A := total_values m Or l). assert (A' := total_values m Or l'). unfold reach. nia. }
    destruct (by_ q) as [|k|k|k]; cbn [key].
    + apply (one_key groups 0%nat); auto; [assert (0 <= reach m) by (unfold reach; lia); destruct (fixed && negb (null m)); nia| |].
      * intros g D. rewrite !(filter_const (0 =? g)%nat). destruct (Nat.eqb_spec 0 g); [congruence|]. easy.
      * rewrite !(filter_const (0 =? 0)%nat). exact one.
    + apply (one_key groups (k i)); auto; [assert (0 <= reach m) by (unfold reach; lia); destruct (fixed && negb (null m)); nia| |].
      * intros g D. rewrite !(filter_const (k i =? g)%nat). destruct (Nat.eqb_spec (k i) g); [congruence|]. easy.
      * rewrite !(filter_const (k i =? k i)%nat), Nat.eqb_refl. exact one.
    + destruct fixed; [|apply (two (fun r => k (fst r)))]. specialize (ST eq_refl).
      eapply Z.le_trans; [apply (row_by_row m k groups Or NG l l' ST)|]. assert (0 <= (if null m then reach m else high m - low m)) by (unfold reach; destruct (null m); lia). nia.
    + apply (two k).
  - assert (two : forall k : row -> nat, total groups (fun g => Z.abs ((if filter (fun r => (k r =? g)%nat) l then 0 else 1) - (if filter (fun r => (k r =? g)%nat) l' then 0 else 1)))
        <= Z.min (2 * n) (Z.of_nat (length groups))).
    { intro k. apply Z.min_glb.
      - eapply Z.le_trans with (total groups (fun g => (if filter (fun r => (k r =? g)%nat) l then 0 else 1) + (if filter (fun r => (k r =? g)%nat) l' then 0 else 1))).
        + apply total_le. intros g _. destruct (filter _ l), (filter _ l'); lia.
        + rewrite total_add. assert (A := units_few k groups l NG). assert (A' := units_few k groups l' NG). lia.
      - rewrite <- (Z.mul_1_r (Z.of_nat (length groups))), <- total_const. apply total_le. intros g _. destruct (filter _ l), (filter _ l'); lia. }
    assert (zero : forall k : P -> nat, fixed = true -> total groups (fun g => Z.abs ((if filter (fun r : row => (k (fst r) =? g)%nat) l then 0 else 1) - (if filter (fun r : row => (k (fst r) =? g)%nat) l' then 0 else 1))) <= 0).
    { intros k T. specialize (ST T). rewrite (total_ext _ groups _ (fun _ => 0)); [rewrite total_const; lia|]. intros g _. assert (K := keys_same k g l l' ST).
      destruct (filter _ l), (filter _ l'); try lia; exfalso; destruct K as [K1 K2]; [specialize (K1 eq_refl)|specialize (K2 eq_refl)]; discriminate. }
    assert (single : forall k, total groups (fun g => Z.abs ((if filter (fun _ : row => (k =? g)%nat) l then 0 else 1) - (if filter (fun _ : row => (k =? g)%nat) l' then 0 else 1))) <= 1).
    { intro k. apply (one_key groups k); auto; [lia| |].
      - intros g D. rewrite !(filter_const (k =? g)%nat). destruct (Nat.eqb_spec k g); [congruence|]. easy.
      - destruct (filter _ l), (filter _ l'); lia. }
    destruct (by_ q) as [|k|k|k]; cbn [key].
    + destruct fixed; [apply (zero (fun _ => 0%nat) eq_refl)|apply single].
    + destruct fixed; [apply (zero (fun _ => k i) eq_refl)|apply single].
    + destruct fixed; [now apply zero|apply (two (fun r => k (fst r)))].
    + apply (two k).
Qed.

(** ADDREM-1: a unit that is added or removed costs no more than its largest terms, whatever the groups are. *)
Definition presence_bound (q : question) : Z := Z.of_nat (most (from q)) * match what q with Sum m => size m | Units => 1 end.
Theorem presence_holds groups q units d d' i : ordered q -> NoDup units -> NoDup groups -> (forall j, j <> i -> d j = d' j) -> rows (from q) (d' i) = [] ->
  total groups (fun g => Z.abs (answer q units d g - answer q units d' g)) <= presence_bound q.
Proof.
  intros Or NU NG E R. eapply Z.le_trans; [apply total_le; intros g _; apply (one_unit q units d d' i g NU E)|].
  assert (L : Z.of_nat (length (rows (from q) (d i))) <= Z.of_nat (most (from q))) by (assert (H := rows_most (from q) (d i)); lia).
  unfold part, presence_bound, ordered in *. rewrite R. set (l := rows (from q) (d i)) in *. destruct (what q) as [m|]; cbn [filter].
  - assert (A := parts_by_key m (key (by_ q) i) groups l Or NG). assert (0 <= size m) by (unfold size; lia).
    eapply Z.le_trans; [|eapply Z.le_trans; [exact A|]]; [apply total_le; intros; cbn [total]; lia|nia].
  - assert (A := units_few (key (by_ q) i) groups l NG). eapply Z.le_trans; [|eapply Z.le_trans; [exact A|]]; [|lia].
    apply total_le. intros g _. destruct (filter _ l); lia.
Qed.

(** LEVEL-1 and several statistics: the bounds of all questions of a list add up. *)
Theorem all_together public_rows (groups : question -> list nat) qs units d d' i : (forall q, In q qs -> ordered q /\ NoDup (groups q)) -> NoDup units ->
  (forall j, j <> i -> d j = d' j) -> (public_rows = true -> forall t, map fst (d i t) = map fst (d' i t)) ->
  total qs (fun q => total (groups q) (fun g => Z.abs (answer q units d g - answer q units d' g))) <= total qs (fun q => bound public_rows (length (groups q)) q).
Proof. intros H N E PR. apply total_le. intros q I. destruct (H q I). now apply bound_holds with i. Qed.

(** The checker: a claim that is at least the bound is right. *)
Definition accepts (public_rows : bool) (groups : nat) (q : question) (claim : Z) : bool :=
  match what q with Sum m => low m <=? high m | Units => true end && (bound public_rows groups q <=? claim).
Theorem accepted public_rows groups q claim units d d' i : accepts public_rows (length groups) q claim = true -> NoDup units -> NoDup groups ->
  (forall j, j <> i -> d j = d' j) -> (public_rows = true -> forall t, map fst (d i t) = map fst (d' i t)) ->
  total groups (fun g => Z.abs (answer q units d g - answer q units d' g)) <= claim.
Proof.
  intros A NU NG E PR. apply andb_prop in A. destruct A as [A1 A2]. apply Z.leb_le in A2. eapply Z.le_trans; [|exact A2].
  apply bound_holds with i; auto. unfold ordered. destruct (what q); [now apply Z.leb_le|easy].
Qed.
(** A unit whose rows do not pass, whatever its secrets are, changes nothing: its cell need not be charged. *)
Theorem not_charged q units d d' i : NoDup units -> (forall j, j <> i -> d j = d' j) -> rows (from q) (d i) = [] -> rows (from q) (d' i) = [] ->
  forall g, answer q units d g = answer q units d' g.
Proof.
  intros N E R R' g. assert (H := one_unit q units d d' i g N E). unfold part in H. rewrite R, R' in H. destruct (what q); simpl in H; lia.
Qed.
End Statements.
Print Assumptions accepted.
