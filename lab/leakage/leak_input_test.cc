// Models and observations of `kith leakage`: what is read, and what is refused.
#include "leakage/leak_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "engine/duckdb/duckdb_session.h"
#include "estimate/protected_file.h"
#include "leakage/leak_policy.h"

namespace kith::leakage {
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
  ASSERT_EQ(seen.observations.size(), 2U);
  EXPECT_NEAR(seen.observations[0].epsilon, 2.5, 1e-12);
  EXPECT_EQ(seen.observations[0].suppressed, 1);
  EXPECT_TRUE(seen.observations[1].released);
  // Three tries and their sum say the same.
  const auto odds = one_sided::OddsAfter(model.law, 1, {{0, 0.7, 3, false}}).value();
  const auto merged = ReadObservations(model, {"arrival:3:0.7"}, {}).value();
  EXPECT_NEAR(one_sided::OddsAfter(model.law, 1, merged.observations)->posterior, odds.posterior, 1e-12);
  for (const char* bad : {"arrival", "arrival:3", "nobody:3:0.7", "arrival:x:0.7", "arrival:1.5:0.7", "arrival:3:-1"})
    EXPECT_FALSE(ReadObservations(model, {bad}, {})) << bad;
  for (const char* bad : {"level", "level:0", "level:", "nobody:1", "level=low:1"})
    EXPECT_FALSE(ReadObservations(model, {}, {bad}));
  // Naive rejection: certainty about the record itself, d1 / d2 = 3 about the other.
  const auto naive = ReadObservations(model, {"arrival:1:inf"}, {}).value().observations;
  EXPECT_EQ(one_sided::OddsAfter(model.law, 0, naive)->posterior, INFINITY);
  EXPECT_NEAR(one_sided::OddsAfter(model.law, 1, naive)->factor, 3, 1e-12);
  EXPECT_FALSE(ReadObservations(model, {"arrival:inf:1"}, {}));
  EXPECT_EQ(ReadObservedCount(model, "level:3:9")->of, 9);
  for (const char* bad : {"level:9:3", "level:3", "nobody:1:2", "level:1.5:2", "level:0:0", "level:3:9:2:20"})
    EXPECT_FALSE(ReadObservedCount(model, bad)) << bad;
}

TEST(LeakageModel, LimitsAndValuesAreRead) {
  const auto limits = ReadLeakageModel(R"({"source": "declared", "attributes": ["a", "b"],
    "law": [{"sensitive": [], "p": [0.4, 0.6]}, {"sensitive": ["a"], "p": [0.1, 0.2]}, {"sensitive": ["b"], "p": 0.2},
            {"sensitive": ["a", "b"], "p": [0, 0.3]}]})",
                                       "m")
                          .value();
  ASSERT_TRUE(limits.set);
  EXPECT_EQ(limits.set->cells()[0].high, 0.3);
  Refused(R"({"source": "declared", "attributes": ["a"], "law": [{"sensitive": [], "p": [0.2, 0.4]}]})", "no law");
  Refused(R"({"source": "declared", "attributes": ["a"], "law": [{"sensitive": [], "p": [0.6, 0.4]}]})",
          "[least, most]");
  const std::string start = R"({"source": "declared", "attributes": ["a", "b"],
    "values": {"a": ["early", "noon", "late"], "b": ["low", "full"]}, )";
  const std::string law = R"("law": [{"a": "early", "b": "low", "p": 0.5}, {"a": "noon", "b": "low", "p": 0.2},
    {"a": "late", "b": "full", "p": 0.3}])";
  const auto values = ReadLeakageModel(start + R"("sensitive": {"a": ["late"], "b": ["full"]}, )" + law + "}", "m");
  ASSERT_TRUE(values) << values.error().Text();
  EXPECT_NEAR(values->law.law()[0], 0.3, 1e-12);  // both sensitive
  EXPECT_NEAR(values->law.law()[3], 0.7, 1e-12);
  ASSERT_TRUE(values->values);
  const auto seen = ReadObservations(*values, {}, {"a=noon:1"});
  ASSERT_TRUE(seen) << seen.error().Text();
  EXPECT_EQ(seen->values, (std::vector<std::pair<std::size_t, std::size_t>>{{0, 1}}));
  Refused(start + R"("sensitive": {"a": ["never"]}, )" + law + "}", "not among the values");
  Refused(start + R"("sensitive": {"c": ["late"]}, )" + law + "}", "no attribute 'c'");
  Refused(start + R"("law": [{"a": "early", "p": 1}]})", "listed value of 'b'");
}

