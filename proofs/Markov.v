(** * Pairwise Markov random fields are fields (claim FIELD-1, the class)

    A law that is a product of functions of single records and functions of pairs, each pair's odds ratio being at most
    e^(theta_ij), is in the class [field] of Field.v. Pairs that are listed twice multiply: the strengths add up. *)
Require Import Reals List Lra Psatz Arith ZArith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Field.
Import ListNotations.
Open Scope R_scope.

Section Markov.
Variable V : Type.
Variable nodes : list nat.
Hypothesis nodup : NoDup nodes.
Lemma prod_change (q : nat) (f : nat -> R) (g : R) l : NoDup l -> In q l ->
  prod l (fun j => if Nat.eq_dec j q then g * f j else f j) = g * prod l f.
Proof.
  assert (out : forall l, ~ In q l -> prod l (fun j => if Nat.eq_dec j q then g * f j else f j) = prod l f).
  { induction l0 as [|j l0 IH]; simpl; intro H; [easy|]. destruct (Nat.eq_dec j q); [tauto|]. now rewrite IH by tauto. }
  induction l as [|j l IH]; simpl; intros N I; [easy|]. inversion N; subst. destruct (Nat.eq_dec j q) as [->|D].
  - rewrite out by easy. ring.
  - destruct I as [I|I]; [congruence|]. rewrite IH by easy. ring.
Qed.

(** No links at all: independent records. *)
Definition ones : nat -> nat -> R := fun _ _ => 1.
Theorem independent_is_field (f : nat -> V -> R) : (forall j v, 0 < f j v) ->
  field V nodes ones (fun x => prod nodes (fun j => f j (x j))).
Proof.
  intro P. split; [intro; now apply prod_pos|]. intros i a b.
  exists (if in_dec Nat.eq_dec i nodes then f i a / f i b else 1), (fun _ _ => 1).
  split; [destruct (in_dec Nat.eq_dec i nodes); [now apply Rdiv_lt_0_compat|lra]|].
  split; [intros; lra|]. split; [intros; unfold ones; lra|]. intro x. rewrite prod_one.
  assert (E : forall u, prod nodes (fun j => f j (upd x i u j)) =
     (if in_dec Nat.eq_dec i nodes then f i u else 1) * prod nodes (fun j => if Nat.eq_dec j i then 1 else f j (x j))).
  { intro u. destruct (in_dec Nat.eq_dec i nodes) as [I|I].
    - rewrite <- (prod_change i (fun j => if Nat.eq_dec j i then 1 else f j (x j)) (f i u)) by easy.
      apply prod_ext. intro j. unfold upd. destruct (Nat.eq_dec j i); [subst; ring|easy].
    - rewrite Rmult_1_l. clear nodup. induction nodes as [|k l IH]; simpl; [easy|].
      unfold upd at 1. destruct (Nat.eq_dec k i); [subst; exfalso; apply I; now left|]. f_equal. apply IH. intro; apply I; now right. }
  rewrite !E. destruct (in_dec Nat.eq_dec i nodes); [|ring]. field. assert (0 < f i b) by apply P. lra.
Qed.

(** One more link, between [p] and [q], of odds ratio at most k^2. *)
Definition strengthen (c : nat -> nat -> R) p q k : nat -> nat -> R := fun i j =>
  if Nat.eq_dec i p then (if Nat.eq_dec j q then k * c i j else c i j)
  else if Nat.eq_dec i q then (if Nat.eq_dec j p then k * c i j else c i j) else c i j.
Theorem edge_is_field c w p q (psi : V -> V -> R) k : p <> q -> In p nodes -> In q nodes -> 1 <= k ->
  (forall a v, 0 < psi a v) -> (forall a b u v, psi a u * psi b v <= k * k * (psi b u * psi a v)) ->
  field V nodes c w -> field V nodes (strengthen c p q k) (fun x => psi (x p) (x q) * w x).
