(** * The exact loss of groups with non-negative ties

    A group of yes/no records. Given all other records, that one member has it multiplies the odds of another member's having it by at least 1 and at most
    e^theta; ties of three and more members are allowed, and any prevalences. Every record's plain loss is at most Lambda, n members besides record i are
    unknown. With r = e^(theta / 2), l = e^(Lambda / 2) the dependent loss is at most 2 ln of

    [l * reinforced r n l] = l * sum_k C(n,k) r^(-k(n-k)) (r l)^k / sum_k C(n,k) r^(-k(n-k)) r^k l^(n-k).                                                 *)
Require Import Reals List Lra Lia Psatz Arith Bool FunctionalExtensionality.
From Kith Require Sums Tilt.
From Kith Require Import Records Levels Spread Peak.
Import ListNotations.
Open Scope R_scope.

(** ** The bound for laws on {0,1}^n *)
Lemma reinforced_pos r n l : 1 <= r -> 1 <= l -> 0 < reinforced r n l.
Proof. intros. apply Rdiv_lt_0_compat; apply equal_pos; nra. Qed.
Theorem tilts_reinforce r n l q : 1 <= r -> 1 <= l -> (forall x, 0 < q x) -> tied (r * r) n q ->
  Tilt.sum n (fun x => q x * (l * l * (r * r)) ^ ones n x) * Tilt.sum n q
  <= reinforced r n l * reinforced r n l * (Tilt.sum n (fun x => q x * (l * l) ^ ones n x) * Tilt.sum n (fun x => q x * (r * r) ^ ones n x)).
