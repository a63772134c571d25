// Entries and postings that this version does not write: they are read, verified and shown, and nothing is charged or
// stated as if they were not there.
#include <gtest/gtest.h>

#include <functional>

#include "base/digest.h"
#include "ledger/ledger_test_tools.h"
#include "ledger/store.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCells = 3;

// Writes one more entry, as a later version would. `fill` says what it is; text, if any, belongs to it.
void AppendAs(const fs::path& file, const std::function<void(Entry&, Store&, const View&)>& fill,
              const std::string& text = {}) {
  auto store = std::move(Store::Open(Places::Of(file).value(), std::chrono::seconds(1)).value());
  View view = View::AtBirth(store->birth());
  auto transaction = Transaction::BeginWrite(store->connection());
  ASSERT_TRUE(store->CatchUp(view));
  const std::string digest = text.empty() ? "" : Sha256(text);
  Entry entry;
  entry.position = view.position + 1;
  entry.number = 1;
  entry.unix_seconds = 1'700'000'000;
  entry.policy = "policy";
  entry.digest = digest;
  fill(entry, *store, view);
  const auto wrong = view.Add(entry);
  ASSERT_FALSE(wrong) << *wrong;
  ASSERT_TRUE(store->Append(entry, view.head));
  ASSERT_TRUE(text.empty() || store->AppendText(entry.position, text));
  ASSERT_TRUE(store->WriteSummary(view));
  ASSERT_TRUE(transaction->Commit());
}

fs::path UsedLedger(const Scratch& scratch) {
  const fs::path file = scratch / "a.ledger";
  Ledger book = OpenOrDie(file, kCells);
  EXPECT_TRUE(book.StoreAnswer(book.Charge(Request(5, {0, 1}, kCells)).value(), "key", "forty-two"));
  return file;
}

std::function<void(Entry&, Store&, const View&)> Of(Kind kind, const char* subject) {
  return [=](Entry& entry, Store&, const View&) {
    entry.kind = kind;
    entry.subject = subject;
  };
}

// A charge with one more posting.
std::function<void(Entry&, Store&, const View&)> ChargeWith(const std::function<void(Posting&)>& change) {
  return [=](Entry& entry, Store& store, const View& view) {
    entry.number = view.charges + 1;
    entry.subject = "later";
    entry.answer_key = "later key";
    entry.postings.resize(2);
    entry.postings[0].cells = entry.postings[1].cells = store.book().Of({0});
    entry.postings[0].amount = 10;
    entry.postings[1].amount = 10;
    change(entry.postings[1]);
  };
}

struct Case {
  const char* name;
  bool totals;  // whether totals are still stated
  std::function<void(Entry&, Store&, const View&)> fill;
};

std::vector<Case> Cases() {
  return {
      {"seal", true, Of(Kind::kSeal, "next.ledger")},
      {"alarm", false, Of(Kind::kAlarm, "pairs")},
      {"generation", false, Of(Kind::kGeneration, "2")},
      {"cap", true,
       [](Entry& entry, Store& store, const View&) {
         entry.kind = Kind::kCap;
         entry.postings.resize(2);
         entry.postings[0].cells = store.book().Of({0, 1, 2});
         entry.postings[0].loss = LossKind::kMu;
         entry.postings[0].amount = 100;
         entry.postings[1].account = "analyst:ada";
         entry.postings[1].cells = store.book().Of({});
         entry.postings[1].amount = 7;
       }},
      {"household", false, ChargeWith([](Posting& p) { p.level = Level::kHousehold; })},
      {"mu", false, ChargeWith([](Posting& p) { p.loss = LossKind::kMu; })},
      {"rho", false, ChargeWith([](Posting& p) { p.loss = LossKind::kRho; })},
      {"delta", false, ChargeWith([](Posting& p) { p.loss = LossKind::kDelta; })},
      {"presence of households", false, ChargeWith([](Posting& p) {
         p.neighbours = Neighbours::kPresence;
         p.level = Level::kHousehold;
         p.covers = Covers::kAny;
       })},
      {"content of records", false, ChargeWith([](Posting& p) {
         p.neighbours = Neighbours::kContent;
         p.account = "one-sided:ages";
       })},
      {"another account", false, ChargeWith([](Posting& p) { p.account = "group:2"; })},
      {"one-sided by cell", false, ChargeWith([](Posting& p) { p.account = "one-sided:a"; })},
      {"analyst", true, ChargeWith([](Posting& p) { p.account = "analyst:ada"; })},
  };
}

