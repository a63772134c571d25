#include "published/network.h"

#include <algorithm>

#include "dependence/check.h"

namespace kith::published {
namespace {

/// Coefficients of powers of z.
using Polynomial = std::vector<double>;

Polynomial Product(const Polynomial& a, const Polynomial& b) {
  Polynomial product(a.size() + b.size() - 1, 0.0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == 0) continue;
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  }
  return product;
}

void AddScaled(Polynomial& sum, double factor, const Polynomial& term) {
  if (sum.size() < term.size()) sum.resize(term.size(), 0.0);
  for (std::size_t k = 0; k < term.size(); ++k) sum[k] += factor * term[k];
}

void Finish(Network& network, const Tree& tree) {
  const std::size_t n = tree.parents.size();
  std::vector<std::vector<std::size_t>> children(n);
  for (std::size_t j = 0; j < n; ++j) {
    network.parents.push_back(tree.parents[j] < 0 ? j : static_cast<std::size_t>(tree.parents[j]));
    if (tree.parents[j] < 0) network.order.push_back(j);
    if (tree.parents[j] >= 0) children[network.parents[j]].push_back(j);
  }
  for (std::size_t k = 0; k < network.order.size(); ++k) {
    for (const std::size_t child : children[network.order[k]]) network.order.push_back(child);
  }
}

/// P(parent = x | child = y) by Bayes; rows of values that never occur stay 0.
LawTable Reversed(const LawTable& table, const Law& parent, const Law& child) {
  LawTable reversed(child.size(), Law(parent.size(), 0.0));
  for (std::size_t y = 0; y < child.size(); ++y) {
    for (std::size_t x = 0; x < parent.size() && child[y] > 0; ++x) reversed[y][x] = parent[x] * table[x][y] / child[y];
  }
  return reversed;
}

/// The law of a sum over part of the network, for each value of one record at its border.
using Message = std::vector<Polynomial>;

class Sums {
 public:
  Sums(const Network& network, const Contributions& contributions)
      : network_(network), contributions_(contributions), messages_(network.links.size()) {
    for (std::size_t j = 0; j < network.links.size(); ++j) messages_[j].resize(network.links[j].size());
    for (auto j = network.order.rbegin(); j != network.order.rend(); ++j) {
      if (network.parents[*j] != *j) Send(*j, network.parents[*j]);
    }
    for (const std::size_t j : network.order) {
      for (const Link& link : network.links[j]) {
        if (network.parents[link.to] == j) Send(j, link.to);
      }
    }
    for (const std::size_t j : network.order) {
      if (network.parents[j] != j) continue;
      Polynomial& total = totals_.emplace_back();
      const Message all = Behind(j, j);
      for (std::size_t x = 0; x < all.size(); ++x) AddScaled(total, network.marginals[j][x], all[x]);
    }
  }

  /// The sum over the whole network given each value of record i. `component`: which root's tree it is in.
  Message Given(std::size_t i, std::size_t component) const {
    Message given = Behind(i, i);
    for (std::size_t c = 0; c < totals_.size(); ++c) {
      for (Polynomial& p : given) {
        if (c != component) p = Product(p, totals_[c]);
      }
    }
    return given;
  }

 private:
  /// What j and everything beyond it, as seen from `except`, add up to, for each value of j. except = j: all of it.
  Message Behind(std::size_t j, std::size_t except) const {
    Message behind;
    for (const std::size_t adds : contributions_[j]) {
      behind.emplace_back(adds + 1, 0.0);
      behind.back()[adds] = 1;
    }
    for (std::size_t k = 0; k < network_.links[j].size(); ++k) {
      if (network_.links[j][k].to == except) continue;
      for (std::size_t x = 0; x < behind.size(); ++x) behind[x] = Product(behind[x], messages_[j][k][x]);
    }
    return behind;
  }

  void Send(std::size_t from, std::size_t to) {
    const Message behind = Behind(from, to);
    for (std::size_t k = 0; k < network_.links[to].size(); ++k) {
      const Link& link = network_.links[to][k];
      if (link.to != from) continue;
      for (const Law& law : link.table) {
        Polynomial& sum = messages_[to][k].emplace_back(1, 0.0);
        for (std::size_t x = 0; x < law.size(); ++x) AddScaled(sum, law[x], behind[x]);
      }
    }
  }

