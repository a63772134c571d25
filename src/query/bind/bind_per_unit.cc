#include "query/bind/bind_per_unit.h"

#include <fmt/format.h>
#include <pg_query/pg_query.pb-c.h>

#include <algorithm>
#include <map>
#include <set>

#include "policy/per_row.h"
#include "query/bind/typing.h"
#include "query/bind/unit_columns.h"
#include "query/group_rows.h"
#include "query/per_unit.h"

namespace kith {
namespace {

constexpr const char* kKnown =
    "use count, sum, avg, median, min, max, bool_or, bool_and, arg_min(x, t) or arg_max(x, t)";

constexpr const char* kOfUnits =
    "count units instead: GROUP BY the unit's key alone, with bool_or and the like, and no GROUP BY around it";

class PerUnitBinder final : public AggregateBinder {
 public:
  PerUnitBinder(const std::string& sql, const PgQuery__SelectStmt& select, const Policy& policy, const Scope& inner,
                const Table& table)
      : sql_(sql),
        select_(select),
        policy_(policy),
        inner_(inner),
        rows_(sql, table, inner),
        table_(policy.unit_table()),
        columns_(policy, rows_, table_, per_unit_) {
    per_unit_.joins = inner.joins;
  }

  Result<Scope> Make(Table& table) {
    for (const auto step : {&PerUnitBinder::BindGroups, &PerUnitBinder::BindWhere, &PerUnitBinder::BindTargets}) {
      const auto done = (this->*step)();
      if (!done) return done.error();
    }
    per_unit_.unit = policy_.unit;
    per_unit_.unit.max_rows = 1;
    const bool of_groups = per_unit_.OfGroups();
    if (of_groups) {  // each row is the whole of a group, and nothing is left that is the unit's own
      per_unit_.unit.key.reset();
      per_unit_.unit.within.reset();
      per_unit_.unit.size = 1;
      per_unit_.unit.level = UnitLevel::kPerson;
    }
    // A unit may have no row that passes, here or in the windows that its rows come from, or none in this step of a
    // stream.
    const bool missed = inner_.per_unit && inner_.per_unit->unit.presence == Presence::kSecret;
    const bool chosen = of_groups ? !columns_.IsPublic(per_unit_.where) : per_unit_.where != nullptr;
    if (chosen || missed || policy_.stream) per_unit_.unit.presence = Presence::kSecret;
    scope_.per_unit = std::make_shared<const PerUnit>(std::move(per_unit_));
    table = std::move(table_);
    return std::move(scope_);
  }

  std::optional<Result<ExprPtr>> Bind(const PgQuery__FuncCall& call) override {
    const std::string name = PlainName(call.funcname, call.n_funcname), where = rows_.At(call.location);
    const auto kind = UnitColumns::KindOf(name);
    if (call.over) {
      return Unsupported("a window function beside GROUP BY is not supported", where,
                         "put it into a sub-select of its own, without GROUP BY");
    }
    if (!kind) {
      if (!IsAggregate(name) && name != "first" && name != "last") return std::nullopt;
      return Unsupported(fmt::format("{} is not available for one {}'s rows", Shortened(name),
                                     per_unit_.OfGroups() ? "group" : "unit"),
                         where, kKnown);
    }
    if (*kind == UnitAggregate::kFirst || *kind == UnitAggregate::kLast || *kind == UnitAggregate::kMedian) {
      const auto of_units = [](const TableJoin& join) { return join.of_units != nullptr; };
      if (std::any_of(inner_.joins.begin(), inner_.joins.end(), of_units)) {
        return Unsupported(fmt::format("{} over a join of tables of the units is not supported", Shortened(name)),
                           where, "ask it of one table, or take min or max");
      }
    }
    auto column = columns_.Bind(call, *kind, where);
    return column ? columns_.Add(*std::move(column), where) : Result<ExprPtr>(column.error());
  }

