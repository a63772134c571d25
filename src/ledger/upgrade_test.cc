// Ledgers of older formats: read as they are, upgraded when they are opened for writing, or left as they were.
#include <gtest/gtest.h>

#include <functional>

#include "ledger/old_ledgers_test_tools.h"
#include "ledger/store.h"
#include "tests/support/source_folder.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

Ledger OpenOld(const fs::path& file, int format, bool read_only = false) {
  LedgerOptions options;
  options.read_only = read_only;
  auto opened = Ledger::Open(file, OldBinding(format), false, options);
  if (!opened) ADD_FAILURE() << opened.error().Text();
  return std::move(opened.value());
}

ChargeRequest Another(int format, const std::string& key) {
  ChargeRequest request = Request(100, {0}, format == 2 ? 2 : 3);
  request.answer_key = key;
  if (format == 2) request.step = StreamStep{9, 3};
  return request;
}

// What the old program had written: totals and history.
void ExpectOldContent(const Ledger& book, int format) {
  const auto history = book.History().value();
  ASSERT_GE(history.size(), 3U);
  EXPECT_EQ(history[0].question, format == 2 ? "q" : "SELECT count(*) FROM t");
  EXPECT_EQ(history[0].units.count(), format == 2 ? 10 : 5);
  EXPECT_EQ(history[2].units.count(), format == 2 ? 13 : 9);
  EXPECT_EQ(history[2].tick, format == 2 ? 3 : 0);
  EXPECT_EQ(history[0].answered, format != 2);
  EXPECT_EQ(history[1].answered, format == 2);
  EXPECT_EQ(history[2].one_sided_account, format == 3 ? "arrival" : "");
  EXPECT_EQ(book.OneSided().value().size(), format == 3 ? 1U : 0U);
  const std::string key = format == 2 ? "step 2" : "key 1";
  const auto found = book.FindAnswer(key).value();
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->answer, format == 2 ? "two" : "forty-two");
  EXPECT_EQ(found->entry.head, "");
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(history[i].head, "") << "without a secret in it";
  EXPECT_EQ(book.SafeFrom().value(), 3);
  EXPECT_TRUE(book.Verify());
}

std::vector<std::int64_t> OldTotals(int format) {
  return format == 2 ? std::vector<std::int64_t>{22, 13} : std::vector<std::int64_t>{14, 21, 9};
}

TEST(LedgerUpgrade, OldFormatsKeepWhatTheySayAndGoOn_LEDGER6) {
  for (const int format : {1, 2, 3}) {
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    MakeOld(file, format);
    std::string head;
    {
      Ledger book = OpenOld(file, format);
      ExpectOldContent(book, format);
      EXPECT_EQ(Counts(book.Spent().value()), OldTotals(format));
      EXPECT_EQ(book.Data().value(), DataState{});
      const auto next = book.Charge(Another(format, "new key"));
      ASSERT_TRUE(next) << next.error().Text();
      EXPECT_EQ(next->number, 4);
      head = next->head;
      EXPECT_TRUE(book.StoreAnswer(*next, "new key", "new answer"));
      EXPECT_FALSE(format == 2 && book.Charge(Another(2, "step 3"))) << "old steps stay charged";
    }
    const Ledger again = OpenOld(file, format);
    ExpectOldContent(again, format);
    const auto history = again.History().value();
    ASSERT_EQ(history.size(), 4U);
    EXPECT_EQ(history[3].head, head);
    EXPECT_EQ(head.size(), 64U);
    auto totals = OldTotals(format);
    totals[0] += 100;
    EXPECT_EQ(Counts(again.Spent().value()), totals);
    EXPECT_EQ(again.FindAnswer("new key").value()->entry.head, head);
    EXPECT_NE(again.KeyOf("text"), OpenOrDie(scratch / "other.ledger", 1).KeyOf("text"));
  }
}

// The same for every old ledger: what it says when it is read as it is, and after it was rewritten.
struct Said {
  std::vector<std::int64_t> spent, presence, any;
  std::vector<HistoryLine> history;
  std::vector<DataLine> versions;
  std::vector<OneSidedAccount> accounts;
  std::vector<std::int64_t> windows;
  DataState data;
  bool moved = false, policy_changed = false;
  std::int64_t safe_from = 0;
  std::string answer, answer_head, key;
};

Said WhatIsSaid(const Ledger& book, const OldLedger& old) {
  Said said{Counts(book.Spent().value()),
            Counts(book.SpentOnPresence().value()),
            Counts(book.SpentOnAny().value()),
            book.History().value(),
            book.DataHistory().value(),
            book.OneSided().value(),
            {},
            book.Data().value(),
            book.Moved().value(),
            book.policy_changed(),
            book.SafeFrom().value(),
            {},
            {},
            old.format == 4 ? book.KeyOf("text") : ""};
  if (old.binding.stream) said.windows = Counts(book.LargestWindows(3, std::nullopt).value());
  if (old.key != nullptr) {
    const auto found = book.FindAnswer(old.key).value();
    said.answer = found ? found->answer : "none";
    said.answer_head = found ? found->entry.head : "none";
  }
  EXPECT_TRUE(book.Verify());
  return said;
}

