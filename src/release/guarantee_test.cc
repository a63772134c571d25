// A guarantee has all its labels, wherever it is shown; certificates that were written before it was one struct are
// read.
#include "release/guarantee.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <functional>

#include "base/json.h"
#include "policy/facts.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNotProved =
    "accept = \"unproven\"\nkind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\ndegree = 2\n";
constexpr const char* kLimit = "confidence = 0.9\nkind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\ndegree = 1\n";
constexpr const char* kProved = "kind = \"pairs\"\ntable = [[0.8, 0.2], [0.3, 0.7]]\ndegree = 1\n";

class GuaranteeTest : public ::testing::Test {
 protected:
  GuaranteeTest() : folder_(fs::temp_directory_path() / ("kith_guarantee_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream rows(folder_ / "t.csv");
    rows << "id,ill\n";
    for (int i = 0; i < 40; ++i) rows << i << "," << (i % 3 == 0 ? "yes" : "no") << "\n";
  }
  ~GuaranteeTest() override { fs::remove_all(folder_); }

  Curator Open(const std::string& dependence) const {
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
           "[columns.t]\nid = { type = \"integer\", public = true }\nill = { values = [\"no\", \"yes\"], required = "
           "true "
           "}\n[dependence]\nsource = \"public\"\n"
        << dependence << "[budget]\nepsilon = 1\nledger = \"t.ledger\"\n"
        << "[one_sided]\nsensitive = \"ill = 'yes'\"\nepsilon = 1\ncolumns = [\"ill\"]\naccept = \"unbounded\"\n";
    EngineOptions options;
    options.threads = 1;
    auto curator = Curator::Open(folder_ / "policy.toml", options);
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }

  /// Of everything that shows one, before and after true records were released.
  std::vector<Guarantee> Shown(const Curator& curator) const {
    const std::string question = "SELECT count(*) FROM t WHERE ill = 'yes'";
    const Price price{0.1, std::nullopt, {}};
    std::vector<Guarantee> shown;
    for (const bool records : {false, true}) {
      shown.push_back(curator.Explain(QuestionRequest{question}, price).value().guarantee);
      shown.push_back(curator.Release(QuestionRequest{question}, price, {}, CancelFlag())
                          .value()
                          .certificate.guarantee);  // then: stored
      shown.push_back(curator.Budget().value().guarantee);
      if (records) break;
      shown.push_back(curator.Release(RecordsRequest{"", 0.5, folder_ / "r.csv"}, {}, {}, CancelFlag())
                          .value()
                          .records->certificate.noisy);
    }
    return shown;
  }

  fs::path folder_;
};

/// Whether everything is said that the policy and the ledger call for.
bool IsWhole(const Guarantee& g, const Policy& policy, bool records_left) {
  for (const std::string& promise : PromisesMadeBy(policy, {})) {
    if (g.assumption.find(promise) == std::string::npos) return false;
  }
  return g.unproven == UnprovenOn(policy.dependence.model) && g.audit.has_value() == !g.unproven.empty() &&
         g.one_sided.starts_with("ONE-SIDED RELEASES") == records_left && g.source == "public" && !g.bound.empty() &&
         !g.adversary.empty() && !g.assumption.empty() && g.neighbours == NeighboursOf(policy) && g.plain > 0 &&
         g.dependent > g.plain && g.level == "id" && g.plain_content == g.plain && !g.plain_presence &&
         g.generation == 1 && g.delta == 0 && g.confidence == policy.dependence.confidence &&
         (g.assumption.find("% confidence in the declared strength") != std::string::npos) == g.confidence.has_value();
}

TEST_F(GuaranteeTest, HasAllItsLabelsWhereverItIsShown_PAIRSUM2) {
  for (const char* dependence : {kNotProved, kProved, kLimit}) {
    const Curator curator = Open(dependence);
    const auto shown = Shown(curator);
    ASSERT_EQ(shown.size(), 7U);
    for (std::size_t k = 0; k < shown.size(); ++k)
      EXPECT_TRUE(IsWhole(shown[k], curator.policy(), k >= 3)) << dependence << k;
    EXPECT_EQ(shown[0].unproven.starts_with("UNPROVEN"), dependence == kNotProved);
    fs::remove_all(folder_ / "t.ledger");
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() != "t.csv") fs::remove_all(entry.path());
    }
  }
}

// The planted fault: a label is lost on the way.
TEST_F(GuaranteeTest, TheCheckAboveSeesEveryLostLabel) {
  const Curator curator = Open(kNotProved);
  const Guarantee whole = Shown(curator).back();
  ASSERT_TRUE(IsWhole(whole, curator.policy(), true));
  const std::vector<std::function<void(Guarantee&)>> losses = {
      [](Guarantee& g) { g.unproven.clear(); },
      [](Guarantee& g) { g.audit.reset(); },
      [](Guarantee& g) { g.one_sided.clear(); },
      [](Guarantee& g) { g.source.clear(); },
      [](Guarantee& g) { g.adversary.clear(); },
      [](Guarantee& g) { g.assumption.clear(); },
      [](Guarantee& g) { g.neighbours.clear(); },
      [](Guarantee& g) { g.dependent = g.plain; },
      [](Guarantee& g) { g.assumption.resize(g.assumption.find("; a row of t belongs to")); },
      [](Guarantee& g) { g.level.clear(); },
      [](Guarantee& g) { g.plain_content = 0; }};
  for (const auto& lose : losses) {
    Guarantee g = whole;
    lose(g);
    EXPECT_FALSE(IsWhole(g, curator.policy(), true));
  }
}

