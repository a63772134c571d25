// The black-box tester on the analyses, from the policy to the answer, where it must find nothing above their loss, and
// on the same with half of the noise, where it must. A false alarm has probability at most 1e-9 for each test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/degrees/degrees.h"
#include "analysis/identity/identity.h"
#include "analysis/kmeans/kmeans.h"
#include "audit/probe.h"
#include "release/analyse.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

/// Every statement is computed once: only the noise is new in each run.
class Remembering final : public Engine {
 public:
  explicit Remembering(std::unique_ptr<Engine> inner) : inner_(std::move(inner)) {}
  Dialect dialect() const override { return inner_->dialect(); }
  Result<std::string> DataVersion() const override { return inner_->DataVersion(); }
  bool Current() const override { return inner_->Current(); }
  Result<IntegerTable> Run(const std::string& sql, const CancelFlag& cancel) const override {
    const auto found = known_.find(sql);
    if (found != known_.end()) return found->second;
    auto table = inner_->Run(sql, cancel);
    if (table) known_.emplace(sql, *table);
    return table;
  }
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    return inner_->Scan(sql, sink, cancel);
  }

 private:
  std::unique_ptr<Engine> inner_;
  mutable std::map<std::string, IntegerTable> known_;
};

class World {
 public:
  World(const std::string& name, const std::string& policy, const std::string& rows)
      : folder_(fs::temp_directory_path() / ("kith_probe_analyses_" + std::to_string(getpid()) + "_" + name)) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << rows;
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n"
        << policy
        << "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
    policy_ = Policy::Load(folder_ / "policy.toml").value();
    EngineOptions options;
    options.threads = 1;
    engine_ = std::make_unique<Remembering>(OpenEngine(policy_, options, never_).value());
  }
  ~World() { fs::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Policy& policy() const { return policy_; }

  /// Answers for a plain loss of 1 in all; `times` that for the planted fault.
  std::vector<probe::Outcome> Run(const Analysis& analysis, std::size_t runs, double times, BitSource& bits) const {
    Price price;
    price.epsilon = times;
    const auto paid = PriceAnalysis(analysis, price, times, PlainUnits::Floor(times).value()).value();
    std::vector<probe::Outcome> outcomes;
    for (std::size_t i = 0; i < runs; ++i) {
      const Answer answer = RunAnalysis(analysis, *engine_, paid, bits, never_).value();
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

double Proven(const World& left, const World& right, const Analysis& analysis, std::size_t runs, double times = 1) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto proof =
      probe::ProvenLoss(left.Run(analysis, runs, times, bits), right.Run(analysis, runs, times, bits), 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(proof->loss_at_least));
  return proof->loss_at_least;
}

// The statements of k-means depend on the noise before: each run asks the engine anew.
constexpr std::size_t kRuns = 20000, kRunsOfSteps = 1500;

const std::string kPlaces =
    "[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.t]\n"
    "id = { type = \"integer\", public = true }\nx = { type = \"real\", lower = 0, upper = 1 }\n";
std::string PlaceRows(const std::string& first) { return "id,x\n1," + first + "\n2,0.1\n3,0.15\n4,0.8\n5,0.9\n"; }

struct Places {
  World left{"left", kPlaces, PlaceRows("0")}, right{"right", kPlaces, PlaceRows("1")};
  std::unique_ptr<Kmeans> Clusters(std::size_t steps) const {
    return Kmeans::Make({{"x"}, 2, steps, ""}, left.policy()).value();
  }
};

TEST(ProbeAnalyses, ClustersStayBelowTheirLoss_KMEANS1) {
  const Places places;
  EXPECT_LE(Proven(places.left, places.right, *places.Clusters(1), kRunsOfSteps), 1);
  EXPECT_LE(Proven(places.left, places.right, *places.Clusters(2), kRunsOfSteps / 2), 1);
}

TEST(ProbeAnalyses, TheProbeSeesClustersWithTooLittleNoise) {
  const Places places;
  EXPECT_GT(Proven(places.left, places.right, *places.Clusters(1), kRunsOfSteps, 8), 1);
}

const std::string kPairs =
    "[unit]\ntable = \"t\"\nrow = true\npresence = \"secret\"\n[columns.t]\na = { type = \"integer\" }\nb = { type = "
    "\"integer\" }\n";

struct Friends {
  World left{"left", kPairs, "a,b\n1,2\n1,2\n3,4\n"}, right{"right", kPairs, "a,b\n1,2\n5,6\n3,4\n"};
  std::unique_ptr<Degrees> Counts() const { return Degrees::Make({{"a", "b"}, 2, 10, false}, left.policy()).value(); }
};

TEST(ProbeAnalyses, DegreesStayBelowTheirLoss_DEGREES1) {
  const Friends friends;
  const double proven = Proven(friends.left, friends.right, *friends.Counts(), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

TEST(ProbeAnalyses, TheProbeSeesDegreesWithTooLittleNoise) {
  const Friends friends;
  EXPECT_GT(Proven(friends.left, friends.right, *friends.Counts(), kRuns, 6), 1);
}

std::unique_ptr<Identity> Everybody(const Places& places) {
  return Identity::Make({{"x"}, 1, 3}, places.left.policy()).value();
}

TEST(ProbeAnalyses, TheIdentityStaysBelowItsLoss_IDENTITY1) {
  const Places places;
  const double proven = Proven(places.left, places.right, *Everybody(places), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.7);
}

TEST(ProbeAnalyses, TheProbeSeesAnIdentityWithTooLittleNoise) {
  const Places places;
  EXPECT_GT(Proven(places.left, places.right, *Everybody(places), kRuns, 2), 1);
}

}  // namespace
}  // namespace kith
