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

(** Tables whose rows are public: as many rows as before, one for one. Tables whose rows are secret: any rows, as long as what is not secret is the same in all. *)
Lemma public_rows i b a : Forall2 (fun r r' => fine i r /\ fine i r' /\ same i r r') b a -> (length b <= most i)%nat -> changed i b a.
Proof.
  intros F L. exists (zip b a). assert (E : length (zip b a) = length b) by (clear L; induction F; cbn; [easy|now f_equal]).
  rewrite zip_before, zip_after, E. split; [exact L|]. split; [|easy]. clear L E. induction F; cbn; constructor; auto.
Qed.
Lemma secret_rows i b a : there i = false -> Forall (fine i) b -> Forall (fine i) a -> (forall r r', In r b -> In r' a -> same i r r') ->
  (length b <= most i)%nat -> (length a <= most i)%nat -> changed i b a.
Proof.
  intros T B A S LB LA. exists (zip b a). rewrite zip_before, zip_after. split; [now apply zip_few|]. split; [|easy].
  apply zip_fits; [| |exact S]; eapply Forall_impl; eauto; intros; now split.
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
  assert (keys_stay : moved = false -> forall r r', same i r r' -> map (fun k => ev k r) keys = map (fun k => ev k r') keys).
  { intros M r r' S. apply map_ext_in. intros k I. apply (ev_same i); [easy|]. destruct (sec (possible (cols i) k)) eqn:X; [|easy].
    assert (moved = true) by (apply existsb_exists; now exists k). congruence. }
  assert (stays : sec p = false -> forall r r', same i r r' -> amount t r = amount t r') by (intros S r r' e; unfold amount; now rewrite (ev_same i r r' t e S)).
  assert (nothing : total groups (fun g => Z.abs (0 - 0)) <= 0 /\ total groups (fun g => (0 - 0) * (0 - 0)) <= 0) by (cbn; rewrite !total_zero; lia).
  destruct (there i && negb (sec p) && negb moved) eqn:K.
  - injection E as <- <-. apply andb_prop in K. destruct K as [K M]. apply andb_prop in K. destruct K as [T S]. apply negb_true_iff in M, S.
    destruct s as [[r|] [r'|]]; cbn [fst snd]; cbn in F.
    + destruct F as (_ & _ & e). unfold adds. rewrite (keys_stay M r r' e), (stays S r r' e).
      destruct (two_rows groups (map (fun k => ev k r') keys) (map (fun k => ev k r') keys) (amount t r') (amount t r') N) as [X Y].
      destruct (key_eq _ _); [|congruence]. replace (amount t r' - amount t r') with 0 in * by lia. cbn in X, Y. lia.
    + destruct F; congruence.
    + destruct F; congruence.
    + cbn [adds]. lia.
  - destruct (lo p) as [l|] eqn:El; [|discriminate]. destruct (hi p) as [h|] eqn:Eh; [|discriminate].
    set (largest := Z.max (Z.abs l) (Z.abs h)) in *. set (d := if there i && negb (nul p) then Z.max 0 (h - l) else if sec p then Z.max 0 h - Z.min 0 l else largest) in *.
    assert (ends : forall r, fine i r -> Z.abs (amount t r) <= largest /\ Z.min 0 l <= amount t r <= Z.max 0 h /\ (nul p = false -> l <= amount t r <= h)).
    { intros r Fr. assert (O := ev_ok i r t Fr). fold p in O. unfold amount, ok in *. rewrite El, Eh in O. unfold largest. destruct (ev t r); [lia|]. repeat split; try lia; congruence. }
    assert (d0 : 0 <= d) by (unfold d, largest; destruct (there i && negb (nul p)), (sec p); lia).
    assert (apart : forall r r', fine i r -> fine i r' -> same i r r' -> Z.abs (amount t r - amount t r') <= d).
    { intros r r' a1 a2 e. destruct (ends r a1) as (x1 & x2 & x3), (ends r' a2) as (y1 & y2 & y3). unfold d.
      destruct (there i && negb (nul p)) eqn:Q; [apply andb_prop in Q; destruct Q as [_ Q]; apply negb_true_iff in Q; specialize (x3 Q); specialize (y3 Q); lia|].
      destruct (sec p) eqn:S; [lia|]. rewrite (stays eq_refl r r' e). unfold largest. lia. }
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

Lemma level_moves i x keys s u u' a b groups : NoDup groups -> changed i (rows s u) (rows s u') -> level i x keys = Some (a, b) ->
  total groups (fun g => Z.abs (part s x keys u g - part s x keys u' g)) <= a /\
  total groups (fun g => (part s x keys u g - part s x keys u' g) * (part s x keys u g - part s x keys u' g)) <= b.
Proof.
  intros N (l & L & F & B & A) E. unfold part. rewrite B, A. clear B A. cbv zeta. assert (n : Z.of_nat (length l) <= Z.of_nat (most i)) by lia.
  assert (T1 : forall t c d, step i keys t = Some (c, d) -> total l (fun s => total groups (fun g => Z.abs (adds keys t (fst s) g - adds keys t (snd s) g))) <= Z.of_nat (length l) * c).
  { intros t c d Q. clear L n E. induction F as [|s0 l0 f F IH]; [cbn; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. destruct (slot_moves i keys t s0 c d groups N f Q) as (_ & _ & X & _). lia. }
  assert (T2 : forall t c d, step i keys t = Some (c, d) -> total l (fun s => total groups (fun g => (adds keys t (fst s) g - adds keys t (snd s) g) * (adds keys t (fst s) g - adds keys t (snd s) g))) <= Z.of_nat (length l) * d).
  { intros t c d Q. clear L n E T1. induction F as [|s0 l0 f F IH]; [cbn; lia|]. cbn [total length]. rewrite Nat2Z.inj_succ, Z.mul_succ_l. destruct (slot_moves i keys t s0 c d groups N f Q) as (_ & _ & _ & X). lia. }
  assert (nonneg : forall t c d, step i keys t = Some (c, d) -> 0 <= c /\ 0 <= d).
  { intros t c d Q. destruct (slot_moves i keys t (None, None) c d groups N I Q) as (c0 & d0 & _). easy. }
  destruct x as [t|]; cbn [level] in E.
  - destruct (step i keys t) as [[c d]|] eqn:Q; [|discriminate]. injection E as <- <-. destruct (nonneg t c d Q) as [c0 d0]. specialize (T1 t c d Q). specialize (T2 t c d Q).
    assert (P : forall g, total (filter (in_group keys g) (before l)) (amount t) - total (filter (in_group keys g) (after l)) (amount t) = total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g))
      by (intro g; now rewrite sum_before, sum_after, <- total_sub).
    split.
    + rewrite (total_ext _ groups _ (fun g => Z.abs (total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g)))) by (intros; now rewrite P).
      eapply Z.le_trans; [apply total_le; intros g _; apply total_abs|]. rewrite total_swap. nia.
    + rewrite (total_ext _ groups _ (fun g => total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g) * total l (fun s => adds keys t (fst s) g - adds keys t (snd s) g))) by (intros; now rewrite P).
      eapply Z.le_trans; [apply total_le; intros g _; apply total_square|]. rewrite total_scale, total_swap. set (n0 := Z.of_nat (length l)) in *. set (m := Z.of_nat (most i)) in *.
      assert (0 <= n0) by (unfold n0; lia). apply Z.le_trans with (n0 * (n0 * d)); [now apply Z.mul_le_mono_nonneg_l|]. assert (n0 * n0 <= m * m) by nia. nia.
  - destruct (step i keys (Lit (Some 1))) as [[c d]|] eqn:Q; [|discriminate]. injection E as <- <-. destruct (nonneg _ c d Q) as [c0 d0]. specialize (T1 _ c d Q).
    assert (X : total groups (fun g => Z.abs (here (filter (in_group keys g) (before l)) - here (filter (in_group keys g) (after l)))) <= Z.of_nat (most i) * c).
    { eapply Z.le_trans; [apply total_le; intros g _; apply units_move|]. rewrite total_swap. nia. }
    split; [exact X|]. eapply Z.le_trans; [|exact X]. apply total_le. intros g _. change (if filter (in_group keys g) (before l) then 0 else 1) with (here (filter (in_group keys g) (before l))).
    change (if filter (in_group keys g) (after l) then 0 else 1) with (here (filter (in_group keys g) (after l))).
    assert (H : forall l, 0 <= here l <= 1) by (intros [|]; cbn; lia). assert (h1 := H (filter (in_group keys g) (before l))). assert (h2 := H (filter (in_group keys g) (after l))). nia.
Qed.

(** PLAN-2, ROWS-1, JOIN-1, LEVEL-1: if the checker accepts a claim, replacing the rows of unit [i] by any that the tables allow moves all groups of all levels
    together by at most the claim, in L1 and in the square of L2. *)
Theorem checked s x levels l1 l2_squared units i d d' (groups : list term -> list (list value)) : check table s x levels l1 l2_squared = true ->
  NoDup units -> (forall keys, NoDup (groups keys)) -> (forall j, j <> i -> d j = d' j) -> (forall t, changed (table t) (d i t) (d' i t)) ->
  let move keys g := answer s x keys units d g - answer s x keys units d' g in
  total levels (fun keys => total (groups keys) (fun g => Z.abs (move keys g))) <= l1 /\
  total levels (fun keys => total (groups keys) (fun g => move keys g * move keys g)) <= l2_squared.
Proof.
  intros C NU NG E H move. unfold check in C. assert (S := analysed_changed (d i) (d' i) H s). set (inf := analysed table s) in *.
  assert (one : forall keys g, move keys g = 0 \/ move keys g = part s x keys (d i) g - part s x keys (d' i) g).
  { intros keys g. unfold move, answer. clear - NU E. induction units as [|j us IH]; cbn [total]; [left; lia|]. inversion NU; subst. destruct (Nat.eq_dec j i) as [->|D].
    - right. assert (T : total us (fun j => part s x keys (d j) g) = total us (fun j => part s x keys (d' j) g)); [|lia].
      apply total_ext. intros k I. rewrite E; [easy|]. intro; subst; tauto.
    - rewrite (E j D). destruct (IH H2); lia. }
  assert (lev : forall keys a b, level inf x keys = Some (a, b) -> total (groups keys) (fun g => Z.abs (move keys g)) <= a /\ total (groups keys) (fun g => move keys g * move keys g) <= b).
  { intros keys a b Q. destruct (level_moves inf x keys s (d i) (d' i) a b (groups keys) (NG keys) S Q) as [X Y]. split.
    - eapply Z.le_trans; [|exact X]. apply total_le. intros g _. destruct (one keys g) as [->| ->]; lia.
    - eapply Z.le_trans; [|exact Y]. apply total_le. intros g _. destruct (one keys g) as [->| ->]; [apply Z.square_nonneg|apply Z.le_refl]. }
  assert (all : forall a b, bound inf x levels = Some (a, b) -> total levels (fun keys => total (groups keys) (fun g => Z.abs (move keys g))) <= a /\ total levels (fun keys => total (groups keys) (fun g => move keys g * move keys g)) <= b).
  { clear C. induction levels as [|keys ls IH]; intros a b Q; cbn [bound total] in *; [injection Q as <- <-; lia|].
    destruct (level inf x keys) as [[a1 b1]|] eqn:Q1; [|discriminate]. destruct (bound inf x ls) as [[a2 b2]|] eqn:Q2; [|discriminate]. injection Q as <- <-.
    destruct (lev keys a1 b1 Q1). destruct (IH a2 b2 eq_refl). lia. }
  destruct (bound inf x levels) as [[a b]|]; [|discriminate]. apply andb_prop in C. destruct C as [C1 C2]. apply Z.leb_le in C1, C2. destruct (all a b eq_refl). lia.
Qed.
End Meaning.

(** ** As a program *)
Section Examples.
(* one table of at most 3 rows of a unit, all there in any case; column 0 is public, the others are secret *)
Let table (_ : nat) := Info (fun k => match k with O => Range None None false false | _ => Range None None true true end) 3 true.
Let salary := Cut 0 100 (Col 1).
Example sum_by_public_group : bound (analysed table (Table 0)) (Sum salary) [[Col 0]] = Some (300, 90000). Proof. reflexivity. Qed.
Example sum_by_secret_group : bound (analysed table (Table 0)) (Sum salary) [[Col 1]] = Some (600, 180000). Proof. reflexivity. Qed.
Example rollup : bound (analysed table (Table 0)) (Sum salary) [[Col 0]; []] = Some (600, 180000). Proof. reflexivity. Qed.
Example public_count : bound (analysed table (Where (Call 0 (Col 0) (Lit (Some 5))) (Table 0))) (Sum (Lit (Some 1))) [[Col 0]] = Some (0, 0). Proof. reflexivity. Qed.
Example no_outermost_clamp : check table (Table 0) (Sum (Plus salary (Col 1))) [[]] 1000000 1000000000000 = false. Proof. reflexivity. Qed.
Example too_small_a_claim : check table (Table 0) (Sum salary) [[Col 0]] 299 90000 = false. Proof. reflexivity. Qed.
End Examples.
Print Assumptions checked.
