(** * Statements as syntax, and what a checker can find out about their terms

    A statement reads a unit's rows; a checker that knows nothing of whoever wrote it finds out what each term can be ([possible]): ends, whether it may be
    NULL, whether it may change with a secret of the unit, whether it may differ between rows of a unit. It can be extracted as it stands.                  *)
Require Import List ZArith Lia Bool Arith.
Import ListNotations.
Open Scope Z_scope.

Definition value := option Z.                           (* None: NULL; truth is 1 and falsehood 0; texts and dates are numbers by some coding *)
Definition row := nat -> value.                         (* by column *)
Inductive term :=
| Col (k : nat)
| Lit (v : value)
| Cut (low high : Z) (t : term)                         (* greatest(least(t, high), low); NULL stays NULL *)
| Within (low high : Z) (t : term)                      (* CASE WHEN t BETWEEN low AND high THEN t END *)
| Plus (a b : term)
| Minus (a b : term)
| Times (a b : term)
| Choose (c a b : term)                                 (* CASE WHEN c THEN a ELSE b END *)
| First (a b : term)                                    (* coalesce(a, b) *)
| Equal (a b : term)
| Less (a b : term)
| And (a b : term)
| Not (a : term)
| Null (a : term)                                       (* a IS NULL *)
| True (a : term)                                       (* a IS TRUE *)
| Call (f : nat) (a b : term).                          (* any function, of which nothing is known *)

(** ** What can be known of a value *)
Record range := Range { lo : option Z; hi : option Z; nul : bool; sec : bool; byrow : bool }.   (* ends unless it is NULL; none are possible if lo > hi *)
Definition both (f : Z -> Z -> Z) (a b : option Z) : option Z := match a, b with Some x, Some y => Some (f x y) | _, _ => None end.
Definition empty (p : range) : bool := match lo p, hi p with Some l, Some h => h <? l | _, _ => false end.
Definition single (p : range) : bool := match lo p, hi p with Some l, Some h => l =? h | _, _ => false end.
(** It is always the same. *)
Definition fixed (p : range) : bool := empty p || (single p && negb (nul p)).
Definition settle (p : range) : range := if fixed p then Range (lo p) (hi p) (nul p) false false else p.
Definition made (l h : option Z) (n : bool) (p q : range) : range := settle (Range l h n (sec p || sec q) (byrow p || byrow q)).
(** Surely true; surely not true (false or NULL); surely not false (true or NULL). *)
Definition must (p : range) : bool := negb (nul p) && match lo p, hi p with Some l, Some h => (1 <=? l) || (h <=? -1) | Some l, None => 1 <=? l | None, Some h => h <=? -1 | _, _ => false end.
Definition never (p : range) : bool := empty p || match lo p, hi p with Some l, Some h => (l =? 0) && (h =? 0) | _, _ => false end.
Definition not_false (p : range) : bool := match lo p, hi p with Some l, Some h => (1 <=? l) || (h <=? -1) || (h <? l) | Some l, None => 1 <=? l | None, Some h => h <=? -1 | _, _ => false end.
Definition truth (surely surely_not : bool) : option Z * option Z := (Some (if surely then 1 else 0), Some (if surely_not then 0 else 1)).
Definition hull (p q : range) : option Z * option Z :=
  if empty p then (lo q, hi q) else if empty q then (lo p, hi p) else (both Z.min (lo p) (lo q), both Z.max (hi p) (hi q)).
Definition product (p q : range) : option Z * option Z :=
  match lo p, hi p, lo q, hi q with
  | Some a, Some b, Some c, Some d => (Some (Z.min (Z.min (a * c) (a * d)) (Z.min (b * c) (b * d))), Some (Z.max (Z.max (a * c) (a * d)) (Z.max (b * c) (b * d))))
  | _, _, _, _ => (None, None)
  end.
