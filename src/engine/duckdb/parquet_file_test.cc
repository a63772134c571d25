// Parquet files that hold values at which DuckDB's reader stops.
#include "engine/duckdb/parquet_file.h"

#include <fmt/format.h>

#include <random>

#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/parquet_footer.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class ParquetFileTest : public EngineFixture {
 protected:
  ParquetFileTest() { policy_.tables[0].source = "people.parquet"; }

  std::string Bytes(const std::string& name) {
    std::ifstream in(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  /// Replaces every occurrence; there must be one.
  void Patch(const std::string& name, const std::string& from, const std::string& to) {
    std::string bytes = Bytes(name);
    ASSERT_NE(bytes.find(from), std::string::npos);
    ASSERT_EQ(from.size(), to.size());
    for (std::size_t at = bytes.find(from); at != std::string::npos; at = bytes.find(from, at + 1)) {
      bytes.replace(at, to.size(), to);
    }
    Write(name, bytes);
  }
  std::string Footer(const std::string& name) {
    const std::string bytes = Bytes(name);
    std::size_t length = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      length |= static_cast<std::size_t>(static_cast<unsigned char>(bytes[bytes.size() - 8 + k])) << (8 * k);
    }
    return bytes.substr(bytes.size() - 8 - length, length);
  }
  /// Rows 0 to 4,999; every seventh name, and a city, hold a byte that is not UTF-8.
  void MakeBadText(const std::string& options = "") {
    WithDuckDb(
        "COPY (SELECT range AS id, CASE WHEN range % 7 = 3 THEN 'marker' ELSE 'fine' END || range AS name, CASE WHEN "
        "range % 5 = 1 THEN 'marker' ELSE 'north' END AS city, 'x' AS other FROM range(5000)) TO "
        "'{}/people.parquet' (FORMAT parquet, COMPRESSION uncompressed" +
        options + ")");
    Patch("people.parquet", "marker", "m\xFFrker");
    policy_.tables[0].columns.clear();
    Declare("id", ColumnType::kInteger);
    Declare("name", ColumnType::kText);
    Declare("city", ColumnType::kText);
  }
  std::vector<fs::path> Copies() {
    std::vector<fs::path> found;
    if (!fs::exists(folder_ / ".kith")) return found;
    for (const auto& entry : fs::directory_iterator(folder_ / ".kith")) {
      if (entry.path().extension() == ".parquet") found.push_back(entry.path());
    }
    return found;
  }
};

constexpr char kCounts[] =
    "SELECT count(*), count(name), count(city), count(*) FILTER (city = 'north'), count(*) FILTER (name LIKE "
    "'fine%'), sum(id) FROM people";

TEST_F(ParquetFileTest, TextThatIsNotUtf8ReadsAsMissing_ENGINE5) {
  for (const char* options : {"", ", PARQUET_VERSION v2", ", ROW_GROUP_SIZE 2048"}) {
    fs::remove_all(folder_ / ".kith");
    MakeBadText(options);
    EXPECT_EQ(OpenAndAsk(kCounts), "5000,4286,4000,4000,4286,12497500") << options;
    EXPECT_EQ(OpenAndAsk(kCounts), "5000,4286,4000,4000,4286,12497500") << "the second time";
    EXPECT_EQ(Copies().size(), 1U);
    EXPECT_EQ(Notices(), "");
  }
}

// The twin: DuckDB's reader alone does not get through, whatever is around it.
TEST_F(ParquetFileTest, TheReaderAloneStops) {
  MakeBadText();
  auto database = DuckDb::Open("", {});
  ASSERT_TRUE(database);
  auto connection = database->Connect();
  const std::string from = " FROM read_parquet('" + (folder_ / "people.parquet").string() + "')";
  EXPECT_TRUE(connection->Integers("SELECT bit_xor(hash(id))" + from, cancel_));
  for (const char* read : {"name", "TRY(length(name))", "TRY_CAST(name AS VARCHAR)", "CAST(name AS BLOB)"}) {
    EXPECT_FALSE(connection->Integers(fmt::format("SELECT bit_xor(hash({})){}", read, from), cancel_)) << read;
  }
}

