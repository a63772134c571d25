// What is declared about how records depend on each other. Knows nothing of privacy, reads no files.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace kith {

/// Records are independent.
struct Independent {};

/// Records of one group depend on each other; groups are jointly independent.
struct GroupClass {
  std::string label;                 // value of the public column that tells the classes apart; empty if there is one class
  std::optional<double> odds_ratio;  // largest odds ratio between two members given all others; nothing: anything goes
};
struct Group {
  std::int64_t size = 0;            // the largest group in the world, relatives outside the table included
  std::vector<GroupClass> classes;  // at least one
};

using Model = std::variant<Independent, Group>;

}  // namespace kith
