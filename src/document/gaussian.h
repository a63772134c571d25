// What normal noise costs under dependence, as a document.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "transfer/gaussian/gaussian.h"
#include "transfer/gaussian/many_answers.h"

namespace kith::document {

/// A plain Gaussian loss and what a model makes of it.
struct GaussianReport {
  double mu = 0;                                       // plain
  std::optional<std::pair<double, double>> target;     // the dependent (epsilon, delta) that it was derived from
  std::optional<GaussianBudget> budget;                // how
  std::optional<double> dependent_mu;                  // by messages, where the model has them
  std::vector<std::pair<double, GaussianLoss>> curve;  // dependent delta at each dependent epsilon
  std::int64_t counts = 1;
  double noise = 0;                    // standard deviation for each of the counts
  std::optional<ManyAnswers> methods;  // the same by other laws of noise, with a target
  std::string adversary, assumption, unproven;
};
Json ToJson(const ManyAnswers& row);
Json ToJson(const GaussianReport& report);

}  // namespace kith::document
