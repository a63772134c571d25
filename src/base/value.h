// A literal from a policy or a question: public by definition, never a value read from data.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace kith {

struct Null {
  bool operator==(const Null&) const = default;
};
using Value = std::variant<Null, bool, std::int64_t, double, std::string>;

/// As a person would write it: NULL, true, 42, 0.5, mz.
std::string ToText(const Value& value);

/// A whole number or a real one; nothing for anything else.
std::optional<double> NumberIn(const Value& value);

}  // namespace kith
