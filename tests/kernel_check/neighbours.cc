// Neighbours of tiny tables, drawn at random, for the hostile planner.
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/kernel_check/hostile.h"

namespace kith::testing::hostile {
namespace {

using Rows = std::vector<Row>;

constexpr std::size_t kNone = static_cast<std::size_t>(-1);
constexpr int kOfOneHousehold = 10, kNobody = 99;

// A table with the columns that it has, and values for each.
struct Made {
  const Table* declared = nullptr;
  TinyTable empty;
  std::vector<std::vector<Datum>> values;
  std::size_t key = kNone, other = kNone, within = kNone;
};

// Of one unit, or of a household: rows of each table, by its place among all.
using Record = std::vector<Rows>;

void Append(Record& to, const Record& more) {
  for (std::size_t k = 0; k < to.size(); ++k) to[k].insert(to[k].end(), more[k].begin(), more[k].end());
}

Datum NumberOf(ColumnType type, double number) {
  if (type == ColumnType::kReal) return RealDatum(number);
  if (type == ColumnType::kDate) return DateDatum(std::floor(number));
  return type == ColumnType::kTimestamp ? TimestampDatum(std::floor(number)) : IntegerDatum(std::floor(number));
}

Datum NameOf(ColumnType type, int unit) {
  return type == ColumnType::kText ? TextDatum("u" + std::to_string(unit)) : NumberOf(type, unit);
}

// Few values of each kind, so that rows meet: declared ones and others, ends and beyond them, NULL.
std::vector<Datum> ValuesOf(const Column& column) {
  std::vector<Datum> all = {NullDatum()};
  for (const Value& value : column.values)
    if (all.size() < 5 && !std::holds_alternative<Null>(value)) all.push_back(FromPolicyValue(value, column.type));
  if (column.type == ColumnType::kText) {
    all.push_back(TextDatum("zz"));
    if (column.values.empty()) all.push_back(TextDatum("a"));
  } else if (column.type == ColumnType::kBoolean) {
    all = {NullDatum(), BooleanDatum(true), BooleanDatum(false)};
  } else if (!column.values.empty()) {
    all.push_back(NumberOf(column.type, 7));
  } else {
    const double low = column.lower.value_or(-3), high = column.upper.value_or(std::max(low, 0.0) + 5);
    for (const double end : {low, high, low - 2, high + 3}) all.push_back(NumberOf(column.type, end));
    if (column.type == ColumnType::kReal) all.push_back(RealDatum(low / 3 + high * 2 / 3));
  }
  return all;
}

class Trial {
 public:
  Trial(const World& world, const Asked& asked, Dice& dice)
      : world_(world), asked_(asked), dice_(dice), shuffle_(dice.Below(1u << 30)) {
    for (const Table& table : world.policy.tables) tables_.push_back(MadeOf(table));
    for (std::size_t k = 0; k < tables_.size(); ++k)
      if (tables_[k].declared->name == world.policy.unit.table) unit_ = k;
    if (!asked.claim.sizes.empty()) candidates_ = asked.claim.sizes.back() - 1;
    margin_ = asked.claim.use.rank ? asked.claim.use.rank->den * dice.Between(0, 4) / 2 : 0;
    levels_ = asked.claim.use.levels;
    if (levels_.empty()) levels_.emplace_back(asked.claim.keys, true);
  }

  Truth Run() {
    truth_.numbers.resize(asked_.claim.numbers.size());
    truth_.presence.resize(asked_.claim.numbers.size());
    truth_.open_levels.assign(asked_.claim.numbers.size(), std::vector<bool>(levels_.size(), true));
    try {
      for (int world = 0; world < 4; ++world) OneWorld();
      truth_.ran = true;
    } catch (const std::runtime_error& error) {
      truth_.ran = false;
      truth_.why_not = error.what();
    }
    return truth_;
  }

