// The exclusion attack on the real release of records, as a black box: is a row likelier to be missing when it is
// sensitive than when it is not, and does a sensitive row ever show? Every row of the table is one try. A false alarm
// has probability at most 1e-9 for each test.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "analysis/one_sided/noisy_dawa.h"
#include "mechanism/one_sided_laplace.h"
#include "mechanism/record_release.h"
#include "probe/probe.h"
#include "query/one_sided_rows.h"
#include "release/release.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
const CancelFlag kNever;
constexpr double kEpsilon = 0.7;
constexpr std::size_t kTries = 500'000;

/// A table whose rows are all of one kind, and what a release shows of each.
class World {
 public:
  explicit World(const std::string& kind)
      : kind_(kind), folder_(fs::temp_directory_path() / ("kith_probe_records_" + std::to_string(getpid()) + kind)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream data(folder_ / "t.csv");
    data << "id,kind\n";
    for (std::size_t i = 0; i < kTries; ++i) data << i << "," << kind << "\n";
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nrow = true\npresence = \"public\"\n[columns.t]\n"
           "id = { type = \"integer\", public = true }\nkind = { values = [\"sensitive\", \"open\", \"other\"] }\n"
           "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n"
           "[one_sided]\nsensitive = \"kind = 'sensitive'\"\nepsilon = 10\n";
  }
  ~World() { fs::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// From the policy through ledger and engine to the file.
  std::vector<probe::Outcome> Release() const {
    const auto curator = Curator::Open(folder_ / "policy.toml", {});
    EXPECT_TRUE(curator) << curator.error().Text();
    const auto report = curator->Release(RecordsRequest{"", kEpsilon, folder_ / "out.csv"}, {}, {}, kNever);
    EXPECT_TRUE(report) << report.error().Text();
    return Outcomes();
  }

  /// The same engine with a fault in what it is asked: sensitive rows pass `leak`.
  std::vector<probe::Outcome> FaultyRelease(const sql::Term& leak) const {
    const Policy policy = Policy::Load(folder_ / "policy.toml").value();
    EngineOptions options;
    options.output = (folder_ / "out.csv").string();
    const auto engine = ImportAndOpen(policy, options, kNever);
    EXPECT_TRUE(engine) << engine.error().Text();
    const Records records = PlanRecords(policy.one_sided[0], policy).value();
    auto select = std::get<sql::Select>(records.statement.query().part);
    select.where = sql::Infix(" OR ", {select.where, leak});
    const auto written =
        (*engine)->Copy({sql::Selected(std::move(select)), PlainUnits::Floor(kEpsilon).value(), false}, kNever);
    EXPECT_TRUE(written) << written.error().Text();
    return Outcomes();
  }

 private:
  std::vector<probe::Outcome> Outcomes() const {
    std::vector<probe::Outcome> outcomes(kTries, {"missing", {}});
    std::ifstream file(folder_ / "out.csv");
    std::string line;
    std::getline(file, line);
    while (std::getline(file, line)) {
      const auto comma = line.find(',');
      outcomes[std::stoul(line.substr(0, comma))].text = "shows " + line.substr(comma + 1);
    }
    fs::remove(folder_ / "out.csv");
    return outcomes;
  }

  std::string kind_;
  fs::path folder_;
};

/// The loss that is proven in the direction that is bounded: from the sensitive row to the other one.
double Proven(const std::vector<probe::Outcome>& sensitive, const std::vector<probe::Outcome>& other) {
  const auto proof = probe::ProvenLoss(sensitive, other, 0);
  EXPECT_TRUE(proof) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  double loss = 0;
  for (const auto& event : proof->events) {
    if (event.left_likelier) loss = std::max(loss, event.loss_at_least);
  }
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(loss));
  return loss;
}

/// Tries on each side with which a leak of 1e-3 is seen with probability at least 1 - 1e-9: half of them choose the
/// event, half prove it. Hits are binomial; six deviations and a half below the mean cover a tail of 1e-9 here.
std::uint64_t TriesToSee(double leak) {
  for (std::uint64_t half = 1000;; half += 1000) {
    const double mean = leak * static_cast<double>(half), fewest = mean - 6.5 * std::sqrt(mean);
    if (fewest < 1) continue;
    const probe::Hits seen{static_cast<std::uint64_t>(fewest), half}, other{0, half};
    if (probe::LossLowerBound(seen, other, 0, 1e-9 / 16) > kEpsilon) return 2 * half;
  }
}

TEST(ProbeRecords, AMissingRowStaysWithinTheOneSidedLoss_OSDP6) {
  const World sensitive("sensitive"), open("open");
  const double loss = Proven(sensitive.Release(), open.Release());
  EXPECT_LE(loss, kEpsilon);
  EXPECT_GT(loss, kEpsilon - 0.05);  // and the attack finds nearly all there is
}

TEST(ProbeRecords, TwoSensitiveRowsCannotBeToldApart_OSDP6) {
  const World sensitive("sensitive"), other("sensitive2");  // not a declared value: NULL, and so sensitive
  EXPECT_EQ(Proven(sensitive.Release(), other.Release()), 0);
}

sql::Term Coin(std::int64_t units) { return sql::Call("kith_coin", {sql::Number(units)}); }

TEST(ProbeRecords, TheCheckAboveSeesSensitiveRowsThatLeakOnceInAThousand) {
  ASSERT_GE(kTries, TriesToSee(1e-3));
  const World sensitive("sensitive"), open("open");
  const double rate = -std::expm1(-kEpsilon);
  const auto units = PlainUnits::Floor(-std::log1p(-1e-3 / rate)).value().count();
  const auto faulty = sensitive.FaultyRelease(Coin(units));
  EXPECT_GT(Proven(faulty, open.Release()), kEpsilon);
}