TEST_F(ParquetFileTest, AGoodFileIsReadWhereItLies) {
  WithDuckDb("COPY (SELECT range AS id, 'n' || range AS name FROM range(10)) TO '{}/people.parquet'");
  Declare("name", ColumnType::kText);
  EXPECT_EQ(OpenAndAsk("SELECT count(name) FROM people"), "10");
  EXPECT_EQ(Copies().size(), 0U);
}

TEST_F(ParquetFileTest, BadTextInAColumnThatIsNotDeclaredMattersToNobody) {
  MakeBadText();
  policy_.tables[0].columns.resize(1);
  EXPECT_EQ(OpenAndAsk("SELECT count(id) FROM people"), "5000");
  EXPECT_EQ(Copies().size(), 0U);
}

TEST_F(ParquetFileTest, ACopyBelongsToOneStateOfTheFile) {
  MakeBadText();
  fs::permissions(folder_ / "people.parquet", fs::perms::owner_read | fs::perms::owner_write);
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  ASSERT_EQ(Copies().size(), 1U);
  const fs::path first = Copies()[0];
  EXPECT_EQ(fs::status(first).permissions(), fs::perms::owner_read);
  Patch("people.parquet", "north", "m\xFFrth");
  EXPECT_FALSE((*engine)->Current());
  EXPECT_TRUE(Has(Ask(**engine, kCounts), "changed after it was opened"));
  EXPECT_EQ(OpenAndAsk(kCounts), "5000,4286,0,0,4286,12497500");
  ASSERT_EQ(Copies().size(), 1U);
  EXPECT_NE(Copies()[0], first);
}

TEST_F(ParquetFileTest, ACsvTableBesideItIsImported) {
  MakeBadText();
  DeclareTable("wards", "wards.csv", "ward", ColumnType::kText);
  Write("wards.csv", "ward\nnorth\n");
  EXPECT_EQ(OpenAndAsk("SELECT count(name), count(DISTINCT ward) FROM people, wards"), "4286,1");
}

TEST_F(ParquetFileTest, ADamagedPageIsStillRefused) {
  WithDuckDb("COPY (SELECT 'marker' || hash(range) AS name FROM range(20000)) TO '{}/people.parquet'");
  Declare("name", ColumnType::kText);
  std::string bytes = Bytes("people.parquet");
  for (std::size_t at = 40; at < bytes.size() / 2; ++at) bytes[at] = static_cast<char>(bytes[at] ^ 0x5A);
  Write("people.parquet", bytes);
  auto engine = Open();
  ASSERT_FALSE(engine);
  EXPECT_EQ(engine.error().code, Code::kStorage);
  EXPECT_EQ(Copies().size(), 0U);
}

/// Two columns that DuckDB writes as raw integers, with another annotation put into the footer.
TEST_F(ParquetFileTest, TimesThatTheReaderCannotConvert_ENGINE5) {
  struct Annotation {
    char code;  // of the converted type
    bool wide;
    ColumnType declared;
    const char* present;
  };
  // Raw values: 2001-01-01 in the unit of each, and the ends of the integers.
  const Annotation annotations[] = {{9, true, ColumnType::kTimestamp, "978307200000"},
                                    {9, true, ColumnType::kDate, "978307200000"},
                                    {9, true, ColumnType::kText, "978307200000"},
                                    {10, true, ColumnType::kTimestamp, "978307200000000"},
                                    {10, true, ColumnType::kText, "978307200000000"},
                                    {8, true, ColumnType::kText, "1000"},
                                    {6, false, ColumnType::kDate, "11323"},
                                    {6, false, ColumnType::kTimestamp, "11323"},
                                    {6, false, ColumnType::kText, "11323"},
                                    {7, false, ColumnType::kText, "1000"}};
  for (const Annotation& annotation : annotations) {
    const std::string what = fmt::format("converted type {}", int{annotation.code});
    const std::string ends = annotation.wide ? "(9223372036854775807), (-9223372036854775808::HUGEINT), "
                                               "(9223372036854775806), (-9223372036854775806), (9223372036854775)"
                                             : "(2147483647), (-2147483648), (2147483646), (-2147483647)";
    WithDuckDb(
        fmt::format("COPY (SELECT 1 AS id, x::{} AS stamp FROM (VALUES ({}), {}) AS t(x)) TO "
                    "'{{}}/people.parquet' (FORMAT parquet, COMPRESSION uncompressed)",
                    annotation.wide ? "BIGINT" : "INTEGER", annotation.present, ends));
    const std::string name = std::string("\x18\x05stamp\x25", 8);
    Patch("people.parquet", name + (annotation.wide ? '\x24' : '\x22'), name + static_cast<char>(2 * annotation.code));
    policy_.tables[0].columns.clear();
    Declare("stamp", annotation.declared);
    auto engine = Open();
    ASSERT_TRUE(engine) << what << engine.error().Text();
    EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people"), annotation.wide ? "6" : "5") << what;
    EXPECT_EQ(Ask(**engine, "SELECT min(hash(stamp)) >= 0, count(stamp) >= 1 FROM people"), "1,1") << what;
    if (annotation.declared == ColumnType::kTimestamp) {
      EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE stamp = TIMESTAMP '2001-01-01 00:00:00'"), "1")
          << what;
    }
    if (annotation.declared == ColumnType::kDate) {
      EXPECT_EQ(Ask(**engine, "SELECT count(*) FROM people WHERE stamp = DATE '2001-01-01'"), "1") << what;
    }
  }
}

