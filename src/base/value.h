// A literal from a policy or a question: public by definition, never a value read from data.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kith {

struct Null {
  bool operator==(const Null&) const = default;
};
using Value = std::variant<Null, bool, std::int64_t, double, std::string>;

/// Values that nobody changes: copies share them. There can be tens of thousands in each plan.
class ValueList {
 public:
  using const_iterator = std::vector<Value>::const_iterator;
  ValueList() = default;
  ValueList(std::initializer_list<Value> values) : ValueList(std::vector<Value>(values)) {}
  ValueList(std::vector<Value> values) : values_(std::make_shared<const std::vector<Value>>(std::move(values))) {}
  operator const std::vector<Value>&() const {
    if (values_) return *values_;
    static const std::vector<Value> kNone;
    return kNone;
  }
  const std::vector<Value>& list() const { return *this; }
  const_iterator begin() const { return list().begin(); }
  const_iterator end() const { return list().end(); }
  std::size_t size() const { return list().size(); }
  bool empty() const { return list().empty(); }
  const Value& operator[](std::size_t k) const { return list()[k]; }
  const Value& front() const { return list().front(); }
  const Value& back() const { return list().back(); }
  bool operator==(const ValueList& other) const { return values_ == other.values_ || list() == other.list(); }

 private:
  std::shared_ptr<const std::vector<Value>> values_;
};

/// As a person would write it: NULL, true, 42, 0.5, mz.
std::string ToText(const Value& value);

/// A whole number or a real one; nothing for anything else.
std::optional<double> NumberIn(const Value& value);

}  // namespace kith
