// The project's test vectors (tests/vectors/*.json), by id.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace kith::testing {

struct Vector {
  std::string id;
  nlohmann::json inputs;
  nlohmann::json expected;
  double tolerance = 0;  // absolute
};

/// All vectors of tests/vectors/FILE.json whose id starts with prefix. Aborts the test program if there are none.
std::vector<Vector> Vectors(const std::string& file, const std::string& prefix);

}  // namespace kith::testing
