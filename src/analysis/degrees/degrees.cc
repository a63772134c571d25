#include "analysis/degrees/degrees.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/error_bar.h"
#include "analysis/points/isotonic.h"
#include "query/typing.h"

namespace kith {
namespace {

std::string Quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

// A column of names: a type and nothing else, so that what is stored is what is read.
Result<ColumnType> TypeOfEnd(const std::string& name, const Table& table) {
  const Column* column = table.Find(name);
  if (!column) {
    return InvalidArgument(fmt::format("there is no column {} in [columns.{}]", Shortened(name), table.name), {},
                           "name the two columns of people that the policy declares: --ends a,b");
  }
  const bool name_type = column->type == ColumnType::kInteger || column->type == ColumnType::kText;
  if (!name_type || column->lower || !column->values.empty() || column->required) {
    return InvalidArgument(fmt::format("{} does not name people", Shortened(name)), {},
                           "declare it as { type = \"integer\" } or { type = \"text\" }, without bounds or values");
  }
  return column->type;
}

std::optional<Error> WrongEnds(const DegreesOptions& options, const Policy& policy) {
  const Table& table = policy.unit_table();
  if (options.ends[0] == options.ends[1]) return InvalidArgument("the two ends are one column", {}, "name two columns");
  if (policy.unit.key && *policy.unit.key != options.ends[0]) {
    return Unsupported(
        fmt::format("a unit is all rows of one {}, which is not the first end", Shortened(*policy.unit.key)), {},
        "degrees need row = true (each friendship is a unit) or the first end as key (each person's own list)");
  }
  const auto second = TypeOfEnd(options.ends[1], table);
  if (!second) return second.error();
  if (policy.unit.key) return std::nullopt;  // a key may be left undeclared, and is compared as text
  const auto first = TypeOfEnd(options.ends[0], table);
  if (!first) return first.error();
  if (*first != *second) return InvalidArgument("the two ends have different types", {}, "declare the same type");
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<Degrees>> Degrees::Make(const DegreesOptions& options, const Policy& policy) {
  if (const auto error = WrongEnds(options, policy)) return *error;
  if (options.max_degree < 1 || options.max_degree > DegreesOptions::kMaxDegree) {
    return InvalidArgument(fmt::format("the largest degree must be from 1 to {}", DegreesOptions::kMaxDegree), {},
                           "name one that few people exceed: --max-degree 100");
  }
  if (policy.unit.key && static_cast<std::int64_t>(options.max_degree) > policy.unit.max_rows) {
    return InvalidArgument(
        fmt::format("the largest degree is more than the {} rows that a unit may contribute", policy.unit.max_rows), {},
        fmt::format("--max-degree {} or less", policy.unit.max_rows));
  }
  if (options.people && *options.people < 1)
    return InvalidArgument("--people must be positive", {}, "leave it out if it is not public");
  return std::unique_ptr<Degrees>(new Degrees(options, policy));
}

Degrees::Degrees(const DegreesOptions& options, const Policy& policy)
    : options_(options),
      table_(policy.unit.table),
      lists_(policy.unit.key.has_value()),
      charged_(policy.cells.size(), true) {}

std::string Degrees::Normalised() const {
  return fmt::format("degrees of {} by {} and {} up to {}{}, {} people", Quoted(table_), Quoted(options_.ends[0]),
                     Quoted(options_.ends[1]), options_.max_degree, options_.once ? ", pairs are there once" : "",
                     options_.people ? fmt::format("{}", *options_.people) : "any number of");
}

// Friendships: the smaller name first, so that both directions are one. Lists: who names whom, as text. A missing end
// makes no pair, nor does a person with itself.
std::string Degrees::Pairs(Dialect) const {
  const std::string a = "t." + Quoted(options_.ends[0]), b = "t." + Quoted(options_.ends[1]);
  const char* distinct = options_.once ? "" : "DISTINCT ";
  if (lists_) {
    return fmt::format("SELECT {0}{1} AS a, {2} AS b FROM {3} AS t WHERE CAST({1} AS VARCHAR) <> CAST({2} AS VARCHAR)",
                       distinct, a, b, Quoted(table_));
  }
  return fmt::format("SELECT {0}least({1}, {2}) AS a, greatest({1}, {2}) AS b FROM {3} AS t WHERE {1} <> {2}", distinct,
                     a, b, Quoted(table_));
}

std::string Degrees::HistogramSql(Dialect dialect) const {
  const std::string pairs = Pairs(dialect);
  if (lists_) {
    return fmt::format(
        "SELECT n - 1 AS g, count(*) AS people FROM (SELECT least(count(*), {}) AS n FROM ({}) AS p GROUP BY a) AS d "
        "GROUP BY n",
        options_.max_degree, pairs);
  }
  return fmt::format(
      "WITH p AS ({0}), h AS (SELECT n, count(*) AS people FROM (SELECT least(count(*), {1}) AS n FROM (SELECT a AS v "
      "FROM p UNION ALL SELECT b AS v FROM p) AS ends GROUP BY v) AS d GROUP BY n) SELECT i.n - 1 AS g, "
      "CAST(coalesce(sum(h.people), 0) AS BIGINT) AS at_least FROM generate_series(1, {1}) AS i(n) LEFT JOIN h ON h.n "
      ">= i.n GROUP BY i.n",
      pairs, options_.max_degree);
}

std::string Degrees::TotalSql(Dialect dialect) const {
  if (!lists_) return fmt::format("SELECT count(*) AS pairs FROM ({}) AS p", Pairs(dialect));
  return fmt::format(
      "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS total FROM (SELECT least(count(*), {}) AS n FROM ({}) AS p GROUP "
      "BY a) AS d",
      options_.max_degree, Pairs(dialect));
}

Result<Plan> Degrees::Round(std::span<const NoisyRound> before) const {
  Plan plan;
  plan.normalised = fmt::format("round {} of {}", before.size() + 1, Normalised());
  plan.charged = charged_;
  const bool histogram = before.empty();
  if (histogram) {
    GroupKey key{"degree", {}, true};
    for (std::size_t d = 1; d <= options_.max_degree; ++d) key.values.emplace_back(static_cast<std::int64_t>(d));
    plan.keys.push_back(std::move(key));
  }
  std::int64_t steps = histogram ? 4 : 1;
  std::string name = histogram ? "people with at least so many friends" : "friendships";
  std::string reason = histogram ? "two people lose a friend and two others gain one" : "a friendship is there or not";
  if (lists_) {
    steps = histogram ? 2 : static_cast<std::int64_t>(options_.max_degree);
    name = histogram ? "people with so many friends" : "sum of degrees";
    reason = histogram ? "a person leaves one degree and enters another" : "a list can be empty or full";
  }
  const auto sensitivity = Sensitivity::Make(steps);
  if (!sensitivity) return sensitivity.error();
  plan.statistics.push_back({std::move(name), {}, *sensitivity, std::move(reason)});
  plan.duckdb_sql = histogram ? HistogramSql(Dialect::kDuckDb) : TotalSql(Dialect::kDuckDb);
  plan.postgresql_sql = histogram ? HistogramSql(Dialect::kPostgreSql) : TotalSql(Dialect::kPostgreSql);
  return plan;
}

// Noisy counts that fit together: at_least falls with the degree, and people are its differences.
struct Degrees::Curve {
  std::vector<double> at_least, people;
  std::vector<double> at_least_bar, people_bar;
};

Degrees::Curve Degrees::CurveOf(const NoisyRound& round) const {
  const std::size_t most = options_.max_degree;
  std::vector<double> rising(most);  // from the largest degree down
  const double variance = NoiseVariance(round, 0);
  Curve curve;
  double sum = 0;
  for (std::size_t d = most; d-- > 0;) {
    sum = lists_ ? sum + round.At(d, 0) : round.At(d, 0);
    rising[most - 1 - d] = sum;
  }
  rising = points::Isotonic(rising);
  const double limit = options_.people ? static_cast<double>(*options_.people) : INFINITY;
  curve.at_least.resize(most);
  for (std::size_t d = 0; d < most; ++d) curve.at_least[d] = std::clamp(rising[most - 1 - d], 0.0, limit);
  // Pooling never moves the farthest count farther away: a bar for all counts at once holds after it, too.
  const double all = ErrorBar(round, 0, std::pow(0.95, 1 / static_cast<double>(most)));
  for (std::size_t d = 0; d < most; ++d) {
    curve.people.push_back(curve.at_least[d] - (d + 1 < most ? curve.at_least[d + 1] : 0));
    curve.at_least_bar.push_back(lists_ ? BarOfVariance(variance * static_cast<double>(most - d)) : all);
    curve.people_bar.push_back(lists_ ? ErrorBar(round, 0, 0.95) : (d + 1 < most ? 2 : 1) * all);
    if (lists_) curve.people[d] = round.At(d, 0);
  }
  return curve;
}

Result<Findings> Degrees::Conclude(std::span<const NoisyRound> rounds) const {
  const Curve curve = CurveOf(rounds[0]);
  Findings findings;
  findings.columns = {"degree", "people", "at_least"};
  for (std::size_t d = 0; d < options_.max_degree; ++d) {
    findings.rows.push_back({static_cast<std::int64_t>(d + 1), curve.people[d], curve.at_least[d]});
    findings.errors_95.push_back({std::nullopt, curve.people_bar[d], curve.at_least_bar[d]});
  }
  // Every friendship has two ends; a list has one owner.
  const double total = (lists_ ? 1 : 2) * rounds[1].At(0, 0), bar = (lists_ ? 1 : 2) * ErrorBar(rounds[1], 0, 0.975);
  const double people = options_.people ? static_cast<double>(*options_.people) : curve.at_least[0];
  const double people_bar = options_.people ? 0 : curve.at_least_bar[0];
  nlohmann::json details = {{"analysis", "degrees"},
                            {"unit", lists_ ? "person" : "friendship"},
                            {"max_degree", options_.max_degree},
                            {"sum_of_degrees", total},
                            {"sum_of_degrees_error_95", bar}};
  const std::string whom = options_.people ? "of all people" : "of people with a friend";
  if (people > people_bar && people > 0) {
    const double mean = total / people;
    const double mean_bar =
        std::max((total + bar) / (people - people_bar) - mean, mean - (total - bar) / (people + people_bar));
    details["mean_degree"] = mean;
    details["mean_degree_error_95"] = mean_bar;
    findings.notes.push_back(fmt::format("mean degree {}: {:.4g} ± {:.2g}", whom, mean, mean_bar));
  } else {
    findings.notes.emplace_back("too few people to tell a mean degree from noise");
  }
  findings.notes.push_back(
      lists_
          ? fmt::format("lists of more than {0} friends count as {0}; a unit is a person's own list, not what others "
                        "say about the person",
                        options_.max_degree)
          : fmt::format("degrees above {0} count as {0}; a unit is one friendship: what all friendships of a person "
                        "tell together is not hidden",
                        options_.max_degree));
  if (!lists_) findings.notes.emplace_back("bars hold for all degrees at once");
  findings.claims = {lists_ ? "DEGREES-2" : "DEGREES-1"};
  findings.details = details.dump();
  return findings;
}

}  // namespace kith
