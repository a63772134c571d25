(** * A known total of independent yes/no records (claim TOTALS-1)

    The others of record i are independent, each with odds o j of having it; their number, k, is known once i's value is. [part n k o K] adds up the mechanism K over
    all ways in which k of n have it, with the weights of the law; [part n k o 1] is the weight itself. If replacing one record changes K by a factor of at most d,
    one more record that has it changes the average of K by at most d ([one_more], [one_less]): Newton's inequalities and induction, no coupling. So what a known
    total adds to a record's own loss is the largest loss of another record ([known_total]).                                                             *)
Require Import Reals Lra Lia Psatz Arith.
From Kith Require Tilt.
Import Tilt.
Open Scope R_scope.

Fixpoint part (n k : nat) (o : nat -> R) : (cube n -> R) -> R :=
  match n with
  | O => fun K => match k with O => K tt | _ => 0 end
  | S n => fun K => part n k (fun j => o (S j)) (fun y => K (false, y)) + match k with O => 0 | S k => o O * part n k (fun j => o (S j)) (fun y => K (true, y)) end
  end.
Definition weight (n k : nat) (o : nat -> R) : R := part n k o (fun _ => 1).
(** The same one step lower, 0 below nothing. *)
Definition less (n k : nat) (o : nat -> R) (K : cube n -> R) : R := match k with O => 0 | S k => part n k o K end.
Lemma part_step n k o K : part (S n) k o K = part n k (fun j => o (S j)) (fun y => K (false, y)) + o O * less n k (fun j => o (S j)) (fun y => K (true, y)).
Proof. destruct k; cbn; ring. Qed.
Lemma part_le n : forall k o K M, (forall j, 0 < o j) -> (forall y, K y <= M y) -> part n k o K <= part n k o M.
Proof.
  induction n as [|n IH]; intros k o K M P H; cbn; [destruct k; [apply H|lra]|]. apply Rplus_le_compat; [apply IH; auto|]. destruct k; [lra|]. apply Rmult_le_compat_l; [left; apply P|apply IH; auto].
Qed.
Lemma part_scale n a : forall k o K, part n k o (fun y => a * K y) = a * part n k o K.
Proof. induction n as [|n IH]; intros k o K; cbn; [destruct k; ring|]. rewrite IH. destruct k; [ring|]. rewrite IH. ring. Qed.
Lemma part_nonneg n : forall k o K, (forall j, 0 < o j) -> (forall y, 0 <= K y) -> 0 <= part n k o K.
Proof. induction n as [|n IH]; intros k o K P H; cbn; [destruct k; [apply H|lra]|]. assert (a := IH k (fun j => o (S j)) (fun y => K (false, y)) (fun j => P (S j)) (fun y => H (false, y))). destruct k; [lra|].
  assert (b := IH k (fun j => o (S j)) (fun y => K (true, y)) (fun j => P (S j)) (fun y => H (true, y))). assert (c := P O). assert (0 <= o O * part n k (fun j => o (S j)) (fun y => K (true, y))) by (apply Rmult_le_pos; lra). lra. Qed.
Lemma part_none n : forall k o K, (n < k)%nat -> part n k o K = 0.
Proof. induction n as [|n IH]; intros k o K H; cbn; [destruct k; [inversion H|easy]|]. rewrite IH by lia. destruct k; [lia|]. rewrite IH by lia. ring. Qed.
Lemma weight_pos n : forall k o, (forall j, 0 < o j) -> (k <= n)%nat -> 0 < weight n k o.
Proof.
  unfold weight. induction n as [|n IH]; intros k o P H; cbn; [assert (k = O) by lia; subst; lra|]. destruct (Nat.eq_dec k (S n)) as [->|D].
  - rewrite part_none by lia. assert (a := IH n (fun j => o (S j)) (fun j => P (S j)) (le_n n)). assert (0 < o O * part n n (fun j => o (S j)) (fun _ => 1)) by (apply Rmult_lt_0_compat; auto). lra.
  - assert (a := IH k (fun j => o (S j)) (fun j => P (S j)) ltac:(lia)). destruct k; [lra|]. assert (b := part_nonneg n k (fun j => o (S j)) (fun _ => 1) (fun j => P (S j)) ltac:(intro; lra)). assert (c := P O). assert (0 <= o O * part n k (fun j => o (S j)) (fun _ => 1)) by (apply Rmult_le_pos; lra). lra.
Qed.
(** Newton: the weights are log-concave. *)
Definition w' (n k : nat) (o : nat -> R) : R := match k with O => 0 | S k => weight n k o end.
Lemma weight_step n k o : weight (S n) k o = weight n k (fun j => o (S j)) + o O * w' n k (fun j => o (S j)).
Proof. unfold weight. rewrite part_step. now destruct k. Qed.
Lemma newton n : forall j k o, (forall i, 0 < o i) -> (j <= k)%nat -> w' n j o * weight n (S k) o <= weight n j o * weight n k o.
Proof.
  assert (N : forall n k o, (forall i, 0 < o i) -> 0 <= weight n k o) by (intros; apply part_nonneg; auto; intro; lra).
  induction n as [|n IH]; intros j k o P H.
  - change (weight 0 (S k) o) with 0. rewrite Rmult_0_r. apply Rmult_le_pos; apply N; auto.
  - destruct j as [|j]; [cbn [w']; rewrite Rmult_0_l; apply Rmult_le_pos; apply N; auto|]. destruct k as [|k]; [lia|]. cbn [w']. rewrite !weight_step. cbn [w']. set (o' := fun i => o (S i)) in *. assert (P' : forall i, 0 < o' i) by (unfold o'; auto).
    assert (o0 := P O). set (c := o O) in *.
    assert (A := IH (S j) (S k) o' P' H). cbn [w'] in A. assert (B := IH j k o' P' ltac:(lia)).
    assert (C : w' n j o' * weight n (S (S k)) o' <= weight n j o' * weight n (S k) o') by (apply IH; auto; lia).
    assert (D : weight n j o' * weight n (S k) o' <= weight n (S j) o' * weight n k o').
    { destruct (Nat.eq_dec j k) as [->|E]; [lra|]. apply (IH (S j) k o' P'). lia. }
    set (a0 := w' n j o') in *. set (a1 := weight n j o') in *. set (a2 := weight n (S j) o') in *. set (b0 := weight n k o') in *. set (b1 := weight n (S k) o') in *. set (b2 := weight n (S (S k)) o') in *.
    assert (0 <= c * c * (a1 * b0 - a0 * b1)) by (apply Rmult_le_pos; [apply Rle_0_sqr|lra]). assert (0 <= c * (a2 * b0 + a1 * b1 - (a1 * b1 + a0 * b2))) by (apply Rmult_le_pos; lra). lra.
Qed.

(** One record more that has it. *)
Theorem one_more n d : 1 <= d -> forall k o K, (forall j, 0 < o j) -> (forall y, 0 <= K y) -> lip n (fun _ => d) K ->
  part n k o K * weight n (S k) o <= d * (part n (S k) o K * weight n k o) /\ part n (S k) o K * weight n k o <= d * (part n k o K * weight n (S k) o).
Proof.
  intro d1. induction n as [|n IH]; intros k o K P Kp H; [unfold weight; cbn; destruct k; cbn; lra|].
  destruct H as [Hf Hb]. set (o' := fun j => o (S j)). assert (P' : forall j, 0 < o' j) by (unfold o'; auto). set (K0 := fun y => K (false, y)). set (K1 := fun y => K (true, y)).
  assert (a := IH k o' K0 P' ltac:(unfold K0; auto) (Hb false)). assert (C1 : part n k o' K0 <= d * part n k o' K1) by (rewrite <- part_scale; apply part_le; auto; intro; apply Hf).
  assert (C2 : part n k o' K1 <= d * part n k o' K0) by (rewrite <- part_scale; apply part_le; auto; intro; apply Hf).
  assert (b : less n k o' K1 * weight n k o' <= d * (part n k o' K1 * w' n k o') /\ part n k o' K1 * w' n k o' <= d * (less n k o' K1 * weight n k o')).
  { destruct k as [|k]; [cbn [less w']; split; rewrite ?Rmult_0_l, ?Rmult_0_r, ?Rmult_0_l, ?Rmult_0_r; lra|]. cbn [less w']. apply (IH k o' K1 P' ltac:(unfold K1; auto) (Hb true)). }
  assert (nn : forall m M, (forall y, 0 <= M y) -> 0 <= part n m o' M) by (intros; now apply part_nonneg).
  assert (N := newton n k k o' P' (le_n k)). rewrite !part_step, !weight_step. cbn [less w']. fold o'. change (fun y : cube n => K (false, y)) with K0. change (fun y : cube n => K (true, y)) with K1. set (c := o O). assert (c0 : 0 < c) by apply P.
  assert (x0 := nn k K0 ltac:(unfold K0; auto)). assert (x1 := nn (S k) K0 ltac:(unfold K0; auto)). assert (y0 := nn k K1 ltac:(unfold K1; auto)).
  assert (z0 : 0 <= less n k o' K1) by (destruct k; cbn [less]; [lra|apply nn; unfold K1; auto]). assert (e1 : 0 <= weight n k o') by (apply nn; intro; lra). assert (e2 : 0 <= weight n (S k) o') by (apply nn; intro; lra).
  assert (e0 : 0 <= w' n k o') by (destruct k; cbn [w']; [lra|apply nn; intro; lra]).
  destruct (Nat.le_gt_cases k n) as [kn|kn].
  - assert (ep := weight_pos n k o' P' kn). set (E0 := w' n k o') in *. set (E1 := weight n k o') in *. set (E2 := weight n (S k) o') in *. set (A1 := part n k o' K0) in *. set (A2 := part n (S k) o' K0) in *. set (B1 := part n k o' K1) in *. set (B0 := less n k o' K1) in *.
    destruct a as [a a'], b as [b b']. assert (q : 0 <= E1 * E1 - E0 * E2) by lra.
    assert (cross : A1 * E1 + B0 * E2 <= d * (A2 * E0 + B1 * E1)).
    { apply Rmult_le_reg_r with E1; [easy|]. apply (Rmult_le_compat_r E0) in a; [|easy]. apply (Rmult_le_compat_r E2) in b; [|easy]. apply (Rmult_le_compat_r (E1 * E1 - E0 * E2)) in C1; [|easy]. lra. }
    assert (cross' : A2 * E0 + B1 * E1 <= d * (A1 * E1 + B0 * E2)).
    { apply Rmult_le_reg_r with E1; [easy|]. apply (Rmult_le_compat_r E0) in a'; [|easy]. apply (Rmult_le_compat_r E2) in b'; [|easy]. apply (Rmult_le_compat_r (E1 * E1 - E0 * E2)) in C2; [|easy]. lra. }
    apply (Rmult_le_compat_l c) in cross; [|lra]. apply (Rmult_le_compat_l c) in cross'; [|lra]. assert (cc : 0 <= c * c) by nra.
    apply (Rmult_le_compat_l (c * c)) in b; [|easy]. apply (Rmult_le_compat_l (c * c)) in b'; [|easy]. split; lra.
  - unfold weight. rewrite !(part_none n k) by lia. rewrite !(part_none n (S k)) by lia. split; rewrite ?Rmult_0_r, ?Rplus_0_r, ?Rmult_0_l, ?Rmult_0_r, ?Rplus_0_l, ?Rmult_0_r, ?Rmult_0_l, ?Rmult_0_r; lra.
Qed.

(** TOTALS-1 for yes/no records: of n independent others k + 1 have it if record i has not, k if it has; its own loss is l^2, no other's is above d. *)
Theorem known_total n k o K0 K1 l d : 1 <= d -> (k < n)%nat -> (forall j, 0 < o j) -> (forall y, 0 <= K0 y) -> lip n (fun _ => d) K0 ->
  (forall y, K1 y <= l * l * K0 y /\ K0 y <= l * l * K1 y) ->
  let yes := part n k o K1 / weight n k o in let no := part n (S k) o K0 / weight n (S k) o in yes <= l * l * d * no /\ no <= l * l * d * yes.
Proof.
  intros d1 kn P Kp H O yes no. assert (ep := weight_pos n k o P ltac:(lia)). assert (fp := weight_pos n (S k) o P kn). destruct (one_more n d d1 k o K0 P Kp H) as [a b].
  assert (ll : 0 <= l * l) by nra. assert (u : part n k o K1 <= l * l * part n k o K0) by (rewrite <- part_scale; apply part_le; auto; intro; apply O).
  assert (v : part n k o K0 <= l * l * part n k o K1) by (rewrite <- part_scale; apply part_le; auto; intro; apply O).
  set (E := weight n k o) in *. set (F := weight n (S k) o) in *. set (A := part n k o K0) in *. set (B := part n (S k) o K0) in *. set (C := part n k o K1) in *. unfold yes, no.
  split; (apply Rmult_le_reg_r with (E * F); [now apply Rmult_lt_0_compat|]).
  - replace (C / E * (E * F)) with (C * F) by (field; lra). replace (l * l * d * (B / F) * (E * F)) with (l * l * (d * (B * E))) by (field; lra).
    apply Rle_trans with (l * l * (A * F)); [|now apply Rmult_le_compat_l]. apply (Rmult_le_compat_r F) in u; [lra|lra].
  - replace (B / F * (E * F)) with (B * E) by (field; lra). replace (l * l * d * (C / E) * (E * F)) with (d * (l * l * C * F)) by (field; lra).
    eapply Rle_trans; [exact b|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; lra.
Qed.
Print Assumptions known_total.
