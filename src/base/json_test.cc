#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

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

// Whatever is in it: what was written before is compared with what is written now.
TEST(JsonTest, IsWrittenAsTheLibraryWritesIt) {
  std::mt19937_64 dice(20260711);
  const auto below = [&](std::uint64_t n) { return dice() % n; };
  const auto text = [&] {
    std::string made;
    for (std::uint64_t left = below(12); left > 0; --left) {
      const char* const parts[] = {"a", " ", "\"", "\\", "\n", "\x01", "\x7f", "ü", "\xff", "€", "~", "/"};
      made += parts[below(std::size(parts))];
    }
    return made;
  };
  const auto number = [&]() -> json {
    const double reals[] = {0.0,
                            -0.0,
                            1.0,
                            -3.0,
                            0.1,
                            1e-7,
                            123456789.25,
                            999999999999999.0,
                            1e15,
                            1e16,
                            1e22,
                            5e-324,
                            1.7976931348623157e308,
                            -1e15,
                            0.3,
                            2.0 / 3};
    switch (below(5)) {
      case 0:
        return std::numeric_limits<std::int64_t>::min() + static_cast<std::int64_t>(below(3));
      case 1:
        return std::numeric_limits<std::uint64_t>::max() - below(3);
      case 2:
        return std::ldexp(static_cast<double>(dice()) - 9e18, static_cast<int>(below(140)) - 120);
      case 3:
        return static_cast<std::int64_t>(below(1000)) - 500;
      default:
        return reals[below(std::size(reals))];
    }
  };
  const std::function<json(int)> any = [&](int depth) -> json {
    switch (below(depth > 0 ? 6 : 4)) {
      case 0:
        return text();
      case 1:
        return number();
      case 2:
        return below(2) == 0;
      case 3:
        return nullptr;
      case 4: {
        json list = json::array();
        for (std::uint64_t left = below(5); left > 0; --left) list.push_back(any(depth - 1));
        return list;
      }
      default: {
        json object = json::object();
        for (std::uint64_t left = below(5); left > 0; --left) object[text()] = any(depth - 1);
        return object;
      }
    }
  };
  for (int i = 0; i < 5000; ++i) {
    const json value = any(4);
    ASSERT_EQ(JsonText(value), value.dump(-1, ' ', false, json::error_handler_t::replace));
  }
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
