(** * Factors over several records (claim FIELD-1, messages with factors; docs/theory/transfer.md, Factors)

    A law that is a product of factors, each a function of the records that are its members. A factor's strength is the log-range of the odds
    ratios between one member and the joint state of its other members ([c A = e^(theta_A / 2)]). Factors of one record have strength 0: these
    are the single-record laws and evidence about single records. Factors of two records are links.

    As for links, any numbers that satisfy one inequality for each member of each factor are a bound, for every law of the class, every
    mechanism with the declared plain losses, and whatever other records are known. *)
Require Import Reals List Lra Psatz Arith FunctionalExtensionality Permutation.
From Kith Require Import Sums Gruss Records.
Import ListNotations.
Open Scope R_scope.

Lemma prod_changed (l : list nat) (f g : nat -> R) b : NoDup l -> In b l -> (forall a, a <> b -> f a = g a) -> prod l f * g b = prod l g * f b.
Proof.
  intros N I E. induction l as [|a l IH]; [easy|]. inversion N; subst. simpl. destruct (Nat.eq_dec a b) as [->|D].
  - rewrite (prod_in l f g); [ring|]. intros j J. apply E. intro; subst; tauto.
  - destruct I as [I|I]; [congruence|]. rewrite (E a D). rewrite Rmult_assoc, IH by easy. ring.
Qed.

Section Factors.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable factors : list nat.
Hypothesis distinct : NoDup factors.
Variable mem : nat -> list nat.              (* members of a factor *)
Hypothesis mem_nodup : forall A, NoDup (mem A).
Variable L : nat -> R.
Variable c : nat -> R.
Hypothesis L1 : forall i, 1 <= L i.
Hypothesis c1 : forall A, 1 <= c A.
Notation db := (Records.db V).
Notation total := (Records.total vals).

(** ** The class *)
Definition product (psi : nat -> db -> R) (x : db) : R := prod factors (fun A => psi A x).
Definition of_class (psi : nat -> db -> R) : Prop :=
  (forall A x, 0 < psi A x) /\
  (forall A x y, (forall j, In j (mem A) -> x j = y j) -> psi A x = psi A y) /\
  (forall A i a b x y, In i (mem A) -> psi A (upd x i a) * psi A (upd y i b) <= c A * c A * (psi A (upd x i b) * psi A (upd y i a))).

(** ** The witness: [t j A] bounds the loss about record [j] of factor [A] when the other members of [A] are known. *)
Definition inside (j : nat) (W : list nat) (A : nat) : list nat :=
  filter (fun k => if Nat.eq_dec k j then false else if in_dec Nat.eq_dec k W then true else false) (mem A).
Definition rest (j A : nat) : list nat := filter (fun k => if Nat.eq_dec k j then false else true) (mem A).
Definition passed (t : nat -> nat -> R) (A j : nat) : R := phi (c A) (prod (rest j A) (fun k => t k A)).
Definition witness (t : nat -> nat -> R) : Prop := (forall j A, 1 <= t j A) /\
  forall j A, In A factors -> In j (mem A) ->
    L j * prod factors (fun B => if Nat.eq_dec B A then 1 else if in_dec Nat.eq_dec j (mem B) then passed t B j else 1) <= t j A.
Definition reached (t : nat -> nat -> R) (i : nat) : R :=
  L i * prod factors (fun B => if in_dec Nat.eq_dec i (mem B) then passed t B i else 1).

Variable t : nat -> nat -> R.
Hypothesis W8 : witness t.

(** What the unknown records [W] can add to the loss about [j] through one factor. *)
Definition cost (j : nat) (W : list nat) (B : nat) : R :=
  if in_dec Nat.eq_dec j (mem B) then phi (c B) (prod (inside j W B) (fun k => t k B)) else 1.
Lemma prod_filters (l : list nat) (f : nat -> R) p q : (forall j, 1 <= f j) -> (forall j, p j = true -> q j = true) ->
  1 <= prod (filter p l) f <= prod (filter q l) f.
