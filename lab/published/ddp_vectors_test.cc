// Dependent differential privacy, the mechanism: vectors of `ndss.*`. `ndss.attack` and `ndss.eq5` are about the attack
// and belong to the audit.
#include <gtest/gtest.h>

#include <set>

#include "published/published_test_tools.h"
#include "tests/support/vectors.h"

namespace kith::published {
namespace {

using kith::testing::Vector;
using kith::testing::Vectors;
using json = kith::testing::Json;
using reference::OneVector;
using reference::Scalar;

/// The queries of the vectors, by their words.
Scalar QueryOf(const json& inputs) {
  const std::string words = inputs.value("query", "sum");
  if (words == "sum") return reference::Total;
  if (words == "0.1*sum") return [](const std::vector<double>& x) { return 0.1 * reference::Total(x); };
  if (words == "sum_{j>=1} (x_j mod 2)") {
    return [](const std::vector<double>& x) {
      double sum = 0;
      for (std::size_t j = 1; j < x.size(); ++j) sum += std::fmod(x[j], 2);
      return sum;
    };
  }
  if (words == "x0 + #{j>=1: x_j>=51}") {
    return [](const std::vector<double>& x) {
      double sum = x[0];
      for (std::size_t j = 1; j < x.size(); ++j) sum += x[j] >= 51 ? 1 : 0;
      return sum;
    };
  }
  ADD_FAILURE() << "unknown query " << words;
  return reference::Total;
}

std::vector<Box> DomainsOf(const json& inputs) {
  std::vector<Box> domains;
  if (!inputs.contains("domains") || inputs.at("domains").is_null()) return domains;
  for (const auto& domain : inputs.at("domains")) {
    const auto values = domain.get<std::vector<double>>();
    domains.push_back(
        {{*std::min_element(values.begin(), values.end())}, {*std::max_element(values.begin(), values.end())}});
  }
  return domains;
}

TEST(DdpVectors, ExampleOneProtectsOnlyOneSide) {
  const Vector v = OneVector("ndss.example1");
  const double sigma = v.inputs["sigma"];
  // D_i uniform on [0, 1], D_j = D_i / 2 + X / 2: uniform on [t/2, t/2 + 1/2] given D_i = t, here by 20,000 midpoints.
  const int cells = 20000;
  std::vector<Atoms> given_i;
  std::vector<Atoms> answer_given_i;
  for (const double t : {0.0, 0.25, 0.5, 1.0}) {
    given_i.emplace_back();
    answer_given_i.emplace_back();
    for (int k = 0; k < cells; ++k) {
      const double d = t / 2 + (k + 0.5) / (2.0 * cells);
      given_i.back().push_back({{d}, 1.0 / cells});
      answer_given_i.back().push_back({{t + d}, 1.0 / cells});
    }
  }
  const Box box{{0}, {1}};
  const Secret j_given_i = OnGrid(0, {}, given_i).value();
  EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq14, j_given_i, box, sigma), v.expected["rho14_ij"], v.tolerance);
  EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq18a, j_given_i, box, sigma), v.expected["rho18_ij_at_sigma1"],
              v.tolerance);
  EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq18b, j_given_i, box, sigma), v.expected["rho18_ij_at_sigma1"],
              v.tolerance);
  const Secret q_given_i = OnGrid(0, {}, answer_given_i).value();
  EXPECT_NEAR(LaplaceLoss(q_given_i, sigma), v.expected["sep_Di_at_sigma1"], v.tolerance);
  EXPECT_NEAR(WassersteinSensitivity(std::vector{q_given_i}), v.expected["Winf_Di"], v.tolerance);
  // Given D_j = d, D_i is uniform on [max(0, 2d-1), min(1, 2d)]: a single point at both ends.
  const std::vector<Atoms> i_given_j = {{{{0}, 1}}, {{{1}, 1}}};
  const std::vector<Atoms> answer_given_j = {{{{0}, 1}}, {{{2}, 1}}};
  Pairs pairs{{1, 1}, {box, box}, {{{}, j_given_i}, {OnGrid(1, {}, i_given_j).value(), {}}}};
  const DependentSensitivity ds = DependentSensitivityAt(pairs, Coefficient::kEq14, Units::kQuery, sigma);
  EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq14, pairs.given[1][0], box, sigma), v.expected["rho14_ji"],
              v.tolerance);
  EXPECT_NEAR(ds.per_record[0], v.expected["DS_i"], v.tolerance);
  EXPECT_NEAR(ds.per_record[1], v.expected["DS_j"], v.tolerance);
  EXPECT_NEAR(ds.worst, v.expected["DS"], v.tolerance);
  const std::vector<Secret> q_given_j = {OnGrid(1, {}, answer_given_j).value()};
  EXPECT_NEAR(LaplaceLoss(q_given_j, sigma), v.expected["sep_Dj_at_sigma1"], v.tolerance);
  EXPECT_NEAR(WassersteinSensitivity(q_given_j), v.expected["Winf_Dj"], v.tolerance);
}

