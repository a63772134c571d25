// A small table and kith's own analyses and studies on it, run many times with seeded bits, for the black-box tester.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/read_once.h"
#include "kernel/unbooked.h"
#include "probe/probe.h"
#include "release/analyse.h"
#include "tests/support/stat.h"

namespace kith::testing {

inline probe::Outcome OutcomeOf(const Answer& answer) {
  probe::Outcome outcome;
  for (const auto& row : answer.rows) {
    for (const AnswerCell& cell : row) {
      outcome.text += ToText(cell.value) + " ";
      if (const auto* real = std::get_if<double>(&cell.value)) outcome.numbers.push_back(*real);
    }
  }
  return outcome;
}

class ProbeTable {
 public:
  /// `policy`: [unit] and [columns.t]; records are independent.
  ProbeTable(const std::string& name, const std::string& policy, const std::string& rows)
      : folder_(std::filesystem::temp_directory_path() / ("kith_probe_" + std::to_string(getpid()) + "_" + name)) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << rows;
    policy_ = Checked(Policy::Parse(
        "[data]\ntables.t = \"t.csv\"\n" + policy +
            "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n",
        folder_ / "policy.toml"));
    EngineOptions options;
    options.threads = 1;
    engine_ = ReadOnce(Checked(ImportAndOpen(policy_, options, never_)));
  }
  ~ProbeTable() { std::filesystem::remove_all(folder_); }
  ProbeTable(const ProbeTable&) = delete;
  ProbeTable& operator=(const ProbeTable&) = delete;

  const Policy& policy() const { return policy_; }

  /// Answers for a plain loss of 1 in all; `times` that for the planted fault.
  std::vector<probe::Outcome> Run(const Analysis& analysis, std::size_t runs, double times, BitSource& bits) const {
    const auto priced = Checked(PriceAnalysis(analysis, PriceOf(times), times, PlainUnits::Floor(times).value()));
    const Vault vault(policy_, *engine_, bits, never_);
    return Repeat(runs, [&] {
      Paid paid = Unbooked::Of(priced.total, policy_.cells.size());
      return RunAnalysis(analysis, policy_, vault, priced, paid, never_);
    });
  }
  std::vector<probe::Outcome> Run(const Study& study, std::size_t runs, double times, BitSource& bits) const {
    const auto priced = Checked(PriceStudy(study, PriceOf(times), times, PlainUnits::Floor(times).value()));
    const Vault vault(policy_, *engine_, bits, never_);
    return Repeat(runs, [&] {
      Paid paid = Unbooked::Of(priced.total, policy_.cells.size());
      return RunStudy(study, vault, priced, paid);
    });
  }

 private:
  template <class T>
  static T Checked(Result<T> result) {
    if (!result) ADD_FAILURE() << result.error().Text();
    return std::move(result.value());
  }
  static Price PriceOf(double epsilon) {
    Price price;
    price.epsilon = epsilon;
    return price;
  }
  template <class Work>
  static std::vector<probe::Outcome> Repeat(std::size_t runs, Work work) {
    std::vector<probe::Outcome> outcomes;
    for (std::size_t i = 0; i < runs; ++i) outcomes.push_back(OutcomeOf(Checked(work())));
    return outcomes;
  }

  std::filesystem::path folder_;
  Policy policy_;
  CancelFlag never_;
  std::unique_ptr<Session> engine_;
};

/// The loss that the runs prove between two neighbouring tables. A false alarm has probability at most 1e-9.
template <class Release>
double ProvenLoss(const ProbeTable& left, const ProbeTable& right, const Release& release, std::size_t runs,
                  double times = 1) {
  stat::SeededBits bits(stat::SeedForThisTest());
  runs = stat::Runs(runs);
  const auto proof = probe::ProvenLoss(left.Run(release, runs, times, bits), right.Run(release, runs, times, bits), 0);
  EXPECT_TRUE(proof.has_value()) << proof.error().Text();
  EXPECT_LE(proof->false_alarm, 1.000001e-9);
  ::testing::Test::RecordProperty("loss_at_least", std::to_string(proof->loss_at_least));
  return proof->loss_at_least;
}

}  // namespace kith::testing
