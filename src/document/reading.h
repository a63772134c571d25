// Internal to document: nlohmann's exceptions become errors.
#pragma once
#include <nlohmann/json.hpp>

#include "base/result.h"

namespace kith::document {

/// `read` makes a value of `in`, and may throw.
template <class Read>
auto ReadDocument(const char* what, const nlohmann::json& in, Read read) -> Result<decltype(read(in))> {
  try {
    return read(in);
  } catch (const nlohmann::json::exception&) {
    return InvalidArgument(std::string("this is not a document about ") + what, {},
                           "docs/schema/kith.schema.json says what one looks like");
  }
}

}  // namespace kith::document
