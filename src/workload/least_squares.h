// Answers from measured tables: least squares, in closed form, and the noise that is left in each answer. Reads noisy
// counts only, so that it costs no privacy. docs/theory/workload.md
#pragma once
#include <cstddef>
#include <vector>

#include "workload/strategy.h"
#include "workload/table_view.h"

namespace kith::workload {

/// A noise in an answer: weight * (the noise of a cell of a measured table), for this many cells.
struct Part {
  std::size_t table = 0;  // measured
  double weight = 0;
  double cells = 1;
};

/// Ensures [WORKLOAD-3]: estimates are a fixed linear function of the counts, which the questions and the precisions
/// decide; if the counts are those of one table of rows, without noise, estimates are exact; and Parts has the weight
/// of every noise.
class LeastSquares {
 public:
  LeastSquares(std::vector<Chain> chains, std::vector<Measured> measured)
      : chains_(std::move(chains)), precisions_(std::move(measured)) {}

  /// All rows of a sum, the first side's slowest. `counts`: of each measured table, all cells (mixed radix, the first
  /// attribute slowest; cells that nobody can be in are 0).
  std::vector<double> Estimates(const Sum& sum, const std::vector<std::vector<double>>& counts);

  /// Of one row: `rows` has a row for each side. Exact tables have no part.
  std::vector<Part> Parts(const Sum& sum, const std::vector<std::size_t>& rows);

  /// Whether every part of the sum is measured.
  bool Answers(const Sum& sum);
  Precisions& precisions() { return precisions_; }
  Levels Top() const;

 private:
  std::vector<Chain> chains_;
  Precisions precisions_;
};

}  // namespace kith::workload