Proof.
  intros r1 l1 qp T. assert (c1 : 1 <= r * r) by nra. assert (d1 : 1 <= l * l) by nra.
  assert (P : forall a, 0 < a -> 0 < Tilt.sum n (fun x => q x * a ^ ones n x)) by (intros; apply csum_pos; intro; apply Rmult_lt_0_compat; [easy|now apply pow_lt]).
  assert (W : forall u a, 0 < u -> 0 < a -> 0 < cw (r * r) n u (fun k => a ^ k)).
  { intros u a u0 a0. apply bin_pos. intros k _. apply Rmult_lt_0_compat; [now apply weight_pos|now apply pow_lt]. }
  set (X := Tilt.sum n (fun x => q x * (l * l * (r * r)) ^ ones n x)). set (Y := Tilt.sum n (fun x => q x * (l * l) ^ ones n x)). set (Z := Tilt.sum n (fun x => q x * (r * r) ^ ones n x)).
  assert (x0 : 0 < X) by (apply P; nra). assert (y0 : 0 < Y) by (apply P; lra). assert (z0 : 0 < Z) by (apply P; lra). assert (q0 : 0 < Tilt.sum n q) by now apply csum_pos.
  assert (F : forall u, 0 < u ->
    X * Tilt.sum n q * (cw (r * r) n u (fun k => (l * l) ^ k) * cw (r * r) n u (fun k => (r * r) ^ k)) <= cw (r * r) n u (fun k => (l * l * (r * r)) ^ k) * mass (r * r) n u * (Y * Z) ->
    X * Tilt.sum n q <= reinforced r n l * reinforced r n l * (Y * Z)).
  { intros u u0 H. assert (K := peak r r1 n u l u0 l1). replace (r * r * (l * l)) with (l * l * (r * r)) in K by ring.
    assert (a := W u (l * l) u0 ltac:(lra)). assert (b := W u (r * r) u0 ltac:(lra)).
    set (A := cw (r * r) n u (fun k => (l * l) ^ k)) in *. set (B := cw (r * r) n u (fun k => (r * r) ^ k)) in *.
    apply Rmult_le_reg_r with (A * B); [now apply Rmult_lt_0_compat|]. eapply Rle_trans; [exact H|].
    apply (Rmult_le_compat_r (Y * Z)) in K; [lra|]. left. now apply Rmult_lt_0_compat. }
  destruct (Rle_lt_or_eq_dec 1 (Rmax (r * r) (l * l))) as [s1|s1]; [eapply Rle_trans; [exact c1|apply Rmax_l]| |].
  - destruct (Rle_dec (r * r) (l * l)) as [h|h].
    + rewrite Rmax_right in s1 by easy. destruct (equal_is_worst (r * r) c1 (l * l) h s1 n q (r * r) qp T c1 h) as (u & u0 & H). now apply (F u).
    + assert (h' : l * l <= r * r) by lra. rewrite Rmax_left in s1 by easy.
      destruct (equal_is_worst (r * r) c1 (r * r) (Rle_refl _) s1 n q (l * l) qp T d1 h') as (u & u0 & H). apply (F u u0).
      unfold X, Y, Z. replace (l * l * (r * r)) with (r * r * (l * l)) by ring. lra.
  - assert (r = 1) by (assert (h := Rmax_l (r * r) (l * l)); nra). assert (l = 1) by (assert (h := Rmax_r (r * r) (l * l)); nra). subst r l.
    assert (E : forall f : R, f = 1 -> Tilt.sum n (fun x => q x * f ^ ones n x) = Tilt.sum n q) by (intros f ->; apply csum_ext; intro; rewrite pow1; ring).
    unfold X, Y, Z. rewrite !E by ring. unfold reinforced. rewrite Rmult_1_r. assert (e := equal_pos 1 ltac:(lra) n 1 1 ltac:(lra) ltac:(lra)). right. field. lra.
Qed.

(** More members, more loss: the law with equal ties, and an independent member. *)
Lemma equal_tied c : 1 <= c -> forall n u a, 0 < u -> tied c n (fun x => wt c (a + ones n x) * u ^ (a + ones n x)).
Proof.
  intros c1 n u a u0. assert (G : forall n a, grows c n (fun x => wt c (a + ones n x) * u ^ (a + ones n x)) (fun x => wt c (S a + ones n x) * u ^ (S a + ones n x))).
  { clear n a. induction n as [|n IH]; intro a; [easy|]. split.
    - intro y. cbn [ones fst snd]. rewrite !Nat.add_0_l, !Nat.add_succ_l. set (m := ones n y). replace (a + S (0 + m))%nat with (S (a + m)) by lia. set (k := (a + m)%nat).
      cbn [wt pow]. assert (w := wt_pos c c1 k). assert (p := pow_lt u k u0). assert (d := pow_lt c k ltac:(lra)).
      assert (A : 0 < c ^ k * wt c k * (u * u ^ k) * (c ^ k * wt c k * (u * u ^ k))) by (assert (0 < c ^ k * wt c k * (u * u ^ k)) by (repeat apply Rmult_lt_0_compat; lra); now apply Rmult_lt_0_compat).
      split; nra.
    - intros [|]; cbn [ones fst snd].
      + replace (fun y => wt c (a + (1 + ones n y)) * u ^ (a + (1 + ones n y))) with (fun y => wt c (S a + ones n y) * u ^ (S a + ones n y)) by (extensionality y; now rewrite Nat.add_assoc, (Nat.add_comm a 1)).
        replace (fun y => wt c (S a + (1 + ones n y)) * u ^ (S a + (1 + ones n y))) with (fun y => wt c (S (S a) + ones n y) * u ^ (S (S a) + ones n y)) by (extensionality y; now rewrite Nat.add_assoc, (Nat.add_comm (S a) 1)).
        apply IH.
      + apply (IH a). }
  revert a. induction n as [|n IH]; intro a; [easy|]. cbn [tied ones fst snd]. split; [apply (IH a)|].
  replace (fun y => wt c (a + (1 + ones n y)) * u ^ (a + (1 + ones n y))) with (fun y => wt c (S a + ones n y) * u ^ (S a + ones n y)) by (extensionality y; now rewrite Nat.add_assoc, (Nat.add_comm a 1)).
  split; [apply IH|apply (G n a)].
Qed.
Lemma grows_self c n : 1 <= c -> forall f, (forall x, 0 < f x) -> grows c n f f.
Proof.
  intro c1. induction n as [|n IH]; intros f fp; [easy|]. split.
  - intro y. assert (a := fp (false, y)). assert (b := fp (true, y)). assert (0 < f (false, y) * f (true, y)) by now apply Rmult_lt_0_compat. split; nra.
  - intro b. apply (IH (fun y => f (b, y))). auto.
Qed.
Theorem reinforced_more r n l : 1 <= r -> 1 <= l -> reinforced r n l <= reinforced r (S n) l.
Proof.
  intros r1 l1. destruct (peak_attained r r1 n l l1) as (u & u0 & E). assert (c1 : 1 <= r * r) by nra.
  set (w := fun x : Tilt.cube n => wt (r * r) (0 + ones n x) * u ^ (0 + ones n x)). set (q := fun x : Tilt.cube (S n) => w (snd x)).
  assert (wp : forall x, 0 < w x) by (intro; now apply weight_pos).
  assert (T : tied (r * r) (S n) q).
  { split; [|split]; try apply (equal_tied (r * r) c1 n u 0 u0). now apply (grows_self (r * r) n c1 w). }
  assert (B := tilts_reinforce r (S n) l q r1 l1 ltac:(intro; apply wp) T).
  assert (S2 : forall a, Tilt.sum (S n) (fun x => q x * a ^ ones (S n) x) = (1 + a) * cw (r * r) n u (fun k => a ^ k)).
  { intro a. rewrite csum_first. unfold q. cbn [ones fst snd]. unfold cw. rewrite <- (sum_ones n (fun k => wt (r * r) k * u ^ k * a ^ k)), <- csum_scale, <- csum_add.
    apply csum_ext. intro x. unfold w. simpl. ring. }
  assert (S1 : Tilt.sum (S n) q = 2 * mass (r * r) n u).
  { rewrite csum_first. unfold q, mass. cbn [snd]. rewrite <- (sum_ones n (fun k => wt (r * r) k * u ^ k)), <- csum_scale, <- csum_add. apply csum_ext. intro. unfold w. simpl. ring. }
  rewrite !S2, S1 in B. replace (l * l * (r * r)) with (r * r * (l * l)) in B by ring.
  assert (W : forall a, 0 < a -> 0 < cw (r * r) n u (fun k => a ^ k)).
  { intros a a0. apply bin_pos. intros k _. apply Rmult_lt_0_compat; [now apply weight_pos|now apply pow_lt]. }
  assert (a := W (l * l) ltac:(nra)). assert (b := W (r * r) ltac:(nra)).
  set (A := cw (r * r) n u (fun k => (l * l) ^ k)) in *. set (C := cw (r * r) n u (fun k => (r * r) ^ k)) in *.
  assert (p := reinforced_pos r n l r1 l1). assert (p' := reinforced_pos r (S n) l r1 l1). set (R := reinforced r n l) in *. set (R' := reinforced r (S n) l) in *.
  assert (AC : 0 < A * C) by now apply Rmult_lt_0_compat.
  assert (B' : R * R * ((1 + r * r * (l * l)) * 2) <= R' * R' * ((1 + l * l) * (1 + r * r))).
  { apply Rmult_le_reg_r with (A * C); [easy|]. replace (R * R * ((1 + r * r * (l * l)) * 2) * (A * C)) with ((1 + r * r * (l * l)) * 2 * (R * R * (C * A))) by ring. rewrite <- E. lra. }
  assert (M : (1 + l * l) * (1 + r * r) <= (1 + r * r * (l * l)) * 2) by (assert (0 <= (l * l - 1) * (r * r - 1)) by (apply Rmult_le_pos; nra); lra).
  assert (R * R <= R' * R').
  { apply Rmult_le_reg_r with ((1 + r * r * (l * l)) * 2); [nra|]. eapply Rle_trans; [exact B'|]. apply Rmult_le_compat_l; [nra|easy]. }
  apply Rnot_lt_le. intro. nra.
Qed.

(** One place against the others: its own loss, the worst mechanism, the worst tie, and what the others' tilts are worth. *)
Lemma first_against_second r l : 1 <= r -> 1 <= l -> forall n (q0 q1 k0 k1 : Tilt.cube n -> R), (forall y, 0 < q0 y) -> (forall y, 0 < q1 y) -> (forall y, 0 < k0 y) ->
  tied (r * r) n q0 -> tied (r * r) n q1 -> grows (r * r) n q0 q1 -> (forall y, k1 y <= l * l * k0 y) -> Tilt.lip n (fun _ => l * l) k0 ->
  Tilt.sum n (fun y => q1 y * k1 y) * Tilt.sum n q0 <= l * reinforced r n l * (l * reinforced r n l) * (Tilt.sum n (fun y => q0 y * k0 y) * Tilt.sum n q1).
Proof.
  intros r1 l1 n q0 q1 k0 k1 q0p q1p k0p T0 T1 G K01 LK. assert (c1 : 1 <= r * r) by nra. assert (d1 : 1 <= l * l) by nra. set (G0 := reinforced r n l).
  assert (own : Tilt.sum n (fun y => q1 y * k1 y) <= l * l * Tilt.sum n (fun y => q1 y * k0 y)).
  { rewrite <- csum_scale. apply csum_le. intro y. specialize (K01 y). assert (p := q1p y). nra. }
  assert (worst : Tilt.sum n (fun y => q1 y * k0 y) * Tilt.sum n (fun y => q0 y * (l * l) ^ ones n y) <= Tilt.sum n (fun y => q1 y * (l * l) ^ ones n y) * Tilt.sum n (fun y => q0 y * k0 y)).
  { assert (W := Tilt.tilt_is_worst n q0 q1 k0 (Tilt.tilt n (fun _ => l * l))).
    rewrite (csum_ext n (fun x => q0 x * Tilt.tilt n (fun _ => l * l) x) (fun y => q0 y * (l * l) ^ ones n y)) in W by (intro; now rewrite tilt_ones).
    rewrite (csum_ext n (fun x => q1 x * Tilt.tilt n (fun _ => l * l) x) (fun y => q1 y * (l * l) ^ ones n y)) in W by (intro; now rewrite tilt_ones).
    apply W; try (intro; left; auto; fail).
    - intro. left. now apply Tilt.tilt_pos.
    - intros y z. apply (tied_up (r * r) (S n) (fun x => if fst x then q1 (snd x) else q0 (snd x))) with (x := (true, y)) (y := (false, z)); [intros [[|] u]; simpl; auto|easy].
    - apply (Tilt.tilt_steep n (fun _ => l * l) k0); auto. intro. left. auto. }
  assert (most := first_most (r * r) c1 n q0 q1 q0p q1p T0 G (l * l) d1).
  assert (both := tilts_reinforce r n l q0 r1 l1 q0p T0). fold G0 in both.
  assert (P : forall (q f : Tilt.cube n -> R), (forall y, 0 < q y) -> (forall y, 0 < f y) -> 0 < Tilt.sum n (fun y => q y * f y)) by (intros; apply csum_pos; intro; now apply Rmult_lt_0_compat).
  assert (a0 := P q1 k0 q1p k0p). assert (b0 := P q0 k0 q0p k0p).
  assert (pw : forall s : R, 1 <= s -> forall y : Tilt.cube n, 0 < s ^ ones n y) by (intros; apply pow_lt; lra).
  assert (t0 := P q0 _ q0p (pw (l * l) d1)). assert (t1 := P q1 _ q1p (pw (l * l) d1)). assert (e0 := P q0 _ q0p (pw (r * r) c1)).
  assert (s0 := csum_pos n q0 q0p). assert (s1 := csum_pos n q1 q1p). cbv beta in *.
  set (A := Tilt.sum n (fun y => q1 y * k0 y)) in *. set (B := Tilt.sum n (fun y => q0 y * k0 y)) in *. set (Y := Tilt.sum n (fun y => q0 y * (l * l) ^ ones n y)) in *.
  set (Y1 := Tilt.sum n (fun y => q1 y * (l * l) ^ ones n y)) in *. set (E := Tilt.sum n (fun y => q0 y * (r * r) ^ ones n y)) in *. set (D := Tilt.sum n (fun x => q0 x * (l * l * (r * r)) ^ ones n x)) in *.
  set (Q0 := Tilt.sum n q0) in *. set (Q1 := Tilt.sum n q1) in *.
  assert (F : A * Q0 <= G0 * G0 * (B * Q1)).
  { apply Rmult_le_reg_r with (Y * E); [now apply Rmult_lt_0_compat|].
    apply (Rmult_le_compat_r (Q0 * E)) in worst; [|left; now apply Rmult_lt_0_compat]. apply (Rmult_le_compat_r (B * Q0)) in most; [|left; now apply Rmult_lt_0_compat].
    apply (Rmult_le_compat_r (B * Q1)) in both; [|left; now apply Rmult_lt_0_compat]. lra. }
  apply Rle_trans with (l * l * A * Q0); [apply Rmult_le_compat_r; lra|]. apply (Rmult_le_compat_l (l * l)) in F; [|lra]. lra.
Qed.
Lemma reinforced_ge1 r n l : 1 <= r -> 1 <= l -> 1 <= reinforced r n l.
Proof. intros. induction n as [|n IH]; [unfold reinforced, equal; simpl; right; field|]. eapply Rle_trans; [exact IH|now apply reinforced_more]. Qed.

(** ** Groups *)
Notation db := (Records.db bool).
Definition yes_no := [false; true].
Section Groups.
Variable members : list nat.
Variables r l : R.                       (* e^(theta / 2), e^(Lambda / 2) *)
Hypothesis r1 : 1 <= r.
Hypothesis l1 : 1 <= l.
Notation total := (Records.total yes_no).
(** Given all other records, the odds ratio of two members is at least 1 and at most r^2. *)
Definition never_lowers (w : db -> R) : Prop := (forall x, 0 < w x) /\ forall i j, In i members -> In j members -> i <> j -> forall x,
  w (upd (upd x i true) j false) * w (upd (upd x i false) j true) <= w (upd (upd x i true) j true) * w (upd (upd x i false) j false) /\
  w (upd (upd x i true) j true) * w (upd (upd x i false) j false) <= r * r * (w (upd (upd x i true) j false) * w (upd (upd x i false) j true)).

(** Members' values as a point of the cube. *)
Fixpoint fill (W : list nat) (x : db) : Tilt.cube (length W) -> db :=
  match W with [] => fun _ => x | i :: W => fun y => fill W (upd x i (fst y)) (snd y) end.
Lemma total_fill W : forall F x, total W F x = Tilt.sum (length W) (fun y => F (fill W x y)).
Proof. induction W as [|i W IH]; intros F x; [easy|]. cbn [length]. rewrite csum_first. cbn [Records.total yes_no Sums.sum fill fst snd]. rewrite !IH. ring. Qed.
Lemma fill_upd W : forall i a x y, ~ In i W -> fill W (upd x i a) y = upd (fill W x y) i a.
Proof. induction W as [|j W IH]; intros i a x y N; [easy|]. cbn [fill]. rewrite upd_comm by (intro; subst; apply N; now left). apply IH. intro; apply N; now right. Qed.
Lemma group_grows w W i x : never_lowers w -> NoDup (i :: W) -> incl (i :: W) members ->
  grows (r * r) (length W) (fun y => w (fill W (upd x i false) y)) (fun y => w (fill W (upd x i true) y)).
Proof.
  intros [wp H]. revert x. induction W as [|j W IH]; intros x N I; [easy|]. inversion N as [|? ? ni N1]; subst. inversion N1 as [|? ? nj N2]; subst. simpl in ni.
  cbn [length grows fill fst snd]. split.
  - intro y. rewrite !fill_upd by tauto.
    destruct (H i j ltac:(apply I; now left) ltac:(apply I; right; now left) ltac:(intro; subst; tauto) (fill W x y)) as [a b]. split; lra.
  - intro b. assert (E : forall a, (fun y => w (fill W (upd (upd x i a) j b) y)) = (fun y => w (fill W (upd (upd x j b) i a) y))) by (intro; extensionality y; rewrite upd_comm; [easy|intro; subst; tauto]).
    rewrite !E. apply IH; [constructor; [tauto|easy]|]. intros k [<-|hk]; apply I; [now left|right; now right].
Qed.
Lemma group_tied w W : never_lowers w -> NoDup W -> incl W members -> forall x, tied (r * r) (length W) (fun y => w (fill W x y)).
Proof.
  intros C N. induction W as [|i W IH]; intros I x; [easy|]. cbn [length tied fill fst snd]. assert (I' : incl W members) by (intros k hk; apply I; now right).
  inversion N; subst. split; [|split]; try (now apply IH). now apply group_grows.
Qed.
Lemma plain_lip K W : plain (fun _ => l) K -> NoDup W -> forall x, Tilt.lip (length W) (fun _ => l * l) (fun y => K (fill W x y)).
Proof.
  intros [Kp H] N. induction W as [|i W IH]; intros x; [easy|]. inversion N; subst. cbn [length Tilt.lip fill fst snd]. split; [|intro; now apply IH].
  intro y. rewrite !fill_upd by easy. split; apply H.
Qed.

Lemma yes_against_no w K i others : never_lowers w -> plain (fun _ => l) K -> NoDup (i :: others) -> incl (i :: others) members -> forall x,
  total others (fun y => w y * K y) (upd x i true) * total others w (upd x i false)
  <= l * reinforced r (length others) l * (l * reinforced r (length others) l) * (total others (fun y => w y * K y) (upd x i false) * total others w (upd x i true)).
Proof.
  intros C FK N I x. inversion N as [|? ? ni N']; subst. assert (I' : incl others members) by (intros k hk; apply I; now right).
  assert (wp := proj1 C). assert (Kp := proj1 FK). rewrite !total_fill.
  apply (first_against_second r l r1 l1 (length others) (fun y => w (fill others (upd x i false) y)) (fun y => w (fill others (upd x i true) y))
    (fun y => K (fill others (upd x i false) y)) (fun y => K (fill others (upd x i true) y))); auto.
  - now apply group_tied.
  - now apply group_tied.
  - now apply group_grows.
  - intro y. rewrite !fill_upd by easy. apply FK.
  - now apply plain_lip.
Qed.

(** All values the other way round: the class is the same. *)
Definition flip (x : db) : db := fun j => negb (x j).
Lemma flip_upd x i a : flip (upd x i a) = upd (flip x) i (negb a).
Proof. extensionality j. unfold flip, upd. now destruct (Nat.eq_dec j i). Qed.
Lemma flip_flip x : flip (flip x) = x.
Proof. extensionality j. apply negb_involutive. Qed.
Lemma total_flip W : forall F x, total W (fun y => F (flip y)) x = total W F (flip x).
Proof. induction W as [|i W IH]; intros F x; [easy|]. cbn [Records.total yes_no Sums.sum]. rewrite !IH, !flip_upd. cbn [negb]. ring. Qed.
Lemma flip_class w : never_lowers w -> never_lowers (fun x => w (flip x)).
Proof.
  intros [wp H]. split; [auto|]. intros i j Ii Ij D x. rewrite !flip_upd. cbn [negb]. destruct (H i j Ii Ij D (flip x)) as [a b]. split; lra.
Qed.
Lemma flip_plain K : plain (fun _ => l) K -> plain (fun _ => l) (fun x => K (flip x)).
Proof. intros [Kp H]. split; [auto|]. intros i a b x. rewrite !flip_upd. apply H. Qed.

(** While the members of [others] are unknown, and whatever is known of all the rest, the loss about record i is at most 2 ln (l * reinforced r n l). *)
Theorem exact_group w K i others : never_lowers w -> plain (fun _ => l) K -> NoDup (i :: others) -> incl (i :: others) members ->
  loses yes_no others w K i (l * reinforced r (length others) l).
Proof.
  intros C FK N I. apply loses_iff; [easy|apply C|]. intros x a b. set (B := l * reinforced r (length others) l).
  assert (D : forall w K x, never_lowers w -> plain (fun _ => l) K -> total others (fun y => w y * K y) (upd x i true) * total others w (upd x i false)
    <= B * B * (total others (fun y => w y * K y) (upd x i false) * total others w (upd x i true))).
  { clear - r1 l1 N I. intros w K x C FK. now apply yes_against_no. }
  assert (B1 : 1 <= B).
  { unfold B. assert (G := reinforced_ge1 r (length others) l r1 l1). nra. }
  assert (S : forall c, 0 < total others (fun y => w y * K y) (upd x i c) * total others w (upd x i c)).
  { intro c. apply Rmult_lt_0_compat; apply total_pos; try easy; [|apply C]. intro. apply Rmult_lt_0_compat; [apply C|apply FK]. }
  destruct a, b.
  - specialize (S true). assert (1 <= B * B) by nra. nra.
  - now apply D.
  - assert (T := D (fun x => w (flip x)) (fun x => K (flip x)) (flip x) (flip_class w C) (flip_plain K FK)).
    rewrite (total_flip others (fun y => w y * K y)), (total_flip others w), (total_flip others w), (total_flip others (fun y => w y * K y)) in T.
    rewrite !flip_upd, flip_flip in T. exact T.
  - specialize (S false). assert (1 <= B * B) by nra. nra.
Qed.
(** In a group of at most n + 1 members, whichever of them are known. *)
Corollary exact_group_any w K i others n : never_lowers w -> plain (fun _ => l) K -> NoDup (i :: others) -> incl (i :: others) members -> (length others <= n)%nat ->
  loses yes_no others w K i (l * reinforced r n l).
Proof.
  intros C FK N I H. apply loses_iff; [easy|apply C|]. apply loses_mono with (l * reinforced r (length others) l); [easy|apply C|apply FK| |].
  - assert (M : reinforced r (length others) l <= reinforced r n l).
    { induction H as [|n H IH]; [lra|]. eapply Rle_trans; [exact IH|now apply reinforced_more]. }
    assert (p := reinforced_pos r (length others) l r1 l1). split; [nra|]. apply Rmult_le_compat_l; lra.
  - apply loses_iff; [easy|apply C|]. now apply exact_group.
Qed.
End Groups.

(** ** It is attained, so the bound grows with strength and loss *)
Definition one (b : bool) : nat := if b then 1%nat else O.
Fixpoint count (W : list nat) (x : db) : nat := match W with [] => O | j :: W => (one (x j) + count W x)%nat end.
Lemma count_out W : forall x i a, ~ In i W -> count W (upd x i a) = count W x.
Proof. induction W as [|j W IH]; intros x i a N; [easy|]. simpl in *. rewrite IH, upd_other by tauto. easy. Qed.
Lemma count_in W : forall x i a, NoDup W -> In i W -> (count W (upd x i a) + one (x i) = count W x + one a)%nat.
Proof.
  induction W as [|j W IH]; intros x i a N I; [easy|]. inversion N; subst. cbn [count]. destruct (Nat.eq_dec j i) as [->|D].
  - rewrite upd_at, count_out by easy. lia.
  - rewrite upd_other by easy. destruct I as [->|I]; [congruence|]. specialize (IH x i a H2 I). lia.
Qed.
Lemma count_fill W : forall x y, NoDup W -> count W (fill W x y) = ones (length W) y.
Proof.
  induction W as [|i W IH]; intros x y N; [easy|]. inversion N; subst. cbn [count fill length ones]. rewrite IH by easy. f_equal.
  rewrite fill_upd by easy. now rewrite upd_at.
Qed.
Theorem exact_attained r l i others : 1 <= r -> 1 <= l -> NoDup (i :: others) -> exists w K,
  never_lowers (i :: others) r w /\ plain (fun _ => l) K /\ (forall x, K x <= 1) /\
  forall known, 0 < given yes_no others w K known i false /\
    given yes_no others w K known i true = (l * reinforced r (length others) l) * (l * reinforced r (length others) l) * given yes_no others w K known i false.
Proof.
  intros r1 l1 N. set (n := length others). set (c := r * r). assert (c1 : 1 <= c) by (unfold c; nra). assert (d1 : 1 <= l * l) by nra.
  destruct (peak_attained r r1 n l l1) as (u & u0 & E). fold c in E. set (M := i :: others). set (m := length M).
  set (w := fun x => wt c (count M x) * u ^ count M x). set (K := fun x => (l * l) ^ count M x * / (l * l) ^ m).
  assert (wp : forall x, 0 < w x) by (intro; now apply weight_pos).
  assert (lm : 0 < / (l * l) ^ m) by (apply Rinv_0_lt_compat, pow_lt; lra).
  assert (Kp : forall x, 0 < K x) by (intro; apply Rmult_lt_0_compat; [apply pow_lt; lra|easy]).
  assert (few : forall W x, (count W x <= length W)%nat).
  { induction W as [|j W IH]; intro x; [easy|]. specialize (IH x). cbn [count length]. destruct (x j); simpl; lia. }
  exists w, K. split; [|split; [|split]].
  - split; [easy|]. intros j k Ij Ik D x. set (x0 := upd (upd x j false) k false). set (b := count M x0).
    assert (S1 : count M (upd (upd x j true) k false) = S b).
    { assert (A := count_in M (upd (upd x k false) j false) j true N Ij). rewrite upd_same, upd_at in A. cbn [one] in A.
      unfold b, x0. rewrite !(upd_comm x j k) by easy. lia. }
    assert (S2 : count M (upd (upd x j false) k true) = S b).
    { assert (A := count_in M x0 k true N Ik). unfold x0 in A. rewrite upd_same, upd_at in A. unfold b, x0. cbn [one] in A. lia. }
    assert (S3 : count M (upd (upd x j true) k true) = S (S b)).
    { assert (A := count_in M (upd (upd x j true) k false) k true N Ik). rewrite upd_same, upd_at, S1 in A. cbn [one] in A. lia. }
    unfold w. rewrite S1, S2, S3. fold x0. fold b. cbn [wt pow]. assert (v := wt_pos c c1 b). assert (p := pow_lt u b u0). assert (q := pow_lt c b ltac:(lra)).
    assert (A : 0 < c ^ b * wt c b * (u * u ^ b) * (c ^ b * wt c b * (u * u ^ b))) by (assert (0 < c ^ b * wt c b * (u * u ^ b)) by (repeat apply Rmult_lt_0_compat; lra); now apply Rmult_lt_0_compat).
    fold c. split; nra.
  - split; [easy|]. intros j a b x. unfold K. set (k := / (l * l) ^ m) in *. assert (P : forall t, 0 < (l * l) ^ t) by (intro; apply pow_lt; lra).
    rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|]. change (l * l * (l * l) ^ count M (upd x j b)) with ((l * l) ^ S (count M (upd x j b))). apply Rle_pow; [easy|].
    destruct (in_dec Nat.eq_dec j M) as [J|J]; [|rewrite !count_out by easy; lia].
    assert (A := count_in M x j a N J). assert (B := count_in M x j b N J). destruct a, b; simpl in *; lia.
  - intro x. unfold K. apply Rmult_le_reg_r with ((l * l) ^ m); [apply pow_lt; lra|]. rewrite Rmult_assoc, Rinv_l by (apply Rgt_not_eq, pow_lt; lra). rewrite Rmult_1_r, Rmult_1_l.
    apply Rle_pow; [easy|apply few].
  - intro known. inversion N; subst. set (k := / (l * l) ^ m) in *.
    assert (C : forall b y, count M (fill others (upd known i b) y) = (one b + ones n y)%nat).
    { intros b y. unfold M. cbn [count]. rewrite count_fill by easy. rewrite fill_upd by easy. now rewrite upd_at. }
    assert (W : forall a, 0 < a -> 0 < cw c n u (fun k => a ^ k)).
    { intros a a0. apply bin_pos. intros j _. apply Rmult_lt_0_compat; [now apply weight_pos|now apply pow_lt]. }
    assert (V : forall b (f : nat -> R), Records.total yes_no others (fun x => f (count M x)) (upd known i b) = bin n (fun j => f (one b + j)%nat)).
    { intros b f. rewrite total_fill, <- (sum_ones n (fun j => f (one b + j)%nat)). apply csum_ext. intro y. now rewrite C. }
    unfold given.
    assert (T1 : Records.total yes_no others (fun y => w y * K y) (upd known i true) = u * (l * l) * k * cw c n u (fun j => (c * (l * l)) ^ j)).
    { unfold w, K. fold k. rewrite (V true (fun j => wt c j * u ^ j * ((l * l) ^ j * k))). unfold cw. rewrite <- bin_scale. apply bin_ext. intro j. cbn [one Nat.add wt pow]. rewrite (Rpow_mult_distr c). ring. }
    assert (T2 : Records.total yes_no others w (upd known i true) = u * cw c n u (fun j => c ^ j)).
    { unfold w. rewrite (V true (fun j => wt c j * u ^ j)). unfold cw. rewrite <- bin_scale. apply bin_ext. intro j. cbn [one Nat.add wt pow]. ring. }
    assert (T3 : Records.total yes_no others (fun y => w y * K y) (upd known i false) = k * cw c n u (fun j => (l * l) ^ j)).
    { unfold w, K. fold k. rewrite (V false (fun j => wt c j * u ^ j * ((l * l) ^ j * k))). unfold cw. rewrite <- bin_scale. apply bin_ext. intro j. cbn [one Nat.add]. ring. }
    assert (T4 : Records.total yes_no others w (upd known i false) = mass c n u).
    { unfold w. rewrite (V false (fun j => wt c j * u ^ j)). easy. }
    rewrite T1, T2, T3, T4. assert (a := W (l * l) ltac:(lra)). assert (b := W c ltac:(lra)). assert (e := mass_pos c c1 n u u0). split; [apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat|easy]|].
    set (A := cw c n u (fun j => (l * l) ^ j)) in *. set (B := cw c n u (fun j => c ^ j)) in *. set (D := cw c n u (fun j => (c * (l * l)) ^ j)) in *. set (Z := mass c n u) in *.
    replace D with (reinforced r n l * reinforced r n l * (B * A) / Z) by (rewrite <- E; field; lra). field. split; lra.
Qed.
Theorem exact_mono r r' l l' n : 1 <= r -> r <= r' -> 1 <= l -> l <= l' -> l * reinforced r n l <= l' * reinforced r' n l'.
Proof.
  intros r1 rr l1 ll. assert (N : NoDup (0%nat :: seq 1 n)) by (apply (seq_NoDup (S n) 0)). assert (len : length (seq 1 n) = n) by apply seq_length.
  destruct (exact_attained r l 0 (seq 1 n) r1 l1 N) as (w & K & [wp C] & FK & _ & A). rewrite len in A. destruct (A (fun _ => false)) as [p E].
  assert (C' : never_lowers (0%nat :: seq 1 n) r' w).
  { split; [easy|]. intros i j Ii Ij D x. destruct (C i j Ii Ij D x) as [a b]. split; [easy|]. eapply Rle_trans; [exact b|]. apply Rmult_le_compat_r; [|nra].
    left. apply Rmult_lt_0_compat; auto. }
  assert (FK' : plain (fun _ => l') K) by (apply plain_le with (fun _ => l); [intro; lra|easy]).
  assert (B := exact_group _ r' l' ltac:(lra) ltac:(lra) w K 0 (seq 1 n) C' FK' N (incl_refl _) (fun _ => false) true false). rewrite len, E in B.
  apply Rmult_le_reg_r in B; [|easy]. assert (q := reinforced_pos r' n l' ltac:(lra) ltac:(lra)). assert (q' := reinforced_pos r n l r1 l1).
  assert (0 < l * reinforced r n l) by (apply Rmult_lt_0_compat; lra). assert (0 < l' * reinforced r' n l') by (apply Rmult_lt_0_compat; lra). apply Rnot_lt_le. intro. nra.
Qed.
Print Assumptions exact_group_any.
Print Assumptions exact_attained.