Definition below (p q : range) : bool := match hi p, lo q with Some h, Some l => h <? l | _, _ => false end.          (* each p is less than each q *)
Definition not_above (p q : range) : bool := match hi p, lo q with Some h, Some l => h <=? l | _, _ => false end.
Fixpoint possible (c : nat -> range) (t : term) : range :=
  match t with
  | Col k => settle (c k)
  | Lit None => Range (Some 1) (Some 0) true false false
  | Lit (Some z) => Range (Some z) (Some z) false false false
  | Cut l h t => let p := possible c t in
      settle (Range (Some (match lo p with Some x => Z.max l (Z.min h x) | None => l end)) (Some (match hi p with Some x => Z.max l (Z.min h x) | None => Z.max l h end)) (nul p) (sec p) (byrow p))
  | Within l h t => let p := possible c t in
      let inside := match lo p, hi p with Some x, Some y => (l <=? x) && (y <=? h) | _, _ => false end in
      settle (Range (Some (match lo p with Some x => Z.max l x | None => l end)) (Some (match hi p with Some x => Z.min h x | None => h end)) (nul p || negb inside) (sec p) (byrow p))
  | Plus a b => let p := possible c a in let q := possible c b in made (both Z.add (lo p) (lo q)) (both Z.add (hi p) (hi q)) (nul p || nul q) p q
  | Minus a b => let p := possible c a in let q := possible c b in made (both Z.sub (lo p) (hi q)) (both Z.sub (hi p) (lo q)) (nul p || nul q) p q
  | Times a b => let p := possible c a in let q := possible c b in made (fst (product p q)) (snd (product p q)) (nul p || nul q) p q
  | Choose x a b => let w := possible c x in let p := possible c a in let q := possible c b in
      if must w then p else if never w then q
      else settle (Range (fst (hull p q)) (snd (hull p q)) (nul p || nul q) (sec w || sec p || sec q) (byrow w || byrow p || byrow q))
  | First a b => let p := possible c a in let q := possible c b in if negb (nul p) then p else made (fst (hull p q)) (snd (hull p q)) (nul q) p q
  | Equal a b => let p := possible c a in let q := possible c b in
      let e := truth (single p && single q && negb (below p q || below q p)) (below p q || below q p) in made (fst e) (snd e) (nul p || nul q) p q
  | Less a b => let p := possible c a in let q := possible c b in let e := truth (below p q) (not_above q p) in made (fst e) (snd e) (nul p || nul q) p q
  | And a b => let p := possible c a in let q := possible c b in
      let e := truth (not_false p && not_false q) (never p || never q) in made (fst e) (snd e) (nul p || nul q) p q
  | Not a => let p := possible c a in let e := truth (never p) (not_false p) in settle (Range (fst e) (snd e) (nul p) (sec p) (byrow p))
  | Null a => let p := possible c a in let e := truth (empty p) (negb (nul p)) in settle (Range (fst e) (snd e) false (sec p) (byrow p))
  | True a => let p := possible c a in let e := truth (must p) (never p) in settle (Range (fst e) (snd e) false (sec p) (byrow p))
  | Call _ a b => made None None true (possible c a) (possible c b)
  end.

(** ** What terms mean *)
Definition is_true (v : value) : bool := match v with Some z => negb (z =? 0) | None => false end.
Definition of_bool (b : bool) : value := Some (if b then 1 else 0).
Definition lift (f : Z -> Z -> value) (a b : value) : value := match a, b with Some x, Some y => f x y | _, _ => None end.
Section Meaning.
Variable fn : nat -> value -> value -> value.           (* the functions *)
Fixpoint ev (t : term) (r : row) : value :=
  match t with
  | Col k => r k
  | Lit v => v
  | Cut l h t => match ev t r with Some z => Some (Z.max l (Z.min h z)) | None => None end
  | Within l h t => match ev t r with Some z => if (l <=? z) && (z <=? h) then Some z else None | None => None end
  | Plus a b => lift (fun x y => Some (x + y)) (ev a r) (ev b r)
  | Minus a b => lift (fun x y => Some (x - y)) (ev a r) (ev b r)
  | Times a b => lift (fun x y => Some (x * y)) (ev a r) (ev b r)
  | Choose c a b => if is_true (ev c r) then ev a r else ev b r
  | First a b => match ev a r with Some z => Some z | None => ev b r end
  | Equal a b => lift (fun x y => of_bool (x =? y)) (ev a r) (ev b r)
  | Less a b => lift (fun x y => of_bool (x <? y)) (ev a r) (ev b r)
  | And a b => match ev a r, ev b r with
               | Some 0, _ | _, Some 0 => of_bool false
               | None, _ | _, None => None
               | _, _ => of_bool true
               end
  | Not a => match ev a r with Some z => of_bool (z =? 0) | None => None end
  | Null a => of_bool (match ev a r with None => true | _ => false end)
  | True a => of_bool (is_true (ev a r))
  | Call f a b => fn f (ev a r) (ev b r)
  end.

