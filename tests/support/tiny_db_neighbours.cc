// Enumeration of all records of one unit, and the largest change between two of them.
#include "tests/support/tiny_db_neighbours.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace kith::testing {
namespace {

using Kind = Datum::Kind;
using Sparse = std::map<std::size_t, long double>;  // group -> contribution, zeros left out

void AddNumber(std::vector<Datum>& out, ColumnType type, long double value) {
  switch (type) {
    case ColumnType::kInteger:
      return out.push_back(IntegerDatum(std::round(value)));
    case ColumnType::kReal:
      return out.push_back(RealDatum(value));
    case ColumnType::kDate:
      return out.push_back(DateDatum(std::round(value)));
    case ColumnType::kTimestamp:
      return out.push_back(TimestampDatum(std::round(value)));
    default:
      return;
  }
}

/// Every weekday, every month, the first and last days of months and years, and the ends of an hour, within the bounds.
void AddCalendar(std::vector<Datum>& out, const Column& column) {
  const long double unit = column.type == ColumnType::kDate ? 1 : 86400000000.0L;
  const auto first = static_cast<long long>(std::floor(*column.lower / unit));
  const auto last = static_cast<long long>(std::floor(*column.upper / unit));
  for (long long day = first; day <= std::min(last, first + 800); ++day) {
    const std::string text = ToText(DateDatum(static_cast<long double>(day)));
    const std::string month_and_day = text.substr(text.size() - 5);
    if (day - first > 6 && month_and_day.substr(3) != "01" && month_and_day != "12-31" && month_and_day != "01-31")
      continue;
    AddNumber(out, column.type, static_cast<long double>(day) * unit);
    if (unit > 1 && day == first) AddNumber(out, column.type, static_cast<long double>(day) * unit + 86399000000.0L);
  }
}

/// A string, and what it matches if it is a pattern.
void AddTexts(std::vector<Datum>& out, const std::string& text) {
  out.push_back(TextDatum(text));
  std::string plain;
  for (const char c : text)
    if (c != '\\') plain += c == '_' ? 'x' : c;
  out.push_back(TextDatum(plain));
}

/// A literal as a value of the column's type, or nothing.
std::optional<Datum> Aligned(const Datum& literal, ColumnType type) {
  const bool dated = type == ColumnType::kDate || type == ColumnType::kTimestamp;
  if (literal.kind == Kind::kText && type == ColumnType::kText) return literal;
  if (literal.kind == Kind::kText && dated && literal.text.size() >= 10 && literal.text[4] == '-')
    return FromText(type == ColumnType::kDate ? literal.text.substr(0, 10) : literal.text, type);
  if (literal.kind == Kind::kDate && type == ColumnType::kDate) return literal;
  if (literal.kind == Kind::kDate && type == ColumnType::kTimestamp)
    return TimestampDatum(literal.number * 86400000000.0L);
  if (literal.kind == Kind::kTimestamp && type == ColumnType::kTimestamp) return literal;
  if (literal.numeric() && (type == ColumnType::kInteger || type == ColumnType::kReal)) return literal;
  return std::nullopt;
}

Sparse Plus(const Sparse& a, const Sparse& b, bool distinct) {
  Sparse sum = a;
  for (const auto& [group, value] : b) {
    sum[group] = distinct ? std::max(sum[group], value) : sum[group] + value;
    if (sum[group] == 0) sum.erase(group);
  }
  return sum;
}

/// Of count(DISTINCT value): a number for each value in each group, instead of the group.
std::size_t PlaceOf(std::size_t group, const Datum& value) {
  static std::map<Datum, std::size_t> numbers;
  return (group << 32) + numbers.try_emplace(value, numbers.size()).first->second;
}

struct Distance {
  long double l1 = 0, l2_squared = 0;
  std::size_t groups = 0;