Proof.
  intros H E. induction l as [|j l IH]; simpl; [lra|]. assert (Hj := H j). assert (Ej := E j).
  destruct (p j); [rewrite Ej by easy; simpl; nra|]. destruct (q j); simpl; nra.
Qed.
Lemma cost_ge1 j W B : 1 <= cost j W B.
Proof. unfold cost. destruct (in_dec Nat.eq_dec j (mem B)); [|lra]. apply phi_ge1; [easy|]. apply prod_ge1. intro. apply W8. Qed.
Lemma cost_passed j W B : In j (mem B) -> 1 <= cost j W B <= passed t B j.
Proof.
  intro I. split; [apply cost_ge1|]. unfold cost, passed. destruct (in_dec Nat.eq_dec j (mem B)); [|tauto].
  assert (H := prod_filters (mem B) (fun k => t k B)
    (fun k => if Nat.eq_dec k j then false else if in_dec Nat.eq_dec k W then true else false) (fun k => if Nat.eq_dec k j then false else true)
    (fun k => proj1 W8 k B)).
  specialize (H ltac:(intro k; cbv beta; destruct (Nat.eq_dec k j); [discriminate|intros; reflexivity])).
  apply phi_mono_r; [easy|apply H|apply H].
Qed.
Lemma cost_outside j W B : (forall k, In k (mem B) -> ~ In k W) -> cost j W B = 1.
Proof.
  intro D. unfold cost. destruct (in_dec Nat.eq_dec j (mem B)); [|easy].
  replace (inside j W B) with (@nil nat); [simpl; unfold phi; field; specialize (c1 B); lra|].
  symmetry. unfold inside. assert (E : forall l, (forall k, In k l -> ~ In k W) -> filter (fun k => if Nat.eq_dec k j then false else if in_dec Nat.eq_dec k W then true else false) l = []).
  { induction l as [|k l IH]; simpl; intro H; [easy|]. rewrite IH by auto. destruct (Nat.eq_dec k j); [easy|].
    destruct (in_dec Nat.eq_dec k W); [|easy]. exfalso. apply (H k); auto. }
  now apply E.
Qed.
Lemma costs_message j W A : In A factors -> In j (mem A) -> (forall k, In k (mem A) -> ~ In k W) ->
  L j * prod factors (cost j W) <= t j A.
Proof.
  intros IA Ij D. eapply Rle_trans; [|now apply (proj2 W8)]. apply Rmult_le_compat_l; [specialize (L1 j); lra|].
  apply prod_le_in. intros B _. split; [assert (H := cost_ge1 j W B); lra|].
  destruct (Nat.eq_dec B A) as [->|]; [rewrite cost_outside by easy; lra|].
  destruct (in_dec Nat.eq_dec j (mem B)) as [I|I]; [now apply cost_passed|]. unfold cost. destruct (in_dec Nat.eq_dec j (mem B)); [tauto|lra].
Qed.
Lemma costs_reached i W : 1 <= L i * prod factors (cost i W) <= reached t i.
Proof.
  assert (1 <= prod factors (cost i W)) by (apply prod_ge1; intro; apply cost_ge1). specialize (L1 i). split; [nra|].
  apply Rmult_le_compat_l; [lra|]. apply prod_le_in. intros B _. split; [assert (H0 := cost_ge1 i W B); lra|].
  destruct (in_dec Nat.eq_dec i (mem B)) as [I|I]; [now apply cost_passed|]. unfold cost. destruct (in_dec Nat.eq_dec i (mem B)); [tauto|lra].
Qed.

(** ** Changing the secret factor by factor *)
Definition hybrid (psi : nat -> db -> R) i a b (T : list nat) : nat -> db -> R :=
  fun A y => psi A (upd y i (if in_dec Nat.eq_dec A T then a else b)).
