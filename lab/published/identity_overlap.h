// Overlapping laws: Lemma 5 and Theorem 4 of identity differential privacy, as published and sharpened, and back.
// Source: docs/theory/published.md#overlap.  Claims: claims/published.md. Double arithmetic, for comparison.
#pragma once
#include <optional>

#include "published/listed_law.h"

namespace kith::published {

/// The largest total variation between the laws of all other records given two values of one record.
double LargestVariation(const ListedLaw& law);

/// A mechanism of plain loss epsilon / records, on `records` records with total variation at most eta.
/// Requires: epsilon >= 0, records >= 1, 0 <= eta <= 1.
/// Ensures [PUBLISHED-6]: at least its dependent loss against somebody who knows no record, up to rounding.
double SharpOverlapLoss(double epsilon, double records, double eta);
/// As printed: epsilon + log eta + log 2, only where epsilon (1 - 1/records) >= -log eta.
std::optional<double> PublishedOverlapLoss(double epsilon, double records, double eta);

/// The plain loss x with (1 - eta) e^x + eta e^{records x} = e^target: what may be spent, by any number of releases
/// together. By bisection, lower end. Requires: target > 0.
double OverlapPlainBudget(double target, double records, double eta);

}  // namespace kith::published
