#include "lab/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kith::experiment {

std::string CsvOf(const Panel& panel) {
  std::string csv = "method,x,mean,low,high,plain_epsilon\n";
  for (const Point& point : panel.points)
    csv +=
        fmt::format("{},{},{},{},{},{}\n", point.method, point.x, point.y.mean, point.y.low, point.y.high, point.plain);
  return csv;
}

report::LineChart ChartOf(const Panel& panel) {
  report::LineChart chart{panel.title, panel.x_label, panel.y_label, panel.log_x, panel.log_y, {}};
  for (const Point& point : panel.points) {
    auto line = std::find_if(chart.series.begin(), chart.series.end(),
                             [&](const report::Series& series) { return series.name == point.method; });
    if (line == chart.series.end()) {
      chart.series.push_back({point.method, {}, {}, {}, {}, false});
      line = std::prev(chart.series.end());
    }
    line->x.push_back(point.x);
    line->y.push_back(point.y.mean);
    line->low.push_back(point.y.low);
    line->high.push_back(point.y.high);
  }
  for (auto& line : chart.series) {
    if (line.low != line.high) continue;
    line.low.clear();
    line.high.clear();
  }
  return chart;
}

Estimate ShareOf(std::size_t hits, std::size_t tries) {
  const double n = static_cast<double>(tries), p = static_cast<double>(hits) / n, z = 1.959964;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {p, std::max(0.0, std::min(p, middle - half)), std::min(1.0, std::max(p, middle + half))};
}

}  // namespace kith::experiment
