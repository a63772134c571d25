#include "transfer/tree/forest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kTableError = std::numeric_limits<double>::epsilon();  // of a normalised row

/// A row of a table in extended precision, divided by its sum.
std::vector<long double> Extended(const Law& law) {
  const long double sum = std::accumulate(law.begin(), law.end(), 0.0L);
  std::vector<long double> row;
  for (const double p : law) row.push_back(p / sum);
  return row;
}

}  // namespace

Result<Forest> Forest::Make(const Tree& tree) {
  Forest forest;
  const std::size_t n = tree.parents.size();
  forest.nodes_.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    forest.nodes_[j].parent = tree.parents[j];
    if (tree.parents[j] == -1) {
      forest.order_.push_back(static_cast<std::uint32_t>(j));
    } else {
      forest.nodes_[static_cast<std::size_t>(tree.parents[j])].children.push_back(static_cast<std::uint32_t>(j));
    }
  }
  for (std::size_t k = 0; k < forest.order_.size(); ++k) {
    const std::uint32_t j = forest.order_[k];
    if (auto ok = forest.Fill(j, tree); !ok) return ok.error();
    const auto& children = forest.nodes_[j].children;
    forest.order_.insert(forest.order_.end(), children.begin(), children.end());
  }
  forest.PlanWindows();
  return forest;
}

Result<void> Forest::Fill(std::size_t j, const Tree& tree) {
  Node& node = nodes_[j];
  const LawTable& table = tree.tables[j];
  const Node* parent = node.parent == -1 ? nullptr : &nodes_[static_cast<std::size_t>(node.parent)];
  const std::size_t rows = parent == nullptr ? 1 : parent->support.size();
  std::vector<std::vector<long double>> given;
  for (std::size_t a = 0; a < rows; ++a) given.push_back(Extended(table[parent == nullptr ? 0 : parent->support[a]]));
  for (std::size_t y = 0; y < table[0].size(); ++y) {
    long double probability = 0;
    bool possible = false;
    for (std::size_t a = 0; a < rows; ++a) {
      possible = possible || given[a][y] > 0;
      probability += (parent == nullptr ? 1 : parent->probability[a]) * given[a][y];
    }
    if (!possible) continue;
    if (probability < 1e-4000L) {
      return InvalidArgument(
          "record " + std::to_string(j) + " has a value whose probability is too small to compute with",
          "table " + std::to_string(j), "write 0 for values that do not occur");
    }
    node.support.push_back(y);
    node.probability.push_back(probability);
  }
  if (parent == nullptr) {
    node.error = static_cast<double>(std::numeric_limits<long double>::epsilon()) * 4;
    return {};
  }
  for (std::size_t a = 0; a < rows; ++a) {
    for (const std::size_t y : node.support) node.given_parent.push_back(static_cast<double>(given[a][y]));
  }
  for (std::size_t y = 0; y < node.support.size(); ++y) {
    for (std::size_t a = 0; a < rows; ++a) {
      const long double joint = parent->probability[a] * given[a][node.support[y]];
      node.given_child.push_back(static_cast<double>(joint / node.probability[y]));
    }
  }
  // Each generation adds the rounding of one sum of products to the laws; the table error of given_child is added when
  // used.
  node.error =
      parent->error + static_cast<double>(std::numeric_limits<long double>::epsilon()) * static_cast<double>(rows + 4);
  const auto several = [](std::size_t from, std::size_t to) { return from > 4 ? to * (to - 1) : 0; };
  programmes_ += static_cast<std::int64_t>(several(node.support.size(), rows) + several(rows, node.support.size()));
  return {};
}

SeveralValues Forest::Affordable() const {
  constexpr std::int64_t kMostProgrammes = 2000;  // about 0.1 ms each
  return programmes_ <= kMostProgrammes ? SeveralValues::kLinearProgramme : SeveralValues::kLargest;
}

Spread Forest::ToParent(const Node& node, const Spread& from, SeveralValues how) const {
  const std::size_t values = Values(node.parent);
  const std::size_t width = node.support.size();
  Spread seen(values, 0);
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < values; ++y) {
      const std::span<const double> table(node.given_parent);
      if (x != y)
        seen(x, y) =
            SpreadLoss(from, table.subspan(x * width, width), table.subspan(y * width, width), kTableError, how);
    }
  }
  return seen;
}