const std::vector<std::pair<std::string, Coefficient>> kCoefficients = {
    {"rho14", Coefficient::kEq14}, {"rho18a", Coefficient::kEq18a}, {"rho18b", Coefficient::kEq18b}};

TEST(DdpVectors, Mechanism) {
  const std::set<std::string> elsewhere = {"ndss.dpm.identity_pairs", "ndss.dpm.asym_tenth_sum_scaled",
                                           "ndss.dpm.outbreak", "ndss.dpm.chain_violation"};
  for (const Vector& v : Vectors("papers", "ndss.dpm.")) {
    if (elsewhere.count(v.id) != 0) continue;
    const ListedLaw law = reference::LawFrom(v.inputs["joint"]);
    const auto secrets = Secrets(law, reference::AsQuery(QueryOf(v.inputs))).value();
    const auto sensitivities = v.inputs["deltaQ"].get<std::vector<double>>();
    const Pairs pairs = PairsOf(law, sensitivities, DomainsOf(v.inputs)).value();
    for (const auto& [key, expected] : v.expected.items()) {
      const double epsilon = reference::NumberIn(key, "eps");
      for (const auto& [name, which] : kCoefficients) {
        const double sigma = PublishedScale(pairs, which, Units::kLiteral, epsilon);
        EXPECT_NEAR(sigma, expected[name]["sigma"], v.tolerance) << v.id << key << name;
        EXPECT_NEAR(DependentSensitivityAt(pairs, which, Units::kLiteral, sigma).worst, expected[name]["DS"],
                    v.tolerance);
        EXPECT_NEAR(LaplaceLoss(secrets, sigma), expected[name]["true_eps"], v.tolerance) << v.id << key << name;
      }
      EXPECT_NEAR(CalibratedScale(secrets, epsilon, 0), expected["exact_sigma"], v.tolerance) << v.id << key;
      EXPECT_NEAR(WassersteinSensitivity(secrets) / epsilon, expected["wasserstein_sigma"], v.tolerance) << v.id;
      double moved = 0;
      for (const double s : sensitivities) moved += s;
      EXPECT_NEAR(GroupScale(moved, epsilon), expected["group_sigma"], v.tolerance);
    }
  }
}

TEST(DdpVectors, MechanismInQueryUnits) {
  const Vector v = OneVector("ndss.dpm.asym_tenth_sum_scaled");
  const ListedLaw law = reference::LawFrom(v.inputs["joint"]);
  const Pairs pairs = PairsOf(law, v.inputs["deltaQ"], {}).value();
  const double sigma = PublishedScale(pairs, Coefficient::kEq14, Units::kQuery, v.inputs["eps"]);
  const auto tenth = [](const std::vector<double>& x) { return 0.1 * reference::Total(x); };
  EXPECT_NEAR(sigma, v.expected["sigma"], v.tolerance);
  EXPECT_NEAR(DependentSensitivityAt(pairs, Coefficient::kEq14, Units::kQuery, sigma).worst, v.expected["DS"],
              v.tolerance);
  EXPECT_NEAR(LaplaceLoss(Secrets(law, reference::AsQuery(tenth)).value(), sigma), v.expected["true_eps"], v.tolerance);
}