TEST(LedgerKinds, WhatThisVersionCannotAccountForStopsCharges_LEDGER1) {
  for (const Case& each : Cases()) {
    const Scratch scratch;
    const fs::path file = UsedLedger(scratch);
    Ledger early = OpenOrDie(file, kCells);
    AppendAs(file, each.fill);
    Ledger late = OpenOrDie(file, kCells);
    for (Ledger* book : {&early, &late}) {
      const auto refused = book->Charge(Request(1, {2}, kCells));
      ASSERT_FALSE(refused) << each.name;
      EXPECT_EQ(refused.error().code, Code::kInvalidArgument) << each.name;
      EXPECT_NE(refused.error().what.find("entry 3"), std::string::npos) << refused.error().Text();
      EXPECT_FALSE(refused.error().next.empty());
      EXPECT_FALSE(book->Charge(Request(0, {}, kCells))) << each.name << ": not even a charge of nothing";
      EXPECT_FALSE(book->ReplaceData(0, "", "a")) << each.name;
      EXPECT_EQ(book->Totals().has_value(), each.totals) << each.name;
      const auto history = book->History();
      ASSERT_TRUE(history) << each.name;
      EXPECT_EQ((*history)[0].units.count(), 5) << each.name;
      EXPECT_TRUE((*history)[0].whole) << each.name;
      EXPECT_TRUE(history->size() == 1 || !history->back().whole) << each.name;
      EXPECT_TRUE(book->Verify()) << each.name;
      EXPECT_TRUE(book->DataHistory()) << each.name;
      EXPECT_EQ(book->FindAnswer("key").value()->answer, "forty-two") << each.name;
    }
  }
}

// The planted fault: without the second posting nothing prevents it.
TEST(LedgerKinds, TheCheckAboveSeesAVersionThatIgnoresThem) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  AppendAs(file, [](Entry& entry, Store& store, const View& view) {
    ChargeWith([](Posting&) {})(entry, store, view);
    entry.postings.pop_back();
  });
  Ledger book = OpenOrDie(file, kCells);
  EXPECT_TRUE(book.Charge(Request(1, {2}, kCells)));
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{15, 5, 1}));
}

// A charge of later versions may take different amounts from different cells; that much this one can account for.
TEST(LedgerKinds, SeveralPostingsAddUp) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  AppendAs(file, [](Entry& entry, Store& store, const View& view) {
    ChargeWith([&](Posting& p) {
      p.cells = store.book().Of({0, 2});
      p.amount = 4;
    })(entry, store, view);
    entry.caller = "ada";
  });
  Ledger book = OpenOrDie(file, kCells);
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{19, 5, 4}));
  const auto line = book.History().value()[1];
  EXPECT_EQ(line.units.count(), 14) << "what the cell that lost most lost";
  EXPECT_EQ(line.cells, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(line.caller, "ada");
  EXPECT_FALSE(book.Charge(Request(2, {0}, kCells, 20)));
  EXPECT_TRUE(book.Charge(Request(1, {0}, kCells, 20)));
}

TEST(LedgerKinds, ASealNamesWhatGoesOnAndNothingFollowsIt) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  AppendAs(file, Of(Kind::kSeal, "next.ledger"), "why");
  Ledger book = OpenOrDie(file, kCells);
  EXPECT_NE(book.Charge(Request(1, {2}, kCells)).error().next.find("next.ledger"), std::string::npos);
  EXPECT_TRUE(book.Verify());
  auto store = std::move(Store::Open(Places::Of(file).value(), std::chrono::seconds(1)).value());
  View view = View::AtBirth(store->birth());
  ASSERT_TRUE(store->CatchUp(view));
  Entry entry;
  entry.position = view.position + 1;
  entry.number = 2;
  EXPECT_TRUE(view.Add(entry)) << "a charge behind a seal is not lawful";
}

// Nothing was charged, but somebody sealed or capped it: it may not be rebound, which would drop that.
TEST(LedgerKinds, AreNotDroppedByAnotherPolicy) {
  for (const Case& each : Cases()) {
    if (std::string_view(each.name) != "seal" && std::string_view(each.name) != "cap") continue;
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    { OpenOrDie(file, kCells); }
    AppendAs(file, each.fill);
    LedgerBinding other = Binding(2);
    other.identity = "other";
    EXPECT_FALSE(Ledger::Open(file, other, true)) << each.name;
    EXPECT_TRUE(Ledger::Open(file, Binding(kCells), true)) << each.name;
  }
}

const std::string kAbout(64, 'a');

