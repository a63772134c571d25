(** * Records, mechanisms, plain loss and dependent loss (docs/theory/model.md; claim TRANSFER-1)

    A database gives each record, a number, a value. [vals] lists the values of a record; records are the units of privacy.
    A law [w] gives every database a positive weight (it need not add up to 1). A mechanism is looked at one output (or one set of
    outputs) at a time: [K x] is the probability of that output for the database [x].

    Losses are kept as half exponentials: [L i = e^(Lambda_i / 2)]. *)
Require Import Reals List Lra Psatz Arith FunctionalExtensionality Permutation.
From Kith Require Import Sums Gruss.
Import ListNotations.
Open Scope R_scope.

Section Records.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].

Definition db := nat -> V.
(** The database in which record [i] has the value [a]. *)
Definition upd (x : db) (i : nat) (a : V) : db := fun j => if Nat.eq_dec j i then a else x j.
Lemma upd_same x i a b : upd (upd x i a) i b = upd x i b.
Proof. apply functional_extensionality; intro j; unfold upd; now destruct (Nat.eq_dec j i). Qed.
Lemma upd_comm x i j a b : i <> j -> upd (upd x i a) j b = upd (upd x j b) i a.
Proof. intro H; apply functional_extensionality; intro k; unfold upd.
  destruct (Nat.eq_dec k j), (Nat.eq_dec k i); congruence. Qed.
Lemma upd_at x i a : upd x i a i = a.
Proof. unfold upd. now destruct (Nat.eq_dec i i). Qed.
Lemma upd_other x i j a : j <> i -> upd x i a j = x j.
Proof. unfold upd. now destruct (Nat.eq_dec j i). Qed.


(** The sum over all values of the records in [W]; all others are as in [x]. *)
Fixpoint total (W : list nat) (F : db -> R) (x : db) : R :=
  match W with [] => F x | i :: W => sum vals (fun v => total W F (upd x i v)) end.
Lemma total_ext W : forall F G x, (forall y, F y = G y) -> total W F x = total W G x.
Proof. induction W; simpl; intros; [easy|]. apply sum_ext; intro; now apply IHW. Qed.
Lemma total_le W : forall F G x, (forall y, F y <= G y) -> total W F x <= total W G x.
Proof. induction W; simpl; intros; [easy|]. apply sum_le; intro; now apply IHW. Qed.
Lemma total_scale W k : forall F x, total W (fun y => k * F y) x = k * total W F x.
Proof. induction W; simpl; intros; [easy|]. rewrite <- sum_scale. apply sum_ext; intro; apply IHW. Qed.
Lemma total_pos W : forall F x, (forall y, 0 < F y) -> 0 < total W F x.
Proof. induction W; simpl; intros F x H; [easy|].
  apply sum_pos; [exact some|]. intro v. now apply IHW. Qed.
Lemma total_fix W : forall i a F x, ~ In i W -> total W F (upd x i a) = total W (fun y => F (upd y i a)) x.
Proof. induction W; simpl; intros; [easy|]. apply sum_ext; intro.
  rewrite upd_comm by intuition. apply IHW. intuition. Qed.
(* a factor that depends on a record outside W comes out *)
Lemma total_const W : forall j (h : V -> R) F x, ~ In j W -> total W (fun y => h (y j) * F y) x = h (x j) * total W F x.
Proof. induction W; simpl; intros; [easy|]. rewrite <- sum_scale. apply sum_ext; intro.
  rewrite IHW by intuition. now rewrite upd_other by intuition. Qed.
Lemma total_pull W : forall j F x, NoDup W -> In j W ->
  total W F x = sum vals (fun v => total (remove Nat.eq_dec j W) F (upd x j v)).
Proof. induction W as [|k W IH]; simpl; intros j F x N I; [easy|]. inversion N; subst.
  destruct (Nat.eq_dec j k) as [<-|D].
  - now rewrite notin_remove.
  - simpl. destruct I as [I|I]; [congruence|].
    rewrite (sum_ext _ _ (fun v => sum vals (fun u => total (remove Nat.eq_dec j W) F (upd (upd x k v) j u)))).
    2:{ intro v. now apply IH. }
    rewrite sum_swap. apply sum_ext; intro u. apply sum_ext; intro v. now rewrite upd_comm by congruence. Qed.
