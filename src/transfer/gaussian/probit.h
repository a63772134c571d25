// Gaussian loss: mu of Gaussian differential privacy, what it means as (epsilon, delta), and what one dependent record
// adds to it. Everything is rounded towards more loss.
// Source: docs/theory/gaussian.md.  Claims: claims/transfer_gaussian.md
#pragma once

namespace kith {

/// phiG_theta(t): the largest probit shift through a record whose kernel varies by at most t on the probit scale, over
/// all laws with interaction strength theta: erf(phiG / sqrt 8) = tanh(theta / 4) erf(t / sqrt 8). At most t.
/// Requires: theta and t not negative; infinity is allowed for both.
/// Ensures [PROBIT-1]: not below the true value, and above it by at most a relative 1e-14 (theta and t up to 60).
double ProbitPhi(double theta, double t);

/// The smallest mu, rounded up, of a release of which only epsilon-differential privacy is known:
/// 2 Phi^-1(e^epsilon / (1 + e^epsilon)), about 1.2533 epsilon. Requires: epsilon >= 0.
double MuOfPure(double epsilon);

/// delta of a mu-Gaussian release at epsilon, rounded up: Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
/// Requires: both finite and not negative. Ensures [GAUSS-1]: not below the true value.
double DeltaOfMu(double mu, double epsilon);

/// The largest mu found with DeltaOfMu(mu, epsilon) <= delta; 0 if there is none. Requires: epsilon finite and not
/// negative, 0 <= delta < 1. Ensures [GAUSS-2]: the returned value was itself evaluated.
double LargestMu(double epsilon, double delta);

/// z with P[N > z] = tail for a standard normal N, rounded up. Requires: tail, rounded down, and head = 1 - tail,
/// rounded up: the digits of the smaller one count. Both above 0.
double UpperQuantileUp(long double tail, long double head);

}  // namespace kith