 private:
  std::optional<Error> Refused() const {
    if (!policy_.unit.key) {
      return Unsupported("GROUP BY in a sub-select makes one row of each unit's rows, but here each row is a unit", {},
                         "leave GROUP BY out, or declare the column that names the unit as its key in the policy");
    }
    if (inner_.per_unit && !inner_.per_unit->windows) {
      return Unsupported("this sub-select groups by the unit's key what has one row for each unit already", {},
                         "leave the inner GROUP BY out, or the outer one");
    }
    return std::nullopt;
  }

  std::string Key() const { return IdentifierText(*policy_.unit.key); }

  /// A column in GROUP BY that has one value for each unit because each has one row.
  struct OneRow {
    std::string name;
    ExprPtr column;
    std::string where;
  };

  // The key, where it is not declared.
  bool IsBareKey(const std::string& name) const {
    return inner_.has_key && policy_.unit.key && FoldCase(name) == FoldCase(*policy_.unit.key);
  }

  Result<void> BindGroups() {
    bool has_key = false;
    std::optional<Error> differs;
    std::vector<OneRow> one_row;
    for (std::size_t i = 0; i < select_.n_group_clause; ++i) {
      const PgQuery__Node* node = select_.group_clause[i];
      if (const auto number = WholeConstant(*node)) {
        if (*number < 1 || static_cast<std::size_t>(*number) > select_.n_target_list)
          return InvalidArgument(fmt::format("GROUP BY {}: the sub-select has no such column", *number));
        node = select_.target_list[*number - 1]->res_target->val;
      }
      if (node->node_case != PG_QUERY__NODE__NODE_COLUMN_REF) {
        differs = NotOfUnit("an expression", {});
        continue;
      }
      const auto name = rows_.NameOf(*node->column_ref);
      if (!name) return name.error();
      const auto column = rows_.Resolve(*node->column_ref);
      const std::string where = rows_.At(node->column_ref->location);
      // The key need not be declared: it can then be grouped by, and nothing else.
      if (!column && IsBareKey(*name)) {
        has_key = true;
        continue;
      }
      if (!column) return column.error();
      const bool is_key = columns_.IsKey(**column);
      if (!is_key && !columns_.IsOneForUnit(**column)) {
        if (!columns_.IsOfOneRow(**column)) differs = NotOfUnit(*name, where);
        one_row.push_back({*name, *column, where});
        continue;
      }
      has_key = has_key || is_key;
      groups_.columns.push_back({*name, *column, TableOf(*column)});
    }
    if (has_key && differs) return *differs;
    if (!has_key && !one_row.empty()) differs = NotOfUnit(one_row[0].name, one_row[0].where);
    if (!has_key) return BindPublicGroups(differs);
    if (const auto refused = Refused()) return *refused;
    return AddOneRow(one_row);
  }

  // In one row the largest value is the value: what a unit has in its only row is such an aggregate.
  Result<void> AddOneRow(const std::vector<OneRow>& one_row) {
    for (const OneRow& each : one_row) {
      UnitColumn column;
      column.kind = each.column->type == Type::kBoolean ? UnitAggregate::kAny : UnitAggregate::kMax;
      column.value = each.column;
      const auto added = columns_.Add(std::move(column), each.where);
      if (!added) return added.error();
      groups_.columns.push_back({each.name, *added, TableOf(each.column)});
      made_[each.column->column] = *added;
    }
    return {};
  }

  // Rows of groups, where the columns are public and one of them has groups of a declared size.
  Result<void> BindPublicGroups(const std::optional<Error>& differs) {
    const Table& table = rows_.table();
    const Column* no_size = nullptr;
    bool all_public = !differs;
    for (const Scope::Named& group : groups_.columns) {
      const Column& column = table.columns[group.expr->column];
      all_public = all_public && IsPublicOfUnit(column);
      const auto size = GroupSizeOf(policy_, column);
      if (IsPublicOfUnit(column) && !size) no_size = &column;
      if (!size) continue;
      per_unit_.size = per_unit_.groups.empty() ? *size : std::min(per_unit_.size, *size);
      per_unit_.groups.push_back(group.expr->column);
    }
    const bool sized = !per_unit_.groups.empty();
    per_unit_.groups.clear();
    if (!sized || !all_public) {
      if (no_size && all_public) return NoSize(*no_size);
      if (!sized) return NotByKey();
      return Unsupported("the row of a group is made by columns that are public, with one value for each unit", {},
                         "GROUP BY public columns alone; count others with FILTER");
    }
    std::set<std::size_t> groups;
    for (const Scope::Named& group : groups_.columns) groups.insert(group.expr->column);
    per_unit_.groups.assign(groups.begin(), groups.end());
    if (const auto refused = RefusedOfGroups()) return *refused;
    return {};
  }

