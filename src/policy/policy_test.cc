// What is read from valid policies, file reading, dates, and the starting policy.
#include "policy/policy.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "policy/dates.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

using testing::MakePolicy;
using testing::TwinsPolicyText;

std::string With(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// The twins' policy with one more column, read back.
Column ColumnOf(const std::string& declaration) {
  const Policy policy = MakePolicy(With(TwinsPolicyText(), "age =", "extra = " + declaration + "\nage ="));
  const Column* column = policy.unit_table().Find("extra");
  EXPECT_NE(column, nullptr);
  return *column;
}

TEST(Policy, ReadsTheTwins) {
  const Policy policy = MakePolicy(TwinsPolicyText(), "/data/study/policy.toml");
  EXPECT_EQ(policy.engine, "duckdb");
  ASSERT_EQ(policy.tables.size(), 1U);
  EXPECT_EQ(policy.tables[0].source, "twins.csv");
  EXPECT_FALSE(policy.tables[0].is_public);
  EXPECT_EQ(policy.unit.table, "twins");
  EXPECT_EQ(policy.unit.key, "id");
  EXPECT_EQ(policy.unit.max_rows, 1);
  EXPECT_EQ(policy.unit.presence, Presence::kPublic);
  EXPECT_EQ(policy.epsilon_total, 1.0);
  EXPECT_EQ(policy.ledger, "/data/study/twins.ledger");
  EXPECT_EQ(policy.dependence.source, "public");
  EXPECT_EQ(policy.dependence.by, "pair");
  EXPECT_EQ(policy.dependence.strength_column, "zyg");
  EXPECT_FALSE(policy.dependence.accept_unproven);
  const auto& group = std::get<Group>(policy.dependence.model);
  EXPECT_EQ(group.size, 2);
  ASSERT_EQ(group.classes.size(), 3U);
  EXPECT_EQ(group.classes[0].label, "mz");
  EXPECT_EQ(group.classes[0].odds_ratio, 40.0);
  EXPECT_EQ(group.classes[2].label, "os");
  EXPECT_EQ(group.classes[2].odds_ratio, 2.5);
}

TEST(Policy, KeepsColumnsInTheOrderOfTheFile) {
  const Policy policy = MakePolicy(TwinsPolicyText());
  std::string names;
  for (const auto& column : policy.unit_table().columns) names += column.name + "@" + std::to_string(column.line) + " ";
  EXPECT_EQ(names, "stutter@11 age@12 zyg@13 sex@14 ");
}

TEST(Policy, RowsAsUnits) {
  const Policy policy = MakePolicy(With(With(TwinsPolicyText(), "key = \"id\"\nmax_rows = 1", "row = true"),
                                        "presence = \"public\"", "presence = \"secret\""));
  EXPECT_FALSE(policy.unit.key);
  EXPECT_EQ(policy.unit.max_rows, 1);
  EXPECT_EQ(policy.unit.presence, Presence::kSecret);
}

TEST(Policy, PublicTablesMakeTheirColumnsPublic) {
  const Policy policy = MakePolicy(
      With(With(TwinsPolicyText(), "[unit]", "tables.wards = { source = \"wards.parquet\", public = true }\n[unit]"),
           "[dependence]", "[columns.wards]\nward = { type = \"text\" }\n[dependence]"));
  const Table* wards = policy.FindTable("wards");
  ASSERT_NE(wards, nullptr);
  EXPECT_TRUE(wards->is_public);
  EXPECT_TRUE(wards->Find("ward")->is_public);
  EXPECT_EQ(policy.FindTable("ward"), nullptr);
  EXPECT_EQ(wards->Find("Ward"), nullptr);
}

TEST(Policy, Servers) {
  const auto with = [](const std::string& data) {
    return MakePolicy(With(TwinsPolicyText(), "[data]", "[data]\nfrozen = true\nengine = \"postgresql\"\n" + data));
  };
  const Policy policy = with("host = \"db.local\"\nport = 5433\ndatabase = \"health\"\nuser = \"reader\"");
  EXPECT_EQ(policy.engine, "postgresql");
  EXPECT_EQ(policy.server.Text(), "host=db.local port=5433 database=health");
  EXPECT_EQ(policy.server.user, "reader");
  EXPECT_TRUE(policy.rows_out);
  const Policy socket = with("socket = \"/run/postgresql\"\ndatabase = \"health\"\nrows_out = false");
  EXPECT_EQ(socket.server.Text(), "socket=/run/postgresql database=health");
  EXPECT_FALSE(socket.rows_out);
  EXPECT_EQ(with("service = \"clinic\"").server.Text(), "service=clinic");
  EXPECT_NE(policy.fingerprint(), socket.fingerprint());
  EXPECT_EQ(policy.identity_fingerprint(), MakePolicy(TwinsPolicyText()).identity_fingerprint());
}

TEST(Policy, TrinoServers) {
  const auto with = [](const std::string& data) {
    const std::string text =
        With(TwinsPolicyText(), "[data]", "[data]\nfrozen = true\nengine = \"trino\"\ncatalog = \"lake\"\n" + data);
    return MakePolicy(With(text, "\"twins.csv\"", "\"twins\""));
  };
  const Policy policy = with("schema = \"s\"\nuser = \"u\"\nurl = \"https://trino.example:8443/\"");
  EXPECT_EQ(policy.engine, "trino");
  EXPECT_EQ(policy.server.Text(), "url=https://trino.example:8443 catalog=lake");
  EXPECT_EQ(policy.server.user, "u");
  EXPECT_EQ(policy.tables.at(0).source, "s.twins");
  EXPECT_EQ(with("user = \"u\"\nhost = \"h\"").server.Text(), "url=https://h:8443 catalog=lake");
  EXPECT_EQ(with("user = \"u\"\nhost = \"h\"\ntls = false").server.Text(), "url=http://h:8080 catalog=lake");
  EXPECT_EQ(with("user = \"u\"\nhost = \"h\"\nport = 5").server.Text(), "url=https://h:5 catalog=lake");
  EXPECT_EQ(with("user = \"u\"\nurl = \"https://h\"").server.Text(), "url=https://h catalog=lake");
  EXPECT_EQ(with("user = \"u\"\nurl = \"https://h\"").tables.at(0).source, "twins");
}

TEST(Policy, InfersTypes) {
  EXPECT_EQ(ColumnOf("{ values = [\"a\"] }").type, ColumnType::kText);
  EXPECT_EQ(ColumnOf("{ values = [1, 2] }").type, ColumnType::kInteger);
  EXPECT_EQ(ColumnOf("{ values = [1, 2.5] }").type, ColumnType::kReal);
  EXPECT_EQ(ColumnOf("{ values = [true] }").type, ColumnType::kBoolean);
  EXPECT_EQ(ColumnOf("{ values = [2024-01-31] }").type, ColumnType::kDate);
  EXPECT_EQ(ColumnOf("{ values = [2024-01-31T10:20:30] }").type, ColumnType::kTimestamp);
  EXPECT_EQ(ColumnOf("{ lower = 0, upper = 1 }").type, ColumnType::kInteger);
  EXPECT_EQ(ColumnOf("{ lower = 0, upper = 1.5 }").type, ColumnType::kReal);
  EXPECT_EQ(ColumnOf("{ type = \"real\", lower = 0, upper = 1 }").type, ColumnType::kReal);
}

TEST(Policy, ReadsLiteralsAsTheColumnsType) {
  EXPECT_EQ(ColumnOf("{ values = [1, 2.5] }").values, (std::vector<Value>{1.0, 2.5}));
  EXPECT_EQ(ColumnOf("{ values = [3, -4] }").values, (std::vector<Value>{std::int64_t{3}, std::int64_t{-4}}));
  EXPECT_EQ(ColumnOf("{ values = [2024-02-29] }").values, (std::vector<Value>{std::string("2024-02-29")}));
  EXPECT_EQ(ColumnOf("{ values = [2024-02-29T10:20:30, 2024-02-29 10:20:30.5] }").values,
            (std::vector<Value>{std::string("2024-02-29 10:20:30"), std::string("2024-02-29 10:20:30.500000")}));
  EXPECT_EQ(ColumnOf("{ type = \"boolean\" }").values, (std::vector<Value>{false, true}));
  EXPECT_EQ(ColumnOf("{ values = [true] }").values, (std::vector<Value>{true}));
}

TEST(Policy, ReadsBounds) {
  const Column age = ColumnOf("{ lower = -9007199254740992, upper = 9007199254740992 }");
  EXPECT_EQ(age.lower, -0x1p53);
  EXPECT_EQ(age.upper, 0x1p53);
  const Column day = ColumnOf("{ lower = 1969-12-31, upper = 2024-01-01 }");
  EXPECT_EQ(day.lower, -1.0);
  EXPECT_EQ(day.upper, 19723.0);
  const Column time = ColumnOf("{ lower = 1970-01-01T00:00:01.000002, upper = 2024-01-01T00:00:00 }");
  EXPECT_EQ(time.lower, 1000002.0);
  const Column open = ColumnOf("{ type = \"integer\", public = true }");
  EXPECT_FALSE(open.lower);
  EXPECT_TRUE(open.is_public);
  EXPECT_FALSE(open.required);
  EXPECT_TRUE(ColumnOf("{ lower = 0, upper = 1, required = true }").required);
}

TEST(Policy, DottedAndSpreadOutFormsMeanTheSame) {
  const Policy policy =
      MakePolicy(With(TwinsPolicyText(), "sex = { values = [\"female\", \"male\"], public = true, required = true }",
                      "sex.values = [\n  \"female\",\n  \"male\",\n]\nsex.public = true\nsex.required = true"));
  EXPECT_EQ(policy.fingerprint(), MakePolicy(TwinsPolicyText()).fingerprint());
}

TEST(Policy, LettersBeyondAscii) {
  const std::vector<Value> expected = {std::string("\xC3\xA4"), std::string("\xE2\x82\xAC\"\\n"),
                                       std::string("\xF0\x9F\x98\x80\n\xC3\xA4")};
  EXPECT_EQ(
      ColumnOf("{ values = [\"\xC3\xA4\", '\xE2\x82\xAC\"\\n', \"\xF0\x9F\x98\x80\\n\\u00e4\"] } # \xC3\xA4").values,
      expected);
  const Policy policy =
      MakePolicy("\xEF\xBB\xBF" + With(TwinsPolicyText(), "age =", "\"h\xC3\xB6he\" = { type = \"real\" }\nage ="));
  ASSERT_EQ(policy.unit_table().columns.size(), 5U);
  EXPECT_EQ(policy.unit_table().columns[1].name, "h\xC3\xB6he");
  EXPECT_EQ(policy.unit_table().columns[1].line, 12);
}

TEST(Policy, KeyMayBeDeclaredByTypeAlone) {
  const Column* id = nullptr;
  const Policy policy = MakePolicy(With(TwinsPolicyText(), "age =", "id = { type = \"integer\" }\nage ="));
  id = policy.unit_table().Find("id");
  ASSERT_NE(id, nullptr);
  EXPECT_EQ(id->type, ColumnType::kInteger);
}

TEST(Policy, TheDataHaveAVersionAndPublicColumnsMayBeFixed) {
  const Policy plain = MakePolicy(TwinsPolicyText());
  EXPECT_EQ(plain.data_version, "");
  EXPECT_FALSE(plain.fixed_public_columns);
  const Policy policy = MakePolicy(
      With(TwinsPolicyText(), "[data]", "[data]\nversion = \"Herbst \xC3\xA4 2026\"\npublic_columns = 'fixed'"));
  EXPECT_EQ(policy.data_version, "Herbst \xC3\xA4 2026");
  EXPECT_TRUE(policy.fixed_public_columns);
  EXPECT_EQ(MakePolicy(With(TwinsPolicyText(), "[data]", "[data]\nversion = \"" + std::string(64, 'v') + "\""))
                .data_version.size(),
            64U);
}

// What may rest on a unit's group where its table is read in place, with these lines of [data].
std::string AcceptedInPlace(
    const std::string& data, const std::function<bool(const std::string&)>& reads = [](const std::string& text) {
      return Policy::Parse(text, "p.toml").has_value();
    }) {
  const std::string text = With(With(TwinsPolicyText(), "twins.csv", "twins.parquet"), "[data]\n", "[data]\n" + data);
  const std::string odds = "odds_ratio = { zyg = { mz = 40, dz = 2.5, os = 2.5 } }\n";
  const std::string nested = With(With(text, "max_rows = 1", "max_rows = 1\nwithin = \"home\"\nsize = 4"),
                                  "age =", "home = { type = \"integer\", public = true }\nage =");
  std::string accepted;
  if (reads(With(text, odds, ""))) accepted += "group ";
  if (reads(text)) accepted += "strength ";
  if (reads(With(nested, "kind = \"group\"\nby = \"pair\"\nsize = 2\n" + odds, "kind = \"independent\"\n")))
    accepted += "household ";
  return accepted;
}

// Whether a charge may be to some cells, and whether anything may rest on a unit's group.
TEST(Policy, DataInPlaceNeedAPromiseForCellsAndGroups_POLICY4) {
  const std::string in_place = With(TwinsPolicyText(), "twins.csv", "twins.parquet");
  const std::string alone = With(in_place,
                                 "kind = \"group\"\nby = \"pair\"\nsize = 2\nodds_ratio = { zyg = { mz = 40, dz = "
                                 "2.5, os = 2.5 } }\n",
                                 "kind = \"independent\"\n");
  const auto promising = [](const std::string& text, const std::string& promise) {
    return With(text, "[data]", "[data]\n" + promise);
  };
  EXPECT_FALSE(MakePolicy(TwinsPolicyText()).cells.joined());
  EXPECT_TRUE(MakePolicy(alone).cells.joined());
  EXPECT_EQ(MakePolicy(alone).cells.size(), MakePolicy(TwinsPolicyText()).cells.size());
  EXPECT_TRUE(MakePolicy(promising(alone, "frozen = false")).cells.joined());
  EXPECT_TRUE(MakePolicy(With(alone, "twins.parquet", "frame:twins")).cells.joined());
  EXPECT_TRUE(MakePolicy(With(alone, "twins.parquet", "twins.duckdb:t")).cells.joined());
  const std::string server = "engine = \"postgresql\"\nhost = \"h\"\ndatabase = \"d\"\nuser = \"u\"";
  EXPECT_TRUE(MakePolicy(With(promising(alone, server), "twins.parquet", "public.csv")).cells.joined());
  for (const std::string promise : {"frozen = true", "public_columns = \"fixed\""}) {
    EXPECT_FALSE(MakePolicy(promising(in_place, promise)).cells.joined()) << promise;
    EXPECT_NE(MakePolicy(promising(alone, promise)).fingerprint(), MakePolicy(alone).fingerprint()) << promise;
    EXPECT_EQ(MakePolicy(promising(alone, promise)).identity_fingerprint(), MakePolicy(alone).identity_fingerprint());
  }
  const auto rows = Policy::Parse(With(in_place, "key = \"id\"\n", "row = true\n"), "p.toml");
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().next.find("fixed"), std::string::npos) << "rows cannot promise that";
  EXPECT_EQ(AcceptedInPlace(""), "");
  EXPECT_EQ(AcceptedInPlace("frozen = true\n"), "group strength household ");
  EXPECT_EQ(AcceptedInPlace("public_columns = \"fixed\"\n"), "group strength household ");
}

