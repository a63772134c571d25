// Data that change: questions follow the version that the curator declares, never the bytes of a file, and a unit that
// moves from one public cell to another is charged for both.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "analysis/check/alarm.h"
#include "engine/duckdb/duckdb_session.h"
#include "release/curator_state.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

// All public facts: the answer is exact, so that it shows which data were read.
constexpr const char* kAll = "SELECT count(*) FROM people";
constexpr const char* kInA = "SELECT count(*) FROM people WHERE ward = 'A' AND ill = 'yes'";
constexpr const char* kInB = "SELECT count(*) FROM people WHERE ward = 'B' AND ill = 'yes'";

class Versions : public ::testing::Test {
 protected:
  Versions() {
    std::string name = (fs::temp_directory_path() / "kith-versions-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Versions() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  /// `more`: further lines of [data]. `strengths`: wards differ in how strongly housemates depend on each other.
  void WritePolicy(const std::string& source, const std::string& more = "", bool strengths = false) {
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.people = \"" << source << "\"\n"
        << more
        << "[unit]\ntable = \"people\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
           "[columns.people]\nward = { values = [\"A\", \"B\"], public = true, required = true }\n"
           "ill = { values = [\"no\", \"yes\"] }\n"
        << (strengths ? "[dependence]\nsource = \"public\"\nkind = \"group\"\nby = \"home\"\nsize = 2\n"
                        "odds_ratio = { ward = { A = 40, B = 1.5 } }\n"
                      : "[dependence]\nsource = \"public\"\nkind = \"independent\"\n")
        << "[budget]\nepsilon = 3.0\nledger = \"people.ledger\"\n";
  }
  Curator Open() {
    auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
    EXPECT_TRUE(curator) << curator.error().Text();
    return std::move(*curator);
  }

  /// Six people at home in pairs; the first is in `ward`, the others are half in A and half in B, pair by pair.
  void WriteCsv(const std::string& ward, int people = 6) {
    {
      std::ofstream csv(folder_ / "new");
      csv << "id,home,ward,ill\n";
      for (int i = 0; i < people; ++i) {
        csv << i << "," << i / 2 << ","
            << (i < 2       ? ward
                : i % 4 < 2 ? "A"
                            : "B")
            << "," << (i == 0 ? "yes" : "no") << "\n";
      }
    }
    fs::rename(folder_ / "new", folder_ / "people.csv");
  }
  void WriteParquet(const std::string& ward, int people = 6) {
    WriteCsv(ward, people);
    const CancelFlag never;
    auto database = DuckDb::Open("", {});
    ASSERT_TRUE(database.has_value());
    const auto connection = database->Connect();
    const auto done = connection->Execute("COPY (SELECT * FROM read_csv('" + (folder_ / "people.csv").string() +
                                              "')) TO '" + (folder_ / "new").string() + "' (FORMAT parquet)",
                                          never);
    ASSERT_TRUE(done.has_value());
    fs::rename(folder_ / "new", folder_ / "people.parquet");
  }

  Result<Answer> Ask(const Curator& curator, const std::string& sql) const {
    Price price;
    price.epsilon = 1;
    return curator.Release(QuestionRequest{sql}, price, {}, never_);
  }
  static std::string RowsOf(const Result<Answer>& answer) {
    return answer ? ToText(answer->rows[0][0].value) : answer.error().Text();
  }

  fs::path folder_;
  const CancelFlag never_;
};

TEST_F(Versions, AChangedCsvFileIsNotLookedAtUntilItIsImported) {
  WritePolicy("people.csv");
  WriteCsv("A");
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Release(QuestionRequest{kAll}, {}, {}, never_)), "6");
  WriteCsv("A", 8);
  const auto same = curator.Release(QuestionRequest{kAll}, {}, {}, never_);
  EXPECT_EQ(RowsOf(same), "6");
  EXPECT_TRUE(same->stored);
  EXPECT_EQ(RowsOf(Open().Release(QuestionRequest{"SELECT ward, count(*) AS n FROM people GROUP BY ward ORDER BY n"},
                                  {}, {}, never_)),
            "B");
  fs::remove(folder_ / "people.csv");
  EXPECT_EQ(RowsOf(Open().Release(QuestionRequest{"SELECT count(*) + 1 FROM people"}, {}, {}, never_)), "7");
  WriteCsv("A", 8);
  const auto imported = Open().Import(never_);
  ASSERT_TRUE(imported) << imported.error().Text();
  EXPECT_EQ(imported->number, 2);
  const auto now = curator.Release(QuestionRequest{kAll}, {}, {}, never_);  // a curator that was open before follows
  EXPECT_EQ(RowsOf(now), "8");
  EXPECT_FALSE(now->stored);
  EXPECT_EQ(now->certificate.guarantee.version, "2");
}

