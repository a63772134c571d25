// JSON as every part of kith reads and writes it: values, one spelling of numbers that JSON lacks, one conversion to
// text that never fails.
#pragma once
#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/note.h"
#include "base/value.h"

namespace kith {

class Json;
class JsonItem;

/// A value is not what its reader expects, or text is not JSON.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class T>
struct JsonConversion;  // of lists and the like: below

/// A value, with the names of nlohmann's library (which does the parsing here) for as much of it as is used. That
/// library is made of templates and adds a second and a half to compiling each file that includes it; this one is
/// compiled once.
class Json {
 public:
  using array_t = std::vector<Json>;
  using object_t = std::map<std::string, Json, std::less<>>;

  Json() noexcept : natural_(0) {}
  Json(std::nullptr_t) noexcept : natural_(0) {}
  template <std::integral T>
  Json(T value) noexcept : natural_(0) {
    if constexpr (std::same_as<T, bool>) {
      type_ = Type::kBool;
      bool_ = value;
    } else if constexpr (std::is_signed_v<T>) {
      type_ = Type::kInteger;
      integer_ = value;
    } else {
      type_ = Type::kNatural;
      natural_ = value;
    }
  }
  Json(double value) noexcept : type_(Type::kReal), real_(value) {}
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::string&& text);
  Json(array_t list);
  Json(object_t members);
  template <class T>
  requires requires(const T& value) { JsonConversion<T>::Write(value); }
  Json(const T& value) : Json(JsonConversion<T>::Write(value)) {}
  /// An object if every element is a list of a string and something else; otherwise a list.
  Json(std::initializer_list<JsonItem> items);
  Json(const Json& other);
  Json(Json&& other) noexcept : type_(other.type_), natural_(0) { Take(other); }
  Json& operator=(Json other) noexcept {
    Destroy();
    type_ = other.type_;
    Take(other);
    return *this;
  }
  ~Json() { Destroy(); }

  static Json array(std::initializer_list<JsonItem> items = {});
  static Json object();
  /// The deepest nesting that is read: text can come from anywhere, and nested lists take room on the stack.
  static constexpr int kDeepest = 500;
  /// Throws JsonError, or returns something discarded, if `text` is not JSON, not UTF-8, nested more deeply, or has an
  /// object with the same name twice.
  static Json parse(std::string_view text, std::nullptr_t = nullptr, bool throws = true, int deepest = kDeepest);
  static Json parse(std::istream& in);
  /// On one line, or with this indentation. Throws JsonError for text that is not UTF-8 (JsonText does not).
  std::string dump(int indent = -1) const;

  bool is_null() const { return type_ == Type::kNull; }
  bool is_boolean() const { return type_ == Type::kBool; }
  bool is_string() const { return type_ == Type::kText; }
  bool is_array() const { return type_ == Type::kList; }
  bool is_object() const { return type_ == Type::kObject; }
  bool is_structured() const { return is_array() || is_object(); }
  bool is_number_unsigned() const { return type_ == Type::kNatural; }
  bool is_number_integer() const { return type_ == Type::kNatural || type_ == Type::kInteger; }
  bool is_number_float() const { return type_ == Type::kReal; }
  bool is_number() const { return is_number_integer() || is_number_float(); }
  bool is_discarded() const { return type_ == Type::kDiscarded; }

  /// Number of elements; 0 for nothing, 1 for anything else.
  std::size_t size() const;
  bool empty() const { return size() == 0; }
  bool contains(std::string_view name) const;
  /// Throw if there is none.
  const Json& at(std::string_view name) const;
  Json& at(std::string_view name) { return const_cast<Json&>(std::as_const(*this).at(name)); }
  template <std::integral Index>
  const Json& at(Index index) const {
    return At(static_cast<std::size_t>(index));
  }
  template <std::integral Index>
  Json& at(Index index) {
    return const_cast<Json&>(At(static_cast<std::size_t>(index)));
  }
  /// Of something mutable: creates what is not there.
  Json& operator[](std::string_view name);
  const Json& operator[](std::string_view name) const { return at(name); }
  // Separate, since a number may be an index of a literal.
  Json& operator[](const char* name) { return (*this)[std::string_view(name)]; }
  const Json& operator[](const char* name) const { return at(name); }
  template <std::integral Index>
  const Json& operator[](Index index) const {
    return at(index);
  }
  template <std::integral Index>
  Json& operator[](Index index) {
    return at(index);
  }
  const Json& front() const { return at(0); }
  const Json& back() const { return at(size() - 1); }
  Json& back() { return at(size() - 1); }
  /// What is there, or `otherwise`. Throws if this is not an object or what is there is of another kind.
  template <class T>
  T value(std::string_view name, const T& otherwise) const {
    const Json* found = Member(name);
    return found == nullptr ? otherwise : found->get<T>();
  }
  std::string value(std::string_view name, const char* otherwise) const { return value(name, std::string(otherwise)); }

