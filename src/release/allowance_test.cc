// Callers with allowances: whatever is asked, by whichever kind of request, counts, and nothing is charged beyond.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "analysis/top/top.h"
#include "release/release.h"
#include "release/stream/stream.h"
#include "release/upkeep/carry.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class Allowance : public ::testing::Test {
 protected:
  Allowance() {
    std::string name = (fs::temp_directory_path() / "kith-allowance-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream csv(folder_ / "people.csv");
    csv << "id,at,ward,ill\n";
    for (int k = 0; k < 60; ++k)
      csv << k << "," << k % 5 << ","
          << "ABC"[k % 3] << "," << (k % 2 ? "yes" : "no") << "\n";
    csv.close();
    Write("policy.toml", "people.ledger", "");
  }
  ~Allowance() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  void Write(const char* file, const char* ledger, const std::string& more) const {
    std::ofstream(folder_ / file)
        << "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\n"
           "presence = \"public\"\n[columns.people]\nat = { type = \"integer\" }\n"
           "ward = { values = [\"A\", \"B\", \"C\"], public = true, required = true }\n"
           "ill = { values = [\"no\", \"yes\"] }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
        << more << "[budget]\nepsilon = 3.0\nledger = \"" << ledger << "\"\n";
  }
  Curator Opened(const char* file = "policy.toml") const {
    auto curator = Curator::Open(folder_ / file, EngineOptions{});
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }
  static Caller By(const std::string& name, double allowance) {
    Caller caller{name};
    caller.allowance = PlainUnits::Floor(allowance).value();
    return caller;
  }
  static Price At(double epsilon) { return {epsilon, std::nullopt, {}}; }
  static double Used(const Curator& curator, const std::string& name) {
    return curator.Budget(By(name, 0))->allowance->spent.epsilon();
  }
  static double Spent(const Curator& curator) {
    const auto report = curator.Budget();
    double most = 0;
    for (const auto& cell : report->cells) most = std::max(most, cell.plain_spent);
    return most;
  }

  fs::path folder_;
};

TEST_F(Allowance, IsUsedUpRefusedBeforeDataAreReadAndNotNeededForStoredAnswers_ALLOWANCE1) {
  const Curator curator = Opened();
  const QuestionRequest ill{"SELECT count(*) AS n FROM people WHERE ill = 'yes'"},
      well{"SELECT count(*) AS n FROM people WHERE ill = 'no'"};
  ASSERT_TRUE(curator.Release(ill, At(0.4), By("ada", 0.5)));
  EXPECT_NEAR(Used(curator, "ada"), 0.4, 1e-6);
  const auto explained = curator.Explain(well, At(0.2), {}, By("ada", 0.5));
  ASSERT_TRUE(explained);
  EXPECT_FALSE(explained->affordable);
  EXPECT_NE(explained->refusal.find("allowance"), std::string::npos) << explained->refusal;
  EXPECT_TRUE(curator.Explain(well, At(0.2))->affordable);
  const auto refused = curator.Release(well, At(0.2), By("ada", 0.5));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_EQ(refused.error().parameter, "account.allowance");
  EXPECT_NEAR(Spent(curator), 0.4, 1e-6) << "nothing was charged";
  // What was answered is free for everybody, whatever is left of anybody's allowance.
  for (const Caller& caller : {By("ada", 0.5), By("ben", 0)}) {
    EXPECT_TRUE(curator.Explain(ill, At(0.4), {}, caller)->affordable);
    const auto again = curator.Release(ill, At(0.4), caller);
    ASSERT_TRUE(again) << again.error().Text();
    EXPECT_TRUE(again->stored);
  }
  // The certificate states the total of everybody.
  const auto mine = curator.Release(well, At(0.1), By("ben", 1));
  ASSERT_TRUE(mine);
  EXPECT_NEAR(mine->certificate.guarantee.plain, 0.5, 1e-6);
  EXPECT_NEAR(Used(curator, "ben"), 0.1, 1e-6);
  EXPECT_NEAR(Used(curator, "ada"), 0.4, 1e-6);
}

TEST_F(Allowance, TogetherNobodyGetsMoreThanTheBudget_ALLOWANCE2) {
  const Curator curator = Opened();
  int granted = 0;
  for (int k = 0; k < 12; ++k) {
    const QuestionRequest question{"SELECT count(*) AS n FROM people WHERE ill = 'yes' AND at <> " + std::to_string(k)};
    const auto answer = curator.Release(question, At(0.5), By("colluder " + std::to_string(k), 2));
    granted += answer ? 1 : 0;
    if (!answer) {
      EXPECT_EQ(answer.error().parameter, "price.epsilon") << answer.error().Text();
    }
  }
  EXPECT_EQ(granted, 6) << "3.0 by halves, whoever asks";
}

