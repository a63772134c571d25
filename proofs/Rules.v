(** * A checker of statements over abstract syntax (the rules of claims PLAN-2, PLAN-4, ROWS-1, JOIN-1, LEVEL-1)

    Statements.v proves rules for sources and terms that are Coq functions, and is told what reads public columns only. Here terms and sources are syntax, and
    the checker finds out by itself what a term can be and on what it depends: [check] reads the statement and a claim and answers yes or no.
    It can be extracted as it stands. The claim is about all levels together, in L1 and in the square of L2.

    The idea: if one unit's rows are replaced, the rows of every source in both snapshots are those of at most [most] *slots*. A slot holds a row or none before,
    and a row or none after; what is not secret is the same in both. *)
Require Import List ZArith Lia Bool Arith.
Import ListNotations.
Open Scope Z_scope.

(** ** Statements *)
Definition value := option Z.                           (* None: NULL *)
Definition row := nat -> value.                         (* by column *)
Inductive term :=
| Col (k : nat)
| Lit (v : value)
| Cut (low high : Z) (t : term)                         (* least(greatest(t, low), high); NULL stays NULL *)
| Plus (a b : term)
| Choose (c a b : term)                                 (* CASE WHEN c THEN a ELSE b *)
| Call (f : nat) (a b : term).                          (* any function, of which nothing is known *)
Inductive source :=
| Table (t : nat)                                       (* the kept rows of a unit *)
| Where (c : term) (s : source)
| Select (ts : list term) (s : source)                  (* new columns; all others are NULL *)
| Match (t n : nat) (k : term) (s : source).            (* each row beside the first n rows of a public table that belong to the key k *)
Inductive number := Sum (t : term) | Units.             (* a count is Sum (Lit (Some 1)) *)

(** ** What the checker knows *)
Record range := Range { lo : option Z; hi : option Z; nul : bool; sec : bool }.   (* ends unless it is NULL, may be NULL, may change with a secret *)
Record info := Info { cols : nat -> range; most : nat; there : bool }.             (* [there]: no slot has a row on one side only *)
Definition both (f : Z -> Z -> Z) (a b : option Z) : option Z := match a, b with Some x, Some y => Some (f x y) | _, _ => None end.
Fixpoint possible (c : nat -> range) (t : term) : range :=
  match t with
  | Col k => c k
  | Lit None => Range (Some 0) (Some 0) true false
  | Lit (Some z) => Range (Some z) (Some z) false false
  | Cut l h t => let p := possible c t in Range (Some l) (Some (Z.max l h)) (nul p) (sec p)
  | Plus a b => let p := possible c a in let q := possible c b in Range (both Z.add (lo p) (lo q)) (both Z.add (hi p) (hi q)) (nul p || nul q) (sec p || sec q)
  | Choose x a b => let p := possible c a in let q := possible c b in
      Range (both Z.min (lo p) (lo q)) (both Z.max (hi p) (hi q)) (nul p || nul q) (sec (possible c x) || sec p || sec q)
  | Call _ a b => Range None None true (sec (possible c a) || sec (possible c b))
  end.
Fixpoint analysed (table : nat -> info) (s : source) : info :=
  match s with
  | Table t => table t
  | Where c s => let i := analysed table s in Info (cols i) (most i) (there i && negb (sec (possible (cols i) c)))
  | Select ts s => let i := analysed table s in Info (fun k => possible (cols i) (nth k ts (Lit None))) (most i) (there i)
  | Match _ n k s => let i := analysed table s in let x := sec (possible (cols i) k) in
      Info (fun m => if Nat.even m then cols i (Nat.div2 m) else Range None None true x) (most i * n) (there i && negb x)
  end.
(** How far one slot moves all groups of a level: L1, and the square of L2. None: a term without ends. *)
Definition step (i : info) (keys : list term) (t : term) : option (Z * Z) :=
  let p := possible (cols i) t in
  let moved := existsb (fun k => sec (possible (cols i) k)) keys in
  if there i && negb (sec p) && negb moved then Some (0, 0)
  else match lo p, hi p with
       | Some l, Some h =>
           let largest := Z.max (Z.abs l) (Z.abs h) in
           let same := if there i && negb (nul p) then Z.max 0 (h - l) else if sec p then Z.max 0 h - Z.min 0 l else largest in
           Some (if moved then (Z.max (2 * largest) same, Z.max (2 * (largest * largest)) (same * same)) else (same, same * same))
       | _, _ => None
       end.
