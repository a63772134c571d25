#include "document/codes.h"

#include <gtest/gtest.h>

#include <set>

#include "base/json.h"
#include "document/from_json.h"
#include "document/to_json.h"

namespace kith::document {
namespace {

TEST(CodesTest, EveryCodeHasARowOfItsOwn) {
  std::set<std::string_view> names;
  std::set<int> exits;
  for (int k = 0; k <= static_cast<int>(Code::kInternal); ++k) {
    const auto code = static_cast<Code>(k);
    EXPECT_TRUE(names.insert(NameOf(code)).second);
    EXPECT_TRUE(exits.insert(ExitCodeOf(code)).second);
    EXPECT_EQ(CodeNamed(NameOf(code)), code);
    EXPECT_GE(HttpStatusOf(code), 400);
    EXPECT_LT(HttpStatusOf(code), 600);
  }
  EXPECT_FALSE(exits.contains(0) || exits.contains(1));  // they mean something else
  EXPECT_FALSE(CodeNamed("fine"));
}

TEST(CodesTest, AnErrorNamesItsCode) {
  EXPECT_EQ(ToJson(BudgetExhausted("w", "x", "y").For("price.epsilon")), Json::parse(R"({"error":
      {"code":"budget_exhausted","what":"w","where":"x","hint":"y","parameter":"price.epsilon","charged":"no"}})"));
  EXPECT_FALSE(ToJson(InternalError("w"))["error"].contains("parameter"));
  EXPECT_EQ(ToJson(InternalError("w"))["error"]["charged"], "maybe");
  for (const Charged charged : {Charged::kNo, Charged::kYes, Charged::kMaybe})
    EXPECT_EQ(ErrorFrom(ToJson(StorageError("w").That(charged)))->charged, charged);
  // Of a version that did not say it, nobody knows.
  EXPECT_EQ(ErrorFrom(Json::parse(R"({"error":{"code":"storage","what":"w","where":"","hint":""}})"))->charged,
            Charged::kMaybe);
}

}  // namespace
}  // namespace kith::document
