(** * Blocks of records that are linked closely (claim FIELD-BLOCKS-1; docs/theory/transfer.md, Blocks)

    The links of a field are divided into blocks, each link being in one of them. Inside a block the bound follows walks that never return, or
    takes all links of a record at once where that is less; between blocks it passes messages. *)
Require Import Reals List Lra Psatz Arith Bool FunctionalExtensionality Permutation.
From Kith Require Import Sums Gruss Records Tilts Field.
Import ListNotations.
Open Scope R_scope.

Section Blocks.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable nodes : list nat.
Hypothesis nodes_nodup : NoDup nodes.
Variable L : nat -> R.
Variable c : nat -> nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall i j, 1 <= c i j.
Variable block : nat -> nat -> nat.          (* the block of a link *)
Variable blocks : list nat.                  (* all blocks *)
Hypothesis blocks_nodup : NoDup blocks.
Hypothesis all_blocks : forall i j, In i nodes -> In j nodes -> In (block i j) blocks.
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** The links of [j] in block [H] to records of [S]. *)
Definition link (H j : nat) (S : list nat) (k : nat) : bool := (block j k =? H)%nat && (if in_dec Nat.eq_dec k S then true else false).
Definition beyond (H j : nat) (S : list nat) : list nat := filter (fun k => negb (link H j S k)) S.
Lemma link_in H j S k : link H j S k = true <-> block j k = H /\ In k S.
Proof. unfold link. rewrite andb_true_iff, Nat.eqb_eq. destruct (in_dec Nat.eq_dec k S); intuition congruence. Qed.

(** [t k H]: what a record [k] of block [H] tells the others of the block: its own loss and what reaches it through its other blocks.
    [F t n H j S]: what the unknown records [S] can add to the loss about [j] through the links of block [H]; n bounds the size of [S]. *)
Fixpoint F (t : nat -> nat -> R) (n H j : nat) (S : list nat) : R :=
  match n with
  | O => 1
  | S n => Rmin
     (prod nodes (fun k => if link H j S k then phi (c j k) (t k H * F t n H k (remove Nat.eq_dec k S)) else 1))
     (phi (prod nodes (fun k => if link H j S k then c j k else 1)) (prod nodes (fun k => if link H j S k then t k H * F t n H k (beyond H j S) else 1)))
  end.