Lemma hybrid_of_class psi i a b T : of_class psi -> of_class (hybrid psi i a b T).
Proof.
  intros (P & D & O). unfold hybrid. split; [auto|]. split.
  - intros A x y E. apply D. intros j I. unfold upd. destruct (Nat.eq_dec j i); auto.
  - intros A j u v x y I. set (s := if in_dec Nat.eq_dec A T then a else b). destruct (Nat.eq_dec j i) as [->|N].
    + rewrite !upd_same. assert (0 < psi A (upd x i s) * psi A (upd y i s)) by (apply Rmult_lt_0_compat; auto).
      assert (H1 := c1 A). assert (1 <= c A * c A) by nra. nra.
    + rewrite !(upd_comm _ j i) by easy. now apply O.
Qed.
Lemma total_outside Z (f : db -> R) F x : (forall x j v, In j Z -> f (upd x j v) = f x) -> total Z (fun y => f y * F y) x = f x * total Z F x.
Proof.
  revert x. induction Z as [|j Z IH]; simpl; intros x H; [easy|]. rewrite <- sum_scale. apply sum_ext. intro v.
  rewrite IH by auto. now rewrite H by auto.
Qed.

Theorem factors_walk n : forall W psi K i, (length W <= n)%nat -> NoDup W -> ~ In i W -> of_class psi -> plain L K ->
  loses_x vals W (product psi) K i (L i * prod factors (cost i W)).
