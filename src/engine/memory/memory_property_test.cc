// Statements about frames by programs and by DuckDB: the same integers, for random questions about hostile columns.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include "engine/duckdb/duckdb_engine.h"
#include "engine/duckdb/engine_fixture.h"
#include "engine/duckdb/frame_scan.h"
#include "engine/duckdb/totals.h"
#include "engine/frame_maker.h"
#include "engine/memory/run.h"
#include "query/plan.h"

namespace kith {
namespace {

using Bits = std::mt19937_64;

constexpr char kPolicy[] = R"(
[data]
tables.people = "frame:people"
[columns.people]
u = { type = "integer" }
x = { type = "real", lower = 0, upper = 100, required = true }
y = { type = "real", lower = -3, upper = 17 }
v = { type = "real", lower = -1e6, upper = 1e6 }
f = { type = "real", lower = -2, upper = 2 }
i = { type = "real", lower = -1000, upper = 1000 }
n = { type = "integer", lower = 0, upper = 120 }
m = { type = "integer", lower = -50, upper = 50, required = true }
s = { type = "integer", lower = -100, upper = 100 }
k = { values = [3, 4, 5, 6, 7], required = true }
l = { values = [1, 2, 4, 8] }
w = { values = ["a", "bb", "seven77", "exactly8", "longer than eight", "longer thun eight", ""], required = true }
d = { values = ["no", "yes", "perhaps, perhaps not"] }
big = { type = "integer", lower = -9000000000000000, upper = 9000000000000000 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1.0
ledger = "people.ledger"
)";

constexpr const char* kUnits[] = {"row = true", "key = \"u\"\nmax_rows = 1"};

std::size_t Below(Bits& bits, std::size_t n) { return static_cast<std::size_t>(bits() % n); }

template <class T>
const T& One(Bits& bits, const std::vector<T>& of) {
  return of[Below(bits, of.size())];
}

double RandomReal(Bits& bits, double low, double high) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (Below(bits, 12)) {
    case 0:
      return One<double>(bits, {low, high, std::nextafter(low, kInfinity), std::nextafter(high, kInfinity)});
    case 1:
      return One<double>(bits, {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                -std::numeric_limits<double>::quiet_NaN(), 1e308, -1e308});
    case 2:
      return One<double>(bits, {0.0, -0.0, 0x1p-129, -0x1p-129, 0x1p-128, 0x1p-1074, -0x1p-1074, 1e-9});
    case 3:
      return std::bit_cast<double>(bits());
    case 4:
      return std::floor(low + (high - low) * std::ldexp(static_cast<double>(bits() >> 11), -53)) + 0.5;
    case 5:  // halves of a lattice
      return low + (static_cast<double>(bits() % 4096) + 0.5) * std::ldexp(1.0, -static_cast<int>(Below(bits, 24)));
    default:
      return low + (high - low) * std::ldexp(static_cast<double>(bits() >> 11), -53);
  }
}

template <class T>
T RandomWhole(Bits& bits, int low, int high) {
  if (Below(bits, 10) == 0)
    return One<T>(bits, {std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), T{0}, T{1}});
  if (Below(bits, 10) == 0) return static_cast<T>(bits());
  return static_cast<T>(low + static_cast<int>(Below(bits, static_cast<std::size_t>(high - low + 3))) - 1);
}

// A column in the middle of its buffers, with bits for what is missing or without.
template <class T, class F>
FrameMaker::Part Column(Bits& bits, const char* name, const char* format, std::size_t rows, bool odd, F value) {
  const std::size_t offset = Below(bits, 3) == 0 ? Below(bits, 70) : 0;
  std::vector<T> values;
  for (std::size_t k = 0; k < rows + offset; ++k) values.push_back(value());
  FrameMaker::Part part = FrameMaker::Numbers<T>(name, format, values);
  if (odd && Below(bits, 2) == 0) {
    std::vector<char> valid((rows + offset + 7) / 8);
    for (char& byte : valid) byte = static_cast<char>(bits() | bits());
    part = FrameMaker::Without(part, valid);
  }
  part.offset = static_cast<std::int64_t>(offset);
  part.length = static_cast<std::int64_t>(rows);
  return part;
}

