// How all engines spell a double.
#pragma once
#include <fmt/format.h>

#include <string>

namespace kith::sql {

/// 0.5e0: with an exponent, by which engines distinguish a double from a decimal. Requires: finite.
inline std::string DoubleText(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find('e') == std::string::npos) text += "e0";
  return text;
}

}  // namespace kith::sql
