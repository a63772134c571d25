// k-means by noisy steps: how much worse its centres are than those of exact Lloyd steps from the same start, through
// the whole pipeline; and how long ten steps take compared with the same steps without clamping, lattice or units.
// Usage: kmeans_bench [ROWS [speed]]   (2,000,000 rows unless told otherwise; the figure is for 10,000,000)
#include <duckdb.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "analysis/kmeans/kmeans.h"
#include "base/check.h"
#include "kernel/opening.h"
#include "kernel/unbooked.h"
#include "release/analyse.h"

namespace {

namespace fs = std::filesystem;
using kith::kmeans::Nearest;
using kith::kmeans::Place;

fs::path folder;

void Run(const std::string& database, const std::string& sql) {
  duckdb_database db = nullptr;
  duckdb_connection connection = nullptr;
  KITH_CHECK(duckdb_open(database.c_str(), &db) == DuckDBSuccess && duckdb_connect(db, &connection) == DuckDBSuccess);
  KITH_CHECK(duckdb_query(connection, sql.c_str(), nullptr) == DuckDBSuccess);
  duckdb_disconnect(&connection);
  duckdb_close(&db);
}

std::string Columns(std::size_t dimensions) {
  std::string text;
  for (std::size_t j = 0; j < dimensions; ++j) text += fmt::format("{}x{}", j == 0 ? "" : ",", j);
  return text;
}

kith::Policy PolicyOf(const std::string& source, std::size_t dimensions) {
  std::string text = fmt::format(
      "[data]\ntables.t = \"{}\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"public\"\n[columns.t]\n", source);
  for (std::size_t j = 0; j < dimensions; ++j)
    text += fmt::format("x{} = {{ type = \"real\", lower = 0, upper = 1, required = true }}\n", j);
  text += "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n";
  return kith::Policy::Parse(text, folder / "policy.toml").value();
}

std::vector<std::string> Names(std::size_t dimensions) {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < dimensions; ++j) names.push_back(fmt::format("x{}", j));
  return names;
}

struct Clusters {
  std::vector<Place> points;
  std::vector<std::size_t> label;
};

// Normal clusters of deviation 0.05 about centres that keep a distance from each other.
Clusters Draw(std::size_t rows, std::size_t clusters, std::size_t dimensions, std::mt19937_64& draws) {
  std::uniform_real_distribution<double> place(0.12, 0.88);
  std::vector<Place> centres;
  while (centres.size() < clusters) {
    Place centre(dimensions);
    for (double& x : centre) x = place(draws);
    double gap = 1;
    for (const Place& other : centres) {
      double square = 0;
      for (std::size_t j = 0; j < dimensions; ++j) square += (centre[j] - other[j]) * (centre[j] - other[j]);
      gap = std::min(gap, std::sqrt(square));
    }
    if (gap > 0.25) centres.push_back(std::move(centre));
  }
  std::normal_distribution<double> noise(0, 0.05);
  Clusters out;
  for (std::size_t i = 0; i < rows; ++i) {
    Place point = centres[i % clusters];
    for (double& x : point) x = std::clamp(x + noise(draws), 0.0, 1.0);
    out.points.push_back(std::move(point));
    out.label.push_back(i % clusters);
  }
  return out;
}

double Inertia(const std::vector<Place>& points, const std::vector<Place>& centres) {
  double sum = 0;
  for (const Place& point : points) {
    const Place& centre = centres[Nearest(centres, point)];
    for (std::size_t j = 0; j < point.size(); ++j) sum += (point[j] - centre[j]) * (point[j] - centre[j]);
  }
  return sum / static_cast<double>(points.size());
}

// Rows whose true cluster is the one that most rows of their found cluster come from.
double Purity(const Clusters& data, const std::vector<Place>& centres) {
  std::vector<std::vector<double>> table(centres.size(), std::vector<double>(centres.size(), 0.0));
  for (std::size_t i = 0; i < data.points.size(); ++i) ++table[Nearest(centres, data.points[i])][data.label[i]];
  double hits = 0;
  for (const auto& row : table) hits += *std::max_element(row.begin(), row.end());
  return hits / static_cast<double>(data.points.size());
}