  void Add(long double difference, long double hidden) {
    l1 += std::fabs(difference);
    l2_squared += difference * difference;
    groups += std::fabs(difference) > hidden ? 1 : 0;
  }
};

/// `hidden`: what is no change of a group.
Distance DistanceOf(const Sparse& a, const Sparse& b, long double hidden) {
  Distance distance;
  for (const auto& [group, value] : a) {
    const auto other = b.find(group);
    distance.Add(value - (other == b.end() ? 0 : other->second), hidden);
  }
  for (const auto& [group, value] : b)
    if (a.find(group) == a.end()) distance.Add(value, hidden);
  return distance;
}

/// Of values: others can have all that one record has, and nothing that the other brings, or the reverse.
Distance DistanceOfValues(const Sparse& a, const Sparse& b) {
  std::map<std::size_t, std::pair<long double, long double>> only;  // in each group: in a, and in b
  for (const auto& [place, one] : a)
    if (b.find(place) == b.end()) only[place >> 32].first += 1;
  for (const auto& [place, one] : b)
    if (a.find(place) == a.end()) only[place >> 32].second += 1;
  Distance distance;
  for (const auto& [group, count] : only) distance.Add(std::max(count.first, count.second), 0);
  return distance;
}

/// A value in a finest group, and in all groups that hold it.
Sparse InAllLevels(const Reference& reference, std::size_t finest, long double value) {
  Sparse sparse;
  for (const std::size_t group : reference.GroupsWith(finest)) sparse[group] = value;
  return sparse;
}

Sparse SparseOf(const RowEffect& effect, const Reference& reference, std::size_t index) {
  if (!effect.counted || effect.values[index].null()) return {};
  if (reference.CountsValues(index)) return {{PlaceOf(effect.group, effect.values[index]), 1}};
  const long double value = reference.aggregates()[index].op == "sum" ? effect.values[index].number : 1;
  return value == 0 ? Sparse{} : InAllLevels(reference, effect.group, value);
}

/// The distance of two records, in L1 and in L2, is convex in the value of each row, so that in each group the least
/// and the largest value (and nothing at all) are enough to find the largest distance.
std::set<Sparse> Extremes(const std::set<Sparse>& one_row, std::size_t max_groups, const Reference& reference,
                          std::size_t index) {
  if (reference.CountsValues(index)) {
    const std::size_t every = one_row.size() / (3 * std::min<std::size_t>(max_groups, 1000)) + 1;
    std::set<Sparse> some = {};
    std::size_t at = 0;
    for (const Sparse& contribution : one_row)
      if (contribution.empty() || at++ % every == 0) some.insert(contribution);
    return some;
  }
  std::map<std::size_t, std::pair<long double, long double>> ends;
  std::set<Sparse> kept;
  for (const Sparse& contribution : one_row) {
    if (contribution.empty()) {
      kept.insert(contribution);
      continue;
    }
    const auto& [group, value] = *contribution.begin();
    auto& end = ends.try_emplace(group, value, value).first->second;
    end = {std::min(end.first, value), std::max(end.second, value)};
  }
  std::vector<std::pair<long double, std::size_t>> order;
  for (const auto& [group, end] : ends)
    order.emplace_back(-std::max(std::fabs(end.first), std::fabs(end.second)), group);
  std::sort(order.begin(), order.end());
  order.resize(std::min(order.size(), max_groups));
  for (const auto& [size, group] : order) {
    kept.insert(InAllLevels(reference, group, ends[group].first));
    kept.insert(InAllLevels(reference, group, ends[group].second));
  }
  return kept;
}

/// What a unit's record can add to one statistic, over all records that matter.
std::set<Sparse> AllContributions(const Policy& policy, const std::set<RowEffect>& effects, const Reference& reference,
                                  std::size_t index, const Effort& effort) {
  const Expr& aggregate = reference.aggregates()[index];
  std::set<Sparse> one_row;
  for (const RowEffect& effect : effects) one_row.insert(SparseOf(effect, reference, index));
  if (policy.unit.max_rows > 1) one_row = Extremes(one_row, effort.groups, reference, index);
  std::set<Sparse> all = one_row;
  std::set<Sparse> last = one_row;
  for (std::int64_t rows = 2; rows <= policy.unit.max_rows; ++rows) {
    std::set<Sparse> next;
    for (const Sparse& a : last)
      for (const Sparse& b : one_row) next.insert(Plus(a, b, aggregate.op == "count_distinct"));
    all.insert(next.begin(), next.end());
    last = std::move(next);
  }
  if (policy.unit.presence == Presence::kSecret) all.insert(Sparse{});
  return all;
}

/// Too many to compare each with each: for each set of groups those with the least and the largest sum.
void Thin(std::set<Sparse>& all) {
  constexpr std::size_t kMost = 600;
  if (all.size() <= kMost) return;
  std::map<std::vector<std::size_t>, std::pair<const Sparse*, const Sparse*>> ends;
  const auto sum = [](const Sparse& s) {
    long double total = 0;
    for (const auto& [group, value] : s) total += value;
    return total;
  };
  for (const Sparse& contribution : all) {
    std::vector<std::size_t> groups;
    for (const auto& [group, value] : contribution) groups.push_back(group);
    auto& [least, most] = ends.try_emplace(groups, &contribution, &contribution).first->second;
    if (sum(contribution) < sum(*least)) least = &contribution;
    if (sum(contribution) > sum(*most)) most = &contribution;
  }
  std::set<Sparse> kept;
  for (const auto& [groups, end] : ends) {
    if (kept.size() > kMost) break;
    kept.insert({*end.first, *end.second});
  }
  all = std::move(kept);
}

/// Leaves out every other value of the longest lists until there are few enough combinations.
void Thin(const std::vector<std::vector<std::vector<Datum>>*>& kinds, std::size_t most) {
  for (;;) {
    std::size_t product = 1;
    std::vector<Datum>* longest = &kinds[0]->at(0);
    for (auto* lists : kinds)
      for (auto& list : *lists) {
        product *= list.size();
        if (list.size() > longest->size()) longest = &list;
      }
    if (product <= most) return;
    std::vector<Datum> half;
    for (std::size_t i = 0; i < longest->size(); i += 2) half.push_back((*longest)[i]);
    *longest = std::move(half);
  }
}

bool CellHas(const Policy& policy, std::size_t cell, const TinyTable& table, const Row& read,
             const std::vector<bool>& fixed) {
  for (std::size_t k = 0; k < policy.cells.columns().size(); ++k) {
    const std::string& name = policy.cells.columns()[k].name;
    const auto at =
        static_cast<std::size_t>(std::find(table.columns.begin(), table.columns.end(), name) - table.columns.begin());
    if (fixed[at] && !(FromPolicyValue(policy.cells.At(cell, k), table.types[at]) == read[at])) return false;
  }
  return true;
}

}  // namespace

