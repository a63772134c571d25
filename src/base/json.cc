#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"

namespace kith {

using nlohmann::json;

namespace {

json Written(const json& value) {
  if (value.is_number_float()) return NumberToJson(value.get<double>());
  json out = value;
  if (value.is_structured()) std::transform(value.begin(), value.end(), out.begin(), Written);
  return out;
}

std::string Dumped(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

void PutText(const std::string& text, std::string& out) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), plain)) {
    out += Dumped(text);
    return;
  }
  out += '"';
  out += text;
  out += '"';
}

template <class Integer>
void PutInteger(Integer value, std::string& out) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  out.append(digits.data(), end);
}

void PutReal(double value, std::string& out) {
  if (!std::isfinite(value)) return PutText(NumberToJson(value).get_ref<const std::string&>(), out);
  std::array<char, 64> digits;
  out.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
}

// As nlohmann's own, byte for byte, but for numbers that JSON has not. Most of a document is plain text, which is
// copied here as it is; nlohmann looks at each of its bytes for long, and a document is written for every answer.
void Put(const json& value, std::string& out) {
  const char* before = "";
  switch (value.type()) {
    case json::value_t::object:
      out += '{';
      for (const auto& [name, member] : value.get_ref<const json::object_t&>()) {
        out += std::exchange(before, ",");
        PutText(name, out);
        out += ':';
        Put(member, out);
      }
      out += '}';
      return;
    case json::value_t::array:
      out += '[';
      for (const json& each : value.get_ref<const json::array_t&>()) {
        out += std::exchange(before, ",");
        Put(each, out);
      }
      out += ']';
      return;
    case json::value_t::string:
      return PutText(value.get_ref<const std::string&>(), out);
    case json::value_t::number_integer:
      return PutInteger(value.get<std::int64_t>(), out);
    case json::value_t::number_unsigned:
      return PutInteger(value.get<std::uint64_t>(), out);
    case json::value_t::number_float:
      return PutReal(value.get<double>(), out);
    default:
      out += Dumped(value);
  }
}

}  // namespace

std::string JsonText(const json& value, int indent) {
  if (indent >= 0) return Dumped(Written(value), indent);
  std::string text;
  Put(value, text);
  return text;
}

json NumberToJson(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double NumberFromJson(const json& value) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_null() || value == "inf") return kInfinity;
  if (value == "-inf") return -kInfinity;
  if (value == "nan") return std::numeric_limits<double>::quiet_NaN();
  return value.get<double>();
}

json NumberOfDigits(double value, int digits) {
  if (!std::isfinite(value)) return NumberToJson(value);
  return json::parse(digits > 0 ? fmt::format("{:.{}g}", value, digits) : fmt::format("{}", value));
}

json ValueToJson(const Value& value) {
  struct Writer {
    json operator()(Null) const { return nullptr; }
    json operator()(bool b) const { return b; }
    json operator()(std::int64_t i) const { return i; }
    json operator()(double d) const { return NumberToJson(d); }
    json operator()(const std::string& s) const { return s; }
  };
  return std::visit(Writer{}, value);
}

Value ValueFromJson(const json& value) {
  if (value.is_null()) return Null{};
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number()) return value.get<double>();
  return value.get<std::string>();
}

void PutNotes(const std::vector<Note>& notes, json& into) {
  json texts = json::array(), kinds = json::array();
  bool any = false;
  for (const Note& note : notes) {
    texts.push_back(note.text);
    kinds.push_back(NameOf(note.kind));
    any = any || note.kind != NoteKind::kOther;
  }
  into["notes"] = std::move(texts);
  if (any) into["note_kinds"] = std::move(kinds);
}

std::vector<Note> NotesFrom(const json& from) {
  std::vector<Note> notes;
  for (const json& text : from.at("notes")) notes.push_back({NoteKind::kOther, text.get<std::string>()});
  if (!from.contains("note_kinds")) return notes;
  for (std::size_t k = 0; k < notes.size(); ++k) {
    const auto kind = NoteKindNamed(from.at("note_kinds").at(k).get<std::string>());
    if (kind) notes[k].kind = *kind;
  }
  return notes;
}

JsonValue::JsonValue(json value) : value_(std::make_shared<const json>(std::move(value))) {}

const json& JsonValue::operator*() const {
  KITH_CHECK(value_ != nullptr);
  return *value_;
}

}  // namespace kith
