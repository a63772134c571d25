#include "base/value.h"

#include <fmt/format.h>

namespace kith {

std::string ToText(const Value& value) {
  struct Writer {
    std::string operator()(Null) const { return "NULL"; }
    std::string operator()(bool b) const { return b ? "true" : "false"; }
    std::string operator()(std::int64_t i) const { return fmt::format("{}", i); }
    std::string operator()(double d) const { return fmt::format("{}", d); }
    std::string operator()(const std::string& s) const { return s; }
  };
  return std::visit(Writer{}, value);
}

}  // namespace kith
