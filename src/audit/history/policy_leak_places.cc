#include "audit/history/policy_leak_places.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "dependence/graph.h"
#include "dependence/graph_builder.h"
#include "transfer/field/field_large.h"
#include "transfer/pair/pair.h"

namespace kith::audit {
namespace {

constexpr std::size_t kShown = 8;

std::vector<Place> WorstFirst(std::vector<Place> places) {
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return a.after > b.after || (a.after == b.after && a.now > b.now);
  });
  if (places.size() > kShown) places.resize(kShown);
  return places;
}

/// Exact for small numbers; above ten, ranges that double.
std::string Range(std::uint64_t n) {
  if (n <= 10) return fmt::format("{}", n);
  std::uint64_t low = 11;
  std::uint64_t high = 20;
  while (n > high) {
    low = high + 1;
    high *= 2;
  }
  return fmt::format("{} to {}", low, high);
}

/// What each record loses, with its number of neighbours and the size of its component.
struct Standing {
  std::uint64_t degree = 0, component = 0;
  double now = 0, after = 0;
};

std::vector<Place> Gathered(const std::vector<Standing>& records) {
  std::map<std::string, Place> by_shape;
  for (const Standing& record : records) {
    const std::string shape = fmt::format("{} neighbour{}, component of {}", Range(record.degree),
                                          record.degree == 1 ? "" : "s", Range(record.component));
    Place& place = by_shape[shape];
    place.shape = shape;
    ++place.units;
    place.now = std::max(place.now, record.now);
    place.after = std::max(place.after, record.after);
  }
  std::vector<Place> places;
  for (auto& [shape, place] : by_shape) places.push_back(std::move(place));
  return WorstFirst(std::move(places));
}

/// Degrees and component sizes of a list of links.
std::vector<Standing> Shapes(std::size_t records, const std::vector<std::pair<std::size_t, std::size_t>>& links) {
  std::vector<Standing> found(records);
  std::vector<std::size_t> root(records);
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const auto& [a, b] : links) {
    ++found[a].degree;
    ++found[b].degree;
    root[find(a)] = find(b);
  }
  std::vector<std::uint64_t> sizes(records, 0);
  for (std::size_t i = 0; i < records; ++i) ++sizes[find(i)];
  for (std::size_t i = 0; i < records; ++i) found[i].component = sizes[find(i)];
  return found;
}

std::vector<std::pair<std::size_t, std::size_t>> LinksOf(const Model& model) {
  std::vector<std::pair<std::size_t, std::size_t>> links;
  if (const auto* field = std::get_if<Field>(&model)) {
    for (const Edge& edge : field->edges) links.emplace_back(edge.a, edge.b);
    for (const Factor& factor : field->factors) {
      for (std::size_t i = 0; i < factor.records.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) links.emplace_back(factor.records[i], factor.records[j]);
      }
    }
  } else if (const auto* tree = std::get_if<Tree>(&model)) {
    for (std::size_t j = 0; j < tree->parents.size(); ++j) {
      if (tree->parents[j] >= 0) links.emplace_back(static_cast<std::size_t>(tree->parents[j]), j);
    }
  } else if (const auto* chain = std::get_if<Chain>(&model)) {
    for (std::int64_t t = 1; t < chain->length; ++t) {
      links.emplace_back(static_cast<std::size_t>(t - 1), static_cast<std::size_t>(t));
    }
  }
  return links;
}

/// Records that the transfer function lists one by one.
Result<std::vector<Place>> OfNamed(const Transfer& transfer, double now, double after) {
  const auto before = transfer.Loss(now);
  const auto then = transfer.Loss(after);
  if (!before) return before.error();
  if (!then) return then.error();
  if (before->per_record.empty()) return std::vector<Place>();
  std::vector<Standing> records = Shapes(before->per_record.size(), LinksOf(transfer.model()));
  const auto* field = std::get_if<Field>(&transfer.model());
  std::vector<Standing> of_people;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool hidden = field != nullptr && std::count(field->hidden.begin(), field->hidden.end(), i) > 0;
    records[i].now = before->per_record[i];
    records[i].after = then->per_record[i];
    if (!hidden) of_people.push_back(records[i]);
  }
  return Gathered(of_people);
}

