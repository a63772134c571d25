#include "loss/loss_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace kith {
namespace {

double Read(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

/// The nearest decimal with this many digits, or the next one if that is on the wrong side.
std::string Decimal(double value, int digits, bool up) {
  const std::string nearest = fmt::format("{:.{}e}", value, digits - 1);  // "-1.234e-05"
  if (up ? Read(nearest) >= value : Read(nearest) <= value) return nearest;
  const std::size_t end = nearest.find('e');
  const bool negative = nearest[0] == '-';
  std::string mantissa;
  for (const char c : nearest.substr(0, end)) {
    if (c >= '0' && c <= '9') mantissa += c;
  }
  const int exponent = std::atoi(nearest.c_str() + end + 1) - (digits - 1);
  const long long whole = std::stoll(mantissa);
  const std::string sign = negative ? "-" : "";
  if (up != negative) return fmt::format("{}{}e{}", sign, whole + 1, exponent);
  const bool smallest = mantissa.find_first_not_of('0', 1) == std::string::npos && mantissa[0] == '1';
  return smallest ? fmt::format("{}{}e{}", sign, whole * 10 - 1, exponent - 1)  // 0.9999 comes before 1
                  : fmt::format("{}{}e{}", sign, whole - 1, exponent);
}

std::string Text(double value, int digits, bool up) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (value == 0) return "0";
  const double decimal = Read(Decimal(value, digits, up));
  if (std::isinf(decimal)) return decimal > 0 ? "∞" : "-∞";
  // No exponents where people read digits; the decimal is then a whole number.
  if (std::fabs(decimal) >= std::pow(10, digits) && std::fabs(decimal) < 1e9) return fmt::format("{:.0f}", decimal);
  return fmt::format("{:.{}g}", decimal, digits);
}

}  // namespace

std::string LossText(double loss, int digits) { return Text(loss, digits, true); }
std::string LeftText(double amount, int digits) { return Text(amount, digits, false); }

}  // namespace kith