  Error NoSize(const Column& column) const {
    return Unsupported(
        fmt::format("how many units a group of {} has at most is not declared, so the row of a group has no bounds",
                    Shortened(column.name)),
        {},
        policy_.unit.key
            ? fmt::format("declare [unit] within = \"{}\" and size, or GROUP BY the unit's key {}", column.name, Key())
            : fmt::format("declare [unit] within = \"{}\" and size", column.name));
  }

  Error NotByKey() const {
    if (!policy_.unit.key) return *Refused();
    return Unsupported(
        fmt::format("a sub-select must GROUP BY the unit's key {}, or by a public column whose groups have a declared "
                    "size: then one unit changes one row",
                    Shortened(Key())),
        {}, fmt::format("write GROUP BY {}", Key()));
  }

  // What the question calls its table, where several are joined.
  std::string TableOf(const ExprPtr& column) const {
    for (const Scope::Named& named : inner_.columns) {
      if (named.expr == column) return named.table;
    }
    return {};
  }

  // What is not proved for rows of groups.
  std::optional<Error> RefusedOfGroups() const {
    const auto refused = [](const char* of, const char* next) {
      return Unsupported(fmt::format("a sub-select with a row for each group is not supported {}", of), {}, next);
    };
    const char* const by_key = "GROUP BY the unit's key instead";
    if (inner_.per_unit && inner_.per_unit->OfGroups())
      return refused("over one that has such rows already", "leave one of the two out");
    if (policy_.stream) return refused("in a stream", by_key);
    const auto of_units = [](const TableJoin& join) { return join.of_units != nullptr; };
    if (rows_.table().OfUnits() || std::any_of(inner_.joins.begin(), inner_.joins.end(), of_units))
      return refused("over another table of the units: rows of groups are made of the unit's table alone", kOfUnits);
    if (policy_.HasStrata()) return refused("where strata have prices of their own", by_key);
    if (!policy_.one_sided.empty()) return refused("beside [one_sided]", by_key);
    if (policy_.unit.distance) return refused("where units move by a distance", by_key);
    if (!policy_.unit_table().rows_of.empty()) return refused("over the table of units", "ask about the unit's table");
    if (policy_.unit.level == UnitLevel::kPerson) return std::nullopt;
    // All persons of a household are in one row, or the question is not about one row.
    bool within = false, same = true;
    for (const std::size_t k : per_unit_.groups) {
      const Column& column = rows_.table().columns[k];
      within = within || column.name == policy_.unit.within;
      same = same && (column.name == policy_.unit.within || column.of_household);
    }
    if (within && same) return std::nullopt;
    return refused("in a question about households, unless all persons of one are in the same group",
                   "ask about persons, or GROUP BY the household alone");
  }

  Error NotOfUnit(const std::string& name, const std::string& where) const {
    if (!policy_.unit.key) return *Refused();
    return Unsupported(
        fmt::format("{} may differ between the rows of a unit, so that a unit would have several rows",
                    Shortened(name)),
        where,
        fmt::format(
            "GROUP BY {} alone, or with columns that are public or constant; take max({}) or the like of others", Key(),
            "x"));
  }

  // What is public about a unit is a condition on its row; anything else, on the rows that it is made of.
  Result<void> BindWhere() {
    ExprPtr where = inner_.where;
    if (select_.where_clause) {
      const auto bound = rows_.BindCondition(*select_.where_clause);
      if (!bound) return bound.error();
      where = BothConditions(where, *bound);
    }
    for (const TableJoin& join : inner_.joins) {
      if (join.inner) where = BothConditions(where, Matches(join));
    }
    if (where && WeightOf(*where).TooLarge()) return GrowsTooLarge();
    if (per_unit_.OfGroups()) {
      per_unit_.where = where;
    } else {
      columns_.Divide(where, scope_.where);
    }
    return columns_.CheckNumbers(per_unit_.where);
  }