std::string RandomText(Bits& bits) {
  return One<std::string>(bits, {"a", "bb", "seven77", "exactly8", "longer than eight", "longer thun eight", "", "no",
                                 "yes", "perhaps, perhaps not", "A", "b", "seven78", "exactly9", "longer than eighu",
                                 "\xff", "perhaps, perhaps nit", std::string("a\0", 2)});
}

FrameMaker::Part Texts(Bits& bits, const char* name, std::size_t rows) {
  std::vector<std::string> values;
  for (std::size_t k = 0; k < rows; ++k) values.push_back(RandomText(bits));
  FrameMaker::Part part = FrameMaker::Texts(name, values);
  if (Below(bits, 2) == 0) {
    std::vector<char> valid((rows + 7) / 8);
    for (char& byte : valid) byte = static_cast<char>(bits() | bits());
    part = FrameMaker::Without(part, valid);
  }
  return part;
}

// Numbers of strings in a dictionary, some beyond its ends.
FrameMaker::Part Listed(Bits& bits, const char* name, std::size_t rows) {
  const std::size_t size = 1 + Below(bits, 12);
  auto part = Column<std::int8_t>(bits, name, "c", rows, true,
                                  [&] { return static_cast<std::int8_t>(Below(bits, size + 2) - 1); });
  part.dictionary = std::make_shared<FrameMaker::Part>(Texts(bits, "", size));
  return part;
}

std::vector<FrameMaker::Part> Batch(Bits& bits, std::size_t rows) {
  const auto real = [&](double low, double high) { return [&bits, low, high] { return RandomReal(bits, low, high); }; };
  auto next = static_cast<std::int64_t>(bits() >> 2);
  return {
      Column<std::int64_t>(bits, "u", "l", rows, true, [&] { return next++; }),
      Column<double>(bits, "x", "g", rows, true, real(0, 100)),
      Column<double>(bits, "y", "g", rows, true, real(-3, 17)),
      Column<double>(bits, "v", "g", rows, true, real(-1e6, 1e6)),
      Column<float>(bits, "f", "f", rows, true, [&] { return static_cast<float>(RandomReal(bits, -2, 2)); }),
      Column<std::int64_t>(bits, "i", "l", rows, true, [&] { return RandomWhole<std::int64_t>(bits, -1000, 1000); }),
      Column<std::int64_t>(bits, "n", "l", rows, true, [&] { return RandomWhole<std::int64_t>(bits, 0, 120); }),
      Column<std::int32_t>(bits, "m", "i", rows, true, [&] { return RandomWhole<std::int32_t>(bits, -50, 50); }),
      Column<std::int8_t>(bits, "s", "c", rows, true, [&] { return RandomWhole<std::int8_t>(bits, -100, 100); }),
      Column<std::uint16_t>(bits, "k", "S", rows, true, [&] { return RandomWhole<std::uint16_t>(bits, 3, 7); }),
      Column<std::int64_t>(bits, "l", "l", rows, true, [&] { return RandomWhole<std::int64_t>(bits, 1, 8); }),
      Texts(bits, "w", rows),
      Listed(bits, "d", rows),
      Column<std::int64_t>(bits, "big", "l", rows, true, [&] { return static_cast<std::int64_t>(bits()); })};
}

// Random questions of the kinds that programs are for, and some others.
class Asker {
 public:
  explicit Asker(Bits& bits) : bits_(bits) {}

  std::string Question() {
    std::string list, keys;
    const std::size_t grouped = Below(bits_, 3) == 0 ? 1 + Below(bits_, 2) : 0;
    for (std::size_t g = 0; g < grouped; ++g) {
      const std::string key = One<std::string>(
          bits_, {"histogram(x, 50)", "histogram(y, 7)", "histogram(n, 11)", "width_bucket(v, -5, 5, 3)", "k", "l", "m",
                  "w", "d", "histogram(s, 4)", "CASE WHEN x > 40 THEN 1 ELSE 2 END", "n"});
      list += fmt::format("{} AS g{}, ", key, g);
      keys += fmt::format("{}g{}", keys.empty() ? " GROUP BY " : ", ", g);
    }
    const std::size_t columns = 1 + Below(bits_, 3);
    for (std::size_t c = 0; c < columns; ++c) list += fmt::format("{}{} AS c{}", c == 0 ? "" : ", ", Aggregate(), c);
    const std::string where = Below(bits_, 2) == 0 ? " WHERE " + Condition(2) : "";
    return fmt::format("SELECT {} FROM people{}{}", list, where, keys);
  }

