(** * The exact loss of groups whose records are more than a yes or no

    The members of a group depend on each other through one attribute that each has or has not; the rest of a record depends on its own attribute only
    ([own_rest]). Then the bound of Exact.v holds for any two values of a record. *)
Require Import Reals List Lra Lia Psatz Arith Bool FunctionalExtensionality.
From Kith Require Tilt.
From Kith Require Import Sums Records Levels Spread Peak Exact.
Import ListNotations.
Open Scope R_scope.

(** Laws on {0,1}^n with a factor for each place: the ties stay the same. *)
Fixpoint factors (n : nat) (f : nat -> bool -> R) : Tilt.cube n -> R := match n with O => fun _ => 1 | S m => fun x => f O (fst x) * factors m (fun j => f (S j)) (snd x) end.
Lemma factors_pos n : forall f x, (forall j b, 0 < f j b) -> 0 < factors n f x.
Proof. induction n; intros f x H; [simpl; lra|]. cbn [factors]. apply Rmult_lt_0_compat; [apply H|]. apply IHn. intros. apply H. Qed.
Lemma grows_ext c n f g f' g' : (forall x, f x = f' x) -> (forall x, g x = g' x) -> grows c n f g -> grows c n f' g'.
Proof. intros E F. now rewrite (functional_extensionality _ _ E), (functional_extensionality _ _ F). Qed.
Lemma tied_ext c n q q' : (forall x, q x = q' x) -> tied c n q -> tied c n q'.
Proof. intro E. now rewrite (functional_extensionality _ _ E). Qed.
Lemma lip_ext n l f f' : (forall x, f x = f' x) -> Tilt.lip n l f -> Tilt.lip n l f'.
Proof. intro E. now rewrite (functional_extensionality _ _ E). Qed.
Lemma grows_scale c n : forall a b f g, 0 < a -> 0 < b -> grows c n f g -> grows c n (fun x => a * f x) (fun x => b * g x).
Proof.
  induction n as [|n IH]; intros a b f g a0 b0 H; [easy|]. destruct H as [H0 H1]. split.
  - intro y. destruct (H0 y) as [u v]. assert (ab : 0 <= a * b) by nra.
    apply (Rmult_le_compat_l _ _ _ ab) in u. apply (Rmult_le_compat_l _ _ _ ab) in v. split; lra.
  - intro e. apply (IH a b (fun y => f (e, y)) (fun y => g (e, y))); auto.
Qed.
Lemma grows_factors c n : forall h f g, (forall j b, 0 < h j b) -> grows c n f g -> grows c n (fun x => f x * factors n h x) (fun x => g x * factors n h x).
Proof.
  induction n as [|n IH]; intros h f g hp H; [easy|]. destruct H as [H0 H1]. cbn [factors]. split.
  - intro y. destruct (H0 y) as [u v]. cbn [fst snd]. assert (F := factors_pos n (fun j => h (S j)) y (fun j b => hp (S j) b)). set (F0 := factors n (fun j => h (S j)) y) in *.
    assert (p : 0 <= h 0%nat true * F0 * (h 0%nat false * F0)) by (left; assert (a := hp 0%nat true); assert (b := hp 0%nat false); repeat apply Rmult_lt_0_compat; auto).
    apply (Rmult_le_compat_l _ _ _ p) in u. apply (Rmult_le_compat_l _ _ _ p) in v. split; lra.
  - intro b. cbn [fst snd]. assert (T := IH (fun j => h (S j)) (fun y => h 0%nat b * f (b, y)) (fun y => h 0%nat b * g (b, y)) (fun j b => hp (S j) b) (grows_scale c n _ _ _ _ (hp _ _) (hp _ _) (H1 b))).
    eapply grows_ext; [| |exact T]; intro y; cbv beta; cbn [fst snd]; ring.
Qed.
Lemma tied_scale c n : forall a q, 0 < a -> tied c n q -> tied c n (fun x => a * q x).
Proof.
  induction n as [|n IH]; intros a q a0 H; [easy|]. destruct H as (A & B & C). split; [|split]; [now apply (IH a (fun y => q (false, y)))|now apply (IH a (fun y => q (true, y)))|].
  now apply (grows_scale c n a a (fun y => q (false, y)) (fun y => q (true, y))).
