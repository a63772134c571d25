(** * One shared cause makes ties that are never negative (the use of ASSOCIATION-4)

    Members of a group are independent once the state z of one cause is known, and z moves all of them in the same direction: the odds h j z of member j having it
    do not fall for one member where they rise for another. Over all states a member's odds vary by at most a factor s^2. Then, given everybody else, every
    pair's odds ratio is at least 1 and at most phi(s, s)^2 = ((1 + s^2) / 2s)^2: the class of Exact.v. With log odds in an interval of length B, s = e^(B/2),
    that is cosh(B/2)^2, which is at most e^(B^2/4) (on paper).                                                                                       *)
Require Import Reals List Lra Psatz Arith Bool FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Exact.
From Kith Require Clusters.
Import ListNotations.
Open Scope R_scope.

Lemma sum_product A (l : list A) f g : sum l (fun a => sum l (fun b => f a * g b)) = sum l f * sum l g.
Proof. rewrite (sum_ext l _ (fun a => sum l g * f a)); [rewrite sum_scale; ring|]. intro a. rewrite sum_scale. ring. Qed.
(** Chebyshev: two quantities that rise together. *)
Lemma together A (l : list A) (w u v : A -> R) : (forall a, 0 <= w a) -> (forall a b, 0 <= (u a - u b) * (v a - v b)) ->
  sum l (fun a => w a * u a) * sum l (fun a => w a * v a) <= sum l (fun a => w a * u a * v a) * sum l w.
Proof.
  intros W H. assert (P : 0 <= sum l (fun a => sum l (fun b => w a * w b * ((u a - u b) * (v a - v b))))).
  { apply sum_nonneg. intro a. apply sum_nonneg. intro b. apply Rmult_le_pos; [now apply Rmult_le_pos|apply H]. }
  assert (E : sum l (fun a => sum l (fun b => w a * w b * ((u a - u b) * (v a - v b)))) =
    sum l (fun a => sum l (fun b => w a * u a * v a * w b)) + sum l (fun a => sum l (fun b => w a * (w b * u b * v b)))
    + -1 * (sum l (fun a => sum l (fun b => w a * u a * (w b * v b))) + sum l (fun a => sum l (fun b => w a * v a * (w b * u b))))).
  { rewrite <- sum_add, <- sum_add, <- sum_scale, <- sum_add. apply sum_ext. intro a. rewrite <- sum_add, <- sum_add, <- sum_scale, <- sum_add. apply sum_ext. intro b. ring. }
  rewrite !sum_product in E. lra.
Qed.

Section Shared.
Variable C : Type.
Variable causes : list C.
Hypothesis some_cause : causes <> [].
Variable members : list nat.
Hypothesis once : NoDup members.
(** How likely each state is, beside what is known of records outside of the group; the odds of each member in each state. *)
Variable q : C -> Records.db bool -> R.
Variable h : nat -> C -> R.
Hypothesis q_pos : forall z x, 0 < q z x.
Hypothesis q_outside : forall z x i a, In i members -> q z (upd x i a) = q z x.
Hypothesis h_pos : forall j z, 0 < h j z.
Variable s : R.
Hypothesis s1 : 1 <= s.
Hypothesis same_direction : forall i j z y, 0 <= (h i z - h i y) * (h j z - h j y).
Hypothesis range : forall j z y, h j z <= s * s * h j y.
Definition shared_law (x : Records.db bool) : R := sum causes (fun z => q z x * prod members (fun j => if x j then h j z else 1)).

