// Bodies of requests, read strictly: every field is known and of the right kind. Internal to server.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/option_spec.h"
#include "base/result.h"

namespace kith::server {

/// An object. Fails: kInvalidArgument if it is not one, is nested too deeply, is not UTF-8 or has a name twice.
Result<Json> ObjectIn(const std::string& text);

class Fields {
 public:
  /// `body`: an object, or why there is none, with which it then fails.
  explicit Fields(Result<Json> body, std::string where = {}) : body_(std::move(body)), where_(std::move(where)) {}

  /// Stays as it is where there is no such field.
  template <class T>
  Fields& May(const std::string& name, T& into) {
    known_.push_back(name);
    const Json* const found = Find(name);
    if (found != nullptr && !Take(*found, into)) Refuse(name, WordFor(into));
    return *this;
  }
  template <class T>
  Fields& Must(const std::string& name, T& into) {
    if (Find(name) == nullptr) Refuse(name, WordFor(into));
    return May(name, into);
  }
  /// All of these, each as needed or not, into their places.
  Fields& Read(std::span<const OptionSpec> options);
  /// Fails: kInvalidArgument for the first field that is missing, of another kind or unknown.
  Result<void> Finish() const;

 private:
  static bool Take(const Json& in, std::string& into);
  static bool Take(const Json& in, double& into);
  static bool Take(const Json& in, bool& into);
  static bool Take(const Json& in, std::size_t& into);
  static bool Take(const Json& in, std::int64_t& into);
  static bool Take(const Json& in, Json& into);
  template <class T>
  static bool Take(const Json& in, std::optional<T>& into) {
    return Take(in, into.emplace());
  }
  template <class T>
  static bool Take(const Json& in, std::vector<T>& into) {
    if (!in.is_array()) return false;
    for (const Json& each : in) {
      if (!Take(each, into.emplace_back())) return false;
    }
    return true;
  }
  static std::string WordFor(const std::string&) { return "a text"; }
  static std::string WordFor(double) { return "a number"; }
  static std::string WordFor(bool) { return "true or false"; }
  static std::string WordFor(std::size_t) { return "a whole number"; }
  static std::string WordFor(std::int64_t) { return "a whole number"; }
  static std::string WordFor(const Json&) { return "an object"; }
  template <class T>
  static std::string WordFor(const std::optional<T>&) {
    return WordFor(T());
  }
  template <class T>
  static std::string WordFor(const std::vector<T>&) {
    return "a list, each " + WordFor(T());
  }
  const Json* Find(const std::string& name) const;
  void Refuse(const std::string& name, const std::string& wanted);

  Result<Json> body_;
  std::string where_;
  std::vector<std::string> known_;
  std::optional<Error> error_;
};

}  // namespace kith::server
