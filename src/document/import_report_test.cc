#include "document/import_report.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "document/to_json.h"

namespace kith::document {
namespace {

ImportReport SomeImport() {
  ImportReport report;
  report.version = "3";
  ColumnReport id, sex, age;
  id.name = "id";
  sex.name = "sex";
  sex.type = ColumnType::kText;
  sex.listed = true;
  sex.empty = 1;
  sex.undeclared = 7;
  sex.undeclared_as = {{{"Male", 6, "male"}, {"?", 1, ""}}, 2};
  age.name = "age";
  age.type = ColumnType::kInteger;
  age.bounded = age.never_null = true;
  age.unreadable = 2;
  age.unreadable_as = {{{"NA", 2, ""}}, 1};
  age.below = 1;
  age.above = 3;
  age.units_that_differ = 4;
  report.found.tables = {{"people", "people.csv", 10, 2, {id, sex, age}}, {"wards", "wards.parquet", 5, {}, {}}};
  report.found.tables[0].dropped_at = {4, 9};
  report.found.units =
      UnitsReport{"people", "id", 2, 1, 10, 6, 5, 1, 3, {{1, 2, 4, 60}, {2, 1, 3, 120}, {4, 1, 1, 240}}};
  report.found.more_units = {{"met", "a", 1, 0, 7, 3, 1, 0, 0, {}, UnitsReport::Others{"b", 2, 5, 1}}};
  report.found.plain = 0.1;
  report.found.promised = {"who is in people is public"};
  report.found.groups = {{"house", 3, 0, 2, 4, 1}, {"street", {}, 0, 1, 6, 0, {{"ward", 2, 1}}}};
  return report;
}

TEST(ImportReportTest, ADocumentSaysWhatWasFound) {
  const Json written = ToJson(SomeImport());
  const Json& people = written.at("tables").at(0);
  EXPECT_EQ(people.at("dropped_lines"), 2);
  EXPECT_EQ(people.at("first_dropped").get<std::vector<std::int64_t>>(), (std::vector<std::int64_t>{4, 9}));
  EXPECT_TRUE(people.at("columns").at(0).at("type").is_null());
  EXPECT_EQ(people.at("columns").at(1).at("undeclared_spellings").at("most_frequent").at(0).at("nearest"), "male");
  EXPECT_EQ(people.at("columns").at(2).at("units_that_differ"), 4);
  EXPECT_TRUE(written.at("tables").at(1).at("dropped_lines").is_null());
  EXPECT_EQ(written.at("units").at("limits").at(0).at("error_95"), 60);
  EXPECT_EQ(written.at("more_units").at(0).at("others").at("column"), "b");
  EXPECT_EQ(written.at("groups").at(1).at("strata").at("mixed"), 1);
  EXPECT_TRUE(ToJson(ImportReport{}).at("units").is_null());
}

TEST(ImportReportTest, FindingsOfAnImportAreSentencesAndGraveOnesComeFirst) {
  ImportReport report = SomeImport();
  const auto text = [&report] {
    std::string all;
    for (const Finding& finding : FindingsOf(report.found)) all += (finding.grave ? "!" : "") + finding.text + "\n";
    return all;
  };
  EXPECT_EQ(
      text(),
      "!met: the policy promises that no unit is named in b by more than 2 rows of met (max_other), but 1 is, by 5. It "
      "loses more than any answer states, and questions are still answered\n"
      "!1 group by house has more than 3 members, the declared size; the largest has 4: questions are refused\n"
      "!2 groups by street have more members than ward declares for them: questions are refused\n"
      "!1 group by street has members that differ in ward: questions are refused\n"
      "people.csv: 2 lines were dropped (lines 4 and 9): misplaced quotes, or a wrong number of fields\n"
      "people.sex: 7 values are not in the declared list and read as missing: 'Male' 6 times (nearest: 'male'), "
      "'?' once\n"
      "people.age: 2 values cannot be read as integer and are read as the lower bound: 'NA' twice\n"
      "people.age: 4 values are outside the bounds and read as the nearest bound (1 below, 3 above)\n"
      "people.age: differs between the rows of 4 units\n"
      "people: 1 row has no key (id) and does not count\n"
      "people: 1 unit (16.7 %) has more than 2 rows (max_rows): 3 rows (30.0 %) do not count; the largest has 5\n");
  UnitsReport named = report.found.more_units[0];
  EXPECT_EQ(UnitsText(named).find("no unit is named"), std::string::npos) << "the promise is broken";
  named.others = UnitsReport::Others{"b", 800, 782, 0};
  EXPECT_TRUE(UnitsText(named).ends_with("; no unit is named in b by more than 782 rows of met (promised: 800)"));
  report.found.more_units[0].others->units_over = 41;
  EXPECT_TRUE(
      text().starts_with("!met: the policy promises that no unit is named in b by more than 2 rows of met "
                         "(max_other), but 41 are; one of them by 5. They lose more than any answer states"));
  EXPECT_EQ(report.found.units->Proposed(), 1);
  EXPECT_EQ(report.found.more_units[0].Proposed(), std::nullopt);
  EXPECT_EQ(ProposalText(report.found.more_units[0], 0.1), "");
  report.found = {};
  report.found.tables = {{"people", "people.csv", 8, 0, {SomeImport().found.tables[0].columns[1]}}};
  EXPECT_EQ(text().substr(0, text().find('\n')),
            "!people.sex: EVERY value is read as missing: nothing of this column is used");
  ColumnReport& sex = report.found.tables[0].columns[0];
  sex.undeclared = 0;
  EXPECT_EQ(text(), "");
  sex.never_null = true;
  sex.empty = 2;
  EXPECT_EQ(text(),
            "people.sex: 2 rows have no value, though the column is required; read as the first declared value\n");
  // Nobody has looked at promises, so that not everything is as declared.
  report = {.found = {}, .version = "1"};
  EXPECT_EQ(NoFindingsText(report), "Everything is as declared.");
  report.found.promised = {"a", "b"};
  EXPECT_EQ(NoFindingsText(report), "All that is counted here is as declared.");
  EXPECT_EQ(PromisedText(report.found), "Only promised, and not counted: a; b.");
  report.version.clear();
  EXPECT_TRUE(NoFindingsText(report).ends_with("the import was refused for another reason."));
  report.only_look = true;
  EXPECT_FALSE(NoFindingsText(report).ends_with("the import was refused for another reason."));
  EXPECT_EQ(ShareText(1, 100'000) + ", " + ShareText(99'999, 100'000) + ", " + ShareText(0, 0), "0.1 %, 99.9 %, -");
  EXPECT_EQ(CountText(1234567), "1,234,567");
}

}  // namespace
}  // namespace kith::document
