// What a classifier publishes: weights, the model as JSON, and how it did on units that were held out. No data here but
// in Try(), which adds its noise itself.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/learn/design.h"
#include "analysis/learn/loss_shape.h"
#include "analysis/learn/terms.h"
#include "analysis/learn/weight_bars.h"

namespace kith::learn {

/// Noisy counts of held-out rows.
struct Trial {
  std::array<double, 4> counts{};  // [2 * says positive + is positive]
  double error_95 = 0;             // of one count
  double error_95_all = 0;         // of all four at once

  double right() const { return counts[0] + counts[3]; }
  double all() const { return counts[0] + counts[1] + counts[2] + counts[3]; }
};

/// Ensures [LEARN-4]: has a plain loss of at most the share for the units of these rows, if each has at most max_rows.
Result<Trial> Try(const Examples& rows, const std::vector<double>& weights, std::int64_t max_rows, PlainUnits share,
                  BitSource& bits);

struct Fitted {
  std::vector<double> weights;
  std::optional<Trial> trial;
};

/// About the noise, without data.
NoisePart NoiseOf(const Design& design, const Terms& terms);
std::vector<Note> NotesOf(const Design& design, const Terms& terms, const WeightBars& bars);

Findings Report(const Design& design, Loss loss, const Terms& terms, const Fitted& fitted);

}  // namespace kith::learn
