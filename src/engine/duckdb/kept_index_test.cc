// The index of kept rows: the same answers as without it, for every kind of source; and what becomes of its file.
#include "engine/duckdb/kept_index.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/unit_rows.h"
#include "query/kept_by.h"
#include "query/plan.h"

namespace kith {
namespace {

constexpr const char* kQuestions[] = {
    "SELECT sex, count(*) FROM people GROUP BY sex", "SELECT sum(x) FROM people WHERE sex = 'f'",
    "SELECT x, sex, avg(w) FROM people GROUP BY x, sex", "SELECT sex, count(DISTINCT id) FROM people GROUP BY sex",
    "SELECT sum(w) FROM people WHERE x > 3"};

class KeptIndexTest : public EngineFixture {
 protected:
  KeptIndexTest() {
    Declare("x", ColumnType::kInteger).values = {std::int64_t{0}, std::int64_t{4}, std::int64_t{8}};
    Declare("sex", ColumnType::kText).values = {std::string("f"), std::string("m")};
    Column& w = Declare("w", ColumnType::kInteger);
    w.lower = 0;
    w.upper = 1'000'000'000;
    policy_.unit.key = "id";
    policy_.unit.max_rows = 2;
    policy_.tables[0].source = "people.parquet";
    policy_.cells = Cells::Of(policy_.unit_table(), {});
  }

  /// Rows of some 400 units with up to 14 rows, many of them alike; some have no key.
  static std::string Rows(int from, int count, const char* key) {
    return fmt::format(
        "SELECT CASE WHEN hash(range, 5) % 50 = 0 THEN NULL ELSE {} END AS id, (hash(range) % 3 * 4)::BIGINT AS x, "
        "CASE "
        "WHEN hash(range, 1) % 5 = 0 THEN NULL WHEN hash(range, 1) % 2 = 0 THEN 'f' ELSE 'm' END AS sex, CASE WHEN "
        "hash(range, 4) % 2 = 0 THEN 7 ELSE (hash(range, 4) % 1000000000)::BIGINT END AS w FROM range({}, {})",
        key, from, from + count);
  }
  void MakeAll(const char* key) {
    WithDuckDb(fmt::format(
        "COPY ({0}) TO '{{}}/people.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048); COPY ({1}) TO '{{}}/a.parquet' "
        "(FORMAT parquet); COPY ({2}) TO '{{}}/b.parquet' (FORMAT parquet); COPY ({3}) TO '{{}}/c.parquet' (FORMAT "
        "parquet); COPY ({0}) TO '{{}}/people.csv' (FORMAT csv); ATTACH '{{}}/people.duckdb' AS f; CREATE OR "
        "REPLACE TABLE f.people AS {0}; DELETE FROM f.people WHERE x = 4 AND w = 7; CHECKPOINT f; DETACH f",
        Rows(0, 3000, key), Rows(0, 900, key), Rows(900, 1100, key),
        "SELECT sex, w, x::INTEGER AS x, id FROM (" + Rows(2000, 1000, key) + ")"));
  }
  void Read(const std::string& source) {
    policy_.tables[0].source = source;
    policy_.tables[0].more_sources.clear();
    if (source == "a.parquet") policy_.tables[0].more_sources = {"b.parquet", "c.parquet"};
  }

  /// The answer of the statement that runs, and of the one that sorts rows out itself.
  std::pair<std::string, std::string> Both(const Session& session, const std::string& question) {
    const auto plan = PlanQuestion(question, policy_);
    if (!plan) return {plan.error().Text(), {}};
    const auto text = [&](const sql::UnitRows& known) {
      return Sorted(Ask(session, sql::DuckDb().Write(plan->statement, known)));
    };
    return {text(session.unit_rows()), text({})};
  }

  /// Groups come in no particular order.
  static std::string Sorted(const std::string& rows) {
    std::vector<std::string> parts;
    std::istringstream in(rows);
    for (std::string part; std::getline(in, part, ';');) parts.push_back(part);
    std::sort(parts.begin(), parts.end());
    return fmt::format("{}", fmt::join(parts, ";"));
  }

  void ExpectSame(const std::string& about) {
    auto session = Open();
    ASSERT_TRUE(session) << session.error().Text();
    EXPECT_FALSE((*session)->unit_rows().kept.empty()) << about;
    for (const char* question : kQuestions) {
      const auto [runs, shown] = Both(**session, question);
      EXPECT_EQ(runs, shown) << about << ": " << question;
      EXPECT_FALSE(Has(runs, "error")) << question;
    }
  }

