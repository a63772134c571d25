// The project's test vectors (tests/vectors/*.json), by id.
#pragma once
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace kith::testing {

/// A value of a vector, with the little of nlohmann's interface that tests read. Its header would take longer to
/// compile than most of these tests.
class Json {
 public:
  enum Kind { kNull, kBoolean, kNumber, kString, kArray, kObject };

  Json() = default;
  static Json Parse(const std::string& text);
  static Json array(std::initializer_list<Json> elements);

  // Aborts the test program if there is no such member, or if the value is of another kind.
  const Json& at(const std::string& name) const;
  const Json& at(std::size_t index) const;
  const Json& operator[](const char* name) const { return at(std::string(name)); }
  const Json& operator[](const std::string& name) const { return at(name); }
  template <std::integral Index>
  const Json& operator[](Index index) const {
    return at(static_cast<std::size_t>(index));
  }
  bool contains(const std::string& name) const;
  std::string value(const std::string& name, const std::string& otherwise) const;

  std::size_t size() const { return members_.size(); }
  bool is_null() const { return kind_ == kNull; }
  bool is_array() const { return kind_ == kArray; }
  bool is_string() const { return kind_ == kString; }
  const Json& front() const { return at(std::size_t{0}); }
  const Json& back() const { return at(size() - 1); }

  class Iterator {
   public:
    explicit Iterator(const std::pair<std::string, Json>* at) : at_(at) {}
    const Json& operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    const std::pair<std::string, Json>* at_;
  };
  Iterator begin() const;
  Iterator end() const;
  const std::vector<std::pair<std::string, Json>>& items() const { return members_; }

  template <class T>
  T get() const {
    if constexpr (std::same_as<T, bool>) {
      return AsBoolean();
    } else if constexpr (std::integral<T>) {
      return static_cast<T>(AsInteger());
    } else if constexpr (std::floating_point<T>) {
      return static_cast<T>(AsNumber());
    } else if constexpr (std::same_as<T, std::string>) {
      return AsString();
    } else {
      T elements;  // a vector
      for (const auto& member : Elements()) elements.push_back(member.second.template get<typename T::value_type>());
      return elements;
    }
  }
  template <class T>
  requires std::integral<T> || std::floating_point<T> || std::same_as<T, std::string> ||
      std::same_as<T, std::vector<typename T::value_type, typename T::allocator_type>>
  operator T() const {  // NOLINT: as nlohmann's
    return get<T>();
  }
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  friend bool operator==(const Json& json, T value) { return json.get<T>() == value; }
  friend std::ostream& operator<<(std::ostream& out, const Json& json) { return out << json.Text(); }

 private:
  friend struct JsonReader;

  bool AsBoolean() const;
  std::int64_t AsInteger() const;
  double AsNumber() const;
  const std::string& AsString() const;
  const std::vector<std::pair<std::string, Json>>& Elements() const;
  std::string Text() const;

  Kind kind_ = kNull;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string string_;
  std::vector<std::pair<std::string, Json>> members_;  // by name, or of an array without names
};

struct Vector {
  std::string id;
  Json inputs;
  Json expected;
  double tolerance = 0;  // absolute
};

/// All vectors of tests/vectors/FILE.json whose id starts with prefix. Aborts the test program if there are none.
std::vector<Vector> Vectors(const std::string& file, const std::string& prefix);

}  // namespace kith::testing
