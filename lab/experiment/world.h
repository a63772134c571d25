// A table with a policy in its own folder, for running kith's own analyses at a given plain loss: the same plans,
// noise and conclusions as a release, without a ledger. Deleted with the object.
#pragma once
#include <filesystem>
#include <memory>
#include <string>

#include "analysis/analysis.h"
#include "base/cancel.h"
#include "engine/engine.h"
#include "experiment/seeded_bits.h"
#include "policy/policy.h"
#include "release/release.h"

namespace kith::experiment {

class World {
 public:
  /// `csv`: the table's content with a header. `unit`: the lines of [unit] except the table. `columns`: of [columns.t].
  /// Fails: kStorage; as Policy::Parse and OpenSession.
  /// `seed`: of the noise of all that is run here, one after the other.
  static Result<World> Make(const std::string& csv, const std::string& unit, const std::string& columns,
                            std::uint64_t seed, const CancelFlag& cancel);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  const Policy& policy() const { return *policy_; }
  const Session& engine() const { return *engine_; }
  /// The analysis with noise for a plain loss in all. The noise is simulated from the seed: this is not a release, and
  /// there is no ledger.
  Result<Answer> Run(const Analysis& analysis, double plain, const CancelFlag& cancel) const;
  Result<Answer> Run(const Study& study, double plain, const CancelFlag& cancel) const;
  /// A question in SQL, the same way; the answer has rows and noise, no certificate.
  Result<Answer> Ask(const std::string& sql, double plain, const CancelFlag& cancel) const;

 private:
  World() = default;
  std::filesystem::path folder_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<Session> engine_;
  std::unique_ptr<SeededBits> bits_;
};

/// A number in an answer; 0 for what is not one.
double NumberIn(const AnswerCell& cell);

}  // namespace kith::experiment
