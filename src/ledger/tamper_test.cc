// Changes behind the ledger's back show: in the chain, the totals, the binding and the answers.
#include <functional>
#include <limits>
#include <random>

#include "ledger/chain.h"
#include "ledger/files.h"
#include "ledger/ledger_test_tools.h"
#include "ledger/store.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kCells = 3;

// A closed ledger: charges 1 and 2, the answer to 1, charge 3, which has a one-sided part.
fs::path Sample(const Scratch& scratch) {
  const fs::path file = scratch / "a.ledger";
  Ledger book = OpenOrDie(file, kCells);
  const auto first = book.Charge(Request(5, {0, 1}, kCells));
  EXPECT_TRUE(book.Charge(Request(7, {1}, kCells)));
  EXPECT_TRUE(book.StoreAnswer(*first, "key", "forty-two"));
  ChargeRequest last = Request(9, {0, 1, 2}, kCells);
  last.caller = "ada";
  last.one_sided = OneSidedCharge{"arrival", "ill", PlainUnits::Of(60), PlainUnits::Of(100)};
  EXPECT_TRUE(book.Charge(last));
  return file;
}

// The words of the refusal, or nothing if everything seemed in order. Opens, looks up the answer, verifies.
std::string Complaint(const fs::path& file) {
  const auto opened = Ledger::Open(file, Binding(kCells), true);
  if (!opened) return opened.error().Text();
  if (const auto found = opened->FindAnswer("key"); !found) return found.error().Text();
  if (const auto verified = opened->Verify(); !verified) return verified.error().Text();
  return {};
}

