// The largest and the smallest numbers that can be written, in every numeric field of every request that computes
// before anything is charged: each ends. Steps are counted (base/meter.h), so that what would not end fails here.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/meter.h"
#include "server/api.h"
#include "server/requests.h"

namespace kith::server {
namespace {

constexpr std::uint64_t kSteps = 200'000'000;
constexpr std::array kExtremes = {"0",
                                  "5e-324",
                                  "1e-320",
                                  "1e-300",
                                  "1e-30",
                                  "4294967296",
                                  "1e18",
                                  "1e308",
                                  "-1e308",
                                  "-5e-324",
                                  "1e-9999",
                                  "9223372036854775807",
                                  "1e300",
                                  "-1",
                                  "1.7976931348623157e308",
                                  "9223372036854775808"};

const std::string kQuestion = R"("question":"SELECT count(*) FROM people WHERE ill = 'yes'")";

struct Wanted {
  std::string method, path, query, body;
};

const std::vector<std::string> kModels = {
    R"({"kind":"independent"})",
    R"({"kind":"group","size":4,"odds_ratio":2})",
    R"({"kind":"overlap","size":4,"eta":0.1})",
    R"({"kind":"chain","transition":[[0.8,0.2],[0.3,0.7]],"start":[0.6,0.4],"length":100})",
    R"({"kind":"field","nodes":4,"edges":[[0,1,0.7],[1,2,0.7],[2,3,0.7]]})",
    R"({"kind":"field","nodes":4,"edges":[[0,1,0.7],[1,2,0.7],[0,2,0.7]],"prevalence":[0.1,0.2]})",
    R"({"kind":"tree","parents":[-1,0,0],"root":[0.5,0.5],"tables":[null,[[0.8,0.2],[0.2,0.8]],[[0.9,0.1],[0.3,0.7]]]})",
    R"({"kind":"joint","values":[2,2],"law":[0.4,0.1,0.1,0.4]})",
    R"({"kind":"lipschitz","influence":[[0,0.3],[0.3,0]]})"};

std::vector<Wanted> Requests() {
  const std::string of = "/v1/datasets/people/";
  std::vector<Wanted> all = {
      {"POST", of + "explain", "", "{" + kQuestion + R"(,"epsilon":0.1})"},
      {"POST", of + "explain", "", "{" + kQuestion + R"(,"error":50})"},
      {"POST", of + "explain", "",
       R"({"question":"SELECT sum(age), sum(height) FROM people","epsilon":0.1,"split":[1,2]})"},
      {"POST", of + "plan/explain", "", R"({"questions":"SELECT count(*) FROM people;","epsilon":1})"},
      {"GET", of + "audit", "epsilon=0.1", ""},
      {"GET", of + "dependence", "plain=0.1", ""},
      {"GET", of + "history", "after=1", ""},
      {"GET", of + "history", "limit=1", ""},
  };
  for (const char* analysis :
       {R"("analysis":"kmeans","options":{"columns":["age","height"],"clusters":3,"steps":4})",
        R"("analysis":"top","options":{"column":"ill","count":1})",
        R"("analysis":"cells","options":{"columns":["age"],"false_cells":1,"most":100})",
        R"("analysis":"cells","options":{"columns":["age"],"threshold":20,"most":100})",
        R"("analysis":"synthetic","options":{"columns":["ill","age"],"parts":4,"rows":10})",
        R"("analysis":"percentiles","options":{"column":"age","ranks":[0.1,0.5],"cells":64})",
        R"("analysis":"cumulative","options":{"column":"age","cells":64})",
        R"("analysis":"logistic","options":{"label":"ill","features":["age"],"regularise":3,"holdout":0.2})",
        R"("analysis":"points","options":{"columns":["age","height"],"method":"hat","cells":64})",
        R"("analysis":"points","options":{"columns":["age","height"],"method":"equi-width","cells":64})"})
    all.push_back({"POST", of + "analyses/explain", "", std::string("{\"epsilon\":0.5,") + analysis + "}"});
  for (const std::string& model : kModels) {
    const bool metric = model.find("lipschitz") != std::string::npos;  // has no delta
    for (const char* loss : {R"("dependent":1)", R"("plain":0.5)", metric ? "" : R"("dependent":1,"delta":1e-6)"})
      if (*loss != 0) all.push_back({"POST", "/v1/transfer", "", "{\"model\":" + model + "," + loss + "}"});
    all.push_back({"POST", "/v1/transfer/compare", "", "{\"model\":" + model + R"(,"dependent":1,"counts":10})"});
  }
  return all;
}

struct Place {
  std::size_t at = 0, size = 0;
};

// Where a text has numbers, outside of its strings.
std::vector<Place> NumbersIn(const std::string& text) {
  std::vector<Place> places;
  bool quoted = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '"') quoted = !quoted;
    const bool begins = !quoted && (std::isdigit(static_cast<unsigned char>(text[k])) != 0 || text[k] == '-');
    if (!begins) continue;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.e+-", k), text.size());
    places.push_back({k, end - k});
    k = end - 1;
  }
  return places;
}

