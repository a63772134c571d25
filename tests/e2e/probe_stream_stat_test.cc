// The black-box tester on whole streams, by every rule: two streams that differ in one stay, all steps released by the
// code that releases them in production, bd and ba with their tests. It must find nothing above the window's budget,
// and must where the window is counted one step short (twice the stay), or a test is not paid for. A false alarm has
// probability at most 1e-9 for each test.
#include <gtest/gtest.h>

#include <map>

#include "kernel/unbooked.h"
#include "probe/probe.h"
#include "query/step_question.h"
#include "release/stream/stream_step.h"
#include "tests/support/policies.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

constexpr std::int64_t kWindow = 2;

Policy StreamPolicy() {
  return testing::MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = "
      "\"secret\"\n[columns.t]\nat = { "
      "type = \"integer\" }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[stream]\ntime = \"at\"\nstep "
      "= 1\n"
      "window = 2\n[budget]\nepsilon = 1\nledger = \"l\"\n");
}

/// Counts that are known: what a step's statement would read. (That it reads nothing else is tested by
/// StreamBruteForce.)
class Counts final : public Session {
 public:
  explicit Counts(std::map<std::string, std::int64_t> counts) : counts_(std::move(counts)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string& sql, const CancelFlag&) const override {
    return Table(counts_.at(sql));
  }
  Result<void> ScanText(const std::string&, const IntegerSink&, const CancelFlag&) const override {
    return InternalError("a step reads no rows");
  }

 private:
  static IntegerTable Table(std::int64_t count) {
    IntegerTable table;
    table.columns = 1;
    table.rows = {{count}};
    return table;
  }
  std::map<std::string, std::int64_t> counts_;
};

enum class Fault { kNone, kFreeTest, kFourTimes };

/// Two steps for a plain loss of 1 in all; the unit is present in both, or in none.
std::vector<probe::Outcome> Run(stream::Sharing rule, bool present, std::size_t runs, Fault fault, BitSource& bits) {
  const StepQuestion question = StepQuestion::Make("SELECT count(*) FROM t", StreamPolicy()).value();
  const Policy policy = StreamPolicy();
  std::vector<CheckedPlan> plans;
  std::map<std::string, std::int64_t> counts;
  for (std::int64_t tick = 0; tick < kWindow; ++tick) {
    plans.push_back(CheckPlan(question.At(tick), policy).value());
    counts[sql::DuckDb().Write(plans.back().plan().statement)] =
        4 + 8 * tick + (present ? 1 : 0);  // 4 and 5: next to the threshold of a test
  }
  Counts engine(counts);
  const std::int64_t units = PlainUnits::kOne * (fault == Fault::kFourTimes ? 4 : 1);
  const std::vector<std::int64_t> asked = {0, 1};
  const auto terms = stream::Terms::Make(rule, kWindow, PlainUnits::Of(units), 1, asked).value();
  const CancelFlag never;
  const Vault vault(policy, engine, bits, never);
  std::vector<probe::Outcome> outcomes;
  for (std::size_t i = 0; i < runs; ++i) {
    StreamPast past;
    probe::Outcome outcome;
    std::int64_t spent = 0;
    for (std::int64_t tick = 0; tick < kWindow; ++tick) {
      std::int64_t publication = 0;
      const ChargeStep charge = [&](StepPart part, PlainUnits wanted) -> Result<Paid> {
        spent += wanted.count();
        if (part == StepPart::kPublication) publication = wanted.count();
        // The planted fault: a test that takes no noise worth the name, because it is not counted.
        const bool free = part == StepPart::kTest && fault == Fault::kFreeTest;
        return Unbooked::Of(free ? PlainUnits::Of(64 * PlainUnits::kOne) : wanted);
      };
      const auto step = ReleaseStep({.terms = terms,
                                     .checked = plans[static_cast<std::size_t>(tick)],
                                     .past = past,
                                     .tick = tick,
                                     .vault = vault,
                                     .charge = charge})
                            .value();
      outcome.text += step.state == StepState::kReleased ? "new " : "old ";
      for (const auto& group : step.noisy) {
        outcome.text += ToText(group[0]) + " ";
        outcome.numbers.push_back(static_cast<double>(group[0]));
      }
      outcome.numbers.push_back(step.state == StepState::kReleased ? 1 : 0);
      past.released.push_back({tick, step.charged.count()});
      if (publication > 0) past.published.push_back({tick, publication});
      past.last = step.noisy;
      past.last_shares = step.shares;
    }
    EXPECT_LE(spent, units);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

double Proven(stream::Sharing rule, std::size_t runs, Fault fault) {
  stat::SeededBits bits(stat::SeedForThisTest() + static_cast<std::uint64_t>(rule));
  runs = stat::Runs(runs);
  const auto without = Run(rule, false, runs, fault, bits);  // not as arguments: compilers differ in their order
  const auto proof = probe::ProvenLoss(Run(rule, true, runs, fault, bits), without, 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  return proof->loss_at_least;
}

constexpr std::size_t kRuns = 10000;
constexpr stream::Sharing kAll[] = {
    stream::Sharing::kUniform, stream::Sharing::kHarmonic,     stream::Sharing::kSlack,     stream::Sharing::kRate,
    stream::Sharing::kOffline, stream::Sharing::kDistribution, stream::Sharing::kAbsorption};

TEST(ProbeStream, EveryRuleStaysBelowItsWindow_STREAM5_STREAM6) {
  for (const stream::Sharing rule : kAll) {
    const double proven = Proven(rule, kRuns, Fault::kNone);
    RecordProperty(stream::NameOf(rule), std::to_string(proven));
    EXPECT_LE(proven, 1) << stream::NameOf(rule);
    EXPECT_GT(proven, stream::IsAdaptive(rule) ? 0.02 : 0.3) << stream::NameOf(rule) << ": the probe has no power";
  }
}

TEST(ProbeStream, TheProbeSeesEveryRuleWithAWindowThatIsTooRich) {
  for (const stream::Sharing rule :
       kAll)  // adaptive rules spend part of the window on tests; of others a quarter is enough
    EXPECT_GT(Proven(rule, stream::IsAdaptive(rule) ? kRuns : kRuns / 4, Fault::kFourTimes), 1) << stream::NameOf(rule);
}

TEST(ProbeStream, TheProbeSeesATestThatIsNotPaidFor) {
  for (const stream::Sharing rule : {stream::Sharing::kDistribution, stream::Sharing::kAbsorption})
    EXPECT_GT(Proven(rule, kRuns / 4, Fault::kFreeTest), 1) << stream::NameOf(rule);
}

}  // namespace
}  // namespace kith