  Result<void> BindTargets() {
    scope_.is_table = false;
    groups_.is_table = false;
    groups_.alias = per_unit_.OfGroups() ? "the row of a group" : "the row of a unit";
    const RowBinder targets(sql_, table_, groups_, this);
    for (std::size_t i = 0; i < select_.n_target_list; ++i) {
      const PgQuery__ResTarget& target = *select_.target_list[i]->res_target;
      const auto added = AddTarget(target, targets);
      if (!added) return added.error();
    }
    if (!select_.having_clause) return {};
    const auto having = targets.BindCondition(*select_.having_clause);
    if (!having) return having.error();
    scope_.where = BothConditions(scope_.where, *having);
    return {};
  }

  Result<void> AddTarget(const PgQuery__ResTarget& target, const RowBinder& targets) {
    std::string name = target.name;
    if (target.val->node_case == PG_QUERY__NODE__NODE_COLUMN_REF) {
      const PgQuery__ColumnRef& reference = *target.val->column_ref;
      const auto referred = rows_.NameOf(reference);
      if (!referred) return referred.error();
      if (name.empty()) name = *referred;
      const auto column = rows_.Resolve(reference);
      if (!column && IsBareKey(*referred)) {
        scope_.has_key = true;
        return {};
      }
      if (!column) return column.error();
      if (const auto made = made_.find((*column)->column); (*column)->op == Op::kColumn && made != made_.end()) {
        scope_.columns.push_back({std::move(name), made->second, {}});
        return {};
      }
      const auto is_it = [&](const Scope::Named& group) {
        return (*column)->op == Op::kColumn && (*column)->column == group.expr->column &&
               group.expr->column < per_unit_.first;
      };
      const auto grouped = std::find_if(groups_.columns.begin(), groups_.columns.end(), is_it);
      if (grouped == groups_.columns.end()) {
        const bool same = !per_unit_.OfGroups() && (columns_.IsOneForUnit(**column) || columns_.IsKey(**column) ||
                                                    columns_.IsOfOneRow(**column));
        return Unsupported(fmt::format("{} is neither in GROUP BY nor in an aggregate", Shortened(*referred)),
                           rows_.At(reference.location),
                           same ? fmt::format("add {} to GROUP BY", Shortened(IdentifierText(*referred)))
                                : fmt::format("take max({}) or the like", Shortened(IdentifierText(*referred))));
      }
      scope_.columns.push_back({std::move(name), grouped->expr, {}});
      return {};
    }
    const auto expr = targets.Bind(*target.val);
    if (!expr) return expr.error();
    if ((*expr)->type == Type::kNull) {
      return Unsupported("a column of a sub-select cannot be NULL alone", rows_.At(target.location), "leave it out");
    }
    if (name.empty() && target.val->node_case == PG_QUERY__NODE__NODE_FUNC_CALL)
      name = PlainName(target.val->func_call->funcname, target.val->func_call->n_funcname);
    if (name.empty()) {
      return Unsupported("a computed column of a sub-select needs a name", rows_.At(target.location),
                         "write the expression AS name");
    }
    scope_.columns.push_back({std::move(name), *expr, {}});
    return {};
  }