Spread Forest::ToChild(const Node& child, const Spread& from, SeveralValues how) const {
  const std::size_t values = child.support.size();
  const std::size_t width = Values(child.parent);
  Spread seen(values, 0);
  for (std::size_t x = 0; x < values; ++x) {
    for (std::size_t y = 0; y < values; ++y) {
      const std::span<const double> table(child.given_child);
      const double error = kTableError + 2 * child.error;
      if (x != y)
        seen(x, y) = SpreadLoss(from, table.subspan(x * width, width), table.subspan(y * width, width), error, how);
    }
  }
  return seen;
}

std::vector<double> Forest::Losses(const PlainLosses& plain, SeveralValues how) const {
  return Pass(plain, how, false).losses;
}

Forest::Messages Forest::Pass(const PlainLosses& plain, SeveralValues how, bool keep) const {
  Messages messages{std::vector<Spread>(records()), std::vector<Spread>(records()), std::vector<double>(records())};
  auto& [to_parent, from_parent, losses] = messages;
  std::vector<Spread> own(records());  // a record's own loss and everything below it
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    const Node& node = nodes_[*it];
    own[*it] = Spread(node.support.size(), plain[*it]);
    for (const std::uint32_t child : node.children) own[*it].Add(to_parent[child]);
    if (node.parent != -1) to_parent[*it] = ToParent(node, own[*it], how);
  }
  for (const std::uint32_t j : order_) {
    const Node& node = nodes_[j];
    if (node.parent == -1) from_parent[j] = Spread(node.support.size(), 0);
    Spread all = own[j];
    all.Add(from_parent[j]);
    losses[j] = std::max(plain[j], all.Largest());
    // Everything but one child, for each child in turn: sums from the left and from the right, nothing is subtracted.
    Spread left(node.support.size(), plain[j]);
    left.Add(from_parent[j]);
    std::vector<Spread> right(node.children.size() + 1, Spread(node.support.size(), 0));
    for (std::size_t k = node.children.size(); k-- > 0;) {
      right[k] = right[k + 1];
      right[k].Add(to_parent[node.children[k]]);
    }
    for (std::size_t k = 0; k < node.children.size(); ++k) {
      Spread without = left;
      without.Add(right[k + 1]);
      from_parent[node.children[k]] = ToChild(nodes_[node.children[k]], without, how);
      left.Add(to_parent[node.children[k]]);
    }
    if (!keep) from_parent[j] = Spread();
  }
  return messages;
}

std::vector<double> Forest::ComponentSums(const PlainLosses& plain) const {
  std::vector<std::uint32_t> root(records());
  std::vector<double> sum(records(), 0);
  for (const std::uint32_t j : order_) {
    root[j] = nodes_[j].parent == -1 ? j : root[static_cast<std::size_t>(nodes_[j].parent)];
    sum[root[j]] = rounding::AddUp(sum[root[j]], plain[j]);
  }
  for (std::size_t j = 0; j < records(); ++j) sum[j] = sum[root[j]];
  return sum;
}

Field Forest::AsField() const {
  Field field;
  field.nodes = static_cast<std::int64_t>(records());
  for (std::size_t j = 0; j < records(); ++j) {
    const Node& node = nodes_[j];
    if (node.parent == -1) continue;
    const std::size_t width = node.support.size();
    double largest = 1;
    for (std::size_t a = 0; a < Values(node.parent); ++a) {
      for (std::size_t b = 0; b < Values(node.parent); ++b) {
        // max over x of P(x|a)/P(x|b), times max over x of P(x|b)/P(x|a): a pair of values of each side is covered by
        // it.
        double up = 0;
        double down = 0;
        for (std::size_t x = 0; x < width; ++x) {
          const double given_a = node.given_parent[a * width + x];
          const double given_b = node.given_parent[b * width + x];
          if (given_a == 0 && given_b == 0) continue;
          up = std::max(up, given_b == 0 ? kInfinity : given_a / given_b);
          down = std::max(down, given_a == 0 ? kInfinity : given_b / given_a);
        }
        largest = std::max(largest, up * down);
      }
    }
    const double theta = std::isinf(largest) ? kInfinity : rounding::LogUp(rounding::Widen(largest, 16));
    field.edges.push_back(
        {static_cast<std::uint32_t>(node.parent), static_cast<std::uint32_t>(j), largest == 1 ? 0 : theta});
  }
  return field;
}

}  // namespace kith
