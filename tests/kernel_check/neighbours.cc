// Neighbours of tiny tables, drawn at random, for the hostile planner.
#include <algorithm>
#include <random>
#include <stdexcept>

#include "tests/kernel_check/hostile.h"

namespace kith::testing::hostile {
namespace {

using Rows = std::vector<Row>;

struct Record {
  Rows t, v;
  bool empty() const { return t.empty() && v.empty(); }
};

const TinyTable kPublic = {"r",
                           {"code", "level"},
                           {ColumnType::kText, ColumnType::kInteger},
                           {{TextDatum("a"), IntegerDatum(2)}, {TextDatum("c"), IntegerDatum(9)}}};

class Trial {
 public:
  Trial(const World& world, const Asked& asked, Dice& dice)
      : world_(world),
        asked_(asked),
        dice_(dice),
        table_(world.policy.unit_table()),
        keyed_(world.policy.unit.key.has_value()),
        shuffle_(dice.Below(1u << 30)) {
    for (const Column& column : table_.columns) {
      empty_.columns.push_back(column.name);
      empty_.types.push_back(column.type);
      values_.push_back(ValuesOf(column));
    }
    empty_.name = "t";
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
  std::vector<Datum> ValuesOf(const Column& column) {
    if (column.name == "id") return {IntegerDatum(1)};
    if (column.name == "g") return {TextDatum("a"), TextDatum("b"), TextDatum("c"), NullDatum()};
    if (column.name == "h") return {IntegerDatum(1), IntegerDatum(2), IntegerDatum(7), NullDatum()};
    return {IntegerDatum(*column.lower), IntegerDatum(*column.upper), IntegerDatum(*column.upper + 3),
            IntegerDatum(*column.lower - 2), NullDatum()};
  }

  Row Open(int unit) {
    Row row;
    for (std::size_t k = 0; k < values_.size(); ++k)
      row.push_back(empty_.columns[k] == "id" ? IntegerDatum(unit) : dice_.Pick(values_[k]));
    return row;
  }
  // Another row with the same public values: those of the unit, or of the row.
  Row Again(Row row, bool of_row) {
    for (std::size_t k = 0; k < row.size(); ++k) {
      const Column& c = table_.columns[k];
      if (c.name != "id" && (!c.is_public || (c.per_row && !of_row))) row[k] = dice_.Pick(values_[k]);
    }
    return row;
  }

  Record RecordOf(const Rows& open, bool may_miss) {
    Record record;
    if (world_.policy.FindTable("v") != nullptr) {
      for (std::size_t k = dice_.Below(4); k > 0; --k)
        record.v.push_back({open[0][0],
                            dice_.Pick<Datum>({IntegerDatum(-1), IntegerDatum(2), IntegerDatum(5), NullDatum()}),
                            dice_.Pick<Datum>({TextDatum("a"), TextDatum("b"), TextDatum("z"), NullDatum()})});
    }
    if (world_.facts.rows_are_public) {
      for (const Row& row : open) record.t.push_back(Again(row, true));
      return record;
    }
    const auto most = keyed_ ? static_cast<std::size_t>(world_.policy.unit.max_rows) + 1 : 1;
    for (std::size_t k = may_miss && dice_.Chance(10) ? 0 : 1 + dice_.Below(most); k > 0; --k)
      record.t.push_back(!record.t.empty() && dice_.Chance(30) ? record.t.back() : Again(open[0], false));
    return record;
  }

  std::size_t CellOf(const Row& row) const {
    std::size_t cell = 0;
    for (const check::CellFacts& c : world_.facts.cells) {
      const Column& column = table_.columns[c.column];
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
    }
    return numbers;
  }
  using Result = decltype(std::declval<Trial>().Numbers({}));

  void Compare(const Result& a, const Result& b, bool presence, Truth::Move& move) {
    for (std::size_t k = 0; k < a.size(); ++k) {
      Distance d;
      for (std::size_t level = 0; level < levels_.size(); ++level) {
        auto keys = a[k][level];
        keys.insert(b[k][level].begin(), b[k][level].end());
        for (const auto& [key, unused] : keys) {
          const auto at = [&](const auto& map) { return map.contains(key) ? map.at(key) : Int128{0}; };
          const Int128 by =
              at(a[k][level]) > at(b[k][level]) ? at(a[k][level]) - at(b[k][level]) : at(b[k][level]) - at(a[k][level]);
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
    Rows open = {Open(1)};
    if (world_.facts.rows_are_public)
      for (std::size_t k = dice_.Below(static_cast<std::size_t>(world_.policy.unit.max_rows)); k > 0; --k) {
        Row row = open[0];
        for (std::size_t i = 0; i < row.size(); ++i)
          if (table_.columns[i].per_row) row[i] = dice_.Pick(values_[i]);
        open.push_back(row);
      }
    Record others;
    for (int unit = 2; unit < 2 + dice_.Between(0, 3); ++unit) {
      Row row = Open(unit);
      for (std::size_t i = 0; i < row.size(); ++i)
        if (dice_.Chance(50) && empty_.columns[i] != "id") row[i] = open[0][i];
      const Record record = RecordOf({row}, secret);
      others.t.insert(others.t.end(), record.t.begin(), record.t.end());
      others.v.insert(others.v.end(), record.v.begin(), record.v.end());
    }
    Truth::Move move;
    for (const Row& row : open) move.cells.push_back(CellOf(row));
    move.l1.resize(asked_.claim.numbers.size());
    std::vector<Result> results;
    const std::uint64_t salt = dice_.Below(1000);
    for (int k = 0; k < 14; ++k) {
      Record record;
      if (k > 0 || !secret) record = RecordOf(open, secret);
      TinyTable t = empty_,
                v{"v", {"who", "y", "s"}, {ColumnType::kInteger, ColumnType::kInteger, ColumnType::kText}, others.v};
      t.rows = others.t;
      t.rows.insert(t.rows.end(), record.t.begin(), record.t.end());
      v.rows.insert(v.rows.end(), record.v.begin(), record.v.end());
      std::shuffle(t.rows.begin(), t.rows.end(), shuffle_);
      std::shuffle(v.rows.begin(), v.rows.end(), shuffle_);
      results.push_back(Numbers(TinyStatements({t, v, kPublic}, salt).Run(asked_.statement, asked_.claim.keys)));
      for (std::size_t before = 0; before + 1 < results.size(); ++before)
        Compare(results[before], results.back(), before == 0 && secret, move);
    }
    truth_.moves.push_back(std::move(move));
  }

  const World& world_;
  const Asked& asked_;
  Dice& dice_;
  const Table& table_;
  const bool keyed_;
  std::mt19937_64 shuffle_;
  TinyTable empty_;
  std::vector<std::vector<Datum>> values_;
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
      return Change::Make(Small(m.l1), Small(m.l2_squared), Small(std::min(m.groups, m.l1)));
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
    const auto with = [&](const Result<Change>& smaller, bool coming) {
      if (!smaller) return;
      check::Claim made = claim;
      (coming ? made.numbers[k].presence.emplace(*smaller) : made.numbers[k].change = *smaller);
      all.push_back(std::move(made));
    };
    if (l1 > 0) with(Change::None(), false);
    if (l1 > 1) with(Change::Make(l1 - 1, std::min(l2, (l1 - 1) * (l1 - 1)), std::min(groups, l1 - 1)), false);
    if (l2 > 1) with(Change::Make(l1, l2 - 1, groups), false);
    if (groups > 1) with(Change::Make(l1, l2, groups - 1), false);
    if (presence && presence->l1().steps() > 0) with(Change::None(), true);
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
