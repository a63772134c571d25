// Points through the whole pipeline: maps, curves and quantiles of real tables, what is charged, and every refusal.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "analysis/points/study.h"
#include "base/json.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
using points::Method;
using points::PointsOptions;

class PointsRelease : public ::testing::Test {
 protected:
  PointsRelease() {
    std::string name = (fs::temp_directory_path() / "kith-points-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream csv(folder_ / "t.csv");
    csv << "id,x,y,ward,ill\n";
    std::mt19937_64 engine(5);
    std::normal_distribution<double> bell(0, 0.05);
    for (int i = 0; i < 4000; ++i)
      csv << i << "," << 0.3 + bell(engine) << "," << (i % 2 == 0 ? 0.2 : 0.7) + bell(engine) << ","
          << (i % 4 == 0 ? "A" : "B") << "," << (i % 3 == 0 ? "yes" : "no") << "\n";
  }
  ~PointsRelease() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Curator Open(const std::string& unit, const std::string& dependence = "kind = \"independent\"",
               const std::string& others = "ill = { values = [\"no\", \"yes\"] }\n") {
    std::ofstream(folder_ / "policy.toml") << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n"
                                           << unit << "\n[columns.t]\nid = { type = \"integer\" }\n"
                                           << "x = { type = \"real\", lower = 0, upper = 1, required = true }\n"
                                           << "y = { type = \"real\", lower = 0, upper = 1, required = true }\n"
                                           << "ward = { values = [\"A\", \"B\"], public = true }\n"
                                           << others << "[dependence]\nsource = \"public\"\n"
                                           << dependence << "\n[budget]\nepsilon = 100\nledger = \"t.ledger\"\n";
    auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }
  static Result<Answer> Ask(const Curator& curator, const PointsOptions& options, double epsilon) {
    const auto study = points::MakePoints(options, curator.policy());
    if (!study) return study.error();
    Price price;
    price.epsilon = epsilon;
    return curator.Release(Borrowed(**study), price, {}, CancelFlag());
  }
  fs::path folder_;
};

const std::string kPlane =
    "key = \"id\"\nmax_rows = 1\npresence = \"public\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", "
    "delta "
    "= 0.01 }";
const std::string kLine =
    "key = \"id\"\nmax_rows = 1\npresence = \"public\"\ndistance = { columns = [\"y\"], metric = \"l1\", delta = 0.01 "
    "}";

double Total(const Answer& answer) {
  double sum = 0;
  for (const auto& row : answer.rows) sum += std::get<double>(row.back().value);
  return sum;
}

TEST_F(PointsRelease, EveryGridFindsTheClusters) {
  const Curator curator = Open(kPlane);
  for (const Method method : {Method::kPyramid, Method::kHat, Method::kQuadtree, Method::kEquiWidth}) {
    const auto answer = Ask(curator, {{"x", "y"}, method, 16, 0, {}, ""}, 5);
    ASSERT_TRUE(answer) << answer.error().Text();
    EXPECT_NEAR(Total(*answer), 4000, 1e-3);  // presence is public, so the number is known
    ASSERT_EQ(answer->rows.size(), 64U);
    // Blocks of an eighth: x in 2/8..3/8 and y in 1/8..2/8 hold most of the first cluster.
    const double dense = std::get<double>(answer->rows[2 * 8 + 1].back().value);
    const double empty = std::get<double>(answer->rows[7 * 8 + 7].back().value);
    EXPECT_GT(dense, 500);
    EXPECT_LT(empty, 100);
    EXPECT_GT(answer->rows[0].back().error_95.value(), 0);
    EXPECT_NE(answer->certificate.guarantee.neighbours.find("move one unit"), std::string::npos);
    const auto& details = *answer->details;
    EXPECT_EQ(details["grid"]["counts"].size(), method == Method::kPyramid || method == Method::kHat ? 289U : 256U);
  }
}

TEST_F(PointsRelease, CurvesGroupsAndQuantilesFindTheOrder) {
  const Curator curator = Open(kLine);
  const auto curve = Ask(curator, {{"y"}, std::nullopt, 0, 0, {}, ""}, 5);
  ASSERT_TRUE(curve) << curve.error().Text();
  EXPECT_NEAR(Total(*curve), 4000, 1e-6);
  const auto quantiles = Ask(curator, {{"y"}, std::nullopt, 0, 0, {0.25, 0.75}, ""}, 5);
  ASSERT_TRUE(quantiles) << quantiles.error().Text();
  EXPECT_NEAR(std::get<double>(quantiles->rows[0][1].value), 0.2, 0.05);
  EXPECT_NEAR(std::get<double>(quantiles->rows[1][1].value), 0.7, 0.05);
  // The noise is for a move of a hundredth, not for the whole range.
  EXPECT_LT(quantiles->certificate.noise[0].sensitivity, 0.0101);
  const auto groups = Ask(curator, {{"y"}, std::nullopt, 0, 8, {}, ""}, 5);
  ASSERT_TRUE(groups) << groups.error().Text();
  ASSERT_EQ(groups->rows.size(), 8U);
  EXPECT_NEAR(std::get<double>(groups->rows[0][2].value), 0.14, 0.05);
  EXPECT_NEAR(std::get<double>(groups->rows[7][2].value), 0.76, 0.05);
}

TEST_F(PointsRelease, GridsAreAsFineAsPriceAndPointsAllow_POINTS11) {
  const Curator curator = Open(kPlane);
  const auto cells = [&](double epsilon) {
    const auto answer = Ask(curator, {{"x", "y"}, std::nullopt, 0, 0, {}, ""}, epsilon);
    EXPECT_TRUE(answer) << answer.error().Text();
    EXPECT_NEAR(Total(*answer), 4000, 1e-3);
    EXPECT_EQ(answer->certificate.noise.size(), 1U);  // the number of points is public and costs nothing
    return answer->details->at("grid").at("log2_cells").get<int>();
  };
  EXPECT_EQ(cells(0.1), 5);
  EXPECT_EQ(cells(1), 7);
  EXPECT_EQ(cells(5), 8);
}

TEST_F(PointsRelease, ASecretNumberOfPointsIsCountedWithNoiseAndPaidFor) {
  const Curator secret = Open("key = \"id\"\nmax_rows = 1\npresence = \"secret\"");
  const auto answer = Ask(secret, {{"x", "y"}, std::nullopt, 0, 0, {}, ""}, 5);
  ASSERT_TRUE(answer) << answer.error().Text();
  ASSERT_EQ(answer->certificate.noise.size(), 2U);
  EXPECT_EQ(answer->certificate.noise[0].statistic, "number of points");
  EXPECT_NEAR(answer->certificate.noise[0].scale, 50 / 5.0, 0.1);
  EXPECT_NEAR(Total(*answer), 4000, 400);  // 40 scales
}

TEST_F(PointsRelease, QuantilesAreMeansOfManyPoints) {
  const Curator curator = Open(kLine);
  const auto answer = Ask(curator, {{"y"}, std::nullopt, 0, 0, {0.25, 0.5001, 0.5004}, ""}, 0.5);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_NEAR(std::get<double>(answer->rows[0][1].value), 0.2, 0.01);
  // 81 points of 4000; two quantiles that are next to each other have one each.
  EXPECT_NEAR(*answer->rows[0][1].error_95, 0.0101 / 0.5 * std::log(20) / 81, 2e-5);
  EXPECT_NEAR(*answer->rows[1][1].error_95, 0.0101 / 0.5 * std::log(20), 1e-3);
}

TEST_F(PointsRelease, UnitsWithSeveralRowsStandAtTheirMean) {
  std::ofstream(folder_ / "t.csv") << "id,x,y,ward,ill\n1,0.1,0.2,A,no\n1,0.3,0.4,A,no\n2,0.9,0.9,B,no\n";
  const Curator curator = Open(kLine);
  const auto answer = Ask(curator, {{"y"}, std::nullopt, 0, 0, {0.1, 0.9}, ""}, 40);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_NEAR(std::get<double>(answer->rows[0][1].value), 0.3, 0.01);
  EXPECT_NEAR(std::get<double>(answer->rows[1][1].value), 0.9, 0.01);
}

TEST_F(PointsRelease, WithoutAMetricUnitTheNoiseIsForAnyChange) {
  const Curator curator = Open("key = \"id\"\nmax_rows = 2\npresence = \"secret\"");
  const auto answer = Ask(curator, {{"x", "y"}, Method::kEquiWidth, 4, 0, {}, "ill = 'yes'"}, 5);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_EQ(answer->certificate.noise[0].sensitivity, 4);  // two rows, from one cell to another
  EXPECT_TRUE(answer->details->at("grid").at("total").is_null());
  EXPECT_TRUE(answer->certificate.guarantee.moves.empty());
  EXPECT_EQ(Ask(curator, {{"y"}, Method::kCumulative, 0, 0, {}, ""}, 5).error().code, Code::kUnsupportedQuery);
}

TEST_F(PointsRelease, ConditionsOnPublicColumnsChargeTheirCells) {
  const Curator curator = Open(kPlane);
  const auto answer = Ask(curator, {{"x", "y"}, Method::kHat, 8, 0, {}, "ward = 'A'"}, 5);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_NEAR(Total(*answer), 1000, 1e-3);
  std::size_t charged = 0;
  const BudgetReport budget = curator.Budget().value();
  for (const auto& cell : budget.cells) charged += cell.plain_spent > 0 ? 1 : 0;
  EXPECT_EQ(charged, 1U);
}

TEST_F(PointsRelease, RefusesBeforeAnythingIsCharged) {
  const Curator plane = Open(kPlane);
  const PointsOptions refused[] = {
      {{"x"}, std::nullopt, 0, 0, {}, ""},                  // the distance has two columns
      {{"y", "x"}, std::nullopt, 0, 0, {}, ""},             // in another order
      {{"x", "y"}, Method::kCumulative, 0, 0, {}, ""},      // no order on a plane
      {{"x", "y"}, Method::kHat, 12, 0, {}, ""},            // not a power of two
      {{"x", "y"}, Method::kHat, 2048, 0, {}, ""},          // too many
      {{"x", "y"}, Method::kHat, 8, 3, {}, ""},             // groups of a plane
      {{"x", "y"}, Method::kHat, 8, 0, {0.5}, ""},          // quantiles of a plane
      {{"x", "y"}, Method::kHat, 8, 0, {}, "ill = 'yes'"},  // a point could come and go
      {{"x", "y"}, Method::kHat, 8, 0, {}, "x > 0.5"},      // likewise
      {{"x", "y"}, Method::kHat, 8, 0, {}, "ward = 'A') OR (ill = 'yes'"},
  };
  for (const PointsOptions& options : refused) EXPECT_FALSE(Ask(plane, options, 1)) << options.where;
  EXPECT_EQ(plane.Budget()->cells[0].plain_spent, 0);
  const Curator line = Open(kLine);
  EXPECT_FALSE(Ask(line, {{"y"}, Method::kGroups, 0, 0, {}, ""}, 1));
  EXPECT_FALSE(Ask(line, {{"y"}, Method::kQuantiles, 0, 0, {1.5}, ""}, 1));
}

TEST_F(PointsRelease, FriendsMoveTogether) {
  std::ofstream(folder_ / "t.csv") << "id,x,y,ward,ill\n1,0.1,0.2,A,no\n2,0.3,0.4,A,no\n";
  const Curator curator = Open(kPlane, "kind = \"lipschitz\"\ninfluence = [[0, 0.5], [0.5, 0]]", "");
  const auto answer = Ask(curator, {{"x", "y"}, std::nullopt, 8, 0, {}, ""}, 10);
  ASSERT_TRUE(answer) << answer.error().Text();
  const Certificate& c = answer->certificate;
  EXPECT_NEAR(c.guarantee.dependent, 1.5 * (1 + 2.0 / 1024) * c.guarantee.plain, 1e-6);
  EXPECT_EQ(Ask(curator, {{"x", "y"}, Method::kQuadtree, 8, 0, {}, ""}, 1).error().code, Code::kUnsupportedQuery);
  EXPECT_EQ(Ask(curator, {{"x", "y"}, Method::kEquiWidth, 8, 0, {}, ""}, 1).error().code, Code::kUnsupportedQuery);
}

}  // namespace
}  // namespace kith
