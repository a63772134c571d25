// The noise of many counts by every method, beside kith's own (transfer/gaussian/many_answers.h).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transfer/gaussian/many_answers.h"

namespace kith::published {

/// Standard deviations of the noise of each count, by others as well, where they are defined.
struct ManyAnswers : kith::ManyAnswers {
  std::optional<double> quilt;        // Markov quilts, pure losses
  std::optional<double> wasserstein;  // one count only: it does not compose
  std::optional<double> renyi;        // Renyi Pufferfish, normal noise by W-infinity; one count only
};

/// Fails: as kith::NoiseOfManyAnswers.
Result<std::vector<ManyAnswers>> NoiseByEveryMethod(const Transfer& transfer, double epsilon, double delta,
                                                    std::span<const std::int64_t> counts);

/// The models of the guide's table.
struct NamedModel {
  std::string name;
  Model model;
};
std::vector<NamedModel> ModelsOfManyAnswers();

}  // namespace kith::published
