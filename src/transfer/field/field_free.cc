#include "transfer/field/field_free.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "base/meter.h"
#include "transfer/field/network_sampling.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostNodes = 200;   // of a component that is summed out
constexpr std::size_t kMostWidth = 18;    // records in one table
constexpr double kMostSteps = 8'000'000;  // of all components together, for one loss
constexpr double kMostPlanned = 1e9;      // cubes of sizes, for finding orders
constexpr std::uint32_t kNobody = std::numeric_limits<std::uint32_t>::max();

/// A function of the spins of a few records: entry bits say which of them are minus.
struct Table {
  std::vector<std::uint32_t> records;
  std::vector<double> weight;
};

/// The product of tables, summed over `gone`, which is a record of each.
Table SumOut(std::uint32_t gone, const std::vector<Table>& tables) {
  Table out;
  for (const Table& table : tables) {
    for (const std::uint32_t r : table.records) {
      if (r != gone && std::find(out.records.begin(), out.records.end(), r) == out.records.end())
        out.records.push_back(r);
    }
  }
  const std::size_t size = out.records.size();
  std::vector<double> product(std::size_t{2} << size, 1);  // the last bit is that of `gone`
  for (const Table& table : tables) {
    std::vector<std::size_t> place;
    for (const std::uint32_t r : table.records) {
      place.push_back(static_cast<std::size_t>(std::find(out.records.begin(), out.records.end(), r) -
                                               out.records.begin()));  // size: it is `gone`
    }
    for (std::size_t at = 0; at < product.size(); ++at) {
      std::size_t entry = 0;
      for (std::size_t k = 0; k < place.size(); ++k) entry |= (at >> place[k] & 1) << k;
      product[at] *= table.weight[entry];
    }
  }
  out.weight.resize(std::size_t{1} << size);
  for (std::size_t at = 0; at < out.weight.size(); ++at) out.weight[at] = product[at] + product[at + out.weight.size()];
  return out;
}

/// Which to sum out next: always the one with the fewest neighbours left. Nothing if a table would get too large.
struct Order {
  std::vector<std::uint32_t> nodes;
  double steps = 0;
};
Order OrderWithout(const std::vector<std::set<std::uint32_t>>& neighbours, std::uint32_t last) {
  std::vector<std::set<std::uint32_t>> left = neighbours;
  std::vector<bool> gone(left.size(), false);
  Order order;
  for (std::size_t count = 1; count < left.size(); ++count) {
    std::uint32_t least = kNobody;
    for (std::uint32_t v = 0; v < left.size(); ++v) {
      if (!gone[v] && v != last && (least == kNobody || left[v].size() < left[least].size())) least = v;
    }
    if (left[least].size() + 1 > kMostWidth) return {{}, kInfinity};
    order.steps += std::ldexp(static_cast<double>(left[least].size() + 2), static_cast<int>(left[least].size()) + 1);
    order.nodes.push_back(least);
    gone[least] = true;
    for (const std::uint32_t a : left[least]) {
      left[a].erase(least);
      for (const std::uint32_t b : left[least]) {
        if (a != b) left[a].insert(b);
      }
    }
  }
  return order;
}

}  // namespace

Result<FieldFree> FieldFree::Make(std::shared_ptr<const Graph> graph, std::shared_ptr<const NetworkSample> sample) {
  if (graph->has_hard_edges()) {
    return InvalidArgument("ties without a limit cannot be bounded by their correlation", "edges",
                           "state finite strengths, or leave bound = \"field-free\" out");
  }
  FieldFree made(std::move(graph));
  if (sample != nullptr) {
    if (sample->graph != made.graph_->Fingerprint() || sample->records != made.graph_->records()) {
      return InvalidArgument("the sample is of another network, or of the same with other strengths", "sampled",
                             "sample the network of this policy, and name the file that was written");
    }
    // The loss never falls when plain losses rise, so that a limit further right holds as well.
    double least = kInfinity;
    for (auto at = sample->losses.rbegin(); at != sample->losses.rend(); ++at) {
      least = std::min(least, LimitAt(*at, sample->records));
      made.limits_.emplace_back(at->plain, least);
    }
    std::reverse(made.limits_.begin(), made.limits_.end());
  }
  made.FindSmall();
  return made;
}

