#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace kith {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(JsonTest, WritesTextThatIsNotUtf8) {
  EXPECT_EQ(JsonText({{"a", "\xff"}}), "{\"a\":\"\xef\xbf\xbd\"}");
  EXPECT_EQ(JsonText({{"a", 1}}, 1), "{\n \"a\": 1\n}");
}

TEST(JsonTest, HasOneSpellingOfInfinity) {
  EXPECT_EQ(JsonText({{"a", {1, kInfinity}}, {"b", {{"c", -kInfinity}}}}), R"({"a":[1,"inf"],"b":{"c":"-inf"}})");
  EXPECT_EQ(NumberToJson(kInfinity), "inf");
  EXPECT_EQ(NumberToJson(-kInfinity), "-inf");
  EXPECT_EQ(NumberToJson(0.1), 0.1);
  for (const double x : {kInfinity, -kInfinity, 0.0, -2.5}) EXPECT_EQ(NumberFromJson(NumberToJson(x)), x);
  EXPECT_TRUE(std::isnan(NumberFromJson(NumberToJson(std::nan("")))));
  EXPECT_EQ(NumberFromJson(nullptr), kInfinity);
  EXPECT_THROW(NumberFromJson("a lot"), json::exception);
}

TEST(JsonTest, NumbersHaveAsManyDigitsAsAskedFor) {
  EXPECT_EQ(JsonText({NumberOfDigits(3.0), NumberOfDigits(1234567.0, 3), NumberOfDigits(0.123456, 2)}),
            "[3,1230000.0,0.12]");
  EXPECT_EQ(NumberOfDigits(kInfinity, 3), "inf");
}

TEST(JsonTest, ValuesComeBack) {
  for (const Value& value : {Value(Null{}), Value(true), Value(std::int64_t{-7}), Value(0.5), Value(std::string("a"))})
    EXPECT_EQ(ValueFromJson(ValueToJson(value)), value);
}

TEST(JsonTest, NotesComeBackWithTheirKinds) {
  const std::vector<Note> notes = {{NoteKind::kCut, "age is clamped"}, {NoteKind::kOther, "old"}};
  json out;
  PutNotes(notes, out);
  EXPECT_EQ(out, json::parse(R"({"notes":["age is clamped","old"],"note_kinds":["clamped","other"]})"));
  EXPECT_EQ(NotesFrom(out), notes);
  json old;  // as programs without kinds wrote it
  PutNotes({notes[1]}, old);
  EXPECT_EQ(JsonText(old), R"({"notes":["old"]})");
  EXPECT_EQ(NotesFrom(old), std::vector<Note>{notes[1]});
  // A kind of a later version is no reason to lose an answer.
  EXPECT_EQ(NotesFrom(json::parse(R"({"notes":["n"],"note_kinds":["later"]})"))[0].kind, NoteKind::kOther);
}

TEST(JsonTest, AValueMayBeAbsent) {
  EXPECT_TRUE(JsonValue().empty());
  const JsonValue value(json{{"k", 3}});
  const JsonValue copy = value;
  EXPECT_FALSE(copy.empty());
  EXPECT_EQ(copy->at("k"), 3);
}

}  // namespace
}  // namespace kith