  const std::string& sql_;
  const PgQuery__SelectStmt& select_;
  const Policy& policy_;
  const Scope& inner_;
  const RowBinder rows_;                 // of the sub-select's rows
  Table table_;                          // of its result
  Scope groups_;                         // what its targets see besides aggregates
  std::map<std::size_t, ExprPtr> made_;  // of a column of its rows that is in GROUP BY: what it is in the result
  Scope scope_;                          // of its result
  PerUnit per_unit_;
  UnitColumns columns_;
};

}  // namespace

Windows::Windows(const std::string& sql, const Policy& policy, const Scope& inner, const Table& table)
    : policy_(policy),
      inner_(inner),
      rows_(sql, table, inner),
      table_(policy.unit_table()),
      per_unit_(std::make_unique<PerUnit>()),
      columns_(std::make_unique<UnitColumns>(policy, rows_, table_, *per_unit_)) {
  per_unit_->windows = true;
}
Windows::~Windows() = default;

std::string Windows::Key() const { return IdentifierText(*policy_.unit.key); }

std::optional<Result<ExprPtr>> Windows::Bind(const PgQuery__FuncCall& call) {
  if (!call.over) return std::nullopt;
  const std::string name = PlainName(call.funcname, call.n_funcname), where = rows_.At(call.location);
  if (const auto refused = Refused(where)) return *refused;
  auto column = ColumnOf(call, name, where);
  if (!column) return column.error();
  const auto ordered = BindOver(*call.over, where, *column);
  if (!ordered) return ordered.error();
  const bool needs_order = column->kind == UnitAggregate::kRowNumber || column->kind == UnitAggregate::kLag ||
                           column->kind == UnitAggregate::kLead || column->kind == UnitAggregate::kFirstValue;
  if (needs_order && column->order.empty()) {
    return Unsupported(fmt::format("{} needs an order", name), where,
                       fmt::format("write OVER (PARTITION BY {} ORDER BY t)", Key()));
  }
  return columns_->Add(*std::move(column), where);
}

// The condition is on rows before windows see them.
Result<void> Windows::Finish(Scope& scope, Table& table) {
  if (per_unit_->columns.empty()) return {};
  const ExprPtr where = scope.where;
  const auto checked = columns_->CheckNumbers(where);
  if (!checked) return checked.error();
  scope.where = nullptr;
  columns_->Divide(where, scope.where);
  per_unit_->unit = policy_.unit;
  if (per_unit_->where || policy_.stream) per_unit_->unit.presence = Presence::kSecret;
  scope.per_unit = std::make_shared<const PerUnit>(std::move(*per_unit_));
  table = std::move(table_);
  return {};
}

std::optional<Error> Windows::Refused(const std::string& where) const {
  if (!policy_.unit.key) {
    return Unsupported("a window looks at the rows of one unit, but here each row is a unit", where,
                       "declare the column that names the unit as its key in the policy");
  }
  if (inner_.per_unit) {
    return Unsupported("a window over a sub-select that has GROUP BY or windows itself is not supported", where,
                       "put all windows into the innermost sub-select");
  }
  if (!inner_.joins.empty()) {
    return Unsupported("a window beside a join is not supported", where, "join the sub-select that has the window");
  }
  if (RowsArePublic(policy_)) {
    return Unsupported("windows are not supported where columns are public per row", where,
                       fmt::format("GROUP BY {} in the sub-select", Key()));
  }
  return std::nullopt;
}

Result<UnitColumn> Windows::ColumnOf(const PgQuery__FuncCall& call, const std::string& name,
                                     const std::string& where) const {
  UnitColumn column;
  const bool lags = name == "lag" || name == "lead";
  if (name != "row_number" && name != "first_value" && !lags) {
    const auto kind = UnitColumns::KindOf(name);
    if (!kind || *kind == UnitAggregate::kFirst || *kind == UnitAggregate::kLast || *kind == UnitAggregate::kMedian ||
        call.agg_distinct) {
      return Unsupported(fmt::format("the window function {} is not supported", Shortened(name)), where,
                         "kith knows row_number, lag, lead, first_value, and running or whole count, sum, avg, min, "
                         "max, bool_or and bool_and");
    }
    return columns_->Bind(call, *kind, where);
  }
  column.kind = name == "lag"           ? UnitAggregate::kLag
                : name == "lead"        ? UnitAggregate::kLead
                : name == "first_value" ? UnitAggregate::kFirstValue
                                        : UnitAggregate::kRowNumber;
  if (call.agg_filter || call.agg_distinct)
    return Unsupported(fmt::format("{} takes no FILTER and no DISTINCT", name), where, "leave it out");
  const std::size_t most = lags ? 2 : name == "first_value" ? 1 : 0;
  if (call.n_args > most || (most > 0 && call.n_args == 0)) {
    return Unsupported(fmt::format("{} takes {}", name, most == 0 ? "no argument" : "other arguments"), where,
                       lags ? fmt::format("write {0}(x), {0}(x, 2), or coalesce({0}(x), 0)", name) : "leave them out");
  }
  if (most == 0) return column;
  auto value = rows_.Bind(*call.args[0]);
  if (!value) return value.error();
  column.value = *std::move(value);
  if (call.n_args < 2) return column;
  const auto offset = WholeConstant(*call.args[1]);
  if (!offset || *offset < 1 || *offset > policy_.unit.max_rows) {
    return Unsupported(
        fmt::format("{} looks at a row from 1 to max_rows = {} places away", name, policy_.unit.max_rows), where,
        "write a whole number");
  }
  column.offset = *offset;
  return column;
}

Result<void> Windows::BindOver(const PgQuery__WindowDef& over, const std::string& where, UnitColumn& column) const {
  constexpr int kFrameGiven = 1;
  if (*over.name != '\0' || *over.refname != '\0')
    return Unsupported("a window by name is not supported", where, "write OVER (PARTITION BY ... ORDER BY ...)");
  if ((over.frame_options & kFrameGiven) != 0) {
    return Unsupported("ROWS, RANGE and GROUPS are not supported in a window", where,
                       "leave them out: with ORDER BY it is of all rows up to this one, without of all rows");
  }
  bool by_key = false;
  for (std::size_t i = 0; i < over.n_partition_clause; ++i) {
    const PgQuery__Node& node = *over.partition_clause[i];
    const bool named = node.node_case == PG_QUERY__NODE__NODE_COLUMN_REF;
    const auto name = named ? rows_.NameOf(*node.column_ref) : Result<std::string>(std::string());
    const auto read = rows_.Bind(node);
    const bool undeclared = named && name && !read && inner_.has_key && FoldCase(*name) == FoldCase(*policy_.unit.key);
    if (!read && !undeclared) return read.error();
    const bool is_key = undeclared || columns_->IsKey(**read);
    by_key = by_key || is_key;
    if (!is_key && !columns_->IsOneForUnit(**read)) {
      return Unsupported("a window looks at all rows of a unit, not at parts of them", where,
                         fmt::format("write PARTITION BY {} alone, and FILTER or CASE for parts of the rows", Key()));
    }
  }
  if (!by_key && policy_.unit.max_rows == 1) {
    return Unsupported(
        fmt::format("a window looks at the rows of one unit, and here each {} has one row", Shortened(Key())), where,
        "for what a group has together, ask for one row for each of its groups: GROUP BY the public column that names "
        "the group in the sub-select");
  }
  if (!by_key) {
    return Unsupported(
        fmt::format("a window must be PARTITION BY the unit's key {}: then it looks at one unit's rows alone",
                    Shortened(Key())),
        where, fmt::format("write OVER (PARTITION BY {} ORDER BY ...)", Key()));
  }
  for (std::size_t i = 0; i < over.n_order_clause; ++i) {
    const PgQuery__SortBy& sort = *over.order_clause[i]->sort_by;
    auto by = rows_.Bind(*sort.node);
    if (!by) return by.error();
    const bool descending = sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_DESC;
    const auto other =
        descending ? PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST : PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST;
    if (sort.sortby_dir == PG_QUERY__SORT_BY_DIR__SORTBY_USING || sort.sortby_nulls == other)
      return Unsupported("NULL counts as the largest value in ORDER BY", where, "write ASC or DESC alone");
    if ((*by)->op == Op::kConstant)
      return Unsupported("ORDER BY a constant says nothing about rows", where, "write a column");
    column.order.push_back({*std::move(by), descending});
  }
  return {};
}

bool GroupsRows(const PgQuery__SelectStmt& select) { return select.n_group_clause > 0; }

Result<Scope> BindPerUnit(const std::string& sql, const PgQuery__SelectStmt& select, const Policy& policy,
                          const Scope& inner, Table& table) {
  return PerUnitBinder(sql, select, policy, inner, table).Make(table);
}

}  // namespace kith
