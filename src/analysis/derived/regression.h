// Linear regression from noisy sums of products, with intervals that include the noise. Claims: claims/derived.md
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/derived/derived.h"
#include "analysis/number_column.h"

namespace kith {

struct RegressionOptions {
  static constexpr std::size_t kMaxFeatures = 6;

  std::string target;                 // a number with bounds
  std::vector<std::string> features;  // numbers with bounds
  std::string where;                  // only these; may be empty
};

/// Sums over rows of values that are scaled to about -1 to 1, with the variances of their noise.
struct NoisySum {
  double value = 0, variance = 0;
  double step = 0;  // of the lattice that the noise is on
};
/// x0 = 1, x1, ..., xp and y.
struct NoisyMoments {
  std::size_t features = 0;
  std::vector<NoisySum> products;  // of xj and xk, k <= j: (0,0), (1,0), (1,1), (2,0), ...; the first is the count
  std::vector<NoisySum> target;    // of xj and y
  NoisySum square;                 // of y and y
};

struct Coefficient {
  double value = 0;
  double noise_95 = 0;     // how far noise may have moved it
  double sampling_95 = 0;  // as far as drawing the same rows again would
};
/// The least-squares line. `wanted`: linear functions of the coefficients, each with a weight for each of them.
/// Nothing: noise may be half of what the coefficients rest on.
/// Ensures [REGRESSION-1]: to first order in the noise, what the noiseless sums give is within noise_95 with 95 %.
struct Line {
  std::vector<Coefficient> wanted;
  double rows = 0;
  double deviation = 0;              // of y around the line
  std::optional<double> determined;  // R^2
};
std::optional<Line> FitLine(const NoisyMoments& moments, const std::vector<std::vector<double>>& wanted);

class Regression final : public Derived {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanQuestion.
  static Result<std::unique_ptr<Regression>> Make(const RegressionOptions& options, const Policy& policy);

  std::string Method() const override;
  Findings Conclude(const NoisyTable& table) const override;

 private:
  Regression(RegressionOptions options, DerivedQuestion question, std::vector<NumberColumn> columns)
      : Derived(std::move(question)), options_(std::move(options)), columns_(std::move(columns)) {}

  RegressionOptions options_;
  std::vector<NumberColumn> columns_;  // the features, then the target
};

}  // namespace kith
