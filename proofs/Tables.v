(** * Networks with tables: trees, chains, stars (claims TREE-1, CHAIN-1, STAR-1, PAIR-2)

    A network that is a tree, rooted at the record of interest: each record's law given its parent's value is a row of a declared table.
    The adversary knows no other record. A message [G] of a subtree is a matrix: [G u v] bounds the quotient of the mechanism's mean over the
    subtree when the subtree's root has the value u and when it has v. *)
Require Import Reals List Lra Lia Psatz.
From Kith Require Import Sums Gruss.
Import ListNotations.
Open Scope R_scope.

(** ** The pair function (PAIR-2)

    A record is seen through the laws p and q; the mechanism, as a function of its value, varies by a factor of at most T. *)
Section Pair.
Context {V : Type}.
Variable vals : list V.

(** [r] bounds the quotient of means if the part of p that exceeds r q, weighted with T - 1, is at most r - 1: one sum, no search. *)
Definition excess (p q : V -> R) (r : R) : R := sum vals (fun v => Rmax 0 (p v - r * q v)).
Theorem pair_bound (p q K : V -> R) (T r : R) : 1 <= T -> sum vals p = 1 -> sum vals q = 1 ->
  (forall v, 0 < K v) -> (forall u v, K u <= T * K v) -> (T - 1) * excess p q r <= r - 1 ->
  sum vals (fun v => p v * K v) <= r * sum vals (fun v => q v * K v).
Proof.
  intros T1 Sp Sq K0 KT E.
  destruct vals as [|v0 l] eqn:EV; [simpl in Sp; lra|]. rewrite <- EV in *.
  destruct (smallest K vals ltac:(rewrite EV; easy)) as (u & _ & M).
  assert (X : sum vals (fun v => (p v - r * q v) * K v) <= K u * ((T - 1) * excess p q r + (1 - r))).
  { unfold excess. apply Rle_trans with (sum vals (fun v => K u * ((T - 1) * Rmax 0 (p v - r * q v) + (p v - r * q v)))).
    - apply sum_le_in. intros v I. assert (lo := M v I). assert (hi := KT v u). assert (k0 := K0 u).
      destruct (Rle_dec 0 (p v - r * q v)) as [h|h].
      + rewrite Rmax_right by easy. nra.
      + rewrite Rmax_left by lra. nra.
    - rewrite sum_scale, sum_add, sum_scale. right. f_equal. f_equal.
      rewrite (sum_ext vals (fun v => p v - r * q v) (fun v => p v + (- r) * q v)) by (intro; ring). rewrite sum_add, sum_scale, Sp, Sq. ring. }
  assert (Y : K u * ((T - 1) * excess p q r + (1 - r)) <= 0) by (assert (k0 := K0 u); nra).
  rewrite (sum_ext vals (fun v => (p v - r * q v) * K v) (fun v => p v * K v + (- r) * (q v * K v))) in X by (intro; ring).
  rewrite sum_add, sum_scale in X. lra.
Qed.
End Pair.

(** ** Networks *)
Section Trees.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].

(** A tree is built by attaching a child's root to the root of a tree: [P a v] is the declared probability that the child's root has the
    value v given that the parent has a; [l] is e^(Lambda) of a record. *)
Inductive tree :=
| single (l : R)
| attach (t : tree) (P : V -> V -> R) (child : tree).
Fixpoint rest (t : tree) : Type :=
  match t with single _ => unit | attach t _ ch => (rest t * (V * rest ch))%type end.
(** The mechanism's mean given the value of the root. *)
Fixpoint mean (t : tree) : (V -> rest t -> R) -> V -> R :=
  match t return (V -> rest t -> R) -> V -> R with
  | single _ => fun K a => K a tt
  | attach t P ch => fun K a => mean t (fun x r => sum vals (fun v => P a v * mean ch (fun v r' => K x (r, (v, r'))) v)) a
  end.
(** Plain loss: one record at a time, everything else fixed, possible or not. *)
Fixpoint lip (t : tree) : (V -> rest t -> R) -> Prop :=
  match t return (V -> rest t -> R) -> Prop with
  | single l => fun K => forall a b, K a tt <= l * K b tt
  | attach t P ch => fun K => (forall v r', lip t (fun x r => K x (r, (v, r')))) /\ (forall x r, lip ch (fun v r' => K x (r, (v, r'))))
  end.
(** Tables are laws; impossible values are allowed. *)
Fixpoint ok (t : tree) : Prop :=
  match t with
  | single l => 1 <= l
  | attach t P ch => ok t /\ ok ch /\ (forall a v, 0 <= P a v) /\ (forall a, sum vals (P a) = 1)
  end.
