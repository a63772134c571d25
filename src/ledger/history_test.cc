// Pages of the history: which charges they show, and what is verified for them.
#include <gtest/gtest.h>

#include <limits>

#include "ledger/ledger_test_tools.h"
#include "ledger/store.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

std::vector<std::int64_t> Numbers(const Result<std::vector<HistoryLine>>& lines) {
  std::vector<std::int64_t> numbers;
  if (!lines) ADD_FAILURE() << lines.error().Text();
  for (const HistoryLine& line : *lines) numbers.push_back(line.number);
  return numbers;
}

using Numbered = std::vector<std::int64_t>;

// 700 charges, every third answered, new data after every hundredth: marks fall between all kinds of entries.
constexpr std::int64_t kCharges = 700;

void Fill(const fs::path& file) {
  Ledger book = OpenOrDie(file, 2);
  for (std::int64_t i = 1; i <= kCharges; ++i) {
    ChargeRequest request = Request(i, {static_cast<std::size_t>(i % 2)}, 2);
    request.answer_key = "key " + std::to_string(i);
    request.question = "question " + std::to_string(i);
    request.caller = i % 2 == 0 ? "ada" : "bob";
    request.data = (i - 1) / 100;
    const auto entry = book.Charge(request);
    ASSERT_TRUE(entry);
    EXPECT_TRUE(i % 3 != 0 || book.StoreAnswer(*entry, request.answer_key, "a"));
    EXPECT_TRUE(i % 100 != 0 || book.ReplaceData(i / 100 - 1, "", std::to_string(i)));
  }
}

TEST(LedgerHistory, PagesShowTheChargesTheyAreAskedFor) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  EXPECT_TRUE(OpenOrDie(file, 2).History({0, 5, true}).value().empty());
  Fill(file);
  const Ledger book = OpenOrDie(file, 2);
  EXPECT_EQ(Numbers(book.History({1, 3})), (Numbered{1, 2, 3}));
  EXPECT_EQ(Numbers(book.History({0, 2})), (Numbered{1, 2}));
  EXPECT_EQ(Numbers(book.History({699, 5})), (Numbered{699, 700}));
  EXPECT_EQ(Numbers(book.History({0, 3, true})), (Numbered{700, 699, 698}));
  EXPECT_EQ(Numbers(book.History({2, 5, true})), (Numbered{2, 1}));
  EXPECT_EQ(Numbers(book.History({9999, 1, true})), (Numbered{700}));
  EXPECT_TRUE(book.History({701, 5}).value().empty());
  EXPECT_TRUE(book.History({5, 0}).value().empty());
  EXPECT_EQ(book.History({-1, 5}).error().code, Code::kInvalidArgument);
  EXPECT_EQ(book.History({1, -5}).error().code, Code::kInvalidArgument);
  EXPECT_EQ(book.History().value().size(), 700U);
}

// However it is read, a charge reads the same.
TEST(LedgerHistory, PagesAddUpToTheWhole) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  Fill(file);
  Ledger book = OpenOrDie(file, 2);
  const auto whole = book.History().value();
  ASSERT_EQ(whole.size(), 700U);
  const auto same = [](const HistoryLine& a, const HistoryLine& b) {
    return a.number == b.number && a.question == b.question && a.units == b.units && a.cells == b.cells &&
           a.head == b.head && a.answered == b.answered && a.data == b.data && a.caller == b.caller;
  };
  for (std::int64_t from = 1; from <= kCharges; from += 37) {
    const auto page = book.History({from, 37}).value();
    for (const HistoryLine& line : page) {
      const HistoryLine& expected = whole[static_cast<std::size_t>(line.number - 1)];
      EXPECT_TRUE(same(line, expected)) << line.number;
      EXPECT_EQ(line.question, "question " + std::to_string(line.number));
      EXPECT_EQ(line.units.count(), line.number);
      EXPECT_EQ(line.answered, line.number % 3 == 0);
      EXPECT_EQ(line.data, (line.number - 1) / 100);
      EXPECT_EQ(line.caller, line.number % 2 == 0 ? "ada" : "bob");
    }
  }
  ChargeRequest more = Request(1, {0}, 2);
  more.data = 7;
  EXPECT_TRUE(book.Charge(more));
  EXPECT_EQ(Numbers(book.History({0, 2, true})), (Numbered{701, 700})) << "also what this process added";
  EXPECT_EQ(book.DataHistory().value().size(), 7U);
}

// A page is verified between two heads that were remembered: an edit made while the ledger is open shows on the page
// that holds it.
TEST(LedgerHistory, AnEditShowsOnItsPage_LEDGER3) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  Fill(file);
  const std::string whole = ReadAll(file);
  for (const char* edit :
       {"UPDATE entries SET subject = 'x' WHERE number = 10 AND kind = 1",
        "UPDATE entries SET caller = 'x' WHERE number = 10 AND kind = 1",
        "UPDATE postings SET amount = 1 WHERE position = 13",
        "UPDATE entries SET head = 'x' WHERE number = 10 AND kind = 1", "DELETE FROM postings WHERE position = 13"}) {
    WriteAll(file, whole);
    const Ledger book = OpenOrDie(file, 2);
    Sql(file, edit);
    EXPECT_FALSE(book.History({10, 1})) << edit;
    EXPECT_FALSE(book.History()) << edit;
    EXPECT_TRUE(book.History({600, 10})) << "another page is as it was";
    EXPECT_FALSE(book.Verify()) << edit;
  }
}

