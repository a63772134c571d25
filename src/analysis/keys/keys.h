// Noisy counts of keys that nobody declared: those that enough units have. A key that is shown occurs; one that a
// single unit has is shown with a probability of at most the delta that is charged for it, and one that a household
// shares with at most the probability that its policy says.  Claims: claims/keys.md
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analysis/delta_study.h"
#include "mechanism/partition_selection.h"
#include "policy/policy.h"
#include "query/open_keys.h"
#include "query/sparse_question.h"

namespace kith {

struct KeysOptions {
  static constexpr std::size_t kMost = 1'000'000;

  std::vector<std::string> columns;     // strings, whole numbers or dates of the unit's table
  std::string where;                    // only these rows; may be empty
  std::optional<std::size_t> per_unit;  // a unit counts for at most this many keys; nothing: for all in its kept rows
  std::size_t most = 65536;             // at most this many keys are shown: those with the largest noisy counts
};

class KeyCounts final : public DeltaStudy {
 public:
  /// Fails: kInvalidArgument, kUnsupportedQuery; as PlanOpenKeys.
  static Result<std::unique_ptr<KeyCounts>> Make(const KeysOptions& options, const Policy& policy);
  /// The same for a question in SQL.
  static Result<std::unique_ptr<KeyCounts>> Make(const SparseQuestion& question, const Policy& policy);

  std::string Normalised() const override;
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return plan_.charged; }
  bool HidesAnyChange() const override { return true; }
  // Not the rows themselves, but every key that occurs in them.
  bool NeedsRows() const override { return true; }
  Result<std::shared_ptr<const DeltaStudy>> AtDelta(const Loss& loss, std::int64_t delta) const override;
  Result<double> SeenFrom() const override;
  Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const override;
  /// Ensures [KEYS-2]: when one unit's record is replaced, comes or goes, the answer gives away no more than the loss
  /// says, apart from the delta (PartitionSelection). Keys are shown in their own order (strings by code points).
  Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const override;

  const OpenKeysPlan& plan() const { return plan_; }

 private:
  KeyCounts(std::size_t most, OpenKeysPlan plan, std::vector<SparseQuestion::Output> outputs)
      : most_(most), plan_(std::move(plan)), outputs_(std::move(outputs)) {}
  Result<PartitionSelection> Law() const { return PartitionSelection::Make(plan_.most_keys, loss_, delta_); }
  std::vector<Note> NotesFor(const PartitionSelection& law) const;

  std::size_t most_;
  OpenKeysPlan plan_;
  std::vector<SparseQuestion::Output> outputs_;  // what the answer shows, in this order
  std::vector<double> weights_ = {1};
  Loss loss_;               // pure or Gaussian; nothing: not known yet
  std::int64_t delta_ = 0;  // LossKind::kDelta; the same
};

}  // namespace kith
