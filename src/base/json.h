// JSON as every part of kith writes it: one spelling of numbers that JSON lacks, one way to text that never fails.
#pragma once
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/note.h"
#include "base/value.h"

namespace kith {

/// Never fails. Bytes that are not UTF-8 become U+FFFD: text of a person, a policy or a file may hold anything. Numbers
/// that are not finite are written as NumberToJson does. `indent` < 0: one line.
std::string JsonText(const nlohmann::json& value, int indent = -1);

/// A number; "inf", "-inf" and "nan" for what JSON cannot write.
nlohmann::json NumberToJson(double value);
/// The inverse. Null, which older programs wrote, is read as infinity. Throws nlohmann's type_error for anything else.
double NumberFromJson(const nlohmann::json& value);
/// A number with at most this many digits (0: as many as it takes), without a fraction if it has none.
nlohmann::json NumberOfDigits(double value, int digits = 0);

/// Null, a truth value, a number or a text. A number that is not finite comes back as a text: no value in a policy, a
/// question or an answer is.
nlohmann::json ValueToJson(const Value& value);
Value ValueFromJson(const nlohmann::json& value);

/// Sets "notes", a list of texts, and "note_kinds", their kinds; the latter is left out if none has one.
void PutNotes(const std::vector<Note>& notes, nlohmann::json& into);
std::vector<Note> NotesFrom(const nlohmann::json& from);

/// A value that headers can hold without reading all of nlohmann's. Immutable; copies share it.
class JsonValue {
 public:
  JsonValue() = default;  // nothing
  explicit JsonValue(nlohmann::json value);

  bool empty() const { return value_ == nullptr; }
  /// Requires: not empty.
  const nlohmann::json& operator*() const;
  const nlohmann::json* operator->() const { return &**this; }

 private:
  std::shared_ptr<const nlohmann::json> value_;
};

}  // namespace kith
