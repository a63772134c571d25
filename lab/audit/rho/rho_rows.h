// What else the literature says about the sum of a few records whose law is listed.
#pragma once
#include <string>
#include <vector>

#include "published/listed_law.h"

namespace kith::audit {

/// Sentences about the sum with Laplace noise of this scale: against somebody who knows some of the other records
/// (Bayesian differential privacy), as if records were jointly Gaussian, and with Gaussian noise of the same variance.
/// Nothing for laws of more than 6 records or 512 rows.
std::vector<std::string> MoreOnRows(const published::ListedLaw& law, double scale);

}  // namespace kith::audit
