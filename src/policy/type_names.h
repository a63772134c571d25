// What types of columns are called, in policies and everywhere else.
#pragma once
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "policy/policy.h"

namespace kith {

inline constexpr std::array<std::pair<std::string_view, ColumnType>, 6> kTypeNames = {
    {{"text", ColumnType::kText},
     {"integer", ColumnType::kInteger},
     {"real", ColumnType::kReal},
     {"boolean", ColumnType::kBoolean},
     {"date", ColumnType::kDate},
     {"timestamp", ColumnType::kTimestamp}}};

inline std::string TypeName(ColumnType type) {
  for (const auto& [name, named] : kTypeNames) {
    if (named == type) return std::string(name);
  }
  return {};
}

}  // namespace kith
