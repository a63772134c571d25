#include "published/listed_law.h"

#include <map>
#include <numeric>

#include "dependence/check.h"

namespace kith::published {

ListedLaw Listed(const Joint& joint) {
  const Law law = Normalised(joint.law);
  ListedLaw listed;
  for (std::size_t state = 0; state < law.size(); ++state) {
    if (law[state] == 0) continue;
    Database database{std::vector<double>(joint.values.size()), law[state]};
    std::size_t rest = state;
    for (std::size_t i = joint.values.size(); i-- > 0;) {
      const auto values = static_cast<std::size_t>(joint.values[i]);
      database.values[i] = static_cast<double>(rest % values);
      rest /= values;
    }
    listed.push_back(std::move(database));
  }
  return listed;
}

std::vector<double> Sum(const std::vector<double>& values) {
  return {std::accumulate(values.begin(), values.end(), 0.0)};
}

Query Value(std::size_t record) {
  return [record](const std::vector<double>& values) { return std::vector<double>{values[record]}; };
}

Result<Secret> SecretOf(const ListedLaw& law, const Query& query, std::size_t record) {
  std::map<double, Atoms> by_value;
  for (const Database& database : law) {
    if (database.p > 0) by_value[database.values[record]].push_back({query(database.values), database.p});
  }
  std::vector<double> prior;
  std::vector<Atoms> laws;
  for (auto& [value, atoms] : by_value) {
    double p = 0;
    for (const Atom& atom : atoms) p += atom.p;
    for (Atom& atom : atoms) atom.p /= p;
    prior.push_back(p);
    laws.push_back(std::move(atoms));
  }
  return OnGrid(record, std::move(prior), laws);
}

Result<std::vector<Secret>> Secrets(const ListedLaw& law, const Query& query) {
  std::vector<Secret> secrets;
  const std::size_t records = law.empty() ? 0 : law[0].values.size();
  for (std::size_t i = 0; i < records; ++i) {
    auto secret = SecretOf(law, query, i);
    if (!secret) return secret.error();
    if (secret->given.size() > 1) secrets.push_back(std::move(*secret));
  }
  return secrets;
}

std::vector<ListedLaw> Knowing(const ListedLaw& law, std::span<const std::size_t> known) {
  std::map<std::vector<double>, ListedLaw> by_known;
  for (const Database& database : law) {
    if (!(database.p > 0)) continue;
    std::vector<double> values;
    for (const std::size_t j : known) values.push_back(database.values[j]);
    by_known[std::move(values)].push_back(database);
  }
  std::vector<ListedLaw> laws;
  for (auto& [values, rest] : by_known) laws.push_back(std::move(rest));
  return laws;
}

}  // namespace kith::published
