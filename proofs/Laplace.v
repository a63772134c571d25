(** * Discrete Laplace noise (claim DL-1, the law)

    The two-sided geometric law with ratio p: the probability of the answer y is (1-p)/(1+p) p^|y - q|. Moving the exact answer q by at most d
    changes it by a factor of at most p^-d = e^(d / scale). Nothing is said here about the sampler. *)
Require Import Reals List Lra Psatz Arith ZArith FunctionalExtensionality.
From Kith Require Import Sums Gruss Records.
Import ListNotations.
Open Scope R_scope.

Section Laplace.
Variable V : Type.
Notation db := (Records.db V).
Definition noisy (p : R) (q : db -> Z) (y : Z) (x : db) : R := (1 - p) / (1 + p) * p ^ Z.abs_nat (y - q x).
(** An integer question that record [i] moves by at most [d i] has plain loss ln(p^(-d i)) about it. *)
Theorem geometric_is_plain p q (d : nat -> nat) (l : nat -> R) y :
  0 < p < 1 -> (forall i a b x, Z.abs (q (upd x i a) - q (upd x i b)) <= Z.of_nat (d i))%Z ->
  (forall i, 1 <= l i /\ l i * l i * p ^ d i = 1) ->   (* l^2 = p^-d = e^{d / scale} *)
  plain l (noisy p q y).
Proof.
  intros Hp Hq Hl. unfold plain, noisy.
  assert (k0 : 0 < (1 - p) / (1 + p)) by (apply Rdiv_lt_0_compat; lra).
  assert (mono : forall m n, (m <= n)%nat -> p ^ n <= p ^ m).
  { intros m n H. replace n with (m + (n - m))%nat by lia. rewrite pow_add.
    assert (0 < p ^ m) by (apply pow_lt; lra).
    assert (p ^ (n - m) <= 1) by (rewrite <- (pow1 (n - m)); apply pow_incr; lra). nra. }
  split. { intro x. apply Rmult_lt_0_compat; [easy|]. apply pow_lt; lra. }
  intros i a b x. specialize (Hq i a b x). destruct (Hl i) as [_ E].
  set (A := Z.abs_nat (y - q (upd x i a))). set (B := Z.abs_nat (y - q (upd x i b))).
  assert (BA : (B <= A + d i)%nat) by (unfold A, B; lia).
  assert (M := mono _ _ BA). rewrite pow_add in M.
  assert (0 < p ^ d i) by (apply pow_lt; lra).
  assert (p ^ A = l i * l i * (p ^ A * p ^ d i)) by (transitivity (p ^ A * (l i * l i * p ^ d i)); [rewrite E|]; ring).
  assert (0 <= l i * l i) by nra.
  assert (p ^ A <= l i * l i * p ^ B) by (rewrite H0; apply Rmult_le_compat_l; [easy|rewrite <- pow_add in *; easy]).
  nra.
Qed.

End Laplace.
Print Assumptions geometric_is_plain.
