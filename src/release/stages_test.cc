// What somebody who waits is shown: stages that follow only from request and policy, and progress only of public work.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "engine/data_report.h"
#include "release/release.h"

namespace kith {
namespace {

namespace fs = std::filesystem;

class Stages : public ::testing::Test {
 protected:
  Stages() {
    std::string name = (fs::temp_directory_path() / "kith-stages-XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  ~Stages() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  void Write(const std::string& presence, const std::string& rows) {
    for (const auto& entry : fs::directory_iterator(folder_)) fs::remove_all(entry.path());
    std::ofstream(folder_ / "people.csv") << "id,ill\n" << rows;
    std::ofstream(folder_ / "policy.toml") << "[data]\ntables.people = \"people.csv\"\n[unit]\ntable = \"people\"\nkey "
                                              "= \"id\"\nmax_rows = 1\npresence = \""
                                           << presence << "\"\n[columns.people]\nill = { values = [\"no\", \"yes\"] }\n"
                                           << "[dependence]\nsource = \"public\"\nkind = \"independent\"\n"
                                           << "[budget]\nepsilon = 3.0\nledger = \"people.ledger\"\n";
  }

  Call Watched() {
    Call call;
    call.stages = [this](std::optional<std::string_view> begins) {
      stages_ += begins ? std::string(*begins) + "(" : ")";
    };
    call.progress = [this](double) { ++shares_; };
    return call;
  }

  /// The stages of a first question, which imports the file.
  std::string Ask() {
    stages_.clear();
    shares_ = 0;
    Price price;
    price.epsilon = 1;
    const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{}, Watched());
    EXPECT_TRUE(curator) << curator.error().Text();
    const auto answer =
        curator->Release(QuestionRequest{"SELECT count(*) FROM people WHERE ill = 'yes'"}, price, {}, Watched());
    EXPECT_TRUE(answer) << answer.error().Text();
    return stages_;
  }

  fs::path folder_;
  std::string stages_;
  int shares_ = 0;
};

constexpr char kFine[] = "1,yes\n2,no\n";
constexpr char kStrange[] = "1,YES\n1,no\n1,no\n\"x,\n,no\n";

TEST_F(Stages, AreTheSameWhateverIsInTheData) {
  Write("secret", kFine);
  const std::string first = Ask();
  EXPECT_EQ(first,
            "bounding the dependence()opening the data(waiting for another import()reading people.csv in()checking the "
            "data())waiting for whoever asks the same()computing the answer()certifying the answer()");
  Write("secret", kStrange);
  EXPECT_EQ(Ask(), first);
}

TEST_F(Stages, HowFarReadingIsIsNoAnalystsBusinessUnderSecretPresence) {
  Write("secret", kFine);
  Ask();
  EXPECT_EQ(shares_, 0);
  Write("public", kFine);
  Ask();
  EXPECT_GT(shares_, 0);
  Write("secret", kFine);
  shares_ = 0;
  const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
  ASSERT_TRUE(curator);
  ASSERT_TRUE(curator->Import(Watched()));  // by the curator
  EXPECT_GT(shares_, 0);
}

TEST_F(Stages, OnlyAnImportByTheCuratorIsReported) {
  Write("secret", kStrange);
  const auto curator = Curator::Open(folder_ / "policy.toml", EngineOptions{});
  ASSERT_TRUE(curator);
  std::optional<DataReport> report;
  ASSERT_TRUE(curator->Import({}, [&report](const DataReport& found) { report = found; }));
  ASSERT_TRUE(report && report->units);
  EXPECT_EQ(report->units->rows_beyond, 2);
  EXPECT_EQ(report->units->without_key, 1);
  EXPECT_EQ(report->tables.at(0).dropped, 1);
  EXPECT_EQ(report->tables.at(0).columns.at(0).undeclared, 1);
}

}  // namespace
}  // namespace kith
