(** * How far one unit moves numbers of different values (claim DISTINCT-1)

    count(DISTINCT t) in each group: of all rows of all units, the values of t that are not NULL, each once. Values that no other row has come and go with rows, so a
    slot moves one group by at most one, or two groups if it may move between groups.                                                                      *)
Require Import List ZArith Lia Bool Arith Permutation.
From Kith Require Import Language Rules Moves.
Import ListNotations.
Open Scope Z_scope.

(** L1, and the square of L2, over all groups; None: a unit may have any number of rows. *)
Definition different (i : info) (t : term) (keys : list term) : option (Z * Z) :=
  match most i with
  | None => None
  | Some n =>
      let moved := existsb (fun k => sec (possible (cols i) k)) keys in
      if there i && negb (sec (possible (cols i) t)) && negb moved then Some (0, 0) else let k := if moved then 2 else 1 in Some (n * k, n * n * k)
  end.

Section Meaning.
Variable fn : nat -> value -> value -> value.
Variable pick : nat -> positive -> list row -> list row.
Hypothesis pick_in : forall f n l, incl (pick f n l) l.
Hypothesis pick_few : forall f n l, Z.of_nat (length (pick f n l)) <= Z.pos n.
Hypothesis pick_all : forall f n l, Z.of_nat (length l) <= Z.pos n -> pick f n l = l.
Hypothesis pick_some : forall f n l, pick f n l = [] -> l = [].
Variable one : nat -> list row -> nat -> value.
Hypothesis one_in : forall f l k, l <> [] -> exists r, In r l /\ one f l k = r k.
Variable extreme : nat -> list value -> value.
Hypothesis extreme_same : forall f v l, l <> [] -> (forall x, In x l -> x = v) -> extreme f l = v.
Variable number : nat -> list (list value) -> Z.
Variable folded : nat -> list (list value) -> value.
Notation rows := (rows fn pick one extreme number folded).
Notation key := (key fn).
Variable t : term.
Variable keys : list term.

Definition of_row (g : list value) (r : row) : list Z := if key_eq (key keys r) g then match ev fn t r with Some z => [z] | None => [] end else [].
Definition values (g : list value) (l : list row) : list Z := flat_map (of_row g) l.
Definition how_many (g : list value) (l : list row) : Z := Z.of_nat (length (nodup Z.eq_dec (values g l))).
Lemma same_set g l m : (forall r, In r l <-> In r m) -> how_many g l = how_many g m.
Proof.
  intro H. unfold how_many. f_equal. assert (I : forall l m, (forall r, In r l -> In r m) -> (length (nodup Z.eq_dec (values g l)) <= length (nodup Z.eq_dec (values g m)))%nat).
  { clear. intros l m H. apply NoDup_incl_length; [apply NoDup_nodup|]. intros z I. apply nodup_In in I. apply nodup_In. unfold values in *. apply in_flat_map in I. destruct I as (r & I & J). apply in_flat_map. exists r. auto. }
  apply Nat.le_antisymm; apply I; apply H.
Qed.
(** One row more: one value more in its group, or none. *)
Definition gain (r : option row) (l : list row) (g : list value) : Z := how_many g (list_of r ++ l) - how_many g l.
Lemma gain_of r l g : gain (Some r) l g = there_or_not (key keys r) (match ev fn t r with Some z => if in_dec Z.eq_dec z (values (key keys r) l) then 0 else 1 | None => 0 end) g.
Proof.
  unfold gain, how_many, there_or_not. cbn [list_of app]. change (values g (r :: l)) with (of_row g r ++ values g l). unfold of_row. destruct (key_eq (key keys r) g) as [->|D]; [|cbn; lia].
  destruct (ev fn t r) as [z|]; cbn [app nodup]; [|lia]. destruct (in_dec Z.eq_dec z (values g l)); cbn [length]; lia.
Qed.
Variable groups : list (list value).
Hypothesis once : NoDup groups.
Definition within (a : Z) (c : list value -> Z) : Prop := total groups (fun g => Z.abs (c g)) <= a /\ total groups (fun g => c g * c g) <= a.
Lemma slot_gain i s l a : fits i s -> (a = 0 \/ a = 1 \/ a = 2) ->
  (a = 0 -> there i && negb (sec (possible (cols i) t)) && negb (existsb (fun k => sec (possible (cols i) k)) keys) = true) -> (a = 1 -> existsb (fun k => sec (possible (cols i) k)) keys = false) ->
  within a (fun g => gain (fst s) l g - gain (snd s) l g).
