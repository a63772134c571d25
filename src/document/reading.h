// Internal to document: nlohmann's exceptions become errors.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

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

// All of these throw nlohmann's exceptions.

/// The elements of a list, which must be one.
inline const nlohmann::json::array_t& Items(const nlohmann::json& in) {
  return in.get_ref<const nlohmann::json::array_t&>();
}

/// A whole number >= 0.
inline std::size_t CountOf(const nlohmann::json& in) {
  if (in.is_number_integer() && !in.is_number_unsigned() && in.get<std::int64_t>() >= 0) return in.get<std::size_t>();
  return in.get_ref<const nlohmann::json::number_unsigned_t&>();
}

/// For a text that no document has there.
[[noreturn]] inline void RefuseText(const nlohmann::json& in) {
  throw nlohmann::json::other_error::create(501, "not a word of this field", &in);
}

/// The one of `all` whose word this is.
template <class Kind, class Word>
Kind OfWord(const nlohmann::json& in, std::initializer_list<Kind> all, Word word) {
  for (const Kind kind : all) {
    if (in.get_ref<const std::string&>() == word(kind)) return kind;
  }
  RefuseText(in);
}

}  // namespace kith::document
