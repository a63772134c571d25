// The most information in nats that a loss allows a release to carry about one record.
// Source: identity differential privacy, Theorem 2; docs/theory/published.md#information.
#pragma once

namespace kith {

/// K(epsilon) = c - 1 - log c with c = epsilon / (1 - e^-epsilon), about epsilon^2 / 8: a release of dependent loss
/// epsilon about a record carries at most this much mutual information with it, and moves its law by at most this much
/// divergence. Requires: epsilon >= 0.
double InformationBound(double epsilon);

}  // namespace kith