// The newest charges are remembered: what others add is read when it is asked for, and reads as if all were read again.
TEST(LedgerHistory, WhatOthersAddIsOnTheNewestPage) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  Ledger book = OpenOrDie(file, 2), other = OpenOrDie(file, 2);
  const HistoryPage newest{.count = 256, .newest_first = true};
  std::int64_t charges = 0;
  for (const int added : {1, 1, 3, 300, 1, 2, 260}) {
    for (int i = 0; i < added; ++i) {
      Ledger& by = (charges + added) % 3 == 0 ? book : other;
      ChargeRequest request = Request(++charges, {0}, 2);
      request.answer_key = request.question = "question " + std::to_string(charges);
      const auto entry = by.Charge(request);
      ASSERT_TRUE(entry);
      EXPECT_TRUE(i % 2 != 0 || other.StoreAnswer(*entry, request.answer_key, "a"));
    }
    const auto page = book.History(newest).value(), anew = OpenOrDie(file, 2).History(newest).value();
    ASSERT_EQ(page.size(), static_cast<std::size_t>(std::min<std::int64_t>(charges, 256)));
    for (std::size_t k = 0; k < page.size(); ++k) {
      EXPECT_EQ(page[k].number, charges - static_cast<std::int64_t>(k));
      EXPECT_EQ(page[k].question, "question " + std::to_string(page[k].number));
      EXPECT_EQ(page[k].answered, anew[k].answered);
      EXPECT_EQ(page[k].head, anew[k].head);
      EXPECT_EQ(page[k].cells, anew[k].cells);
    }
  }
  const auto waiting = other.Charge(Request(5, {0}, 2));
  EXPECT_FALSE(book.History(newest).value().front().answered);
  EXPECT_TRUE(other.StoreAnswer(*waiting, "key", "a"));
  EXPECT_TRUE(book.History(newest).value().front().answered) << "an answer to a charge that was read before";
  EXPECT_TRUE(book.ReplaceData(0, "", "1"));
  ChargeRequest later = Request(5, {0}, 2);
  later.data = 1;
  EXPECT_TRUE(book.Charge(later));
  EXPECT_EQ(book.History(newest).value().front().data, 1);
  EXPECT_EQ(book.History(newest).value().at(1).data, 0);
}

// Remembering hides no edit that reading would show: an edit of the file comes from another connection.
TEST(LedgerHistory, AnEditOfWhatIsRememberedShows_LEDGER3) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  Fill(file);
  Ledger book = OpenOrDie(file, 2);
  const HistoryPage newest{.count = 20, .newest_first = true};
  EXPECT_TRUE(book.History(newest));
  Sql(file, "UPDATE entries SET subject = 'x' WHERE number = 690 AND kind = 1");
  EXPECT_FALSE(book.History(newest));
  EXPECT_FALSE(book.History(newest)) << "and again";
  Sql(file, "UPDATE entries SET subject = 'question 690' WHERE number = 690 AND kind = 1");
  EXPECT_TRUE(book.History(newest));
  Sql(file, "UPDATE entries SET digest = 'x' WHERE number = 690 AND kind = 2");
  EXPECT_FALSE(book.History(newest)) << "also the answer to a charge";
}

// Somebody with the secret changes charge 10 and recomputes all later digests, while the ledger is open.
TEST(LedgerHistory, ARewrittenChainShowsOnEveryLaterPage_LEDGER3) {
  const Scratch scratch;
  const fs::path file = scratch / "a.ledger";
  Fill(file);
  const Ledger book = OpenOrDie(file, 2);
  std::string sql = "UPDATE entries SET subject = 'x' WHERE position = 13;";
  {
    auto store = std::move(Store::Open(Places::Of(file).value(), std::chrono::seconds(1)).value());
    const View start = View::AtBirth(store->birth());
    std::string head = start.head;
    const auto done =
        store->Replay(0, std::numeric_limits<std::int64_t>::max(), [&](const Entry& entry, std::string_view) {
          Entry forged = entry;
          if (entry.position == 13) forged.subject = "x";
          head = NextHead(head, forged, start.secret);
          sql += "UPDATE entries SET head = '" + head + "' WHERE position = " + std::to_string(entry.position) + ";";
          return std::optional<std::string>();
        });
    ASSERT_TRUE(done);
    sql += "UPDATE summary SET head = '" + head + "';";
  }
  Sql(file, "BEGIN;" + sql + "COMMIT");
  EXPECT_TRUE(Ledger::Open(file, Binding(2), false)) << "it is a whole ledger, with other heads";
  EXPECT_FALSE(book.History({10, 1}));
  EXPECT_FALSE(book.History({600, 10}));
  EXPECT_FALSE(book.History());
}

TEST(LedgerHistory, ANameOfACallerIsAShortTextInOneLine) {
  const Scratch scratch;
  Ledger book = OpenOrDie(scratch / "a.ledger", 1);
  for (const std::string& wrong : {std::string("two\nlines"), std::string(129, 'x'), std::string("\x1b[0m")}) {
    ChargeRequest request = Request(1, {0}, 1);
    request.caller = wrong;
    const auto refused = book.Charge(request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  }
  EXPECT_EQ(book.Head().value().number, 0);
}

}  // namespace
}  // namespace kith::ledger
