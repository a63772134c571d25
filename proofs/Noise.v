(** * Noise: vectors of answers, unknown keys, released records (claims NOISE-1, DL-1, DL-2, KEYS-4, OSDP-1, OSDP-6)

    Laws of single outputs, for two neighbouring snapshots; nothing is said about samplers. *)
Require Import Reals List Lra Lia Psatz ZArith Arith.
From Kith Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** ** Discrete Laplace noise on a vector of whole numbers

    One factor p^|y - q| for each number; moving the exact numbers by at most d in L1 costs p^-d = e^(d / scale). *)
Definition laplace (p : R) (y q : Z) : R := (1 - p) / (1 + p) * p ^ Z.abs_nat (y - q).
Definition noisy_vector (p : R) (groups : list nat) (y q : nat -> Z) : R := prod groups (fun g => laplace p (y g) (q g)).
Definition l1 (groups : list nat) (q q' : nat -> Z) : nat := list_sum (map (fun g => Z.abs_nat (q g - q' g)) groups).
Lemma pow_falls p m n : 0 < p < 1 -> (m <= n)%nat -> p ^ n <= p ^ m.
Proof.
  intros Hp H. replace n with (m + (n - m))%nat by lia. rewrite pow_add. assert (0 < p ^ m) by (apply pow_lt; lra).
  assert (p ^ (n - m) <= 1) by (rewrite <- (pow1 (n - m)); apply pow_incr; lra). nra.
Qed.
Lemma laplace_pos p y q : 0 < p < 1 -> 0 < laplace p y q.
Proof. intro H. unfold laplace. apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|apply pow_lt; lra]. Qed.
Lemma laplace_moves p y q q' : 0 < p < 1 -> laplace p y q * p ^ Z.abs_nat (q - q') <= laplace p y q'.
Proof.
  intros H. unfold laplace. rewrite Rmult_assoc, <- pow_add. apply Rmult_le_compat_l.
  - left. apply Rdiv_lt_0_compat; lra.
  - apply pow_falls; [easy|]. lia.
Qed.
(** NOISE-1: whatever output y, of any number of groups. *)
Theorem noise_on_vectors p groups y q q' d : 0 < p < 1 -> (l1 groups q q' <= d)%nat -> noisy_vector p groups y q * p ^ d <= noisy_vector p groups y q'.
Proof.
  intros Hp H. apply Rle_trans with (noisy_vector p groups y q * p ^ l1 groups q q').
  - apply Rmult_le_compat_l; [left; apply prod_pos; intro; now apply laplace_pos|now apply pow_falls].
  - clear H. unfold noisy_vector, l1. induction groups as [|g gs IH]; simpl; [lra|]. rewrite pow_add.
    replace (laplace p (y g) (q g) * prod gs (fun g => laplace p (y g) (q g)) * (p ^ Z.abs_nat (q g - q' g) * p ^ list_sum (map (fun g => Z.abs_nat (q g - q' g)) gs)))
      with ((laplace p (y g) (q g) * p ^ Z.abs_nat (q g - q' g)) * (prod gs (fun g => laplace p (y g) (q g)) * p ^ list_sum (map (fun g => Z.abs_nat (q g - q' g)) gs))) by ring.
    assert (0 < prod gs (fun g => laplace p (y g) (q g))) by (apply prod_pos; intro; now apply laplace_pos).
    apply Rmult_le_compat; [| |now apply laplace_moves|exact IH]; left; apply Rmult_lt_0_compat; auto using laplace_pos; apply pow_lt; lra.
Qed.

(** ** Keys that nobody declared (KEYS-4)

    Noise on the count of a key has the law c q^|z| on z < tau and never reaches tau; the noisy count is shown if it reaches tau. A count of 0 is then never
    shown, so that keys that nobody has need no noise. [at_ n v]: the probability that the noisy count of a key held by n units is v. *)
