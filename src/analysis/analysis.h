// A statistic that takes more than one question. An analysis says which questions it asks, round by round, and what it
// makes of the noisy answers; `release` prices it, charges it, runs the questions and adds the noise. So an analysis
// never sees data: it cannot leak, whatever it computes. What rounds of noisy sums cannot express is a study: it asks
// the vault itself, and spends what was paid.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/json.h"
#include "base/note.h"
#include "base/result.h"
#include "base/value.h"
#include "kernel/vault.h"
#include "loss/loss.h"
#include "mechanism/noise.h"
#include "query/plan.h"

namespace kith {

/// A round that was answered.
struct NoisyRound {
  Plan plan;
  NoisyGroups noisy;
  std::vector<double> scales;  // of each statistic's noise, in its own units; 0 where there is none

  /// A noisy number in the statistic's own units.
  double At(std::size_t group, std::size_t statistic) const;
};

/// What an analysis publishes.
struct Findings {
  std::vector<std::string> columns;
  std::vector<std::vector<Value>> rows;
  std::vector<std::vector<std::optional<double>>> errors_95;  // as rows; may be left empty
  std::vector<Note> notes;
  std::vector<std::string> claims;  // in addition to those of the pipeline
  JsonValue details;                // an object with what does not fit a table (a model, a grid); may be empty
  std::string alarm;                // what was found to contradict the declared dependence; the ledger keeps it
};

/// Immutable, made only from parameters and the policy. A round is a plan (query/plan.h): either of a question in SQL,
/// whose sensitivity PLAN-1 proves, or the analysis' own, with its own claim.
class Analysis {
 public:
  virtual ~Analysis() = default;

  /// All parameters as canonical text: for the ledger's history and for finding a stored answer.
  virtual std::string Normalised() const = 0;
  /// Weight of each statistic that gets noise, round by round; the price is shared in proportion. Public: says nothing
  /// about data.
  virtual const std::vector<std::vector<double>>& Weights() const = 0;
  /// The cells that any round may charge.
  virtual const std::vector<bool>& Charged() const = 0;
  /// The question of round number `before.size()`.
  /// Requires: as many noisy statistics as Weights() has for the round; no cell charged that is not in Charged().
  virtual Result<Plan> Round(std::span<const NoisyRound> before) const = 0;
  /// Of an analysis that scans rows: the integers of a round's plan, sealed. Those of all others come from the plan's
  /// own statement, once it is checked.
  virtual Result<Sealed> Measure(const Plan&, const Vault&) const {
    return InternalError("this analysis scans no rows");
  }
  /// True if its claims hold where a unit is a person in either of two columns (Unit::other_key).
  virtual bool KnowsPairs() const { return false; }
  /// True if Measure scans rows: they leave the engine.
  virtual bool NeedsRows() const { return false; }
  virtual Result<Findings> Conclude(std::span<const NoisyRound> rounds) const = 0;
};

/// What a share of the price does to one noisy part of a study, in the part's own units.
struct NoisePart {
  std::string name;
  double scale = 0;
  double lattice = 0;
  double sensitivity = 0;
  double error_95 = 0;      // of one number
  double error_95_all = 0;  // of all numbers at once
  std::string law = {};     // the id of the noise (mechanism/noise.h)
};

/// The part of a study whose numbers are multiples of `step` and get this noise.
NoisePart PartOf(std::string name, const Noise& noise, double step, std::uint64_t numbers);

/// What can be said about a study before it reads data.
struct StudyOutline {
  std::vector<NoisePart> noise;  // one for each weight
  sql::Statement statement;      // what the engine will be asked first
  std::vector<Note> notes;
};

class DeltaStudy;
class NormalStudy;

/// Immutable, made only from parameters and the policy, like an analysis. It scans rows: they leave the engine.
class Study {
 public:
  virtual ~Study() = default;

  /// All parameters as canonical text: for the ledger's history and for finding a stored answer.
  virtual std::string Normalised() const = 0;
  /// Weight of each noisy part; the price is shared in proportion. Public: says nothing about data.
  virtual const std::vector<double>& Weights() const = 0;
  /// The cells whose units' secrets may change anything.
  virtual const std::vector<bool>& Charged() const = 0;
  /// True: its loss is only for moves within the unit's distance. For a move by any d > 0 it is at most the sum of the
  /// shares times d / delta + kMoveSlack, and for a record that does not move it is 0. Nothing else may be charged
  /// where records depend on each other by distances (kind = "lipschitz").
  virtual bool LosesByDistance() const { return false; }
  /// True: the sum of the shares bounds the loss of any change of a record, however far it moves. Otherwise, under a
  /// metric unit, it may hold only for moves of at most delta (claims/distance.md, DISTANCE-4).
  virtual bool HidesAnyChange() const { return false; }
  /// False: the engine hands over only counts and sums.
  virtual bool NeedsRows() const { return true; }
  /// The same, if it is private only with a delta.
  virtual const DeltaStudy* NeedsDelta() const { return nullptr; }
  /// The same, if it can have normal noise.
  virtual const NormalStudy* CanBeNormal() const { return nullptr; }
  static constexpr double kMoveSlack = 1.0 / 1024;
  /// Requires: a share for each weight.
  virtual Result<StudyOutline> Outline(std::span<const PlainUnits> shares) const = 0;
  /// `paid`: the shares, charged. Its claim bounds the loss of what it returns by the sum of the shares for
  /// the charged cells and by 0 for all others; an error it returns may not depend on data beyond what failed there.
  virtual Result<Findings> Run(const Vault& vault, Paid& paid, std::span<const PlainUnits> shares) const = 0;
};

}  // namespace kith