Lemma total_app S : forall Z F x, total (S ++ Z) F x = total S (total Z F) x.
Proof. induction S; simpl; intros; [easy|]. apply sum_ext; intro. apply IHS. Qed.
Lemma total_perm S Z : Permutation S Z -> forall F x, NoDup S -> total S F x = total Z F x.
Proof.
  induction 1; intros F x0 N; simpl; [easy| | |].
  - inversion N; subst. apply sum_ext; intro. now apply IHPermutation.
  - rewrite sum_swap. apply sum_ext; intro u. apply sum_ext; intro v. rewrite upd_comm; [easy|]. inversion N; subst. intro; subst. apply H1. now left.
  - rewrite IHPermutation1, IHPermutation2; auto. eapply Permutation_NoDup; eauto.
Qed.
(** All databases that differ from [x] in records of [W] only. *)
Fixpoint configs (W : list nat) (x : db) : list db :=
  match W with [] => [x] | i :: W => flat_map (fun v => configs W (upd x i v)) vals end.
Lemma total_configs W : forall F x, total W F x = sum (configs W x) F.
Proof. induction W as [|i W IH]; simpl; intros F x; [lra|].
  assert (forall l, sum l (fun v => total W F (upd x i v)) = sum (flat_map (fun v => configs W (upd x i v)) l) F).
  { induction l as [|v l H]; simpl; [easy|]. now rewrite sum_app, H, IH. } apply H. Qed.
Lemma configs_ne W : forall x, configs W x <> [].
Proof. induction W as [|i W IH]; simpl; intro x; [easy|]. destruct vals as [|v l]; [congruence|]. simpl.
  intro H. apply app_eq_nil in H. now apply (IH (upd x i v)). Qed.
Lemma configs_outside W : forall x y j, In y (configs W x) -> ~ In j W -> y j = x j.
Proof. induction W as [|i W IH]; simpl; intros x y j I N; [now destruct I as [<-|[]]|].
  apply in_flat_map in I. destruct I as (v & _ & I). rewrite (IH _ _ j I) by tauto. apply upd_other. intuition. Qed.

(** ** Plain loss

    [plain L K]: replacing record [i] changes the probability of the output by a factor of at most [L i ^ 2 = e^(Lambda_i)],
    whatever all other records are, possible or not. This is what differential privacy bounds, record by record. *)
Definition plain (L : nat -> R) (K : db -> R) :=
  (forall x, 0 < K x) /\ forall i a b x, K (upd x i a) <= L i * L i * K (upd x i b).
Lemma plain_fix L K i b : (forall i, 1 <= L i) -> plain L K -> plain L (fun y => K (upd y i b)).
Proof. intros L1 [P H]. split; [auto|]. intros m u v x. destruct (Nat.eq_dec m i) as [->|D].
  - rewrite !upd_same. assert (0 < K (upd x i b)) by apply P. assert (Q := L1 i). assert (1 <= L i * L i) by nra. nra.
  - rewrite !(upd_comm x m i) by congruence. apply H. Qed.
Lemma plain_le L L' K : (forall i, 1 <= L i <= L' i) -> plain L K -> plain L' K.
Proof. intros H [P Q]. split; [easy|]. intros i a b x. specialize (Q i a b x). specialize (H i).
  assert (0 < K (upd x i b)) by apply P. assert (L i * L i <= L' i * L' i) by nra. nra. Qed.
(** Several records changed at once: the product. *)
Lemma plain_changes L K W : (forall i, 1 <= L i) -> plain L K ->
  forall x y, (forall j, ~ In j W -> x j = y j) -> K x <= prod W L * prod W L * K y.