 private:
  Made MadeOf(const Table& table) const {
    Made made{&table, {table.name, {}, {}, {}}, {}};
    const auto add = [&](const Column& column) {
      made.empty.columns.push_back(column.name);
      made.empty.types.push_back(column.type);
      made.values.push_back(ValuesOf(column));
    };
    for (const Column& column : table.columns) add(column);
    const bool of_unit = table.name == world_.policy.unit.table;
    const auto place = [&](const std::optional<std::string>& name) {  // it need not be declared
      if (!name) return kNone;
      auto& columns = made.empty.columns;
      const auto at = std::find(columns.begin(), columns.end(), *name);
      if (at != columns.end()) return static_cast<std::size_t>(at - columns.begin());
      Column column;
      column.name = *name;
      column.type = ColumnType::kInteger;
      add(column);
      return columns.size() - 1;
    };
    made.key = place(of_unit ? world_.policy.unit.key : table.key);
    if (!table.is_public) made.other = place(table.other);
    if (of_unit) made.within = place(world_.policy.unit.within);
    return made;
  }

  Datum NameIn(const Made& table, std::size_t column, int unit) const {
    return NameOf(table.empty.types[column], unit);
  }
  // No household has more than two persons.
  static int HouseOf(int unit) { return unit == kOfOneHousehold ? 1 : (unit + 2) / 2; }

  Row RowIn(const Made& table, int unit) {
    Row row;
    for (std::size_t k = 0; k < table.values.size(); ++k)
      row.push_back(k == table.key      ? NameIn(table, k, unit)
                    : k == table.other  ? NameIn(table, k, kNobody)
                    : k == table.within ? NameIn(table, k, HouseOf(unit))
                                        : dice_.Pick(table.values[k]));
    return row;
  }
  Row Open(int unit) { return RowIn(tables_[unit_], unit); }
  // Another row with the same public values: those of the unit, or of the row.
  Row Again(Row row, bool of_row) {
    const Made& table = tables_[unit_];
    for (std::size_t k = 0; k < table.declared->columns.size(); ++k) {
      const Column& c = table.declared->columns[k];
      if (k != table.key && k != table.within && (!c.is_public || (c.per_row && !of_row)))
        row[k] = dice_.Pick(table.values[k]);
    }
    return row;
  }

  Record RecordOf(const Rows& open, int unit, bool may_miss) {
    Record record(tables_.size());
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      if (t == unit_ || tables_[t].declared->is_public) continue;
      for (std::size_t k = dice_.Below(4); k > 0; --k) record[t].push_back(RowIn(tables_[t], unit));
    }
    Rows& rows = record[unit_];
    if (world_.facts.rows_are_public) {
      for (const Row& row : open) rows.push_back(Again(row, true));
      return record;
    }
    const auto most = world_.policy.unit.key
                          ? static_cast<std::size_t>(std::min<std::int64_t>(world_.policy.unit.max_rows, 3)) + 1
                          : 1;
    for (std::size_t k = may_miss && dice_.Chance(10) ? 0 : 1 + dice_.Below(most); k > 0; --k)
      rows.push_back(!rows.empty() && dice_.Chance(30) ? rows.back() : Again(open[0], false));
    return record;
  }

  // Nobody is named by more than one row.
  void NameOthers(Record& record, int units) {
    for (std::size_t t = 0; t < tables_.size(); ++t) {
      const Made& table = tables_[t];
      if (table.other == kNone) continue;
      std::vector<int> named = {1};
      for (int unit = 2; unit < units; ++unit) named.push_back(unit);
      std::shuffle(named.begin(), named.end(), shuffle_);
      for (Row& row : record[t]) {
        if (dice_.Chance(40) || named.empty()) continue;
        row[table.other] = NameIn(table, table.other, named.back());
        named.pop_back();
      }
      const bool one = std::find(named.begin(), named.end(), 1) != named.end();
      if (!one || units < 3 || dice_.Chance(30)) continue;
      record[t].push_back(RowIn(table, dice_.Between(2, units - 1)));
      record[t].back()[table.other] = NameIn(table, table.other, 1);
    }
  }

  // A few rows of public tables, no key twice; keys are values that other columns have as well.
  Rows PublicRows(const Made& table) {
    Rows rows;
    std::set<Datum> keys;
    for (int k = 0; k < 5; ++k) {
      Row row = RowIn(table, k);
      if (table.key != kNone) {
        const Made& from = dice_.Pick(tables_);
        const std::size_t column = dice_.Below(from.values.size());
        if (from.empty.types[column] == table.empty.types[table.key]) row[table.key] = dice_.Pick(from.values[column]);
        if (row[table.key].null() || !keys.insert(row[table.key]).second) continue;
      }
      rows.push_back(std::move(row));
    }
    return rows;
  }

