// Models and observations of `kith leakage`: what is read, and what is refused.
#include "lab/leak_input.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kith::cli {
namespace {

constexpr const char* kOffice = R"({"source": "declared", "attributes": ["arrival", "level"],
  "law": [{"sensitive": [], "p": 0.5}, {"sensitive": ["arrival"], "p": 0.1}, {"sensitive": ["level"], "p": 0.2},
          {"sensitive": ["arrival", "level"], "p": 0.2}],
  "applications": {"heating": {"arrival": 0.7}}, "kappa": {"level": 0.5}, "worth": {"arrival": 2}})";

TEST(LeakageModel, IsRead) {
  const auto model = ReadLeakageModel(kOffice, "office.json").value();
  EXPECT_EQ(model.names, (std::vector<std::string>{"arrival", "level"}));
  EXPECT_NEAR(model.law.Sensitive(0), 0.3, 1e-12);
  EXPECT_NEAR(model.law.Sensitive(1), 0.4, 1e-12);
  EXPECT_NEAR(*model.law.OpenGiven(0, 1, false), 0.5, 1e-12);
  EXPECT_EQ(model.applications[0].epsilons, (std::vector<double>{0.7, 0}));
  EXPECT_EQ(model.worth, (std::vector<double>{2, 1}));
  EXPECT_EQ(model.kappa[1], 0.5);
  EXPECT_FALSE(model.kappa[0]);
}

TEST(LeakageModel, CountsAreSmoothed) {
  const auto model = ReadLeakageModel(R"({"source": "consented", "attributes": ["a"], "smoothing": 1,
    "counts": [{"sensitive": ["a"], "n": 2}, {"sensitive": [], "n": 6}]})",
                                      "m");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->sample, 8);
  EXPECT_NEAR(model->law.Sensitive(0), 0.3, 1e-12);
}

void Refused(const std::string& text, const std::string& why) {
  const auto model = ReadLeakageModel(text, "m.json");
  ASSERT_FALSE(model) << text;
  EXPECT_EQ(model.error().code, Code::kInvalidArgument);
  EXPECT_NE(model.error().what.find(why), std::string::npos) << model.error().what;
  EXPECT_NE(model.error().where.find("m.json"), std::string::npos) << text;
}

TEST(LeakageModel, BadModelsAreRefused) {
  const std::string law = R"("law": [{"sensitive": [], "p": 0.5}, {"sensitive": ["a"], "p": 0.5}])";
  const std::string start = R"({"source": "declared", "attributes": ["a"], )";
  Refused("{", "not JSON");
  Refused("[1]", "JSON object");
  Refused(R"({"attributes": ["a"], )" + law + "}", "where its law comes from");
  Refused(R"({"source": "protected", "attributes": ["a"], )" + law + "}", "declared, public or consented");
  Refused(start + R"("smoothing": 1, "counts": [{"sensitive": [], "n": 1}]})", "public or consented");
  Refused(R"({"source": "public", "attributes": ["a"], "counts": [{"sensitive": [], "n": 1}]})", "smoothing");
  Refused(start + law + R"(, "smoothing": 1})", "smoothing is for counts");
  Refused(start + R"("laws": []})", "key is not known");
  Refused(start + R"("applications": {}})", "either a law or counts");
  Refused(start + R"("law": [{"sensitive": [], "p": 0.5}]})", "do not add up to 1");
  Refused(start + R"("law": [{"sensitive": [], "p": -0.5}]})", "0 or more");
  Refused(start + R"("law": [{"sensitive": ["b"], "p": 1}]})", "no attribute 'b'");
  Refused(start + R"("law": [{"sensitive": [], "p": 0.5}, {"sensitive": [], "p": 0.5}]})", "listed twice");
  Refused(start + law + R"(, "kappa": {"a": -1}})", "0 or more");
  Refused(start + law + R"(, "applications": {"x": {"b": 1}}})", "no attribute 'b'");
  Refused(R"({"source": "declared", "attributes": ["a", "a"], )" + law + "}", "listed twice");
  Refused(R"({"source": "declared", "attributes": [], )" + law + "}", "no list of attributes");
}

TEST(LeakageModel, ObservationsAreRead) {
  const auto model = ReadLeakageModel(kOffice, "office.json").value();
  const auto seen = ReadObservations(model, {"arrival:3:0.7", "arrival:1:0.4"}, {"level:0.5"}).value();
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_NEAR(seen[0].epsilon, 2.5, 1e-12);
  EXPECT_EQ(seen[0].suppressed, 1);
  EXPECT_TRUE(seen[1].released);
  // Three tries and their sum say the same.
  const auto odds = one_sided::OddsAfter(model.law, 1, {{0, 0.7, 3, false}}).value();
  const auto merged = ReadObservations(model, {"arrival:3:0.7"}, {}).value();
  EXPECT_NEAR(one_sided::OddsAfter(model.law, 1, merged)->posterior, odds.posterior, 1e-12);
  for (const char* bad : {"arrival", "arrival:3", "nobody:3:0.7", "arrival:x:0.7", "arrival:1.5:0.7", "arrival:3:-1"})
    EXPECT_FALSE(ReadObservations(model, {bad}, {})) << bad;
  for (const char* bad : {"level", "level:0", "level:", "nobody:1"}) EXPECT_FALSE(ReadObservations(model, {}, {bad}));
}

}  // namespace
}  // namespace kith::cli
