(** * Overlap: a bound by total variation (claim OVERLAP-1)

    If the laws of the rest of the group given two values of a record differ by at most eta in total variation, the loss is at most
    ln(e^(Lambda_i) (1 + eta (e^R - 1))), R being the sum of the others' losses. The adversary knows no other record of the group. *)
Require Import Reals List Lra Psatz FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Tables.
Import ListNotations.
Open Scope R_scope.

Section Overlap.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable L : nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** The law of the records [W] given that record [i] has the value [a]. *)
Definition law_given (w : db -> R) (W : list nat) (i : nat) (x : db) (a : V) (y : db) : R := w (upd y i a) / total W w (upd x i a).

Theorem overlap W w K i eta x a b : ~ In i W -> (forall y, 0 < w y) -> plain L K ->
  sum (configs vals W x) (fun y => Rmax 0 (law_given w W i x a y - law_given w W i x b y)) <= eta ->
  let T := prod W L * prod W L in
  given vals W w K x i a <= L i * L i * (1 + eta * (T - 1)) * given vals W w K x i b.
Proof.
  intros I wp FK TV T. unfold given.
  assert (g1 : 1 <= prod W L) by now apply prod_ge1. assert (T1 : 1 <= T) by (unfold T; nra).
  assert (Za : 0 < total W w (upd x i a)) by now apply total_pos. assert (Zb : 0 < total W w (upd x i b)) by now apply total_pos.
  set (p := law_given w W i x a) in *. set (q := law_given w W i x b) in *.
  assert (EZ : forall u, total W w (upd x i u) = sum (configs vals W x) (fun y => w (upd y i u))).
  { intro u. rewrite total_fix by easy. apply total_configs. }
  assert (S1 : forall u, 0 < total W w (upd x i u) -> sum (configs vals W x) (law_given w W i x u) = 1).
  { intros u Zu. unfold law_given. rewrite (sum_ext _ _ (fun y => / total W w (upd x i u) * w (upd y i u))) by (intro; field; lra).
    rewrite sum_scale, <- EZ. field. lra. }
  assert (eta0 : 0 <= eta) by (eapply Rle_trans; [|exact TV]; apply sum_nonneg; intro; apply Rmax_l).
  set (r := 1 + eta * (T - 1)). assert (r1 : 1 <= r) by (unfold r; nra).
  (* outside of the configurations of W the kernel is that of one of them, so that its range holds everywhere *)
  set (Kb := fun y => K (upd (fun j => if in_dec Nat.eq_dec j W then y j else x j) i b)).
  assert (KbE : forall y, In y (configs vals W x) -> Kb y = K (upd y i b)).
  { intros y iy. unfold Kb. f_equal. f_equal. apply functional_extensionality. intro j. destruct (in_dec Nat.eq_dec j W); [easy|]. symmetry. eapply configs_outside; eauto. }
  assert (P := pair_bound (configs vals W x) p q Kb T r T1 (S1 a Za) (S1 b Zb) ltac:(intro; apply FK)).
  specialize (P ltac:(intros y z; apply (plain_changes L K W L1 FK); intros j nj; unfold upd; destruct (Nat.eq_dec j i); [easy|]; destruct (in_dec Nat.eq_dec j W); [tauto|easy])).
  assert (E : (T - 1) * excess (configs vals W x) p q r <= r - 1).
  { unfold r at 2. apply Rle_trans with ((T - 1) * eta); [|right; ring]. apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|exact TV].
    apply sum_le. intro y. assert (0 < q y) by (unfold q, law_given; now apply Rdiv_lt_0_compat). apply Rle_max_compat_l. nra. }
  specialize (P E). rewrite !total_fix, !total_configs in * by easy.
  rewrite (sum_in _ (fun v => q v * Kb v) (fun y => / sum (configs vals W x) (fun y => w (upd y i b)) * (w (upd y i b) * K (upd y i b)))) in P.
  2:{ intros y iy. rewrite KbE by easy. unfold q, law_given. rewrite total_fix, total_configs by easy. field. lra. }
  rewrite sum_scale in P. set (Eb := sum (configs vals W x) (fun y => w (upd y i b) * K (upd y i b))) in *.
  set (zb := sum (configs vals W x) (fun y => w (upd y i b))) in *. set (za := sum (configs vals W x) (fun y => w (upd y i a))) in *.
  apply Rle_trans with (L i * L i * sum (configs vals W x) (fun y => p y * Kb y)).
  - rewrite <- sum_scale. unfold Rdiv. rewrite Rmult_comm, <- sum_scale. apply sum_le_in. intros y iy. rewrite KbE by easy. unfold p, law_given.
    rewrite total_fix, total_configs by easy. fold za. destruct FK as [_ KL]. specialize (KL i a b y).
    replace (/ za * (w (upd y i a) * K (upd y i a))) with (w (upd y i a) / za * K (upd y i a)) by (field; lra).
    replace (L i * L i * (w (upd y i a) / za * K (upd y i b))) with (w (upd y i a) / za * (L i * L i * K (upd y i b))) by (field; lra).
    apply Rmult_le_compat_l; [left; now apply Rdiv_lt_0_compat|easy].
  - replace (L i * L i * r * (Eb / zb)) with (L i * L i * (r * (/ zb * Eb))) by (field; lra).
    apply Rmult_le_compat_l; [specialize (L1 i); nra|exact P].
Qed.
End Overlap.
Print Assumptions overlap.
