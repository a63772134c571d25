// The black-box tester on the analyses, from the policy to the answer, where it must find nothing above their loss, and
// on the same with half of the noise, where it must. A false alarm has probability at most 1e-9 for each test.
#include <gtest/gtest.h>

#include "analysis/degrees/degrees.h"
#include "analysis/identity/identity.h"
#include "analysis/kmeans/kmeans.h"
#include "tests/e2e/probe_table.h"

namespace kith {
namespace {

using testing::ProbeTable;
using testing::ProvenLoss;

// The statements of k-means depend on the noise before: each run asks the engine again.
constexpr std::size_t kRuns = 10000, kRunsOfTwins = kRuns / 4, kRunsOfSteps = 1500;

const std::string kPlaces =
    "[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.t]\n"
    "id = { type = \"integer\", public = true }\nx = { type = \"real\", lower = 0, upper = 1 }\n";
std::string PlaceRows(const std::string& first) { return "id,x\n1," + first + "\n2,0.1\n3,0.15\n4,0.8\n5,0.9\n"; }

struct Places {
  ProbeTable left{"left", kPlaces, PlaceRows("0")}, right{"right", kPlaces, PlaceRows("1")};
  std::unique_ptr<Kmeans> Clusters(std::size_t steps) const {
    return Kmeans::Make({{"x"}, 2, steps, ""}, left.policy()).value();
  }
};

constexpr std::size_t kRunsOfClusters = kRunsOfSteps / 3;  // at which the twin sees too little noise

TEST(ProbeAnalyses, ClustersStayBelowTheirLoss_KMEANS1) {
  const Places places;
  EXPECT_LE(ProvenLoss(places.left, places.right, *places.Clusters(1), kRunsOfClusters), 1);
  EXPECT_LE(ProvenLoss(places.left, places.right, *places.Clusters(2), kRunsOfClusters), 1);
}

TEST(ProbeAnalyses, TheProbeSeesClustersWithTooLittleNoise) {
  const Places places;
  EXPECT_GT(ProvenLoss(places.left, places.right, *places.Clusters(1), kRunsOfClusters, 16), 1);
}

const std::string kPairs =
    "[unit]\ntable = \"t\"\nrow = true\npresence = \"secret\"\n[columns.t]\na = { type = \"integer\" }\nb = { type = "
    "\"integer\" }\n";

struct Friends {
  ProbeTable left{"left", kPairs, "a,b\n1,2\n1,2\n3,4\n"}, right{"right", kPairs, "a,b\n1,2\n5,6\n3,4\n"};
  std::unique_ptr<Degrees> Counts() const {
    return Degrees::Make({{"a", "b"}, 2, 10, false, "", "", ""}, left.policy()).value();
  }
};

TEST(ProbeAnalyses, DegreesStayBelowTheirLoss_DEGREES1) {
  const Friends friends;
  const double proven = ProvenLoss(friends.left, friends.right, *friends.Counts(), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

TEST(ProbeAnalyses, TheProbeSeesDegreesWithTooLittleNoise) {
  const Friends friends;
  EXPECT_GT(ProvenLoss(friends.left, friends.right, *friends.Counts(), kRunsOfTwins, 6), 1);
}

const std::string kColumns = "[columns.t]\na = { type = \"integer\" }\nb = { type = \"integer\" }\n";
const std::string kLists = "[unit]\ntable = \"t\"\nkey = \"a\"\nmax_rows = 9\npresence = \"secret\"\n" + kColumns;

struct Lists {
  ProbeTable left{"left", kLists, "a,b\n1,2\n3,4\n3,5\n"}, right{"right", kLists, "a,b\n1,2\n3,4\n1,4\n3,5\n"};
  std::unique_ptr<Degrees> Counts() const {
    return Degrees::Make({{"a", "b"}, 2, std::nullopt, false, "", "", ""}, left.policy()).value();
  }
};

TEST(ProbeAnalyses, ListsStayBelowTheirLoss_DEGREES2) {
  const Lists lists;
  const double proven = ProvenLoss(lists.left, lists.right, *lists.Counts(), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

TEST(ProbeAnalyses, TheProbeSeesListsWithTooLittleNoise) {
  const Lists lists;
  EXPECT_GT(ProvenLoss(lists.left, lists.right, *lists.Counts(), kRunsOfTwins, 6), 1);
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
  ProbeTable left, right;
  std::unique_ptr<Degrees> Counts() const {
    return Degrees::Make({{"a", "b"}, 2, std::nullopt, false, "", "", ""}, left.policy()).value();
  }
};

TEST(ProbeAnalyses, DegreesOfPeopleStayBelowTheirLoss_DEGREES4) {
  const Popular people(kPeople);
  const double proven = ProvenLoss(people.left, people.right, *people.Counts(), kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

// The same person among friendships as units, where larger degrees are cut and nothing is projected.
TEST(ProbeAnalyses, TheProbeSeesCutDegreesInsteadOfAProjection) {
  const Popular people(kPairs);
  EXPECT_GT(ProvenLoss(people.left, people.right, *people.Counts(), kRunsOfTwins), 1);
}

std::unique_ptr<Identity> Everybody(const Places& places) {
  return Identity::Make({{"x"}, 1, 3}, places.left.policy()).value();
}

TEST(ProbeAnalyses, TheIdentityStaysBelowItsLoss_IDENTITY1) {
  const Places places;
  const double proven = ProvenLoss(places.left, places.right, *Everybody(places), 2 * kRuns);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.7);
}

TEST(ProbeAnalyses, TheProbeSeesAnIdentityWithTooLittleNoise) {
  const Places places;
  EXPECT_GT(ProvenLoss(places.left, places.right, *Everybody(places), 2 * kRunsOfTwins, 2), 1);
}

}  // namespace
}  // namespace kith