std::vector<bool> BruteForce::Changed() const {
  std::vector<bool> changed;
  for (const auto& of_cell : change)
    changed.push_back(std::any_of(of_cell.begin(), of_cell.end(), [](long double by) { return by > 0; }));
  return changed;
}

TinyTable EmptyTable(const Table& table) {
  TinyTable empty{table.name, {}, {}, {}};
  for (const Column& column : table.columns) {
    empty.columns.push_back(column.name);
    empty.types.push_back(column.type);
  }
  return empty;
}

std::vector<std::size_t> UsedColumns(const Table& table, const Reference& reference) {
  std::vector<std::string> names;
  const Question& question = reference.question();
  if (question.where) CollectColumns(*question.where, names);
  for (const Expr& key : question.group_by) CollectColumns(key, names);
  for (const auto& item : question.items) CollectColumns(item.expr, names);
  for (const Expr& aggregate : reference.aggregates()) CollectColumns(aggregate, names);
  for (const auto& join : question.joins) CollectColumns(join.on, names);
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (std::find(names.begin(), names.end(), table.columns[i].name) != names.end()) used.push_back(i);
  return used;
}

std::vector<Datum> LiteralsOf(const Reference& reference) {
  std::vector<Datum> literals;
  if (reference.question().where) CollectLiterals(*reference.question().where, literals);
  for (const Expr& aggregate : reference.aggregates()) CollectLiterals(aggregate, literals);
  for (const Expr& key : reference.question().group_by) CollectLiterals(key, literals);
  for (const auto& item : reference.question().items) CollectLiterals(item.expr, literals);
  if (const auto& units = reference.question().units) {
    if (units->where) CollectLiterals(*units->where, literals);
    for (const auto& item : units->items) CollectLiterals(item.expr, literals);
  }
  return literals;
}

