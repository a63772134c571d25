// Questions of the reference database: reading columns as the policy declares them, groups, statistics, the answer.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "tests/support/tiny_db.h"
#include "tests/support/tiny_db_eval.h"

namespace kith::testing {
namespace {

Datum BoundOf(const Column& column, double bound) {
  switch (column.type) {
    case ColumnType::kDate:
      return DateDatum(bound);
    case ColumnType::kTimestamp:
      return TimestampDatum(bound);
    case ColumnType::kInteger:
      return IntegerDatum(bound);
    default:
      return RealDatum(bound);
  }
}

Datum ReadValue(const Column& column, const Datum& raw) {
  Datum value = raw;
  if (!std::isfinite(value.number)) value = NullDatum();
  if (column.values.empty() && value.kind == Datum::Kind::kReal && std::fabs(value.number) < 0x1p-128L)
    value.number = 0;
  // Years 0001 to 9999.
  const long double day = value.kind == Datum::Kind::kDate ? 1 : 86400000000.0L;
  if (value.kind == Datum::Kind::kDate || value.kind == Datum::Kind::kTimestamp)
    value.number = std::clamp(value.number, -719162 * day, 2932897 * day - 1);
  if (value.kind == Datum::Kind::kDate) value.number = std::floor(value.number);
  if (!column.values.empty() && !value.null()) {
    const bool declared = std::any_of(column.values.begin(), column.values.end(),
                                      [&](const Value& v) { return FromPolicyValue(v, column.type) == value; });
    if (!declared) value = NullDatum();
  }
  if (!value.null() && column.lower && value.number < *column.lower) value = BoundOf(column, *column.lower);
  if (!value.null() && column.upper && value.number > *column.upper) value = BoundOf(column, *column.upper);
  if (value.null() && column.required)
    value =
        column.values.empty() ? BoundOf(column, *column.lower) : FromPolicyValue(column.values.front(), column.type);
  return value;
}

/// GROUP BY may name a column or the alias of one; SELECT zyg AS z ... GROUP BY z.
Expr ResolveKey(const Expr& key, const Question& question, const Table& table) {
  if (key.op == "column" && table.Find(key.name) == nullptr)
    for (const auto& item : question.items)
      if (item.name == key.name) return item.expr;
  if (key.op == "literal" && key.literal.kind == Datum::Kind::kInteger)
    return question.items.at(static_cast<std::size_t>(key.literal.number) - 1).expr;
  return key;
}

/// "[0, 12)" or "[108, 120]", of numbers or dates: is the value one of them?
bool PartHolds(const std::string& part, const Datum& value) {
  const std::size_t comma = part.find(", ");
  const auto end = [&](const std::string& text) {
    return value.kind == Datum::Kind::kDate ? static_cast<double>(DaysOf(text)) : std::stod(text);
  };
  const long double low = end(part.substr(1, comma - 1)), high = end(part.substr(comma + 2, part.size() - comma - 3));
  return value.number >= low && (part.back() == ']' ? value.number <= high : value.number < high);
}

}  // namespace

bool CountsValues(const Expr& expr, const Policy& policy) {
  const auto is = [&](const std::optional<std::string>& name) {
    return name && expr.args[0].op == "column" && expr.args[0].name == *name;
  };
  return expr.op == "count_distinct" && !is(policy.unit.key) && !is(policy.unit.within);
}

bool RowEffect::operator<(const RowEffect& other) const {
  return std::tie(counted, group, values) < std::tie(other.counted, other.group, other.values);
}

Reference::Reference(const Policy& policy, Question question, std::vector<Expr> aggregates,
                     std::vector<std::vector<Datum>> images, std::vector<TinyTable> publics)
    : policy_(policy),
      question_(std::move(question)),
      aggregates_(std::move(aggregates)),
      images_(std::move(images)),
      publics_(std::move(publics)) {
  const Table* table = policy_.FindTable(question_.table);
  if (table == nullptr) throw std::runtime_error("reference: unknown table " + question_.table);
  for (const Expr& written : question_.group_by) {
    Key key{ResolveKey(written, question_, *table), {}};
    const auto same = [&](const Key& other) { return other.expr == key.expr; };
    written_.push_back(static_cast<std::size_t>(std::find_if(keys_.begin(), keys_.end(), same) - keys_.begin()));
    if (written_.back() < keys_.size()) continue;  // GROUP BY x, x
    if (!images_.empty()) {
      key.values = images_.at(keys_.size());
      keys_.push_back(std::move(key));
      continue;
    }
    const Column* column = key.expr.op == "column" ? table->Find(key.expr.name) : nullptr;
    if (column == nullptr) throw std::runtime_error("reference: GROUP BY something else than a column");
    if (column->values.empty() && column->type == ColumnType::kBoolean)
      key.values = {BooleanDatum(false), BooleanDatum(true)};
    for (const Value& value : column->values) key.values.push_back(FromPolicyValue(value, column->type));
    if (!column->required) key.values.push_back(NullDatum());
    keys_.push_back(std::move(key));
  }
  AddLevels();
}

// ROLLUP leaves out the last key, the last two, and so on; CUBE any of them. Levels with more keys come first. A key
// that is written twice is kept where either of the two is, and a level that comes twice is one.
void Reference::AddLevels() {
  const std::size_t fixed = written_.size() - question_.rolled_up;
  const auto add = [&](const auto& keeps) {
    Level level(keys_.size(), false);
    for (std::size_t k = 0; k < written_.size(); ++k)
      level[written_[k]] = level[written_[k]] || k < fixed || keeps(k - fixed);
    if (std::find(levels_.begin(), levels_.end(), level) == levels_.end()) levels_.push_back(std::move(level));
  };
  for (std::size_t left_out = 0; !question_.cube && left_out <= question_.rolled_up; ++left_out)
    add([&](std::size_t k) { return k + left_out < question_.rolled_up; });
  if (!question_.cube) return;
  for (std::size_t choice = 0; choice < std::size_t{1} << question_.rolled_up; ++choice)
    add([&](std::size_t k) { return (choice >> k & 1) != 0; });
  const auto kept = [](const Level& level) { return std::count(level.begin(), level.end(), true); };
  std::stable_sort(levels_.begin(), levels_.end(), [&](const Level& x, const Level& y) { return kept(x) > kept(y); });
}

std::size_t Reference::GroupsIn(const Level& level) const {
  std::size_t product = 1;
  for (std::size_t k = 0; k < keys_.size(); ++k) product *= level[k] ? keys_[k].values.size() : 1;
  return product;
}

std::size_t Reference::groups() const {
  std::size_t sum = 0;
  for (const Level& level : levels_) sum += GroupsIn(level);
  return sum;
}

std::vector<std::size_t> Reference::GroupsWith(std::size_t finest) const {
  std::vector<std::size_t> groups;
  std::size_t before = 0;
  const auto positions = PlaceOf(finest);
  for (const Level& level : levels_) {
    std::size_t group = 0;
    for (std::size_t k = 0; k < keys_.size(); ++k)
      if (level[k]) group = group * keys_[k].values.size() + positions[k];
    groups.push_back(before + group);
    before += GroupsIn(level);
  }
  return groups;
}

namespace {
constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
}  // namespace

/// The position of the value of each key; kAll where the group's level does not distinguish them.
std::vector<std::size_t> Reference::PlaceOf(std::size_t group) const {
  std::size_t at = 0;
  while (group >= GroupsIn(levels_[at])) group -= GroupsIn(levels_[at++]);
  std::vector<std::size_t> positions(keys_.size(), kAll);
  for (std::size_t k = positions.size(); k-- > 0;) {
    if (!levels_[at][k]) continue;
    positions[k] = group % keys_[k].values.size();
    group /= keys_[k].values.size();
  }
  return positions;
}

Row Reference::Read(const TinyTable& table, const Row& raw) const {
  const Table* declared = policy_.FindTable(table.name);
  Row read = raw;
  for (std::size_t i = 0; i < raw.size(); ++i)
    if (const Column* column = declared->Find(table.columns[i])) read[i] = ReadValue(*column, raw[i]);
  return read;
}

std::size_t Reference::GroupOf(const TinyTable& table, const Row& read) const {
  std::size_t group = 0;
  for (const Key& key : keys_) {
    const bool histogram = key.expr.op == "histogram";
    const Datum value = Eval(histogram ? key.expr.args[0] : key.expr, table, read);
    const auto found = std::find_if(key.values.begin(), key.values.end(), [&](const Datum& shown) {
      return histogram && !value.null() && !shown.null() ? PartHolds(shown.text, value) : shown == value;
    });
    if (found == key.values.end()) throw std::runtime_error("reference: a value outside its groups");
    group = group * key.values.size() + static_cast<std::size_t>(found - key.values.begin());
  }
  return group;
}

/// Adds the columns of the joined table to the row, named alias.column. False if the row is left out.
bool Reference::Join(const Question::Join& join, TinyTable& table, Row& read) const {
  const Table& declared = *policy_.FindTable(join.table);
  const auto found =
      std::find_if(publics_.begin(), publics_.end(), [&](const TinyTable& other) { return other.name == join.table; });
  const auto key = static_cast<std::size_t>(std::find(found->columns.begin(), found->columns.end(), join.key) -
                                            found->columns.begin());
  const Datum wanted = Eval(join.on, table, read);
  const Row* match = nullptr;
  for (const Row& row : found->rows)
    if (!wanted.null() && row[key] == wanted) match = &row;
  if (match == nullptr && join.inner) return false;
  for (std::size_t i = 0; i < found->columns.size(); ++i) {
    Column column = *declared.Find(found->columns[i]);
    if (!join.inner) column.required = false;
    table.columns.push_back(join.alias + "." + found->columns[i]);
    read.push_back(match == nullptr ? NullDatum() : ReadValue(column, (*match)[i]));
  }
  return true;
}

RowEffect Reference::Effect(const TinyTable& table, const Row& raw) const {
  if (question_.joins.empty()) return EffectOf(table, Read(table, raw));
  TinyTable wide{table.name, table.columns, {}, {}};
  Row read = Read(table, raw);
  for (const Question::Join& join : question_.joins)
    if (!Join(join, wide, read)) return {};
  return EffectOf(wide, read);
}

RowEffect Reference::EffectOf(const TinyTable& table, const Row& read) const {
  RowEffect effect;
  const Datum passes = question_.where ? Eval(*question_.where, table, read) : BooleanDatum(true);
  effect.counted = !passes.null() && passes.number != 0;
  if (!effect.counted) return effect;
  effect.group = GroupOf(table, read);
  for (const Expr& aggregate : aggregates_) {
    Datum value = aggregate.op == "count_star" ? BooleanDatum(true) : Eval(aggregate.args[0], table, read);
    for (const Expr& filter : aggregate.filter) {
      const Datum kept = Eval(filter, table, read);
      if (kept.null() || kept.number == 0) value = NullDatum();
    }
    effect.values.push_back(std::move(value));
  }
  return effect;
}

Statistics Reference::Contribution(const std::vector<const RowEffect*>& rows) const {
  Statistics total(aggregates_.size(), std::vector<long double>(groups(), 0));
  std::set<std::tuple<std::size_t, std::size_t, Datum>> values;
  for (const RowEffect* row : rows) {
    if (!row->counted) continue;
    for (std::size_t a = 0; a < aggregates_.size(); ++a) {
      if (row->values[a].null()) continue;  // NULL contributes 0
      for (const std::size_t group : GroupsWith(row->group)) {
        long double& cell = total[a][group];
        if (aggregates_[a].op == "sum")
          cell += row->values[a].number;
        else if (CountsValues(a))
          cell += values.insert({a, group, row->values[a]}).second ? 1 : 0;
        else if (aggregates_[a].op == "count_distinct")
          cell = 1;
        else
          cell += 1;
      }
    }
  }
  return total;
}

Statistics Reference::Evaluate(const TinyTable& table) const {
  std::size_t key_column = table.columns.size();
  if (policy_.unit.key)
    key_column = static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), *policy_.unit.key) -
                                          table.columns.begin());
  std::map<Datum, std::vector<RowEffect>> units;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const bool keyed = key_column < table.columns.size();
    const Datum unit = keyed ? table.rows[i][key_column] : IntegerDatum(static_cast<long double>(i));
    if (!unit.null()) units[unit].push_back(Effect(table, table.rows[i]));
  }
  Statistics total(aggregates_.size(), std::vector<long double>(groups(), 0));
  std::vector<const RowEffect*> everybody;
  for (const auto& [unit, effects] : units)
    for (const RowEffect& effect : effects) everybody.push_back(&effect);
  for (std::size_t a = 0; a < aggregates_.size(); ++a)
    if (CountsValues(a)) total[a] = Contribution(everybody)[a];
  for (const auto& [unit, effects] : units) {
    std::vector<const RowEffect*> rows;
    for (const RowEffect& effect : effects) rows.push_back(&effect);
    const Statistics own = Contribution(rows);
    for (std::size_t a = 0; a < own.size(); ++a)
      for (std::size_t g = 0; g < own[a].size() && !CountsValues(a); ++g) total[a][g] += own[a][g];
  }
  return total;
}

