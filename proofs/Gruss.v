(** * The multiplicative Grüss inequality (claim PAIR-1)

    Two quantities U and V on a finite weighted list, U of range s^2 (largest over smallest value) and V of range r^2:
    their mean product exceeds the product of their means by a factor of at most ((1 + rs)/(r + s))^2.

    With s = e^(t/2), r = e^(theta/2) the factor is e^(phi_theta(t)), phi as in docs/theory/transfer.md: kith keeps losses as
    half exponentials, because then every message is a quotient of polynomials and no exponential is left in the mathematics. *)
Require Import Reals List Lra Psatz.
From Kith Require Import Sums.
Import ListNotations.
Open Scope R_scope.

(** phi of two half exponentials: how a loss passes through a tie. *)
Definition phi (c g : R) : R := (1 + c * g) / (c + g).

Lemma phi_ge1 k g : 1 <= k -> 1 <= g -> 1 <= phi k g.
Proof. intros. unfold phi. apply Rmult_le_reg_r with (k + g); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; [nra|lra]. Qed.
(** phi is symmetric, grows with both arguments and exceeds neither. *)
Lemma phi_sym k g : phi k g = phi g k.
Proof. unfold phi. now rewrite (Rplus_comm k g), (Rmult_comm k g). Qed.
Lemma phi_mono_r c g g' : 1 <= c -> 1 <= g -> g <= g' -> phi c g <= phi c g'.
Proof.
  intros. unfold phi. apply Rmult_le_reg_r with ((c + g) * (c + g')); [nra|].
  replace ((1 + c * g) / (c + g) * ((c + g) * (c + g'))) with ((1 + c * g) * (c + g')) by (field; lra).
  replace ((1 + c * g') / (c + g') * ((c + g) * (c + g'))) with ((1 + c * g') * (c + g)) by (field; lra).
  assert (0 <= (c * c - 1) * (g' - g)) by (apply Rmult_le_pos; nra). nra.
Qed.
Lemma phi_mono c c' g g' : 1 <= c -> c <= c' -> 1 <= g -> g <= g' -> phi c g <= phi c' g'.
Proof. intros. apply Rle_trans with (phi c g'); [now apply phi_mono_r|]. rewrite (phi_sym c g'), (phi_sym c' g'). apply phi_mono_r; lra. Qed.
Lemma phi_le_loss c g : 1 <= c -> 1 <= g -> phi c g <= g.
Proof. intros. unfold phi. apply Rmult_le_reg_r with (c + g); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. Qed.
Lemma phi_le_strength c g : 1 <= c -> 1 <= g -> phi c g <= c.
Proof. intros. rewrite phi_sym. now apply phi_le_loss. Qed.
Lemma phi_one g : 1 <= g -> phi 1 g = 1.
Proof. intros. unfold phi. field. lra. Qed.

(* The heart: one quadratic identity.  a = E u, b = E v, c = E uv, total mass W. *)
Lemma core s r W a b c :
  1 <= s -> 1 <= r -> 0 <= W -> 0 <= a <= W -> 0 <= b <= W -> c <= a -> c <= b ->
  (W + (s*s-1)*a + (r*r-1)*b + (s*s-1)*(r*r-1)*c) * W * ((r+s)*(r+s))
  <= ((1+r*s)*(1+r*s)) * (W + (s*s-1)*a) * (W + (r*r-1)*b).
Proof.
  intros Hs Hr HW Ha Hb Hca Hcb.
  assert (S0 : 0 <= s*s-1) by nra. assert (R0 : 0 <= r*r-1) by nra.
  assert (D0 : 0 <= (s*s-1)*(r*r-1)) by (apply Rmult_le_pos; assumption).
  assert (DD : (1+r*s)*(1+r*s) - (r+s)*(r+s) = (s*s-1)*(r*r-1)) by ring.
  assert (Q0 : 0 <= (r+s)*(r+s)) by nra.
  (* replace c by the smaller of a and b *)
  assert (Hc : forall d, c <= d ->
     (W + (s*s-1)*a + (r*r-1)*b + (s*s-1)*(r*r-1)*c) * W * ((r+s)*(r+s))
     <= (W + (s*s-1)*a + (r*r-1)*b + (s*s-1)*(r*r-1)*d) * W * ((r+s)*(r+s))).
  { intros d Hd. apply Rmult_le_compat_r; [easy|]. apply Rmult_le_compat_r; [easy|].
    assert ((s*s-1)*(r*r-1)*c <= (s*s-1)*(r*r-1)*d) by (apply Rmult_le_compat_l; easy). lra. }
  destruct (Rle_dec a b) as [L|L].
  - eapply Rle_trans; [apply (Hc a); easy|].
    apply Rminus_le. 
    replace ((W + (s*s-1)*a + (r*r-1)*b + (s*s-1)*(r*r-1)*a) * W * ((r+s)*(r+s))
       - (1+r*s)*(1+r*s) * (W + (s*s-1)*a) * (W + (r*r-1)*b))
     with (- ((s*s-1)*(r*r-1) * (((W-a) - r*s*a)*((W-a) - r*s*a)) 
           + (b-a)*((r*r-1)*((s*s-1)*(r*r-1)*W + (1+r*s)*(1+r*s)*((s*s-1)*a))))) by ring.
    assert (0 <= (s*s-1)*(r*r-1) * (((W-a) - r*s*a)*((W-a) - r*s*a))).
    { apply Rmult_le_pos; [easy|]. apply Rle_0_sqr. }
    assert (0 <= (b-a)*((r*r-1)*((s*s-1)*(r*r-1)*W + (1+r*s)*(1+r*s)*((s*s-1)*a)))).
    { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [easy|].
      apply Rplus_le_le_0_compat; [apply Rmult_le_pos; easy|].
      apply Rmult_le_pos; [apply Rle_0_sqr|apply Rmult_le_pos; easy]. }
    lra.
  - eapply Rle_trans; [apply (Hc b); easy|].
    apply Rminus_le. 
    replace ((W + (s*s-1)*a + (r*r-1)*b + (s*s-1)*(r*r-1)*b) * W * ((r+s)*(r+s))
       - (1+r*s)*(1+r*s) * (W + (s*s-1)*a) * (W + (r*r-1)*b))
     with (- ((s*s-1)*(r*r-1) * (((W-b) - r*s*b)*((W-b) - r*s*b)) 
           + (a-b)*((s*s-1)*((s*s-1)*(r*r-1)*W + (1+r*s)*(1+r*s)*((r*r-1)*b))))) by ring.
    assert (0 <= (s*s-1)*(r*r-1) * (((W-b) - r*s*b)*((W-b) - r*s*b))).
    { apply Rmult_le_pos; [easy|]. apply Rle_0_sqr. }
    assert (0 <= (a-b)*((s*s-1)*((s*s-1)*(r*r-1)*W + (1+r*s)*(1+r*s)*((r*r-1)*b)))).
    { apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [easy|].
      apply Rplus_le_le_0_compat; [apply Rmult_le_pos; easy|].
      apply Rmult_le_pos; [apply Rle_0_sqr|apply Rmult_le_pos; easy]. }
    lra.
Qed.

(* every U between m and s^2 m is m (1 + (s^2-1) u) with u in [0,1] *)
Definition unitize (s m U : R) : R := if Req_EM_T (s*s) 1 then 0 else (U / m - 1) / (s*s - 1).
Lemma unitize_spec s m U : 1 <= s -> 0 < m -> m <= U <= s*s*m ->
  0 <= unitize s m U <= 1 /\ U = m * (1 + (s*s-1) * unitize s m U).
Proof.
  intros Hs Hm [H1 H2]. unfold unitize. destruct (Req_EM_T (s*s) 1) as [E|E].
  - split; [lra|]. rewrite E in *. lra.
  - assert (P : 0 < s*s - 1) by nra.
    assert (q1 : 1 <= U / m). { apply Rmult_le_reg_r with m; [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    assert (q2 : U / m <= s*s). { apply Rmult_le_reg_r with m; [easy|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. }
    split.
    + split; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
      apply Rmult_le_reg_r with (s*s-1); [easy|]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l; lra.
    + field. lra.
Qed.

Lemma gruss_everywhere A (l : list A) (w U V : A -> R) (m n s r : R) :
  1 <= s -> 1 <= r -> 0 < m -> 0 < n ->
  (forall x, 0 <= w x) -> (forall x, m <= U x <= s*s*m) -> (forall x, n <= V x <= r*r*n) ->
  sum l (fun x => w x * U x * V x) * sum l w * ((r+s)*(r+s))
  <= (1+r*s)*(1+r*s) * sum l (fun x => w x * U x) * sum l (fun x => w x * V x).
Proof.
  intros Hs Hr Hm Hn Hw HU HV.
  set (u x := unitize s m (U x)). set (v x := unitize r n (V x)).
  assert (Hu : forall x, 0 <= u x <= 1 /\ U x = m * (1 + (s*s-1) * u x)) by (intro; now apply unitize_spec).
  assert (Hv : forall x, 0 <= v x <= 1 /\ V x = n * (1 + (r*r-1) * v x)) by (intro; now apply unitize_spec).
  set (W := sum l w). set (a := sum l (fun x => w x * u x)). set (b := sum l (fun x => w x * v x)).
  set (c := sum l (fun x => w x * (u x * v x))).
  assert (EU : sum l (fun x => w x * U x) = m * (W + (s*s-1)*a)).
  { unfold W, a. rewrite <- sum_scale, <- sum_add, <- sum_scale. apply sum_ext. intro x.
    destruct (Hu x) as [_ E]. rewrite E. ring. }
  assert (EV : sum l (fun x => w x * V x) = n * (W + (r*r-1)*b)).
  { unfold W, b. rewrite <- sum_scale, <- sum_add, <- sum_scale. apply sum_ext. intro x.
    destruct (Hv x) as [_ E]. rewrite E. ring. }
  assert (EUV : sum l (fun x => w x * U x * V x) = m*n*(W + (s*s-1)*a + (r*r-1)*b + (s*s-1)*(r*r-1)*c)).
  { unfold W, a, b, c. rewrite <- !sum_scale, <- !sum_add, <- !sum_scale. apply sum_ext. intro x.
    destruct (Hu x) as [_ E]. destruct (Hv x) as [_ F]. rewrite E, F. ring. }
  rewrite EU, EV, EUV.
  assert (K := core s r W a b c Hs Hr).
  assert (0 <= W) by (apply sum_nonneg; easy).
  assert (0 <= a <= W). { split; [apply sum_nonneg|apply sum_le]; intro x; specialize (Hw x); destruct (Hu x); nra. }
  assert (0 <= b <= W). { split; [apply sum_nonneg|apply sum_le]; intro x; specialize (Hw x); destruct (Hv x); nra. }
  assert (c <= a). { apply sum_le; intro x; specialize (Hw x); destruct (Hu x) as [? _], (Hv x) as [? _].
    apply Rmult_le_compat_l; [easy|]. nra. }
  assert (c <= b). { apply sum_le; intro x; specialize (Hw x); destruct (Hu x) as [? _], (Hv x) as [? _].
    apply Rmult_le_compat_l; [easy|]. nra. }
  specialize (K ltac:(easy) ltac:(easy) ltac:(easy) ltac:(easy) ltac:(easy)).
  apply (Rmult_le_compat_l (m*n)) in K; [|nra]. fold W. nra.
Qed.

(** ** The inequality

    The bounds on U and V need to hold on the list only. *)
Theorem gruss A (l : list A) (w U V : A -> R) (m n s r : R) :
  1 <= s -> 1 <= r -> 0 < m -> 0 < n -> (forall x, 0 <= w x) ->
  (forall x, In x l -> m <= U x <= s*s*m) -> (forall x, In x l -> n <= V x <= r*r*n) ->
  sum l (fun x => w x * U x * V x) * sum l w * ((r+s)*(r+s))
  <= (1+r*s)*(1+r*s) * sum l (fun x => w x * U x) * sum l (fun x => w x * V x).
Proof.
  intros Hs Hr m0 n0 Hw HU HV.
  set (U' x := Rmax m (Rmin (U x) (s*s*m))). set (V' x := Rmax n (Rmin (V x) (r*r*n))).
  assert (EU : forall x, In x l -> U' x = U x) by (intros x i; destruct (HU x i); unfold U'; rewrite Rmin_left, Rmax_right; auto).
  assert (EV : forall x, In x l -> V' x = V x) by (intros x i; destruct (HV x i); unfold V'; rewrite Rmin_left, Rmax_right; auto).
  assert (G := gruss_everywhere A l w U' V' m n s r Hs Hr m0 n0 Hw).
  rewrite (sum_in l (fun x => w x * U' x * V' x) (fun x => w x * U x * V x)) in G by (intros; now rewrite EU, EV).
  rewrite (sum_in l (fun x => w x * U' x) (fun x => w x * U x)) in G by (intros; now rewrite EU).
  rewrite (sum_in l (fun x => w x * V' x) (fun x => w x * V x)) in G by (intros; now rewrite EV).
  apply G.
  - intro x. unfold U'. assert (m <= s*s*m) by (assert (1 <= s*s) by nra; nra). split; [apply Rmax_l|]. apply Rmax_lub; [easy|apply Rmin_r].
  - intro x. unfold V'. assert (n <= r*r*n) by (assert (1 <= r*r) by nra; nra). split; [apply Rmax_l|]. apply Rmax_lub; [easy|apply Rmin_r].
Qed.

(** It is the best possible: two values, U and V high on the same one, of weight 1 out of 1 + rs. *)
Theorem gruss_attained s r : 1 <= s -> 1 <= r -> let w (x : bool) := if x then 1 / (1 + r*s) else r*s / (1 + r*s) in
  let U (x : bool) := if x then s*s else 1 in let V (x : bool) := if x then r*r else 1 in let l := [true; false] in
  sum l (fun x => w x * U x * V x) * sum l w * ((r+s)*(r+s)) = (1+r*s)*(1+r*s) * sum l (fun x => w x * U x) * sum l (fun x => w x * V x).
Proof. intros Hs Hr. simpl. field. nra. Qed.

(** ** How it is used: one more record is summed out

    a, b are two values of the secret; x runs over the values (or joint values) of what is summed out. [A x] and [C x] belong to
    the secret a, [B x] and [D x] to b; [A] and [B] contain the mechanism, [C] and [D] the law alone. If
    - for each x the loss is at most s^2,
    - B/D varies by at most t^2 over x (what the mechanism says about x), and
    - C/D varies by at most r^2 over x (how much x depends on the secret),
    then the loss after summing is at most (s phi(r, t))^2. *)
Theorem summed_out X (l : list X) (A B C D : X -> R) s t r :
  1 <= s -> 1 <= t -> 1 <= r -> l <> [] ->
  (forall x, 0 < B x) -> (forall x, 0 < C x) -> (forall x, 0 < D x) ->
  (forall x, In x l -> A x * D x <= s * s * (B x * C x)) ->
  (forall x y, In x l -> In y l -> B x * D y <= t * t * (B y * D x)) ->
  (forall x y, In x l -> In y l -> C x * D y <= r * r * (C y * D x)) ->
  sum l A * sum l D <= (s * phi r t) * (s * phi r t) * (sum l B * sum l C).
Proof.
  intros Hs Ht Hr ne Bp Cp Dp HA HB HC.
  destruct (smallest (fun x => B x / D x) l ne) as (u & iu & Mu).
  destruct (smallest (fun x => C x / D x) l ne) as (v & iv & Mv).
  assert (q : forall x, D x <> 0) by (intro x; specialize (Dp x); lra).
  assert (G := gruss X l D (fun x => B x / D x) (fun x => C x / D x) (B u / D u) (C v / D v) t r Ht Hr
    ltac:(apply Rdiv_lt_0_compat; auto) ltac:(apply Rdiv_lt_0_compat; auto) ltac:(intro x; specialize (Dp x); lra)).
  specialize (G ltac:(intros x i; split; [now apply Mu|]; apply Rmult_le_reg_r with (D x * D u); [now apply Rmult_lt_0_compat|];
     replace (B x / D x * (D x * D u)) with (B x * D u) by (field; auto);
     replace (t * t * (B u / D u) * (D x * D u)) with (t * t * (B u * D x)) by (field; auto); now apply HB)
   ltac:(intros x i; split; [now apply Mv|]; apply Rmult_le_reg_r with (D x * D v); [now apply Rmult_lt_0_compat|];
     replace (C x / D x * (D x * D v)) with (C x * D v) by (field; auto);
     replace (r * r * (C v / D v) * (D x * D v)) with (r * r * (C v * D x)) by (field; auto); now apply HC)).
  cbv beta in G.
  rewrite (sum_ext l (fun x => D x * (B x / D x) * (C x / D x)) (fun x => B x * C x / D x)) in G by (intro; field; auto).
  rewrite (sum_ext l (fun x => D x * (B x / D x)) B) in G by (intro; field; auto).
  rewrite (sum_ext l (fun x => D x * (C x / D x)) C) in G by (intro; field; auto).
  assert (AA : sum l A <= s * s * sum l (fun x => B x * C x / D x)).
  { rewrite <- sum_scale. apply sum_le_in. intros x i. apply Rmult_le_reg_r with (D x); [apply Dp|].
    replace (s * s * (B x * C x / D x) * D x) with (s * s * (B x * C x)) by (field; auto). now apply HA. }
  assert (SD : 0 < sum l D) by now apply sum_pos.
  apply Rmult_le_reg_r with ((r + t) * (r + t)); [nra|].
  replace ((s * phi r t) * (s * phi r t) * (sum l B * sum l C) * ((r + t) * (r + t)))
    with (s * s * ((1 + r * t) * (1 + r * t) * sum l B * sum l C)) by (unfold phi; field; lra).
  apply (Rmult_le_compat_r (sum l D * ((r + t) * (r + t)))) in AA; [|assert (0 < (r + t) * (r + t)) by nra; nra].
  apply (Rmult_le_compat_l (s * s)) in G; [|nra]. nra.
Qed.
Print Assumptions summed_out.
