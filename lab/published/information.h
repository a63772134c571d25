// Information in nats: the sharp bound that a loss puts on it, and what one answer with Laplace noise carries.
// Source: identity differential privacy, Theorems 2 and 3; docs/theory/published.md#information. Double arithmetic, for
// comparison.
#pragma once
#include "loss/information.h"
#include "published/secret.h"

namespace kith::published {

using kith::InformationBound;

double Entropy(std::span<const double> law);
/// The law after a likelihood was seen.
std::vector<double> Posterior(std::span<const double> prior, std::span<const double> likelihood);

/// Mutual information between the record and the answer itself.
/// Requires: the secret has its prior.
double NoiselessInformation(const Secret& secret);
/// The same with Laplace noise on a scalar answer: Gauss-Legendre quadrature between support points, closed form
/// beyond.
double LaplaceInformation(const Secret& secret, double scale);

/// The largest divergence, over outputs, of the prior from the posterior. Attained at a support point: between two of
/// them it is first falling, then rising.
double LargestDivergence(const Secret& secret, double scale);

}  // namespace kith::published
