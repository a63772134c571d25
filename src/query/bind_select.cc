// The clauses of SELECT around expressions.
#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>

#include "policy/dates.h"
#include "query/bind_levels.h"
#include "query/bind_output.h"
#include "query/histogram.h"
#include "query/question.h"
#include "query/syntax.h"
#include "query/typing.h"

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
  return Unsupported("histogram(column, n) stands alone in SELECT and GROUP BY", {},
                     "in conditions and sums use the column itself, or width_bucket(column, 0, 100, 10)");
}

class SelectBinder {
 public:
  SelectBinder(const PgQuery__SelectStmt& select, const RowBinder& rows, const Policy& policy,
               const std::vector<Range>& columns)
      : select_(select), rows_(rows), columns_(columns), outputs_(rows, policy, columns, question_.keys) {}

  Result<Question> Bind() {
    for (const auto step : {&SelectBinder::BindWhere, &SelectBinder::BindGroups, &SelectBinder::BindTargets,
                            &SelectBinder::BindOrder, &SelectBinder::BindLimits}) {
      const auto done = (this->*step)();
      if (!done) return done.error();
    }
    question_.counters = outputs_.counters();
    const auto no_sum = [](const Counter& counter) {
      return counter.kind == CounterKind::kUnits || counter.kind == CounterKind::kQuantile;
    };
    if (!question_.levels.empty() && std::any_of(question_.counters.begin(), question_.counters.end(), no_sum)) {
      return Unsupported(
          "with ROLLUP only counts of rows, sums and what is made of them can be asked: totals are added up", {},
          "leave out count(DISTINCT ...) and quantiles, or ask one question for each level");
    }
    if (question_.counters.empty()) {
      return Unsupported("the question asks for no count, sum or average", {},
                         "add count(*), sum(column) or avg(column)");
    }
    Normalise();
    for (const TableJoin& join : rows_.scope().joins) {
      if (join.inner) question_.where = BothConditions(question_.where, Matches(join));
    }
    return std::move(question_);
  }

 private:
  Result<void> BindWhere() {
    question_.where = rows_.scope().where;
    if (!select_.where_clause) return {};
    auto where = rows_.BindCondition(*select_.where_clause);
    if (!where) return where.error();
    question_.where = BothConditions(question_.where, *where);
    return {};
  }

  Result<void> BindGroups() {
    const auto sets = GroupingSets(select_);
    if (!sets) return sets.error();
    std::vector<std::vector<std::size_t>> positions;
    for (const auto& set : *sets) {
      positions.emplace_back();
      for (const PgQuery__Node* node : set) {
        const auto position = KeyPosition(*node);
        if (!position) return position.error();
        positions.back().push_back(*position);
      }
    }
    auto levels = LevelsOf(positions, question_.keys.size());
    if (!levels) return levels.error();
    question_.levels = std::move(*levels);
    for (const Key& key : question_.keys) {
      const auto is_mark = [](const Value& value) { return value == Value{std::string(kAllTogether)}; };
      if (!question_.levels.empty() && std::any_of(key.shown.begin(), key.shown.end(), is_mark)) {
        return Unsupported(fmt::format("a declared value is {}, which marks totals", kAllTogether), key.name,
                           "ask one question for each level");
      }
    }
    return {};
  }

  // A new key, or one that is there.
  Result<std::size_t> KeyPosition(const PgQuery__Node& node) {
    const auto expr = GroupExpr(node);
    if (!expr) return expr.error();
    auto key = MakeKey(*expr);
    if (!key) return key.error();
    const auto same = [&](const Key& other) { return other.text == key->text; };
    const auto found = std::find_if(question_.keys.begin(), question_.keys.end(), same);
    const auto position = static_cast<std::size_t>(found - question_.keys.begin());
    if (found == question_.keys.end()) question_.keys.push_back(std::move(*key));
    return position;
  }