TEST_F(ParquetFileTest, APlainFooterDiffersInAnnotationsOnly) {
  WithDuckDb(
      "COPY (SELECT 1::BIGINT AS a, 'x' AS b, TIMESTAMP_MS '2001-01-01' AS c, 1.5::DECIMAL(9,2) AS d, DATE "
      "'2001-01-01' AS e, ['y'] AS f, TIMESTAMPTZ '2001-01-01' AS g) TO '{}/people.parquet'");
  const auto types = [this](const std::string& file) {
    auto database = DuckDb::Open("", {});
    auto rows = database->Connect()->PublicTexts(
        fmt::format("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM read_parquet('{}'))",
                    (folder_ / file).string()),
        cancel_);
    std::string text;
    for (const auto& row : rows.value()) text += row[0] + " " + row[1] + "; ";
    return text;
  };
  ASSERT_TRUE(CopyPlain(folder_ / "people.parquet", folder_ / "plain.parquet", cancel_));
  EXPECT_TRUE(Has(types("people.parquet"), "b VARCHAR; c TIMESTAMP"));
  EXPECT_TRUE(Has(types("plain.parquet"), "a BIGINT; b BLOB; c "));
  EXPECT_TRUE(Has(types("plain.parquet"), "d DECIMAL(9,2); e DATE; f BLOB[]; g TIMESTAMP WITH TIME ZONE"));
  const auto once = PlainFooter(Footer("people.parquet"));
  ASSERT_TRUE(once);
  EXPECT_EQ(*once, Footer("plain.parquet"));
  EXPECT_EQ(PlainFooter(*once), once) << "nothing more to take out";
  EXPECT_LT(once->size(), Footer("people.parquet").size());
}

// Files come from anywhere: no footer may bring kith down.
TEST_F(ParquetFileTest, BrokenFootersAreRefusedOrCopied) {
  WithDuckDb("COPY (SELECT range AS id, 'n' || range AS name FROM range(10)) TO '{}/people.parquet'");
  const std::string good = Footer("people.parquet");
  int refused = 0;
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_FALSE(PlainFooter(std::string_view(good).substr(0, length))) << length;
  }
  std::mt19937_64 bits(7);
  for (int run = 0; run < 20'000; ++run) {
    std::string footer = good;
    for (int k = 0; k < 3; ++k) footer[bits() % footer.size()] = static_cast<char>(bits());
    refused += PlainFooter(footer) ? 0 : 1;
  }
  EXPECT_GT(refused, 1'000);
  EXPECT_FALSE(PlainFooter(std::string(100'000, '\x1C')));  // structs in structs
  EXPECT_FALSE(PlainFooter(std::string("\x29\xFC\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01", 11)));
}

}  // namespace
}  // namespace kith