  void push_back(Json value);
  template <class T>
  Json& emplace_back(T&& value) {
    push_back(Json(std::forward<T>(value)));
    return back();
  }
  std::size_t erase(std::string_view name);
  /// Sets all members of `other`, an object.
  void update(const Json& other);

  /// Elements of a list, or values of an object in the order of their names; otherwise itself; nothing for null.
  template <class Element>
  class Iterator;
  using iterator = Iterator<Json>;
  using const_iterator = Iterator<const Json>;
  iterator begin();
  iterator end();
  const_iterator begin() const;
  const_iterator end() const;
  const_iterator find(std::string_view name) const;
  /// Names and values of an object; nothing for null. Throws for anything else.
  const object_t& items() const;

  /// Throws if it is of another kind.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, Json>) {
      return *this;
    } else if constexpr (std::same_as<T, bool>) {
      if (type_ != Type::kBool) Refuse("a truth value");
      return bool_;
    } else if constexpr (std::is_arithmetic_v<T>) {
      if (type_ == Type::kInteger) return static_cast<T>(integer_);
      if (type_ == Type::kNatural) return static_cast<T>(natural_);
      if (type_ == Type::kReal) return static_cast<T>(real_);
      Refuse("a number");
    } else if constexpr (std::same_as<T, std::string>) {
      return get_ref<const std::string&>();
    } else {
      return JsonConversion<T>::Read(*this);
    }
  }
  /// A string, list or object itself.
  template <class T>
  T get_ref() const {
    using Kept = std::remove_cvref_t<T>;
    if constexpr (std::same_as<Kept, std::string>) {
      if (type_ != Type::kText) Refuse("a text");
      return *text_;
    } else if constexpr (std::same_as<Kept, array_t>) {
      if (type_ != Type::kList) Refuse("a list");
      return *list_;
    } else {
      static_assert(std::same_as<Kept, object_t>);
      if (type_ != Type::kObject) Refuse("an object");
      return *members_;
    }
  }
  template <class T>
  requires(std::is_arithmetic_v<T> && !std::same_as<T, char>) || std::same_as<T, std::string> ||
      requires(const Json& json) {
    JsonConversion<T>::Read(json);
  }
  operator T() const { return get<T>(); }

  /// Numbers are compared by their values, whatever they are kept as.
  friend bool operator==(const Json& a, const Json& b);
  /// For numbers and strings; others are unordered.
  friend std::partial_ordering operator<=>(const Json& a, const Json& b);
  template <class T>
  requires std::is_arithmetic_v<T>
  friend bool operator==(const Json& a, T b) { return a == Json(b); }
  friend std::ostream& operator<<(std::ostream& out, const Json& value);

  enum class Type : std::uint8_t { kNull, kBool, kInteger, kNatural, kReal, kDiscarded, kText, kList, kObject };
  Type type() const { return type_; }

 private:
  friend class JsonReader;

  void Take(Json& other) noexcept {
    natural_ = std::exchange(other.natural_, 0);  // whatever it is: all of them have its size
    other.type_ = Type::kNull;
  }
  void Destroy() noexcept {
    if (type_ >= Type::kText) DestroyParts();
  }
  void DestroyParts() noexcept;
  const Json& At(std::size_t index) const;
  const Json* Member(std::string_view name) const;
  [[noreturn]] void Refuse(const char* wanted) const;

  Type type_ = Type::kNull;
  union {
    bool bool_;
    std::int64_t integer_;
    std::uint64_t natural_;
    double real_;
    std::string* text_;
    array_t* list_;
    object_t* members_;
  };
};

/// An element between braces. Values that nothing else holds are moved out of it.
class JsonItem {
 public:
  JsonItem(Json&& value) : owned_(std::move(value)) {}
  JsonItem(const Json& value) : value_(&value) {}
  JsonItem(std::initializer_list<JsonItem> items) : owned_(items) {}
  template <class T>
  requires(!std::same_as<std::remove_cvref_t<T>, Json> && !std::same_as<std::remove_cvref_t<T>, JsonItem> &&
           std::constructible_from<Json, T>) JsonItem(T&& value)
      : owned_(std::forward<T>(value)) {}

  const Json& operator*() const { return value_ == nullptr ? owned_ : *value_; }
  Json Moved() const { return value_ == nullptr ? std::move(owned_) : *value_; }

