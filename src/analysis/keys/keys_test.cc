#include "analysis/keys/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "engine/key_scan.h"
#include "query/test_policy.h"
#include "sql/dialect.h"
#include "tests/support/stat.h"
#include "tests/support/unbooked_study.h"

namespace kith {
namespace {

const std::vector<PlainUnits> kShare(1);
constexpr std::int64_t kMu = std::int64_t{1} << 41, kDelta = std::int64_t{1} << 40;  // sigma 1, about 1e-6

KeysOptions Options(std::vector<std::string> columns) {
  KeysOptions options;
  options.columns = std::move(columns);
  return options;
}

using Counts = std::vector<std::pair<std::string, std::int64_t>>;

/// Hands over these keys, some at a time.
class Texts final : public Session, public KeyScan {
 public:
  explicit Texts(Counts counts) : counts_(std::move(counts)) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  std::optional<std::string> version() const override { return std::nullopt; }
  bool Current() const override { return true; }
  Result<IntegerTable> RunText(const std::string&, const CancelFlag&) const override { return InternalError("keys"); }
  Result<void> ScanText(const std::string&, const IntegerSink&, const CancelFlag&) const override {
    return InternalError("keys");
  }
  Result<void> ScanKeysText(const std::string&, const KeySink& sink, const CancelFlag&) const override {
    for (std::size_t at = 0; at < counts_.size(); at += 2) {
      std::vector<std::string_view> texts;
      std::vector<std::int64_t> numbers;
      for (std::size_t k = at; k < std::min(at + 2, counts_.size()); ++k) {
        texts.push_back(counts_[k].first);
        numbers.push_back(counts_[k].second);
      }
      const std::vector<std::span<const std::string_view>> columns = {texts};
      if (auto taken = sink({columns, numbers}); !taken) return taken;
    }
    return {};
  }

 private:
  Counts counts_;
};

std::shared_ptr<const Study> Made(const KeysOptions& options = Options({"name"})) {
  const auto made = KeyCounts::Make(options, TestPolicy());
  EXPECT_TRUE(made) << (made ? "" : made.error().Text());
  return (*made)->AtDelta(Loss::Of(LossKind::kMu, kMu).value(), kDelta).value();
}

std::vector<std::string> KeysOf(const Result<Findings>& found) {
  EXPECT_TRUE(found) << (found ? "" : found.error().Text());
  std::vector<std::string> keys;
  for (const auto& row : found->rows) keys.push_back(std::get<std::string>(row[0]));
  return keys;
}

// The threshold is 7 and sigma 1: anything other than what is said here has a probability below e^-1000.
TEST(KeyCounts, ShowsKeysOfManyUnitsInTheOrderOfTheirCodePoints_KEYS2) {
  stat::SeededBits bits(stat::SeedForThisTest());
  // A lower-case letter is after all upper-case ones, é after all of ASCII, and a letter beyond U+FFFF after one below.
  const Counts counts = {{"\xf0\x90\x8c\xb0", 5000}, {"b", 5000}, {"\xef\xbf\xbd", 5000},
                         {"\xc3\xa9", 5000},         {"Z", 5000}, {"A", 5000}};
  Counts reversed(counts.rbegin(), counts.rend());
  const std::vector<std::string> order = {"A", "Z", "b", "\xc3\xa9", "\xef\xbf\xbd", "\xf0\x90\x8c\xb0"};
  EXPECT_EQ(KeysOf(testing::RunOn(*Made(), Texts(counts), kShare, bits)), order);
  EXPECT_EQ(KeysOf(testing::RunOn(*Made(), Texts(reversed), kShare, bits)), order);
}

TEST(KeyCounts, NeverShowsWhatIsNoTextOrTooLong) {
  stat::SeededBits bits(stat::SeedForThisTest());
  const Counts counts = {{"\xff\xfe", 9000}, {std::string(1001, 'x'), 9000}, {"", 9000}, {"x\x1b[2J", 9000}};
  EXPECT_EQ(KeysOf(testing::RunOn(*Made(), Texts(counts), kShare, bits)), (std::vector<std::string>{"", "x\x1b[2J"}));
}

TEST(KeyCounts, KeepsThoseWithTheLargestCounts) {
  stat::SeededBits bits(stat::SeedForThisTest());
  KeysOptions options = Options({"name"});
  options.most = 2;
  const auto found =
      testing::RunOn(*Made(options), Texts({{"a", 4000}, {"b", 90'000}, {"c", 4000}, {"d", 70'000}}), kShare, bits);
  EXPECT_EQ(KeysOf(found), (std::vector<std::string>{"b", "d"}));
}

TEST(KeyCounts, SaysBeforeItReadsFromWhenOnAKeyAppears) {
  const auto outline = Made()->Outline(kShare);
  ASSERT_TRUE(outline) << outline.error().Text();
  std::string all;
  for (const Note& note : outline->notes) all += note.text + "\n";
  EXPECT_NE(all.find("a key appears when about 7 units hold it"), std::string::npos) << all;
  EXPECT_NE(all.find("may occur"), std::string::npos) << all;
  EXPECT_NEAR(outline->noise[0].scale, 1, 1e-9);
}

TEST(KeyCounts, RefusesWithoutLookingAtData) {
  const Policy policy = TestPolicy();
  const auto bare = KeyCounts::Make(Options({"name"}), policy);
  ASSERT_TRUE(bare);
  EXPECT_FALSE((*bare)->Outline(kShare)) << "it has no delta yet";
  EXPECT_TRUE(KeyCounts::Make(Options({"name", "age"}), policy)) << "one of them is declared";
  for (const char* column : {"age", "score", "at", "none"})
    EXPECT_FALSE(KeyCounts::Make(Options({column}), policy)) << column;
  EXPECT_FALSE(KeyCounts::Make(Options({}), policy));
  EXPECT_FALSE(KeyCounts::Make(Options({"name", "name"}), policy));
  KeysOptions other = Options({"name"});
  other.where = "TRUE) OR (TRUE";
  EXPECT_FALSE(KeyCounts::Make(other, policy));
  other.where.clear();
  other.per_unit = 2;
  EXPECT_FALSE(KeyCounts::Make(other, policy)) << "a unit is one row";
  const Policy several = TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"secret\"");
  const auto cut = KeyCounts::Make(other, several);
  ASSERT_TRUE(cut);
  EXPECT_EQ((*cut)->plan().most_keys, 2);
  EXPECT_TRUE((*cut)->plan().cut);
  other.per_unit.reset();
  EXPECT_EQ(KeyCounts::Make(other, several).value()->plan().most_keys, 3);
}

}  // namespace
}  // namespace kith