class Extremes : public ::testing::Test {
 protected:
  Extremes() : folder_(std::filesystem::temp_directory_path() / ("kith_extremes_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "people.csv") << "ill,age,height\nyes,30,170\nno,40,180\n";
    std::ofstream(folder_ / "policy.toml") << R"(
[data]
tables.people = "people.csv"
[unit]
table = "people"
row = true
presence = "public"
[columns.people]
ill = { values = ["no", "yes"] }
age = { lower = 0, upper = 120 }
height = { lower = 0.0, upper = 250.0 }
[dependence]
source = "public"
kind = "group"
size = 2
odds_ratio = 3
[budget]
epsilon = 10
ledger = "people.ledger"
)";
    auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
    EXPECT_TRUE(curator) << curator.error().Text();
    Api::Options options;
    options.datasets.push_back({"people", std::make_shared<const Curator>(std::move(*curator))});
    options.anybody.role = people::Role::kCurator;
    options.version = "test";
    api_.emplace(std::move(options));
  }
  ~Extremes() override {
    api_.reset();
    std::filesystem::remove_all(folder_);
  }

  Result<HttpResponse> Ask(const Wanted& wanted, const CancelFlag& cancel = {}) {
    HttpRequest request;
    request.method = wanted.method;
    request.path = wanted.path;
    request.query = wanted.query;
    request.body = wanted.body;
    request.host = "127.0.0.1";
    if (!wanted.body.empty()) request.content_type = "application/json";
    return Metered(kSteps, CancelFlag(), [&]() -> Result<HttpResponse> { return api_->Handle(request, cancel); });
  }

  const std::filesystem::path folder_;
  std::optional<Api> api_;
};

TEST_F(Extremes, OfEveryFieldEnd) {
  std::size_t tried = 0;
  for (const Wanted& wanted : Requests()) {
    const auto usual = Ask(wanted);
    ASSERT_TRUE(usual) << wanted.path << wanted.body;
    EXPECT_EQ(usual->status, 200) << wanted.path << " " << wanted.query << wanted.body << "\n" << usual->body;
    for (const bool in_body : {true, false}) {
      const std::string& text = in_body ? wanted.body : wanted.query;
      for (const Place& place : NumbersIn(text)) {
        for (const char* extreme : kExtremes) {
          Wanted changed = wanted;
          (in_body ? changed.body : changed.query).replace(place.at, place.size, extreme);
          const auto answer = Ask(changed);
          const std::string& shown = in_body ? changed.body : changed.query;
          ASSERT_TRUE(answer) << changed.path << " takes more than " << kSteps << " steps: " << shown;
          EXPECT_TRUE(answer->status == 200 || (answer->status >= 400 && answer->status < 500))
              << changed.path << " " << shown << ": " << answer->status << " " << answer->body;
          ++tried;
        }
      }
    }
  }
  EXPECT_GT(tried, 1000U);
}

// The request that stopped a server: a target below everything that can be counted.
TEST_F(Extremes, AreRefusedWhereNothingCanBeCounted) {
  for (const char* small : {"5e-324", "1e-320", "1e-310", "1e-30"}) {
    const auto answer =
        Ask({"POST", "/v1/transfer", "",
             R"({"model":{"kind":"group","size":3,"odds_ratio":4},"dependent":)" + std::string(small) + "}"});
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 400) << small;
    EXPECT_NE(answer->body.find(R"("charged":"no")"), std::string::npos) << answer->body;
  }
}

// What a client no longer waits for ends, on every route that computes.
TEST_F(Extremes, WorkSeesThatItsClientHasLeft) {
  CancelFlag left;
  left.Cancel();
  for (const Wanted& wanted : Requests()) {
    // Of losses by distance no method is compared: there is nothing to stop.
    if (wanted.path.ends_with("compare") && wanted.body.find("lipschitz") != std::string::npos) continue;
    if (wanted.path.starts_with("/v1/transfer") || wanted.path.ends_with("explain")) {
      const auto answer = Ask(wanted, left);
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->status, 499) << wanted.path << wanted.body << answer->body;
    }
  }
}

}  // namespace
}  // namespace kith::server
