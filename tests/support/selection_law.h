// The law of permute-and-flip from its definition: for tests that compare a sampler or two neighbours with it.
#pragma once
#include <cstdint>
#include <vector>

namespace kith::testing {

/// Probability of each candidate when heads has probability exp(-rate * (distance - least)): over the number of heads
/// among the others, of which each is as likely as this one.
std::vector<long double> SelectionLaw(const std::vector<std::int64_t>& distances, long double rate);

/// The same by walking through all orders, as the mechanism is published. Requires: at most 8 candidates.
std::vector<long double> SelectionLawByOrders(const std::vector<std::int64_t>& distances, long double rate);

/// The largest |ln(p / q)| of one candidate; infinite where one of them is impossible.
long double LossBetween(const std::vector<long double>& p, const std::vector<long double>& q);

}  // namespace kith::testing
