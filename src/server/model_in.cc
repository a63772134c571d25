#include "server/model_in.h"

#include <fmt/format.h>

#include "base/json.h"
#include "dependence/model_json.h"

namespace kith::server {

Result<Model> ModelIn(const Json& described) {
  constexpr double kMostRecords = 1'000'000;
  for (const char* name : {"nodes", "length"}) {
    const auto records = described.find(name);
    if (records != described.end() && records->is_number() && records->get<double>() > kMostRecords)
      return InvalidArgument(fmt::format("a model in a request has at most {:.0f} records", kMostRecords),
                             fmt::format("model: {}", name),
                             "leave out records without links, or use the command line");
  }
  return ModelFromJson(JsonText(described), "model");
}

}  // namespace kith::server
