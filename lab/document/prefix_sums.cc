#include "document/prefix_sums.h"

#include "base/json.h"

namespace kith::document {

Json ToJson(const PrefixSumsTable& table) {
  Json rows = Json::array();
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
