// A model as the comparators see it when a count is asked: laws of the count, pair laws, and what is known about the
// shape.
#pragma once
#include <optional>

#include "dependence/model.h"
#include "published/dependent_sensitivity.h"
#include "published/zhu.h"

namespace kith::published {

struct CountCase {
  std::vector<Secret> secrets;    // the count given each value of each record
  Pairs pairs;                    // each record's part of the count given each value of each other record
  bool pairs_are_enough = false;  // given any secret, all other records are independent: the published sum is a theorem
  std::optional<Matrix> degrees;  // correlations of the records' parts of the count
  std::optional<double> eta;      // joint laws: the largest total variation of the rest given two values of a record
};

inline constexpr std::size_t kMostCounted = 128;

/// Nothing for models that declare no laws, have more than kMostCounted records, or so many values that a table of all
/// pairs would take more than about a second.
/// Requires: the model has passed Check.
Result<std::optional<CountCase>> CountCaseOf(const Model& model);

}  // namespace kith::published
