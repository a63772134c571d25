(** * Permute and flip (claim PF-1)

    Each candidate w has a coin that shows heads with probability a w / (largest a), a w = e^(-rate * distance); one of those that show heads wins, each with
    the same probability. If the a change by factors between t and A t, no candidate becomes more likely by more than the factor A, nor less.
    With distances: A = e^(rate (max change - min change)), the share if the spread is as declared. *)
Require Import Reals List Lra Psatz.
From Kith Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** [among k l]: the mean of 1 / (1 + number of heads), k heads being sure and one coin being thrown for each probability of l. *)
Fixpoint among (k : nat) (l : list R) : R :=
  match l with [] => / (INR k + 1) | p :: l => p * among (S k) l + (1 - p) * among k l end.
Lemma among_pos l : (forall p, In p l -> 0 <= p <= 1) -> forall k, 0 < among k l.
Proof.
  induction l as [|p l IH]; simpl; intros H k.
  - apply Rinv_0_lt_compat. assert (0 <= INR k) by apply pos_INR. lra.
  - assert (P := H p (or_introl eq_refl)). assert (a := IH (fun q hq => H q (or_intror hq)) (S k)). assert (b := IH (fun q hq => H q (or_intror hq)) k).
    destruct (Rle_lt_or_eq_dec 0 p (proj1 P)) as [q|q]; [nra|subst; lra].
Qed.
Lemma among_falls l : (forall p, In p l -> 0 <= p <= 1) -> forall k, among (S k) l <= among k l.
Proof.
  induction l as [|p l IH]; intros H k.
  - cbn [among]. rewrite S_INR. apply Rinv_le_contravar; assert (0 <= INR k) by apply pos_INR; lra.
  - simpl. assert (P := H p (or_introl eq_refl)). assert (a := IH (fun q hq => H q (or_intror hq)) (S k)). assert (b := IH (fun q hq => H q (or_intror hq)) k). nra.
