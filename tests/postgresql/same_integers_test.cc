// One table in a CSV file and in a PostgreSQL server: whatever is asked, the integers before noise are the same.
#include <fstream>

#include "query/plan.h"
#include "tests/postgresql/server.h"
#include "tests/support/same_analyses.h"

namespace kith::testing {
namespace {

constexpr char kColumns[] = R"(
id    = { type = "integer" }
ward  = { values = ["A", "B", "Ö-ward"] }
age   = { type = "integer", lower = 0, upper = 110 }
cost  = { type = "real", lower = -100, upper = 1000 }
ill   = { values = [true, false] }
day   = { type = "date", lower = 1900-01-01, upper = 2030-12-31 }
at    = { type = "timestamp" }
step  = { type = "integer", lower = 0, upper = 9 }
big   = { type = "integer", lower = -9000000000000000, upper = 9000000000000000 }
pal   = { type = "integer" }
)";

class SameIntegersTest : public PostgreSqlTest {
 protected:
  SameIntegersTest() {
    std::ofstream csv(folder_ / "t.csv");
    csv << "id,ward,age,cost,ill,day,at,step,big,pal\n";
    other_.Do(
        "CREATE TABLE s.t (id bigint, ward text, age integer, cost double precision, ill boolean, day date, at "
        "timestamp, step smallint, big bigint, pal integer)");
    constexpr const char* kWards[] = {"A", "B", "Ö-ward", "ö-ward", "", "A "};
    constexpr const char* kCosts[] = {"0.5",       "1.5", "2.5",   "-0.5",     "NaN",   "Infinity",
                                      "-Infinity", "",    "1e300", "999.9999", "7.0625"};
    constexpr const char* kDays[] = {"1969-12-31", "1970-01-01", "1899-12-31", "2024-02-29",
                                     "",           "0001-01-01", "9999-12-31"};
    std::string values;
    for (int i = 0; i < 600; ++i) {
      const std::string ward = kWards[i % 6], cost = kCosts[i % 11], day = kDays[i % 7];
      const std::string at = i % 13 == 0 ? "" : (i % 2 == 0 ? "1969-12-31 23:59:59.5" : "2024-03-10 12:30:00");
      const std::vector<std::string> row = {std::to_string(i / 2),
                                            ward,
                                            i % 17 == 0 ? "" : std::to_string(i * 7 % 140 - 10),
                                            cost,
                                            i % 19 == 0 ? "" : (i % 3 == 0 ? "true" : "false"),
                                            day,
                                            at,
                                            std::to_string(i % 10),
                                            std::to_string((i % 2 == 0 ? 1 : -1) * 8'999'999'999'999'999'999LL),
                                            std::to_string(i * 31 % 300)};
      values += i == 0 ? "(" : ", (";
      for (std::size_t k = 0; k < row.size(); ++k) {
        csv << (k == 0 ? "" : ",") << row[k];
        values += (k == 0 ? "" : ", ") + (row[k].empty() ? std::string("NULL") : "'" + row[k] + "'");
      }
      csv << "\n";
      values += ")";
    }
    other_.Do("INSERT INTO s.t VALUES " + values);
  }

  struct Pair {
    Policy file, server;
    std::unique_ptr<Session> on_file, on_server;
  };

  Pair Both(const std::string& unit, const std::string& more = {}) {
    Pair pair;
    pair.server = PolicyOf(kColumns + more, unit);
    pair.file = pair.server;
    pair.file.engine = "duckdb";
    pair.file.server = {};
    pair.file.tables[0].source = "t.csv";
    auto on_file = ImportAndOpen(pair.file, {}, {});
    EXPECT_TRUE(on_file) << on_file.error().Text();
    auto on_server = Open(pair.server);
    EXPECT_TRUE(on_server) << on_server.error().Text();
    pair.on_file = std::move(*on_file);
    pair.on_server = std::move(*on_server);
    return pair;
  }

