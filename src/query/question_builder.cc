#include "query/question_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "policy/dates.h"
#include "policy/one_step.h"
#include "query/bind/histogram.h"
#include "query/bind/typing.h"
#include "query/per_unit.h"
#include "query/reads.h"

namespace kith {
namespace {

// As the answer has it: dates and timestamps as text.
Value ShownValue(const Value& value, Type type) {
  if (type == Type::kDate) return DateText(std::get<std::int64_t>(value));
  if (type == Type::kTimestamp) return TimestampText(std::get<std::int64_t>(value));
  return value;
}

bool IsTooLarge(const Question& question) {
  Weight all;
  const auto add = [&](const ExprPtr& expr) {
    if (!expr || all.TooLarge()) return;
    const Weight weight = WeightOf(*expr);
    all.nodes += weight.nodes;
    all.depth = std::max(all.depth, weight.depth);
  };
  add(question.where);
  for (const Key& key : question.keys) add(key.expr);
  for (const Counter& counter : question.counters) {
    add(counter.value);
    add(counter.filter);
  }
  return all.TooLarge();
}

bool HasHistogram(const Expr& expr) {
  return expr.op == Op::kHistogram ||
         std::any_of(expr.args.begin(), expr.args.end(), [](const ExprPtr& arg) { return HasHistogram(*arg); });
}

// Its parts have names, not values to compute with.
std::optional<Error> MisplacedHistogram(const Question& question) {
  bool found = question.where && HasHistogram(*question.where);
  for (const Key& key : question.keys) {
    for (const ExprPtr& arg : key.expr->args) found = found || HasHistogram(*arg);
  }
  for (const Counter& counter : question.counters) {
    found =
        found || (counter.value && HasHistogram(*counter.value)) || (counter.filter && HasHistogram(*counter.filter));
  }
  if (!found) return std::nullopt;
  return Unsupported("histogram(column, n) must be on its own in SELECT and GROUP BY", {},
                     "in conditions and sums use the column itself, or width_bucket(column, 0, 100, 10)");
}

// floor(x / 10) * 10 and the like are whole numbers, of which there can be few; as real numbers they have no list.
ExprPtr WholeNumber(const ExprPtr& expr, const Table& table, const std::vector<Range>& columns) {
  constexpr double kExact = 0x1p53;
  if (expr->type != Type::kReal || expr->op == Op::kColumn) return expr;
  const Range range = RangeEvaluator(table, columns).Evaluate(*expr);
  const bool whole = !range.OnlyNull() && range.grain >= 0 && range.real_low > -kExact && range.real_high < kExact;
  return whole ? MakeExpr(Op::kToInteger, Type::kInteger, {expr}) : expr;
}

// Every condition, key and counter again: what the outputs added is not counted while they are bound.
std::optional<Error> CheckReads(const Question& question, const Table& table) {
  Reads reads(table);
  std::optional<Error> error;
  const auto add = [&](const ExprPtr& expr) {
    if (expr && !error) error = reads.Add(*expr);
  };
  add(question.where);
  for (const Key& key : question.keys) {
    add(key.expr);
    if (!error && !key.image.dense) error = reads.Add(key.image.values);
  }
  for (const Counter& counter : question.counters) {
    add(counter.value);
    add(counter.filter);
  }
  return error;
}

}  // namespace

std::optional<Error> NotForQuestions(const Policy& policy, StepRows step) {
  if (policy.stream && !IsOneStep(policy) && step == StepRows::kNo) {
    return Unsupported("this policy describes a stream, whose budget is counted step by step", "[stream]",
                       "ask for a release at every step; or "
                       "describe the table without [stream], with a ledger of its own for other data")
        .For("request.stream");
  }
  if (policy.unit.other_key) {
    return Unsupported(
               fmt::format(
                   "a unit is everybody in {} or {}: somebody in many rows would change a count or a sum by as many",
                   Shortened(*policy.unit.key), Shortened(*policy.unit.other_key)),
               {}, "ask for degrees, an analysis that keeps at most max_rows of each person's rows")
        .For("request.degrees");
  }
  return std::nullopt;
}

void QuestionBuilder::AddCondition(const ExprPtr& condition) {
  question_.where = BothConditions(question_.where, condition);
}

Result<std::size_t> QuestionBuilder::AddKey(const ExprPtr& expr) {
  if (WeightOf(*expr).TooLarge()) return GrowsTooLarge();
  std::string text = CanonicalText(*expr, rows_.table());
  const auto same = [&](const Key& other) { return other.text == text; };
  const auto found = std::find_if(question_.keys.begin(), question_.keys.end(), same);
  const auto position = static_cast<std::size_t>(found - question_.keys.begin());
  if (found != question_.keys.end()) return position;
  if (const auto error = outputs_.reads().Add(*expr)) return *error;
  auto key = MakeKey(expr, std::move(text));
  if (!key) return key.error();
  question_.keys.push_back(std::move(*key));
  return position;
}

Error ShowsEveryUnit(const std::string& key) {
  return Unsupported(fmt::format("GROUP BY {} would show every unit by itself", Shortened(key)), {},
                     fmt::format("single units are never shown: ask for count(DISTINCT {}), or group by a column that "
                                 "many units share",
                                 Shortened(IdentifierText(key))))
      .For("question.groups");
}

bool IsOfEveryUnit(const Error& error) { return error.parameter == "question.groups"; }

Result<Key> QuestionBuilder::MakeKey(const ExprPtr& expr, std::string text) const {
  const Table& table = rows_.table();
  Key key;
  key.expr = expr;
  key.text = std::move(text);
  const bool of_unit = expr->op == Op::kColumn && OwnerOf(table.columns[expr->column]).empty();
  key.name = of_unit ? table.columns[expr->column].name : DisplayText(*expr, table);
  if (expr->op == Op::kConstant) {
    return Unsupported("GROUP BY a constant makes one group", Shortened(key.name), "leave it out");
  }
  key.expr = WholeNumber(expr, table, columns_);
  auto image = ImageOf(*key.expr, table, columns_);
  if (!image && of_unit && key.name == unit_key_) return ShowsEveryUnit(unit_key_);
  if (!image && of_unit && key.name == within_) {
    return Unsupported(fmt::format("GROUP BY {} would show every household by itself", Shortened(key.name)), {},
                       fmt::format("single households are never shown: ask for count(DISTINCT {}), or group by a "
                                   "column that many of them share; sub-selects have one row for each unit",
                                   Shortened(IdentifierText(key.name))));
  }
  if (!image) return image.error();
  key.image = std::move(*image);
  if (expr->op == Op::kColumn && !table.columns[expr->column].values.empty()) {
    key.column = expr->column;
    key.shown = table.columns[expr->column].values;
  } else {
    const bool histogram = expr->op == Op::kHistogram;
    const auto labels = histogram ? HistogramLabels(*expr) : std::vector<std::string>();
    for (const Value& value : key.image.values) {
      if (histogram) key.shown.emplace_back(labels.at(static_cast<std::size_t>(std::get<std::int64_t>(value) - 1)));
      if (!histogram) key.shown.push_back(ShownValue(value, key.expr->type));
    }
  }
  if (key.image.may_null) key.shown.emplace_back(Null{});
  return key;
}

void QuestionBuilder::AddOutput(const BoundOutput& output, const std::string& name) {
  question_.outputs.push_back({name.empty() ? DefaultName(output) : name, output.expr});
  texts_.push_back(output.text);
  given_names_.push_back(!name.empty());
}

Result<Question> QuestionBuilder::Finish() {
  question_.counters = outputs_.counters();
  const auto no_sum = [](const Counter& counter) {
    return counter.kind == CounterKind::kUnits || counter.kind == CounterKind::kHouseholds ||
           counter.kind == CounterKind::kDistinct || counter.kind == CounterKind::kQuantile;
  };
  if (!question_.levels.empty() && std::any_of(question_.counters.begin(), question_.counters.end(), no_sum)) {
    return Unsupported(
        "with ROLLUP and CUBE only counts of rows, sums and what is made of them can be asked: totals are sums of "
        "parts",
        {}, "leave out count(DISTINCT ...) and quantiles, or ask one question for each level");
  }
  if (question_.counters.empty()) {
    return Unsupported("the question asks for no count, sum or average", {},
                       "add count(*), sum(column) or avg(column)");
  }
  if (const auto refused = MisplacedHistogram(question_)) return *refused;
  if (IsTooLarge(question_)) return GrowsTooLarge();
  Normalise();
  UseGivenNames();
  question_.joins = rows_.scope().joins;
  for (const TableJoin& join : question_.joins) {
    if (join.inner) question_.where = BothConditions(question_.where, Matches(join));
  }
  if (const auto refused = CheckReads(question_, rows_.table())) return *refused;
  question_.columns = columns_;
  return std::move(question_);
}

// For people: a column that a sub-select made of a unit's rows has the name that it has there, not that of what it is
// made of.
void QuestionBuilder::UseGivenNames() {
  const Scope& scope = rows_.scope();
  if (!scope.per_unit) return;
  for (const Scope::Named& column : scope.columns) {
    if (column.expr->op != Op::kColumn || column.expr->column < scope.per_unit->first) continue;
    const std::string made = IdentifierText(rows_.table().columns[column.expr->column].name);
    if (!made.starts_with('"')) continue;
    const auto rename = [&](std::string& name) {
      const std::string given = IdentifierText(column.name);
      for (std::size_t at = 0; (at = name.find(made, at)) != std::string::npos; at += given.size())
        name.replace(at, made.size(), given);
    };
    for (Counter& counter : question_.counters) rename(counter.name);
    for (std::size_t k = 0; k < question_.outputs.size(); ++k) {
      OutputColumn& output = question_.outputs[k];
      if (output.name.find(made) != std::string::npos && !given_names_[k]) rename(output.name);
    }
  }
}

// Without an alias: a key's own name, or the text, without the outermost parentheses of a sum or quotient.
std::string QuestionBuilder::DefaultName(const BoundOutput& output) const {
  if (const auto key = output.expr->Key()) return question_.keys[*key].name;
  const std::string& text = output.text;
  return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
}

std::string QuestionBuilder::TextIn(const Order& outputs, const Order& keys, bool bare) const {
  const Table& table = rows_.table();
  std::string text = "SELECT ";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string& written = texts_[outputs[i]];
    text += (i == 0 ? "" : ", ") + written;
    const OutputColumn& output = question_.outputs[outputs[i]];
    if (!bare && output.name != DefaultName({output.expr, written})) text += " AS " + IdentifierText(output.name);
  }
  text += " FROM " + SourceText();
  for (const TableJoin& join : rows_.scope().joins) text += JoinText(join);
  if (question_.where) text += " WHERE " + CanonicalText(*question_.where, table);
  text += GroupText(keys);
  const bool ordered = !bare || !question_.any_order;
  for (std::size_t i = 0; ordered && i < question_.order_by.size(); ++i) {
    const OrderBy& order = question_.order_by[i];
    const auto place = std::find(outputs.begin(), outputs.end(), order.output) - outputs.begin();
    text += fmt::format("{}{}{}", i == 0 ? " ORDER BY " : ", ", place + 1, order.descending ? " DESC" : "");
  }
  if (question_.limit) text += fmt::format(" LIMIT {}", *question_.limit);
  if (question_.offset > 0) text += fmt::format(" OFFSET {}", question_.offset);
  return text;
}

