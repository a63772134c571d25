#include "app/cli/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kith::cli {
namespace {

constexpr double kWidth = 720, kHeight = 440, kLeft = 70, kRight = 150, kTop = 50, kBottom = 56;
constexpr const char* kColours[] = {"#0b62a4", "#c2410c", "#4d7c0f", "#7e22ce", "#0e7490", "#6b7280"};

std::string Escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

// 1, 2 or 5 times a power of ten, so that there are about five steps.
double Step(double span) {
  const double rough = span / 5, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * power >= rough) return m * power;
  }
  return 10 * power;
}

struct Frame {
  double most_x = 0, most_y = 0;
  double X(double x) const { return kLeft + x / most_x * (kWidth - kLeft - kRight); }
  double Y(double y) const { return kHeight - kBottom - y / most_y * (kHeight - kTop - kBottom); }
};

void Axes(const Chart& chart, const Frame& frame, std::string& svg) {
  for (double x = 0; x <= frame.most_x * 1.0001; x += Step(frame.most_x)) {
    svg += fmt::format(
        "<line x1='{0:.1f}' x2='{0:.1f}' y1='{1}' y2='{2}' stroke='#e5e7eb'/><text x='{0:.1f}' y='{3}' "
        "text-anchor='middle'>{4:g}</text>\n",
        frame.X(x), kTop, kHeight - kBottom, kHeight - kBottom + 18, x);
  }
  for (double y = 0; y <= frame.most_y * 1.0001; y += Step(frame.most_y)) {
    svg += fmt::format(
        "<line x1='{1}' x2='{2}' y1='{0:.1f}' y2='{0:.1f}' stroke='#e5e7eb'/><text x='{3}' y='{4:.1f}' "
        "text-anchor='end'>{5:g}</text>\n",
        frame.Y(y), kLeft, kWidth - kRight, kLeft - 8, frame.Y(y) + 4, y);
  }
  svg += fmt::format("<text x='{}' y='{}' text-anchor='middle'>{}</text>\n", (kLeft + kWidth - kRight) / 2,
                     kHeight - 14, Escaped(chart.x));
  svg += fmt::format("<text transform='translate(20 {}) rotate(-90)' text-anchor='middle'>{}</text>\n",
                     (kTop + kHeight - kBottom) / 2, Escaped(chart.y));
  svg += fmt::format("<text x='{}' y='28' font-size='16' font-weight='600'>{}</text>\n", kLeft, Escaped(chart.title));
}

}  // namespace

std::string Svg(const Chart& chart) {
  Frame frame;
  for (const auto& line : chart.lines) {
    for (const auto& [x, y] : line.points) {
      frame.most_x = std::max(frame.most_x, x);
      if (line.strong && std::isfinite(y)) frame.most_y = std::max(frame.most_y, y);
    }
  }
  if (!(frame.most_x > 0)) frame.most_x = 1;
  frame.most_y = frame.most_y > 0 ? frame.most_y * 1.25 : 1;
  std::string svg = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0} {1}' width='{0}' height='{1}' font-family='sans-serif' "
      "font-size='13' fill='#111827'>\n"
      "<rect width='100%' height='100%' fill='white'/>\n",
      kWidth, kHeight);
  Axes(chart, frame, svg);
  std::vector<double> taken;  // heights of labels, so that they do not cover each other
  for (std::size_t k = 0; k < chart.lines.size(); ++k) {
    const Line& line = chart.lines[k];
    std::string path;
    double last_x = kLeft, last_y = kHeight - kBottom;
    for (const auto& [x, y] : line.points) {
      if (!std::isfinite(y) || y > frame.most_y) break;
      last_x = frame.X(x);
      last_y = frame.Y(y);
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", last_x, last_y);
    }
    const char* colour = kColours[k % std::size(kColours)];
    svg += fmt::format("<path d='{}' fill='none' stroke='{}' stroke-width='{}'{}/>\n", path, colour,
                       line.strong ? 2.6 : 1.4, line.strong ? "" : " stroke-dasharray='5 4'");
    double label = last_y + 4;
    while (std::any_of(taken.begin(), taken.end(), [&](double t) { return std::abs(t - label) < 15; })) label += 15;
    taken.push_back(label);
    svg +=
        fmt::format("<text x='{:.1f}' y='{:.1f}' fill='{}'>{}</text>\n", last_x + 8, label, colour, Escaped(line.name));
  }
  return svg + "</svg>\n";
}

}  // namespace kith::cli
