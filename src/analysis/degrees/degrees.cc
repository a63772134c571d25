#include "analysis/degrees/degrees.h"

#include <fmt/format.h>

#include "analysis/degrees/pair_counts.h"

namespace kith {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 31;  // two names fit one number

Result<Statistic> StatisticOf(std::string name, std::size_t steps, std::string reason) {
  const auto change = Sensitivities::OfL1(static_cast<std::int64_t>(steps));
  if (!change) return change.error();
  return Statistic{std::move(name), {}, *change, std::move(reason)};
}

GroupKey DegreeKey(std::size_t most) {
  GroupKey key{"degree", {}, true};
  for (std::size_t d = 1; d <= most; ++d) key.values.emplace_back(static_cast<std::int64_t>(d));
  return key;
}

}  // namespace

std::string Degrees::Normalised() const {
  const auto& condition = pairs_.condition();
  return fmt::format("degrees of {} by {} and {} up to {}{}, {} people{}{}", QuotedName(table_),
                     QuotedName(options_.ends[0]), QuotedName(options_.ends[1]), options_.max_degree,
                     options_.once ? ", pairs are there once" : "",
                     options_.people ? fmt::format("{}", *options_.people) : "any number of",
                     groups_ ? fmt::format(", by {}.{} of {}", QuotedName(groups_->table), QuotedName(groups_->column),
                                           QuotedName(groups_->name))
                             : "",
                     condition ? ", where " + condition->normalised : "");
}

// Friendships: the smaller name first, so that both directions are one. Lists: who names whom, as text. A missing end
// makes no pair, nor does a person paired with themselves.
sql::Statement Degrees::Pairs() const {
  const bool distinct = !options_.once;
  if (unit_ != Unit::kList) {
    return sql::Selected(
        {.distinct = distinct, .items = {{sql::Name("a")}, {sql::Name("b")}}, .from = sql::Rows(pairs_.Pairs(), "q")});
  }
  const sql::Term a = sql::Column("t", options_.ends[0]), b = sql::Column("t", options_.ends[1]);
  const auto text = [](const sql::Term& name) { return sql::Cast(name, sql::Stored::kText); };
  return sql::Selected({.distinct = distinct,
                        .items = {{a, "a"}, {b, "b"}},
                        .from = sql::Table(table_, "t"),
                        .where = pairs_.AndCondition(sql::Infix(" <> ", {text(a), text(b)}))});
}

// SELECT n: for each person among `ends`, how many friends, but no more than the largest degree.
sql::Statement Degrees::CutDegrees(sql::Source ends, const char* person) const {
  const sql::Term most = sql::Number(static_cast<Int128>(options_.max_degree));
  return sql::Selected({.items = {{sql::Least({sql::CountRows(), most}), "n"}},
                        .from = std::move(ends),
                        .group_by = {sql::Name(person)}});
}

sql::Statement Degrees::HistogramOf() const {
  const sql::Term n = sql::Name("n"), one = sql::Number(1);
  if (unit_ == Unit::kList) {
    return sql::Selected({.items = {{sql::Infix(" - ", {n, one}), "g"}, {sql::CountRows(), "people"}},
                          .from = sql::Rows(CutDegrees(sql::Rows(Pairs(), "p"), "a"), "d"),
                          .group_by = {n}});
  }
  const std::string p = pairs_.Apart("p", ""), h = pairs_.Apart("h", "");
  const auto end = [&](const char* name) {
    return sql::Selected({.items = {{sql::Name(name), "v"}}, .from = sql::Own(p)});
  };
  const auto ends = sql::United(end("a"), end("b"), true);
  const auto people = sql::Selected({.items = {{n}, {sql::CountRows(), "people"}},
                                     .from = sql::Rows(CutDegrees(sql::Rows(ends, "ends"), "v"), "d"),
                                     .group_by = {n}});
  const sql::Term degree = sql::Name("i", "n");
  const sql::Term at_least = sql::Call("coalesce", {sql::Sum(sql::Name("h", "people")), sql::Number(0)});
  sql::Source degrees;
  degrees.series = static_cast<std::int64_t>(options_.max_degree);
  degrees.name = "i";
  degrees.column = "n";
  return sql::Selected(
      {.with = {{p, Pairs()}, {h, people}},
       .items = {{sql::Infix(" - ", {degree, one}), "g"}, {sql::Cast(at_least, sql::Stored::kWhole), "at_least"}},
       .from = std::move(degrees),
       .joins = {{true, sql::Own(h, "h"), sql::Infix(" >= ", {sql::Name("h", "n"), degree})}},
       .group_by = {degree}});
}

sql::Statement Degrees::TotalOf() const {
  if (unit_ != Unit::kList)
    return sql::Selected({.items = {{sql::CountRows(), "pairs"}}, .from = sql::Rows(Pairs(), "p")});
  const sql::Term total = sql::Call("coalesce", {sql::Sum(sql::Name("n")), sql::Number(0)});
  return sql::Selected({.items = {{sql::Cast(total, sql::Stored::kWhole), "total"}},
                        .from = sql::Rows(CutDegrees(sql::Rows(Pairs(), "p"), "a"), "d")});
}

