// Correlated sensitivity. NO GUARANTEE under any definition: it weights records by correlation, and records can
// determine each other at correlation 0. For comparison only. Source: Zhu, Xiong, Li, Zhou 2015;
// docs/theory/published.md#correlated-sensitivity.
#pragma once
#include "published/listed_law.h"

namespace kith::published {

struct CorrelatedSensitivity {
  std::vector<double> per_record;  // CS_i: the sum over j of |degree_ij| times what record j moves the query
  double worst = 0;                // noise is Laplace(worst / epsilon)
};
/// Degrees below `threshold` in absolute value count as 0.
/// Requires: a square matrix, one sensitivity for each record.
CorrelatedSensitivity CorrelatedSensitivityOf(const Matrix& degrees, std::span<const double> sensitivities,
                                              double threshold);

/// Pearson correlations of all pairs of records; 0 where a record does not vary.
Matrix PearsonDegrees(const ListedLaw& law);

}  // namespace kith::published
