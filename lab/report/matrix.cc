#include "report/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/axis.h"
#include "report/markup.h"
#include "report/svg.h"

namespace kith::report {
namespace {

constexpr double kLargest = 480;

std::string Colour(double value) {
  const auto part = [&](double white, double dark) {
    return static_cast<int>(std::lround(white + (dark - white) * std::clamp(value, 0.0, 1.0)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", part(255, 8), part(255, 48), part(255, 107));
}

}  // namespace

std::string Svg(const MatrixChart& chart) {
  const std::size_t n = chart.values.size();
  const double side = std::clamp(kLargest / std::max(1.0, static_cast<double>(n)), 3.0, 48.0);
  const bool written = side >= 36;
  double left = 40;
  for (const std::string& name : chart.names) left = std::max(left, TextWidth(name) + 30);
  const double top = 64, width = left + side * static_cast<double>(n) + 20;
  std::string out = svg::Open(std::max(width, 620.0), top + side * static_cast<double>(n) + 20, chart.title,
                              fmt::format("{} by {}, {} of each.", chart.row_label, chart.column_label, n));
  out += svg::Text(10, 22, {chart.title}, "font-size=\"15\" font-weight=\"bold\"");
  out += svg::Text(10, 40,
                   {fmt::format("rows: {}; columns: {}; white is 0, dark is 1", chart.row_label, chart.column_label)},
                   "font-size=\"12\" fill=\"#444\"");
  out += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"none\" stroke=\"#999\"/>\n", left, top,
      side * static_cast<double>(n), side * static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const double y = top + side * static_cast<double>(i);
    const std::string name = i < chart.names.size() ? chart.names[i] : std::to_string(i);
    if (side >= 12) out += svg::Text(left - 6, y + side / 2 + 4, {name}, "font-size=\"11\" text-anchor=\"end\"");
    for (std::size_t j = 0; j < chart.values[i].size(); ++j) {
      const double value = chart.values[i][j], x = left + side * static_cast<double>(j);
      if (std::isnan(value) || (side < 12 && value < 0.004)) continue;  // white on white
      out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"{}/>\n", x, y,
                         side, side, Colour(value), side < 12 ? "" : " stroke=\"#bbb\" stroke-width=\"0.4\"");
      if (written) {
        out += svg::Text(
            x + side / 2, y + side / 2 + 4, {fmt::format("{:.2f}", value)},
            fmt::format("font-size=\"11\" text-anchor=\"middle\" fill=\"{}\"", value > 0.5 ? "#fff" : "#000"));
      }
    }
  }
  return out + svg::Close();
}

}  // namespace kith::report