// The planted fault is a reader that takes a version for a promise.
TEST(Policy, TheCheckAboveSeesAPolicyThatPromisesNothing) {
  const auto careless = [](const std::string& text) {
    return Policy::Parse(With(text, "version = \"may\"", "frozen = true"), "p.toml").has_value();
  };
  EXPECT_EQ(AcceptedInPlace("version = \"may\"\n"), "");
  EXPECT_NE(AcceptedInPlace("version = \"may\"\n", careless), "");
}

// Rows without a key cannot be found again in another state of the data, so nobody could check the promise.
TEST(Policy, FixedPublicColumnsNeedAKey) {
  std::string text = With(TwinsPolicyText(), "[data]", "[data]\npublic_columns = \"fixed\"");
  text = With(text, "key = \"id\"\n", "row = true\n");
  const auto policy = Policy::Parse(text, "p.toml");
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().where, "p.toml:2");
  EXPECT_NE(policy.error().what.find("rows have no key"), std::string::npos) << policy.error().Text();
}

TEST(Policy, AcceptsUnproven) {
  EXPECT_TRUE(
      MakePolicy(With(TwinsPolicyText(), "kind =", "accept = \"unproven\"\nkind =")).dependence.accept_unproven);
}

TEST(Policy, AnEstimatedStrengthHasAConfidence) {
  const Policy fact = MakePolicy(TwinsPolicyText());
  const Policy limit = MakePolicy(With(TwinsPolicyText(), "kind =", "confidence = 0.95\nkind ="));
  EXPECT_EQ(fact.dependence.confidence, std::nullopt);
  EXPECT_EQ(limit.dependence.confidence, 0.95);
  EXPECT_EQ(limit.fingerprint(), fact.fingerprint());  // it changes no answer
}