TEST(LeakageModel, PairsAloneAreRead) {
  const std::string text = R"({"source": "declared", "attributes": ["a", "b"], "prior": {"b": [0.3, 0.5]},
    "given": [{"served": "a", "about": "b", "if_sensitive": [0.4, 0.6]}], "applications": {"x": {"a": 1}}})";
  ASSERT_TRUE(IsPartialModel(text));
  const auto model = ReadPartialModel(text, "m").value();
  EXPECT_EQ(model.limits[0][1].d1.high, 0.6);
  EXPECT_EQ(model.limits[0][1].d2.high, 1);  // what is not given can be anything
  EXPECT_EQ(model.limits[0][1].sensitive.low, 0.3);
  EXPECT_EQ(model.limits[0][0].d1.low, 1);
  EXPECT_FALSE(IsPartialModel(kOffice));
}

/// The probability that some limit of three cells misses, exactly, for a law and a sample of 24 rows. `planted`: limits
/// that hold for one cell at a time.
double Missed(const std::vector<double>& law, double alpha, bool planted) {
  constexpr int kRows = 24;
  double missed = 0;
  for (int a = 0; a <= kRows; ++a) {
    for (int b = 0; a + b <= kRows; ++b) {
      const int c = kRows - a - b;
      const auto set = CountedLimits({a, b, c}, planted ? 3 * alpha : alpha).value();
      bool miss = false;
      for (std::size_t k = 0; k < 3; ++k) miss = miss || law[k] < set.cells()[k].low || law[k] > set.cells()[k].high;
      if (!miss) continue;
      missed += std::exp(std::lgamma(kRows + 1) - std::lgamma(a + 1) - std::lgamma(b + 1) - std::lgamma(c + 1) +
                         a * std::log(law[0]) + b * std::log(law[1]) + c * std::log(law[2]));
    }
  }
  return missed;
}

// A table may be many files, by name or by a pattern: none of them is a sample.
TEST(LeakPolicy, EveryFileOfAProtectedTableIsRefused) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(::testing::TempDir()) / ("protected_files" + std::to_string(::getpid())),
                 other = folder / "elsewhere";
  fs::create_directories(other);
  const auto database = DuckDb::Open("", {}).value();
  const auto connection = database.Connect().value();
  for (const fs::path& file : {folder / "a.parquet", folder / "b.parquet", other / "c.parquet"}) {
    ASSERT_TRUE(connection.Execute("COPY (SELECT 1 AS id, 2 AS age) TO " + QuotedText(file.string()), CancelFlag()));
  }
  const std::string policy = (folder / "p.toml").string();
  for (const char* source : {R"(["a.parquet", "b.parquet"])", R"("*.parquet")", R"(["b.parquet", "gone.parquet"])"}) {
    std::ofstream(policy)
        << "[data]\ntables.t = { source = " << source
        << " }\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\npresence = \"public\"\n[columns.t]\n"
           "age = { type = \"integer\", lower = 0, upper = 99 }\n[dependence]\nsource = \"public\"\n"
           "kind = \"independent\"\n[budget]\nepsilon = 1\nledger = \"t.ledger\"\n";
    ASSERT_TRUE(Policy::Load(policy)) << Policy::Load(policy).error().Text();
    const auto refused = estimate::RefuseSources({(folder / "b.parquet").string()}, policy);
    ASSERT_FALSE(refused) << source;
    EXPECT_NE(refused.error().Text().find("which protects it"), std::string::npos) << refused.error().Text();
    EXPECT_TRUE(estimate::RefuseSources({(other / "c.parquet").string()}, policy)) << source;
  }
  fs::remove_all(folder);
}

TEST(LeakPolicy, AllLimitsHoldAtOnceAsOftenAsStated_OSDP13) {
  for (const std::vector<double>& law : {std::vector<double>{0.3, 0.3, 0.4}, {0.05, 0.15, 0.8}, {0.5, 0.25, 0.25}})
    EXPECT_LE(Missed(law, 0.2, false), 0.2);
}

TEST(LeakPolicy, TheCheckAboveSeesLimitsForOneCellAtATime) { EXPECT_GT(Missed({0.3, 0.3, 0.4}, 0.2, true), 0.2); }

}  // namespace
}  // namespace kith::leakage
