// References for tests of published formulas, written from the definitions: dense outputs and simple enumeration,
// sharing no formula with the code under test.
#pragma once
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#include "published/published.h"
#include "tests/support/small_laws.h"
#include "tests/support/vectors.h"

namespace kith::published::reference {

using kith::testing::Dice;
using Scalar = std::function<double(const std::vector<double>& values)>;

/// The vector of tests/vectors/papers.json with this id.
inline kith::testing::Vector OneVector(const std::string& id) {
  for (const kith::testing::Vector& v : kith::testing::Vectors("papers", id)) {
    if (v.id == id) return v;
  }
  throw std::out_of_range("no vector " + id);
}

/// "joint": [{"x": [...], "p": ...}, ...]
inline ListedLaw LawFrom(const kith::testing::Json& joint) {
  ListedLaw law;
  for (const auto& row : joint) law.push_back({row.at("x").get<std::vector<double>>(), row.at("p").get<double>()});
  return law;
}

/// [[point, probability], ...]; a point is a number or an array.
inline Atoms AtomsFrom(const kith::testing::Json& pairs) {
  Atoms atoms;
  for (const auto& pair : pairs) {
    const auto& at = pair.at(0);
    atoms.push_back({at.is_array() ? at.get<std::vector<double>>() : std::vector<double>{at.get<double>()},
                     pair.at(1).get<double>()});
  }
  return atoms;
}

/// One law for each value of the secret.
inline Secret SecretFrom(const kith::testing::Json& conditionals) {
  std::vector<Atoms> laws;
  for (const auto& law : conditionals) laws.push_back(AtomsFrom(law));
  return OnGrid(0, {}, laws).value();
}

inline Query AsQuery(Scalar scalar) {
  return
      [scalar = std::move(scalar)](const std::vector<double>& values) { return std::vector<double>{scalar(values)}; };
}

inline double Total(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

/// The same databases with other probabilities.
inline ListedLaw Perturbed(ListedLaw law, Dice& dice) {
  double sum = 0;
  for (Database& database : law) sum += database.p *= std::exp(dice.Between(-0.4, 0.4));
  for (Database& database : law) database.p /= sum;
  return law;
}

/// The list of a joint law as the test kit writes it.
inline ListedLaw ListOf(const kith::testing::SmallLaw& small) {
  ListedLaw law;
  for (std::size_t state = 0; state < small.law.size(); ++state) {
    if (small.law[state] == 0) continue;
    Database database{{}, small.law[state]};
    for (int i = 0; i < small.records(); ++i) database.values.push_back(small.Value(state, i));
    law.push_back(std::move(database));
  }
  return law;
}

/// What is asked, given each value of one record: points with probabilities, in no particular order.
inline std::map<double, std::vector<std::pair<double, double>>> Given(const ListedLaw& law, std::size_t record,
                                                                      const Scalar& query) {
  std::map<double, std::vector<std::pair<double, double>>> given;
  std::map<double, double> prior;
  for (const Database& d : law) prior[d.values[record]] += d.p;
  for (const Database& d : law) {
    given[d.values[record]].emplace_back(query(d.values), d.p / prior[d.values[record]]);
  }
  return given;
}

/// The range of answers, `margin` scales wider on both sides, cut into equal cells: their middles.
inline std::vector<double> Outputs(const ListedLaw& law, const Scalar& query, double margin, int outputs) {
  double low = query(law[0].values);
  double high = low;
  for (const Database& d : law) {
    low = std::min(low, query(d.values));
    high = std::max(high, query(d.values));
  }
  std::vector<double> middles;
  for (int k = 0; k < outputs; ++k) middles.push_back(low - margin + (high - low + 2 * margin) * (k + 0.5) / outputs);
  return middles;
}

/// The density of answer + Laplace(scale) at one output.
inline double Density(const std::vector<std::pair<double, double>>& answers, double scale, double output) {
  double sum = 0;
  for (const auto& [answer, p] : answers) sum += p * std::exp(-std::abs(output - answer) / scale) / (2 * scale);
  return sum;
}

/// A number known up to an error.
struct About {
  double least = 0;  // reached by an output that was tried
  double most = 0;   // not exceeded by any output
};

/// The largest log-ratio about one record, by trying outputs. Log-densities have slope at most 1/scale, so what is
/// between two neighbouring outputs is missed by at most their distance over the scale.
inline About LossAbout(const ListedLaw& law, std::size_t record, const Scalar& query, double scale,
                       int outputs = 2000) {
  const auto given = Given(law, record, query);
  const auto tried = Outputs(law, query, scale / 10, outputs);
  About loss;
  for (const double output : tried) {
    double low = INFINITY;
    double high = 0;
    for (const auto& [value, answers] : given) {
      const double density = Density(answers, scale, output);
      low = std::min(low, density);
      high = std::max(high, density);
    }
    loss.least = std::max(loss.least, std::log(high / low));
  }
  loss.most = loss.least + (tried[1] - tried[0]) / scale;
  return loss;
}

inline About LossOf(const ListedLaw& law, const Scalar& query, double scale, int outputs = 2000) {
  About worst;
  for (std::size_t i = 0; i < law[0].values.size(); ++i) {
    const About loss = LossAbout(law, i, query, scale, outputs);
    worst = {std::max(worst.least, loss.least), std::max(worst.most, loss.most)};
  }
  return worst;
}

/// The integral of the positive part of p_a - e^epsilon p_b, largest over secrets; by the midpoint rule.
inline double DeltaOf(const ListedLaw& law, const Scalar& query, double scale, double epsilon) {
  const auto outputs = Outputs(law, query, 25 * scale, 20000);
  double worst = 0;
  for (std::size_t i = 0; i < law[0].values.size(); ++i) {
    const auto given = Given(law, i, query);
    for (const auto& [a, p] : given) {
      for (const auto& [b, q] : given) {
        double sum = 0;
        for (const double y : outputs)
          sum += std::max(0.0, Density(p, scale, y) - std::exp(epsilon) * Density(q, scale, y));
        worst = std::max(worst, sum * (outputs[1] - outputs[0]));
      }
    }
  }
  return worst;
}

/// Mutual information between a record and the answer with Laplace noise; by the midpoint rule.
inline double InformationAbout(const ListedLaw& law, std::size_t record, const Scalar& query, double scale) {
  const auto given = Given(law, record, query);
  const auto outputs = Outputs(law, query, 30 * scale, 20000);
  double information = 0;
  for (const double y : outputs) {
    double mean = 0;
    for (const auto& [value, answers] : given) {
      double prior = 0;
      for (const Database& d : law) prior += d.values[record] == value ? d.p : 0;
      mean += prior * Density(answers, scale, y);
    }
    for (const auto& [value, answers] : given) {
      double prior = 0;
      for (const Database& d : law) prior += d.values[record] == value ? d.p : 0;
      const double density = Density(answers, scale, y);
      information += prior * density * std::log(density / mean) * (outputs[1] - outputs[0]);
    }
  }
  return information;
}

/// W-infinity by Strassen's theorem: the least distance at which every set of points of p finds its mass of q in reach.
/// Requires: at most 14 points in p.
inline double Infinity(const Atoms& p, const Atoms& q) {
  const auto distance = [](const Atom& a, const Atom& b) {
    double sum = 0;
    for (std::size_t k = 0; k < a.at.size(); ++k) sum += std::abs(a.at[k] - b.at[k]);
    return sum;
  };
  std::vector<double> distances;
  for (const Atom& a : p) {
    for (const Atom& b : q) distances.push_back(distance(a, b));
  }
  std::sort(distances.begin(), distances.end());
  for (const double reach : distances) {
    bool fits = true;
    for (std::size_t set = 1; fits && set < std::size_t{1} << p.size(); ++set) {
      double needed = 0;
      double found = 0;
      for (std::size_t i = 0; i < p.size(); ++i) needed += (set >> i & 1) != 0 ? p[i].p : 0;
      for (const Atom& b : q) {
        bool reached = false;
        for (std::size_t i = 0; i < p.size(); ++i)
          reached = reached || ((set >> i & 1) != 0 && distance(p[i], b) <= reach);
        found += reached ? b.p : 0;
      }
      fits = needed <= found + 1e-12;
    }
    if (fits) return reach;
  }
  return distances.back();
}

/// All databases of a forest network, by multiplying tables.
inline ListedLaw Paths(const Tree& tree) {
  const std::size_t n = tree.parents.size();
  ListedLaw law = {{std::vector<double>(n, 0.0), 1.0}};
  std::vector<bool> done(n, false);
  for (std::size_t placed = 0; placed < n;) {
    for (std::size_t j = 0; j < n; ++j) {
      const auto parent = static_cast<std::size_t>(tree.parents[j]);
      if (done[j] || (tree.parents[j] >= 0 && !done[parent])) continue;
      ListedLaw longer;
      for (const Database& d : law) {
        const auto row = tree.parents[j] < 0 ? 0 : static_cast<std::size_t>(d.values[parent]);
        for (std::size_t v = 0; v < tree.tables[j][row].size(); ++v) {
          Database next = d;
          next.values[j] = static_cast<double>(v);
          next.p *= tree.tables[j][row][v];
          if (next.p > 0) longer.push_back(std::move(next));
        }
      }
      law = std::move(longer);
      done[j] = true;
      ++placed;
    }
  }
  return law;
}

inline Tree AsTree(const Chain& chain) {
  Tree tree;
  for (std::int64_t t = 0; t < chain.length; ++t) {
    tree.parents.push_back(t - 1);
    tree.tables.push_back(t == 0 ? LawTable{chain.start} : chain.transition);
  }
  return tree;
}

/// A number in a key such as "n=10,p=0.1": the one after `name` and '='.
inline double NumberIn(const std::string& key, const std::string& name) {
  const auto at = key.find(name + "=");
  return std::stod(key.substr(at + name.size() + 1));
}

}  // namespace kith::published::reference
