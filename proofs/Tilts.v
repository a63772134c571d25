(** * Changing the law of several unknown records at once

    The step that all bounds on fields consist of: the law is multiplied by a function [rho] of the records of [S] (a part of the unknown
    records [W]; [Z] is the rest), of range at most c^2. If, the other records of [S] being known, the loss about each record k of [S] is at
    most [g k], this costs at most phi of [c] and the product of the [g k]. *)
Require Import Reals List Lra Psatz Arith FunctionalExtensionality Permutation.
From Kith Require Import Sums Gruss Records.
Import ListNotations.
Open Scope R_scope.

Section Tilts.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Notation db := (Records.db V).
Notation total := (Records.total vals).

Lemma total_outside Z (f : db -> R) F x : (forall y j v, In j Z -> f (upd y j v) = f y) -> total Z (fun y => f y * F y) x = f x * total Z F x.
Proof.
  revert x. induction Z as [|j Z IH]; simpl; intros x H; [easy|]. rewrite <- sum_scale. apply sum_ext. intro v.
  rewrite IH by auto. now rewrite H by auto.
Qed.

(** Losses about the records of [S], one after another, the others being known. *)
Lemma chain_of_losses S Z w K g : (forall y, 0 < w y) -> (forall y, 0 < K y) -> (forall k, In k S -> loses_x vals Z w K k (g k)) ->
  forall y y', (forall k, ~ In k S -> y k = y' k) ->
  total Z (fun y => w y * K y) y * total Z w y'
  <= prod S g * prod S g * (total Z (fun y => w y * K y) y' * total Z w y).
Proof.
  intros wp kp H. induction S as [|k S IH]; intros y y' E; simpl.
  - replace y' with y by (apply functional_extensionality; intro; apply E; tauto). lra.
  - set (y1 := upd y k (y' k)).
    assert (E1 : forall j, ~ In j S -> y1 j = y' j).
    { intros j nj. unfold y1, upd. destruct (Nat.eq_dec j k); [now subst|]. apply E. intros [->|]; tauto. }
    assert (Q := IH (fun k hk => H k (or_intror hk)) y1 y' E1).
    assert (M := H k (or_introl eq_refl) y (y k) (y' k)).
    replace (upd y k (y k)) with y in M by (apply functional_extensionality; intro j; unfold upd; now destruct (Nat.eq_dec j k); subst).
    fold y1 in M. set (p := prod S g) in *.
    assert (tp : forall y, 0 < total Z w y) by (intro; now apply total_pos).
    assert (tkp : forall y, 0 < total Z (fun y => w y * K y) y) by (intro; apply total_pos; auto; intro; now apply Rmult_lt_0_compat).
    assert (a1 := tp y). assert (a2 := tp y1). assert (a3 := tp y'). assert (a4 := tkp y). assert (a5 := tkp y1). assert (a6 := tkp y').
    set (Ny := total Z (fun y => w y * K y) y) in *. set (N1 := total Z (fun y => w y * K y) y1) in *. set (N' := total Z (fun y => w y * K y) y') in *.
    set (My := total Z w y) in *. set (M1 := total Z w y1) in *. set (M2 := total Z w y') in *.
    apply Rmult_le_reg_r with (M1 * N1); [now apply Rmult_lt_0_compat|].
    replace (Ny * M2 * (M1 * N1)) with ((Ny * M1) * (N1 * M2)) by ring.
    replace (g k * p * (g k * p) * (N' * My) * (M1 * N1)) with ((g k * g k * (N1 * My)) * (p * p * (N' * M1))) by ring.
    apply Rmult_le_compat; try assumption; left; now apply Rmult_lt_0_compat.
Qed.

Theorem tilted W S Z w K rho g c x :
  NoDup W -> Permutation W (S ++ Z) -> (forall y, 0 < w y) -> (forall y, 0 < K y) -> (forall y, 0 < rho y) ->
  (forall y j v, In j Z -> rho (upd y j v) = rho y) -> 1 <= c ->
  (forall y y', (forall k, ~ In k S -> y k = y' k) -> rho y <= c * c * rho y') ->
  (forall k, In k S -> 1 <= g k /\ loses_x vals Z w K k (g k)) ->
  total W (fun y => rho y * (w y * K y)) x * total W w x
  <= phi c (prod S g) * phi c (prod S g) * (total W (fun y => w y * K y) x * total W (fun y => rho y * w y) x).
Proof.
  intros N PW wp kp rp out c1 range H.
  assert (SP : forall F, total W F x = sum (configs vals S x) (total Z F)).
  { intro F. rewrite (total_perm W (S ++ Z) PW) by easy. rewrite total_app. apply total_configs. }
  rewrite !SP.
  assert (tp : forall y, 0 < total Z w y) by (intro; now apply total_pos).
  assert (tkp : forall y, 0 < total Z (fun y => w y * K y) y) by (intro; apply total_pos; auto; intro; now apply Rmult_lt_0_compat).
  assert (agree : forall y y', In y (configs vals S x) -> In y' (configs vals S x) -> forall k, ~ In k S -> y k = y' k).
  { intros y y' hy hy' k hk. transitivity (x k); [|symmetry]; eapply configs_outside; eauto. }
  assert (TW : forall y, total Z (fun y => rho y * w y) y = rho y * total Z w y) by (intro; now apply total_outside).
  assert (TK : forall y, total Z (fun y => rho y * (w y * K y)) y = rho y * total Z (fun y => w y * K y) y) by (intro; now apply total_outside).
  assert (tl := summed_out db (configs vals S x) (total Z (fun y => rho y * (w y * K y))) (total Z (fun y => w y * K y))
     (total Z (fun y => rho y * w y)) (total Z w) 1 (prod S g) c).
  rewrite !Rmult_1_l in tl. apply tl; auto; [lra| | |intro; rewrite TW; now apply Rmult_lt_0_compat| | |].
  - apply prod_ge1_in. intros; now apply H.
  - now apply configs_ne.
  - intros y _. rewrite TW, TK. right; ring.
  - intros y y' hy hy'. apply (chain_of_losses S Z w K g wp kp (fun k hk => proj2 (H k hk))). now apply agree.
  - intros y y' hy hy'. rewrite !TW. assert (q := range y y' (agree y y' hy hy')). assert (a1 := tp y). assert (a2 := tp y').
    apply (Rmult_le_compat_r (total Z w y * total Z w y')) in q; [|nra]. nra.
Qed.
End Tilts.
