#include "analysis/derived/contingency.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/derived/public_draws.h"
#include "base/json.h"

namespace kith {
namespace {

struct Margins {
  std::vector<double> rows, columns;
  double total = 0;
};

// Noise may make a margin negative: then nobody is expected there.
Margins MarginsOf(const NoisyCounts& table) {
  Margins margins{std::vector<double>(table.rows), std::vector<double>(table.columns), 0};
  for (std::size_t r = 0; r < table.rows; ++r) {
    for (std::size_t c = 0; c < table.columns; ++c) {
      margins.rows[r] += table.at(r, c);
      margins.columns[c] += table.at(r, c);
    }
  }
  for (std::vector<double>* list : {&margins.rows, &margins.columns}) {
    for (double& margin : *list) margin = std::max(margin, 0.0);
  }
  for (const double margin : margins.rows) margins.total += margin;
  return margins;
}

double Rounded(double value, double parts) { return std::round(value * parts) / parts; }

double SumOf(const std::vector<double>& list) {
  double sum = 0;
  for (const double value : list) sum += value;
  return sum;
}

// The values of a key in the order of the answer, and where each row of the answer belongs.
std::size_t PlaceIn(std::vector<Value>& values, const Value& value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

}  // namespace

std::vector<double> ExpectedCounts(const NoisyCounts& table) {
  const Margins margins = MarginsOf(table);
  const double columns = SumOf(margins.columns);
  std::vector<double> expected;
  for (const double row : margins.rows) {
    for (const double column : margins.columns) expected.push_back(columns > 0 ? row * column / columns : 0);
  }
  return expected;
}

double ChiSquare(const NoisyCounts& table) {
  const std::vector<double> expected = ExpectedCounts(table);
  double sum = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const double scale = expected[k] + table.variance, apart = table.counts[k] - expected[k];
    if (scale > 0) sum += apart * apart / scale;
  }
  return sum;
}

IndependenceTest TestIndependence(const NoisyCounts& table, const NoiseDistribution& law) {
  IndependenceTest test;
  test.statistic = ChiSquare(table);
  const Margins margins = MarginsOf(table);
  const double total = std::round(margins.total), columns = SumOf(margins.columns);
  const double q = law.scale > 0 ? std::exp(-law.step / law.scale) : 0;
  PublicDraws draws;
  int larger = 0;
  NoisyCounts drawn = table;
  std::vector<double> chances;
  for (const double row : margins.rows) {
    for (const double column : margins.columns)
      chances.push_back(margins.total > 0 && columns > 0 ? row / margins.total * column / columns : 0);
  }
  for (int run = 0; run < IndependenceTest::kDraws; ++run) {
    double left = total, chance_left = 1;
    for (std::size_t k = 0; k < drawn.counts.size(); ++k) {
      const double count = draws.Binomial(left, chance_left > 0 ? std::min(1.0, chances[k] / chance_left) : 0);
      left -= count;
      chance_left -= chances[k];
      drawn.counts[k] = count + law.step * (draws.Geometric(q) - draws.Geometric(q));
    }
    if (ChiSquare(drawn) >= test.statistic) ++larger;
  }
  test.p_value = (larger + 1.0) / (IndependenceTest::kDraws + 1.0);
  // Pearson's statistic is larger, on average, by what noise adds to the squares.
  const std::vector<double> expected = ExpectedCounts(table);
  const double degrees = static_cast<double>((table.rows - 1) * (table.columns - 1));
  const double share = degrees / static_cast<double>(table.rows * table.columns);
  double pearson = 0, noise = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (expected[k] <= 0) continue;
    pearson += (table.counts[k] - expected[k]) * (table.counts[k] - expected[k]) / expected[k];
    noise += share * table.variance / expected[k];
  }
  const double least = static_cast<double>(std::min(table.rows, table.columns)) - 1;
  if (margins.total > 0 && least > 0)
    test.cramers_v = std::min(1.0, std::sqrt(std::max(0.0, pearson - noise - degrees) / (margins.total * least)));
  return test;
}

