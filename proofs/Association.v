(** * Groups with odds ratios, ties of any order (claims ASSOCIATION-1 and FIELD-1)

    The bound that kith uses where a policy declares groups of at most m members with an odds ratio. The class of laws says nothing about
    how the members depend on each other except this: given all others, the odds ratio of any two members is at most e^theta. Ties of three
    and more members, and ties of either sign, are allowed. *)
Require Import Reals List Lra Psatz Arith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records Field.
Import ListNotations.
Open Scope R_scope.

(** The recursion, in half exponentials: [fst] is e^(T_k / 2), [snd] is e^(R_k / 2), for k + 1 unknown records. *)
Fixpoint assoc (l r : R) (k : nat) : R * R :=
  match k with
  | O => (l, r)
  | S k => let (t, r) := assoc l r k in (t * phi r t, r * phi r r)
  end.
Lemma assoc_ge1 l r k : 1 <= l -> 1 <= r -> 1 <= fst (assoc l r k) /\ 1 <= snd (assoc l r k).
Proof.
  intros Hl Hr. induction k as [|k IH]; simpl; [easy|]. destruct (assoc l r k) as [t q]. simpl in *. destruct IH.
  assert (1 <= phi q t) by now apply phi_ge1. assert (1 <= phi q q) by now apply phi_ge1. split; nra.
Qed.

Section Association.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable members : list nat.
Variable l r : R.                       (* e^(Lambda / 2), e^(theta / 2) *)
Hypothesis l1 : 1 <= l.
Hypothesis r1 : 1 <= r.
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** The class: given all other records, the odds ratio of two members' values is at most r^2. *)
Definition associated (w : db -> R) : Prop := (forall x, 0 < w x) /\
  forall i j, In i members -> In j members -> i <> j -> forall a b u v x,
    w (upd (upd x i a) j u) * w (upd (upd x i b) j v) <= r * r * (w (upd (upd x i b) j u) * w (upd (upd x i a) j v)).

(** Odds ratios of two members after the members of [W] are summed out. *)
Lemma odds_summed w W : associated w -> NoDup W -> incl W members ->
  forall i j, In i members -> In j members -> i <> j -> ~ In i W -> ~ In j W -> forall a b u v x,
    total W w (upd (upd x i a) j u) * total W w (upd (upd x i b) j v)
    <= snd (assoc l r (length W)) * snd (assoc l r (length W)) * (total W w (upd (upd x i b) j u) * total W w (upd (upd x i a) j v)).
Proof.
  intros [P H]. induction W as [|z W IH]; intros N inc i j Ii Ij D ni nj a b u v x; simpl; [now apply H|].
  inversion N as [|? ? nz N']; subst. assert (incW : incl W members) by (intros k hk; apply inc; now right).
  specialize (IH N' incW). assert (Iz : In z members) by (apply inc; now left).
  destruct (assoc_ge1 l r (length W) l1 r1) as [_ R1]. destruct (assoc l r (length W)) as [t q]. simpl in *.
  assert (zi : z <> i) by (intro; subst; tauto). assert (zj : z <> j) by (intro; subst; tauto).
  assert (TP : forall y, 0 < total W w y) by (intro; now apply total_pos).
  apply (summed_out V vals); auto.
  - intros y _. rewrite !(upd_comm _ j z), !(upd_comm _ i z) by congruence. apply IH; tauto.
  - (* records j and z, i being b *)
    intros y y' _ _. assert (G := IH j z Ij Iz ltac:(congruence) ltac:(tauto) nz u v y y' (upd x i b)). lra.
  - (* records i and z, j being v *)
    intros y y' _ _. assert (G := IH i z Ii Iz ltac:(congruence) ltac:(tauto) nz a b y y' (upd x j v)).
    rewrite !(upd_comm x i j) by congruence. lra.
Qed.

(** ASSOCIATION-1: while [others] (of the group) are unknown, and whatever is known of the rest, the loss about [i] is at most T of
    [length others + 1] records, for every law of the class and every mechanism of plain loss at most Lambda for each record. *)