 private:
  std::string Aggregate() {
    switch (Below(bits_, 6)) {
      case 0:
        return Below(bits_, 2) == 0 ? "count(*)" : fmt::format("count(*) FILTER (WHERE {})", Condition(1));
      case 1:
        return fmt::format("sum({}) FILTER (WHERE {})", Number(1), Condition(1));
      case 2:
        return fmt::format("avg({})", Number(0));
      case 3:
        return fmt::format("variance({})", Number(0));
      case 4:
        return fmt::format("count({})", Number(1));
      default:
        return fmt::format("sum({})", Number(2));
    }
  }

  std::string Number(int depth) { return Below(bits_, 2) == 0 ? Real(depth) : Whole(depth); }

  std::string Real(int depth) {
    if (depth == 0 || Below(bits_, 3) == 0) return One<std::string>(bits_, {"x", "y", "v", "f", "i"});
    switch (Below(bits_, 9)) {
      case 0:
        return fmt::format("({} - {})", Real(depth - 1), Constant());
      case 1:
        return fmt::format("({} + {})", Real(depth - 1), Real(depth - 1));
      case 2:
        return fmt::format("({} * {})", Real(depth - 1), Below(bits_, 2) == 0 ? Constant() : Real(depth - 1));
      case 3:
        return fmt::format("abs({})", Real(depth - 1));
      case 4:
        return fmt::format("{}({}, {})", One<std::string>(bits_, {"least", "greatest"}), Real(depth - 1),
                           Below(bits_, 2) == 0 ? Constant() : Real(depth - 1));
      case 5:
        return fmt::format("coalesce({}, {})", Real(depth - 1), Constant());
      case 6:
        return fmt::format("CASE WHEN {} THEN {} ELSE {} END", Condition(depth - 1), Real(depth - 1), Constant());
      case 7:
        return fmt::format("floor({} / {})", Real(depth - 1),
                           One<std::string>(bits_, {"2.0", "0.3", "greatest(n, 1)"}));
      default:
        return fmt::format("(- {})", Real(depth - 1));
    }
  }

  std::string Whole(int depth) {
    if (depth == 0 || Below(bits_, 3) == 0) return One<std::string>(bits_, {"n", "m", "s", "k", "l", "big"});
    switch (Below(bits_, 7)) {
      case 0:
        return fmt::format("({} - {})", Whole(depth - 1), Below(bits_, 50));
      case 1:
        return fmt::format("({} + {})", Whole(depth - 1), One<std::string>(bits_, {"n", "m", "s"}));
      case 2:
        return fmt::format("({} * {})", One<std::string>(bits_, {"n", "m", "s"}), One<std::string>(bits_, {"n", "m"}));
      case 3:
        return fmt::format("abs({})", Whole(depth - 1));
      case 4:
        return fmt::format("coalesce({}, 3)", Whole(depth - 1));
      case 5:
        return fmt::format("CASE WHEN {} THEN {} END", Condition(depth - 1), Whole(depth - 1));
      default:
        return fmt::format("CAST({} AS bigint)", One<std::string>(bits_, {"x", "y", "(y > 2)", "(n > 50)"}));
    }
  }

  std::string Constant() { return One<std::string>(bits_, {"50.0", "0.25", "-1.5", "7", "1e-9", "0.0"}); }

