// Analyses in the pipeline: rounds that see only noisy answers, a price charged once and first, and rounds that break
// their word.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/json.h"
#include "release/release.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

// Counts everybody who stutters, then those of an age that the first answer decides.
class TwoRounds : public Analysis {
 public:
  TwoRounds(const Policy& policy, std::vector<std::vector<double>> weights, std::vector<bool> charged)
      : policy_(policy), weights_(std::move(weights)), charged_(std::move(charged)) {}

  std::string Normalised() const override { return "two rounds"; }
  const std::vector<std::vector<double>>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  Result<Plan> Round(std::span<const NoisyRound> before) const override {
    if (before.empty()) return PlanQuestion("SELECT count(*) FROM twins WHERE stutter = 'yes'", policy_);
    const int age = before[0].At(0, 0) > 0 ? 30 : 40;
    return PlanQuestion("SELECT count(*), sum(age) FROM twins WHERE age > " + std::to_string(age), policy_);
  }
  Result<Findings> Conclude(std::span<const NoisyRound> rounds) const override {
    Findings findings;
    findings.columns = {"first", "second"};
    findings.rows = {{rounds[0].At(0, 0), rounds[1].At(0, 0)}};
    findings.details = JsonValue(Json{{"scale", rounds[1].scales[1]}});
    findings.claims = {"EXTRA-1"};
    return findings;
  }

 protected:
  const Policy& policy_;

 private:
  std::vector<std::vector<double>> weights_;
  std::vector<bool> charged_;
};

// Breaks its word once an answer is there: where rounds are rehearsed without data, all counts are 0.
class Fickle : public TwoRounds {
 public:
  using TwoRounds::TwoRounds;
  Result<Plan> Round(std::span<const NoisyRound> before) const override {
    if (before.empty() || before[0].At(0, 0) <= 0) return TwoRounds::Round(before);
    return PlanQuestion("SELECT count(*) FROM twins WHERE age > 30", policy_);
  }
};

// Begins to read when its call has been stopped, and not before.
class Late : public TwoRounds {
 public:
  using TwoRounds::TwoRounds;
  bool NeedsRows() const override { return true; }  // a round that is counted, and so measured by itself
  Result<Sealed> Measure(const Plan& plan, const Vault& vault) const override {
    while (!vault.cancel().cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return vault.RunUnchecked(plan);
  }
};

// Counts rows by itself, and says whether everything was charged when it began to read.
class Counting : public Study {
 public:
  Counting(const Curator& curator, std::size_t parts, std::size_t told)
      : curator_(curator), weights_(parts, 1), told_(told), charged_(curator.policy().cells.size(), true) {}

  std::string Normalised() const override { return "counting"; }
  const std::vector<double>& Weights() const override { return weights_; }
  const std::vector<bool>& Charged() const override { return charged_; }
  Result<StudyOutline> Outline(std::span<const PlainUnits>) const override {
    StudyOutline outline;
    outline.noise.resize(told_);
    outline.statement = sql::Selected({.items = {{sql::Column("", "age")}}, .from = sql::Table("twins")});
    return outline;
  }
  Result<Findings> Run(const Vault& vault, Paid& all, std::span<const PlainUnits> shares) const override {
    const Vault::Unsealed raw = vault.Unseal(all);
    std::int64_t rows = 0;
    const auto scanned = raw.session.Scan(
        sql::Selected({.items = {{sql::Number(1)}}, .from = sql::Table("twins")}),
        [&](IntegerColumns columns) -> Result<void> {
          rows += static_cast<std::int64_t>(columns[0].size());
          return {};
        },
        raw.cancel);
    if (!scanned) return scanned.error();
    std::int64_t paid = 0;
    for (const PlainUnits share : shares) paid += share.count();
    double spent = 0;
    const BudgetReport report = curator_.Budget().value();
    for (const auto& cell : report.cells) spent = std::max(spent, cell.plain_spent);
    Findings findings;
    findings.columns = {"rows", "charged before", "paid"};
    findings.rows = {{static_cast<double>(rows), spent, PlainUnits::Of(paid).epsilon()}};
    findings.claims = {"EXTRA-2"};
    return findings;
  }

