// One record cannot change what is read of another: random files, random cuts, and a reader for which it is not so.
#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "engine/duckdb/csv_scan.h"
#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

using Rows = std::vector<std::vector<std::string>>;

class CsvPropertyTest : public EngineFixture {
 protected:
  CsvPropertyTest()
      : database_(DuckDb::Open("", {{"threads", "2"}}).value()), connection_(database_.Connect().value()) {}

  /// What kith reads of a file with these lines under the header "a,b", sorted.
  Rows Read(const std::vector<std::string>& lines, std::int64_t range) {
    Write("x.csv", Join(lines));
    auto csv = CsvFile::Open((folder_ / "x.csv").string(), ',');
    if (!csv) return {{csv.error().Text()}};
    const Progress silent;
    CsvScan scan(*csv, {0, 1}, cancel_, silent, CsvScan::Cut{range, {}});
    const std::string name = fmt::format("csv_{}", scans_++);
    if (!scan.Register(connection_, name)) return {{"not registered"}};
    return Ask("SELECT coalesce(c0, '<null>'), coalesce(c1, '<null>') FROM " + name + "()");
  }

  /// What DuckDB's own reader makes of it, told to leave out broken lines.
  Rows ReadAsDuckDb(const std::vector<std::string>& lines) {
    Write("x.csv", Join(lines));
    return Ask(
        fmt::format("SELECT coalesce(a, '<null>'), coalesce(b, '<null>') FROM read_csv('{}', header = true, "
                    "all_varchar = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', "
                    "columns = {{'a': 'VARCHAR', 'b': 'VARCHAR'}}, ignore_errors = true)",
                    (folder_ / "x.csv").string()));
  }

  Rows Ask(const std::string& sql) {
    auto rows = connection_.PublicTexts(sql, cancel_);
    if (!rows) return {{rows.error().Text()}};
    std::sort(rows->begin(), rows->end());
    return *rows;
  }

  static std::string Join(const std::vector<std::string>& lines) {
    std::string text = "a,b\n";
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  DuckDb database_;
  DuckDbConnection connection_;
  int scans_ = 0;
};

std::string RandomLine(std::mt19937_64& random) {
  static const std::vector<std::string> kPieces = {"a",  "1",        ",",    ",", "\"", "\"\"", " ",
                                                   "\r", "\xC3\xA9", "\xFF", "'", "\\", ";"};
  std::string line;
  for (auto left = random() % 9; left > 0; --left) line += kPieces[random() % kPieces.size()];
  return line;
}

/// Reading a file gives what its lines give one by one.
template <class Reader>
bool LinesAreReadAlone(const std::vector<std::string>& lines, Reader read) {
  Rows apart;
  for (const std::string& line : lines) {
    const Rows one = read({line});
    apart.insert(apart.end(), one.begin(), one.end());
  }
  std::sort(apart.begin(), apart.end());
  return read(lines) == apart;
}

TEST_F(CsvPropertyTest, ARecordDamagesItselfAlone_ENGINE2) {
  std::mt19937_64 random(std::hash<std::string>{}("CsvPropertyTest.ARecordDamagesItselfAlone_ENGINE2"));
  for (int round = 0; round < 60; ++round) {
    std::vector<std::string> lines(1 + random() % 7);
    for (std::string& line : lines) line = RandomLine(random);
    const auto range = static_cast<std::int64_t>(1 + random() % 24);
    EXPECT_TRUE(LinesAreReadAlone(lines, [&](const std::vector<std::string>& some) { return Read(some, range); }))
        << "range " << range << "\n"
        << Join(lines);
  }
}

TEST_F(CsvPropertyTest, TheCheckAboveSeesAReaderWhoseQuotesSpanLines) {
  const std::vector<std::string> lines = {"1,\"open", "2,x", "3,y", "4,close\"", "5,z"};
  EXPECT_FALSE(LinesAreReadAlone(lines, [&](const std::vector<std::string>& some) { return ReadAsDuckDb(some); }));
  EXPECT_TRUE(LinesAreReadAlone(lines, [&](const std::vector<std::string>& some) { return Read(some, 8); }));
}

}  // namespace
}  // namespace kith
