#include "base/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

namespace kith {
namespace {

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
  EXPECT_THROW(NumberFromJson("a lot"), JsonError);
}

/// The same value in nlohmann's library.
nlohmann::json InTheLibrary(const Json& value) {
  if (value.is_null()) return nullptr;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  nlohmann::json out = value.is_array() ? nlohmann::json::array() : nlohmann::json::object();
  if (value.is_array()) {
    for (const Json& each : value) out.push_back(InTheLibrary(each));
  } else {
    for (const auto& [name, member] : value.items()) out[name] = InTheLibrary(member);
  }
  return out;
}

// Whatever is in it: compared with what nlohmann's library writes, and read again.
TEST(JsonTest, IsWrittenAndReadAsByTheLibrary) {
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
  const auto number = [&]() -> Json {
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
  const std::function<Json(int)> any = [&](int depth) -> Json {
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
        Json list = Json::array();
        for (std::uint64_t left = below(5); left > 0; --left) list.push_back(any(depth - 1));
        return list;
      }
      default: {
        Json object = Json::object();
        for (std::uint64_t left = below(5); left > 0; --left) object[text()] = any(depth - 1);
        return object;
      }
    }
  };
  for (int i = 0; i < 5000; ++i) {
    const Json value = any(4);
    const nlohmann::json library = InTheLibrary(value);
    for (const int indent : {-1, 0, 2})
      ASSERT_EQ(JsonText(value, indent), library.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace));
    const std::string written = JsonText(value);
    ASSERT_EQ(JsonText(Json::parse(written)), written);
    // Text that is cut is JSON for both or for neither.
    const std::string cut = written.substr(0, below(written.size()) + 1);
    const Json read = Json::parse(cut, nullptr, false);
    ASSERT_EQ(read.is_discarded(), nlohmann::json::parse(cut, nullptr, false).is_discarded()) << cut;
    if (cut == written && written.find("\xef\xbf\xbd") == std::string::npos) {
      ASSERT_EQ(read, value);
    }
  }
}

TEST(JsonTest, BracesMakeObjectsAndLists) {
  const Json part = {{"k", 1}};
  EXPECT_EQ(
      JsonText({{"a", part}, {"b", {1, 2.5, "x", nullptr, true}}, {"c", Json::array()}, {"d", std::vector<int>{1, 2}}}),
      R"({"a":{"k":1},"b":[1,2.5,"x",null,true],"c":[],"d":[1,2]})");
  EXPECT_EQ(JsonText(Json::array({{"a", 1}})), R"([["a",1]])");
  EXPECT_EQ(JsonText({{"a", {}}}), R"({"a":{}})");
  const std::map<std::string, std::vector<bool>> map = {{"m", {true, false}}};
  EXPECT_EQ(JsonText(map), R"({"m":[true,false]})");
  EXPECT_EQ(JsonText({std::pair(1, "x"), std::set<std::string>{"b", "a"}, std::array{0.5}}),
            R"([[1,"x"],["a","b"],[0.5]])");
}

TEST(JsonTest, WhatIsNotThereOrOfAnotherKindThrows) {
  const Json json = Json::parse(R"({"a":[1,2],"b":"x"})");
  EXPECT_EQ(json.at("a").at(1), 2);
  EXPECT_EQ(json.value("c", 7), 7);
  EXPECT_EQ(json.value("b", "y"), "x");
  EXPECT_FALSE(json.contains("c"));
  EXPECT_FALSE(json.at("b").contains("c"));
  EXPECT_TRUE(json.find("c") == json.end());
  EXPECT_EQ(json.at("a").get<std::vector<double>>(), (std::vector<double>{1, 2}));
  EXPECT_THROW(json.at("c"), JsonError);
  EXPECT_THROW(json.at("a").at(2), JsonError);
  EXPECT_THROW(json.at(0), JsonError);
  EXPECT_THROW(json.at("b").get<double>(), JsonError);
  EXPECT_THROW(json.at("a").get<std::string>(), JsonError);
  EXPECT_THROW(json.at("b").value("c", 1), JsonError);
  EXPECT_THROW(json.at("b").items(), JsonError);
  EXPECT_TRUE(Json().items().empty());
}

