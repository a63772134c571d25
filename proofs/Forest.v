(** * On forests the bound by messages is attained, by ties that are never negative (FIELD-1; SHARPER's Theorem 2 on forests)

    A record has a forest of other records below it. A record with link c to the one above (odds ratio c^2 >= 1, half exponentials throughout) and loss l sends up
    phi(c, l * what comes from below); [messages] is the product over the forest, and l0 * messages is the bound of FIELD-1 there (Field.v, Witness.v: for ties of
    either sign). [attained]: for some prevalences ([best]) a mechanism that loses just l^2 about each record is worth exactly (l0 * messages)^2 about the root:
    so with ties declared non-negative the bound on forests is the exact value.                                                                              *)
Require Import Reals Lra Psatz.
From Kith Require Import Gruss.
Open Scope R_scope.

(** The first tree below a record: its link, loss and prevalence, what is below it, and the other trees. *)
Inductive forest := Leaf | Grow (c l u : R) (below others : forest).
Fixpoint state (f : forest) : Type := match f with Leaf => unit | Grow _ _ _ d o => (bool * state d * state o)%type end.
Fixpoint total (f : forest) : (state f -> R) -> R :=
  match f with Leaf => fun F => F tt | Grow _ _ _ d o => fun F => total d (fun y => total o (fun z => F (false, y, z))) + total d (fun y => total o (fun z => F (true, y, z))) end.
(** The law: a factor c^2 for each link whose ends both have it, a factor u for each record that has it. b: the value of the record above. *)
Fixpoint law (f : forest) (b : bool) : state f -> R :=
  match f with Leaf => fun _ => 1 | Grow c l u d o => fun s => (if b then if fst (fst s) then c * c else 1 else 1) * (if fst (fst s) then u else 1) * law d (fst (fst s)) (snd (fst s)) * law o b (snd s) end.
(** The mechanism: a factor l^2 for each record that has it (and a small constant, which cancels). *)
Fixpoint tilt (f : forest) : state f -> R :=
  match f with Leaf => fun _ => 1 | Grow c l u d o => fun s => (if fst (fst s) then l * l else 1) * tilt d (snd (fst s)) * tilt o (snd s) end.
Fixpoint messages (f : forest) : R := match f with Leaf => 1 | Grow c l u d o => phi c (l * messages d) * messages o end.
Fixpoint fair (f : forest) : Prop := match f with Leaf => True | Grow c l u d o => 1 <= c /\ 1 <= l /\ fair d /\ fair o end.

Lemma total_ext f : forall F G, (forall s, F s = G s) -> total f F = total f G.
Proof. induction f as [|c l u d IHd o IHo]; intros F G H; cbn; [apply H|]. f_equal; apply IHd; intro; apply IHo; intro; apply H. Qed.
Lemma total_scale f k : forall F, total f (fun s => k * F s) = k * total f F.
Proof. induction f as [|c l u d IHd o IHo]; intros F; cbn; [easy|]. rewrite Rmult_plus_distr_l, <- !IHd. f_equal; apply total_ext; intro; apply IHo. Qed.
Lemma total_pair d o (F : state d -> R) (G : state o -> R) : total d (fun y => total o (fun z => F y * G z)) = total d F * total o G.
Proof. rewrite (total_ext d _ (fun y => total o G * F y)); [rewrite total_scale; ring|]. intro y. rewrite total_scale. ring. Qed.
(** What the forest adds up to, of the law alone and with the mechanism. *)
Definition weight (f : forest) (b : bool) : R := total f (law f b).
Definition output (f : forest) (b : bool) : R := total f (fun s => law f b s * tilt f s).
Lemma weight_grow c l u d o b : weight (Grow c l u d o) b = (weight d false + (if b then c * c else 1) * u * weight d true) * weight o b.
Proof.
  unfold weight. cbn [total]. rewrite <- (total_scale d), Rmult_plus_distr_r, <- !total_pair. f_equal; apply total_ext; intro y; apply total_ext; intro z; cbn; destruct b; ring.
Qed.
Lemma output_grow c l u d o b : output (Grow c l u d o) b = (output d false + (if b then c * c else 1) * u * (l * l) * output d true) * output o b.
Proof.
  unfold output. cbn [total]. rewrite <- (total_scale d), Rmult_plus_distr_r, <- !total_pair. f_equal; apply total_ext; intro y; apply total_ext; intro z; cbn; destruct b; ring.
Qed.

(** The same forest with the worst prevalences. *)
Fixpoint best (f : forest) : forest :=
  match f with Leaf => Leaf | Grow c l u d o => Grow c l (weight (best d) false / (weight (best d) true * (c * (l * messages d)))) (best d) (best o) end.
Fixpoint same_but_prevalences (f g : forest) : Prop :=
  match f, g with Leaf, Leaf => True | Grow c l _ d o, Grow c' l' u' d' o' => c = c' /\ l = l' /\ 0 < u' /\ same_but_prevalences d d' /\ same_but_prevalences o o' | _, _ => False end.
Lemma messages_best f : messages (best f) = messages f.
Proof. induction f as [|c l u d IHd o IHo]; cbn; [easy|]. now rewrite IHd, IHo. Qed.
Lemma messages_ge1 f : fair f -> 1 <= messages f.
Proof. induction f as [|c l u d IHd o IHo]; cbn; [lra|]. intros (c1 & l1 & fd & fo). specialize (IHd fd). specialize (IHo fo). assert (1 <= phi c (l * messages d)) by (apply phi_ge1; nra). nra. Qed.

Lemma best_spec f : fair f -> (forall b, 0 < weight (best f) b /\ 0 < output (best f) b) /\
  output (best f) true * weight (best f) false = messages f * messages f * (output (best f) false * weight (best f) true).
Proof.
  induction f as [|c l u d IHd o IHo]; [intros _; split; [intro; unfold weight, output; cbn; lra|unfold weight, output; cbn; ring]|].
  intros (c1 & l1 & fd & fo). destruct (IHd fd) as [Pd Ed]. destruct (IHo fo) as [Po Eo]. assert (m1 := messages_ge1 d fd). clear IHd IHo.
  destruct (Pd false) as [w0 a0], (Pd true) as [w1 a1], (Po false) as [v0 b0], (Po true) as [v1 b1]. cbn [best messages]. set (g := l * messages d) in *. assert (g1 : 1 <= g) by (unfold g; nra).
  set (W0 := weight (best d) false) in *. set (W1 := weight (best d) true) in *. set (A0 := output (best d) false) in *. set (A1 := output (best d) true) in *.
  set (p := W0 / (W1 * (c * g))) in *. assert (cg : 0 < c * g) by nra. assert (p0 : 0 < p) by (apply Rdiv_lt_0_compat; [easy|now apply Rmult_lt_0_compat]).
  assert (c0 : c <> 0) by lra. assert (g0 : g <> 0) by lra. assert (W1n : W1 <> 0) by lra.
  assert (EW : p * W1 = W0 * / (c * g)) by (unfold p; field; auto).
  assert (EA : p * (l * l) * A1 = A0 * (g * g) * / (c * g)).
  { replace (p * (l * l) * A1) with (l * l * (A1 * W0) * / (W1 * (c * g))) by (unfold p; field; auto). rewrite Ed. replace (g * g) with (l * l * (messages d * messages d)) by (unfold g; ring). field. auto. }
  set (O0 := output (best o) false) in *. set (O1 := output (best o) true) in *. set (V0 := weight (best o) false) in *. set (V1 := weight (best o) true) in *. set (mo := messages o) in *.
  assert (ic : 0 < / (c * g)) by now apply Rinv_0_lt_compat. set (i := / (c * g)) in *. assert (ei : c * g * i = 1) by (unfold i; field; lra).
  assert (w : forall b, weight (Grow c l p (best d) (best o)) b = W0 * (1 + (if b then c * c else 1) * i) * weight (best o) b).
  { intro b. rewrite weight_grow. fold W0 W1. rewrite Rmult_assoc with (r2 := p), EW. ring. }
  assert (a : forall b, output (Grow c l p (best d) (best o)) b = A0 * (1 + (if b then c * c else 1) * (g * g * i)) * output (best o) b).
  { intro b. rewrite output_grow. fold A0 A1. replace ((if b then c * c else 1) * p * (l * l) * A1) with ((if b then c * c else 1) * (p * (l * l) * A1)) by ring. rewrite EA. ring. }
  assert (cc : forall b : bool, 1 <= (if b then c * c else 1)) by (intros [|]; nra).
  split.
  - intro b. rewrite w, a. specialize (cc b). assert (0 < g * g * i) by (apply Rmult_lt_0_compat; nra). destruct (Po b). split; repeat apply Rmult_lt_0_compat; nra.
  - rewrite !w, !a. fold O0 O1 V0 V1. assert (K : (1 + c * c * (g * g * i)) * (1 + 1 * i) = phi c g * phi c g * ((1 + 1 * (g * g * i)) * (1 + c * c * i))).
    { unfold phi, i. field. repeat split; nra. }
    replace (A0 * (1 + c * c * (g * g * i)) * O1 * (W0 * (1 + 1 * i) * V0)) with (A0 * W0 * ((1 + c * c * (g * g * i)) * (1 + 1 * i)) * (O1 * V0)) by ring. rewrite K, Eo. ring.
Qed.
(** The root has the loss l0: a mechanism that is l0^2 times likelier to answer for a root that has it. What somebody learns about the root, who knows nothing of the
    others: exactly the product of its own loss and of the messages. *)
Theorem attained f l0 : fair f -> 1 <= l0 -> exists f', same_but_prevalences f f' /\ 0 < output f' false / weight f' false /\
  l0 * l0 * output f' true / weight f' true = (l0 * messages f) * (l0 * messages f) * (output f' false / weight f' false).
Proof.
  intros F l1. exists (best f). destruct (best_spec f F) as [P E]. destruct (P false), (P true). split; [|split].
  - clear - F. induction f as [|c l u d IHd o IHo]; [easy|]. cbn in *. destruct F as (c1 & l1 & fd & fo). repeat split; auto.
    destruct (best_spec d fd) as [P _]. destruct (P false), (P true). assert (m := messages_ge1 d fd). apply Rdiv_lt_0_compat; [easy|]. repeat apply Rmult_lt_0_compat; lra.
  - now apply Rdiv_lt_0_compat.
  - apply Rmult_eq_reg_r with (weight (best f) true * weight (best f) false); [|apply Rgt_not_eq; now apply Rmult_lt_0_compat].
    replace (l0 * l0 * output (best f) true / weight (best f) true * (weight (best f) true * weight (best f) false)) with (l0 * l0 * (output (best f) true * weight (best f) false)) by (field; lra).
    rewrite E. field. lra.
Qed.
Print Assumptions attained.