TEST(ProbeRecords, TheCheckAboveSeesNullTakenForOpen) {
  const World sensitive("sensitive"), unknown("unknown");
  const sql::Term declared = sql::In(
      sql::Column("t", "kind"), {std::string("sensitive"), std::string("open"), std::string("other")}, Type::kText);
  const sql::Term undeclared = sql::IsNotTrue(sql::Paren(declared));
  EXPECT_GT(Proven(unknown.FaultyRelease(undeclared), sensitive.Release()), kEpsilon);
}

TEST(ProbeRecords, TheCheckAboveSeesACoinThatFavoursReleaseByTenPercent) {
  const World sensitive("sensitive"), open("open");
  // A second chance for one open row in ten: they stay away less often than e^-epsilon.
  const auto units = PlainUnits::Floor(kEpsilon).value().count();
  const auto stays = sensitive.Release();
  auto eager = open.Release();
  const auto second = open.FaultyRelease(Coin(units));
  for (std::size_t i = 0; i < kTries; i += 10) {
    if (eager[i].text == "missing") eager[i] = second[i];
  }
  EXPECT_GT(Proven(stays, eager), kEpsilon);
}

/// Counts of rows that are not sensitive, as ReleaseHistogram publishes them.
std::vector<probe::Outcome> Histograms(const std::vector<std::int64_t>& counts, std::size_t runs, BitSource& bits) {
  const auto noise = OneSidedLaplace::Make(PlainUnits::Floor(kEpsilon).value()).value();
  std::vector<probe::Outcome> outcomes(runs);
  for (probe::Outcome& outcome : outcomes) {
    for (const std::int64_t count : counts)
      outcome.numbers.push_back(static_cast<double>(noise.Debiased(noise.Release(count, bits))));
    outcome.text = fmt::format("{}", fmt::join(outcome.numbers, " "));
  }
  return outcomes;
}

TEST(ProbeRecords, HistogramsStayWithinTheOneSidedLoss_OSDP8) {
  stat::SeededBits bits(stat::SeedForThisTest());
  // A sensitive row is replaced by one that is not: it does not count, then it does. The event is fixed in advance: the
  // first count is not above what three rows can give.
  const auto seen = [](const std::vector<probe::Outcome>& outcomes, double most) {
    const auto small = [&](const probe::Outcome& outcome) { return outcome.numbers[0] <= most; };
    return probe::Hits{static_cast<std::uint64_t>(std::count_if(outcomes.begin(), outcomes.end(), small)),
                       outcomes.size()};
  };
  const double most = 3 + static_cast<double>(OneSidedLaplace::Make(PlainUnits::Floor(kEpsilon).value())->Median());
  const auto before = seen(Histograms({3, 5}, 60'000, bits), most),
             after = seen(Histograms({4, 5}, 60'000, bits), most);
  const double loss = probe::LossLowerBound(before, after, 0, probe::kFalseAlarm);
  EXPECT_LE(loss, kEpsilon);
  EXPECT_GT(loss, kEpsilon - 0.05);
}

TEST(ProbeRecords, TheCheckAboveSeesSensitiveRowsThatCount) {
  stat::SeededBits bits(stat::SeedForThisTest());
  // The fault: a sensitive row counts in its own group, and moves to another one.
  EXPECT_GT(Proven(Histograms({4, 5}, 60'000, bits), Histograms({3, 6}, 60'000, bits)), kEpsilon);
}

/// DAWA for a loss of 1 when one row moves; `change` is what it believes that a move does to the counts.
std::vector<probe::Outcome> Sparse(const std::vector<std::int64_t>& counts, std::int64_t change, BitSource& bits) {
  const auto dawa = one_sided::NoisyDawa::Make(counts.size(), Sensitivity::Make(change).value(),
                                               PlainUnits::Floor(0.25).value(), PlainUnits::Floor(0.75).value())
                        .value();
  std::vector<probe::Outcome> outcomes(40'000);
  for (probe::Outcome& outcome : outcomes) {
    const auto released = dawa.Release(counts, bits);
    std::vector<double> bins(counts.size(), 0.0);  // each bin shows its bucket's total
    for (std::size_t b = 0; b < released.buckets.size(); ++b) {
      outcome.text += fmt::format("{}-{}:{} ", released.buckets[b].first, released.buckets[b].last,
                                  static_cast<std::int64_t>(released.totals[b]));
      for (std::size_t i = released.buckets[b].first; i <= released.buckets[b].last; ++i)
        bins[i] = static_cast<double>(released.totals[b]);
    }
    outcome.numbers = std::move(bins);
  }
  return outcomes;
}

double ProvenOfDawa(std::int64_t change) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const auto proof = probe::ProvenLoss(Sparse({400, 0, 7, 7}, change, bits), Sparse({399, 1, 7, 7}, change, bits), 0);
  EXPECT_TRUE(proof) << proof.error().Text();
  return proof->loss_at_least;
}

TEST(ProbeRecords, DawaStaysWithinItsLoss_OSDP9) { EXPECT_LE(ProvenOfDawa(2), 1); }

TEST(ProbeRecords, TheCheckAboveSeesDawaWithHalfOfTheNoise) { EXPECT_GT(ProvenOfDawa(1), 1); }

}  // namespace
}  // namespace kith
