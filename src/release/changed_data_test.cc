// Data that change between two questions of one curator: it opens them again, says so, and goes on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "engine/duckdb_session.h"
#include "release/release.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

// All public facts: the answer is exact, so that it shows which data were read.
constexpr const char* kAll = "SELECT count(*) FROM twins";

class ChangedData : public ::testing::Test {
 protected:
  ChangedData() {
    std::string name = (fs::temp_directory_path() / "kith-changed-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~ChangedData() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void UseSource(const std::string& source) {
    std::string text = testing::TwinsPolicyText();
    text.replace(text.find("twins.csv"), 9, source);
    std::ofstream(folder_ / "policy.toml") << text;
  }
  Curator Open() { return Curator::Open(folder_ / "policy.toml", EngineOptions{}).value(); }

  // `pairs` pairs of twins, in a file of its own that then takes the name: as programs replace files.
  void WriteCsv(int pairs) {
    {
      std::ofstream csv(folder_ / "new");
      csv << "id,pair,zyg,sex,age,stutter\n";
      for (int i = 0; i < 2 * pairs; ++i) csv << i << "," << i / 2 << ",mz,male,30,no\n";
    }
    fs::rename(folder_ / "new", folder_ / "twins.csv");
  }
  void WriteParquet(int pairs) {
    WriteCsv(pairs);
    const CancelFlag never;
    auto database = DuckDb::Open("", {});
    ASSERT_TRUE(database.has_value());
    const auto connection = database->Connect();
    const auto done = connection->Execute("COPY (SELECT * FROM read_csv('" + (folder_ / "twins.csv").string() +
                                              "')) TO '" + (folder_ / "new").string() + "' (FORMAT parquet)",
                                          never);
    ASSERT_TRUE(done.has_value());
    fs::rename(folder_ / "new", folder_ / "twins.parquet");
  }

  static std::string RowsOf(const Result<Answer>& answer) {
    return answer ? ToText(answer->rows[0][0].value) : answer.error().Text();
  }
  static bool SaysChanged(const Result<Answer>& answer) {
    for (const auto& note : answer->notes) {
      if (note.find("data changed since the last question") != std::string::npos) return true;
    }
    return false;
  }

  fs::path folder_;
  const CancelFlag never_;
};

TEST_F(ChangedData, ACsvFileIsReadAgain) {
  UseSource("twins.csv");
  WriteCsv(2);
  const Curator curator = Open();
  const auto first = curator.Ask(kAll, {}, never_);
  EXPECT_EQ(RowsOf(first), "4");
  EXPECT_FALSE(SaysChanged(first));
  WriteCsv(3);
  const auto second = curator.Ask(kAll, {}, never_);
  EXPECT_EQ(RowsOf(second), "6");
  EXPECT_TRUE(SaysChanged(second));
  const auto third = curator.Ask(kAll, {}, never_);
  EXPECT_TRUE(third->stored);
  EXPECT_FALSE(SaysChanged(third)) << "said once, and not kept with the answer";
}

TEST_F(ChangedData, AParquetFileIsOpenedAgain) {
  UseSource("twins.parquet");
  WriteParquet(2);
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "4");
  WriteParquet(3);
  const auto second = curator.Ask(kAll, {}, never_);
  EXPECT_EQ(RowsOf(second), "6");
  EXPECT_TRUE(SaysChanged(second));
}

TEST_F(ChangedData, TheSameBytesAreTheSameData) {
  UseSource("twins.csv");
  WriteCsv(2);
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "4");
  WriteCsv(2);
  const auto again = curator.Ask(kAll, {}, never_);
  EXPECT_TRUE(again->stored);
  EXPECT_FALSE(SaysChanged(again));
}

TEST_F(ChangedData, AFileThatIsGoneIsAnErrorUntilItIsBack) {
  UseSource("twins.csv");
  WriteCsv(2);
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "4");
  fs::remove(folder_ / "twins.csv");
  EXPECT_FALSE(curator.Ask(kAll, {}, never_).has_value());
  WriteCsv(5);
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "10");
}

TEST_F(ChangedData, EveryQuestionIsChargedAsBefore) {
  UseSource("twins.csv");
  WriteCsv(2);
  const Curator curator = Open();
  Price price;
  price.epsilon = 0.1;
  const char* secret = "SELECT count(*) FROM twins WHERE stutter = 'yes'";
  ASSERT_TRUE(curator.Ask(secret, price, never_).has_value());
  const double once = curator.Budget()->cells[0].plain_spent;
  WriteCsv(3);
  ASSERT_TRUE(curator.Ask(secret, price, never_).has_value());
  EXPECT_EQ(curator.Budget()->cells[0].plain_spent, 2 * once);
}

}  // namespace
}  // namespace kith