Proof.
  intros L1 [P Q]. induction W as [|i W IH]; simpl; intros x y E.
  - replace y with x by (apply functional_extensionality; intro; apply E; tauto). lra.
  - assert (Q1 := Q i (x i) (y i) x). replace (upd x i (x i)) with x in Q1.
    2:{ apply functional_extensionality; intro j; unfold upd. now destruct (Nat.eq_dec j i); subst. }
    assert (Q2 : K (upd x i (y i)) <= prod W L * prod W L * K y).
    { apply IH. intros j n. unfold upd. destruct (Nat.eq_dec j i); [now subst|]. apply E. intros [->|]; tauto. }
    apply (Rmult_le_compat_l (L i * L i)) in Q2; [|specialize (L1 i); nra]. eapply Rle_trans; [exact Q1|]. eapply Rle_trans; [exact Q2|]. right; ring.
Qed.

(** ** Dependent loss

    An adversary who knows the law, and the records outside of [others] and [i] (they are as in [known]), compares two values a and b
    of record [i] after seeing the output. [given ... a] is the probability of the output given that record [i] has the value [a]. *)
Definition given (others : list nat) (w K : db -> R) (known : db) (i : nat) (a : V) : R :=
  total others (fun y => w y * K y) (upd known i a) / total others w (upd known i a).
(** The loss about record [i] is at most 2 ln B: no two values' probabilities of the output are further apart than B^2. *)
Definition loses (others : list nat) (w K : db -> R) (i : nat) (B : R) : Prop :=
  forall known a b, given others w K known i a <= B * B * given others w K known i b.
(** The same without quotients. *)
Definition loses_x (others : list nat) (w K : db -> R) (i : nat) (B : R) : Prop := forall x a b,
  total others (fun y => w y * K y) (upd x i a) * total others w (upd x i b)
  <= B * B * (total others (fun y => w y * K y) (upd x i b) * total others w (upd x i a)).
Lemma loses_iff others w K i B : (forall x, 0 < w x) -> (loses others w K i B <-> loses_x others w K i B).
Proof.
  intro P. unfold loses, loses_x, given.
  assert (T : forall x, 0 < total others w x) by (intro; now apply total_pos).
  assert (E : forall A B0 p q, 0 < p -> 0 < q -> (A / p <= B * B * (B0 / q) <-> A * q <= B * B * (B0 * p))).
  { intros A B0 p q p0 q0. split; intro H.
    - apply (Rmult_le_compat_r (p * q)) in H; [|nra]. replace (A / p * (p * q)) with (A * q) in H by (field; lra).
      replace (B * B * (B0 / q) * (p * q)) with (B * B * (B0 * p)) in H by (field; lra). exact H.
    - apply Rmult_le_reg_r with (p * q); [nra|]. replace (A / p * (p * q)) with (A * q) by (field; lra).
      replace (B * B * (B0 / q) * (p * q)) with (B * B * (B0 * p)) by (field; lra). exact H. }
  split; intros H x a b; apply E; auto.
Qed.
Lemma loses_mono others w K i B B' : (forall x, 0 < w x) -> (forall x, 0 < K x) -> 0 <= B <= B' -> loses_x others w K i B -> loses_x others w K i B'.
Proof.
  intros P Q H G x a b. eapply Rle_trans; [apply G|].
  assert (0 < total others (fun y => w y * K y) (upd x i b)) by (apply total_pos; intro; now apply Rmult_lt_0_compat).
  assert (0 < total others w (upd x i a)) by now apply total_pos. apply Rmult_le_compat_r; nra.
Qed.
End Records.
Arguments upd {V}.
Arguments upd_same {V}. Arguments upd_comm {V}. Arguments upd_at {V}. Arguments upd_other {V}.
Arguments total {V}. Arguments configs {V}. Arguments plain {V}. Arguments given {V}. Arguments loses {V}. Arguments loses_x {V}.
Arguments total_ext {V vals}. Arguments total_le {V vals}. Arguments total_scale {V vals}. Arguments total_pos {V vals}. Arguments total_fix {V vals}.
Arguments total_const {V vals}. Arguments total_pull {V vals}. Arguments total_app {V vals}. Arguments total_perm {V vals}.
Arguments total_configs {V vals}. Arguments configs_ne {V vals}. Arguments configs_outside {V vals}.
Arguments plain_fix {V}. Arguments plain_le {V}. Arguments plain_changes {V}. Arguments loses_iff {V vals}. Arguments loses_mono {V vals}.