  static void ExpectSame(const Pair& pair, const std::string& question) {
    const auto plan = PlanQuestion(question, pair.server);
    ASSERT_TRUE(plan) << plan.error().Text();
    if (!plan->statement.empty()) {
      EXPECT_EQ(RunOn(*pair.on_file, plan->statement), RunOn(*pair.on_server, plan->statement)) << question;
    }
    for (const Statistic& statistic : plan->statistics) {
      if (!statistic.quantile) continue;
      const auto rows = RunOn(*pair.on_server, statistic.quantile->statement);
      EXPECT_FALSE(rows.empty());
      EXPECT_EQ(RunOn(*pair.on_file, statistic.quantile->statement), rows) << question;
    }
  }
};

const std::string kRow = "row = true", kKey = "key = \"id\"\nmax_rows = 2";

TEST_F(SameIntegersTest, Questions) {
  for (const std::string& unit : {kRow, kKey}) {
    const Pair pair = Both(unit);
    for (const char* question : {
             "SELECT count(*) FROM t",
             "SELECT ward, count(*), sum(age), avg(cost), sum(big) FROM t GROUP BY ward",
             "SELECT ill, ward, var_samp(cost), corr(age, cost) FROM t WHERE age BETWEEN 20 AND 60 GROUP BY ill, ward",
             "SELECT extract(year FROM day) AS y, count(*) FROM t WHERE day >= DATE '2023-01-01' GROUP BY 1",
             "SELECT date_trunc('month', day), count(*) FROM t WHERE day BETWEEN DATE '1969-11-01' AND DATE "
             "'1970-02-01' GROUP BY 1",
             "SELECT count(*) FROM t WHERE ward LIKE '_-w%' OR ward > 'B'",
             "SELECT count(*), sum(age) FROM t WHERE at < TIMESTAMP '1970-01-01 00:00:00' AND NOT ill",
             "SELECT sum(round(cost, 1)), sum(floor(cost / 3)), sum(abs(age - 50) % 7) FROM t",
             "SELECT width_bucket(cost, 0, 10, 5), count(*) FROM t GROUP BY 1",
             "SELECT median(age), percentile_cont(0.9) WITHIN GROUP (ORDER BY cost) FROM t",
             "SELECT sum(CASE WHEN extract(dow FROM day) = 0 THEN 1 ELSE 0 END), count(DISTINCT ward) FILTER (WHERE "
             "ill) FROM t",
         }) {
      const auto plan = PlanQuestion(question, pair.server);
      if (!plan && std::string(question).find("DISTINCT") != std::string::npos) continue;
      ExpectSame(pair, question);
    }
  }
  const Pair keyed = Both(kKey);
  ExpectSame(keyed, "SELECT ward, count(DISTINCT id) FROM t GROUP BY ward");
}

TEST_F(SameIntegersTest, MediansOfUnits) {
  const Pair pair = Both(kKey);
  for (const char* question : kMediansOfUnits) ExpectSame(pair, question);
}

TEST_F(SameIntegersTest, KMeans) {
  for (const std::string& unit : {kRow, kKey}) {
    const Pair pair = Both(unit);
    ExpectSameMeans(pair.server, *pair.on_file, {pair.on_server.get()});
  }
}

TEST_F(SameIntegersTest, Degrees) {
  const std::pair<std::string, std::size_t> units[] = {
      {kRow, 3}, {"key = \"id\"\nmax_rows = 3", 3}, {"key = [\"id\", \"pal\"]\nmax_rows = 5", 5}};
  for (const auto& [unit, most] : units) {
    const Pair pair = Both(unit);
    ExpectSameDegrees(most, pair.server, *pair.on_file, {pair.on_server.get()}, unit);
  }
}

TEST_F(SameIntegersTest, StudiesThatScan) {
  for (const std::string& unit : {kRow, kKey}) {
    const Pair pair = Both(unit);
    ExpectSameRowsOut(pair.server, *pair.on_file, {pair.on_server.get()});
  }
}

TEST_F(SameIntegersTest, StepsOfAStream) {
  const Pair pair = Both(kKey);
  ExpectSameSteps(pair.server, *pair.on_file, {pair.on_server.get()});
}

}  // namespace
}  // namespace kith::testing
