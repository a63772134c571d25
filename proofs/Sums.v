(** * Finite sums and products over lists of reals

    Everything here is finite: records have finitely many values, and probabilities are sums.
    [sum l f] is the sum of [f x] over the elements [x] of [l]; [prod] is the product. *)
Require Import Reals List Lra Psatz Arith.
Import ListNotations.
Open Scope R_scope.

Fixpoint sum {A} (l : list A) (f : A -> R) : R :=
  match l with [] => 0 | x :: l => f x + sum l f end.
Fixpoint prod {A} (l : list A) (f : A -> R) : R :=
  match l with [] => 1 | x :: l => f x * prod l f end.

Section Sums.
Context {A : Type}.
Implicit Types (l : list A) (f g : A -> R).

Lemma sum_ext l f g : (forall x, f x = g x) -> sum l f = sum l g.
Proof. intros E; induction l; simpl; [easy|]. now rewrite E, IHl. Qed.
Lemma sum_in l f g : (forall x, In x l -> f x = g x) -> sum l f = sum l g.
Proof. induction l; simpl; intros H; [easy|]. rewrite H by now left. now rewrite IHl by auto. Qed.
Lemma sum_add l f g : sum l (fun x => f x + g x) = sum l f + sum l g.
Proof. induction l; simpl; lra. Qed.
Lemma sum_scale l k f : sum l (fun x => k * f x) = k * sum l f.
Proof. induction l; simpl; lra. Qed.
Lemma sum_le_in l f g : (forall x, In x l -> f x <= g x) -> sum l f <= sum l g.
Proof. induction l; simpl; intros H; [lra|]. assert (f a <= g a) by (apply H; now left). assert (sum l f <= sum l g) by (apply IHl; auto). lra. Qed.
Lemma sum_le l f g : (forall x, f x <= g x) -> sum l f <= sum l g.
Proof. intros H. now apply sum_le_in. Qed.
Lemma sum_nonneg l f : (forall x, 0 <= f x) -> 0 <= sum l f.
Proof. intros H; induction l; simpl; [lra|]. specialize (H a); lra. Qed.
Lemma sum_pos l f : l <> [] -> (forall x, 0 < f x) -> 0 < sum l f.
Proof. intros N H. induction l as [|x l IH]; [easy|]. simpl. specialize (H x). destruct l; [simpl; lra|]. specialize (IH ltac:(easy)). lra. Qed.
Lemma sum_app l m f : sum (l ++ m) f = sum l f + sum m f.
Proof. induction l; simpl; lra. Qed.
Lemma prod_pos l f : (forall j, 0 < f j) -> 0 < prod l f.
Proof. intro H. induction l; simpl; [lra|]. now apply Rmult_lt_0_compat. Qed.
Lemma prod_ext l f g : (forall j, f j = g j) -> prod l f = prod l g.
Proof. intro H. induction l; simpl; [easy|]. now rewrite H, IHl. Qed.
Lemma prod_in l f g : (forall j, In j l -> f j = g j) -> prod l f = prod l g.
Proof. induction l; simpl; intros H; [easy|]. rewrite H by now left. now rewrite IHl by auto. Qed.
Lemma prod_one l : prod l (fun _ => 1) = 1.
Proof. induction l; simpl; lra. Qed.
Lemma prod_mul l f g : prod l (fun j => f j * g j) = prod l f * prod l g.
Proof. induction l; simpl; [lra|]. rewrite IHl. ring. Qed.
Lemma prod_ge1 l f : (forall j, 1 <= f j) -> 1 <= prod l f.
Proof. intro H. induction l; simpl; [lra|]. specialize (H a). nra. Qed.
Lemma prod_ge1_in l f : (forall j, In j l -> 1 <= f j) -> 1 <= prod l f.
Proof. induction l; simpl; intro H; [lra|]. assert (1 <= f a) by (apply H; now left). assert (1 <= prod l f) by (apply IHl; auto). nra. Qed.
Lemma prod_le_in l f g : (forall j, In j l -> 0 <= f j <= g j) -> 0 <= prod l f <= prod l g.
Proof. induction l; simpl; intro H; [lra|]. assert (0 <= f a <= g a) by (apply H; now left). assert (0 <= prod l f <= prod l g) by (apply IHl; auto). nra. Qed.

(** The smallest value of a function on a list that is not empty is attained. *)
Lemma smallest f l : l <> [] -> exists v, In v l /\ forall w, In w l -> f v <= f w.
Proof.
  induction l as [|x l IH]; [easy|]. intros _. destruct l as [|y l].
  - exists x. split; [now left|]. intros w [->|[]]. lra.
  - destruct IH as (v & i & H); [easy|]. destruct (Rle_dec (f x) (f v)).
    + exists x. split; [now left|]. intros w [->|j]; [lra|]. specialize (H w j). lra.
    + exists v. split; [now right|]. intros w [->|j]; [lra|]. now apply H.
Qed.
End Sums.

Lemma sum_swap A B (l : list A) (m : list B) f :
  sum l (fun x => sum m (fun y => f x y)) = sum m (fun y => sum l (fun x => f x y)).
Proof. induction l; simpl; [induction m; simpl; lra|]. rewrite IHl. now rewrite <- sum_add. Qed.

(** Removing an element keeps a list free of repetitions. *)
Lemma NoDup_rem j W : NoDup W -> NoDup (remove Nat.eq_dec j W).
Proof. induction W; simpl; intro N; [easy|]. inversion N; subst. destruct (Nat.eq_dec j a); [auto|].
  constructor; auto. intro I. apply in_remove in I. tauto. Qed.
