// Values as text, as nlohmann's library writes them, byte for byte, except for numbers that JSON lacks.
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/json.h"

namespace kith {
namespace {

// Most of a document is simple text, which is copied as it is; nlohmann spends long on each of its bytes, and a
// document is written for every answer.
void PutText(const std::string& text, std::string& out) {
  const auto plain = [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; };
  if (!std::all_of(text.begin(), text.end(), plain)) {
    out += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
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
  if (!std::isfinite(value)) return PutText(NumberToJson(value).get<std::string>(), out);
  std::array<char, 64> digits;
  out.append(digits.data(), nlohmann::detail::to_chars(digits.data(), digits.data() + digits.size(), value));
}

class Writer {
 public:
  Writer(int indent, std::string& out) : indent_(indent), out_(out) {}

  void Put(const Json& value) {
    switch (value.type()) {
      case Json::Type::kObject:
        Open('{');
        for (const auto& [name, member] : value.items()) {
          Next();
          PutText(name, out_);
          out_ += indent_ < 0 ? ":" : ": ";
          Put(member);
        }
        return Close('}', value.empty());
      case Json::Type::kList:
        Open('[');
        for (const Json& each : value) {
          Next();
          Put(each);
        }
        return Close(']', value.empty());
      case Json::Type::kText:
        return PutText(value.get_ref<const std::string&>(), out_);
      case Json::Type::kInteger:
        return PutInteger(value.get<std::int64_t>(), out_);
      case Json::Type::kNatural:
        return PutInteger(value.get<std::uint64_t>(), out_);
      case Json::Type::kReal:
        return PutReal(value.get<double>(), out_);
      case Json::Type::kBool:
        out_ += value.get<bool>() ? "true" : "false";
        return;
      case Json::Type::kNull:
        out_ += "null";
        return;
      case Json::Type::kDiscarded:
        out_ += "<discarded>";
        return;
    }
  }

 private:
  void Open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void Next() {
    if (!std::exchange(first_, false)) out_ += ',';
    NewLine();
  }
  void Close(char bracket, bool empty) {
    --depth_;
    if (!empty) NewLine();
    out_ += bracket;
    first_ = false;
  }
  void NewLine() {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_ * depth_), ' ');
  }

  int indent_;
  int depth_ = 0;
  bool first_ = true;
  std::string& out_;
};

}  // namespace

std::string JsonText(const Json& value, int indent) {
  std::string text;
  Writer(indent, text).Put(value);
  return text;
}

}  // namespace kith