std::vector<Place> Lloyd(const std::vector<Place>& points, std::vector<Place> centres, int steps) {
  for (int step = 0; step < steps; ++step) {
    std::vector<Place> sums(centres.size(), Place(points[0].size(), 0.0));
    std::vector<double> counts(centres.size(), 0.0);
    for (const Place& point : points) {
      const std::size_t c = Nearest(centres, point);
      ++counts[c];
      for (std::size_t j = 0; j < point.size(); ++j) sums[c][j] += point[j];
    }
    for (std::size_t c = 0; c < centres.size(); ++c)
      for (std::size_t j = 0; j < sums[c].size() && counts[c] > 0; ++j) centres[c][j] = sums[c][j] / counts[c];
  }
  return centres;
}

struct Quality {
  double inertia = 0, exact = 0, purity = 0, exact_purity = 0;
};

void Accuracy(std::size_t rows, std::size_t clusters, std::size_t dimensions, double epsilon, std::size_t steps) {
  std::mt19937_64 draws(7);
  Quality sum;
  constexpr int kDatasets = 6, kRepeats = 5;
  for (int set = 0; set < kDatasets; ++set) {
    const Clusters data = Draw(rows, clusters, dimensions, draws);
    const std::string file = fmt::format("points{}_{}_{}_{}.csv", rows, clusters, dimensions, set);
    if (!fs::exists(folder / file)) {
      std::ofstream csv(folder / file);
      csv << Columns(dimensions) << "\n";
      for (const Place& point : data.points) csv << fmt::format("{}\n", fmt::join(point, ","));
    }
    const kith::Policy policy = PolicyOf(file, dimensions);
    const kith::CancelFlag never;
    const auto engine = kith::ImportAndOpen(policy, {}, never).value();
    const auto analysis = kith::Kmeans::Make({Names(dimensions), clusters, steps, ""}, policy).value();
    const Place low(dimensions, 0.0), high(dimensions, 1.0);
    const auto exact = Lloyd(data.points, kith::kmeans::Spread(clusters, low, high), 50);
    kith::Price price;
    price.epsilon = epsilon;
    const auto priced =
        kith::PriceAnalysis(*analysis, price, epsilon, kith::PlainUnits::Floor(epsilon).value()).value();
    for (int repeat = 0; repeat < kRepeats; ++repeat) {
      const kith::Vault vault(policy, *engine, kith::SystemBits::ForThisThread(), never);
      kith::Paid paid = kith::Unbooked::Of(priced.total, policy.cells.size());
      const auto answer = kith::RunAnalysis(*analysis, policy, vault, priced, paid, never).value();
      std::vector<Place> centres;
      for (const auto& row : answer.rows) {
        Place centre;
        for (std::size_t j = 0; j < dimensions; ++j) centre.push_back(std::get<double>(row[j + 2].value));
        centres.push_back(std::move(centre));
      }
      sum.inertia += Inertia(data.points, centres) / (kDatasets * kRepeats);
      sum.purity += Purity(data, centres) / (kDatasets * kRepeats);
    }
    sum.exact += Inertia(data.points, exact) / kDatasets;
    sum.exact_purity += Purity(data, exact) / kDatasets;
  }
  fmt::print(
      "{:>6} rows, {} clusters, {} columns, epsilon {}, {} steps: inertia {:.2f} times exact Lloyd's; right cluster "
      "{:.1f} "
      "% (exact {:.1f} %)\n",
      rows, clusters, dimensions, epsilon, steps, sum.inertia / sum.exact, 100 * sum.purity, 100 * sum.exact_purity);
}

