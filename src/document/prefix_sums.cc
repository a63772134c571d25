#include "document/prefix_sums.h"

#include <nlohmann/json.hpp>

namespace kith::document {

nlohmann::json ToJson(const PrefixSumsTable& table) {
  nlohmann::json rows = nlohmann::json::array();
  for (const auto& row : table.rows) {
    rows.push_back({{"cells", row.cells},
                    {"laplace_cells", row.laplace_cells},
                    {"simple_tree", row.simple_tree},
                    {"tree", row.tree},
                    {"normal_cells", row.normal_cells},
                    {"toeplitz", row.toeplitz}});
  }
  return {{"epsilon", table.epsilon}, {"delta", table.delta}, {"mu", table.mu}, {"prefix_sums", std::move(rows)}};
}

}  // namespace kith::document
