// The black-box tester on classifiers, rows to answer, where it must find nothing above their loss, and on the same
// with too little noise, where it must. A false alarm has probability at most 1e-9 for each test.
#include <gtest/gtest.h>

#include "analysis/learn/learn.h"
#include "base/json.h"
#include "kernel/unbooked.h"
#include "probe/probe.h"
#include "release/analyse.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

/// The rows of one table: side, then age - 40.
class Rows final : public Session {
 public:
  explicit Rows(std::vector<std::vector<std::int64_t>> columns) : columns_(std::move(columns)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override {
    return InternalError("not asked");
  }
  Result<void> ScanText(const std::string&, const IntegerSink& sink, const CancelFlag&) const override {
    const std::vector<std::span<const std::int64_t>> spans(columns_.begin(), columns_.end());
    return sink(spans);
  }

 private:
  std::vector<std::vector<std::int64_t>> columns_;
};

std::unique_ptr<Learn> Classifier(learn::Loss loss, double holdout) {
  const Policy policy = testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"secret\"\n[columns.t]\n"
      "age = { lower = 20, upper = 60 }\nrich = { values = [\"no\", \"yes\"] }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"l\"\n");
  LearnOptions options;
  options.loss = loss;
  options.design.label = "rich";
  options.design.features = {"age"};
  options.holdout = holdout;
  return Learn::Make(options, policy).value();
}

// Loss of 1 in all; `times` that for the planted fault.
std::vector<probe::Outcome> Outcomes(const Learn& learn, const Session& engine, std::size_t runs, double times,
                                     BitSource& bits) {
  const CancelFlag never;
  Price price;
  price.epsilon = times;
  const auto priced = PriceStudy(learn, price, times, PlainUnits::Floor(times).value()).value();
  const Policy none;
  const Vault vault(none, engine, bits, never);
  std::vector<probe::Outcome> outcomes;
  for (std::size_t i = 0; i < runs; ++i) {
    Paid paid = Unbooked::Of(priced.total, learn.Charged().size());
    const Answer answer = RunStudy(learn, vault, priced, paid).value();
    probe::Outcome outcome;
    for (const auto& row : answer.rows) outcome.numbers.push_back(std::get<double>(row[2].value));
    if (!answer.details.empty() && answer.details->contains("held_out")) {
      outcome.numbers.clear();  // what was tried; the weights have their own tests
      for (const auto& [name, number] : answer.details->at("held_out").items())
        if (name.starts_with("says_")) outcome.numbers.push_back(number);
    }
    for (const double number : outcome.numbers) outcome.text += std::to_string(number) + " ";
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

double Proven(const Learn& learn, std::size_t runs, double times) {
  // Two others; the unit says yes at the top of the range, or no.
  const Rows left({{1, 0, 1}, {5, -5, 20}}), right({{1, 0, 0}, {5, -5, 20}});
  stat::SeededBits bits(stat::SeedForThisTest());
  runs = stat::Runs(runs);
  const auto proof =
      probe::ProvenLoss(Outcomes(learn, left, runs, times, bits), Outcomes(learn, right, runs, times, bits), 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(proof->loss_at_least));
  return proof->loss_at_least;
}

constexpr std::size_t kRuns = 10000, kRunsOfTwins = kRuns / 4;

TEST(ProbeLearn, WeightsStayBelowTheirLoss_LEARN1) {
  for (const auto loss : {learn::Loss::kHinge, learn::Loss::kLogistic}) {
    const double proven = Proven(*Classifier(loss, 0), 2 * kRuns, 1);
    EXPECT_LE(proven, 1);
    EXPECT_GT(proven, 0.05);
  }
}

TEST(ProbeLearn, TheProbeSeesWeightsWithTooLittleNoise) {
  EXPECT_GT(Proven(*Classifier(learn::Loss::kHinge, 0), kRunsOfTwins, 8), 1);
}

TEST(ProbeLearn, HeldOutCountsStayBelowTheirLoss_LEARN4) {
  const double proven = Proven(*Classifier(learn::Loss::kHinge, 0.9), kRuns, 1);
  EXPECT_LE(proven, 1);
  EXPECT_GT(proven, 0.05);
}

TEST(ProbeLearn, TheProbeSeesHeldOutCountsWithTooLittleNoise) {
  EXPECT_GT(Proven(*Classifier(learn::Loss::kHinge, 0.9), kRunsOfTwins, 6), 1);
}

}  // namespace
}  // namespace kith