Definition ok (p : range) (v : value) : Prop :=
  match v with None => nul p = true | Some z => match lo p with Some l => l <= z | None => Logic.True end /\ match hi p with Some h => z <= h | None => Logic.True end end.
Definition fine (c : nat -> range) (r : row) := forall k, ok (c k) (r k).
Lemma ok_settle p v : ok (settle p) v <-> ok p v.
Proof. unfold settle. destruct (fixed p); [|easy]. destruct v; easy. Qed.
Lemma ok_fixed p v v' : fixed p = true -> ok p v -> ok p v' -> v = v'.
Proof.
  unfold fixed, empty, single, ok. intros F A B. apply orb_prop in F. destruct F as [F|F]; [|apply andb_prop in F; destruct F as [F G]; apply negb_true_iff in G];
    destruct (lo p) as [l|], (hi p) as [h|]; try discriminate; [apply Z.ltb_lt in F|apply Z.eqb_eq in F]; destruct v as [z|], v' as [z'|]; try congruence; try lia. f_equal. lia.
Qed.
Lemma ok_empty p z : ok p (Some z) -> empty p = false.
Proof. unfold ok, empty. destruct (lo p) as [l|], (hi p) as [h|]; try easy. intros []. apply Z.ltb_ge. lia. Qed.
Lemma ok_must p v : ok p v -> must p = true -> is_true v = true.
Proof.
  unfold ok, must. destruct v as [z|]; cbn [is_true]; [|intros ->; discriminate]. intros [A B] M. apply andb_prop in M. destruct M as [_ M]. apply negb_true_iff, Z.eqb_neq.
  destruct (lo p) as [l|], (hi p) as [h|]; try discriminate; [apply orb_prop in M; destruct M as [M|M]|..]; apply Z.leb_le in M; lia.
Qed.
Lemma ok_never p v : ok p v -> never p = true -> is_true v = false.
Proof.
  intros A N. destruct v as [z|]; [|easy]. unfold never in N. rewrite (ok_empty p z A) in N. unfold ok in A. destruct A as [A B]. cbn in *.
  destruct (lo p) as [l|], (hi p) as [h|]; try discriminate. apply andb_prop in N. destruct N as [N1 N2]. apply Z.eqb_eq in N1, N2. subst. replace z with 0 by lia. easy.
Qed.
Lemma ok_not_false p v : ok p v -> not_false p = true -> v <> Some 0.
Proof.
  unfold ok, not_false. intros A N E. subst. destruct A as [A B].
  destruct (lo p) as [l|], (hi p) as [h|]; try discriminate; [apply orb_prop in N; destruct N as [N|N]; [apply orb_prop in N; destruct N as [N|N]; apply Z.leb_le in N|apply Z.ltb_lt in N]|apply Z.leb_le in N|apply Z.leb_le in N]; lia.
Qed.
Lemma ok_hull p q s r : (forall v, ok p v -> ok (Range (fst (hull p q)) (snd (hull p q)) (nul p || nul q) s r) v) /\ (forall v, ok q v -> ok (Range (fst (hull p q)) (snd (hull p q)) (nul p || nul q) s r) v).
Proof.
  unfold hull. split; intros [z|] A; cbn [ok lo hi nul] in *; try (rewrite A; now rewrite ?orb_true_r).
  - rewrite (ok_empty p z A). destruct (empty q); [easy|]. cbn. destruct A as [A B]. destruct (lo p), (lo q), (hi p), (hi q); cbn; lia.
  - destruct (empty p); [easy|]. rewrite (ok_empty q z A). cbn. destruct A as [A B]. destruct (lo p), (lo q), (hi p), (hi q); cbn; lia.
Qed.
Lemma ok_truth n s r (a b v : bool) : (a = true -> v = true) -> (b = true -> v = false) -> ok (Range (fst (truth a b)) (snd (truth a b)) n s r) (of_bool v).
Proof. intros A B. unfold truth, of_bool. cbn. destruct a, b, v; try lia; try (now specialize (A eq_refl)); now specialize (B eq_refl). Qed.
Lemma ok_product p q n s r x y : ok p (Some x) -> ok q (Some y) -> ok (Range (fst (product p q)) (snd (product p q)) n s r) (Some (x * y)).
Proof.
  unfold ok, product. intros [A B] [C D]. destruct (lo p) as [a|], (hi p) as [b|], (lo q) as [c|], (hi q) as [d|]; cbn; try easy.
  assert (L : forall u v w z, u <= z <= v -> Z.min (u * w) (v * w) <= z * w <= Z.max (u * w) (v * w)) by (clear; intros u v w z [H1 H2]; destruct (Z.le_gt_cases 0 w); [assert (u * w <= z * w <= v * w) by nia|assert (v * w <= z * w <= u * w) by nia]; lia).
  assert (h := L a b y x (conj A B)). assert (h1 := L c d a y (conj C D)). assert (h2 := L c d b y (conj C D)). lia.
