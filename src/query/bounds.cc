#include "query/bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "policy/per_row.h"
#include "query/bind/finite_values.h"
#include "query/bind/typing.h"
#include "query/group_rows.h"
#include "query/per_unit.h"

namespace kith {
namespace {

constexpr Int128 kMaxSteps = Sensitivity::kMax;
constexpr Int128 kMaxRealSteps = Int128{1} << 30;
constexpr int kSmallestExponent = -900;
constexpr int kLargestExponent = 500;
constexpr Int128 kFewestSteps = 16;  // a coarser lattice would round the contributions themselves away

// One counter in one cell: what a unit's row can add there.
struct Contribution {
  bool possible = false;  // some row of the cell adds something
  bool vanishes = false;  // whether a row adds its value or nothing can depend on a secret (presence included)
  bool varies = false;    // the value itself can depend on a secret
  std::vector<bool> group_secret = {};  // in each level: the group it is added to can depend on a secret
  bool real = false;
  Int128 low = 0, high = 0;
  double real_low = 0, real_high = 0;
};

Int128 Magnitude(Int128 x) { return x < 0 ? -x : x; }

struct Steps {
  Int128 low = 0, high = 0;
};

Steps StepsOf(const Contribution& c, Lattice lattice) {
  if (c.real) return {Quantise(c.real_low, lattice), Quantise(c.real_high, lattice)};
  if (lattice.exponent == 0) return {c.low, c.high};
  return {Quantise(static_cast<double>(c.low), lattice), Quantise(static_cast<double>(c.high), lattice)};
}

// The unit's part in the rules: how many rows, how many groups in each level, counted how.
struct UnitFacts {
  Int128 rows = 1;
  std::vector<Int128> groups;
  std::vector<bool> one_group;  // in each level: all rows of a unit are in one group, whichever it is
  std::vector<bool> by_row;     // in each level: rows of a unit can be in their own groups that are public
  std::vector<bool> together;   // in each level: a household is in one group that is public
  CounterKind kind = CounterKind::kRows;
  Rank rank;
  Int128 members = 1;  // persons whose rows change together: those of a household, where it is asked about
  Int128 values = 0;   // kDistinct: how many there can be, where they are declared; at most kMaxSteps
  // Of a sum over rows of groups: what the unit can change by its own part of a row, where groups are public.
  std::optional<Int128> own = std::nullopt;
};

// What a rule says about one counter: its change over all groups, as in Sensitivities.
struct Rule {
  Int128 steps = 0;  // in L1
  Int128 l2_squared = 0;
  Int128 groups = 0;
  const char* reason = "";
};

// Cut where the rule's steps are too many to be accepted: what is accepted is exact, and nothing overflows.
Int128 Square(Int128 steps) {
  const Int128 cut = std::min(Magnitude(steps), kMaxSteps);
  return cut * cut;
}

Rule Nothing() { return {0, 0, 0, "made of public facts alone"}; }

// In how many groups the rows of a unit can be where no secret moves them. Claim ROW-1.
Int128 PublicGroups(std::size_t level, const UnitFacts& unit) {
  return unit.by_row[level] ? std::min(unit.rows, unit.groups[level]) : 1;
}

// Groups are public: all of the change is in one of them, or in those of the unit's rows.
Rule InPublicGroups(Int128 steps, std::size_t level, const UnitFacts& unit, const char* reason) {
  return {steps, Square(steps), steps > 0 ? PublicGroups(level, unit) : 0, reason};
}

// By how much more the distance of one candidate can change than that of another, in 1/den rows, over all groups. Claim
// QUANTILE-1 proves it. Where the rank is not the median's, it is kept away from both ends of the rows, and follows
// their number by 0 to 1 row for each; the median follows by half a row.
Rule ChangeOfRanks(std::size_t level, const Contribution& c, const UnitFacts& unit) {
  const bool group_secret = c.group_secret[level];
  const Int128 rows = unit.rows * unit.rank.den;
  const Int128 alone = unit.rank.IsMedian() ? 1 : 2;  // a row that comes or goes
  if (group_secret && unit.groups[level] > 1) {
    return {2 * alone * rows, 4 * alone * Square(rows), std::min(2 * unit.rows, unit.groups[level]),
            "secret groups: ranks change in the group a row leaves and in the one it enters"};
  }
  const auto in_public_groups = [&](Int128 steps, const char* why) { return InPublicGroups(steps, level, unit, why); };
  if (!c.vanishes && !group_secret) return in_public_groups(2 * rows, "every row is counted: it can change sides");
  if (!c.varies) return in_public_groups(alone * rows, "a row is counted or not");
  return in_public_groups(2 * rows, "a row can change sides or not be counted");
}

// A household counts once in every group in which it has a row. It is in a public group of its own, or its persons are,
// or their rows are, or its rows in any groups. Claim NEST-4.
Rule ChangeOfHouseholds(std::size_t level, const Contribution& c, const UnitFacts& unit) {
  const Int128 groups = unit.groups[level];
  if (c.group_secret[level] && groups > 1) {
    const Int128 touched = std::min(2 * unit.members * unit.rows, groups);
    return {touched, touched, touched, "secret groups: a household leaves some groups and enters others"};
  }
  const bool together = unit.together[level] || groups == 1;
  const Int128 touched = together ? 1 : std::min(unit.members * PublicGroups(level, unit), groups);
  return {touched, touched, touched,
          together ? "a household is counted or not" : "a household is counted or not, in the groups of its persons"};
}

// Values that no other row has come and go with the rows of the unit: at most as many as it has rows, in each of its
// groups. A value that changes is one that comes and one that goes, of which others can hide one: it counts once. No
// group has more values than there can be. Claim DISTINCT-1.
Rule ChangeOfDistinct(std::size_t level, const Contribution& c, const UnitFacts& unit) {
  const Int128 rows = unit.rows, groups = unit.groups[level], values = unit.values;
  if (c.group_secret[level] && groups > 1) {
    const Int128 steps = std::min(2 * rows, groups * values);
    return {steps, std::min(2 * Square(rows), steps * std::min(rows, values)), std::min(2 * rows, groups),
            "secret groups: values can leave some groups and enter others with their rows"};
  }
  const Int128 touched = PublicGroups(level, unit);
  if (touched > 1 || values >= rows)
    return InPublicGroups(rows, level, unit, "each row can bring one value, or take one away");
  return InPublicGroups(values, level, unit, "a unit can bring all values that there are, or take them away");
}

// The rules of change, one for each way in which a unit can matter, in one level of groups. Claim PLAN-2 proves them
// for L1, PLAN-4 for L2 and the number of groups.
Rule ChangeOfRows(std::size_t level, const Contribution& c, Lattice lattice, const UnitFacts& unit) {
  const bool group_secret = c.group_secret[level];
  const Int128 groups = unit.groups[level];
  if (!c.possible || (!c.vanishes && !c.varies && !group_secret)) return Nothing();
  if (unit.kind == CounterKind::kQuantile) return ChangeOfRanks(level, c, unit);
  if (unit.kind == CounterKind::kHouseholds) return ChangeOfHouseholds(level, c, unit);
  if (unit.kind == CounterKind::kDistinct) return ChangeOfDistinct(level, c, unit);
  const auto [low, high] = StepsOf(c, lattice);
  const Int128 largest = std::max(Magnitude(low), Magnitude(high));
  const Int128 width = std::max<Int128>(high, 0) - std::min<Int128>(low, 0);
  if (group_secret && groups > 1) {
    if (unit.kind == CounterKind::kUnits && unit.one_group[level]) {
      return {2, 2, 2, "secret groups: a unit leaves one group and enters another"};
    }
    const Int128 touched = std::min(2 * unit.rows, groups);
    if (unit.kind == CounterKind::kUnits) {
      return {touched, touched, touched, "secret groups: a unit leaves some groups and enters others"};
    }
    // All rows leave one group and enter another, or stay in one and change from the lowest value to the highest.
    const Int128 apart = 2 * Square(unit.rows * largest), within = c.varies ? Square(unit.rows * width) : 0;
    return {2 * unit.rows * largest, std::max(apart, within), largest > 0 ? touched : 0,
            "secret groups: rows leave one group and enter another"};
  }
  if (unit.kind == CounterKind::kUnits) {
    const Int128 touched = PublicGroups(level, unit);
    return {touched, touched, touched,
            touched == 1 ? "a unit is counted or not" : "a unit is counted or not, in the groups of its rows"};
  }
  const auto in_public_groups = [&](Int128 steps, const char* why) { return InPublicGroups(steps, level, unit, why); };
  if (!c.vanishes && !group_secret)
    return in_public_groups(unit.rows * (high - low), "every row is counted: only its value changes");
  if (!c.varies) return in_public_groups(unit.rows * largest, "a row is counted or not");
  return in_public_groups(unit.rows * width, "a row can change its value or not be counted");
}

// The same, or less where a unit is known to change no more than its own part of a row. Claim GROUP-2.
Rule ChangeIn(std::size_t level, const Contribution& c, Lattice lattice, const UnitFacts& unit) {
  const Rule rule = ChangeOfRows(level, c, lattice, unit);
  if (!unit.own || *unit.own >= rule.steps || rule.steps > kMaxSteps) return rule;
  if (c.group_secret[level] && unit.groups[level] > 1) return rule;
  return InPublicGroups(*unit.own, level, unit, "a unit changes its own part of a group's row");
}

// A row counts in one group of each level: the changes add up. Claim LEVEL-1.
Rule ChangeOf(const Contribution& c, Lattice lattice, const UnitFacts& unit) {
  Rule all = ChangeIn(0, c, lattice, unit);
  for (std::size_t level = 1; level < unit.groups.size(); ++level) {
    const Rule more = ChangeIn(level, c, lattice, unit);
    all.steps += more.steps;
    all.l2_squared += more.l2_squared;
    all.groups += more.groups;
  }
  if (unit.members == 1 || unit.kind == CounterKind::kHouseholds) return all;
  // The persons of a household change one after another, each by no more than this. Claim NEST-4.
  all.steps *= unit.members;
  all.l2_squared = std::min(all.l2_squared * unit.members * unit.members, Square(all.steps));
  all.groups *= unit.members;
  return all;
}

// The same if the unit comes or goes with all its rows: each of them is in one group, and adds what it adds there.
// Claim ADDREM-1.
Rule PresenceIn(std::size_t level, const Contribution& c, Lattice lattice, const UnitFacts& unit) {
  const Rule any = ChangeIn(level, c, lattice, unit);
  const Int128 groups = unit.groups[level];
  const bool counts = unit.kind == CounterKind::kRows || unit.kind == CounterKind::kSum;
  const bool ranks = unit.kind == CounterKind::kQuantile;
  if (any.steps == 0 || (!counts && !ranks && unit.kind != CounterKind::kUnits)) return any;
  const bool several = c.group_secret[level] && groups > 1;
  const Int128 touched = several ? std::min(unit.rows, groups) : 1;
  if (unit.kind == CounterKind::kUnits) {
    const Int128 once = unit.one_group[level] ? 1 : touched;
    return {once, once, once, "a unit comes or goes"};
  }
  if (ranks) {  // as in ChangeOfRanks, and no row changes sides or groups
    const Int128 moved = (unit.rank.IsMedian() ? 1 : 2) * unit.rows * unit.rank.den;
    return {moved, Square(moved), touched, "a unit comes or goes with its rows"};
  }
  const auto [low, high] = StepsOf(c, lattice);
  const Int128 steps = unit.rows * std::max(Magnitude(low), Magnitude(high));
  return {steps, Square(steps), touched, "a unit comes or goes with its rows"};
}

Rule PresenceOf(const Contribution& c, Lattice lattice, const UnitFacts& unit) {
  Rule all;
  for (std::size_t level = 0; level < unit.groups.size(); ++level) {
    const Rule more = PresenceIn(level, c, lattice, unit);
    all.steps += more.steps;
    all.l2_squared += more.l2_squared;
    all.groups += more.groups;
  }
  return all;
}

// All cells that look alike to the question, as one.
struct CellView {
  std::vector<Contribution> counters;
  bool charged = false;
  bool whole = false;  // by what a unit as a whole can change, not each of its rows by itself
};

class Bounder {
 public:
  Bounder(const Question& question, const Policy& policy, const std::vector<Range>& columns)
      : question_(question), policy_(policy), table_(policy.unit_table()), columns_(columns) {
    levels_ = question.levels;
    if (levels_.empty()) levels_.emplace_back(question.keys.size(), true);
    for (const auto& kept : levels_) {
      groups_.push_back(1);
      for (std::size_t k = 0; k < kept.size(); ++k) {
        if (kept[k]) groups_.back() *= static_cast<Int128>(question.keys[k].shown.size());
      }
      one_group_.push_back(true);
      by_row_.push_back(false);
      together_.push_back(true);
      for (std::size_t k = 0; k < kept.size(); ++k) {
        if (!kept[k]) continue;
        const Expr& key = *question.keys[k].expr;
        one_group_.back() =
            one_group_.back() && OfAll(key, [](const Column& c) { return IsPublicOfUnit(c) || c.constant; });
        by_row_.back() = by_row_.back() || !OfAll(key, [](const Column& c) { return !c.per_row; });
        together_.back() = together_.back() &&
                           OfAll(key, [&](const Column& c) { return c.of_household || policy.unit.within == c.name; });
      }
    }
  }