std::vector<Datum> Candidates(const Column& column, const std::vector<Datum>& literals) {
  std::vector<Datum> out = {NullDatum()};
  const long double infinity = std::numeric_limits<long double>::infinity();
  if (column.type == ColumnType::kBoolean) out.insert(out.end(), {BooleanDatum(false), BooleanDatum(true)});
  if (column.type == ColumnType::kText) out.push_back(TextDatum("undeclared"));
  if (column.type == ColumnType::kReal)
    out.insert(out.end(),
               {RealDatum(infinity - infinity), RealDatum(infinity), RealDatum(-infinity), RealDatum(-0.0L)});
  if (column.lower) {
    const long double low = *column.lower;
    const long double high = *column.upper;
    for (const long double value : {low, high, low - 1, high + 1, std::floor((low + high) / 2)})
      AddNumber(out, column.type, value);
    if (low < 0 && high > 0) AddNumber(out, column.type, 0);
    if (column.type == ColumnType::kDate || column.type == ColumnType::kTimestamp) AddCalendar(out, column);
  }
  for (const Value& value : column.values)
    if (column.type != ColumnType::kBoolean) out.push_back(FromPolicyValue(value, column.type));
  if (!column.values.empty() && (column.type == ColumnType::kInteger || column.type == ColumnType::kReal))
    AddNumber(out, column.type, 987654);
  if (column.values.empty())
    for (const Datum& literal : literals)
      if (const auto aligned = Aligned(literal, column.type)) {
        if (aligned->kind == Kind::kText) {
          AddTexts(out, aligned->text);
          continue;
        }
        AddNumber(out, column.type, aligned->number);
        AddNumber(out, column.type, aligned->number - 1);
        AddNumber(out, column.type, aligned->number + 1);
      }
  std::set<Datum> once(out.begin(), out.end());
  return {once.begin(), once.end()};
}

namespace {

/// The columns that a question reads, by who knows them and how they differ between rows, each with values to try.
struct Tried {
  std::vector<std::vector<Datum>> open, rows, constant, hidden;
  std::vector<bool> is_open, of_row, is_constant, is_hidden;
};

Tried TryColumns(const Policy& policy, const Reference& reference, const Effort& effort) {
  const Table& declared = policy.unit_table();
  const std::size_t count = declared.columns.size();
  const std::vector<Datum> literals = LiteralsOf(reference);
  const std::vector<std::vector<Datum>> nothing(count, {NullDatum()});
  const std::vector<bool> none(count, false);
  Tried tried{nothing, nothing, nothing, nothing, none, none, none, none};
  for (const std::size_t i : UsedColumns(declared, reference)) {
    const Column& column = declared.columns[i];
    if (policy.unit.key && column.name == *policy.unit.key) {
      // The key names the unit: it is there, and a replaced record keeps it.
      tried.open[i] = Candidates(column, literals);
      std::erase_if(tried.open[i], [](const Datum& key) { return key.null(); });
      if (tried.open[i].empty()) tried.open[i].push_back(IntegerDatum(1));
      continue;
    }
    const bool constant = column.constant && policy.unit.max_rows > 1;
    auto& values = column.per_row     ? tried.rows
                   : column.is_public ? tried.open
                   : constant         ? tried.constant
                                      : tried.hidden;
    values[i] = Candidates(column, literals);
    tried.of_row[i] = column.per_row;
    tried.is_open[i] = column.is_public && !column.per_row;
    tried.is_constant[i] = constant;
    tried.is_hidden[i] = !column.is_public && !constant;
  }
  Thin({&tried.rows}, effort.tuples);
  Thin({&tried.open, &tried.hidden, &tried.constant, &tried.rows}, effort.rows);
  return tried;
}

/// Calls visit with every non-decreasing list of up to `most` numbers below `count`.
template <class Visit>
void ForEachMultiset(std::size_t count, std::size_t most, std::vector<std::size_t>& chosen, const Visit& visit) {
  if (!chosen.empty()) visit(static_cast<const std::vector<std::size_t>&>(chosen));
  if (chosen.size() == most) return;
  for (std::size_t next = chosen.empty() ? 0 : chosen.back(); next < count; ++next) {
    chosen.push_back(next);
    ForEachMultiset(count, most, chosen, visit);
    chosen.pop_back();
  }
}

/// One combination of what is public about a unit: its records, and how far they are from each other.
class OneUnit {
 public:
  OneUnit(const Policy& policy, const Reference& reference, const Effort& effort, const Tried& tried,
          const TinyTable& table, const Row& open, BruteForce& result)
      : policy_(policy),
        reference_(reference),
        effort_(effort),
        tried_(tried),
        table_(table),
        open_(open),
        result_(result) {}

