(** * How far one unit moves the answer of a statement: the checker, and that it is right (claims PLAN-2, PLAN-4, ROWS-1, ROW-1, UNIT-1, JOIN-1, LEVEL-1, ADDREM-1)

    [check] reads a statement and a claim and answers yes or no; the claim is about all levels together, in L1 and in the square of L2 ([checked]), and about a
    unit that comes or goes ([arrives]). Extracted to OCaml it is compared with kith's own checker (tests/proofs/statements.py).                            *)
Require Import List ZArith Lia Bool Arith.
From Kith Require Import Language Rules.
Import ListNotations.
Open Scope Z_scope.

Inductive total_of := Sum (t : term) | Units.           (* a count is Sum (Lit (Some 1)); Units: how many units have rows there *)

(** ** The program *)
(** How far one slot moves all groups of a level: L1, and the square of L2. None: a term without ends. *)
Definition step (i : info) (keys : list term) (t : term) : option (Z * Z) :=
  let p := possible (cols i) t in
  let moved := existsb (fun k => sec (possible (cols i) k)) keys in
  if there i && negb (sec p) && negb moved then Some (0, 0)
  else if empty p then Some (0, 0)
  else match lo p, hi p with
       | Some l, Some h =>
           let largest := Z.max (Z.abs l) (Z.abs h) in
           let same := if there i && negb (nul p) then Z.max 0 (h - l) else if sec p then Z.max 0 h - Z.min 0 l else largest in
           Some (if moved then (Z.max (2 * largest) same, Z.max (2 * (largest * largest)) (same * same)) else (same, same * same))
       | _, _ => None
       end.
Definition level (i : info) (x : total_of) (keys : list term) : option (Z * Z) :=
  match most i with
  | None => None
  | Some n =>
      match x with
      | Sum t => match step i keys t with Some (a, b) => Some (n * a, n * n * b) | None => None end
      | Units =>
          if existsb (fun k => byrow (possible (cols i) k)) keys
          then match step i keys (Lit (Some 1)) with Some (a, _) => Some (n * a, n * a) | None => None end
          else let moved := existsb (fun k => sec (possible (cols i) k)) keys in
               if known i && negb moved then Some (0, 0)
               else let k := Z.min n 1 * (if moved then 2 else 1) in Some (k, k)
      end
  end.
Fixpoint bound (i : info) (x : total_of) (levels : list (list term)) : option (Z * Z) :=
  match levels with
  | [] => Some (0, 0)
  | keys :: ls => match level i x keys, bound i x ls with Some (a, b), Some (c, d) => Some (a + c, b + d) | _, _ => None end
  end.
Definition check (table : nat -> info) (s : source) (x : total_of) (levels : list (list term)) (l1 l2_squared : Z) : bool :=
  match bound (analysed table s) x levels with Some (a, b) => (a <=? l1) && (b <=? l2_squared) | None => false end.
(** The same if the unit has no rows on one side. *)
Definition arriving (i : info) (x : total_of) (keys : list term) : option (Z * Z) :=
  match level i x keys with
  | Some (a, b) =>
      match most i, x with
      | Some n, Sum t => match lo (possible (cols i) t), hi (possible (cols i) t) with
                         | Some l, Some h => let k := n * Z.max (Z.abs l) (Z.abs h) in Some (Z.min a k, Z.min b (k * k))
                         | _, _ => Some (a, b)
                         end
      | Some n, Units => let k := if existsb (fun k => byrow (possible (cols i) k)) keys then n else Z.min n 1 in Some (Z.min a k, Z.min b k)
      | _, _ => Some (a, b)
      end
  | None => None
  end.
Fixpoint arrival (i : info) (x : total_of) (levels : list (list term)) : option (Z * Z) :=
  match levels with
  | [] => Some (0, 0)
  | keys :: ls => match arriving i x keys, arrival i x ls with Some (a, b), Some (c, d) => Some (a + c, b + d) | _, _ => None end
  end.

(** ** What answers mean *)
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
Notation ev := (ev fn).
Notation rows := (rows fn pick one extreme number folded).
Notation fine i := (fine (cols i)).
Notation same i := (agree true false (cols i)).

Definition key_eq : forall a b : list value, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition in_group (keys : list term) (g : list value) (r : row) : bool := if key_eq (map (fun k => ev k r) keys) g then true else false.
Fixpoint total {A} (l : list A) (f : A -> Z) : Z := match l with [] => 0 | a :: l => f a + total l f end.
Definition amount (t : term) (r : row) : Z := match ev t r with Some z => z | None => 0 end.
Definition part_of (x : total_of) (keys : list term) (g : list value) (l : list row) : Z :=
  let mine := filter (in_group keys g) l in match x with Sum t => total mine (amount t) | Units => if mine then 0 else 1 end.
Definition part (s : source) (x : total_of) (keys : list term) (u : nat -> list row) (g : list value) : Z := part_of x keys g (rows s u).
Definition answer (s : source) (x : total_of) (keys : list term) (units : list nat) (d : nat -> nat -> list row) (g : list value) : Z :=
  total units (fun j => part s x keys (d j) g).

(** ** How far slots move the groups *)
Lemma total_le A (l : list A) f h : (forall a, In a l -> f a <= h a) -> total l f <= total l h.
Proof. induction l; simpl; intro H; [lia|]. assert (f a <= h a) by (apply H; now left). assert (total l f <= total l h) by (apply IHl; auto). lia. Qed.
Lemma total_ext A (l : list A) f h : (forall a, In a l -> f a = h a) -> total l f = total l h.
Proof. induction l; simpl; intro H; [easy|]. rewrite H by now left. now rewrite IHl by auto. Qed.
Lemma total_add A (l : list A) f h : total l (fun a => f a + h a) = total l f + total l h.
Proof. induction l; simpl; lia. Qed.
Lemma total_sub A (l : list A) f h : total l (fun a => f a - h a) = total l f - total l h.
Proof. induction l; simpl; lia. Qed.
Lemma total_scale A (l : list A) c f : total l (fun a => c * f a) = c * total l f.
Proof. induction l; simpl; lia. Qed.
Lemma total_zero A (l : list A) : total l (fun _ => 0) = 0.
Proof. induction l; simpl; lia. Qed.
Lemma total_swap A B (l : list A) (m : list B) f : total l (fun a => total m (fun b => f a b)) = total m (fun b => total l (fun a => f a b)).
Proof. induction l; simpl; [now rewrite total_zero|]. rewrite IHl. now rewrite <- total_add. Qed.
Lemma total_abs A (l : list A) f : Z.abs (total l f) <= total l (fun a => Z.abs (f a)).
Proof. induction l; simpl; lia. Qed.
(** Cauchy and Schwarz *)
Lemma total_square A (l : list A) f : total l f * total l f <= Z.of_nat (length l) * total l (fun a => f a * f a).
Proof.
  induction l as [|a l IH]; [simpl; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ. set (n := Z.of_nat (length l)) in *. assert (n0 : 0 <= n) by (unfold n; lia).
  set (S := total l f) in *. set (Q := total l (fun a => f a * f a)) in *. set (x := f a).
  assert (2 * (x * S) <= n * (x * x) + Q).
  { destruct (Z.eq_dec n 0) as [E|E]; [rewrite E in *; assert (S = 0) by nia; assert (0 <= Q); [|nia]; unfold Q; clear; induction l; simpl; nia|].
    assert (0 <= (n * x - S) * (n * x - S)) by apply Z.square_nonneg. nia. }
  nia.
Qed.

(** Two rows in their groups. *)
Lemma one_group groups k a : NoDup groups -> 0 <= a -> total groups (fun g => if key_eq k g then a else 0) <= a.
Proof.
  intros N a0. induction groups as [|g gs IH]; cbn [total]; [easy|]. inversion N; subst. destruct (key_eq k g) as [->|D]; [|apply IH in H2; lia].
  rewrite (total_ext _ gs _ (fun _ => 0)); [rewrite total_zero; lia|]. intros h I. destruct (key_eq g h); [subst; tauto|easy].
Qed.
Definition there_or_not (k : list value) (v : Z) (g : list value) : Z := if key_eq k g then v else 0.
Lemma two_rows groups k k' v v' : NoDup groups ->
  total groups (fun g => Z.abs (there_or_not k v g - there_or_not k' v' g)) <= (if key_eq k k' then Z.abs (v - v') else Z.abs v + Z.abs v') /\
  total groups (fun g => (there_or_not k v g - there_or_not k' v' g) * (there_or_not k v g - there_or_not k' v' g)) <= (if key_eq k k' then (v - v') * (v - v') else v * v + v' * v').
Proof.
  intro N. unfold there_or_not. destruct (key_eq k k') as [<-|D].
  - split.
    + eapply Z.le_trans; [|apply (one_group groups k (Z.abs (v - v')) N); lia]. apply total_le. intros g _. destruct (key_eq k g); lia.
    + eapply Z.le_trans; [|apply (one_group groups k ((v - v') * (v - v')) N); apply Z.square_nonneg]. apply total_le. intros g _. destruct (key_eq k g); lia.
  - assert (A := one_group groups k (Z.abs v) N ltac:(lia)). assert (A' := one_group groups k' (Z.abs v') N ltac:(lia)).
    assert (B := one_group groups k (v * v) N (Z.square_nonneg v)). assert (B' := one_group groups k' (v' * v') N (Z.square_nonneg v')). split.
    + eapply Z.le_trans; [apply (total_le _ groups _ (fun g => (if key_eq k g then Z.abs v else 0) + (if key_eq k' g then Z.abs v' else 0)))|rewrite total_add; lia].
      intros g _. destruct (key_eq k g), (key_eq k' g); lia.
    + eapply Z.le_trans; [apply (total_le _ groups _ (fun g => (if key_eq k g then v * v else 0) + (if key_eq k' g then v' * v' else 0)))|rewrite total_add; lia].
      intros g _. destruct (key_eq k g), (key_eq k' g); subst; try congruence; lia.
Qed.
Definition adds (keys : list term) (t : term) (r : option row) (g : list value) : Z :=
  match r with Some r => there_or_not (map (fun k => ev k r) keys) (amount t r) g | None => 0 end.
Lemma adds_key keys t r g k : r = None -> adds keys t r g = there_or_not k 0 g.
Proof. intros ->. unfold adds, there_or_not. now destruct (key_eq k g). Qed.
Lemma slot_moves i keys t s a b groups : NoDup groups -> fits i s -> step i keys t = Some (a, b) ->
  0 <= a /\ 0 <= b /\ total groups (fun g => Z.abs (adds keys t (fst s) g - adds keys t (snd s) g)) <= a /\
  total groups (fun g => (adds keys t (fst s) g - adds keys t (snd s) g) * (adds keys t (fst s) g - adds keys t (snd s) g)) <= b.
Proof.
  intros N F E. unfold step in E. cbv zeta in E. set (p := possible (cols i) t) in *. set (moved := existsb (fun k => sec (possible (cols i) k)) keys) in *.
  assert (keys_stay : moved = false -> forall r r', fine i r -> fine i r' -> same i r r' -> map (fun k => ev k r) keys = map (fun k => ev k r') keys).
  { intros M r r' f1 f2 S. apply map_ext_in. intros k I. apply (ev_agree fn true false (cols i)); auto. unfold Language.moves. cbn. rewrite orb_false_r. destruct (sec (possible (cols i) k)) eqn:X; [|easy].
    assert (moved = true) by (apply existsb_exists; now exists k). congruence. }
  assert (stays : sec p = false -> forall r r', fine i r -> fine i r' -> same i r r' -> amount t r = amount t r').
  { intros S r r' f1 f2 e. unfold amount. rewrite (ev_agree fn true false (cols i) r r' t f1 f2 e); [easy|]. unfold Language.moves. fold p. now rewrite S. }
  assert (nothing : total groups (fun g => Z.abs (0 - 0)) <= 0 /\ total groups (fun g => (0 - 0) * (0 - 0)) <= 0) by (cbn; rewrite !total_zero; lia).
  destruct (there i && negb (sec p) && negb moved) eqn:K.
  - injection E as <- <-. apply andb_prop in K. destruct K as [K M]. apply andb_prop in K. destruct K as [T S]. apply negb_true_iff in M, S.
    destruct s as [[r|] [r'|]]; cbn [fst snd]; cbn in F.
    + destruct F as (f1 & f2 & e). unfold adds. rewrite (keys_stay M r r' f1 f2 e), (stays S r r' f1 f2 e).
      destruct (two_rows groups (map (fun k => ev k r') keys) (map (fun k => ev k r') keys) (amount t r') (amount t r') N) as [X Y].
      destruct (key_eq _ _); [|congruence]. replace (amount t r' - amount t r') with 0 in * by lia. cbn in X, Y. lia.
    + destruct F; congruence.
    + destruct F; congruence.
    + cbn [adds]. lia.
  - destruct (empty p) eqn:Em.
    { injection E as <- <-. assert (Z0 : forall r, fine i r -> amount t r = 0).
      { intros r Fr. assert (O := ev_ok fn (cols i) r t Fr). unfold amount. destruct (ev t r) as [z|]; [|easy]. apply ok_empty in O. fold p in O. congruence. }
      assert (A0 : forall r g, (forall q, r = Some q -> fine i q) -> adds keys t r g = 0).
      { intros [r|] g H; [|easy]. unfold adds, there_or_not. rewrite Z0 by auto. now destruct (key_eq _ g). }
      assert (Fs : forall q, (fst s = Some q \/ snd s = Some q) -> fine i q) by (destruct s as [[r|] [r'|]]; cbn in *; intros q [H|H]; try discriminate; injection H as <-; tauto).
      rewrite (total_ext _ groups _ (fun _ => 0)), (total_ext _ groups (fun g => _ * _) (fun _ => 0)), !total_zero; [lia| |]; intros; rewrite !A0; auto. }
    destruct (lo p) as [l|] eqn:El; [|discriminate]. destruct (hi p) as [h|] eqn:Eh; [|discriminate].
    set (largest := Z.max (Z.abs l) (Z.abs h)) in *. set (d := if there i && negb (nul p) then Z.max 0 (h - l) else if sec p then Z.max 0 h - Z.min 0 l else largest) in *.
    assert (ends : forall r, fine i r -> Z.abs (amount t r) <= largest /\ Z.min 0 l <= amount t r <= Z.max 0 h /\ (nul p = false -> l <= amount t r <= h)).
    { intros r Fr. assert (O := ev_ok fn (cols i) r t Fr). fold p in O. unfold amount, ok in *. rewrite El, Eh in O. unfold largest. destruct (ev t r); [lia|]. repeat split; try lia; congruence. }
    assert (d0 : 0 <= d) by (unfold d, largest; destruct (there i && negb (nul p)), (sec p); lia).
    assert (apart : forall r r', fine i r -> fine i r' -> same i r r' -> Z.abs (amount t r - amount t r') <= d).
    { intros r r' a1 a2 e. destruct (ends r a1) as (x1 & x2 & x3), (ends r' a2) as (y1 & y2 & y3). unfold d.
      destruct (there i && negb (nul p)) eqn:Q; [apply andb_prop in Q; destruct Q as [_ Q]; apply negb_true_iff in Q; specialize (x3 Q); specialize (y3 Q); lia|].
      destruct (sec p) eqn:S; [lia|]. rewrite (stays eq_refl r r' a1 a2 e). unfold largest. lia. }
    assert (alone : forall r, there i = false -> fine i r -> Z.abs (amount t r) <= d).
    { intros r T Fr. destruct (ends r Fr) as (x1 & x2 & x3). unfold d. rewrite T. cbn. destruct (sec p); [lia|easy]. }
    assert (L : 0 <= largest) by (unfold largest; lia).
    assert (R : 0 <= a /\ 0 <= b /\ d <= a /\ d * d <= b /\ (moved = true -> 2 * largest <= a /\ 2 * (largest * largest) <= b)).
    { assert (dd := Z.square_nonneg d). assert (ll := Z.square_nonneg largest). destruct moved.
      - assert (Ea : a = Z.max (2 * largest) d) by congruence. assert (Eb : b = Z.max (2 * (largest * largest)) (d * d)) by congruence. rewrite Ea, Eb. lia.
      - assert (Ea : a = d) by congruence. assert (Eb : b = d * d) by congruence. rewrite Ea, Eb. repeat split; try lia; discriminate. }
    clear E. destruct R as (a0 & b0 & da & db & M). split; [easy|]. split; [easy|].
    assert (sq : forall x y, Z.abs x <= y -> x * x <= y * y) by (intros; nia).
    destruct s as [[r|] [r'|]]; cbn [fst snd]; cbn in F.
    + destruct F as (f1 & f2 & e). unfold adds. set (k := map (fun k => ev k r) keys). set (k' := map (fun k => ev k r') keys).
      destruct (two_rows groups k k' (amount t r) (amount t r') N) as [X Y]. assert (D := apart r r' f1 f2 e). destruct (ends r f1) as (x1 & _), (ends r' f2) as (y1 & _).
      destruct (key_eq k k') as [Q|Q].
      * assert (D2 := sq _ _ D). lia.
      * assert (Mv : moved = true) by (destruct moved; [easy|]; exfalso; apply Q; now apply keys_stay). destruct (M Mv). assert (x2 := sq _ _ x1). assert (y2 := sq _ _ y1). lia.
    + destruct F as [T f]. assert (D := alone r T f). set (k := map (fun k => ev k r) keys).
      destruct (two_rows groups k k (amount t r) 0 N) as [X Y]. destruct (key_eq k k); [|congruence]. rewrite Z.sub_0_r in X, Y. assert (D2 := sq _ _ D).
      rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not k (amount t r) g - there_or_not k 0 g))) by (intros; now rewrite (adds_key keys t None a1 k)).
      rewrite (total_ext _ groups (fun g => _ * _) (fun g => (there_or_not k (amount t r) g - there_or_not k 0 g) * (there_or_not k (amount t r) g - there_or_not k 0 g))) by (intros; now rewrite (adds_key keys t None a1 k)). lia.
    + destruct F as [T f]. assert (D := alone r' T f). set (k := map (fun k => ev k r') keys).
      destruct (two_rows groups k k 0 (amount t r') N) as [X Y]. destruct (key_eq k k); [|congruence]. rewrite Z.sub_0_l, Z.abs_opp in X. rewrite Z.sub_0_l, Z.mul_opp_opp in Y. assert (D2 := sq _ _ D).
      rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not k 0 g - there_or_not k (amount t r') g))) by (intros; now rewrite (adds_key keys t None a1 k)).
      rewrite (total_ext _ groups (fun g => _ * _) (fun g => (there_or_not k 0 g - there_or_not k (amount t r') g) * (there_or_not k 0 g - there_or_not k (amount t r') g))) by (intros; now rewrite (adds_key keys t None a1 k)). lia.
    + cbn [adds]. lia.
Qed.
Lemma sum_group keys t g rs : total (filter (in_group keys g) rs) (amount t) = total rs (fun r => adds keys t (Some r) g).
Proof.
  induction rs as [|r rs IH]; [easy|]. cbn [filter total].
  assert (A : adds keys t (Some r) g = if in_group keys g r then amount t r else 0) by (unfold adds, there_or_not, in_group; now destruct (key_eq _ g)).
  rewrite A, <- IH. now destruct (in_group keys g r).
Qed.
Lemma sum_before keys t g l : total (filter (in_group keys g) (before l)) (amount t) = total l (fun s => adds keys t (fst s) g).
Proof. rewrite sum_group. unfold before. induction l as [|[[r|] b] l IH]; [easy| |]; cbn [flat_map fst list_of app total]; now rewrite IH. Qed.
Lemma sum_after keys t g l : total (filter (in_group keys g) (after l)) (amount t) = total l (fun s => adds keys t (snd s) g).
Proof. rewrite sum_group. unfold after. induction l as [|[b [r|]] l IH]; [easy| |]; cbn [flat_map snd list_of app total]; now rewrite IH. Qed.
Definition here (l : list row) : Z := if l then 0 else 1.
Lemma units_move keys g l : Z.abs (here (filter (in_group keys g) (before l)) - here (filter (in_group keys g) (after l)))
  <= total l (fun s => Z.abs (adds keys (Lit (Some 1)) (fst s) g - adds keys (Lit (Some 1)) (snd s) g)).
Proof.
  assert (H : forall l, 0 <= here l <= 1) by (intros [|]; cbn; lia).
  assert (G : forall r, adds keys (Lit (Some 1)) (Some r) g = if in_group keys g r then 1 else 0) by (intro r; unfold adds, there_or_not, in_group, amount; cbn; now destruct (key_eq _ g)).
  induction l as [|[b a] l IH]; [cbn; lia|]. cbn [before after flat_map fst snd total]. unfold before, after in IH. rewrite !filter_app.
  set (B := filter (in_group keys g) (flat_map (fun s => list_of (fst s)) l)) in *. set (A := filter (in_group keys g) (flat_map (fun s => list_of (snd s)) l)) in *.
  assert (hb := H B). assert (ha := H A). assert (T : 0 <= total l (fun s => Z.abs (adds keys (Lit (Some 1)) (fst s) g - adds keys (Lit (Some 1)) (snd s) g))) by (clear; induction l; cbn [total]; lia).
  assert (C : forall r M, here (filter (in_group keys g) (list_of r) ++ M) = if adds keys (Lit (Some 1)) r g =? 1 then 1 else here M).
  { intros [r|] M; [rewrite G|easy]. cbn [list_of filter]. now destruct (in_group keys g r). }
  assert (V : forall r, adds keys (Lit (Some 1)) r g = 0 \/ adds keys (Lit (Some 1)) r g = 1) by (intros [r|]; [rewrite G; destruct (in_group keys g r)|]; auto).
  rewrite !C. destruct (V b) as [->| ->], (V a) as [->| ->]; change (0 =? 1) with false; change (1 =? 1) with true; cbv iota; lia.
Qed.

(** ** Units whose rows are all in one group *)
Definition key (keys : list term) (r : row) : list value := map (fun k => ev k r) keys.
Lemma units_here keys g l : part_of Units keys g l = here (filter (in_group keys g) l).
Proof. easy. Qed.
Lemma one_key keys g l : (forall r r', In r l -> In r' l -> key keys r = key keys r') -> part_of Units keys g l = match l with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end.
Proof.
  intro H. rewrite units_here. destruct l as [|r l]; [easy|]. unfold there_or_not. destruct (key_eq (key keys r) g) as [E|D].
  - cbn. unfold in_group. fold (key keys r). destruct (key_eq (key keys r) g); easy.
  - destruct (filter (in_group keys g) (r :: l)) as [|q qs] eqn:F; [easy|]. assert (I : In q (filter (in_group keys g) (r :: l))) by (rewrite F; now left).
    apply filter_In in I. destruct I as [I G]. unfold in_group in G. fold (key keys q) in G. destruct (key_eq (key keys q) g) as [E|]; [|easy]. exfalso. apply D. rewrite <- E. apply H; [now left|easy].
Qed.
Lemma keys_agree s w i keys r r' : fine i r -> fine i r' -> agree s w (cols i) r r' -> (forall k, In k keys -> Language.moves s w (possible (cols i) k) = false) -> key keys r = key keys r'.
Proof. intros F F' A H. apply map_ext_in. intros k I. apply (ev_agree fn s w (cols i)); auto. Qed.
Lemma existsb_false {A} (f : A -> bool) l : existsb f l = false -> forall a, In a l -> f a = false.
Proof. intros E a I. destruct (f a) eqn:F; [|easy]. assert (existsb f l = true) by (apply existsb_exists; now exists a). congruence. Qed.
Lemma slots_wide (g : slot -> option row) (l : list slot) : (length (flat_map (fun s => list_of (g s)) l) <= length l)%nat.
Proof. induction l as [|s l IH]; cbn; [lia|]. rewrite app_length. destruct (g s); cbn; lia. Qed.
Lemma changed_few i b a n : changed i b a -> most i = Some n -> 0 <= n /\ Z.of_nat (length b) <= n /\ Z.of_nat (length a) <= n.
Proof.
  intros C M. destruct (in_slots i b a C) as (l & L & _ & -> & ->). rewrite M in L. cbn in L. assert (h : (length (before l) <= length l)%nat) by apply (slots_wide (@fst _ _) l). assert (h' : (length (after l) <= length l)%nat) by apply (slots_wide (@snd _ _) l). lia.
Qed.

Lemma level_moves i x keys u v a b groups : NoDup groups -> changed i u v -> level i x keys = Some (a, b) ->
  total groups (fun g => Z.abs (part_of x keys g u - part_of x keys g v)) <= a /\
  total groups (fun g => (part_of x keys g u - part_of x keys g v) * (part_of x keys g u - part_of x keys g v)) <= b.
Proof.
  intros N C E. unfold level in E. destruct (most i) as [n|] eqn:M; [|discriminate]. destruct (changed_few i u v n C M) as (n0 & nu & nv). assert (Kn := changed_known i u v C).
  destruct (changed_fine i u v C) as [Fu Fv]. destruct (in_slots i u v C) as (l & L & F & B & A). rewrite M in L. cbn [few] in L.
  assert (T1 : forall t c d, step i keys t = Some (c, d) -> total l (fun s => total groups (fun g => Z.abs (adds keys t (fst s) g - adds keys t (snd s) g))) <= Z.of_nat (length l) * c).
  { intros t c d Q. clear L E B A. induction F as [|s0 l0 f F IH]; [cbn; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. destruct (slot_moves i keys t s0 c d groups N f Q) as (_ & _ & X & _). lia. }
  assert (T2 : forall t c d, step i keys t = Some (c, d) -> total l (fun s => total groups (fun g => (adds keys t (fst s) g - adds keys t (snd s) g) * (adds keys t (fst s) g - adds keys t (snd s) g))) <= Z.of_nat (length l) * d).
  { intros t c d Q. clear L E B A T1. induction F as [|s0 l0 f F IH]; [cbn; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. destruct (slot_moves i keys t s0 c d groups N f Q) as (_ & _ & _ & X). lia. }
  assert (nonneg : forall t c d, step i keys t = Some (c, d) -> 0 <= c /\ 0 <= d).
  { intros t c d Q. destruct (slot_moves i keys t (None, None) c d groups N I Q) as (c0 & d0 & _). easy. }
  destruct x as [t|].
  - destruct (step i keys t) as [[c d]|] eqn:Q; [|discriminate]. injection E as <- <-. destruct (nonneg t c d Q) as [c0 d0]. specialize (T1 t c d Q). specialize (T2 t c d Q). unfold part_of.
    assert (P : forall g, total (filter (in_group keys g) u) (amount t) - total (filter (in_group keys g) v) (amount t) = total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g))
      by (intro g; now rewrite B, A, sum_before, sum_after, <- total_sub).
    split.
    + rewrite (total_ext _ groups _ (fun g => Z.abs (total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g)))) by (intros; now rewrite P).
      eapply Z.le_trans; [apply total_le; intros g _; apply total_abs|]. rewrite total_swap. nia.
    + rewrite (total_ext _ groups _ (fun g => total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g) * total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g))) by (intros; now rewrite P).
      eapply Z.le_trans; [apply total_le; intros g _; apply total_square|]. rewrite total_scale, total_swap. set (m := Z.of_nat (length l)) in *.
      assert (0 <= m) by (unfold m; lia). apply Z.le_trans with (m * (m * d)); [now apply Z.mul_le_mono_nonneg_l|]. assert (m * m <= n * n) by nia. nia.
  - destruct (existsb (fun k => byrow (possible (cols i) k)) keys) eqn:R.
    + destruct (step i keys (Lit (Some 1))) as [[c d]|] eqn:Q; [|discriminate]. injection E as <- <-. destruct (nonneg _ c d Q) as [c0 d0]. specialize (T1 _ c d Q).
      assert (X : total groups (fun g => Z.abs (here (filter (in_group keys g) u) - here (filter (in_group keys g) v))) <= n * c).
      { rewrite B, A. eapply Z.le_trans; [apply total_le; intros g _; apply units_move|]. rewrite total_swap. nia. }
      rewrite (total_ext _ groups (fun g => Z.abs (part_of Units keys g u - part_of Units keys g v)) (fun g => Z.abs (here (filter (in_group keys g) u) - here (filter (in_group keys g) v)))) by easy.
      split; [exact X|]. eapply Z.le_trans; [|exact X]. apply total_le. intros g _. rewrite !units_here.
      assert (H : forall l, 0 <= here l <= 1) by (intros [|]; cbn; lia). assert (h1 := H (filter (in_group keys g) u)). assert (h2 := H (filter (in_group keys g) v)). nia.
    + assert (Rk := existsb_false _ _ R).
      assert (Ku : forall r r', In r u -> In r' u -> key keys r = key keys r') by (intros r r' I I'; apply (keys_agree false true i keys r r' (Fu r I) (Fu r' I') (alike_before i u v C r r' I I')); intros k J; unfold Language.moves; cbn; now rewrite Rk).
      assert (Kv : forall r r', In r v -> In r' v -> key keys r = key keys r') by (intros r r' I I'; apply (keys_agree false true i keys r r' (Fv r I) (Fv r' I') (alike_after i u v C r r' I I')); intros k J; unfold Language.moves; cbn; now rewrite Rk).
      set (moved := existsb (fun k => sec (possible (cols i) k)) keys) in *.
      assert (Kx : moved = false -> forall r r', In r u -> In r' v -> key keys r = key keys r').
      { intros S r r' I I'. assert (Sk := existsb_false _ _ S). apply (keys_agree true true i keys r r' (Fu r I) (Fv r' I') (alike_both i u v C r r' I I')). intros k J. unfold Language.moves. now rewrite Sk, Rk. }
      rewrite (total_ext _ groups (fun g => Z.abs (part_of Units keys g u - part_of Units keys g v)) (fun g => Z.abs (match u with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end - match v with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end))) by (intros; now rewrite (one_key keys _ u Ku), (one_key keys _ v Kv)).
      rewrite (total_ext _ groups (fun g => (part_of Units keys g u - part_of Units keys g v) * _) (fun g => (match u with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end - match v with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end) * (match u with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end - match v with [] => 0 | r :: _ => there_or_not (key keys r) 1 g end))) by (intros; now rewrite (one_key keys _ u Ku), (one_key keys _ v Kv)).
      assert (Z0 : total groups (fun _ => Z.abs (0 - 0)) = 0 /\ total groups (fun _ => (0 - 0) * (0 - 0)) = 0) by (cbn; rewrite !total_zero; lia). destruct Z0 as [Z1 Z2].
      destruct u as [|r u'], v as [|q v'].
      * rewrite Z1, Z2. destruct (known i && negb moved); injection E as <- <-; destruct moved; lia.
      * assert (W := two_rows groups (key keys q) (key keys q) 0 1 N). destruct W as [W1 W2]. destruct (key_eq (key keys q) (key keys q)) as [_|n1]; [|easy].
        assert (e : forall g, there_or_not (key keys q) 0 g = 0) by (intro; unfold there_or_not; now destruct (key_eq _ _)).
        rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not (key keys q) 0 g - there_or_not (key keys q) 1 g))) by (intros; now rewrite e).
        rewrite (total_ext _ groups (fun g => (0 - there_or_not (key keys q) 1 g) * _) (fun g => (there_or_not (key keys q) 0 g - there_or_not (key keys q) 1 g) * (there_or_not (key keys q) 0 g - there_or_not (key keys q) 1 g))) by (intros; now rewrite e).
        cbn [length] in *. destruct (known i) eqn:K; [destruct (Kn eq_refl) as [h _]; now specialize (h eq_refl)|]. cbn in E. injection E as <- <-. rewrite Z.min_r by lia. destruct moved; lia.
      * assert (W := two_rows groups (key keys r) (key keys r) 1 0 N). destruct W as [W1 W2]. destruct (key_eq (key keys r) (key keys r)) as [_|n1]; [|easy].
        assert (e : forall g, there_or_not (key keys r) 0 g = 0) by (intro; unfold there_or_not; now destruct (key_eq _ _)).
        rewrite (total_ext _ groups _ (fun g => Z.abs (there_or_not (key keys r) 1 g - there_or_not (key keys r) 0 g))) by (intros; now rewrite e).
        rewrite (total_ext _ groups (fun g => (there_or_not (key keys r) 1 g - 0) * _) (fun g => (there_or_not (key keys r) 1 g - there_or_not (key keys r) 0 g) * (there_or_not (key keys r) 1 g - there_or_not (key keys r) 0 g))) by (intros; now rewrite e).
        cbn [length] in *. destruct (known i) eqn:K; [destruct (Kn eq_refl) as [_ h]; now specialize (h eq_refl)|]. cbn in E. injection E as <- <-. rewrite Z.min_r by lia. destruct moved; lia.
      * assert (W := two_rows groups (key keys r) (key keys q) 1 1 N). cbn [length] in nu. assert (n1 : Z.min n 1 = 1) by lia. rewrite n1 in E. destruct W as [W1 W2]. destruct (key_eq (key keys r) (key keys q)) as [e|e].
        -- cbn in W1, W2. destruct (known i && negb moved); injection E as <- <-; destruct moved; lia.
        -- assert (Mv : moved = true) by (destruct moved; [easy|]; exfalso; apply e; apply Kx; [easy|now left|now left]). rewrite Mv, andb_false_r in E. injection E as <- <-. cbn in W1, W2. lia.
Qed.

(** ** A unit that comes or goes *)
Lemma total_nonneg A (l : list A) f : 0 <= total l (fun a => Z.abs (f a)).
Proof. induction l as [|a l IH]; cbn [total]; [lia|]. assert (h := Z.abs_nonneg (f a)). lia. Qed.
Lemma total_squares A (l : list A) f : total l (fun a => f a * f a) <= total l (fun a => Z.abs (f a)) * total l (fun a => Z.abs (f a)).
Proof. induction l as [|a l IH]; [easy|]. cbn [total]. assert (0 <= total l (fun a => Z.abs (f a))) by (clear; induction l; cbn [total]; lia). nia. Qed.
Lemma alone i x keys l n a b groups : NoDup groups -> (forall r, In r l -> fine i r) -> (forall r r', In r l -> In r' l -> agree false true (cols i) r r') -> Z.of_nat (length l) <= n -> most i = Some n ->
  total groups (fun g => Z.abs (part_of x keys g l)) <= a -> total groups (fun g => part_of x keys g l * part_of x keys g l) <= b -> level i x keys = Some (a, b) ->
  forall c d, arriving i x keys = Some (c, d) -> total groups (fun g => Z.abs (part_of x keys g l)) <= c /\ total groups (fun g => part_of x keys g l * part_of x keys g l) <= d.
Proof.
  intros N F Al L M Ha Hb E c d Q. unfold arriving in Q. rewrite E, M in Q.
  assert (rowsum : forall t m, 0 <= m -> (forall r, In r l -> Z.abs (amount t r) <= m) -> total l (fun r => total groups (fun g => Z.abs (adds keys t (Some r) g))) <= Z.of_nat (length l) * m).
  { intros t m m0 H. clear - N H m0. induction l as [|r l IH]; [cbn; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. specialize (IH ltac:(intros; apply H; now right)). assert (h := H r (or_introl eq_refl)).
    assert (O := one_group groups (key keys r) (Z.abs (amount t r)) N ltac:(lia)).
    rewrite (total_ext _ groups (fun g => Z.abs (adds keys t (Some r) g)) (fun g => if key_eq (key keys r) g then Z.abs (amount t r) else 0)); [lia|]. intros g _. unfold adds, there_or_not. fold (key keys r). destruct (key_eq _ g); lia. }
  destruct x as [t|].
  - destruct (lo (possible (cols i) t)) as [lw|] eqn:El; [destruct (hi (possible (cols i) t)) as [h|] eqn:Eh|]; try (injection Q as <- <-; easy). cbv zeta in Q. set (m := Z.max (Z.abs lw) (Z.abs h)) in *. injection Q as <- <-.
    assert (S : total groups (fun g => Z.abs (part_of (Sum t) keys g l)) <= n * m).
    { assert (G := rowsum t m ltac:(unfold m; lia)). rewrite <- total_swap in G. assert (H : forall r, In r l -> Z.abs (amount t r) <= m).
      { intros r I. assert (O := ev_ok fn (cols i) r t (F r I)). unfold amount, ok in *. rewrite El, Eh in O. destruct (ev t r); unfold m; lia. }
      specialize (G H). assert (0 <= m) by (unfold m; lia). apply Z.le_trans with (Z.of_nat (length l) * m); [|nia]. eapply Z.le_trans; [|exact G]. apply total_le. intros g _. unfold part_of. rewrite sum_group. apply total_abs. }
    split; [lia|]. apply Z.min_glb; [easy|]. eapply Z.le_trans; [apply total_squares|]. assert (P := total_nonneg _ groups (fun g => part_of (Sum t) keys g l)). cbv beta in *. set (X := total groups _) in *. nia.
  - cbv zeta in Q. set (k := if existsb (fun k => byrow (possible (cols i) k)) keys then n else Z.min n 1) in *. injection Q as <- <-.
    assert (S : total groups (fun g => Z.abs (part_of Units keys g l)) <= k).
    { unfold k. destruct (existsb (fun k => byrow (possible (cols i) k)) keys) eqn:R.
      - assert (G := rowsum (Lit (Some 1)) 1 ltac:(lia) ltac:(intros; cbn; lia)). rewrite <- total_swap in G. apply Z.le_trans with (Z.of_nat (length l) * 1); [|lia]. eapply Z.le_trans; [|exact G]. apply total_le. intros g _.
        assert (U := units_move keys g (map (fun r => (Some r, None)) l)). assert (B : before (map (fun r => (Some r, None)) l) = l) by (clear; induction l; cbn; [easy|unfold before in *; now f_equal]).
        assert (A : after (map (fun r : row => (Some r, @None row)) l) = []) by (clear; induction l; cbn; [easy|unfold after in *; easy]). rewrite B, A in U. cbn [filter here] in U. rewrite Z.sub_0_r in U. rewrite units_here. eapply Z.le_trans; [exact U|].
        clear. induction l as [|r l IH]; [easy|]. cbn [map total fst snd]. change (adds keys (Lit (Some 1)) None g) with 0. rewrite Z.sub_0_r. lia.
      - assert (Rk := existsb_false _ _ R).
        assert (K : forall r r', In r l -> In r' l -> key keys r = key keys r') by (intros r r' I I'; apply (keys_agree false true i keys r r' (F r I) (F r' I') (Al r r' I I')); intros j J; unfold Language.moves; cbn; now rewrite Rk).
        rewrite (total_ext _ groups _ (fun g => match l with [] => 0 | r :: _ => if key_eq (key keys r) g then 1 else 0 end)) by (intros; rewrite (one_key keys _ l K); destruct l; [easy|]; unfold there_or_not; destruct (key_eq _ _); easy).
        destruct l as [|r l']; [rewrite total_zero; cbn in L; lia|]. cbn [length] in L. assert (O := one_group groups (key keys r) 1 N ltac:(lia)). lia. }
    split; [lia|]. apply Z.min_glb; [easy|]. eapply Z.le_trans; [|exact S]. apply total_le. intros g _. rewrite units_here. assert (H : forall l, 0 <= here l <= 1) by (intros [|]; cbn; lia). specialize (H (filter (in_group keys g) l)). nia.
Qed.
Lemma arriving_moves i x keys u v a b groups : NoDup groups -> changed i u v -> u = [] \/ v = [] -> arriving i x keys = Some (a, b) ->
  total groups (fun g => Z.abs (part_of x keys g u - part_of x keys g v)) <= a /\
  total groups (fun g => (part_of x keys g u - part_of x keys g v) * (part_of x keys g u - part_of x keys g v)) <= b.
Proof.
  intros N C O Q. assert (Q' := Q). unfold arriving in Q'. destruct (level i x keys) as [[c d]|] eqn:E; [|discriminate]. clear Q'. destruct (level_moves i x keys u v c d groups N C E) as [X Y].
  destruct (most i) as [n|] eqn:M; [|unfold level in E; rewrite M in E; discriminate]. destruct (changed_few i u v n C M) as (n0 & nu & nv). destruct (changed_fine i u v C) as [Fu Fv].
  assert (P0 : forall g, part_of x keys g [] = 0) by (intro; now destruct x). destruct O as [-> | ->].
  - rewrite (total_ext _ groups _ (fun g => Z.abs (part_of x keys g v))) in * by (intros; rewrite P0; lia).
    rewrite (total_ext _ groups (fun g => (part_of x keys g [] - _) * _) (fun g => part_of x keys g v * part_of x keys g v)) in * by (intros; rewrite P0; ring).
    apply (alone i x keys v n c d groups N Fv (alike_after i [] v C) nv M X Y E a b Q).
  - rewrite (total_ext _ groups _ (fun g => Z.abs (part_of x keys g u))) in * by (intros; rewrite P0; f_equal; lia).
    rewrite (total_ext _ groups (fun g => (_ - part_of x keys g []) * _) (fun g => part_of x keys g u * part_of x keys g u)) in * by (intros; rewrite P0; ring).
    apply (alone i x keys u n c d groups N Fu (alike_before i u [] C) nu M X Y E a b Q).
Qed.

(** ** All levels, over all units *)
Variable table : nat -> info.
Lemma levels_move i s x levels l1 l2 units u d d' (groups : list term -> list (list value)) (f : info -> total_of -> list term -> option (Z * Z)) (all : info -> total_of -> list (list term) -> option (Z * Z)) :
  (forall i x, all i x [] = Some (0, 0)) -> (forall i x keys ls, all i x (keys :: ls) = match f i x keys, all i x ls with Some (a, b), Some (c, d) => Some (a + c, b + d) | _, _ => None end) ->
  NoDup units -> (forall j, j <> u -> d j = d' j) ->
  (forall keys a b, f i x keys = Some (a, b) -> total (groups keys) (fun g => Z.abs (part_of x keys g (rows s (d u)) - part_of x keys g (rows s (d' u)))) <= a /\
    total (groups keys) (fun g => (part_of x keys g (rows s (d u)) - part_of x keys g (rows s (d' u))) * (part_of x keys g (rows s (d u)) - part_of x keys g (rows s (d' u)))) <= b) ->
  all i x levels = Some (l1, l2) ->
  let move keys g := answer s x keys units d g - answer s x keys units d' g in
  total levels (fun keys => total (groups keys) (fun g => Z.abs (move keys g))) <= l1 /\ total levels (fun keys => total (groups keys) (fun g => move keys g * move keys g)) <= l2.
Proof.
  intros A0 A1 NU E H C move.
  assert (one_moves : forall keys g, move keys g = 0 \/ move keys g = part_of x keys g (rows s (d u)) - part_of x keys g (rows s (d' u))).
  { intros keys g. unfold move, answer, part. clear - NU E. induction units as [|j us IH]; cbn [total]; [left; lia|]. inversion NU; subst. destruct (Nat.eq_dec j u) as [->|D].
    - right. assert (T : total us (fun j => part_of x keys g (rows s (d j))) = total us (fun j => part_of x keys g (rows s (d' j)))); [|lia].
      apply total_ext. intros k I. rewrite E; [easy|]. intro; subst; tauto.
    - rewrite (E j D). destruct (IH H2); lia. }
  assert (lev : forall keys a b, f i x keys = Some (a, b) -> total (groups keys) (fun g => Z.abs (move keys g)) <= a /\ total (groups keys) (fun g => move keys g * move keys g) <= b).
  { intros keys a b Q. destruct (H keys a b Q) as [X Y]. split.
    - eapply Z.le_trans; [|exact X]. apply total_le. intros g _. destruct (one_moves keys g) as [->| ->]; lia.
    - eapply Z.le_trans; [|exact Y]. apply total_le. intros g _. destruct (one_moves keys g) as [->| ->]; [apply Z.square_nonneg|apply Z.le_refl]. }
  revert l1 l2 C. induction levels as [|keys ls IH]; intros a b Q; [rewrite A0 in Q; cbn [total]; injection Q as <- <-; lia|]. rewrite A1 in Q. cbn [total].
  destruct (f i x keys) as [[a1 b1]|] eqn:Q1; [|discriminate]. destruct (all i x ls) as [[a2 b2]|] eqn:Q2; [|discriminate]. injection Q as <- <-.
  destruct (lev keys a1 b1 Q1). destruct (IH a2 b2 eq_refl). lia.
Qed.
Notation analysed_changed := (analysed_changed fn pick pick_in pick_few pick_all pick_some one one_in extreme extreme_same number folded).

(** PLAN-2, ROWS-1, ROW-1, UNIT-1, JOIN-1, LEVEL-1: if the checker accepts a claim, replacing the rows of unit [u] by any that the tables allow moves all groups of
    all levels together by at most the claim, in L1 and in the square of L2. *)
Theorem checked s x levels l1 l2_squared units u d d' (groups : list term -> list (list value)) : check table s x levels l1 l2_squared = true ->
  NoDup units -> (forall keys, NoDup (groups keys)) -> (forall j, j <> u -> d j = d' j) -> (forall t, changed (table t) (d u t) (d' u t)) ->
  let move keys g := answer s x keys units d g - answer s x keys units d' g in
  total levels (fun keys => total (groups keys) (fun g => Z.abs (move keys g))) <= l1 /\
  total levels (fun keys => total (groups keys) (fun g => move keys g * move keys g)) <= l2_squared.
Proof.
  intros C NU NG E H move. unfold check in C. destruct (bound (analysed table s) x levels) as [[a b]|] eqn:Q; [|discriminate]. apply andb_prop in C. destruct C as [C1 C2]. apply Z.leb_le in C1, C2.
  assert (S := analysed_changed table (d u) (d' u) H s).
  destruct (levels_move (analysed table s) s x levels a b units u d d' groups level bound ltac:(easy) ltac:(easy) NU E) with (2 := Q) as [X Y]; [|split; [exact (Z.le_trans _ _ _ X C1)|exact (Z.le_trans _ _ _ Y C2)]].
  intros keys a0 b0 L. now apply level_moves with (i := analysed table s).
Qed.
(** ADDREM-1: if the rows that the source makes of unit [u] are none on one side. *)
Theorem arrives s x levels a b units u d d' (groups : list term -> list (list value)) : arrival (analysed table s) x levels = Some (a, b) ->
  NoDup units -> (forall keys, NoDup (groups keys)) -> (forall j, j <> u -> d j = d' j) -> (forall t, changed (table t) (d u t) (d' u t)) -> rows s (d u) = [] \/ rows s (d' u) = [] ->
  let move keys g := answer s x keys units d g - answer s x keys units d' g in
  total levels (fun keys => total (groups keys) (fun g => Z.abs (move keys g))) <= a /\
  total levels (fun keys => total (groups keys) (fun g => move keys g * move keys g)) <= b.
Proof.
  intros Q NU NG E H O. assert (S := analysed_changed table (d u) (d' u) H s).
  apply (levels_move (analysed table s) s x levels a b units u d d' groups arriving arrival ltac:(easy) ltac:(easy) NU E); [|exact Q]. intros keys a0 b0 L. now apply arriving_moves with (i := analysed table s).
Qed.

(** ** Several units, one after another (NEST-4: the persons of a household) *)
Inductive one_after_another : list nat -> (nat -> nat -> list row) -> (nat -> nat -> list row) -> Prop :=
| nobody d : one_after_another [] d d
| then_one u us d d1 d' : (forall j, j <> u -> d j = d1 j) -> (forall t, changed (table t) (d u t) (d1 u t)) -> one_after_another us d1 d' -> one_after_another (u :: us) d d'.
Definition over (levels : list (list term)) (groups : list term -> list (list value)) (z : list term -> list value -> Z) : Z := total levels (fun keys => total (groups keys) (fun g => z keys g)).
Lemma over_le levels groups y z : (forall keys g, y keys g <= z keys g) -> over levels groups y <= over levels groups z.
Proof. intro H. apply total_le. intros keys _. apply total_le. intros g _. apply H. Qed.
Lemma over_add levels groups y z : over levels groups (fun keys g => y keys g + z keys g) = over levels groups y + over levels groups z.
Proof. unfold over. rewrite <- total_add. apply total_ext. intros keys _. apply total_add. Qed.
Lemma over_scale levels groups c z : over levels groups (fun keys g => c * z keys g) = c * over levels groups z.
Proof. unfold over. rewrite <- total_scale. apply total_ext. intros keys _. apply total_scale. Qed.
Lemma over_zero levels groups z : (forall keys g, z keys g = 0) -> over levels groups z = 0.
Proof. intro H. unfold over. rewrite (total_ext _ levels _ (fun _ => 0)); [apply total_zero|]. intros keys _. rewrite (total_ext _ _ _ (fun _ => 0)); [apply total_zero|]. intros; apply H. Qed.
Theorem household_checked s x levels l1 l2_squared units us d d' (groups : list term -> list (list value)) : check table s x levels l1 l2_squared = true -> 0 <= l1 -> 0 <= l2_squared ->
  NoDup units -> (forall keys, NoDup (groups keys)) -> one_after_another us d d' -> let size := Z.of_nat (length us) in
  let move keys g := answer s x keys units d g - answer s x keys units d' g in
  over levels groups (fun keys g => Z.abs (move keys g)) <= size * l1 /\ over levels groups (fun keys g => move keys g * move keys g) <= size * size * l2_squared.
Proof.
  intros C a0 b0 NU NG P. induction P as [d|u us d d1 d' E H P IH]; cbv zeta in *; [rewrite !over_zero by (intros; rewrite Z.sub_diag; easy); cbn; lia|].
  cbn [length]. rewrite Nat2Z.inj_succ. destruct (checked s x levels l1 l2_squared units u d d1 groups C NU NG E H) as [X0 Y0]. destruct IH as [X1 Y1]. set (m := Z.of_nat (length us)) in *. assert (m0 : 0 <= m) by (unfold m; lia).
  set (p := fun keys g => answer s x keys units d g - answer s x keys units d1 g) in *. set (q := fun keys g => answer s x keys units d1 g - answer s x keys units d' g) in *.
  assert (X : over levels groups (fun keys g => Z.abs (p keys g)) <= l1) by exact X0. assert (Y : over levels groups (fun keys g => p keys g * p keys g) <= l2_squared) by exact Y0.
  assert (X' : over levels groups (fun keys g => Z.abs (q keys g)) <= m * l1) by exact X1. assert (Y' : over levels groups (fun keys g => q keys g * q keys g) <= m * m * l2_squared) by exact Y1. clear X0 Y0 X1 Y1.
  assert (PQ : forall keys g, answer s x keys units d g - answer s x keys units d' g = p keys g + q keys g) by (intros; unfold p, q; lia). split.
  - eapply Z.le_trans; [apply (over_le levels groups _ (fun keys g => Z.abs (p keys g) + Z.abs (q keys g)))|rewrite over_add; lia].
    intros keys g. rewrite PQ. lia.
  - destruct (Z.eq_dec m 0) as [M|M].
    + assert (Q0 : forall keys g, q keys g = 0). { assert (us = []) by (destruct us; [easy|unfold m in M; cbn in M; lia]). subst us. inversion P; subst. intros. unfold q. lia. }
      eapply Z.le_trans; [apply (over_le levels groups _ (fun keys g => p keys g * p keys g))|rewrite M; lia]. intros keys g. rewrite PQ, Q0. lia.
    + assert (K : m * over levels groups (fun keys g => (answer s x keys units d g - answer s x keys units d' g) * (answer s x keys units d g - answer s x keys units d' g)) <=
        m * (m + 1) * over levels groups (fun keys g => p keys g * p keys g) + (m + 1) * over levels groups (fun keys g => q keys g * q keys g)).
      { rewrite <- !over_scale, <- over_add. apply over_le. intros keys g. rewrite PQ. assert (h := Z.square_nonneg (m * p keys g - q keys g)). nia. }
      set (R := over levels groups _) in *. apply (Z.mul_le_mono_nonneg_l _ _ (m * (m + 1))) in Y; [|nia]. apply (Z.mul_le_mono_nonneg_l _ _ (m + 1)) in Y'; [|lia].
      apply (Zmult_le_reg_r _ _ m); [lia|]. unfold Z.succ. set (A := over levels groups (fun keys g => p keys g * p keys g)) in *. set (B := over levels groups (fun keys g => q keys g * q keys g)) in *. lia.
Qed.
End Meaning.

(** ** As a program *)
Section Examples.
(* one table of at most 3 rows of a unit, all there in any case; column 0 is public, the others are secret *)
Let table (_ : nat) := Info (fun k => match k with O => Range None None false false true | _ => Range None None true true true end) (Some 3) true true.
Let salary := Cut 0 100 (Col 1).
Example sum_by_public_group : bound (analysed table (Table 0)) (Sum salary) [[Col 0]] = Some (300, 90000). Proof. reflexivity. Qed.
Example sum_by_secret_group : bound (analysed table (Table 0)) (Sum salary) [[Col 1]] = Some (600, 180000). Proof. reflexivity. Qed.
Example rollup : bound (analysed table (Table 0)) (Sum salary) [[Col 0]; []] = Some (600, 180000). Proof. reflexivity. Qed.
Example public_count : bound (analysed table (Where (Call 0 (Col 0) (Lit (Some 5))) (Table 0))) (Sum (Lit (Some 1))) [[Col 0]] = Some (0, 0). Proof. reflexivity. Qed.
Example one_row_of_three : bound (analysed table (Limit 0 1 (Table 0))) (Sum salary) [[Col 0]] = Some (200, 20000). Proof. reflexivity. Qed.
Example row_per_unit : bound (analysed table (PerUnit [Number 0 [Col 1]] (Table 0))) (Sum (Col 0)) [[]] = Some (0, 0) \/ bound (analysed table (PerUnit [Number 0 [Col 1]] (Table 0))) (Sum (Col 0)) [[]] = Some (3, 9). Proof. right. reflexivity. Qed.
Example no_outermost_clamp : check table (Table 0) (Sum (Plus salary (Col 1))) [[]] 1000000 1000000000000 = false. Proof. reflexivity. Qed.
Example too_small_a_claim : check table (Table 0) (Sum salary) [[Col 0]] 299 90000 = false. Proof. reflexivity. Qed.
End Examples.
Print Assumptions checked.
Print Assumptions arrives.
Print Assumptions household_checked.
