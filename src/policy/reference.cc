// The tables of the documents about policies: every key, and every declared fact. Tests compare them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "policy/facts.h"
#include "policy/fields.h"

namespace kith {

std::string PolicyFieldsReference() {
  constexpr auto kParts = std::to_array<std::pair<std::string_view, std::string_view>>({
      {"policy", "The parts of a policy"},
      {"data", "[data]"},
      {"table", "[data] tables.NAME = { ... }"},
      {"unit", "[unit]"},
      {"distance", "[unit] distance = { ... }"},
      {"place", "[unit] distance, sources = { ... }"},
      {"column", "[columns.TABLE] NAME = { ... }"},
      {"dependence", "[dependence]"},
      {"shared", "[dependence] shared = { ... }"},
      {"total", "[dependence] known = [{ ... }]"},
      {"stream", "[stream]"},
      {"budget", "[budget]"},
      {"household", "[budget.household]"},
      {"one_sided", "[one_sided]"},
      {"attribute", "[[one_sided.attribute]]"},
      {"server", "[server]"},
  });
  constexpr auto kIn = std::to_array<std::string_view>({"–", "answers", "identity", "reading"});
  constexpr auto kChange = std::to_array<std::string_view>({"free", "accepted", "review", "refused", "depends"});
  std::string text;
  for (const auto& [part, title] : kParts) {
    const bool kinds = part == "dependence" || part == "data";
    text += fmt::format("## {}\n\n| key | what may stand there | what it says | part of | a change of it |{}\n", title,
                        kinds ? " of |" : "");
    text += kinds ? "|---|---|---|---|---|---|\n" : "|---|---|---|---|---|\n";
    for (const PolicyField& field : PolicyFields()) {
      if (field.part != part) continue;
      text += fmt::format("| `{}` | {} | {} | {} | {}{}{} |", field.key, field.written, field.says,
                          kIn.at(static_cast<std::size_t>(field.in)),
                          kChange.at(static_cast<std::size_t>(field.change)), field.why.empty() ? "" : ": ", field.why);
      if (kinds) text += fmt::format(" {} |", field.kinds == "any" ? "" : field.kinds);
      text += "\n";
    }
    text += "\n";
  }
  return text;
}

std::string FactsTable() {
  constexpr auto kNames = std::to_array<std::string_view>({"enforced", "checked", "promised"});
  std::string text =
      "| declared | what it says | standing | who sees to it | in assumptions |\n|---|---|---|---|---|\n";
  for (const Fact& fact : Facts()) {
    std::string words;
    if (fact.standing == Standing::kPromised) {
      words = fact.words.empty() ? "the model's own words" : fact.words;
      std::replace_if(
          words.begin(), words.end(), [](char c) { return c == '{' || c == '}'; }, '*');
    }
    text += fmt::format("| {} | {} | {} | {} | {} |\n", fact.declared, fact.says,
                        kNames.at(static_cast<std::size_t>(fact.standing)), fact.how, words);
  }
  return text;
}

}  // namespace kith
