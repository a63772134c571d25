// The same table in every way that programs write it: the same integers are read from all of them.
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/duckdb/engine_fixture.h"

namespace kith {
namespace {

std::string Gzip(const std::string& text) {
  std::string packed(compressBound(text.size()) + 32, '\0');
  z_stream stream{};
  if (deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

std::string Zstd(const std::string& text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

/// ASCII and U+00FC ("\xFC" here) as UTF-16.
std::string Utf16(const std::string& latin, bool big, bool mark) {
  std::string text = !mark ? "" : big ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : latin) text += big ? std::string{'\0', c} : std::string{c, '\0'};
  return text;
}

class FilesTest : public EngineFixture {
 protected:
  /// The policy with this source; every column is secret, and the name of a unit is its id.
  std::string Use(const std::string& source) {
    auto policy = Policy::Parse(fmt::format(R"([data]
tables.people = {}
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "secret"
[columns.people]
id = {{ type = "integer" }}
town = {{ values = ["Köln", "Zürich"] }}
weight = {{ type = "real", lower = 0.0, upper = 200.0 }}
born = {{ type = "date" }}
age = {{ lower = 0, upper = 120 }}
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "people.ledger"
)",
                                            source),
                                policy_.file);
    if (!policy) return policy.error().Text();
    policy_ = *std::move(policy);
    return {};
  }

  std::string All() {
    return OpenAndAsk(
        "SELECT id, (town = 'Zürich')::INTEGER, (weight * 1000)::BIGINT, date_diff('day', DATE '1970-01-01', born), "
        "age "
        "FROM people ORDER BY id");
  }

  static constexpr char kRows[] = "1,1,70500,-39509,34;2,0,NULL,-39508,NULL;3,NULL,80000,NULL,36";
};

TEST_F(FilesTest, TheSameIntegersAreReadHoweverTheFileIsWritten) {
  const std::string usual = "id,town,weight,born,age\n1,Zürich,70.5,1861-10-30,34\n2,Köln,,1861-10-31,\n3,,80,,36\n";
  const std::string european =
      "id;town;weight;born;age\n1;Z\xFCrich;70,5;30.10.1861;34\n2;K\xF6ln;NA;31.10.1861;-99\n3;NA;80;.;36\n";
  const std::string more = R"(separator = ";", decimal = ",", missing = ["NA", ".", "-99"], dates = "%d.%m.%Y")";
  const std::string latin = more + R"(, encoding = "windows-1252")";
  const std::string wide = more + R"(, encoding = "utf-16")";
  const std::string named =
      "\"id\" \"town\" \"weight\" \"born\" \"age\"\n\"1\" 1 \"Zürich\" 70.5 1861-10-30 34\n"
      "\"2\" 2 \"Köln\" NA 1861-10-31 NA\n\"3\" 3 NA 80 NA 36\n";
  struct Variant {
    std::string file, bytes, options;
  };
  const Variant variants[] = {
      {"a.csv", usual, ""},
      {"a.csv.gz", Gzip(usual), ""},
      {"b.csv.gz", Gzip(usual.substr(0, 30)) + Gzip(usual.substr(30)), ""},
      {"a.csv.zst", Zstd(usual), ""},
      {"A.CSV.GZ", Gzip(usual), ""},
      {"c.csv", european, latin},
      {"d.csv", european, more + R"(, encoding = "latin1")"},
      {"c.csv.zst", Zstd(european), latin},
      {"e.csv", Utf16(european, false, true), wide},
      {"f.csv", Utf16(european, true, true), wide},
      {"g.csv", Utf16(european, false, false), wide},
      {"h.csv", Utf16(european, true, false), more + R"(, encoding = "UTF-16BE")"},
      {"h.csv.gz", Gzip(Utf16(european, true, true)), wide},
      {"i.csv", named, R"(separator = " ", row_names = true, missing = ["NA"])"},
  };
  for (const Variant& variant : variants) {
    Write(variant.file, variant.bytes);
    ASSERT_EQ(Use(fmt::format("{{ source = \"{}\"{}{} }}", variant.file, variant.options.empty() ? "" : ", ",
                              variant.options)),
              "");
    EXPECT_EQ(All(), kRows) << variant.file;
    EXPECT_FALSE(Has(Notices(), "could not be read")) << variant.file;
  }
  for (const char* separator : {"\t", "|", ";"}) {
    std::string text = usual;
    std::replace(text.begin(), text.end(), ',', separator[0]);
    Write("s.csv", text);
    ASSERT_EQ(
        Use(fmt::format("{{ source = \"s.csv\", separator = \"{}\" }}", separator[0] == '\t' ? "\\t" : separator)), "");
    EXPECT_EQ(All(), kRows) << separator;
  }
}

TEST_F(FilesTest, UnreadableValuesAreMissing_ENGINE5) {
  Write("x.csv",
        "id;town;weight;born;age\n"
        "1;Z\xFCrich;70.5;1861-10-30;34,0\n"  // a point where commas are, an ISO date
        "2;K\x81;1.234,5;31.02.1861;3,4,5\n"  // an undefined byte, a day that does not exist
        "3;\"NA\"; 80,5 ; 1.1.1861 ; NA \n"   // blanks around values, and around a mark
        "4;Z\xFCrich;inf;30.10.99999999999;-99,0\n"
        "5;;9e999;;99999999999999999999\n");
  ASSERT_EQ(
      Use(R"({ source = "x.csv", separator = ";", decimal = ",", encoding = "windows-1252", missing = ["NA", "-99"], dates = "%d.%m.%Y" })"),
      "");
  EXPECT_EQ(
      OpenAndAsk(
          "SELECT id, (town = 'Zürich')::INTEGER, (weight < 100)::INTEGER, date_diff('day', DATE '1861-01-01', born), "
          "age FROM people ORDER BY id"),
      "1,1,NULL,NULL,34;2,NULL,NULL,NULL,NULL;3,NULL,1,0,NULL;4,1,0,NULL,NULL;5,NULL,0,NULL,NULL");
}

TEST_F(FilesTest, ColumnsSayTheirOwn) {
  Write("x.csv", "id,seen,day,note\n1,30.10.1861 14:05,1861/10/30,NA\n2,-,-,-\n3,NA,NA,\n");
  policy_.unit.key = "id";
  policy_.tables[0].source = "x.csv";
  Declare("seen", ColumnType::kTimestamp).reading = {.missing = {"-"}, .dates = "%d.%m.%Y %H:%M"};
  Declare("day", ColumnType::kDate).reading = {.missing = {}, .dates = "%Y/%m/%d"};
  Declare("note", ColumnType::kText).reading = {.missing = {"-"}, .dates = ""};
  EXPECT_EQ(OpenAndAsk("SELECT (seen = TIMESTAMP '1861-10-30 14:05:00')::INTEGER, (day = DATE '1861-10-30')::INTEGER, "
                       "(note = 'NA')::INTEGER FROM people ORDER BY id"),
            "1,1,1;NULL,NULL,NULL;NULL,NULL,NULL");
  EXPECT_TRUE(Has(Notices(), "seen of x.csv: 1 value could not be read"));
  EXPECT_TRUE(Has(Notices(), "day of x.csv: 2 values could not be read"));
}

TEST_F(FilesTest, DamagedAndMisnamedFilesAreNamed) {
  const std::string text = "id,town,weight,born,age\n1,x,1,1861-10-30,3\n";
  const auto error = [&](const std::string& file, const std::string& bytes, const std::string& options = {}) {
    Write(file, bytes);
    const std::string refused = Use(fmt::format("{{ source = \"{}\"{} }}", file, options));
    return refused.empty() ? All() : refused;
  };
  const std::string packed = Gzip(text);
  EXPECT_TRUE(Has(error("a.csv.gz", packed.substr(0, packed.size() / 2)), "cut off or damaged"));
  EXPECT_TRUE(Has(error("a.csv.gz", text), "not compressed as its name says"));
  EXPECT_TRUE(Has(error("a.csv.zst", Zstd(text).substr(0, 20)), "cut off or damaged"));
  EXPECT_TRUE(Has(error("a.csv.zst", packed), "not compressed as its name says"));
  EXPECT_TRUE(Has(error("a.csv", packed), "which its name does not say"));
  EXPECT_TRUE(Has(error("a.csv.gz", ""), "cut off or damaged"));
  EXPECT_TRUE(Has(error("b.csv", "id;town\n"), "declare the separator"));
  EXPECT_TRUE(Has(error("b.csv", "ID,town,weight,born,age\n"), "it has \"ID\""));
  EXPECT_TRUE(Has(error("b.csv", "id, town,weight,born,age\n"), "it has \" town\", with a blank"));
  EXPECT_TRUE(Has(error("b.csv", "id,town,wieght,born,age\n"), "did you mean \"wieght\"?"));
  EXPECT_TRUE(Has(error("b.csv", "id,town,weight,born,\xE4ge\n"), "not in the encoding"));
  EXPECT_TRUE(Has(error("b.csv", "id\n", ", encoding = \"utf-16\""), "does not name the column") ||
              Has(error("b.csv", "id\n", ", encoding = \"utf-16\""), "encoding"));
  Write("c.parquet", "x");
  EXPECT_TRUE(Has(Use(R"({ source = "c.parquet", separator = ";" })"), "only for CSV files"));
}

TEST_F(FilesTest, ASnapshotReadInAnotherWayIsNotUsed) {
  Write("x.csv", "id,town,weight,born,age\n1,Köln,1,1861-10-30,-99\n");
  ASSERT_EQ(Use(R"("x.csv")"), "");
  ASSERT_EQ(Import("one"), "");
  EXPECT_EQ(AskImport("one", "SELECT age FROM people"), "-99");
  ASSERT_EQ(Use(R"({ source = "x.csv", missing = ["-99"] })"), "");
  EXPECT_TRUE(Has(AskImport("one", "SELECT age FROM people"), "import"));
  ASSERT_EQ(Import("two"), "");
  EXPECT_EQ(AskImport("two", "SELECT age FROM people"), "NULL");
}

TEST_F(FilesTest, SeveralParquetFiles) {
  const std::string columns = "1.5::DOUBLE AS weight, DATE '1861-10-30' AS born";
  std::filesystem::create_directory(folder_ / "parts");
  WithDuckDb("COPY (SELECT 1::BIGINT AS id, 'Köln' AS town, 3 AS age, " + columns + ") TO '{}/parts/a.parquet'");
  WithDuckDb("COPY (SELECT " + columns +
             ", 4.0::DOUBLE AS age, 'Zürich' AS town, 2::INTEGER AS id) TO '{}/parts/b.parquet'");
  WithDuckDb("COPY (SELECT 3 AS id, '?' AS town, -99::TINYINT AS age, " + columns + ") TO '{}/parts/c.parquet'");
  WithDuckDb("COPY (SELECT 9 AS id) TO '{}/parts/.hidden.parquet'");
  const std::string sql = "SELECT id, age, (town = 'Zürich')::INTEGER FROM people ORDER BY id";
  const std::string rows = "1,3,0;2,4,1;3,NULL,NULL";
  ASSERT_EQ(Use(R"({ source = ["parts/a.parquet", "parts/b.parquet", "parts/c.parquet"], missing = ["?", "-99"] })"),
            "");
  EXPECT_EQ(OpenAndAsk(sql), rows);
  ASSERT_EQ(Use(R"({ source = "parts/*.parquet", missing = ["?", "-99"] })"), "");
  auto engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, sql), rows);
  const auto before = (*engine)->version();
  EXPECT_TRUE((*engine)->Current());

  // Every file counts, and so does a new one.
  WithDuckDb("COPY (SELECT 4 AS id, 'Köln' AS town, 7 AS age, " + columns + ") TO '{}/parts/d.parquet'");
  EXPECT_FALSE((*engine)->Current());
  EXPECT_TRUE(Has(Ask(**engine, sql), "changed after it was opened"));
  engine = Open();
  ASSERT_TRUE(engine) << engine.error().Text();
  EXPECT_EQ(Ask(**engine, sql), rows + ";4,7,0");
  EXPECT_NE((*engine)->version(), before);
  WithDuckDb("COPY (SELECT 3 AS id, 'Köln' AS town, 8 AS age, " + columns + ") TO '{}/parts/c.parquet'");
  EXPECT_FALSE((*engine)->Current());

  // Columns are checked in each.
  WithDuckDb("COPY (SELECT 5 AS id, 'Köln' AS town) TO '{}/parts/e.parquet'");
  EXPECT_TRUE(Has(OpenAndAsk(sql), "e.parquet")) << "the file is named";
  EXPECT_TRUE(Has(OpenAndAsk(sql), "has no column"));
  ASSERT_EQ(Use(R"("nothing/*.parquet")"), "");
  EXPECT_TRUE(Has(OpenAndAsk(sql), "cannot be looked at"));
  ASSERT_EQ(Use(R"("parts/z*.parquet")"), "");
  EXPECT_TRUE(Has(OpenAndAsk(sql), "no file fits"));
  ASSERT_EQ(Use(R"(["parts/a.parquet", "parts/../parts/a.parquet"])"), "");
  EXPECT_TRUE(Has(OpenAndAsk(sql), "twice"));
}

TEST_F(FilesTest, AFileOfManyThatTheReaderCannotReadHasItsCopy_ENGINE5) {
  const std::string columns = "'Köln' AS town, 1.5::DOUBLE AS weight, DATE '1861-10-30' AS born, 3 AS age";
  for (const char* name : {"a", "b", "c"}) {
    WithDuckDb(fmt::format("COPY (SELECT {} AS id, {}) TO '{{}}/{}.parquet'", name[0] - 'a', columns, name));
  }
  for (const char* name : {"a.parquet", "c.parquet"}) {  // text that is not UTF-8
    std::ifstream file(folder_ / name, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(file)), {});
    for (std::size_t at = bytes.find("Köln"); at != std::string::npos; at = bytes.find("Köln", at + 1))
      bytes[at + 1] = '\xFF';
    Write(name, bytes);
  }
  ASSERT_EQ(Use(R"("*.parquet")"), "");
  const std::string rows = "0,NULL;1,1;2,NULL";
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(OpenAndAsk("SELECT id, (town = 'Köln')::INTEGER FROM people ORDER BY id"), rows);
  }
}

}  // namespace
}  // namespace kith
