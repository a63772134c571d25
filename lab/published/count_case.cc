#include "published/count_case.h"

#include <algorithm>
#include <cmath>

#include "dependence/check.h"
#include "published/identity_overlap.h"
#include "published/network.h"
#include "transfer/pair/pair_world.h"

namespace kith::published {
namespace {

using Found = Result<std::optional<CountCase>>;

/// 1 for every value but 0.
double Counts(double value) { return value == 0 ? 0 : 1; }

/// A record's part of the count, 0 or 1, given values under which it is 1 with these probabilities. Only the smallest
/// and the largest matter: all coefficients are largest between two such laws that differ most.
Secret PartLaw(std::size_t record, const std::vector<double>& ones) {
  Secret part{record, {}, {{0, 1}}, {}};
  const auto [least, most] = std::minmax_element(ones.begin(), ones.end());
  part.given.push_back({1 - *least, *least});
  if (ones.size() > 1) part.given.push_back({1 - *most, *most});
  return part;
}

/// Every record counts 0 or 1.
Pairs EmptyPairs(std::size_t records) {
  return {std::vector<double>(records, 1.0), std::vector<Box>(records, Box{{0}, {1}}),
          std::vector<std::vector<Secret>>(records, std::vector<Secret>(records))};
}

/// Correlation of two yes/no variables from their means and the probability that both are 1.
double Correlation(double p, double q, double both) {
  const double scale = std::sqrt(p * (1 - p) * q * (1 - q));
  return scale > 0 ? (both - p * q) / scale : 0;
}

/// The probability of every value but 0.
double Ones(const Law& law) {
  double sum = 0;
  for (std::size_t v = 1; v < law.size(); ++v) sum += law[v];
  return std::min(1.0, sum);
}

Found OfNetwork(const Network& network) {
  const std::size_t n = network.marginals.size();
  CountCase found{SumSecrets(network, CountOf(network)), EmptyPairs(n), true, Matrix(n, std::vector<double>(n)), {}};
  for (std::size_t i = 0; i < n; ++i) {
    const std::vector<LawTable> tables = PairTables(network, i);
    const Law& own = network.marginals[i];
    if (network.links[i].size() > 1) found.pairs_are_enough = false;
    for (const Link& link : network.links[i]) {
      if (network.links[link.to].size() > 1) found.pairs_are_enough = false;  // more than pairs of records
    }
    for (std::size_t j = 0; j < n; ++j) {
      std::vector<double> ones;
      double both = 0;
      for (std::size_t a = 0; a < own.size(); ++a) {
        if (!(own[a] > 0)) continue;
        ones.push_back(Ones(tables[j][a]));
        if (a > 0) both += own[a] * ones.back();
      }
      found.pairs.given[i][j] = PartLaw(i, ones);
      (*found.degrees)[i][j] = i == j ? 1 : Correlation(Ones(own), Ones(network.marginals[j]), both);
    }
  }
  return {std::move(found)};
}

Found OfListed(const ListedLaw& law) {
  const std::size_t n = law[0].values.size();
  const Query count = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += Counts(value);
    return std::vector<double>{sum};
  };
  auto secrets = Secrets(law, count);
  if (!secrets) return secrets.error();
  CountCase found{std::move(*secrets), EmptyPairs(n), n <= 2, {}, LargestVariation(law)};
  ListedLaw parts = law;
  for (Database& database : parts) {
    for (double& value : database.values) value = Counts(value);
  }
  found.degrees = PearsonDegrees(parts);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Query part = [j](const std::vector<double>& values) { return std::vector<double>{Counts(values[j])}; };
      auto pair = SecretOf(law, part, i);
      if (!pair) return pair.error();
      found.pairs.given[i][j] = std::move(*pair);
    }
  }
  return {std::move(found)};
}

/// The record in the middle is the secret; how likely its values are is not declared.
Found OfStar(const Star& star) {
  const std::size_t n = star.neighbours.size() + 1;
  const std::size_t values = star.neighbours.empty() ? 2 : star.neighbours[0].size();
  CountCase found{{}, EmptyPairs(n), true, {}, {}};
  Secret secret{0, {}, {Axis(n + 1)}, {}};
  for (std::size_t s = 0; s <= n; ++s) secret.axes[0][s] = static_cast<double>(s);
  std::vector<std::vector<double>> ones(n);
  for (std::size_t a = 0; a < values; ++a) {
    std::vector<double> law(n + 1, 0.0);
    law[a == 0 ? 0 : 1] = 1;
    for (std::size_t j = 0; j < star.neighbours.size(); ++j) {
      const double one = Ones(Normalised(star.neighbours[j][a]));
      ones[j + 1].push_back(one);
      for (std::size_t s = n + 1; s-- > 0;) law[s] = law[s] * (1 - one) + (s > 0 ? law[s - 1] * one : 0);
    }
    secret.given.push_back(std::move(law));
  }
  for (std::size_t j = 1; j < n; ++j) found.pairs.given[0][j] = PartLaw(0, ones[j]);
  found.secrets.push_back(std::move(secret));
  return {std::move(found)};
}

/// For pairs, the formulas use only links; the rest is that of one world in which linked records look like this.
Found OfLinks(const Network& network) {
  auto found = OfNetwork(network);
  if (!found) return found;
  Pairs& pairs = (*found)->pairs;
  for (std::size_t i = 0; i < network.links.size(); ++i) {
    std::vector<char> linked(network.links.size(), 0);
    for (const Link& link : network.links[i]) linked[link.to] = 1;
    for (std::size_t j = 0; j < linked.size(); ++j) {
      if (linked[j] == 0) pairs.given[i][j].given.resize(1);
    }
  }
  return found;
}

}  // namespace

Result<std::optional<CountCase>> CountCaseOf(const Model& model) {
  if (const auto* joint = std::get_if<Joint>(&model)) return OfListed(Listed(*joint));
  if (const auto* star = std::get_if<Star>(&model); star != nullptr && star->neighbours.size() < kMostCounted) {
    return OfStar(*star);
  }
  // Every pair of records multiplies tables.
  const auto affordable = [](std::size_t records, std::size_t values) {
    const auto n = static_cast<double>(records);
    return records <= kMostCounted && n * n * std::pow(static_cast<double>(values), 3) <= 2e8;
  };
  if (const auto* chain = std::get_if<Chain>(&model)) {
    if (affordable(static_cast<std::size_t>(chain->length), chain->start.size())) return OfNetwork(NetworkOf(*chain));
  }
  if (const auto* linked = std::get_if<PairLaws>(&model)) {
    const auto world = MarkovWorld(*linked);
    if (world && affordable(world->parents.size(), linked->table.size())) return OfLinks(NetworkOf(*world));
  }
  if (const auto* tree = std::get_if<Tree>(&model)) {
    std::size_t values = 0;
    for (const LawTable& table : tree->tables) values = std::max(values, table[0].size());
    if (affordable(tree->parents.size(), values)) return OfNetwork(NetworkOf(*tree));
  }
  return std::optional<CountCase>();
}

}  // namespace kith::published
