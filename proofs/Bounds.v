(** * The bounds as programs over rationals

    Each program below is on the stated side of the bound of a theorem: with [up] never below it, with [down] never above. Numbers are rounded to
    multiples of 2^-96 after each step, in one direction; what is no rational (an odds ratio that is no square, e^(Lambda / 2)) is put in as a
    rational on that side. The vectors with which kith's own numbers are compared (tests/proofs/vectors.py) are computed by these programs, inside Coq. *)
Require Import Reals QArith Qreals List Arith Lra Lia Bool Psatz.
From Kith Require Levels Peak Exact.
From Kith Require Import Sums Gruss Rational Records Field Association Blocks.
Import ListNotations.

(** ** Rounding *)
Definition up (q : Q) : Q := (Z.div (Qnum q * 2 ^ 96) (Zpos (Qden q)) + 1) # (2 ^ 96).
Definition down (q : Q) : Q := Z.div (Qnum q * 2 ^ 96) (Zpos (Qden q)) # (2 ^ 96).

Section Rounded.
Variable above : bool.           (* the side of the exact number on which all programs stay *)
Definition rounded (q : Q) : Q := if above then up q else down q.

(** [q] is on that side of the real number [x]; both are at least 1. *)
Definition near (x : R) (q : Q) : Prop := (1 <= x)%R /\ (1 <= Q2R q)%R /\ if above then (x <= Q2R q)%R else (Q2R q <= x)%R.

Lemma Q2R_frac n d : Q2R (n # d) = (IZR n / IZR (Zpos d))%R.
Proof. reflexivity. Qed.
Lemma rounded_near x q : near x q -> near x (rounded q).
Proof.
  intros (x1 & q1 & H). set (n := Z.div (Qnum q * 2 ^ 96) (Zpos (Qden q))).
  assert (D : (0 < IZR (Zpos (Qden q)))%R) by now apply IZR_lt.
  assert (P : (0 < IZR (2 ^ 96))%R) by now apply IZR_lt.
  assert (A : (n * Zpos (Qden q) <= Qnum q * 2 ^ 96)%Z) by (unfold n; rewrite Z.mul_comm; now apply Z.mul_div_le).
  assert (B : (Qnum q * 2 ^ 96 < (n + 1) * Zpos (Qden q))%Z).
  { unfold n. assert (T := Z.mul_succ_div_gt (Qnum q * 2 ^ 96) (Zpos (Qden q)) eq_refl). unfold Z.succ in T. lia. }
  assert (q1' : (Zpos (Qden q) <= Qnum q)%Z).
  { apply le_IZR. unfold Q2R in q1. apply (Rmult_le_compat_r (IZR (Zpos (Qden q)))) in q1; [|lra]. rewrite Rmult_1_l, Rmult_assoc, Rinv_l, Rmult_1_r in q1; lra. }
  assert (N : (2 ^ 96 <= n)%Z).
  { assert ((2 ^ 96 * Zpos (Qden q) < (n + 1) * Zpos (Qden q))%Z) by nia. assert ((2 ^ 96 < n + 1)%Z) by nia. lia. }
  assert (Qd : Q2R q = (IZR (Qnum q) / IZR (Zpos (Qden q)))%R) by reflexivity.
  apply IZR_le in A. apply IZR_lt in B. rewrite !mult_IZR in A, B. rewrite plus_IZR in B.
  unfold near, rounded. destruct above.
  - unfold up. fold n. rewrite Q2R_frac. change (IZR (Zpos (2 ^ 96))) with (IZR (2 ^ 96)).
    assert (G : (Q2R q <= IZR (n + 1) / IZR (2 ^ 96))%R).
    { rewrite Qd. apply Rmult_le_reg_r with (IZR (Zpos (Qden q)) * IZR (2 ^ 96))%R; [nra|].
      replace (IZR (Qnum q) / IZR (Zpos (Qden q)) * (IZR (Zpos (Qden q)) * IZR (2 ^ 96)))%R with (IZR (Qnum q) * IZR (2 ^ 96))%R by (field; lra).
      replace (IZR (n + 1) / IZR (2 ^ 96) * (IZR (Zpos (Qden q)) * IZR (2 ^ 96)))%R with (IZR (n + 1) * IZR (Zpos (Qden q)))%R by (field; lra).
      rewrite plus_IZR. lra. }
    repeat split; [easy|lra|lra].
  - unfold down. fold n. rewrite Q2R_frac. change (IZR (Zpos (2 ^ 96))) with (IZR (2 ^ 96)).
    assert (G : (IZR n / IZR (2 ^ 96) <= Q2R q)%R).
    { rewrite Qd. apply Rmult_le_reg_r with (IZR (Zpos (Qden q)) * IZR (2 ^ 96))%R; [nra|].
      replace (IZR (Qnum q) / IZR (Zpos (Qden q)) * (IZR (Zpos (Qden q)) * IZR (2 ^ 96)))%R with (IZR (Qnum q) * IZR (2 ^ 96))%R by (field; lra).
      replace (IZR n / IZR (2 ^ 96) * (IZR (Zpos (Qden q)) * IZR (2 ^ 96)))%R with (IZR n * IZR (Zpos (Qden q)))%R by (field; lra). lra. }
    apply IZR_le in N. repeat split; [easy| |lra].
    apply Rmult_le_reg_r with (IZR (2 ^ 96)); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra.
Qed.
Definition timesr (p q : Q) : Q := rounded (p * q).
Definition phir (c g : Q) : Q := rounded ((1 + c * g) / (c + g)).
Fixpoint powr (x : Q) (n : nat) : Q := match n with O => 1%Q | S n => timesr x (powr x n) end.
Definition prodr (l : list nat) (f : nat -> Q) : Q := fold_right (fun x p => timesr (f x) p) 1%Q l.

Lemma near_one : near 1 1.
Proof. unfold near. rewrite Q2R_one. destruct above; lra. Qed.
Lemma near_times x y p q : near x p -> near y q -> near (x * y) (timesr p q).
Proof.
  intros (a & b & c) (d & e & f). apply rounded_near. unfold near. rewrite Q2R_mult. repeat split; [nra|nra|]. destruct above; nra.
Qed.
Lemma near_phi c g p q : near c p -> near g q -> near (phi c g) (phir p q).
Proof.
  intros (a & b & H1) (d & e & H2). apply rounded_near. unfold near.
  assert (E : Q2R ((1 + p * q) / (p + q)) = phi (Q2R p) (Q2R q)).
  { rewrite <- (Q2R_phi p q) by easy. unfold phiq. now rewrite Q2R_red. }
  rewrite E. repeat split; [now apply phi_ge1|now apply phi_ge1|]. destruct above; now apply phi_mono.
Qed.
Lemma near_pow x q n : near x q -> near (x ^ n) (powr q n).
Proof. intro H. induction n; cbn [powr pow]; [apply near_one|now apply near_times]. Qed.
Lemma near_prod l f g : (forall j, In j l -> near (f j) (g j)) -> near (prod l f) (prodr l g).
Proof. induction l; intro H; [apply near_one|]. cbn [prod prodr fold_right]. apply near_times; [apply H; now left|]. apply IHl. intros; apply H; now right. Qed.
Lemma near_ge1 x q : near x q -> (1 <= x)%R.
Proof. intros [H _]. exact H. Qed.

(** ** Groups: ASSOCIATION-1, the block cap of ASSOCIATION-2, HIDDEN-1 with n + 1 members of equal losses *)
Fixpoint assocr (l r : Q) (k : nat) : Q * Q :=
  match k with O => (l, r) | S k => let (t, r) := assocr l r k in (timesr t (phir r t), timesr r (phir r r)) end.
Theorem assocr_runs l' r' l r k : near l' l -> near r' r -> near (fst (assoc l' r' k)) (fst (assocr l r k)) /\ near (snd (assoc l' r' k)) (snd (assocr l r k)).
Proof.
  intros Hl Hr. induction k as [|k IH]; [easy|]. cbn [assocr assoc]. destruct (assocr l r k) as [t q], (assoc l' r' k) as [t' q']. cbn [fst snd] in *.
  destruct IH as [H1 H2]. split; apply near_times; auto; now apply near_phi.
Qed.
Definition block_capr (l r : Q) (n : nat) : Q := timesr l (phir (powr r n) (powr l n)).
Theorem block_capr_runs l' r' l r n : near l' l -> near r' r -> near (l' * phi (r' ^ n) (l' ^ n)) (block_capr l r n).
Proof. intros. apply near_times; [easy|]. now apply near_phi; apply near_pow. Qed.
Definition hiddenr (l s : Q) (n : nat) : Q := timesr l (phir s (powr (phir s l) n)).
Theorem hiddenr_runs l' s' l s n : near l' l -> near s' s -> near (l' * phi s' (phi s' l' ^ n)) (hiddenr l s n).
Proof. intros. apply near_times; [easy|]. apply near_phi; [easy|]. apply near_pow. now apply near_phi. Qed.

Section Fields.
Variable nodes : list nat.
Variables (L' : nat -> R) (c' : nat -> nat -> R) (L : nat -> Q) (c : nat -> nat -> Q).
Hypothesis HL : forall i, near (L' i) (L i).
Hypothesis Hc : forall i j, near (c' i j) (c i j).

(** ** Walks: FIELD-1 *)
Fixpoint walkr (n i : nat) (W : list nat) : Q :=
  match n with
  | O => L i
  | S n => timesr (L i) (prodr nodes (fun j => if in_dec Nat.eq_dec j W then phir (c i j) (walkr n j (remove Nat.eq_dec j W)) else 1%Q))
  end.
Theorem walkr_runs n : forall i W, near (B nodes L' c' n i W) (walkr n i W).
Proof.
  induction n as [|n IH]; intros i W; [apply HL|]. cbn [walkr B]. apply near_times; [apply HL|]. apply near_prod. intros j _.
  destruct (in_dec Nat.eq_dec j W); [now apply near_phi|apply near_one].
Qed.

(** ** All links as one block: FIELD-BLOCKS-1. At every step the smaller of "one at a time" and "all at once". *)
Fixpoint blockr (n j : nat) (S : list nat) : Q :=
  match n with
  | O => 1%Q
  | S n =>
      let inS k := if in_dec Nat.eq_dec k S then true else false in
      let one := prodr nodes (fun k => if inS k then phir (c j k) (timesr (L k) (blockr n k (remove Nat.eq_dec k S))) else 1%Q) in
      let all := phir (prodr nodes (fun k => if inS k then c j k else 1%Q)) (prodr nodes (fun k => if inS k then L k else 1%Q)) in
      if Qle_bool one all then one else all
  end.
(** In one block nothing is left beyond the neighbours, if records without a link count as neighbours of strength 0. *)
Definition own_only : nat -> nat -> R := fun k _ => L' k.
Definition one_block : nat -> nat -> nat := fun _ _ => 0%nat.
Lemma beyond_none j S : beyond one_block 0 j S = [].
Proof.
  unfold beyond. assert (E : forall l, incl l S -> filter (fun k => negb (link one_block 0 j S k)) l = []).
  { induction l as [|k l IH]; intro H; [easy|]. cbn [filter].
    assert (T : link one_block 0 j S k = true) by (apply link_in; split; [easy|apply H; now left]).
    rewrite T. cbn. apply IH. intros i I. apply H. now right. }
  apply E, incl_refl.
Qed.
Lemma F_empty n H j : F nodes c' one_block own_only n H j [] = 1%R.
Proof.
  destruct n; [easy|]. cbn [F].
  assert (E : forall f : nat -> R, prod nodes (fun k => if link one_block H j [] k then f k else 1%R) = 1%R).
  { intro f. transitivity (prod nodes (fun _ => 1%R)); [|apply prod_one]. apply prod_ext. intro k. destruct (link _ H j [] k) eqn:T; [|easy]. apply link_in in T. easy. }
  rewrite !E. unfold phi. rewrite Rmin_left; lra.
Qed.
Theorem blockr_runs n : forall j S, near (F nodes c' one_block own_only n 0 j S) (blockr n j S).
Proof.
  induction n as [|n IH]; intros j S; [apply near_one|]. cbn [blockr F]. rewrite beyond_none. set (one := prodr _ _). set (all := phir _ _).
  assert (A : near (prod nodes (fun k => if link one_block 0 j S k then phi (c' j k) (own_only k 0 * F nodes c' one_block own_only n 0 k (remove Nat.eq_dec k S)) else 1)%R) one).
  { apply near_prod. intros k _. change (link one_block 0 j S k) with (if in_dec Nat.eq_dec k S then true else false).
    destruct (in_dec Nat.eq_dec k S); [|apply near_one]. apply near_phi; [apply Hc|]. apply near_times; [apply HL|apply IH]. }
  assert (B : near (phi (prod nodes (fun k => if link one_block 0 j S k then c' j k else 1))
     (prod nodes (fun k => if link one_block 0 j S k then own_only k 0 * F nodes c' one_block own_only n 0 k [] else 1)))%R all).
  { apply near_phi; apply near_prod; intros k _; change (link one_block 0 j S k) with (if in_dec Nat.eq_dec k S then true else false);
      destruct (in_dec Nat.eq_dec k S); try apply near_one; [apply Hc|]. rewrite F_empty, Rmult_1_r. apply HL. }
  destruct A as (a1 & a2 & a3), B as (b1 & b2 & b3). unfold near, Rmin.
  assert (C : if Qle_bool one all then (Q2R one <= Q2R all)%R else (Q2R all <= Q2R one)%R).
  { destruct (Qle_bool one all) eqn:T; [now apply Qle_bool_R|]. apply Qle_Rle. destruct (Qlt_le_dec all one) as [h|h]; [now apply Qlt_le_weak|]. apply Qle_bool_iff in h. congruence. }
  destruct (Qle_bool one all), (Rle_dec _ _), above; repeat split; try lra.
Qed.
End Fields.
End Rounded.

(** ** Exact groups: numerator and denominator of [reinforced], both times r^(n n / 4), each rounded to one side. *)
Section Sizes.
Variable above : bool.
Notation near := (near above). Notation timesr := (timesr above).
Fixpoint power (x : Q) (p : positive) : Q :=
  match p with xH => x | xO p => let y := power x p in timesr y y | xI p => let y := power x p in timesr x (timesr y y) end.
Definition powern (x : Q) (n : nat) : Q := match N.of_nat n with N0 => 1%Q | Npos p => power x p end.
Lemma near_power x q n : near x q -> near (x ^ n) (powern q n).
Proof.
  intro H. assert (G : forall p, near (x ^ Pos.to_nat p) (power q p)).
  { induction p as [p IH|p IH|]; cbn [power].
    - rewrite Pos2Nat.inj_xI. cbn [pow]. replace (2 * Pos.to_nat p)%nat with (Pos.to_nat p + Pos.to_nat p)%nat by lia. rewrite pow_add. now repeat apply near_times.
    - rewrite Pos2Nat.inj_xO. replace (2 * Pos.to_nat p)%nat with (Pos.to_nat p + Pos.to_nat p)%nat by lia. rewrite pow_add. now apply near_times.
    - rewrite Pos2Nat.inj_1, pow_1. easy. }
  unfold powern. destruct n as [|n]; [apply near_one|]. cbn [N.of_nat]. rewrite <- SuccNat2Pos.id_succ. apply G.
Qed.
(** Sums over sizes, by Pascal's triangle. *)
Definition plusr (p q : Q) : Q := rounded above (p + q).
Lemma near_plus x y p q : near x p -> near y q -> near (x + y) (plusr p q).
Proof. intros (a & b & c) (d & e & f). apply rounded_near. unfold Bounds.near. rewrite Q2R_plus. repeat split; try lra. destruct above; lra. Qed.
Fixpoint pascal (l : list Q) : list Q := match l with a :: (b :: _) as t => plusr a b :: pascal t | _ => [] end.
Fixpoint binr (n : nat) (l : list Q) : Q := match n with O => hd 1%Q l | S n => binr n (pascal l) end.
Lemma bin_sums n f : Levels.bin (S n) f = Levels.bin n (fun k => f k + f (S k))%R.
Proof. cbn [Levels.bin]. now rewrite <- Levels.bin_add. Qed.
Lemma near_bin n : forall f l, (forall k, (k <= n)%nat -> near (f k) (nth k l 1%Q)) -> (n < length l)%nat -> near (Levels.bin n f) (binr n l).
Proof.
  induction n as [|n IH]; intros f l H len; [assert (T := H 0%nat (le_n _)); destruct l; exact T|].
  rewrite bin_sums. cbn [binr].
  assert (P : forall l, length (pascal l) = pred (length l) /\ forall k, (S k < length l)%nat -> nth k (pascal l) 1%Q = plusr (nth k l 1%Q) (nth (S k) l 1%Q)).
  { clear. induction l as [|p [|q l] IH]; [split; [easy|simpl; lia]|split; [easy|simpl; lia]|]. destruct IH as [A B]. split.
    - change (S (length (pascal (q :: l))) = S (length l)). now rewrite A.
    - intros [|k] hk; [easy|]. change (nth (S k) (pascal (p :: q :: l)) 1%Q) with (nth k (pascal (q :: l)) 1%Q). rewrite B; [easy|]. simpl in *. lia. }
  destruct (P l) as [P1 P2]. apply (IH (fun k => f k + f (S k))%R).
  - intros k hk. rewrite P2 by lia. apply near_plus; apply H; lia.
  - lia.
Qed.
Definition top (n : nat) : nat := (n * n / 4)%nat.
Lemma top_ge n k : (k * (n - k) <= top n)%nat.
Proof.
  unfold top. apply Nat.div_le_lower_bound; [easy|]. destruct (Nat.le_ge_cases n k) as [h|h]; [replace (n - k)%nat with 0%nat by lia; lia|].
  remember (n - k)%nat as m eqn:E. replace n with (k + m)%nat by lia. clear. destruct (Nat.le_ge_cases k m) as [h|h]; [replace m with (k + (m - k))%nat by lia|replace k with (m + (k - m))%nat by lia]; nia.
Qed.
Definition sizesr (n : nat) (r : Q) (f : nat -> Q) : Q := binr n (map (fun k => timesr (powern r (top n - k * (n - k) + k)) (f k)) (seq 0 (S n))).
Lemma near_sizes n r q f g : near r q -> (forall k, near (f k) (g k)) -> near (Levels.bin n (fun k => r ^ (top n - k * (n - k) + k) * f k)) (sizesr n q g).
Proof.
  intros H F. unfold sizesr. apply (near_bin n (fun k => r ^ (top n - k * (n - k) + k) * f k)%R); [|rewrite map_length, seq_length; lia].
  intros k hk. set (h := fun k => timesr (powern q (top n - k * (n - k) + k)) (g k)).
  rewrite (nth_indep _ 1%Q (h 0%nat)) by (rewrite map_length, seq_length; lia). rewrite map_nth, seq_nth by lia. apply near_times; [now apply near_power|apply F].
Qed.
End Sizes.
Definition exactr (above : bool) (rlo llo rhi lhi : Q) (n : nat) : Q :=
  let part (side : bool) (r l : Q) (mirrored : bool) := sizesr side n r (fun k => powern side l (if mirrored then n - k else k)%nat) in
  if above then lhi * part true rhi lhi false / part false rlo llo true else llo * part false rlo llo false / part true rhi lhi true.
Theorem exactr_runs r l rlo llo rhi lhi n : near false r rlo -> near false l llo -> near true r rhi -> near true l lhi ->
  (Q2R (exactr false rlo llo rhi lhi n) <= l * Peak.reinforced r n l <= Q2R (exactr true rlo llo rhi lhi n))%R.
Proof.
  intros H1 H2 H3 H4. assert (r1 : (1 <= r)%R) by apply H1. assert (l1 : (1 <= l)%R) by apply H2.
  assert (S : forall p q, (1 <= p -> 1 <= q -> Peak.equal r n p q = (/ r) ^ (top n) * Levels.bin n (fun k => r ^ (top n - k * (n - k)) * (p ^ k * q ^ (n - k))))%R).
  { intros p q _ _. unfold Peak.equal. rewrite <- Levels.bin_scale. apply Levels.bin_in. intros k hk.
    assert (h := top_ge n k). set (e := (k * (n - k))%nat) in *. replace (top n) with (e + (top n - e))%nat at 1 by lia. rewrite pow_add.
    assert (i : ((/ r) ^ (top n - e) * r ^ (top n - e) = 1)%R) by (rewrite <- Rpow_mult_distr, Rinv_l, pow1; lra).
    transitivity ((/ r) ^ e * ((/ r) ^ (top n - e) * r ^ (top n - e)) * (p ^ k * q ^ (n - k)))%R; [rewrite i|]; ring. }
  assert (N : (Peak.equal r n (r * l) 1 = (/ r) ^ (top n) * Levels.bin n (fun k => r ^ (top n - k * (n - k) + k) * l ^ k))%R).
  { rewrite S by nra. f_equal. apply Levels.bin_ext. intro k. rewrite pow_add, Rpow_mult_distr, pow1. ring. }
  assert (D : (Peak.equal r n r l = (/ r) ^ (top n) * Levels.bin n (fun k => r ^ (top n - k * (n - k) + k) * l ^ (n - k)))%R).
  { rewrite S by lra. f_equal. apply Levels.bin_ext. intro k. rewrite pow_add. ring. }
  assert (i0 : (0 < (/ r) ^ (top n))%R) by (apply pow_lt, Rinv_0_lt_compat; lra).
  assert (P : forall side q m b, near side r q -> near side l m -> near side (Levels.bin n (fun k => r ^ (top n - k * (n - k) + k) * l ^ (if b : bool then n - k else k)))
     (sizesr side n q (fun k => powern side m (if b then n - k else k)%nat))).
  { intros side q m b Hq Hm. apply (near_sizes side n r q (fun k => l ^ (if b then n - k else k))%R); [easy|]. intro k. now apply near_power. }
  assert (num := P false rlo llo false H1 H2). assert (num' := P true rhi lhi false H3 H4). assert (den := P false rlo llo true H1 H2). assert (den' := P true rhi lhi true H3 H4). clear P.
  unfold Peak.reinforced. rewrite N, D. cbn iota in num, num', den, den'.
  set (A := Levels.bin n (fun k => r ^ (top n - k * (n - k) + k) * l ^ k)%R) in *. set (B := Levels.bin n (fun k => r ^ (top n - k * (n - k) + k) * l ^ (n - k))%R) in *.
  destruct num as (a1 & a2 & a3), num' as (_ & b2 & b3), den as (c1 & c2 & c3), den' as (_ & d2 & d3), H2 as (_ & e2 & e3), H4 as (_ & f2 & f3).
  assert (Z : forall q, (1 <= Q2R q)%R -> ~ q == 0) by (intros q h E; apply Qeq_eqR in E; unfold Q2R in E at 2; simpl in E; lra).
  replace (l * ((/ r) ^ (top n) * A / ((/ r) ^ (top n) * B)))%R with (l * A / B)%R by (field; split; [lra|apply Rgt_not_eq; lra]).
  unfold exactr. rewrite !Q2R_div, !Q2R_mult by (apply Z; assumption). unfold Rdiv. split; apply Rmult_le_compat.
  - apply Rmult_le_pos; lra.
  - left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_compat; lra.
  - apply Rinv_le_contravar; lra.
  - apply Rmult_le_pos; lra.
  - left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_compat; lra.
  - apply Rinv_le_contravar; lra.
Qed.
Print Assumptions assocr_runs.
Print Assumptions blockr_runs.
Print Assumptions exactr_runs.