void FieldFree::FindSmall() {
  const auto sizes = graph_->component_records();
  std::vector<std::size_t> small_of(sizes.size(), sizes.size());
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    if (sizes[c] > kMostNodes) continue;
    small_of[c] = small_.size();
    small_.emplace_back();
  }
  for (std::uint32_t v = 0; v < graph_->nodes(); ++v) {
    const std::size_t c = small_of[graph_->ComponentOf(v)];
    if (c < small_.size()) small_[c].nodes.push_back(v);
  }
  std::sort(small_.begin(), small_.end(),
            [](const Small& a, const Small& b) { return a.nodes.size() < b.nodes.size(); });
  double steps = 0, planned = 0;
  std::vector<Small> kept;
  for (Small& component : small_) {
    Meter::Look();
    const std::size_t size = component.nodes.size();
    planned += static_cast<double>(size * size * size);
    if (planned > kMostPlanned) break;
    std::vector<std::set<std::uint32_t>> neighbours(size);
    const auto position = [&](std::uint32_t node) {
      return static_cast<std::uint32_t>(std::lower_bound(component.nodes.begin(), component.nodes.end(), node) -
                                        component.nodes.begin());
    };
    for (std::uint32_t v = 0; v < size; ++v) {
      const std::uint32_t node = component.nodes[v];
      for (std::uint64_t slot = graph_->offsets()[node]; slot < graph_->offsets()[node + 1]; ++slot)
        neighbours[v].insert(position(graph_->neighbours()[slot]));
    }
    double own = 0;
    for (std::uint32_t v = 0; v < size && steps + own <= kMostSteps; ++v) {
      Order order = OrderWithout(neighbours, v);
      own += order.steps;
      component.orders.push_back(std::move(order.nodes));
    }
    if (steps + own > kMostSteps) continue;
    steps += own;
    kept.push_back(std::move(component));
  }
  small_ = std::move(kept);
}

// Weights are at most 1, and 1 where all are plus: nothing overflows. What underflows is missing where all others are
// not plus, most of it with `about` at minus, in the denominator: that is the safe side.
double FieldFree::ExactLoss(const Small& component, std::size_t about, const PlainLosses& plain) const {
  const auto& nodes = component.nodes;
  std::vector<std::vector<Table>> tables(nodes.size());  // by the record that is summed out first
  std::vector<std::size_t> turn(nodes.size(), nodes.size());
  const auto& order = component.orders[about];
  for (std::size_t k = 0; k < order.size(); ++k) turn[order[k]] = k;
  std::vector<double> of_about = {1, 1};
  double operations = 0;
  const auto put = [&](Table table) {
    operations += 4;
    std::uint32_t first = table.records[0];
    for (const std::uint32_t r : table.records) {
      if (turn[r] < turn[first]) first = r;
    }
    if (first != about) {
      tables[first].push_back(std::move(table));
      return;
    }
    for (std::size_t s = 0; s < 2; ++s) of_about[s] *= table.weight[s];
  };
  for (std::uint32_t v = 0; v < nodes.size(); ++v) {
    if (v != about) put({{v}, {1, std::exp(-plain[nodes[v]] / 2)}});
    for (std::uint64_t slot = graph_->offsets()[nodes[v]]; slot < graph_->offsets()[nodes[v] + 1]; ++slot) {
      const auto w = static_cast<std::uint32_t>(
          std::lower_bound(nodes.begin(), nodes.end(), graph_->neighbours()[slot]) - nodes.begin());
      const double apart = std::exp(-graph_->Theta(slot) / 2);
      if (v < w) put({{v, w}, {1, apart, apart, 1}});
    }
  }
  for (const std::uint32_t gone : order) {
    Table sum = SumOut(gone, tables[gone]);
    tables[gone].clear();
    if (!sum.records.empty()) put(std::move(sum));
  }
  if (!(of_about[1] > 0)) return kInfinity;
  // Sums and products of positive numbers: each operation is off by less than one part in 2^52.
  const double odds = rounding::Widen(of_about[0] / of_about[1], 4 * operations + 16);
  return rounding::AddUp(plain[nodes[about]], 2 * rounding::LogUp(std::max(1.0, odds)));
}

std::vector<double> FieldFree::Losses(const PlainLosses& plain) const {
  double limit = kInfinity;
  const double largest = plain.Largest();
  for (const auto& [at, at_most] : limits_) {
    if (at >= largest) limit = std::min(limit, at_most);
  }
  std::vector<double> losses(graph_->records(), largest == 0 ? 0 : limit);
  for (const Small& component : small_) {
    Meter::Look();
    for (std::size_t v = 0; v < component.nodes.size(); ++v) {
      double& loss = losses[component.nodes[v]];
      loss = std::min(loss, ExactLoss(component, v, plain));
    }
  }
  return losses;
}

}  // namespace kith