// The referee's oracle: a question that costs nothing, asked every day.
TEST_F(Versions, WhatIsStoredFollowsImportsAndNotBytes_RELEASE9) {
  WritePolicy("people.csv");
  WriteCsv("A");
  const Curator curator = Open();
  const char* nothing = "SELECT count(*) FROM people WHERE FALSE";
  const auto entry = [&] {
    const auto answer = curator.Release(QuestionRequest{nothing}, {}, {}, never_);
    return answer ? answer->certificate.ledger_entry : 0;
  };
  EXPECT_EQ(entry(), 1);
  WriteCsv("B");
  EXPECT_EQ(entry(), 1);
  ASSERT_TRUE(curator.Import(never_));
  EXPECT_EQ(entry(), 2);
  ASSERT_TRUE(curator.Import(never_));  // the same bytes
  EXPECT_EQ(entry(), 3);
  WriteCsv("A");
  ASSERT_TRUE(curator.Import(never_));  // the bytes of the first day
  EXPECT_EQ(entry(), 4);
}

TEST_F(Versions, ADeclaredVersionDecidesWhichAnswersAreGivenAgain_RELEASE9) {
  WritePolicy("people.csv", "version = \"may\"\n");
  WriteCsv("A");
  EXPECT_EQ(Open().Release(QuestionRequest{kAll}, {}, {}, never_)->certificate.guarantee.version, "may");
  WriteCsv("A", 8);
  ASSERT_TRUE(Open().Import(never_));
  const auto again = Open().Release(QuestionRequest{kAll}, {}, {}, never_);
  EXPECT_TRUE(again->stored);  // the curator says that it is the same version
  WritePolicy("people.csv", "version = \"june\"\n");
  const auto early = Open().Release(QuestionRequest{kAll}, {}, {}, never_);
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::kInvalidArgument);
  EXPECT_NE(early.error().next.find("the curator imports the data"), std::string::npos);
  ASSERT_TRUE(Open().Import(never_));
  const auto june = Open().Release(QuestionRequest{kAll}, {}, {}, never_);
  EXPECT_EQ(RowsOf(june), "8");
  EXPECT_FALSE(june->stored);
}

TEST_F(Versions, FilesInPlaceAreReadAsTheyAreUnderTheDeclaredVersion) {
  WritePolicy("people.parquet", "version = \"may\"\n");
  WriteParquet("A");
  const Curator curator = Open();
  EXPECT_EQ(RowsOf(curator.Release(QuestionRequest{kAll}, {}, {}, never_)), "6");
  WriteParquet("A", 8);
  EXPECT_TRUE(curator.Release(QuestionRequest{kAll}, {}, {}, never_)->stored);
  EXPECT_EQ(RowsOf(curator.Release(QuestionRequest{"SELECT count(*) + 1 FROM people"}, {}, {}, never_)), "9");
  WritePolicy("people.parquet", "version = \"june\"\n");
  const auto june =
      Open().Release(QuestionRequest{kAll}, {}, {}, never_);  // nothing to import: the declaration is enough
  EXPECT_EQ(RowsOf(june), "8");
  EXPECT_EQ(june->certificate.guarantee.version, "june");
}

// Somebody is in ward A when A is asked and in ward B when B is asked: the certificate must state both losses.
double TotalAfterAMove(const Result<Answer>& in_a, const Result<Answer>& in_b) {
  EXPECT_TRUE(in_a) << in_a.error().Text();
  EXPECT_TRUE(in_b) << in_b.error().Text();
  return in_b ? in_b->certificate.guarantee.plain : 0;
}

TEST_F(Versions, WhoMovesBetweenCellsIsChargedForBoth_RELEASE10) {
  WritePolicy("people.csv");
  WriteCsv("A");
  const auto in_a = Ask(Open(), kInA);
  EXPECT_NEAR(in_a->certificate.guarantee.plain, 1, 1e-6);
  WriteCsv("B");
  ASSERT_TRUE(Open().Import(never_));
  EXPECT_NEAR(TotalAfterAMove(in_a, Ask(Open(), kInB)), 2, 1e-6);
}

