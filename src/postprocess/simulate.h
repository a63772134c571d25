// Bars of numbers that intervals do not follow: the noise is drawn again, many times, around the noisy numbers, and the
// statement is run on each. Internal to after. Claims: claims/after.md
#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "postprocess/postprocess.h"

namespace kith::postprocess {

/// What the tables of answers show: the numbers as they are, no noise at all, or the numbers with noise added again.
inline constexpr std::int64_t kDrawn = -3, kAsItIs = -2, kZero = -1;

/// One noise, or a number of which only the bar is known.
struct Source {
  std::optional<WeightedNoise> law;
  const Cell* cell = nullptr;  // the first one that it is in
  double factor = 1;           // of that cell
};

/// One run of a statement may take so long; then it fails. A machine may be busy: what is computed never depends on it.
inline constexpr std::chrono::seconds kLongest{20};

/// Whether a statement may be run so many times to find the bars of its numbers. Work is counted, not timed: the same
/// answer has the same bars on every machine. Fails: kCancelled, also where one run takes too long.
Result<bool> MayRun(const Scratch& scratch, const std::string& statement, std::size_t runs, const CancelFlag& cancel);

class Simulation {
 public:
  static constexpr std::size_t kDraws = 199;  // 190 of 200 places among them are within the bar

  Simulation(const Outer& outer, const std::vector<Source>& sources, const std::vector<Given>& answers);

  /// Does nothing where there is nothing to simulate, the law of some noise is not known, or it is too much work.
  /// Fails: as Scratch::Rows.
  Result<void> Run(const Scratch& scratch, const CancelFlag& cancel);
  /// Of an output of a row of the result. Nothing: it was not simulated, or what came out gives no bar.
  /// Ensures [AFTER-3]: a function of the answers.
  std::optional<double> Bar(std::size_t output, const std::vector<Value>& row) const;

 private:
  using Row = std::vector<std::string>;  // what identifies it
  Result<bool> RunOnce(const Scratch& scratch, const CancelFlag& cancel, bool first);

  const Outer& outer_;
  const std::vector<Source>& sources_;
  std::uint64_t seed_ = 0;
  std::vector<std::size_t> outputs_;
  std::map<Row, std::vector<std::vector<double>>> numbers_;  // of each of these outputs: as it is, and drawn
  bool known_ = false;
};

}  // namespace kith::postprocess