std::string Text(const HistoryLine& line) {
  std::string text = std::to_string(line.number) + "," + std::to_string(line.unix_seconds) + "," + line.question + "," +
                     std::to_string(line.units.count()) + "," + std::to_string(line.presence.count()) + "," +
                     line.policy + "," + line.head + "," + std::to_string(line.answered) + "," +
                     std::to_string(line.tick) + "," + line.one_sided_account + "," +
                     std::to_string(line.one_sided_units.count()) + "," + std::to_string(line.data) + "," +
                     std::to_string(static_cast<int>(line.covers)) + "," + line.caller + ",";
  for (const std::size_t cell : line.cells) text += std::to_string(cell) + " ";
  return text;
}

void ExpectSame(const Said& a, const Said& b, const char* name) {
  EXPECT_EQ(a.spent, b.spent) << name;
  EXPECT_EQ(a.presence, b.presence) << name;
  EXPECT_EQ(a.any, b.any) << name;
  EXPECT_EQ(a.windows, b.windows) << name;
  EXPECT_EQ(a.data, b.data) << name;
  EXPECT_EQ(a.moved, b.moved) << name;
  EXPECT_EQ(a.policy_changed, b.policy_changed) << name;
  EXPECT_EQ(a.safe_from, b.safe_from) << name;
  EXPECT_EQ(a.answer, b.answer) << name;
  EXPECT_EQ(a.answer_head, b.answer_head) << name;
  EXPECT_EQ(a.key, b.key) << name << ": answers are found again";
  ASSERT_EQ(a.history.size(), b.history.size()) << name;
  for (std::size_t i = 0; i < a.history.size(); ++i) EXPECT_EQ(Text(a.history[i]), Text(b.history[i])) << name;
  ASSERT_EQ(a.versions.size(), b.versions.size()) << name;
  for (std::size_t i = 0; i < a.versions.size(); ++i) {
    EXPECT_EQ(a.versions[i].label, b.versions[i].label) << name;
    EXPECT_EQ(a.versions[i].after_charge, b.versions[i].after_charge) << name;
    EXPECT_EQ(a.versions[i].merged, b.versions[i].merged) << name;
  }
  ASSERT_EQ(a.accounts.size(), b.accounts.size()) << name;
  for (std::size_t i = 0; i < a.accounts.size(); ++i) {
    EXPECT_EQ(a.accounts[i].spent, b.accounts[i].spent) << name;
    EXPECT_EQ(a.accounts[i].rules, b.accounts[i].rules) << name;
  }
}

TEST(LedgerUpgrade, EveryOldLedgerSaysTheSameBeforeAndAfter_LEDGER2) {
  for (const OldLedger& old : OldLedgers()) {
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    MakeOld(file, old);
    const std::string bytes = ReadAll(file);
    LedgerOptions looking;
    looking.read_only = true;
    Said before;
    {
      const auto book = Ledger::Open(file, old.binding, false, looking);
      ASSERT_TRUE(book) << old.name << ": " << book.error().Text();
      before = WhatIsSaid(*book, old);
    }
    EXPECT_EQ(ReadAll(file), bytes) << old.name << ": looking changes nothing";
    EXPECT_EQ(before.spent, old.totals) << old.name;
    EXPECT_EQ(before.presence, old.totals) << old.name << ": what they say bounds presence as well";
    EXPECT_EQ(before.any, old.any) << old.name;
    EXPECT_EQ(before.history.size(), old.charges) << old.name;
    EXPECT_EQ(before.safe_from, old.safe_from) << old.name;
    EXPECT_TRUE(old.key == nullptr || before.answer == old.answer) << old.name;
    for (int opening = 0; opening < 2; ++opening) {
      const auto book = Ledger::Open(file, old.binding, false);
      ASSERT_TRUE(book) << old.name << ": " << book.error().Text();
      ExpectSame(before, WhatIsSaid(*book, old), old.name);
      EXPECT_NE(book->Head().value().head, "") << old.name;
    }
    EXPECT_EQ(Connection::Open(file, std::chrono::seconds(1)).value()->Ask("PRAGMA user_version").value(), "5");
  }
}

