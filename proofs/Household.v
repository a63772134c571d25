(** * What a household's plain loss is worth to a person (claim NEST-3)

    Whatever the members of a household have to do with each other, and however many of them are known: if changing all their records at once changes the
    probability of the answers by at most q^n, nobody loses more than that about one of them, as long as the household is independent of everybody else. With
    NEST-1, n is size * a + b, a being the largest total of its persons, b that of the household. *)
Require Import Reals List Lra Psatz Arith.
From Kith Require Import Sums Records Accounts.
Import ListNotations.
Open Scope R_scope.

Section Household.
Variable V : Type.
Variable vals : list V.
Hypothesis some : vals <> [].
Variable h : R.                          (* e^(half a unit of loss) *)
Hypothesis h1 : 1 <= h.
Notation db := (Records.db V).
Notation total := (Records.total vals).
Definition alike (H : list nat) (x y : db) := forall j, ~ In j H -> x j = y j.

Lemma total_alike H W c F G : (forall x y, alike H x y -> F x <= c * G y) -> forall x y, alike H x y -> total W F x <= c * total W G y.
Proof.
  intro FG. induction W as [|j W IH]; simpl; intros x y E; [now apply FG|]. rewrite <- sum_scale. apply sum_le. intro v.
  apply IH. intros k nk. unfold upd. destruct (Nat.eq_dec k j); auto.
Qed.
(** [u] is the law of the household, [v] that of everybody else. *)
Theorem household_keeps H i mine rest u v K n : In i H -> incl mine H -> (forall x, 0 < u x) -> (forall x, 0 < v x) -> (forall x, 0 < K x) ->
  (forall x j a, In j rest -> u (upd x j a) = u x) -> (forall x y, alike H x y -> v x = v y) ->
  within V (h * h) H n K -> loses vals (mine ++ rest) (fun x => u x * v x) K i (h ^ n).
Proof.
  intros Ii I up vp Kp ur vh W. apply loses_iff; [exact some|intro; now apply Rmult_lt_0_compat|]. intros x a b.
  assert (P : forall F c, (forall y k e, In k rest -> u (upd y k e) = u y) -> total (mine ++ rest) (fun y => u y * F y) (upd x i c) = sum (configs vals mine (upd x i c)) (fun y => u y * total rest F y)).
  { intros F c U. rewrite total_app, total_configs. apply sum_ext. intro y. clear - U. revert y. induction rest as [|k W IH]; simpl; intro y; [easy|].
    rewrite <- sum_scale. apply sum_ext. intro e. rewrite IH by (intros; apply U; now right). rewrite U by (now left). ring. }
  assert (T : forall c, total (mine ++ rest) (fun y => u y * v y * K y) (upd x i c) = sum (configs vals mine (upd x i c)) (fun y => u y * total rest (fun y => v y * K y) y)).
  { intro c. rewrite <- P by easy. apply total_ext. intro. ring. }
  rewrite !T, !P by easy. clear T P.
  set (M := total rest (fun y => v y * K y)). set (Z := total rest v).
  assert (A : forall y z, In y (configs vals mine (upd x i a)) -> In z (configs vals mine (upd x i b)) -> M y * Z z <= h ^ n * h ^ n * (M z * Z y)).
  { intros y z Iy Iz. assert (E : alike H y z).
    { intros j nj. rewrite (configs_outside mine _ _ j Iy), (configs_outside mine _ _ j Iz) by auto. unfold upd. destruct (Nat.eq_dec j i); [subst; tauto|easy]. }
    assert (E' : alike H z y) by (intros j nj; symmetry; auto).
    assert (m := total_alike H rest (h ^ n * h ^ n) (fun y => v y * K y) (fun y => v y * K y)). assert (s := total_alike H rest 1 v v).
    assert (M y <= h ^ n * h ^ n * M z).
    { apply m; [|easy]. intros p q e. rewrite (vh p q e). specialize (W p q e). rewrite Rpow_mult_distr in W. specialize (vp q). apply (Rmult_le_compat_l (v q)) in W; lra. }
    assert (Z z <= 1 * Z y) by (apply s; [|easy]; intros p q e; rewrite (vh p q e); lra).
    assert (0 < M y) by (apply total_pos; auto; intro; now apply Rmult_lt_0_compat). assert (0 < Z z) by now apply total_pos.
    replace (h ^ n * h ^ n * (M z * Z y)) with ((h ^ n * h ^ n * M z) * Z y) by ring. apply Rmult_le_compat; lra. }
  set (la := configs vals mine (upd x i a)) in *. set (lb := configs vals mine (upd x i b)) in *.
  assert (D : forall f g, sum la f * sum lb g = sum la (fun y => sum lb (fun z => f y * g z))).
  { intros f g. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro y. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro. ring. }
  rewrite D, (Rmult_comm (sum lb (fun y => u y * M y))), D, <- sum_scale.
  rewrite (sum_ext la (fun y => h ^ n * h ^ n * sum lb (fun z => u y * Z y * (u z * M z))) (fun y => sum lb (fun z => u y * u z * (h ^ n * h ^ n * (M z * Z y)))))
    by (intro; rewrite <- sum_scale; apply sum_ext; intro; ring).
  rewrite (sum_ext la _ (fun y => sum lb (fun z => u y * u z * (M y * Z z)))) by (intro; apply sum_ext; intro; ring).
  apply sum_le_in. intros y Iy. apply sum_le_in. intros z Iz. apply Rmult_le_compat_l; [left; now apply Rmult_lt_0_compat|]. now apply A.
Qed.
(** A person of a household, after any sequence of questions about persons and households: at most size * (largest a) + b. *)
Corollary household_person houses qs Ks H size amax i mine rest u v : Forall2 (answered V (h * h) houses) qs Ks -> In H houses -> (length H <= size)%nat ->
  (forall j, In j H -> total_a qs j <= amax)%nat -> In i H -> incl mine H -> (forall x, 0 < u x) -> (forall x, 0 < v x) ->
  (forall x j a, In j rest -> u (upd x j a) = u x) -> (forall x y, alike H x y -> v x = v y) ->
  loses vals (mine ++ rest) (fun x => u x * v x) (transcript V Ks) i (h ^ (size * amax + total_b qs)).
Proof.
  intros F IH len A Ii I up vp ur vh. apply (household_keeps H); auto.
  - intro. apply transcript_pos. now apply answered_pos with (q := h * h) (houses := houses) (qs := qs).
  - apply household_loses with houses; auto. nra.
Qed.
End Household.
Print Assumptions household_person.
