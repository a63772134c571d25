(** * Networks of yes/no records: a correlation as a probability, and sampling it from the top

    A public graph has links; a state says which links are open. In the random-cluster law a state's weight is the product of p(e) over open links and
    1 - p(e) over closed ones, times the number of ways to give each site a spin such that the ends of each open link agree (2 to the number of clusters).

    - [correlation_is_connection]: the probability that a and b are connected is the correlation of their spins, where spins that differ along link e
      have the weight 1 - p(e) and equal ones 1. With p(e) = 1 - e^(-theta/2) that is a coupling of theta/4, a tie of odds ratio e^theta ([coupling]).
    - [open_rule]: what a link is, given all others: open with p if its ends are connected without it, else with p / (2 - p).
    - [from_the_top]: whoever starts with all links open and draws links anew in any order, any number of times, has an increasing event with at least the
      probability that it has in the law. So a run of any length gives an upper bound.                                                                     *)
Require Import Reals List Lra Psatz Arith Bool FunctionalExtensionality ClassicalDedekindReals.
From Kith Require Import Sums Records.
Import ListNotations.
Open Scope R_scope.

Notation state := (Records.db bool).
Definition yes_no := [false; true].
Notation total := (Records.total yes_no).

(** ** Totals *)
Lemma total_plus W : forall F G x, total W (fun y => F y + G y) x = total W F x + total W G x.
Proof. induction W as [|i W IH]; intros F G x; [easy|]. cbn [Records.total yes_no sum]. rewrite !IH. ring. Qed.
Lemma total_outside W : forall F x y, (forall j, ~ In j W -> x j = y j) -> total W F x = total W F y.
Proof.
  induction W as [|i W IH]; intros F x y H.
  - cbn. f_equal. extensionality j. now apply H.
  - cbn [Records.total]. apply sum_ext. intro a. apply IH. intros j n. unfold upd. destruct (Nat.eq_dec j i); [easy|]. apply H. intros [->|]; tauto.
Qed.
Lemma total_swap W Z (F : state -> state -> R) x y : total W (fun u => total Z (F u) y) x = total Z (fun v => total W (fun u => F u v) x) y.
Proof.
  rewrite !total_configs. erewrite sum_ext; [|intro; apply total_configs]. rewrite sum_swap. apply sum_ext. intro. now rewrite total_configs.
Qed.
Lemma total_pair W e : NoDup W -> In e W -> forall F x, total W F x = total (remove Nat.eq_dec e W) (fun y => F (upd y e false) + F (upd y e true)) x.
Proof.
  intros N I F x. rewrite (total_pull W e F x N I). cbn [yes_no sum]. rewrite !total_fix by apply remove_In. rewrite total_plus. ring.