Qed.
(** More heads elsewhere make it smaller. *)
Lemma among_mono l l' : Forall2 (fun p p' => 0 <= p <= p' /\ p' <= 1) l l' -> forall k, among k l' <= among k l.
Proof.
  induction 1 as [|p p' l l' [P Q] F IH]; intro k; simpl; [lra|].
  assert (R0 : forall q, In q l -> 0 <= q <= 1).
  { clear IH. induction F as [|x y l l' [X Y] F IHF]; intros q I; [easy|]. destruct I as [<-|I]; [lra|auto]. }
  assert (f := among_falls l R0 k). assert (a := IH (S k)). assert (b := IH k).
  apply Rle_trans with (p' * among (S k) l + (1 - p') * among k l); nra.
Qed.

(** Thinning: each head is kept with probability mu. *)
Section Thinning.
Variable mu : R.
Hypothesis mu01 : 0 <= mu <= 1.
Fixpoint thin (k : nat) (f : nat -> R) : R := match k with O => f O | S k => mu * thin k (fun j => f (S j)) + (1 - mu) * thin k f end.
Lemma thin_ext k : forall f g, (forall j, f j = g j) -> thin k f = thin k g.
Proof. induction k; simpl; intros f g H; [easy|]. now rewrite (IHk (fun j => f (S j)) (fun j => g (S j))), (IHk f g). Qed.
Lemma thin_add k : forall f g, thin k (fun j => f j + g j) = thin k f + thin k g.
Proof. induction k; simpl; intros f g; [easy|]. rewrite (IHk (fun j => f (S j)) (fun j => g (S j))), IHk. ring. Qed.
Lemma thin_scale k c : forall f, thin k (fun j => c * f j) = c * thin k f.
Proof. induction k; simpl; intros f; [easy|]. rewrite (IHk (fun j => f (S j))), IHk. ring. Qed.
Lemma thin_le k : forall f g, (forall j, f j <= g j) -> thin k f <= thin k g.
Proof. induction k; simpl; intros f g H; [easy|]. assert (a := IHk (fun j => f (S j)) (fun j => g (S j)) (fun j => H (S j))). assert (b := IHk f g H). nra. Qed.
Lemma thin_one k : thin k (fun _ => 1) = 1.
Proof. induction k; simpl; [easy|]. rewrite IHk. ring. Qed.
(** The size-biased law of the number of heads kept. *)
Lemma size_biased k : forall x, thin (S k) (fun j => INR j * x j) = (INR k + 1) * mu * thin k (fun j => x (S j)).
Proof.
  induction k as [|k IH]; intro x.
  - simpl. ring.
  - change (thin (S (S k)) (fun j => INR j * x j)) with (mu * thin (S k) (fun j => INR (S j) * x (S j)) + (1 - mu) * thin (S k) (fun j => INR j * x j)).
    rewrite (IH x). rewrite (thin_ext (S k) (fun j => INR (S j) * x (S j)) (fun j => INR j * x (S j) + x (S j))) by (intro; rewrite S_INR; ring).
    rewrite thin_add, (IH (fun j => x (S j))). rewrite S_INR. simpl. ring.
Qed.
Lemma thinned_wins k : mu * thin k (fun j => / (INR j + 1)) <= / (INR k + 1).
Proof.
  assert (K : 0 < INR k + 1) by (assert (0 <= INR k) by apply pos_INR; lra).
  apply Rmult_le_reg_l with (INR k + 1); [easy|]. rewrite Rinv_r by lra.
  assert (T := size_biased k (fun j => / INR j)). cbv beta in T. rewrite (thin_ext k (fun j => / INR (S j)) (fun j => / (INR j + 1)) (fun j => f_equal Rinv (S_INR j))) in T.
  rewrite <- Rmult_assoc, <- T. apply Rle_trans with (thin (S k) (fun _ => 1)); [|rewrite thin_one; lra]. apply thin_le. intro j.
  destruct j; [simpl; lra|]. rewrite Rinv_r; [lra|]. apply not_0_INR. easy.
Qed.
(** Scaling all coins down by mu, the winner's included, makes it no likelier. *)
Lemma scaled_all l : (forall p, In p l -> 0 <= p <= 1) -> forall k, thin k (fun j => mu * among j (map (fun p => mu * p) l)) <= among k l.
Proof.
  induction l as [|p l IH]; intros H k.
  - simpl map. cbn [among]. rewrite thin_scale. apply thinned_wins.
  - assert (P := H p (or_introl eq_refl)). specialize (IH (fun q hq => H q (or_intror hq))).
    assert (E : thin k (fun j => mu * among j (map (fun p => mu * p) (p :: l)))
       = p * thin (S k) (fun j => mu * among j (map (fun p => mu * p) l)) + (1 - p) * thin k (fun j => mu * among j (map (fun p => mu * p) l))).
    { cbn [map among thin].
      rewrite (thin_ext k _ (fun j => mu * p * (mu * among (S j) (map (fun p => mu * p) l)) + (1 - mu * p) * (mu * among j (map (fun p => mu * p) l)))) by (intro; ring).
      rewrite thin_add, !thin_scale. ring. }
    rewrite E. cbn [among]. apply Rplus_le_compat; apply Rmult_le_compat_l; try lra; apply IH.
Qed.
Lemma scaled l : (forall p, In p l -> 0 <= p <= 1) -> mu * among 0 (map (fun p => mu * p) l) <= among 0 l.
Proof. intro H. exact (scaled_all l H 0%nat). Qed.
End Thinning.

(** ** The mechanism *)
Section Law.
Variable C : Type.                                   (* candidates *)
Definition top (a : C -> R) (v : C) (others : list C) : R := fold_right (fun w m => Rmax (a w) m) (a v) others.
(** The probability that [v] wins against [others]. *)
Definition wins (a : C -> R) (v : C) (others : list C) : R := a v / top a v others * among 0 (map (fun w => a w / top a v others) others).

Lemma top_ge a v others w : w = v \/ In w others -> a w <= top a v others.
Proof.
  unfold top. induction others as [|u o IH]; simpl; intros [H|H]; try easy; try (subst; lra).
  - eapply Rle_trans; [apply IH; now left|apply Rmax_r].
  - destruct H as [->|H]; [apply Rmax_l|]. eapply Rle_trans; [apply IH; now right|apply Rmax_r].
Qed.
Lemma top_between a a' v others s t : 0 <= s -> (forall w, s * a w <= a' w) -> (forall w, a' w <= t * a w) -> 0 <= t -> s * top a v others <= top a' v others <= t * top a v others.
Proof.
  intros s0 H1 H2 t0. unfold top. induction others as [|u o IH]; simpl; [split; auto|]. rewrite <- !RmaxRmult by easy. destruct IH. split.
  - apply Rmax_lub; [eapply Rle_trans; [apply H1|apply Rmax_l]|eapply Rle_trans; [eassumption|apply Rmax_r]].
  - apply Rmax_lub; [eapply Rle_trans; [apply H2|apply Rmax_l]|eapply Rle_trans; [eassumption|apply Rmax_r]].
Qed.
Lemma one_way a a' v others A : (forall w, 0 < a w) -> 1 <= A -> (forall w, a w <= a' w <= A * a w) -> wins a' v others <= A * wins a v others.
Proof.
  intros P A1 H. assert (P' : forall w, 0 < a' w) by (intro w; specialize (P w); specialize (H w); lra).
  set (m := top a v others). set (m' := top a' v others).
  assert (m0 : 0 < m) by (apply Rlt_le_trans with (a v); [auto|apply top_ge; now left]).
  assert (m0' : 0 < m') by (apply Rlt_le_trans with (a' v); [auto|apply top_ge; now left]).
  assert (mm : m <= m') by (destruct (top_between a a' v others 1 A) as [h _]; try lra; [intro w; specialize (H w); lra|intro w; specialize (H w); lra|unfold m, m'; lra]).
  set (mu := m / m'). assert (mu01 : 0 <= mu <= 1).
  { unfold mu. split; [left; now apply Rdiv_lt_0_compat|]. apply Rmult_le_reg_r with m'; [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
  unfold wins. fold m m'.
  assert (R0 : forall p, In p (map (fun w => a w / m) others) -> 0 <= p <= 1).
  { intros p I. apply in_map_iff in I. destruct I as (w & <- & I). split; [left; apply Rdiv_lt_0_compat; auto|].
    apply Rmult_le_reg_r with m; [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply top_ge. now right. }
  assert (S := scaled mu mu01 _ R0).
  (* the true coins are at least the scaled ones *)
  assert (M : among 0 (map (fun w => a' w / m') others) <= among 0 (map (fun p => mu * p) (map (fun w => a w / m) others))).
  { apply among_mono. rewrite map_map.
    assert (G : forall l, (forall w, In w l -> a' w <= m') -> Forall2 (fun p p' => 0 <= p <= p' /\ p' <= 1) (map (fun w => mu * (a w / m)) l) (map (fun w => a' w / m') l)).
    { clear - P P' H m0 m0' mu. induction l as [|w l IHl]; intro T; simpl; constructor; [|apply IHl; intros; apply T; now right].
      specialize (H w). split; [|apply Rmult_le_reg_r with m'; [easy|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra; apply T; now left].
      unfold mu. replace (m / m' * (a w / m)) with (a w / m') by (field; lra). split; [left; now apply Rdiv_lt_0_compat|]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra]. }
    apply G. intros; apply top_ge; now right. }
  set (e := among 0 (map (fun w => a w / m) others)) in *. set (e' := among 0 (map (fun w => a' w / m') others)) in *. set (es := among 0 (map (fun p => mu * p) (map (fun w => a w / m) others))) in *.
  assert (e0' : 0 < e').
  { apply among_pos. intros p I. apply in_map_iff in I. destruct I as (w & <- & I). split; [left; now apply Rdiv_lt_0_compat|].
    apply Rmult_le_reg_r with m'; [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. apply top_ge. now right. }
  apply Rle_trans with (A * a v / m' * e'); [apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|apply H]|].
  apply Rle_trans with (A * a v / m' * es); [apply Rmult_le_compat_l; [|easy]; left; apply Rdiv_lt_0_compat; [specialize (P v); nra|easy]|].
  replace (A * a v / m' * es) with (A * (a v / m) * (mu * es)) by (unfold mu; field; lra).
  replace (A * (a v / m * e)) with (A * (a v / m) * e) by ring. apply Rmult_le_compat_l; [|exact S]. apply Rmult_le_pos; [lra|]. left. now apply Rdiv_lt_0_compat.
Qed.
Lemma wins_scale a v others t : (forall w, 0 < a w) -> 0 < t -> wins (fun w => t * a w) v others = wins a v others.
Proof.
  intros P t0. unfold wins. assert (T : top (fun w => t * a w) v others = t * top a v others).
  { unfold top. induction others as [|u o IH]; simpl; [easy|]. rewrite IH. now rewrite RmaxRmult by lra. }
  assert (m0 : 0 < top a v others) by (apply Rlt_le_trans with (a v); [auto|apply top_ge; now left]). rewrite T. f_equal; [field; lra|].
  f_equal. apply map_ext. intro w. field. lra.
Qed.
(** PF-1: the loss is at most ln A both ways. *)
Theorem permute_and_flip a a' v others t A : (forall w, 0 < a w) -> 0 < t -> 1 <= A -> (forall w, t * a w <= a' w <= A * (t * a w)) ->
  wins a' v others <= A * wins a v others /\ wins a v others <= A * wins a' v others.
Proof.
  intros P t0 A1 H. assert (P' : forall w, 0 < a' w) by (intro w; specialize (P w); specialize (H w); nra). split.
  - rewrite <- (wins_scale a v others t P t0). apply one_way; auto. intro w. specialize (P w). now apply Rmult_lt_0_compat.
  - rewrite <- (wins_scale a v others t P t0). rewrite <- (wins_scale a' v others (/ A) P') by (apply Rinv_0_lt_compat; lra). apply one_way; auto.
    + intro w. apply Rmult_lt_0_compat; auto. apply Rinv_0_lt_compat. lra.
    + intro w. specialize (H w). split.
      * apply Rmult_le_reg_l with A; [lra|]. rewrite <- Rmult_assoc, Rinv_r by lra. lra.
      * rewrite <- Rmult_assoc, Rinv_r by lra. lra.
Qed.
End Law.
Print Assumptions permute_and_flip.
