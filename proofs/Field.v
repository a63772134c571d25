(** * Fields on any graph: walks that never return (claim FIELD-1)

    A Markov random field on a graph, with strength theta_ij on its links ([c i j = e^(theta_ij / 2)], 1 where there is no link), any
    single-record laws, any records known. The loss about record [i] is bounded by a recursion over walks that never enter a record twice. *)
Require Import Reals List Lra Psatz Arith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records.
Import ListNotations.
Open Scope R_scope.

Section Fields.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.                 (* all records *)
Variable L : nat -> R.                     (* e^(Lambda_i / 2) *)
Variable c : nat -> nat -> R.              (* e^(theta_ij / 2); 1 where there is no link *)
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall i j, 1 <= c i j.
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** The class of laws: when record [i] changes from [b] to [a], the law changes by a factor that is a product of functions [rho j] of single
    other records, each of range at most [c i j ^ 2 = e^(theta_ij)]. Every pairwise Markov random field is one (Markov.v); evidence about
    single records, and known values of records, keep a law in the class ([field_tilt], [field_fix]). *)
Definition field (w : db -> R) := (forall x, 0 < w x) /\ forall i a b, exists k (rho : nat -> V -> R), 0 < k /\
  (forall j v, 0 < rho j v) /\ (forall j u v, rho j u <= c i j * c i j * rho j v) /\
  forall x, w (upd x i a) = k * prod nodes (fun j => rho j (x j)) * w (upd x i b).

Lemma field_fix w i b : field w -> field (fun y => w (upd y i b)).
Proof. intros [P H]. split; [auto|]. intros m u v. destruct (Nat.eq_dec m i) as [->|D].
  - exists 1, (fun _ _ => 1). split; [lra|]. split; [intros; lra|]. split.
    + intros. assert (Q := c1 i j). assert (1 <= c i j * c i j) by nra. lra.
    + intro x. rewrite !upd_same. rewrite prod_one. lra.
  - destruct (H m u v) as (k & rho & k0 & r0 & rr & E).
    exists k, (fun j => if Nat.eq_dec j i then fun _ => rho i b else rho j). split; [easy|]. split; [|split].
    + intros j z. now destruct (Nat.eq_dec j i).
    + intros j z z'. destruct (Nat.eq_dec j i); [|apply rr]. subst. assert (Q := c1 m i). assert (1 <= c m i * c m i) by nra. specialize (r0 i b). nra.
    + intro x. rewrite !(upd_comm x m i) by congruence. rewrite E. f_equal. f_equal. apply prod_ext. intro j.
      unfold upd. now destruct (Nat.eq_dec j i); subst. Qed.
Lemma field_tilt w j (h : V -> R) : (forall v, 0 < h v) -> field w -> field (fun y => h (y j) * w y).
Proof. intros h0 [P H]. split; [intro; now apply Rmult_lt_0_compat|]. intros m u v.
  destruct (H m u v) as (k & rho & k0 & r0 & rr & E). destruct (Nat.eq_dec m j) as [->|D].
  - exists (k * h u / h v), rho. split; [apply Rdiv_lt_0_compat; [now apply Rmult_lt_0_compat|easy]|].
    split; [easy|]. split; [easy|]. intro x. rewrite !upd_at, E. field. specialize (h0 v). lra.
  - exists k, rho. repeat split; auto. intro x. rewrite !upd_other by congruence. rewrite E. ring. Qed.


(** [B n i W]: the bound about [i] while the records of [W] are unknown; walks of at most [n] steps. *)
Fixpoint B (n : nat) (i : nat) (W : list nat) : R :=
  match n with
  | O => L i
  | S n => L i * prod nodes (fun j => if in_dec Nat.eq_dec j W then phi (c i j) (B n j (remove Nat.eq_dec j W)) else 1)
  end.
Lemma B_ge1 n : forall i W, 1 <= B n i W.
Proof. induction n; simpl; intros; [apply L1|]. 
  assert (1 <= prod nodes (fun j => if in_dec Nat.eq_dec j W then phi (c i j) (B n j (remove Nat.eq_dec j W)) else 1)).
  { apply prod_ge1. intro j. destruct (in_dec Nat.eq_dec j W); [apply phi_ge1; auto|lra]. }
  assert (Q := L1 i). nra. Qed.


(** One step: what is known about the others of [W], each while the rest is unknown, gives a bound about [i]. *)
Lemma one_step (bound : nat -> list nat -> R) W w K i : (forall j Z, 1 <= bound j Z) ->
  (forall j w K, In j W -> field w -> plain L K -> loses_x vals (remove Nat.eq_dec j W) w K j (bound j (remove Nat.eq_dec j W))) ->
  NoDup W -> ~ In i W -> field w -> plain L K ->
  loses_x vals W w K i (L i * prod nodes (fun j => if in_dec Nat.eq_dec j W then phi (c i j) (bound j (remove Nat.eq_dec j W)) else 1)).