Row Reference::AnswerRow(std::size_t group, const std::vector<std::pair<Expr, Datum>>& facts) const {
  std::vector<std::pair<Expr, Datum>> known = facts;
  const auto place = PlaceOf(group);
  for (std::size_t k = 0; k < keys_.size(); ++k)
    known.emplace_back(keys_[k].expr, place[k] != kAll ? keys_[k].values[place[k]] : TextDatum("(all)"));
  const Lookup lookup = [&](const Expr& e) -> std::optional<Datum> {
    for (const auto& [expr, value] : known)
      if (expr == e) return value;
    return std::nullopt;
  };
  Row row;
  for (const auto& item : question_.items) row.push_back(EvalWith(item.expr, lookup));
  for (const auto& order : question_.order_by) {
    Expr expr = order.expr;
    if (expr.op == "literal" && expr.literal.kind == Datum::Kind::kInteger)
      expr = question_.items[static_cast<std::size_t>(expr.literal.number) - 1].expr;
    for (const auto& item : question_.items)
      if (expr.op == "column" && item.name == expr.name) expr = item.expr;
    row.push_back(EvalWith(expr, lookup));
  }
  return row;
}

// From simple sums over the rows where all arguments are there, as in a textbook.
Datum Reference::SpreadOf(const Expr& aggregate, const TinyTable& table, std::size_t group) const {
  const Expr& x = aggregate.args[0];
  const Expr& y = aggregate.args.back();
  const auto product = [](const Expr& a, const Expr& b) { return Expr{"*", {}, {}, {a, b}, {}}; };
  const auto part = [&](const std::string& op, const Expr& value) {
    Expr of{op, {}, {}, {value}, aggregate.filter};
    of.filter.push_back({"not", {}, {}, {{"is_null", {}, {}, {product(x, y)}, {}}}, {}});
    return of;
  };
  const std::vector<Expr> parts = {
      part("count", x),          part("sum", x), part("sum", y), part("sum", product(x, x)), part("sum", product(y, y)),
      part("sum", product(x, y))};
  const Statistics exact = Reference(policy_, question_, parts, images_, publics_).Evaluate(table);
  const long double n = exact[0][group];
  const bool sample = aggregate.op == "variance" || aggregate.op == "stddev" || aggregate.op.ends_with("_samp");
  if (n < (sample ? 2 : 1)) return TextDatum(kNoMean);
  const auto mean = [&](std::size_t k) { return exact[k][group] / n; };
  const long double factor = sample ? n / (n - 1) : 1;
  const long double vx = std::max(0.0L, mean(3) - mean(1) * mean(1)), vy = std::max(0.0L, mean(4) - mean(2) * mean(2));
  const long double covariance = mean(5) - mean(1) * mean(2);
  if (aggregate.op.starts_with("var")) return RealDatum(vx * factor);
  if (aggregate.op.starts_with("stddev")) return RealDatum(std::sqrt(vx * factor));
  if (aggregate.op.starts_with("covar")) return RealDatum(covariance * factor);
  // regr_...(y, x): what depends comes first.
  if (aggregate.op.starts_with("regr")) {
    if (vy == 0 || (aggregate.op == "regr_r2" && vx == 0)) return TextDatum(kNoMean);
    if (aggregate.op == "regr_r2") return RealDatum(covariance * covariance / (vx * vy));
    const long double slope = covariance / vy;
    return RealDatum(aggregate.op == "regr_slope" ? slope : mean(1) - slope * mean(2));
  }
  return vx * vy == 0 ? TextDatum(kNoMean) : RealDatum(covariance / std::sqrt(vx * vy));
}

