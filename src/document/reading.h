// Internal to document: what JSON throws becomes errors.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace kith::document {

/// `read` makes a value of `in`, and may throw.
template <class Read>
auto ReadDocument(const char* what, const Json& in, Read read) -> Result<decltype(read(in))> {
  try {
    return read(in);
  } catch (const JsonError&) {
    return InvalidArgument(std::string("this is not a document about ") + what, {},
                           "docs/schema/kith.schema.json says what one looks like");
  }
}

// All of these throw JsonError.

/// The elements of a list, which must be one.
inline const Json::array_t& Items(const Json& in) { return in.get_ref<const Json::array_t&>(); }

/// A whole number >= 0.
inline std::size_t CountOf(const Json& in) {
  if (!in.is_number_integer() || (!in.is_number_unsigned() && in.get<std::int64_t>() < 0))
    throw JsonError("JSON: not a whole number from 0 on");
  return in.get<std::size_t>();
}

/// For text that no document has there.
[[noreturn]] inline void RefuseText() { throw JsonError("JSON: not a word of this field"); }

/// The one of `all` whose word this is.
template <class Kind, class Word>
Kind OfWord(const Json& in, std::initializer_list<Kind> all, Word word) {
  for (const Kind kind : all) {
    if (in.get_ref<const std::string&>() == word(kind)) return kind;
  }
  RefuseText();
}

}  // namespace kith::document