/// Every node of a graph in a file: messages once for each of the two losses.
Result<std::vector<Place>> OfGraph(const Field& field, double now, double after) {
  FieldOptions options;
  options.per_record = true;
  options.gain = 1e-3;  // for a table that people read
  std::vector<std::uint32_t> hidden = field.hidden;
  std::sort(hidden.begin(), hidden.end());
  const auto large = LargeField::Make(field.graph, hidden, options);
  if (!large) return large.error();
  const auto before = large->Loss(PlainLosses::All(now));
  if (!before) return before.error();
  const auto then = large->Loss(PlainLosses::All(after));
  if (!then) return then.error();
  const Graph& graph = *field.graph;
  std::vector<Standing> records;
  for (std::uint32_t i = 0; i < graph.records(); ++i) {
    if (std::binary_search(hidden.begin(), hidden.end(), i)) continue;
    const std::uint32_t node = graph.NodeOf(i);
    records.push_back({graph.offsets()[node + 1] - graph.offsets()[node],
                       graph.component_records()[graph.ComponentOf(node)], before->per_record[i], then->per_record[i]});
  }
  return Gathered(records);
}

/// Smaller groups of the same kind: what a unit with fewer relatives loses.
Result<std::vector<Place>> OfGroups(const Group& group, std::size_t of_class, double now, double after) {
  std::vector<Place> places;
  for (std::int64_t size = group.SizeOf(of_class); size >= 1 && places.size() < kShown;
       size = size > 8 ? (size + 1) / 2 : size - 1) {
    Group smaller = group;
    smaller.classes[of_class].size = size;
    const auto transfer = Transfer::Make(smaller);
    if (!transfer) return transfer.error();
    const auto before = transfer->Loss(now, of_class);
    const auto then = transfer->Loss(after, of_class);
    if (!before) return before.error();
    if (!then) return then.error();
    places.push_back({size == 1 ? "alone in its group" : fmt::format("in a group of {}", size), 0, before->dependent,
                      then->dependent});
  }
  return WorstFirst(std::move(places));
}

}  // namespace

LargestStarLoss LargestStar(const Field& field, double now, double after) {
  LargestStarLoss largest{now, after, true};
  const auto take = [&](double more_now, double more_after, std::uint64_t degree) {
    largest.now = std::max(largest.now, now + more_now);
    largest.after = std::max(largest.after, after + more_after);
    if (degree > 1) largest.only_pairs = false;
  };
  if (field.graph) {
    const Graph& graph = *field.graph;
    if (graph.has_hard_edges()) largest.only_pairs = false;
    std::vector<double> phi_now;
    std::vector<double> phi_after;
    for (const double theta : graph.thetas()) {
      phi_now.push_back(Phi(theta, now));
      phi_after.push_back(Phi(theta, after));
    }
    for (std::uint32_t node = 0; node < graph.nodes(); ++node) {
      double more_now = 0;
      double more_after = 0;
      for (std::uint64_t slot = graph.offsets()[node]; slot < graph.offsets()[node + 1]; ++slot) {
        const std::size_t which = graph.strengths().empty() ? 0 : graph.strengths()[slot];
        more_now += phi_now[which];
        more_after += phi_after[which];
      }
      take(more_now, more_after, graph.offsets()[node + 1] - graph.offsets()[node]);
    }
    return largest;
  }
  std::vector<double> more_now(static_cast<std::size_t>(field.nodes), 0.0);
  std::vector<double> more_after = more_now;
  std::vector<std::uint64_t> degree(more_now.size(), 0);
  for (const Edge& edge : field.edges) {
    for (const std::size_t end : {edge.a, edge.b}) {
      more_now[end] += Phi(edge.theta, now);
      more_after[end] += Phi(edge.theta, after);
      ++degree[end];
    }
  }
  for (std::size_t i = 0; i < more_now.size(); ++i) take(more_now[i], more_after[i], degree[i]);
  return largest;
}

Result<std::vector<Place>> PlacesOf(const Transfer& transfer, std::size_t of_class, double now, double after) {
  const Model& model = transfer.model();
  if (const auto* group = std::get_if<Group>(&model)) return OfGroups(*group, of_class, now, after);
  if (const auto* field = std::get_if<Field>(&model); field != nullptr && field->graph) {
    return OfGraph(*field, now, after);
  }
  constexpr std::int64_t kMostNamed = 1000;  // Transferred::per_record
  if (const auto* field = std::get_if<Field>(&model);
      field != nullptr && field->nodes > kMostNamed && field->factors.empty() && !field->prevalence) {
    auto graph = GraphFromEdges(field->nodes, field->edges, RepeatedPairs::kAdd);
    if (!graph) return graph.error();
    Field compact = *field;
    compact.graph = std::make_shared<const Graph>(std::move(*graph));
    return OfGraph(compact, now, after);
  }
  const bool linked = std::holds_alternative<Field>(model) || std::holds_alternative<Tree>(model) ||
                      std::holds_alternative<Chain>(model);
  return linked ? OfNamed(transfer, now, after) : Result<std::vector<Place>>(std::vector<Place>());
}

}  // namespace kith::audit