  /// Rows come and go, and differ only in secrets.
  void TryRecords() {
    std::vector<std::set<Sparse>> contributions(reference_.aggregates().size());
    ForEachConstant([&](const Row& constant) {
      const auto effects = EffectsOf(open_, constant);
      for (std::size_t a = 0; a < contributions.size(); ++a)
        contributions[a].merge(AllContributions(policy_, effects, reference_, a, effort_));
    });
    const auto changes = Compare(contributions);
    const Row read = reference_.Read(table_, open_);
    for (std::size_t cell = 0; cell < result_.change.size(); ++cell) {
      if (CellHas(policy_, cell, table_, read, tried_.is_open)) Note(cell, changes);
    }
  }

  /// How many rows there are with which public values is public.
  void TryRows() {
    std::vector<Row> rows;  // the public part of each row that there can be
    Row row(table_.columns.size());
    ForEachTuple(tried_.rows, row, 0, [&](const Row& of_row) {
      rows.push_back(open_);
      for (std::size_t i = 0; i < of_row.size(); ++i)
        if (tried_.of_row[i]) rows.back()[i] = of_row[i];
    });
    std::vector<std::size_t> chosen;
    ForEachMultiset(rows.size(), static_cast<std::size_t>(policy_.unit.max_rows), chosen,
                    [&](const std::vector<std::size_t>& multiset) {
                      std::vector<const Row*> of_unit;
                      for (const std::size_t at : multiset) of_unit.push_back(&rows[at]);
                      TryMultiset(of_unit);
                    });
  }

 private:
  template <class Visit>
  void ForEachConstant(const Visit& visit) const {
    Row row(table_.columns.size());
    ForEachTuple(tried_.constant, row, 0, visit);
  }

  // Of one unit all rows have the same constants, and each has its own secrets.
  std::set<RowEffect> EffectsOf(const Row& open, const Row& constant) const {
    std::set<RowEffect> effects;
    Row secret_row(table_.columns.size());
    ForEachTuple(tried_.hidden, secret_row, 0, [&](const Row& hidden) {
      Row row = open;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (tried_.is_hidden[i]) row[i] = hidden[i];
        if (tried_.is_constant[i]) row[i] = constant[i];
      }
      effects.insert(reference_.Effect(table_, row));
    });
    return effects;
  }

  void TryMultiset(const std::vector<const Row*>& rows) {
    std::vector<std::set<Sparse>> contributions(reference_.aggregates().size());
    ForEachConstant([&](const Row& constant) {
      std::vector<std::set<RowEffect>> effects;
      for (const Row* row : rows) effects.push_back(EffectsOf(*row, constant));
      for (std::size_t a = 0; a < contributions.size(); ++a) {
        std::set<Sparse> sums = {Sparse{}};
        for (const auto& of_row : effects) {
          std::set<Sparse> one_row, next;
          for (const RowEffect& effect : of_row) one_row.insert(SparseOf(effect, reference_, a));
          if (rows.size() > 1) one_row = Extremes(one_row, effort_.groups, reference_, a);
          for (const Sparse& sum : sums)
            for (const Sparse& one : one_row)
              next.insert(Plus(sum, one, reference_.aggregates()[a].op == "count_distinct"));
          sums = std::move(next);
        }
        contributions[a].merge(sums);
        if (policy_.unit.presence == Presence::kSecret) contributions[a].insert(Sparse{});
      }
    });
    BruteForce::OfRows found{{}, Compare(contributions)};
    std::vector<bool> known = tried_.is_open;
    for (std::size_t i = 0; i < known.size(); ++i) known[i] = known[i] || tried_.of_row[i];
    for (const Row* row : rows) {
      const Row read = reference_.Read(table_, *row);
      const bool alike = std::all_of(rows.begin(), rows.end(), [&](const Row* other) { return *other == *rows[0]; });
      std::optional<std::size_t> first;
      for (std::size_t cell = 0; cell < policy_.cells.size(); ++cell) {
        if (!CellHas(policy_, cell, table_, read, known)) continue;
        if (!first) first = cell;
        if (alike) Note(cell, found.change);
      }
      if (first) found.cells.push_back(*first);
    }
    result_.of_rows.push_back(std::move(found));
  }

