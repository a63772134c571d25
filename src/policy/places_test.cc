// Text from elsewhere names no server and no file of its own.
#include "policy/places.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

const std::string kPresent = R"([data]
engine = "trino"
host = "db.example.org"
catalog = "c"
version = "1"
tables.t = "a.t"
tables.friends = { source = "a.friends", public = true }
[unit]
table = "t"
distance = { columns = ["x"], sources = "places.csv" }
[dependence]
source = "public"
kind = "field"
nodes = 5
theta = 0.5
edges = { table = "friends", from = "a", to = "b" }
)";

std::string With(const std::string& old, const std::string& now) {
  std::string text = kPresent;
  return text.replace(text.find(old), old.size(), now);
}

TEST(Places, MayNotChange) {
  const std::pair<const char*, const char*> changes[] = {
      {"host = \"db.example.org\"", "host = \"evil.example\""},
      {"host = \"db.example.org\"", ""},
      {"host = \"db.example.org\"", "url = \"https://evil.example\""},
      {"engine = \"trino\"", "engine = \"postgresql\""},
      {"catalog = \"c\"", "catalog = \"d\""},
      {"catalog = \"c\"", "catalog = \"c\"\nport = 1"},
      {"catalog = \"c\"", "catalog = \"c\"\nunheard = \"of\""},
      {"\"a.t\"", "\"b.t\""},
      {"\"a.friends\"", "\"b.friends\""},
      {"{ table = \"friends\", from = \"a\", to = \"b\" }", "{ table = \"t\", from = \"a\", to = \"b\" }"},
      {"{ table = \"friends\", from = \"a\", to = \"b\" }", "\"/etc/passwd\""},
      {"kind = \"field\"", "kind = \"field\"\nfile = \"/dev/stdin\""},
      {"\"places.csv\"", "\"/etc/passwd\""}};
  for (const auto& [old, now] : changes) {
    const auto same = NamesNoOtherPlace(kPresent, With(old, now), "policy");
    ASSERT_FALSE(same) << now;
    EXPECT_EQ(same.error().code, Code::kInvalidArgument);
    EXPECT_NE(same.error().next.find("kith policy diff"), std::string::npos) << same.error().Text();
    EXPECT_EQ(same.error().where.rfind("policy:", 0), 0U) << same.error().Text();
    EXPECT_EQ(same.error().Text().find("passwd"), std::string::npos);
  }
}

TEST(Places, OtherThingsMay) {
  const std::pair<const char*, const char*> changes[] = {
      {"nodes = 5", "nodes = 5"},
      {"theta = 0.5", "theta = 1"},
      {"version = \"1\"", "version = \"2\"\nname = \"n\"\nrows_out = false"},
      {"tables.t = \"a.t\"", "tables.t = { source = \"a.t\" }\ntables.more = \"a.more\""},
      {"edges = { table = \"friends\", from = \"a\", to = \"b\" }", "edges = [[0, 1]]"},
      {"edges = { table = \"friends\", from = \"a\", to = \"b\" }",
       "edges = { to = \"b\", from = \"a\", table = \"friends\" }"},
      {"\"places.csv\"", "\"everywhere\""},
      {"\"places.csv\"", "[[1]]"}};
  for (const auto& [old, now] : changes) {
    const auto same = NamesNoOtherPlace(kPresent, With(old, now), "policy");
    EXPECT_TRUE(same) << now << ": " << same.error().Text();
  }
  // Nothing is read from a table to check the policy where the dependence is written out.
  const std::string out = With("edges = { table = \"friends\", from = \"a\", to = \"b\" }", "edges = [[0, 1]]");
  std::string moved = out;
  moved.replace(moved.find("\"a.t\""), 5, "\"b.t\"");
  EXPECT_TRUE(NamesNoOtherPlace(out, moved, "policy"));
}

TEST(Places, AreReadFromAnyText) {
  for (const char* text : {"", "data = 3", "[data]\ntables = 3", "dependence = []", "[unit]\ndistance = 1"})
    EXPECT_FALSE(NamesNoOtherPlace(kPresent, text, "policy")) << text;
  for (const char* text : {"[", "\xff", "x ="}) EXPECT_FALSE(NamesNoOtherPlace(kPresent, text, "policy")) << text;
  EXPECT_TRUE(NamesNoOtherPlace("", "data = 3", "policy"));
  EXPECT_FALSE(NamesNoOtherPlace("x = [", kPresent, "policy"));
}

}  // namespace
}  // namespace kith
