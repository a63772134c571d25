// One-sided releases from the policy to the file: what leaves, what it costs, and what certificates say afterwards.
#include "release/one_sided/one_sided.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/json.h"
#include "release/release.h"
#include "tests/support/stat.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
const CancelFlag kNever;

struct Row {
  std::int64_t id = 0;
  std::string kind, age;
  auto operator<=>(const Row&) const = default;
};

/// Rows 0, 1, 2, ...: kind "s" is sensitive, and so are NULL and what is not declared ("?").
class World {
 public:
  explicit World(std::size_t rows, const std::string& unit = "row = true", const std::string& dependence = "",
                 const std::string& accept = "")
      : folder_(fs::temp_directory_path() / ("kith_one_sided_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream data(folder_ / "t.csv");
    data << "id,kind,age\n";
    for (std::size_t i = rows; i-- > 0;) data << i << "," << KindOf(i) << "," << i % 200 << "\n";
    data.close();
    WritePolicy(unit, dependence.empty() ? "kind = \"independent\"" : dependence,
                accept +
                    "[[one_sided.attribute]]\nname = \"kinds\"\ncolumns = [\"id\", \"kind\", \"age\"]\n"
                    "sensitive = \"kind = 's'\"\nepsilon = 1.5\n"
                    "[[one_sided.attribute]]\nname = \"ages\"\ncolumns = [\"age\"]\nsensitive = \"age > 100\"\n"
                    "epsilon = 1\n");
  }
  ~World() { fs::remove_all(folder_); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  static const char* KindOf(std::size_t i) {
    constexpr const char* kKinds[] = {"s", "a", "b", "", "?"};
    return kKinds[i % 5];
  }

  void WritePolicy(const std::string& unit, const std::string& dependence, const std::string& one_sided) const {
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\n"
        << unit << "\npresence = \"public\"\n[columns.t]\nid = { type = \"integer\" }\n"
        << "kind = { values = [\"s\", \"a\", \"b\"] }\nage = { lower = 0, upper = 120 }\n[dependence]\n"
        << "source = \"public\"\n"
        << dependence << "\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n"
        << one_sided;
  }
  Curator Open(const EngineOptions& options = {}) const {
    auto curator = Curator::Open(folder_ / "policy.toml", options);
    if (!curator) ADD_FAILURE() << curator.error().Text();
    return std::move(*curator);
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  fs::path folder_;
};

std::vector<Row> ReadCsv(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  EXPECT_EQ(line, "id,kind,age");
  std::vector<Row> rows;
  while (std::getline(in, line)) {
    const auto first = line.find(','), second = line.rfind(',');
    rows.push_back(
        {std::stoll(line.substr(0, first)), line.substr(first + 1, second - first - 1), line.substr(second + 1)});
  }
  return rows;
}

Result<RecordsReport> ReleaseRecords(const Curator& curator, const RecordsRequest& request) {
  const auto answer = curator.Release(request, {}, {}, kNever);
  if (!answer) return answer.error();
  EXPECT_EQ(answer->certificate.sides, Sides::kOne);
  EXPECT_EQ(answer->certificate.ledger_entry, answer->records->certificate.ledger_entry);
  return *answer->records;
}

TEST(OneSidedRelease, RowsThatAreNotSensitiveLeaveAndNoOthers_OSDP6) {
  const World world(20'000);
  const Curator curator = world.Open();
  const auto report = ReleaseRecords(curator, {"kinds", 1.0, world / "out.csv"});
  ASSERT_TRUE(report) << report.error().Text();
  const auto rows = ReadCsv(world / "out.csv");
  EXPECT_EQ(static_cast<std::int64_t>(rows.size()), report->released);
  std::set<std::int64_t> seen;
  for (const Row& row : rows) {
    const auto i = static_cast<std::size_t>(row.id);
    EXPECT_TRUE(i % 5 == 1 || i % 5 == 2) << "row " << i;  // NULL and values that are not declared are sensitive
    EXPECT_EQ(row.kind, World::KindOf(i));
    EXPECT_EQ(row.age, std::to_string(std::min<std::size_t>(i % 200, 120)));  // cut to its bounds
    EXPECT_TRUE(seen.insert(row.id).second) << "twice";
  }
  // 8,000 rows, each with probability 1 - 1/e: both tails exact, at 1e-9 together.
  const std::uint64_t hits = rows.size();
  EXPECT_LE(stat::LowerBound(hits, 8000), report->rate);
  EXPECT_LE(stat::LowerBound(8000 - hits, 8000), 1 - report->rate);
  EXPECT_TRUE(report->certificate.statement.starts_with("One-sided:"));
}

TEST(OneSidedRelease, PlacesInTheFileSayNothing_OSDP6) {
  const World world(20'000);  // whose rows have falling ids
  const Curator curator = world.Open();
  ASSERT_TRUE(ReleaseRecords(curator, {"kinds", 0.75, world / "out.csv"}));
  const auto rows = ReadCsv(world / "out.csv");
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));  // the file follows from which rows are in it
  const auto as_is = ReleaseRecords(curator, {"kinds", 0.75, world / "as_is.csv", true});
  ASSERT_TRUE(as_is) << as_is.error().Text();
  EXPECT_NE(as_is->notes.back().text.find("not sorted"), std::string::npos);
  const auto unsorted = ReadCsv(world / "as_is.csv");
  EXPECT_FALSE(std::is_sorted(unsorted.begin(), unsorted.end()));
}

TEST(OneSidedRelease, EveryReleaseIsChargedUpToTheLimit_OSDP7) {
  const World world(100);
  const Curator curator = world.Open();
  ASSERT_TRUE(ReleaseRecords(curator, {"kinds", 0.75, world / "1.csv"}));
  const auto again = ReleaseRecords(curator, {"kinds", 0.75, world / "2.csv"});  // the same: charged again
  ASSERT_TRUE(again);
  EXPECT_EQ(again->certificate.spent, 1.5);
  const auto refused = ReleaseRecords(curator, {"kinds", 0.01, world / "3.csv"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kBudgetExhausted);
  EXPECT_FALSE(fs::exists(world / "3.csv"));
  const auto other = ReleaseRecords(curator, {"ages", 0.5, world / "4.parquet"});
  ASSERT_TRUE(other) << other.error().Text();
  EXPECT_EQ(other->certificate.spent, 0.5);
  EXPECT_EQ(other->certificate.one_sided_all, 2.0);
  EXPECT_EQ(other->certificate.rules.size(), 2U);  // covered: rows that are sensitive under both
  const auto budget = curator.Budget().value();
  EXPECT_EQ(budget.cells[0].plain_spent, 0);  // no plain loss is counted, and no plain budget is used up
  ASSERT_EQ(budget.one_sided.size(), 2U);
  EXPECT_EQ(budget.one_sided[0].account.spent.epsilon(), 1.5);
  EXPECT_EQ(budget.history.size(), 3U);
  EXPECT_TRUE(
      std::all_of(budget.history.begin(), budget.history.end(), [](const auto& line) { return line.answered; }));
  for (const auto& entry : fs::directory_iterator(world / ""))
    EXPECT_FALSE(entry.path().filename().string().starts_with(".4")) << "a draft is left";
}

TEST(OneSidedRelease, NoisyAnswersSayThatRecordsHaveLeft_OSDP7) {
  const World world(100);
  const Curator curator = world.Open();
  Price price;
  price.epsilon = 0.25;
  const std::string question = "SELECT count(*) FROM t WHERE kind = 's'";
  const auto before = curator.Release(QuestionRequest{question}, price, {}, kNever);
  ASSERT_TRUE(before) << before.error().Text();
  EXPECT_EQ(before->certificate.guarantee.one_sided, "");
  ASSERT_TRUE(ReleaseRecords(curator, {"kinds", 0.5, world / "1.csv"}));
  const auto stored = curator.Release(QuestionRequest{question}, price, {}, kNever);
  ASSERT_TRUE(stored);
  EXPECT_TRUE(stored->stored);
  const auto fresh = curator.Release(QuestionRequest{"SELECT count(*) FROM t WHERE kind = 'a'"}, price, {}, kNever);
  ASSERT_TRUE(fresh);
  for (const Answer& answer : {*stored, *fresh}) {
    EXPECT_TRUE(answer.certificate.guarantee.one_sided.starts_with("ONE-SIDED RELEASES"))
        << answer.certificate.guarantee.one_sided;
    const auto json = Json::parse(AnswerToJson(answer));
    EXPECT_TRUE(json["dependent"]["epsilon_total"].is_null());
    EXPECT_GT(json["dependent"]["noisy_answers_alone"].get<double>(), 0);
    EXPECT_EQ(AnswerFromJson(AnswerToJson(answer))->certificate.guarantee.one_sided,
              answer.certificate.guarantee.one_sided);
  }
  EXPECT_EQ(curator.Explain(QuestionRequest{question}, price)->guarantee.one_sided,
            fresh->certificate.guarantee.one_sided);
  // And the other way round: what noisy answers lost is in the certificate of records.
  const auto records = ReleaseRecords(curator, {"kinds", 0.25, world / "2.csv"}).value();
  EXPECT_EQ(records.certificate.noisy.plain, fresh->certificate.guarantee.plain);
  EXPECT_EQ(records.certificate.all, records.certificate.noisy.plain + 0.75);
}

TEST(OneSidedRelease, WithoutConsentNoDependentCertificateFollows_OSDP7) {
  const std::string groups = "kind = \"group\"\nsize = 2";
  const World world(100, "row = true", groups, "[one_sided]\naccept = \"unbounded\"\n");
  Price price;
  price.epsilon = 0.25;
  {
    const Curator curator = world.Open();
    ASSERT_TRUE(ReleaseRecords(curator, {"kinds", 0.5, world / "1.csv"}));
    EXPECT_TRUE(curator.Release(QuestionRequest{"SELECT count(*) FROM t WHERE kind = 's'"}, price, {}, kNever));
  }
  world.WritePolicy("row = true", groups, "");  // the consent is gone, the records are not
  const Curator curator = world.Open();
  const auto refused = curator.Release(QuestionRequest{"SELECT count(*) FROM t WHERE kind = 'a'"}, price, {}, kNever);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupportedQuery);
  EXPECT_NE(refused.error().next.find("unbounded"), std::string::npos);
  const auto explained = curator.Explain(QuestionRequest{"SELECT count(*) FROM t WHERE kind = 'a'"}, price);
  ASSERT_TRUE(explained);
  EXPECT_FALSE(explained->affordable);
  EXPECT_EQ(curator.Budget()->one_sided.size(), 1U);  // an account that the policy no longer names
}

TEST(OneSidedRelease, ARuleThatWasUsedCannotChange_OSDP7) {
  const World world(100);
  ASSERT_TRUE(ReleaseRecords(world.Open(), {"kinds", 0.5, world / "1.csv"}));
  // A row that only the new rule calls sensitive may be in the first file.
  world.WritePolicy("row = true", "kind = \"independent\"",
                    "[[one_sided.attribute]]\nname = \"kinds\"\nsensitive = \"kind = 'a'\"\nepsilon = 1.5\n");
  const auto refused = ReleaseRecords(world.Open(), {"kinds", 0.5, world / "2.csv"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kInvalidArgument);
  EXPECT_NE(refused.error().what.find("records were released by the rule as it was"), std::string::npos)
      << refused.error().Text();
  EXPECT_FALSE(fs::exists(world / "2.csv"));
}

TEST(OneSidedRelease, BadRequestsChargeNothing) {
  const World world(100, "key = \"id\"\nmax_rows = 1");
  const Curator curator = world.Open();
  std::ofstream(world / "taken.csv") << "mine";
  for (const RecordsRequest& request : {RecordsRequest{"", 0.5, world / "o.csv"},
                                        {"none", 0.5, world / "o.csv"},
                                        {"kinds", 0, world / "o.csv"},
                                        {"kinds", -1, world / "o.csv"},
                                        {"kinds", 1e-12, world / "o.csv"},
                                        {"kinds", 0.5, world / "o.txt"},
                                        {"kinds", 0.5, world / "taken.csv"},
                                        {"kinds", 0.5, world / "no/o.csv"}}) {
    const auto refused = ReleaseRecords(curator, request);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kInvalidArgument) << refused.error().Text();
  }
  EXPECT_TRUE(curator.Budget()->history.empty());
  const auto explained = curator.Explain(RecordsRequest{"kinds", 0.5, {}});
  ASSERT_TRUE(explained);
  EXPECT_TRUE(explained->affordable);
  EXPECT_FALSE(curator.Explain(RecordsRequest{"kinds", 1.6, {}})->affordable) << "more than the account allows";
  EXPECT_EQ(curator.Explain(RecordsRequest{"kinds", 0.5, {}}, {0.1, std::nullopt, {}}).error().parameter, "price");
  EXPECT_NE(explained->records->certificate.per_unit.find("k times"), std::string::npos);
  EXPECT_TRUE(curator.Budget()->history.empty());
  world.WritePolicy("row = true", "kind = \"independent\"", "[one_sided]\nsensitive = \"wage > 3\"\nepsilon = 1\n");
  const auto bad = Curator::Open(world / "policy.toml", {});
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().where.find("policy.toml:18"), std::string::npos) << bad.error().Text();
}

/// DuckDB without a way to copy records; `admits`: it says so.
class WithoutCopy final : public Engine {
 public:
  explicit WithoutCopy(bool admits) : admits_(admits) {}
  const sql::Dialect& dialect() const override { return sql::DuckDb(); }
  Capabilities CapabilitiesFor(const Policy&) const override { return {.copies_records = !admits_}; }
  Result<std::unique_ptr<Session>> Open(const Policy& policy, const EngineOptions& options,
                                        const Call& call) const override {
    opened_ = true;
    EngineOptions inner = options;
    inner.engine = nullptr;
    auto session = OpenSession(policy, inner, call);
    if (!session) return session;
    return std::make_unique<Plain>(std::move(*session));
  }
  bool opened() const { return opened_; }

 private:
  class Plain final : public Session {
   public:
    explicit Plain(std::unique_ptr<Session> inner) : inner_(std::move(inner)) {}
    const sql::Dialect& dialect() const override { return inner_->dialect(); }
    std::optional<std::string> version() const override { return std::nullopt; }
    bool Current() const override { return inner_->Current(); }
    Result<IntegerTable> RunText(const std::string& sql, const CancelFlag& cancel) const override {
      return inner_->RunText(sql, cancel);
    }
    Result<void> ScanText(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) const override {
      return inner_->ScanText(sql, sink, cancel);
    }

   private:
    std::unique_ptr<Session> inner_;
  };
  bool admits_;
  mutable bool opened_ = false;
};

TEST(OneSidedRelease, AnEngineThatCannotCopyRecordsIsRefusedBeforeTheCharge) {
  const World world(100);
  const auto engine = std::make_shared<const WithoutCopy>(true);
  EngineOptions options;
  options.engine = engine;
  const Curator curator = world.Open(options);
  const RecordsRequest request{"kinds", 0.5, world / "o.csv"};
  const auto explained = curator.Explain(request);
  ASSERT_FALSE(explained);
  EXPECT_EQ(explained.error().code, Code::kUnsupportedQuery) << explained.error().Text();
  const auto refused = ReleaseRecords(curator, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kUnsupportedQuery) << refused.error().Text();
  EXPECT_FALSE(engine->opened());
  EXPECT_TRUE(curator.Budget()->history.empty());
  EXPECT_FALSE(fs::exists(world / "o.csv"));
  // Counts need no copy.
  Price price;
  price.epsilon = 0.5;
  EXPECT_TRUE(curator.Release(QuestionRequest{"SELECT count(*) FROM t WHERE kind = 's'"}, price, {}, kNever));
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
}

// What the question before the charge is for: an engine that does not admit it is charged.
TEST(OneSidedRelease, TheCheckAboveSeesARefusalThatComesTooLate) {
  const World world(100);
  EngineOptions options;
  options.engine = std::make_shared<const WithoutCopy>(false);
  const Curator curator = world.Open(options);
  const auto late = ReleaseRecords(curator, {"kinds", 0.5, world / "o.csv"});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kStorage);
  EXPECT_EQ(curator.Budget()->history.size(), 1U);
}

std::int64_t CountOf(const Answer& answer, const std::string& kind) {
  for (const auto& row : answer.rows) {
    if (ToText(row[0].value) == kind) return std::get<std::int64_t>(row[1].value);
  }
  ADD_FAILURE() << "no group " << kind;
  return 0;
}

TEST(OneSidedRelease, HistogramsCountRowsThatAreNotSensitive_OSDP8) {
  const World world(20'000, "key = \"id\"\nmax_rows = 1");
  const Curator curator = world.Open();
  const HistogramRequest request{"kinds", "kind", 0.5, std::nullopt, 0.5};
  const auto answer = curator.Release(request, {}, {}, kNever);
  ASSERT_TRUE(answer) << answer.error().Text();
  ASSERT_EQ(answer->rows.size(), 4U);
  // 4,000 rows each; noise beyond 60 has probability e^-30.
  EXPECT_NEAR(static_cast<double>(CountOf(*answer, "a")), 4000, 61);
  EXPECT_NEAR(static_cast<double>(CountOf(*answer, "b")), 4000, 61);
  EXPECT_EQ(CountOf(*answer, "s"), 0);
  EXPECT_EQ(std::get<std::int64_t>(answer->rows[3][1].value), 0);  // NULL
  EXPECT_TRUE(answer->certificate.guarantee.one_sided.starts_with("One-sided:"));
  EXPECT_EQ(answer->certificate.plain_epsilon, 0);
  EXPECT_NE(AnswerToJson(*answer).find("\"plain\":{\"delta\":0,\"epsilon\":null,\"noisy_part\":0.0"),
            std::string::npos);
  const auto again = curator.Release(request, {}, {}, kNever);  // the stored answer is free
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->stored);
  EXPECT_EQ(CountOf(*again, "a"), CountOf(*answer, "a"));
  EXPECT_EQ(curator.Budget()->one_sided[0].account.spent.epsilon(), 0.5);
  EXPECT_FALSE(
      curator.Release(HistogramRequest{"kinds", "kind", 1.01, std::nullopt, 0.5}, {}, {}, kNever));  // 1.51 of 1.5
}

TEST(OneSidedRelease, AHistogramByPartsSaysSo) {
  const World world(2'000, "key = \"id\"\nmax_rows = 1");
  const Curator curator = world.Open();
  const HistogramRequest request{"kinds", "kind, histogram(age, 4)", 0.5, std::nullopt, 0.5};
  const auto answer = curator.Release(request, {}, {}, kNever);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_EQ(answer->histograms, std::vector<std::size_t>{1});
  EXPECT_EQ(curator.Release(request, {}, {}, kNever)->histograms, answer->histograms);  // stored
}

TEST(OneSidedRelease, DawazIsChargedInBothAccounts_OSDP8) {
  const World world(20'000);
  const Curator curator = world.Open();
  const HistogramRequest request{"kinds", "width_bucket(age, 0, 100, 20), kind", 0.5, 0.5, 0.25};
  const auto answer = curator.Release(request, {}, {}, kNever);
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_EQ(answer->rows.size(), 22U * 4);
  const auto budget = curator.Budget().value();
  EXPECT_EQ(budget.cells[0].plain_spent, 0.5);
  EXPECT_EQ(budget.one_sided[0].account.spent.epsilon(), 0.5);
  EXPECT_EQ(budget.history.size(), 1U);
  EXPECT_EQ(answer->certificate.plain_epsilon, 0.5);
  ASSERT_EQ(answer->certificate.noise.size(), 2U);
  EXPECT_EQ(answer->certificate.noise[1].scale, 2 / 0.375);  // one row moves from one group to another
  double rows = 0;
  for (const auto& row : answer->rows) rows += std::get<double>(row.back().value);
  EXPECT_GT(rows, 5000);
  EXPECT_FALSE(curator.Release(HistogramRequest{"kinds", "kind", 0.5, 0.6, 0.25}, {}, {},
                               kNever));  // the plain budget is used up
  EXPECT_EQ(curator.Budget()->one_sided[0].account.spent.epsilon(), 0.5);
  EXPECT_FALSE(curator.Release(HistogramRequest{"kinds", "kind", 0.1, 0.1, 1.5}, {}, {}, kNever));
}

}  // namespace
}  // namespace kith
