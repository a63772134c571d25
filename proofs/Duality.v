(** * Linear programmes: the dual solution is a witness (claims EXACT-1, EXACT-2, TREE-2)

    The largest quotient of a mechanism's means under two laws, over all mechanisms K >= 0 with K u <= factor * K v for the declared triples
    (u, v, factor), is bounded by B as soon as multipliers exist for which one inequality holds at every state. How they were found does not matter. *)
Require Import Reals List Lra Psatz.
From Kith Require Import Sums.
Import ListNotations.
Open Scope R_scope.

Section Duality.
Variable X : Type.
Variable same : forall a b : X, {a = b} + {a <> b}.
Variable states : list X.
Hypothesis distinct : NoDup states.
Variables p q : X -> R.                                   (* the law given one value of the secret, and given another *)
Definition constraint := (X * X * R)%type.
Definition kept (K : X -> R) (c : constraint) : Prop := let '(u, v, f) := c in K u <= f * K v.
(** What a multiplier adds at state [x]. *)
Definition pull (cy : constraint * R) (x : X) : R :=
  let '((u, v, f), y) := cy in y * ((if same x u then 1 else 0) - f * (if same x v then 1 else 0)).
Lemma pick (K : X -> R) u : In u states -> sum states (fun x => (if same x u then 1 else 0) * K x) = K u.
Proof.
  intro I. induction states as [|s l IH]; [easy|]. inversion distinct; subst. simpl. destruct (same s u) as [->|D].
  - rewrite (sum_in l _ (fun _ => 0 * 0)); [rewrite (sum_scale l 0 (fun _ => 0)); lra|]. intros x J. destruct (same x u); [subst; tauto|ring].
  - destruct I as [I|I]; [congruence|]. rewrite IH by easy. lra.
Qed.
Theorem dual_bounds (dual : list (constraint * R)) (B : R) :
  (forall c y, In (c, y) dual -> 0 <= y) ->
  (forall u v f y, In ((u, v, f), y) dual -> In u states /\ In v states) ->
  (forall x, In x states -> p x <= B * q x + sum dual (fun cy => pull cy x)) ->
  forall K, (forall x, 0 <= K x) -> (forall c y, In (c, y) dual -> kept K c) ->
  sum states (fun x => p x * K x) <= B * sum states (fun x => q x * K x).
Proof.
  intros Y S D K K0 H.
  apply Rle_trans with (sum states (fun x => B * (q x * K x) + sum dual (fun cy => pull cy x * K x))).
  - apply sum_le_in. intros x I. specialize (D x I). specialize (K0 x). apply (Rmult_le_compat_r (K x)) in D; [|easy].
    replace (sum dual (fun cy => pull cy x * K x)) with (K x * sum dual (fun cy => pull cy x)); [lra|].
    rewrite <- sum_scale. apply sum_ext. intro. ring.
  - rewrite sum_add, sum_scale, sum_swap. assert (T : sum dual (fun cy => sum states (fun x => pull cy x * K x)) <= 0); [|lra].
    apply Rle_trans with (sum dual (fun _ => 0 * 0)); [|rewrite (sum_scale dual 0 (fun _ => 0)); lra]. apply sum_le_in. intros [[[u v] f] y] I.
    assert (y0 := Y _ _ I). destruct (S _ _ _ _ I) as [Iu Iv]. assert (k := H _ _ I). simpl in k. unfold pull.
    rewrite (sum_ext states _ (fun x => y * ((if same x u then 1 else 0) * K x) + (- (y * f)) * ((if same x v then 1 else 0) * K x))) by (intro; ring).
    rewrite sum_add, !sum_scale, !pick by easy. nra.
Qed.

(** EXACT-2: what a solver's numbers leave uncovered at a state, [s x], is paid for: a mechanism's value there is at most the product of the factors along a
    path of constraints to some state z, times its mean under q divided by q z. *)
Inductive path (K : X -> R) : X -> X -> R -> Prop :=
| here x : path K x x 1
| step u v z f g : kept K (u, v, f) -> 0 <= f -> path K v z g -> path K u z (f * g).
Lemma along K u z f : path K u z f -> (forall x, 0 <= K x) -> K u <= f * K z.
Proof.
  intros P K0. induction P as [x|u v z f g H f0 P IH]; [lra|]. simpl in H. apply (Rmult_le_compat_l f) in IH; [|easy]. lra.
Qed.
Lemma reached K u z f : (forall x, 0 <= K x) -> (forall x, 0 <= q x) -> In z states -> 0 < q z -> 0 <= f -> path K u z f ->
  K u <= f / q z * sum states (fun x => q x * K x).
Proof.
  intros K0 Q0 I qz f0 P. assert (A := along K u z f P K0).
  assert (M : q z * K z <= sum states (fun x => q x * K x)).
  { clear A P. induction states as [|x l IH]; [easy|]. inversion distinct; subst. simpl. destruct I as [->|I].
    - assert (0 <= sum l (fun x => q x * K x)) by (apply sum_nonneg; intro; apply Rmult_le_pos; auto). lra.
    - specialize (IH H2 I). assert (0 <= q x * K x) by (apply Rmult_le_pos; auto). lra. }
  eapply Rle_trans; [exact A|]. apply Rmult_le_reg_r with (q z); [easy|].
  replace (f / q z * sum states (fun x => q x * K x) * q z) with (f * sum states (fun x => q x * K x)) by (field; lra).
  rewrite Rmult_assoc, (Rmult_comm (K z)). now apply Rmult_le_compat_l.
Qed.
End Duality.

Theorem dual_with_leftover X (same : forall a b : X, {a = b} + {a <> b}) (states : list X) (p q s reach : X -> R) dual B : NoDup states ->
  (forall c y, In (c, y) dual -> 0 <= y) ->
  (forall u v f y, In ((u, v, f), y) dual -> In u states /\ In v states) ->
  (forall x, 0 <= s x) -> (forall x, In x states -> p x <= B * q x + sum dual (fun cy => pull X same cy x) + s x) ->
  forall K, (forall x, 0 <= K x) -> (forall c y, In (c, y) dual -> kept X K c) ->
  (forall x, In x states -> K x <= reach x * sum states (fun x => q x * K x)) ->
  sum states (fun x => p x * K x) <= (B + sum states (fun x => s x * reach x)) * sum states (fun x => q x * K x).
Proof.
  intros N Y S s0 D K K0 H Rch.
  assert (D' : forall x, In x states -> p x - s x <= B * q x + sum dual (fun cy => pull X same cy x)) by (intros x I; specialize (D x I); lra).
  assert (T := dual_bounds X same states N (fun x => p x - s x) q dual B Y S D' K K0 H).
  rewrite (sum_ext states (fun x => p x * K x) (fun x => (p x - s x) * K x + s x * K x)) by (intro; ring). rewrite sum_add.
  set (E := sum states (fun x => q x * K x)) in *.
  assert (L : sum states (fun x => s x * K x) <= sum states (fun x => E * (s x * reach x))).
  { apply sum_le_in. intros x I. specialize (Rch x I). specialize (s0 x). apply (Rmult_le_compat_l (s x)) in Rch; [lra|easy]. }
  rewrite sum_scale in L. lra.
Qed.
Print Assumptions dual_with_leftover.
