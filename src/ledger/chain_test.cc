// The bytes of the chain: totals, digests, and which entries are valid.
#include "ledger/chain.h"

#include <gtest/gtest.h>

#include <functional>

#include "ledger/view.h"
#include "loss/loss.h"

namespace kith::ledger {
namespace {

TEST(Chain, TotalsHaveOneEncoding) {
  EXPECT_EQ(EncodeTotals(std::vector<std::int64_t>{0, 0, 0}), std::string("\x03\x00", 2));
  EXPECT_EQ(EncodeTotals(std::vector<std::int64_t>{5, 5, 128}), std::string("\x02\x05\x01\x80\x01", 5));
  EXPECT_NE(EncodeTotals(std::vector<std::int64_t>{1, 2}), EncodeTotals(std::vector<std::int64_t>{2, 1}));
}

const std::vector<LedgerColumn> kZyg = {{"zyg", {"mz", "dz"}}};

Birth ABirth() {
  return {"00112233445566778899aabbccddeeff",
          1'699'999'999,
          "identity",
          {"zyg=mz", "zyg=dz"},
          kZyg,
          false,
          "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"};
}

Entry ACharge() {
  CellBook book(kZyg);
  Entry entry;
  entry.position = 1;
  entry.number = 1;
  entry.unix_seconds = 1'700'000'000;
  entry.policy = "policy";
  entry.subject = "SELECT count(*) FROM t";
  entry.answer_key = "key";
  entry.postings.resize(1);
  entry.postings[0].cells = book.Of({0, 1});
  entry.postings[0].amount = 429496729;
  return entry;
}

Entry AVersion() {
  Entry version;
  version.position = 2;
  version.kind = Kind::kVersion;
  version.number = 1;
  version.unix_seconds = 1'700'000'001;
  version.policy = "policy";
  version.subject = "2026-11";
  version.answer_key = "0011-1-aa";
  version.merged = true;
  return version;
}

// Computed from docs/guide/ledger_format.md by another program (Python's hashlib): the format may not drift.
// Computed from docs/guide/ledger_format.md by another program (Python's hmac): the format may not drift.
TEST(Chain, HeadsFollowTheWrittenFormat) {
  const Birth birth = ABirth();
  const std::string first = FirstHead(birth);
  EXPECT_EQ(first, "725bc069263a3e75e1cb4ea924a72b63b264dea1324eed94fb56adac8f14017c");
  Entry charge = ACharge();
  charge.caller = "ada";
  charge.postings[0].covers = Covers::kAny;
  charge.postings.push_back(charge.postings[0]);
  CellBook book(kZyg);
  charge.postings[1].account = "one-sided:arrival";
  charge.postings[1].cells = book.Of({});
  charge.postings[1].amount = 60;
  charge.postings[1].rule = "ill = 'y'";
  const std::string second = NextHead(first, charge, birth.secret);
  EXPECT_EQ(second, "72b9f4a6f5901b646cbc2a1063df89ef1974a68a98ed8bafac56164f4e19fc2f");
  EXPECT_EQ(NextHead(second, AVersion(), birth.secret),
            "5c428b324b282a880c2b914187d82092bc4a871abdf218198cb5b67ec7779c85");
}

TEST(Chain, EveryFieldCounts) {
  const std::string head = NextHead("head", ACharge(), "secret");
  CellBook book(kZyg);
  const std::vector<std::function<void(Entry&)>> edits = {
      [](Entry& e) { e.position = 2; },
      [](Entry& e) { e.kind = Kind::kAnswer; },
      [](Entry& e) { e.number = 2; },
      [](Entry& e) { e.unix_seconds += 1; },
      [](Entry& e) { e.caller = "p"; },
      [](Entry& e) { e.policy = "polic"; },
      [](Entry& e) { e.subject = "ySELECT count(*) FROM t"; },
      [](Entry& e) { e.answer_key = "kez"; },
      [](Entry& e) { e.digest = "0"; },
      [](Entry& e) { e.merged = true; },
      [](Entry& e) { e.once = true; },
      [](Entry& e) { e.carried = true; },
      [](Entry& e) { e.postings.clear(); },
      [](Entry& e) { e.postings.push_back(e.postings[0]); },
      [](Entry& e) { e.postings[0].account = "plaim"; },
      [](Entry& e) { e.postings[0].level = Level::kHousehold; },
      [&](Entry& e) { e.postings[0].cells = book.Of({0}); },
      [](Entry& e) { e.postings[0].loss = LossKind::kRho; },
      [](Entry& e) { e.postings[0].neighbours = Neighbours::kContent; },
      [](Entry& e) { e.postings[0].covers = Covers::kAny; },
      [](Entry& e) { e.postings[0].tick = 0; },
      [](Entry& e) { e.postings[0].amount -= 1; },
      [](Entry& e) { e.postings[0].rule = "r"; },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Entry entry = ACharge();
    edits[i](entry);
    EXPECT_NE(NextHead("head", entry, "secret"), head) << i;
  }
  EXPECT_NE(NextHead("heae", ACharge(), "secret"), head);
  EXPECT_NE(NextHead("head", ACharge(), "secreu"), head);
}

TEST(Chain, AViewTakesOnlyLawfulEntries) {
  const Birth birth = ABirth();
  const View start = View::AtBirth(birth);
  const std::vector<std::function<void(Entry&)>> wrong = {
      [](Entry& e) { e.number = 2; },
      [](Entry& e) { e.postings[0].amount = -1; },
      [](Entry& e) { e.postings[0].amount = PlainUnits::kMax + 1; },
      [](Entry& e) {
        e.postings[0].amount = PlainUnits::kMax;
        e.postings.push_back(e.postings[0]);
      },
      [](Entry& e) { e.kind = Kind::kAnswer; },
      [](Entry& e) { e.kind = static_cast<Kind>(8); },
      [](Entry& e) { e.kind = Kind::kVersion; },  // it charges units
      [](Entry& e) { e.kind = Kind::kSeal; },     // the same
      [](Entry& e) { e.merged = true; },
      [](Entry& e) { e.once = true; },
      [](Entry& e) { e.postings[0].covers = static_cast<Covers>(2); },
      [](Entry& e) { e.postings[0].level = static_cast<Level>(2); },
      [](Entry& e) { e.postings[0].loss = static_cast<LossKind>(0); },
      [](Entry& e) { e.postings[0].neighbours = static_cast<Neighbours>(4); },
      [](Entry& e) { e.postings[0].tick = 0; },  // not for a stream
      [](Entry& e) { e.postings[0].tick = -2; },
      [](Entry& e) {
        NamedSet foreign = *e.postings[0].cells;
        foreign.known = false;
        e.postings[0].cells = std::make_shared<NamedSet>(foreign);
      },
  };
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    View view = start;
    Entry entry = ACharge();
    wrong[i](entry);
    EXPECT_TRUE(view.AddVerified(entry, NextHead(start.head, entry, birth.secret))) << i;
    EXPECT_EQ(view.head, start.head) << i;
    EXPECT_EQ(view.totals, start.totals) << i;
    EXPECT_FALSE(view.Used()) << i;
  }
  View view = start;
  EXPECT_TRUE(view.AddVerified(ACharge(), std::string(64, '0'))) << "wrong digest";
  EXPECT_FALSE(view.AddVerified(ACharge(), NextHead(start.head, ACharge(), birth.secret)));
  EXPECT_EQ(view.totals, (std::vector<std::int64_t>{429496729, 429496729}));
  EXPECT_TRUE(view.AddVerified(ACharge(), NextHead(view.head, ACharge(), birth.secret))) << "the same position again";
}

}  // namespace
}  // namespace kith::ledger
