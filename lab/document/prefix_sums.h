// How large the errors of cumulative sums are, by what is measured, as a document.
#pragma once
#include <vector>

#include "base/json.h"
#include "published/prefix_errors.h"

namespace kith::document {

struct PrefixSumsTable {
  double epsilon = 0, delta = 0, mu = 0;  // the last is the Gaussian loss that keeps the other two
  std::vector<published::PrefixErrors> rows;
};
Json ToJson(const PrefixSumsTable& table);

}  // namespace kith::document