(** [seen G p q r] (TREE-2): the quotient of means of a kernel that varies by G, under p and under q, is at most r. *)
Definition seen (G : V -> V -> R) (p q : V -> R) (r : R) : Prop :=
  forall K, (forall v, 0 < K v) -> (forall u v, K u <= G u v * K v) -> sum vals (fun v => p v * K v) <= r * sum vals (fun v => q v * K v).
(** The messages of TREE-1, as a witness. *)
Fixpoint message (t : tree) (G : V -> V -> R) : Prop :=
  match t with
  | single l => forall a b, (a = b /\ 1 <= G a b) \/ l <= G a b
  | attach t P ch => exists G1 G2 r, message t G1 /\ message ch G2 /\ (forall a b, 0 <= G1 a b) /\
      (forall a b, seen G2 (P a) (P b) (r a b)) /\ (forall a b, 0 <= r a b /\ G1 a b * r a b <= G a b)
  end.

Lemma mean_ext t : forall K K' a, (forall x r, K x r = K' x r) -> mean t K a = mean t K' a.
Proof.
  induction t; simpl; intros K K' a E; [now rewrite E|].
  apply IHt1. intros. apply sum_ext. intro v. f_equal. apply IHt2. intros. apply E.
Qed.
Lemma mean_scale t : forall k K a, mean t (fun x r => k * K x r) a = k * mean t K a.
Proof.
  induction t; simpl; intros k K a; [ring|].
  rewrite <- IHt1. apply mean_ext. intros x r. rewrite <- sum_scale. apply sum_ext. intro v.
  rewrite (IHt2 k (fun v r' => K x (r, (v, r')))). ring.
Qed.
Lemma mean_add t : forall K K' a, mean t (fun x r => K x r + K' x r) a = mean t K a + mean t K' a.
Proof.
  induction t; simpl; intros K K' a; [ring|].
  rewrite <- IHt1. apply mean_ext. intros x r. rewrite <- sum_add. apply sum_ext. intro v.
  rewrite (IHt2 (fun v r' => K x (r, (v, r'))) (fun v r' => K' x (r, (v, r')))). ring.
Qed.
Lemma mean_sum t A (l : list A) : forall (F : A -> V -> rest t -> R) a,
  mean t (fun x r => sum l (fun z => F z x r)) a = sum l (fun z => mean t (F z) a).
Proof.
  intros F a. induction l; simpl.
  - rewrite (mean_ext _ _ (fun x r => 0 * 0)); [|intros; ring]. rewrite (mean_scale t 0 (fun _ _ => 0)). ring.
  - now rewrite mean_add, IHl.
Qed.
Lemma mean_swap t : forall s (F : V -> rest t -> V -> rest s -> R) a b,
  mean t (fun x r => mean s (fun y q => F x r y q) b) a = mean s (fun y q => mean t (fun x r => F x r y q) a) b.
Proof.
  induction t; simpl; intros s F a b; [easy|].
  rewrite (mean_ext t1 _ (fun x r => mean s (fun y q => sum vals (fun v => P a v * mean t2 (fun v r' => F x (r,(v,r')) y q) v)) b)).
  - rewrite (IHt1 s (fun x r y q => sum vals (fun v => P a v * mean t2 (fun v r' => F x (r,(v,r')) y q) v)) a b). reflexivity.
  - intros x r. rewrite mean_sum. apply sum_ext. intro v.
    rewrite (IHt2 s (fun v r' y q => F x (r,(v,r')) y q) v b). now rewrite <- (mean_scale s (P a v)).
Qed.
Lemma weighted_pos (p m : V -> R) : (forall v, 0 <= p v) -> sum vals p = 1 -> (forall v, 0 < m v) -> 0 < sum vals (fun v => p v * m v).
Proof.
  intros P S M. destruct (smallest m vals some) as (u & _ & H). apply Rlt_le_trans with (m u * sum vals p); [rewrite S; specialize (M u); lra|].
  rewrite <- sum_scale. apply sum_le_in. intros v I. specialize (H v I). specialize (P v). nra.
Qed.
Lemma mean_pos t : ok t -> forall K a, (forall x r, 0 < K x r) -> 0 < mean t K a.
Proof.
  induction t; simpl; intros o K a H; [apply H|]. destruct o as (o1 & o2 & p & s). apply IHt1; [easy|]. intros x r.
  apply weighted_pos; auto.
