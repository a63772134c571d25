// A sharper bound for records of several values: the exact programme of a few records around each one.
// Source: docs/theory/transfer.md#window.  Claims: claims/transfer_tree.md
#include <algorithm>
#include <cmath>
#include <limits>

#include "transfer/kernel_lp.h"
#include "transfer/rounding.h"
#include "transfer/tree/forest.h"

namespace kith {
namespace {

/// States of the other records of a window: a programme takes about a millisecond, a tenth of that, a hundredth.
constexpr std::size_t kStates[] = {81, 27, 9};
/// States of all programmes of one evaluation together: well below a tenth of a second.
constexpr std::size_t kMostWork = 5'000;

}  // namespace

void Forest::PlanWindows() {
  const bool several = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.support.size() > 2; });
  if (!several) return;
  for (const std::size_t most : kStates) {
    std::vector<Window> windows;
    std::size_t work = 0;
    for (std::uint32_t j = 0; j < records() && work <= kMostWork; ++j) {
      windows.push_back(Around(j, most));
      work += nodes_[j].support.size() * (nodes_[j].support.size() - 1) * windows.back().states;
    }
    if (work > kMostWork) continue;
    windows_ = std::move(windows);
    return;
  }
}

/// The nearest records first, as many as keep the number of states small. Which ones follows only from the network,
/// never from plain losses, so that g rises with them.
Forest::Window Forest::Around(std::uint32_t record, std::size_t most) const {
  Window window{{record}, {0}, 1};
  for (std::size_t k = 0; k < window.records.size(); ++k) {
    for (const std::uint32_t next : Neighbours(window.records[k])) {
      if (k > 0 && next == window.records[window.towards[k]]) continue;
      const std::size_t states = window.states * nodes_[next].support.size();
      if (states > most) continue;
      window.records.push_back(next);
      window.towards.push_back(k);
      window.states = states;
    }
  }
  return window;
}

std::vector<std::uint32_t> Forest::Neighbours(std::uint32_t record) const {
  std::vector<std::uint32_t> neighbours = nodes_[record].children;
  if (nodes_[record].parent != -1) neighbours.push_back(static_cast<std::uint32_t>(nodes_[record].parent));
  return neighbours;
}

std::span<const double> Forest::Given(std::uint32_t from, std::uint32_t to, std::size_t x) const {
  const bool down = nodes_[to].parent == static_cast<std::int64_t>(from);
  const std::span<const double> table(down ? nodes_[to].given_parent : nodes_[from].given_child);
  const std::size_t width = nodes_[to].support.size();
  return table.subspan(x * width, width);
}

std::vector<double> Forest::WindowLosses(const PlainLosses& plain) const {
  const Messages messages = Pass(plain, SeveralValues::kLinearProgramme, true);
  std::vector<double> losses;
  for (const Window& window : windows_) {
    losses.push_back(WindowLoss(window, plain, messages));
  }
  return losses;
}

/// Integrating out what is beyond the window leaves a kernel of the window's records, which changes with the value of
/// each as its own loss and the messages from beyond say.
double Forest::WindowLoss(const Window& window, const PlainLosses& plain, const Messages& messages) const {
  const std::size_t n = window.records.size();
  std::vector<Spread> bounds;
  for (std::size_t k = 0; k < n; ++k) {
    const std::uint32_t record = window.records[k];
    bounds.emplace_back(nodes_[record].support.size(), plain[record]);
    for (const std::uint32_t next : Neighbours(record)) {
      if (std::find(window.records.begin(), window.records.end(), next) != window.records.end()) continue;
      bounds[k].Add(MessageTo(record, next, messages));
    }
  }
  std::vector<std::size_t> stride(n, 0);
  double diameter = 0;
  double error = 0;
  std::vector<KernelArc> arcs;
  std::size_t size = 1;
  for (std::size_t k = n; --k > 0;) {
    const std::size_t values = bounds[k].values();
    stride[k] = size;
    size *= values;
    diameter = rounding::AddUp(diameter, bounds[k].Largest());
    error += 2 * std::numeric_limits<double>::epsilon() + 2 * nodes_[window.records[k]].error +
             2 * nodes_[window.records[window.towards[k]]].error;
  }
  for (std::size_t k = 1; k < n; ++k) {
    const std::size_t values = bounds[k].values();
    for (std::size_t z = 0; z < size; ++z) {
      const std::size_t own = z / stride[k] % values;
      for (std::size_t other = 0; other < values; ++other) {
        if (other == own) continue;
        const std::size_t moved = z + other * stride[k] - own * stride[k];
        arcs.push_back(
            {static_cast<std::uint32_t>(z), static_cast<std::uint32_t>(moved), rounding::ExpUp(bounds[k](own, other))});
      }
    }
  }
  const auto law = [&](std::size_t x) {
    Law given(size, 1);
    for (std::size_t z = 0; z < size; ++z) {
      for (std::size_t k = 1; k < n; ++k) {
        const std::size_t from = window.towards[k];
        const std::size_t value = from == 0 ? x : z / stride[from] % bounds[from].values();
        given[z] *= Given(window.records[from], window.records[k], value)[z / stride[k] % bounds[k].values()];
      }
    }
    return given;
  };
  // As in exact.cc: both laws are wrong by `error`, relative, and so are the expectations as far as the kernel varies.
  const double slack = diameter > 1 ? 4 * error : 4 * error * std::expm1(diameter);
  Spread simple = bounds[0];  // what messages say about each pair of values: cheap, and never less
  for (std::size_t k = 1; k < n; ++k) {
    if (window.towards[k] == 0) simple.Add(MessageTo(window.records[0], window.records[k], messages));
  }
  double worst = plain[window.records[0]];
  for (std::size_t a = 0; a < simple.values(); ++a) {
    for (std::size_t b = 0; b < simple.values(); ++b) {
      if (a == b || simple(a, b) <= worst) continue;
      const double through = size == 1 ? 0 : LargestLogRatio(law(a), law(b), arcs);
      const double loss = rounding::AddUp(bounds[0](a, b), rounding::AddUp(through, slack));
      worst = std::max(worst, std::min(simple(a, b), loss));
    }
  }
  return worst;
}

const Spread& Forest::MessageTo(std::uint32_t record, std::uint32_t from, const Messages& messages) const {
  const bool up = nodes_[record].parent == static_cast<std::int64_t>(from);
  return up ? messages.from_parent[record] : messages.to_parent[from];
}

}  // namespace kith