// Edits that keep the file a well-formed ledger, one for each thing that it says.
std::vector<std::string> Edits() {
  return {
      "UPDATE entries SET unix_seconds = unix_seconds + 1 WHERE position = 1",
      "UPDATE entries SET kind = 7, number = 1 WHERE position = 4",
      "UPDATE entries SET caller = 'bob' WHERE position = 4",
      "UPDATE entries SET policy = 'other' WHERE position = 2",
      "UPDATE entries SET subject = 'SELECT 1' WHERE position = 1",
      "UPDATE entries SET answer_key = 'other' WHERE position = 4",
      "UPDATE entries SET answer_key = 'other' WHERE position = 3",
      "UPDATE entries SET digest = 'other' WHERE position = 3",
      "UPDATE entries SET number = 2 WHERE position = 3",
      "UPDATE entries SET merged = 1 WHERE position = 1",
      "UPDATE entries SET once = 1 WHERE position = 1",
      "UPDATE entries SET carried = 1 WHERE position = 1",
      "UPDATE entries SET head = (SELECT head FROM entries WHERE position = 2) WHERE position = 1",
      "UPDATE entries SET position = 5 WHERE position = 4",
      "DELETE FROM entries WHERE position = 1",
      "DELETE FROM entries WHERE position = 2; DELETE FROM postings WHERE position = 2",
      "DELETE FROM entries WHERE position = 4",
      "DELETE FROM entries WHERE position = 4; DELETE FROM postings WHERE position = 4; UPDATE summary SET position = "
      "3, "
      "charges = 2",
      "DELETE FROM entries WHERE position = 4; DELETE FROM postings WHERE position = 4; UPDATE summary SET position = "
      "3, "
      "charges = 2, head = (SELECT head FROM entries WHERE position = 3)",
      "DELETE FROM entries; DELETE FROM postings; DELETE FROM cell_sets; DELETE FROM texts; UPDATE summary SET "
      "position "
      "= 0, charges = 0, totals = x'0300'",
      "INSERT INTO entries SELECT 5, 1, 4, unix_seconds, caller, policy, subject, answer_key, '', 0, 0, 0, head FROM "
      "entries WHERE position = 4",
      // Postings: each column; dropped, added, moved to another entry, in another order.
      "UPDATE postings SET account = 'analyst:x' WHERE position = 1",
      "UPDATE postings SET account = 'one-sided:level' WHERE position = 4 AND line = 1",
      "UPDATE postings SET level = 1 WHERE position = 1",
      "UPDATE postings SET cells = (SELECT cells FROM postings WHERE position = 2) WHERE position = 1",
      "UPDATE postings SET loss = 4 WHERE position = 1",
      "UPDATE postings SET neighbours = 1 WHERE position = 1",
      "UPDATE postings SET covers = 1 WHERE position = 1",
      "UPDATE postings SET tick = 1 WHERE position = 1",
      "UPDATE postings SET amount = 4 WHERE position = 1",
      "UPDATE postings SET amount = 0",
      "UPDATE postings SET rule = 'well' WHERE position = 4 AND line = 1",
      "UPDATE postings SET line = 7 WHERE position = 1",
      "UPDATE postings SET line = 2 WHERE position = 4 AND line = 1",
      "UPDATE postings SET line = 1 - line WHERE position = 4 AND line = 5; UPDATE postings SET line = 5 WHERE "
      "position = "
      "4 AND line = 0; UPDATE postings SET line = 0 WHERE position = 4 AND line = 1; UPDATE postings SET line = 1 "
      "WHERE "
      "position = 4 AND line = 5",
      "DELETE FROM postings WHERE position = 1",
      "DELETE FROM postings WHERE position = 4 AND line = 1",
      "DELETE FROM postings",
      "INSERT INTO postings SELECT 1, 1, account, level, cells, loss, neighbours, covers, tick, 0, rule FROM postings "
      "WHERE position = 2",
      "INSERT INTO postings SELECT 3, 0, account, level, cells, loss, neighbours, covers, tick, 0, rule FROM postings "
      "WHERE position = 2",
      "INSERT INTO postings SELECT 9, 0, account, level, cells, loss, neighbours, covers, tick, 0, rule FROM postings "
      "WHERE position = 2",
      "INSERT INTO postings SELECT 0, 0, account, level, cells, loss, neighbours, covers, tick, 0, rule FROM postings "
      "WHERE position = 2",
      "UPDATE postings SET position = 5 WHERE position = 1; UPDATE postings SET position = 1 WHERE position = 2; "
      "UPDATE "
      "postings SET position = 2 WHERE position = 5",
      // Sets of cells: changed, swapped, missing, too many.
      "UPDATE cell_sets SET cells = '(4:cell[6:cell 1].)' WHERE cells LIKE '%cell 0%cell 1%'",
      "UPDATE cell_sets SET cells = ''",
      "DELETE FROM cell_sets WHERE cells LIKE '%cell 0%'",
      "UPDATE cell_sets SET digest = digest || 'x' WHERE digest = (SELECT cells FROM postings WHERE position = 2); "
      "UPDATE "
      "cell_sets SET digest = (SELECT cells FROM postings WHERE position = 2) WHERE digest = (SELECT cells FROM "
      "postings "
      "WHERE position = 1); UPDATE cell_sets SET digest = (SELECT cells FROM postings WHERE position = 1) WHERE digest "
      "LIKE '%x'",
      "INSERT INTO cell_sets VALUES ('a', 'b')",
      "UPDATE summary SET totals = x'0300'",
      "UPDATE summary SET totals = x'010e01150108'",
      "UPDATE summary SET head = (SELECT head FROM entries WHERE position = 3)",
      "UPDATE summary SET charges = 2",
      "UPDATE summary SET position = 3",
      "DELETE FROM summary",
      "UPDATE birth SET ledger_id = 'other'",
      "UPDATE birth SET unix_seconds = 1",
      "UPDATE birth SET identity = 'other'",
      "UPDATE birth SET secret = substr(secret, 2) || 'g'",
      "UPDATE birth SET stream = 1",
      "UPDATE birth SET columns = replace(columns, 'cell 0', 'cell 9')",
      "UPDATE birth SET columns = '(4:cell[6:cell 16:cell 06:cell 2].)'",
      "PRAGMA user_version = 5",
      "DELETE FROM birth",
      "UPDATE cells SET name = 'other' WHERE cell = 1",
      "DELETE FROM cells WHERE cell = 2",
      "UPDATE texts SET text = 'forty-three'",
      "DELETE FROM texts",
      "INSERT INTO texts VALUES (1, 'more')",
      "CREATE TRIGGER reset AFTER INSERT ON entries BEGIN UPDATE summary SET totals = x'0300'; END",
      "CREATE TABLE extra (a)",
      "DROP INDEX answer_by_key",
  };
}

