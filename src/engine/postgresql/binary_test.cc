#include "engine/postgresql/binary.h"

#include <gtest/gtest.h>

#include "engine/postgresql/copy_stream.h"
#include "engine/postgresql/failure.h"

namespace kith {
namespace {

std::string Bytes(std::initializer_list<int> words, int size = 2) {
  std::string bytes;
  for (const int word : words) {
    for (int k = size - 1; k >= 0; --k)
      bytes += static_cast<char>((static_cast<std::uint32_t>(word) >> (8 * k)) & 0xFF);
  }
  return bytes;
}

/// Digits of base 10000, the first of which counts 10000^weight.
std::string Numeric(int weight, int sign, std::initializer_list<int> digits, int scale = 0) {
  return Bytes({static_cast<int>(digits.size()), weight, sign, scale}) + Bytes(digits);
}

constexpr Int128 kMost = static_cast<Int128>(~UInt128{0} >> 1);

TEST(PgBinary, WholeNumbersOfEveryWidth) {
  EXPECT_EQ(IntegerOf(PgType::kBoolean, std::string_view("\1", 1)), Int128{1});
  EXPECT_EQ(IntegerOf(PgType::kInt2, Bytes({-2})), Int128{-2});
  EXPECT_EQ(IntegerOf(PgType::kInt4, Bytes({-70'000}, 4)), Int128{-70'000});
  EXPECT_EQ(IntegerOf(PgType::kInt8, Bytes({-1, -5}, 4)), Int128{-5});
  EXPECT_EQ(IntegerOf(PgType::kInt8, Bytes({1, 0}, 4)), Int128{1} << 32);
  EXPECT_EQ(IntegerOf(PgType::kInt8, Bytes({1}, 4)), std::nullopt);
}

TEST(PgBinary, Numerics) {
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(0, 0, {})), Int128{0});
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(1, 0, {12, 3456})), Int128{123'456});
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(2, 0x4000, {7})),
            Int128{-700'000'000});  // zeros at the end are left out
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(0, 0, {5, 0}, 3)), Int128{5});
  // 170141183460469231731687303715884105727 = 2^127 - 1
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(9, 0, {170, 1411, 8346, 469, 2317, 3168, 7303, 7158, 8410, 5727})),
            kMost);
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(9, 0x4000, {170, 1411, 8346, 469, 2317, 3168, 7303, 7158, 8410, 5728})),
            -kMost - 1);
}

TEST(PgBinary, WhatIsNoWholeNumberOf128BitsIsRefused) {
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(0, 0, {1, 5000}, 1)), std::nullopt);  // 1.5
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(-1, 0, {1})), std::nullopt);          // 0.0001
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(0, 0xC000, {})), std::nullopt);       // NaN
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(0, 0xD000, {})), std::nullopt);       // infinity
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(9, 0, {170, 1411, 8346, 469, 2317, 3168, 7303, 7158, 8410, 5728})),
            std::nullopt);
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Numeric(30'000, 0, {1})), std::nullopt);
  EXPECT_EQ(IntegerOf(PgType::kNumeric, Bytes({1, 0, 0})), std::nullopt);
}

const std::string kHeader = std::string("PGCOPY\n\377\r\n\0", 11) + Bytes({0, 0}, 4);
std::string Row(std::int32_t a, std::int16_t b) { return Bytes({2}) + Bytes({4, a}, 4) + Bytes({2}, 4) + Bytes({b}); }

TEST(PgCopy, RowsWhereverTheBytesAreDivided) {
  const std::string all = kHeader + Row(1, -1) + Row(-70'000, 2) + Bytes({-1});
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    std::vector<std::int64_t> got;
    const IntegerSink sink = [&](IntegerColumns columns) -> Result<void> {
      for (std::size_t k = 0; k < columns[0].size(); ++k) got.insert(got.end(), {columns[0][k], columns[1][k]});
      return {};
    };
    CopyStream stream({PgType::kInt4, PgType::kInt2}, sink);
    for (std::size_t at = 0; at < all.size(); at += piece)
      ASSERT_TRUE(stream.Take(std::string_view(all).substr(at, piece)));
    ASSERT_TRUE(stream.End());
    EXPECT_EQ(got, (std::vector<std::int64_t>{1, -1, -70'000, 2})) << piece;
  }
}

TEST(PgCopy, WhatIsNotWholeIsRefused) {
  const IntegerSink sink = [](IntegerColumns) -> Result<void> { return {}; };
  const auto taken = [&](const std::string& bytes) {
    CopyStream stream({PgType::kInt4, PgType::kInt2}, sink);
    return stream.Take(bytes) && stream.End();
  };
  EXPECT_TRUE(taken(kHeader + Bytes({-1})));
  EXPECT_FALSE(taken(kHeader + Row(1, 2)));  // no end
  EXPECT_FALSE(taken("PGCOPY\n\377\r\nX" + kHeader));
  EXPECT_FALSE(taken(kHeader + Bytes({1}) + Bytes({4, 1}, 4) + Bytes({-1})));                 // one column
  EXPECT_FALSE(taken(kHeader + Bytes({2}) + Bytes({-1}, 4) + Bytes({-1}, 4) + Bytes({-1})));  // NULL
}

TEST(PgFailure, SqlStates) {
  EXPECT_EQ(SqlStateOf("connection to server on socket \"/s/.s.PGSQL.5432\" failed: FATAL:  28P01\n"), "28P01");
  EXPECT_EQ(SqlStateOf("connection refused: is the server running?\n"), "");
  EXPECT_EQ(SqlStateOf(""), "");
  EXPECT_NE(BeforeData("42501", "").Text().find("42501"), std::string::npos);
}

}  // namespace
}  // namespace kith
