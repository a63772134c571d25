#include "report/small_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/markup.h"
#include "report/svg.h"

namespace kith::report {
namespace {

constexpr double kWidth = 760, kSide = 4, kGap = 14, kCaption = 20;
constexpr std::size_t kAcross = 4, kFinest = 32;

// White to a dark blue by way of yellow-green; grows with the root, so that sparse places show next to dense ones.
std::string Colour(double part) {
  struct Stop {
    double at, red, green, blue;
  };
  static constexpr Stop kStops[] = {
      {0, 255, 255, 255}, {0.25, 199, 233, 180}, {0.5, 65, 182, 196}, {0.75, 34, 94, 168}, {1, 8, 29, 88}};
  const double root = std::sqrt(std::clamp(part, 0.0, 1.0));
  for (std::size_t k = 1; k < std::size(kStops); ++k) {
    const Stop &low = kStops[k - 1], &high = kStops[k];
    if (root > high.at) continue;
    const double t = (root - low.at) / (high.at - low.at);
    const auto mix = [t](double a, double b) { return static_cast<int>(std::lround(a + t * (b - a))); };
    return fmt::format("#{:02x}{:02x}{:02x}", mix(low.red, high.red), mix(low.green, high.green),
                       mix(low.blue, high.blue));
  }
  return "#081d58";
}

// Blocks of at most kFinest along each side.
struct Blocks {
  std::size_t columns = 0, rows = 0;
  std::vector<double> values;
};

Blocks BlocksOf(const SmallMaps& maps, const std::vector<double>& values) {
  Blocks out{std::min(maps.columns, kFinest), std::min(maps.rows, kFinest), {}};
  out.values.assign(out.columns * out.rows, 0);
  std::vector<double> held(out.values.size(), 0);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::size_t a = k / maps.rows * out.columns / maps.columns, b = k % maps.rows * out.rows / maps.rows;
    out.values[a * out.rows + b] += values[k];
    ++held[a * out.rows + b];
  }
  for (std::size_t k = 0; k < held.size(); ++k) out.values[k] /= std::max(1.0, held[k]);
  return out;
}

double LargestOf(const SmallMaps& maps) {
  double largest = 0;
  for (const auto& panel : maps.panels) {
    for (const double value : BlocksOf(maps, panel.values).values) largest = std::max(largest, value);
  }
  return largest;
}

std::string PanelOf(const SmallMaps& maps, const SmallMaps::Panel& panel, double x, double y, double width,
                    double largest) {
  const double height = width * maps.aspect;
  std::string out = svg::Text(x, y - 6, {panel.caption}, "font-size=\"11\"");
  if (panel.values.empty()) {
    out += svg::Text(x + width / 2, y + height / 2, {panel.remark}, "text-anchor=\"middle\" fill=\"#555\"");
  } else {
    const Blocks blocks = BlocksOf(maps, panel.values);
    const double w = width / static_cast<double>(blocks.columns), h = height / static_cast<double>(blocks.rows);
    for (std::size_t k = 0; k < blocks.values.size(); ++k) {
      if (!(blocks.values[k] > 0) || largest <= 0) continue;
      const auto a = static_cast<double>(k / blocks.rows), b = static_cast<double>(k % blocks.rows);
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                         x + a * w, y + height - (b + 1) * h, w + 0.2, h + 0.2, Colour(blocks.values[k] / largest));
    }
  }
  return out + fmt::format(
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" "
                   "stroke=\"#111\"/>\n",
                   x, y, width, height);
}

// What the colours mean, and how large a value noise alone could make.
std::string LegendOf(const SmallMaps& maps, double y, double largest) {
  constexpr double kLeft = 20, kLong = 260, kHigh = 10;
  constexpr int kParts = 52;
  std::string out;
  for (int k = 0; k < kParts; ++k) {
    const double part = (k + 0.5) / kParts;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" fill=\"{}\"/>\n",
                       kLeft + kLong * k / kParts, y, kLong / kParts + 0.2, kHigh, Colour(part * part));
  }
  out += svg::Text(kLeft, y + 24, {"0"}, "text-anchor=\"middle\"");
  out += svg::Text(kLeft + kLong, y + 24, {NumberText(largest)}, "text-anchor=\"middle\"");
  std::string words = maps.value_label;
  if (maps.error_95 > 0) words += fmt::format("; noise: ± {} with 95 %", NumberText(maps.error_95));
  return out + svg::Text(kLeft + kLong + 40, y + 10, {words}, "");
}

}  // namespace

std::string Svg(const SmallMaps& maps) {
  const std::size_t across = std::clamp<std::size_t>(maps.panels.size(), 1, kAcross);
  const std::size_t down = (maps.panels.size() + across - 1) / across;
  // Two maps would be larger than is useful.
  const double width =
      std::min(240.0, (kWidth - 2 * kSide - kGap * static_cast<double>(across - 1)) / static_cast<double>(across));
  const double step = width * maps.aspect + kCaption + kGap, top = 40 + kCaption;
  const double legend = top + step * static_cast<double>(down), largest = LargestOf(maps);
  std::vector<std::string> footer;
  for (const std::string& text : maps.footer) {
    for (std::string& line : Lines(text, 118)) footer.push_back(std::move(line));
  }
  std::string out = svg::Open(kWidth, legend + 52 + svg::kLineHeight * static_cast<double>(footer.size()), maps.title,
                              fmt::format("{} maps, one for each step, with one scale of colours from 0 to {}.",
                                          maps.panels.size(), NumberText(largest)));
  out += svg::Text(kSide, 22, {maps.title}, "font-size=\"15\" font-weight=\"bold\"");
  for (std::size_t k = 0; k < maps.panels.size(); ++k) {
    const auto column = static_cast<double>(k % across), row = static_cast<double>(k / across);
    out += PanelOf(maps, maps.panels[k], kSide + column * (width + kGap), top + row * step, width, largest);
  }
  out += LegendOf(maps, legend, largest);
  out += svg::Text(kSide, legend + 46, footer, "fill=\"#555\" font-size=\"11\"");
  return out + svg::Close();
}

}  // namespace kith::report
