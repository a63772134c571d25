// Opening a policy whose graph is in a file: who is told of it, and who can stop it.
#include "release/budget_curve.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class GraphInAFile : public ::testing::Test {
 protected:
  GraphInAFile() : folder_(fs::temp_directory_path() / ("kith_curve_" + std::to_string(getpid()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    std::ofstream edges(folder_ / "friends.csv");
    edges << "a,b\n";
    for (int i = 0; i + 1 < 50; ++i) edges << i << "," << i + 1 << "\n";
    std::ofstream(folder_ / "policy.toml")
        << "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n"
           "[columns.t]\nid = { type = \"integer\", public = true }\n"
           "ill = { values = [\"no\", \"yes\"], required = true }\n[dependence]\nsource = \"public\"\nkind = "
           "\"field\"\n"
           "nodes = 50\nedges = \"friends.csv\"\ntheta = 0.1\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
  }
  ~GraphInAFile() override { fs::remove_all(folder_); }

  fs::path folder_;
};

TEST_F(GraphInAFile, CanBeStoppedWhileItIsRead) {
  CancelFlag stop;
  Call call(stop);
  call.notice = [&stop](const std::string&) { stop.Cancel(); };  // "reading the graph"
  const auto stopped = Curator::Open(folder_ / "policy.toml", {}, call);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled) << stopped.error().Text();
  const auto late = Curator::Open(folder_ / "policy.toml", {}, Call().Until(Deadline::In({})));
  ASSERT_FALSE(late);
  EXPECT_NE(late.error().what.find("the deadline has passed"), std::string::npos) << late.error().Text();
  EXPECT_TRUE(Curator::Open(folder_ / "policy.toml", {}));
}

TEST_F(GraphInAFile, IsReadOnceAndGivesAuditsAllItsBounds) {
  std::vector<std::string> heard;
  Call call;
  call.notice = [&heard](const std::string& text) { heard.push_back(text); };
  for (int time = 0; time < 2; ++time) {
    const auto curator = Curator::Open(folder_ / "policy.toml", {}, call);
    ASSERT_TRUE(curator) << curator.error().Text();
    const BudgetCurve& curve = curator->account().curve();
    const auto whole = curve.Whole(curator->policy(), curator->options(), call);
    ASSERT_TRUE(whole) << whole.error().Text();
    EXPECT_EQ(whole->records(), 50U);
    const double budget = curve.Budget(0).value();
    EXPECT_GT(budget, 0);
    EXPECT_GE(curve.Loss(budget, 0)->dependent, whole->Loss(budget)->dependent) << "certificates may cover more";
    EXPECT_LE(curve.Loss(budget, 0)->dependent, 1);
  }
  EXPECT_EQ(heard.size(), 1U) << "the table is kept beside the policy";
}

}  // namespace
}  // namespace kith