  Result<Bounds> Run() {
    if (const auto error = CheckOverflow()) return *error;
    for (const Counter& counter : question_.counters) values_.push_back(ValuesOf(counter));
    LookAtCells();
    anywhere_ = ViewOf(columns_, nullptr);
    Bounds bounds;
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      auto bounded = BoundCounter(k);
      if (!bounded) return bounded.error();
      bounds.counters.push_back(std::move(*bounded));
    }
    MarkCharged(bounds);
    return bounds;
  }

 private:
  std::optional<Error> CheckOverflow() const {
    RangeEvaluator evaluator(table_, columns_);
    if (question_.where) evaluator.Evaluate(*question_.where);
    for (const TableJoin& join : question_.joins) evaluator.Evaluate(*join.on);
    for (const Key& key : question_.keys) evaluator.Evaluate(*key.expr);
    for (const Counter& counter : question_.counters) {
      if (counter.value) evaluator.Evaluate(*counter.value);
      if (counter.value) evaluator.CheckDivisors(*counter.value);
      if (counter.filter) evaluator.Evaluate(*counter.filter);
    }
    return evaluator.error();
  }

  std::vector<bool> UsedColumns() const {
    std::vector<bool> used(table_.columns.size(), false);
    const auto mark = [&](const ExprPtr& expr) {
      if (expr) ForEachColumn(*expr, [&](std::size_t column) { used[column] = true; });
    };
    mark(question_.where);
    for (const Counter& counter : question_.counters) {
      mark(counter.value);
      mark(counter.filter);
    }
    for (const Key& key : question_.keys) mark(key.expr);
    return used;
  }

