#include "report/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kith::report {
namespace {

constexpr double kLargest = 1e300;
constexpr double kSmallest = 1e-300;

// 1, 2 or 5 times a power of ten, so that there are about `wanted` steps.
double NiceStep(double span, double wanted) {
  const double rough = span / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double m : {1.0, 2.0, 5.0}) {
    if (m * power >= rough * (1 - 1e-9)) return m * power;
  }
  return 10 * power;
}

std::string Superscript(int exponent) {
  static constexpr const char* kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string out = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) out += kDigits[digit - '0'];
  return out;
}

std::string WithTrueMinus(std::string text) {
  if (!text.empty() && text[0] == '-') text.replace(0, 1, "−");
  return text;
}

/// Four digits, or as many as it takes to distinguish the ticks.
std::string TickText(double value, double step) {
  const double size = std::abs(value);
  if (size < 1e-3 || size >= 1000 || size < 1000 * step) return NumberText(value);
  return WithTrueMinus(fmt::format("{:.{}f}", value, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))));
}

}  // namespace

bool Drawable(double value, bool log) {
  return std::isfinite(value) && std::abs(value) <= kLargest && (!log || value >= kSmallest);
}

Axis Axis::Over(const std::vector<double>& values, bool log) {
  double low = INFINITY, high = -INFINITY;
  for (const double value : values) {
    if (!Drawable(value, log)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) return {log ? 1.0 : 0.0, log ? 10.0 : 1.0, log};
  if (log) {
    if (high / low < 1.5) return {low / 2, high * 2, log};
    const double margin = std::pow(high / low, 0.04);
    return {low / margin, high * margin, log};
  }
  if (low > 0 && low < high / 2) low = 0;
  if (high < 0 && high > low / 2) high = 0;
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low <= size * 1e-9) {  // one value only: give it room
    if (size < kSmallest) return {0, 1, log};
    return {low - size / 2, high + size / 2, log};
  }
  const double margin = (high - low) * 0.05;
  return {low == 0 ? 0 : low - margin, high == 0 ? 0 : high + margin, log};
}

double Axis::Place(double value) const {
  const double place =
      log_ ? std::log(std::max(value, kSmallest) / low_) / std::log(high_ / low_) : (value - low_) / (high_ - low_);
  return std::clamp(place, -20.0, 21.0);
}

std::vector<Tick> Axis::Ticks() const {
  std::vector<Tick> ticks;
  const double decades = log_ ? std::log10(high_ / low_) : 0;
  if (decades > 1) {
    const int stride = std::max(1, static_cast<int>(std::ceil(decades / 11)));
    const int first = static_cast<int>(std::ceil(std::log10(low_) - 1));
    for (int power = first; std::pow(10, power) <= high_; power += stride) {
      for (const int m : decades > 3 ? std::vector<int>{1} : std::vector<int>{1, 2, 5}) {
        const double value = m * std::pow(10, power);
        if (value >= low_ && value <= high_) ticks.push_back({value, NumberText(value)});
      }
    }
    return ticks;
  }
  const double step = NiceStep(high_ - low_, 6);
  const double first = std::ceil(low_ / step);
  for (int k = 0; k < 12 && (first + k) * step <= high_ * (1 + 1e-12) + step * 1e-9; ++k) {
    const double value = (first + k) * step;
    ticks.push_back({value, TickText(std::abs(value) < step * 1e-9 ? 0 : value, step)});
  }
  return ticks;
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "no value";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e-3 && size < 1e6) {
    if (size >= 1000) return WithTrueMinus(fmt::format("{:.0f}", value));
    return WithTrueMinus(fmt::format("{:.4g}", value));
  }
  int exponent = static_cast<int>(std::floor(std::log10(size)));
  double lead = std::round(size / std::pow(10, exponent) * 100) / 100;
  if (!std::isfinite(lead)) return WithTrueMinus(fmt::format("{:.3g}", value));  // below the normal range
  if (lead >= 10) {
    lead = 1;
    ++exponent;
  }
  const std::string power = "10" + Superscript(exponent);
  const std::string sign = value < 0 ? "−" : "";
  return lead == 1 ? sign + power : fmt::format("{}{:g}·{}", sign, lead, power);
}

}  // namespace kith::report
