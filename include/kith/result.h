// A value or an error. Errors say what went wrong, where, and what to do next; they never contain a data value.
#pragma once
#include <string>
#include <utility>
#include <variant>

namespace kith::v1 {

/// Why something was not done.
enum class Code {
  kInvalidArgument,   // bad usage, policy or model: the caller can fix it
  kBudgetExhausted,   // refused: the privacy budget does not allow it
  kUnsupportedQuery,  // refused: the question cannot be answered privately, or not by kith
  kStorage,           // a file, disk or engine failed
  kCancelled,         // the caller asked to stop, or the deadline passed
  kInternal,          // a bug in kith
};

/// Whether what failed was charged; after a bug or a failing disk nobody may know.
enum class Charged { kNo, kYes, kMaybe };

struct Error {
  Code code = Code::kInternal;
  std::string what;       // one sentence
  std::string where;      // file:line, column name or part of the question; may be empty
  std::string next;       // how to go on; may be empty
  std::string parameter;  // the part of the request that the caller may change, dotted ("price.epsilon"); may be empty
  Charged charged = Charged::kMaybe;

  /// "what\n  at: where\n  try: next" without the empty parts.
  std::string Text() const;
};

/// `if (!result) return result.error();`, then `*result` and `result->...`. Asking for the part that is not there
/// throws std::bad_variant_access.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  explicit operator bool() const { return content_.index() == 0; }
  T& operator*() { return std::get<0>(content_); }
  const T& operator*() const { return std::get<0>(content_); }
  T* operator->() { return &std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  const Error& error() const { return std::get<1>(content_); }

 private:
  std::variant<T, Error> content_;
};

}  // namespace kith::v1