Theorem association w K others i : associated w -> plain (fun _ => l) K -> NoDup (i :: others) -> incl (i :: others) members ->
  loses vals others w K i (fst (assoc l r (length others))).
Proof.
  intros A FK N inc. apply loses_iff; [exact some|apply A|]. revert w K i A FK N inc.
  induction others as [|z W IH]; intros w K i A FK N inc x a b.
  - simpl. destruct A as [P _]. destruct FK as [_ Q]. specialize (Q i a b x).
    assert (0 < w (upd x i a) * w (upd x i b)) by (apply Rmult_lt_0_compat; apply P). nra.
  - inversion N as [|? ? ni N1]; subst. inversion N1 as [|? ? nz N2]; subst. simpl in ni.
    assert (Ii : In i members) by (apply inc; now left). assert (Iz : In z members) by (apply inc; right; now left).
    assert (incW : incl W members) by (intros k hk; apply inc; right; now right).
    assert (iz : i <> z) by (intro; subst; tauto).
    simpl. destruct (assoc_ge1 l r (length W) l1 r1) as [T1 R1].
    assert (AI := IH w K i A FK ltac:(constructor; tauto) ltac:(intros k [<-|hk]; auto)).
    assert (AZ := IH w K z A FK ltac:(now constructor) ltac:(intros k [<-|hk]; auto)).
    assert (O := odds_summed w W A N2 incW i z Ii Iz iz ltac:(tauto) nz).
    destruct (assoc l r (length W)) as [t q]. simpl in *. destruct A as [P _].
    assert (TP : forall y, 0 < total W w y) by (intro; now apply total_pos).
    assert (TK : forall y, 0 < total W (fun y => w y * K y) y) by (intro; apply total_pos; auto; intro; apply Rmult_lt_0_compat; [apply P|apply FK]).
    apply (summed_out V vals); auto.
    + intros v _. rewrite !(upd_comm _ i z) by easy. apply AI.
    + intros v v' _ _. specialize (O a b v v' x). lra.
Qed.

(** ASSOCIATION-2, block cap for this class: all others at once. *)
Lemma odds_of_all w W i : associated w -> incl W members -> In i members -> ~ In i W -> forall a b y z, (forall j, ~ In j W -> y j = z j) ->
  w (upd y i a) * w (upd z i b) <= r ^ length W * r ^ length W * (w (upd z i a) * w (upd y i b)).
