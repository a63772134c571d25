#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "base/check.h"

namespace kith {

Json::Json(std::string_view text) : type_(Type::kText), text_(new std::string(text)) {}
Json::Json(std::string&& text) : type_(Type::kText), text_(new std::string(std::move(text))) {}
Json::Json(array_t list) : type_(Type::kList), list_(new array_t(std::move(list))) {}
Json::Json(object_t members) : type_(Type::kObject), members_(new object_t(std::move(members))) {}

Json::Json(std::initializer_list<JsonItem> items) : natural_(0) {
  const bool named = std::all_of(items.begin(), items.end(), [](const JsonItem& item) {
    return (*item).is_array() && (*item).size() == 2 && (*item).front().is_string();
  });
  if (!named) {
    *this = array(items);
    return;
  }
  object_t members;
  for (const JsonItem& item : items) {
    Json pair = item.Moved();
    members.emplace(std::move(*(*pair.list_)[0].text_), std::move((*pair.list_)[1]));
  }
  *this = Json(std::move(members));
}

Json::Json(const Json& other) : type_(other.type_), natural_(other.natural_) {
  if (type_ == Type::kText) text_ = new std::string(*other.text_);
  if (type_ == Type::kList) list_ = new array_t(*other.list_);
  if (type_ == Type::kObject) members_ = new object_t(*other.members_);
}

void Json::DestroyParts() noexcept {
  if (type_ == Type::kText) delete text_;
  if (type_ == Type::kList) delete list_;
  if (type_ == Type::kObject) delete members_;
}

void Json::Refuse(const char* wanted) const { throw JsonError(fmt::format("JSON: not {}", wanted)); }

Json Json::array(std::initializer_list<JsonItem> items) {
  array_t list;
  list.reserve(items.size());
  for (const JsonItem& item : items) list.push_back(item.Moved());
  return list;
}

Json Json::object() { return object_t(); }

std::size_t Json::size() const {
  if (type_ == Type::kList) return list_->size();
  if (type_ == Type::kObject) return members_->size();
  return type_ == Type::kNull ? 0 : 1;
}

const Json* Json::Member(std::string_view name) const {
  if (type_ != Type::kObject) Refuse("an object");
  const auto found = members_->find(name);
  return found == members_->end() ? nullptr : &found->second;
}

bool Json::contains(std::string_view name) const { return is_object() && Member(name) != nullptr; }

const Json& Json::at(std::string_view name) const {
  const Json* found = Member(name);
  if (found == nullptr) throw JsonError(fmt::format("JSON: no member '{}'", name));
  return *found;
}

const Json& Json::At(std::size_t index) const {
  if (type_ != Type::kList) Refuse("a list");
  if (index >= list_->size()) throw JsonError("JSON: a list is too short");
  return (*list_)[index];
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) *this = object();
  if (type_ != Type::kObject) Refuse("an object");
  const auto found = members_->find(name);
  return found != members_->end() ? found->second : members_->emplace(name, nullptr).first->second;
}

void Json::push_back(Json value) {
  if (is_null()) *this = array();
  if (type_ != Type::kList) Refuse("a list");
  list_->push_back(std::move(value));
}

std::size_t Json::erase(std::string_view name) {
  if (type_ != Type::kObject) Refuse("an object");
  const auto found = members_->find(name);
  if (found == members_->end()) return 0;
  members_->erase(found);
  return 1;
}

void Json::update(const Json& other) {
  for (const auto& [name, value] : other.get_ref<const object_t&>()) (*this)[name] = value;
}

Json::iterator Json::begin() {
  if (type_ == Type::kObject) return iterator(members_->begin());
  return iterator(type_ == Type::kList ? list_->data() : this);
}
Json::iterator Json::end() {
  if (type_ == Type::kObject) return iterator(members_->end());
  return iterator((type_ == Type::kList ? list_->data() : this) + size());
}
Json::const_iterator Json::begin() const {
  if (type_ == Type::kObject) return const_iterator(std::as_const(*members_).begin());
  return const_iterator(type_ == Type::kList ? list_->data() : this);
}
Json::const_iterator Json::end() const {
  if (type_ == Type::kObject) return const_iterator(std::as_const(*members_).end());
  return const_iterator((type_ == Type::kList ? list_->data() : this) + size());
}
Json::const_iterator Json::find(std::string_view name) const {
  return type_ == Type::kObject ? const_iterator(std::as_const(*members_).find(name)) : end();
}

const Json::object_t& Json::items() const {
  static const object_t nothing;
  return is_null() ? nothing : get_ref<const object_t&>();
}

bool operator==(const Json& a, const Json& b) {
  using Type = Json::Type;
  if (a.is_number() && b.is_number() && a.type_ != b.type_) {
    if (a.is_number_float() || b.is_number_float()) return a.get<double>() == b.get<double>();
    const Json& integer = a.type_ == Type::kInteger ? a : b;  // the other one is not negative
    return integer.integer_ >= 0 && static_cast<std::uint64_t>(integer.integer_) == (&integer == &a ? b : a).natural_;
  }
  if (a.type_ != b.type_) return false;
  switch (a.type_) {
    case Type::kNull:
      return true;
    case Type::kBool:
      return a.bool_ == b.bool_;
    case Type::kInteger:
    case Type::kNatural:
      return a.natural_ == b.natural_;
    case Type::kReal:
      return a.real_ == b.real_;
    case Type::kText:
      return *a.text_ == *b.text_;
    case Type::kList:
      return *a.list_ == *b.list_;
    case Type::kObject:
      return *a.members_ == *b.members_;
    case Type::kDiscarded:
      break;
  }
  return false;
}