TEST(DdpVectors, IdentityQueryOnPairs) {
  const Vector v = OneVector("ndss.dpm.identity_pairs");
  const double sigma = 1 / v.inputs["eps"].get<double>();
  const auto law_of = [](std::size_t m) {  // D0, then A_k and A_k xor D0
    ListedLaw law;
    for (std::size_t bits = 0; bits < std::size_t{2} << m; ++bits) {
      Database d{{static_cast<double>(bits & 1)}, 1.0 / static_cast<double>(std::size_t{2} << m)};
      for (std::size_t k = 1; k <= m; ++k) {
        d.values.push_back(static_cast<double>(bits >> k & 1));
        d.values.push_back(static_cast<double>((bits >> k ^ bits) & 1));
      }
      law.push_back(std::move(d));
    }
    return law;
  };
  const auto identity = [](const std::vector<double>& x) { return x; };
  const double of_one_pair = LaplaceLoss(SecretOf(law_of(1), identity, 0).value(), sigma);
  for (std::size_t k = 0; k < v.inputs["m"].size(); ++k) {
    const auto m = v.inputs["m"][k].get<std::size_t>();
    // Given D0 the pairs are independent and answered separately, so beyond a grid of 2^11 their losses are added up.
    const double loss = m <= 5 ? LaplaceLoss(SecretOf(law_of(m), identity, 0).value(), sigma)
                               : 1 / sigma + static_cast<double>(m) * (of_one_pair - 1 / sigma);
    EXPECT_NEAR(loss, v.expected["true_eps"][k], v.tolerance) << m;
  }
  const Pairs pairs = PairsOf(law_of(2), std::vector<double>(5, 1.0), {}).value();
  for (std::size_t j = 1; j < 5; ++j) {  // every pair is independent: the published noise is that of one record
    EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq14, pairs.given[0][j], pairs.domains[j], sigma), 0, 1e-12);
  }
}

/// A hidden outbreak makes everybody ill; otherwise each is ill on their own. Record 0 is the outbreak.
Tree Outbreak(std::size_t people, double p, double eta) {
  Tree tree{{-1}, {{{1 - eta, eta}}}};
  for (std::size_t i = 0; i < people; ++i) {
    tree.parents.push_back(0);
    tree.tables.push_back({{1 - p, p}, {0, 1}});
  }
  return tree;
}

/// The count of ill people given one of them; all are alike.
std::vector<Secret> OutbreakSecrets(const Network& network) {
  Contributions ill(network.marginals.size(), {0, 1});
  ill[0] = {0, 0};
  auto secrets = SumSecrets(network, ill);
  secrets.erase(secrets.begin());  // the outbreak itself is nobody's record
  return secrets;
}

TEST(DdpVectors, OutbreakIsInvisibleToPairs) {
  const Vector v = OneVector("ndss.dpm.outbreak");
  for (const auto& [key, expected] : v.expected.items()) {
    if (key == "delta_at_eps1") {
      for (const auto& [name, delta] : expected.items()) {
        const Network network = NetworkOf(
            Outbreak(static_cast<std::size_t>(reference::NumberIn(name, "n")), 0.1, reference::NumberIn(name, "eta")));
        EXPECT_NEAR(ExactDelta(OutbreakSecrets(network), reference::NumberIn(name, "sigma"), 1), delta, v.tolerance);
      }
      continue;
    }
    const auto n = static_cast<std::size_t>(reference::NumberIn(key, "n"));
    const double epsilon = reference::NumberIn(key, "eps");
    const Network network = NetworkOf(Outbreak(n, reference::NumberIn(key, "p"), reference::NumberIn(key, "eta")));
    const LawTable other = PairTables(network, 1)[2];
    EXPECT_NEAR(other[0][1], expected["p_j_given_0"], v.tolerance);
    EXPECT_NEAR(other[1][1], expected["p_j_given_1"], v.tolerance);
    Pairs pairs{std::vector<double>(n, 1.0), std::vector<Box>(n, Box{{0}, {1}}), {}};
    const std::vector<Atoms> laws = {{{{0}, other[0][0]}, {{1}, other[0][1]}},
                                     {{{0}, other[1][0]}, {{1}, other[1][1]}}};
    pairs.given.assign(n, std::vector<Secret>(n));
    pairs.given[0].assign(n, OnGrid(0, {}, laws).value());  // one person represents all
    const double sigma = PublishedScale(pairs, Coefficient::kEq14, Units::kQuery, epsilon);
    EXPECT_NEAR(sigma, expected["sigma"], v.tolerance) << key;
    EXPECT_NEAR(DependentSensitivityAt(pairs, Coefficient::kEq14, Units::kQuery, sigma).worst, expected["DS"],
                v.tolerance);
    EXPECT_NEAR(DependenceCoefficient(Coefficient::kEq14, pairs.given[0][1], pairs.domains[1], sigma),
                expected["rho14"], v.tolerance);
    const auto secrets = OutbreakSecrets(network);
    EXPECT_NEAR(LaplaceLoss(secrets, sigma), expected["true_eps"], v.tolerance) << key;
    EXPECT_NEAR(CalibratedScale(std::vector{secrets[0]}, epsilon, 0), expected["exact_sigma"], v.tolerance) << key;
    const double p = network.marginals[1][1];
    const double pearson = p * (other[1][1] - p) / (p * (1 - p));
    EXPECT_NEAR(pearson, expected["pearson"], v.tolerance);
    Matrix degrees(n, std::vector<double>(n, pearson));
    for (std::size_t i = 0; i < n; ++i) degrees[i][i] = 1;
    EXPECT_NEAR(CorrelatedSensitivityOf(degrees, pairs.sensitivities, 0).worst, expected["CS_zhu"], v.tolerance);
  }
}

