#include "query/bind/possible_groups.h"

#include <algorithm>
#include <map>
#include <set>

#include "query/bind/bind.h"
#include "query/range/calendar.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

constexpr std::size_t kMostGroups = std::size_t{1} << 14;  // for more, nothing is worked out
constexpr std::size_t kMostWork = std::size_t{1} << 20;    // nodes that are evaluated for one question
constexpr Int128 kMostTried = 10'000;                      // values of a column that several keys are made of

std::set<std::size_t> ColumnsOf(const Expr& expr) {
  std::set<std::size_t> columns;
  ForEachColumn(expr, [&](std::size_t column) { columns.insert(column); });
  return columns;
}

bool Meet(const std::set<std::size_t>& a, const std::set<std::size_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::size_t column) { return b.contains(column); });
}

class Finder {
 public:
  Finder(const Table& table, const std::vector<Range>& columns, const Question& question)
      : table_(table), columns_(columns), question_(question) {
    for (const Key& key : question.keys) reads_.push_back(ColumnsOf(*key.expr));
  }

  std::vector<bool> Find() {
    std::size_t groups = 1;
    for (const Key& key : question_.keys) {
      groups *= key.shown.size();
      if (groups > kMostGroups) return {};
    }
    if (question_.keys.size() < 2 || !Related() || groups * Nodes() > kMostWork) return {};
    FindTogether();
    std::vector<bool> impossible(groups, false);
    bool any = false;
    for (std::size_t group = 0; group < groups; ++group) {
      impossible[group] = !MayBe(PlacesOf(group));
      any = any || impossible[group];
    }
    // Where nothing is left every group is shown: all are 0.
    return any && std::find(impossible.begin(), impossible.end(), false) != impossible.end() ? impossible
                                                                                             : std::vector<bool>();
  }

 private:
  using Places = std::vector<std::size_t>;  // of each key: the position of its value

  std::size_t Nodes() const {
    std::size_t nodes = question_.where ? WeightOf(*question_.where).nodes : 0;
    for (const Key& key : question_.keys) nodes += WeightOf(*key.expr).nodes;
    return nodes;
  }

  // Two keys read one column, or WHERE reads columns of two keys.
  bool Related() const {
    const auto where = question_.where ? ColumnsOf(*question_.where) : std::set<std::size_t>();
    std::size_t in_where = 0;
    for (std::size_t k = 0; k < reads_.size(); ++k) {
      in_where += Meet(reads_[k], where) ? 1 : 0;
      for (std::size_t other = 0; other < k; ++other) {
        if (Meet(reads_[k], reads_[other])) return true;
      }
    }
    return in_where > 1;
  }

  Places PlacesOf(std::size_t group) const {
    Places places(question_.keys.size());
    for (std::size_t k = places.size(); k-- > 0;) {
      places[k] = group % question_.keys[k].shown.size();
      group /= question_.keys[k].shown.size();
    }
    return places;
  }

  bool IsNull(std::size_t k, std::size_t place) const { return place == question_.keys[k].image.values.size(); }

  // A key that is a column as it is, with this value.
  Range PointOf(std::size_t k, std::size_t place) const {
    const Key& key = question_.keys[k];
    if (IsNull(k, place)) return NullRange();
    if (key.column) return RangeOf(table_.columns[*key.column], key.shown[place]);
    const Value& value = key.image.values[place];
    if (const auto* truth = std::get_if<bool>(&value)) return BooleanRange(*truth, !*truth, false, false);
    const auto whole = std::get<std::int64_t>(value);
    return IntegerRange(whole, whole);
  }

