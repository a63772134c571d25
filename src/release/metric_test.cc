// Metric units in the pipeline: what a certificate says about moves, and what may be charged when records depend on
// each other by distances.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "release/model_fit.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

// Releases nothing; says that it loses by distance, or not.
class Silent final : public Study {
 public:
  explicit Silent(bool by_distance) : by_distance_(by_distance) {}
  std::string Normalised() const override { return by_distance_ ? "silent, by distance" : "silent"; }
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  bool LosesByDistance() const override { return by_distance_; }
  Result<StudyOutline> Outline(std::span<const PlainUnits>) const override {
    return StudyOutline{{NoisePart{"nothing", 1, 1, 1, 3, 3, "discrete laplace"}},
                        sql::Selected({.items = {{sql::Number(1)}}, .from = sql::Table("t")}),
                        {}};
  }
  Result<Findings> Run(const Vault&, Paid&, std::span<const PlainUnits>) const override {
    Findings findings;
    findings.columns = {"n"};
    findings.rows = {{std::int64_t{1}}};
    return findings;
  }

 private:
  bool by_distance_;
  std::vector<double> weights_ = {1};
  std::vector<bool> charged_ = {true};
};

class MetricUnits : public ::testing::Test {
 protected:
  MetricUnits() {
    std::string name = (fs::temp_directory_path() / "kith-metric-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ / "places.csv") << "x,y\n0.1,0.2\n0.3,0.4\n0.5,0.9\n";
  }
  ~MetricUnits() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Result<Curator> Open(
      const std::string& dependence, const std::string& more_columns = "",
      const std::string& unit =
          "presence = \"public\"\ndistance = { columns = [\"x\", \"y\"], metric = \"l1\", delta = 0.5 }") {
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.places = \"places.csv\"\n[unit]\ntable = \"places\"\nrow = true\n"
        << unit << "\n[columns.places]\nx = { type = \"real\", lower = 0, upper = 1, required = true }\n"
        << "y = { type = \"real\", lower = 0, upper = 1, required = true }\n"
        << more_columns << "\n[dependence]\nsource = \"public\"\n"
        << dependence << "\n[budget]\nepsilon = 2\nledger = \"places.ledger\"\n";
    return Curator::Open(folder_ / "policy.toml", EngineOptions{});
  }
  fs::path folder_;
};

const std::string kFriends = "kind = \"lipschitz\"\ninfluence = [[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]]";
const Price kPrice{0.5, std::nullopt, {}};

TEST_F(MetricUnits, QuestionsAreChargedForAnyChangeAndSayWhatMovesLose) {
  const auto curator = Open("kind = \"independent\"");
  ASSERT_TRUE(curator) << curator.error().Text();
  const auto explained = curator->Explain(QuestionRequest{"SELECT count(*) FROM places WHERE x < 0.5"}, kPrice);
  ASSERT_TRUE(explained) << explained.error().Text();
  EXPECT_NE(explained->guarantee.neighbours.find("move one unit by at most 0.5 (L1 distance of x, y)"),
            std::string::npos);
  EXPECT_NE(explained->guarantee.moves.find("any change of place, however far: 0.5"), std::string::npos)
      << explained->guarantee.moves;
  const auto answer =
      curator->Release(QuestionRequest{"SELECT count(*) FROM places WHERE x < 0.5"}, kPrice, {}, CancelFlag());
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_EQ(answer->certificate.noise[0].sensitivity, 1);  // a count, whatever the distance
  EXPECT_EQ(answer->certificate.guarantee.neighbours, explained->guarantee.neighbours);
  EXPECT_NEAR(answer->certificate.guarantee.standard.value(), 0.5, 1e-6);
  const auto again = AnswerFromJson(AnswerToJson(*answer));
  EXPECT_EQ(again->certificate.guarantee.moves, answer->certificate.guarantee.moves);
  EXPECT_EQ(again->certificate.guarantee.standard, answer->certificate.guarantee.standard);
  EXPECT_FALSE(curator->Budget()->guarantee.moves.empty());
  // What loses by distance is lost again for every move; what hides any change is not.
  const auto both = curator->Release(Borrowed(Silent(true)), kPrice, {}, CancelFlag());
  ASSERT_TRUE(both) << both.error().Text();
  const Guarantee& g = both->certificate.guarantee;
  EXPECT_NEAR(g.plain, 1, 1e-6);
  EXPECT_NEAR(g.standard.value(), 4 * 0.5 + 0.5, 1e-6);
  EXPECT_NE(g.moves.find("4 x 0.5 + 0.5 = 2.5"), std::string::npos) << g.moves;
}

// A study that says nothing about far changes is counted for every move: its noise may hide only moves of delta.
TEST_F(MetricUnits, StudiesAreCountedForEveryMoveUnlessTheyHideAnyChange) {
  const auto curator = Open("kind = \"independent\"");
  ASSERT_TRUE(curator) << curator.error().Text();
  const auto explained = curator->Explain(Borrowed(Silent(false)), kPrice);
  ASSERT_TRUE(explained) << explained.error().Text();
  EXPECT_NEAR(explained->guarantee.standard.value(), 4 * 0.5, 1e-6);
  const auto answer = curator->Release(Borrowed(Silent(false)), kPrice, {}, CancelFlag());
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_NEAR(answer->certificate.guarantee.standard.value(), 4 * 0.5, 1e-6);
}

TEST_F(MetricUnits, CertificatesSayThatPlacesOutsideTheBoundsAreNotCoveredOnTheEarth) {
  const auto curator = Open("kind = \"independent\"", "",
                            "presence = \"public\"\ndistance = { columns = [\"x\", \"y\"], metric = "
                            "\"great-circle\", delta = \"2 km\" }");
  ASSERT_TRUE(curator) << curator.error().Text();
  const auto answer =
      curator->Release(QuestionRequest{"SELECT count(*) FROM places WHERE x < 0.5"}, kPrice, {}, CancelFlag());
  ASSERT_TRUE(answer) << answer.error().Text();
  const std::string outside = "a place outside is read as the nearest bound";
  EXPECT_NE(answer->certificate.guarantee.neighbours.find(outside), std::string::npos)
      << answer->certificate.guarantee.neighbours;
  EXPECT_NE(answer->certificate.guarantee.moves.find(outside), std::string::npos)
      << answer->certificate.guarantee.moves;
  EXPECT_NE(curator->Budget()->guarantee.moves.find(outside), std::string::npos);
}

TEST_F(MetricUnits, LipschitzAccountsByDistance) {
  const auto curator = Open(kFriends);
  ASSERT_TRUE(curator) << curator.error().Text();
  const auto answer = curator->Release(Borrowed(Silent(true)), kPrice, {}, CancelFlag());
  ASSERT_TRUE(answer) << answer.error().Text();
  const Certificate& c = answer->certificate;
  // One friend moves half as far: 1.5 times the plain loss, and a little for steps of a lattice.
  EXPECT_GE(c.guarantee.dependent, 1.5 * c.guarantee.plain);
  EXPECT_NEAR(c.guarantee.dependent, 1.5 * (1 + 3.0 / 1024) * c.guarantee.plain, 1e-9);
  EXPECT_LE(c.guarantee.dependent, 0.5);
  EXPECT_GT(c.guarantee.dependent, 0.499);
}

TEST_F(MetricUnits, LipschitzRefusesWhatHasNoLossByDistance) {
  const auto curator = Open(kFriends);
  ASSERT_TRUE(curator) << curator.error().Text();
  const std::string sql = "SELECT count(*) FROM places WHERE x < 0.5";
  for (const Error& error : {curator->Release(QuestionRequest{sql}, kPrice, {}, CancelFlag()).error(),
                             curator->Explain(QuestionRequest{sql}, kPrice).error(),
                             curator->Release(Borrowed(Silent(false)), kPrice, {}, CancelFlag()).error(),
                             curator->Explain(Borrowed(Silent(false)), kPrice).error()}) {
    EXPECT_EQ(error.code, Code::kUnsupportedQuery) << error.Text();
    EXPECT_NE(error.what.find("distance"), std::string::npos);
  }
  EXPECT_TRUE(curator->Explain(Borrowed(Silent(true)), kPrice));
  EXPECT_EQ(curator->Budget()->cells[0].plain_spent, 0);  // nothing was charged
}

TEST_F(MetricUnits, LipschitzDoesNotTakeOverALedgerWithOtherCharges) {
  ASSERT_TRUE(Open("kind = \"independent\"")
                  ->Release(QuestionRequest{"SELECT count(*) FROM places WHERE x < 0.5"}, kPrice, {}, CancelFlag()));
  const auto curator = Open(kFriends);
  ASSERT_TRUE(curator) << curator.error().Text();
  const auto answer = curator->Release(Borrowed(Silent(true)), kPrice, {}, CancelFlag());
  ASSERT_FALSE(answer);
  EXPECT_NE(answer.error().Text().find("charges"), std::string::npos) << answer.error().Text();
  EXPECT_FALSE(curator->Explain(Borrowed(Silent(true)), kPrice));
}

TEST_F(MetricUnits, RefusesDependenceThatIsNotByDistance) {
  EXPECT_FALSE(Open("kind = \"group\"\nsize = 2"));
  EXPECT_FALSE(Open("kind = \"field\"\nnodes = 3\nedges = [[0, 1, 1.0]]"));
  const auto secret = Open(kFriends, "ill = { values = [\"no\", \"yes\"] }");
  ASSERT_FALSE(secret);
  EXPECT_NE(secret.error().what.find("another secret"), std::string::npos);
  EXPECT_TRUE(Open("kind = \"independent\"", "ill = { values = [\"no\", \"yes\"] }"));
  const auto whole = Open(kFriends + "\ndiameters = [1, 1, 1]");
  ASSERT_FALSE(whole);
  EXPECT_NE(whole.error().what.find("whole ranges"), std::string::npos);
  const auto appear =
      Open(kFriends, "",
           "presence = \"secret\"\ndistance = { columns = [\"x\", \"y\"], metric = \"l1\", delta = 0.5, "
           "sources = \"everywhere\" }");
  ASSERT_FALSE(appear);
  EXPECT_NE(appear.error().what.find("must be public"), std::string::npos);
}

}  // namespace
}  // namespace kith
