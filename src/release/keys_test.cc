// Keys that nobody declared under a policy's dependence: price, delta and threshold as an explanation has them, against
// the exact law of what dependent people show.
#include "analysis/keys/keys.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>

#include "release/release.h"
#include "tests/support/key_law.h"

namespace kith {
namespace {

constexpr double kEpsilon = 1, kDelta = 1e-6;

std::string PolicyText(const std::string& dependence, const std::string& budget) {
  return R"([data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "secret"
[columns.people]
id      = { type = "integer" }
surname = { type = "text" }
[dependence]
source = "public"
)" + dependence +
         "\n[budget]\nepsilon = 1.0\nledger = \"people.ledger\"\n" + budget + "\n";
}

/// What the whole budget buys, as an explanation says it. There is nothing to be read.
struct Bought {
  testing::KeyLaw seen;
};

// Laplace noise by itself, and normal noise where many questions are expected.
const char* const kOne = "delta = 1e-6\nkeys_delta = 5e-7";
const char* const kMany = "delta = 1e-6\nkeys_delta = 5e-7\nquestions = 1000000";

Bought Explained(const std::string& dependence, const std::string& budget) {
  const auto folder = std::filesystem::temp_directory_path() / ("kith_keys_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto file = folder / "policy.toml";
  std::ofstream(file) << PolicyText(dependence, budget);
  const auto curator = Curator::Open(file, {}, {});
  EXPECT_TRUE(curator) << (curator ? "" : curator.error().Text());
  KeysOptions options;
  options.columns = {"surname"};
  const auto keys = KeyCounts::Make(options, curator->policy());
  EXPECT_TRUE(keys) << (keys ? "" : keys.error().Text());
  const auto explained = curator->Explain(Borrowed(**keys), {.epsilon = kEpsilon, .error_95 = {}, .split = {}}, {});
  EXPECT_TRUE(explained) << (explained ? "" : explained.error().Text());
  std::filesystem::remove_all(folder);
  const NoiseLine& noise = explained->noise.front();
  const bool laplace = noise.law == kDiscreteLaplaceName.id;
  EXPECT_EQ(laplace, budget == kOne) << noise.law;
  Bought bought{{0, noise.scale, laplace, laplace}};
  const std::regex words("a key appears when about (\\d+) units hold it");
  for (const Note& note : explained->plan.notes) {
    std::smatch found;
    if (std::regex_search(note.text, found, words)) bought.seen.threshold = std::stoll(found[1]);
  }
  EXPECT_GT(bought.seen.threshold, 0);
  return bought;
}

const char* const kAlone = "kind = \"independent\"";
const char* const kSix = "kind = \"group\"\nby = \"house\"\nsize = 6";
const char* const kTwins = "kind = \"group\"\nby = \"house\"\nsize = 2\nodds_ratio = 40";

// A household whose six members always share one surname that nobody else has: it is theirs, or another is.
long double OfHousehold(const Bought& law) {
  return testing::DeltaOfKeys({{1, {6, 0}}}, {{1, {0, 6}}}, law.seen, kEpsilon);
}

// Two people with a rare surname each with this probability, and odds that are 40 times higher if the other one has it;
// what is seen of it if one of them has it, against what is seen if not.
long double OfTwins(const Bought& law, long double other_has) {
  // P(second | first) from its odds without the first.
  const long double odds = other_has / (1 - other_has), with = 40 * odds;
  const long double yes = with / (1 + with);
  const std::vector<testing::PossibleKeys> has = {{yes, {2}}, {1 - yes, {1}}};
  const std::vector<testing::PossibleKeys> has_not = {{other_has, {1}}, {1 - other_has, {0}}};
  const auto at = [&](const auto& a, const auto& b) { return testing::DeltaOfKeys(a, b, law.seen, kEpsilon); };
  return std::max(at(has, has_not), at(has_not, has));
}

TEST(DependentKeys, ASharedKeyAppearsNoOftenerThanThePolicySays_KEYS3) {
  for (const char* budget : {kOne, kMany}) {
    const Bought six = Explained(kSix, budget);
    EXPECT_LE(OfHousehold(six), kDelta);
    EXPECT_GT(OfHousehold(six), kDelta / 50) << "the bound is far from what happens";
    const Bought twins = Explained(kTwins, budget);
    for (const long double other : {0.001L, 0.02L, 0.1581L, 0.5L, 0.9L})
      EXPECT_LE(OfTwins(twins, other), kDelta) << other;
  }
}

TEST(DependentKeys, TheCheckAboveSeesAThresholdForSingleUnits) {
  for (const char* budget : {kOne, kMany}) EXPECT_GT(OfHousehold(Explained(kAlone, budget)), 3 * kDelta);
}

}  // namespace
}  // namespace kith
