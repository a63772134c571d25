#include "lab/graph_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "attack/kmeans.h"
#include "report/svg.h"

namespace kith::experiment {
namespace {

constexpr double kSize = 640;
constexpr double kHead = 44;  // the title and a line of words
constexpr std::array<const char*, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                 "#e69f00", "#56b4e9", "#7f7f7f", "#f0e442"};

struct Spot {
  double x = 0, y = 0;
};
using Edges = std::vector<std::pair<std::size_t, std::size_t>>;

std::vector<Spot> Arrange(std::size_t nodes, const Edges& edges, std::mt19937_64& engine) {
  std::vector<Spot> at(nodes);
  for (Spot& spot : at) spot = {attack::Uniform(engine), attack::Uniform(engine)};
  const double ideal = 0.6 / std::sqrt(static_cast<double>(nodes));
  constexpr int kSteps = 150;
  for (int step = 0; step < kSteps; ++step) {
    std::vector<Spot> push(nodes);
    for (std::size_t a = 0; a < nodes; ++a) {
      push[a] = {0.5 - at[a].x, 0.5 - at[a].y};  // nobody drifts away
      for (std::size_t b = 0; b < nodes; ++b) {
        const double x = at[a].x - at[b].x, y = at[a].y - at[b].y, square = std::max(1e-8, x * x + y * y);
        push[a].x += x * ideal * ideal / square;
        push[a].y += y * ideal * ideal / square;
      }
    }
    for (const auto& [a, b] : edges) {
      const double x = at[a].x - at[b].x, y = at[a].y - at[b].y, far = std::sqrt(x * x + y * y) / ideal * 0.15;
      push[a] = {push[a].x - x * far, push[a].y - y * far};
      push[b] = {push[b].x + x * far, push[b].y + y * far};
    }
    const double most = 0.08 * (1 - static_cast<double>(step) / kSteps) + 1e-4;
    for (std::size_t a = 0; a < nodes; ++a) {
      const double length = std::sqrt(push[a].x * push[a].x + push[a].y * push[a].y);
      const double factor = length > most ? most / length : 1;
      at[a] = {at[a].x + factor * push[a].x, at[a].y + factor * push[a].y};
    }
  }
  return at;
}

/// From 0 to 1: nearly all take the middle, the few who are farther out (below 0 or above 1) share the rim, in their
/// order.
double Squeeze(double place) {
  constexpr double kRim = 0.08;
  const double out = std::max({-place, place - 1, 0.0});
  const double rim = kRim * out / (out + 0.2);
  if (place < 0) return kRim - rim;
  return place > 1 ? 1 - kRim + rim : kRim + (1 - 2 * kRim) * place;
}

/// To the size of the picture.
void Fit(std::vector<Spot>* at) {
  for (double Spot::*axis : {&Spot::x, &Spot::y}) {
    std::vector<double> sorted;
    for (const Spot& spot : *at) sorted.push_back(spot.*axis);
    std::sort(sorted.begin(), sorted.end());
    const double low = sorted[sorted.size() / 50], high = sorted[sorted.size() - 1 - sorted.size() / 50];
    for (Spot& spot : *at)
      spot.*axis = 12 + (kSize - 24) * Squeeze(high > low ? (spot.*axis - low) / (high - low) : 0.5);
  }
}

}  // namespace

std::string DrawGraph(const attack::Friends& friends, const std::vector<std::uint32_t>& clusters, std::size_t people,
                      std::size_t edges, std::uint64_t seed, const std::string& title) {
  std::vector<std::size_t> order(friends.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return friends[a].size() > friends[b].size(); });
  order.resize(std::min(people, order.size()));
  std::vector<std::size_t> number(friends.size(), friends.size());
  for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = k;
  Edges drawn;
  for (const std::size_t a : order) {
    for (const std::uint32_t b : friends[a]) {
      if (number[b] < friends.size() && a < b) drawn.emplace_back(number[a], number[b]);
    }
  }
  std::mt19937_64 engine(seed);
  for (std::size_t k = 0; k < std::min(edges, drawn.size()); ++k)
    std::swap(drawn[k],
              drawn[k + static_cast<std::size_t>(attack::Uniform(engine) * static_cast<double>(drawn.size() - k))]);
  drawn.resize(std::min(edges, drawn.size()));
  auto at = Arrange(order.size(), drawn, engine);
  Fit(&at);
  std::string svg = report::svg::Open(kSize, kSize + kHead, title, "friendships between people, coloured by clusters");
  svg += report::svg::Text(12, 22, {title}, "font-size=\"15\" font-weight=\"bold\"");
  svg += report::svg::Text(
      12, 40,
      {fmt::format("{} people with the most friends, {} of their friendships; a colour is a cluster of places",
                   order.size(), drawn.size())},
      "");
  std::string path;
  for (const auto& [a, b] : drawn)
    path += fmt::format("M{:.0f} {:.0f}L{:.0f} {:.0f}", at[a].x, at[a].y + kHead, at[b].x, at[b].y + kHead);
  svg += fmt::format("<path d=\"{}\" stroke=\"#999\" stroke-width=\"0.4\" fill=\"none\"/>\n", path);
  for (std::size_t c = 0; c < kColours.size(); ++c) {
    svg += fmt::format("<g fill=\"{}\">", kColours[c]);
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (clusters[order[k]] % kColours.size() == c)
        svg += fmt::format("<circle cx=\"{:.0f}\" cy=\"{:.0f}\" r=\"3\"/>", at[k].x, at[k].y + kHead);
    }
    svg += "</g>\n";
  }
  return svg + report::svg::Close();
}

}  // namespace kith::experiment