 private:
  const Curator& curator_;
  std::vector<double> weights_;
  std::size_t told_;
  std::vector<bool> charged_;
};

class Analyse : public ::testing::Test {
 protected:
  Analyse() {
    std::string name = (fs::temp_directory_path() / "kith-analyse-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
    std::ofstream(folder_ / "policy.toml") << testing::TwinsPolicyText();
    std::ofstream csv(folder_ / "twins.csv");
    csv << "id,pair,zyg,sex,age,stutter\n";
    for (int i = 0; i < 400; ++i) csv << i << "," << i / 2 << ",mz,male," << 20 + i % 40 << ",yes\n";
  }
  ~Analyse() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Curator Open() { return Curator::Open(folder_ / "policy.toml", EngineOptions{}).value(); }
  static Price For(double epsilon) { return {epsilon, std::nullopt, {}}; }
  static double Spent(const Curator& curator) {
    double spent = 0;
    const BudgetReport report = curator.Budget().value();
    for (const auto& cell : report.cells) spent = std::max(spent, cell.plain_spent);
    return spent;
  }

  fs::path folder_;
  CancelFlag never_;
};

TEST_F(Analyse, IsChargedOnceAndAnsweredAgainForFree) {
  const Curator curator = Open();
  const std::vector<bool> everyone(curator.policy().cells.size(), true);
  const TwoRounds analysis(curator.policy(), {{2}, {1, 1}}, everyone);
  const auto answer = curator.Release(Borrowed(analysis), For(0.5), {}, never_);
  ASSERT_TRUE(answer.has_value()) << answer.error().what;
  EXPECT_FALSE(answer->stored);
  ASSERT_EQ(answer->certificate.noise.size(), 3u);
  // Half for the first round, a quarter for each statistic of the second.
  EXPECT_NEAR(answer->certificate.noise[0].share.epsilon(), 2 * answer->certificate.noise[1].share.epsilon(), 1e-6);
  EXPECT_NEAR(answer->certificate.noise[1].share.epsilon(), answer->certificate.noise[2].share.epsilon(), 1e-6);
  const double spent = Spent(curator);
  EXPECT_NEAR(spent, answer->certificate.plain_epsilon, 1e-12);
  EXPECT_EQ(answer->certificate.claims.front(), "RELEASE-7");  // not the claim about questions in SQL
  EXPECT_EQ(answer->certificate.claims[2], "EXTRA-1");
  EXPECT_TRUE(answer->details->contains("scale"));
  const auto again = curator.Release(Borrowed(analysis), For(0.5), {}, never_);
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->stored);
  EXPECT_EQ(std::get<double>(again->rows[0][0].value), std::get<double>(answer->rows[0][0].value));
  EXPECT_TRUE(again->details->contains("scale"));
  EXPECT_EQ(Spent(curator), spent);
}

TEST_F(Analyse, TellsItsCallHowFarItIs) {
  const Curator curator = Open();
  ASSERT_TRUE(curator.Import(never_));
  const std::vector<bool> everyone(curator.policy().cells.size(), true);
  const TwoRounds analysis(curator.policy(), {{2}, {1, 1}}, everyone);
  std::vector<double> heard;
  Call call(never_);
  call.progress = [&heard](double done) { heard.push_back(done); };
  ASSERT_TRUE(curator.Release(Borrowed(analysis), For(0.5), {}, call));
  EXPECT_EQ(heard, (std::vector<double>{0, 0.5, 1}));
  heard.clear();
  EXPECT_FALSE(curator.Release(Borrowed(Fickle(curator.policy(), {{2}, {1, 1}}, everyone)), For(0.25), {}, call));
  EXPECT_EQ(heard.back(), 1) << "it ends, however it ends";
}

TEST_F(Analyse, ADeadlineAfterTheChargeKeepsTheChargeAndIsNamed) {
  const Curator curator = Open();
  ASSERT_TRUE(curator.Import(never_));
  const Late analysis(curator.policy(), {{2}, {1, 1}}, std::vector<bool>(curator.policy().cells.size(), true));
  // On a machine that is too busy to charge in time, the next one has longer.
  for (auto time = std::chrono::milliseconds(250); Spent(curator) == 0; time *= 2) {
    const auto late = curator.Release(Borrowed(analysis), For(0.5), {}, Call().Until(Deadline::In(time)));
    ASSERT_FALSE(late);
    EXPECT_EQ(late.error().code, Code::kCancelled) << late.error().Text();
    EXPECT_NE(late.error().what.find("the deadline has passed"), std::string::npos) << late.error().what;
    EXPECT_EQ(late.error().charged, Spent(curator) == 0 ? Charged::kNo : Charged::kYes);
    const char* cost = Spent(curator) == 0 ? "nothing was charged" : "of the ledger stays";
    EXPECT_NE(late.error().what.find(cost), std::string::npos) << late.error().what;
  }
}

TEST_F(Analyse, ARoundThatBreaksItsWordGivesNoAnswerAndStaysCharged) {
  const Curator curator = Open();
  const std::vector<bool> everyone(curator.policy().cells.size(), true), nobody(everyone.size(), false);
  const auto fickle =
      curator.Release(Borrowed(Fickle(curator.policy(), {{2}, {1, 1}}, everyone)), For(0.25), {}, never_);
  ASSERT_FALSE(fickle);
  EXPECT_EQ(fickle.error().code, Code::kInternal);
  const double spent = Spent(curator);
  EXPECT_GT(spent, 0);
  // What can be seen without data is seen before the charge.
  const auto too_few =
      curator.Release(Borrowed(TwoRounds(curator.policy(), {{2}, {1}}, everyone)), For(0.25), {}, never_);
  ASSERT_FALSE(too_few);
  EXPECT_EQ(too_few.error().code, Code::kInternal);
  const auto too_many =
      curator.Release(Borrowed(TwoRounds(curator.policy(), {{2, 1}, {1, 1}}, everyone)), For(0.25), {}, never_);
  ASSERT_FALSE(too_many);
  EXPECT_EQ(too_many.error().code, Code::kInternal);
  const auto undeclared =
      curator.Release(Borrowed(TwoRounds(curator.policy(), {{2}, {1, 1}}, nobody)), For(0.25), {}, never_);
  ASSERT_FALSE(undeclared);
  EXPECT_EQ(undeclared.error().code, Code::kInternal);
  EXPECT_EQ(Spent(curator), spent);
}

TEST_F(Analyse, AStudyReadsAfterItsWholePriceIsCharged) {
  const Curator curator = Open();
  const auto explained = curator.Explain(Borrowed(Counting(curator, 2, 2)), For(0.5));
  ASSERT_TRUE(explained) << explained.error().what;
  EXPECT_EQ(explained->noise.size(), 2u);
  EXPECT_EQ(Spent(curator), 0);
  const auto answer = curator.Release(Borrowed(Counting(curator, 2, 2)), For(0.5), {}, never_);
  ASSERT_TRUE(answer) << answer.error().what;
  EXPECT_EQ(std::get<double>(answer->rows[0][0].value), 400);
  EXPECT_EQ(std::get<double>(answer->rows[0][1].value), answer->certificate.plain_epsilon);
  EXPECT_EQ(std::get<double>(answer->rows[0][2].value), answer->certificate.plain_epsilon);
  EXPECT_EQ(answer->certificate.noise[1].share.epsilon() * 2, answer->certificate.plain_epsilon);
  EXPECT_EQ(answer->certificate.claims[0], "RELEASE-8");
  EXPECT_EQ(answer->certificate.claims[1], "EXTRA-2");
  const double spent = Spent(curator);
  const auto again = curator.Release(Borrowed(Counting(curator, 2, 2)), For(0.5), {}, never_);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->stored);
  EXPECT_EQ(Spent(curator), spent);
}

