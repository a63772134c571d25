// The text that `kith init` writes: everything a curator must decide is left open, and the checks say so until it is
// decided.
#include <fmt/format.h>

#include <unordered_set>

#include "base/utf8.h"
#include "policy/policy.h"
#include "policy/sections/section.h"

namespace kith {
namespace {

std::string TomlText(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

std::string TomlKey(std::string_view name) {
  const bool bare =
      !name.empty() && name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
                           std::string_view::npos;
  return bare ? std::string(name) : TomlText(name);
}

std::string ColumnLine(const ColumnSketch& column) {
  const std::string key = TomlKey(column.name);
  switch (column.type) {
    case ColumnType::kBoolean:
      return key + " = { type = \"boolean\" }\n";
    case ColumnType::kInteger:
      return key + " = { type = \"integer\" }    # to sum it: { type = \"integer\", lower = 0, upper = 100 }\n";
    case ColumnType::kReal:
      return key + " = { type = \"real\" }    # to sum it: { type = \"real\", lower = 0.0, upper = 1.0 }\n";
    case ColumnType::kText:
      return key + " = { type = \"text\" }    # to group by it: { values = [\"no\", \"yes\"] }\n";
    case ColumnType::kDate:
      return key + " = { type = \"date\" }    # with bounds: { lower = 2000-01-01, upper = 2030-12-31 }\n";
    case ColumnType::kTimestamp:
      return key +
             " = { type = \"timestamp\" }    # with bounds: { lower = 2000-01-01T00:00:00, upper = 2030-12-31T23:59:59 "
             "}\n";
  }
  return {};
}

constexpr const char* kHead =
    R"(# A policy for kith: public facts about a table, and what may be revealed. Nothing in this file is a secret.
# kith refuses it until every decision marked with >> is made; it guesses no privacy parameter. docs/guide/policy.md explains each.

)";

constexpr const char* kUnit = R"(
# >> Whose secrets are protected? Take the '#' away from ONE of the two choices.
# key = "..."          # a column that names the person (or device, ...) a row is about,
# max_rows = 1         #    and the most rows one person may contribute: further rows are dropped
# row = true           # or: every row is a person of its own

# >> May it be known that somebody is in the table at all?
# presence = "secret"  # no:  also hide who is in the table
# presence = "public"  # yes: only what the rows say is a secret
)";

constexpr const char* kColumns =
    R"(# Only columns listed here can be used. From general knowledge, NOT from looking at the data. Declare values or bounds of every
# column you will ever group by or sum NOW: after the first answer this part can no longer change under the same ledger.
#   values = [...]            everything the column can be; needed to group by it; anything else in the data reads as NULL
#   lower = ..., upper = ...  numbers beyond are moved to the bound; needed to sum or average
#   public = true             only if everybody knows this column for every person
#   required = true           never NULL: a missing value reads as the first value or as lower
)";

constexpr const char* kRest = R"(
# >> Who depends on whom? Identical twins, families, friends: one person's row says something about another's.
[dependence]
# source = "public"    # the model below comes from public knowledge, not from this data
# kind = "independent" # nobody's row says anything about anybody else's; or
# kind = "group"       # families, households, twins: members of one group depend on each other
# by = "..."           #    the public column that names the group
# size = 2             #    the largest group there is, relatives outside the table included
# odds_ratio = 3.0     #    how much one member's value can raise the odds of another's; leave it out if anything is possible

[budget]
# >> How much may all answers together reveal? 1.0 is usual; smaller is safer and noisier.
# epsilon = 1.0
)";

}  // namespace

std::string StartingPolicy(const std::string& table, const std::string& source,
                           const std::vector<ColumnSketch>& columns) {
  const std::string name = NameProblem(table).empty() && IsUtf8(table) ? table : "data";
  std::string text = kHead;
  text +=
      fmt::format("[data]\ntables.{} = {}\n\n[unit]\ntable = {}\n", TomlKey(name), TomlText(source), TomlText(name));
  text += kUnit;
  text += fmt::format("\n[columns.{}]\n", TomlKey(name));
  text += kColumns;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::string problem = NameProblem(columns[i].name);
    if (!IsUtf8(columns[i].name)) problem = "is not UTF-8";
    if (problem.empty() && !seen.insert(FoldName(columns[i].name)).second) problem = "is there twice";
    if (problem.empty()) {
      text += ColumnLine(columns[i]);
    } else {
      text += fmt::format("# column {} is left out: its name {}\n", i + 1, problem);
    }
  }
  text += kRest;
  text += fmt::format("ledger = {}    # the file that records what was spent; never delete it\n",
                      TomlText(name + ".ledger"));
  return text;
}

}  // namespace kith