  std::string Condition(int depth) {
    const std::string sign = One<std::string>(bits_, {"<", "<=", ">", ">=", "=", "<>"});
    switch (Below(bits_, depth > 0 ? 8 : 5)) {
      case 0:
        return fmt::format("{} {} {}", One<std::string>(bits_, {"x", "y", "v", "f"}), sign, Constant());
      case 1:
        return fmt::format("{} {} {}", One<std::string>(bits_, {"n", "m", "s", "k", "l"}), sign, Below(bits_, 60));
      case 2:
        return fmt::format("{} IS {}NULL", One<std::string>(bits_, {"x", "y", "n", "l", "f"}),
                           Below(bits_, 2) == 0 ? "" : "NOT ");
      case 3:
        return fmt::format("x {} y", sign);
      case 4:
        return fmt::format("n IN (1, 2, {})", Below(bits_, 120));
      case 5:
        return fmt::format("({} AND {})", Condition(depth - 1), Condition(depth - 1));
      case 6:
        return fmt::format("({} OR {})", Condition(depth - 1), Condition(depth - 1));
      default:
        return fmt::format("NOT ({})", Condition(depth - 1));
    }
  }

  Bits& bits_;
};

using Rows = std::vector<std::vector<std::optional<Int128>>>;

Rows Sorted(IntegerTable table) {
  std::sort(table.rows.begin(), table.rows.end());
  return std::move(table.rows);
}

using Fault = void (*)(memory::Program&);

class MemoryPropertyTest : public EngineFixture {
 protected:
  struct Seen {
    int asked = 0, by_program = 0, in_duckdb = 0, grouped = 0, different = 0;
    std::vector<int> caught = {};  // of each fault, questions that show it
    std::string first = {};        // that differs
  };

  /// Compares a number of random questions about random frames. Faults spoil programs, one at a time.
  Seen Compare(std::uint64_t seed, int frames, int questions, const std::vector<Fault>& faults = {}) {
    Bits bits(seed);
    Seen seen;
    seen.caught.resize(faults.size());
    for (int f = 0; f < frames; ++f) {
      const auto policy = Policy::Parse(
          fmt::format("{}[unit]\ntable = \"people\"\npresence = \"secret\"\n{}\n", kPolicy, kUnits[f % 2]),
          (folder_ / "policy.toml").string());
      if (!policy) {
        ADD_FAILURE() << policy.error().Text();
        return seen;
      }
      FrameMaker maker;
      const std::size_t batches = 1 + Below(bits, 3);
      for (std::size_t b = 0; b < batches; ++b)
        maker.Batch(Batch(bits, One<std::size_t>(bits, {1, 7, 511, 512, 513, 1024, 2500})));
      const auto frame = maker.Take().value();
      EngineOptions options = Options();
      options.engine = DuckDbEngine({{"people", frame}});
      const auto session = OpenSession(*policy, options, Heard());
      Policy of_file = *policy;
      of_file.tables[0].source = fmt::format("people{}.parquet", f);
      WriteFile(of_file, frame);
      const auto file = OpenSession(of_file, Options(), Heard());
      if (!session || !file) {
        ADD_FAILURE() << (session ? file.error().Text() : session.error().Text());
        return seen;
      }
      for (int q = 0; q < questions; ++q)
        Check({**session, **file, *policy, *frame}, Asker(bits).Question(), faults, seen);
    }
    return seen;
  }

 private:
  /// The same rows twice.
  struct Both {
    const Session& session;
    const Session& file;
    const Policy& policy;
    const Frame& frame;
  };

  void WriteFile(const Policy& policy, const std::shared_ptr<const Frame>& frame) {
    const auto database = DuckDb::Open("", {}).value();
    const auto connection = database.Connect().value();
    ASSERT_TRUE(ShowFrame(connection, "rows", frame, false));
    ASSERT_TRUE(connection.Execute(
        fmt::format("COPY (FROM rows()) TO {}", QuotedText((folder_ / policy.tables[0].source).string())), cancel_));
  }