template <class Work>
double Seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The same step on bare doubles.
std::string BareStep(const std::vector<Place>& centres) {
  std::string distances, least, nearest = "CASE", sums;
  for (std::size_t c = 0; c < centres.size(); ++c) {
    distances += ", 0e0";
    for (std::size_t j = 0; j < centres[c].size(); ++j)
      distances += fmt::format(" + (x{0} - {1:.6e}) * (x{0} - {1:.6e})", j, centres[c][j]);
    distances += fmt::format(" AS d{}", c);
    least += fmt::format("{}d{}", c == 0 ? "" : ", ", c);
    if (c + 1 < centres.size()) nearest += fmt::format(" WHEN d{0} = m THEN {0}", c);
  }
  for (std::size_t j = 0; j < centres[0].size(); ++j) sums += fmt::format(", CAST(sum(x{}) AS BIGINT)", j);
  return fmt::format(
      "SELECT {0} ELSE {1} END AS c, count(*){2} FROM (SELECT *, least({3}) AS m FROM (SELECT *{4} FROM t)) GROUP BY c",
      nearest, centres.size() - 1, sums, least, distances);
}

void Speed(std::size_t rows, std::size_t clusters, std::size_t dimensions) {
  std::string columns;
  for (std::size_t j = 0; j < dimensions; ++j) columns += fmt::format("{}random() AS x{}", j == 0 ? "" : ", ", j);
  Run((folder / "speed.duckdb").string(), fmt::format("CREATE TABLE t AS SELECT {} FROM range({})", columns, rows));
  const kith::Policy policy = PolicyOf("speed.duckdb:t", dimensions);
  const kith::CancelFlag never;
  const auto engine = kith::ImportAndOpen(policy, {}, never).value();
  constexpr std::size_t kSteps = 10;
  const auto analysis = kith::Kmeans::Make({Names(dimensions), clusters, kSteps, ""}, policy).value();
  const std::vector<kith::PlainUnits> shares(dimensions + 1, kith::PlainUnits::Floor(0.01).value());
  std::vector<kith::NoisyRound> rounds;
  double with = 0, without = 0;
  for (std::size_t step = 0; step < kSteps; ++step) {
    auto centres = analysis->CentresBefore(rounds);
    for (Place& centre : centres) {
      for (double& x : centre) x += 0.5;  // 0 is in the middle of the bounds
    }
    kith::NoisyRound round;
    with += Seconds([&] {
      round.plan = analysis->Round(rounds).value();
      const auto exact = kith::ReadExact(round.plan, *engine, never).value();
      round.noisy = kith::AddNoise(round.plan, exact, kith::MechanismsOf(round.plan, shares).value(),
                                   kith::SystemBits::ForThisThread())
                        .value();
    });
    without += Seconds([&] { KITH_CHECK(engine->RunText(BareStep(centres), never).has_value()); });
    for (const auto& statistic : round.plan.statistics)
      round.scales.push_back(static_cast<double>(statistic.change.l1().steps()) * statistic.lattice.step() / 0.01);
    rounds.push_back(std::move(round));
  }
  fmt::print("{} rows x {} columns, {} clusters, {} steps: {:.2f} s, without privacy {:.2f} s, factor {:.2f}\n", rows,
             dimensions, clusters, kSteps, with, without, with / without);
}

}  // namespace

int main(int argc, char** argv) {
  std::string name = (fs::temp_directory_path() / "kith-kmeans-XXXXXX").string();
  folder = ::mkdtemp(name.data());
  const bool speed_alone = argc > 2 && std::string(argv[2]) == "speed";
  for (const std::size_t steps : {3u, 4u, 6u}) {
    if (speed_alone) break;
    Accuracy(2000, 5, 2, 0.9, steps);
    Accuracy(10'000, 5, 2, 0.9, steps);
    Accuracy(10'000, 4, 8, 0.9, steps);
  }
  Speed(argc > 1 ? static_cast<std::size_t>(std::strtoull(argv[1], nullptr, 10)) : 2'000'000, 8, 8);
  fs::remove_all(folder);
}
