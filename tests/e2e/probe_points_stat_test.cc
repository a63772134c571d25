// The black-box tester on maps and curves of points, from the policy to the answer: one point moves by delta, or
// appears at a source. It must find nothing above the loss, and must see the same with too little noise. A false alarm
// has probability at most 1e-9 for each test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/points/study.h"
#include "audit/probe.h"
#include "release/analyse.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

/// Reads the rows once: only the noise is new in each run.
class Remembering final : public Engine {
 public:
  explicit Remembering(std::unique_ptr<Engine> inner) : inner_(std::move(inner)) {}
  Dialect dialect() const override { return inner_->dialect(); }
  Result<std::string> DataVersion() const override { return inner_->DataVersion(); }
  bool Current() const override { return inner_->Current(); }
  Result<IntegerTable> Run(const std::string& sql, const CancelFlag& cancel) const override {
    return inner_->Run(sql, cancel);
  }
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    if (columns_.empty()) {
      const auto read = [&](IntegerColumns columns) -> Result<void> {
        columns_.resize(columns.size());
        for (std::size_t k = 0; k < columns.size(); ++k)
          columns_[k].insert(columns_[k].end(), columns[k].begin(), columns[k].end());
        return {};
      };
      if (auto scanned = inner_->Scan(sql, read, cancel); !scanned) return scanned;
    }
    std::vector<std::span<const std::int64_t>> spans(columns_.begin(), columns_.end());
    return sink(spans);
  }

 private:
  std::unique_ptr<Engine> inner_;
  mutable std::vector<std::vector<std::int64_t>> columns_;
};

template <class T>
T Checked(Result<T> result) {
  if (!result) ADD_FAILURE() << result.error().Text();
  return std::move(result.value());
}

class World {
 public:
  World(const std::string& name, const std::string& unit, const std::string& rows)
      : folder_(fs::temp_directory_path() / ("kith_probe_points_" + std::to_string(getpid()) + "_" + name)) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << rows;
    const bool plane = rows.starts_with("x,y");
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\n"
        << unit << "\n[columns.t]\nx = { type = \"real\", lower = 0, upper = 1, required = true }\n"
        << (plane ? "y = { type = \"real\", lower = 0, upper = 1, required = true }\n" : "")
        << "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
    policy_ = Checked(Policy::Load(folder_ / "policy.toml"));
    EngineOptions options;
    options.threads = 1;
    engine_ = std::make_unique<Remembering>(Checked(OpenEngine(policy_, options, never_)));
  }
  ~World() { fs::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Policy& policy() const { return policy_; }

  std::vector<probe::Outcome> Run(const Study& study, std::size_t runs, double times, BitSource& bits) const {
    Price price;
    price.epsilon = times;
    const auto paid = Checked(PriceStudy(study, price, times, PlainUnits::Floor(times).value()));
    std::vector<probe::Outcome> outcomes;
    for (std::size_t i = 0; i < runs; ++i) {
      const Answer answer = Checked(RunStudy(study, *engine_, paid, bits, never_));
      probe::Outcome outcome;
      for (const auto& row : answer.rows) {
        for (const AnswerCell& cell : row) {
          outcome.text += ToText(cell.value) + " ";
          if (const auto* real = std::get_if<double>(&cell.value)) outcome.numbers.push_back(*real);
        }
      }
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }

 private:
  fs::path folder_;
  Policy policy_;
  CancelFlag never_;
  std::unique_ptr<Engine> engine_;
};

double Proven(const World& left, const World& right, const points::PointsOptions& options, std::size_t runs,
              double times) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto study = points::MakePoints(options, left.policy());
  EXPECT_TRUE(study) << study.error().Text();
  const auto proof = probe::ProvenLoss(left.Run(**study, runs, times, bits), right.Run(**study, runs, times, bits), 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(proof->loss_at_least));
  return proof->loss_at_least;
}

constexpr std::size_t kMaps = 6000, kCurves = 600;

const std::string kMoves =
    "presence = \"public\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.25 }";
std::string Square(const std::string& first) { return "x,y\n" + first + "0.9,0.9\n0.1,0.6\n0.3,0.3\n"; }

double Map(points::Method method, double times) {
  // One point from a node along the diagonal, by delta.
  const World left("left", kMoves, Square("0.5,0.5\n")), right("right", kMoves, Square("0.6767,0.6767\n"));
  return Proven(left, right, {{"x", "y"}, method, 4, 0, {}, ""}, kMaps, times);
}

TEST(ProbePoints, MapsStayBelowTheirLoss_POINTS8) {
  EXPECT_LE(Map(points::Method::kHat, 1), 1);
  EXPECT_LE(Map(points::Method::kPyramid, 1), 1);
  EXPECT_LE(Map(points::Method::kQuadtree, 1), 1);
}

TEST(ProbePoints, TheProbeSeesMapsWithTooLittleNoise) {
  EXPECT_GT(Map(points::Method::kHat, 9), 1);
  EXPECT_GT(Map(points::Method::kPyramid, 14), 1);
}

const std::string kAppear =
    "presence = \"secret\"\ndistance = { columns = [\"x\", \"y\"], metric = \"euclidean\", delta = 0.01, sources = "
    "[[0.5, 0.5]] }";

double Appearance(const std::string& policy, double times) {
  const World left("left", policy, Square("")), right("right", policy, Square("0.5,0.5\n"));
  return Proven(left, right, {{"x", "y"}, points::Method::kHat, 4, 0, {}, ""}, kMaps, times);
}

TEST(ProbePoints, PointsThatAppearAtSourcesStayBelowTheirLoss_POINTS8) {
  const double proven = Appearance(kAppear, 1);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

TEST(ProbePoints, TheProbeSeesAppearancesWithoutSources) {
  // The planted fault: a policy that says nobody can appear there.
  std::string elsewhere = kAppear;
  elsewhere.replace(elsewhere.find("[[0.5, 0.5]]"), 12, "[[0.0, 0.0]]");
  EXPECT_GT(Appearance(elsewhere, 1), 1);
}

const std::string kLine = "presence = \"public\"\ndistance = { columns = [\"x\"], metric = \"l1\", delta = 0.125 }";
std::string Line(const std::string& first) { return "x\n" + first + "0.9\n0.1\n0.3\n0.62\n"; }

double Curve(const points::PointsOptions& options, double times) {
  const World left("left", kLine, Line("0.45\n")), right("right", kLine, Line("0.575\n"));
  return Proven(left, right, options, kCurves, times);
}

const points::PointsOptions kPrefix{{"x"}, points::Method::kCumulative, 4, 0, {}, ""},
    kMedian{{"x"}, points::Method::kQuantiles, 0, 0, {0.5}, ""};

TEST(ProbePoints, CurvesStayBelowTheirLoss_POINTS9) {
  EXPECT_LE(Curve(kPrefix, 1), 1);
  EXPECT_LE(Curve(kMedian, 1), 1);
}

TEST(ProbePoints, TheProbeSeesCurvesWithTooLittleNoise) {
  EXPECT_GT(Curve(kPrefix, 4), 1);
  EXPECT_GT(Curve(kMedian, 4), 1);
}

}  // namespace
}  // namespace kith