Lemma shared_pos x : 0 < shared_law x.
Proof. apply sum_pos; [easy|]. intro z. apply Rmult_lt_0_compat; [easy|]. apply prod_pos. intro j. destruct (x j); [easy|lra]. Qed.
Theorem shared_never_lowers : never_lowers members (phi s s) shared_law.
Proof.
  split; [apply shared_pos|]. intros i j Ii Ij D x.
  set (M := remove Nat.eq_dec j (remove Nat.eq_dec i members)). set (F := fun z => q z x * prod M (fun k => if x k then h k z else 1)).
  assert (Jin : In j (remove Nat.eq_dec i members)) by (apply in_in_remove; auto).
  assert (L : forall a b, shared_law (upd (upd x i a) j b) = sum causes (fun z => F z * (if a then h i z else 1) * (if b then h j z else 1))).
  { intros a b. unfold shared_law. apply sum_ext. intro z. rewrite !q_outside by easy. rewrite (Clusters.prod_pull members i _ once Ii), (Clusters.prod_pull _ j _ (NoDup_rem i members once) Jin).
    rewrite upd_at, (upd_other (upd x i a) j i) by easy. rewrite upd_at. unfold F. fold M.
    rewrite (prod_in M (fun k => if upd (upd x i a) j b k then h k z else 1) (fun k => if x k then h k z else 1)); [ring|].
    intros k K. unfold M in K. apply in_remove in K. destruct K as [K Kj]. apply in_remove in K. destruct K as [K Ki]. now rewrite !upd_other by easy. }
  assert (Fp : forall z, 0 < F z) by (intro; apply Rmult_lt_0_compat; [easy|]; apply prod_pos; intro k; destruct (x k); [easy|lra]).
  rewrite !L. cbv iota.
  assert (E10 : sum causes (fun z => F z * h i z * 1) = sum causes (fun z => F z * h i z)) by (apply sum_ext; intro; ring).
  assert (E01 : sum causes (fun z => F z * 1 * h j z) = sum causes (fun z => F z * h j z)) by (apply sum_ext; intro; ring).
  assert (E00 : sum causes (fun z => F z * 1 * 1) = sum causes F) by (apply sum_ext; intro; ring).
  rewrite E10, E01, E00. split.
  - apply together; [intro; left; apply Fp|]. intros; apply same_direction.
  - destruct (smallest (h i) causes some_cause) as (zi & _ & Hi). destruct (smallest (h j) causes some_cause) as (zj & _ & Hj).
    assert (G := gruss C causes F (h i) (h j) (h i zi) (h j zj) s s s1 s1 (h_pos i zi) (h_pos j zj) ltac:(intro; left; apply Fp)
      ltac:(intros z I; split; [now apply Hi|apply range]) ltac:(intros z I; split; [now apply Hj|apply range])).
    unfold phi. apply Rmult_le_reg_r with ((s + s) * (s + s)); [nra|].
    replace ((1 + s * s) / (s + s) * ((1 + s * s) / (s + s)) * (sum causes (fun z => F z * h i z) * sum causes (fun z => F z * h j z)) * ((s + s) * (s + s)))
      with ((1 + s * s) * (1 + s * s) * sum causes (fun z => F z * h i z) * sum causes (fun z => F z * h j z)) by (field; lra).
    exact G.
Qed.
End Shared.

(** So the exact loss of groups is a bound for groups with a shared cause. *)
Theorem shared_cause C (causes : list C) members q h s l i others n K : causes <> [] -> NoDup members -> (forall z x, 0 < q z x) ->
  (forall z x i a, In i members -> q z (upd x i a) = q z x) -> (forall j z, 0 < h j z) -> 1 <= s -> 1 <= l -> (forall i j z y, 0 <= (h i z - h i y) * (h j z - h j y)) ->
  (forall j z y, h j z <= s * s * h j y) -> plain (fun _ => l) K -> NoDup (i :: others) -> incl (i :: others) members -> (length others <= n)%nat ->
  loses Exact.yes_no others (shared_law C causes members q h) K i (l * Peak.reinforced (phi s s) n l).
Proof.
  intros NE ND qp qo hp s1 l1 dir rg FK N I len. apply (exact_group_any members (phi s s) l (phi_ge1 s s s1 s1) l1); auto. now apply shared_never_lowers.
Qed.
Print Assumptions shared_cause.
