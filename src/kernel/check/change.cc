#include "kernel/check/change.h"

#include <algorithm>
#include <cmath>

namespace kith::check {
namespace {

constexpr Int128 kMost = Int128{1} << 60;  // what is more is too much for any claim

Int128 Cut(Int128 x) { return std::min(x, kMost); }
Int128 Square(Int128 x) { return Cut(x) * Cut(x); }

// The groups of a level, as a record sees them.
struct Groups {
  bool secret = false;  // a record may leave one for another
  bool by_row = false;  // rows of a unit may be in several
  bool of_household = true;
  Int128 number = 1;
};

Groups GroupsOf(const std::vector<bool>& level, const Asked& asked, const Use& use) {
  Groups groups;
  for (std::size_t k = 0; k < level.size(); ++k) {
    if (!level[k] || (use.rank && k + 1 == level.size())) continue;
    const Possible& key = asked.keys[k];
    groups.secret = groups.secret || key.secret;
    groups.by_row = groups.by_row || key.by_row;
    groups.of_household = groups.of_household && key.of_household;
    const Int128 values = key.values >= 0x1p40 ? kMost : static_cast<Int128>(key.values) + (key.null ? 1 : 0);
    groups.number = Cut(groups.number * std::max<Int128>(values, 1));
  }
  if (groups.number == 1) groups.secret = groups.by_row = false;
  return groups;
}

// The rows that count for a number: slots that may be empty before or after are not `there`.
Rows Counting(const Asked& asked, const Number& number) {
  Rows rows = asked.rows;
  rows.columns.clear();
  KeepWhere(rows, number.filter);
  const bool vanishes = number.value.null && number.value.secret;
  if (vanishes) rows.there = rows.unit_there = false;
  if (number.value.null && !number.value.secret && number.value.by_row) rows.unit_there = rows.there;
  if (number.value.low > number.value.high) rows.most = 0;  // NULL in every row
  return rows;
}

// In how many groups slots are, where no secret moves them.
Int128 Touched(const Groups& groups, Int128 rows) { return groups.by_row ? std::min(rows, groups.number) : 1; }

// A unit changes its own part of a group's row.
Int128 OfOwnPart(const Possible& value, const Rows& rows) {
  const double most = rows.there && !value.null ? value.own : std::max(value.own, value.alone);
  return most < 0x1p40 ? static_cast<Int128>(std::ceil(most)) : kMost;
}

// A slot moves its groups by a vector. Of R slots: R times the largest, in L1 as in L2 (triangle inequality).
Moved OfValues(const Groups& groups, const Number& number, const Rows& rows, const Context& context) {
  const Possible& value = number.value;
  if (rows.there && !value.secret && !groups.secret) return {};
  if (!(std::abs(value.low) < 0x1p40 && std::abs(value.high) < 0x1p40)) {
    context.reason.Say("a term without constant ends");
    return {};
  }
  const auto low = static_cast<Int128>(std::floor(value.low)), high = static_cast<Int128>(std::ceil(value.high));
  const Int128 largest = std::max(low < 0 ? -low : low, high < 0 ? -high : high);
  const Int128 width = std::max<Int128>(high, 0) - std::min<Int128>(low, 0);
  // In one group: from a value to another, from a value to nothing.
  const Int128 same = rows.there && !value.null ? high - low : value.secret ? width : largest;
  Int128 steps = Cut(rows.most * same);
  if (!groups.secret && rows.parts && rows.most == 1) steps = std::min(steps, OfOwnPart(value, rows));
  if (!groups.secret) return {steps, Square(steps), steps > 0 ? Touched(groups, rows.most) : 0};
  // From a value in one group to a value in another.
  return {Cut(rows.most * std::max(2 * largest, same)),
          std::max(2 * Square(rows.most * largest), Square(rows.most * same)),
          largest > 0 ? std::min(2 * rows.most, groups.number) : 0};
}

// A unit counts once in each group in which it has a row.
Moved OfUnits(const Groups& groups, const Rows& rows) {
  const bool known = rows.there || (rows.unit_there && !groups.by_row);
  if (known && !groups.secret) return {};
  if (!groups.secret) return {Touched(groups, rows.most), Touched(groups, rows.most), Touched(groups, rows.most)};
  // All rows of a unit are in one group, whichever it is.
  const Int128 touched = std::min(groups.by_row ? 2 * rows.most : Int128{2}, groups.number);
  return {touched, touched, touched};
}

Moved OfHouseholds(const Groups& groups, const Rows& rows, Int128 persons) {
  const bool known = rows.there || (rows.unit_there && !groups.by_row);
  if (known && !groups.secret) return {};
  Int128 touched = std::min(2 * persons * rows.most, groups.number);
  if (!groups.secret)
    touched = groups.of_household ? Touched(groups, persons * rows.most)
                                  : std::min(persons * Touched(groups, rows.most), groups.number);
  return {touched, touched, touched};
}

// Values that no other row has come and go with rows; each slot changes the count of one or two groups by one.
Moved OfDistinct(const Groups& groups, const Number& number, const Rows& rows) {
  if (rows.there && !number.value.secret && !groups.secret) return {};
  const Int128 values =
      number.value.values >= 0x1p40 ? kMost : std::max<Int128>(static_cast<Int128>(number.value.values), 1);
  if (groups.secret) {
    const Int128 steps = std::min(2 * rows.most, Cut(groups.number * values));
    return {steps, std::min(2 * Square(rows.most), Cut(steps) * std::min(rows.most, values)),
            std::min(2 * rows.most, groups.number)};
  }
  const Int128 touched = Touched(groups, rows.most), steps = touched > 1 ? rows.most : std::min(rows.most, values);
  return {steps, Square(steps), touched};
}

// By how much more the distance of one candidate changes than that of another, in 1/den rows.
Moved OfRanks(const Groups& groups, const Possible& candidate, const Rank& rank, const Rows& rows) {
  if (rows.there && !candidate.secret && !groups.secret) return {};
  const Int128 moved = rows.most * rank.den, alone = 2 * rank.num == rank.den ? 1 : 2;
  if (groups.secret) return {Cut(2 * alone * moved), 4 * alone * Square(moved), std::min(2 * rows.most, groups.number)};
  const Int128 steps = Cut(candidate.secret ? 2 * moved : alone * moved);
  return {steps, Square(steps), Touched(groups, rows.most)};
}

// The persons of a household change one after another.
Moved OfAll(Moved one, Int128 persons) {
  const Moved all{Cut(one.l1 * persons), 0, Cut(one.groups * persons)};
  return {all.l1, std::min(one.l2_squared * persons * persons, Square(all.l1)), all.groups};
}

bool IsUsable(const Asked& asked, const Number& number, const Context& context) {
  const auto refuse = [&](const char* why) {
    context.reason.Say(why);
    return false;
  };
  for (const Possible& key : asked.keys)
    if (key.others || key.places) return refuse("groups by a place in an order, or by rows of other units");
  if (number.value.others || number.filter.others) return refuse("numbers made of rows of other units");
  if (number.value.places || number.filter.places) return refuse("numbers made of places in an order");
  if (asked.rows.most >= kUnlimited) return refuse("rows of a unit without a limit");
  return true;
}

bool InOneGroup(const Asked& asked) {
  return std::none_of(asked.keys.begin(), asked.keys.end(), [](const Possible& key) { return key.by_row; });
}

bool CountsUnits(const Asked& asked, const Number& number) {
  return number.adds == Adds::kDistinct && number.value.role == Role::kUnit && asked.rows.own;
}

}  // namespace

Moved MovedIn(const std::vector<bool>& level, const Asked& asked, const Number& number, const Use& use,
              const Context& context) {
  if (!IsUsable(asked, number, context)) return {};
  // Totals are sums of the finest groups: of what is counted once in each of several, they are no counts themselves.
  const bool finest = std::find(level.begin(), level.end(), false) == level.end();
  if (number.adds == Adds::kDistinct && !finest && !(CountsUnits(asked, number) && InOneGroup(asked))) {
    const Moved all = MovedIn(std::vector<bool>(level.size(), true), asked, number, use, context);
    return {all.l1, Square(all.l1), all.groups};
  }
  const Groups groups = GroupsOf(level, asked, use);
  const Rows rows = Counting(asked, number);
  const Int128 persons = use.of_households && !rows.of_households ? Int128{context.facts.household} : 1;
  if (rows.most == 0) return {};
  if (use.rank) {
    if (number.adds != Adds::kValues || number.value.low != 1 || number.value.high != 1)
      context.reason.Say("ranks among something other than rows");
    return OfAll(OfRanks(groups, asked.keys.back(), *use.rank, rows), persons);
  }
  if (number.adds == Adds::kValues) return OfAll(OfValues(groups, number, rows, context), persons);
  if (CountsUnits(asked, number)) {
    Rows units = asked.rows;
    KeepWhere(units, number.filter);
    return OfAll(OfUnits(groups, units), persons);
  }
  if (use.of_households && number.value.role == Role::kHousehold && asked.rows.own)
    return OfHouseholds(groups, rows, persons);
  return OfAll(OfDistinct(groups, number, rows), persons);
}

// Either before or after there are no rows: each slot is in one group, and adds what it adds there.
Moved ComingIn(const std::vector<bool>& level, const Asked& asked, const Number& number, const Use& use,
               const Context& context) {
  const Moved any = MovedIn(level, asked, number, use, context);
  const Rows rows = Counting(asked, number);
  if (any.l1 == 0 || !rows.own || use.of_households || !context.reason.empty()) return any;
  if (CountsUnits(asked, number) && !InOneGroup(asked) && std::find(level.begin(), level.end(), false) != level.end())
    return any;
  const Groups groups = GroupsOf(level, asked, use);
  const Int128 touched = groups.secret || groups.by_row ? std::min(rows.most, groups.number) : 1;
  Moved coming = any;
  if (use.rank) {
    const Int128 moved = Cut((2 * use.rank->num == use.rank->den ? 1 : 2) * rows.most * use.rank->den);
    coming = {moved, Square(moved), touched};
  } else if (number.adds == Adds::kValues) {
    const auto low = static_cast<Int128>(std::floor(number.value.low)),
               high = static_cast<Int128>(std::ceil(number.value.high));
    const Int128 steps = Cut(rows.most * std::max(low < 0 ? -low : low, high < 0 ? -high : high));
    coming = {steps, Square(steps), touched};
  } else if (CountsUnits(asked, number)) {
    const Int128 once = groups.by_row ? touched : 1;
    coming = {once, once, once};
  }
  return {std::min(coming.l1, any.l1), std::min(coming.l2_squared, any.l2_squared),
          std::min(coming.groups, any.groups)};
}

}  // namespace kith::check
