// The bytes of the chain: sets of cells, totals, digests.
#include "ledger/chain.h"

#include <gtest/gtest.h>

#include <functional>

#include "ledger/view.h"
#include "loss/loss.h"

namespace kith::ledger {
namespace {

TEST(Chain, EverySetOfTwelveCellsComesBack) {
  constexpr std::size_t kCells = 12;
  for (unsigned bits = 0; bits < (1U << kCells); ++bits) {
    CellSet cells;
    for (std::size_t i = 0; i < kCells; ++i) {
      if ((bits >> i) & 1U) cells.push_back(i);
    }
    ASSERT_EQ(DecodeCells(EncodeCells(cells), kCells), cells) << bits;
  }
}

TEST(Chain, LargeSetsComeBackAndStaySmall) {
  CellSet all(4096), every_second;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  for (std::size_t i = 1; i < all.size(); i += 2) every_second.push_back(i);
  EXPECT_LE(EncodeCells(all).size(), 4U);
  EXPECT_LE(EncodeCells(every_second).size(), 513U);
  for (const CellSet& cells : {all, every_second, CellSet{4095}, CellSet{0, 1, 2, 4000}}) {
    EXPECT_EQ(DecodeCells(EncodeCells(cells), 4096), cells);
  }
}

TEST(Chain, BytesThatAreNoSetAreRefused) {
  const CellSet four{0, 1, 2, 3};
  EXPECT_FALSE(DecodeCells(EncodeCells(four), 3)) << "a cell that does not exist";
  EXPECT_FALSE(DecodeCells(EncodeCells({0, 2, 4, 6, 9, 12}), 12));
  EXPECT_FALSE(DecodeCells("", 4));
  EXPECT_FALSE(DecodeCells("\x02", 4)) << "unknown form";
  EXPECT_FALSE(DecodeCells(std::string("\0\1", 2), 4)) << "a range without a length";
  EXPECT_FALSE(DecodeCells(std::string("\0\x80", 2), 4)) << "a number that does not end";
  std::string endless(1, '\0');
  endless.append(12, '\xff');
  EXPECT_FALSE(DecodeCells(endless + '\x01', 4)) << "a number beyond 64 bits";
}

TEST(Chain, TotalsHaveOneEncoding) {
  EXPECT_EQ(EncodeTotals(std::vector<std::int64_t>{0, 0, 0}), std::string("\x03\x00", 2));
  EXPECT_EQ(EncodeTotals(std::vector<std::int64_t>{5, 5, 128}), std::string("\x02\x05\x01\x80\x01", 5));
  EXPECT_NE(EncodeTotals(std::vector<std::int64_t>{1, 2}), EncodeTotals(std::vector<std::int64_t>{2, 1}));
}

Entry ACharge() {
  Entry entry;
  entry.position = 1;
  entry.number = 1;
  entry.unix_seconds = 1'700'000'000;
  entry.units = 429496729;
  entry.cells = std::string_view("\0\0\2", 3);
  entry.policy = "policy";
  entry.question = "SELECT count(*) FROM t";
  entry.answer_key = "key";
  return entry;
}

// Computed from docs/guide/ledger_format.md by another program (Python's hashlib): the format may not drift.
TEST(Chain, OldHeadsFollowTheWrittenFormat) {
  const Birth birth{
      "00112233445566778899aabbccddeeff", 1'699'999'999, "identity", {"zyg=mz", "zyg=dz"}, false, "", 1, kAllOld};
  const Formula formula = Formula::Of(birth);
  const std::string first = FirstHead(birth);
  EXPECT_EQ(first, "130c5ec849e7e2a2ed0c66ded501f7ffd4f104aa1ca1a41ea893d2ebcfa27623");
  const std::string second = NextHead(first, ACharge(), formula);
  EXPECT_EQ(second, "b93c9c16a40a75d797c154e5e82f3006ccd339cc197abdf8681deeb95dc17821");
  Entry answer;
  answer.position = 2;
  answer.kind = Kind::kAnswer;
  answer.number = 1;
  answer.unix_seconds = 1'700'000'001;
  answer.answer_key = "key";
  answer.answer_digest = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
  EXPECT_EQ(NextHead(second, answer, formula), "960d27b484a3532708efeb63460deeaf8e3f8080f6354f6bd15840ad52f8c3af");
}

// The same for this format, by Python's hmac.
TEST(Chain, HeadsFollowTheWrittenFormat) {
  const Birth birth{"00112233445566778899aabbccddeeff",
                    1'699'999'999,
                    "identity",
                    {"zyg=mz", "zyg=dz"},
                    false,
                    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
  const std::string first = FirstHead(birth);
  EXPECT_EQ(first, "d9f32794a6d808292a5c02d1b9f72a8446e4add4393bc910160fe2d17bd28507");
  Entry charge = ACharge();
  charge.how = 1;
  const std::string second = NextHead(first, charge, Formula::Of(birth));
  EXPECT_EQ(second, "54e87973459cac5dff9b00d4e6d025b757bb20e4401c033ecfd5b104a253de0e");
  Entry data;
  data.position = 2;
  data.kind = Kind::kData;
  data.number = 1;
  data.unix_seconds = 1'700'000'001;
  data.policy = "policy";
  data.question = "2026-11";
  data.answer_key = "0011-1-aa";
  data.how = 1;
  EXPECT_EQ(NextHead(second, data, Formula::Of(birth)),
            "97523e8318126d1d1c6149bcd2418eb7875eba5e443292a3148efb50358578c7");
}

TEST(Chain, EveryFieldCounts) {
  const Formula formula{"secret"};
  const std::string head = NextHead("head", ACharge(), formula);
  const std::vector<std::function<void(Entry&)>> edits = {
      [](Entry& e) { e.position = 2; },       [](Entry& e) { e.kind = Kind::kAnswer; },
      [](Entry& e) { e.number = 2; },         [](Entry& e) { e.unix_seconds += 1; },
      [](Entry& e) { e.units -= 1; },         [](Entry& e) { e.cells = std::string_view("\0\0\1", 3); },
      [](Entry& e) { e.policy = "polic"; },   [](Entry& e) { e.question = "ySELECT count(*) FROM t"; },
      [](Entry& e) { e.answer_key = "kez"; }, [](Entry& e) { e.answer_digest = "0"; },
      [](Entry& e) { e.tick = 1; },           [](Entry& e) { e.how = 1; },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Entry entry = ACharge();
    edits[i](entry);
    EXPECT_NE(NextHead("head", entry, formula), head) << i;
  }
  EXPECT_NE(NextHead("heae", ACharge(), formula), head);
  EXPECT_NE(NextHead("head", ACharge(), {"secreu"}), head);
}

TEST(Chain, AViewTakesOnlyLawfulEntries) {
  const Birth birth{"id", 0, "identity", {"a", "b"}, false, "secret"};
  const Formula formula = Formula::Of(birth);
  CellReader reader(2);
  const View start = View::AtBirth(birth);
  const std::vector<std::function<void(Entry&)>> wrong = {
      [](Entry& e) { e.number = 2; },
      [](Entry& e) { e.units = -1; },
      [](Entry& e) { e.units = PlainUnits::kMax + 1; },
      [](Entry& e) { e.cells = std::string_view("\0\0\3", 3); },
      [](Entry& e) { e.kind = Kind::kAnswer; },
      [](Entry& e) { e.kind = static_cast<Kind>(5); },
      [](Entry& e) { e.kind = Kind::kFormat; },
      [](Entry& e) { e.kind = Kind::kData; },  // it charges units
      [](Entry& e) { e.how = 2; },
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    View view = start;
    Entry entry = ACharge();
    wrong[i](entry);
    EXPECT_TRUE(view.AddVerified(entry, NextHead(start.head, entry, formula), reader)) << i;
    EXPECT_EQ(view.head, start.head) << i;
    EXPECT_EQ(view.totals, start.totals) << i;
  }
  View view = start;
  EXPECT_TRUE(view.AddVerified(ACharge(), std::string(64, '0'), reader)) << "wrong digest";
  EXPECT_FALSE(view.AddVerified(ACharge(), NextHead(start.head, ACharge(), formula), reader));
  EXPECT_EQ(view.totals, (std::vector<std::int64_t>{429496729, 429496729}));
  EXPECT_TRUE(view.AddVerified(ACharge(), NextHead(view.head, ACharge(), formula), reader))
      << "the same position again";
}

}  // namespace
}  // namespace kith::ledger
