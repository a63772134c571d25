// The whole pipeline as an attacker sees it: the same question, asked again and again of two neighbouring databases.
// What the outputs prove about the loss must stay below the certificate; where a fault is planted, it must not.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "probe/bounds.h"
#include "release/release.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

// So many that each expectation below fails by chance with probability at most 1e-9 (both counts at their worst
// quantile).
constexpr std::uint64_t kRuns = 3000;
// Each question is asked of this many wards at once. Nobody is in two of them, and each has its own noise: every ward
// is a small world, and what it answers is one run.
constexpr int kWards = 50;

// Three people in each ward, of whom `ill` are ill; the first two share a house.
class World {
 public:
  World(const std::string& name, int ill, const std::string& dependence) {
    folder_ = std::filesystem::temp_directory_path() / ("kith_privacy_" + std::to_string(getpid()) + "_" + name);
    std::filesystem::create_directories(folder_);
    std::ofstream csv(folder_ / "t.csv");
    csv << "id,ward,house,ill\n";
    for (int id = 0; id < 3 * kWards; ++id) {
      const int ward = id / 3, i = id % 3;
      csv << id << "," << ward << "," << 2 * ward + i / 2 << "," << (i < ill ? "yes" : "no") << "\n";
    }
    std::ofstream policy(folder_ / "policy.toml");
    policy << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
              "[columns.t]\nid = { type = \"integer\", public = true }\nhouse = { type = \"integer\", public = true }\n"
              "ward = { lower = 0, upper = 49, type = \"integer\", public = true, required = true }\n"
              "ill = { values = [\"no\", \"yes\"], required = true }\n[dependence]\nsource = \"public\"\n"
           << dependence << "[budget]\nepsilon = 100000\nledger = \"t.ledger\"\n";
  }
  ~World() { std::filesystem::remove_all(folder_); }

  // How often the noisy count is at least `threshold`, at a price of `epsilon` for each question; keeps the last
  // certificate.
  std::uint64_t CountAtLeast(double threshold, double epsilon) {
    EngineOptions options;
    options.threads = 1;
    const auto curator = Curator::Open(folder_ / "policy.toml", options);
    EXPECT_TRUE(curator.has_value()) << curator.error().Text();
    const CancelFlag never;
    Price price;
    price.epsilon = epsilon;
    std::uint64_t hits = 0;
    for (std::uint64_t i = 0; i < kRuns / kWards; ++i) {
      // A different question each time: the same one again would return its stored answer.
      const auto answer = curator->Release(QuestionRequest{"SELECT ward, count(*) FROM t WHERE ill = 'yes' AND id > " +
                                                           std::to_string(-1 - static_cast<int>(i)) + " GROUP BY ward"},
                                           price, {}, never);
      EXPECT_TRUE(answer.has_value()) << answer.error().Text();
      if (!answer) return 0;
      EXPECT_EQ(answer->rows.size(), std::size_t{kWards});
      for (const auto& row : answer->rows) {
        hits += static_cast<double>(std::get<std::int64_t>(row.at(1).value)) >= threshold ? 1 : 0;
      }
      certificate = answer->certificate;
    }
    return hits;
  }

  Certificate certificate;

 private:
  std::filesystem::path folder_;
};

const std::string kAlone = "kind = \"independent\"\n";
const std::string kPairs = "kind = \"group\"\nby = \"house\"\nsize = 2\n";

// What kRuns answers from each of two worlds prove about the loss.
double ProvenLoss(World& likelier, World& other, double threshold, double epsilon) {
  const auto hits = likelier.CountAtLeast(threshold, epsilon);
  const auto hits_other = other.CountAtLeast(threshold, epsilon);
  return probe::LossLowerBound({hits, kRuns}, {hits_other, kRuns}, 0, stat::kAlpha);
}

TEST(PrivacyEndToEnd, OnePersonStaysBelowThePlainLoss) {
  World one("one", 1, kAlone), none("none", 0, kAlone);
  const double proven = ProvenLoss(one, none, 1, 1.0);
  EXPECT_LE(proven, one.certificate.plain_epsilon);
  EXPECT_GT(proven, 0.5);  // the attack works: most of the allowed loss is really there
  EXPECT_DOUBLE_EQ(one.certificate.plain_epsilon, 1.0);
}

// Two people changed at once is what half the sensitivity would look like: the noise is half of what it should be.
TEST(PrivacyEndToEnd, TheAttackSeesHalvedSensitivity) {
  World two("two", 2, kAlone), none("half", 0, kAlone);
  EXPECT_GT(ProvenLoss(two, none, 2, 1.0), two.certificate.plain_epsilon);
}

// Housemates who are always alike: an attacker who knows it sees both change. The dependent loss covers that.
TEST(PrivacyEndToEnd, HousematesStayBelowTheDependentLoss) {
  World two("pair", 2, kPairs), none("nobody", 0, kPairs);
  const double proven = ProvenLoss(two, none, 2, 2.0);
  EXPECT_NEAR(two.certificate.plain_epsilon, 1.0, 1e-9);
  EXPECT_LE(proven, 2.0);                            // the price: what the policy's budget was charged for
  EXPECT_GT(proven, two.certificate.plain_epsilon);  // the plain loss alone would have been a false promise
}

}  // namespace
}  // namespace kith