// The file itself, as the program of that time left it on the disk.
TEST(LedgerUpgrade, AFileOfFormat4GoesOn) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  fs::copy_file(testing::SourceFolder() / "tests/vectors/format4.ledger", file);
  const OldLedger old = OldLedgers()[3];
  auto book = Ledger::Open(file, old.binding, false);
  ASSERT_TRUE(book) << book.error().Text();
  EXPECT_EQ(Counts(book->Spent().value()), old.totals);
  EXPECT_EQ(book->KeyOf("text"), "6b4d6af9c6c66b8bfe08a325f205b8911480b89730258d9aed2407d160a8284d");
  EXPECT_EQ(book->History().value()[3].head, "a557396cba1777cfbd69a6243dc0cea2bdf02413a5f92076f5f274e04abc1492")
      << "as it was printed";
  ChargeRequest request = Request(1, {0}, 3);
  request.data = 1;
  EXPECT_EQ(book->Charge(request).value().number, 5);
  EXPECT_TRUE(book->Verify());
}

TEST(LedgerUpgrade, LookingLeavesAnOldFormatAsItIs) {
  for (const int format : {1, 2, 3}) {
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    MakeOld(file, format);
    const std::string before = ReadAll(file), marker = ReadAll(scratch / ".kith/a.ledger.created");
    Ledger book = OpenOld(file, format, true);
    ExpectOldContent(book, format);
    EXPECT_EQ(Counts(book.Spent().value()), OldTotals(format));
    EXPECT_EQ(book.Head().value().number, 3);
    EXPECT_EQ(book.Head().value().head, "") << "it has no secret in it";
    EXPECT_EQ(ReadAll(file), before);
    EXPECT_EQ(ReadAll(scratch / ".kith/a.ledger.created"), marker);
    (void)OpenOld(file, format);  // somebody upgrades it in the meantime
    EXPECT_EQ(book.SafeFrom().value(), 3);
    EXPECT_NE(book.Head().value().head, "");
    ExpectOldContent(book, format);
  }
}

// The upgrade may not make a changed ledger look right.
TEST(LedgerUpgrade, AChangedOldLedgerIsRefusedBeforeAndAfter) {
  const std::pair<const char*, const char*> edits[] = {
      {"UPDATE entries SET units = 4 WHERE position = 1", "UPDATE postings SET amount = 4 WHERE position = 1"},
      {"UPDATE entries SET head = 'x' WHERE position = 4", "UPDATE entries SET head = 'x' WHERE position = 4"},
      {"UPDATE summary SET totals = x'0300'", "UPDATE summary SET totals = x'0300'"},
      {"DELETE FROM entries WHERE position = 4", "DELETE FROM entries WHERE position = 4"},
      {"UPDATE cells SET name = 'other' WHERE cell = 1", "UPDATE cells SET name = 'other' WHERE cell = 1"},
      {"UPDATE entries SET question = 'x' WHERE position = 2", "UPDATE entries SET subject = 'x' WHERE position = 2"},
      {"UPDATE entries SET cells = x'0107' WHERE position = 1",
       "UPDATE postings SET cells = (SELECT cells FROM postings WHERE position = 4) WHERE position = 1"},
  };
  for (const OldLedger& old : OldLedgers()) {
    if (old.binding.stream || old.binding.fixed_cells) continue;
    for (const auto& [before, after] : edits) {
      const Scratch scratch;
      const fs::path file = scratch / "a.ledger";
      MakeOld(file, old);
      Sql(file, before);
      EXPECT_EQ(Ledger::Open(file, old.binding, false).error().code, Code::kStorage) << old.name << ": " << before;
      MakeOld(file, old);
      { EXPECT_TRUE(Ledger::Open(file, old.binding, false)); }
      Sql(file, after);
      EXPECT_EQ(Ledger::Open(file, old.binding, false).error().code, Code::kStorage) << old.name << ": " << after;
    }
  }
}

