// The cumulative curve of a column: how many rows have at most each value, and with it all ranges and percentiles, from
// one charge. What is measured is chosen without data: under pure loss counts of blocks on several levels, under a
// Gaussian loss sums with the weights of a square root.  Claims: claims/prefix.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/cumulative/curve.h"
#include "analysis/normal_study.h"
#include "policy/policy.h"
#include "workload/prefix_toeplitz.h"
#include "workload/prefix_tree.h"

namespace kith {

struct CumulativeOptions {
  static constexpr std::size_t kMaxCells = 4096;

  std::string column;       // a number with bounds
  std::size_t cells = 200;  // equal parts of the bounds
  std::string where;        // only these rows; may be empty
};

class Cumulative final : public NormalStudy {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanQuestion.
  static Result<std::unique_ptr<Cumulative>> Make(const CumulativeOptions& options, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return plan_.charged; }
  bool HidesAnyChange() const override { return true; }
  bool NeedsRows() const override { return false; }
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [PREFIX-3]: when one unit's record is replaced, comes or goes, the answer loses at most the sum of the
  /// shares, or, made by AtMu, is Gaussian with the square mu; nothing if the unit's cell is not charged.
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;
  Result<std::shared_ptr<const NormalStudy>> AtMu(std::int64_t mu) const override;
  Result<double> ErrorAt(std::span<const PlainUnits> shares) const override;

  /// How far one unit can move the counts of the cells.
  workload::MovedRows moved() const;
  const workload::PrefixTree& tree() const { return *tree_; }
  const workload::PrefixToeplitz* root() const { return root_.get(); }
  const Plan& plan() const { return plan_; }

 private:
  using Counts = std::vector<std::int64_t>;

  Cumulative() = default;
  Result<Counts> Read(const Session& engine, const CancelFlag& cancel) const;
  Result<std::vector<Noise>> NoisesFor(std::span<const PlainUnits> shares) const;
  cumulative::CurveBars BarsFor(const std::vector<Noise>& noises) const;
  /// The mean square of the noise of the curve, as one number.
  double ErrorWith(const std::vector<Noise>& noises) const;
  std::vector<Note> NotesFor(const std::vector<Noise>& noises) const;
  std::string Measured() const;
  double EdgeOf(double cells) const;
  Findings FindingsOf(const std::vector<double>& sums, const std::vector<Noise>& noises) const;

  CumulativeOptions options_;
  Plan plan_;
  std::vector<std::size_t> cell_of_;  // of each value of the plan's key: its place; kNone: no cell
  double low_ = 0, high_ = 0, width_ = 1, first_ = 0;
  bool whole_ = false;
  std::optional<workload::PrefixTree> tree_;
  std::vector<double> weights_;
  // Made by AtMu:
  std::shared_ptr<const workload::PrefixToeplitz> root_;
  std::int64_t mu_ = 0;        // LossKind::kMu; 0: pure noise
  double error_of_cells_ = 0;  // next to that of what is measured, both at a loss of 1
};

}  // namespace kith
