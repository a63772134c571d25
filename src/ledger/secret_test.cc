// Somebody who knows everything that is printed, and all of the format, guesses what a key was made of.
#include <gtest/gtest.h>

#include "base/digest.h"
#include "ledger/ledger_test_tools.h"
#include "ledger/view.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kGuesses = {"person 3 is ill", "person 3 is well"};

// What certificates and the budget print about two consecutive charges: heads, times, questions, units.
struct Printed {
  std::string before, after;  // heads
  HistoryLine charge;
};

// The charge as it would be in the chain; borrows from its arguments.
Entry EntryOf(const HistoryLine& charge, std::int64_t position, const std::string& key, CellBook& book) {
  Entry entry;
  entry.position = position;
  entry.number = charge.number;
  entry.unix_seconds = charge.unix_seconds;
  entry.caller = charge.caller;
  entry.policy = charge.policy;
  entry.subject = charge.question;
  entry.answer_key = key;
  entry.postings.resize(1);
  entry.postings[0].cells = book.Of(charge.cells);
  entry.postings[0].amount = charge.units.count();
  return entry;
}

// The guesses under which the printed head comes out, when these secrets are tried.
std::vector<std::string> Fitting(const Printed& printed, std::int64_t position,
                                 const std::vector<std::string>& secrets) {
  std::vector<std::string> fitting;
  CellBook book(Binding(1).columns);
  for (const std::string& guess : kGuesses) {
    bool fits = false;
    for (const std::string& secret : secrets) {
      for (const std::string& key : {guess, Sha256(guess), HmacSha256(secret, guess)}) {
        fits = fits || NextHead(printed.before, EntryOf(printed.charge, position, key, book), secret) == printed.after;
      }
    }
    if (fits) fitting.push_back(guess);
  }
  return fitting;
}

Printed Ask(Ledger& book, const std::string& text) {
  Printed printed;
  printed.before = book.Head().value().head;
  ChargeRequest request = Request(0, {}, 1);
  request.answer_key = book.KeyOf(text);
  printed.after = book.Charge(request).value().head;
  printed.charge = book.History().value().back();
  return printed;
}

std::vector<std::string> Public(const Ledger& book) { return {"", book.id(), std::string(64, '0')}; }

TEST(LedgerSecret, NoPrintedValueTellsWhatAKeyWasMadeOf_LEDGER6) {
  const Scratch scratch;
  for (const std::string& truth : kGuesses) {
    Ledger book = OpenOrDie(scratch / (truth + ".ledger"), 1);
    (void)Ask(book, "a question before");
    const Printed printed = Ask(book, truth);
    EXPECT_EQ(printed.charge.head, printed.after);
    EXPECT_TRUE(Fitting(printed, 2, Public(book)).empty());
  }
}

TEST(LedgerSecret, KeysDependOnTheSecretOfTheirLedger_LEDGER6) {
  const Scratch scratch;
  const Ledger one = OpenOrDie(scratch / "a.ledger", 1), two = OpenOrDie(scratch / "b.ledger", 1);
  EXPECT_EQ(one.KeyOf("text"), one.KeyOf("text"));
  EXPECT_NE(one.KeyOf("text"), one.KeyOf("texu"));
  EXPECT_NE(one.KeyOf("text"), two.KeyOf("text"));
  EXPECT_EQ(one.KeyOf("text"), OpenOrDie(scratch / "a.ledger", 1).KeyOf("text")) << "it is in the file";
  EXPECT_NE(one.KeyOf("text"), Sha256("text"));
}

// The first planted fault: a secret that is known. The same attack then finds the truth.
TEST(LedgerSecret, TheAttackAboveReadsALedgerWhoseSecretIsKnown) {
  const Scratch scratch;
  for (const std::string& truth : kGuesses) {
    const fs::path file = scratch / (truth + ".ledger");
    Ledger book = OpenOrDie(file, 1);
    (void)Ask(book, "a question before");
    const Printed printed = Ask(book, truth);
    const auto connection = Connection::Open(file, std::chrono::seconds(1));
    const std::string secret = (*connection)->Ask("SELECT secret FROM birth").value();
    EXPECT_EQ(Fitting(printed, 2, {secret}), std::vector<std::string>{truth});
  }
}

// The second: keys and digests without a secret.
TEST(LedgerSecret, TheAttackAboveReadsKeysWithoutASecret) {
  const Birth birth{"id", 0, "identity", {"cell 0"}, Binding(1).columns, false, ""};
  for (const std::string& truth : kGuesses) {
    View view = View::AtBirth(birth);
    CellBook book(birth.columns);
    Printed printed;
    printed.before = view.head;
    printed.charge = {1, 1'700'000'000, "SELECT count(*) FROM t", PlainUnits(), {}, "policy", "", false, 0, "", {}, 0};
    const std::string key = Sha256(truth);
    ASSERT_FALSE(view.Add(EntryOf(printed.charge, 1, key, book)));
    printed.after = view.head;
    EXPECT_EQ(Fitting(printed, 1, {"", "id"}), std::vector<std::string>{truth});
  }
}

// The secret is in the file and nowhere else: not in the marker, in no error and in no answer of the ledger.
TEST(LedgerSecret, IsInTheFileAlone) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  std::string secret;
  {
    Ledger book = OpenOrDie(file, 1);
    (void)Ask(book, "a question");
    const CancelFlag never;
    EXPECT_TRUE(book.Lock("key", never));
    const auto connection = Connection::Open(file, std::chrono::seconds(1));
    secret = (*connection)->Ask("SELECT secret FROM birth").value();
    ASSERT_EQ(secret.size(), 64U);
    EXPECT_EQ(book.id().find(secret), std::string::npos);
  }
  for (const auto& each : fs::recursive_directory_iterator(scratch.path())) {
    if (!each.is_regular_file() || each.path() == file) continue;
    EXPECT_EQ(ReadAll(each.path()).find(secret), std::string::npos) << each.path();
  }
  Sql(file, "UPDATE birth SET secret = substr(secret, 1, 63)");
  const auto refused = Ledger::Open(file, Binding(1), false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().Text().find(secret.substr(0, 8)), std::string::npos);
}

}  // namespace
}  // namespace kith::ledger