// What old digests do not cover, and where old changes to new, cannot be changed either.
TEST(LedgerUpgrade, TheTurnIsCovered_LEDGER3) {
  const char* const edits[] = {
      "UPDATE postings SET covers = 1 - covers WHERE position = 1",
      "UPDATE postings SET tick = tick + 1 WHERE position = 1",
      "UPDATE postings SET level = 1 WHERE position = 1",
      "UPDATE postings SET loss = 2 WHERE position = 1",
      "UPDATE postings SET neighbours = 2 WHERE position = 1",
      "UPDATE postings SET rule = 'x' WHERE position = 1",
      "UPDATE postings SET account = 'analyst:x' WHERE position = 1",
      "UPDATE entries SET caller = 'x' WHERE position = 1",
      "UPDATE entries SET once = 1 - once WHERE position = 1",
      "UPDATE entries SET merged = 1 WHERE position = 1",
      "INSERT INTO postings SELECT position, 1, account, level, cells, loss, neighbours, covers, tick, 0, rule FROM "
      "postings WHERE position = 1",
      "DELETE FROM postings WHERE position = 1",
      "UPDATE birth SET old_entries = 3",
      "UPDATE birth SET old_entries = old_entries + 1",
      "UPDATE birth SET entries_4 = entries_4 + 1",
      "UPDATE birth SET entries_4 = entries_4 - 1",
      "UPDATE birth SET old_entries = 2, entries_4 = 2",
      "UPDATE birth SET born = born + 1",
      "UPDATE birth SET born = 5, old_entries = 0, entries_4 = 0",
      "UPDATE birth SET born = 5",
      "UPDATE birth SET secret = (SELECT head FROM entries WHERE position = 1)",
      "UPDATE birth SET columns = '(4:cell[6:cell 16:cell 06:cell 2].)'",
      "UPDATE entries SET digest = '' WHERE kind = 4",
      "UPDATE entries SET number = number + 10 WHERE kind = 4",
      "UPDATE entries SET kind = 3, number = number + 10, digest = '' WHERE kind = 4",
      "DELETE FROM entries WHERE kind = 4",
      "DELETE FROM entries WHERE position > (SELECT entries_4 FROM birth); UPDATE summary SET position = (SELECT "
      "entries_4 FROM birth), head = (SELECT head FROM entries ORDER BY position DESC LIMIT 1)",
  };
  for (const OldLedger& old : OldLedgers()) {
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    MakeOld(file, old);
    { EXPECT_TRUE(Ledger::Open(file, old.binding, false)); }
    const std::string whole = ReadAll(file);
    for (const char* edit : edits) {
      if (old.binding.cells.size() != 3 && std::string_view(edit).find("cell 2") != std::string_view::npos) continue;
      WriteAll(file, whole);
      Sql(file, edit);
      EXPECT_FALSE(Ledger::Open(file, old.binding, false)) << old.name << ": " << edit;
    }
    WriteAll(file, whole);
    EXPECT_TRUE(Ledger::Open(file, old.binding, false)) << old.name;
  }
}

// The part in front of an old question is a posting now. Putting it back into the text leaves the old digest as it was,
// and is refused.
TEST(LedgerUpgrade, AnOldOneSidedPartCannotBeHiddenInItsQuestion_LEDGER3) {
  for (const std::size_t i : {2U, 3U}) {
    const OldLedger old = OldLedgers()[i];
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    MakeOld(file, old);
    {
      const auto book = Ledger::Open(file, old.binding, false);
      ASSERT_TRUE(book) << book.error().Text();
      ASSERT_EQ(book->OneSided().value().size(), 1U);
      EXPECT_EQ(book->OneSided().value()[0].spent.count(), 60);
      EXPECT_EQ(book->OneSided().value()[0].rules, std::vector<std::string>{"ill = 'y'"});
    }
    Sql(file,
        "DELETE FROM postings WHERE position = 4 AND line = 1; UPDATE entries SET subject = 'one-sided 60 7:arrival "
        "9:ill = ''y''; q' WHERE position = 4");
    EXPECT_FALSE(Ledger::Open(file, old.binding, false)) << old.name;
  }
}

TEST(LedgerUpgrade, AnEmptyOldLedgerCanStillBeBoundAnew) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  MakeOld(file, 1);
  // The head of a ledger without entries, by the formula of that time.
  const auto store = Store::Open(Places::Of(file).value(), std::chrono::seconds(1));
  const std::string first = FirstHead((*store)->birth());
  Sql(file,
      "DELETE FROM answers; DELETE FROM entries; UPDATE summary SET position = 0, charges = 0, totals = x'0300', "
      "head = '" +
          first + "'");
  LedgerBinding other = Binding(2);
  other.identity = "other";
  (void)OpenOld(file, 1);  // upgraded: an entry, but no charge
  auto bound = Ledger::Open(file, other, false);
  ASSERT_TRUE(bound) << bound.error().Text();
  EXPECT_EQ(bound->SafeFrom().value(), 0);
  EXPECT_TRUE(bound->Charge(Request(5, {1}, 2)));
  EXPECT_TRUE(bound->Verify());
}

// Others who had it open, or open it at the same moment, find one ledger.
TEST(LedgerUpgrade, WhoeverIsSecondFindsItDone) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  MakeOld(file, 1);
  const Places places = Places::Of(file).value();
  auto early = std::move(Store::Open(places, std::chrono::seconds(1)).value());
  EXPECT_TRUE(early->old());
  const std::string key = OpenOld(file, 1).KeyOf("text");
  ASSERT_TRUE(early->Upgrade(1, OldBinding(1).columns));
  EXPECT_FALSE(early->old());
  early.reset();
  EXPECT_EQ(OpenOld(file, 1).KeyOf("text"), key) << "one secret";
  EXPECT_EQ(OpenOld(file, 1).History().value().size(), 3U);
}

}  // namespace
}  // namespace kith::ledger
