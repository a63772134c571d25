// A value or an error. Errors say what went wrong, where, and what to do next; they never contain a data value.
#pragma once
#include <new>
#include <string>
#include <type_traits>
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
  /// `return StorageError("...").That(Charged::kMaybe);`
  Error That(Charged was) && {
    charged = was;
    return std::move(*this);
  }

  /// "what\n  at: where\n  try: next" without the empty parts.
  std::string Text() const;
};

namespace internal {

/// The error of a result, or none. One pointer, and functions that are compiled once: thousands of places pass errors
/// on, and hardly any result holds one.
class ErrorBox {
 public:
  ErrorBox() noexcept = default;
  explicit ErrorBox(const Error& error);
  explicit ErrorBox(Error&& error);
  ErrorBox(const ErrorBox& other) : error_(other.error_ == nullptr ? nullptr : Copy(*other.error_)) {}
  ErrorBox(ErrorBox&& other) noexcept : error_(other.error_) {
    if (error_ != nullptr) other.error_ = Moved();  // what was moved from is still an error
  }
  ErrorBox& operator=(const ErrorBox&) = delete;
  ~ErrorBox() {
    if (error_ != nullptr) Delete(error_);
  }

  bool empty() const { return error_ == nullptr; }
  /// Requires: there is one.
  Error& operator*() const { return *error_; }
  void Swap(ErrorBox& other) noexcept { std::swap(error_, other.error_); }

 private:
  static Error* Copy(const Error& error);
  static Error* Moved() noexcept;
  static void Delete(Error* error) noexcept;

  Error* error_ = nullptr;
};

/// For whoever takes the value of a result that has none, which is a bug. Throws std::logic_error with the error's
/// text.
[[noreturn]] void NoValue(const Error& error);

}  // namespace internal

/// A value, or why there is none. `return Error{...};` and `return value;` both work; `if (!x) return x.error();`
/// passes an error on. A small part of std::expected, since every file pays for what it could do.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result() requires std::is_default_constructible_v<T> : value_() {}
  Result(const Error& error) : error_(error) {}        // NOLINT(google-explicit-constructor)
  Result(Error&& error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  template <class U = T>
  requires(!std::is_same_v<std::remove_cvref_t<U>, Result> && !std::is_same_v<std::remove_cvref_t<U>, Error> &&
           std::is_convertible_v<U&&, T>) Result(U&& value)
      : value_(std::forward<U>(value)) {}  // NOLINT(google-explicit-constructor)
  Result(const Result& other) : error_(other.error_) {
    if (error_.empty()) new (&value_) T(other.value_);
  }
  Result(Result&& other) noexcept(std::is_nothrow_move_constructible_v<T>) : error_(std::move(other.error_)) {
    if (error_.empty()) new (&value_) T(std::move(other.value_));
  }
  Result& operator=(Result other) {
    if (error_.empty() && other.error_.empty()) {
      value_ = std::move(other.value_);
    } else {
      this->~Result();
      new (this) Result(std::move(other));
    }
    return *this;
  }
  ~Result() {
    if (error_.empty()) value_.~T();
  }

  bool has_value() const { return error_.empty(); }
  explicit operator bool() const { return error_.empty(); }

  /// Requires: there is a value.
  T& operator*() & { return value_; }
  const T& operator*() const& { return value_; }
  T&& operator*() && { return std::move(value_); }
  T* operator->() { return &value_; }
  const T* operator->() const { return &value_; }

  template <class U>
  T value_or(U&& otherwise) const& {
    return error_.empty() ? value_ : static_cast<T>(std::forward<U>(otherwise));
  }
  template <class U>
  T value_or(U&& otherwise) && {
    return error_.empty() ? std::move(value_) : static_cast<T>(std::forward<U>(otherwise));
  }

  /// Throws if there is none.
  T& value() & { return Checked(), value_; }
  const T& value() const& { return Checked(), value_; }
  T&& value() && { return Checked(), std::move(value_); }

  /// Requires: there is no value.
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  void Checked() const {
    if (!error_.empty()) internal::NoValue(*error_);
  }

  internal::ErrorBox error_;
  union {
    T value_;
  };
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(const Error& error) : error_(error) {}        // NOLINT(google-explicit-constructor)
  Result(Error&& error) : error_(std::move(error)) {}  // NOLINT(google-explicit-constructor)
  Result(const Result&) = default;
  Result(Result&&) = default;
  Result& operator=(Result other) {
    error_.Swap(other.error_);
    return *this;
  }

  bool has_value() const { return error_.empty(); }
  explicit operator bool() const { return error_.empty(); }
  void value() const {
    if (!error_.empty()) internal::NoValue(*error_);
  }
  Error& error() { return *error_; }
  const Error& error() const { return *error_; }

 private:
  internal::ErrorBox error_;
};

Error InvalidArgument(std::string what, std::string where = {}, std::string next = {});
Error BudgetExhausted(std::string what, std::string where = {}, std::string next = {});
Error Unsupported(std::string what, std::string where = {}, std::string next = {});
Error StorageError(std::string what, std::string where = {}, std::string next = {});
Error Cancelled(std::string what);
Error InternalError(std::string what);

}  // namespace kith