  // Only public columns that the question uses distinguish cells; every other cell shares the work.
  void LookAtCells() {
    const auto& cell_columns = policy_.cells.columns();
    const std::vector<bool> used = UsedColumns();
    std::vector<std::size_t> column_of(cell_columns.size()), sizes(table_.columns.size(), 1);
    std::vector<bool> known(cell_columns.size(), false);  // a table that is not the unit's has none of these columns
    std::size_t combinations = 1;
    for (std::size_t k = 0; k < cell_columns.size(); ++k) {
      const Column* const column = table_.Find(cell_columns[k].name);
      known[k] = column != nullptr;
      if (column == nullptr) continue;
      column_of[k] = static_cast<std::size_t>(column - table_.columns.data());
      if (!used[column_of[k]]) continue;
      sizes[column_of[k]] = cell_columns[k].values.size();
      combinations *= cell_columns[k].values.size();
    }
    RangeMemo memo(sizes);
    std::vector<std::optional<std::size_t>> seen(combinations);
    for (std::size_t cell = 0; cell < policy_.cells.size(); ++cell) {
      std::vector<std::size_t> at(table_.columns.size(), 0);
      std::size_t rest = cell, combination = 0, weight = 1;
      for (std::size_t k = cell_columns.size(); k-- > 0;) {
        const std::size_t digit = rest % cell_columns[k].values.size();
        rest /= cell_columns[k].values.size();
        if (!known[k] || sizes[column_of[k]] == 1) continue;
        at[column_of[k]] = digit;
        combination += digit * weight;
        weight *= sizes[column_of[k]];
      }
      if (!seen[combination]) {
        seen[combination] = views_.size();
        std::vector<Range> ranges = columns_;
        for (std::size_t k = 0; k < cell_columns.size(); ++k) {
          const std::size_t column = column_of[k];
          if (known[k] && used[column]) ranges[column] = RangeOf(table_.columns[column], policy_.cells.At(cell, k));
        }
        memo.MoveTo(std::move(at));
        views_.push_back(ViewOf(ranges, &memo));
      }
      view_of_cell_.push_back(*seen[combination]);
    }
  }

