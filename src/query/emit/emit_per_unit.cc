// Sub-selects with GROUP BY the unit's key, or with windows over it: the kept rows of each unit, and one row made of
// them, or each of them with what the others say. With GROUP BY public columns: one row made of all kept rows that
// agree in these.
//
// Sums and averages are of whole steps, and where rows are put in order, those that tie agree in all that is read: what
// a unit's row holds does not depend on the order in which an engine meets rows.
#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "query/emit/emit.h"
#include "query/per_unit.h"

namespace kith {
namespace {

using sql::Stored;

std::string Numbered(const char* prefix, std::size_t k) { return fmt::format("{}{}", prefix, k); }
sql::Term NumberedName(const char* prefix, std::size_t k) { return sql::Name(Numbered(prefix, k)); }
sql::Term Real(double x) { return sql::Literal(x, Type::kReal); }

class UnitRowMaker {
 public:
  // `result`: the table that it makes.
  UnitRowMaker(const Question& question, const PerUnit& per_unit, const Table& result)
      : per_unit_(per_unit),
        result_(result),
        policy_(*per_unit.policy),
        table_(policy_.unit_table()),
        terms_(table_),
        used_(UsedColumns(question)) {
    rows_.tick = question.tick;
    rows_.per_unit = per_unit.rows;
    rows_.joins = per_unit.joins;
    rows_.where = per_unit.where;
    for (std::size_t k = 0; k < per_unit.columns.size(); ++k) {
      if (!used_.contains(per_unit.first + k)) continue;
      const UnitColumn& column = per_unit.columns[k];
      columns_.push_back(k);
      Reads(column.value, column.filter);
      Reads(column.by, nullptr);
      for (const WindowOrder& order : column.order) Reads(order.by, nullptr);
      if (column.Ordered() && column.kind != UnitAggregate::kMedian) ++ordered_;
    }
    for (std::size_t k = 0; k < per_unit.first; ++k) {
      const bool outer = policy_.unit.level == UnitLevel::kHousehold &&
                         table_.columns[k].name == *policy_.unit.within && !per_unit.OfGroups();
      const bool key = table_.columns[k].name == policy_.unit.key;
      if ((used_.contains(k) || outer) && !key) passed_.push_back(k);
      if (used_.contains(k)) Reads(MakeColumn(table_, k), nullptr);
    }
    for (const std::size_t k : per_unit.groups) Reads(MakeColumn(table_, k), nullptr);
    while (table_.Find(place_)) place_ += "_";
    for (std::size_t k = 0; ordered_ > 0 && k < table_.columns.size(); ++k) {
      if (OwnerOf(table_.columns[k]).empty()) Reads(MakeColumn(table_, k), nullptr);
    }
  }

  sql::Statement Make() const {
    sql::Terms group_by;
    std::vector<sql::Item> items;
    for (std::size_t i = 0; i < per_unit_.groups.size(); ++i) group_by.push_back(NumberedName("g", i));
    if (group_by.empty()) {
      group_by.push_back(sql::Name("u"));
      items.push_back({sql::Name("u"), *policy_.unit.key, true});
    }
    if (per_unit_.windows) {
      for (const std::size_t k : passed_) items.push_back({NumberedName("c", k), table_.columns[k].name, true});
      for (const std::size_t k : columns_) items.push_back({Window(k), NameOf(k), true});
      return sql::Selected({.items = std::move(items), .from = sql::Rows(Rows(), "r")});
    }
    // One value for each unit, by a check; were there several, one of them. Values of a group are read alike.
    for (const std::size_t k : passed_) {
      const bool truth = table_.columns[k].type == ColumnType::kBoolean;
      const sql::Term value = NumberedName("c", k);
      items.push_back({truth ? sql::Call("bool_or", {value}) : sql::Max(value), table_.columns[k].name, true});
    }
    for (const std::size_t k : columns_) items.push_back({Aggregate(k), NameOf(k), true});
    if (items.empty()) items.push_back({sql::CountRows(), "n"});  // all that is read of the rows is that they are there
    return sql::Selected({.items = std::move(items), .from = sql::Rows(Rows(), "r"), .group_by = std::move(group_by)});
  }