TEST_F(GuaranteeTest, ALimitIsNotShownAsAFact) {
  const Curator curator = Open(kLimit);
  const Guarantee whole = Shown(curator).front();
  EXPECT_EQ(whole.confidence, 0.9);
  EXPECT_NE(whole.assumption.find(", with 90 % confidence in the declared strength"), std::string::npos)
      << whole.assumption;
  Guarantee lost = whole;
  lost.confidence.reset();
  EXPECT_FALSE(IsWhole(lost, curator.policy(), false));
  lost = whole;
  lost.assumption = "pairs";
  EXPECT_FALSE(IsWhole(lost, curator.policy(), false));
}

TEST_F(GuaranteeTest, TellsWhatIsLostOfPresenceIfThatIsSecret) {
  const Curator curator = Open(kProved);
  Policy policy = curator.policy();
  Totals totals;
  totals.spent = {PlainUnits::Of(PlainUnits::kOne), PlainUnits::Of(PlainUnits::kOne / 2)};
  const Guarantee open = MakeGuarantee(policy, Transferred{}, totals);
  EXPECT_EQ(open.plain_content, 1);
  EXPECT_EQ(open.plain_presence, std::nullopt);
  policy.unit.presence = Presence::kSecret;
  policy.unit.key.reset();
  const Guarantee secret = MakeGuarantee(policy, Transferred{}, totals);
  EXPECT_EQ(secret.plain_content, 1);
  EXPECT_EQ(secret.plain_presence, 1);
  EXPECT_EQ(secret.level, "row");
}

TEST_F(GuaranteeTest, IsNotMadeForAModelThatWasNotAccepted_PAIRSUM2) {
  const Curator curator = Open(kNotProved);
  Policy policy = curator.policy();
  policy.dependence.accept_unproven = false;
  EXPECT_DEATH(MakeGuarantee(policy, Transferred{}, Totals{}), "");
}

// No stream has such a model today; if one ever has, its guarantee is made here as well.
TEST_F(GuaranteeTest, OfAStreamHasThemToo) {
  const Curator curator = Open(kNotProved);
  Policy policy = curator.policy();
  policy.stream.emplace();
  policy.stream->window = 5;
  Totals totals;
  totals.released = {{"records", PlainUnits::Of(1), {"a"}}};
  const Guarantee g = MakeGuarantee(policy, Transferred{}, totals);
  EXPECT_TRUE(g.unproven.starts_with("UNPROVEN"));
  EXPECT_TRUE(g.one_sided.starts_with("ONE-SIDED RELEASES"));
  EXPECT_NE(g.neighbours.find("at most 5 consecutive steps"), std::string::npos) << g.neighbours;
}

// As a ledger keeps it.
TEST(GuaranteeJson, ReadsWhatWasWrittenBefore) {
  const std::string stored =
      R"({"answer":{"columns":["ward","n"],"rows":[["A",10],["B",56]]},"assumption":"no record has more than 2 links","audit":)"
      R"({"dependent":0.30160346403837596,"exact":true,"of":"against somebody who knows no record"},"claims":["PLAN-1",)"
      R"("DL-1","LEDGER-1","RELEASE-1","PAIR-SUM-2"],"dependence_source":"public","dependent":{"adversary":"somebody who )"
      R"(may know any of the records next to the one in question","bound":"pair sum","epsilon_total":null,)"
      R"("noisy_answers_alone":0.19947770877773785},"error_95":[[null,60.0],[null,60.0]],"ledger_entry":3,"ledger_hash":)"
      R"("8a8008d7e30e","moves":{"meaning":"moves of 2 km","standard_epsilon_total":7.5},"neighbours":"replace one unit's )"
      R"(record; public columns are kept","noise":[{"distribution":"discrete laplace","error_95":60.0,)"
      R"("error_95_all":82.0,"in_rows":false,"lattice":1.0,"plain_epsilon":0.049760523019358516,"plain_units":213719819,"scale":)"
      R"(20.096251794036938,"sensitivity":1.0,"statistic":"rows"}],"notes":["at most 1 row of each id"],"one_sided":)"
      R"("ONE-SIDED RELEASES: true records have left.","plain":{"delta":0,"epsilon":0.049760523019358516,"spent_total":)"
      R"(0.09952104603871703},"stored":false,"unproven":"UNPROVEN: the true loss can be larger"})";
  const auto answer = AnswerFromJson(stored);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_EQ(AnswerToJson(*answer), stored);
  EXPECT_EQ(answer->certificate.guarantee.plain, 0.09952104603871703);
  EXPECT_EQ(answer->certificate.guarantee.dependent, 0.19947770877773785);
  EXPECT_EQ(answer->certificate.guarantee.standard, 7.5);
}

}  // namespace
}  // namespace kith