Proof.
  intros g1 IH N I Fw FK x a b.
  rewrite !(total_fix W) by easy.
  set (wb := fun y => w (upd y i b)). set (Kb := fun y => K (upd y i b)).
  assert (Fb : field wb) by now apply field_fix. assert (FKb : plain L Kb) by now apply plain_fix.
  destruct (proj2 Fw i a b) as (k & rho & k0 & r0 & rr & E).
  set (H j := if in_dec Nat.eq_dec j W then phi (c i j) (bound j (remove Nat.eq_dec j W)) else 1).
  assert (H1 : forall j, 1 <= H j). { intro j. unfold H. destruct (in_dec Nat.eq_dec j W); [apply phi_ge1; [easy|apply g1]|lra]. }
  (* change the tilts one record at a time *)
  assert (step : forall T, field (fun y => prod T (fun j => rho j (y j)) * wb y) /\
     total W (fun y => prod T (fun j => rho j (y j)) * wb y * Kb y) x * total W wb x
     <= prod T H * prod T H * (total W (fun y => wb y * Kb y) x * total W (fun y => prod T (fun j => rho j (y j)) * wb y) x)).
  { induction T as [|j T [FT Q]]; simpl.
    - split; [apply (field_tilt wb 0%nat (fun _ => 1)); [intros; lra|easy]|].
      rewrite (total_ext W (fun y => 1 * wb y * Kb y) (fun y => wb y * Kb y)) by (intro; ring).
      rewrite (total_ext W (fun y => 1 * wb y) wb) by (intro; ring). lra.
    - set (wT := fun y => prod T (fun j => rho j (y j)) * wb y) in *.
      assert (FT' : field (fun y => rho j (y j) * wT y)) by now apply field_tilt.
      split. { destruct FT' as [P1 P2]. split; intros. 
        - specialize (P1 x0). unfold wT in P1. rewrite Rmult_assoc. exact P1.
        - destruct (P2 i0 a0 b0) as (k' & rho' & ? & ? & ? & E'). exists k', rho'. repeat split; auto.
          intro y. specialize (E' y). unfold wT in E'. rewrite !Rmult_assoc in *. exact E'. }
      rewrite (total_ext W (fun y => rho j (y j) * prod T (fun j => rho j (y j)) * wb y * Kb y) (fun y => rho j (y j) * (wT y * Kb y)))
        by (intro; unfold wT; ring).
      rewrite (total_ext W (fun y => rho j (y j) * prod T (fun j => rho j (y j)) * wb y) (fun y => rho j (y j) * wT y))
        by (intro; unfold wT; ring).
      rewrite (total_ext W (fun y => prod T (fun j => rho j (y j)) * wb y * Kb y) (fun y => wT y * Kb y)) in Q by (intro; unfold wT; ring).
      change (total W (fun y => prod T (fun j => rho j (y j)) * wb y) x) with (total W wT x) in Q.
      assert (one : total W (fun y => rho j (y j) * (wT y * Kb y)) x * total W wT x
          <= H j * H j * (total W (fun y => wT y * Kb y) x * total W (fun y => rho j (y j) * wT y) x)).
      { unfold H. destruct (in_dec Nat.eq_dec j W) as [M|M].
        - set (Z := remove Nat.eq_dec j W). set (gj := bound j Z).
          assert (nR : ~ In j Z) by apply remove_In.
          assert (tl := summed_out V vals
             (fun v => rho j v * total Z (fun y => wT y * Kb y) (upd x j v)) (fun v => total Z (fun y => wT y * Kb y) (upd x j v))
             (fun v => rho j v * total Z wT (upd x j v)) (fun v => total Z wT (upd x j v)) 1 gj (c i j)).
          assert (pn : forall v, 0 < total Z (fun y => wT y * Kb y) (upd x j v)).
          { intro; apply (total_pos some). intro; apply Rmult_lt_0_compat; [apply FT|apply FKb]. }
          assert (pz : forall v, 0 < total Z wT (upd x j v)) by (intro; apply (total_pos some); apply FT).
          specialize (tl ltac:(lra) (g1 j Z) (c1 i j) some pn ltac:(intro; now apply Rmult_lt_0_compat) pz).
          specialize (tl ltac:(intros; right; ring)).
          specialize (tl ltac:(intros u v _ _; apply (IH j wT Kb); auto)).
          specialize (tl ltac:(intros u v _ _; specialize (rr j u v); assert (q1 := pz u); assert (q2 := pz v); assert (0 < total Z wT (upd x j u) * total Z wT (upd x j v)) by nra; nra)).
          rewrite !(total_pull W j _ x N M). fold Z.
          rewrite (sum_ext vals (fun v => total Z (fun y => rho j (y j) * (wT y * Kb y)) (upd x j v))
                     (fun v => rho j v * total Z (fun y => wT y * Kb y) (upd x j v))).
          2:{ intro v. rewrite (total_const Z j (rho j) (fun y => wT y * Kb y)) by easy. now rewrite upd_at. }
          rewrite (sum_ext vals (fun v => total Z (fun y => rho j (y j) * wT y) (upd x j v)) (fun v => rho j v * total Z wT (upd x j v))).
          2:{ intro v. rewrite (total_const Z j (rho j) wT) by easy. now rewrite upd_at. }
          rewrite !Rmult_1_l in tl. exact tl.
        - rewrite (total_const W j (rho j) (fun y => wT y * Kb y)) by easy. rewrite (total_const W j (rho j) wT) by easy. lra. }
      assert (p1 : 0 < total W wT x) by (apply (total_pos some); apply FT).
      assert (p2 : 0 < total W wb x) by (apply (total_pos some); apply Fb).
      assert (p3 : 0 < total W (fun y => rho j (y j) * wT y) x) by (apply (total_pos some); apply FT').
      apply Rmult_le_reg_r with (total W wT x); [easy|].
      apply (Rmult_le_compat_r (total W wb x)) in one; [|lra].
      apply (Rmult_le_compat_l (H j * H j * total W (fun y => rho j (y j) * wT y) x)) in Q;
        [|assert (0 <= H j * H j) by (specialize (H1 j); nra); apply Rmult_le_pos; lra].
      apply Rle_trans with (H j * H j * (total W (fun y => wT y * Kb y) x * total W (fun y => rho j (y j) * wT y) x) * total W wb x).
      + eapply Rle_trans; [|exact one]. right; ring.
      + eapply Rle_trans; [|eapply Rle_trans; [exact Q|]]; right; ring. }
  destruct (step nodes) as [_ Q].
  assert (EA : total W (fun y => w (upd y i a)) x = k * total W (fun y => prod nodes (fun j => rho j (y j)) * wb y) x).
  { rewrite <- total_scale. apply total_ext. intro y. rewrite E. unfold wb. ring. }
  assert (EK : total W (fun y => w (upd y i a) * Kb y) x = k * total W (fun y => prod nodes (fun j => rho j (y j)) * wb y * Kb y) x).
  { rewrite <- total_scale. apply total_ext. intro y. rewrite E. unfold wb. ring. }
  assert (KK : total W (fun y => w (upd y i a) * K (upd y i a)) x <= L i * L i * total W (fun y => w (upd y i a) * Kb y) x).
  { rewrite <- total_scale. apply total_le. intro y. destruct FK as [_ KL], Fw as [WP _]. specialize (KL i a b y). specialize (WP (upd y i a)). unfold Kb. nra. }
  assert (p2 : 0 < total W wb x) by (apply (total_pos some); apply Fb).
  fold H.
  change (total W (fun y => w (upd y i b) * K (upd y i b)) x) with (total W (fun y => wb y * Kb y) x).
  change (total W (fun y => w (upd y i b)) x) with (total W wb x).
  rewrite EA. rewrite EK in KK.
  apply (Rmult_le_compat_r (total W wb x)) in KK; [|lra].
  apply (Rmult_le_compat_l (L i * L i * k)) in Q; [|assert (0 < L i) by (specialize (L1 i); lra); apply Rmult_le_pos; nra].
  eapply Rle_trans; [exact KK|]. eapply Rle_trans; [|eapply Rle_trans; [exact Q|]]; right; ring.
Qed.
(** FIELD-1, walks: for every field with the declared strengths and every mechanism with the declared plain losses, the loss about [i],
    whatever the records outside of [W] are known to be, is at most [2 ln (B n i W)], for [n] at least the number of unknown records. *)
Theorem walks n : forall W w K i, (length W <= n)%nat -> NoDup W -> ~ In i W -> field w -> plain L K ->
  loses_x vals W w K i (B n i W).
Proof.
  induction n as [|n IH]; intros W w K i len N I Fw FK.
  - intros x a b. destruct W; [|simpl in len; lia]. simpl. destruct FK as [KP KL], Fw as [WP _].
    assert (Q := KL i a b x). assert (0 < w (upd x i a)) by apply WP. assert (0 < w (upd x i b)) by apply WP.
    assert (w (upd x i a) * w (upd x i b) * K (upd x i a) <= w (upd x i a) * w (upd x i b) * (L i * L i * K (upd x i b))).
    { apply Rmult_le_compat_l; [nra|easy]. } nra.
  - apply (one_step (B n)); auto using B_ge1. intros j w' K' J Fw' FK'. apply IH; auto using NoDup_rem, remove_In.
    assert (Q := remove_length_lt Nat.eq_dec W j J). lia.
Qed.
End Fields.
Print Assumptions walks.
