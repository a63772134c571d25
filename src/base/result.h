// A value or an error. Errors say what went wrong, where, and what to do next; they never contain a data value.
#pragma once
#include <expected>
#include <string>
#include <utility>

namespace kith {

/// Why something was not done.
enum class Code {
  kInvalidArgument,   // bad usage, policy or model: the caller can fix it
  kBudgetExhausted,   // refused: the privacy budget does not allow it
  kUnsupportedQuery,  // refused: the question cannot be answered privately, or not by kith
  kStorage,           // a file, disk or engine failed
  kCancelled,         // the caller asked to stop
  kInternal,          // a bug in kith
};

/// Whether what failed was charged. Only the pipeline charges, and it says so; of everything else nothing was charged,
/// except that after a bug, or after memory ran out, nobody knows.
enum class Charged { kNo, kYes, kMaybe };

struct Error {
  Code code = Code::kInternal;
  std::string what;   // one sentence
  std::string where;  // file:line, column name or part of the question; may be empty
  std::string next;   // what to do next; may be empty
  // The part of the request that the caller may change, dotted ("price.epsilon"); may be empty. Messages name no flags:
  // each program words its own advice from this.
  std::string parameter;
  Charged charged = Charged::kMaybe;

  Error();
  Error(Code why, std::string said, std::string place, std::string advice, std::string part = {});

  /// `return InvalidArgument("...").For("price.epsilon");`
  Error For(std::string name) && {
    parameter = std::move(name);
    return std::move(*this);
  }
  /// `return StorageError("...").That(Charged::kMaybe);`
  Error That(Charged was) && {
    charged = was;
    return std::move(*this);
  }

  /// "what\n  at: where\n  try: next" without the empty parts.
  std::string Text() const;
};

/// A value, or why there is none: std::expected, except that an error can be returned as it is. `return value;`,
/// `return InvalidArgument("...");` and `if (!x) return x.error();` all work.
template <class T>
class [[nodiscard]] Result : public std::expected<T, Error> {
 public:
  using std::expected<T, Error>::expected;
  Result() = default;
  Result(const Error& error) : std::expected<T, Error>(std::unexpect, error) {}  // NOLINT(google-explicit-constructor)
  Result(Error&& error)
      : std::expected<T, Error>(std::unexpect, std::move(error)) {}  // NOLINT(google-explicit-constructor)
};

Error InvalidArgument(std::string what, std::string where = {}, std::string next = {});
Error BudgetExhausted(std::string what, std::string where = {}, std::string next = {});
Error Unsupported(std::string what, std::string where = {}, std::string next = {});
Error StorageError(std::string what, std::string where = {}, std::string next = {});
Error Cancelled(std::string what);
Error InternalError(std::string what);

}  // namespace kith