 private:
  std::string NameOf(std::size_t k) const { return result_.columns[per_unit_.first + k].name; }

  void Reads(const ExprPtr& value, const ExprPtr& filter) {
    Counter counter;
    counter.value = value;
    counter.filter = filter;
    rows_.counters.push_back(std::move(counter));
  }

  static bool Adds(const UnitColumn& column) {
    return column.kind == UnitAggregate::kSum || column.kind == UnitAggregate::kAverage;
  }

  static BoundedCounter Bounded(const UnitColumn& column) {
    return {column.lattice, Sensitivities::None(), {}, column.low, column.high};
  }

  // The kept rows that pass, with all that the aggregates read.
  sql::Statement Rows() const {
    std::vector<sql::Item> items;
    if (!per_unit_.OfGroups()) items.push_back({UnitKey(policy_), "u"});
    for (std::size_t i = 0; i < per_unit_.groups.size(); ++i) items.push_back({Group(i), Numbered("g", i)});
    for (const std::size_t k : passed_) items.push_back({terms_.Raw(k), Numbered("c", k)});
    for (const std::size_t k : columns_) {
      const UnitColumn& column = per_unit_.columns[k];
      if (column.value)
        items.push_back(
            {Adds(column) ? terms_.Steps(*column.value, Bounded(column)) : terms_.Of(*column.value), Numbered("v", k)});
      const sql::Term counts = Counts(column);
      if (counts) items.push_back({counts, Numbered("f", k)});
      if (column.kind == UnitAggregate::kMedian) {  // which of equal values comes first makes no difference
        items.push_back({sql::Window("row_number", Partition(), Order(column, counts)), Numbered("o", k)});
        items.push_back({CountOf(counts), Numbered("n", k)});
      } else if (column.Ordered()) {
        items.push_back({Place(Order(column, counts)), Numbered("o", k)});
      }
    }
    return sql::Selected({.items = std::move(items),
                          .from = SeveralOrders() ? NumberedRows() : KeptRows(rows_, policy_),
                          .joins = JoinsOf(rows_, terms_),
                          .where = Passes()});
  }

  // Rows that are equal in everything may come in either order, but in the same one for all windows: what one window
  // says of a row is put beside what another says of it.
  bool SeveralOrders() const { return per_unit_.windows && ordered_ > 1; }

  // The kept rows of each unit, numbered by all that is declared about them.
  sql::Source NumberedRows() const {
    std::vector<sql::Item> items;
    for (const Column& column : table_.columns) {
      if (OwnerOf(column).empty()) items.push_back({sql::Column("t", column.name), column.name, true});
    }
    // What tells units apart need not be declared.
    if (const auto& key = policy_.unit.key; key && table_.Find(*key) == nullptr)
      items.push_back({sql::Column("t", *key), *key, true});
    items.push_back({PlaceByAll({}), place_, true});
    return sql::Rows(sql::Selected({.items = std::move(items), .from = KeptRows(rows_, policy_)}), "t");
  }

  // The value by which rows are grouped, as it is read: NULL is not a group.
  sql::Term Group(std::size_t i) const { return terms_.Of(*MakeColumn(table_, per_unit_.groups[i])); }

  sql::Term Passes() const {
    const sql::Term where = rows_.where ? terms_.Condition(*rows_.where) : nullptr;
    if (!per_unit_.OfGroups()) return where;
    sql::Terms tests;
    if (where) tests.push_back(sql::Paren(where));
    for (std::size_t i = 0; i < per_unit_.groups.size(); ++i) tests.push_back(sql::IsNotNull(Group(i)));
    return sql::All(std::move(tests));
  }

  // Which rows an aggregate is of; null: all.
  sql::Term Counts(const UnitColumn& column) const {
    sql::Terms tests;
    if (column.filter) tests.push_back(sql::Paren(terms_.Condition(*column.filter)));
    if (column.by) {
      tests.push_back(sql::IsNotNull(terms_.Of(*column.value)));
      tests.push_back(sql::IsNotNull(terms_.Of(*column.by)));
    }
    return tests.empty() ? nullptr : sql::All(std::move(tests));
  }