Qed.
Lemma tied_factors c n : forall h q, (forall j b, 0 < h j b) -> tied c n q -> tied c n (fun x => q x * factors n h x).
Proof.
  induction n as [|n IH]; intros h q hp H; [easy|]. destruct H as (A & B & C). assert (hp' : forall j b, 0 < h (S j) b) by (intros; apply hp). split; [|split].
  - eapply tied_ext; [|apply (IH (fun j => h (S j)) (fun y => h 0%nat false * q (false, y)) hp' (tied_scale c n _ _ (hp _ _) A))]. intro y. cbn [factors fst snd]. ring.
  - eapply tied_ext; [|apply (IH (fun j => h (S j)) (fun y => h 0%nat true * q (true, y)) hp' (tied_scale c n _ _ (hp _ _) B))]. intro y. cbn [factors fst snd]. ring.
  - eapply grows_ext; [| |apply (grows_factors c n (fun j => h (S j)) (fun y => h 0%nat false * q (false, y)) (fun y => h 0%nat true * q (true, y)) hp' (grows_scale c n _ _ _ _ (hp _ _) (hp _ _) C))];
      intro y; cbn [factors fst snd]; ring.
Qed.
Lemma lip_add n : forall l f g, Tilt.lip n l f -> Tilt.lip n l g -> Tilt.lip n l (fun x => f x + g x).
Proof.
  induction n as [|n IH]; intros l f g F G; [easy|]. destruct F as [F0 F1], G as [G0 G1]. split.
  - intro y. destruct (F0 y), (G0 y). split; lra.
  - intro b. apply (IH _ (fun y => f (b, y)) (fun y => g (b, y))); auto.
Qed.
Lemma lip_scale n : forall l f a, 0 <= a -> Tilt.lip n l f -> Tilt.lip n l (fun x => a * f x).
Proof.
  induction n as [|n IH]; intros l f a a0 F; [easy|]. destruct F as [F0 F1]. split.
  - intro y. destruct (F0 y) as [u v]. apply (Rmult_le_compat_l _ _ _ a0) in u. apply (Rmult_le_compat_l _ _ _ a0) in v. split; lra.
  - intro b. apply (IH _ (fun y => f (b, y))); auto.
Qed.
Lemma lip_zero n : forall l, Tilt.lip n l (fun _ => 0).
Proof. induction n as [|n IH]; intro l; [easy|]. split; [intro; lra|intro; apply IH]. Qed.

Section Attribute.
Variable V : Type.
Variable vals : list V.
Variable has : V -> bool.
Variable like : bool -> V.               (* a value of each kind *)
Hypothesis like_has : forall b, has (like b) = b.
Hypothesis like_in : forall b, In (like b) vals.
Variable members : list nat.
Variables r l : R.                       (* e^(theta / 2), e^(Lambda / 2) *)
Hypothesis r1 : 1 <= r.
Hypothesis l1 : 1 <= l.
Notation dbv := (Records.db V).
Notation total := (Records.total vals).

(** The attributes of members never lower each other's odds, and raise them at most r^2 times, given all else. *)
Definition attributes_tied (w : dbv -> R) : Prop := forall i j, In i members -> In j members -> i <> j -> forall u u' v v' x,
  has u = true -> has u' = false -> has v = true -> has v' = false ->
  w (upd (upd x i u) j v') * w (upd (upd x i u') j v) <= w (upd (upd x i u) j v) * w (upd (upd x i u') j v') /\
  w (upd (upd x i u) j v) * w (upd (upd x i u') j v') <= r * r * (w (upd (upd x i u) j v') * w (upd (upd x i u') j v)).
(** Among values with the same attribute, a member's record has the same odds whatever the others are. *)
Definition own_rest (w : dbv -> R) (g : nat -> V -> R) : Prop := (forall j v, 0 < g j v) /\
  forall j, In j members -> forall x u v, has u = has v -> w (upd x j u) * g j v = w (upd x j v) * g j u.

Definition kind (b : bool) := filter (fun v => eqb (has v) b) vals.
Variable g : nat -> V -> R.
Definition weight (j : nat) (b : bool) := sum (kind b) (g j).
(** The mean of [K] over the rest of the records of [W], given their attributes. *)
Fixpoint averaged (W : list nat) (K : dbv -> R) (x : dbv) : Tilt.cube (length W) -> R :=
  match W with [] => fun _ => K x | j :: W => fun y => sum (kind (fst y)) (fun v => g j v * averaged W K (upd x j v) (snd y)) / weight j (fst y) end.
Fixpoint put (W : list nat) (x : dbv) : Tilt.cube (length W) -> dbv := match W with [] => fun _ => x | j :: W => fun y => put W (upd x j (like (fst y))) (snd y) end.
Definition share (W : list nat) (k : nat) (b : bool) := let j := nth k W 0%nat in weight j b / g j (like b).

Hypothesis gp : forall j v, 0 < g j v.
Lemma kind_like b : In (like b) (kind b).
Proof. apply filter_In. split; [apply like_in|]. rewrite like_has. now destruct b. Qed.
Lemma kind_has b v : In v (kind b) -> has v = b.
Proof. intro I. apply filter_In in I. now apply eqb_prop. Qed.
Lemma weight_pos j b : 0 < weight j b.
Proof. apply sum_pos; auto. assert (I := kind_like b). intro E. rewrite E in I. easy. Qed.
Lemma share_pos W k b : 0 < share W k b.
Proof. apply Rdiv_lt_0_compat; [apply weight_pos|apply gp]. Qed.
Lemma by_kind f : sum vals f = sum (kind false) f + sum (kind true) f.
Proof. unfold kind. clear. induction vals as [|v vs IH]; simpl; [lra|]. rewrite IH. destruct (has v); simpl; lra. Qed.
Lemma put_upd W : forall j a x y, ~ In j W -> put W (upd x j a) y = upd (put W x y) j a.
Proof. induction W as [|k W IH]; intros j a x y N; [easy|]. cbn [put]. rewrite upd_comm by (intro; subst; apply N; now left). apply IH. intro; apply N; now right. Qed.
Lemma averaged_pos W : forall K x y, (forall x, 0 < K x) -> 0 < averaged W K x y.
Proof.
  induction W as [|j W IH]; intros K x y Kp; [apply Kp|]. cbn [averaged]. apply Rdiv_lt_0_compat; [|apply weight_pos]. apply sum_pos.
  - assert (I := kind_like (fst y)). intro E. rewrite E in I. easy.
  - intro v. apply Rmult_lt_0_compat; auto.
Qed.
Lemma averaged_plain W : forall K, plain (fun _ => l) K -> forall j a b x y, ~ In j W -> averaged W K (upd x j a) y <= l * l * averaged W K (upd x j b) y.
Proof.
  induction W as [|k W IH]; intros K FK j a b x y N; [apply FK|]. cbn [averaged]. unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, weight_pos|].
  rewrite <- sum_scale. apply sum_le. intro v. rewrite !(upd_comm x j k) by (intro; subst; apply N; now left).
  assert (T := IH K FK j a b (upd x k v) (snd y) ltac:(intro; apply N; now right)). apply (Rmult_le_compat_l (g k v)) in T; [lra|left; apply gp].
Qed.
(* an average of values of one list is at most that of another, if each value is at most each *)
Lemma average_le c (A B : list V) (p f h : V -> R) : (forall v, 0 < p v) -> (forall u v, In u A -> In v B -> f u <= c * h v) -> 0 < sum A p -> 0 < sum B p ->
  sum A (fun v => p v * f v) / sum A p <= c * (sum B (fun v => p v * h v) / sum B p).
Proof.
  intros pp H a0 b0. apply Rmult_le_reg_r with (sum A p * sum B p); [now apply Rmult_lt_0_compat|].
  replace (sum A (fun v => p v * f v) / sum A p * (sum A p * sum B p)) with (sum A (fun v => p v * f v) * sum B p) by (field; lra).
  replace (c * (sum B (fun v => p v * h v) / sum B p) * (sum A p * sum B p)) with (sum A p * (c * sum B (fun v => p v * h v))) by (field; lra).
  assert (D : forall a b, sum A a * sum B b = sum A (fun u => sum B (fun v => a u * b v))).
  { intros a b. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro u. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intro. ring. }
  rewrite <- (sum_scale B c), !D. apply sum_le_in. intros u Iu. apply sum_le_in. intros v Iv. specialize (H u v Iu Iv).
  assert (0 < p u * p v) by now apply Rmult_lt_0_compat. apply (Rmult_le_compat_l (p u * p v)) in H; lra.
Qed.
Lemma averaged_lip W : forall K x, plain (fun _ => l) K -> NoDup W -> Tilt.lip (length W) (fun _ => l * l) (averaged W K x).
Proof.
  induction W as [|j W IH]; intros K x FK N; [easy|]. inversion N; subst. split.
  - intro y. cbn [averaged fst snd]. split; apply average_le; auto; try apply weight_pos; intros u v _ _; now apply averaged_plain.
  - intro b. cbn [averaged fst snd]. unfold Rdiv.
    assert (L : Tilt.lip (length W) (fun _ => l * l) (fun y => sum (kind b) (fun v => g j v * averaged W K (upd x j v) y))).
    { induction (kind b) as [|v vs IHv]; [apply lip_zero|]. cbn [sum]. apply lip_add; [|exact IHv]. apply lip_scale; [left; apply gp|]. now apply IH. }
    apply (lip_ext _ _ (fun y => / weight j b * sum (kind b) (fun v => g j v * averaged W K (upd x j v) y))); [intro; apply Rmult_comm|].
    apply lip_scale; [left; apply Rinv_0_lt_compat, weight_pos|exact L].
Qed.
(** Sums over the records of [W]: over their attributes, with the shares of the rest. *)
Lemma total_kinds W : forall w K x, own_rest w g -> NoDup W -> incl W members ->
  total W (fun z => w z * K z) x = Tilt.sum (length W) (fun y => w (put W x y) * factors (length W) (share W) y * averaged W K x y).
Proof.
  induction W as [|j W IH]; intros w K x O N I; [cbn; ring|]. inversion N; subst. cbn [Records.total length]. rewrite csum_first.
  assert (I' : incl W members) by (intros k hk; apply I; now right). assert (Ij : In j members) by (apply I; now left).
  rewrite (sum_ext vals _ (fun v => Tilt.sum (length W) (fun y => w (put W (upd x j v) y) * factors (length W) (share W) y * averaged W K (upd x j v) y))) by (intro; now apply IH).
  assert (S : forall b, sum (kind b) (fun v => Tilt.sum (length W) (fun y => w (put W (upd x j v) y) * factors (length W) (share W) y * averaged W K (upd x j v) y)) =
    Tilt.sum (length W) (fun y => w (put (j :: W) x (b, y)) * factors (length (j :: W)) (share (j :: W)) (b, y) * averaged (j :: W) K x (b, y))).
  { intro b. assert (swap : forall vs (F : V -> Tilt.cube (length W) -> R), sum vs (fun v => Tilt.sum (length W) (F v)) = Tilt.sum (length W) (fun y => sum vs (fun v => F v y))).
    { intros vs F. induction vs as [|v vs IHv]; simpl; [rewrite (csum_ext _ (fun _ => 0) (fun _ => 0 * 0)) by (intro; ring); rewrite csum_scale; ring|]. now rewrite IHv, csum_add. }
    rewrite swap. apply csum_ext. intro y. cbn [put averaged length factors fst snd].
    replace (share (j :: W) 0 b) with (weight j b / g j (like b)) by easy.
    change (fun k => share (j :: W) (S k)) with (share W).
    rewrite (sum_in (kind b) _ (fun v => w (put W (upd x j (like b)) y) / g j (like b) * factors (length W) (share W) y * (g j v * averaged W K (upd x j v) y))).
    - rewrite sum_scale. assert (p := weight_pos j b). assert (q := gp j (like b)). field. lra.
    - intros v Iv. rewrite !put_upd by easy. assert (E := proj2 O j Ij (put W x y) v (like b) ltac:(now rewrite like_has, (kind_has b v Iv))).
      assert (q := gp j (like b)). replace (w (upd (put W x y) j v)) with (w (upd (put W x y) j (like b)) * g j v / g j (like b)) by (rewrite <- E; field; lra). field. lra. }
  rewrite by_kind, !S. easy.
Qed.
Lemma averaged_one W : forall x y, averaged W (fun _ => 1) x y = 1.
Proof.
  induction W as [|j W IH]; intros x y; [easy|]. cbn [averaged]. rewrite (sum_ext (kind (fst y)) _ (g j)) by (intro; rewrite IH; ring).
  change (sum (kind (fst y)) (g j)) with (weight j (fst y)). assert (p := weight_pos j (fst y)). field. lra.
Qed.
Lemma put_grows w W i u u' x : attributes_tied w -> NoDup (i :: W) -> incl (i :: W) members -> has u = true -> has u' = false ->
  grows (r * r) (length W) (fun y => w (put W (upd x i u') y)) (fun y => w (put W (upd x i u) y)).
Proof.
  intros H N I hu hu'. revert x N I. induction W as [|j W IH]; intros x N I; [easy|]. inversion N as [|? ? ni N1]; subst. inversion N1 as [|? ? nj N2]; subst. simpl in ni.
  cbn [length grows put fst snd]. split.
  - intro y. rewrite !put_upd by tauto.
    destruct (H i j ltac:(apply I; now left) ltac:(apply I; right; now left) ltac:(intro; subst; tauto) u u' (like true) (like false) (put W x y) hu hu' (like_has true) (like_has false)) as [a b]. split; lra.
  - intro b. assert (E : forall a, (fun y => w (put W (upd (upd x i a) j (like b)) y)) = (fun y => w (put W (upd (upd x j (like b)) i a) y))) by (intro; extensionality y; rewrite upd_comm; [easy|intro; subst; tauto]).
    rewrite !E. apply IH; [constructor; [tauto|easy]|]. intros k [<-|hk]; apply I; [now left|right; now right].
Qed.
Lemma put_tied w W : attributes_tied w -> NoDup W -> incl W members -> forall x, tied (r * r) (length W) (fun y => w (put W x y)).
Proof.
  intros C N. induction W as [|i W IH]; intros I x; [easy|]. cbn [length tied put fst snd]. assert (I' : incl W members) by (intros k hk; apply I; now right).
  inversion N; subst. split; [|split]; try (now apply IH). apply put_grows; auto.
Qed.
Lemma has_against_not w K i others u u' x : (forall x, 0 < w x) -> attributes_tied w -> own_rest w g -> plain (fun _ => l) K -> NoDup (i :: others) -> incl (i :: others) members ->
  has u = true -> has u' = false ->
  total others (fun y => w y * K y) (upd x i u) * total others w (upd x i u')
  <= l * reinforced r (length others) l * (l * reinforced r (length others) l) * (total others (fun y => w y * K y) (upd x i u') * total others w (upd x i u)).
Proof.
  intros wp C O FK N I hu hu'. inversion N as [|? ? ni N']; subst. assert (I' : incl others members) by (intros k hk; apply I; now right).
  assert (D : forall v, total others w (upd x i v) = Tilt.sum (length others) (fun y => w (put others (upd x i v) y) * factors (length others) (share others) y)).
  { intro v. rewrite (total_ext others w (fun z => w z * 1)) by (intro; ring). rewrite (total_kinds others w (fun _ => 1)) by easy. apply csum_ext. intro y. rewrite averaged_one. ring. }
  rewrite !D, !(total_kinds others w K) by easy.
  assert (fp : forall y, 0 < factors (length others) (share others) y) by (intro; apply factors_pos; intros; apply share_pos).
  apply (first_against_second r l r1 l1 (length others) (fun y => w (put others (upd x i u') y) * factors (length others) (share others) y)
     (fun y => w (put others (upd x i u) y) * factors (length others) (share others) y) (averaged others K (upd x i u')) (averaged others K (upd x i u))).
  - intro. now apply Rmult_lt_0_compat.
  - intro. now apply Rmult_lt_0_compat.
  - intro. apply averaged_pos. apply FK.
  - apply (tied_factors (r * r) (length others) (share others) (fun y => w (put others (upd x i u') y))); [intros; apply share_pos|now apply put_tied].
  - apply (tied_factors (r * r) (length others) (share others) (fun y => w (put others (upd x i u) y))); [intros; apply share_pos|now apply put_tied].
  - apply (grows_factors (r * r) (length others) (share others) (fun y => w (put others (upd x i u') y)) (fun y => w (put others (upd x i u) y))); [intros; apply share_pos|now apply put_grows].
  - intro y. now apply averaged_plain.
  - now apply averaged_lip.
Qed.
End Attribute.

(** The theorem: values of a record are told apart no better than the exact loss of the attributes' group allows. *)
Theorem exact_attribute V (vals : list V) has like members r l : (forall b, has (like b) = b) -> (forall b, In (like b) vals) -> 1 <= r -> 1 <= l ->
  forall w g K i others n, (forall x, 0 < w x) -> attributes_tied V has members r w -> own_rest V has members w g -> plain (fun _ => l) K ->
  NoDup (i :: others) -> incl (i :: others) members -> (length others <= n)%nat -> loses vals others w K i (l * reinforced r n l).
Proof.
  intros lh li r1 l1 w g K i others n wp C O FK N I len.
  assert (ne : vals <> []) by (intro E; specialize (li true); rewrite E in li; easy).
  apply loses_iff; [exact ne|exact wp|]. apply loses_mono with (l * reinforced r (length others) l); [exact ne|exact wp|apply FK| |].
  { assert (M : reinforced r (length others) l <= reinforced r n l).
    { induction len as [|n H IH]; [lra|]. eapply Rle_trans; [exact IH|now apply reinforced_more]. }
    assert (p := reinforced_pos r (length others) l r1 l1). split; [nra|]. apply Rmult_le_compat_l; lra. }
  set (B := l * reinforced r (length others) l). assert (B1 : l * l <= B * B).
  { unfold B. assert (G := reinforced_ge1 r (length others) l r1 l1). apply Rmult_le_compat; nra. }
  intros x a b. inversion N as [|? ? ni N']; subst. assert (Ii : In i members) by (apply I; now left).
  destruct (bool_dec (has a) (has b)) as [E|E].
  - (* the same attribute: only the record's own loss *)
    assert (W : total vals others w (upd x i b) = total vals others w (upd x i a) * (g i b / g i a)).
    { rewrite !(total_fix others i) by easy. rewrite Rmult_comm, <- total_scale. apply total_ext. intro y. assert (T := proj2 O i Ii y a b E). assert (p := proj1 O i a).
      replace (w (upd y i b)) with (w (upd y i b) * g i a / g i a) by (field; lra). rewrite <- T. field. lra. }
    assert (WK : total vals others (fun y => w y * K y) (upd x i a) * (g i b / g i a) <= l * l * total vals others (fun y => w y * K y) (upd x i b)).
    { rewrite !(total_fix others i) by easy. rewrite Rmult_comm, <- !total_scale. apply total_le. intro y. assert (T := proj2 O i Ii y a b E). assert (p := proj1 O i a).
      replace (g i b / g i a * (w (upd y i a) * K (upd y i a))) with (w (upd y i a) * g i b / g i a * K (upd y i a)) by (field; lra). rewrite T.
      replace (w (upd y i b) * g i a / g i a * K (upd y i a)) with (w (upd y i b) * K (upd y i a)) by (field; lra).
      assert (q := proj2 FK i a b y). apply (Rmult_le_compat_l (w (upd y i b))) in q; [lra|left; apply wp]. }
    assert (t := total_pos ne others w (upd x i a) wp). assert (tk : 0 < total vals others (fun y => w y * K y) (upd x i b)) by (apply total_pos; [exact ne|]; intro; apply Rmult_lt_0_compat; [apply wp|apply FK]).
    rewrite W. apply (Rmult_le_compat_r (total vals others w (upd x i a))) in WK; [|lra].
    assert (0 < total vals others (fun y => w y * K y) (upd x i b) * total vals others w (upd x i a)) by now apply Rmult_lt_0_compat.
    apply (Rmult_le_compat_r (total vals others (fun y => w y * K y) (upd x i b) * total vals others w (upd x i a))) in B1; lra.
  - destruct (has a) eqn:Ea.
    + assert (Eb : has b = false) by (destruct (has b); congruence). now apply (has_against_not V vals has like lh li members r l r1 l1 g (proj1 O)).
    + assert (Eb : has b = true) by (destruct (has b); congruence).
      apply (has_against_not V vals (fun v => negb (has v)) (fun e => like (negb e)) (fun e => eq_trans (f_equal negb (lh (negb e))) (negb_involutive e)) (fun e => li (negb e)) members r l r1 l1 g (proj1 O)); auto.
      * intros j k Ij Ik D u u' v v' y h1 h2 h3 h4. apply negb_true_iff in h1, h3. apply negb_false_iff in h2, h4.
        destruct (C j k Ij Ik D u' u v' v y h2 h1 h4 h3) as [p q]. split; lra.
      * split; [apply O|]. intros j Ij y u v h. apply (proj2 O); [easy|]. destruct (has u), (has v); easy.
      * cbv beta. now rewrite Ea.
      * cbv beta. now rewrite Eb.
Qed.
Print Assumptions exact_attribute.
