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
    const auto found = scanned_.find(sql);
    if (found == scanned_.end()) {
      Rows rows;
      const auto done = inner_->Scan(
          sql,
          [&](IntegerColumns columns) -> Result<void> {
            rows.resize(columns.size());
            for (std::size_t k = 0; k < columns.size(); ++k)
              rows[k].insert(rows[k].end(), columns[k].begin(), columns[k].end());
            return {};
          },
          cancel);
      if (!done) return done.error();
      scanned_.emplace(sql, std::move(rows));
      return Scan(sql, sink, cancel);
    }
    const std::vector<std::span<const std::int64_t>> columns(found->second.begin(), found->second.end());
    return columns.empty() ? Result<void>() : sink(columns);
  }

 private:
  std::unique_ptr<Engine> inner_;
  mutable std::map<std::string, IntegerTable> known_;
  using Rows = std::vector<std::vector<std::int64_t>>;  // by column
  mutable std::map<std::string, Rows> scanned_;
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
  EXPECT_GT(Proven(places.left, places.right, *places.Clusters(1), kRunsOfSteps, 16), 1);
}

const std::string kPairs =
    "[unit]\ntable = \"t\"\nrow = true\npresence = \"secret\"\n[columns.t]\na = { type = \"integer\" }\nb = { type = "
    "\"integer\" }\n";

struct Friends {
  World left{"left", kPairs, "a,b\n1,2\n1,2\n3,4\n"}, right{"right", kPairs, "a,b\n1,2\n5,6\n3,4\n"};
  std::unique_ptr<Degrees> Counts() const {
    return Degrees::Make({{"a", "b"}, 2, 10, false, "", "", ""}, left.policy()).value();
  }
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

const std::string kColumns = "[columns.t]\na = { type = \"integer\" }\nb = { type = \"integer\" }\n";
const std::string kLists = "[unit]\ntable = \"t\"\nkey = \"a\"\nmax_rows = 9\npresence = \"secret\"\n" + kColumns;

struct Lists {
  World left{"left", kLists, "a,b\n1,2\n3,4\n3,5\n"}, right{"right", kLists, "a,b\n1,2\n3,4\n1,4\n3,5\n"};
  std::unique_ptr<Degrees> Counts() const {
    return Degrees::Make({{"a", "b"}, 2, std::nullopt, false, "", "", ""}, left.policy()).value();
  }
};

TEST(ProbeAnalyses, ListsStayBelowTheirLoss_DEGREES2) {
  const Lists lists;
  const double proven = Proven(lists.left, lists.right, *lists.Counts(), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

TEST(ProbeAnalyses, TheProbeSeesListsWithTooLittleNoise) {
  const Lists lists;
  EXPECT_GT(Proven(lists.left, lists.right, *lists.Counts(), kRuns, 6), 1);
}

const std::string kPeople =
    "[unit]\ntable = \"t\"\nkey = [\"a\", \"b\"]\nmax_rows = 9\npresence = \"secret\"\n" + kColumns;

/// Somebody knows many others who know nobody else, or is not there.
struct Popular {
  explicit Popular(const std::string& unit) : left("left", unit, kOthers), right("right", unit, kOthers + Friends()) {}
  static std::string Friends() {
    std::string rows;
    for (int person = 10; person < 30; ++person) rows += "5," + std::to_string(person) + "\n";
    return rows;
  }
  inline static const std::string kOthers = "a,b\n1,2\n2,1\n3,4\n3,3\n";
  World left, right;
  std::unique_ptr<Degrees> Counts() const {
    return Degrees::Make({{"a", "b"}, 2, std::nullopt, false, "", "", ""}, left.policy()).value();
  }
};

TEST(ProbeAnalyses, DegreesOfPeopleStayBelowTheirLoss_DEGREES4) {
  const Popular people(kPeople);
  const double proven = Proven(people.left, people.right, *people.Counts(), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

// The same person among friendships as units, where larger degrees are cut and nothing is projected.
TEST(ProbeAnalyses, TheProbeSeesCutDegreesInsteadOfAProjection) {
  const Popular people(kPairs);
  EXPECT_GT(Proven(people.left, people.right, *people.Counts(), kRuns), 1);
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