Proof.
  intros pq Ip Iq k1 P O [W F]. split; [intro; now apply Rmult_lt_0_compat|]. intros m a b.
  destruct (F m a b) as (k' & rho & k0 & r0 & rr & E).
  assert (one : forall (r : nat) (g : V -> R), In r nodes -> (forall v, 0 < g v) -> (forall u v, g u <= k * k * g v) ->
     (forall j, strengthen c p q k m j = if Nat.eq_dec j r then k * c m j else c m j) ->
     (forall x, psi (upd x m a p) (upd x m a q) = g (x r) * psi (upd x m b p) (upd x m b q)) ->
     exists k2 (rho2 : nat -> V -> R), 0 < k2 /\ (forall j v, 0 < rho2 j v) /\
       (forall j u v, rho2 j u <= strengthen c p q k m j * strengthen c p q k m j * rho2 j v) /\
       forall x, psi (upd x m a p) (upd x m a q) * w (upd x m a) =
         k2 * prod nodes (fun j => rho2 j (x j)) * (psi (upd x m b p) (upd x m b q) * w (upd x m b))).
  { intros r g Ir g0 gg S G. exists k', (fun j => if Nat.eq_dec j r then fun v => g v * rho j v else rho j).
    split; [easy|]. split; [intros j v; destruct (Nat.eq_dec j r); [now apply Rmult_lt_0_compat|easy]|]. split.
    - intros j u v. rewrite S. destruct (Nat.eq_dec j r); [|apply rr].
      replace (k * c m j * (k * c m j) * (g v * rho j v)) with ((k * k * g v) * (c m j * c m j * rho j v)) by ring.
      apply Rmult_le_compat; [left; apply g0|left; apply r0|apply gg|apply rr].
    - intro x. rewrite G, E. transitivity (k' * (g (x r) * prod nodes (fun j => rho j (x j))) * (psi (upd x m b p) (upd x m b q) * w (upd x m b))); [ring|].
      rewrite <- (prod_change r (fun j => rho j (x j)) (g (x r)) nodes) by easy. do 2 f_equal.
      apply prod_ext. intro j. destruct (Nat.eq_dec j r); [now subst|easy]. }
  unfold strengthen in *. destruct (Nat.eq_dec m p) as [->|mp]; [|destruct (Nat.eq_dec m q) as [->|mq]].
  - apply (one q (fun v => psi a v / psi b v)); auto.
    + intro v. now apply Rdiv_lt_0_compat.
    + intros u v. apply Rmult_le_reg_r with (psi b u * psi b v); [now apply Rmult_lt_0_compat|].
      specialize (O a b u v). assert (0 < psi b u) by apply P. assert (0 < psi b v) by apply P.
      replace (psi a u / psi b u * (psi b u * psi b v)) with (psi a u * psi b v) by (field; lra).
      replace (k * k * (psi a v / psi b v) * (psi b u * psi b v)) with (k * k * (psi b u * psi a v)) by (field; lra). easy.
    + intro x. rewrite !upd_at, !upd_other by congruence. field. assert (0 < psi b (x q)) by apply P. lra.
  - apply (one p (fun v => psi v a / psi v b)); auto.
    + intro v. now apply Rdiv_lt_0_compat.
    + intros u v. apply Rmult_le_reg_r with (psi u b * psi v b); [now apply Rmult_lt_0_compat|].
      specialize (O u v a b). assert (0 < psi u b) by apply P. assert (0 < psi v b) by apply P.
      replace (psi u a / psi u b * (psi u b * psi v b)) with (psi u a * psi v b) by (field; lra).
      replace (k * k * (psi v a / psi v b) * (psi u b * psi v b)) with (k * k * (psi v a * psi u b)) by (field; lra). easy.
    + intro x. rewrite !upd_at, !upd_other by congruence. field. assert (0 < psi (x p) b) by apply P. lra.
  - exists k', rho. repeat split; auto. intro x. rewrite !upd_other by congruence. rewrite E. ring.
Qed.

End Markov.
Print Assumptions edge_is_field.
