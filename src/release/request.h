// What can be asked of a curator. Values that say what is wanted, not how it is paid for, run or shown.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/stream/shares.h"
#include "base/unit_level.h"
#include "loss/loss.h"

namespace kith {

class StreamRelease;  // release/stream/stream.h

/// What the analyst offers: a share of the budget, or the precision that is needed.
struct Price {
  std::optional<double> epsilon;   // buys the fraction epsilon / epsilon_total of the plain budget
  std::optional<double> error_95;  // largest 95 % error bar accepted for any noisy cell; the cost is solved for
  std::vector<double> split;       // one weight for each noisy statistic; empty: equal shares
  bool intervals = true;           // false: none are bought for quantiles, whose values have their whole shares

  bool none() const { return !epsilon && !error_95 && split.empty(); }
};

/// Who asks. The name is written into the ledger with the charge; the rest limits what may be charged and shown.
struct Caller {
  std::string name;  // empty: not named
  // Plain loss: what all charges under the name that have an allowance may add up to. Nothing: limited only by the
  // policy.
  std::optional<PlainUnits> allowance;
  // A higher plain price waits for a curator's approval. A stored answer has no price.
  std::optional<PlainUnits> at_most;
  bool own_history = false;  // of the history, sees what was asked under the name
  // What was approved is about this version of the data (Guarantee::version); nothing is charged for others.
  std::optional<std::string> only_version;
};

/// One SELECT.
struct QuestionRequest {
  std::string sql;
  UnitLevel unit = UnitLevel::kPerson;  // whose record the answer hides; kHousehold where the policy nests units
  // The numbers are those whose laws the certificate names, for callers that compute with both: no mean of several
  // measurements [FREE-3].
  bool one_law = false;
};

/// Many SELECTs that are planned, charged and answered as a whole.
struct WorkloadRequest {
  std::string text;  // workload/entry.h
  UnitLevel unit = UnitLevel::kPerson;
};

/// Statistics that take several questions, round by round.
struct AnalysisRequest {
  std::shared_ptr<const Analysis> analysis;
};
/// The same for those that read rows themselves.
struct StudyRequest {
  std::shared_ptr<const Study> study;
};
/// Of an object that outlives the call.
inline AnalysisRequest Borrowed(const Analysis& analysis) { return {{std::shared_ptr<const void>(), &analysis}}; }
inline StudyRequest Borrowed(const Study& study) { return {{std::shared_ptr<const void>(), &study}}; }

/// True rows that are not sensitive, into a new file. No default: every part is the analyst's choice, within what the
/// policy allows. Its price is part of it, because it is paid from a separate account.
struct RecordsRequest {
  std::string attribute;         // empty: the policy's only one
  double epsilon = 0;            // each row that is not sensitive is released with probability 1 - exp(-epsilon)
  std::filesystem::path output;  // a new file that ends in .csv or .parquet; not needed to explain
  bool table_order = false;      // not sorted: faster, but positions reveal the order of the table
};

/// A histogram to release: how many rows of each group are not sensitive, or, with `noisy_epsilon`, how many rows there
/// are, sensitive ones included (DAWAz: a two-sided histogram over noisy buckets, with zeros where a one-sided one has
/// found nothing).
struct HistogramRequest {
  std::string attribute;                // empty: the policy's only one
  std::string by;                       // what follows GROUP BY
  double epsilon = 0;                   // one-sided, from the attribute's account
  std::optional<double> noisy_epsilon;  // set: DAWAz; this part of the policy's epsilon
  double partition_share = 0.5;         // DAWAz: how much of it is for the partition; the rest is for the totals
};

/// A statistic of every step, within a budget for every window (Curator::OpenStream).
struct StreamRequest {
  std::string statistic;  // SELECT ... FROM the unit's table: of the rows of one step
  double epsilon = 0;     // this part of the policy's epsilon, for every window
  stream::Sharing sharing = stream::Sharing::kUniform;
  double rate = 1;                  // for the rule of that name
  std::vector<std::int64_t> asked;  // for offline: all steps that will ever be released, ascending
};

/// One step of a stream; paid by the stream's own rule.
struct StepRequest {
  std::shared_ptr<const StreamRelease> stream;
  std::int64_t tick = 0;
};

using Request = std::variant<QuestionRequest, WorkloadRequest, AnalysisRequest, StudyRequest, RecordsRequest,
                             HistogramRequest, StepRequest>;

}  // namespace kith
