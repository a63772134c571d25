// A question while it is put together from bound expressions: from the clauses of a SELECT, or from text that is given
// for parts of one. Internal to query.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "query/bind/bind_output.h"
#include "query/question.h"

namespace kith {

/// Questions that no policy of this kind can take, whatever they ask.
std::optional<Error> NotForQuestions(const Policy& policy, StepRows step = StepRows::kNo);

class QuestionBuilder {
 public:
  /// All arguments must outlive the builder.
  QuestionBuilder(const RowBinder& rows, const Policy& policy, const std::vector<Range>& columns)
      : rows_(rows),
        columns_(columns),
        unit_key_(policy.unit.key.value_or("")),
        within_(policy.unit.within.value_or("")),
        outputs_(rows, policy, columns, question_.keys) {}
  QuestionBuilder(const QuestionBuilder&) = delete;
  QuestionBuilder& operator=(const QuestionBuilder&) = delete;

  Question& question() { return question_; }
  const Question& question() const { return question_; }
  OutputBinder& outputs() { return outputs_; }
  const std::vector<std::string>& texts() const { return texts_; }  // of the outputs

  /// One more condition that rows must pass; nullptr: none.
  void AddCondition(const ExprPtr& condition);
  /// Where the key is: a new one, or an existing one. Fails: as ImageOf; kUnsupportedQuery for a constant.
  Result<std::size_t> AddKey(const ExprPtr& expr);
  /// `name`: empty for its own name.
  void AddOutput(const BoundOutput& output, const std::string& name);
  /// The whole question. Fails: kUnsupportedQuery if it asks for nothing or grows too large.
  Result<Question> Finish();

 private:
  Result<Key> MakeKey(const ExprPtr& expr, std::string text) const;
  std::string DefaultName(const BoundOutput& output) const;
  using Order = std::vector<std::size_t>;
  std::string TextIn(const Order& outputs, const Order& keys, bool bare = false) const;
  void Normalise();
  void UseGivenNames();
  std::string GroupText(const Order& keys) const;
  std::set<std::size_t> UsedColumns() const;  // by rows, conditions and keys
  std::string SourceText() const;
  std::string JoinText(const TableJoin& join) const;

  const RowBinder& rows_;
  const std::vector<Range>& columns_;
  const std::string unit_key_;  // empty: there is none
  const std::string within_;    // the same for the column of households
  Question question_;
  OutputBinder outputs_;
  std::vector<std::string> texts_;
  std::vector<bool> given_names_;  // of the outputs: somebody wrote AS
};

}  // namespace kith
