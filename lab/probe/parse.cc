#include "probe/parse.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "base/json.h"

namespace kith::probe {
namespace {

bool IsPartOfWord(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

std::string Trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// The names and numbers of a JSON pointer (RFC 6901); nothing if it is none.
std::optional<std::vector<std::string>> StepsOf(std::string_view pointer) {
  std::vector<std::string> steps;
  if (!pointer.empty() && pointer[0] != '/') return std::nullopt;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    if (pointer[i] == '/') {
      steps.emplace_back();
    } else if (pointer[i] != '~') {
      steps.back() += pointer[i];
    } else if (++i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1')) {
      steps.back() += pointer[i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return steps;
}

// Null: there is nothing.
const Json* Find(const Json& json, const std::vector<std::string>& steps) {
  const Json* here = &json;
  for (const std::string& step : steps) {
    if (here->is_object()) {
      if (!here->contains(step)) return nullptr;
      here = &here->at(step);
      continue;
    }
    std::size_t index = 0;
    const char* end = step.data() + step.size();
    const auto [read, error] = std::from_chars(step.data(), end, index);
    const bool number = !step.empty() && error == std::errc() && read == end && (step == "0" || step[0] != '0');
    if (!here->is_array() || !number || index >= here->size()) return nullptr;
    here = &here->at(index);
  }
  return here;
}

}  // namespace

Result<std::vector<std::string>> Words(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;  // a word has begun, even if it is empty so far
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      word += command[++i];
      inside = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n') {
      if (inside) words.push_back(std::move(word));
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (quote != 0) return InvalidArgument("a quote is left open", command.substr(0, 60), "close it");
  if (inside) words.push_back(std::move(word));
  if (words.empty())
    return InvalidArgument("the command is empty", {}, "give a program and its arguments").For("probe.command");
  return words;
}

std::string Filled(std::string text, std::string_view name, std::string_view value) {
  const std::string hole = "{" + std::string(name) + "}";
  for (std::size_t at = text.find(hole); at != std::string::npos; at = text.find(hole, at + value.size())) {
    text.replace(at, hole.size(), value);
  }
  return text;
}

std::vector<double> NumbersIn(std::string_view text) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i > 0 && IsPartOfWord(text[i - 1])) continue;
    const std::size_t from = i + (text[i] == '+' ? 1 : 0);  // from_chars knows no plus
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + from, text.data() + text.size(), value);
    if (error != std::errc() || std::isnan(value)) continue;
    const auto length = static_cast<std::size_t>(end - text.data());
    // A full stop after a number ends a sentence, unless more follows.
    const bool stop =
        length < text.size() && text[length] == '.' && (length + 1 == text.size() || !IsPartOfWord(text[length + 1]));
    if (length < text.size() && IsPartOfWord(text[length]) && !stop) continue;
    numbers.push_back(value);
    i = length - 1;
  }
  return numbers;
}

Result<void> CheckPlaces(const std::vector<std::string>& places) {
  for (const std::string& place : places) {
    if (!StepsOf(place))
      return InvalidArgument("not a JSON pointer", place.substr(0, 60), "write it like /answer/rows/0/0");
  }
  return {};
}

Outcome Parsed(const std::string& text, const std::vector<std::string>& places) {
  Outcome outcome;
  if (places.empty()) {
    outcome.text = Trimmed(text);
    outcome.numbers = NumbersIn(outcome.text);
    return outcome;
  }
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return {"not JSON: " + Trimmed(text), {}};
  for (const std::string& place : places) {
    const auto steps = StepsOf(place);
    const Json* there = steps ? Find(json, *steps) : nullptr;
    const std::string here = there != nullptr ? JsonText(*there) : "nothing at " + place;
    outcome.text += (outcome.text.empty() ? "" : " ") + here;
    if (there == nullptr) continue;
    for (const double number : NumbersIn(here)) outcome.numbers.push_back(number);
  }
  return outcome;
}

}  // namespace kith::probe