  std::size_t CellOf(const Row& row) const {
    std::size_t cell = 0;
    for (const check::CellFacts& c : world_.facts.cells) {
      const Column& column = tables_[unit_].declared->columns[c.column];
      const Datum& raw = row[c.column];
      std::size_t at = c.values.size();
      for (std::size_t k = 0; k < c.values.size(); ++k) {
        const bool null = std::holds_alternative<Null>(c.values[k]);
        if (!null && FromPolicyValue(c.values[k], column.type) == raw) at = k;
      }
      for (std::size_t k = 0; at == c.values.size() && k < c.values.size(); ++k)
        if (column.required ? k == 0 : std::holds_alternative<Null>(c.values[k])) at = k;
      cell = cell * c.values.size() + at;
    }
    return cell;
  }

  std::vector<std::vector<std::map<std::vector<Datum>, Int128>>> Numbers(const Groups& groups) const {
    std::vector<std::vector<std::map<std::vector<Datum>, Int128>>> numbers(asked_.claim.numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      numbers[k].resize(levels_.size());
      for (std::size_t level = 0; level < levels_.size(); ++level)
        for (const auto& [key, values] : groups) {
          std::vector<Datum> part;
          for (std::size_t i = 0; i < key.size(); ++i)
            if (levels_[level][i]) part.push_back(key[i]);
          numbers[k][level][part] += values.at(k);
        }
      if (asked_.claim.use.rank) numbers[k][0] = Distances(numbers[k][0]);
    }
    return numbers;
  }

  // Of rows at candidates, how far each of these is from the wanted rank.
  std::map<std::vector<Datum>, Int128> Distances(const std::map<std::vector<Datum>, Int128>& rows_at) const {
    std::map<std::vector<Datum>, std::vector<Int128>> groups;
    for (const auto& [key, rows] : rows_at) {
      auto& at = groups[std::vector<Datum>(key.begin(), key.end() - 1)];
      at.resize(candidates_);
      const long double candidate = key.back().number;
      if (candidate >= 0 && candidate < static_cast<long double>(candidates_))
        at[static_cast<std::size_t>(candidate)] += rows;
    }
    const Int128 num = asked_.claim.use.rank->num, den = asked_.claim.use.rank->den;
    std::map<std::vector<Datum>, Int128> all;
    for (const auto& [group, at] : groups) {
      Int128 rows = 0, below = 0;
      for (const Int128 here : at) rows += here;
      const Int128 middle = rows * (den / 2);
      const Int128 wanted = std::clamp(rows * num, std::min(margin_, middle), std::max(rows * den - margin_, middle));
      for (std::size_t c = 0; c < candidates_; ++c) {
        const Int128 up_to = below + at[c] * den;
        std::vector<Datum> key = group;
        key.push_back(IntegerDatum(static_cast<long double>(c)));
        all[key] = std::max({Int128{0}, below - wanted, wanted - up_to});
        below = up_to;
      }
    }
    return all;
  }
  using Result = decltype(std::declval<Trial>().Numbers({}));