TEST_F(Analyse, AStudyThatDoesNotTellWhatItsSharesBuyIsRefusedWithoutACharge) {
  const Curator curator = Open();
  for (const std::size_t told : {0u, 1u, 3u}) {
    const auto answer = curator.Release(Borrowed(Counting(curator, 2, told)), For(0.5), {}, never_);
    ASSERT_FALSE(answer) << told;
    EXPECT_EQ(answer.error().code, Code::kInternal);
  }
  EXPECT_FALSE(curator.Release(Borrowed(Counting(curator, 2, 2)), {std::nullopt, 5.0, {}}, {}, never_));
  EXPECT_EQ(Spent(curator), 0);
}

TEST_F(Analyse, IsRefusedWithoutACharge) {
  const Curator curator = Open();
  const std::vector<bool> everyone(curator.policy().cells.size(), true);
  const TwoRounds analysis(curator.policy(), {{2}, {1, 1}}, everyone);
  EXPECT_EQ(curator.Release(Borrowed(analysis), {std::nullopt, 5.0, {}}, {}, never_).error().code,
            Code::kInvalidArgument);
  EXPECT_EQ(curator.Release(Borrowed(analysis), For(1000), {}, never_).error().code, Code::kBudgetExhausted);
  EXPECT_EQ(curator.Release(Borrowed(analysis), For(1e-12), {}, never_).error().code, Code::kBudgetExhausted);
  EXPECT_EQ(Spent(curator), 0);
}

}  // namespace
}  // namespace kith