  std::vector<std::filesystem::path> Files() const {
    std::vector<std::filesystem::path> files;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith" / "checked", ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with("kept-") || name.starts_with("making-")) files.push_back(entry.path());
    }
    return files;
  }
};

TEST_F(KeptIndexTest, AnswersAreThoseOfQuestionsThatSortOutThemselves_ENGINE9) {
  MakeAll("(hash(range, 3) % 400)::BIGINT");
  for (const std::int64_t most : {1, 2, 5}) {
    policy_.unit.max_rows = most;
    for (const char* source : {"people.parquet", "a.parquet", "people.duckdb", "people.csv"}) {
      Read(source);
      ExpectSame(fmt::format("{} rows of {}", most, source));
    }
  }
  MakeAll("'key ' || (hash(range, 3) % 400)");
  policy_.unit.max_rows = 3;
  Read("people.parquet");
  ExpectSame("texts");
}

// The twin: an index that keeps two rows is taken for one that keeps one.
TEST_F(KeptIndexTest, TheCheckAboveSeesAnIndexOfAnotherRule) {
  MakeAll("(hash(range, 3) % 400)::BIGINT");
  auto session = Open();
  ASSERT_TRUE(session);
  policy_.unit.max_rows = 1;
  sql::UnitRows known = (*session)->unit_rows();
  const auto plan = PlanQuestion(kQuestions[0], policy_);
  ASSERT_TRUE(plan);
  const auto answer = [&] { return Sorted(Ask(**session, sql::DuckDb().Write(plan->statement, known))); };
  const std::string right = answer();
  known.kept_by = KeptBy(policy_);
  EXPECT_NE(answer(), right);
}

TEST_F(KeptIndexTest, PartByPartTheSameIsFound) {
  for (const char* key : {"(hash(range, 3) % 400)::BIGINT", "'key ' || (hash(range, 3) % 400)"}) {
    MakeAll(key);
    std::vector<KeptIndex> found;
    for (const LookSizes& sizes : {LookSizes{}, LookSizes{500, 300, 200, 100}}) {
      std::filesystem::remove_all(folder_ / ".kith");
      const KithFolder folder(folder_);
      auto database = DuckDb::Open("", {});
      ASSERT_TRUE(database);
      auto connection = database->Connect();
      ASSERT_TRUE(connection);
      const auto tables = OpenTables(*connection, policy_, folder, Options(), Heard());
      ASSERT_TRUE(tables) << tables.error().Text();
      ASSERT_TRUE(connection->Execute(tables->at(0).view_sql, cancel_));
      const auto known = LookAtUnitRows(*connection, policy_, *tables, folder, cancel_, sizes);
      ASSERT_TRUE(known && known->index);
      found.push_back(*known->index);
    }
    EXPECT_EQ(found[0], found[1]);
  }
}

TEST_F(KeptIndexTest, ItIsKeptForItsStateAloneAndNobodyElseMayReadIt) {
  MakeAll("(hash(range, 3) % 400)::BIGINT");
  ExpectSame("first");
  ASSERT_EQ(Files().size(), 1u);
  const auto first = Files().front();
  struct stat status {};
  ASSERT_EQ(::stat(first.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777u, 0400u);
  ExpectSame("again");
  EXPECT_EQ(Files(), std::vector{first});
  MakeAll("(hash(range, 3) % 300)::BIGINT");
  Write(".kith/checked/making-abcdef", "half");  // of a process that died
  ExpectSame("other data");
  ASSERT_EQ(Files().size(), 1u);
  EXPECT_NE(Files().front(), first);
}

TEST_F(KeptIndexTest, ADamagedOneIsMadeAgain) {
  MakeAll("(hash(range, 3) % 400)::BIGINT");
  ExpectSame("first");
  const auto file = Files().front();
  std::filesystem::permissions(file, std::filesystem::perms::owner_write, std::filesystem::perm_options::add);
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  ExpectSame("cut");
}

TEST_F(KeptIndexTest, BytesComeBackOnlyAsTheyWere) {
  KeptIndex index;
  for (const std::int64_t row :
       {std::int64_t{0}, std::int64_t{63}, std::int64_t{200}, (std::int64_t{3} << kFileBits) + 5}) {
    EXPECT_TRUE(index.Kept(row));
    index.Drop(row);
    EXPECT_FALSE(index.Kept(row));
  }
  const std::int64_t rows[] = {
      0, 1, 199, 200, 100'000, (std::int64_t{2} << kFileBits), (std::int64_t{3} << kFileBits) + 5};
  bool kept[7];
  index.Look(rows, 7, kept);
  EXPECT_EQ(std::vector<bool>(kept, kept + 7), (std::vector<bool>{false, true, true, false, true, true, false}));
  const std::string bytes = index.ToBytes("a");
  EXPECT_EQ(KeptIndex::FromBytes(bytes, "a"), index);
  EXPECT_EQ(KeptIndex::FromBytes(bytes, "b"), std::nullopt);
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    std::string damaged = bytes;
    damaged[k] = static_cast<char>(damaged[k] ^ 1);
    EXPECT_EQ(KeptIndex::FromBytes(damaged, "a"), std::nullopt) << k;
    EXPECT_EQ(KeptIndex::FromBytes(bytes.substr(0, k), "a"), std::nullopt) << k;
  }
}

TEST_F(KeptIndexTest, TheFirstRowsOfAUnitAreKeptAndTiesAreSeen) {
  const auto dropped = [](std::vector<RowOfUnit> rows, std::int64_t most) {
    KeptIndex index;
    std::string text = fmt::format("{}", fmt::join(DropBeyondFirst(&rows, most, 4, &index), ","));
    for (std::int64_t row = 0; row < 9; ++row) text += index.Kept(row) ? "" : fmt::format(" {}", row);
    return text;
  };
  EXPECT_EQ(dropped({{7, 64, 0}, {7, 32, 1}, {8, 1, 2}, {7, 48, 3}}, 2), " 0");
  EXPECT_EQ(dropped({{7, 64, 0}, {7, 32, 1}, {8, 1, 2}, {7, 48, 3}}, 1), " 0 3");
  EXPECT_EQ(dropped({{7, 64, 0}, {7, 65, 1}, {7, 1, 2}}, 2), "7 1");
  EXPECT_EQ(dropped({{7, 64, 0}, {7, 65, 1}, {7, 1, 2}}, 1),
            " 0 1");  // among those that are dropped it does not matter
  EXPECT_EQ(dropped({{7, 64, 0}, {8, 65, 1}}, 1), "");
  EXPECT_EQ(dropped({}, 1), "");
}

TEST_F(KeptIndexTest, WhereRowsHaveNoPlaceQuestionsSortOutThemselves) {
  WithDuckDb(
      "ATTACH '{}/people.duckdb' AS f; CREATE TABLE f.people AS SELECT 1 AS id, 1 AS x, 'f' AS sex, 2 AS w, 3 AS rowid "
      "FROM range(5); COPY (SELECT 1 AS id, 1 AS x, 'f' AS sex, 2 AS w, 3 AS FILE_ROW_NUMBER FROM range(5)) TO "
      "'{}/people.parquet'; DETACH f");
  for (const char* source : {"people.duckdb", "people.parquet"}) {
    Read(source);
    auto session = Open();
    ASSERT_TRUE(session) << session.error().Text();
    EXPECT_TRUE((*session)->unit_rows().kept.empty());
    EXPECT_EQ(Both(**session, "SELECT count(*) FROM people").first, "2");
  }
}

TEST_F(KeptIndexTest, AUniqueKeyNeedsNoLook) {
  policy_.unit.max_rows = 1;
  Read("people.duckdb");
  const auto known = [&](const std::string& columns, const std::string& rows) {
    std::filesystem::remove_all(folder_ / ".kith");
    std::filesystem::remove(folder_ / "people.duckdb");
    WithDuckDb("ATTACH '{}/people.duckdb' AS f; CREATE TABLE f.people (" + columns +
               ", x BIGINT, sex VARCHAR, w BIGINT); INSERT INTO f.people VALUES " + rows + "; DETACH f");
    auto session = Open();
    if (!session) return session.error().Text();
    std::size_t marks = 0;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / ".kith" / "checked", ignored)) {
      marks += entry.exists() ? 1 : 0;
    }
    const sql::UnitRows rows_of = (*session)->unit_rows();
    return fmt::format("{} {} {}", rows_of.most.value_or(0), rows_of.all_have_keys, marks);
  };
  EXPECT_EQ(known("id BIGINT PRIMARY KEY", "(1, 1, 'f', 1), (2, 1, 'f', 1)"), "1 true 0");
  EXPECT_EQ(known("id VARCHAR UNIQUE", "('1', 1, 'f', 1), (NULL, 1, 'f', 1)"), "1 false 0");
  EXPECT_EQ(known("id BIGINT, y BIGINT DEFAULT 1, UNIQUE (id, y)", "(1, 1, 1, 'f', 1), (1, 2, 1, 'f', 1)"),
            "0 false 1");
  Declare("id", ColumnType::kInteger);  // strings that differ may be one number
  EXPECT_EQ(known("id VARCHAR UNIQUE", "('1', 1, 'f', 1), ('01', 1, 'f', 1)"), "0 false 1");
}

TEST_F(KeptIndexTest, OldMarksGoWhenThereAreMany) {
  const KithFolder folder{folder_};
  folder.Mark("first");
  const auto before = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  for (int k = 0; k < 999; ++k) {
    const auto mark = Write(fmt::format(".kith/checked/state{}", k), "");
    std::filesystem::last_write_time(mark, before + std::chrono::seconds(k));
  }
  folder.Mark("first");  // 1,000 are not too many
  EXPECT_TRUE(folder.Marked("state0"));
  folder.Mark("last");
  const auto marks = std::filesystem::directory_iterator(folder.path() / "checked");
  EXPECT_EQ(std::distance(begin(marks), end(marks)), 500);
  EXPECT_FALSE(folder.Marked("state0"));
  EXPECT_TRUE(folder.Marked("state998"));
  EXPECT_TRUE(folder.Marked("last"));
}

}  // namespace
}  // namespace kith