  CellView ViewOf(const std::vector<Range>& ranges, RangeMemo* memo) const {
    RangeEvaluator evaluator(table_, ranges, memo);
    Range where;
    where.may_true = true;
    if (question_.where) where = evaluator.Evaluate(*question_.where);
    std::vector<bool> group_secret(levels_.size(), false);
    for (std::size_t k = 0; k < question_.keys.size(); ++k) {
      const bool secret = evaluator.Evaluate(*question_.keys[k].expr).secret;
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        if (secret && levels_[level][k]) group_secret[level] = true;
      }
    }
    // A row that need not be there can always be missing, unless it is public which rows there are. A unit whose
    // presence is public has at least one row, but perhaps not in this step of a stream.
    const bool secret = policy_.unit.presence == Presence::kSecret, several = policy_.unit.max_rows > 1;
    const bool row_may_miss = secret || (several && !RowsArePublic(policy_));
    const bool unit_may_miss = secret || (several && question_.tick);
    CellView view;
    for (const Counter& counter : question_.counters) {
      Contribution c;
      const Range filter = counter.filter ? evaluator.Evaluate(*counter.filter) : BooleanTrue();
      c.possible = where.may_true && filter.may_true;
      const bool may_miss = counter.kind == CounterKind::kUnits ? unit_may_miss : row_may_miss;
      c.vanishes = may_miss || where.secret || filter.secret;
      c.group_secret = group_secret;
      c.low = c.high = 1;
      if (counter.value) {
        const Range value = evaluator.Evaluate(*counter.value);
        c.possible = c.possible && value.may_value;
        c.vanishes = c.vanishes || (value.secret && value.may_null);
        c.varies = value.secret;
        if (counter.kind != CounterKind::kSum) {
          view.counters.push_back(c);
          continue;
        }
        c.real = counter.value->type == Type::kReal;
        c.low = value.low;
        c.high = value.high;
        c.real_low = value.real_low;
        c.real_high = value.real_high;
      }
      view.counters.push_back(c);
    }
    return view;
  }

