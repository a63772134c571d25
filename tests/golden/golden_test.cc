// Runs tests/golden/*.test: every record on the engine of the configuration and against the reference, and every
// mutant.
//
// DuckDB is the default. KITH_TEST_POSTGRESQL="host=... dbname=..." runs the same files on a PostgreSQL server.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "tests/golden/golden_check.h"
#include "tests/golden/golden_file.h"
#include "tests/golden/golden_mutants.h"

namespace kith::testing {
namespace {

std::string Where(const GoldenFile& file, const Record& record) {
  return file.name + ".test:" + std::to_string(record.line) + "\n  " + record.question + "\n  ";
}

bool IsPair(const Record& record) { return record.kind == Record::Kind::kSame || record.kind == Record::Kind::kDiffer; }

class Golden : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    file_ = ReadGoldenFile(GetParam());
    static const std::unique_ptr<SqlRunner> engine = OpenConfigured();  // for all files: a record replaces its tables
    engine_ = engine.get();
  }
  std::vector<std::string> Check(const Record& record) {
    const Policy policy = PolicyOf(record);
    const Result<Plan> plan = PlanOf(record, policy);
    if (IsPair(record)) return PairDifferences(record, plan, PlanQuestion(record.other, policy));
    return Differences(record, policy, plan, TableOf(record, policy), *engine_);
  }

  GoldenFile file_;
  SqlRunner* engine_ = nullptr;
};

TEST_P(Golden, PlannerAndEngineAgreeWithTheFile) {
  ASSERT_FALSE(file_.records.empty());
  for (const Record& record : file_.records)
    for (const std::string& difference : Check(record)) ADD_FAILURE() << Where(file_, record) << difference;
}

TEST_P(Golden, ReferenceAndAllNeighboursAgreeWithTheFile) {
  for (const Record& record : file_.records)
    for (const std::string& difference : ReferenceDifferences(record, PolicyOf(record)))
      ADD_FAILURE() << Where(file_, record) << difference;
}

// What is refused is refused only for the stated fault: without it the question is accepted.
TEST_P(Golden, TheQuestionWithoutTheFaultIsAccepted) {
  for (const Record& record : file_.records) {
    if (record.instead.empty()) continue;
    const Result<Plan> plan = PlanQuestion(record.instead, PolicyOf(record));
    EXPECT_TRUE(plan) << Where(file_, record) << plan.error().Text();
  }
}

TEST_P(Golden, EveryMutantFailsTheFile) {
  ASSERT_FALSE(file_.rule.empty());
  ASSERT_FALSE(file_.mutants.empty()) << "the head must name at least one planner without the rule";
  for (const std::string& mutant : file_.mutants) {
    const auto notices = [&](const Record& record) {
      if (IsPairMutant(mutant) != IsPair(record)) return false;
      const Policy policy = PolicyOf(record);
      if (IsPair(record)) return !MutantPairDifferences(mutant, record, policy).empty();
      const MutantView view = Mutate(mutant, record, policy, TableOf(record, policy));
      if (!view.plan) return false;  // a mutant that answers nothing is not caught, it is broken
      return !Differences(record, policy, view.plan, view.table, *engine_).empty();
    };
    // One is enough.
    EXPECT_TRUE(std::any_of(file_.records.begin(), file_.records.end(), notices)) << "no record notices " << mutant;
  }
}

std::string NameOf(const ::testing::TestParamInfo<std::string>& info) {
  return std::filesystem::path(info.param).stem().string();
}
INSTANTIATE_TEST_SUITE_P(Files, Golden, ::testing::ValuesIn(GoldenPaths()), NameOf);

TEST(GoldenFiles, AreManyAndEachHasARuleOfItsOwn) {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  std::set<std::string> rules;
  std::set<std::string> questions;
  for (const std::string& path : GoldenPaths()) {
    const GoldenFile file = ReadGoldenFile(path);
    EXPECT_TRUE(rules.insert(file.rule).second) << "two files for one rule: " << file.rule;
    for (const Record& record : file.records) {
      EXPECT_TRUE(questions.insert(record.policy + record.question + record.other).second)
          << Where(file, record) << "asked twice";
      if (record.kind == Record::Kind::kAccept) ++accepted;
      if (record.kind == Record::Kind::kRefuse) ++refused;
    }
  }
  EXPECT_GE(accepted, 120u);
  EXPECT_GE(refused, 80u);
}

}  // namespace
}  // namespace kith::testing