Section Keys.
Variables (q c : R) (tau : Z).
Hypothesis q01 : 0 < q < 1.
Hypothesis c0 : 0 < c.
Definition at_ (n v : Z) : R := if Z_lt_dec (v - n) tau then c * q ^ Z.abs_nat (v - n) else 0.
Lemma nobody v : (tau <= v)%Z -> at_ 0 v = 0.
Proof. intro H. unfold at_. destruct (Z_lt_dec (v - 0) tau); [lia|easy]. Qed.
Lemma key_joined n v : at_ n v * q <= at_ (n + 1) v.
Proof.
  unfold at_. destruct (Z_lt_dec (v - n) tau), (Z_lt_dec (v - (n + 1)) tau); try lia.
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite Rmult_comm. change (q * q ^ Z.abs_nat (v - n)) with (q ^ S (Z.abs_nat (v - n))). apply pow_falls; [easy|lia].
  - rewrite Rmult_0_l. apply Rmult_le_pos; [lra|]. apply pow_le. lra.
  - lra.
Qed.
(** Without the exception: the noise was at its largest value. *)
Lemma key_left n v : (v - n <> tau - 1)%Z -> at_ n v * q <= at_ (n - 1) v.
Proof.
  intro N. unfold at_. destruct (Z_lt_dec (v - n) tau), (Z_lt_dec (v - (n - 1)) tau); try lia.
  - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite Rmult_comm. change (q * q ^ Z.abs_nat (v - n)) with (q ^ S (Z.abs_nat (v - n))). apply pow_falls; [easy|lia].
  - lra.
Qed.
(** A unit leaves the keys of [left_] and comes to those of [joined]: at most m each. Outside of the exception, every vector of noisy counts is less likely
    afterwards by a factor of at most q^(2m) = e^-(loss); shown keys are a function of it. *)