  static Range BooleanTrue() {
    Range range;
    range.may_true = true;
    return range;
  }

  template <class Property>
  bool OfAll(const Expr& expr, const Property& property) const {
    bool all = true;
    ForEachColumn(expr, [&](std::size_t column) { all = all && property(table_.columns[column]); });
    return all;
  }

  UnitFacts FactsOf(std::size_t k, Lattice lattice) const {
    const Counter& counter = question_.counters[k];
    const bool household = policy_.unit.level == UnitLevel::kHousehold;
    return {policy_.unit.max_rows,
            groups_,
            one_group_,
            by_row_,
            together_,
            counter.kind,
            counter.rank,
            household ? policy_.unit.size : 1,
            values_[k],
            OwnChange(question_, counter, lattice)};
  }

  // How many different values a counter can have. Claim PLAN-3.
  Int128 ValuesOf(const Counter& counter) const {
    if (counter.kind != CounterKind::kDistinct || policy_.unit.max_rows == 1) return kMaxSteps;
    const auto image = ImageOf(*counter.value, table_, columns_);
    return image ? static_cast<Int128>(image->values.size()) : kMaxSteps;
  }

  Rule LargestChange(std::size_t k, Lattice lattice) const {
    Rule largest{-1, 0, 0, ""};
    for (const CellView& view : views_) {
      const Rule rule = ChangeOf(view.counters[k], lattice, FactsOf(k, lattice));
      if (rule.steps > largest.steps) {
        largest.steps = rule.steps;
        largest.reason = rule.reason;
      }
      largest.l2_squared = std::max(largest.l2_squared, rule.l2_squared);
      largest.groups = std::max(largest.groups, rule.groups);
    }
    return largest;
  }

