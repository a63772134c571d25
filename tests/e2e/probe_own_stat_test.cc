// The black-box tester on a person's own statistic, from the policy to the answer, where it must find nothing above its
// loss, and on the same with half of the noise, where it must. A false alarm has probability at most 1e-9 for each
// test.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/own/own.h"
#include "audit/probe.h"
#include "release/analyse.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

/// Rows are read once: only the noise is new in each run.
class ReadOnce final : public Engine {
 public:
  explicit ReadOnce(std::unique_ptr<Engine> inner) : inner_(std::move(inner)) {}
  Dialect dialect() const override { return inner_->dialect(); }
  Result<std::string> DataVersion() const override { return inner_->DataVersion(); }
  bool Current() const override { return inner_->Current(); }
  Result<IntegerTable> Run(const std::string& sql, const CancelFlag& cancel) const override {
    return inner_->Run(sql, cancel);
  }
  Result<void> Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
    if (columns_.empty()) {
      const auto read = inner_->Scan(
          sql,
          [&](IntegerColumns chunk) -> Result<void> {
            columns_.resize(chunk.size());
            for (std::size_t k = 0; k < chunk.size(); ++k)
              columns_[k].insert(columns_[k].end(), chunk[k].begin(), chunk[k].end());
            return {};
          },
          cancel);
      if (!read) return read;
    }
    const std::vector<std::span<const std::int64_t>> chunk(columns_.begin(), columns_.end());
    return sink(chunk);
  }

 private:
  std::unique_ptr<Engine> inner_;
  mutable std::vector<std::vector<std::int64_t>> columns_;
};

class World {
 public:
  World(const std::string& name, const std::string& first)
      : folder_(fs::temp_directory_path() / ("kith_probe_own_" + std::to_string(getpid()) + "_" + name)) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << "id,x\n1," << first << "\n2,0.5\n3,7\n";
    const std::string text =
        "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
        "[columns.t]\nid = { type = \"integer\", public = true }\n"
        "x = { type = \"real\", lower = -10, upper = 10, required = true }\n"
        "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
    policy_ = Policy::Parse(text, folder_ / "policy.toml").value();
    EngineOptions options;
    options.threads = 1;
    engine_ = std::make_unique<ReadOnce>(OpenEngine(policy_, options, never_).value());
  }
  ~World() { fs::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Policy& policy() const { return policy_; }

  std::vector<probe::Outcome> Run(const Study& study, std::size_t runs, double times, BitSource& bits) const {
    Price price;
    price.epsilon = times;
    const auto paid = PriceStudy(study, price, times, PlainUnits::Floor(times).value()).value();
    std::vector<probe::Outcome> outcomes;
    for (std::size_t i = 0; i < runs; ++i) {
      const Answer answer = RunStudy(study, *engine_, paid, bits, never_).value();
      probe::Outcome outcome;
      for (const auto& row : answer.rows) {
        outcome.text += ToText(row[2].value) + " ";
        outcome.numbers.push_back(std::get<double>(row[2].value));
      }
      outcomes.push_back(std::move(outcome));
    }
    return outcomes;
  }

 private:
  fs::path folder_;
  Policy policy_;
  CancelFlag never_;
  std::unique_ptr<Engine> engine_;
};

/// The function returns a thousand times what it declared: kith has to cut it.
double Proven(double times) {
  const World left("left", "-10"), right("right", "10");
  OwnOptions options;
  options.name = "probe 1";
  options.values = {"x"};
  options.parts = {{.name = "sum", .low = -1, .high = 1, .step = 0.5, .most = {}}};
  const auto statistic = OwnStatistic::Make(
      options, [](std::span<const double> row, Contribution& out) { out.Add(0, 1000 * row[0]); }, left.policy());
  stat::SeededBits bits(stat::SeedForThisTest());
  constexpr std::size_t kRuns = 20000;
  const auto proof =
      probe::ProvenLoss(left.Run(**statistic, kRuns, times, bits), right.Run(**statistic, kRuns, times, bits), 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  return proof->loss_at_least;
}

TEST(ProbeOwn, AStatisticStaysBelowItsLoss_OWN1) {
  const double found = Proven(1);
  EXPECT_LE(found, 1);
  EXPECT_GT(found, 0.5);  // and the noise is not much more than need be
}

TEST(ProbeOwn, TheProbeSeesAStatisticWithTooLittleNoise) { EXPECT_GT(Proven(2), 1); }

}  // namespace
}  // namespace kith
