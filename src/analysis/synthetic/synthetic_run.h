// The work of a synthetic table that was paid for. Internal to this folder.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/synthetic/accuracy.h"
#include "analysis/synthetic/spending.h"
#include "analysis/synthetic/synthetic.h"
#include "base/json.h"

namespace kith {

class SyntheticRun {
 public:
  SyntheticRun(const Synthetic& study, const Session& engine, std::span<const PlainUnits> shares, BitSource& bits,
               const CancelFlag& cancel)
      : study_(study),
        engine_(engine),
        shares_(shares),
        bits_(bits),
        cancel_(cancel),
        model_(synthetic::GraphModel::Uniform(study.sizes_)) {}

  Result<Findings> All();

 private:
  using Counts = std::vector<std::int64_t>;
  static constexpr std::size_t kSteps = 150, kLastSteps = 1000;  // of a fit

  /// The exact counts of a question by columns of the table. They go into noise, choices and accuracy, nowhere else.
  Result<Counts> Read(const Synthetic::Table& table) const;
  Result<Counts> ReadGroups() const;
  Result<Counts> Noisy(Counts counts, const Sensitivities& change, PlainUnits share, double& variance, double& scale);
  Result<void> MeasureTable(const Synthetic::Table& table, Counts counts, PlainUnits share);
  Result<void> MeasureColumns();
  Result<void> MeasureGroups();
  Result<void> MeasurePairs();
  Result<void> Fit(std::size_t steps);
  /// Pairs that were not measured and fit into the model.
  std::vector<std::size_t> Candidates() const;
  /// Chances of the model for each pair of the study.
  std::vector<std::vector<double>> PairsOfModel() const;
  Result<std::size_t> Choose(const std::vector<std::size_t>& candidates, const synthetic::Spending::Round& round);
  void Draw();
  Result<void> MeasureAccuracy();
  Findings Show();

  const Synthetic& study_;
  const Session& engine_;
  std::span<const PlainUnits> shares_;
  BitSource& bits_;
  const CancelFlag& cancel_;

  std::vector<Counts> exact_;  // of each pair
  Counts exact_groups_;
  std::vector<synthetic::Measurement> measured_;
  std::vector<double> composition_;  // noisy counts
  std::vector<bool> used_;           // pairs that were measured
  synthetic::GraphModel model_;
  double total_ = 1;
  Json tables_ = Json::array();
  std::vector<synthetic::Member> members_;
  std::vector<synthetic::DrawnRow> rows_;
  std::vector<synthetic::NoisyTable> totals_;  // of the tables in measured_
  synthetic::NoisyTable group_total_;
  synthetic::Variation accuracy_, group_accuracy_;
};

}  // namespace kith
