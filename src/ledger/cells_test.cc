// Sets of cells: by column and value, each in only one way.
#include "ledger/cells.h"

#include <gtest/gtest.h>

#include <functional>

#include "base/digest.h"

namespace kith::ledger {
namespace {

const std::vector<LedgerColumn> kColumns = {{"ward", {"A", "B", "C"}}, {"sex", {"f", "m"}}, {"old", {"no", "NULL"}}};

TEST(CellSets, EverySetOfTwelveCellsComesBackByValue) {
  CellBook book(kColumns), reader(kColumns);
  ASSERT_EQ(book.size(), 12U);
  for (unsigned bits = 0; bits < (1U << 12); ++bits) {
    CellSet cells;
    for (std::size_t i = 0; i < 12; ++i) {
      if ((bits >> i) & 1U) cells.push_back(i);
    }
    const auto named = book.Of(cells);
    const auto read = reader.Read(named->digest, named->text);
    ASSERT_TRUE(read && read->known) << named->text;
    ASSERT_EQ(read->cells, cells) << named->text;
  }
}

TEST(CellSets, AreNamedByColumnAndValue) {
  CellBook book(kColumns);
  EXPECT_EQ(book.Of({})->text, "");
  EXPECT_EQ(book.Of({4})->text, "(4:ward[1:B](3:sex[1:f](3:old[2:no].)))");
  EXPECT_EQ(book.Of({0, 8})->text, "(4:ward[1:A1:C](3:sex[1:f](3:old[2:no].)))") << "a product is written once";
  EXPECT_EQ(ColumnsText(kColumns), "(4:ward[1:A1:B1:C](3:sex[1:f1:m](3:old[2:no4:NULL].)))");
  EXPECT_EQ(ColumnsText({}), ".") << "everyone";
  EXPECT_EQ(book.Of({4})->digest, Sha256(book.Of({4})->text));
}

// The same text means the same people, whatever the order of columns' values in the policy is.
TEST(CellSets, MeanTheSameInAnotherOrder) {
  CellBook book({{"ward", {"A", "B", "C"}}}), other({{"ward", {"C", "A", "B"}}});
  const auto set = book.Of({2});
  EXPECT_EQ(other.Read(set->digest, set->text)->cells, CellSet{0});
}

TEST(CellSets, OtherTextsAreNoSetsOfTheseCells) {
  CellBook book({{"a", {"x", "y", "z"}}, {"b", {"0", "1"}}});
  for (const char* text :
       {"(1:a[1:x](1:b[1:0].)", "(1:a[1:x](1:b[1:0].))x", "(1:a[1:y1:x](1:b[1:0].))", "(1:a[1:x1:x](1:b[1:0].))",
        "(1:a[1:x](1:b[1:0].)[1:y](1:b[1:0].))", "(1:a[1:x](1:b[1:0].)[1:x](1:b[1:1].))", "(1:a[1:w](1:b[1:0].))",
        "(1:b[1:0](1:a[1:x].))", "(1:a[](1:b[1:0].))", "(1:a[1:x](1:b[].))", "(1:a[1:x].)", "(1:a)", ".",
        "(01:a[1:x](1:b[1:0].))", "(1:a[1:x](1:b[1:1].)[1:y](1:b[1:0].)[1:x](1:b[1:0].))"}) {
    const auto read = book.Read(Sha256(text), text);
    ASSERT_TRUE(read) << text;
    EXPECT_FALSE(read->known) << text;
    EXPECT_FALSE(book.Seen(Sha256(text))) << text;
  }
  EXPECT_EQ(book.Read(Sha256("x"), ""), nullptr) << "not the text of this digest";
}

TEST(CellSets, ColumnsReadBack) {
  for (const auto& columns : std::vector<std::vector<LedgerColumn>>{
           kColumns, {}, {{"", {""}}}, {{"a]", {"(3:", "]", "1:x"}}}, {{"a", {"x"}}, {"b", {"x"}}}}) {
    EXPECT_EQ(ReadColumns(ColumnsText(columns)), columns);
  }
  for (const char* wrong :
       {"", "(", "(1:a.)", "(1:a[].)", "(1:a[1:x1:x].)", "(1:a[1:x].", "(1:a[1:x].))", "(1:a[1:x]..)"})
    EXPECT_FALSE(ReadColumns(wrong)) << wrong;
  EXPECT_FALSE(ProperColumns({{"a", {"x", "y"}}}, 3));
  EXPECT_FALSE(ProperColumns({{"a", {"x", "x"}}}, 2));
  EXPECT_FALSE(ProperColumns({{"a", {}}}, 0));
  EXPECT_TRUE(ProperColumns({}, 1));
}

TEST(CellSets, LargeSetsStaySmall) {
  std::vector<LedgerColumn> columns = {{"a", {}}, {"b", {}}};
  for (int i = 0; i < 64; ++i) {
    columns[0].values.push_back("v" + std::to_string(i));
    columns[1].values.push_back("w" + std::to_string(i));
  }
  CellBook book(columns), reader(columns);
  CellSet all, half, diagonal;
  for (std::size_t i = 0; i < 4096; ++i) {
    all.push_back(i);
    if (i % 2 == 0) half.push_back(i);
    if (i % 64 == i / 64) diagonal.push_back(i);
  }
  EXPECT_LT(book.Of(all)->text.size(), 700U);
  EXPECT_LT(book.Of(half)->text.size(), 500U);
  for (const CellSet& cells : {all, half, diagonal}) {
    const auto named = book.Of(cells);
    EXPECT_EQ(reader.Read(named->digest, named->text)->cells, cells);
  }
}

}  // namespace
}  // namespace kith::ledger