void QuestionBuilder::Normalise() {
  Order outputs(texts_.size()), keys(question_.keys.size());
  std::iota(outputs.begin(), outputs.end(), std::size_t{0});
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  question_.normalised = TextIn(outputs, keys);
  const PerUnit* const per_unit = rows_.scope().per_unit.get();
  question_.idle_windows = per_unit && per_unit->HasIdleWindows(UsedColumns());
  std::set<std::size_t> shown;
  for (const OutputColumn& output : question_.outputs) {
    if (const auto key = output.expr->Key()) shown.insert(*key);
  }
  // Which rows a limit leaves, and which totals there are, may depend on the order of keys. Four outputs have 24
  // orders.
  constexpr std::size_t kMostOutputs = 4, kMostKeys = 2;
  const bool whole = !question_.limit && question_.offset == 0 && question_.levels.empty();
  question_.any_order = whole && shown.size() == keys.size();
  question_.bare = TextIn(outputs, keys, true);
  if (!whole || outputs.size() > kMostOutputs || keys.size() > kMostKeys) return;
  do {
    do {
      std::string text = TextIn(outputs, keys);
      if (text != question_.normalised)
        question_.others.push_back(
            {std::move(text), outputs, std::is_sorted(keys.begin(), keys.end()), TextIn(outputs, keys, true)});
    } while (std::next_permutation(keys.begin(), keys.end()));
  } while (std::next_permutation(outputs.begin(), outputs.end()));
}