  Distance DistanceIn(std::size_t aggregate, const Sparse& a, const Sparse& b) const {
    return reference_.CountsValues(aggregate) ? DistanceOfValues(a, b) : DistanceOf(a, b, result_.rounding[aggregate]);
  }

  // Counts and sums of whole numbers keep their values where the lattice has steps of one.
  void LookAtValues(std::size_t aggregate, const std::set<Sparse>& all) {
    if (!effort_.lattice || reference_.CountsValues(aggregate)) return;
    const bool whole = *effort_.lattice == 0 && std::all_of(all.begin(), all.end(), [](const Sparse& sparse) {
      return std::all_of(sparse.begin(), sparse.end(),
                         [](const auto& at) { return std::floor(at.second) == at.second; });
    });
    if (!whole)
      result_.rounding[aggregate] =
          static_cast<long double>(2 * policy_.unit.max_rows) * std::ldexp(1.0L, *effort_.lattice);
  }

  // The largest distances of two records.
  std::vector<long double> Compare(std::vector<std::set<Sparse>>& contributions) {
    std::vector<long double> changes(contributions.size(), 0);
    for (std::size_t a = 0; a < contributions.size(); ++a) {
      std::set<Sparse>& all = contributions[a];
      LookAtValues(a, all);
      if (std::find(tried_.is_constant.begin(), tried_.is_constant.end(), true) != tried_.is_constant.end()) Thin(all);
      for (auto left = all.begin(); left != all.end(); ++left)
        for (auto right = std::next(left); right != all.end(); ++right) {
          const Distance distance = DistanceIn(a, *left, *right);
          changes[a] = std::max(changes[a], distance.l1);
          result_.l2_squared[a] = std::max(result_.l2_squared[a], distance.l2_squared);
          result_.groups[a] = std::max(result_.groups[a], distance.groups);
        }
      result_.sensitivity[a] = std::max(result_.sensitivity[a], changes[a]);
      if (policy_.unit.presence != Presence::kSecret) continue;
      BruteForce::Coming& coming = result_.presence[a];
      for (const Sparse& record : all) {
        const Distance distance = DistanceIn(a, record, Sparse{});
        coming.l1 = std::max(coming.l1, distance.l1);
        coming.l2_squared = std::max(coming.l2_squared, distance.l2_squared);
        coming.groups = std::max(coming.groups, distance.groups);
      }
    }
    return changes;
  }

  void Note(std::size_t cell, const std::vector<long double>& changes) {
    for (std::size_t a = 0; a < changes.size(); ++a)
      result_.change[cell][a] = std::max(result_.change[cell][a], changes[a]);
  }

  const Policy& policy_;
  const Reference& reference_;
  const Effort& effort_;
  const Tried& tried_;
  const TinyTable& table_;
  const Row& open_;
  BruteForce& result_;
};

}  // namespace

BruteForce TryAllNeighbours(const Policy& policy, const Reference& reference, const Effort& effort) {
  const Table& declared = policy.unit_table();
  const TinyTable table = EmptyTable(declared);
  const Tried tried = TryColumns(policy, reference, effort);
  const std::vector<long double> none(reference.aggregates().size(), 0);
  BruteForce result{none,
                    none,
                    std::vector<std::size_t>(none.size(), 0),
                    std::vector<std::vector<long double>>(policy.cells.size(), none),
                    {},
                    std::vector<BruteForce::Coming>(none.size()),
                    none};
  const bool of_rows = std::any_of(declared.columns.begin(), declared.columns.end(),
                                   [](const Column& column) { return column.per_row; });
  Row row(table.columns.size());
  ForEachTuple(tried.open, row, 0, [&](const Row& open) {
    OneUnit unit(policy, reference, effort, tried, table, open, result);
    if (of_rows)
      unit.TryRows();
    else
      unit.TryRecords();
  });
  return result;
}

}  // namespace kith::testing