Qed.
(** One factor for each place: the product of the sums. *)
Lemma total_product W (g : nat -> bool -> R) : NoDup W -> forall x, total W (fun y => prod W (fun e => g e (y e))) x = prod W (fun e => g e false + g e true).
Proof.
  induction W as [|i W IH]; intros N x; [easy|]. inversion N as [|? ? n N']; subst. cbn [Records.total prod yes_no sum].
  assert (H : forall b, total W (fun y => g i (y i) * prod W (fun e => g e (y e))) (upd x i b) = g i b * prod W (fun e => g e false + g e true)).
  { intro b. rewrite (total_const W i (g i)) by easy. now rewrite IH, upd_at. }
  rewrite !H. ring.
Qed.
Lemma prod_pull W e f : NoDup W -> In e W -> prod W f = f e * prod (remove Nat.eq_dec e W) f.
Proof.
  induction W as [|k W IH]; intros N I; [easy|]. inversion N; subst. cbn [prod remove]. destruct (Nat.eq_dec e k) as [->|D].
  - now rewrite notin_remove.
  - destruct I as [->|I]; [congruence|]. rewrite IH by easy. cbn [prod]. ring.
Qed.
(** Some places the other way round. *)
Definition turn (S : nat -> bool) (x : state) : state := fun j => xorb (x j) (S j).
Lemma total_turn W S F : forall x, total W (fun y => F (turn S y)) x = total W F (turn S x).
Proof.
  assert (U : forall x i a, turn S (upd x i a) = upd (turn S x) i (xorb a (S i))) by (intros; extensionality j; unfold turn, upd; destruct (Nat.eq_dec j i); now subst).
  induction W as [|i W IH]; intro x; [easy|]. cbn [Records.total yes_no sum]. rewrite !IH, !U. destruct (S i); cbn [xorb]; ring.
Qed.

(** ** Drawing places anew, one after another, for any law *)
Section Chain.
Variable links : list nat.
Hypothesis once : NoDup links.
Variable w : state -> R.
Hypothesis wp : forall x, 0 < w x.
Definition below (x y : state) := forall e, x e = true -> y e = true.
Definition increasing (f : state -> R) := forall x y, below x y -> f x <= f y.
(** The probability that e is open, given all others. *)
Definition open_given (e : nat) (x : state) : R := w (upd x e true) / (w (upd x e true) + w (upd x e false)).
(** What f is on average after e was drawn anew; and after all of a list were, one after another. *)
Definition drawn (e : nat) (f : state -> R) (x : state) : R := open_given e x * f (upd x e true) + (1 - open_given e x) * f (upd x e false).
Fixpoint after (es : list nat) (f : state -> R) : state -> R := match es with [] => f | e :: es => drawn e (after es f) end.
Definition all_open : state := fun _ => true.

Lemma open_given_range e x : 0 < open_given e x < 1.
Proof.
  unfold open_given. assert (a := wp (upd x e true)). assert (b := wp (upd x e false)). split; [apply Rdiv_lt_0_compat; lra|].
  apply Rmult_lt_reg_r with (w (upd x e true) + w (upd x e false)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.
(** The law stays as it is. *)
Lemma drawn_stays e f x : In e links -> total links (fun y => w y * drawn e f y) x = total links (fun y => w y * f y) x.
Proof.
  intro I. rewrite !(total_pair links e once I). apply total_ext. intro y. unfold drawn, open_given. rewrite !upd_same.
  assert (a := wp (upd y e true)). assert (b := wp (upd y e false)). field. lra.
Qed.
Lemma after_stays es : incl es links -> forall f x, total links (fun y => w y * after es f y) x = total links (fun y => w y * f y) x.
Proof.
  induction es as [|e es IH]; intros I f x; [easy|]. cbn [after]. rewrite drawn_stays by (apply I; now left). apply IH. intros j h. apply I. now right.
Qed.
(** If open places never make others less likely to be open, averages of increasing functions increase. *)
Hypothesis attracts : forall e x y, below x y -> open_given e x <= open_given e y.
Lemma below_upd x y e a b : below x y -> (a = true -> b = true) -> below (upd x e a) (upd y e b).
Proof. intros H G j. unfold upd. destruct (Nat.eq_dec j e); auto. Qed.
Lemma drawn_increasing e f : increasing f -> increasing (drawn e f).
Proof.
  intros M x y B. unfold drawn. assert (p := open_given_range e x). assert (q := open_given_range e y). assert (r := attracts e x y B).
  assert (u := M _ _ (below_upd x y e true true B (fun h => h))). assert (v := M _ _ (below_upd x y e false false B (fun h => h))).
  assert (s := M _ _ (below_upd y y e false true (fun _ h => h) (fun _ => eq_refl))).
  assert (open_given e x * f (upd x e true) <= open_given e x * f (upd y e true)) by (apply Rmult_le_compat_l; lra).
  assert ((1 - open_given e x) * f (upd x e false) <= (1 - open_given e x) * f (upd y e false)) by (apply Rmult_le_compat_l; lra).
  assert (0 <= (open_given e y - open_given e x) * (f (upd y e true) - f (upd y e false))) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma after_increasing es f : increasing f -> increasing (after es f).
Proof. intro M. induction es as [|e es IH]; [easy|]. now apply drawn_increasing. Qed.
Theorem chain_from_the_top es f x : incl es links -> increasing f -> total links (fun y => w y * f y) x <= after es f all_open * total links w x.
Proof.
  intros I M. rewrite <- (after_stays es I). rewrite <- total_scale. apply total_le. intro y. rewrite Rmult_comm. apply Rmult_le_compat_r; [left; apply wp|].
  apply after_increasing; [easy|]. intros j _. reflexivity.
Qed.
End Chain.

(** ** Graphs *)
Section Graph.
Variables sites links : list nat.
Variable ends : nat -> nat * nat.
Variable p : nat -> R.                       (* of each link: the probability of being open, a priori *)
Hypothesis links_once : NoDup links.
Hypothesis inside : forall e, In e links -> In (fst (ends e)) sites /\ In (snd (ends e)) sites.
Hypothesis p01 : forall e, 0 < p e < 1.

Definition equal_ends (s : state) (e : nat) : bool := eqb (s (fst (ends e))) (s (snd (ends e))).
(** Spins that agree along each open link. *)
Definition agree (x s : state) : bool := forallb (fun e => negb (x e) || equal_ends s e) links.
Definition here (b : bool) : R := if b then 1 else 0.
Definition nobody : state := fun _ => false.
Definition colours (x : state) : R := total sites (fun s => here (agree x s)) nobody.
Definition cluster_weight (x : state) : R := prod links (fun e => if x e then p e else 1 - p e) * colours x.
(** Connected: all spins that agree along open links agree here. [connected_iff_path]: there is a path of open links. *)
Definition connected (x : state) (a b : nat) : bool := forallb (fun s => negb (agree x s) || eqb (s a) (s b)) (configs yes_no sites nobody).

Lemma agree_iff x s : agree x s = true <-> forall e, In e links -> x e = true -> s (fst (ends e)) = s (snd (ends e)).
Proof.
  unfold agree. rewrite forallb_forall. split; intros H e I.
  - intro o. specialize (H e I). rewrite o in H. now apply eqb_prop.
  - destruct (x e) eqn:o; [|easy]. unfold equal_ends. rewrite (H e I o). apply eqb_reflx.
Qed.
(** Every state of spins, up to sites that do not exist. *)
Definition trim (s : state) : state := fun j => if in_dec Nat.eq_dec j sites then s j else false.
Lemma configs_all W : forall s x, (forall j, ~ In j W -> s j = x j) -> In s (configs yes_no W x).
Proof.
  induction W as [|i W IH]; intros s x H.
  - left. extensionality j. symmetry. now apply H.
  - cbn [configs]. apply in_flat_map. exists (s i). split; [destruct (s i); cbn; tauto|]. apply IH. intros j n. unfold upd. destruct (Nat.eq_dec j i); [now subst|]. apply H. intros [->|]; tauto.
Qed.
Lemma trim_in s : In (trim s) (configs yes_no sites nobody).
Proof. apply configs_all. intros j n. unfold trim. now destruct (in_dec Nat.eq_dec j sites). Qed.
Lemma connected_iff x a b : In a sites -> In b sites -> (connected x a b = true <-> forall s, agree x s = true -> s a = s b).
Proof.
  intros Ia Ib. unfold connected. rewrite forallb_forall. split.
  - intros H s A. specialize (H (trim s) (trim_in s)). assert (A' : agree x (trim s) = true).
    { apply agree_iff. intros e I o. destruct (inside e I). unfold trim. destruct (in_dec Nat.eq_dec (fst (ends e)) sites), (in_dec Nat.eq_dec (snd (ends e)) sites); try easy.
      now apply (proj1 (agree_iff x s) A). }
    rewrite A' in H. apply eqb_prop in H. unfold trim in H. now destruct (in_dec Nat.eq_dec a sites), (in_dec Nat.eq_dec b sites).
  - intros H s _. destruct (agree x s) eqn:A; [|easy]. rewrite (H s A). apply eqb_reflx.
Qed.
Lemma connected_more x y a b : below x y -> In a sites -> In b sites -> connected x a b = true -> connected y a b = true.
Proof.
  intros B Ia Ib C. apply connected_iff; auto. intros s A. apply (proj1 (connected_iff x a b Ia Ib) C). apply agree_iff. intros e I o. apply (proj1 (agree_iff y s) A); auto.
Qed.
(** Turning the spins of all that is connected to a. *)
Definition cluster (x : state) (a : nat) : nat -> bool := fun j => if in_dec Nat.eq_dec j sites then connected x a j else false.
Lemma agree_turn x a s : In a sites -> agree x (turn (cluster x a) s) = agree x s.
Proof.
  intro Ia. assert (E : forall e, In e links -> x e = true -> cluster x a (fst (ends e)) = cluster x a (snd (ends e))).
  { intros e I o. destruct (inside e I) as [Iu Iv]. unfold cluster. destruct (in_dec Nat.eq_dec (fst (ends e)) sites); [|easy]. destruct (in_dec Nat.eq_dec (snd (ends e)) sites); [|easy].
    apply eq_iff_eq_true. rewrite !connected_iff by easy. split; intros H t A; rewrite (H t A); [|symmetry]; now apply (proj1 (agree_iff x t) A). }
  apply eq_iff_eq_true. rewrite !agree_iff. unfold turn. split; intros H e I o; specialize (H e I o); specialize (E e I o); rewrite E in *.
  - destruct (s (fst (ends e))), (s (snd (ends e))), (cluster x a (snd (ends e))); easy.
  - now rewrite H.
Qed.
Lemma total_cluster x a F : total sites (fun s => F (turn (cluster x a) s)) nobody = total sites F nobody.
Proof.
  rewrite total_turn. apply total_outside. intros j n. unfold turn, cluster, nobody. now destruct (in_dec Nat.eq_dec j sites).
Qed.
Definition spin (s : state) (a : nat) : R := if s a then 1 else -1.
(** In each state: the spins of two sites go together if they are connected, and are independent if they are not. *)
Lemma spins_of x a b : In a sites -> In b sites ->
  total sites (fun s => here (agree x s) * (spin s a * spin s b)) nobody = colours x * here (connected x a b).
Proof.
  intros Ia Ib. unfold colours. destruct (connected x a b) eqn:C.
  - rewrite (total_ext _ _ (fun s => here (agree x s))); [cbn; ring|]. intro s. destruct (agree x s) eqn:A; cbn [here]; [|ring].
    unfold spin. rewrite (proj1 (connected_iff x a b Ia Ib) C s A). destruct (s b); ring.
  - set (X := total sites (fun s => here (agree x s) * (spin s a * spin s b)) nobody). assert (X = - X); [|cbn [here]; lra].
    unfold X at 1. rewrite <- (total_cluster x a). replace (- X) with (-1 * X) by ring. unfold X. rewrite <- total_scale. apply total_ext. intro s.
    rewrite agree_turn by easy. assert (Ca : cluster x a a = true).
    { unfold cluster. destruct (in_dec Nat.eq_dec a sites); [|easy]. now apply connected_iff. }
    assert (Cb : cluster x a b = false) by (unfold cluster; now destruct (in_dec Nat.eq_dec b sites)).
    unfold spin, turn. rewrite Ca, Cb. destruct (s a), (s b); cbn; ring.
Qed.
Lemma colours_pos x : 0 < colours x.
Proof.
  unfold colours. rewrite total_configs. assert (I : In nobody (configs yes_no sites nobody)) by now apply configs_all.
  assert (N : forall s : state, 0 <= here (agree x s)) by (intro; destruct (agree x s); cbn; lra).
  assert (A : agree x nobody = true) by now apply agree_iff.
  induction (configs yes_no sites nobody) as [|s l IH]; [easy|]. cbn [sum]. destruct I as [->|I].
  - rewrite A. cbn [here]. assert (P := sum_nonneg l (fun s => here (agree x s)) N). lra.
  - specialize (IH I). specialize (N s). lra.
Qed.
Lemma cluster_weight_pos x : 0 < cluster_weight x.
Proof. apply Rmult_lt_0_compat; [|apply colours_pos]. apply prod_pos. intro e. specialize (p01 e). destruct (x e); lra. Qed.
(** Opening a link keeps all colours if its ends were connected, and half of them if not. *)
Lemma colours_open x e : In e links ->
  colours (upd x e true) = (if connected (upd x e false) (fst (ends e)) (snd (ends e)) then 1 else / 2) * colours (upd x e false).
Proof.
  intro I. destruct (inside e I) as [Ia Ib]. set (a := fst (ends e)) in *. set (b := snd (ends e)) in *.
  assert (A : forall s, agree (upd x e true) s = agree (upd x e false) s && eqb (s a) (s b)).
  { intro s. apply eq_iff_eq_true. rewrite andb_true_iff, !agree_iff, eqb_true_iff. split.
    - intro H. split; [|apply H; [easy|apply upd_at]]. intros j J o. apply H; [easy|]. unfold upd in *. now destruct (Nat.eq_dec j e).
    - intros [H E] j J o. destruct (Nat.eq_dec j e) as [->|D]; [easy|]. apply H; [easy|]. rewrite upd_other in * by easy. easy. }
  assert (S := spins_of (upd x e false) a b Ia Ib). set (y := upd x e false) in *. unfold colours at 1.
  rewrite (total_ext _ _ (fun s => / 2 * (here (agree y s) + here (agree y s) * (spin s a * spin s b)))).
  2:{ intro s. rewrite A. unfold spin. destruct (agree y s), (s a), (s b); cbn; field. }
  rewrite total_scale, total_plus, S. fold (colours y). destruct (connected y a b); cbn [here]; field.
Qed.
(** What the sampler draws. *)
Theorem open_rule e x : In e links ->
  open_given cluster_weight e x = if connected (upd x e false) (fst (ends e)) (snd (ends e)) then p e else p e / (2 - p e).
Proof.
  intro I. unfold open_given, cluster_weight.
  assert (P : forall v, prod links (fun j => if upd x e v j then p j else 1 - p j) = (if v then p e else 1 - p e) * prod (remove Nat.eq_dec e links) (fun j => if x j then p j else 1 - p j)).
  { intro v. rewrite (prod_pull links e _ links_once I), upd_at. f_equal. apply prod_in. intros j J. rewrite upd_other; [easy|]. intros ->. now apply remove_In in J. }
  rewrite !P, (colours_open x e I). set (r := prod (remove Nat.eq_dec e links) _). set (c := colours (upd x e false)).
  assert (r0 : 0 < r) by (apply prod_pos; intro j; specialize (p01 j); destruct (x j); lra). assert (c0 : 0 < c) by apply colours_pos. assert (q := p01 e).
  assert (rc : 0 < r * c) by now apply Rmult_lt_0_compat.
  destruct (connected (upd x e false) (fst (ends e)) (snd (ends e))).
  - replace (p e * r * (1 * c) + (1 - p e) * r * c) with (r * c) by ring. field. lra.
  - replace (p e * r * (/ 2 * c) + (1 - p e) * r * c) with (r * c * ((2 - p e) / 2)) by field. field. lra.
Qed.
Lemma open_rule_outside e x y : ~ In e links -> open_given cluster_weight e x = open_given cluster_weight e y.
Proof.
  intro N. assert (E : forall z, cluster_weight (upd z e true) = cluster_weight (upd z e false)).
  { intro z. assert (A : forall s, agree (upd z e true) s = agree (upd z e false) s).
    { intro s. apply eq_iff_eq_true. rewrite !agree_iff. split; intros H j J; specialize (H j J); rewrite upd_other in *; try easy; intros ->; easy. }
    unfold cluster_weight. f_equal; [|unfold colours; apply total_ext; intro; now rewrite A]. apply prod_in. intros j J. rewrite !upd_other; try easy; intros ->; easy. }
  unfold open_given. rewrite !E. assert (a := cluster_weight_pos (upd x e false)). assert (b := cluster_weight_pos (upd y e false)). field. lra.
Qed.
Lemma attracts e x y : below x y -> open_given cluster_weight e x <= open_given cluster_weight e y.
Proof.
  intro B. destruct (in_dec Nat.eq_dec e links) as [I|N]; [|right; now apply open_rule_outside]. rewrite !open_rule by easy. destruct (inside e I). assert (q := p01 e).
  assert (L : p e / (2 - p e) <= p e).
  { apply Rmult_le_reg_r with (2 - p e); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. assert (0 <= p e * (1 - p e)) by (apply Rmult_le_pos; lra). lra. }
  destruct (connected (upd x e false) (fst (ends e)) (snd (ends e))) eqn:C.
  - rewrite (connected_more (upd x e false) (upd y e false)); auto; [lra|]. apply below_upd; auto.
  - destruct (connected (upd y e false) (fst (ends e)) (snd (ends e))); lra.
Qed.

(** The weight of spins, and the correlation of two of them. *)
Definition ising (s : state) : R := prod links (fun e => if equal_ends s e then 1 else 1 - p e).
Definition correlation (a b : nat) : R := total sites (fun s => ising s * (spin s a * spin s b)) nobody / total sites ising nobody.
Definition connection (a b : nat) : R := total links (fun x => cluster_weight x * here (connected x a b)) nobody / total links cluster_weight nobody.
Lemma both_ways F : total links (fun x => prod links (fun e => if x e then p e else 1 - p e) * total sites (fun s => here (agree x s) * F s) nobody) nobody
  = total sites (fun s => ising s * F s) nobody.
Proof.
  erewrite total_ext; [|intro; symmetry; apply total_scale]. rewrite total_swap. apply total_ext. intro s.
  rewrite (total_ext _ _ (fun x : state => F s * prod links (fun e => if x e then (if equal_ends s e then p e else 0) else 1 - p e))).
  2:{ intro x. assert (H : prod links (fun e => if x e then if equal_ends s e then p e else 0 else 1 - p e) = prod links (fun e => if x e then p e else 1 - p e) * here (agree x s)).
      { unfold agree. induction links as [|e l IH]; [cbn; ring|]. cbn [prod forallb].
        assert (IH' : prod l (fun e => if x e then if equal_ends s e then p e else 0 else 1 - p e) = prod l (fun e => if x e then p e else 1 - p e) * here (forallb (fun e => negb (x e) || equal_ends s e) l)).
        { clear - l. induction l as [|e l IH]; [cbn; ring|]. cbn [prod forallb]. rewrite IH. destruct (x e), (equal_ends s e), (forallb (fun e => negb (x e) || equal_ends s e) l); cbn; ring. }
        rewrite IH'. destruct (x e), (equal_ends s e), (forallb (fun e => negb (x e) || equal_ends s e) l); cbn; ring. }
      rewrite H. ring. }
  rewrite total_scale, (total_product links (fun e v => if v then if equal_ends s e then p e else 0 else 1 - p e) links_once). rewrite Rmult_comm. f_equal.
  apply prod_ext. intro e. destruct (equal_ends s e); ring.
Qed.
Theorem correlation_is_connection a b : In a sites -> In b sites -> correlation a b = connection a b.
Proof.
  intros Ia Ib. unfold correlation, connection. f_equal.
  - rewrite <- both_ways. apply total_ext. intro x. rewrite (spins_of x a b Ia Ib). unfold cluster_weight. ring.
  - rewrite (total_ext _ ising (fun s => ising s * 1)) by (intro; ring). rewrite <- both_ways. apply total_ext. intro x. unfold cluster_weight, colours. f_equal. apply total_ext. intro; ring.
Qed.
(** Links drawn anew in any order from all open: the chance that a and b are then connected is at least their correlation. *)
Theorem from_the_top a b es : In a sites -> In b sites -> incl es links ->
  correlation a b <= after cluster_weight es (fun x => here (connected x a b)) all_open.
Proof.
  intros Ia Ib I. rewrite correlation_is_connection by easy. unfold connection.
  assert (T : 0 < total links cluster_weight nobody) by (apply total_pos; [easy|apply cluster_weight_pos]).
  apply Rmult_le_reg_r with (total links cluster_weight nobody); [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. rewrite Rmult_1_r.
  apply chain_from_the_top; auto; [apply cluster_weight_pos|apply attracts|].
  intros x y B. destruct (connected x a b) eqn:C; [rewrite (connected_more x y a b B Ia Ib C); lra|]. destruct (connected y a b); cbn; lra.
Qed.

(** What a program looks for: paths of open links. *)
Definition step (x : state) (u v : nat) : bool := existsb (fun e => x e && ((fst (ends e) =? u)%nat && (snd (ends e) =? v)%nat || (fst (ends e) =? v)%nat && (snd (ends e) =? u)%nat)) links.
Inductive path (x : state) (a : nat) : nat -> Prop := path_here : path x a a | path_step u v : path x a u -> step x u v = true -> path x a v.
Fixpoint reached (x : state) (a k : nat) (v : nat) : bool := match k with O => (a =? v)%nat | S k => existsb (fun u => reached x a k u && step x u v) sites end.
Lemma reached_path x a k : forall v, reached x a k v = true -> path x a v.
Proof.
  induction k as [|k IH]; intros v H; cbn [reached] in H; [apply Nat.eqb_eq in H; subst; constructor|]. apply existsb_exists in H. destruct H as (u & _ & H). apply andb_prop in H. destruct H. econstructor 2; eauto.
Qed.
Lemma step_iff x u v : step x u v = true <-> exists e, In e links /\ x e = true /\ (ends e = (u, v) \/ ends e = (v, u)).
Proof.
  unfold step. rewrite existsb_exists. split.
  - intros (e & I & H). exists e. apply andb_prop in H. destruct H as [o H]. split; [easy|]. split; [easy|]. apply orb_prop in H. destruct (ends e) as [c d]; cbn in H.
    destruct H as [H|H]; apply andb_prop in H; destruct H as [H1 H2]; apply Nat.eqb_eq in H1, H2; subst; auto.
  - intros (e & I & o & H). exists e. split; [easy|]. rewrite o. destruct H as [-> | ->]; cbn; rewrite !Nat.eqb_refl; cbn; [easy|]. now rewrite orb_true_r.
Qed.
Theorem connected_iff_path x a b : In a sites -> In b sites -> (connected x a b = true <-> path x a b).
Proof.
  intros Ia Ib. split; intro H.
  - set (f := fun v => match sig_forall_dec (fun k => reached x a k v = false) (fun k => bool_dec (reached x a k v) false) with inleft _ => true | inright _ => false end).
    assert (F : forall v, f v = true <-> exists k, reached x a k v = true).
    { intro v. unfold f. destruct (sig_forall_dec _ _) as [[k n]|n]; split; try easy.
      - intros _. exists k. now apply not_false_is_true.
      - intros [k r]. now rewrite n in r. }
    assert (A : agree x f = true).
    { apply agree_iff. intros e I o. destruct (inside e I) as [Iu Iv]. apply eq_iff_eq_true. rewrite !F.
      split; intros [k r]; exists (S k); cbn [reached]; apply existsb_exists; [exists (fst (ends e))|exists (snd (ends e))]; (split; [easy|]); rewrite r; cbn [andb]; apply step_iff; exists e; (split; [easy|split; [easy|]]); destruct (ends e); cbn; auto. }
    assert (fa : f a = true) by (apply F; exists O; cbn; apply Nat.eqb_refl).
    rewrite (proj1 (connected_iff x a b Ia Ib) H f A) in fa. apply F in fa. destruct fa as [k r]. now apply reached_path with k.
  - apply connected_iff; auto. intros s A. induction H as [|u v P IH Q]; [easy|].
    apply step_iff in Q. destruct Q as (e & Ie & o & E). destruct (inside e Ie) as [Iu Iv]. assert (G := proj1 (agree_iff x s) A e Ie o).
    destruct E as [E|E]; rewrite E in *; cbn [fst snd] in *; rewrite IH; auto.
Qed.
End Graph.

(** A tie of odds ratio e^theta between two records is a coupling of theta / 4 between their spins: the same as a link that is open with 1 - e^(-theta/2). *)
Lemma coupling theta s s' : (if eqb s s' then 1 else 1 - (1 - exp (- theta / 2))) * exp (theta / 4) = exp (theta / 4 * ((if s then 1 else -1) * (if s' then 1 else -1))).
Proof.
  destruct s, s'; cbn [eqb]; try (rewrite Rmult_1_l; f_equal; field); replace (1 - (1 - exp (- theta / 2))) with (exp (- theta / 2)) by ring; rewrite <- exp_plus; f_equal; field.
Qed.
Print Assumptions from_the_top.
Print Assumptions correlation_is_connection.
Print Assumptions connected_iff_path.