  sql::Terms Order(const UnitColumn& column, const sql::Term& counts) const {
    sql::Terms order;
    const auto add = [&](const sql::Term& by, bool descending) {
      order.push_back(descending ? sql::Suffix(by, " DESC") : by);
    };
    if (column.by) {
      order.push_back(sql::Case({counts, sql::Number(0), sql::Number(1)}));
      add(terms_.Of(*column.by), column.kind == UnitAggregate::kLast);
    }
    // NULL counts as the largest value, which engines see in different ways.
    for (const WindowOrder& by : column.order) {
      const sql::Term value = terms_.Of(*by.by);
      const sql::Term is_null = sql::Number(by.descending ? 0 : 1), is_value = sql::Number(by.descending ? 1 : 0);
      order.push_back(sql::Case({sql::Suffix(value, " IS NULL"), is_null, is_value}));
      add(value, by.descending);
    }
    return order;
  }

  sql::Term Place(sql::Terms order) const {
    if (!SeveralOrders()) return PlaceByAll(std::move(order));
    order.push_back(sql::Column("t", place_));
    return sql::Window("row_number", Partition(), std::move(order));
  }

  // Rows that tie are put in order by their hash, and then by all that is declared about them.
  sql::Term PlaceByAll(sql::Terms order) const {
    order.push_back(RowHash(policy_));
    for (const Column& column : table_.columns) {
      if (OwnerOf(column).empty()) order.push_back(sql::Column("t", column.name));
    }
    return sql::Window("row_number", Partition(), std::move(order));
  }

  // Whose rows become one.
  sql::Term Partition() const {
    if (!per_unit_.OfGroups()) return UnitKey(policy_);
    sql::Terms groups;
    for (std::size_t i = 0; i < per_unit_.groups.size(); ++i) groups.push_back(Group(i));
    return sql::Infix(", ", std::move(groups));
  }

  // How many of them count.
  sql::Term CountOf(const sql::Term& counts) const {
    const sql::Term count = sql::Count(sql::Case({counts, sql::Number(1)}));
    return sql::Suffix(sql::Infix(" OVER (PARTITION BY ", {count, Partition()}), ")");
  }

  // Half of the value in the middle and half of it again, or of the two there. Both halves are exact, so that there is
  // one rounding, the same everywhere, and the sum stays between the two.
  static sql::Term Median(std::size_t k) {
    const sql::Term value = NumberedName("v", k), n = NumberedName("n", k);
    const sql::Term twice = sql::Infix(" * ", {sql::Number(2), NumberedName("o", k)});
    const sql::Term middle = sql::All({NumberedName("f", k), sql::Infix(" >= ", {twice, n}),
                                       sql::Infix(" <= ", {twice, sql::Infix(" + ", {n, sql::Number(2)})})});
    const auto half = [&](sql::Term of) { return sql::Infix(" * ", {sql::Where(std::move(of), middle), Real(0.5)}); };
    return sql::Infix(" + ", {half(sql::Min(value)), half(sql::Max(value))});
  }

  // Over the rows of the unit up to this one, or over all of them. Places are never equal.
  sql::Term Over(std::size_t k, sql::Term function) const {
    const std::string order = per_unit_.columns[k].order.empty() ? "" : " ORDER BY " + Numbered("o", k);
    return sql::Suffix(std::move(function), fmt::format(" OVER (PARTITION BY u{})", order));
  }

  sql::Term Window(std::size_t k) const {
    const UnitColumn& column = per_unit_.columns[k];
    const sql::Term value = NumberedName("v", k);
    switch (column.kind) {
      case UnitAggregate::kRowNumber:
        return NumberedName("o", k);
      case UnitAggregate::kLag:
      case UnitAggregate::kLead:
        return Over(
            k, sql::Call(column.kind == UnitAggregate::kLag ? "lag" : "lead", {value, sql::Number(column.offset)}));
      case UnitAggregate::kFirstValue:
        return Over(k, sql::Call("first_value", {value}));
      default:
        return Aggregate(k);
    }
  }

