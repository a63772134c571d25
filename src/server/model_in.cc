#include "server/model_in.h"

#include <fmt/format.h>

#include "base/json.h"
#include "dependence/model_json.h"

namespace kith::server {

Result<Model> ModelIn(const Json& described) {
  constexpr double kMostRecords = 1'000'000;
  const auto nodes = described.find("nodes");
  if (nodes != described.end() && nodes->is_number() && nodes->get<double>() > kMostRecords)
    return InvalidArgument(fmt::format("a model in a request has at most {:.0f} records", kMostRecords), "model: nodes",
                           "leave out records without links, or use the command line");
  return ModelFromJson(JsonText(described), "model");
}

}  // namespace kith::server
