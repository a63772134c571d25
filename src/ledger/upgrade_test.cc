// Ledgers of older formats: read as they are, upgraded when they are opened for writing, or left as they were.
#include <gtest/gtest.h>

#include <functional>

#include "ledger/old_ledgers_test_tools.h"
#include "ledger/store.h"

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
    (void)OpenOld(file, format);  // somebody upgrades it meanwhile
    EXPECT_EQ(book.SafeFrom().value(), 3);
    EXPECT_NE(book.Head().value().head, "");
    ExpectOldContent(book, format);
  }
}

// The upgrade may not make a changed ledger look right.
TEST(LedgerUpgrade, AChangedOldLedgerIsRefusedBeforeAndAfter) {
  const char* const edits[] = {
      "UPDATE entries SET units = 4 WHERE position = 1",
      "UPDATE entries SET head = 'x' WHERE position = 4",
      "UPDATE summary SET totals = x'0300'",
      "DELETE FROM entries WHERE position = 4",
      "UPDATE cells SET name = 'other' WHERE cell = 1",
  };
  for (const char* edit : edits) {
    const Scratch scratch;
    const fs::path file = scratch / "a.ledger";
    MakeOld(file, 1);
    Sql(file, edit);
    EXPECT_EQ(Ledger::Open(file, OldBinding(1), false).error().code, Code::kStorage) << edit;
    MakeOld(file, 1);
    { OpenOld(file, 1); }
    Sql(file, edit);
    EXPECT_EQ(Ledger::Open(file, OldBinding(1), false).error().code, Code::kStorage) << edit;
  }
}

// What old digests do not cover, and where the turn from old to new is, cannot be changed either.
TEST(LedgerUpgrade, TheTurnIsCovered_LEDGER3) {
  const char* const edits[] = {
      "UPDATE entries SET how = 1 WHERE position = 1",
      "UPDATE entries SET tick = 1 WHERE position = 1",
      "UPDATE birth SET old_entries = 3",
      "UPDATE birth SET old_entries = 5",
      "UPDATE birth SET old_entries = 6",
      "UPDATE birth SET old_format = 3",
      "UPDATE birth SET old_format = 0",
      "UPDATE birth SET old_format = 0, old_entries = 0",
      "UPDATE birth SET secret = (SELECT head FROM entries WHERE position = 1)",
      "UPDATE entries SET units = 3 WHERE kind = 4",
      "UPDATE entries SET number = 2 WHERE kind = 4",
      "UPDATE entries SET kind = 3, number = 1, units = 0 WHERE kind = 4",
      "DELETE FROM entries WHERE kind = 4",
      "DELETE FROM entries WHERE position > 4; UPDATE summary SET position = 4, head = (SELECT head FROM entries WHERE "
      "position = 4)",
  };
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  MakeOld(file, 1);
  { OpenOld(file, 1); }
  const std::string whole = ReadAll(file);
  for (const char* edit : edits) {
    WriteAll(file, whole);
    Sql(file, edit);
    EXPECT_FALSE(Ledger::Open(file, OldBinding(1), false)) << edit;
  }
  WriteAll(file, whole);
  ExpectOldContent(OpenOld(file, 1), 1);
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
  ASSERT_TRUE(early->Upgrade(1));
  EXPECT_FALSE(early->old());
  early.reset();
  EXPECT_EQ(OpenOld(file, 1).KeyOf("text"), key) << "one secret";
  EXPECT_EQ(OpenOld(file, 1).History().value().size(), 3U);
}

}  // namespace
}  // namespace kith::ledger