  Result<BoundedCounter> BoundCounter(std::size_t k) const {
    const Counter& counter = question_.counters[k];
    const Contribution& anywhere = anywhere_.counters[k];
    Lattice lattice;
    if (counter.kind == CounterKind::kSum) {
      const auto chosen = ChooseLattice(k, anywhere);
      if (!chosen) return chosen.error();
      lattice = *chosen;
    }
    Steps steps;
    if (counter.kind == CounterKind::kQuantile) {
      lattice = counter.lattice;
    } else {
      steps = StepsOf(anywhere, lattice);
    }
    const Rule rule = LargestChange(k, lattice);
    if (rule.steps > kMaxSteps) return TooLarge(counter);
    const auto change =
        Sensitivities::Make(static_cast<std::int64_t>(rule.steps), static_cast<std::int64_t>(rule.l2_squared),
                            static_cast<std::int64_t>(rule.groups));
    if (!change) return change.error();
    std::string reason = rule.reason;
    if (policy_.unit.level == UnitLevel::kHousehold && counter.kind != CounterKind::kHouseholds && rule.steps > 0)
      reason += fmt::format("; the same for each of {} persons of a household, summed", policy_.unit.size);
    const auto open = OpenLevels(k, lattice);
    const auto secret = levels_.size() - static_cast<std::size_t>(std::count(open.begin(), open.end(), true));
    if (levels_.size() > 1 && secret > 1) reason += fmt::format("; the same on each of {} levels, summed", secret);
    if (secret > 0 && secret < levels_.size()) reason += "; totals that no secret can change are exact";
    return BoundedCounter{
        lattice, *change, std::move(reason), steps.low, steps.high, open, PresenceAlone(k, lattice, rule)};
  }

  bool OfGroups() const { return question_.per_unit && question_.per_unit->OfGroups(); }

  // Where it is proved, and less than any change. A unit that comes or goes can change all of a group's row.
  std::optional<Sensitivities> PresenceAlone(std::size_t k, Lattice lattice, const Rule& any) const {
    const bool proved = policy_.unit.presence == Presence::kSecret && policy_.unit.level == UnitLevel::kPerson &&
                        !question_.tick && !policy_.stream && !policy_.unit.distance && !policy_.unit.other_key &&
                        !RowsArePublic(policy_) && !OfGroups() && !table_.other;
    if (!proved) return std::nullopt;
    Rule largest;
    for (const CellView& view : views_) {
      const Rule rule = PresenceOf(view.counters[k], lattice, FactsOf(k, lattice));
      largest.steps = std::max(largest.steps, rule.steps);
      largest.l2_squared = std::max(largest.l2_squared, rule.l2_squared);
      largest.groups = std::max(largest.groups, rule.groups);
    }
    if (largest.steps == 0 || largest.steps >= any.steps || 2 * largest.steps < any.steps) return std::nullopt;
    const auto change =
        Sensitivities::Make(static_cast<std::int64_t>(largest.steps),
                            static_cast<std::int64_t>(std::min(largest.l2_squared, Square(largest.steps))),
                            static_cast<std::int64_t>(std::min(largest.groups, largest.steps)));
    return change ? std::optional(*change) : std::nullopt;
  }

  // Levels whose groups no secret of any cell can change. Empty if there are none, or no levels.
  std::vector<bool> OpenLevels(std::size_t k, Lattice lattice) const {
    std::vector<bool> open;
    for (std::size_t level = 0; levels_.size() > 1 && level < levels_.size(); ++level) {
      open.push_back(std::all_of(views_.begin(), views_.end(), [&](const CellView& view) {
        return ChangeIn(level, view.counters[k], lattice, FactsOf(k, lattice)).steps == 0;
      }));
    }
    return std::find(open.begin(), open.end(), true) == open.end() ? std::vector<bool>() : open;
  }

  static Error TooLarge(const Counter& counter) {
    return Unsupported("one unit could change this by more than kith can hide", Shortened(counter.name),
                       "declare tighter bounds, or a smaller max_rows, in the policy");
  }