class PolicyFile : public ::testing::Test {
 protected:
  PolicyFile() {
    folder_ =
        std::filesystem::path(::testing::TempDir()) /
        ("policy_file_" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  ~PolicyFile() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(PolicyFile, Loads) {
  const auto policy = Policy::Load(Write("policy.toml", TwinsPolicyText()));
  ASSERT_TRUE(policy) << policy.error().Text();
  EXPECT_EQ(policy->ledger, folder_ / "twins.ledger");
}

TEST_F(PolicyFile, AMissingFileIsAMistakeAndAnUnreadableOneAStorageError) {
  for (const auto& [file, code] :
       {std::pair(folder_ / "none.toml", Code::kInvalidArgument), std::pair(folder_, Code::kStorage)}) {
    const auto policy = Policy::Load(file);
    ASSERT_FALSE(policy);
    EXPECT_EQ(policy.error().code, code);
    EXPECT_EQ(policy.error().where, file.string());
    EXPECT_FALSE(policy.error().next.empty());
  }
}

TEST_F(PolicyFile, TooLargeIsRefusedWithoutReadingItAll) {
  const auto policy = Policy::Load(Write("big.toml", std::string(1'000'001, '#')));
  ASSERT_FALSE(policy);
  EXPECT_EQ(policy.error().code, Code::kInvalidArgument);
  EXPECT_NE(policy.error().what.find("larger than 1000000 bytes"), std::string::npos);
  EXPECT_TRUE(
      Policy::Load(Write("fits.toml", TwinsPolicyText() + std::string(1'000'000 - TwinsPolicyText().size(), '#'))));
}

TEST(Dates, RoundTrip) {
  EXPECT_EQ(DaysOf(1970, 1, 1), 0);
  EXPECT_EQ(DaysOf(2000, 3, 1), 11017);
  for (std::int64_t days = *ParseDate("0000-01-01"); days <= *ParseDate("9999-12-31"); days += 97) {
    ASSERT_EQ(ParseDate(DateText(days)), days);
  }
  for (const std::int64_t time : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{1'706'696'430'123'456}}) {
    EXPECT_EQ(ParseTimestamp(TimestampText(time)), time);
  }
  EXPECT_EQ(TimestampText(-1), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(ParseTimestamp("1970-01-01T00:00:00.5"), 500'000);
}

TEST(Dates, RefusesWhatIsNoDate) {
  for (const char* text : {"", "2023-02-29", "2023-13-01", "2023-1-1", "2023-01-01x", "23-01-01", "+023-01-01"}) {
    EXPECT_FALSE(ParseDate(text)) << text;
  }
  for (const char* text : {"2023-01-01", "2023-01-01 24:00:00", "2023-01-01 10:60:00", "2023-01-01 10:20:60",
                           "2023-01-01 10:20:30.", "2023-01-01 10:20:30.1234567", "2023-01-01 10:20:30Z"}) {
    EXPECT_FALSE(ParseTimestamp(text)) << text;
  }
}

const std::vector<ColumnSketch> kSketch = {{"id", ColumnType::kInteger},    {"pair no", ColumnType::kInteger},
                                           {"stutter", ColumnType::kText},  {"weight", ColumnType::kReal},
                                           {"born", ColumnType::kDate},     {"seen", ColumnType::kTimestamp},
                                           {"smoker", ColumnType::kBoolean}};

TEST(StartingPolicy, IsRefusedStepByStepUntilEveryDecisionIsMade) {
  std::string text = StartingPolicy("twins", "twins.csv", {kSketch});
  const std::pair<std::string, std::string> decisions[] = {
      {"# key = \"...\" ", "key = \"id\""},
      {"# max_rows = 1 ", "max_rows = 1"},
      {"# presence = \"secret\"", "presence = \"secret\""},
      {"# source = ", "source = "},
      {"# kind = \"independent\"", "kind = \"independent\""},
      {"# epsilon = 1.0", "epsilon = 1.0"},
  };
  const std::string asked_for[] = {"'key' or 'row'", "'max_rows'", "'presence'", "'source'", "'kind'", "'epsilon'"};
  for (std::size_t i = 0; i < std::size(decisions); ++i) {
    const auto refused = Policy::Parse(text, "p.toml");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find(asked_for[i]), std::string::npos) << refused.error().Text();
    text = With(text, decisions[i].first, decisions[i].second);
  }
  const auto policy = Policy::Parse(text, "p.toml");
  ASSERT_TRUE(policy) << policy.error().Text();
  ASSERT_EQ(policy->unit_table().columns.size(), kSketch.size());
  for (std::size_t i = 0; i < kSketch.size(); ++i) {
    EXPECT_EQ(policy->unit_table().columns[i].name, kSketch[i].name);
    EXPECT_EQ(policy->unit_table().columns[i].type, kSketch[i].type);
    EXPECT_FALSE(policy->unit_table().columns[i].is_public);
  }
}

TEST(StartingPolicy, LeavesOutColumnsThatCannotBeNamed) {
  const std::string text = StartingPolicy("a\nb", "we\"ird\\.csv",
                                          {{{"a", ColumnType::kText},
                                            {"A", ColumnType::kText},
                                            {"", ColumnType::kText},
                                            {"x\ny", ColumnType::kText},
                                            {"\xFF", ColumnType::kText},
                                            {"q\"]=#", ColumnType::kText},
                                            {std::string(64, 'z'), ColumnType::kText}}});
  const auto refused = Policy::Parse(text, "p.toml");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().what.find("'key' or 'row'"), std::string::npos) << refused.error().Text() << text;
  EXPECT_NE(text.find("# column 2 is left out: its name is there twice\n"), std::string::npos);
  EXPECT_NE(text.find("# column 7 is left out: its name is longer"), std::string::npos);
  EXPECT_NE(text.find("\"q\\\"]=#\" = { type = \"text\" }"), std::string::npos);
  EXPECT_NE(text.find("tables.data = \"we\\\"ird\\\\.csv\""), std::string::npos);
}

}  // namespace
}  // namespace kith
