#include "report/diagram.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/markup.h"
#include "report/svg.h"

namespace kith::report {
namespace {

constexpr double kBox = 34, kStep = 74, kTop = 64, kBoxWidth = 150, kLeft = 190, kGap = 220, kWidth = 760;
constexpr const char* kLabel = "font-size=\"12\" fill=\"#444\"";
constexpr const char* kSolid = "stroke=\"#b2182b\" stroke-width=\"1.6\" fill=\"none\"";

double MiddleOf(std::size_t k, std::size_t count, std::size_t most) {
  const double space = static_cast<double>(most) / static_cast<double>(std::max<std::size_t>(count, 1));
  return kTop + kStep * (space * (static_cast<double>(k) + 0.5) - 0.5) + kBox / 2;
}

std::string Cut(const std::string& text, std::size_t most) { return Lines(text, most).front(); }

std::string Box(double x, double middle, const std::string& name) {
  return fmt::format(
             "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"5\" fill=\"#f4f4f4\" "
             "stroke=\"#555\"/>",
             x, middle - kBox / 2, kBoxWidth, kBox) +
         svg::Text(x + kBoxWidth / 2, middle + 5, {Cut(name, 18)}, "font-size=\"14\" text-anchor=\"middle\"");
}

}  // namespace

std::string Svg(const Diagram& diagram) {
  const std::size_t most = std::max<std::size_t>({diagram.left.size(), diagram.right.size(), 1});
  const double height = kTop + kStep * static_cast<double>(most) + 20;
  const double right = kLeft + kBoxWidth + kGap;
  const auto left_at = [&](std::size_t k) { return MiddleOf(k, diagram.left.size(), most); };
  const auto right_at = [&](std::size_t k) { return MiddleOf(k, diagram.right.size(), most); };
  std::string out = svg::Open(kWidth, height, diagram.title,
                              fmt::format("{} on the left, {} on the right", diagram.left_title, diagram.right_title));
  out += svg::Text(kLeft + kBoxWidth / 2, 40, {diagram.left_title}, "font-size=\"13\" text-anchor=\"middle\"");
  out += svg::Text(right + kBoxWidth / 2, 40, {diagram.right_title}, "font-size=\"13\" text-anchor=\"middle\"");
  for (const Diagram::Link& link : diagram.across) {
    const double y1 = left_at(link.from), y2 = right_at(link.to);
    out +=
        svg::Line(kLeft + kBoxWidth, y1, right, y2, "stroke=\"#2166ac\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"");
    // Near its own box, so that labels of crossing lines do not meet.
    out += svg::Text(kLeft + kBoxWidth + kGap * 0.3, y1 + (y2 - y1) * 0.3 - 5, {link.label}, kLabel);
  }
  // Arcs farther out for boxes farther apart; the label is at the outermost point.
  std::vector<std::pair<double, double>> taken;
  std::string labels;  // above all arcs
  for (const Diagram::Link& link : diagram.within) {
    const double y1 = left_at(link.from), y2 = left_at(link.to), middle = (y1 + y2) / 2;
    const double out_by = std::min(160.0, 30 + 0.45 * std::abs(y2 - y1));
    out += fmt::format("<path d=\"M {:.1f} {:.1f} C {:.1f} {:.1f}, {:.1f} {:.1f}, {:.1f} {:.1f}\" {}/>", kLeft, y1,
                       kLeft - out_by, y1, kLeft - out_by, y2, kLeft, y2, kSolid);
    double label = middle + 4;
    while (std::any_of(taken.begin(), taken.end(), [&](const auto& other) {
      return std::abs(other.first - label) < 14 && std::abs(other.second - out_by) < 130;
    }))
      label += 15;
    taken.emplace_back(label, out_by);
    labels += svg::Text(kLeft - 0.75 * out_by - 6, label, {link.label},
                        "font-size=\"12\" fill=\"#b2182b\" stroke=\"#fff\" stroke-width=\"5\" "
                        "paint-order=\"stroke\" text-anchor=\"end\"");
  }
  out += labels;
  for (std::size_t k = 0; k < diagram.left.size(); ++k) out += Box(kLeft, left_at(k), diagram.left[k]);
  for (std::size_t k = 0; k < diagram.right.size(); ++k) out += Box(right, right_at(k), diagram.right[k]);
  if (!diagram.joined.empty() && diagram.right.size() > 1) {
    const double x = right + kBoxWidth + 16, from = right_at(0), to = right_at(diagram.right.size() - 1);
    out += svg::Line(x, from, x, to, kSolid);
    for (std::size_t k = 0; k < diagram.right.size(); ++k)
      out += svg::Line(right + kBoxWidth, right_at(k), x, right_at(k), kSolid);
    out += fmt::format("<g transform=\"translate({:.1f} {:.1f}) rotate(90)\">", x + 8, (from + to) / 2) +
           svg::Text(0, 0, {diagram.joined}, "font-size=\"12\" fill=\"#b2182b\" text-anchor=\"middle\"") + "</g>";
  }
  return out + svg::Close();
}

}  // namespace kith::report
