// How files are written, as a policy declares it, and which of it belongs to the identity of a ledger.
#include "policy/file_format.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "policy/policy.h"

namespace kith {
namespace {

Result<Policy> With(const std::string& source, const std::string& ill = R"({ values = ["no", "yes"] })",
                    const std::string& born = R"({ type = "date" })") {
  const bool csv = source.find(".parquet") == std::string::npos && source.find(".duckdb") == std::string::npos;
  return Policy::Parse(fmt::format(R"([data]
tables.people = {}
{}[unit]
table = "people"
key = "id"
max_rows = 1
presence = "secret"
[columns.people]
ill = {}
born = {}
weight = {{ type = "real", lower = 0.0, upper = 200.0 }}
sex = {{ values = ["f", "m"], public = true }}
seen = {{ type = "timestamp" }}
[dependence]
source = "public"
kind = "group"
by = "house"
size = 3
[budget]
epsilon = 1.0
ledger = "people.ledger"
)",
                                   source, csv ? "" : "public_columns = \"fixed\"\n", ill, born),
                       "p.toml");
}

std::string Refused(const std::string& source) {
  const auto policy = With(source);
  return policy ? "accepted" : policy.error().Text();
}

TEST(FileFormat, ColumnsTakeWhatTheirTableSays) {
  const auto policy = With(
      R"({ source = "p.csv", separator = ";", decimal = ",", encoding = "cp1252", row_names = true, missing = ["NA"], dates = "%d.%m.%Y" })",
      R"({ values = ["no", "yes"], missing = ["?", "-"] })", R"({ type = "date", dates = "%Y%m%d" })");
  ASSERT_TRUE(policy) << policy.error().Text();
  const Table& table = policy->unit_table();
  EXPECT_EQ(table.format.separator, ';');
  EXPECT_EQ(table.format.encoding, "windows-1252");
  EXPECT_TRUE(table.format.row_names);
  EXPECT_EQ(table.Find("ill")->reading, (ColumnReading{{"?", "-"}, "", '.'}));
  EXPECT_EQ(table.Find("born")->reading, (ColumnReading{{"NA"}, "%Y%m%d", '.'}));
  EXPECT_EQ(table.Find("weight")->reading, (ColumnReading{{"NA"}, "", ','}));
  EXPECT_EQ(table.Find("seen")->reading, (ColumnReading{{"NA"}, "", '.'})) << "the table's dates have no time";
  const auto times = With(R"({ source = "p.csv", dates = "%d.%m.%Y %H:%M" })");
  ASSERT_TRUE(times);
  EXPECT_EQ(times->unit_table().Find("seen")->reading.dates, "%d.%m.%Y %H:%M");
  EXPECT_EQ(times->unit_table().Find("born")->reading.dates, "");
}

TEST(FileFormat, MistakesAreNamed) {
  const std::pair<const char*, const char*> cases[] = {
      {R"({ source = "p.csv", separator = "::" })", "'separator' of table 'people' is not one that kith knows"},
      {R"({ source = "p.csv", separator = "a" })", "is not one that kith knows"},
      {R"({ source = "p.csv", separator = 3 })", "is not one that kith knows"},
      {R"({ source = "p.csv", decimal = "," })", "commas both between fields and in numbers"},
      {R"({ source = "p.csv", decimal = ";" })", "must be a point or a comma"},
      {R"({ source = "p.csv", encoding = "windows-1522" })", "did you mean 'windows-1252'?"},
      {R"({ source = "p.csv", missing = "NA" })", "must be a list of texts"},
      {R"({ source = "p.csv", missing = ["NA", "NA"] })", "twice"},
      {R"({ source = "p.csv", missing = [-99] })", "lists something that is no text"},
      {R"({ source = "p.csv", missing = [" NA"] })", "with a blank at its end"},
      {R"({ source = "p.csv", dates = "%d.%m" })", "names no year"},
      {R"({ source = "p.csv", dates = "%d.%Q.%Y" })", "holds a part that is not known"},
      {R"({ source = "p.csv", dates = "%d.%d.%Y" })", "names a part twice"},
      {R"({ source = "p.csv", dates = "%Y" })", "names no month"},
      {R"({ source = "p.csv", dates = "%d.%m.%Y %I:%M" })", "both %I and %p"},
      {R"({ source = "p.csv", row_names = "yes" })", "row_names"},
      {R"({ source = "p.csv", seperator = ";" })", "did you mean 'separator'?"},
      {R"({ source = "p.parquet", encoding = "utf-8" })", "only for CSV files"},
      {R"(["a.csv", "b.csv"])", "must be Parquet files"},
      {R"(["a.parquet", "b*.parquet"])", "each by its name"},
      {R"([])", "lists 0 files"},
      {R"("*.csv")", "only Parquet files may be several"},
      {R"("*/a.parquet")", "only Parquet files may be several"},
      {R"("a[1].parquet")", "names many files"},
  };
  for (const auto& [source, words] : cases)
    EXPECT_NE(Refused(source).find(words), std::string::npos) << Refused(source);
  for (const char* good :
       {R"("x/*.parquet")", R"(["a.parquet", "b.parquet"])", R"({ source = ["a.parquet", "b.parquet"] })",
        R"({ source = "p.tsv", decimal = "," })", R"({ source = "p.csv", separator = ",", decimal = "," })"}) {
    EXPECT_EQ(Refused(good), "accepted");
  }
}

TEST(FileFormat, NearMistakesOfColumns) {
  const auto text = [](const std::string& ill) {
    const auto policy = With(R"("p.csv")", ill);
    return policy ? "accepted" : policy.error().Text();
  };
  EXPECT_NE(text(R"({ values = "no, yes" })").find("must be a list"), std::string::npos);
  EXPECT_NE(text(R"({ lower = "2000-01-01", upper = "2001-01-01" })").find("without quotes"), std::string::npos);
  EXPECT_NE(text(R"({ type = "text", dates = "%d.%m.%Y" })").find("holds no dates"), std::string::npos);
}

// What may never change under a used ledger: how the key, the group and public columns are read. What may: how secret
// columns are read, which changes answers.
TEST(FileFormat, TheIdentityHoldsHowUnitsAreTold_POLICY2) {
  const auto usual = With(R"("p.csv")");
  ASSERT_TRUE(usual);
  for (const char* other : {R"({ source = "p.csv", separator = ";" })", R"({ source = "p.csv", encoding = "latin-1" })",
                            R"({ source = "p.csv", row_names = true })", R"({ source = "p.csv", missing = ["NA"] })"}) {
    const auto policy = With(other);
    ASSERT_TRUE(policy) << other;
    EXPECT_NE(policy->identity_fingerprint(), usual->identity_fingerprint()) << other;
    EXPECT_NE(policy->identity_words(), usual->identity_words()) << other;
  }
  EXPECT_EQ(With(R"({ source = "p.csv" })")->identity_fingerprint(), usual->identity_fingerprint());
  EXPECT_EQ(With(R"({ source = "p.csv", encoding = "UTF8", decimal = "." })")->identity_fingerprint(),
            usual->identity_fingerprint());

  const auto secret = With(R"("p.csv")", R"({ values = ["no", "yes"], missing = ["?"] })");
  const auto dates = With(R"("p.csv")", R"({ values = ["no", "yes"] })", R"({ type = "date", dates = "%d.%m.%Y" })");
  for (const auto& policy : {secret, dates}) {
    ASSERT_TRUE(policy) << policy.error().Text();
    EXPECT_EQ(policy->identity_fingerprint(), usual->identity_fingerprint());
    EXPECT_EQ(policy->identity_words(), usual->identity_words());
    EXPECT_NE(policy->fingerprint(), usual->fingerprint());
  }
  EXPECT_NE(secret->fingerprint(), dates->fingerprint());
  const auto shown = With(R"("p.csv")", R"({ values = ["no", "yes"], public = true, missing = ["?"] })");
  const auto hidden = With(R"("p.csv")", R"({ values = ["no", "yes"], public = true })");
  ASSERT_TRUE(shown && hidden);
  EXPECT_NE(shown->identity_fingerprint(), hidden->identity_fingerprint());
  EXPECT_NE(With(R"(["a.parquet", "b.parquet"])")->identity_fingerprint(),
            With(R"("a.parquet")")->identity_fingerprint());
}

TEST(FileFormat, NamesOfEncodings) {
  for (const std::string& name : Encodings()) EXPECT_EQ(EncodingOf(name), name);
  EXPECT_EQ(EncodingOf("ISO-8859-1"), "latin-1");
  EXPECT_EQ(EncodingOf("UTF_16"), "utf-16");
  EXPECT_EQ(EncodingOf("klingon"), "");
}

TEST(FileFormat, NamesOfCsvFiles) {
  for (const char* name : {"a.csv", "a.TSV", "b/a.csv.gz", "a.tsv.zst"}) EXPECT_TRUE(IsCsvName(name)) << name;
  for (const char* name : {"a.gz", "a.csv.gz.zst", "a.parquet", "csv", "a.csv.bz2"})
    EXPECT_FALSE(IsCsvName(name)) << name;
}

TEST(StartingPolicy, SaysHowTheFileIsWritten) {
  FileSketch sketch;
  sketch.columns = {{.name = "", .type = ColumnType::kText, .remark = "it has no name", .skipped = true},
                    {.name = "born", .type = ColumnType::kDate},
                    {.name = "died", .type = ColumnType::kDate, .dates = "%m/%d/%Y"},
                    {.name = "year", .type = ColumnType::kInteger, .remark = "whole numbers"}};
  sketch.format = {.separator = '\t',
                   .encoding = "utf-16",
                   .row_names = true,
                   .decimal = ',',
                   .missing = {"NA", "?"},
                   .dates = "%d.%m.%Y"};
  sketch.remarks = {"a remark"};
  std::string text = StartingPolicy("people", "people.csv", sketch);
  EXPECT_NE(
      text.find(
          R"(tables.people = { source = "people.csv", separator = "\t", decimal = ",", encoding = "utf-16", row_names = true, missing = ["NA", "?"], dates = "%d.%m.%Y" })"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("# a remark\n"), std::string::npos);
  EXPECT_NE(text.find("# column 1 is left out: it has no name\n"), std::string::npos);
  EXPECT_NE(text.find("# column 4: whole numbers\nyear = "), std::string::npos);
  EXPECT_NE(text.find("# [stream]"), std::string::npos);
  EXPECT_NE(text.find("# distance = "), std::string::npos);
  EXPECT_NE(text.find("# [[one_sided.attribute]]"), std::string::npos);
  const auto policy = Policy::Parse(text, "p.toml");
  ASSERT_FALSE(policy);
  EXPECT_NE(policy.error().what.find("'key' or 'row'"), std::string::npos) << policy.error().Text();
}

}  // namespace
}  // namespace kith
