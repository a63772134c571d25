(** * Independent groups, strata, hidden causes (claims STRATA-1, FIELD-1)

    Only the group of a record matters: what holds for every mechanism on the group's records alone holds whatever else there is, as long as the
    groups are jointly independent. So units of one stratum pay for the sizes and strengths of their own stratum only. *)
Require Import Reals List Lra Psatz Arith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Tilts Association.
Import ListNotations.
Open Scope R_scope.

Section Strata.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** [u] is the law of a group, [v] that of everybody else: [u] does not depend on the records of [others], nor [v] on those of the group. *)
Theorem independent_groups (L : nat -> R) (group others : list nat) u v K i B :
  (forall j, 1 <= L j) -> ~ In i others -> (forall j, In j group -> ~ In j others) ->
  (forall x, 0 < u x) -> (forall x, 0 < v x) ->
  (forall x j a, In j others -> u (upd x j a) = u x) -> (forall x j a, In j (i :: group) -> v (upd x j a) = v x) ->
  (forall K', plain L K' -> loses_x vals group u K' i B) -> plain L K ->
  loses vals (group ++ others) (fun x => u x * v x) K i B.
Proof.
  intros L1 ni dis up vp uo vg H FK. apply loses_iff; [exact some|intro; now apply Rmult_lt_0_compat|]. intros x a b.
  set (glue := fun (y : db) j => if in_dec Nat.eq_dec j (i :: group) then y j else x j).
  set (M := fun y => total others (fun z => v z * K z) (glue y)).
  assert (vk : forall y, 0 < v y * K y) by (intro; apply Rmult_lt_0_compat; [easy|apply FK]).
  assert (FM : plain L M).
  { split; [intro; apply total_pos; auto|]. intros j c d y. unfold M. destruct (in_dec Nat.eq_dec j (i :: group)) as [J|J].
    - assert (G : forall c, glue (upd y j c) = upd (glue y) j c).
      { intro e. apply functional_extensionality. intro k. unfold glue, upd. destruct (Nat.eq_dec k j); [subst; destruct (in_dec Nat.eq_dec j (i :: group)); tauto|easy]. }
      rewrite !G. assert (nj : ~ In j others) by (destruct J as [<-|J]; auto). rewrite !(total_fix others j) by easy.
      rewrite <- total_scale. apply total_le. intro z. rewrite !(vg z j) by easy. destruct FK as [_ KL]. specialize (KL j c d z). specialize (vp z). nra.
    - assert (G : forall c, glue (upd y j c) = glue y).
      { intro e. apply functional_extensionality. intro k. unfold glue, upd. destruct (in_dec Nat.eq_dec k (i :: group)); [|easy]. destruct (Nat.eq_dec k j); [subst; tauto|easy]. }
      rewrite !G. assert (0 < total others (fun z => v z * K z) (glue y)) by (apply total_pos; auto). assert (lj := L1 j). assert (1 <= L j * L j) by nra.
      set (tq := total others (fun z => v z * K z) (glue y)) in *. nra. }
  assert (T := H M FM x a b). set (Z := total others v x).
  assert (Zp : 0 < Z) by now apply total_pos.
  assert (same : forall c z, In z (configs vals group (upd x i c)) -> glue z = z).
  { intros c z I. apply functional_extensionality. intro k. unfold glue. destruct (in_dec Nat.eq_dec k (i :: group)) as [J|J]; [easy|].
    assert (E := configs_outside group _ _ k I). rewrite E by (intro; apply J; now right). rewrite upd_other; [easy|]. intro; subst; apply J; now left. }
  assert (A : forall c, total (group ++ others) (fun y => u y * v y * K y) (upd x i c) = total group (fun y => u y * M y) (upd x i c)).
  { intro c. rewrite total_app, !total_configs. apply sum_in. intros z I. unfold M. rewrite (same c z I).
    rewrite (total_ext others (fun y => u y * v y * K y) (fun y => u y * (v y * K y))) by (intro; ring). now apply total_outside. }
  assert (vconst : forall g y, incl g (i :: group) -> forall z, (forall k, ~ In k g -> z k = y k) -> v z = v y).
  { intros g. induction g as [|k g IH]; intros y ig z E.
    - f_equal. apply functional_extensionality. intro. apply E. tauto.
    - rewrite <- (vg y k (z k)) by (apply ig; now left). apply IH; [intros j J; apply ig; now right|]. intros j J. unfold upd.
      destruct (Nat.eq_dec j k); [now subst|]. apply E. intros [->|]; tauto. }
  assert (C : forall c, total (group ++ others) (fun y => u y * v y) (upd x i c) = Z * total group u (upd x i c)).
  { intro c. rewrite total_app, !total_configs, <- sum_scale. apply sum_in. intros z I.
    rewrite (total_outside V vals others u v z) by auto. rewrite Rmult_comm. f_equal. unfold Z.
    (* v does not see the group: change z into x record by record *)
    assert (E : forall k, ~ In k (i :: group) -> z k = x k).
    { intros k J. rewrite (configs_outside group _ _ k I) by (intro; apply J; now right). rewrite upd_other; [easy|]. intro; subst; apply J; now left. }
    rewrite !total_configs. clear - E vconst dis ni.
    assert (G : forall o z x, (forall k, In k (i :: group) -> ~ In k o) -> (forall k, ~ In k (i :: group) -> z k = x k) -> sum (configs vals o z) v = sum (configs vals o x) v).
    { induction o as [|k o IH]; intros z' x' D E'; simpl.
      - rewrite (vconst (i :: group) x' (incl_refl _) z'); [lra|exact E'].
      - assert (Q : forall l, sum (flat_map (fun w => configs vals o (upd z' k w)) l) v = sum (flat_map (fun w => configs vals o (upd x' k w)) l) v).
        { induction l as [|w l IHl]; [easy|]. simpl. rewrite !sum_app, IHl. f_equal. apply IH; [intros j J X; apply (D j J); now right|].
          intros j J. unfold upd. destruct (Nat.eq_dec j k); auto. }
        apply Q. }
    apply G; [|exact E]. intros k [<-|J]; auto. }
  rewrite !A, !C. apply (Rmult_le_compat_l Z) in T; [|lra]. eapply Rle_trans; [|eapply Rle_trans; [exact T|]]; right; ring.
Qed.

(** Independent records: the dependent loss is the plain loss. *)
Corollary independent (L : nat -> R) others u v K i : (forall j, 1 <= L j) -> ~ In i others -> (forall x, 0 < u x) -> (forall x, 0 < v x) ->
  (forall x j a, In j others -> u (upd x j a) = u x) -> (forall x a, v (upd x i a) = v x) -> plain L K ->
  loses vals others (fun x => u x * v x) K i (L i).
Proof.
  intros L1 ni up vp uo vi FK. apply (independent_groups L [] others u v K i (L i)); auto.
  - intros x j a [<-|[]]. auto.
  - intros K' FK' x a b. simpl. destruct FK' as [_ KL]. specialize (KL i a b x). assert (0 < u (upd x i a) * u (upd x i b)) by now apply Rmult_lt_0_compat. nra.
Qed.

(** STRATA-1: a unit of a stratum whose groups have at most [S size] members, with odds ratios at most r^2 given all others, and whose cells' totals
    are at most l, loses at most what such a group loses, whatever other strata were asked and however strongly they depend on each other. *)
Lemma assoc_mono l r k k' : 1 <= l -> 1 <= r -> (k <= k')%nat -> fst (assoc l r k) <= fst (assoc l r k').
Proof.
  intros Hl Hr H. induction H as [|k' H IH]; [lra|]. eapply Rle_trans; [exact IH|]. simpl. destruct (assoc_ge1 l r k' Hl Hr) as [t1 r1].
  destruct (assoc l r k') as [t q]. simpl in *. assert (1 <= phi q t) by now apply phi_ge1. nra.
Qed.
Theorem stratum (L : nat -> R) group others u v K i l r size :
  (forall j, 1 <= L j) -> (forall j, In j (i :: group) -> L j <= l) -> 1 <= r -> NoDup (i :: group) -> (length group <= size)%nat ->
  ~ In i others -> (forall j, In j group -> ~ In j others) -> (forall x, 0 < v x) ->
  (forall x j a, In j others -> u (upd x j a) = u x) -> (forall x j a, In j (i :: group) -> v (upd x j a) = v x) ->
  associated V (i :: group) r u -> plain L K ->
  loses vals (group ++ others) (fun x => u x * v x) K i (fst (assoc l r size)).
Proof.
  intros L1 Ll r1 N len ni dis vp uo vg A FK.
  assert (l1 : 1 <= l) by (assert (a := L1 i); assert (b := Ll i (or_introl eq_refl)); lra).
  set (L' := fun j => if in_dec Nat.eq_dec j (i :: group) then L j else 1).
  apply (independent_groups L group others u v K i); auto; [apply A|]. intros K' FK' x a b.
  (* members that are known, or not in the group, are fixed *)
  set (glue := fun (y : db) j => if in_dec Nat.eq_dec j (i :: group) then y j else x j).
  assert (FG : plain (fun _ => l) (fun y => K' (glue y))).
  { destruct FK' as [Kp Kl]. split; [auto|]. intros j c d y. destruct (in_dec Nat.eq_dec j (i :: group)) as [J|J].
    - assert (G : forall c, glue (upd y j c) = upd (glue y) j c).
      { intro e. apply functional_extensionality. intro k. unfold glue, upd. destruct (Nat.eq_dec k j); [subst; destruct (in_dec Nat.eq_dec j (i :: group)); tauto|easy]. }
      rewrite !G. eapply Rle_trans; [apply Kl|]. apply Rmult_le_compat_r; [left; apply Kp|]. specialize (L1 j). specialize (Ll j J). apply Rmult_le_compat; lra.
    - assert (G : forall c, glue (upd y j c) = glue y).
      { intro e. apply functional_extensionality. intro k. unfold glue, upd. destruct (in_dec Nat.eq_dec k (i :: group)); [|easy]. destruct (Nat.eq_dec k j); [subst; tauto|easy]. }
      rewrite !G. assert (0 < K' (glue y)) by apply Kp. assert (1 <= l * l) by nra. set (tq := K' (glue y)) in *. nra. }
  assert (T := association V vals some (i :: group) l r l1 r1 u (fun y => K' (glue y)) group i A FG N (incl_refl _)).
  apply loses_iff in T; [|exact some|apply A].
  assert (T' : loses_x vals group u (fun y => K' (glue y)) i (fst (assoc l r size))).
  { apply loses_mono with (fst (assoc l r (length group))); [exact some|apply A|apply FG| |exact T].
    split; [destruct (assoc_ge1 l r (length group) l1 r1); lra|now apply assoc_mono]. }
  specialize (T' x a b). rewrite !total_configs in *.
  rewrite (sum_in (configs vals group (upd x i a)) (fun y => u y * K' y) (fun y => u y * K' (glue y))).
  2:{ intros z I. f_equal. f_equal. apply functional_extensionality. intro k. unfold glue. destruct (in_dec Nat.eq_dec k (i :: group)) as [J|J]; [easy|].
      rewrite (configs_outside group _ _ k I) by (intro; apply J; now right). rewrite upd_other; [easy|]. intro; subst; apply J; now left. }
  rewrite (sum_in (configs vals group (upd x i b)) (fun y => u y * K' y) (fun y => u y * K' (glue y))).
  2:{ intros z I. f_equal. f_equal. apply functional_extensionality. intro k. unfold glue. destruct (in_dec Nat.eq_dec k (i :: group)) as [J|J]; [easy|].
      rewrite (configs_outside group _ _ k I) by (intro; apply J; now right). rewrite upd_other; [easy|]. intro; subst; apply J; now left. }
  exact T'.
Qed.

(** Hidden causes: records that no mechanism sees have plain loss 0 and are records of the field like others. *)
Theorem hidden (L : nat -> R) causes (K : db -> R) : plain L K -> (forall x j a, In j causes -> K (upd x j a) = K x) ->
  plain (fun j => if in_dec Nat.eq_dec j causes then 1 else L j) K.
Proof.
  intros [P H] C. split; [easy|]. intros i a b x. destruct (in_dec Nat.eq_dec i causes); [rewrite !C by easy; lra|apply H].
Qed.
End Strata.
Print Assumptions stratum.