TEST(JsonTest, ValuesAreMovedCopiedAndChanged) {
  Json json;
  json["a"]["b"] = 1;
  json["list"].push_back("x");
  Json copy = json;
  copy["a"]["b"] = 2;
  EXPECT_EQ(JsonText(json), R"({"a":{"b":1},"list":["x"]})");
  const Json moved = std::move(copy);
  EXPECT_EQ(moved.at("a").at("b"), 2);
  json = json.at("a");  // a part of itself
  EXPECT_EQ(JsonText(json), R"({"b":1})");
  json.update({{"c", 3}});
  EXPECT_EQ(json.erase("b"), 1u);
  EXPECT_EQ(JsonText(json), R"({"c":3})");
}

TEST(JsonTest, NumbersAreComparedByTheirValues) {
  EXPECT_EQ(Json(1), Json(1u));
  EXPECT_EQ(Json(1), Json(1.0));
  EXPECT_FALSE(Json(-1) == Json(std::uint64_t{0} - 1));
  EXPECT_FALSE(Json(1) == Json(true));
  EXPECT_LT(Json(-1), Json(0.5));
  EXPECT_LT(Json(2), Json(3u));
  EXPECT_FALSE(Json(nullptr) < Json(3));
}

// Text can come from anywhere: endless nesting must not overflow the stack.
TEST(JsonTest, DeepNestingIsRefused) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_FALSE(Json::parse(nested(Json::kDeepest)).is_discarded());
  EXPECT_TRUE(Json::parse(nested(Json::kDeepest + 1), nullptr, false).is_discarded());
  EXPECT_TRUE(Json::parse(std::string(5'000'000, '['), nullptr, false).is_discarded());
  EXPECT_THROW(Json::parse(nested(3), nullptr, true, 2), JsonError);
}

TEST(JsonTest, ANameTwiceIsRefused) {
  for (const char* twice : {R"({"a":1,"a":1})", R"({"a":{},"b":2,"a":3})", R"([{"x":{"a":1,"b":2,"\u0061":3}}])"})
    EXPECT_TRUE(Json::parse(twice, nullptr, false).is_discarded()) << twice;
  EXPECT_FALSE(Json::parse(R"([{"a":1},{"a":2,"A":{"a":3}}])", nullptr, false).is_discarded());
}

TEST(JsonTest, OnlyDumpRefusesTextThatIsNotUtf8) {
  EXPECT_THROW(Json("\xff").dump(), JsonError);
  EXPECT_EQ(Json("\xef\xbf\xbd").dump(), "\"\xef\xbf\xbd\"");
  std::istringstream in("[1]");
  EXPECT_EQ(Json::parse(in).dump(1), "[\n 1\n]");
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
  Json out;
  PutNotes(notes, out);
  EXPECT_EQ(out, Json::parse(R"({"notes":["age is clamped","old"],"note_kinds":["clamped","other"]})"));
  EXPECT_EQ(NotesFrom(out), notes);
  Json old;  // as programs without kinds wrote it
  PutNotes({notes[1]}, old);
  EXPECT_EQ(JsonText(old), R"({"notes":["old"]})");
  EXPECT_EQ(NotesFrom(old), std::vector<Note>{notes[1]});
  // A kind of a later version is no reason to lose an answer.
  EXPECT_EQ(NotesFrom(Json::parse(R"({"notes":["n"],"note_kinds":["later"]})"))[0].kind, NoteKind::kOther);
}

TEST(JsonTest, AValueMayBeAbsent) {
  EXPECT_TRUE(JsonValue().empty());
  const JsonValue value(Json{{"k", 3}});
  const JsonValue copy = value;
  EXPECT_FALSE(copy.empty());
  EXPECT_EQ(copy->at("k"), 3);
}

}  // namespace
}  // namespace kith