Proof.
  intros [P H] inc Ii. induction W as [|j W IH]; intros ni a b y z E; simpl.
  - replace y with z by (apply functional_extensionality; intro; symmetry; apply E; tauto). right. ring.
  - simpl in ni. set (y' := upd y j (z j)).
    assert (E' : forall k, ~ In k W -> y' k = z k).
    { intros k nk. unfold y', upd. destruct (Nat.eq_dec k j); [now subst|]. apply E. intros [->|]; tauto. }
    assert (G := IH ltac:(intros k hk; apply inc; now right) ltac:(tauto) a b y' z E').
    assert (S := H i j Ii ltac:(apply inc; now left) ltac:(intro; subst; tauto) a b (y j) (z j) y).
    assert (F : forall u, upd (upd y i u) j (y j) = upd y i u).
    { intro u. apply functional_extensionality; intro k. unfold upd. destruct (Nat.eq_dec k j), (Nat.eq_dec k i); subst; tauto. }
    assert (F' : forall u, upd (upd y i u) j (z j) = upd y' i u).
    { intro u. unfold y'. now rewrite upd_comm by (intro; subst; tauto). }
    rewrite !F, !F' in S. set (R := r ^ length W) in *.
    assert (p1 := P (upd y i a)). assert (p2 := P (upd y' i b)). assert (p3 := P (upd y' i a)). assert (p4 := P (upd z i b)).
    assert (p5 := P (upd y i b)). assert (p6 := P (upd z i a)).
    apply Rmult_le_reg_r with (w (upd y' i b) * w (upd y' i a)); [now apply Rmult_lt_0_compat|].
    replace (w (upd y i a) * w (upd z i b) * (w (upd y' i b) * w (upd y' i a)))
      with ((w (upd y i a) * w (upd y' i b)) * (w (upd y' i a) * w (upd z i b))) by ring.
    replace (r * R * (r * R) * (w (upd z i a) * w (upd y i b)) * (w (upd y' i b) * w (upd y' i a)))
      with ((r * r * (w (upd y' i a) * w (upd y i b))) * (R * R * (w (upd z i a) * w (upd y' i b)))) by ring.
    apply Rmult_le_compat; [left; now apply Rmult_lt_0_compat|left; now apply Rmult_lt_0_compat|lra|lra].
Qed.
Theorem association_block w K others i : associated w -> plain (fun _ => l) K -> incl others members -> In i members -> ~ In i others ->
  loses vals others w K i (l * phi (r ^ length others) (l ^ length others)).
Proof.
  intros A FK inc Ii ni. apply loses_iff; [exact some|apply A|]. intros x a b. rewrite !(total_fix others i) by easy. rewrite !total_configs.
  assert (O := odds_of_all w others i A inc Ii ni a b). destruct A as [P _]. destruct FK as [Kp Kl].
  assert (one : forall q n, 1 <= q -> 1 <= q ^ n) by (intros; now apply pow_R1_Rle).
  apply (summed_out db (configs vals others x)); auto.
  - now apply configs_ne.
  - intro y. now apply Rmult_lt_0_compat.
  - intros y _. specialize (Kl i a b y). assert (0 < w (upd y i a) * w (upd y i b)) by now apply Rmult_lt_0_compat. nra.
  - intros y z iy iz. assert (H := plain_changes (fun _ => l) (fun y => K (upd y i b)) others (fun _ => l1) (plain_fix (fun _ => l) K i b (fun _ => l1) (conj Kp Kl)) y z).
    specialize (H ltac:(intros j nj; transitivity (x j); [|symmetry]; eapply configs_outside; eauto)). cbv beta in H.
    replace (prod others (fun _ => l)) with (l ^ length others) in H by (clear; induction others; simpl; congruence).
    assert (0 < w (upd y i b) * w (upd z i b)) by now apply Rmult_lt_0_compat. nra.
  - intros y z iy iz. apply O. intros j nj. transitivity (x j); [|symmetry]; eapply configs_outside; eauto.
Qed.
End Association.

(** ** Complete groups of a pairwise field (claim FIELD-1, part 3)

    If all links have strength at most theta and all losses are at most Lambda, walks of a group of m records need one number per length. *)
Fixpoint complete (l c : R) (k : nat) : R := match k with O => l | S k => l * phi c (complete l c k) ^ S k end.
Lemma complete_ge1 l c k : 1 <= l -> 1 <= c -> 1 <= complete l c k.
Proof. intros Hl Hc. induction k as [|k IH]; cbn [complete]; [easy|]. assert (1 <= phi c (complete l c k)) by now apply phi_ge1.
  assert (1 <= phi c (complete l c k) ^ S k) by now apply pow_R1_Rle. nra. Qed.

Section Complete.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.
Hypothesis nodup : NoDup nodes.
Variables (l s : R) (L : nat -> R) (c : nat -> nat -> R).
Hypothesis L1 : forall i, 1 <= L i <= l.
Hypothesis c1 : forall i j, 1 <= c i j <= s.

Lemma some_factors (U l0 : list nat) (f : nat -> R) q : 1 <= q -> NoDup l0 -> (forall j, In j U -> 0 <= f j <= q) ->
  0 <= prod l0 (fun j => if in_dec Nat.eq_dec j U then f j else 1) <= q ^ length (filter (fun j => if in_dec Nat.eq_dec j U then true else false) l0).
Proof.
  intros q1 N H. induction l0 as [|j l0 IH]; simpl; [lra|]. inversion N; subst. specialize (IH H3).
  destruct (in_dec Nat.eq_dec j U) as [I|I]; simpl; [|lra]. specialize (H j I). split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat; lra.
Qed.
Lemma walks_complete n : forall i U, NoDup U -> (length U <= n)%nat -> B nodes L c n i U <= complete l s (length U).
Proof.
  assert (Hl : 1 <= l) by (specialize (L1 0%nat); lra). assert (Hs : 1 <= s) by (specialize (c1 0%nat 0%nat); lra).
  induction n as [|n IH]; intros i U N len; cbn [B].
  - assert (H := complete_ge1 l s (length U) Hl Hs). destruct U; [simpl; apply L1|simpl in len; lia].
  - destruct U as [|u U'].
    + assert (E : forall f : nat -> R, prod nodes (fun j => if in_dec Nat.eq_dec j [] then f j else 1) = 1).
      { intro f. transitivity (prod nodes (fun _ => 1)); [now apply prod_ext|apply prod_one]. }
      rewrite E. simpl. specialize (L1 i). lra.
    + set (U := u :: U') in *. set (m := length U'). change (length U) with (S m). cbn [complete].
      assert (q1 : 1 <= phi s (complete l s m)) by (apply phi_ge1; [easy|now apply complete_ge1]).
      apply Rmult_le_compat; [specialize (L1 i); lra| |apply L1|].
      { apply Rle_trans with 1; [lra|]. apply prod_ge1. intro j. destruct (in_dec Nat.eq_dec j U); [|lra].
        apply phi_ge1; [apply c1|]. apply B_ge1; intros; [apply L1|apply c1]. }
      assert (F := some_factors U nodes (fun j => phi (c i j) (B nodes L c n j (remove Nat.eq_dec j U))) _ q1 nodup).
      destruct F as [_ F].
      { intros j I. assert (b1 : 1 <= B nodes L c n j (remove Nat.eq_dec j U)) by (apply B_ge1; intros; [apply L1|apply c1]).
        assert (c1' := c1 i j). split; [assert (1 <= phi (c i j) (B nodes L c n j (remove Nat.eq_dec j U))) by (apply phi_ge1; lra); lra|].
        apply phi_mono; try lra.
        assert (lr : length (remove Nat.eq_dec j U) = m).
        { assert (E : forall X, NoDup X -> In j X -> S (length (remove Nat.eq_dec j X)) = length X).
          { clear. induction X as [|y X IHX]; intros N I; [easy|]. inversion N; subst. simpl. destruct (Nat.eq_dec j y) as [<-|D].
            - rewrite notin_remove by easy. easy.
            - simpl. rewrite IHX; auto. destruct I; congruence. }
          specialize (E U N I). change (length U) with (S m) in E. now injection E. }
        rewrite <- lr. apply IH; [now apply NoDup_rem|]. rewrite lr. unfold m. unfold U in len. simpl in len. lia. }
      eapply Rle_trans; [exact F|]. apply Rle_pow; [easy|]. change (S m) with (length U).
      apply NoDup_incl_length; [now apply NoDup_filter|]. intros j I. apply filter_In in I. destruct I as [_ I]. now destruct (in_dec Nat.eq_dec j U).
Qed.
(** FIELD-1, complete groups: T_k = Lambda + (k - 1) phi(T_{k-1}) with k - 1 = [length others] unknown records besides [i]. *)
Theorem complete_groups w K i others : NoDup others -> ~ In i others -> field V nodes c w -> plain L K ->
  loses vals others w K i (complete l s (length others)).
Proof.
  intros N I Fw FK. apply loses_iff; [exact some|apply Fw|].
  apply loses_mono with (B nodes L c (length others) i others); [exact some|apply Fw|apply FK| |].
  - split; [|now apply walks_complete]. assert (1 <= B nodes L c (length others) i others) by (apply B_ge1; intros; [apply L1|apply c1]). lra.
  - apply walks; auto; intros; [apply L1|apply c1].
Qed.
End Complete.
Print Assumptions association.
Print Assumptions association_block.
Print Assumptions complete_groups.
