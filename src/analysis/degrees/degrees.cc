#include "analysis/degrees/degrees.h"

#include <fmt/format.h>

#include "analysis/degrees/pair_counts.h"

namespace kith {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 31;  // two names fit one number

std::string Quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

Result<Statistic> StatisticOf(std::string name, std::size_t steps, std::string reason) {
  const auto change = Change::OfL1(static_cast<std::int64_t>(steps));
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
  return fmt::format(
      "degrees of {} by {} and {} up to {}{}, {} people{}{}", Quoted(table_), Quoted(options_.ends[0]),
      Quoted(options_.ends[1]), options_.max_degree, options_.once ? ", pairs are there once" : "",
      options_.people ? fmt::format("{}", *options_.people) : "any number of",
      groups_ ? fmt::format(", by {}.{} of {}", Quoted(groups_->table), Quoted(groups_->column), Quoted(groups_->name))
              : "",
      condition ? ", where " + condition->normalised : "");
}

// Friendships: the smaller name first, so that both directions are one. Lists: who names whom, as text. A missing end
// makes no pair, nor does a person with itself.
std::string Degrees::Pairs(Dialect dialect) const {
  const char* distinct = options_.once ? "" : "DISTINCT ";
  if (unit_ != Unit::kList) return fmt::format("SELECT {}a, b FROM ({}) AS q", distinct, pairs_.Pairs(dialect));
  const std::string a = "t." + Quoted(options_.ends[0]), b = "t." + Quoted(options_.ends[1]);
  return fmt::format("SELECT {0}{1} AS a, {2} AS b FROM {3} AS t WHERE CAST({1} AS VARCHAR) <> CAST({2} AS VARCHAR){4}",
                     distinct, a, b, Quoted(table_), pairs_.AndCondition(dialect));
}

std::string Degrees::HistogramSql(Dialect dialect) const {
  const std::string pairs = Pairs(dialect);
  if (unit_ == Unit::kList) {
    return fmt::format(
        "SELECT n - 1 AS g, count(*) AS people FROM (SELECT least(count(*), {}) AS n FROM ({}) AS p GROUP BY a) AS d "
        "GROUP BY n",
        options_.max_degree, pairs);
  }
  return fmt::format(
      "WITH {2} AS ({0}), {3} AS (SELECT n, count(*) AS people FROM (SELECT least(count(*), {1}) AS n FROM (SELECT a "
      "AS v FROM {2} UNION ALL SELECT b AS v FROM {2}) AS ends GROUP BY v) AS d GROUP BY n) SELECT i.n - 1 AS g, "
      "CAST(coalesce(sum(h.people), 0) AS BIGINT) AS at_least FROM generate_series(1, {1}) AS i(n) LEFT JOIN {3} AS h "
      "ON h.n >= i.n GROUP BY i.n",
      pairs, options_.max_degree, pairs_.Apart("p", ""), pairs_.Apart("h", ""));
}

std::string Degrees::TotalSql(Dialect dialect) const {
  if (unit_ != Unit::kList) return fmt::format("SELECT count(*) AS pairs FROM ({}) AS p", Pairs(dialect));
  return fmt::format(
      "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS total FROM (SELECT least(count(*), {}) AS n FROM ({}) AS p GROUP "
      "BY a) AS d",
      options_.max_degree, Pairs(dialect));
}

// Counts and sums in one round, since one scan makes both. The sum of a group stands with its first degree.
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
  for (const char* name : {"people with at least so many friends", "sum of degrees"}) {
    auto statistic = StatisticOf(name, steps, reason);
    if (!statistic) return statistic.error();
    plan.statistics.push_back(std::move(*statistic));
  }
  plan.duckdb_sql = pairs_.OrderedAny(Dialect::kDuckDb);
  plan.postgresql_sql = pairs_.OrderedAny(Dialect::kPostgreSql);
  return plan;
}

Result<Plan> Degrees::Round(std::span<const NoisyRound> before) const {
  if (counts_itself()) return CountedRound();
  Plan plan;
  plan.normalised = fmt::format("round {} of {}", before.size() + 1, Normalised());
  plan.charged = charged_;
  const bool histogram = before.empty(), lists = unit_ == Unit::kList;
  if (histogram) plan.keys.push_back(DegreeKey(options_.max_degree));
  auto statistic = lists && histogram
                       ? StatisticOf("people with so many friends", 2, "a person leaves one degree and enters another")
                   : lists     ? StatisticOf("sum of degrees", options_.max_degree, "a list can be empty or full")
                   : histogram ? StatisticOf("people with at least so many friends", 4,
                                             "two people lose a friend and two others gain one")
                               : StatisticOf("friendships", 1, "a friendship is there or not");
  if (!statistic) return statistic.error();
  plan.statistics.push_back(std::move(*statistic));
  plan.duckdb_sql = histogram ? HistogramSql(Dialect::kDuckDb) : TotalSql(Dialect::kDuckDb);
  plan.postgresql_sql = histogram ? HistogramSql(Dialect::kPostgreSql) : TotalSql(Dialect::kPostgreSql);
  return plan;
}

namespace {

/// The names as counters' places, if they are whole numbers that lie close enough; the largest of them.
Result<std::optional<std::int64_t>> LargestNumber(const PairStatements& pairs, const Engine& engine,
                                                  const CancelFlag& cancel) {
  const auto range = engine.Run(pairs.Range(engine.dialect()), cancel);
  if (!range) return range.error();
  if (range->rows.size() != 1 || range->columns != 3)
    return InternalError("the engine returned a table of another shape");
  const auto& [count, least, largest] = std::tie(range->rows[0][0], range->rows[0][1], range->rows[0][2]);
  constexpr Int128 kAlways = 1 << 20;
  if (!least || !largest) return std::optional<std::int64_t>(0);
  if (*least < 0 || *largest >= kMostNumbers || *largest > kAlways + 8 * count.value_or(0))
    return std::optional<std::int64_t>();
  return std::optional(static_cast<std::int64_t>(*largest));
}

Result<std::vector<std::uint16_t>> GroupsFrom(const std::string& sql, std::size_t groups, const Engine& engine,
                                              const CancelFlag& cancel) {
  std::vector<std::uint16_t> group_of;
  const auto scanned = engine.Scan(
      sql,
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

Result<IntegerTable> Degrees::Measure(const Plan& plan, const Engine& engine, const CancelFlag& cancel) const {
  if (!counts_itself()) return Analysis::Measure(plan, engine, cancel);
  const Dialect dialect = engine.dialect();
  std::optional<std::int64_t> largest;
  if (!names_are_text_) {
    const auto found = LargestNumber(pairs_, engine, cancel);
    if (!found) return found.error();
    largest = *found;
  }
  std::vector<std::uint16_t> group_of;
  if (groups_) {
    auto found = GroupsFrom(
        largest ? pairs_.GroupsOfNumbers(*groups_, *largest, dialect) : pairs_.GroupsOfAny(*groups_, dialect), groups(),
        engine, cancel);
    if (!found) return found.error();
    group_of = std::move(*found);
  }
  PairCounts counts(options_.max_degree,
                    unit_ == Unit::kPerson ? PairCounts::Above::kDropped : PairCounts::Above::kCounted,
                    std::move(group_of), groups());
  std::vector<std::int64_t> first, second;
  const auto scanned = engine.Scan(
      largest ? pairs_.OrderedNumbers(dialect) : pairs_.OrderedAny(dialect),
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