  void Check(const Both& both, const std::string& question, const std::vector<Fault>& faults, Seen& seen) {
    const auto& [session, file, policy, frame] = both;
    const auto plan = PlanQuestion(question, policy);
    if (!plan || plan->statement.empty()) return;
    ++seen.asked;
    const sql::UnitRows known = session.unit_rows();
    auto program = memory::Compile(plan->statement, known, Framed(policy, frame));
    const auto by_duckdb = session.RunText(session.dialect().Write(plan->statement, known), cancel_);
    ASSERT_TRUE(by_duckdb) << question;
    const Rows expected = Sorted(*by_duckdb);
    bool same = true;
    for (const Session* each : {&session, &file}) {
      const auto by_session = each->Run(plan->statement, cancel_);
      ASSERT_TRUE(by_session) << question << "\n" << by_session.error().Text();
      same = same && Sorted(*by_session) == expected;
    }
    if (program) {
      ++seen.by_program;
      seen.grouped += program->group >= 0;
      seen.in_duckdb += TotalsCallOf(*program, Framed(policy, frame)).has_value();
      for (const memory::Lane lane : {memory::Lane::kWidest, memory::Lane::k256, memory::Lane::kAny})
        same = same && Sorted(memory::Run(*program, frame, 2, cancel_, lane).value()) == expected;
      for (std::size_t k = 0; k < faults.size(); ++k) {
        memory::Program spoiled = *program;
        faults[k](spoiled);
        seen.caught[k] += Sorted(memory::Run(spoiled, frame, 2, cancel_).value()) != expected;
      }
    }
    if (same) return;
    if (seen.different++ == 0) seen.first = question + "\n" + session.dialect().Write(plan->statement, known);
  }

  static FramedTable Framed(const Policy& policy, const Frame& frame) {
    FramedTable table{"people", nullptr, {}};
    for (std::size_t k = 0; k < frame.columns().size(); ++k) {
      for (const kith::Column& column : policy.unit_table().columns) {
        if (column.name == frame.columns()[k].name && IsFramed(frame.columns()[k], column.type))
          table.columns.push_back({column.name, k, column.type});
      }
    }
    return table;
  }
};

int Frames() {
  const char* cases = std::getenv("KITH_MEMORY_CASES");
  return cases == nullptr ? 6 : std::atoi(cases);
}

std::uint64_t Seed() {
  const char* seed = std::getenv("KITH_SEED");
  return seed == nullptr ? 31 : std::strtoull(seed, nullptr, 10);
}

TEST_F(MemoryPropertyTest, ProgramsGiveWhatDuckDbGives_ENGINE18) {
  const Seen seen = Compare(Seed(), Frames(), 60);
  EXPECT_EQ(seen.different, 0) << seen.first;
  // Most questions are of this kind.
  EXPECT_GT(seen.by_program * 2, seen.asked) << seen.asked;
  EXPECT_GT(seen.in_duckdb * 4, seen.asked) << seen.asked;
  EXPECT_GT(seen.grouped * 20, seen.asked) << seen.asked;
}

template <class F>
void ForFirst(memory::Program& program, memory::Do what, F change) {
  for (memory::Step& step : program.steps) {
    if (step.what != what) continue;
    change(step);
    return;
  }
}

TEST_F(MemoryPropertyTest, TheCheckAboveSeesPlantedFaults) {
  using memory::Do;
  using memory::Program;
  using memory::Step;
  const std::pair<const char*, Fault> faults[] = {
      {"a bound", [](Program& p) { ForFirst(p, Do::kClamp, [](Step& s) { s.high += 1; }); }},
      {"tiny numbers", [](Program& p) { ForFirst(p, Do::kClamp, [](Step& s) { s.tiny = 0.5; }); }},
      {"a step's bound", [](Program& p) { ForFirst(p, Do::kSteps, [](Step& s) { s.low += 0.5; }); }},
      {"a shift", [](Program& p) { ForFirst(p, Do::kSteps, [](Step& s) { s.shift += 1; }); }},
      {"a condition", [](Program& p) { p.where = -1; }},
      {"an end", [](Program& p) { ForFirst(p, Do::kRange, [](Step& s) { s.high = std::nextafter(s.high, -1e308); }); }},
      {"what is no number",
       [](Program& p) { ForFirst(p, Do::kRange, [](Step& s) { s.high = std::numeric_limits<double>::infinity(); }); }},
      {"a missing value", [](Program& p) { ForFirst(p, Do::kCoalesce, [](Step& s) { s.b = s.a; }); }},
      {"three-valued logic", [](Program& p) { ForFirst(p, Do::kOr, [](Step& s) { s.what = Do::kAnd; }); }},
      {"a group", [](Program& p) { ForFirst(p, Do::kIndex, [](Step& s) { s.to -= 1; }); }},
      {"a text",
       [](Program& p) {
         if (!p.texts.empty()) std::swap(p.texts[0].front(), p.texts[0].back());
       }},
      {"a filter", [](Program& p) {
         if (!p.totals.empty()) p.totals.back().filter = -1;
       }}};
  std::vector<Fault> each;
  for (const auto& [name, fault] : faults) each.push_back(fault);
  const Seen seen = Compare(32, 2, 80, each);
  for (std::size_t k = 0; k < each.size(); ++k) EXPECT_GT(seen.caught[k], 0) << faults[k].first;
}