TEST(DdpVectors, ChainsExceedTheClaim) {
  const Vector v = OneVector("ndss.dpm.chain_violation");
  for (std::size_t k = 0; k < v.inputs["cases"].size(); ++k) {
    const json& inputs = v.inputs["cases"][k];
    const json& expected = v.expected["case" + std::to_string(k + 1)];
    const double p1 = inputs["p1"];
    Tree tree{{-1}, {{{1 - p1, p1}}}};
    for (const auto& step : inputs["tr"]) {
      const double after_one = step[0];
      const double after_zero = step[1];
      tree.parents.push_back(static_cast<std::int64_t>(tree.tables.size()) - 1);
      tree.tables.push_back({{1 - after_zero, after_zero}, {1 - after_one, after_one}});
    }
    const ListedLaw law = reference::Paths(tree);
    const Network network = NetworkOf(tree);
    const auto secrets = SumSecrets(network, CountOf(network));
    const Pairs pairs = PairsOf(law, std::vector<double>(tree.parents.size(), 1.0), {}).value();
    const double sigma = PublishedScale(pairs, Coefficient::kEq14, Units::kQuery, inputs["eps"]);
    EXPECT_NEAR(sigma, expected["sigma"], v.tolerance);
    EXPECT_NEAR(DependentSensitivityAt(pairs, Coefficient::kEq14, Units::kQuery, sigma).worst, expected["DS"],
                v.tolerance);
    EXPECT_NEAR(LaplaceLoss(secrets, sigma), expected["true_eps"], v.tolerance);
    EXPECT_NEAR(LaplaceLoss(Secrets(law, Sum).value(), sigma), expected["true_eps"], v.tolerance);
    EXPECT_NEAR(CalibratedScale(secrets, inputs["eps"], 0), expected["exact_sigma"], v.tolerance);
  }
}

TEST(DdpVectors, OneShotIsNotTheFixedPoint) {
  const Vector v = OneVector("ndss.fixedpoint_naive");
  const ListedLaw law = reference::LawFrom(v.inputs["joint"]);
  const double epsilon = v.inputs["eps"];
  const Pairs pairs = PairsOf(law, {1, 1}, {}).value();
  const auto one_shot = [&](Coefficient which) {
    return DependentSensitivityAt(pairs, which, Units::kQuery, 1 / epsilon).worst / epsilon;
  };
  EXPECT_NEAR(one_shot(Coefficient::kEq18b), v.expected["one_shot"], v.tolerance);
  EXPECT_NEAR(one_shot(Coefficient::kEq14), v.expected["one_shot_rho14"], v.tolerance);
  EXPECT_NEAR(PublishedScale(pairs, Coefficient::kEq18b, Units::kQuery, epsilon), v.expected["fixed_point"],
              v.tolerance);
  EXPECT_NEAR(PublishedScale(pairs, Coefficient::kEq14, Units::kQuery, epsilon), v.expected["fixed_point_rho14"],
              v.tolerance);
  EXPECT_NEAR(LaplaceLoss(Secrets(law, Sum).value(), one_shot(Coefficient::kEq14)),
              v.expected["one_shot_rho14_true_eps"], v.tolerance);
}

}  // namespace
}  // namespace kith::published
