// The exact audit against the vectors of the papers, and on large laws.
#include <gtest/gtest.h>

#include <ctime>

#include "audit/exact/exact_test_tools.h"
#include "base/json.h"

namespace kith::audit {
namespace {

using kith::testing::Vector;
using kith::testing::Vectors;
using published::reference::NumberIn;
using published::reference::OneVector;

struct Ready {
  FiniteLaw law;
  Additive question;
  ExactAudit audit;
};

Ready Of(Model model, const std::string& query) {
  FiniteLaw law = LawOf(std::move(model)).value();
  Additive question = QuestionFrom(query, law).value();
  ExactAudit audit = ExactAudit::Make(law, question).value();
  return {std::move(law), std::move(question), std::move(audit)};
}

TEST(AuditVectors, DeltaOfOneAnswer) {
  for (const Vector& v : Vectors("papers", "ndss.epsdelta.")) {
    const Ready ready = Of(reference::Bits(v.inputs["joint"]), "sum");
    for (const auto& [sigma, deltas] : v.expected.items()) {
      for (const auto& [epsilon, delta] : deltas.items()) {
        EXPECT_NEAR(ready.audit.Delta(NumberIn(sigma, "sigma"), NumberIn(epsilon, "eps"), Noise::kContinuous).value(),
                    delta, v.tolerance)
            << v.id << sigma << epsilon;
      }
    }
  }
}

TEST(AuditVectors, InformationAndItsBound) {
  const Vector v = OneVector("idp.info_example");
  const Ready ready = Of(reference::Bits(v.inputs["joint"]), "sum");
  const double sigma = v.inputs["sigma"];
  const auto information = ready.audit.InformationAt(sigma).value();
  EXPECT_NEAR(information.divergence, v.expected["maxD"], v.tolerance);
  EXPECT_NEAR(information.bound, v.expected["K1"], v.tolerance);
  EXPECT_NEAR(published::LaplaceInformation(ready.audit.answers()[0].secret, sigma), v.expected["I"], v.tolerance);
  EXPECT_LE(information.mutual, information.divergence);
  const Vector bounds = OneVector("idp.info_bounds");
  for (std::size_t k = 0; k < bounds.inputs["eps"].size(); ++k) {
    EXPECT_NEAR(published::InformationBound(bounds.inputs["eps"][k]), bounds.expected["K"][k], bounds.tolerance);
  }
}

TEST(AuditVectors, EverySetOfKnownRecords) {
  for (const Vector& v : Vectors("papers", "puf.bdp.")) {
    const Ready ready = Of(reference::Bits(v.inputs["joint"]), "sum");
    const double sigma = v.inputs["sigma"];
    const auto losses = LossesOfAdversaries(ready.law, ready.question, ready.audit, {&sigma, 1}).value()[0];
    double none = 0, any = 0, all = 0;
    for (const auto& [name, loss] : v.expected.items()) {
      const Json known = Json::parse(name.substr(name.find("K=") + 2));
      any = std::max(any, loss.get<double>());
      if (known.empty()) none = std::max(none, loss.get<double>());
      if (known.size() + 1 == ready.law.records()) all = std::max(all, loss.get<double>());
    }
    EXPECT_NEAR(losses.none.worst.loss, none, v.tolerance) << v.id;
    EXPECT_NEAR(losses.all.worst.loss, all, v.tolerance) << v.id;
    EXPECT_NEAR(losses.any.value().worst.loss, any, v.tolerance) << v.id;
    // The set that is shown is one that has this loss.
    const std::string shown = "i=" + std::to_string(losses.any->worst.record) + ",K=" + [&] {
      std::string text = "[";
      for (const std::size_t k : losses.any->known) text += (text.size() > 1 ? ", " : "") + std::to_string(k);
      return text + "]";
    }();
    EXPECT_NEAR(v.expected[shown].get<double>(), any, v.tolerance) << v.id << shown;
  }
}

TEST(AuditVectors, LossAndScaleOfXor) {
  const Vector v = OneVector("puf.exact_curve");
  const Ready ready = Of(reference::Bits(v.inputs["joint"]), "sum");
  for (const auto& [sigma, epsilon] : v.expected["eps_of_sigma"].items()) {
    EXPECT_NEAR(ready.audit.Loss(std::stod(sigma)).value().loss, epsilon, v.tolerance) << sigma;
  }
  for (const auto& [epsilon, sigma] : v.expected["sigma_of_eps"].items()) {
    const double floor = 1 / std::stod(epsilon);
    EXPECT_NEAR(ready.audit.Scale(std::stod(epsilon)).value(), std::max(floor, sigma.get<double>()), v.tolerance);
  }
}

TEST(AuditVectors, CountsOverAChain) {
  const Vector v = OneVector("puf.chain_sum");
  for (const auto& [key, expected] : v.expected.items()) {
    const Chain chain = reference::Stationary(static_cast<std::int64_t>(NumberIn(key, "T")));
    const Ready ready = Of(chain, "count");
    EXPECT_NEAR(ready.audit.Scale(NumberIn(key, "eps")).value(), expected["exact_sigma"], v.tolerance) << key;
  }
}

/// Only of this program: what others do on the machine does not count.
double SecondsSince(std::clock_t start) {
  return static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
}

TEST(AuditVectors, AThousandStepsInSeconds) {
  const std::clock_t start = std::clock();
  const Ready ready = Of(reference::Stationary(1000), "count");
  const double scale = ready.audit.Scale(1).value();
  EXPECT_NEAR(ready.audit.Loss(scale).value().loss, 1, 1e-9);
  // A long chain forgets its ends: the scale is that of a hundred steps.
  EXPECT_NEAR(scale, Of(reference::Stationary(100), "count").audit.Scale(1).value(), 1e-6);
  EXPECT_LT(SecondsSince(start), 5);
}

TEST(AuditVectors, AMillionRowsInSeconds) {
  // Twenty bits: the outbreak of the papers, as rows.
  const std::size_t n = 20;
  Joint joint{std::vector<std::int64_t>(n, 2), Law(std::size_t{1} << n)};
  for (std::size_t row = 0; row < joint.law.size(); ++row) {
    const int ill = __builtin_popcountll(row);
    joint.law[row] = 0.999 * std::pow(0.1, ill) * std::pow(0.9, static_cast<int>(n) - ill);
  }
  joint.law.back() += 0.001;
  Json text = {{"kind", "joint"}, {"values", joint.values}, {"law", joint.law}};
  const std::clock_t start = std::clock();
  const FiniteLaw law = LawFromJson(text.dump(), "rows").value();
  const Additive question = QuestionFrom("count", law).value();
  const ExactAudit audit = ExactAudit::Make(law, question).value();
  const double of_rows = audit.Loss(1.5).value().loss;
  const auto table = AuditLaw(law, question, audit, {1.0, {}}).value();
  EXPECT_GE(table.methods.size(), 4U);
  EXPECT_LT(SecondsSince(start), 5);
  Tree tree{{-1}, {{{.999, .001}}}};
  for (std::size_t i = 0; i < n; ++i) {
    tree.parents.push_back(0);
    tree.tables.push_back({{.9, .1}, {0, 1}});
  }
  FiniteLaw network = LawOf(tree).value();
  network.secret[0] = 0;  // the outbreak is nobody's record
  Additive ill = QuestionFrom("count", network).value();
  ill.adds[0] = {0, 0};
  EXPECT_NEAR(of_rows, ExactAudit::Make(network, ill).value().Loss(1.5).value().loss, 1e-9);
}

TEST(AuditExact, RefusesWhatItCannotTellApart) {
  // 1,000 steps whose tails are below the smallest double, and hardly any noise.
  const Ready ready = Of(Chain{{{.999, .001}, {.999, .001}}, {.999, .001}, 1000}, "count");
  EXPECT_TRUE(ready.audit.Loss(10).has_value());
  const auto little = ready.audit.Loss(0.1);
  ASSERT_FALSE(little.has_value());
  EXPECT_EQ(little.error().code, Code::kInvalidArgument);
  EXPECT_FALSE(ready.audit.Loss(0).has_value());
  EXPECT_FALSE(ready.audit.Loss(INFINITY).has_value());
  EXPECT_FALSE(ready.audit.Scale(0).has_value());
}

TEST(AuditExact, QuestionsAndModelsThatMakeNoSense) {
  const FiniteLaw law = LawOf(Joint{{2, 3}, {.1, .2, .1, .2, .2, .2}}).value();
  for (const char* words : {"mean", "count:", "count:1,2", "sum:0,1", "sum:a", "sum:1,,2", ""}) {
    const auto question = QuestionFrom(words, law);
    if (std::string(words) == "count:") continue;  // the same as count
    ASSERT_FALSE(question.has_value()) << words;
    EXPECT_EQ(question.error().code, Code::kInvalidArgument);
    EXPECT_FALSE(question.error().next.empty());
  }
  EXPECT_EQ(QuestionFrom("count:2", law)->adds, (std::vector<std::vector<std::int64_t>>{{0, 0}, {0, 0, 1}}));
  EXPECT_EQ(QuestionFrom("sum:0,3,10", law)->adds[1], (std::vector<std::int64_t>{0, 3, 10}));
  EXPECT_FALSE(LawOf(Group{4, {{"", 2.0}}}).has_value());
  for (const char* text : {"", "{}", R"({"kind":"joint","values":[2,2],"law":[1]})", R"({"kind":"group","size":4})"}) {
    EXPECT_FALSE(LawFromJson(text, "model.json").has_value()) << text;
  }
}

}  // namespace
}  // namespace kith::audit
