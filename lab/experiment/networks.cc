#include "experiment/networks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <thread>

#include "dependence/graph_builder.h"
#include "transfer/field/field_large.h"

namespace kith::experiment {
namespace {

constexpr double kEpsilon = 1;
constexpr double kUseful = 10;  // times less noise than group privacy
const std::vector<double> kOddsRatios = {1.02, 1.05, 1.1, 1.2, 1.5, 2, 3, 4, 8};
const std::vector<std::size_t> kCuts = {0, 20, 10, 5, 3};

std::string CutName(std::size_t most) { return most == 0 ? "all pairs" : fmt::format("at most {}", most); }

/// How many neighbours two people have in common, for every pair.
std::vector<std::size_t> InCommon(const Network& network) {
  std::vector<std::vector<std::uint32_t>> of(network.people);
  for (const auto& pair : network.pairs) {
    of[pair.a].push_back(pair.b);
    of[pair.b].push_back(pair.a);
  }
  for (auto& list : of) std::sort(list.begin(), list.end());
  std::vector<std::size_t> common;
  for (const auto& pair : network.pairs) {
    std::size_t count = 0;
    for (const auto other : of[pair.a])
      count += std::binary_search(of[pair.b].begin(), of[pair.b].end(), other) ? 1 : 0;
    common.push_back(count);
  }
  return common;
}

/// Some pairs of a network, all of one strength; and how large the largest connected part is.
struct Declared {
  LargeField field;
  double largest_part = 1;
};

Result<Declared> Declare(const Network& network, const std::vector<Network::Pair>& pairs, double odds_ratio,
                         const Settings& settings) {
  std::vector<Edge> edges;
  for (const auto& pair : pairs) edges.push_back({pair.a, pair.b, std::log(odds_ratio)});
  auto graph = GraphFromEdges(network.people, edges, RepeatedPairs::kRefuse);
  if (!graph) return graph.error();
  std::uint32_t largest = 1;
  for (const auto records : graph->component_records()) largest = std::max(largest, records);
  FieldOptions options;
  options.gain = 1e-4;  // three digits are printed
  options.most_passes = 300;
  options.threads = settings.threads > 0 ? settings.threads : std::max(1U, std::thread::hardware_concurrency());
  auto field = LargeField::Make(std::make_shared<const Graph>(std::move(*graph)), {}, options);
  if (!field) return field.error();
  return Declared{std::move(*field), static_cast<double>(largest)};
}

struct Multiple {
  double times = 0;  // the plain noise
  double group = 0;  // the same by group privacy
};

Result<Multiple> MultipleOf(const Network& network, const std::vector<Network::Pair>& pairs, double odds_ratio,
                            const Settings& settings, const CancelFlag& cancel) {
  const auto declared = Declare(network, pairs, odds_ratio, settings);
  if (!declared) return declared.error();
  const auto plain = declared->field.PlainBudget(kEpsilon, 2e-3, &cancel);
  if (!plain) return plain.error();
  return Multiple{kEpsilon / *plain, declared->largest_part};
}

/// The largest odds ratio, to about two digits, whose noise is a tenth of that of group privacy; nothing: none is.
Result<std::optional<double>> LargestUseful(const Network& network, const std::vector<Network::Pair>& pairs,
                                            const Settings& settings, const CancelFlag& cancel) {
  double low = 0;
  double high = std::log(64);
  for (int step = 0; step < 11; ++step) {
    const double middle = (low + high) / 2;
    const auto declared = Declare(network, pairs, std::exp(middle), settings);
    if (!declared) return declared.error();
    const double plain = kEpsilon * kUseful / declared->largest_part;
    if (plain > kEpsilon) return std::optional<double>();
    const auto loss = declared->field.Loss(PlainLosses::All(plain), &cancel);
    if (!loss) return loss.error();
    (loss->dependent <= kEpsilon ? low : high) = middle;
  }
  return low == 0 ? std::optional<double>() : std::exp(low);
}

std::string InWords(const Network& network) {
  std::vector<std::size_t> degree(network.people, 0);
  for (const auto& pair : network.pairs) {
    ++degree[pair.a];
    ++degree[pair.b];
  }
  std::sort(degree.begin(), degree.end());
  return fmt::format("{}: {} people, {} pairs, {} others at most for one person, {} for half of them", network.name,
                     network.people, network.pairs.size(), degree.empty() ? 0 : degree.back(),
                     degree.empty() ? 0 : degree[degree.size() / 2]);
}

}  // namespace

std::vector<Network::Pair> ClosestOnly(const Network& network, std::size_t most) {
  if (most == 0) return network.pairs;
  const auto common = InCommon(network);
  std::vector<std::size_t> order(network.pairs.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(network.pairs[a].weight, common[a]) > std::pair(network.pairs[b].weight, common[b]);
  });
  std::vector<std::size_t> degree(network.people, 0);
  std::vector<Network::Pair> kept;
  for (const std::size_t k : order) {
    const auto& pair = network.pairs[k];
    if (degree[pair.a] >= most || degree[pair.b] >= most) continue;
    ++degree[pair.a];
    ++degree[pair.b];
    kept.push_back(pair);
  }
  return kept;
}

Result<Figure> NoiseOnNetworks(const std::vector<Network>& networks, const Settings& settings,
                               const CancelFlag& cancel) {
  Figure figure{"networks",
                "The noise that a declared strength takes on a social network, as a multiple of the plain one, at a "
                "dependent epsilon of 1.",
                "",
                {},
                {}};
  std::size_t done = 0;
  const double steps = static_cast<double>(networks.size() * kCuts.size());
  for (const Network& network : networks) {
    std::string words = network.name;
    std::replace(words.begin(), words.end(), '_', ' ');
    Panel panel{network.name,
                "Noise on " + words,
                "odds ratio that is declared for every pair",
                "noise, times the plain one",
                true,
                true,
                {}};
    std::string useful;
    double largest_part = 0;
    for (const std::size_t cut : kCuts) {
      const auto pairs = ClosestOnly(network, cut);
      for (const double odds_ratio : kOddsRatios) {
        if (cancel.cancelled()) return Cancelled("the experiment was stopped");
        const auto noise = MultipleOf(network, pairs, odds_ratio, settings, cancel);
        if (!noise) return noise.error();
        panel.points.push_back(
            {CutName(cut), odds_ratio, {noise->times, noise->times, noise->times}, kEpsilon / noise->times});
        if (cut == 0) largest_part = noise->group;
      }
      const auto largest = LargestUseful(network, pairs, settings, cancel);
      if (!largest) return largest.error();
      useful += fmt::format("{}{}: {}", useful.empty() ? "" : "; ", CutName(cut),
                            *largest ? fmt::format("{:.3g}", **largest) : "none");
      if (settings.progress) settings.progress(static_cast<double>(++done) / steps);
    }
    for (const double odds_ratio : kOddsRatios) {
      panel.points.push_back({"group privacy",
                              odds_ratio,
                              {largest_part, largest_part, largest_part},
                              kEpsilon / std::max(1.0, largest_part)});
    }
    figure.panels.push_back(std::move(panel));
    figure.setting += (figure.setting.empty() ? "" : "; ") + InWords(network);
    figure.notes.push_back(
        fmt::format("{}: largest odds ratio whose noise is at most a tenth of that of group privacy "
                    "for the same pairs: {}.",
                    network.name, useful));
  }
  figure.setting += ".";
  figure.notes.push_back(
      "\"At most 10\" is a promise about the world: given the ten closest, nobody depends directly on anybody else. "
      "Leaving pairs out of a list does not make people independent.");
  return figure;
}

}  // namespace kith::experiment