// Several row groups, which threads of DuckDB add up separately.
TEST_F(MemoryPropertyTest, WhatThreadsAddUpIsJoined_ENGINE18) {
  WithDuckDb(
      "COPY (SELECT CASE WHEN i % 1000 = 7 THEN NULL ELSE (hash(i) % 100000)::DOUBLE / 997 END AS x FROM "
      "range(700000) r(i)) TO '{}/people.parquet' (ROW_GROUP_SIZE 50000)");
  policy_.tables[0].source = "people.parquet";
  auto& x = Declare("x", ColumnType::kReal);
  x.lower = 0.0;
  x.upper = 100.0;
  const auto session = OpenSession(policy_, Options(), Heard());
  ASSERT_TRUE(session) << session.error().Text();
  for (const char* question :
       {"SELECT count(*), sum(x), variance(x) FROM people", "SELECT sum(x) FROM people WHERE x > 50",
        "SELECT histogram(x, 20) AS h, count(*), sum(x) FROM people GROUP BY h",
        "SELECT sum(x) FROM people WHERE x < 0"}) {
    const auto plan = PlanQuestion(question, policy_);
    ASSERT_TRUE(plan) << plan.error().Text();
    const auto by_program = (*session)->Run(plan->statement, cancel_);
    const auto by_duckdb = (*session)->RunText((*session)->dialect().Write(plan->statement), cancel_);
    ASSERT_TRUE(by_program && by_duckdb) << question;
    EXPECT_EQ(Sorted(*by_program), Sorted(*by_duckdb)) << question;
  }
}

TEST_F(MemoryPropertyTest, ThreadsShareTheRowsOfAFrame_ENGINE18) {
  std::vector<std::int8_t> values(9'000'000);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<std::int8_t>(k % 100);
  FrameMaker maker;
  maker.Batch({FrameMaker::Numbers<std::int8_t>("n", "c", values)});
  maker.Batch({FrameMaker::Numbers<std::int8_t>("n", "c", {1, 2, 3})});
  const auto frame = maker.Take().value();
  memory::Program program;
  program.steps = {{.what = memory::Do::kColumn, .kind = memory::Kind::kWhole}};
  program.totals = {{}, {.sum = true, .value = 0}};
  program.outputs = {{0}, {1}};
  for (const int threads : {1, 2, 5}) {
    const auto table = memory::Run(program, *frame, threads, cancel_);
    ASSERT_TRUE(table);
    EXPECT_EQ(table->rows[0][0], Int128{9'000'003}) << threads;
    EXPECT_EQ(table->rows[0][1], Int128{90'000} * 4950 + 6) << threads;
  }
}

TEST_F(MemoryPropertyTest, AStoppedQuestionIsCancelled) {
  FrameMaker maker;
  maker.Batch({FrameMaker::Numbers<double>("x", "g", {1, 2, 3})});
  const auto frame = maker.Take().value();
  CancelFlag stopped;
  stopped.Cancel();
  memory::Program program;
  program.totals.push_back({});
  program.outputs.push_back({0});
  EXPECT_EQ(memory::Run(program, *frame, 1, stopped).error().code, Code::kCancelled);
  EXPECT_EQ(memory::Run(program, *frame, 1, cancel_)->rows[0][0], Int128{3});
}

}  // namespace
}  // namespace kith