Qed.
Lemma lip_scale t : forall k K, 0 <= k -> lip t K -> lip t (fun x r => k * K x r).
Proof.
  induction t; simpl; intros k K P0 H.
  - intros a b. specialize (H a b). nra.
  - destruct H as [H1 H2]. split; intros; [now apply (IHt1 k (fun x r => K x (r, (v, r'))))|now apply (IHt2 k (fun v r' => K x (r, (v, r'))))].
Qed.
Lemma lip_add t : forall K K', lip t K -> lip t K' -> lip t (fun x r => K x r + K' x r).
Proof.
  induction t; simpl; intros K K' H H'.
  - intros a b. specialize (H a b). specialize (H' a b). lra.
  - destruct H as [H1 H2], H' as [H1' H2']. split; intros.
    + now apply (IHt1 (fun x r => K x (r, (v, r'))) (fun x r => K' x (r, (v, r')))).
    + now apply (IHt2 (fun v r' => K x (r, (v, r'))) (fun v r' => K' x (r, (v, r')))).
Qed.
Lemma lip_zero t : lip t (fun _ _ => 0).
Proof. induction t; simpl; [intros; lra|auto]. Qed.
Lemma lip_sum t A (l : list A) (F : A -> V -> rest t -> R) :
  (forall z, lip t (F z)) -> lip t (fun x r => sum l (fun z => F z x r)).
Proof. intros H. induction l; simpl; [apply lip_zero|]. now apply (lip_add t (F a) (fun x r => sum l (fun z => F z x r))). Qed.
Lemma lip_mean t s : ok s -> forall (F : V -> rest s -> V -> rest t -> R) b,
  (forall y q, lip t (fun x r => F y q x r)) -> lip t (fun x r => mean s (fun y q => F y q x r) b).
Proof.
  induction s; simpl; [auto|].
  intros (o1 & o2 & p & _) F b H.
  apply (IHs1 o1 (fun y q x r => sum vals (fun v => P b v * mean s2 (fun v r' => F y (q, (v, r')) x r) v))).
  intros y q. apply (lip_sum t V vals (fun v x r => P b v * mean s2 (fun v r' => F y (q, (v, r')) x r) v)).
  intro v. apply (lip_scale t (P b v) (fun x r => mean s2 (fun v r' => F y (q, (v, r')) x r) v)); [apply p|].
  now apply (IHs2 o2 (fun v r' x r => F y (q, (v, r')) x r)).
Qed.

(** TREE-1 (and chains, which are trees): for every mechanism with the plain losses of the tree, the quotient of its means given two values of
    the root is at most the message. *)
Theorem tables t : ok t -> forall G, message t G -> forall K, (forall x r, 0 < K x r) -> lip t K ->
  forall a b, mean t K a <= G a b * mean t K b.
Proof.
  induction t; simpl.
  - intros l1 G M K P0 H a b. assert (k0 := P0 b tt). destruct (M a b) as [[-> g]|g]; [nra|]. specialize (H a b). nra.
  - intros (o1 & o2 & p & s1) G (G1 & G2 & r & M1 & M2 & g0 & S & GG) K P0 [H1 H2] a b.
    set (KA := fun y x q => sum vals (fun v => P y v * mean t2 (fun v r' => K x (q, (v, r'))) v)).
    assert (KAlip : lip t1 (KA a)).
    { unfold KA. apply (lip_sum t1 V vals (fun v x q => P a v * mean t2 (fun v r' => K x (q, (v, r'))) v)).
      intro v. apply (lip_scale t1 (P a v) (fun x q => mean t2 (fun v r' => K x (q, (v, r'))) v)); [apply p|].
      now apply (lip_mean t1 t2 o2 (fun v r' x q => K x (q, (v, r')))). }
    assert (KApos : forall x q, 0 < KA a x q) by (intros; apply weighted_pos; auto; intro; apply mean_pos; auto).
    assert (A := IHt1 o1 G1 M1 (KA a) KApos KAlip a b).
    set (KB := fun v r' => mean t1 (fun x q => K x (q, (v, r'))) b).
    assert (KBpos : forall v r', 0 < KB v r') by (intros; apply mean_pos; auto).
    assert (KBlip : lip t2 KB) by (apply (lip_mean t2 t1 o1 (fun x q v r' => K x (q, (v, r')))); auto).
    assert (swap : forall y, mean t1 (KA y) b = sum vals (fun v => P y v * mean t2 KB v)).
    { intro y. unfold KA. rewrite mean_sum. apply sum_ext. intro v. rewrite mean_scale. f_equal. unfold KB.
      apply (mean_swap t1 t2 (fun x q v r' => K x (q, (v, r')))). }
    assert (B := S a b (fun v => mean t2 KB v) ltac:(intro; apply mean_pos; auto) (fun u v => IHt2 o2 G2 M2 KB KBpos KBlip u v)).
    rewrite <- !swap in B. fold (KA a). fold (KA b). destruct (GG a b) as [r0 g].
    assert (mb : 0 < mean t1 (KA b) b) by (rewrite swap; apply weighted_pos; auto; intro; apply mean_pos; auto).
    assert (c0 := g0 a b). eapply Rle_trans; [exact A|]. eapply Rle_trans; [apply Rmult_le_compat_l; [exact c0|exact B]|]. nra.
Qed.