std::string QuestionBuilder::GroupText(const Order& keys) const {
  const auto list = [&](const std::vector<bool>& kept) {
    std::vector<std::string> texts;
    for (const std::size_t k : keys) {
      if (kept[k]) texts.push_back(question_.keys[k].text);
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  };
  if (question_.keys.empty()) return {};
  if (question_.levels.empty()) return " GROUP BY " + list(std::vector<bool>(question_.keys.size(), true));
  std::vector<std::string> sets;
  for (const auto& kept : question_.levels) sets.push_back("(" + list(kept) + ")");
  return fmt::format(" GROUP BY GROUPING SETS ({})", fmt::join(sets, ", "));
}

std::set<std::size_t> QuestionBuilder::UsedColumns() const {
  std::set<std::size_t> used;
  const auto add = [&](const ExprPtr& expr) {
    if (expr) ForEachColumn(*expr, [&](std::size_t column) { used.insert(column); });
  };
  add(question_.where);
  for (const Key& key : question_.keys) add(key.expr);
  for (const Counter& counter : question_.counters) {
    add(counter.value);
    add(counter.filter);
  }
  for (const TableJoin& join : rows_.scope().joins) add(join.on);
  return used;
}

std::string QuestionBuilder::SourceText() const {
  const PerUnit* const per_unit = rows_.scope().per_unit.get();
  if (!per_unit) return IdentifierText(rows_.table().name);
  return fmt::format("({}) AS units", per_unit->Text(UsedColumns(), rows_.table()));
}

std::string QuestionBuilder::JoinText(const TableJoin& join) const {
  const std::string alias = join.owner == join.table ? "" : " AS " + IdentifierText(join.owner);
  return fmt::format("{} JOIN {}{} ON {} = {}", join.inner ? "" : " LEFT", IdentifierText(join.table), alias,
                     CanonicalText(*join.on, rows_.table()), CanonicalText(*join.key_column, rows_.table()));
}

}  // namespace kith