Qed.
Lemma below_spec p q x y : ok p (Some x) -> ok q (Some y) -> below p q = true -> x < y.
Proof. unfold ok, below. destruct (hi p), (lo q); try easy. rewrite Z.ltb_lt. intros [] []. lia. Qed.
Lemma not_above_spec p q x y : ok p (Some x) -> ok q (Some y) -> not_above p q = true -> x <= y.
Proof. unfold ok, not_above. destruct (hi p), (lo q); try easy. rewrite Z.leb_le. intros [] []. lia. Qed.
Lemma single_spec p q x y : ok p (Some x) -> ok q (Some y) -> single p && single q && negb (below p q || below q p) = true -> x = y.
Proof.
  unfold ok, single, below. intros [A1 A2] [B1 B2] E. apply andb_prop in E. destruct E as [E N]. apply andb_prop in E. destruct E as [S T]. apply negb_true_iff, orb_false_elim in N. destruct N as [N1 N2].
  destruct (lo p), (hi p), (lo q), (hi q); try discriminate. apply Z.eqb_eq in S, T. apply Z.ltb_ge in N1, N2. lia.
Qed.

(** What the checker says of a term holds for every row whose columns are as they are said to be. *)
Lemma ev_ok c r t : fine c r -> ok (possible c t) (ev t r).
Proof.
  intro F. induction t as [k|[z|]|l h t IH|l h t IH|a IHa b IHb|a IHa b IHb|a IHa b IHb|x IHx a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa|a IHa|a IHa|f a IHa b IHb];
    cbn [possible ev]; unfold made; try match goal with |- ok (settle _) _ => apply (proj2 (ok_settle _ _)) end.
  - apply F.
  - cbn. lia.
  - reflexivity.
  - destruct (ev t r) as [z|]; [|exact IH]. cbn in *. destruct (lo (possible c t)), (hi (possible c t)); lia.
  - destruct (ev t r) as [z|]; cbn in *; [|now rewrite IH]. destruct ((l <=? z) && (z <=? h)) eqn:E; cbn.
    + apply andb_prop in E. destruct E as [E1 E2]. apply Z.leb_le in E1, E2. destruct (lo (possible c t)), (hi (possible c t)); lia.
    + destruct (lo (possible c t)) as [u|], (hi (possible c t)) as [v|]; cbn; rewrite ?orb_true_r; try easy. destruct ((l <=? u) && (v <=? h)) eqn:G; [|now rewrite orb_true_r].
      apply andb_prop in G. destruct G as [G1 G2]. apply Z.leb_le in G1, G2. apply andb_false_iff in E. destruct E as [E|E]; apply Z.leb_gt in E; lia.
  - destruct (ev a r), (ev b r); cbn in *; rewrite ?IHa, ?IHb, ?orb_true_r; auto.
    destruct (lo (possible c a)), (lo (possible c b)), (hi (possible c a)), (hi (possible c b)); cbn; lia.
  - destruct (ev a r), (ev b r); cbn in *; rewrite ?IHa, ?IHb, ?orb_true_r; auto.
    destruct (lo (possible c a)), (lo (possible c b)), (hi (possible c a)), (hi (possible c b)); cbn; lia.
  - destruct (ev a r), (ev b r); cbn [lift]; try (cbn in *; rewrite ?IHa, ?IHb, ?orb_true_r; auto; fail). now apply ok_product.
  - destruct (must (possible c x)) eqn:M; [now rewrite (ok_must _ _ IHx M)|]. destruct (never (possible c x)) eqn:N; [now rewrite (ok_never _ _ IHx N)|]. apply (proj2 (ok_settle _ _)).
    destruct (is_true (ev x r)); [apply (proj1 (ok_hull _ _ _ _) _ IHa)|apply (proj2 (ok_hull _ _ _ _) _ IHb)].
  - destruct (nul (possible c a)) eqn:N; cbn [negb].
    + apply (proj2 (ok_settle _ _)). assert (Hu := ok_hull (possible c a) (possible c b) (sec (possible c a) || sec (possible c b)) (byrow (possible c a) || byrow (possible c b))). rewrite N in Hu. destruct Hu as [H1 H2].
      destruct (ev a r) as [z|]; [specialize (H1 _ IHa); exact H1|]. specialize (H2 _ IHb). destruct (ev b r); [exact H2|exact IHb].
    + destruct (ev a r); [exact IHa|cbn in IHa; congruence].
  - destruct (ev a r) as [x|], (ev b r) as [y|]; cbn [lift]; try (cbn in *; rewrite ?IHa, ?IHb, ?orb_true_r; auto; fail). apply ok_truth; intro H.
    + apply Z.eqb_eq. eapply single_spec; eauto.
    + apply Z.eqb_neq. apply orb_prop in H. destruct H as [H|H]; [assert (x < y)|assert (y < x)]; try lia; eapply below_spec; eauto.
  - destruct (ev a r) as [x|], (ev b r) as [y|]; cbn [lift]; try (cbn in *; rewrite ?IHa, ?IHb, ?orb_true_r; auto; fail). apply ok_truth; intro H.
    + apply Z.ltb_lt. eapply below_spec; eauto.
    + apply Z.ltb_ge. eapply not_above_spec; eauto.
  - assert (T : forall v v', ok (possible c a) v -> ok (possible c b) v' -> v = Some 0 \/ v' = Some 0 -> not_false (possible c a) && not_false (possible c b) = true -> False).
    { intros v v' A B E H. apply andb_prop in H. destruct H as [H1 H2]. destruct E as [-> | ->]; [exact (ok_not_false _ _ A H1 eq_refl)|exact (ok_not_false _ _ B H2 eq_refl)]. }
    assert (U : forall x y, x <> 0 -> y <> 0 -> ok (possible c a) (Some x) -> ok (possible c b) (Some y) -> never (possible c a) || never (possible c b) = true -> False).
    { intros x y X Y A B H. apply orb_prop in H. destruct H as [H|H]; [assert (E := ok_never _ _ A H)|assert (E := ok_never _ _ B H)]; cbn in E; apply negb_false_iff, Z.eqb_eq in E; easy. }
    assert (Zr : forall n s k, ok (possible c a) (ev a r) -> ok (possible c b) (ev b r) -> ev a r = Some 0 \/ ev b r = Some 0 ->
      ok (Range (fst (truth (not_false (possible c a) && not_false (possible c b)) (never (possible c a) || never (possible c b)))) (snd (truth (not_false (possible c a) && not_false (possible c b)) (never (possible c a) || never (possible c b)))) n s k) (of_bool false)).
    { intros n s k A B E. apply ok_truth; [|easy]. intro H. exfalso. now apply (T _ _ A B E H). }
    destruct (ev a r) as [[|x|x]|] eqn:Ea, (ev b r) as [[|y|y]|] eqn:Eb; try (apply Zr; auto; fail); try (cbn in IHa, IHb |- *; rewrite ?IHa, ?IHb, ?orb_true_r; easy);
      (apply ok_truth; [easy|]; intro H; exfalso; eapply U; eauto; easy).
  - destruct (ev a r) as [z|]; [|exact IHa]. apply ok_truth; intro H.
    + assert (E := ok_never _ _ IHa H). cbn in E. now apply negb_false_iff in E.
    + assert (E := ok_not_false _ _ IHa H). apply Z.eqb_neq. intro; subst; easy.
  - apply ok_truth; intro H; destruct (ev a r) as [z|]; try easy; [rewrite (ok_empty _ z IHa) in H; discriminate|]. cbn in IHa. rewrite IHa in H. discriminate.
  - apply ok_truth; intro H; [now apply (ok_must _ _ IHa)|now apply (ok_never _ _ IHa)].
  - destruct (fn f (ev a r) (ev b r)); cbn; auto.
Qed.

(** A term that depends on nothing that differs between two rows is the same in both. [s]: secrets may differ; [w]: what differs by row may. *)
Definition moves (s w : bool) (p : range) : bool := (s && sec p) || (w && byrow p).
Definition agree (s w : bool) (c : nat -> range) (x y : row) := forall k, moves s w (c k) = false -> x k = y k.
Lemma settled s w p : moves s w (settle p) = false -> fixed p = true \/ moves s w p = false.
Proof. unfold settle. destruct (fixed p); auto. Qed.
Lemma moves_two s w l h n p q : moves s w (Range l h n (sec p || sec q) (byrow p || byrow q)) = false -> moves s w p = false /\ moves s w q = false.
Proof. unfold moves. cbn. destruct s, w, (sec p), (sec q), (byrow p), (byrow q); now cbn. Qed.
Lemma moves_three s w l h n o p q : moves s w (Range l h n (sec o || sec p || sec q) (byrow o || byrow p || byrow q)) = false -> moves s w o = false /\ moves s w p = false /\ moves s w q = false.
Proof. unfold moves. cbn. destruct s, w, (sec o), (sec p), (sec q), (byrow o), (byrow p), (byrow q); now cbn. Qed.
Lemma ev_agree s w c x y t : fine c x -> fine c y -> agree s w c x y -> moves s w (possible c t) = false -> ev t x = ev t y.
Proof.
  intros X Y A. induction t as [k|[z|]|l h t IH|l h t IH|a IHa b IHb|a IHa b IHb|a IHa b IHb|u IHu a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa b IHb|a IHa|a IHa|a IHa|f a IHa b IHb]; intro H;
    try reflexivity;
    match goal with |- ev (Choose _ _ _) _ = _ => idtac | |- ev (First _ _) _ = _ => idtac | |- ev ?t _ = _ =>
      assert (O := ev_ok c x t X); assert (O' := ev_ok c y t Y); cbn [possible] in O, O', H; unfold made in O, O', H; apply (proj1 (ok_settle _ _)) in O; apply (proj1 (ok_settle _ _)) in O'; apply settled in H;
      destruct H as [H|H]; [now apply (ok_fixed _ _ _ H)|clear O O'] end;
    try (apply moves_two in H; destruct H as [Ha Hb]).
  - now apply A.
  - cbn [ev]. now rewrite (IH H).
  - cbn [ev]. now rewrite (IH H).
  - cbn [ev]. now rewrite IHa, IHb.
  - cbn [ev]. now rewrite IHa, IHb.
  - cbn [ev]. now rewrite IHa, IHb.
  - assert (Ou := ev_ok c x u X). assert (Ou' := ev_ok c y u Y). assert (O := ev_ok c x (Choose u a b) X). assert (O' := ev_ok c y (Choose u a b) Y). cbn [ev possible] in *.
    destruct (must (possible c u)) eqn:M; [rewrite (ok_must _ _ Ou M), (ok_must _ _ Ou' M); now apply IHa|].
    destruct (never (possible c u)) eqn:N; [rewrite (ok_never _ _ Ou N), (ok_never _ _ Ou' N); now apply IHb|].
    apply (proj1 (ok_settle _ _)) in O. apply (proj1 (ok_settle _ _)) in O'. apply settled in H. destruct H as [H|H]; [now apply (ok_fixed _ _ _ H)|]. apply moves_three in H. destruct H as (Hu & Ha & Hb). now rewrite IHu, IHa, IHb.
  - assert (Oa := ev_ok c x a X). assert (Oa' := ev_ok c y a Y). assert (O := ev_ok c x (First a b) X). assert (O' := ev_ok c y (First a b) Y). cbn [ev possible] in *.
    destruct (nul (possible c a)) eqn:N; cbn [negb] in *.
    + unfold made in *. apply (proj1 (ok_settle _ _)) in O. apply (proj1 (ok_settle _ _)) in O'. apply settled in H. destruct H as [H|H]; [now apply (ok_fixed _ _ _ H)|]. apply moves_two in H. destruct H as [Ha Hb]. now rewrite IHa, IHb.
    + rewrite (IHa H). destruct (ev a y); [easy|]. cbn in Oa'. congruence.
  - cbn [ev]. now rewrite IHa, IHb.
  - cbn [ev]. now rewrite IHa, IHb.
  - cbn [ev]. now rewrite IHa, IHb.
  - cbn [ev]. now rewrite (IHa H).
  - cbn [ev]. now rewrite (IHa H).
  - cbn [ev]. now rewrite (IHa H).
  - cbn [ev]. now rewrite IHa, IHb.
Qed.
End Meaning.