Proof.
  induction n as [n IH] using lt_wf_ind. intros W psi K i len N nI G FK x a b. rewrite !(total_fix W i) by easy.
  set (Kb := fun y => K (upd y i b)). assert (FKb : plain L Kb) by now apply plain_fix.
  set (w := fun T => product (hybrid psi i a b T)).
  assert (wp : forall T y, 0 < w T y) by (intros; apply prod_pos; intro; apply G).
  assert (step : forall T, incl T factors -> NoDup T ->
     total W (fun y => w T y * Kb y) x * total W (w []) x
     <= prod T (cost i W) * prod T (cost i W) * (total W (fun y => w [] y * Kb y) x * total W (w T) x)).
  { induction T as [|B T IHT]; intros inc NT; [simpl; lra|]. inversion NT as [|? ? nB NT']; subst.
    assert (IB : In B factors) by (apply inc; now left). specialize (IHT ltac:(intros k hk; apply inc; now right) NT').
    set (rho := fun y => psi B (upd y i a) / psi B (upd y i b)).
    assert (rp : forall y, 0 < rho y) by (intro; apply Rdiv_lt_0_compat; apply G).
    assert (EW : forall y, w (B :: T) y = rho y * w T y).
    { intro y. unfold w, product.
      assert (H := prod_changed factors (fun A => hybrid psi i a b (B :: T) A y) (fun A => hybrid psi i a b T A y) B distinct IB).
      specialize (H ltac:(intros A D; unfold hybrid; destruct (in_dec Nat.eq_dec A (B :: T)) as [[|]|], (in_dec Nat.eq_dec A T); simpl in *; try congruence; tauto)).
      unfold hybrid at 2 4 in H. destruct (in_dec Nat.eq_dec B (B :: T)) as [_|C]; [|exfalso; apply C; now left].
      destruct (in_dec Nat.eq_dec B T); [tauto|]. unfold rho. assert (0 < psi B (upd y i b)) by apply G.
      apply Rmult_eq_reg_r with (psi B (upd y i b)); [|lra]. rewrite H. field. lra. }
    assert (one : total W (fun y => w (B :: T) y * Kb y) x * total W (w T) x
       <= cost i W B * cost i W B * (total W (fun y => w T y * Kb y) x * total W (w (B :: T)) x)).
    { destruct (in_dec Nat.eq_dec i (mem B)) as [Ii|Ii].
      - set (S := inside i W B).
        set (Z := filter (fun k => if in_dec Nat.eq_dec k (mem B) then false else true) W).
        assert (NS : NoDup S) by (apply NoDup_filter, mem_nodup). assert (NZ : NoDup Z) by now apply NoDup_filter.
        assert (S_spec : forall k, In k S <-> In k (mem B) /\ In k W).
        { intro k. unfold S, inside. rewrite filter_In. destruct (Nat.eq_dec k i), (in_dec Nat.eq_dec k W); subst; intuition congruence. }
        assert (Z_spec : forall k, In k Z <-> In k W /\ ~ In k (mem B)).
        { intro k. unfold Z. rewrite filter_In. destruct (in_dec Nat.eq_dec k (mem B)); intuition congruence. }
        assert (NSZ : NoDup (S ++ Z)).
        { clear - NS NZ S_spec Z_spec. assert (dis : forall k, In k S -> ~ In k Z) by (intros k h1 h2; apply S_spec in h1; apply Z_spec in h2; tauto).
          clear S_spec Z_spec. induction S as [|k S IH]; simpl; [easy|]. inversion NS; subst. constructor.
          - rewrite in_app_iff. intros [h|h]; [tauto|]. apply (dis k); [now left|easy].
          - apply IH; auto. intros; apply dis; now right. }
        assert (PW : Permutation W (S ++ Z)).
        { apply NoDup_Permutation; [easy|easy|]. intro k. rewrite in_app_iff, S_spec, Z_spec. destruct (in_dec Nat.eq_dec k (mem B)); tauto. }
        assert (SP : forall F, total W F x = sum (configs vals S x) (total Z F)).
        { intro F. rewrite (total_perm W (S ++ Z) PW) by easy. rewrite total_app. apply total_configs. }
        rewrite !SP.
        assert (outZ : forall y k v, In k Z -> rho (upd y k v) = rho y).
        { intros y k v hk. apply Z_spec in hk. destruct G as (_ & D & _). unfold rho.
          rewrite (D B (upd (upd y k v) i a) (upd y i a)), (D B (upd (upd y k v) i b) (upd y i b)); [easy| |]; intros j J; unfold upd;
            destruct (Nat.eq_dec j i), (Nat.eq_dec j k); subst; tauto. }
        assert (TW : forall y, total Z (w (B :: T)) y = rho y * total Z (w T) y).
        { intro y. rewrite (total_ext Z (w (B :: T)) (fun y => rho y * w T y)) by auto. now apply total_outside. }
        assert (TK : forall y, total Z (fun y => w (B :: T) y * Kb y) y = rho y * total Z (fun y => w T y * Kb y) y).
        { intro y. rewrite (total_ext Z (fun y => w (B :: T) y * Kb y) (fun y => rho y * (w T y * Kb y))) by (intro; rewrite EW; ring). now apply total_outside. }
        assert (tp : forall y, 0 < total Z (w T) y) by (intro; apply total_pos; auto).
        assert (tkp : forall y, 0 < total Z (fun y => w T y * Kb y) y).
        { intro; apply total_pos; auto. intro. apply Rmult_lt_0_compat; [apply wp|apply FKb]. }
        (* one member of B after another *)
        assert (chain : forall S', incl S' S -> forall y y', (forall k, ~ In k S' -> y k = y' k) ->
           total Z (fun y => w T y * Kb y) y * total Z (w T) y'
           <= prod S' (fun k => t k B) * prod S' (fun k => t k B) * (total Z (fun y => w T y * Kb y) y' * total Z (w T) y)).
        { induction S' as [|k S' IHS]; intros incS y y' E; simpl.
          - replace y' with y by (apply functional_extensionality; intro; apply E; tauto). lra.
          - assert (hk : In k S) by (apply incS; now left). apply S_spec in hk. destruct hk as [kB kW].
            assert (nZ : ~ In k Z) by (rewrite Z_spec; tauto).
            assert (lZ : (length Z < length W)%nat).
            { rewrite (Permutation_length PW), app_length. assert (In k S) by (apply S_spec; tauto). destruct S; [easy|simpl; lia]. }
            set (y1 := upd y k (y' k)).
            assert (E1 : forall j, ~ In j S' -> y1 j = y' j).
            { intros j nj. unfold y1, upd. destruct (Nat.eq_dec j k); [now subst|]. apply E. intros [->|]; tauto. }
            assert (Q := IHS ltac:(intros j hj; apply incS; now right) y1 y' E1).
            assert (M := IH (length Z) ltac:(lia) Z (hybrid psi i a b T) Kb k (Nat.le_refl _) NZ nZ (hybrid_of_class _ _ _ _ _ G) FKb y (y k) (y' k)).
            replace (upd y k (y k)) with y in M by (apply functional_extensionality; intro j; unfold upd; now destruct (Nat.eq_dec j k); subst).
            fold y1 in M. fold (w T) in M.
            assert (cm := costs_message k Z B IB kB ltac:(intros j hj; rewrite Z_spec; tauto)).
            assert (cz : 0 <= L k * prod factors (cost k Z)) by (destruct (costs_reached k Z); lra).
            assert (M' : total Z (fun y => w T y * Kb y) y * total Z (w T) y1 <= t k B * t k B * (total Z (fun y => w T y * Kb y) y1 * total Z (w T) y)).
            { eapply Rle_trans; [exact M|]. apply Rmult_le_compat_r; [left; now apply Rmult_lt_0_compat|]. nra. }
            clear M. set (pt := prod S' (fun k => t k B)) in *.
            assert (a1 := tp y). assert (a2 := tp y1). assert (a3 := tp y'). assert (a4 := tkp y). assert (a5 := tkp y1). assert (a6 := tkp y').
            apply Rmult_le_reg_r with (total Z (w T) y1 * total Z (fun y => w T y * Kb y) y1); [now apply Rmult_lt_0_compat|].
            set (Ny := total Z (fun y => w T y * Kb y) y) in *. set (N1 := total Z (fun y => w T y * Kb y) y1) in *. set (N' := total Z (fun y => w T y * Kb y) y') in *.
            set (My := total Z (w T) y) in *. set (M1 := total Z (w T) y1) in *. set (M2 := total Z (w T) y') in *.
            replace (Ny * M2 * (M1 * N1)) with ((Ny * M1) * (N1 * M2)) by ring.
            replace (t k B * pt * (t k B * pt) * (N' * My) * (M1 * N1)) with ((t k B * t k B * (N1 * My)) * (pt * pt * (N' * M1))) by ring.
            apply Rmult_le_compat; try assumption; left; now apply Rmult_lt_0_compat. }
        assert (agree : forall y y', In y (configs vals S x) -> In y' (configs vals S x) -> forall k, ~ In k S -> y k = y' k).
        { intros y y' hy hy' k hk. transitivity (x k); [|symmetry]; eapply configs_outside; eauto. }
        assert (tl := summed_out db (configs vals S x) (total Z (fun y => w (B :: T) y * Kb y)) (total Z (fun y => w T y * Kb y))
           (total Z (w (B :: T))) (total Z (w T)) 1 (prod S (fun k => t k B)) (c B)).
        specialize (tl ltac:(lra) ltac:(apply prod_ge1; intro; apply W8) (c1 B) (configs_ne some S x) tkp
          ltac:(intro y; rewrite TW; now apply Rmult_lt_0_compat) tp
          ltac:(intros y _; rewrite TW, TK; right; ring)
          ltac:(intros y y' hy hy'; apply (chain S (incl_refl S)); now apply agree)).
        rewrite !Rmult_1_l in tl. unfold cost. destruct (in_dec Nat.eq_dec i (mem B)); [|tauto]. fold S. apply tl.
        intros y y' _ _. rewrite !TW. destruct G as (P & _ & O). specialize (O B i a b y y' Ii). unfold rho.
        assert (p1 := P B (upd y i b)). assert (p2 := P B (upd y' i b)).
        assert (q : psi B (upd y i a) / psi B (upd y i b) <= c B * c B * (psi B (upd y' i a) / psi B (upd y' i b))).
        { apply Rmult_le_reg_r with (psi B (upd y i b) * psi B (upd y' i b)); [now apply Rmult_lt_0_compat|].
          replace (psi B (upd y i a) / psi B (upd y i b) * (psi B (upd y i b) * psi B (upd y' i b))) with (psi B (upd y i a) * psi B (upd y' i b)) by (field; lra).
          replace (c B * c B * (psi B (upd y' i a) / psi B (upd y' i b)) * (psi B (upd y i b) * psi B (upd y' i b)))
            with (c B * c B * (psi B (upd y i b) * psi B (upd y' i a))) by (field; lra). exact O. }
        assert (a1 := tp y). assert (a2 := tp y'). apply (Rmult_le_compat_r (total Z (w T) y * total Z (w T) y')) in q; [|nra]. nra.
      - (* i is no member: nothing changes *)
        unfold cost. destruct (in_dec Nat.eq_dec i (mem B)); [tauto|].
        assert (E : forall y, w (B :: T) y = w T y).
        { intro y. rewrite EW. unfold rho. replace (psi B (upd y i a)) with (psi B (upd y i b)).
          - field. assert (0 < psi B (upd y i b)) by apply G. lra.
          - apply G. intros j J. unfold upd. destruct (Nat.eq_dec j i); [subst; tauto|easy]. }
        rewrite (total_ext W (fun y => w (B :: T) y * Kb y) (fun y => w T y * Kb y)) by (intro; now rewrite E).
        rewrite (total_ext W (w (B :: T)) (w T)) by auto. lra. }
    assert (p1 : 0 < total W (w T) x) by (apply total_pos; auto). assert (p2 : 0 < total W (w []) x) by (apply total_pos; auto).
    assert (p3 : 0 < total W (w (B :: T)) x) by (apply total_pos; auto).
    cbn [prod]. set (Q := prod T (cost i W)) in *. set (H := cost i W B) in *. apply Rmult_le_reg_r with (total W (w T) x); [easy|].
    apply (Rmult_le_compat_r (total W (w []) x)) in one; [|lra].
    apply (Rmult_le_compat_l (H * H * total W (w (B :: T)) x)) in IHT; [|assert (0 <= H * H) by nra; apply Rmult_le_pos; lra].
    eapply Rle_trans; [|eapply Rle_trans; [exact IHT|]]; [|right; ring]. eapply Rle_trans; [|eapply Rle_trans; [exact one|]]; right; ring. }
  assert (Q := step factors (incl_refl _) distinct).
  assert (EF : forall y, product psi (upd y i a) = w factors y).
  { intro y. unfold w, product, hybrid. apply prod_in. intros A I. destruct (in_dec Nat.eq_dec A factors); tauto. }
  assert (E0 : forall y, product psi (upd y i b) = w [] y) by easy.
  rewrite (total_ext W (fun y => product psi (upd y i a)) (w factors)) by auto.
  rewrite (total_ext W (fun y => product psi (upd y i b)) (w [])) by auto.
  rewrite (total_ext W (fun y => product psi (upd y i b) * K (upd y i b)) (fun y => w [] y * Kb y)) by auto.
  assert (KK : total W (fun y => product psi (upd y i a) * K (upd y i a)) x <= L i * L i * total W (fun y => w factors y * Kb y) x).
  { rewrite <- total_scale. apply total_le. intro y. rewrite EF. destruct FK as [_ KL]. specialize (KL i a b y). specialize (wp factors y). unfold Kb. nra. }
  assert (p2 : 0 < total W (w []) x) by (apply total_pos; auto).
  apply (Rmult_le_compat_r (total W (w []) x)) in KK; [|lra].
  apply (Rmult_le_compat_l (L i * L i)) in Q; [|assert (H := L1 i); nra].
  eapply Rle_trans; [exact KK|]. eapply Rle_trans; [|eapply Rle_trans; [exact Q|]]; right; ring.
Qed.

(** FIELD-1 with factors: g_i <= Lambda_i + sum over factors A of i of phi_A(sum of t_{j->A} over the other members j of A). *)
Theorem factors_bound psi K i others : NoDup others -> ~ In i others -> of_class psi -> plain L K ->
  loses vals others (product psi) K i (reached t i).
Proof.
  intros N nI G FK. assert (P : forall x, 0 < product psi x) by (intro; apply prod_pos; intro; apply G).
  apply loses_iff; [exact some|easy|].
  apply loses_mono with (L i * prod factors (cost i others)); [exact some|easy|apply FK| |].
  - destruct (costs_reached i others). lra.
  - now apply (factors_walk (length others)).
Qed.
End Factors.
Print Assumptions factors_bound.