(** The witness: [m k H] bounds what reaches [k] through block [H]. *)
Definition own (m : nat -> nat -> R) (k H : nat) : R := L k * prod blocks (fun H' => if Nat.eq_dec H' H then 1 else m k H').
Definition block_witness (m : nat -> nat -> R) : Prop := (forall k H, 1 <= m k H) /\
  forall k H, In k nodes -> In H blocks -> F (own m) (length nodes) H k (remove Nat.eq_dec k nodes) <= m k H.

Variable m : nat -> nat -> R.
Hypothesis W8 : block_witness m.
Notation t := (own m).

Lemma own_ge1 k H : 1 <= t k H.
Proof. unfold own. assert (1 <= prod blocks (fun H' => if Nat.eq_dec H' H then 1 else m k H')) by (apply prod_ge1; intro; destruct (Nat.eq_dec j H); [lra|apply W8]).
  assert (Lk := L1 k). nra. Qed.
Lemma F_ge1 n : forall H j S, 1 <= F t n H j S.
Proof.
  induction n as [|n IH]; intros H j S; cbn [F]; [lra|].
  assert (p : forall k U, 1 <= t k H * F t n H k U) by (intros k U; assert (a := own_ge1 k H); assert (b := IH H k U); nra).
  apply Rmin_glb.
  - apply prod_ge1. intro k. destruct (link H j S k); [|lra]. apply phi_ge1; auto.
  - apply phi_ge1; apply prod_ge1; intro k; destruct (link H j S k); auto; lra.
Qed.
Lemma F_mono n : forall n' H j S S', (n <= n')%nat -> (length S <= n)%nat -> NoDup S -> incl S S' -> F t n H j S <= F t n' H j S'.
Proof.
  induction n as [|n IH]; intros n' H j S S' le len N inc; [apply F_ge1|]. destruct n' as [|n']; [lia|]. cbn [F].
  assert (p : forall n k U, 1 <= t k H * F t n H k U) by (intros n0 k U; assert (a := own_ge1 k H); assert (b := F_ge1 n0 H k U); nra).
  assert (lk : forall k, link H j S k = true -> link H j S' k = true) by (intros k hk; apply link_in in hk; apply link_in; intuition).
  assert (shorter : forall k, link H j S k = true -> (length (remove Nat.eq_dec k S) <= n)%nat /\ (length (beyond H j S) <= n)%nat).
  { intros k hk. assert (hk' := hk). apply link_in in hk. split.
    - assert (Q := remove_length_lt Nat.eq_dec S k (proj2 hk)). lia.
    - assert (Q : (length (beyond H j S) < length S)%nat); [|lia]. unfold beyond. destruct hk as [_ hk]. clear - hk hk'.
      assert (G : forall l, In k l -> (length (filter (fun k => negb (link H j S k)) l) < length l)%nat).
      { assert (L : forall l, (length (filter (fun k => negb (link H j S k)) l) <= length l)%nat) by (induction l as [|a l IH]; simpl; [lia|destruct (negb _); simpl; lia]).
        induction l as [|a l IH]; simpl; [easy|]. intros [->|I]; [rewrite hk'; simpl; specialize (L l); lia|].
        specialize (IH I). destruct (negb _); simpl; lia. }
      now apply G. }
  assert (g : forall k, link H j S k = true -> t k H * F t n H k (remove Nat.eq_dec k S) <= t k H * F t n' H k (remove Nat.eq_dec k S')).
  { intros k hk. apply Rmult_le_compat_l; [assert (a := own_ge1 k H); lra|]. apply IH; [lia|now apply shorter|now apply NoDup_rem|].
    intros i I. apply in_remove in I. apply in_in_remove; intuition. }
  assert (g2 : forall k, link H j S k = true -> t k H * F t n H k (beyond H j S) <= t k H * F t n' H k (beyond H j S')).
  { intros k hk. apply Rmult_le_compat_l; [assert (a := own_ge1 k H); lra|]. apply IH; [lia|now apply shorter with k|now apply NoDup_filter|].
    intros i I. unfold beyond in *. apply filter_In in I. apply filter_In. destruct I as [I nl]. split; [now apply inc|].
    apply negb_true_iff in nl. apply negb_true_iff. destruct (link H j S' i) eqn:E; [|easy]. apply link_in in E.
    assert (link H j S i = true) by (apply link_in; tauto). congruence. }
  apply Rmin_glb; [eapply Rle_trans; [apply Rmin_l|]|eapply Rle_trans; [apply Rmin_r|]].
  - apply prod_le_in. intros k _. assert (a := p n k (remove Nat.eq_dec k S)). assert (a' := p n' k (remove Nat.eq_dec k S')). specialize (lk k). specialize (g k).
    destruct (link H j S k).
    + rewrite lk by easy. assert (1 <= phi (c j k) (t k H * F t n H k (remove Nat.eq_dec k S))) by now apply phi_ge1. split; [lra|]. apply phi_mono_r; auto.
    + split; [lra|]. destruct (link H j S' k); [|lra]. now apply phi_ge1.
  - apply phi_mono.
    + apply prod_ge1. intro k. destruct (link H j S k); auto. lra.
    + apply prod_le_in. intros k _. specialize (lk k). assert (cjk := c1 j k). destruct (link H j S k); [rewrite lk by easy; lra|]. destruct (link H j S' k); lra.
    + apply prod_ge1. intro k. destruct (link H j S k); auto. lra.
    + apply prod_le_in. intros k _. specialize (lk k). specialize (g2 k). assert (a := p n k (beyond H j S)). assert (a' := p n' k (beyond H j S')).
      destruct (link H j S k); [rewrite lk by easy; split; [lra|auto]|]. destruct (link H j S' k); lra.
Qed.
Lemma F_below k H W : In k nodes -> In H blocks -> NoDup W -> incl W nodes -> ~ In k W -> F t (length W) H k W <= m k H.
Proof.
  intros Ik IH N inc nk. eapply Rle_trans; [|now apply (proj2 W8)]. apply F_mono; auto.
  - now apply NoDup_incl_length.
  - intros i I. apply in_in_remove; [intro; subst; tauto|auto].
Qed.

(** Tilts of the links of one block. *)
Definition tilt (T : list nat) (rho : nat -> V -> R) (y : db) : R := prod T (fun k => rho k (y k)).
Lemma tilt_pos T rho y : (forall k v, 0 < rho k v) -> 0 < tilt T rho y.
Proof. intro P. apply prod_pos. auto. Qed.
Lemma tilt_field T rho w : (forall k v, 0 < rho k v) -> field V nodes c w -> field V nodes c (fun y => tilt T rho y * w y).
Proof.
  intros P Fw. induction T as [|k T IH]; unfold tilt; simpl.
  - destruct Fw as [A B]. split; [intro x; rewrite Rmult_1_l; apply A|]. intros i a b. destruct (B i a b) as (q & r & ?). exists q, r. intuition. rewrite !Rmult_1_l. auto.
  - assert (G := field_tilt V nodes c (fun y => tilt T rho y * w y) k (rho k) (P k) IH).
    refine (eq_ind _ (field V nodes c) G _ _). apply functional_extensionality. intro. unfold tilt. ring.
Qed.
Lemma tilt_outside T rho y j v : ~ In j T -> tilt T rho (upd y j v) = tilt T rho y.
Proof. intro N. unfold tilt. apply prod_in. intros k I. rewrite upd_other; [easy|]. intro; subst; tauto. Qed.

Definition loss_ok (n : nat) : Prop := forall W w K k, (length W <= n)%nat -> NoDup W -> incl W nodes -> In k nodes -> ~ In k W -> field V nodes c w -> plain L K ->
  loses_x vals W w K k (L k * prod blocks (fun H => F t (length W) H k W)).
Definition block_ok (n : nat) : Prop := forall W w K H j rho x, (length W <= n)%nat -> NoDup W -> incl W nodes -> In j nodes -> ~ In j W -> In H blocks ->
  field V nodes c w -> plain L K -> (forall k v, 0 < rho k v) -> (forall k u v, rho k u <= c j k * c j k * rho k v) ->
  let T := filter (fun k => (block j k =? H)%nat) nodes in
  total W (fun y => tilt T rho y * (w y * K y)) x * total W w x
  <= F t (length W) H j W * F t (length W) H j W * (total W (fun y => w y * K y) x * total W (fun y => tilt T rho y * w y) x).

(** A record of the block: its loss with fewer unknown records. *)
Lemma member_loss n w K H k Z : loss_ok n -> (length Z <= n)%nat -> NoDup Z -> incl Z nodes -> In k nodes -> ~ In k Z -> In H blocks -> field V nodes c w -> plain L K ->
  forall n', (length Z <= n')%nat -> 1 <= t k H * F t n' H k Z /\ loses_x vals Z w K k (t k H * F t n' H k Z).
Proof.
  intros LO len N inc Ik nk IH Fw FK n' le. assert (a := own_ge1 k H). assert (b := F_ge1 n' H k Z). split; [nra|].
  apply loses_mono with (L k * prod blocks (fun H => F t (length Z) H k Z)); [exact some|apply Fw|apply FK| |apply (LO Z w K k); assumption].
  assert (g : 1 <= prod blocks (fun H => F t (length Z) H k Z)) by (apply prod_ge1; intro; apply F_ge1). assert (Lk := L1 k). split; [nra|].
  unfold own. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  (* the block H is the product's factor F, all others are below the witness *)
  assert (G : forall l, NoDup l -> incl l blocks -> prod l (fun H => F t (length Z) H k Z)
     <= prod l (fun H' => if Nat.eq_dec H' H then 1 else m k H') * (if in_dec Nat.eq_dec H l then F t n' H k Z else 1)).
  { induction l as [|h l IHl]; intros Nl il; [simpl; lra|]. inversion Nl; subst. specialize (IHl H3 ltac:(intros i I; apply il; now right)).
    assert (p : 0 <= prod l (fun H => F t (length Z) H k Z)) by (apply Rle_trans with 1; [lra|apply prod_ge1; intro; apply F_ge1]).
    assert (p' : 1 <= prod l (fun H' => if Nat.eq_dec H' H then 1 else m k H')) by (apply prod_ge1; intro; destruct (Nat.eq_dec j H); [lra|apply W8]).
    simpl prod. destruct (Nat.eq_dec h H) as [->|D].
    - assert (F t (length Z) H k Z <= F t n' H k Z) by (apply F_mono; auto; apply incl_refl). assert (f1 := F_ge1 (length Z) H k Z).
      destruct (in_dec Nat.eq_dec H l); [tauto|]. destruct (in_dec Nat.eq_dec H (H :: l)) as [_|X]; [|exfalso; apply X; now left].
      rewrite Rmult_1_r in IHl. rewrite Rmult_1_l, Rmult_comm. apply Rmult_le_compat; lra.
    - assert (fb := F_below k h Z Ik ltac:(apply il; now left) N inc nk). assert (f1 := F_ge1 (length Z) h k Z).
      rewrite Rmult_assoc. apply Rmult_le_compat; [lra|easy|easy|].
      destruct (in_dec Nat.eq_dec H l), (in_dec Nat.eq_dec H (h :: l)) as [I|I]; try exact IHl; exfalso; simpl in I; intuition. }
  specialize (G blocks blocks_nodup (incl_refl _)). destruct (in_dec Nat.eq_dec H blocks); [exact G|tauto].
Qed.

Lemma prod_filter (l : list nat) (p : nat -> bool) (f : nat -> R) : prod (filter p l) f = prod l (fun k => if p k then f k else 1).
Proof. induction l as [|k l IH]; simpl; [easy|]. destruct (p k); simpl; rewrite IH; ring. Qed.

Lemma block_step n : (forall n', (n' < n)%nat -> loss_ok n') -> block_ok n.
Proof.
  intros LO W w K H j rho x len N inc Ij nj IH Fw FK rp rr T.
  assert (wp : forall y, 0 < w y) by apply Fw. assert (kp : forall y, 0 < K y) by apply FK.
  destruct W as [|w0 W'].
  { (* nothing unknown *) simpl. right. ring. }
  set (W := w0 :: W') in *. set (n0 := length W'). change (length W) with (S n0) in *. cbn [F].
  assert (LOm : loss_ok n0) by (apply LO; lia).
  assert (tpos : forall T' y, 0 < tilt T' rho y) by (intros; now apply tilt_pos).
  set (f1 := prod nodes (fun k => if link H j W k then phi (c j k) (t k H * F t n0 H k (remove Nat.eq_dec k W)) else 1)).
  set (f2 := phi _ _).
  (* one record at a time *)
  assert (C1 : total W (fun y => tilt T rho y * (w y * K y)) x * total W w x <= f1 * f1 * (total W (fun y => w y * K y) x * total W (fun y => tilt T rho y * w y) x)).
  { set (h := fun k => if link H j W k then phi (c j k) (t k H * F t n0 H k (remove Nat.eq_dec k W)) else 1).
    assert (h1 : forall k, 1 <= h k).
    { intro k. unfold h. destruct (link H j W k); [|lra]. apply phi_ge1; [easy|]. assert (a := own_ge1 k H). assert (b := F_ge1 n0 H k (remove Nat.eq_dec k W)). nra. }
    assert (G : forall T', NoDup T' -> incl T' T -> total W (fun y => tilt T' rho y * (w y * K y)) x * total W w x
       <= prod T' h * prod T' h * (total W (fun y => w y * K y) x * total W (fun y => tilt T' rho y * w y) x)).
    { induction T' as [|k T' IHT]; intros NT iT.
      - unfold tilt; cbn [prod]. rewrite (total_ext W (fun y => 1 * (w y * K y)) (fun y => w y * K y)) by (intro; ring).
        rewrite (total_ext W (fun y => 1 * w y) w) by (intro; ring). lra.
      - inversion NT; subst. specialize (IHT H3 ltac:(intros i I; apply iT; now right)).
        assert (kT : In k T) by (apply iT; now left). unfold T in kT. apply filter_In in kT. destruct kT as [kn kb]. apply Nat.eqb_eq in kb.
        assert (FT := tilt_field T' rho w rp Fw). set (wT := fun y => tilt T' rho y * w y) in *.
        assert (one : total W (fun y => rho k (y k) * (wT y * K y)) x * total W wT x <= h k * h k * (total W (fun y => wT y * K y) x * total W (fun y => rho k (y k) * wT y) x)).
        { unfold h. destruct (link H j W k) eqn:E.
          - apply link_in in E. destruct E as [_ kW]. set (Z := remove Nat.eq_dec k W).
            assert (NZ : NoDup Z) by now apply NoDup_rem. assert (nkZ : ~ In k Z) by apply remove_In.
            assert (lZ : (length Z <= n0)%nat) by (assert (Q := remove_length_lt Nat.eq_dec W k kW); change (length W) with (S n0) in Q; unfold Z; lia).
            assert (incZ : incl Z nodes) by (intros i I; apply in_remove in I; apply inc; tauto).
            assert (ML := member_loss n0 wT K H k Z LOm lZ NZ incZ kn nkZ IH FT FK n0 lZ).
            assert (TL := tilted V vals some W [k] Z wT K (fun y => rho k (y k)) (fun _ => t k H * F t n0 H k Z) (c j k) x N).
            replace (prod [k] (fun _ => t k H * F t n0 H k Z)) with (t k H * F t n0 H k Z) in TL by (simpl; ring).
            apply TL; auto.
            + apply NoDup_Permutation; [easy|now constructor|]. intro i. simpl. unfold Z. split; intro I.
              * destruct (Nat.eq_dec k i); [now left|right]. apply in_in_remove; auto.
              * destruct I as [<-|I]; [easy|]. now apply in_remove in I.
            + apply FT.
            + intros y i v I. now rewrite upd_other by (intro; subst; tauto).
            + intros k' [<-|[]]. exact ML.
          - assert (nk : ~ In k W) by (intro I; assert (link H j W k = true) by (apply link_in; tauto); congruence).
            rewrite (total_const W k (rho k) (fun y => wT y * K y)) by easy. rewrite (total_const W k (rho k) wT) by easy. right. ring. }
        assert (p1 : 0 < total W wT x) by (apply total_pos; [easy|apply FT]). assert (p2 : 0 < total W w x) by now apply total_pos.
        assert (p3 : 0 < total W (fun y => rho k (y k) * wT y) x) by (apply total_pos; [easy|]; intro; apply Rmult_lt_0_compat; [easy|apply FT]).
        rewrite (total_ext W (fun y => tilt (k :: T') rho y * (w y * K y)) (fun y => rho k (y k) * (wT y * K y))) by (intro; unfold wT, tilt; simpl; ring).
        rewrite (total_ext W (fun y => tilt (k :: T') rho y * w y) (fun y => rho k (y k) * wT y)) by (intro; unfold wT, tilt; simpl; ring).
        rewrite (total_ext W (fun y => tilt T' rho y * (w y * K y)) (fun y => wT y * K y)) in IHT by (intro; unfold wT; ring).
        cbn [prod]. set (q := prod T' h) in *. specialize (h1 k). apply Rmult_le_reg_r with (total W wT x); [easy|].
        apply (Rmult_le_compat_r (total W w x)) in one; [|lra].
        apply (Rmult_le_compat_l (h k * h k * total W (fun y => rho k (y k) * wT y) x)) in IHT; [|assert (0 <= h k * h k) by nra; apply Rmult_le_pos; lra].
        eapply Rle_trans; [|eapply Rle_trans; [exact IHT|]]; [|right; ring]. eapply Rle_trans; [|eapply Rle_trans; [exact one|]]; right; ring. }
    assert (Q := G T (NoDup_filter _ nodes_nodup) (incl_refl _)). unfold T in Q at 2 3. rewrite prod_filter in Q.
    replace f1 with (prod nodes (fun k => if (block j k =? H)%nat then h k else 1)); [exact Q|]. unfold f1, h, link. apply prod_ext. intro k.
    now destruct (block j k =? H)%nat. }
  (* all at once *)
  assert (C2 : total W (fun y => tilt T rho y * (w y * K y)) x * total W w x <= f2 * f2 * (total W (fun y => w y * K y) x * total W (fun y => tilt T rho y * w y) x)).
  { set (S1 := filter (link H j W) nodes). set (Z := beyond H j W).
    assert (S_spec : forall k, In k S1 <-> block j k = H /\ In k W).
    { intro k. unfold S1. rewrite filter_In, link_in. intuition. }
    assert (Z_spec : forall k, In k Z <-> In k W /\ block j k <> H).
    { intro k. unfold Z, beyond. rewrite filter_In, negb_true_iff. destruct (link H j W k) eqn:E.
      - apply link_in in E. intuition congruence.
      - assert (~ (block j k = H /\ In k W)) by (rewrite <- link_in; congruence). tauto. }
    assert (NS : NoDup S1) by now apply NoDup_filter. assert (NZ : NoDup Z) by now apply NoDup_filter.
    assert (NSZ : NoDup (S1 ++ Z)).
    { assert (dis : forall k, In k S1 -> ~ In k Z) by (intros k h1 h2; apply S_spec in h1; apply Z_spec in h2; tauto).
      clear - NS NZ dis. induction S1 as [|k S IH]; simpl; [easy|]. inversion NS; subst. constructor.
      - rewrite in_app_iff. intros [h|h]; [tauto|]. apply (dis k); [now left|easy].
      - apply IH; auto. intros; apply dis; now right. }
    assert (PW : Permutation W (S1 ++ Z)).
    { apply NoDup_Permutation; [easy|easy|]. intro k. rewrite in_app_iff, S_spec, Z_spec. destruct (Nat.eq_dec (block j k) H); tauto. }
    assert (lZ : forall k, In k S1 -> (length Z <= n0)%nat).
    { intros k hk. assert (Q := Permutation_length PW). rewrite app_length in Q. change (length W) with (S n0) in Q. destruct S1; [easy|simpl in Q; lia]. }
    assert (incZ : incl Z nodes) by (intros i I; apply Z_spec in I; apply inc; tauto).
    assert (TL := tilted V vals some W S1 Z w K (tilt T rho) (fun k => t k H * F t n0 H k Z) (prod S1 (fun k => c j k)) x N PW wp kp (tpos T)).
    assert (PS : forall f, prod S1 f = prod nodes (fun k => if link H j W k then f k else 1)) by (intro f; apply prod_filter).
    rewrite !PS in TL. fold Z in f2. apply TL; clear TL.
    - intros y i v I. apply tilt_outside. unfold T. rewrite filter_In, Nat.eqb_eq. apply Z_spec in I. tauto.
    - apply prod_ge1. intro k. destruct (link H j W k); auto. lra.
    - intros y y' E. assert (EP : prod nodes (fun k => if link H j W k then c j k else 1) = prod T (fun k => if in_dec Nat.eq_dec k W then c j k else 1)).
      { unfold T. rewrite prod_filter. apply prod_ext. intro k. unfold link. destruct (block j k =? H)%nat; [|easy]. now destruct (in_dec Nat.eq_dec k W). }
      rewrite EP. clear EP. assert (ET : forall k, In k T -> block j k = H) by (intros k I; unfold T in I; apply filter_In in I; now apply Nat.eqb_eq).
      unfold tilt. clear - E ET S_spec rr rp. induction T as [|k T IHT]; cbn [prod]; [lra|]. specialize (IHT (fun k hk => ET k (or_intror hk))).
      set (p := prod T (fun k => if in_dec Nat.eq_dec k W then c j k else 1)) in *.
      assert (one : rho k (y k) <= (if in_dec Nat.eq_dec k W then c j k else 1) * (if in_dec Nat.eq_dec k W then c j k else 1) * rho k (y' k)).
      { destruct (in_dec Nat.eq_dec k W) as [I|I]; [apply rr|]. rewrite E; [lra|]. rewrite S_spec. tauto. }
      set (q := if in_dec Nat.eq_dec k W then c j k else 1) in *.
      assert (0 < prod T (fun k => rho k (y k))) by (apply prod_pos; auto). assert (0 < prod T (fun k => rho k (y' k))) by (apply prod_pos; auto).
      replace (q * p * (q * p) * (rho k (y' k) * prod T (fun k => rho k (y' k)))) with ((q * q * rho k (y' k)) * (p * p * prod T (fun k => rho k (y' k)))) by ring.
      apply Rmult_le_compat; [left; apply rp|lra|exact one|exact IHT].
    - intros k hk. assert (hk' := hk). apply S_spec in hk. destruct hk as [kb kW].
      apply member_loss with n0; auto; try now apply lZ with k. rewrite Z_spec. tauto. }
  unfold Rmin. destruct (Rle_dec f1 f2); assumption.
Qed.

Lemma loss_step n : block_ok n -> loss_ok n.
Proof.
  intros BO W w K k len N inc Ik nk Fw FK x a b. rewrite !(total_fix W k) by easy.
  set (wb := fun y => w (upd y k b)). set (Kb := fun y => K (upd y k b)).
  assert (Fb : field V nodes c wb) by now apply field_fix. assert (FKb : plain L Kb) by now apply plain_fix.
  destruct (proj2 Fw k a b) as (q & rho & q0 & r0 & rr & E).
  set (T := fun H => filter (fun j => (block k j =? H)%nat) nodes).
  (* block after block *)
  assert (step : forall l, incl l blocks -> let wl := fun y => prod l (fun H => tilt (T H) rho y) * wb y in
     field V nodes c wl /\ total W (fun y => wl y * Kb y) x * total W wb x
       <= prod l (fun H => F t (length W) H k W) * prod l (fun H => F t (length W) H k W) * (total W (fun y => wb y * Kb y) x * total W wl x)).
  { induction l as [|H l IHl]; intros il wl.
    - assert (EW : wl = wb) by (apply functional_extensionality; intro; unfold wl; simpl; ring). rewrite EW. split; [easy|simpl; lra].
    - specialize (IHl ltac:(intros i I; apply il; now right)). cbv zeta in IHl. set (w' := fun y => prod l (fun H => tilt (T H) rho y) * wb y) in *.
      assert (EW : wl = fun y => tilt (T H) rho y * w' y) by (apply functional_extensionality; intro; unfold wl, w'; simpl; ring).
      destruct IHl as [Fl Q]. rewrite EW. split; [now apply tilt_field|].
      assert (one := BO W w' Kb H k rho x len N inc Ik nk ltac:(apply il; now left) Fl FKb r0 rr). cbv zeta in one. fold (T H) in one.
      rewrite (total_ext W (fun y => tilt (T H) rho y * w' y * Kb y) (fun y => tilt (T H) rho y * (w' y * Kb y))) by (intro; ring).
      assert (p1 : 0 < total W w' x) by (apply total_pos; [easy|apply Fl]). assert (p2 : 0 < total W wb x) by (apply total_pos; [easy|apply Fb]).
      assert (p3 : 0 < total W (fun y => tilt (T H) rho y * w' y) x) by (apply total_pos; [easy|]; intro; apply Rmult_lt_0_compat; [now apply tilt_pos|apply Fl]).
      cbn [prod]. set (f := F t (length W) H k W) in *. assert (f1 : 1 <= f) by apply F_ge1. set (p := prod l (fun H => F t (length W) H k W)) in *.
      apply Rmult_le_reg_r with (total W w' x); [easy|]. apply (Rmult_le_compat_r (total W wb x)) in one; [|lra].
      apply (Rmult_le_compat_l (f * f * total W (fun y => tilt (T H) rho y * w' y) x)) in Q; [|assert (0 <= f * f) by nra; apply Rmult_le_pos; lra].
      eapply Rle_trans; [|eapply Rle_trans; [exact Q|]]; [|right; ring]. eapply Rle_trans; [|eapply Rle_trans; [exact one|]]; right; ring. }
  destruct (step blocks (incl_refl _)) as [_ Q]. clear step.
  (* every link is in one block *)
  assert (all : forall y : db, prod blocks (fun H => tilt (T H) rho y) = prod nodes (fun j => rho j (y j))).
  { intro y. unfold tilt, T. rewrite (prod_ext blocks _ (fun H => prod nodes (fun j => if (block k j =? H)%nat then rho j (y j) else 1))) by (intro; apply prod_filter).
    assert (sw : forall (l l' : list nat) (g : nat -> nat -> R), prod l (fun H => prod l' (fun j => g H j)) = prod l' (fun j => prod l (fun H => g H j))).
    { intros l l' g. induction l as [|H l IHl]; simpl; [induction l'; simpl; lra|]. rewrite IHl. now rewrite <- prod_mul. }
    rewrite sw. apply prod_in. intros j Ij.
    assert (G : forall l, NoDup l -> prod l (fun H => if (block k j =? H)%nat then rho j (y j) else 1) = if in_dec Nat.eq_dec (block k j) l then rho j (y j) else 1).
    { induction l as [|H l IHl]; intro Nl; [easy|]. inversion Nl; subst. simpl prod. rewrite IHl by easy.
      destruct (Nat.eqb_spec (block k j) H) as [<-|D].
      - destruct (in_dec Nat.eq_dec (block k j) l); [tauto|]. destruct (in_dec Nat.eq_dec (block k j) (block k j :: l)) as [_|X]; [ring|exfalso; apply X; now left].
      - destruct (in_dec Nat.eq_dec (block k j) l) as [I|I], (in_dec Nat.eq_dec (block k j) (H :: l)) as [I'|I']; simpl in I'; try ring; exfalso; intuition. }
    rewrite G by easy. destruct (in_dec Nat.eq_dec (block k j) blocks) as [_|X]; [easy|]. exfalso. apply X. now apply all_blocks. }
  set (wa := fun y : db => prod blocks (fun H => tilt (T H) rho y) * wb y).
  set (P := prod blocks (fun H => F t (length W) H k W)) in *.
  assert (Q' : total W (fun y => wa y * Kb y) x * total W wb x <= P * P * (total W (fun y => wb y * Kb y) x * total W wa x)) by exact Q.
  clear Q. rename Q' into Q.
  assert (EA : total W (fun y => w (upd y k a)) x = q * total W wa x).
  { rewrite <- total_scale. apply total_ext. intro y. rewrite E. unfold wa. rewrite all. unfold wb. ring. }
  assert (KK : total W (fun y => w (upd y k a) * K (upd y k a)) x <= L k * L k * (q * total W (fun y => wa y * Kb y) x)).
  { rewrite <- !total_scale. apply total_le. intro y. destruct FK as [_ KL], Fw as [WP _]. specialize (KL k a b y). specialize (WP (upd y k a)).
    replace (q * (wa y * Kb y)) with (w (upd y k a) * Kb y) by (rewrite E; unfold wa; rewrite all; unfold wb; ring). unfold Kb. nra. }
  change (total W (fun y => w (upd y k b) * K (upd y k b)) x) with (total W (fun y => wb y * Kb y) x).
  change (total W (fun y => w (upd y k b)) x) with (total W wb x). rewrite EA.
  assert (p2 : 0 < total W wb x) by (apply total_pos; [easy|apply Fb]).
  apply (Rmult_le_compat_r (total W wb x)) in KK; [|lra].
  apply (Rmult_le_compat_l (L k * L k * q)) in Q; [|assert (Lk := L1 k); assert (0 <= L k * L k) by nra; apply Rmult_le_pos; lra].
  eapply Rle_trans; [exact KK|]. eapply Rle_trans; [|eapply Rle_trans; [exact Q|]]; right; ring.
Qed.

Lemma all_losses n : loss_ok n.
Proof. induction n as [n IH] using lt_wf_ind. apply loss_step, block_step, IH. Qed.

(** FIELD-BLOCKS-1: whatever numbers satisfy the inequalities of the blocks, their product with the plain loss bounds the loss about every
    record, for every field with the declared strengths, every mechanism with the declared losses, whatever other records are known. *)
Theorem blocks_bound w K i others : In i nodes -> NoDup others -> incl others nodes -> ~ In i others -> field V nodes c w -> plain L K ->
  loses vals others w K i (L i * prod blocks (fun H => m i H)).
Proof.
  intros Ii N inc nI Fw FK. apply loses_iff; [exact some|apply Fw|].
  apply loses_mono with (L i * prod blocks (fun H => F t (length others) H i others)); [exact some|apply Fw|apply FK| |now apply (all_losses (length others))].
  assert (1 <= prod blocks (fun H => F t (length others) H i others)) by (apply prod_ge1; intro; apply F_ge1). assert (Li := L1 i). split; [nra|].
  apply Rmult_le_compat_l; [lra|]. apply prod_le_in. intros h hI. split; [assert (f := F_ge1 (length others) h i others); lra|]. now apply F_below.
Qed.
End Blocks.
Print Assumptions blocks_bound.