TEST_F(Versions, TheSameForFilesInPlaceUnderANewVersion_RELEASE10) {
  WritePolicy("people.parquet", "version = \"may\"\n");
  WriteParquet("A");
  const auto in_a = Ask(Open(), kInA);
  WriteParquet("B");
  WritePolicy("people.parquet", "version = \"june\"\n");
  // What is said before the question is what the question finds.
  Price price;
  price.epsilon = 1;
  const auto explained = Open().Explain(QuestionRequest{kInB}, price);
  EXPECT_NEAR(explained->guarantee.plain, 2, 1e-6);
  EXPECT_EQ(explained->guarantee.version, "june");
  EXPECT_NEAR(Open().Budget()->cells[1].plain_spent, 1, 1e-6);
  price.epsilon = 2.5;
  EXPECT_FALSE(Open().Explain(QuestionRequest{kInB}, price)->affordable);
  EXPECT_NEAR(TotalAfterAMove(in_a, Ask(Open(), kInB)), 2, 1e-6);
}

// The planted fault is a promise that is not kept: totals stay apart, and the loss that is stated is too small.
TEST_F(Versions, TheCheckAboveSeesTotalsThatAreKeptForEachCell) {
  WritePolicy("people.parquet", "version = \"may\"\npublic_columns = \"fixed\"\n");
  WriteParquet("A");
  const auto in_a = Ask(Open(), kInA);
  WriteParquet("B");
  WritePolicy("people.parquet", "version = \"june\"\npublic_columns = \"fixed\"\n");
  const auto in_b = Ask(Open(), kInB);
  EXPECT_NEAR(TotalAfterAMove(in_a, in_b), 1, 1e-6);
  EXPECT_NE(in_b->certificate.guarantee.assumption.find("promised by the policy"), std::string::npos);
}

// A file that is written anew under one version: charges are to everybody.
TEST_F(Versions, WhoMovesUnderOneVersionIsChargedForBoth_RELEASE10) {
  for (const char* version : {"", "version = \"may\"\n"}) {
    fs::remove(folder_ / "people.ledger");
    fs::remove_all(folder_ / ".kith");
    WritePolicy("people.parquet", version);
    WriteParquet("A");
    const auto in_a = Ask(Open(), kInA);
    EXPECT_NEAR(Open().Budget()->cells[1].plain_spent, 1, 1e-6);
    WriteParquet("B");
    EXPECT_NEAR(TotalAfterAMove(in_a, Ask(Open(), kInB)), 2, 1e-6);
  }
}

// The planted fault is the promise that there is no such file.
TEST_F(Versions, TheCheckAboveSeesTotalsOfCellsUnderOneVersion) {
  WritePolicy("people.parquet", "frozen = true\n");
  WriteParquet("A");
  const auto in_a = Ask(Open(), kInA);
  WriteParquet("B");
  const auto in_b = Ask(Open(), kInB);
  EXPECT_NEAR(TotalAfterAMove(in_a, in_b), 1, 1e-6);
  EXPECT_NE(in_b->certificate.guarantee.assumption.find("do not change under version 1"), std::string::npos);
}

TEST_F(Versions, APromiseAboutOneVersionIsAboutNoOther) {
  WritePolicy("people.parquet", "version = \"may\"\nfrozen = true\n");
  WriteParquet("A");
  ASSERT_TRUE(Ask(Open(), kInA));
  WritePolicy("people.parquet", "version = \"june\"\nfrozen = true\n");
  const auto second = Ask(Open(), kInB);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().what.find("a promise about one version"), std::string::npos) << second.error().Text();
  // Withdrawn: what was charged by cell counts for all, and the certificate says what that rests on.
  WritePolicy("people.parquet", "version = \"june\"\n");
  const auto now = Ask(Open(), kInB);
  ASSERT_TRUE(now) << now.error().Text();
  EXPECT_NEAR(now->certificate.guarantee.plain, 2, 1e-6);
  EXPECT_NE(now->certificate.guarantee.assumption.find("while charges were to single public cells"), std::string::npos);
  const auto budget = Open().Budget();
  for (const auto& cell : budget->cells) EXPECT_NEAR(cell.plain_spent, 2, 1e-6);
}