Proof.
  intros F A A0 A1.
  assert (stay : existsb (fun k => sec (possible (cols i) k)) keys = false -> forall r r', fine (cols i) r -> fine (cols i) r' -> agree true false (cols i) r r' -> key keys r = key keys r').
  { intros M r r' f f' e. apply (keys_agree fn true false i); auto. intros k I. unfold moves. cbn. rewrite orb_false_r. now apply (existsb_false (fun k => sec (possible (cols i) k)) keys M). }
  assert (small : forall r, 0 <= (match ev fn t r with Some z => if in_dec Z.eq_dec z (values (key keys r) l) then 0 else 1 | None => 0 end) <= 1) by (intro r; destruct (ev fn t r); [destruct (in_dec _ _ _)|]; lia).
  assert (e0 : forall k g, there_or_not k 0 g = 0) by (intros; unfold there_or_not; now destruct (key_eq _ _)).
  assert (none : forall g, gain None l g = 0) by (intro; unfold gain; cbn; lia).
  destruct s as [[r|] [r'|]]; cbn [fst snd fits] in *; unfold within.
  - destruct F as (f & f' & e). set (v := match ev fn t r with Some z => if in_dec Z.eq_dec z (values (key keys r) l) then 0 else 1 | None => 0 end).
    set (v' := match ev fn t r' with Some z => if in_dec Z.eq_dec z (values (key keys r') l) then 0 else 1 | None => 0 end). assert (Sv := small r). assert (Sv' := small r'). fold v in Sv. fold v' in Sv'.
    destruct (two_rows groups (key keys r) (key keys r') v v' once) as [X Y].
    rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not (key keys r) v g - there_or_not (key keys r') v' g))) by (intros; now rewrite !gain_of).
    rewrite (total_ext _ groups (fun g => (gain (Some r) l g - _) * _) (fun g => (there_or_not (key keys r) v g - there_or_not (key keys r') v' g) * (there_or_not (key keys r) v g - there_or_not (key keys r') v' g))) by (intros; now rewrite !gain_of).
    destruct (key_eq (key keys r) (key keys r')) as [K|K].
    + destruct A as [A|A].
      * specialize (A0 A). apply andb_prop in A0. destruct A0 as [A0 _]. apply andb_prop in A0. destruct A0 as [_ S]. apply negb_true_iff in S.
        assert (E : v = v') by (unfold v, v'; rewrite K, (ev_agree fn true false (cols i) r r' t f f' e); [easy|unfold moves; cbn; now rewrite S]). assert (Z.abs (v - v') <= a /\ (v - v') * (v - v') <= a) by (rewrite E, Z.sub_diag; cbn; lia). lia.
      * assert (Z.abs (v - v') <= 1) by lia. assert ((v - v') * (v - v') <= 1) by nia. lia.
    + assert (a = 2).
      { destruct A as [A|[A|A]]; [|exfalso; apply K; apply stay; auto|easy]. exfalso. apply K. specialize (A0 A). apply andb_prop in A0. destruct A0 as [_ M]. apply negb_true_iff in M. now apply stay. }
      assert (v * v + v' * v' <= 2) by nia. lia.
  - destruct F as [T f]. set (v := match ev fn t r with Some z => if in_dec Z.eq_dec z (values (key keys r) l) then 0 else 1 | None => 0 end). assert (Sv := small r). fold v in Sv.
    destruct (two_rows groups (key keys r) (key keys r) v 0 once) as [X Y]. destruct (key_eq (key keys r) (key keys r)) as [_|]; [|easy].
    rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not (key keys r) v g - there_or_not (key keys r) 0 g))) by (intros; now rewrite gain_of, none, e0).
    rewrite (total_ext _ groups (fun g => (gain (Some r) l g - _) * _) (fun g => (there_or_not (key keys r) v g - there_or_not (key keys r) 0 g) * (there_or_not (key keys r) v g - there_or_not (key keys r) 0 g))) by (intros; now rewrite gain_of, none, e0).
    assert (a <> 0) by (intro; specialize (A0 H); rewrite T in A0; discriminate). assert ((v - 0) * (v - 0) <= 1) by nia. lia.
  - destruct F as [T f]. set (v := match ev fn t r' with Some z => if in_dec Z.eq_dec z (values (key keys r') l) then 0 else 1 | None => 0 end). assert (Sv := small r'). fold v in Sv.
    destruct (two_rows groups (key keys r') (key keys r') 0 v once) as [X Y]. destruct (key_eq (key keys r') (key keys r')) as [_|]; [|easy].
    rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not (key keys r') 0 g - there_or_not (key keys r') v g))) by (intros; now rewrite gain_of, none, e0).
    rewrite (total_ext _ groups (fun g => (gain None l g - _) * _) (fun g => (there_or_not (key keys r') 0 g - there_or_not (key keys r') v g) * (there_or_not (key keys r') 0 g - there_or_not (key keys r') v g))) by (intros; now rewrite gain_of, none, e0).
    assert (a <> 0) by (intro; specialize (A0 H); rewrite T in A0; discriminate). assert ((0 - v) * (0 - v) <= 1) by nia. lia.
  - rewrite (total_ext _ groups _ (fun _ => 0)), (total_ext _ groups (fun g => _ * _) (fun _ => 0)), !total_zero by (intros; rewrite !none; lia). lia.
Qed.
(** All slots: the sum of what each does, beside rows that change with it. *)
Lemma slots_gain i a l : Forall (fits i) l -> (forall s m, fits i s -> within a (fun g => gain (fst s) m g - gain (snd s) m g)) -> forall o,
  exists cs, length cs = length l /\ Forall (within a) cs /\ forall g, how_many g (before l ++ o) - how_many g (after l ++ o) = total cs (fun c => c g).
Proof.
  intros F W. induction F as [|s l f F IH]; intro o; [exists []; repeat split; [constructor|intro; cbn; lia]|].
  destruct (IH (list_of (snd s) ++ o)) as (cs & len & Fc & E). set (m := before l ++ o).
  exists ((fun g => gain (fst s) m g - gain (snd s) m g) :: cs). split; [cbn; now rewrite len|]. split; [constructor; auto|]. intro g. cbn [total]. rewrite <- E. unfold gain.
  assert (E1 : how_many g (before (s :: l) ++ o) = how_many g (list_of (fst s) ++ m)) by (apply same_set; intro r; unfold m, before; cbn [flat_map]; now rewrite !in_app_iff, or_assoc).
  assert (E2 : how_many g (before l ++ list_of (snd s) ++ o) = how_many g (list_of (snd s) ++ m)) by (apply same_set; intro r; unfold m; rewrite !in_app_iff; tauto).
  assert (E3 : how_many g (after (s :: l) ++ o) = how_many g (after l ++ list_of (snd s) ++ o)) by (apply same_set; intro r; unfold after; cbn [flat_map]; rewrite !in_app_iff; tauto).
  rewrite E1, E2, E3. lia.
Qed.
Lemma moved_together i u v o l1 l2 : changed i u v -> different i t keys = Some (l1, l2) ->
  total groups (fun g => Z.abs (how_many g (u ++ o) - how_many g (v ++ o))) <= l1 /\
  total groups (fun g => (how_many g (u ++ o) - how_many g (v ++ o)) * (how_many g (u ++ o) - how_many g (v ++ o))) <= l2.
Proof.
  intros C Q. destruct (most i) as [n|] eqn:M; [|unfold different in Q; rewrite M in Q; discriminate].
  set (moved := existsb (fun k => sec (possible (cols i) k)) keys). set (still := there i && negb (sec (possible (cols i) t)) && negb moved). set (a := if still then 0 else if moved then 2 else 1).
  assert (E : l1 = n * a /\ l2 = n * n * a). { unfold different in Q. rewrite M in Q. fold moved in Q. cbv zeta in Q. fold still in Q. unfold a. destruct still; injection Q as <- <-; lia. }
  destruct E as [-> ->]. destruct (in_slots i u v C) as (l & L & F & -> & ->). rewrite M in L. cbn [few] in L.
  assert (W : forall s m, fits i s -> within a (fun g => gain (fst s) m g - gain (snd s) m g)).
  { intros s m f. assert (S0 : a = 0 -> still = true) by (unfold a; destruct still; [easy|destruct moved; discriminate]). assert (S1 : a = 1 -> moved = false) by (unfold a; destruct still, moved; easy).
    apply (slot_gain i s m a f); [|exact S0|exact S1]. unfold a. destruct still, moved; lia. }
  destruct (slots_gain i a l F W o) as (cs & len & Fc & E). assert (a0 : 0 <= a) by (unfold a; destruct still, moved; lia).
  assert (T : total cs (fun c => total groups (fun g => Z.abs (c g))) <= Z.of_nat (length cs) * a /\ total cs (fun c => total groups (fun g => c g * c g)) <= Z.of_nat (length cs) * a).
  { clear - Fc. induction Fc as [|c cs [X Y] F IH]; [cbn; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. lia. }
  rewrite len in T. destruct T as [T1 T2]. split.
  - rewrite (total_ext _ groups _ (fun g => Z.abs (total cs (fun c => c g)))) by (intros; now rewrite E). eapply Z.le_trans; [apply total_le; intros g _; apply total_abs|]. rewrite total_swap. nia.
  - rewrite (total_ext _ groups _ (fun g => total cs (fun c => c g) * total cs (fun c => c g))) by (intros; now rewrite E). eapply Z.le_trans; [apply total_le; intros g _; apply total_square|].
    rewrite total_scale, total_swap, len. set (m := Z.of_nat (length l)) in *. assert (0 <= m) by (unfold m; lia). apply Z.le_trans with (m * (m * a)); [now apply Z.mul_le_mono_nonneg_l|]. assert (m * m <= n * n) by nia. nia.
Qed.

Variable table : nat -> info.
(** DISTINCT-1: replacing the rows of unit [u] by any that the tables allow moves all groups together by at most what the program finds. *)
Theorem different_checked s l1 l2_squared (units : list nat) (u : nat) (d d' : nat -> nat -> list row) : different (analysed table s) t keys = Some (l1, l2_squared) ->
  NoDup units -> (forall j, j <> u -> d j = d' j) -> (forall t, changed (table t) (d u t) (d' u t)) ->
  let move g := how_many g (flat_map (fun j => rows s (d j)) units) - how_many g (flat_map (fun j => rows s (d' j)) units) in
  total groups (fun g => Z.abs (move g)) <= l1 /\ total groups (fun g => move g * move g) <= l2_squared.
Proof.
  intros Q NU E H move. assert (S := analysed_changed fn pick pick_in pick_few pick_all pick_some one one_in extreme extreme_same number folded table (d u) (d' u) H s).
  destruct (in_dec Nat.eq_dec u units) as [I|I].
  - set (rest := flat_map (fun j => rows s (d j)) (remove Nat.eq_dec u units)).
    assert (P : forall e, (forall j, j <> u -> e j = d j) -> forall r, In r (flat_map (fun j => rows s (e j)) units) <-> In r (rows s (e u) ++ rest)).
    { intros e Ee r. rewrite in_app_iff. unfold rest. rewrite !in_flat_map. split.
      - intros (j & J & K). destruct (Nat.eq_dec j u) as [->|D]; [now left|right]. exists j. split; [now apply in_in_remove|now rewrite <- Ee].
      - intros [K|(j & J & K)]; [now exists u|]. apply in_remove in J. destruct J as [J D]. exists j. split; [easy|now rewrite Ee]. }
    assert (M : forall g, move g = how_many g (rows s (d u) ++ rest) - how_many g (rows s (d' u) ++ rest)).
    { intro g. unfold move. rewrite (same_set g _ _ (P d ltac:(easy))), (same_set g _ _ (P d' ltac:(intros; now rewrite E))). easy. }
    destruct (moved_together (analysed table s) _ _ rest l1 l2_squared S Q) as [X Y].
    rewrite (total_ext _ groups _ (fun g => Z.abs (how_many g (rows s (d u) ++ rest) - how_many g (rows s (d' u) ++ rest)))) by (intros; now rewrite M).
    rewrite (total_ext _ groups (fun g => move g * move g) (fun g => (how_many g (rows s (d u) ++ rest) - how_many g (rows s (d' u) ++ rest)) * (how_many g (rows s (d u) ++ rest) - how_many g (rows s (d' u) ++ rest)))) by (intros; now rewrite M). now split.
  - assert (M : forall g, move g = 0).
    { intro g. unfold move. rewrite (same_set g (flat_map (fun j => rows s (d j)) units) (flat_map (fun j => rows s (d' j)) units)); [lia|]. intro r. rewrite !in_flat_map. split; intros (j & J & K); exists j; (split; [easy|]); [rewrite <- E|rewrite E]; auto; intros ->; easy. }
    rewrite (total_ext _ groups _ (fun _ => 0)), (total_ext _ groups (fun g => move g * move g) (fun _ => 0)), !total_zero by (intros; rewrite M; lia).
    destruct (moved_together (analysed table s) _ _ [] l1 l2_squared S Q) as [X Y]. assert (0 <= l1) by (eapply Z.le_trans; [|exact X]; apply total_nonneg).
    split; [easy|]. eapply Z.le_trans; [|exact Y]. clear. induction groups as [|g gs IH]; cbn [total]; [lia|]. assert (h := Z.square_nonneg (how_many g (rows s (d u) ++ []) - how_many g (rows s (d' u) ++ []))). lia.
Qed.
End Meaning.
Print Assumptions different_checked.