  // A column by its name, an output by its alias or its number, or an expression.
  Result<ExprPtr> GroupExpr(const PgQuery__Node& node) const {
    if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      auto column = rows_.Resolve(*node.column_ref);
      if (column) return column;
      const auto name = rows_.NameOf(*node.column_ref);
      const PgQuery__Node* target = name ? TargetNamed(*name) : nullptr;
      return target ? rows_.Bind(*target) : column;
    }
    if (const auto number = WholeConstant(node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > select_.n_target_list) {
        return InvalidArgument(fmt::format("GROUP BY {}: there is no such column of the answer", *number));
      }
      return rows_.Bind(*select_.target_list[*number - 1]->res_target->val);
    }
    return rows_.Bind(node);
  }

  Result<Key> MakeKey(const ExprPtr& expr) const {
    const Table& table = rows_.table();
    Key key;
    key.expr = expr;
    key.text = CanonicalText(*expr, table);
    const bool of_unit = expr->op == Op::kColumn && OwnerOf(table.columns[expr->column]).empty();
    key.name = of_unit ? table.columns[expr->column].name : DisplayText(*expr, table);
    if (expr->op == Op::kConstant) {
      return Unsupported("GROUP BY a constant makes one group", Shortened(key.name), "leave it out");
    }
    auto image = ImageOf(*expr, table, columns_);
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
        if (!histogram) key.shown.push_back(ShownValue(value, expr->type));
      }
    }
    if (key.image.may_null) key.shown.emplace_back(Null{});
    return key;
  }

  const PgQuery__Node* TargetNamed(const std::string& name) const {
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      if (name == target.name) return target.val;
    }
    return nullptr;
  }

  Result<void> BindTargets() {
    if (select_.n_target_list == 0)
      return Unsupported("the question asks for nothing", {}, "ask for count(*), sum(column) or avg(column)");
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      auto output = outputs_.Bind(*target.val);
      if (!output) return output.error();
      std::string name = target.name;
      // A column of a sub-select is called as the sub-select calls it.
      const bool is_reference = target.val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
      if (name.empty() && is_reference && !rows_.scope().is_table) {
        const auto referred = rows_.NameOf(*target.val->column_ref);
        if (referred) name = *referred;
      }
      question_.outputs.push_back({name.empty() ? DefaultName(*output) : name, output->expr});
      texts_.push_back(output->text);
    }
    return {};
  }

  // Without an alias: a key's own name, or the text, without the outermost parentheses of a sum or quotient.
  std::string DefaultName(const BoundOutput& output) const {
    if (const auto key = output.expr->Key()) return question_.keys[*key].name;
    const std::string& text = output.text;
    return text.starts_with('(') && text.ends_with(')') ? text.substr(1, text.size() - 2) : text;
  }

  Result<void> BindOrder() {
    for (std::size_t i = 0; i < select_.n_sort_clause; ++i) {
      const PgQuery__SortBy& sort = *select_.sort_clause[i]->sort_by;
      const auto output = OrderedOutput(*sort.node);
      if (!output) return output.error();
      const bool descending = sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
      const auto other =
          descending ? PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST : PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
      if (sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING)
        return Unsupported("ORDER BY USING is not supported", {}, "use ASC or DESC");
      if (sort.sortby_nulls == other) {
        return Unsupported("NULL counts as the largest value in ORDER BY", {}, "leave NULLS FIRST and NULLS LAST out");
      }
      question_.order_by.push_back({*output, descending});
    }
    return {};
  }

  Result<std::size_t> OrderedOutput(const PgQuery__Node& node) {
    if (const auto number = WholeConstant(node)) {
      if (*number < 1 || static_cast<std::size_t>(*number) > texts_.size()) {
        return InvalidArgument(fmt::format("ORDER BY {}: there is no such column of the answer", *number));
      }
      return static_cast<std::size_t>(*number - 1);
    }
    if (node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF && node.column_ref->n_fields == 1) {
      const auto name = rows_.NameOf(*node.column_ref);
      if (!name) return name.error();
      const auto& outputs = question_.outputs;
      const auto found =
          std::find_if(outputs.begin(), outputs.end(), [&](const OutputColumn& o) { return o.name == *name; });
      if (found != outputs.end()) return static_cast<std::size_t>(found - outputs.begin());
    }
    const auto counters = outputs_.counters().size();
    const auto bound = outputs_.Bind(node);
    if (!bound) return bound.error();
    const auto same = std::find(texts_.begin(), texts_.end(), bound->text);
    if (same == texts_.end() || outputs_.counters().size() != counters) {
      return Unsupported("ORDER BY must name a column of the answer", Shortened(bound->text),
                         "add it to the SELECT list");
    }
    return static_cast<std::size_t>(same - texts_.begin());
  }

  Result<void> BindLimits() {
    const auto whole = [](const PgQuery__Node* node, const char* what, auto set) -> Result<void> {
      const bool all = !node || (node->node_case == PG_QUERY__NODE__NODE_A_CONST && node->a_const->isnull);
      if (all) return {};
      const auto number = WholeConstant(*node);
      if (!number || *number < 0)
        return InvalidArgument(fmt::format("{} needs a whole number that is not negative", what));
      set(*number);
      return {};
    };
    const auto limit = whole(select_.limit_count, "LIMIT", [&](std::int64_t n) { question_.limit = n; });
    if (!limit) return limit.error();
    return whole(select_.limit_offset, "OFFSET", [&](std::int64_t n) { question_.offset = n; });
  }

  // The names of outputs belong to it: an answer that is stored under this text carries them.
  void Normalise() {
    const Table& table = rows_.table();
    std::string text = "SELECT ";
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      text += (i == 0 ? "" : ", ") + texts_[i];
      const OutputColumn& output = question_.outputs[i];
      if (output.name != DefaultName({output.expr, texts_[i]})) text += " AS " + IdentifierText(output.name);
    }
    text += " FROM " + IdentifierText(table.name);
    for (const TableJoin& join : rows_.scope().joins) text += JoinText(join);
    if (question_.where) text += " WHERE " + CanonicalText(*question_.where, table);
    text += GroupText();
    for (std::size_t i = 0; i < question_.order_by.size(); ++i) {
      const OrderBy& order = question_.order_by[i];
      text += fmt::format("{}{}{}", i == 0 ? " ORDER BY " : ", ", order.output + 1, order.descending ? " DESC" : "");
    }
    if (question_.limit) text += fmt::format(" LIMIT {}", *question_.limit);
    if (question_.offset > 0) text += fmt::format(" OFFSET {}", question_.offset);
    question_.normalised = std::move(text);
  }

  std::string GroupText() const {
    const auto list = [&](const std::vector<bool>& kept) {
      std::vector<std::string> texts;
      for (std::size_t k = 0; k < kept.size(); ++k) {
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

  std::string JoinText(const TableJoin& join) const {
    const std::string alias = join.owner == join.table ? "" : " AS " + IdentifierText(join.owner);
    return fmt::format("{} JOIN {}{} ON {} = {}", join.inner ? "" : " LEFT", IdentifierText(join.table), alias,
                       CanonicalText(*join.on, rows_.table()), CanonicalText(*join.key_column, rows_.table()));
  }

  static ExprPtr Matches(const TableJoin& join) {
    return MakeExpr(Op::kNot, Type::kBoolean, {MakeExpr(Op::kIsNull, Type::kBoolean, {join.key_column})});
  }

  const PgQuery__SelectStmt& select_;
  const RowBinder& rows_;
  const std::vector<Range>& columns_;
  Question question_;
  OutputBinder outputs_;
  std::vector<std::string> texts_;
};

}  // namespace

Result<Question> BindQuestion(const std::string& sql, const Policy& policy, std::size_t max_bytes) {
  if (policy.stream && !policy.stream->tick) {
    return Unsupported(
        "this policy describes a stream, whose budget is counted step by step", "[stream]",
        "ask for a release at every step: kith analyse policy.toml stream --statistic \"SELECT ...\"; or "
        "describe the table without [stream], with a ledger of its own for other data");
  }
  if (policy.unit.other_key) {
    return Unsupported(
        fmt::format("a unit is everybody in {} or {}: whoever is in many rows would change a count or a sum by as much",
                    Shortened(*policy.unit.key), Shortened(*policy.unit.other_key)),
        {}, "ask kith analyse POLICY degrees, which keeps at most max_rows of each person's rows");
  }
  const auto tree = SyntaxTree::Parse(sql, max_bytes);
  if (!tree) return tree.error();
  const PgQuery__SelectStmt& select = tree->select();
  if (auto refused = UnsupportedClause(select)) return *refused;
  const auto joined = std::make_shared<Policy>();
  joined->tables = {policy.unit_table()};
  joined->unit = policy.unit;
  joined->stream = policy.stream;
  joined->cells = policy.cells;
  const auto scope = BindFrom(sql, select, policy, joined->tables[0]);
  if (!scope) return scope.error();
  std::vector<Range> columns;
  for (const Column& column : joined->unit_table().columns) columns.push_back(RangeOf(column));
  const RowBinder rows(sql, joined->unit_table(), *scope);
  auto question = SelectBinder(select, rows, *joined, columns).Bind();
  if (question) {
    question->policy = joined;
    question->columns = std::move(columns);
    question->joins = scope->joins;
  }
  if (question) {
    if (const auto refused = MisplacedHistogram(*question)) return *refused;
  }
  if (question && IsTooLarge(*question)) {
    return Unsupported("the question grows too large when its sub-selects are put in place", {},
                       "ask several simpler questions");
  }
  return question;
}

}  // namespace kith
