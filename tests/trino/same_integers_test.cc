// One table in a CSV file and in two catalogs of Trino: whatever is asked, the integers before noise are the same.
#include <fstream>

#include "query/plan.h"
#include "tests/support/same_analyses.h"
#include "tests/trino/server.h"

namespace kith::testing {
namespace {

constexpr char kColumns[] = R"(
id    = { type = "integer" }
ward  = { values = ["A", "B", "Ö-ward"] }
age   = { type = "integer", lower = 0, upper = 110 }
cost  = { type = "real", lower = -100, upper = 1000 }
paid  = { type = "real", lower = 0, upper = 100 }
whole = { type = "integer", lower = -10, upper = 10 }
ill   = { values = [true, false] }
day   = { type = "date", lower = 1900-01-01, upper = 2030-12-31 }
at    = { type = "timestamp" }
step  = { type = "integer", lower = 0, upper = 9 }
big   = { type = "integer", lower = -9000000000000000, upper = 9000000000000000 }
pal   = { type = "integer" }
)";

constexpr const char* kTypes[] = {"bigint",  "varchar", "integer",      "double",   "decimal(6, 2)", "double",
                                  "boolean", "date",    "timestamp(6)", "smallint", "bigint",        "integer"};

class SameIntegersOnTrino : public TrinoTest {
 protected:
  SameIntegersOnTrino() {
    std::ofstream csv(folder_ / "t.csv");
    csv << "id,ward,age,cost,paid,whole,ill,day,at,step,big,pal\n";
    constexpr const char* kWards[] = {"A", "B", "Ö-ward", "ö-ward", "", "A "};
    constexpr const char* kCosts[] = {"0.5",       "1.5", "2.5",   "-0.5",     "NaN",   "Infinity",
                                      "-Infinity", "",    "1e300", "999.9999", "7.0625"};
    constexpr const char* kPaid[] = {"0.05", "12.25", "", "99.99", "3.00"};
    constexpr const char* kHalves[] = {"0.5", "1.5", "2.5", "-0.5", "-1.5", "-2.5", "3.49", "-3.51", "NaN", ""};
    // Doubles that are read as integers go to the nearest one, halves to the even one; the file has these.
    constexpr const char* kEven[] = {"0", "2", "2", "0", "-2", "-2", "3", "-4", "", ""};
    constexpr const char* kDays[] = {"1969-12-31", "1970-01-01", "1899-12-31", "2024-02-29",
                                     "",           "0001-01-01", "9999-12-31"};
    std::string values;
    for (int i = 0; i < 400; ++i) {
      const std::string at = i % 13 == 0 ? "" : (i % 2 == 0 ? "1969-12-31 23:59:59.5" : "2024-03-10 12:30:00");
      const std::vector<std::string> row = {std::to_string(i / 2),
                                            kWards[i % 6],
                                            i % 17 == 0 ? "" : std::to_string(i * 7 % 140 - 10),
                                            kCosts[i % 11],
                                            kPaid[i % 5],
                                            kHalves[i % 10],
                                            i % 19 == 0 ? "" : (i % 3 == 0 ? "true" : "false"),
                                            kDays[i % 7],
                                            at,
                                            std::to_string(i % 10),
                                            std::to_string((i % 2 == 0 ? 1 : -1) * 8'999'999'999'999'999'999LL),
                                            std::to_string(i * 31 % 200)};
      values += i == 0 ? "(" : ", (";
      for (std::size_t k = 0; k < row.size(); ++k) {
        csv << (k == 0 ? "" : ",") << (k == 5 ? kEven[i % 10] : row[k]);
        const std::string text = row[k].empty() ? "NULL" : "'" + row[k] + "'";
        values += (k == 0 ? "CAST(" : ", CAST(") + text + " AS " + kTypes[k] + ")";
      }
      csv << "\n";
      values += ")";
    }
    other_.Do("CREATE TABLE " + In("memory") + " AS SELECT * FROM (VALUES " + values +
              ") AS v(id, ward, age, cost, paid, whole, ill, day, at, step, big, pal)");
    other_.Do("CREATE TABLE " + In("lake") + " AS SELECT * FROM " + In("memory"));
  }

  struct Three {
    Policy policy;
    std::unique_ptr<Session> on_file, on_lake, on_memory;

    Sessions Servers() const { return {on_lake.get(), on_memory.get()}; }
  };