// Counts and sums in one round, since one scan makes both. The sum of a group is kept with its first degree.
Result<Plan> Degrees::CountedRound() const {
  Plan plan;
  plan.normalised = Normalised();
  plan.charged = charged_;
  if (groups_) {
    GroupKey key{groups_->column, groups_->values, false};
    key.values.emplace_back();
    plan.keys.push_back(std::move(key));
  }
  plan.keys.push_back(DegreeKey(options_.max_degree));
  const bool person = unit_ == Unit::kPerson;
  const std::size_t steps = person ? 2 * options_.max_degree : 4;
  const std::string reason = person ? "a person's friendships are replaced: as many people gain or lose one each"
                                    : "two people lose a friend and two others gain one";
  for (const char* name : {"people with at least this many friends", "sum of degrees"}) {
    auto statistic = StatisticOf(name, steps, reason);
    if (!statistic) return statistic.error();
    plan.statistics.push_back(std::move(*statistic));
  }
  plan.statement = pairs_.OrderedAny();
  return plan;
}

Result<Plan> Degrees::Round(std::span<const NoisyRound> before) const {
  if (counts_itself()) return CountedRound();
  Plan plan;
  plan.normalised = fmt::format("round {} of {}", before.size() + 1, Normalised());
  plan.charged = charged_;
  const bool histogram = before.empty(), lists = unit_ == Unit::kList;
  if (histogram) plan.keys.push_back(DegreeKey(options_.max_degree));
  auto statistic =
      lists && histogram
          ? StatisticOf("people with this many friends", 2, "a person leaves one degree and enters another")
      : lists ? StatisticOf("sum of degrees", options_.max_degree, "a list can be empty or full")
      : histogram
          ? StatisticOf("people with at least this many friends", 4, "two people lose a friend and two others gain one")
          : StatisticOf("friendships", 1, "a friendship is there or not");
  if (!statistic) return statistic.error();
  plan.statistics.push_back(std::move(*statistic));
  plan.statement = histogram ? HistogramOf() : TotalOf();
  return plan;
}

namespace {

/// The names as counters' places, if they are whole numbers that are close enough; the largest of them.
Result<std::optional<std::int64_t>> LargestNumber(const PairStatements& pairs, const Session& engine,
                                                  const CancelFlag& cancel) {
  const auto range = engine.Run(pairs.Range(), cancel);
  if (!range) return range.error();
  if (range->rows.size() != 1 || range->columns != 3)
    return InternalError("the engine returned a table of the wrong shape");
  const auto& [count, least, largest] = std::tie(range->rows[0][0], range->rows[0][1], range->rows[0][2]);
  constexpr Int128 kAlways = 1 << 20;
  if (!least || !largest) return std::optional<std::int64_t>(0);
  if (*least < 0 || *largest >= kMostNumbers || *largest > kAlways + 8 * count.value_or(0))
    return std::optional<std::int64_t>();
  return std::optional(static_cast<std::int64_t>(*largest));
}

Result<std::vector<std::uint16_t>> GroupsFrom(const sql::Statement& statement, std::size_t groups,
                                              const Session& engine, const CancelFlag& cancel) {
  std::vector<std::uint16_t> group_of;
  const auto scanned = engine.Scan(
      statement,
      [&](IntegerColumns columns) -> Result<void> {
        for (std::size_t i = 0; i < columns[0].size(); ++i) {
          const auto person = static_cast<std::size_t>(columns[0][i]);
          if (person >= group_of.size()) group_of.resize(person + 1, static_cast<std::uint16_t>(groups - 1));
          group_of[person] = static_cast<std::uint16_t>(columns[1][i]);
        }
        return {};
      },
      cancel);
  if (!scanned) return scanned.error();
  return group_of;
}

IntegerTable TableOf(const PairCounts& counts, bool grouped) {
  IntegerTable table;
  table.columns = grouped ? 4 : 3;
  const auto at_least = counts.AtLeast();
  for (std::size_t g = 0; g < at_least.size(); ++g) {
    for (std::size_t d = 0; d < at_least[g].size(); ++d) {
      std::vector<std::optional<Int128>> row;
      if (grouped) row.emplace_back(g);
      row.emplace_back(d);
      row.emplace_back(at_least[g][d]);
      row.emplace_back(d == 0 ? counts.sums()[g] : 0);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

Result<Sealed> Degrees::Measure(const Plan& plan, const Vault& vault) const {
  if (!counts_itself()) return vault.RunUnchecked(plan);
  return vault.Count(plan, [&](const Session& engine) { return Counted(engine, vault.cancel()); });
}

Result<IntegerTable> Degrees::Counted(const Session& engine, const CancelFlag& cancel) const {
  std::optional<std::int64_t> largest;
  if (!names_are_text_) {
    const auto found = LargestNumber(pairs_, engine, cancel);
    if (!found) return found.error();
    largest = *found;
  }
  std::vector<std::uint16_t> group_of;
  if (groups_) {
    auto found = GroupsFrom(largest ? pairs_.GroupsOfNumbers(*groups_, *largest) : pairs_.GroupsOfAny(*groups_),
                            groups(), engine, cancel);
    if (!found) return found.error();
    group_of = std::move(*found);
  }
  PairCounts counts(options_.max_degree,
                    unit_ == Unit::kPerson ? PairCounts::Above::kDropped : PairCounts::Above::kCounted,
                    std::move(group_of), groups());
  std::vector<std::int64_t> first, second;
  const auto scanned = engine.Scan(
      largest ? pairs_.OrderedNumbers() : pairs_.OrderedAny(),
      [&](IntegerColumns columns) -> Result<void> {
        if (!largest) {
          counts.Take(columns[0], columns[1]);
          return {};
        }
        first.resize(columns[0].size());
        second.resize(columns[0].size());
        for (std::size_t i = 0; i < columns[0].size(); ++i) {
          first[i] = columns[0][i] / kMostNumbers;
          second[i] = columns[0][i] % kMostNumbers;
        }
        counts.Take(first, second);
        return {};
      },
      cancel);
  if (!scanned) return scanned.error();
  return TableOf(counts, groups_.has_value());
}

}  // namespace kith
