// What one dependent record can add: the pair function r, its worst case phi, and phi for rare conditions.
// Source: docs/theory/transfer.md.  Claims: claims/transfer_pair.md
#pragma once
#include <span>

#include "dependence/model.h"

namespace kith {

/// phi_theta(t): the largest loss through a record whose kernel varies by at most a factor e^t, over all laws with
/// interaction strength theta. Symmetric, increasing, at most min(theta, t).
/// Requires: theta and t not negative; infinity is allowed for both.
/// Ensures [PAIR-1]: not below the true value, and above it by at most 40 units in the last place (theta, t <= 1000).
double Phi(double theta, double t);

/// What passes through a tie of strength theta from a record that varies by t: Phi for pure loss, ProbitPhi for
/// Gaussian loss. The recursions are the same.
using PassOn = double (*)(double theta, double t);

/// phi when the record is yes/no and the probability of yes, whatever the others are, is in [low, high].
/// Ensures [PAIR-3]: not below the true value; never above Phi(theta, t).
double PhiWithPrevalence(double theta, double t, const Prevalence& prevalence);

/// r(t; p, q): the largest log E_p[K] / E_q[K] over kernels K with values in [1, e^t].
/// Requires: p and q are laws on the same values, t >= 0 (infinity allowed).
/// Ensures [PAIR-2]: not below the true value.
double PairLoss(double t, std::span<const double> p, std::span<const double> q);
inline double PairLoss(double t, const Law& p, const Law& q) { return PairLoss(t, std::span(p), std::span(q)); }

/// r for one set of values, of probabilities p and q: log((1 + (e^t - 1) p) / (1 + (e^t - 1) q)), rounded up.
/// 0 if p <= q.
double SetLoss(double t, double p, double q);

}  // namespace kith