TEST(LedgerAlarms, AreKeptForEverAndStopNothing_CHECK3) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  {
    Ledger book = OpenOrDie(file, kCells);
    EXPECT_TRUE(book.Totals()->alarms.empty());
    ASSERT_TRUE(book.RaiseAlarm(kAbout, "too strong"));
    ASSERT_TRUE(book.RaiseAlarm(kAbout, "too strong")) << "once is enough";
    ASSERT_TRUE(book.RaiseAlarm(std::string(64, 'b'), "too strong"));
    EXPECT_TRUE(book.Charge(Request(1, {2}, kCells)));
  }
  const Ledger book = OpenOrDie(file, kCells);
  const auto alarms = book.Totals().value().alarms;
  ASSERT_EQ(alarms.size(), 2U);
  EXPECT_EQ(alarms[0].about, kAbout);
  EXPECT_EQ(alarms[1].number, 2);
  EXPECT_EQ(alarms[1].found, "too strong");
  EXPECT_EQ(Counts(book.Totals().value().spent), (std::vector<std::int64_t>{5, 5, 1}));
  EXPECT_TRUE(book.Verify());
  const std::string whole = ReadAll(file);
  for (const char* edit :
       {"UPDATE entries SET subject = 'fine' WHERE kind = 6", "UPDATE entries SET answer_key = 'c' WHERE kind = 6"}) {
    WriteAll(file, whole);
    Sql(file, edit);
    EXPECT_FALSE(Ledger::Open(file, Binding(kCells), false)) << edit;
  }
}

// The planted fault: an alarm that does not say what it is about would be forgotten with the next declaration.
TEST(LedgerAlarms, OneThatSaysNotWhatItIsAboutStillStopsCharges) {
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  {
    Ledger book = OpenOrDie(file, kCells);
    EXPECT_FALSE(book.RaiseAlarm("", "too strong"));
    EXPECT_FALSE(book.RaiseAlarm(kAbout, ""));
    EXPECT_TRUE(book.Totals()->alarms.empty());
  }
  AppendAs(file, Of(Kind::kAlarm, "too strong"));
  Ledger book = OpenOrDie(file, kCells);
  EXPECT_FALSE(book.Charge(Request(1, {2}, kCells)));
  EXPECT_FALSE(book.Totals());
}

TEST(LedgerKinds, EveryEditOfThemShows_LEDGER3) {
  for (const Case& each : Cases()) {
    const Scratch scratch;
    const fs::path file = UsedLedger(scratch);
    AppendAs(file, each.fill);
    const std::string whole = ReadAll(file);
    for (const char* edit : {"UPDATE entries SET kind = kind % 7 + 1, number = 9 WHERE position = 3",
                             "UPDATE entries SET subject = 'x' WHERE position = 3",
                             "UPDATE summary SET position = 2, head = (SELECT head FROM entries WHERE position = 2)",
                             "DELETE FROM postings WHERE position = 3; DELETE FROM entries WHERE position = 3; UPDATE "
                             "summary SET position "
                             "= 2, charges = 1"}) {
      WriteAll(file, whole);
      Sql(file, edit);
      EXPECT_FALSE(Ledger::Open(file, Binding(kCells), false)) << each.name << ": " << edit;
    }
  }
}

// Cells of another generation have values that this ledger does not know.
TEST(LedgerKinds, CellsOfALaterGenerationAreLawfulAfterItOnly) {
  const auto elsewhere = [](Entry& entry, Store& store, const View& view) {
    CellBook later({{"ward", {"A", "B"}}});
    const auto set = later.Of({1});
    entry.number = view.charges + 1;
    entry.postings.resize(1);
    entry.postings[0].cells = store.book().Read(set->digest, set->text);
    entry.postings[0].amount = 10;
  };
  const Scratch scratch;
  const fs::path file = UsedLedger(scratch);
  {
    auto store = std::move(Store::Open(Places::Of(file).value(), std::chrono::seconds(1)).value());
    View view = View::AtBirth(store->birth());
    ASSERT_TRUE(store->CatchUp(view));
    Entry entry;
    entry.position = view.position + 1;
    elsewhere(entry, *store, view);
    EXPECT_TRUE(view.Add(entry)) << "nobody said that there are such cells";
  }
  AppendAs(file, Of(Kind::kGeneration, "2"), "map of cells");
  AppendAs(file, elsewhere);
  const Ledger book = OpenOrDie(file, kCells);
  EXPECT_FALSE(book.Totals());
  EXPECT_EQ(book.History().value().size(), 2U);
  EXPECT_TRUE(book.Verify());
}

}  // namespace
}  // namespace kith::ledger
