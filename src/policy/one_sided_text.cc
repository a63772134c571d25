#include "policy/one_sided_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "loss/loss_text.h"
#include "policy/document.h"
#include "policy/renamed_keys.h"

namespace kith {
namespace {

const Node* Find(const Node& table, std::string_view key) {
  for (const Member& member : table.members) {
    if (PresentName("[one_sided]", member.key) == key) return &member.value;
  }
  return nullptr;
}

/// The line of each attribute's epsilon; one rule for the whole table is called "records".
std::vector<std::pair<std::string, int>> LinesOf(const Node& one_sided) {
  std::vector<std::pair<std::string, int>> lines;
  if (const Node* whole = Find(one_sided, "epsilon"); whole != nullptr) lines.emplace_back("records", whole->line);
  const Node* list = Find(one_sided, "attribute");
  if (list == nullptr) return lines;
  for (const Node& item : list->items) {
    const Node *name = Find(item, "name"), *epsilon = Find(item, "epsilon");
    if (name == nullptr || epsilon == nullptr || name->kind != NodeKind::kText) continue;
    lines.emplace_back(std::get<std::string>(name->leaf), epsilon->line);
  }
  return lines;
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Where the number of "epsilon = number" is in a line, outside strings and comments. Nothing: not exactly once.
std::optional<std::pair<std::size_t, std::size_t>> NumberAt(std::string_view line) {
  constexpr std::string_view kKey = "epsilon";
  std::optional<std::pair<std::size_t, std::size_t>> found;
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++at;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '#') break;
    if (c == '"' || c == '\'') {
      quote = c;
      continue;
    }
    if (line.substr(at, kKey.size()) != kKey || (at > 0 && IsWord(line[at - 1]))) continue;
    std::size_t next = at + kKey.size();
    while (next < line.size() && (line[next] == ' ' || line[next] == '\t')) ++next;
    if (next >= line.size() || line[next] != '=') continue;
    ++next;
    while (next < line.size() && (line[next] == ' ' || line[next] == '\t')) ++next;
    std::size_t end = next;
    while (end < line.size() && (IsWord(line[end]) || line[end] == '.' || line[end] == '+')) ++end;
    if (end == next || found) return std::nullopt;
    found = {next, end};
    at = end - 1;
  }
  return found;
}

std::vector<std::string_view> LinesOfText(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    lines.push_back(text.substr(from, end - from));
    from = end + 1;
  }
  return lines;
}

Result<Node> ReadSection(std::string_view text, const std::string& file) {
  auto document = ReadDocument(text, file);
  if (!document) return document.error();
  const Node* one_sided = Find(document->root, "one_sided");
  if (one_sided == nullptr)
    return InvalidArgument("the policy has no [one_sided]: no true records can be released under it", file,
                           "declare which rows are sensitive in [[one_sided.attribute]]");
  return *one_sided;
}

}  // namespace

Result<std::string> OneSidedModel(std::string_view text, const std::string& file) {
  auto section = ReadSection(text, file);
  if (!section) return section.error();
  const Node* model = Find(*section, "model");
  return model == nullptr || model->kind != NodeKind::kText ? std::string() : std::get<std::string>(model->leaf);
}

Result<std::string> WithEpsilons(std::string_view text, const std::string& file,
                                 const std::vector<std::pair<std::string, double>>& epsilons) {
  const auto section = ReadSection(text, file);
  if (!section) return section.error();
  const auto places = LinesOf(*section);
  std::vector<std::string> lines;
  for (const std::string_view line : LinesOfText(text)) lines.emplace_back(line);
  for (const auto& [name, epsilon] : epsilons) {
    const auto place =
        std::find_if(places.begin(), places.end(), [&name = name](const auto& one) { return one.first == name; });
    if (place == places.end())
      return InvalidArgument(fmt::format("the policy has no attribute '{}' with an epsilon of its own", name), file,
                             "add it under [[one_sided.attribute]]");
    if (!(epsilon >= 1e-6 && std::isfinite(epsilon)))
      return InvalidArgument(
          fmt::format("no epsilon can be written for '{}': {}", name,
                      epsilon > 0 && std::isinf(epsilon) ? "nothing limits it" : "it may not be released at all"),
          file,
          epsilon > 0 && std::isinf(epsilon) ? "choose within a smaller total, or write a number by hand"
                                             : "remove the attribute from the policy by hand, or allow more");
    auto& line = lines[static_cast<std::size_t>(place->second - 1)];
    const auto number = NumberAt(line);
    if (!number)
      return InvalidArgument(fmt::format("the epsilon of '{}' cannot be told from others on its line", name),
                             fmt::format("{}:{}", file, place->second),
                             "put each attribute under a [[one_sided.attribute]] of its own");
    line.replace(number->first, number->second - number->first, LeftText(epsilon, 6));
  }
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::vector<std::string> ChangedLines(std::string_view before, std::string_view after) {
  const auto was = LinesOfText(before), is = LinesOfText(after);
  std::vector<std::string> changed;
  for (std::size_t k = 0; k < std::min(was.size(), is.size()); ++k) {
    if (was[k] == is[k]) continue;
    changed.push_back(fmt::format("{} -{}", k + 1, was[k]));
    changed.push_back(fmt::format("{} +{}", k + 1, is[k]));
  }
  return changed;
}

}  // namespace kith