 private:
  mutable Json owned_;
  const Json* value_ = nullptr;
};

template <class Element>
class Json::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Json;
  using difference_type = std::ptrdiff_t;
  using pointer = Element*;
  using reference = Element&;
  using Member = std::conditional_t<std::is_const_v<Element>, object_t::const_iterator, object_t::iterator>;

  Iterator() = default;
  explicit Iterator(Element* at) : at_(at) {}
  explicit Iterator(Member member) : member_(member) {}

  Element& operator*() const { return at_ != nullptr ? *at_ : member_->second; }
  Element* operator->() const { return &**this; }
  Iterator& operator++() {
    if (at_ != nullptr) {
      ++at_;
    } else {
      ++member_;
    }
    return *this;
  }
  Iterator operator++(int) {
    Iterator before = *this;
    ++*this;
    return before;
  }
  const std::string& key() const { return member_->first; }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_ && a.member_ == b.member_; }

 private:
  Element* at_ = nullptr;  // of objects: nothing
  Member member_{};
};

// Lists and the like, to and from JSON.
template <class T>
struct JsonListConversion {
  static Json Write(const T& list) {
    Json::array_t out;
    for (const auto& each : list) out.emplace_back(each);
    return out;
  }
};
template <class T, class Allocator>
requires(!std::same_as<T, Json>) struct JsonConversion<std::vector<T, Allocator>>
    : JsonListConversion<std::vector<T, Allocator>> {
  static std::vector<T> Read(const Json& json) {
    std::vector<T> out;
    for (const Json& each : json.get_ref<const Json::array_t&>()) out.push_back(each.get<T>());
    return out;
  }
};
template <class Allocator>
struct JsonConversion<std::vector<bool, Allocator>> {
  static Json Write(const std::vector<bool>& list) {
    Json::array_t out;
    for (const bool each : list) out.emplace_back(each);
    return out;
  }
};
template <class T, std::size_t N>
struct JsonConversion<std::array<T, N>> : JsonListConversion<std::array<T, N>> {};
template <class T, class Less>
struct JsonConversion<std::set<T, Less>> : JsonListConversion<std::set<T, Less>> {};
template <class A, class B>
struct JsonConversion<std::pair<A, B>> {
  static Json Write(const std::pair<A, B>& pair) {
    Json::array_t out;
    out.emplace_back(pair.first);
    out.emplace_back(pair.second);
    return out;
  }
  static std::pair<A, B> Read(const Json& json) { return {json.at(0).get<A>(), json.at(1).get<B>()}; }
};
template <class T, class Less>
requires(!std::same_as<T, Json>) struct JsonConversion<std::map<std::string, T, Less>> {
  static Json Write(const std::map<std::string, T, Less>& members) {
    Json::object_t out;
    for (const auto& [name, value] : members) out.emplace(name, value);
    return out;
  }
  static std::map<std::string, T, Less> Read(const Json& json) {
    std::map<std::string, T, Less> out;
    for (const auto& [name, value] : json.get_ref<const Json::object_t&>()) out.emplace(name, value.template get<T>());
    return out;
  }
};

/// Never fails. Bytes that are not UTF-8 become U+FFFD: text from a person, a policy or a file may hold anything.
/// Numbers that are not finite are written as NumberToJson does. `indent` < 0: one line.
std::string JsonText(const Json& value, int indent = -1);

/// A number; "inf", "-inf" and "nan" for what JSON cannot write.
Json NumberToJson(double value);
/// The inverse. Null, which older programs wrote, is read as infinity. Throws JsonError for anything else.
double NumberFromJson(const Json& value);
/// A number with at most this many digits (0: as many as it takes), without a fraction if it has none.
Json NumberOfDigits(double value, int digits = 0);

/// Null, a truth value, a number or a string. A number that is not finite comes back as a string: no value in a policy,
/// a question or an answer is one.
Json ValueToJson(const Value& value);
Value ValueFromJson(const Json& value);

/// Sets "notes", a list of strings, and "note_kinds", their kinds; the latter is left out if none has one.
void PutNotes(const std::vector<Note>& notes, Json& into);
std::vector<Note> NotesFrom(const Json& from);

/// A value that may be absent. Immutable; copies share it.
class JsonValue {
 public:
  JsonValue() = default;  // nothing
  explicit JsonValue(Json value);

  bool empty() const { return value_ == nullptr; }
  /// Requires: not empty.
  const Json& operator*() const;
  const Json* operator->() const { return &**this; }

 private:
  std::shared_ptr<const Json> value_;
};

}  // namespace kith
