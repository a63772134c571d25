// A value or an error. Errors say what went wrong, where, and what to do next; they never contain a data value.
#pragma once
#include <string>
#include <tl/expected.hpp>
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

struct Error {
  Code code = Code::kInternal;
  std::string what;   // one sentence
  std::string where;  // file:line, column name or part of the question; may be empty
  std::string next;   // what to do next; may be empty
  // The part of the request that the caller may change, dotted ("price.epsilon"); may be empty. Messages name no flags:
  // each program words its own advice from this.
  std::string parameter = {};

  // Copied, moved and destroyed in one place, since almost every function can fail: generated in each file that has
  // one, they take a tenth of a second to compile.
  Error();
  Error(Code why, std::string said, std::string place, std::string advice, std::string part = {});
  Error(const Error&);
  Error(Error&&) noexcept;
  Error& operator=(const Error&);
  Error& operator=(Error&&) noexcept;
  ~Error();

  /// `return InvalidArgument("...").For("price.epsilon");`
  Error For(std::string name) && {
    parameter = std::move(name);
    return std::move(*this);
  }

  /// "what\n  at: where\n  try: next" without the empty parts.
  std::string Text() const;
};

/// `return Error{...};` and `return value;` both work; `if (!x) return x.error();` passes an error on.
template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
 public:
  using Base = tl::expected<T, Error>;
  using Base::Base;
  Result(Error error) : Base(tl::unexpect, std::move(error)) {}  // NOLINT(google-explicit-constructor)
};

template <>
class [[nodiscard]] Result<void> : public tl::expected<void, Error> {
 public:
  using Base = tl::expected<void, Error>;
  using Base::Base;
  Result(Error error) : Base(tl::unexpect, std::move(error)) {}  // NOLINT(google-explicit-constructor)
};

Error InvalidArgument(std::string what, std::string where = {}, std::string next = {});
Error BudgetExhausted(std::string what, std::string where = {}, std::string next = {});
Error Unsupported(std::string what, std::string where = {}, std::string next = {});
Error StorageError(std::string what, std::string where = {}, std::string next = {});
Error Cancelled(std::string what);
Error InternalError(std::string what);

}  // namespace kith