  Three Opened(const std::string& unit) {
    Three three;
    three.policy = PolicyOf("lake", kColumns, unit);
    Policy file = three.policy;
    file.engine = "duckdb";
    file.server = {};
    file.tables[0].source = "t.csv";
    auto on_file = ImportAndOpen(file, {}, {});
    EXPECT_TRUE(on_file) << on_file.error().Text();
    auto on_lake = Open(three.policy), on_memory = Open(PolicyOf("memory", kColumns, unit));
    EXPECT_TRUE(on_lake) << on_lake.error().Text();
    EXPECT_TRUE(on_memory) << on_memory.error().Text();
    three.on_file = std::move(*on_file);
    three.on_lake = std::move(*on_lake);
    three.on_memory = std::move(*on_memory);
    return three;
  }

  static void ExpectSame(const Three& three, const sql::Statement& statement, const std::string& what) {
    const Integers here = RunOn(*three.on_file, statement);
    EXPECT_EQ(RunOn(*three.on_lake, statement), here) << what;
    EXPECT_EQ(RunOn(*three.on_memory, statement), here) << what;
  }
  static void ExpectSame(const Three& three, const std::string& question) {
    const auto plan = PlanQuestion(question, three.policy);
    ASSERT_TRUE(plan) << question << plan.error().Text();
    if (!plan->statement.empty()) ExpectSame(three, plan->statement, question);
    for (const Statistic& statistic : plan->statistics) {
      if (statistic.quantile) ExpectSame(three, statistic.quantile->statement, question);
    }
  }
};

const std::string kRow = "row = true", kKey = "key = \"id\"\nmax_rows = 2";

TEST_F(SameIntegersOnTrino, Questions) {
  for (const std::string& unit : {kRow, kKey}) {
    const Three three = Opened(unit);
    for (const char* question : {
             "SELECT count(*), sum(whole), sum(paid), avg(paid) FROM t",
             "SELECT ward, count(*), sum(age), avg(cost), sum(big) FROM t GROUP BY ward",
             "SELECT ill, ward, var_samp(cost), corr(age, cost) FROM t WHERE age BETWEEN 20 AND 60 GROUP BY ill, ward",
             "SELECT extract(year FROM day) AS y, count(*) FROM t WHERE day >= DATE '2023-01-01' GROUP BY 1",
             "SELECT date_trunc('month', day), count(*) FROM t WHERE day BETWEEN DATE '1969-11-01' AND DATE "
             "'1970-02-01' GROUP BY 1",
             "SELECT count(*) FROM t WHERE ward LIKE '_-w%' OR ward > 'B'",
             "SELECT count(*), sum(age) FROM t WHERE at < TIMESTAMP '1970-01-01 00:00:00' AND NOT ill",
             "SELECT sum(round(cost, 1)), sum(floor(cost / 3)), sum(abs(age - 50) % 7) FROM t",
             "SELECT sum(greatest(cost, paid)), sum(least(cost, age, whole)) FROM t",
             "SELECT width_bucket(cost, 0, 10, 5), count(*) FROM t GROUP BY 1",
             "SELECT median(age), percentile_cont(0.9) WITHIN GROUP (ORDER BY cost) FROM t",
             "SELECT sum(CASE WHEN extract(dow FROM day) = 0 THEN 1 ELSE 0 END) FROM t WHERE age > 500",
         }) {
      ExpectSame(three, question);
    }
  }
  ExpectSame(Opened(kKey), "SELECT ward, count(DISTINCT id) FROM t GROUP BY ward");
}

TEST_F(SameIntegersOnTrino, MediansOfUnits) {
  const Three three = Opened(kKey);
  for (const char* question : kMediansOfUnits) ExpectSame(three, question);
}

TEST_F(SameIntegersOnTrino, SumsBeyond64Bits) {
  const Three three = Opened(kRow);
  for (const Session* session : {three.on_file.get(), three.on_lake.get(), three.on_memory.get()}) {
    const std::string sum = session->dialect().Sum("CASE WHEN big > 0 THEN big END");
    EXPECT_EQ(Ask(*session, "SELECT " + sum + " FROM t"), "1799999999999999999800");
  }
}

TEST_F(SameIntegersOnTrino, AnalysesAndStreams) {
  for (const std::string& unit : {kRow, kKey}) {
    const Three three = Opened(unit);
    ExpectSameMeans(three.policy, *three.on_file, three.Servers());
    ExpectSameRowsOut(three.policy, *three.on_file, three.Servers());
    if (unit == kKey) ExpectSameSteps(three.policy, *three.on_file, three.Servers());
  }
}

TEST_F(SameIntegersOnTrino, Degrees) {
  const std::pair<std::string, std::size_t> units[] = {
      {kRow, 3}, {"key = \"id\"\nmax_rows = 3", 3}, {"key = [\"id\", \"pal\"]\nmax_rows = 5", 5}};
  for (const auto& [unit, most] : units) {
    const Three three = Opened(unit);
    ExpectSameDegrees(most, three.policy, *three.on_file, three.Servers(), unit);
  }
}

}  // namespace
}  // namespace kith::testing
