#include <nlohmann/json.hpp>

#include "document/codes.h"
#include "document/to_json.h"

namespace kith::document {

nlohmann::json ToJson(const Error& error) {
  nlohmann::json out = {
      {"code", NameOf(error.code)}, {"what", error.what}, {"where", error.where}, {"next", error.next}};
  if (!error.parameter.empty()) out["parameter"] = error.parameter;
  return {{"error", std::move(out)}};
}

}  // namespace kith::document
