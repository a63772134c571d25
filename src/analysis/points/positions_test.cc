// Positions as an engine gives them: the very ones that the bounds are about, for rows and for means of units.
#include "analysis/points/positions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

namespace kith::points {
namespace {

namespace fs = std::filesystem;

class PositionsOfAnEngine : public ::testing::Test {
 protected:
  PositionsOfAnEngine() {
    std::string name = (fs::temp_directory_path() / "kith-positions-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~PositionsOfAnEngine() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  /// Positions, sorted, and those that x should have.
  void Check(const std::string& unit, const std::string& rows, const std::vector<double>& expected, double tolerance) {
    std::ofstream(folder_ / "t.csv") << rows;
    std::ofstream(folder_ / "p.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\npresence = \"public\"\n"
        << unit << "\ndistance = { columns = [\"x\"], metric = \"l1\", delta = 0.1 }\n[columns.t]\n"
        << "id = { type = \"text\" }\nx = { type = \"real\", lower = -74.2589, upper = -73.7004, required = true }\n"
        << "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n";
    const auto policy = Policy::Load(folder_ / "p.toml");
    ASSERT_TRUE(policy) << policy.error().Text();
    const auto positions = Positions::Make({"x"}, "", *policy);
    ASSERT_TRUE(positions) << positions.error().Text();
    EXPECT_TRUE(positions->TotalKnown());
    EngineOptions options;
    options.threads = 1;
    const auto engine = ImportAndOpen(*policy, options, CancelFlag());
    ASSERT_TRUE(engine) << engine.error().Text();
    std::vector<double> found;
    const auto scanned = positions->Scan(
        **engine,
        [&](std::span<const std::span<const std::int32_t>> p) { found.insert(found.end(), p[0].begin(), p[0].end()); },
        CancelFlag());
    ASSERT_TRUE(scanned) << scanned.error().Text();
    ASSERT_EQ(found.size(), expected.size());
    std::vector<double> wanted;
    for (const double x : expected)
      wanted.push_back((std::clamp(x, -74.2589, -73.7004) + 74.2589) / 0.5585 * static_cast<double>(kPositions));
    std::sort(found.begin(), found.end());
    std::sort(wanted.begin(), wanted.end());
    // Rounded down, from values rounded to steps far finer than a position.
    for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k] + 0.5, wanted[k], 0.5 + tolerance) << k;
  }
  fs::path folder_;
};

TEST_F(PositionsOfAnEngine, RowsFallWhereTheyAre) {
  std::mt19937_64 engine(3);
  std::uniform_real_distribution<double> uniform(-74.3, -73.6);  // some beyond the bounds
  std::string rows = "id,x\n";
  std::vector<double> expected;
  for (int k = 0; k < 500; ++k) {
    expected.push_back(uniform(engine));
    char text[64];
    std::snprintf(text, sizeof text, "%d,%.12f\n", k, expected.back());
    rows += text;
  }
  // A missing place reads as the lower bound.
  for (const char* odd : {"a,\n", "b,nan\n", "c,word\n"}) {
    rows += odd;
    expected.push_back(-74.2589);
  }
  Check("row = true", rows, expected, 0.01);
}

TEST_F(PositionsOfAnEngine, UnitsStandAtTheMeanOfAllTheirRows) {
  std::mt19937_64 engine(4);
  std::uniform_real_distribution<double> uniform(-74.2, -73.8);
  std::string rows = "id,x\n";
  std::map<int, std::vector<double>> of;
  for (int k = 0; k < 400; ++k) {
    const int id = static_cast<int>(engine() % 60);
    of[id].push_back(uniform(engine));
    rows += std::to_string(id) + "," + std::to_string(of[id].back()) + "\n";
    of[id].back() = std::stod(std::to_string(of[id].back()));
  }
  rows += ",-73.9\n";  // belongs to nobody
  std::vector<double> expected;
  for (const auto& [id, places] : of) {
    double sum = 0;
    for (const double x : places) sum += x;
    expected.push_back(sum / static_cast<double>(places.size()));
  }
  Check("key = \"id\"\nmax_rows = 1", rows, expected, 0.01);
}

}  // namespace
}  // namespace kith::points
