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

Entry AnAnswer() {
  Entry answer;
  answer.position = 2;
  answer.kind = Kind::kAnswer;
  answer.number = 1;
  answer.unix_seconds = 1'700'000'001;
  answer.answer_key = "key";
  answer.digest = "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb";
  return answer;
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
TEST(Chain, HeadsOfFormats1To3FollowTheWrittenFormat) {
  Birth birth = ABirth();
  birth.secret.clear();
  birth.born = 1;
  birth.old_entries = birth.entries_4 = kAllOld;
  const Formula formula = Formula::Of(birth);
  const std::string first = FirstHead(birth);
  EXPECT_EQ(first, "130c5ec849e7e2a2ed0c66ded501f7ffd4f104aa1ca1a41ea893d2ebcfa27623");
  const std::string second = NextHead(first, ACharge(), formula);
  EXPECT_EQ(second, "8b57490cf0b890b1faad6621ccb1cb66f0bb65282b47c4ec8931a4d299329494");
  EXPECT_EQ(NextHead(second, AnAnswer(), formula), "9dabe6a361d68000a604376ab9dcae3f68d5f9c0dddd4f470ae6e7ff352590d6");
}

// The same by Python's hmac.
TEST(Chain, HeadsOfFormat4FollowTheWrittenFormat) {
  Birth birth = ABirth();
  birth.born = 4;
  birth.entries_4 = kAllOld;
  const std::string first = FirstHead(birth);
  EXPECT_EQ(first, "d9f32794a6d808292a5c02d1b9f72a8446e4add4393bc910160fe2d17bd28507");
  Entry charge = ACharge();
  charge.postings[0].covers = Covers::kAny;
  const std::string second = NextHead(first, charge, Formula::Of(birth));
  EXPECT_EQ(second, "29f9c226652980bd5b6c1ee3bbe39ed30986bd23fc55dd6edd361d2603969c7b");
  EXPECT_EQ(NextHead(second, AVersion(), Formula::Of(birth)),
            "0495960f7a7f6d905aaaa5b32832ead611e37249fe652fd1b421306bf11a4257");
}

TEST(Chain, HeadsFollowTheWrittenFormat) {
  const Birth birth = ABirth();
  const std::string first = FirstHead(birth);
  EXPECT_EQ(first, "b47bdad775effa4094f73a27b3ec51b34b1cc17bc91e1e9d6d874aa861d18e2d");
  Entry charge = ACharge();
  charge.caller = "ada";
  charge.postings[0].covers = Covers::kAny;
  charge.postings.push_back(charge.postings[0]);
  CellBook book(kZyg);
  charge.postings[1].account = "one-sided:arrival";
  charge.postings[1].cells = book.Of({});
  charge.postings[1].amount = 60;
  charge.postings[1].rule = "ill = 'y'";
  const std::string second = NextHead(first, charge, Formula::Of(birth));
  EXPECT_EQ(second, "4bef647b3a3b6917571c3a05c31fd95912384de86d86c40caf05e28ed09ab4c3");
  EXPECT_EQ(NextHead(second, AVersion(), Formula::Of(birth)),
            "1d9375529b5f4c39cc5eb9fea5b1107bb50ede42e05601816054611692f12850");
}

TEST(Chain, EveryFieldCounts) {
  const Formula formula{"secret"};
  const std::string head = NextHead("head", ACharge(), formula);
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
    EXPECT_NE(NextHead("head", entry, formula), head) << i;
  }
  EXPECT_NE(NextHead("heae", ACharge(), formula), head);
  EXPECT_NE(NextHead("head", ACharge(), {"secreu"}), head);
}

TEST(Chain, OldDigestsCoverOldEntriesOnly) {
  const Formula formula{"secret", false, 4, 0, kAllOld};
  CellBook book(kZyg);
  EXPECT_NE(NextHead("head", ACharge(), formula), "");
  const std::vector<std::function<void(Entry&)>> edits = {
      [](Entry& e) { e.caller = "p"; },
      [](Entry& e) { e.once = true; },
      [](Entry& e) { e.merged = true; },
      [](Entry& e) { e.postings.clear(); },
      [](Entry& e) { e.postings.push_back(e.postings[0]); },
      [](Entry& e) { e.postings[0].level = Level::kHousehold; },
      [](Entry& e) { e.postings[0].loss = LossKind::kMu; },
      [](Entry& e) { e.postings[0].neighbours = Neighbours::kPresence; },
      [](Entry& e) { e.postings[0].tick = 1; },
      [](Entry& e) { e.postings[0].rule = "r"; },
      [](Entry& e) { e.subject = "one-sided 5 1:a 1:b; q"; },
      [](Entry& e) { e.kind = Kind::kCap; },
  };
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Entry entry = ACharge();
    edits[i](entry);
    EXPECT_EQ(NextHead("head", entry, formula), "") << i;
  }
}

TEST(Chain, AViewTakesOnlyLawfulEntries) {
  const Birth birth = ABirth();
  const Formula formula = Formula::Of(birth);
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
      [](Entry& e) { e.kind = static_cast<Kind>(9); },
      [](Entry& e) { e.kind = Kind::kFormat; },
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
    EXPECT_TRUE(view.AddVerified(entry, NextHead(start.head, entry, formula))) << i;
    EXPECT_EQ(view.head, start.head) << i;
    EXPECT_EQ(view.totals, start.totals) << i;
    EXPECT_FALSE(view.Used()) << i;
  }
  View view = start;
  EXPECT_TRUE(view.AddVerified(ACharge(), std::string(64, '0'))) << "wrong digest";
  EXPECT_FALSE(view.AddVerified(ACharge(), NextHead(start.head, ACharge(), formula)));
  EXPECT_EQ(view.totals, (std::vector<std::int64_t>{429496729, 429496729}));
  EXPECT_TRUE(view.AddVerified(ACharge(), NextHead(view.head, ACharge(), formula))) << "the same position again";
}

}  // namespace
}  // namespace kith::ledger