Definition counts_at (keys : list nat) (n v : nat -> Z) : R := prod keys (fun k => at_ (n k) (v k)).
Theorem unknown_keys keys (left_ joined : list nat) n n' v m : NoDup keys -> NoDup left_ -> NoDup joined -> (length left_ <= m)%nat -> (length joined <= m)%nat ->
  (forall k, In k left_ -> ~ In k joined) ->
  (forall k, n' k = if in_dec Nat.eq_dec k left_ then n k - 1 else if in_dec Nat.eq_dec k joined then n k + 1 else n k)%Z ->
  (forall k, In k keys -> In k left_ -> v k - n k <> tau - 1)%Z ->
  counts_at keys n v * q ^ (2 * m) <= counts_at keys n' v.
Proof.
  intros Nk Nl Nj Ll Lj Dis E Ex.
  assert (P : forall n v, 0 <= at_ n v).
  { intros a b. unfold at_. destruct (Z_lt_dec (b - a) tau); [|lra]. apply Rmult_le_pos; [lra|apply pow_le; lra]. }
  set (changed := fun k => if in_dec Nat.eq_dec k left_ then true else if in_dec Nat.eq_dec k joined then true else false).
  assert (S : counts_at keys n v * q ^ length (filter changed keys) <= counts_at keys n' v).
  { unfold counts_at. clear Nk. induction keys as [|k ks IH]; simpl; [lra|].
    assert (IH' := IH (fun j J => Ex j (or_intror J))). clear IH.
    assert (P1 : 0 <= prod ks (fun k => at_ (n k) (v k))) by (clear - P; induction ks; simpl; [lra|apply Rmult_le_pos; auto]).
    assert (P2 : 0 <= q ^ length (filter changed ks)) by (apply pow_le; lra).
    unfold changed at 1. rewrite (E k). destruct (in_dec Nat.eq_dec k left_) as [I|I].
    - simpl. replace (at_ (n k) (v k) * prod ks (fun k => at_ (n k) (v k)) * (q * q ^ length (filter changed ks)))
        with ((at_ (n k) (v k) * q) * (prod ks (fun k => at_ (n k) (v k)) * q ^ length (filter changed ks))) by ring.
      apply Rmult_le_compat; [apply Rmult_le_pos; [auto|lra]|now apply Rmult_le_pos|apply key_left; apply Ex; [now left|easy]|exact IH'].
    - destruct (in_dec Nat.eq_dec k joined) as [J|J].
      + simpl. replace (at_ (n k) (v k) * prod ks (fun k => at_ (n k) (v k)) * (q * q ^ length (filter changed ks)))
          with ((at_ (n k) (v k) * q) * (prod ks (fun k => at_ (n k) (v k)) * q ^ length (filter changed ks))) by ring.
        apply Rmult_le_compat; [apply Rmult_le_pos; [auto|lra]|now apply Rmult_le_pos|apply key_joined|exact IH'].
      + rewrite Rmult_assoc. apply Rmult_le_compat_l; auto. }
  eapply Rle_trans; [|exact S]. apply Rmult_le_compat_l.
  - unfold counts_at. clear - P. induction keys; simpl; [lra|apply Rmult_le_pos; auto].
  - apply pow_falls; [easy|]. assert (incl (filter changed keys) (left_ ++ joined)).
    { intros k I. apply filter_In in I. destruct I as [_ I]. unfold changed in I. apply in_or_app. destruct (in_dec Nat.eq_dec k left_); [now left|]. destruct (in_dec Nat.eq_dec k joined); [now right|easy]. }
    assert (H0 := NoDup_incl_length (NoDup_filter changed Nk) H). rewrite app_length in H0. lia.
Qed.
(** The exception is as likely as the noise is at its largest value, for each key that is left: c q^(tau - 1), at most m of them. *)
Theorem exception_at_most n v : (v - n = tau - 1)%Z -> at_ n v = c * q ^ Z.abs_nat (tau - 1).
Proof. intro E. unfold at_. destruct (Z_lt_dec (v - n) tau); [now rewrite E|lia]. Qed.
End Keys.

(** ** Released records (OSDP-1, OSDP-6)

    A row that is not sensitive is released with probability 1 - e, e = e^-epsilon, a sensitive one never. [shows r o]: the probability that row r leads to o
    (None: nothing is released). *)
Section Records.
Variable row : Type.
Variable sensitive : row -> bool.
Variable same : forall a b : row, {a = b} + {a <> b}.
Variable e : R.
Hypothesis e01 : 0 < e <= 1.
Definition shows (r : row) (o : option row) : R :=
  match o with
  | None => if sensitive r then 1 else e
  | Some s => if sensitive r then 0 else if same r s then 1 - e else 0
  end.
(** One sensitive row, any row in its place. *)
Theorem released_records r r' o : sensitive r = true -> e * shows r o <= shows r' o.
Proof. intro S. unfold shows. rewrite S. destruct o as [s|]; [|destruct (sensitive r'); lra]. destruct (sensitive r'); [lra|]. destruct (same r' s); lra. Qed.
(** k sensitive rows of a unit, any k rows in their place: k epsilon. *)
Fixpoint show_all (rs : list row) (os : list (option row)) : R := match rs, os with r :: rs, o :: os => shows r o * show_all rs os | [], [] => 1 | _, _ => 0 end.
Lemma shows_nonneg r o : 0 <= shows r o.
Proof. unfold shows. destruct o as [s|], (sensitive r); try lra. destruct (same r s); lra. Qed.
Theorem released_unit rs rs' os : Forall (fun r => sensitive r = true) rs -> length rs = length rs' -> e ^ length rs * show_all rs os <= show_all rs' os.
Proof.
  intro F. revert rs' os. induction F as [|r rs S F IH]; intros [|r' rs'] os L; simpl in L; try discriminate; [destruct os; simpl; lra|].
  destruct os as [|o os]; simpl; [lra|]. injection L as L.
  replace (e * e ^ length rs * (shows r o * show_all rs os)) with ((e * shows r o) * (e ^ length rs * show_all rs os)) by ring.
  assert (A : forall a b, 0 <= show_all a b) by (induction a; destruct b; simpl; try lra; apply Rmult_le_pos; auto using shows_nonneg).
  apply Rmult_le_compat; [apply Rmult_le_pos; [lra|apply shows_nonneg]|apply Rmult_le_pos; [apply pow_le; lra|apply A]|now apply released_records|now apply IH].
Qed.
End Records.
Print Assumptions noise_on_vectors.
Print Assumptions unknown_keys.
Print Assumptions released_unit.