std::partial_ordering operator<=>(const Json& a, const Json& b) {
  if (a.is_number_integer() && b.is_number_integer() && a.type_ == b.type_)
    return a.type_ == Json::Type::kInteger ? a.integer_ <=> b.integer_ : a.natural_ <=> b.natural_;
  if (a.is_number() && b.is_number()) return a.get<double>() <=> b.get<double>();
  if (a.is_string() && b.is_string()) return *a.text_ <=> *b.text_;
  return std::partial_ordering::unordered;
}

std::ostream& operator<<(std::ostream& out, const Json& value) { return out << JsonText(value); }

// What nlohmann's parser reports about text, as a value.
class JsonReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonReader(int deepest) : deepest_(static_cast<std::size_t>(deepest)) {}

  Json& value() { return value_; }
  std::string& error() { return error_; }

  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(std::int64_t value) override { return Put(value); }
  bool number_unsigned(std::uint64_t value) override { return Put(value); }
  bool number_float(double value, const std::string&) override { return Put(value); }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(Json::object()); }
  // One reader would take the first, another the last: such text means nothing for certain.
  bool key(std::string& name) override {
    if (open_.back()->contains(name)) {
      error_ = "JSON: an object has a name twice";
      return false;
    }
    name_ = std::move(name);
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(Json::array()); }
  bool end_array() override { return Close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    error_ = error.what();
    return false;
  }

 private:
  Json* Place(Json value) {
    if (open_.empty()) {
      value_ = std::move(value);
      return &value_;
    }
    Json& in = *open_.back();
    if (in.is_array()) {
      in.push_back(std::move(value));
      return &in.back();
    }
    Json& place = in[name_];
    place = std::move(value);
    return &place;
  }
  bool Put(Json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(Json value) {
    if (open_.size() >= deepest_) {
      error_ = "JSON: nested too deeply";
      return false;
    }
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  std::size_t deepest_;
  Json value_;
  std::vector<Json*> open_;  // elements move only when their list is the innermost
  std::string name_;
  std::string error_;
};

Json Json::parse(std::string_view text, std::nullptr_t, bool throws, int deepest) {
  JsonReader reader(deepest);
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &reader)) return std::move(reader.value());
  if (throws) throw JsonError(reader.error());
  Json discarded;
  discarded.type_ = Type::kDiscarded;
  return discarded;
}

Json Json::parse(std::istream& in) { return parse(std::string(std::istreambuf_iterator<char>(in), {})); }

std::string Json::dump(int indent) const {
  const std::string text = JsonText(*this, indent);
  // Only text that is not UTF-8 has changed: what is written is read again, if it is suspicious.
  if (text.find("\xef\xbf\xbd") != std::string::npos && !(parse(text) == *this))
    throw JsonError("JSON: a text is not UTF-8");
  return text;
}

Json NumberToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double NumberFromJson(const Json& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_null() || value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return value.get<double>();
}

Json NumberOfDigits(double value, int digits) {
  if (!std::isfinite(value)) return NumberToJson(value);
  return Json::parse(digits > 0 ? fmt::format("{:.{}g}", value, digits) : fmt::format("{}", value));
}

Json ValueToJson(const Value& value) {
  struct Writer {
    Json operator()(Null) const { return nullptr; }
    Json operator()(bool b) const { return b; }
    Json operator()(std::int64_t i) const { return i; }
    Json operator()(double d) const { return NumberToJson(d); }
    Json operator()(const std::string& s) const { return s; }
  };
  return std::visit(Writer{}, value);
}

Value ValueFromJson(const Json& value) {
  if (value.is_null()) return Null{};
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

void PutNotes(const std::vector<Note>& notes, Json& into) {
  Json texts = Json::array(), kinds = Json::array();
  bool any = false;
  for (const Note& note : notes) {
    texts.push_back(note.text);
    kinds.push_back(NameOf(note.kind));
    any = any || note.kind != NoteKind::kOther;
  }
  into["notes"] = std::move(texts);
  if (any) into["note_kinds"] = std::move(kinds);
}

std::vector<Note> NotesFrom(const Json& from) {
  std::vector<Note> notes;
  for (const Json& text : from.at("notes")) notes.push_back({NoteKind::kOther, text.get<std::string>()});
  if (!from.contains("note_kinds")) return notes;
  for (std::size_t k = 0; k < notes.size(); ++k) {
    const auto kind = NoteKindNamed(from.at("note_kinds").at(k).get<std::string>());
    if (kind) notes[k].kind = *kind;
  }
  return notes;
}

JsonValue::JsonValue(Json value) : value_(std::make_shared<const Json>(std::move(value))) {}

const Json& JsonValue::operator*() const {
  KITH_CHECK(value_ != nullptr);
  return *value_;
}

}  // namespace kith