  void Compare(const Result& a, const Result& b, bool presence, Truth::Move& move) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      Distance d;
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        auto keys = a[k][level];
        keys.insert(b[k][level].begin(), b[k][level].end());
        std::map<std::vector<Datum>, std::pair<Int128, Int128>> moves;  // by group: the least and the most
        for (const auto& [key, unused] : keys) {
          const auto at = [&](const auto& map) { return map.contains(key) ? map.at(key) : Int128{0}; };
          const Int128 by = at(a[k][level]) - at(b[k][level]);
          const bool rank = asked_.claim.use.rank.has_value();
          const std::vector<Datum> group(key.begin(), key.end() - (rank ? 1 : 0));
          const auto [ends, is_new] = moves.try_emplace(group, rank ? by : std::min(by, Int128{0}), by);
          if (!rank) ends->second.second = std::max(by, Int128{0});
          if (is_new) continue;
          ends->second = {std::min(ends->second.first, by), std::max(ends->second.second, by)};
        }
        for (const auto& [group, ends] : moves) {
          const Int128 by = ends.second - ends.first;
          d.l1 += by;
          d.l2_squared += by * by;
          d.groups += by > 0 ? 1 : 0;
          if (by > 0) truth_.open_levels[k][level] = false;
        }
      }
      const auto widen = [&](Distance& most) {
        most.l1 = std::max(most.l1, d.l1);
        most.l2_squared = std::max(most.l2_squared, d.l2_squared);
        most.groups = std::max(most.groups, d.groups);
      };
      widen(truth_.numbers[k]);
      if (presence) widen(truth_.presence[k]);
      move.l1[k] = std::max(move.l1[k], d.l1);
    }
  }

  void OneWorld() {
    const bool secret = world_.policy.unit.presence == Presence::kSecret;
    const bool households = asked_.claim.use.of_households;
    const Made& table = tables_[unit_];
    Rows open = {Open(1)};
    Row housemate = Open(kOfOneHousehold);
    if (world_.facts.rows_are_public)
      for (std::size_t k = dice_.Below(static_cast<std::size_t>(world_.policy.unit.max_rows)); k > 0; --k) {
        Row row = open[0];
        for (std::size_t i = 0; i < table.declared->columns.size(); ++i)
          if (table.declared->columns[i].per_row) row[i] = dice_.Pick(table.values[i]);
        open.push_back(row);
      }
    Record fixed(tables_.size());
    for (std::size_t t = 0; t < tables_.size(); ++t)
      if (tables_[t].declared->is_public) fixed[t] = PublicRows(tables_[t]);
    const int units = 2 + dice_.Between(0, 3);
    for (int unit = 2; unit < units; ++unit) {
      Row row = Open(unit);
      for (std::size_t i = 0; i < row.size(); ++i)
        if (dice_.Chance(50) && i != table.key && i != table.within) row[i] = open[0][i];
      Append(fixed, RecordOf({row}, unit, secret));
    }
    Truth::Move move;
    for (const Row& row : open) move.cells.push_back(CellOf(row));
    move.l1.resize(asked_.claim.numbers.size());
    std::vector<Result> results;
    const std::uint64_t salt = dice_.Below(1000);
    for (int k = 0; k < 14; ++k) {
      Record record = fixed;
      if (k > 0 || !secret) {
        Record own = RecordOf(open, 1, secret);
        if (households) Append(own, RecordOf({housemate}, kOfOneHousehold, secret));
        NameOthers(own, units);
        SameInHouse(own);
        Append(record, own);
      }
      std::vector<TinyTable> tables;
      for (std::size_t t = 0; t < tables_.size(); ++t) {
        tables.push_back(tables_[t].empty);
        tables.back().rows = std::move(record[t]);
        std::shuffle(tables.back().rows.begin(), tables.back().rows.end(), shuffle_);
      }
      results.push_back(Numbers(TinyStatements(std::move(tables), salt).Run(asked_.statement, asked_.claim.keys)));
      for (std::size_t before = 0; before + 1 < results.size(); ++before)
        Compare(results[before], results.back(), before == 0 && secret, move);
    }
    truth_.moves.push_back(std::move(move));
  }

  // What is declared to be one for a household is that of its first row.
  void SameInHouse(Record& record) const {
    Rows& rows = record[unit_];
    for (std::size_t k = 0; k < tables_[unit_].declared->columns.size(); ++k)
      if (tables_[unit_].declared->columns[k].of_household)
        for (Row& row : rows) row[k] = rows.front()[k];
  }

  const World& world_;
  const Asked& asked_;
  Dice& dice_;
  std::mt19937_64 shuffle_;
  std::vector<Made> tables_;
  std::size_t unit_ = 0;
  std::size_t candidates_ = 3;
  Int128 margin_ = 0;
  std::vector<std::vector<bool>> levels_;
  Truth truth_;
};

std::int64_t Small(Int128 x) { return static_cast<std::int64_t>(x); }

}  // namespace

Truth SampledNeighbours(const World& world, const Asked& asked, Dice& dice) { return Trial(world, asked, dice).Run(); }

