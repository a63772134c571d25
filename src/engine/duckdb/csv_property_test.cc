// One record cannot change what is read of another: random files, random cuts, and a reader for which this fails.
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

  /// A way in which files are written.
  struct Way {
    CsvShape shape;
    std::vector<std::string> missing;
  };

  /// The bytes of a file with these lines, whose characters are bytes of Latin-1. In UTF-16 the byte FF represents half
  /// of a pair.
  static std::string Written(const std::vector<std::string>& lines, const Way& way) {
    std::string text = std::string("a") + way.shape.separator + "b\n";
    for (const std::string& line : lines) text += line + "\n";
    if (way.shape.encoding != "utf-16") return text;
    std::string wide;
    for (const char c : text) wide += c == '\xFF' ? std::string("\x00\xD8", 2) : std::string{c, '\0'};
    return wide;
  }

  /// As Read, for a file that is written in this way.
  Rows ReadWay(const std::vector<std::string>& lines, std::int64_t range, const Way& way) {
    Write("x.csv", Written(lines, way));
    auto csv = CsvFile::Open((folder_ / "x.csv").string(), {.shape = way.shape, .scratch = folder_}, cancel_);
    if (!csv) return {{csv.error().Text()}};
    const Progress silent;
    CsvScan scan(*csv, {0, 1}, cancel_, silent, CsvScan::Cut{range, {}});
    scan.SetMissing(0, way.missing);
    scan.SetMissing(1, way.missing);
    const std::string name = fmt::format("csv_{}", scans_++);
    if (!scan.Register(connection_, name)) return {{"not registered"}};
    // Read as a number and a date as well: nothing that is in a field stops the pass.
    const ColumnReading reading{{}, "%d.%m.%Y", ','};
    const auto number = ReadAs("c0", "VARCHAR", ColumnType::kReal, reading);
    const auto day = ReadAs("c1", "VARCHAR", ColumnType::kDate, reading);
    return Ask(
        fmt::format("SELECT coalesce(c0, '<null>'), coalesce(c1, '<null>'), coalesce(({})::VARCHAR, '<null>'), "
                    "coalesce(({})::VARCHAR, '<null>') FROM {}()",
                    *number, *day, name));
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

// Separators, encodings, row names and marks for what is missing: none of them lets a record reach another.
TEST_F(CsvPropertyTest, ARecordDamagesItselfAloneHoweverFilesAreWritten_ENGINE2) {
  std::mt19937_64 random(
      std::hash<std::string>{}("CsvPropertyTest.ARecordDamagesItselfAloneHoweverFilesAreWritten_ENGINE2"));
  const std::vector<std::string> pieces = {"a", "1",  "3,5",      "30.10.1861", "NA",   "-99", "\"", "\"\"",
                                           " ", "\r", "\xC3\xA9", "\xFF",       "\x81", "0",   "'"};
  int read = 0;
  for (int round = 0; round < 90; ++round) {
    const std::vector<std::string> encodings = {"utf-8", "windows-1252", "latin-1", "windows-1251", "utf-16"};
    const std::string separators = ",;\t| ";
    Way way{{separators[random() % separators.size()], encodings[random() % encodings.size()], random() % 3 == 0,
             Packing::kNone},
            {"NA", "-99"}};
    std::vector<std::string> lines(1 + random() % 7);
    for (std::string& line : lines) {
      for (auto left = random() % 7; left > 0; --left) {
        line += random() % 3 == 0 ? std::string(1, way.shape.separator) : pieces[random() % pieces.size()];
      }
    }
    const auto range = static_cast<std::int64_t>(1 + random() % 24);
    const auto reader = [&](const std::vector<std::string>& some) { return ReadWay(some, range, way); };
    EXPECT_TRUE(LinesAreReadAlone(lines, reader)) << way.shape.encoding << ", range " << range << "\n" << Join(lines);
    const Rows rows = reader(lines);
    for (const auto& row : rows) EXPECT_EQ(row.size(), 4U) << row[0];
    read += static_cast<int>(rows.size());
  }
  EXPECT_GT(read, 60) << "there was something to read";
}

TEST_F(CsvPropertyTest, TheCheckAboveSeesAReaderThatGuessesFromTheFirstRecord) {
  const std::vector<std::string> lines = {"1,x,y", "2,x", "3,y"};
  const auto guessing = [&](const std::vector<std::string>& some) {
    Way way{{',', "utf-8", std::count(some[0].begin(), some[0].end(), ',') == 2, Packing::kNone}, {}};
    return ReadWay(some, 8, way);
  };
  EXPECT_FALSE(LinesAreReadAlone(lines, guessing));
}

TEST_F(CsvPropertyTest, TheCheckAboveSeesAReaderWhoseQuotesSpanLines) {
  const std::vector<std::string> lines = {"1,\"open", "2,x", "3,y", "4,close\"", "5,z"};
  EXPECT_FALSE(LinesAreReadAlone(lines, [&](const std::vector<std::string>& some) { return ReadAsDuckDb(some); }));
  EXPECT_TRUE(LinesAreReadAlone(lines, [&](const std::vector<std::string>& some) { return Read(some, 8); }));
}

}  // namespace
}  // namespace kith
