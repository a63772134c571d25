(** * Exact rationals and the reals they stand for *)
Require Import Reals QArith Qreals List Arith Lra Lia.
From Kith Require Import Sums Gruss.
Import ListNotations.

Definition prodq {A} (l : list A) (f : A -> Q) : Q := fold_right (fun x p => Qred (f x * p)) 1%Q l.
Definition phiq (c g : Q) : Q := Qred ((1 + c * g) / (c + g)).

Lemma Q2R_red (q : Q) : Q2R (Qred q) = Q2R q.
Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma Q2R_one : Q2R 1 = 1%R.
Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_zero : Q2R 0 = 0%R.
Proof. unfold Q2R; simpl; lra. Qed.
Lemma Q2R_prod A (l : list A) f : Q2R (prodq l f) = prod l (fun x => Q2R (f x)).
Proof. induction l; [apply Q2R_one|]. change (prodq (a :: l) f) with (Qred (f a * prodq l f)). now rewrite Q2R_red, Q2R_mult, IHl. Qed.
Lemma Q2R_phi c g : (1 <= Q2R c)%R -> (1 <= Q2R g)%R -> Q2R (phiq c g) = phi (Q2R c) (Q2R g).
Proof.
  intros Hc Hg. unfold phiq, phi. rewrite Q2R_red, Q2R_div, !Q2R_plus, Q2R_mult, Q2R_one; [easy|].
  intro Z. apply Qeq_eqR in Z. rewrite Q2R_plus, Q2R_zero in Z. lra.
Qed.
Lemma Qle_bool_R p q : Qle_bool p q = true -> (Q2R p <= Q2R q)%R.
Proof. intro H. now apply Qle_Rle, Qle_bool_iff. Qed.
Lemma Q2R_ge1 q : Qle_bool 1 q = true -> (1 <= Q2R q)%R.
Proof. intro H. rewrite <- Q2R_one. now apply Qle_bool_R. Qed.