TEST(LedgerTamper, EveryEditShows_LEDGER3) {
  const Scratch scratch;
  const fs::path file = Sample(scratch);
  const std::string whole = ReadAll(file);
  ASSERT_EQ(Complaint(file), "") << "untouched";
  for (const std::string& edit : Edits()) {
    WriteAll(file, whole);
    Sql(file, edit);
    EXPECT_NE(Complaint(file), "") << edit;
  }
  WriteAll(file, whole);
  EXPECT_EQ(Complaint(file), "");
}

// An answer to a charge that has none yet, where replaying does not look.
TEST(LedgerTamper, AnAnswerOutsideTheChainIsNotFound_LEDGER3) {
  const Scratch scratch;
  const fs::path file = Sample(scratch);
  const std::string whole = ReadAll(file);
  for (const std::string position : {"0", "-1"}) {
    WriteAll(file, whole);
    Sql(file,
        "INSERT INTO entries SELECT " + position +
            ", 2, 2, unix_seconds, '', '', '', 'forged', "
            "'ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb', 0, 0, 0, head FROM entries WHERE "
            "position = 3; INSERT INTO texts VALUES (" +
            position + ", 'a')");
    const auto opened = Ledger::Open(file, Binding(kCells), true);
    EXPECT_TRUE(!opened || !opened->FindAnswer("forged").value().has_value()) << position;
    EXPECT_NE(Complaint(file), "") << position;
  }
}

// The ledger of a stream says two more things: which step a charge was for, and that no step is charged twice.
TEST(LedgerTamper, EveryEditOfAStreamShows_LEDGER3) {
  const Scratch scratch;
  const fs::path file = scratch / "s.ledger";
  LedgerBinding binding = Binding(kCells);
  binding.stream = true;
  {
    Ledger book = std::move(Ledger::Open(file, binding, true).value());
    for (std::int64_t tick = 0; tick < 3; ++tick) {
      ChargeRequest request = Request(5, {0, 1}, kCells, 7);
      request.answer_key = "step " + std::to_string(tick);
      request.step = StreamStep{2 * tick, 2};
      ASSERT_TRUE(book.Charge(request));
    }
  }
  const auto complaint = [&] {
    const auto opened = Ledger::Open(file, binding, true);
    return opened ? std::string() : opened.error().Text();
  };
  const std::string whole = ReadAll(file);
  ASSERT_EQ(complaint(), "");
  for (const char* edit :
       {"UPDATE postings SET tick = 1 WHERE position = 1", "UPDATE postings SET tick = 1000",
        "UPDATE postings SET tick = -1", "UPDATE entries SET once = 0 WHERE position = 1",
        "UPDATE birth SET stream = 0", "UPDATE postings SET amount = 1 WHERE position = 2", "PRAGMA user_version = 1",
        "DROP INDEX charge_once", "UPDATE entries SET answer_key = 'step 9' WHERE position = 3"}) {
    WriteAll(file, whole);
    Sql(file, edit);
    EXPECT_NE(complaint(), "") << edit;
  }
}

// A reader without the chain: replays the entries, adds up and trusts them.
bool GullibleReaderIsContent(const Scratch& scratch) {
  const Places places = Places::Of(scratch / "a.ledger").value();
  auto store = Store::Open(places, std::chrono::seconds(1));
  if (!store) return false;
  View view = View::AtBirth((*store)->birth());
  return (*store)
      ->Replay(0, std::numeric_limits<std::int64_t>::max(),
               [&](const Entry& entry, std::string_view) { return view.Add(entry); })
      .has_value();
}

