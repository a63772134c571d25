// A statistic that is computed from the noisy answer to one ordinary question. The question is planned, priced,
// charged, answered and stored like any other: asked by itself, it has the same answer. What is made of it
// costs nothing. Claims: claims/derived.md
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "analysis/error_bar.h"
#include "base/result.h"
#include "base/value.h"
#include "policy/policy.h"
#include "query/plan.h"

namespace kith {

/// A 95 % bar for a sum of noises that all have this step: such a sum is a multiple of it, and so is the bar.
double BarOfWholeSum(double variance, double step);

/// The answer to the question, as what is computed on it sees it.
struct NoisyTable {
  std::size_t keys = 0;                  // columns that name the group; numbers follow
  std::vector<std::vector<Value>> rows;  // every group that the policy declares, the empty ones included
  std::vector<NoiseDistribution> laws;   // of each number; noises of different groups and numbers are independent

  const Value& Key(std::size_t row, std::size_t key) const { return rows[row][key]; }
  /// 0 for what is not a number: counts and sums always are.
  double Number(std::size_t row, std::size_t number) const;
};

/// A question of keys and then ordinary counts and sums, each with its own noise.
struct DerivedQuestion {
  std::string sql;
  Plan plan;
  std::size_t keys = 0, numbers = 0;
  std::vector<std::size_t> statistics;  // of each number: its position in the plan
};

/// Fails: as PlanQuestion; kUnsupportedQuery if the text is another kind of question.
Result<DerivedQuestion> AskFor(std::string sql, std::size_t keys, std::size_t numbers, const Policy& policy);

/// Text from a person that will go into a question, between parentheses: it cannot close them. `what`: its part, for
/// the error. Fails: kInvalidArgument if it is empty, does not close what it opens, or has a comment.
Result<void> IsOnePart(const std::string& text, const std::string& what);
/// A number as SQL has it.
std::string SqlNumber(double value);
/// A number for people, with four digits at least and whole ones in groups of three: 14,180, 1.418.
std::string Grouped(double value);

/// Rows that are one for each unit: the unit's table, if a unit has one row there, or a sub-select that makes one.
/// `from`: the sub-select; empty: the unit's table. Fails: kUnsupportedQuery if units have several rows.
Result<std::string> OneRowEach(const std::string& from, const Policy& policy);

/// One row of findings: values and their bars side by side.
class FindingsRow {
 public:
  FindingsRow& AddKey(const Value& value);
  /// Nothing: NULL, without a bar.
  FindingsRow& Add(std::optional<double> value, std::optional<double> error_95 = std::nullopt);
  void Into(Findings& findings) &&;

 private:
  std::vector<Value> values_;
  std::vector<std::optional<double>> errors_;
};

/// Immutable, made only from parameters and the policy.
class Derived {
 public:
  virtual ~Derived() = default;

  const DerivedQuestion& question() const { return question_; }
  /// What is computed, for the explanation.
  virtual std::string Method() const = 0;
  /// Never fails: whatever noise has made of the numbers, there is an answer. Sees nothing but the noisy answer.
  virtual Findings Conclude(const NoisyTable& table) const = 0;

 protected:
  explicit Derived(DerivedQuestion question) : question_(std::move(question)) {}

 private:
  DerivedQuestion question_;
};

}  // namespace kith
