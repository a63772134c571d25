// The public interface says what the library says, and omits nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <kith/curator.h>
#include <kith/version.h>
#include <unistd.h>

#include <fstream>

#include "api/convert.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

constexpr char kPolicy[] = R"(
[data]
tables.people = "people.csv"
[unit]
table = "people"
key = "id"
max_rows = 1
presence = "public"
[columns.people]
id   = { type = "integer", public = true }
ward = { values = ["A", "B"], public = true, required = true }
age  = { lower = 0, upper = 120 }
[dependence]
source = "public"
kind = "independent"
[budget]
epsilon = 1
ledger = "people.ledger"
)";
constexpr char kAges[] = "SELECT ward, count(*) AS n, avg(age) FROM people GROUP BY ward";
constexpr char kSums[] = "SELECT count(*) FILTER (WHERE age > 60), sum(age) FROM people";

class Api : public ::testing::Test {
 protected:
  Api() : folder_(fs::temp_directory_path() / ("kith_api_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    std::ofstream(folder_ / "policy.toml") << kPolicy;
    std::ofstream people(folder_ / "people.csv");
    people << "id,ward,age\n";
    for (int i = 0; i < 200; ++i) people << i << ',' << (i % 2 == 0 ? 'A' : 'B') << ',' << i % 90 << '\n';
  }
  ~Api() override { fs::remove_all(folder_); }

  v1::Curator Opened() const {
    auto curator = v1::Curator::Open(folder_ / "policy.toml");
    if (!curator) throw std::runtime_error(curator.error().Text());
    return std::move(*curator);
  }
  kith::Curator Inside() const { return kith::Curator::Open(folder_ / "policy.toml", {}).value(); }

  fs::path folder_;
};

TEST_F(Api, AnAnswerIsTheLibrarysAnswer) {
  const auto curator = Opened();
  const auto answer = curator.Release(v1::Question{kAges}, {.epsilon = 0.5});
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_FALSE(answer->stored);
  Price price;
  price.epsilon = 0.5;
  const auto inside = Inside().Release(QuestionRequest{kAges}, price);
  ASSERT_TRUE(inside.has_value());
  EXPECT_TRUE(inside->stored);  // the interface paid for it
  EXPECT_EQ(answer->columns, inside->columns);
  ASSERT_EQ(answer->rows.size(), inside->rows.size());
  for (std::size_t r = 0; r < answer->rows.size(); ++r) {
    for (std::size_t c = 0; c < answer->columns.size(); ++c) {
      EXPECT_EQ(v1::ToText(answer->rows[r][c].value), ToText(inside->rows[r][c].value));
      EXPECT_EQ(answer->rows[r][c].error_95, inside->rows[r][c].error_95);
    }
  }
  EXPECT_EQ(answer->certificate.claims, inside->certificate.claims);
  EXPECT_EQ(answer->certificate.ledger_hash, inside->certificate.ledger_hash);
  EXPECT_EQ(answer->certificate.plain, inside->certificate.plain_epsilon);
  ASSERT_EQ(answer->notes.size(), inside->notes.size());
  const auto again = curator.Release(v1::Question{kAges}, {.epsilon = 0.5});
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->stored);
  EXPECT_EQ(again->json, AnswerToJson(*inside));
}

TEST_F(Api, AnExplanationIsTheLibrarysExplanation) {
  fs::remove(folder_ / "people.csv");
  const auto told = Opened().Explain(v1::Question{kSums}, {.error = 3000, .split = {1, 3}});
  ASSERT_TRUE(told) << told.error().Text();
  Price price;
  price.error_95 = 3000;
  price.split = {1, 3};
  const auto inside = Inside().Explain(QuestionRequest{kSums}, price).value();
  EXPECT_EQ(told->plain, inside.units.epsilon());
  EXPECT_EQ(told->sql, inside.sql);
  EXPECT_EQ(told->affordable, inside.affordable);
  ASSERT_EQ(told->noise.size(), inside.noise.size());
  for (std::size_t k = 0; k < told->noise.size(); ++k) {
    EXPECT_EQ(told->noise[k].statistic, inside.noise[k].statistic);
    EXPECT_EQ(told->noise[k].error_95, inside.noise[k].error_95);
    EXPECT_EQ(told->noise[k].share, inside.noise[k].share.epsilon());
  }
}