(** PAIR-2 gives what is seen of a kernel of range T. *)
Corollary seen_range G p q T r : 1 <= T -> sum vals p = 1 -> sum vals q = 1 -> (forall u v, G u v <= T) -> (T - 1) * excess vals p q r <= r - 1 -> seen G p q r.
Proof.
  intros T1 Sp Sq GT E K K0 KG. apply pair_bound with T; auto. intros u v. apply Rle_trans with (G u v * K v); [apply KG|]. apply Rmult_le_compat_r; [left; apply K0|apply GT].
Qed.

(** TREE-2, two values: a kernel of two values is, up to a factor, its quotient, which lies between two ends; the bound need only hold there. *)
Corollary seen_two u v G p q r : vals = [u; v] -> 0 < G u v -> 0 < G v u ->
  p u * G u v + p v <= r * (q u * G u v + q v) -> p u + p v * G v u <= r * (q u + q v * G v u) -> seen G p q r.
Proof.
  intros E g1 g2 H1 H2 K K0 KG. rewrite E. simpl. assert (k1 := KG u v). assert (k2 := KG v u). assert (pu := K0 u). assert (pv := K0 v).
  (* K u = s K v; linear in s between 1 / G v u and G u v *)
  assert (A : (p u - r * q u) * K u + (p v - r * q v) * K v <= 0); [|lra].
  destruct (Rle_dec 0 (p u - r * q u)) as [h|h].
  - assert ((p u - r * q u) * K u <= (p u - r * q u) * (G u v * K v)) by (apply Rmult_le_compat_l; easy). nra.
  - assert ((p v - r * q v) <= (r * q u - p u) * (/ G v u)).
    { apply Rmult_le_reg_r with (G v u); [easy|]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert ((p v - r * q v) * K v <= (r * q u - p u) * (/ G v u) * K v) by (apply Rmult_le_compat_r; lra).
    assert (/ G v u * K v <= K u) by (apply Rmult_le_reg_l with (G v u); [easy|]; rewrite <- Rmult_assoc, Rinv_r by lra; lra).
    assert ((r * q u - p u) * (/ G v u * K v) <= (r * q u - p u) * K u) by (apply Rmult_le_compat_l; lra). nra.
Qed.

(** STAR-1: neighbours that are independent given the middle record; [r] bounds what is seen of each. *)
Fixpoint star (l : R) (neighbours : list (R * (V -> V -> R))) : tree :=
  match neighbours with [] => single l | (lj, P) :: n => attach (star l n) P (single lj) end.
Theorem star_bound l neighbours (r : nat -> V -> V -> R) : ok (star l neighbours) ->
  (forall j lj P, nth_error neighbours j = Some (lj, P) -> forall a b, 1 <= r j a b /\ (lj - 1) * excess vals (P a) (P b) (r j a b) <= r j a b - 1) ->
  forall K, (forall x q, 0 < K x q) -> lip (star l neighbours) K ->
  forall a b, mean (star l neighbours) K a <= l * prod (seq 0 (length neighbours)) (fun j => r j a b) * mean (star l neighbours) K b.
Proof.
  intros o H. assert (l1 : 1 <= l).
  { clear H. induction neighbours as [|[lj P] n IH]; simpl in o; [easy|apply IH; apply o]. }
  assert (M : message (star l neighbours) (fun a b => l * prod (seq 0 (length neighbours)) (fun j => r j a b))).
  { revert r H. induction neighbours as [|[lj P] n IH]; intros r H.
    - simpl. intros a b. right. lra.
    - simpl in o. destruct o as (o1 & o2 & p & s). cbn [star message].
      exists (fun a b => l * prod (seq 0 (length n)) (fun j => r (S j) a b)), (fun _ _ => lj), (r 0%nat).
      split; [apply (IH o1 (fun j => r (S j))); intros j lj' P' E; apply (H (S j) lj' P' E)|].
      split; [intros a b; right; lra|]. split.
      { intros a b. apply Rmult_le_pos; [lra|]. apply Rle_trans with 1; [lra|]. apply prod_ge1_in. intros j Ij. apply in_seq in Ij.
        destruct (nth_error n j) as [[lj' P']|] eqn:E; [apply (H (S j) lj' P' E)|]. apply nth_error_None in E. exfalso. lia. }
      split; [intros a b; destruct (H 0%nat lj P eq_refl a b); apply seen_range with lj; auto; intros; lra|].
      intros a b. destruct (H 0%nat lj P eq_refl a b) as [h1 _]. split; [lra|].
      cbn [length seq prod]. rewrite <- seq_shift. right.
      assert (E : forall (s : list nat), prod (map S s) (fun j => r j a b) = prod s (fun j => r (S j) a b)) by (induction s0; simpl; congruence).
      rewrite E. ring. }
  intros K K0 KL a b. now apply (tables _ o _ M K K0 KL).
Qed.
End Trees.
Print Assumptions tables.
Print Assumptions star_bound.
