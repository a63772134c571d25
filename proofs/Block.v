(** * The block cap and the group bound (claim ASSOCIATION-2)

    All ties of a record are changed at once: the loss is at most Lambda_i + phi of the sum of its strengths and the sum of the others' losses. *)
Require Import Reals List Lra Psatz Arith ZArith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Field.
Import ListNotations.
Open Scope R_scope.

Section Block.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.
Variable L : nat -> R.
Variable c : nat -> nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall i j, 1 <= c i j.
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** ASSOCIATION-2, block cap, for fields: [k] is e^(sum of the strengths of i / 2), [g] is e^(sum of the others' losses / 2). The bound covers
    any known records outside of [W]. *)
Theorem block W w K i : ~ In i W -> field V nodes c w -> plain L K ->
  loses_x vals W w K i (L i * phi (prod nodes (fun j => c i j)) (prod W L)).
Proof.
  intros I Fw FK x a b. rewrite !(total_fix W i) by easy. rewrite !total_configs.
  destruct (proj2 Fw i a b) as (q & rho & q0 & r0 & rr & E). destruct Fw as [Fp _]. destruct FK as [Kp Kl].
  assert (RR : forall y z, prod nodes (fun j => rho j (y j)) <= prod nodes (fun j => c i j) * prod nodes (fun j => c i j) * prod nodes (fun j => rho j (z j))).
  { intros y z. clear E. induction nodes as [|j l H]; simpl; [lra|]. assert (Q := rr j (y j) (z j)). assert (P1 := r0 j (y j)).
    assert (P2 : 0 < prod l (fun j => rho j (y j))) by (apply prod_pos; auto).
    replace (c i j * prod l (fun j => c i j) * (c i j * prod l (fun j => c i j)) * (rho j (z j) * prod l (fun j => rho j (z j))))
      with ((c i j * c i j * rho j (z j)) * (prod l (fun j => c i j) * prod l (fun j => c i j) * prod l (fun j => rho j (z j)))) by ring.
    apply Rmult_le_compat; lra. }
  apply (summed_out db (configs vals W x)); auto.
  - now apply prod_ge1.
  - now apply prod_ge1.
  - now apply configs_ne.
  - intro y. now apply Rmult_lt_0_compat.
  - intros y _. specialize (Kl i a b y). assert (0 < w (upd y i a) * w (upd y i b)) by now apply Rmult_lt_0_compat. nra.
  - intros y z iy iz. assert (H := plain_changes L (fun y => K (upd y i b)) W L1 (plain_fix L K i b L1 (conj Kp Kl)) y z).
    specialize (H ltac:(intros j nj; transitivity (x j); [|symmetry]; eapply configs_outside; eauto)). cbv beta in H.
    assert (0 < w (upd y i b) * w (upd z i b)) by now apply Rmult_lt_0_compat. nra.
  - intros y z _ _. rewrite !E. specialize (RR y z).
    assert (0 < q * w (upd y i b) * w (upd z i b)) by (repeat apply Rmult_lt_0_compat; auto). nra.
Qed.

(** ASSOCIATION-2, groups: whatever the law is, the loss is at most the sum of all losses. *)
Theorem group W w K i : ~ In i W -> (forall x, 0 < w x) -> plain L K -> loses_x vals W w K i (L i * prod W L).
Proof.
  intros I Fp FK x a b. assert (g1 : 1 <= prod W L) by now apply prod_ge1.
  assert (H := plain_changes L K (i :: W) L1 FK). simpl in H.
  assert (C : forall y, In y (configs vals W (upd x i a)) -> forall z, In z (configs vals W (upd x i b)) -> K y <= (L i * prod W L) * (L i * prod W L) * K z).
  { intros y iy z iz. apply H. intros j nj. rewrite (configs_outside _ _ _ j iy), (configs_outside _ _ _ j iz) by tauto. unfold upd. destruct (Nat.eq_dec j i); [subst; tauto|easy]. }
  rewrite !total_configs. set (M := (L i * prod W L) * (L i * prod W L)) in *.
  (* every value on the left is at most M times every value on the right *)
  assert (T : forall l1 l2, (forall y, In y l1 -> forall z, In z l2 -> K y <= M * K z) ->
     sum l1 (fun y => w y * K y) * sum l2 w <= M * (sum l2 (fun y => w y * K y) * sum l1 w)).
  { intros l1 l2 HC.
    replace (sum l1 (fun y => w y * K y) * sum l2 w) with (sum l1 (fun y => sum l2 (fun z => w y * w z * K y))).
    2:{ rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro y. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro z. ring. }
    replace (M * (sum l2 (fun y => w y * K y) * sum l1 w)) with (sum l1 (fun y => sum l2 (fun z => w y * w z * (M * K z)))).
    2:{ rewrite <- Rmult_assoc, <- sum_scale. apply sum_ext. intro y.
        transitivity (M * w y * sum l2 (fun y => w y * K y)); [|ring]. rewrite <- sum_scale. apply sum_ext. intro z. ring. }
    apply sum_le_in. intros y iy. apply sum_le_in. intros z iz. apply Rmult_le_compat_l; [left; now apply Rmult_lt_0_compat|]. now apply HC. }
  now apply T.
Qed.
End Block.
Print Assumptions block.