TEST_F(Api, TheBudgetListsWhatWasPaid) {
  const auto curator = Opened();
  ASSERT_TRUE(curator.Release(v1::Question{kAges}, {.epsilon = 0.5}, {.name = "ada"}));
  const auto report = curator.Budget();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->epsilon_total, 1);
  ASSERT_EQ(report->history.size(), 1U);
  EXPECT_TRUE(report->history[0].answered);
  EXPECT_EQ(report->history[0].caller, "ada");
  EXPECT_GT(report->history[0].plain, 0.49);
  EXPECT_EQ(report->guarantee.plain, Inside().Budget()->guarantee.plain);
  EXPECT_FALSE(report->cells.empty());
  EXPECT_FALSE(report->head.empty());
}

TEST_F(Api, ErrorsKeepCodeTextAndParameter) {
  const auto refused = Opened().Release(v1::Question{"SELECT ward FROM people"}, {.epsilon = 0.5});
  ASSERT_FALSE(refused);
  Price price;
  price.epsilon = 0.5;
  const auto inside = Inside().Release(QuestionRequest{"SELECT ward FROM people"}, price);
  EXPECT_EQ(refused.error().code, v1::Code::kUnsupportedQuery);
  EXPECT_EQ(refused.error().Text(), inside.error().Text());
  EXPECT_EQ(refused.error().parameter, inside.error().parameter);
  const auto unpaid = Opened().Release(v1::Question{kAges}, {});
  ASSERT_FALSE(unpaid);
  EXPECT_EQ(unpaid.error().code, v1::Code::kInvalidArgument);
  const auto poor = Opened().Release(v1::Question{kAges}, {.epsilon = 2});
  ASSERT_FALSE(poor);
  EXPECT_EQ(poor.error().code, v1::Code::kBudgetExhausted);
  EXPECT_THROW((void)*poor, std::bad_variant_access);
  EXPECT_FALSE(v1::Curator::Open(folder_ / "nothing.toml"));
}

TEST_F(Api, OwnStatisticsAreReleasedAndCut) {
  const auto curator = Opened();
  v1::Statistic statistic;
  statistic.name = "ages 1";
  statistic.values = {"age"};
  statistic.parts = {{.name = "one", .low = 0, .high = 1}};
  EXPECT_FALSE(curator.Release(statistic, {.epsilon = 0.5}));  // no function
  statistic.function = [](std::span<const double> row, v1::Contribution& out) { out.Add(0, 1e6 + row[0]); };
  const auto told = curator.Explain(statistic, {.epsilon = 0.5});
  ASSERT_TRUE(told) << told.error().Text();
  EXPECT_EQ(told->noise[0].sensitivity, 1);
  const auto answer = curator.Release(statistic, {.epsilon = 0.5});
  ASSERT_TRUE(answer) << answer.error().Text();
  // 200 rows of at most 1, and noise of scale 2: 200 away from it with probability e^-100.
  EXPECT_LT(std::get<double>(answer->rows[0][2].value), 400);
}

TEST_F(Api, ACallCanBeStopped) {
  const auto curator = Opened();
  v1::Call call;
  call.cancel.Cancel();
  const auto stopped = curator.Release(v1::Question{kAges}, {.epsilon = 0.5}, {}, call);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, v1::Code::kCancelled);
  v1::Call late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const auto missed = curator.Release(v1::Question{kAges}, {.epsilon = 0.25}, {}, late);
  ASSERT_FALSE(missed);
  EXPECT_EQ(missed.error().code, v1::Code::kCancelled);
  EXPECT_FALSE(late.cancel.cancelled());  // the deadline is the call's, not the flag's
  v1::Call heard;
  std::vector<std::string> notices;
  heard.notice = [&](const std::string& text) { notices.push_back(text); };
  heard.deadline = std::chrono::steady_clock::now() + std::chrono::minutes(5);
  ASSERT_TRUE(curator.Release(v1::Question{kAges}, {.epsilon = 0.25}, {}, heard));
  EXPECT_FALSE(notices.empty());  // the first question reads the table in, and says so
}

TEST(ApiConvert, VersionsAgree) {
  EXPECT_STREQ(v1::Version(), v1::kVersion);
  EXPECT_EQ(fmt::format("{}.{}.{}", KITH_VERSION_MAJOR, KITH_VERSION_MINOR, KITH_VERSION_PATCH), v1::kVersion);
}

}  // namespace
}  // namespace kith
