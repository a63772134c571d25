// Dependent sensitivity and the noise of the dependent perturbation mechanism, as published.
// Source: Liu, Chakraborty, Mittal 2016, Eqs. 22-25, Theorems 8 and 9; docs/theory/published.md#sums-over-pairs.
// Claims: claims/published.md. Double arithmetic, for comparison.
#pragma once
#include "published/dependence_coefficient.h"
#include "published/listed_law.h"

namespace kith::published {

/// What the published formulas look at: how each record depends on each other record, pair by pair.
struct Pairs {
  std::vector<double> sensitivities;       // Delta Q_j: how far the query moves when only record j changes
  std::vector<Box> domains;                // of each record
  std::vector<std::vector<Secret>> given;  // [i][j]: the law of D_j given each value of D_i; [i][i] is not used
};

/// All pair laws of a joint law. `domains` may be empty: then the smallest boxes around the values that occur.
/// Fails: as OnGrid.
Result<Pairs> PairsOf(const ListedLaw& law, std::vector<double> sensitivities, std::vector<Box> domains);

/// In which units the noise scale enters a coefficient.
enum class Units {
  // As printed: the query's scale together with distances between records. Not sound:
  // docs/theory/published.md#where-sums-over-pairs-fail.
  kLiteral,
  kQuery,  // the scale times Delta D_j / Delta Q_j
};

struct DependentSensitivity {
  std::vector<double> per_record;  // DS_i
  double worst = 0;                // DS
};
/// Eqs. 22-24 at a noise scale.
DependentSensitivity DependentSensitivityAt(const Pairs& pairs, Coefficient which, Units units, double scale);

/// The noise scale DS(scale) / epsilon, a fixed point because the coefficients depend on the scale. DS(scale) / scale
/// falls, so there is one root; found by bisection to a relative 1e-13, upper end. 0 if no record can move the query.
/// Requires: epsilon > 0.
/// Ensures [PUBLISHED-4]: with Eq. 14 or 18 in query units, a scalar sum over records with this Laplace noise has
/// dependent loss at most epsilon, up to rounding, IF for every secret record the others are independent of each other
/// given it, and the adversary knows no other record. Not otherwise: the tests show it exceeded. One answer only.
double PublishedScale(const Pairs& pairs, Coefficient which, Units units, double epsilon);

}  // namespace kith::published
