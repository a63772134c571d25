(** * What a statement does to the rows of one unit (the rules of claims ROWS-1, UNIT-1, JOIN-1, TABLES-1 for a source that is syntax)

    The idea: if one unit's rows are replaced, the rows of every source in both snapshots are those of at most [most] *slots*. A slot holds a row or none before,
    and a row or none after; what is not secret is the same in both. What does not differ by row is the same in all rows before, and in all after. *)
Require Import List ZArith Lia Bool Arith.
From Kith Require Import Language.
Import ListNotations.
Open Scope Z_scope.

(** ** Sources *)
Inductive fold :=
| The (f : nat) (t : term)                              (* min(t), max(t): where t is the same in all rows, it is that *)
| Number (f : nat) (ts : list term)                     (* a count: from 0 to the number of rows *)
| Fold (truth : bool) (f : nat) (ts : list term).       (* any function of what the terms are in the rows; 0 or 1, or NULL, if it is a truth *)
Inductive source :=
| Table (t : nat)                                       (* the rows of a unit *)
| Limit (f : nat) (n : positive) (s : source)           (* at most n of them, all if there are no more, chosen by the unit's own rows in some way f *)
| Constant (f : nat) (ks : list nat) (s : source)       (* columns ks are what they are in one of the rows *)
| Where (c : term) (s : source)
| Select (ts : list term) (s : source)                  (* new columns; all others are NULL. A public table beside each row is functions of the key (Call) *)
| PerUnit (fs : list fold) (s : source)                 (* one row for each unit that has any *)
| Beside (outer : bool) (s t : source).                  (* each row beside all rows of t of the same unit: even columns are of s, odd of t *)

(** ** What the checker knows of rows *)
Record info := Info { cols : nat -> range; most : option Z; there : bool; present : bool }.
(** [most]: slots, None: any number. [there]: no slot has a row on one side only. [present]: there are rows on both sides or on neither. *)
Definition known (i : info) : bool := there i || present i.
Definition open (i : info) (ts : list term) : bool := there i && forallb (fun t => negb (sec (possible (cols i) t))) ts.
Definition of_fold (i : info) (f : fold) : range :=
  match f with
  | The _ t => let p := possible (cols i) t in if negb (sec p) && negb (byrow p) then p else Range None None true (negb (open i [t])) false
  | Number _ ts => Range (Some 0) (most i) false (negb (open i ts)) false
  | Fold truth _ ts => Range (if truth then Some 0 else None) (if truth then Some 1 else None) true (negb (open i ts)) false
  end.
Definition nothing : range := Range (Some 1) (Some 0) true false false.
Fixpoint analysed (table : nat -> info) (s : source) : info :=
  match s with
  | Table t => table t
  | Limit _ n s => let i := analysed table s in
      let all := match most i with Some m => m <=? Z.pos n | None => false end in
      Info (fun k => let p := cols i k in if all then p else Range (lo p) (hi p) (nul p) (sec p || byrow p) (byrow p))
        (Some (match most i with Some m => Z.min m (Z.pos n) | None => Z.pos n end)) ((there i && all) || ((n =? 1)%positive && known i)) (known i)
  | Constant _ ks s => let i := analysed table s in
      Info (fun k => let p := cols i k in if existsb (Nat.eqb k) ks && byrow p then Range (lo p) (hi p) (nul p) true false else p) (most i) (there i) (present i)
  | Where c s => let i := analysed table s in let p := possible (cols i) c in
      if must p then i
      else if never p then Info (cols i) (Some 0) true true
      else Info (cols i) (most i) (there i && negb (sec p)) (known i && negb (sec p) && negb (byrow p))
  | Select ts s => let i := analysed table s in Info (fun k => possible (cols i) (nth k ts (Lit None))) (most i) (there i) (present i)
  | PerUnit fs s => let i := analysed table s in
      Info (fun k => match nth_error fs k with Some f => of_fold i f | None => nothing end) (Some (match most i with Some m => Z.min m 1 | None => 1 end)) (known i) (known i)
  | Beside outer s t => let i := analysed table s in let j := analysed table t in
      Info (fun m => if Nat.even m then cols i (Nat.div2 m) else let p := cols j (Nat.div2 m) in Range (lo p) (hi p) true true true)
        (match most i, most j with Some m, Some n => Some (m * Z.max n 1) | _, _ => None end)
        (outer && there i && match most j with Some n => n <=? 1 | None => false end) (outer && known i)
  end.

(** ** What sources mean *)
Section Meaning.
Variable fn : nat -> value -> value -> value.                                   (* functions *)
Variable pick : nat -> positive -> list row -> list row.                        (* limits *)
Hypothesis pick_in : forall f n l, incl (pick f n l) l.
Hypothesis pick_few : forall f n l, Z.of_nat (length (pick f n l)) <= Z.pos n.
Hypothesis pick_all : forall f n l, Z.of_nat (length l) <= Z.pos n -> pick f n l = l.
Hypothesis pick_some : forall f n l, pick f n l = [] -> l = [].
Variable one : nat -> list row -> nat -> value.                                 (* columns of one of the rows *)
Hypothesis one_in : forall f l k, l <> [] -> exists r, In r l /\ one f l k = r k.
Variable extreme : nat -> list value -> value.                                  (* min and max *)
Hypothesis extreme_same : forall f v l, l <> [] -> (forall x, In x l -> x = v) -> extreme f l = v.
Variable number : nat -> list (list value) -> Z.
Variable folded : nat -> list (list value) -> value.
Notation ev := (ev fn).

Definition value_of (l : list row) (f : fold) : value :=
  let read ts := map (fun r => map (fun t => ev t r) ts) l in
  match f with
  | The e t => extreme e (map (ev t) l)
  | Number f ts => Some (Z.max 0 (Z.min (Z.of_nat (length l)) (number f (read ts))))
  | Fold truth f ts => match folded f (read ts) with Some z => Some (if truth then if z =? 0 then 0 else 1 else z) | None => None end
  end.
Definition unit_row (fs : list fold) (l : list row) : row := fun k => match nth_error fs k with Some f => value_of l f | None => None end.
Definition beside (r q : row) : row := fun m => if Nat.even m then r (Nat.div2 m) else q (Nat.div2 m).
Definition joined (outer : bool) (r : row) (l : list row) : list row :=
  match l with [] => if outer then [beside r (fun _ => None)] else [] | _ => map (beside r) l end.
Definition per_unit (fs : list fold) (l : list row) : list row := match l with [] => [] | _ => [unit_row fs l] end.
Definition fixed_row (f : nat) (ks : list nat) (l : list row) (r : row) : row := fun k => if existsb (Nat.eqb k) ks then one f l k else r k.
Fixpoint rows (s : source) (u : nat -> list row) : list row :=
  match s with
  | Table t => u t
  | Limit f n s => pick f n (rows s u)
  | Constant f ks s => map (fixed_row f ks (rows s u)) (rows s u)
  | Where c s => filter (fun r => is_true (ev c r)) (rows s u)
  | Select ts s => map (fun r k => ev (nth k ts (Lit None)) r) (rows s u)
  | PerUnit fs s => per_unit fs (rows s u)
  | Beside outer s t => flat_map (fun r => joined outer r (rows t u)) (rows s u)
  end.

(** ** Slots *)
Notation fine i := (fine (cols i)).
Notation same i := (agree true false (cols i)).
Definition slot := (option row * option row)%type.
Definition fits (i : info) (s : slot) : Prop :=
  match s with
  | (Some r, Some r') => fine i r /\ fine i r' /\ same i r r'
  | (Some r, None) | (None, Some r) => there i = false /\ fine i r
  | (None, None) => Logic.True
  end.
Definition list_of (r : option row) : list row := match r with Some r => [r] | None => [] end.
Definition before (l : list slot) := flat_map (fun s => list_of (fst s)) l.
Definition after (l : list slot) := flat_map (fun s => list_of (snd s)) l.
Definition few (m : option Z) (n : nat) : Prop := match m with Some z => Z.of_nat n <= z | None => Logic.True end.
Definition alike (s w : bool) (i : info) (x y : list row) : Prop := forall r r', In r x -> In r' y -> agree s w (cols i) r r'.
Record changed (i : info) (b a : list row) : Prop := Changed {
  in_slots : exists l, few (most i) (length l) /\ Forall (fits i) l /\ b = before l /\ a = after l;
  alike_before : alike false true i b b;
  alike_after : alike false true i a a;
  alike_both : alike true true i b a;
  if_present : present i = true -> (b = [] <-> a = [])
}.
Lemma changed_fine i b a : changed i b a -> (forall r, In r b -> fine i r) /\ (forall r, In r a -> fine i r).
Proof.
  intros [(l & _ & F & -> & ->) _ _ _ _]. rewrite Forall_forall in F. split; intros r I; apply in_flat_map in I; destruct I as ([x y] & J & K); specialize (F _ J).
  - destruct x as [x|]; cbn in K; [|easy]. destruct K as [->|[]]. destruct y as [y|]; cbn in F; tauto.
  - destruct y as [y|]; cbn in K; [|easy]. destruct K as [->|[]]. destruct x as [x|]; cbn in F; tauto.
Qed.
Lemma changed_known i b a : changed i b a -> known i = true -> (b = [] <-> a = []).
Proof.
  intros C K. unfold known in K. apply orb_prop in K. destruct K as [K|K]; [|now apply (if_present i b a C)]. destruct (in_slots i b a C) as (l & _ & F & -> & ->).
  clear C. induction F as [|[[x|] [y|]] l f F IH]; cbn in *; try exact IH; try easy; try (split; discriminate); destruct f; congruence.
Qed.

Fixpoint zip (a b : list row) : list slot :=
  match a, b with
  | x :: a, y :: b => (Some x, Some y) :: zip a b
  | x :: a, [] => (Some x, None) :: zip a []
  | [], b => map (fun y => (None, Some y)) b
  end.
Lemma zip_before a : forall b, before (zip a b) = a.
Proof. induction a as [|x a IH]; intros [|y b]; cbn; try (now rewrite IH); auto. induction b; cbn; auto. Qed.
Lemma zip_after a : forall b, after (zip a b) = b.
Proof.
  induction a as [|x a IH]; intros [|y b]; cbn; try (now rewrite IH); auto. f_equal. induction b as [|z b IHb]; cbn; [easy|now f_equal].
Qed.
Lemma zip_few a : forall b n, (length a <= n)%nat -> (length b <= n)%nat -> (length (zip a b) <= n)%nat.
Proof.
  induction a as [|x a IH]; intros [|y b] n ha hb; cbn in *; rewrite ?map_length; try lia; destruct n; try lia; apply le_n_S; apply IH; cbn; lia.
Qed.
Lemma zip_fits i a : forall b, Forall (fun r => there i = false /\ fine i r) a -> Forall (fun r => there i = false /\ fine i r) b -> (forall x y, In x a -> In y b -> same i x y) -> Forall (fits i) (zip a b).
Proof.
  induction a as [|x a IH]; intros b A B S; cbn.
  - apply Forall_map. now apply Forall_impl with (2 := B).
  - inversion A; subst. destruct b as [|y b]; constructor; try easy.
    + apply IH; auto. intros ? ? ? [].
    + inversion B; subst. cbn. repeat split; try tauto. apply S; now left.
    + apply IH; [easy|now inversion B|]. intros; apply S; now right.
Qed.
Lemma before_app l m : before (l ++ m) = before l ++ before m.
Proof. apply flat_map_app. Qed.
Lemma after_app l m : after (l ++ m) = after l ++ after m.
Proof. apply flat_map_app. Qed.

(** Tables whose rows are public: as many rows as before, one for one. *)
Lemma public_rows i b a : Forall2 (fun r r' => fine i r /\ fine i r' /\ same i r r') b a -> alike false true i b b -> alike false true i a a -> alike true true i b a -> few (most i) (length b) -> changed i b a.
Proof.
  intros F B A X L. constructor; auto.
  - exists (zip b a). assert (E : length (zip b a) = length b) by (clear L B A X; induction F; cbn; [easy|now f_equal]). rewrite zip_before, zip_after, E. split; [easy|]. split; [|easy]. clear L B A X E. induction F; cbn; constructor; auto.
  - intros _. destruct F; easy.
Qed.
(** A unit that may not be there at all, with rows on one side only. *)
Lemma rows_or_none i b : there i = false -> present i = false -> (forall r, In r b -> fine i r) -> alike false true i b b -> few (most i) (length b) -> changed i b [].
Proof.
  intros T P F B L. constructor; auto; try (intros ? ? []; fail); try (intros ? ? ? []; fail); [|congruence]. exists (zip b []). rewrite zip_before, zip_after. assert (E : length (zip b []) = length b) by (clear; induction b; cbn; [easy|now f_equal]).
  rewrite E. split; [easy|]. split; [|easy]. apply zip_fits; [apply Forall_forall; intros; split; auto|constructor|intros ? ? ? []].
Qed.
(** Tables whose rows are secret: any rows, as long as what is neither secret nor differs by row is the same in all. *)
Lemma secret_rows i b a : there i = false -> (forall r, In r b \/ In r a -> fine i r) -> (forall k, sec (cols i k) = false -> byrow (cols i k) = false) ->
  alike false true i b b -> alike false true i a a -> alike true true i b a -> few (most i) (length b) -> few (most i) (length a) -> (present i = true -> (b = [] <-> a = [])) -> changed i b a.
Proof.
  intros T F S B A X LB LA P. constructor; auto. exists (zip b a). rewrite zip_before, zip_after. split; [|split; [|easy]].
  - destruct (most i) as [m|]; [|easy]. cbn in *. assert (H := zip_few b a (Z.to_nat m) ltac:(lia) ltac:(lia)). lia.
  - apply zip_fits; try (apply Forall_forall; intros; split; auto; fail). intros x y I J k. unfold moves. cbn. rewrite orb_false_r. intro h. apply (X x y I J). unfold moves. cbn. now rewrite h, (S k h).
Qed.

Lemma open_same i ts b a : changed i b a -> open i ts = true -> map (fun r => map (fun t => ev t r) ts) b = map (fun r => map (fun t => ev t r) ts) a.
Proof.
  intros C O. unfold open in O. apply andb_prop in O. destruct O as [T O]. rewrite forallb_forall in O. destruct (in_slots i b a C) as (l & _ & F & -> & ->). clear C.
  induction F as [|[[x|] [y|]] l f F IH]; cbn in *; try easy; try (destruct f; congruence). f_equal; [|exact IH]. destruct f as (f & f' & e). apply map_ext_in. intros t I.
  apply (ev_agree fn true false (cols i)); auto. unfold moves. cbn. rewrite orb_false_r. specialize (O t I). now apply negb_true_iff in O.
Qed.
Lemma open_length i ts b a : changed i b a -> open i ts = true -> length b = length a.
Proof. intros C O. assert (E := f_equal (@length _) (open_same i ts b a C O)). now rewrite !map_length in E. Qed.

Variable table : nat -> info.
Lemma limit_changed f n i b a : changed i b a -> changed (let all := match most i with Some m => m <=? Z.pos n | None => false end in
      Info (fun k => let p := cols i k in if all then p else Range (lo p) (hi p) (nul p) (sec p || byrow p) (byrow p))
        (Some (match most i with Some m => Z.min m (Z.pos n) | None => Z.pos n end)) ((there i && all) || ((n =? 1)%positive && known i)) (known i)) (pick f n b) (pick f n a).
Proof.
  intro C. assert (Kn := changed_known i b a C). assert (Fi := changed_fine i b a C). destruct Fi as [Fb Fa].
  assert (E : forall x y, (x = [] <-> y = []) -> (pick f n x = [] <-> pick f n y = [])).
  { intros x y H. assert (Z0 : pick f n [] = []) by (apply pick_all; cbn; lia). split; intro P; apply pick_some in P; apply H in P; subst; easy. }
  destruct (match most i with Some m => m <=? Z.pos n | None => false end) eqn:A; cbv zeta.
  - destruct (most i) as [m|] eqn:M; [|discriminate]. apply Z.leb_le in A. destruct C as [(l & L & F & Eb & Ea) B1 B2 B3 B4]. rewrite M in L. cbn in L.
    assert (len : forall (g : slot -> option row) (l : list slot), (length (flat_map (fun s => list_of (g s)) l) <= length l)%nat) by (intros g l0; induction l0 as [|s l0 IH]; cbn; [lia|]; rewrite app_length; destruct (g s); cbn; lia).
    assert (Lb : Z.of_nat (length b) <= Z.pos n) by (rewrite Eb; assert (h : (length (before l) <= length l)%nat) by apply (len (@fst _ _) l); lia).
    assert (La : Z.of_nat (length a) <= Z.pos n) by (rewrite Ea; assert (h : (length (after l) <= length l)%nat) by apply (len (@snd _ _) l); lia).
    rewrite (pick_all f n b Lb), (pick_all f n a La).
    constructor; [|exact B1|exact B2|exact B3|exact Kn]. exists l. cbn [most]. split; [cbn; lia|]. split; [|easy].
    destruct (there i) eqn:T; [eapply Forall_impl; [|exact F]; intros [[x|] [y|]]; cbn; try easy; rewrite T; intros []; congruence|]. cbn [andb orb].
    destruct ((n =? 1)%positive && known i) eqn:P; [|eapply Forall_impl; [|exact F]; intros [[x|] [y|]]; cbn; try (intro h; exact h); intros [_ h]; now split].
    apply andb_prop in P. destruct P as [P K]. apply Pos.eqb_eq in P. subst n. specialize (Kn K). destruct l as [|s [|s' l]]; [constructor| |cbn in L; lia].
    inversion F; subst. constructor; [|constructor]. destruct s as [[x|] [y|]]; cbn in *; try easy; [destruct Kn as [_ Kn]|destruct Kn as [Kn _]]; now specialize (Kn eq_refl).
  - set (j := Info _ _ _ _). assert (al : forall x y s w, alike s w i x y -> alike s w j (pick f n x) (pick f n y)).
    { intros x y s w H r r' I I'. intros k hk. apply (H r r'); [now apply pick_in in I|now apply pick_in in I'|]. unfold j, moves in *. cbn in *. destruct s, w, (sec (cols i k)), (byrow (cols i k)); easy. }
    assert (fi : forall r, fine i r -> fine j r) by (intros r H k; exact (H k)).
    assert (sm : forall x y, In x (pick f n b) -> In y (pick f n a) -> same j x y).
    { intros x y I I' k hk. apply (alike_both i b a C x y); [now apply pick_in in I|now apply pick_in in I'|]. unfold j, moves in *. cbn in *. destruct (sec (cols i k)), (byrow (cols i k)); easy. }
    constructor; try (apply al, C).
    + exists (zip (pick f n b) (pick f n a)). rewrite zip_before, zip_after. split; [|split; [|easy]].
      * cbn [most j few]. assert (h := pick_few f n b). assert (h' := pick_few f n a). assert (Z : (length (zip (pick f n b) (pick f n a)) <= Pos.to_nat n)%nat) by (apply zip_few; lia).
        destruct (most i) as [m|]; [|lia]. apply Z.leb_gt in A. lia.
      * destruct (there j) eqn:T; [|apply zip_fits; auto; apply Forall_forall; intros r I; (split; [easy|]); apply fi; [apply Fb|apply Fa]; now apply pick_in in I].
        change (there i && false || (n =? 1)%positive && known i = true) in T. rewrite andb_false_r in T. cbn [orb] in T. apply andb_prop in T. destruct T as [P K]. apply Pos.eqb_eq in P. subst n. specialize (Kn K).
        assert (h := pick_few f 1 b). assert (h' := pick_few f 1 a). assert (e := E _ _ Kn). assert (ib := pick_in f 1 b). assert (ia := pick_in f 1 a).
        destruct (pick f 1 b) as [|x [|? ?]] eqn:Qb; [|destruct (pick f 1 a) as [|y [|? ?]] eqn:Qa|cbn in h; lia].
        -- rewrite (proj1 e eq_refl). constructor.
        -- destruct e as [_ e]. now specialize (e eq_refl).
        -- cbn. constructor; [|constructor]. cbn. repeat split; [apply fi, Fb, ib; now left|apply fi, Fa, ia; now left|]. apply sm; now left.
        -- cbn in h'. lia.
    + intros K. apply E, Kn. exact K.
Qed.
Lemma constant_changed f ks i b a : changed i b a ->
  changed (Info (fun k => let p := cols i k in if existsb (Nat.eqb k) ks && byrow p then Range (lo p) (hi p) (nul p) true false else p) (most i) (there i) (present i))
    (map (fixed_row f ks b) b) (map (fixed_row f ks a) a).
Proof.
  intro C. destruct (changed_fine i b a C) as [Fb Fa]. set (j := Info _ _ _ _).
  (* what a column is in one row, it is in all if it does not differ by row *)
  assert (own : forall x r k, alike false true i x x -> In r x -> byrow (cols i k) = false -> one f x k = r k).
  { intros x r k A I R. destruct (one_in f x k) as (r0 & I0 & ->); [intro E; subst; easy|]. apply (A r0 r I0 I). unfold moves. now cbn. }
  assert (fi : forall x r, (forall r, In r x -> fine i r) -> In r x -> fine j (fixed_row f ks x r)).
  { intros x r Fx I k. unfold j, fixed_row. cbn. destruct (existsb (Nat.eqb k) ks) eqn:Q; cbn [andb]; [|now apply Fx].
    destruct (one_in f x k) as (r0 & I0 & ->); [intro; subst; easy|]. specialize (Fx r0 I0 k). destruct (byrow (cols i k)); [|easy]. destruct (r0 k); exact Fx. }
  assert (va : forall x y r r' k s w, alike false true i x x -> alike false true i y y -> alike s true i x y -> In r x -> In r' y -> (w = true -> agree s w (cols i) r r') -> moves s w (cols j k) = false ->
    (w = false -> byrow (cols i k) = true -> existsb (Nat.eqb k) ks = false -> r k = r' k) -> (w = false -> moves s w (cols i k) = false -> r k = r' k) -> (x = y \/ s = true) -> fixed_row f ks x r k = fixed_row f ks y r' k).
  { intros x y r r' k s w Ax Ay Axy I I' G M H1 H2 S. unfold fixed_row, j in *. cbn in M. destruct (existsb (Nat.eqb k) ks) eqn:Q; cbn [andb] in M.
    - destruct (byrow (cols i k)) eqn:R.
      + destruct S as [->|S]; [easy|]. subst s. unfold moves in M. cbn in M. discriminate.
      + rewrite (own x r k Ax I R), (own y r' k Ay I' R). destruct w; [apply (Axy r r' I I'); unfold moves in *; rewrite R in *; cbn in *; exact M|now apply H2].
    - destruct w; [now apply (G eq_refl k)|now apply H2]. }
  destruct C as [(l & L & F & Eb & Ea) B1 B2 B3 B4]. constructor.
  - exists (map (fun s => (option_map (fixed_row f ks b) (fst s), option_map (fixed_row f ks a) (snd s))) l). rewrite map_length. split; [easy|]. split; [|split].
    + apply Forall_map, Forall_forall. intros [x y] J. rewrite Forall_forall in F. specialize (F _ J).
      assert (Ix : forall r, x = Some r -> In r b) by (intros r ->; subst b; apply in_flat_map; exists (Some r, y); cbn; auto).
      assert (Iy : forall r, y = Some r -> In r a) by (intros r ->; subst a; apply in_flat_map; exists (x, Some r); cbn; auto).
      destruct x as [x|], y as [y|]; cbn in *; try easy; try (destruct F; split; auto; fail). destruct F as (f1 & f2 & e). repeat split; auto.
      intros k hk. apply (va b a x y k true false); auto; try easy. intros _ R Q. apply e. unfold j, moves in *. cbn in *. now rewrite Q in hk.
    + rewrite Eb at 2. clear. induction l as [|[[r|] y] l IH]; cbn; auto. unfold before in *. now rewrite IH.
    + rewrite Ea at 2. clear. induction l as [|[y [r|]] l IH]; cbn; auto. unfold after in *. now rewrite IH.
  - intros r r' I I' k hk. apply in_map_iff in I, I'. destruct I as (x & <- & I), I' as (y & <- & I'). apply (va b b x y k false true); auto; easy.
  - intros r r' I I' k hk. apply in_map_iff in I, I'. destruct I as (x & <- & I), I' as (y & <- & I'). apply (va a a x y k false true); auto; easy.
  - intros r r' I I' k hk. apply in_map_iff in I, I'. destruct I as (x & <- & I), I' as (y & <- & I'). apply (va b a x y k true true); auto; easy.
  - intro P. specialize (B4 P). destruct b, a; cbn; try easy; destruct B4 as [h h']; try (now specialize (h eq_refl)); now specialize (h' eq_refl).
Qed.
Lemma where_changed c i b a : changed i b a -> let keep := filter (fun r => is_true (ev c r)) in changed (let p := possible (cols i) c in
      if must p then i else if never p then Info (cols i) (Some 0) true true else Info (cols i) (most i) (there i && negb (sec p)) (known i && negb (sec p) && negb (byrow p))) (keep b) (keep a).
Proof.
  intros C keep. destruct (changed_fine i b a C) as [Fb Fa]. assert (Kn := changed_known i b a C). cbv zeta. set (p := possible (cols i) c).
  destruct (must p) eqn:M; [|destruct (never p) eqn:N].
  - assert (all : forall x, (forall r, In r x -> fine i r) -> keep x = x).
    { intros x H. unfold keep. induction x as [|r x IH]; [easy|]. cbn. rewrite (ok_must p); [f_equal; apply IH; intros; apply H; now right| |easy]. apply ev_ok. apply H. now left. }
    now rewrite !all.
  - assert (none : forall x, (forall r, In r x -> fine i r) -> keep x = []).
    { intros x H. unfold keep. induction x as [|r x IH]; [easy|]. cbn. rewrite (ok_never p); [apply IH; intros; apply H; now right| |easy]. apply ev_ok. apply H. now left. }
    rewrite !none by easy. constructor; try (intros ? ? []); try easy. exists []. repeat split; cbn; try lia. constructor.
  - destruct C as [(l & L & F & Eb & Ea) B1 B2 B3 B4]. set (k := fun r => is_true (ev c r)). set (pk := fun r : option row => match r with Some r => if k r then Some r else None | None => None end).
    assert (al : forall s w x y, alike s w i x y -> forall m t q, alike s w (Info (cols i) m t q) (keep x) (keep y)).
    { intros s w x y H m t q r r' I I'. apply filter_In in I, I'. now apply (H r r'). }
    constructor; try (apply al; easy).
    + exists (map (fun s => (pk (fst s), pk (snd s))) l). rewrite map_length. split; [easy|]. split; [|split].
      * apply Forall_map. apply Forall_impl with (2 := F). intros [[x|] [y|]]; cbn; try easy.
        -- intros (f1 & f2 & e). destruct (sec p) eqn:S.
           ++ destruct (k x), (k y); cbn; rewrite ?andb_false_r; auto.
           ++ assert (Q : k x = k y).
              { unfold k. rewrite (ev_agree fn true false (cols i) x y c f1 f2 e); [easy|]. unfold moves. cbn. fold p. now rewrite S. }
              rewrite Q. destruct (k y); cbn; auto.
        -- intros [T f]. destruct (k x); cbn; auto. now rewrite T.
        -- intros [T f]. destruct (k y); cbn; auto. now rewrite T.
      * subst b. clear. unfold keep. fold k. induction l as [|[[r|] y] l IH]; cbn; auto. unfold before in *. destruct (k r); cbn; now rewrite <- IH.
      * subst a. clear. unfold keep. fold k. induction l as [|[y [r|]] l IH]; cbn; auto. unfold after in *. destruct (k r); cbn; now rewrite <- IH.
    + cbn [present]. intro P. apply andb_prop in P. destruct P as [P R]. apply andb_prop in P. destruct P as [K S]. apply negb_true_iff in R, S. specialize (Kn K).
      assert (Q : forall x y, In x b -> In y a -> k x = k y).
      { intros x y I I'. unfold k. rewrite (ev_agree fn true true (cols i) x y c); auto. unfold moves. fold p. now rewrite S, R. }
      unfold keep. fold k. split; intro H.
      * destruct (filter k a) as [|y ys] eqn:E; [easy|]. assert (I : In y (filter k a)) by (rewrite E; now left). apply filter_In in I. destruct I as [I ky].
        destruct b as [|x b']; [destruct Kn as [h _]; now rewrite (h eq_refl) in I|]. cbn in H. rewrite (Q x y (or_introl eq_refl) I), ky in H. discriminate.
      * destruct (filter k b) as [|x xs] eqn:E; [easy|]. assert (I : In x (filter k b)) by (rewrite E; now left). apply filter_In in I. destruct I as [I kx].
        destruct a as [|y a']; [destruct Kn as [_ h]; now rewrite (h eq_refl) in I|]. cbn in H. rewrite <- (Q x y I (or_introl eq_refl)), kx in H. discriminate.
Qed.
Lemma map_nil {A B} (f : A -> B) l : map f l = [] <-> l = [].
Proof. now destruct l. Qed.
Lemma select_changed ts i b a : changed i b a -> let f := fun (r : row) k => ev (nth k ts (Lit None)) r in
  changed (Info (fun k => possible (cols i) (nth k ts (Lit None))) (most i) (there i) (present i)) (map f b) (map f a).
Proof.
  intros C f. destruct (changed_fine i b a C) as [Fb Fa]. destruct C as [(l & L & F & Eb & Ea) B1 B2 B3 B4]. set (j := Info _ _ _ _).
  assert (fi : forall r, fine i r -> fine j (f r)) by (intros r H k; now apply ev_ok).
  assert (al : forall s w x y, (forall r, In r x -> fine i r) -> (forall r, In r y -> fine i r) -> alike s w i x y -> alike s w j (map f x) (map f y)).
  { intros s w x y Hx Hy H r r' I I' k hk. apply in_map_iff in I, I'. destruct I as (x0 & <- & I), I' as (y0 & <- & I'). apply (ev_agree fn s w (cols i)); auto. }
  constructor; try (apply al; easy).
  - exists (map (fun s => (option_map f (fst s), option_map f (snd s))) l). rewrite map_length. split; [easy|]. split; [|split].
    + apply Forall_map. apply Forall_impl with (2 := F). intros [[x|] [y|]]; cbn; try easy; try (intros []; auto; fail). intros (f1 & f2 & e). repeat split; auto. intros k hk. now apply (ev_agree fn true false (cols i)).
    + subst b. clear. induction l as [|[[r|] y] l IH]; cbn; auto. unfold before in *. now rewrite IH.
    + subst a. clear. induction l as [|[y [r|]] l IH]; cbn; auto. unfold after in *. now rewrite IH.
  - intro P. rewrite !map_nil. now apply B4.
Qed.
(** Of rows that are there on both sides, whatever they are. *)
Lemma fold_ok f i b a x : changed i b a -> (x = b \/ x = a) -> x <> [] -> ok (of_fold i f) (value_of x f).
Proof.
  intros C X NE. destruct (changed_fine i b a C) as [Fb Fa]. assert (Fx : forall r, In r x -> fine i r) by (destruct X; subst; easy).
  assert (Ax : alike false true i x x) by (destruct X; subst; apply C). destruct f as [e t|f ts|truth f ts]; cbn [of_fold value_of].
  - destruct (negb (sec (possible (cols i) t)) && negb (byrow (possible (cols i) t))) eqn:Q.
    + apply andb_prop in Q. destruct Q as [_ Q]. apply negb_true_iff in Q. destruct x as [|r x]; [easy|]. rewrite (extreme_same e (ev t r)); [apply ev_ok, Fx; now left|easy|].
      intros v I. apply in_map_iff in I. destruct I as (r' & <- & I). apply (ev_agree fn false true (cols i)); [now apply Fx|apply Fx; now left|apply Ax; [easy|now left]|]. unfold moves. now rewrite Q.
    + destruct (extreme e (map (ev t) x)); cbn; auto.
  - cbn. split; [lia|]. assert (few (most i) (length x)).
    { destruct C as [(l & L & F & Eb & Ea) _ _ _ _]. assert (len : forall (g : slot -> option row) (l : list slot), (length (flat_map (fun s => list_of (g s)) l) <= length l)%nat) by (intros g l0; induction l0 as [|s l0 IH]; cbn; [lia|]; rewrite app_length; destruct (g s); cbn; lia).
      assert (h : (length x <= length l)%nat) by (destruct X; subst; [apply (len (@fst _ _) l)|apply (len (@snd _ _) l)]). destruct (most i); [cbn in *; lia|easy]. }
    destruct (most i); [cbn in *; lia|easy].
  - destruct (folded f _) as [z|]; [|easy]. destruct truth; cbn; [destruct (z =? 0); lia|easy].
Qed.
Lemma fold_same f i b a : changed i b a -> b <> [] -> a <> [] -> sec (of_fold i f) = false -> value_of b f = value_of a f.
Proof.
  intros C NB NA S. destruct (changed_fine i b a C) as [Fb Fa].
  assert (op : forall ts, negb (open i ts) = false -> map (fun r => map (fun t => ev t r) ts) b = map (fun r => map (fun t => ev t r) ts) a) by (intros ts O; apply negb_false_iff in O; now apply (open_same i)).
  destruct f as [e t|f ts|truth f ts]; cbn [of_fold value_of] in *.
  - destruct (negb (sec (possible (cols i) t)) && negb (byrow (possible (cols i) t))) eqn:Q.
    + apply andb_prop in Q. destruct Q as [Q1 Q2]. apply negb_true_iff in Q1, Q2. destruct b as [|r b']; [easy|]. set (b := r :: b') in *. assert (Ir : In r b) by now left.
      assert (all : forall x, In x b \/ In x a -> ev t x = ev t r).
      { intros x [I|I].
        - apply (ev_agree fn false true (cols i) x r t (Fb x I) (Fb r Ir) (alike_before i b a C x r I Ir)). unfold moves. now rewrite Q2.
        - symmetry. apply (ev_agree fn true true (cols i) r x t (Fb r Ir) (Fa x I) (alike_both i b a C r x Ir I)). unfold moves. now rewrite Q1, Q2. }
      rewrite !(extreme_same e (ev t r)); auto; try (now rewrite map_nil); intros v I; apply in_map_iff in I; destruct I as (x & <- & I); auto.
    + cbn in S. specialize (op [t] S). f_equal. assert (E := f_equal (map (fun l => nth 0 l None)) op). rewrite !map_map in E. exact E.
  - cbn in S. rewrite (op ts S). assert (O := S). apply negb_false_iff in O. now rewrite (open_length i ts b a C O).
  - cbn in S. now rewrite (op ts S).
Qed.
Lemma unit_changed fs i b a : changed i b a -> let f := per_unit fs in
  changed (Info (fun k => match nth_error fs k with Some f => of_fold i f | None => nothing end) (Some (match most i with Some m => Z.min m 1 | None => 1 end)) (known i) (known i)) (f b) (f a).
Proof.
  intros C f. set (j := Info _ _ _ _). assert (Kn := changed_known i b a C).
  assert (fi : forall x, (x = b \/ x = a) -> x <> [] -> fine j (unit_row fs x)).
  { intros x X NE k. unfold j, unit_row. cbn. destruct (nth_error fs k) as [g|]; [now apply (fold_ok g i b a)|easy]. }
  assert (sm : b <> [] -> a <> [] -> same j (unit_row fs b) (unit_row fs a)).
  { intros NB NA k hk. unfold unit_row. unfold j, moves in hk. cbn in hk. rewrite orb_false_r in hk. destruct (nth_error fs k) as [g|]; [|easy]. now apply (fold_same g i). }
  assert (R : forall g, byrow (of_fold i g) = false).
  { intros [e t|g ts|truth g ts]; cbn; auto. destruct (negb (sec (possible (cols i) t)) && negb (byrow (possible (cols i) t))) eqn:Q; [|easy]. apply andb_prop in Q. destruct Q as [_ Q]. now apply negb_true_iff in Q. }
  assert (in_f : forall x r, In r (f x) -> x <> [] /\ r = unit_row fs x) by (intros [|y x] r; [easy|]; cbn; intros [<-|[]]; auto; easy).
  assert (nil : forall x, f x = [] <-> x = []) by (intros [|y x]; easy).
  assert (one_slot : forall x, (x = b \/ x = a) -> x <> [] -> 1 <= match most i with Some m => Z.min m 1 | None => 1 end).
  { intros x X NE. destruct C as [(l & L & F & Eb & Ea) _ _ _ _]. destruct (most i) as [m|]; [|lia]. cbn in L. destruct l; [|cbn in L; lia]. cbn in *. subst. destruct X; subst; easy. }
  constructor.
  - exists (zip (f b) (f a)). rewrite zip_before, zip_after. split; [|split; [|easy]].
    + cbn [few most j]. destruct b as [|r b']; destruct a as [|q a']; cbn [f zip length map]; try (apply (one_slot (r :: b')); auto; easy); try (apply (one_slot (q :: a')); auto; easy).
      destruct C as [(l & L & F & Eb & Ea) _ _ _ _]. destruct (most i); cbn in *; lia.
    + destruct b as [|r b']; destruct a as [|q a']; cbn [f zip map]; repeat constructor; try (apply fi; auto; easy); try (apply sm; easy);
        cbn [there j]; destruct (known i) eqn:K; try easy; destruct (Kn eq_refl) as [h h']; try (now specialize (h eq_refl)); now specialize (h' eq_refl).
  - intros r r' I I' k hk. apply in_f in I, I'. destruct I as [_ ->], I' as [_ ->]. easy.
  - intros r r' I I' k hk. apply in_f in I, I'. destruct I as [_ ->], I' as [_ ->]. easy.
  - intros r r' I I' k hk. apply in_f in I, I'. destruct I as [NB ->], I' as [NA ->]. apply sm; auto. revert hk. unfold moves. cbn [andb orb]. destruct (sec (cols j k)); [discriminate|reflexivity].
  - intro P. rewrite !nil. now apply Kn.
Qed.
Lemma beside_changed outer i j b a b2 a2 : changed i b a -> changed j b2 a2 ->
  changed (Info (fun m => if Nat.even m then cols i (Nat.div2 m) else let p := cols j (Nat.div2 m) in Range (lo p) (hi p) true true true)
        (match most i, most j with Some m, Some n => Some (m * Z.max n 1) | _, _ => None end)
        (outer && there i && match most j with Some n => n <=? 1 | None => false end) (outer && known i))
    (flat_map (fun r => joined outer r b2) b) (flat_map (fun r => joined outer r a2) a).
Proof.
  intros C D. set (o := Info _ _ _ _). destruct (changed_fine i b a C) as [Fb Fa]. destruct (changed_fine j b2 a2 D) as [Gb Ga]. assert (Kn := changed_known i b a C).
  assert (wide : (exists m, most j = Some m /\ (length b2 <= Z.to_nat m)%nat /\ (length a2 <= Z.to_nat m)%nat) \/ most j = None).
  { destruct (in_slots j b2 a2 D) as (l & L & _ & Eb & Ea). destruct (most j) as [m|]; [left|now right]. exists m. cbn in L.
    assert (len : forall (g : slot -> option row) (l : list slot), (length (flat_map (fun s => list_of (g s)) l) <= length l)%nat) by (intros g l0; induction l0 as [|s l0 IH]; cbn; [lia|]; rewrite app_length; destruct (g s); cbn; lia).
    assert (h : (length b2 <= length l)%nat) by (subst; apply (len (@fst _ _) l)). assert (h' : (length a2 <= length l)%nat) by (subst; apply (len (@snd _ _) l)). split; [easy|]. lia. }
  assert (good : forall r x, fine i r -> (forall q, In q x -> fine j q) -> Forall (fine o) (joined outer r x)).
  { assert (G : forall r q, fine i r -> (fine j q \/ forall k, q k = None) -> fine o (beside r q)).
    { intros r q Fr Fq m. unfold o, beside. cbn. destruct (Nat.even m); [apply Fr|]. destruct Fq as [Fq|Fq]; [|now rewrite Fq]. specialize (Fq (Nat.div2 m)). destruct (q (Nat.div2 m)); [exact Fq|easy]. }
    intros r x Fr Fx. unfold joined. destruct x as [|q x]; [destruct outer; constructor; [|constructor]; apply G; auto|]. apply Forall_map, Forall_forall. intros q' I. apply G; auto. }
  assert (inj : forall r x y, In y (joined outer r x) -> exists q, y = beside r q).
  { intros r x y I. unfold joined in I. destruct x as [|q x]; [destruct outer; [destruct I as [<-|[]]; eexists; reflexivity|easy]|]. apply in_map_iff in I. destruct I as (q' & <- & _). eexists. reflexivity. }
  assert (sm : forall s w r r' q q', (s = true \/ w = true) -> agree s w (cols i) r r' -> agree s w (cols o) (beside r q) (beside r' q')).
  { intros s w r r' q q' SW A m hm. unfold o, beside in *. cbn in hm |- *. destruct (Nat.even m); [now apply A|]. unfold moves in hm. cbn in hm. destruct s, w; cbn in hm; try discriminate. now destruct SW. }
  assert (al : forall s w x y x2 y2, (s = true \/ w = true) -> alike s w i x y -> alike s w o (flat_map (fun r => joined outer r x2) x) (flat_map (fun r => joined outer r y2) y)).
  { intros s w x y x2 y2 SW A r r' I I'. apply in_flat_map in I, I'. destruct I as (r0 & I & J), I' as (r0' & I' & J'). destruct (inj _ _ _ J) as [q ->], (inj _ _ _ J') as [q' ->]. apply sm; auto. }
  assert (lenj : forall r x m, (length x <= m)%nat -> (length (joined outer r x) <= Nat.max m 1)%nat).
  { intros r x m H. unfold joined. destruct x as [|q x]; [destruct outer; cbn; lia|]. rewrite map_length. lia. }
  destruct (in_slots i b a C) as (l & L & F & Eb & Ea). constructor.
  - set (of := fun (y : list row) (r : option row) => match r with Some r => joined outer r y | None => [] end).
    exists (flat_map (fun s => zip (of b2 (fst s)) (of a2 (snd s))) l). split; [|split; [|split]].
    + cbn [most o]. destruct (most i) as [m|]; [|easy]. destruct wide as [(n & -> & h & h')| ->]; [|easy]. cbn in *.
      assert (S : (length (flat_map (fun s => zip (of b2 (fst s)) (of a2 (snd s))) l) <= length l * Nat.max (Z.to_nat n) 1)%nat).
      { clear - h h' lenj. induction l as [|[x y] l IH]; cbn [flat_map length]; [lia|]. rewrite app_length. assert (Q := zip_few (of b2 x) (of a2 y) (Nat.max (Z.to_nat n) 1)).
        cbn [fst snd]. assert (A1 : (length (of b2 x) <= Nat.max (Z.to_nat n) 1)%nat) by (destruct x; cbn; [now apply lenj|lia]). assert (A2 : (length (of a2 y) <= Nat.max (Z.to_nat n) 1)%nat) by (destruct y; cbn; [now apply lenj|lia]). specialize (Q A1 A2). lia. }
      assert (E : Z.of_nat (Nat.max (Z.to_nat n) 1) = Z.max n 1) by lia. nia.
    + apply Forall_flat_map. apply Forall_forall. intros [x y] J. rewrite Forall_forall in F. specialize (F _ J). cbn [fst snd].
      assert (gx : Forall (fine o) (of b2 x)) by (destruct x as [x|]; cbn; [|constructor]; apply good; [destruct y; cbn in F; tauto|easy]).
      assert (gy : Forall (fine o) (of a2 y)) by (destruct y as [y|]; cbn; [|constructor]; apply good; [destruct x; cbn in F; tauto|easy]).
      assert (xy : forall u v, In u (of b2 x) -> In v (of a2 y) -> same o u v).
      { intros u v I I'. destruct x as [x|]; [|easy]. destruct y as [y|]; [|easy]. cbn in I, I', F. destruct (inj _ _ _ I) as [q ->], (inj _ _ _ I') as [q' ->]. apply sm; [now left|apply F]. }
      destruct (there o) eqn:T; [|apply zip_fits; [eapply Forall_impl; [|exact gx]; intros r hr; now split|eapply Forall_impl; [|exact gy]; intros r hr; now split|exact xy]].
      cbn in T. apply andb_prop in T. destruct T as [T M]. apply andb_prop in T. destruct T as [O Ti]. destruct wide as [(n & En & h & h')|En]; rewrite En in M; [|discriminate]. apply Z.leb_le in M.
      assert (one1 : forall r z, (length z <= 1)%nat -> exists q, joined outer r z = [q]) by (intros r [|q [|? ?]] hz; cbn in *; [rewrite O; eexists; reflexivity|eexists; reflexivity|lia]).
      destruct x as [x|], y as [y|]; cbn in F; try (destruct F; congruence); [|constructor]. cbn [of] in *.
      destruct (one1 x b2 ltac:(lia)) as [u Eu], (one1 y a2 ltac:(lia)) as [v Ev]. rewrite Eu, Ev in *. cbn. constructor; [|constructor]. inversion gx; inversion gy; subst. cbn. repeat split; auto. apply xy; now left.
    + rewrite Eb. clear. induction l as [|[[r|] y] l IH]; cbn [flat_map before fst list_of app]; [easy| |]; rewrite before_app, zip_before, <- IH; [|easy]. reflexivity.
    + rewrite Ea. clear. induction l as [|[y [r|]] l IH]; cbn [flat_map after snd list_of app]; [easy| |]; rewrite after_app, zip_after, <- IH; [|easy]. reflexivity.
  - apply al; [now right|apply C].
  - apply al; [now right|apply C].
  - apply al; [now right|apply C].
  - cbn. intro P. apply andb_prop in P. destruct P as [-> K]. specialize (Kn K).
    assert (E : forall x y, flat_map (fun r => joined true r y) x = [] <-> x = []).
    { intros [|r x] y; [easy|]. split; [|easy]. cbn. intro H. apply app_eq_nil in H. destruct H as [H _]. destruct y; discriminate. }
    now rewrite !E.
Qed.
Theorem analysed_changed u u' : (forall t, changed (table t) (u t) (u' t)) -> forall s, changed (analysed table s) (rows s u) (rows s u').
Proof.
  intros H s. induction s as [t|f n s IH|f ks s IH|c s IH|ts s IH|fs s IH|outer s IHs t IHt]; cbn [analysed rows].
  - apply H.
  - now apply limit_changed.
  - now apply constant_changed.
  - now apply where_changed.
  - now apply select_changed.
  - exact (unit_changed fs _ _ _ IH).
  - apply (beside_changed outer _ _ _ _ _ _ IHs IHt).
Qed.
(** A unit without rows has none in any source. *)
Lemma no_rows u : (forall t, u t = []) -> forall s, rows s u = [].
Proof.
  intros H s. induction s as [t|f n s IH|f ks s IH|c s IH|ts s IH|fs s IH|outer s IHs t IHt]; cbn [rows]; rewrite ?IH, ?IHs; auto. apply pick_all. cbn. lia.
Qed.
End Meaning.
Print Assumptions analysed_changed.
