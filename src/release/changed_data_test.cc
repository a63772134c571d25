// Data that change between two questions of one curator.
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
  fs::path folder_;
  const CancelFlag never_;
};

TEST_F(ChangedData, ACsvFileIsReadAgainByAnImportAlone) {
  UseSource("twins.csv");
  WriteCsv(2);
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "4");
  WriteCsv(3);
  const auto second = curator.Ask(kAll, {}, never_);
  EXPECT_EQ(RowsOf(second), "4");
  EXPECT_TRUE(second->stored);
  EXPECT_EQ(RowsOf(curator.Ask("SELECT count(*) FROM twins WHERE sex = 'male'", {}, never_)), "4");
  EXPECT_EQ(RowsOf(Open().Ask("SELECT count(*) FROM twins WHERE sex <> 'female'", {}, never_)), "4");
  ASSERT_TRUE(curator.Import(never_).has_value());
  EXPECT_EQ(RowsOf(curator.Ask("SELECT count(*) FROM twins WHERE zyg = 'mz'", {}, never_)), "6");
}

TEST_F(ChangedData, AParquetFileIsOpenedAgain) {
  UseSource("twins.parquet");
  WriteParquet(2);
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "4");
  WriteParquet(3);
  EXPECT_EQ(RowsOf(curator.Ask("SELECT count(*) FROM twins WHERE sex = 'male'", {}, never_)), "6");
}

TEST_F(ChangedData, AFileThatIsGoneAfterItsImportIsNotMissed) {
  UseSource("twins.csv");
  WriteCsv(2);
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Ask(kAll, {}, never_)), "4");
  fs::remove(folder_ / "twins.csv");
  EXPECT_EQ(RowsOf(curator.Ask("SELECT count(*) FROM twins WHERE sex = 'male'", {}, never_)), "4");
  EXPECT_FALSE(curator.Import(never_).has_value());
}

}  // namespace
}  // namespace kith