// Each kind of request, with an allowance that covers it and one that does not.
TEST_F(Allowance, EveryKindOfRequestCounts_ALLOWANCE1) {
  Write("policy.toml", "people.ledger",
        "[[one_sided.attribute]]\nname = \"wards\"\ncolumns = [\"ward\"]\nsensitive = \"ill = 'yes'\"\nepsilon = 3\n");
  const Curator curator = Opened();
  const std::shared_ptr<const Study> top = Top::Make({"ill", 1, ""}, curator.policy()).value();
  const std::vector<std::pair<Request, Price>> requests = {
      {QuestionRequest{"SELECT count(*) AS n FROM people WHERE ill = 'yes'"}, At(0.1)},
      {QuestionRequest{"SELECT max(n) AS most FROM (SELECT ward, count(*) AS n FROM people WHERE ill = 'yes' GROUP BY "
                       "ward) x"},
       At(0.1)},
      {WorkloadRequest{"SELECT ward, count(*) AS n FROM people WHERE ill = 'no' GROUP BY ward;"}, At(0.1)},
      {StudyRequest{top}, At(0.1)},
      {HistogramRequest{"wards", "ward", 0.1, std::nullopt, 0.5}, {}},
      {RecordsRequest{"wards", 0.1, folder_ / "out.csv"}, {}},
  };
  double used = 0;
  for (std::size_t k = 0; k < requests.size(); ++k) {
    const auto& [request, price] = requests[k];
    const double spent = Spent(curator);
    const auto refused = curator.Release(request, price, By("ada", used + 0.05));
    ASSERT_FALSE(refused) << k;
    EXPECT_EQ(refused.error().parameter, "account.allowance") << k << ": " << refused.error().Text();
    EXPECT_EQ(Spent(curator), spent) << k;
    Caller cheap = By("ada", used + 0.15);
    cheap.at_most = PlainUnits::Floor(0.05).value();
    const auto unapproved = curator.Release(request, price, cheap);
    ASSERT_FALSE(unapproved) << k;
    EXPECT_EQ(unapproved.error().parameter, "approval") << k;
    cheap.at_most = PlainUnits::Floor(0.1).value();
    const auto answer = curator.Release(request, price, cheap);
    ASSERT_TRUE(answer) << k << ": " << answer.error().Text();
    used += 0.1;
    EXPECT_NEAR(Used(curator, "ada"), used, 1e-6) << k;
  }
}

TEST_F(Allowance, StepsOfStreamsCountAndStopAtTheAllowance_ALLOWANCE1) {
  Write("policy.toml", "people.ledger", "[stream]\ntime = \"at\"\nstep = 1\nwindow = 1\n");
  const Curator curator = Opened();
  StreamRequest request;
  request.statistic = "SELECT count(*) AS n FROM people WHERE ill = 'yes'";
  request.epsilon = 1;
  const auto stream = curator.OpenStream(request);
  ASSERT_TRUE(stream) << stream.error().Text();
  for (std::int64_t tick = 0; tick < 4; ++tick) {
    const auto step = curator.Release(StepRequest{*stream, tick}, {}, By("ada", 2.5));
    EXPECT_EQ(step.has_value(), tick < 2) << tick;
    if (!step) {
      EXPECT_EQ(step.error().parameter, "account.allowance") << step.error().Text();
    }
  }
  EXPECT_NEAR(Used(curator, "ada"), 2, 1e-6);
}

TEST_F(Allowance, TheHistoryOfOneCallerHidesTheQuestionsOfOthers) {
  const Curator curator = Opened();
  ASSERT_TRUE(
      curator.Release(QuestionRequest{"SELECT count(*) AS n FROM people WHERE ill = 'yes'"}, At(0.1), By("ada", 1)));
  ASSERT_TRUE(
      curator.Release(QuestionRequest{"SELECT count(*) AS n FROM people WHERE ill = 'no'"}, At(0.1), By("ben", 1)));
  Caller ben = By("ben", 1);
  ben.own_history = true;
  const auto own = curator.Budget(ben);
  ASSERT_EQ(own->history.size(), 1U);
  EXPECT_EQ(own->history[0].caller, "ben");
  EXPECT_NEAR(own->guarantee.plain, 0.2, 1e-6) << "the total is everybody's";
  Caller nobody;
  nobody.own_history = true;
  EXPECT_TRUE(curator.Budget(nobody)->history.empty());
  EXPECT_EQ(curator.Budget()->history.size(), 2U);
  EXPECT_EQ(curator.History({.caller = "ada"})->size(), 1U);
}

TEST_F(Allowance, ACarriedLedgerKnowsWhatWasUsed_ALLOWANCE1) {
  ASSERT_TRUE(
      Opened().Release(QuestionRequest{"SELECT count(*) AS n FROM people WHERE ill = 'yes'"}, At(0.4), By("ada", 0.5)));
  Write("next.toml", "next.ledger", "");
  ASSERT_TRUE(CarryLedger(folder_ / "policy.toml", folder_ / "next.toml", {}));
  const Curator next = Opened("next.toml");
  EXPECT_NEAR(Used(next, "ada"), 0.4, 1e-6);
  EXPECT_FALSE(
      next.Release(QuestionRequest{"SELECT count(*) AS n FROM people WHERE ill = 'no'"}, At(0.2), By("ada", 0.5)));
}

}  // namespace
}  // namespace kith