  bool MayBe(const Places& places) const {
    for (const auto& [keys, found] : together_) {
      Places theirs;
      for (const std::size_t k : keys) theirs.push_back(places[k]);
      if (!found.contains(theirs)) return false;
    }
    std::vector<Range> ranges = columns_;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Key& key = question_.keys[k];
      if (key.expr->op == Op::kColumn) ranges[key.expr->column] = PointOf(k, places[k]);
    }
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (question_.keys[k].expr->op != Op::kColumn && !MayHave(k, places[k], ranges)) return false;
    }
    if (!question_.where) return true;
    RangeEvaluator evaluator(table_, ranges);
    const Range truth = evaluator.Evaluate(*question_.where);
    return evaluator.error().has_value() || truth.may_true;
  }

  bool MayHave(std::size_t k, std::size_t place, const std::vector<Range>& ranges) const {
    const Key& key = question_.keys[k];
    RangeEvaluator evaluator(table_, ranges);
    const Range range = evaluator.Evaluate(*key.expr);
    if (evaluator.error()) return true;
    if (IsNull(k, place)) return range.may_null;
    if (range.OnlyNull()) return false;
    const Value& value = key.image.values[place];
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? range.may_true : range.may_false;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return range.low <= *whole && *whole <= range.high;
    return true;
  }

  // Keys that are made of one and the same column, as a year and a month are: what they are together, by each of its
  // values.
  void FindTogether() {
    std::map<std::size_t, std::vector<std::size_t>> keys_of;
    for (std::size_t k = 0; k < reads_.size(); ++k) {
      const bool made = question_.keys[k].expr->op != Op::kColumn && question_.keys[k].expr->type == Type::kInteger;
      if (made && reads_[k].size() == 1) keys_of[*reads_[k].begin()].push_back(k);
    }
    for (const auto& [column, keys] : keys_of) {
      std::set<Places> found;
      if (keys.size() > 1 && FoundAtEach(column, keys, found)) together_.emplace_back(keys, std::move(found));
    }
  }

  bool FoundAtEach(std::size_t column, const std::vector<std::size_t>& keys, std::set<Places>& found) const {
    const ColumnType type = table_.columns[column].type;
    const Range& range = columns_[column];
    const bool days = type == ColumnType::kTimestamp;
    if (range.OnlyNull() || !table_.columns[column].values.empty()) return false;
    if (type != ColumnType::kInteger && type != ColumnType::kDate && !days) return false;
    const Int128 width = days ? Int128{kMicrosecondsPerDay} : Int128{1};
    if ((range.high - range.low) / width >= kMostTried) return false;
    std::vector<Range> ranges = columns_;
    for (Int128 x = range.low; x <= range.high;) {
      const Int128 start = days ? Int128{DayOf(static_cast<std::int64_t>(x))} * width : x;
      ranges[column] = IntegerRange(x, std::min(range.high, start + width - 1));
      if (!AddPlaces(keys, ranges, found)) return false;
      x = start + width;
    }
    ranges[column] = NullRange();
    return !range.may_null || AddPlaces(keys, ranges, found);
  }

  bool AddPlaces(const std::vector<std::size_t>& keys, const std::vector<Range>& ranges,
                 std::set<Places>& found) const {
    Places places;
    for (const std::size_t k : keys) {
      const Key& key = question_.keys[k];
      const Range range = RangeEvaluator(table_, ranges).Evaluate(*key.expr);
      const auto& values = key.image.values;
      if (range.OnlyNull()) {
        places.push_back(values.size());
        continue;
      }
      if (!IsKnown(range, key.expr->type)) return false;
      const Value value = static_cast<std::int64_t>(range.low);
      // What WHERE left out has no place.
      const auto at = std::find(values.begin(), values.end(), value);
      if (at == values.end()) return true;
      places.push_back(static_cast<std::size_t>(at - values.begin()));
    }
    found.insert(std::move(places));
    return true;
  }

  const Table& table_;
  const std::vector<Range>& columns_;
  const Question& question_;
  std::vector<std::set<std::size_t>> reads_;
  std::vector<std::pair<std::vector<std::size_t>, std::set<Places>>> together_;
};

}  // namespace

std::vector<bool> ImpossibleGroups(const Table& table, const std::vector<Range>& columns, const Question& question) {
  return Finder(table, columns, question).Find();
}

}  // namespace kith
