#include "policy/sections/section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"
#include "policy/fields.h"
#include "policy/renamed_keys.h"

namespace kith {
namespace {

bool IsControl(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string NameProblem(std::string_view name) {
  if (name.empty()) return "is empty";
  if (name.size() > 63) return "is longer than 63 bytes, more than some engines can hold";
  if (std::any_of(name.begin(), name.end(), IsControl)) return "contains a control character";
  return {};
}

std::string FoldName(std::string_view name) {
  std::string folded(name);
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

const Member* Section::Find(std::string_view key) const {
  for (const auto& member : table_.members) {
    if (PresentName(title_, member.key) == key) return &member;
  }
  return nullptr;
}

Error Section::At(int line, std::string what, std::string next) const {
  return InvalidArgument(std::move(what), fmt::format("{}:{}", file_, line), std::move(next));
}

Error Section::Missing(std::string_view key, std::string next) const {
  return At(line_, fmt::format("{} does not say {}", title_, Quote(key)), std::move(next));
}

Result<void> Section::AllowOnly(std::string_view part, std::string_view kind) const {
  const std::vector<std::string> known = KeysOf(part, kind);
  for (const auto& member : table_.members) {
    const std::string_view name = PresentName(title_, member.key);
    if (Find(name) != &member)
      return At(member.line, fmt::format("{} and {} are one key", Quote(member.key), Quote(Find(name)->key)),
                "leave the old name out");
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    return At(member.line, fmt::format("unknown key {} in {}", Quote(member.key), title_), Suggest(member.key, known));
  }
  return {};
}

Error Section::WrongKind(const Member& member, const std::string& wanted) const {
  return At(member.line,
            fmt::format("{} of {} must be {}, not {}", Quote(member.key), title_, wanted, KindName(member.value.kind)),
            member.value.kind == NodeKind::kText ? "remove the quotes" : "correct the value");
}

Result<std::string> Section::Text(const Member& member) const {
  if (member.value.kind != NodeKind::kText) {
    return At(member.line,
              fmt::format("{} of {} must be a text, not {}", Quote(member.key), title_, KindName(member.value.kind)),
              fmt::format("write {} = \"...\"", member.key));
  }
  const auto& text = std::get<std::string>(member.value.leaf);
  if (text.empty() || std::any_of(text.begin(), text.end(), IsControl)) {
    return At(member.line, fmt::format("{} of {} is empty or contains a control character", Quote(member.key), title_),
              "correct the text");
  }
  return text;
}

Result<bool> Section::Boolean(const Member& member) const {
  if (member.value.kind != NodeKind::kBoolean) return WrongKind(member, "true or false");
  return std::get<bool>(member.value.leaf);
}

Result<std::int64_t> Section::Integer(const Member& member) const {
  if (member.value.kind != NodeKind::kInteger) return WrongKind(member, "a whole number");
  return std::get<std::int64_t>(member.value.leaf);
}

Result<double> Section::Number(const Member& member) const {
  if (member.value.kind == NodeKind::kInteger) return static_cast<double>(std::get<std::int64_t>(member.value.leaf));
  if (member.value.kind != NodeKind::kReal) return WrongKind(member, "a number");
  const double number = std::get<double>(member.value.leaf);
  if (std::isnan(number))
    return At(member.line, fmt::format("{} of {} is not a number", Quote(member.key), title_), "correct it");
  return number;
}

Result<Section> Section::Table(const Member& member, std::string title, const std::string& example) const {
  if (member.value.kind != NodeKind::kTable) {
    return At(member.line, fmt::format("{} must be a table, not {}", title, KindName(member.value.kind)),
              "write " + example);
  }
  return Section(file_, std::move(title), member.line, member.value);
}

Result<bool> Section::Flag(std::string_view key) const {
  const Member* member = Find(key);
  if (member == nullptr) return false;
  return Boolean(*member);
}

}  // namespace kith