  const Network& network_;
  const Contributions& contributions_;
  std::vector<std::vector<Message>> messages_;  // [record][link]: what came over that link
  std::vector<Polynomial> totals_;              // of each component, in the order of their roots
};

/// For each record, the number of its root.
std::vector<std::size_t> Components(const Network& network) {
  std::vector<std::size_t> component(network.parents.size());
  std::size_t roots = 0;
  for (const std::size_t j : network.order) {
    component[j] = network.parents[j] == j ? roots++ : component[network.parents[j]];
  }
  return component;
}

}  // namespace

Network NetworkOf(const Tree& tree) {
  Network network;
  Finish(network, tree);
  const std::size_t n = tree.parents.size();
  network.marginals.resize(n);
  network.links.resize(n);
  for (const std::size_t j : network.order) {
    LawTable table;
    for (const Law& law : tree.tables[j]) table.push_back(Normalised(law));
    const std::size_t parent = network.parents[j];
    if (parent == j) {
      network.marginals[j] = table[0];
      continue;
    }
    const Law& above = network.marginals[parent];
    Law own(table[0].size(), 0.0);
    for (std::size_t x = 0; x < above.size(); ++x) {
      for (std::size_t y = 0; y < own.size(); ++y) own[y] += above[x] * table[x][y];
    }
    network.links[j].push_back({parent, Reversed(table, above, own)});
    network.links[parent].push_back({j, std::move(table)});
    network.marginals[j] = std::move(own);
  }
  return network;
}

Network NetworkOf(const Chain& chain) {
  Tree tree;
  for (std::int64_t t = 0; t < chain.length; ++t) {
    tree.parents.push_back(t - 1);
    tree.tables.push_back(t == 0 ? LawTable{chain.start} : chain.transition);
  }
  return NetworkOf(tree);
}

Contributions CountOf(const Network& network) {
  Contributions contributions;
  for (const Law& law : network.marginals) {
    contributions.emplace_back(law.size(), 1);
    contributions.back()[0] = 0;
  }
  return contributions;
}

std::vector<Secret> SumSecrets(const Network& network, const Contributions& contributions) {
  const Sums sums(network, contributions);
  const std::vector<std::size_t> component = Components(network);
  std::vector<Secret> secrets;
  for (std::size_t i = 0; i < network.marginals.size(); ++i) {
    Message given = sums.Given(i, component[i]);
    Secret secret;
    secret.record = i;
    std::size_t longest = 0;
    for (std::size_t x = 0; x < given.size(); ++x) {
      if (!(network.marginals[i][x] > 0)) continue;
      longest = std::max(longest, given[x].size());
      secret.prior.push_back(network.marginals[i][x]);
      secret.given.push_back(std::move(given[x]));
    }
    if (secret.given.size() < 2) continue;
    for (auto& law : secret.given) law.resize(longest, 0.0);
    Axis axis(longest);
    for (std::size_t s = 0; s < longest; ++s) axis[s] = static_cast<double>(s);
    secret.axes = {std::move(axis)};
    secrets.push_back(std::move(secret));
  }
  return secrets;
}

std::vector<LawTable> PairTables(const Network& network, std::size_t i) {
  const std::size_t n = network.marginals.size();
  const std::size_t values = network.marginals[i].size();
  std::vector<LawTable> tables(n);
  tables[i].assign(values, Law(values, 0.0));
  for (std::size_t a = 0; a < values; ++a) tables[i][a][a] = 1;
  std::vector<std::size_t> reached = {i};
  for (std::size_t k = 0; k < reached.size(); ++k) {
    for (const Link& link : network.links[reached[k]]) {
      if (!tables[link.to].empty()) continue;
      reached.push_back(link.to);
      for (std::size_t a = 0; a < values; ++a) {
        Law& law = tables[link.to].emplace_back(network.marginals[link.to].size(), 0.0);
        for (std::size_t x = 0; x < link.table.size(); ++x) {
          for (std::size_t y = 0; y < law.size(); ++y) law[y] += tables[reached[k]][a][x] * link.table[x][y];
        }
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    if (tables[j].empty()) tables[j].assign(values, network.marginals[j]);  // another component: independent
  }
  return tables;
}

}  // namespace kith::published