std::string FaultOf(const Truth& truth, const check::Found& found, const check::Facts& facts) {
  for (std::size_t k = 0; k < found.numbers.size(); ++k) {
    const auto& [change, presence, open] = found.numbers[k];
    const Distance &d = truth.numbers[k], &p = truth.presence[k];
    const auto said = [](const char* what, Int128 is, Int128 most) {
      return std::string(what) + " moves by " + ToText(is) + ", found " + ToText(most);
    };
    if (d.l1 > change.l1) return said("L1", d.l1, change.l1);
    if (d.l2_squared > change.l2_squared) return said("L2", d.l2_squared, change.l2_squared);
    if (d.groups > change.groups) return said("groups", d.groups, change.groups);
    if (p.l1 > presence.l1) return said("presence", p.l1, presence.l1);
    if (p.l2_squared > presence.l2_squared) return said("presence in L2", p.l2_squared, presence.l2_squared);
    if (p.groups > presence.groups) return said("presence in groups", p.groups, presence.groups);
    for (std::size_t level = 0; level < open.size(); ++level)
      if (open[level] && !truth.open_levels[k][level]) return "a level that nothing should move";
    // A unit loses at most the average over its rows of what their cells are charged.
    for (const Truth::Move& move : truth.moves) {
      const auto paid =
          std::count_if(move.cells.begin(), move.cells.end(), [&](std::size_t cell) { return found.charged.at(cell); });
      const auto rows = static_cast<Int128>(facts.rows_are_public ? move.cells.size() : 1);
      if (move.l1[k] * rows > change.l1 * Int128{paid})
        return "a cell that is not charged moves by " + ToText(move.l1[k]);
    }
  }
  return {};
}

std::optional<check::Claim> ClaimOf(const check::Claim& use, const check::Found& found) {
  check::Claim claim = use;
  claim.charged = found.charged;
  claim.rows = Small(found.rows);
  for (std::size_t k = 0; k < found.numbers.size(); ++k) {
    const auto make = [](const check::Moved& m) {
      return Sensitivities::Make(Small(m.l1), Small(m.l2_squared), Small(std::min(m.groups, m.l1)));
    };
    if (found.numbers[k].change.l1 > (Int128{1} << 30)) return std::nullopt;
    const auto change = make(found.numbers[k].change), presence = make(found.numbers[k].presence);
    if (!change || !presence) return std::nullopt;
    claim.numbers[k] = {*change, *presence, {}};
  }
  return claim;
}

std::vector<check::Claim> Smaller(const check::Claim& claim, const check::Found& found) {
  std::vector<check::Claim> all;
  for (std::size_t k = 0; k < claim.numbers.size(); ++k) {
    const auto& [change, presence, open] = claim.numbers[k];
    const std::int64_t l1 = change.l1().steps(), l2 = change.l2_squared(), groups = change.groups();
    const auto with = [&](const Result<Sensitivities>& smaller, bool coming) {
      if (!smaller) return;
      check::Claim made = claim;
      (coming ? made.numbers[k].presence.emplace(*smaller) : made.numbers[k].change = *smaller);
      all.push_back(std::move(made));
    };
    if (l1 > 0) with(Sensitivities::None(), false);
    if (l1 > 1) with(Sensitivities::Make(l1 - 1, std::min(l2, (l1 - 1) * (l1 - 1)), std::min(groups, l1 - 1)), false);
    if (l2 > 1) with(Sensitivities::Make(l1, l2 - 1, groups), false);
    if (groups > 1) with(Sensitivities::Make(l1, l2, groups - 1), false);
    if (presence && presence->l1().steps() > 0) with(Sensitivities::None(), true);
    check::Claim opened = claim;
    opened.numbers[k].open_levels.assign(std::max<std::size_t>(1, claim.use.levels.size()), true);
    if (l1 > 0) all.push_back(std::move(opened));
  }
  for (std::size_t cell = 0; cell < claim.charged.size(); ++cell) {
    if (!claim.charged[cell]) continue;
    check::Claim made = claim;
    made.charged[cell] = false;
    all.push_back(std::move(made));
  }
  if (found.rows > 0) {
    all.push_back(claim);
    all.back().rows -= 1;
  }
  return all;
}

}  // namespace kith::testing::hostile