std::vector<Row> Reference::Answer(const TinyTable& table) const {
  // avg is the simple mean of the values that are there.
  const std::vector<Expr> asked = AggregatesOf(question_);
  std::vector<Expr> parts;
  for (const Expr& aggregate : asked) {
    Expr numerator = aggregate;
    Expr denominator = aggregate;
    if (aggregate.op == "avg") numerator.op = "sum";
    if (aggregate.op == "avg") denominator.op = "count";
    parts.push_back(numerator);
    parts.push_back(denominator);
  }
  const Statistics exact = Reference(policy_, question_, parts, images_, publics_).Evaluate(table);
  std::vector<Row> rows;
  std::vector<std::size_t> shown_order(groups());
  std::iota(shown_order.begin(), shown_order.end(), 0);
  // Totals after their parts: a level with fewer keys comes after all that agree with it in these.
  std::stable_sort(shown_order.begin(), shown_order.end(),
                   [&](std::size_t a, std::size_t b) { return PlaceOf(a) < PlaceOf(b); });
  for (const std::size_t g : shown_order) {
    std::vector<std::pair<Expr, Datum>> facts;
    for (std::size_t a = 0; a < asked.size(); ++a) {
      const long double value = exact[2 * a][g];
      const long double count = exact[2 * a + 1][g];
      Datum datum = asked[a].op == "sum" ? RealDatum(value) : IntegerDatum(value);
      if (asked[a].op == "avg") datum = count == 0 ? TextDatum(kNoMean) : RealDatum(value / count);
      if (IsSpread(asked[a])) datum = SpreadOf(asked[a], table, g);
      facts.emplace_back(asked[a], datum);
    }
    rows.push_back(AnswerRow(g, facts));
  }
  const std::size_t shown = question_.items.size();
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    for (std::size_t o = 0; o < question_.order_by.size(); ++o) {
      const int order = CompareNullsLast(a[shown + o], b[shown + o]);
      if (order != 0) return question_.order_by[o].descending ? order > 0 : order < 0;
    }
    return false;
  });
  rows.erase(rows.begin(), rows.begin() + std::min(question_.offset, static_cast<long long>(rows.size())));
  if (question_.limit && rows.size() > static_cast<std::size_t>(*question_.limit))
    rows.resize(static_cast<std::size_t>(*question_.limit));
  for (Row& row : rows) row.resize(shown);
  return rows;
}

}  // namespace kith::testing