  sql::Term Aggregate(std::size_t k) const {
    const UnitColumn& column = per_unit_.columns[k];
    const sql::Term value = NumberedName("v", k);
    const sql::Term filter = Counts(column) ? NumberedName("f", k) : nullptr;
    const auto of_rows = [&](sql::Term aggregate) { return OfRows(k, std::move(aggregate), filter); };
    switch (column.kind) {
      case UnitAggregate::kCount:
        return of_rows(column.value ? sql::Count(value) : sql::CountRows());
      case UnitAggregate::kDistinct:
        return of_rows(sql::CountDistinct(value));
      case UnitAggregate::kSum:
      case UnitAggregate::kAverage:
        return Sum(k, filter);
      case UnitAggregate::kMin:
        return of_rows(sql::Min(value));
      case UnitAggregate::kMax:
        return of_rows(sql::Max(value));
      case UnitAggregate::kAny:
        return of_rows(sql::Call("bool_or", {value}));
      case UnitAggregate::kAll:
        return of_rows(sql::Call("bool_and", {value}));
      case UnitAggregate::kFirst:
      case UnitAggregate::kLast: {
        const sql::Term first =
            sql::All({NumberedName("f", k), sql::Infix(" = ", {NumberedName("o", k), sql::Number(1)})});
        const bool truth = column.value->type == Type::kBoolean;
        return sql::Where(truth ? sql::Call("bool_or", {value}) : sql::Max(value), first);
      }
      case UnitAggregate::kMedian:
        return Median(k);
      default:
        break;
    }
    KITH_CHECK(false);
  }

  sql::Term OfRows(std::size_t k, sql::Term aggregate, const sql::Term& filter) const {
    if (!per_unit_.windows || !filter) {
      sql::Term filtered = sql::Where(std::move(aggregate), filter);
      return per_unit_.windows ? Over(k, std::move(filtered)) : filtered;
    }
    // Not every engine has FILTER in a window. What does not count is NULL instead, which no aggregate takes.
    sql::Node node = *aggregate;
    sql::Term& added = node.args.at(0);
    added = sql::Case({filter, added->form == sql::Form::kStar ? sql::Number(1) : added});
    return Over(k, std::make_shared<const sql::Node>(std::move(node)));
  }

  sql::Term Sum(std::size_t k, const sql::Term& filter) const {
    const UnitColumn& column = per_unit_.columns[k];
    const sql::Term whole = terms_.Whole(NumberedName("v", k), *column.value, Bounded(column));
    const sql::Term sum = OfRows(k, sql::Sum(whole), filter);
    const bool real = column.value->type == Type::kReal;
    if (column.kind == UnitAggregate::kSum && !real) return sql::Cast(sum, Stored::kWhole);
    sql::Term result = sql::Cast(sum, Stored::kReal);
    if (column.kind == UnitAggregate::kAverage) {
      const sql::Term count = sql::Cast(OfRows(k, sql::Count(whole), filter), Stored::kReal);
      result = sql::Infix(" / ", {std::move(result), sql::Call("nullif", {count, Real(0)})});
    }
    return real ? sql::Infix(" * ", {std::move(result), Real(column.lattice.step())}) : result;
  }

  const PerUnit& per_unit_;
  const Table& result_;
  const Policy& policy_;
  const Table& table_;
  const RowTerms terms_;
  const std::set<std::size_t> used_;  // of the result's columns
  std::vector<std::size_t> columns_;  // aggregates among them
  std::vector<std::size_t> passed_;   // columns of the unit's table that are in the unit's row as they are
  Question rows_;                     // what is read of the rows, for the choice of rows
  int ordered_ = 0;                   // columns that depend on an order of rows
  std::string place_ = "place among the unit's rows";  // no column has this name
};

}  // namespace

sql::Source RowsPerUnit(const Question& question, const Policy& policy, std::string name) {
  return sql::Rows(UnitRowMaker(question, *question.per_unit, policy.unit_table()).Make(), std::move(name));
}

}  // namespace kith