  Result<Lattice> ChooseLattice(std::size_t k, const Contribution& anywhere) const {
    const auto fits = [&](Lattice lattice) {
      const Int128 most = anywhere.real ? kMaxRealSteps : kMaxSteps;
      if (LargestChange(k, lattice).steps > most) return false;
      const auto [low, high] = StepsOf(anywhere, lattice);
      return !anywhere.real || std::max(Magnitude(low), Magnitude(high)) <= most;
    };
    if (!anywhere.real && fits({0})) return Lattice{0};
    const double reach = anywhere.real ? std::max(std::abs(anywhere.real_low), std::abs(anywhere.real_high)) : 1;
    if (reach == 0) return Lattice{0};
    // No finer lattice can fit: the largest contribution by itself must stay within the limit.
    int exponent = anywhere.real ? std::max(kSmallestExponent, std::ilogb(reach) - 31) : 1;
    while (exponent < kLargestExponent && !fits({exponent})) ++exponent;
    const auto [low, high] = StepsOf(anywhere, {exponent});
    const bool coarse = std::max(Magnitude(low), Magnitude(high)) < kFewestSteps;
    if (coarse && exponent > kSmallestExponent) return TooLarge(question_.counters[k]);
    return Lattice{exponent};
  }

  void MarkCharged(Bounds& bounds) {
    MarkCells(bounds);
    auto& charged = bounds.charged;
    if (policy_.cells.joined() && std::find(charged.begin(), charged.end(), true) != charged.end())
      charged.assign(charged.size(), true);
  }

  void MarkCells(Bounds& bounds) {
    for (CellView& view : views_) {
      for (std::size_t k = 0; k < bounds.counters.size(); ++k) {
        const Lattice lattice = bounds.counters[k].lattice;
        if (ChangeOf(view.counters[k], lattice, FactsOf(k, lattice)).steps == 0) continue;
        view.charged = true;
        // Counts of rows and sums change by this much for each row. Claim ROW-2.
        const CounterKind kind = question_.counters[k].kind;
        if (kind != CounterKind::kRows && kind != CounterKind::kSum) view.whole = true;
      }
    }
    // Persons of one household may be in different cells: a question that one of them can change is about all.
    const bool any = std::any_of(views_.begin(), views_.end(), [](const CellView& view) { return view.charged; });
    const Unit& unit = OfGroups() ? question_.per_unit->policy->unit : policy_.unit;
    const bool all = any && unit.level == UnitLevel::kHousehold;
    for (const std::size_t view : view_of_cell_) bounds.charged.push_back(all || views_[view].charged);
    if (OfGroups() && !all) {
      const std::vector<bool> matter = CellsThatMatter(question_);
      for (std::size_t cell = 0; cell < matter.size(); ++cell)
        bounds.charged[cell] = bounds.charged[cell] && matter[cell];
      return;
    }
    std::vector<bool> whole;
    for (const std::size_t view : view_of_cell_) whole.push_back(views_[view].whole);
    whole = OfWholeUnits(policy_, std::move(whole));
    for (std::size_t cell = 0; cell < whole.size(); ++cell) {
      if (whole[cell]) bounds.charged[cell] = true;
    }
  }

  const Question& question_;
  const Policy& policy_;
  const Table& table_;
  const std::vector<Range>& columns_;
  std::vector<std::vector<bool>> levels_;            // as in Plan, at least one
  std::vector<Int128> values_;                       // of each counter, as in UnitFacts
  std::vector<Int128> groups_;                       // in each level
  std::vector<bool> one_group_, by_row_, together_;  // in each level
  std::vector<CellView> views_;
  CellView anywhere_;  // what any row can add, whatever its cell: the engine clamps to it
  std::vector<std::size_t> view_of_cell_;
};

}  // namespace

Int128 Quantise(double x, Lattice lattice) {
  const double inverse = std::ldexp(1.0, -lattice.exponent);
  const double steps = lattice.exponent <= 0 ? std::nearbyint(x * inverse)
                                             : std::floor((x + std::ldexp(0.5, lattice.exponent)) * inverse);
  KITH_CHECK(std::abs(steps) < 0x1p120);
  return static_cast<Int128>(steps);
}

Result<Bounds> BoundQuestion(const Question& question, const Policy& policy, const std::vector<Range>& columns) {
  return Bounder(question, policy, columns).Run();
}

}  // namespace kith
