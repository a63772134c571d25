#include "release/analyses.h"

#include <gtest/gtest.h>

#include <set>

namespace kith {
namespace {

TEST(AnalysesTest, EveryNameIsSaidOnceAndInItsSpelling) {
  std::set<std::string> names;
  for (const AnalysisEntry& each : Analyses()) {
    EXPECT_TRUE(names.insert(each.name).second) << each.name;
    EXPECT_EQ(FindAnalysis(each.name), &each);
    std::set<std::string> options;
    std::set<char> letters;
    const AnalysisForm form = each.form();
    for (const OptionSpec& option : form.options) {
      EXPECT_TRUE(options.insert(option.name).second) << each.name << " " << option.name;
      EXPECT_EQ(option.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), std::string::npos) << option.name;
      EXPECT_TRUE(option.letter == 0 || letters.insert(option.letter).second) << each.name << " " << option.name;
      EXPECT_EQ(&form.Option(option.name), &option);
      EXPECT_FALSE(option.help.empty()) << option.name;
      EXPECT_EQ(option.help.find("--"), std::string::npos) << "flags are of the command line alone: " << option.help;
    }
  }
  EXPECT_EQ(FindAnalysis("kmean"), nullptr);
}

TEST(AnalysesTest, ADefaultThatIsShownIsOneThatMayBeGiven) {
  std::size_t shown = 0;
  for (const AnalysisEntry& each : Analyses()) {
    for (const OptionSpec& option : each.form().options) {
      if (!option.shows_default) continue;
      ++shown;
      EXPECT_FALSE(option.needed) << option.name;
      const Json value = option.Value();
      if (value.is_number()) {
        EXPECT_TRUE(option.least.is_null() || option.least.get<double>() <= value.get<double>()) << option.name;
        EXPECT_TRUE(option.most.is_null() || option.most.get<double>() >= value.get<double>()) << option.name;
      } else {
        EXPECT_TRUE(std::ranges::count(option.choices, value.get<std::string>()) == 1) << option.name;
      }
    }
  }
  EXPECT_GE(shown, 4U);
}

TEST(AnalysesTest, FormsShareNothing) {
  const AnalysisForm one = FindAnalysis("top")->form(), other = FindAnalysis("top")->form();
  *std::get<std::string*>(one.Option("column").place) = "drug";
  EXPECT_EQ(other.Option("column").Value(), "");
  EXPECT_EQ(one.Option("column").Value(), "drug");
}

TEST(AnalysesTest, ValuesAreAsAnotherProgramWouldWriteThem) {
  double real = 30;
  std::optional<std::size_t> none;
  std::vector<double> ranks = {0.5, 1};
  EXPECT_EQ((OptionSpec{"a", &real, ""}).Value().dump(), "30");
  EXPECT_TRUE((OptionSpec{"a", &none, ""}).Value().is_null());
  EXPECT_EQ((OptionSpec{"a", &ranks, ""}).Value().dump(), "[0.5,1]");
  EXPECT_EQ((OptionSpec{"max_degree", &real, ""}).Flag(), "--max-degree");
}

}  // namespace
}  // namespace kith
