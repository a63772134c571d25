// Two neighbouring databases and kith's whole pipeline on them with seeded bits: policy, plan, engine, noise, answer.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "kernel/opening.h"
#include "kernel/ranks.h"
#include "policy/policy.h"
#include "probe/probe.h"
#include "query/plan.h"
#include "release/compose_answer.h"
#include "release/joint_price.h"
#include "release/levels.h"
#include "tests/support/stat.h"

namespace kith::testing {

/// Six people. The first one is `first`; the others are the same in every world.
class ProbeWorld {
 public:
  ProbeWorld(const std::string& name, const std::string& first)
      : folder_(std::filesystem::temp_directory_path() / ("kith_probe_" + std::to_string(getpid()) + "_" + name)) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << "id,ill,age,dose,ward\n0," << first
                                     << "\n1,yes,40,0.5,A\n2,no,30,0.25,B\n3,no,77,1.5,B\n4,yes,51,2,A\n5,no,8,0,C\n";
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
           "[columns.t]\nid = { type = \"integer\", public = true }\nill = { values = [\"no\", \"yes\"] }\n"
           "age = { lower = 0, upper = 120 }\ndose = { lower = 0, upper = 4 }\nward = { values = [\"A\", \"B\", \"C\"] "
           "}\n"
           "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
  }
  ~ProbeWorld() { std::filesystem::remove_all(folder_); }
  ProbeWorld(const ProbeWorld&) = delete;
  ProbeWorld& operator=(const ProbeWorld&) = delete;

  /// The answers to one question for a plain loss of 1 in all, this many times; `times` that for a planted fault.
  std::vector<probe::Outcome> Ask(const std::string& sql, std::size_t runs, BitSource& bits, double times = 1,
                                  bool intervals = true) const {
    std::vector<probe::Outcome> outcomes;
    const auto policy = Policy::Load(folder_ / "policy.toml");
    EXPECT_TRUE(policy.has_value()) << policy.error().Text();
    auto plan = PlanQuestion(sql, *policy);
    EXPECT_TRUE(plan.has_value()) << plan.error().Text();
    SetIntervals(*plan, intervals);
    Price price;
    price.epsilon = times;
    const auto moves = JointMovesOf(sql, *policy, *plan);
    const auto priced = PriceJointly(*plan, moves, price, times, PlainUnits::Floor(times).value());
    EXPECT_TRUE(priced.has_value()) << priced.error().Text();
    EngineOptions options;
    options.threads = 1;
    const CancelFlag never;
    const auto engine = ImportAndOpen(*policy, options, never);
    EXPECT_TRUE(engine.has_value()) << engine.error().Text();
    const auto exact = ReadExact(*plan, **engine, never);
    EXPECT_TRUE(exact.has_value()) << exact.error().Text();
    for (std::size_t i = 0; i < runs; ++i) {
      auto noisy = AddNoise(*plan, *exact, priced->laws, bits);
      EXPECT_TRUE(noisy.has_value()) << noisy.error().Text();
      MakeConsistent(*plan, *noisy);
      outcomes.push_back(OutcomeOf(ComposeAnswer(*plan, *noisy, *priced)));
    }
    return outcomes;
  }

 private:
  static probe::Outcome OutcomeOf(const Answer& answer) {
    probe::Outcome outcome;
    for (const auto& row : answer.rows) {
      for (const AnswerCell& cell : row) {
        std::vector<Value> values = {cell.value};
        if (cell.interval_95) values.insert(values.end(), {cell.interval_95->low, cell.interval_95->high});
        for (const Value& value : values) {
          outcome.text += ToText(value) + " ";
          if (const auto number = NumberIn(value)) outcome.numbers.push_back(*number);
        }
      }
    }
    return outcome;
  }
  std::filesystem::path folder_;
};

}  // namespace kith::testing
