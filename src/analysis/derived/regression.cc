#include "analysis/derived/regression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/json.h"
#include "base/symmetric_matrix.h"

namespace kith {
namespace {

constexpr double kNormal95 = 1.959963984540054;

std::optional<Error> WrongOptions(const RegressionOptions& options) {
  if (options.features.empty() || options.features.size() > RegressionOptions::kMaxFeatures) {
    return InvalidArgument(fmt::format("a regression takes 1 to {} features", RegressionOptions::kMaxFeatures), {},
                           "each adds sums that share the price")
        .For("regression.features");
  }
  std::set<std::string> names(options.features.begin(), options.features.end());
  names.insert(options.target);
  if (names.size() != options.features.size() + 1)
    return InvalidArgument("a column is named twice", {}, "name each once").For("regression.features");
  if (!options.where.empty()) {
    if (auto one = IsOnePart(options.where, "the condition"); !one) return one.error();
  }
  return std::nullopt;
}

// Where the product of xj and xk is, k <= j.
std::size_t PlaceOf(std::size_t j, std::size_t k) { return j * (j + 1) / 2 + k; }

double Product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double HalfWidth(const NumberColumn& column) {
  return std::max(column.high - column.middle, column.middle - column.low);
}

}  // namespace

std::optional<Line> FitLine(const NoisyMoments& moments, const std::vector<std::vector<double>>& wanted) {
  const std::size_t size = moments.features + 1;
  SymmetricMatrix products(size);
  std::vector<double> target(size);
  double noise = 0, noise_step = 0;  // the squared Frobenius norm that noise adds, on average
  for (std::size_t j = 0; j < size; ++j) {
    target[j] = moments.target[j].value;
    for (std::size_t k = 0; k <= j; ++k) {
      const NoisySum& sum = moments.products[PlaceOf(j, k)];
      products(k, j) = sum.value;
      noise += (j == k ? 1 : 2) * sum.variance;
      noise_step = std::max(noise_step, sum.step);
    }
  }
  const Spectrum spectrum(products);
  const double least = spectrum.Least();
  const double rows = moments.products[0].value;
  if (!(least > 2 * BarOfWeightedSum(noise, noise_step)) || !(least > 1e-9 * spectrum.Largest()) ||
      !(rows > static_cast<double>(size)))
    return std::nullopt;
  const auto solver = Cholesky::Of(products);
  if (!solver) return std::nullopt;
  const std::vector<double> theta = solver->Solve(target);
  // The sum of squared residuals is linear in the sums for given coefficients, and stationary in these.
  double residual_variance = moments.square.variance, residual_step = moments.square.step;
  for (std::size_t j = 0; j < size; ++j) {
    const double tj = theta[j];
    residual_variance += 4 * tj * tj * moments.target[j].variance;
    residual_step = std::max(residual_step, 2 * std::fabs(tj) * moments.target[j].step);
    for (std::size_t k = 0; k <= j; ++k) {
      const double weight = (j == k ? 1 : 2) * tj * theta[k];
      residual_variance += weight * weight * moments.products[PlaceOf(j, k)].variance;
      residual_step = std::max(residual_step, std::fabs(weight) * moments.products[PlaceOf(j, k)].step);
    }
  }
  const double residual = std::max(0.0, moments.square.value - Product(target, theta));
  const double free = rows - static_cast<double>(size);
  const double largest =
      (residual + BarOfWeightedSum(residual_variance, residual_step)) / free;  // noise may hide a part of it
  Line line;
  line.rows = rows;
  line.deviation = std::sqrt(residual / free);
  const double spread = moments.square.value - moments.target[0].value * moments.target[0].value / rows;
  if (spread > 0) line.determined = std::clamp(1 - residual / spread, 0.0, 1.0);
  for (const std::vector<double>& weights : wanted) {
    const std::vector<double> g = solver->Solve(weights);
    // d(theta) = M^-1 (dv - dM theta), so that noise in the product of xj and xk moves c.theta by
    // -(g_j theta_k + g_k theta_j), and in that of xj and y by g_j.
    double variance = 0, largest_step = 0;
    for (std::size_t j = 0; j < size; ++j) {
      variance += g[j] * g[j] * moments.target[j].variance;
      largest_step = std::max(largest_step, std::fabs(g[j]) * moments.target[j].step);
      for (std::size_t k = 0; k <= j; ++k) {
        const double weight = j == k ? g[j] * theta[j] : g[j] * theta[k] + g[k] * theta[j];
        variance += weight * weight * moments.products[PlaceOf(j, k)].variance;
        largest_step = std::max(largest_step, std::fabs(weight) * moments.products[PlaceOf(j, k)].step);
      }
    }
    line.wanted.push_back({Product(weights, theta), BarOfWeightedSum(variance, largest_step),
                           kNormal95 * std::sqrt(largest * std::max(0.0, Product(weights, g)))});
  }
  return line;
}

Result<std::unique_ptr<Regression>> Regression::Make(const RegressionOptions& options, const Policy& policy) {
  if (const auto error = WrongOptions(options)) return *error;
  const auto from = OneRowEach({}, policy);
  if (!from) return from.error();
  std::vector<NumberColumn> columns;
  std::vector<std::string> names = options.features, values = {"1"};
  names.push_back(options.target);
  std::string where = options.where.empty() ? "" : fmt::format(" AND ({})", options.where), present;
  for (const std::string& name : names) {
    const auto column = NumberColumnOf(name, policy);
    if (!column) return column.error();
    if (column->name != name)
      return Unsupported("a regression is of numbers; this is a time", name, "name columns of numbers");
    values.push_back(fmt::format("({})", column->value));
    present += fmt::format("{}({}) IS NOT NULL", present.empty() ? "" : " AND ", column->value);
    columns.push_back(*column);
  }
  // Of all pairs of 1, the features and the target, in the order of PlaceOf.
  std::string sums = "count(*) AS n";
  std::size_t numbers = 1;
  for (std::size_t j = 1; j < values.size(); ++j) {
    for (std::size_t k = 0; k <= j; ++k) {
      sums += fmt::format(", sum({}{}{}) AS s{}", k == 0 ? "" : values[k], k == 0 ? "" : " * ", values[j], numbers);
      ++numbers;
    }
  }
  auto question = AskFor(fmt::format("SELECT {} FROM {} WHERE {}{}", sums, *from, present, where), 0, numbers, policy);
  if (!question) return question.error();
  return std::unique_ptr<Regression>(new Regression(options, std::move(*question), std::move(columns)));
}

std::string Regression::Method() const {
  return "then, free of charge: least squares from the noisy sums of products, with intervals that include the noise";
}

Findings Regression::Conclude(const NoisyTable& table) const {
  Findings out;
  out.columns = {"term", "coefficient", "low_95", "high_95"};
  if (table.rows.size() != 1) return out;
  const std::size_t p = columns_.size() - 1;
  std::vector<double> scale = {1};
  for (const NumberColumn& column : columns_) scale.push_back(HalfWidth(column));
  const auto sum = [&](std::size_t j, std::size_t k) {  // k <= j; the target is number p + 1
    const double unit = scale[j] * scale[k];
    const std::size_t place = PlaceOf(j, k);
    return NoisySum{table.Number(0, place) / unit, table.laws[place].Variance() / (unit * unit),
                    table.laws[place].step / unit};
  };
  NoisyMoments moments;
  moments.features = p;
  for (std::size_t j = 0; j <= p; ++j) {
    for (std::size_t k = 0; k <= j; ++k) moments.products.push_back(sum(j, k));
  }
  for (std::size_t j = 0; j <= p; ++j) moments.target.push_back(sum(p + 1, j));
  moments.square = sum(p + 1, p + 1);
  // In natural units: y = middle + scale * (t0 + sum of tj (xj - middle) / scale).
  const double of_y = scale[p + 1];
  std::vector<std::vector<double>> wanted(p + 1, std::vector<double>(p + 1));
  wanted[0][0] = of_y;
  for (std::size_t j = 1; j <= p; ++j) {
    wanted[0][j] = -of_y * columns_[j - 1].middle / scale[j];
    wanted[j][j] = of_y / scale[j];
  }
  const auto line = FitLine(moments, wanted);
  for (std::size_t j = 0; j <= p; ++j) {
    FindingsRow row;
    row.AddKey(j == 0 ? Value(std::string("(intercept)")) : Value(columns_[j - 1].name));
    if (line) {
      const Coefficient& found = line->wanted[j];
      const double value = found.value + (j == 0 ? columns_[p].middle : 0);
      const double both = std::hypot(found.noise_95, found.sampling_95);
      row.Add(value, found.noise_95).Add(value - both).Add(value + both);
    } else {
      row.Add(std::nullopt).Add(std::nullopt).Add(std::nullopt);
    }
    std::move(row).Into(out);
  }
  Json details{{"target", columns_[p].name}, {"rows", nullptr}, {"deviation", nullptr}, {"r2", nullptr}};
  if (line) {
    details["rows"] = line->rows;
    details["deviation"] = line->deviation * of_y;
    if (line->determined) details["r2"] = *line->determined;
    out.notes.push_back(
        {NoteKind::kFinding, fmt::format("of about {} rows; the residual standard deviation of {} is {}",
                                         Grouped(line->rows), columns_[p].name, Grouped(line->deviation * of_y))});
    out.notes.push_back(
        {NoteKind::kAccuracy,
         "coefficient: its bar is how far noise may have moved it from that of the same rows without noise, with 95 %, "
         "to first order in the noise; low_95 to high_95 covers noise and sampling together, if the rows are "
         "independent and the scatter around the line is the same everywhere"});
  } else {
    out.notes.push_back({NoteKind::kAccuracy,
                         "no coefficients: noise may be half of what they rest on; fewer features, more rows, tighter "
                         "bounds or a larger epsilon help"});
  }
  out.claims = {"REGRESSION-1"};
  out.details = JsonValue(Json{{"regression", std::move(details)}});
  return out;
}

}  // namespace kith