Result<std::unique_ptr<Contingency>> Contingency::Make(const ContingencyOptions& options, const Policy& policy) {
  if (auto one = IsOnePart(options.rows, "what the rows are"); !one) return one.error();
  if (auto one = IsOnePart(options.columns, "what the columns are"); !one) return one.error();
  if (auto one = options.where.empty() ? Result<void>() : IsOnePart(options.where, "the condition"); !one)
    return one.error();
  const auto from = OneRowEach(options.from, policy);
  if (!from) return from.error();
  const std::string where = options.where.empty() ? "" : fmt::format(" AND ({})", options.where);
  auto question = AskFor(
      fmt::format("SELECT ({0}) AS part, ({1}) AS other, count(*) AS n FROM {2} WHERE ({0}) IS NOT NULL AND ({1}) IS "
                  "NOT NULL{3} GROUP BY 1, 2",
                  options.rows, options.columns, *from, where),
      2, 1, policy);
  if (!question) return question.error();
  if (question->plan.groups() > ContingencyOptions::kMaxCells) {
    return InvalidArgument(fmt::format("the table has more than {} cells", ContingencyOptions::kMaxCells), {},
                           "take values together, with CASE or with floor")
        .For("contingency.rows");
  }
  if (question->plan.keys[0].values.size() < 2 || question->plan.keys[1].values.size() < 2) {
    return InvalidArgument("rows and columns need two values each", {}, "name columns with several declared values")
        .For("contingency.rows");
  }
  // A combination that no row can have is not shown: then rows and columns are not independent, by declaration.
  const Plan& plan = question->plan;
  for (std::size_t group = 0; group < plan.groups(); ++group) {
    const std::vector<Value> keys = plan.ShownKeys(group);
    const bool counts = !std::holds_alternative<Null>(keys[0]) && !std::holds_alternative<Null>(keys[1]);
    if (counts && !plan.impossible.empty() && plan.impossible[group]) {
      return Unsupported("some combinations of rows and columns are impossible by declaration", {},
                         "choose rows and columns that are not made from the same column");
    }
  }
  const bool dependent = !std::holds_alternative<Independent>(policy.dependence.model);
  return std::unique_ptr<Contingency>(new Contingency(options, std::move(*question), dependent));
}

std::string Contingency::Method() const {
  return "then, free of charge: what the counts would be if rows and columns were independent, and a chi-square test "
         "that takes the noise into account";
}

Findings Contingency::Conclude(const NoisyTable& table) const {
  Findings out;
  out.columns = {options_.rows, options_.columns, "n", "expected", "residual"};
  std::vector<Value> rows, columns;
  std::vector<std::size_t> places;
  const auto counts = [&](std::size_t r) {
    return !std::holds_alternative<Null>(table.Key(r, 0)) && !std::holds_alternative<Null>(table.Key(r, 1));
  };
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (counts(r)) PlaceIn(rows, table.Key(r, 0)), PlaceIn(columns, table.Key(r, 1));
  }
  NoisyCounts noisy{rows.size(), columns.size(), std::vector<double>(rows.size() * columns.size()),
                    table.laws[0].Variance()};
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!counts(r)) continue;
    noisy.counts[PlaceIn(rows, table.Key(r, 0)) * columns.size() + PlaceIn(columns, table.Key(r, 1))] =
        table.Number(r, 0);
  }
  const double bar = table.laws[0].Bar95();
  const std::vector<double> expected = ExpectedCounts(noisy);
  for (std::size_t k = 0; k < noisy.counts.size(); ++k) {
    const double scale = std::sqrt(expected[k] + noisy.variance);
    FindingsRow row;
    row.AddKey(rows[k / columns.size()])
        .AddKey(columns[k % columns.size()])
        .Add(noisy.counts[k], bar)
        .Add(Rounded(expected[k], 10));
    row.Add(scale > 0 ? std::optional(Rounded((noisy.counts[k] - expected[k]) / scale, 100)) : std::nullopt);
    std::move(row).Into(out);
  }
  const IndependenceTest test = TestIndependence(noisy, table.laws[0]);
  out.notes.push_back({NoteKind::kFinding,
                       fmt::format("chi-square {:.4g}, p = {:.3g}: where rows and columns are independent, sampling "
                                   "and noise together give as much or more with this probability",
                                   test.statistic, test.p_value)});
  out.notes.push_back(
      {NoteKind::kMethod,
       fmt::format("the statistic divides by the expected count plus the variance of the noise; its law is simulated, "
                   "{} tables with the margins of this one and the same noise, by a fixed public generator, so that "
                   "everybody who has the noisy counts finds the same p",
                   IndependenceTest::kDraws)});
  out.notes.push_back({NoteKind::kAccuracy,
                       "residual: (n − expected) divided by the square root of the expected count plus the variance "
                       "of the noise; beyond 3 a cell stands out"});
  out.notes.push_back({NoteKind::kLeftOut, "rows without a value for rows or for columns are left out"});
  if (dependent_) {
    out.notes.push_back({NoteKind::kAccuracy,
                         "p is that of units drawn independently; the policy says that units depend on each other, and "
                         "where they do p is too small"});
  }
  out.claims = {"CHISQ-1"};
  Json details{{"statistic", test.statistic}, {"p_value", test.p_value}, {"draws", IndependenceTest::kDraws}};
  details["cramers_v"] = test.cramers_v ? Json(*test.cramers_v) : Json(nullptr);
  out.details = JsonValue(Json{{"chi_square", std::move(details)}});
  return out;
}

}  // namespace kith