Definition level (i : info) (x : number) (keys : list term) : option (Z * Z) :=
  let n := Z.of_nat (most i) in
  match x with
  | Sum t => match step i keys t with Some (a, b) => Some (n * a, n * n * b) | None => None end
  | Units => match step i keys (Lit (Some 1)) with Some (a, _) => Some (n * a, n * a) | None => None end
  end.
Fixpoint bound (i : info) (x : number) (levels : list (list term)) : option (Z * Z) :=
  match levels with
  | [] => Some (0, 0)
  | keys :: ls => match level i x keys, bound i x ls with Some (a, b), Some (c, d) => Some (a + c, b + d) | _, _ => None end
  end.
Definition check (table : nat -> info) (s : source) (x : number) (levels : list (list term)) (l1 l2_squared : Z) : bool :=
  match bound (analysed table s) x levels with Some (a, b) => (a <=? l1) && (b <=? l2_squared) | None => false end.

(** ** What statements mean *)
Section Meaning.
Variable fn : nat -> value -> value -> value.           (* the functions *)
Variable public : nat -> value -> list row.             (* the public tables' rows, by key *)
Fixpoint ev (t : term) (r : row) : value :=
  match t with
  | Col k => r k
  | Lit v => v
  | Cut l h t => match ev t r with Some z => Some (Z.max l (Z.min h z)) | None => None end
  | Plus a b => both Z.add (ev a r) (ev b r)
  | Choose c a b => match ev c r with Some z => if z =? 0 then ev b r else ev a r | None => ev b r end
  | Call f a b => fn f (ev a r) (ev b r)
  end.
Definition is_true (v : value) : bool := match v with Some z => negb (z =? 0) | None => false end.
Definition beside (r q : row) : row := fun m => if Nat.even m then r (Nat.div2 m) else q (Nat.div2 m).
Definition matches (t n : nat) (k : term) (r : row) : list row := map (beside r) (firstn n (public t (ev k r))).
Fixpoint rows (s : source) (u : nat -> list row) : list row :=
  match s with
  | Table t => u t
  | Where c s => filter (fun r => is_true (ev c r)) (rows s u)
  | Select ts s => map (fun r k => ev (nth k ts (Lit None)) r) (rows s u)
  | Match t n k s => flat_map (matches t n k) (rows s u)
  end.
Definition key_eq : forall a b : list value, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.
Definition in_group (keys : list term) (g : list value) (r : row) : bool := if key_eq (map (fun k => ev k r) keys) g then true else false.
Fixpoint total {A} (l : list A) (f : A -> Z) : Z := match l with [] => 0 | a :: l => f a + total l f end.
Definition amount (t : term) (r : row) : Z := match ev t r with Some z => z | None => 0 end.
Definition part (s : source) (x : number) (keys : list term) (u : nat -> list row) (g : list value) : Z :=
  let mine := filter (in_group keys g) (rows s u) in match x with Sum t => total mine (amount t) | Units => if mine then 0 else 1 end.
Definition answer (s : source) (x : number) (keys : list term) (units : list nat) (d : nat -> nat -> list row) (g : list value) : Z :=
  total units (fun j => part s x keys (d j) g).

(** ** Terms *)
Definition ok (p : range) (v : value) : Prop :=
  match v with None => nul p = true | Some z => match lo p with Some l => l <= z | None => True end /\ match hi p with Some h => z <= h | None => True end end.
Definition fine (i : info) (r : row) := forall k, ok (cols i k) (r k).
Definition same (i : info) (r r' : row) := forall k, sec (cols i k) = false -> r k = r' k.
Lemma ev_ok i r t : fine i r -> ok (possible (cols i) t) (ev t r).
Proof.
  intro F. induction t as [k|[z|]|l h t IH|a IHa b IHb|c IHc a IHa b IHb|f a IHa b IHb]; cbn [possible ev].
  - apply F.
  - cbn. lia.
  - reflexivity.
  - destruct (ev t r); cbn in *; [lia|easy].
  - destruct (ev a r), (ev b r); cbn in *; rewrite ?IHa, ?IHb, ?orb_true_r; auto.
    destruct (lo (possible (cols i) a)), (lo (possible (cols i) b)), (hi (possible (cols i) a)), (hi (possible (cols i) b)); cbn; lia.
  - assert (L : forall v p q, ok p v -> ok (Range (both Z.min (lo p) (lo q)) (both Z.max (hi p) (hi q)) (nul p || nul q) (sec (possible (cols i) c) || sec p || sec q)) v /\
        ok (Range (both Z.min (lo q) (lo p)) (both Z.max (hi q) (hi p)) (nul q || nul p) (sec (possible (cols i) c) || sec q || sec p)) v).
    { intros [z|] p q; cbn; [|intros ->; now rewrite orb_true_r]. destruct (lo p), (lo q), (hi p), (hi q); cbn; lia. }
    destruct (ev c r) as [z|]; [destruct (z =? 0)|]; [apply (proj2 (L _ _ _ IHb))|apply (proj1 (L _ _ _ IHa))|apply (proj2 (L _ _ _ IHb))].
  - destruct (fn f (ev a r) (ev b r)); cbn; auto.
Qed.
Lemma ev_same i r r' t : same i r r' -> sec (possible (cols i) t) = false -> ev t r = ev t r'.
Proof.
  intro S. induction t as [k|[z|]|l h t IH|a IHa b IHb|c IHc a IHa b IHb|f a IHa b IHb]; cbn [possible ev sec]; intro H; auto.
  - now rewrite IH.
  - apply orb_false_elim in H. destruct H. now rewrite IHa, IHb.
  - apply orb_false_elim in H. destruct H as [H H3]. apply orb_false_elim in H. destruct H. now rewrite IHc, IHa, IHb.
  - apply orb_false_elim in H. destruct H. now rewrite IHa, IHb.
Qed.

(** ** Slots *)
Definition slot := (option row * option row)%type.
Definition fits (i : info) (s : slot) : Prop :=
  match s with
  | (Some r, Some r') => fine i r /\ fine i r' /\ same i r r'
  | (Some r, None) | (None, Some r) => there i = false /\ fine i r
  | (None, None) => True
  end.
Definition list_of (r : option row) : list row := match r with Some r => [r] | None => [] end.
Definition before (l : list slot) := flat_map (fun s => list_of (fst s)) l.
Definition after (l : list slot) := flat_map (fun s => list_of (snd s)) l.
Definition changed (i : info) (b a : list row) : Prop := exists l, (length l <= most i)%nat /\ Forall (fits i) l /\ b = before l /\ a = after l.

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
Lemma changed_map i j (f : slot -> list slot) l m : (length l <= m)%nat -> Forall (fits i) l ->
  (forall s, fits i s -> Forall (fits j) (f s)) -> forall n, (forall s, (length (f s) <= n)%nat) -> Forall (fits j) (flat_map f l) /\ (length (flat_map f l) <= m * n)%nat.
Proof.
  intros H F S n L. split.
  - clear H. induction F; cbn; [constructor|]. apply Forall_app. auto.
  - apply Nat.le_trans with (length l * n)%nat; [|now apply Nat.mul_le_mono_r]. clear - L. induction l as [|s l IH]; cbn; [lia|]. rewrite app_length. specialize (L s). lia.
Qed.

Variable table : nat -> info.
Lemma analysed_changed u u' : (forall t, changed (table t) (u t) (u' t)) -> forall s, changed (analysed table s) (rows s u) (rows s u').
Proof.
  intros H s. induction s as [t|c s IH|ts s IH|t n k s IH]; cbn [analysed rows]; [apply H| | |]; destruct IH as (l & L & F & -> & ->); set (i := analysed table s) in *.
  - set (keep := fun r => is_true (ev c r)). set (pick := fun r : option row => match r with Some r => if keep r then Some r else None | None => None end).
    exists (map (fun s => (pick (fst s), pick (snd s))) l). rewrite map_length. split; [easy|]. split; [|split].
    + apply Forall_map. apply Forall_impl with (2 := F). intros [[r|] [r'|]]; cbn; try easy.
      * intros (a & b & e). destruct (sec (possible (cols i) c)) eqn:E.
        -- destruct (keep r), (keep r'); cbn; rewrite ?andb_false_r; auto.
        -- assert (Q : keep r = keep r') by (unfold keep; now rewrite (ev_same i r r' c e E)). rewrite Q. destruct (keep r'); cbn; auto.
      * intros [a b]. destruct (keep r); cbn; auto. now rewrite a.
      * intros [a b]. destruct (keep r'); cbn; auto. now rewrite a.
    + clear L F. induction l as [|[[r|] b] l IH]; cbn; auto. unfold before in *. destruct (keep r); cbn; now rewrite <- IH.
    + clear L F. induction l as [|[b [r|]] l IH]; cbn; auto. unfold after in *. destruct (keep r); cbn; now rewrite <- IH.
  - set (f := fun (r : row) k => ev (nth k ts (Lit None)) r). exists (map (fun s => (option_map f (fst s), option_map f (snd s))) l). rewrite map_length. split; [easy|]. split; [|split].
    + apply Forall_map. apply Forall_impl with (2 := F).
      assert (G : forall r, fine i r -> fine (Info (fun k => possible (cols i) (nth k ts (Lit None))) (most i) (there i)) (f r)) by (intros r Fr k; now apply ev_ok).
      intros [[r|] [r'|]]; cbn; try easy; try (intros [a b]; auto; fail). intros (a & b & e). repeat split; auto. intros m hm. now apply (ev_same i).
    + clear L F. induction l as [|[[r|] b] l IH]; cbn; auto. unfold before in *. now rewrite IH.
    + clear L F. induction l as [|[b [r|]] l IH]; cbn; auto. unfold after in *. now rewrite IH.
  - set (x := sec (possible (cols i) k)). set (j := Info (fun m => if Nat.even m then cols i (Nat.div2 m) else Range None None true x) (most i * n) (there i && negb x)).
    set (of := fun r : option row => match r with Some r => matches t n k r | None => [] end).
    assert (few : forall r, (length (of r) <= n)%nat) by (intros [r|]; cbn; [unfold matches; rewrite map_length; apply firstn_le_length|lia]).
    assert (good : forall r q, fine i r -> fine j (beside r q)).
    { intros r q Fr m. unfold j, beside. cbn. destruct (Nat.even m); [apply Fr|]. destruct (q (Nat.div2 m)); cbn; auto. }
    assert (alike : forall r r' q q', same i r r' -> (x = false -> q = q') -> same j (beside r q) (beside r' q')).
    { intros r r' q q' S Q m. unfold j, beside. cbn. destruct (Nat.even m); [apply S|]. cbn. intro E. now rewrite (Q E). }
    assert (all : forall r, fine i r -> Forall (fine j) (matches t n k r)) by (intros r Fr; apply Forall_map; apply Forall_forall; intros; now apply good).
    destruct (changed_map i j (fun s => zip (of (fst s)) (of (snd s))) l (most i) L F) with (n := n) as [F' L'].
    { intros [[r|] [r'|]]; cbn [fits fst snd of].
      - intros (a & b & e). destruct x eqn:X.
        + apply zip_fits; [| |intros y y' I I'; apply in_map_iff in I, I'; destruct I as (q & <- & _), I' as (q' & <- & _); now apply alike];
            (eapply Forall_impl; [|now apply all]); intros; cbn; rewrite andb_false_r; auto.
        + unfold matches. rewrite (ev_same i r r' k e X). induction (firstn n (public t (ev k r'))) as [|q qs IHq]; cbn; constructor; [|exact IHq].
          cbn. repeat split; auto.
      - intros [a b]. apply zip_fits; [|constructor|intros ? ? ? []]. eapply Forall_impl; [|now apply all]. intros; cbn. now rewrite a.
      - intros [a b]. apply zip_fits; [constructor| |intros ? ? []]. eapply Forall_impl; [|now apply all]. intros; cbn. now rewrite a.
      - constructor. }
    { intros [a b]. apply zip_few; apply few. }
    exists (flat_map (fun s => zip (of (fst s)) (of (snd s))) l). split; [exact L'|]. split; [exact F'|]. clear L F L' F'.
    assert (B : forall l m, before (l ++ m) = before l ++ before m) by (intros; apply flat_map_app). assert (A : forall l m, after (l ++ m) = after l ++ after m) by (intros; apply flat_map_app).
    split.
    + induction l as [|[r b] l IH]; cbn [flat_map]; [easy|]. rewrite B, zip_before, <- IH. destruct r; cbn; now rewrite ?app_nil_r.
    + induction l as [|[b r] l IH]; cbn [flat_map]; [easy|]. rewrite A, zip_after, <- IH. destruct r; cbn; now rewrite ?app_nil_r.
Qed.
End Meaning.