TEST_F(Versions, AnImportRefusesABrokenPromise) {
  WritePolicy("people.csv", "public_columns = \"fixed\"\n");
  WriteCsv("A");
  ASSERT_TRUE(Ask(Open(), kInA));
  WriteCsv("B");
  const auto broken = Open().Import(never_);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::kInvalidArgument);
  const auto still = Open().Release(QuestionRequest{kAll}, {}, {}, never_);
  EXPECT_EQ(still->certificate.guarantee.version, "1");
}

// In ward A housemates are tied closely, in B loosely. A unit that has been in A keeps its small limit.
TEST_F(Versions, WhoWasInAStrongerClassKeepsItsLimit_RELEASE10) {
  WritePolicy("people.csv", "", true);
  WriteCsv("B");
  const Curator curator = Open();
  ASSERT_TRUE(Ask(curator, kInB));
  const auto before = curator.Budget();
  EXPECT_GT(before->cells[1].plain_budget, before->cells[0].plain_budget);
  WriteCsv("B", 8);
  ASSERT_TRUE(curator.Import(never_));
  const auto after = curator.Budget();
  EXPECT_TRUE(after->moved);
  EXPECT_EQ(after->cells[1].plain_budget, before->cells[0].plain_budget);
  EXPECT_EQ(after->cells[0].plain_spent, before->cells[1].plain_spent);
  EXPECT_GE(after->cells[1].dependent_spent, after->cells[0].dependent_spent);
}

TEST_F(Versions, AQuestionThatWasPreparedForOtherDataIsNotCharged) {
  WritePolicy("people.csv");
  WriteCsv("A");
  const Curator curator = Open();
  ASSERT_TRUE(Ask(curator, kInA));
  std::atomic<bool> done = false;
  std::atomic<int> answered = 0;
  std::thread importer([&] {  // five times, and for as long as nobody has had an answer in the meantime
    const Curator other = Open();
    for (int i = 0; i < 5 || (answered == 0 && i < 500); ++i) EXPECT_TRUE(other.Import(never_));
    done = true;
  });
  for (int i = 0; !done; ++i) {
    const auto answer = curator.Release(QuestionRequest{kAll}, {}, {}, never_);
    if (answer)
      ++answered;
    else
      EXPECT_EQ(answer.error().code, Code::kStorage) << answer.error().Text();
  }
  importer.join();
  EXPECT_GT(answered, 0);
  EXPECT_TRUE(curator.Release(QuestionRequest{kAll}, {}, {}, never_));
  EXPECT_EQ(curator.Budget()->cells[0].plain_spent, curator.Budget()->cells[1].plain_spent);
}

// What a check found goes with the ledger, whatever is declared later; mere words, of an older program, only with the
// declaration that they are about.
TEST_F(Versions, AnAlarmIsReadUnderWhatIsDeclaredNow_CHECK4) {
  WritePolicy("people.csv", "", true);
  const Policy policy = Policy::Load(folder_ / "policy.toml").value();
  Dependence larger = policy.dependence;
  std::get<Group>(larger.model).classes[1].odds_ratio = 30;
  larger.canonical += "as declared";
  const auto book = [&](const char* name) {
    constexpr bool kCreate = true;
    return Ledger::Open(folder_ / name, BindingOf(policy, ""), kCreate).value();
  };
  Ledger older = book("older.ledger");
  const auto under = [](const Ledger& of, const Dependence& declared) {
    return AlarmUnder(of.Totals().value().alarms, declared);
  };
  EXPECT_EQ(under(older, policy.dependence), "");
  ASSERT_TRUE(older.RaiseAlarm(policy.dependence.Declaration(), "words alone"));
  EXPECT_NE(under(older, policy.dependence).find("(words alone)"), std::string::npos);
  EXPECT_EQ(under(older, larger), "");

  Ledger now = book("now.ledger");
  const check::Alarm alarm{"ill by home", "home", "ward", {{"B", 35, 2}}};
  ASSERT_TRUE(now.RaiseAlarm(policy.dependence.Declaration(), check::ToText(alarm)));
  EXPECT_NE(under(now, larger).find("(ill by home)"), std::string::npos);
  std::get<Group>(larger.model).classes[1].odds_ratio = 36;
  EXPECT_EQ(under(now, larger), "");
}

}  // namespace
}  // namespace kith
