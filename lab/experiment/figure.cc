#include "experiment/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kith::experiment {

namespace {

/// As CSV has it: quoted where a comma or a quote would be read as more than a letter.
std::string Field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string CsvOf(const Panel& panel) {
  if (!panel.table.empty()) return panel.table;
  std::string csv = "method,x,mean,low,high,plain_epsilon\n";
  for (const Point& point : panel.points)
    csv += fmt::format("{},{},{},{},{},{}\n", Field(point.method), point.x, point.y.mean, point.y.low, point.y.high,
                       point.plain);
  return csv;
}

const Point* PointAt(const Panel& panel, const std::string& method, double x) {
  const Point* best = nullptr;
  for (const Point& point : panel.points) {
    if (point.method != method) continue;
    if (best == nullptr || std::abs(point.x - x) < std::abs(best->x - x)) best = &point;
  }
  return best;
}

std::string ValueText(const Panel& panel, const std::string& method, double x) {
  const Point* point = PointAt(panel, method, x);
  if (point == nullptr) return "none";
  const Estimate& y = point->y;
  if (!(y.low < y.high) || Compact(y.low) == Compact(y.high)) return Compact(y.mean);
  return fmt::format("{} ({} to {})", Compact(y.mean), Compact(y.low), Compact(y.high));
}

std::string Compact(double value) {
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const double size = std::abs(value);
  if (size < 1000 || size >= 1e9) return fmt::format("{:.3g}", value);
  const double unit = std::pow(10, std::floor(std::log10(size)) - 2);
  const bool whole = value == std::floor(value) && size < 1e6;  // a count: all its digits
  std::string text = fmt::format("{:.0f}", whole ? value : std::round(value / unit) * unit);
  for (std::size_t at = text.size(); at > (value < 0 ? 4u : 3u); at -= 3) text.insert(at - 3, ",");
  return text;
}

Estimate ShareOf(std::size_t hits, std::size_t tries) {
  const double n = static_cast<double>(tries), p = static_cast<double>(hits) / n, z = 1.959964;
  const double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
  const double half = z * std::sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);
  return {p, std::max(0.0, std::min(p, middle - half)), std::min(1.0, std::max(p, middle + half))};
}

}  // namespace kith::experiment
