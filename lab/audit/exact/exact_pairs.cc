#include "audit/exact/exact_pairs.h"

#include <algorithm>
#include <numeric>

namespace kith::audit {
namespace {

using published::Network;
using published::Pairs;

/// Tables of all pairs of records: at most this many multiplications.
constexpr double kMostPairWork = 4e8;

/// What record j adds, given each possible value of record i.
published::Secret PairSecret(std::size_t i, const LawTable& given, const Law& prior_i,
                             const std::vector<std::int64_t>& adds) {
  std::vector<published::Atoms> laws;
  for (std::size_t a = 0; a < given.size(); ++a) {
    if (!(prior_i[a] > 0)) continue;
    published::Atoms& atoms = laws.emplace_back();
    for (std::size_t v = 0; v < adds.size(); ++v) atoms.push_back({{static_cast<double>(adds[v])}, given[a][v]});
  }
  return OnGrid(i, {}, laws).value();  // one coordinate, at most 64 values: the grid is small
}

/// P(X_i = a, X_j = b) for all pairs of records, by one pass over the rows.
std::vector<std::vector<LawTable>> PairLaws(const Joint& joint, const FiniteLaw& law) {
  const std::size_t n = law.records();
  std::vector<std::vector<LawTable>> pairs(n, std::vector<LawTable>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) pairs[i][j].assign(law.values[i], Law(law.values[j], 0.0));
  }
  std::vector<std::size_t> value(n);
  for (std::size_t row = 0; row < joint.law.size(); ++row) {
    if (!(joint.law[row] > 0)) continue;
    std::size_t rest = row;
    for (std::size_t i = n; i-- > 0; rest /= law.values[i]) value[i] = rest % law.values[i];
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) pairs[i][j][value[i]][value[j]] += joint.law[row];
    }
  }
  return pairs;
}

}  // namespace

std::optional<Pairs> PairsSeen(const FiniteLaw& law, const Additive& question) {
  const std::size_t n = law.records();
  const auto records = static_cast<double>(n);
  const auto most = static_cast<double>(*std::max_element(law.values.begin(), law.values.end()));
  const auto* joint = std::get_if<Joint>(&law.law);
  const double work = joint != nullptr ? records * records * static_cast<double>(joint->law.size())
                                       : records * records * most * most * most;
  if (work > kMostPairWork || n > 128) return {};
  Pairs pairs{{}, {}, std::vector<std::vector<published::Secret>>(n)};
  for (std::size_t i = 0; i < n; ++i) pairs.sensitivities.push_back(static_cast<double>(question.Range(i)));
  for (const auto& adds : question.adds) {
    const auto [least, largest] = std::minmax_element(adds.begin(), adds.end());
    pairs.domains.push_back({{static_cast<double>(*least)}, {static_cast<double>(*largest)}});
  }
  std::vector<std::vector<LawTable>> tables;
  if (joint != nullptr) tables = PairLaws(*joint, law);
  for (std::size_t i = 0; i < n; ++i) {
    pairs.given[i].resize(n);
    std::vector<LawTable> given = joint != nullptr ? tables[i] : PairTables(std::get<Network>(law.law), i);
    Law prior(law.values[i], 0.0);
    for (std::size_t a = 0; a < prior.size(); ++a) {
      prior[a] = std::accumulate(given[i][a].begin(), given[i][a].end(), 0.0);
      if (joint == nullptr) prior[a] = std::get<Network>(law.law).marginals[i][a];
    }
    std::vector<char> seen(n, law.linked_only ? 0 : 1);
    if (law.linked_only) {
      for (const published::Link& link : std::get<Network>(law.law).links[i]) seen[link.to] = 1;
    }
    for (std::size_t j = 0; j < n && law.secret[i] != 0; ++j) {
      for (std::size_t a = 0; joint != nullptr && a < prior.size(); ++a) {
        for (double& p : given[j][a]) p = prior[a] > 0 ? p / prior[a] : 0;
      }
      if (j != i && seen[j] == 0) pairs.given[i][j] = {i, {}, {{0}}, {{1.0}}};
      if (j != i && seen[j] != 0) pairs.given[i][j] = PairSecret(i, given[j], prior, question.adds[j]);
    }
    for (published::Secret& nothing : pairs.given[i]) {  // not a person's record: nothing to protect
      if (law.secret[i] == 0) nothing = {i, {}, {{0}}, {{1.0}}};
    }
  }
  return pairs;
}

}  // namespace kith::audit