TEST(LedgerTamper, WithoutDigestsTheEditsAboveWouldPass) {
  const Scratch scratch;
  const fs::path file = Sample(scratch);
  const std::string whole = ReadAll(file);
  int passed = 0;
  for (const std::string& edit : Edits()) {
    WriteAll(file, whole);
    Sql(file, edit);
    passed += GullibleReaderIsContent(scratch) ? 1 : 0;
  }
  EXPECT_GE(passed, 20) << "most edits are such that only digests and totals tell";
}

// Somebody who recomputes the whole chain is not detected by the ledger alone: the heads printed on answers show it.
TEST(LedgerTamper, ARewrittenChainHasOtherHeadsThanThoseOnTheAnswers_LEDGER3) {
  const Scratch scratch;
  const fs::path file = Sample(scratch);
  const auto printed = OpenOrDie(file, kCells).History().value();
  {
    const Places places = Places::Of(file).value();
    auto store = std::move(Store::Open(places, std::chrono::seconds(1)).value());
    View view = View::AtBirth(store->birth());
    ASSERT_TRUE(store->connection().Run(
        "BEGIN IMMEDIATE; DELETE FROM texts; DELETE FROM postings; DELETE FROM cell_sets; DELETE FROM entries"));
    Entry forged;
    forged.position = forged.number = 1;
    forged.postings.resize(1);
    forged.postings[0].cells = store->book().Of({0, 1});
    forged.postings[0].amount = 1;
    forged.policy = "policy";
    ASSERT_FALSE(view.Add(forged));
    ASSERT_TRUE(store->Append(forged, view.head));
    ASSERT_TRUE(store->WriteSummary(view));
    ASSERT_TRUE(store->connection().Run("COMMIT"));
  }
  EXPECT_FALSE(Ledger::Open(file, Binding(kCells), true)) << "the marker counted more charges";
  ForgetCount(scratch / ".kith/a.ledger.created");
  const Ledger book = OpenOrDie(file, kCells);
  EXPECT_TRUE(book.Verify()) << "a forger who does all the work leaves a whole ledger";
  EXPECT_NE(book.History().value()[0].head, printed[0].head);
}

std::string Content(const fs::path& file) {
  const auto opened = Ledger::Open(file, Binding(kCells), true);
  if (!opened) return "refused";
  const auto verified = opened->Verify();
  const auto totals = opened->Totals();
  const auto history = opened->History();
  const auto found = opened->FindAnswer("key");
  if (!verified || !totals || !history || !found) return "refused";
  std::string text;
  for (const auto total : Counts(totals->spent)) text += std::to_string(total) + ",";
  for (const auto& line : *history) {
    text += line.question + line.policy + line.head + std::to_string(line.unix_seconds) + (line.answered ? "+" : "-") +
            line.caller + line.one_sided_account + std::to_string(line.one_sided_units.count());
  }
  for (const auto& account : totals->one_sided) text += account.name + std::to_string(account.spent.count());
  return text + (*found ? (*found)->answer : "none");
}

// A flipped bit anywhere in the file is refused or is where nothing is said.
TEST(LedgerTamper, FlippedBitsNeverChangeWhatALedgerSays_LEDGER3) {
  const Scratch scratch;
  const fs::path file = Sample(scratch);
  const std::string whole = ReadAll(file);
  const std::string truth = Content(file);
  ASSERT_NE(truth, "refused");
  std::mt19937_64 random(20240601);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] != 0 || random() % 100 == 0) places.push_back(i);  // all that is written, and some of the empty space
  }
  std::size_t refused = 0;
  for (const std::size_t place : places) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << (random() % 8)));
    for (const char* ending : {"-wal", "-shm", "-journal"}) fs::remove(file.string() + ending);
    WriteAll(file, damaged);
    const std::string content = Content(file);
    refused += content == "refused" ? 1 : 0;
    ASSERT_TRUE(content == "refused" || content == truth) << "bit in byte " << place;
  }
  EXPECT_GT(refused, places.size() / 2);
}

}  // namespace
}  // namespace kith::ledger
