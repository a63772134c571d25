// Identity differential privacy: the vectors `idp.*`.
#include <gtest/gtest.h>

#include "published/published_test_tools.h"
#include "tests/support/vectors.h"

namespace kith::published {
namespace {

using kith::testing::Vector;
using json = kith::testing::Json;
using reference::OneVector;

/// Independent fair bits.
ListedLaw FairBits(std::size_t records) {
  ListedLaw law;
  for (std::size_t bits = 0; bits < std::size_t{1} << records; ++bits) {
    Database d{{}, 1.0 / static_cast<double>(std::size_t{1} << records)};
    for (std::size_t i = 0; i < records; ++i) d.values.push_back(static_cast<double>(bits >> i & 1));
    law.push_back(std::move(d));
  }
  return law;
}

/// Two fair bits that differ with probability `flip`.
ListedLaw Flipped(double flip) {
  return {{{0, 0}, (1 - flip) / 2}, {{0, 1}, flip / 2}, {{1, 0}, flip / 2}, {{1, 1}, (1 - flip) / 2}};
}

double Parity(const std::vector<double>& x, std::size_t from) {
  double sum = 0;
  for (std::size_t i = from; i < x.size(); ++i) sum += x[i];
  return std::fmod(sum, 2);
}

TEST(IdpVectors, TwoRecordsThatAreEqual) {
  const Vector v = OneVector("idp.example2");
  const auto secrets = Secrets(reference::LawFrom(v.inputs["joint"]), Sum).value();
  EXPECT_NEAR(LaplaceLoss(secrets, 1 / v.inputs["eps"].get<double>()), v.expected["eps_idp"], v.tolerance);
}

TEST(IdpVectors, Overlap) {
  const Vector v = OneVector("idp.lemma5");
  const std::map<std::string, ListedLaw> laws = {
      {"bsc.4", Flipped(0.4)},
      {"bsc.1", Flipped(0.1)},
      {"star.1", reference::Paths(Tree{{-1, 0, 0}, {{{.5, .5}}, {{.9, .1}, {.1, .9}}, {{.9, .1}, {.1, .9}}}})},
      {"xor", {{{0, 0, 0}, .25}, {{0, 1, 1}, .25}, {{1, 0, 1}, .25}, {{1, 1, 0}, .25}}}};
  for (const auto& [key, expected] : v.expected.items()) {
    const ListedLaw& law = laws.at(key.substr(0, key.find(',')));
    const double epsilon = reference::NumberIn(key, "eps");
    const double k = expected["k"];
    const double eta = LargestVariation(law);
    EXPECT_NEAR(eta, expected["eta"], v.tolerance) << key;
    EXPECT_NEAR(k / epsilon, expected["sigma_group"], v.tolerance);
    EXPECT_NEAR(SharpOverlapLoss(epsilon, k, eta), expected["sharp_bound"], v.tolerance) << key;
    const auto published = PublishedOverlapLoss(epsilon, k, eta);
    ASSERT_EQ(published.has_value(), !expected["paper_bound"].is_null()) << key;
    if (published) {
      EXPECT_NEAR(*published, expected["paper_bound"], v.tolerance) << key;
    }
    EXPECT_NEAR(LaplaceLoss(Secrets(law, Sum).value(), k / epsilon), expected["exact_idp"], v.tolerance) << key;
  }
}

TEST(IdpVectors, OverlapAndBack) {
  const Vector v = OneVector("idp.lemma5_inverse");
  for (std::size_t k = 0; k < v.inputs["cases"].size(); ++k) {
    const json& inputs = v.inputs["cases"][k];
    EXPECT_NEAR(OverlapPlainBudget(inputs[0], inputs[1], inputs[2]), v.expected["eps_dp"][k], v.tolerance) << inputs;
  }
}

TEST(IdpVectors, OverlapAndBackAgreeWithTheTransferFunction) {
  for (const double eta : {1e-6, 0.003, 0.2, 0.77, 1.0}) {
    for (const std::int64_t records : {1, 2, 7, 60}) {
      const auto transfer = Transfer::Make(Overlap{records, eta}).value();
      for (const double target : {0.05, 1.0, 4.0}) {
        const double plain = OverlapPlainBudget(target, static_cast<double>(records), eta);
        EXPECT_NEAR(plain, transfer.PlainBudget(target).value(), 1e-9 * target) << eta << " " << records;
        const double back =
            std::log((1 - eta) * std::exp(plain) + eta * std::exp(static_cast<double>(records) * plain));
        EXPECT_NEAR(back, target, 1e-9);
      }
    }
  }
}

TEST(IdpVectors, InformationBound) {
  const Vector v = OneVector("idp.info_bounds");
  for (std::size_t k = 0; k < v.inputs["eps"].size(); ++k) {
    const double epsilon = v.inputs["eps"][k];
    EXPECT_NEAR(InformationBound(epsilon), v.expected["K"][k], v.tolerance);
    EXPECT_NEAR(epsilon * epsilon / 8, v.expected["eps2_over_8"][k], v.tolerance);
    EXPECT_LE(InformationBound(epsilon), epsilon * epsilon / 8);
  }
  EXPECT_NEAR(InformationBound(2e-4) / InformationBound(0.99e-4), 4 / (0.99 * 0.99), 1e-4);  // the series takes over
}

TEST(IdpVectors, InformationOfOneAnswer) {
  const Vector v = OneVector("idp.info_example");
  const ListedLaw law = reference::LawFrom(v.inputs["joint"]);
  const double sigma = v.inputs["sigma"];
  const Secret secret = SecretOf(law, Sum, 0).value();
  EXPECT_NEAR(LaplaceInformation(secret, sigma), v.expected["I"], v.tolerance);
  EXPECT_NEAR(LargestDivergence(secret, sigma), v.expected["maxD"], v.tolerance);
  EXPECT_NEAR(InformationBound(LaplaceLoss(secret, sigma)), v.expected["K1"], v.tolerance);
}

TEST(IdpVectors, PropositionFourNeedsPlainLoss) {
  const Vector v = OneVector("idp.prop4_false");
  const ListedLaw law = FairBits(2);
  const Query parity = reference::AsQuery([](const std::vector<double>& x) { return Parity(x, 0); });
  EXPECT_NEAR(NoiselessLoss(Secrets(law, parity).value()), v.expected["eps_idp"], v.tolerance);
  double information = 0;
  const std::vector<std::size_t> known = {1};
  for (const ListedLaw& rest : Knowing(law, known)) {
    double p = 0;
    for (const Database& d : rest) p += d.p;
    Secret secret = SecretOf(rest, parity, 0).value();
    for (double& prior : secret.prior) prior /= p;
    information += p * NoiselessInformation(secret);
  }
  EXPECT_NEAR(information, v.expected["cond_mi"], v.tolerance);
}

TEST(IdpVectors, NothingPlusNothingIsSomething) {
  const Vector v = OneVector("idp.comp_parity");
  const ListedLaw law = FairBits(3);
  const Query first = reference::AsQuery([](const std::vector<double>& x) { return Parity(x, 0); });
  const Query second = reference::AsQuery([](const std::vector<double>& x) { return Parity(x, 1); });
  const Query both = [](const std::vector<double>& x) { return std::vector<double>{Parity(x, 0), Parity(x, 1)}; };
  for (std::size_t k = 0; k < v.inputs["s"].size(); ++k) {
    const double scale = v.inputs["s"][k];
    EXPECT_NEAR(LaplaceLoss(Secrets(law, first).value(), scale), v.expected["single"][k], v.tolerance);
    EXPECT_NEAR(LaplaceLoss(Secrets(law, second).value(), scale), v.expected["single"][k], v.tolerance);
    EXPECT_NEAR(LaplaceLoss(Secrets(law, both).value(), scale), v.expected["joint"][k], v.tolerance);
  }
}

/// The same scalar answer given twice.
Secret Twice(const Secret& once) {
  std::vector<Atoms> laws;
  for (const auto& law : once.given) {
    laws.emplace_back();
    for (std::size_t k = 0; k < law.size(); ++k) laws.back().push_back({{once.axes[0][k], once.axes[0][k]}, law[k]});
  }
  return OnGrid(once.record, once.prior, laws).value();
}

TEST(IdpVectors, CalibratedAnswersDoNotAddUp) {
  const Vector v = OneVector("idp.comp_outbreak");
  const Secret once = reference::SecretFrom(json::array({v.inputs["q0"], v.inputs["q1"]}));
  const std::vector<Secret> secrets = {once};
  for (const auto& [key, expected] : v.expected.items()) {
    const double epsilon = reference::NumberIn(key, "eps");
    const double sigma = CalibratedScale(secrets, epsilon, 0);
    EXPECT_NEAR(sigma, expected["sigma"], v.tolerance);
    const double twice = LaplaceLoss(Twice(once), sigma);
    EXPECT_NEAR(twice, expected["two_queries_true"], v.tolerance);
    EXPECT_GT(twice, 2 * epsilon);
    for (const auto& [k, loss] : expected["k_queries_lower_bound"].items()) {
      EXPECT_NEAR(LaplaceLoss(once, sigma / std::stod(k)), loss, v.tolerance) << k;  // all outputs alike
    }
    EXPECT_NEAR(WassersteinSensitivity(secrets), expected["winf"], v.tolerance);
    EXPECT_NEAR(GroupScale(10, epsilon), expected["group_sigma"], v.tolerance);
  }
}

TEST(IdpVectors, TwoAnswersAreOneWithHalfTheNoise) {
  const Vector v = OneVector("idp.comp_moment");
  // The secret is the parity of three fair bits: record 0; the answer is the sum of the others.
  ListedLaw law = FairBits(3);
  for (Database& d : law) d.values.insert(d.values.begin(), Parity(d.values, 0));
  const auto rest = [](const std::vector<double>& x) { return x[1] + x[2] + x[3]; };
  const Secret once = SecretOf(law, reference::AsQuery(rest), 0).value();
  for (std::size_t k = 0; k < v.inputs["sigma"].size(); ++k) {
    const double sigma = v.inputs["sigma"][k];
    EXPECT_NEAR(LaplaceLoss(once, sigma), v.expected["one"][k], v.tolerance);
    EXPECT_NEAR(LaplaceLoss(Twice(once), sigma), v.expected["two"][k], v.tolerance);
    EXPECT_NEAR(LaplaceLoss(once, sigma / 2), v.expected["two"][k], v.tolerance);
  }
}

}  // namespace
}  // namespace kith::published
