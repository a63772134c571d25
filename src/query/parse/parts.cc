#include "query/parse/parts.h"

#include <fmt/format.h>

#include "policy/one_step.h"
#include "query/bind/typing.h"
#include "query/question_builder.h"

namespace kith {
namespace {

// Only the unit table, under its own name.
Scope UnitScope(const Table& table) {
  Scope scope;
  scope.alias = table.name;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    scope.columns.push_back({table.columns[i].name, MakeColumn(table, i), {}});
  return scope;
}

Result<ExprPtr> Bind(const std::string& text, const Policy& policy, std::size_t max_bytes, bool condition) {
  const auto tree = ExpressionTree::Parse(text, max_bytes);
  if (!tree) return tree.error();
  const Scope scope = UnitScope(policy.unit_table());
  const RowBinder rows(tree->sql(), policy.unit_table(), scope);
  return condition ? rows.BindCondition(tree->node()) : rows.Bind(tree->node());
}

ExprPtr IsNotNull(const ExprPtr& value) {
  return MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {value})});
}

}  // namespace

Result<ExprPtr> BindExpression(const std::string& text, const Policy& policy, std::size_t max_bytes) {
  return Bind(text, policy, max_bytes, false);
}

Result<ExprPtr> BindCondition(const std::string& text, const Policy& policy, std::size_t max_bytes) {
  return Bind(text, policy, max_bytes, true);
}

Result<std::vector<ExprPtr>> BindKeys(const std::string& text, const Policy& policy) {
  if (text.size() > kMaxQuestionBytes) {
    return InvalidArgument(fmt::format("what to group by is longer than {} bytes", kMaxQuestionBytes), {},
                           "shorten it");
  }
  std::vector<ExprPtr> keys;
  for (const std::string& part : SplitList(text)) {
    auto key = BindExpression(part, policy);
    if (!key) return key.error();
    keys.push_back(std::move(*key));
  }
  return keys;
}

Result<Question> AskParts(const Parts& parts, const Policy& policy) {
  if (const auto refused = NotForQuestions(policy)) return *refused;
  const auto own = std::make_shared<Policy>();
  own->tables = {policy.unit_table()};
  own->unit = policy.unit;
  own->stream = policy.stream;
  own->cells = policy.cells;
  std::vector<Range> columns;
  for (const Column& column : own->unit_table().columns) columns.push_back(RangeOf(column));
  const Scope scope = UnitScope(own->unit_table());
  const std::string no_text;
  const RowBinder rows(no_text, own->unit_table(), scope);
  QuestionBuilder builder(rows, *own, columns);
  builder.AddCondition(parts.where);
  for (const ExprPtr& value : parts.sums) builder.AddCondition(IsNotNull(value));
  for (const ExprPtr& key : parts.keys) {
    if (const auto added = builder.AddKey(key); !added) return added.error();
  }
  builder.AddOutput(builder.outputs().CountRows(), {});
  for (const ExprPtr& value : parts.sums) {
    const std::size_t before = builder.outputs().counters().size();
    const std::string where = Shortened(DisplayText(*value, own->unit_table()));
    const auto sum = builder.outputs().Sum(value, where);
    if (!sum) return sum.error();
    if (builder.outputs().counters().size() == before)
      return InvalidArgument("a value is named twice", where, "name each once");
    builder.AddOutput(*sum, {});
  }
  auto question = builder.Finish();
  if (!question) return question;
  question->policy = own;
  if (IsOneStep(policy)) question->tick = 0;
  return question;
}

}  // namespace kith
