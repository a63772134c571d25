#include "server/analyses.h"

#include <gtest/gtest.h>

namespace kith::server {
namespace {

Error Refused(const std::string& name, const Json& options) {
  const auto made = AnalysisFrom(name, options, Policy());
  return made ? InternalError("it was made") : made.error();
}

TEST(AnalysisFromTest, SaysWhatIsMissingUnknownOrOfAnotherKind) {
  EXPECT_EQ(Refused("kmeans", {{"columns", {"x", "y"}}}).parameter, "clusters");
  EXPECT_EQ(Refused("kmeans", {{"columns", {"x", "y"}}, {"clusters", -2}}).next, "\"clusters\" is a whole number");
  EXPECT_EQ(Refused("kmeans", {{"columns", "x"}, {"clusters", 2U}}).next, "\"columns\" is a list, each a text");
  EXPECT_NE(Refused("kmeans", {{"columns", {"x", "y"}}, {"clusters", 2U}, {"step", 1}}).next.find("columns, clusters"),
            std::string::npos);
  EXPECT_NE(Refused("kmean", Json::object()).next.find("kmeans"), std::string::npos);
}

TEST(AnalysisFromTest, ListsAndChoicesAreAsTheTableSays) {
  EXPECT_EQ(Refused("identity", {{"columns", {"x"}}, {"units", {1}}}).what, "'units' is a list of 2");
  EXPECT_EQ(Refused("degrees", {{"ends", {"a", "b", "c"}}, {"max_degree", 3U}}).what, "'ends' is a list of 2");
  EXPECT_EQ(Refused("points", {{"columns", {"x"}}, {"method", "hut"}}).what, "there is no such method");
  EXPECT_EQ(Refused("histogram", {{"one_sided", false}, {"by", "x"}}).parameter, "histogram.one_sided");
  EXPECT_EQ(Refused("histogram", {{"one_sided", true}, {"by", "x"}, {"method", "dawaz"}}).parameter,
            "histogram.noisy_epsilon");
  EXPECT_TRUE(AnalysisFrom("histogram", {{"one_sided", true}, {"by", "x"}}, Policy()));
}

TEST(AnalysisFromTest, TheSchemaNamesEveryAnalysisAndEveryOption) {
  const Json schema = AnalysisSchema();
  ASSERT_EQ(schema.at("oneOf").size(), Analyses().size());
  for (std::size_t k = 0; k < Analyses().size(); ++k) {
    const Json& one = schema.at("oneOf").at(k);
    EXPECT_EQ(one.at("properties").at("analysis").at("const"), Analyses()[k].name);
    const Json& options = one.at("properties").at("options");
    const AnalysisForm form = Analyses()[k].form();
    EXPECT_EQ(options.at("properties").size(), form.options.size());
    for (const OptionSpec& option : form.options) {
      EXPECT_EQ(options.at("properties").at(option.name).at("description"), option.help);
    }
  }
}

}  // namespace
}  // namespace kith::server
