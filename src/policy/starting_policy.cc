// The text that `kith init` writes: everything a curator must decide is left open, and the checks say so until it is
// decided.
#include <fmt/format.h>

#include <unordered_set>

#include "base/utf8.h"
#include "policy/data_part.h"
#include "policy/file_format.h"
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
  const std::string dates = column.dates.empty() ? "" : ", dates = " + TomlText(column.dates);
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
      return fmt::format(
          "{0} = {{ type = \"date\"{1} }}    # with bounds: {{ lower = 2000-01-01, upper = 2030-12-31{1} }}\n", key,
          dates);
    case ColumnType::kTimestamp:
      return fmt::format(
          "{0} = {{ type = \"timestamp\"{1} }}    # with bounds: {{ lower = 2000-01-01T00:00:00, upper = "
          "2030-12-31T23:59:59{1} }}\n",
          key, dates);
  }
  return {};
}

std::string SourceText(const std::string& source, const FileFormat& format) {
  std::string more;
  if (format.separator)
    more += ", separator = " + (*format.separator == '\t' ? "\"\\t\"" : TomlText(std::string(1, *format.separator)));
  if (format.decimal != '.') more += fmt::format(", decimal = \"{}\"", format.decimal);
  if (format.encoding != "utf-8") more += ", encoding = " + TomlText(format.encoding);
  if (format.row_names) more += ", row_names = true";
  for (std::size_t k = 0; k < format.missing.size(); ++k) {
    more += (k == 0 ? ", missing = [" : ", ") + TomlText(format.missing[k]);
  }
  if (!format.missing.empty()) more += "]";
  if (!format.dates.empty()) more += ", dates = " + TomlText(format.dates);
  return more.empty() ? TomlText(source) : fmt::format("{{ source = {}{} }}", TomlText(source), more);
}

constexpr const char* kHead =
    R"(# A policy for kith: public facts about a table, and what may be revealed. Nothing in this file is a secret.
# kith refuses it until every decision marked with >> is made; it guesses no privacy parameter. docs/guide/policy.md explains each.

)";

constexpr const char* kUnit = R"(
# >> Whose secrets are protected? Take the '#' away from ONE of the three choices.
# key = "..."          # a column that names the person (or device, ...) a row is about,
# max_rows = 1         #    and the most rows one person may contribute: further rows are dropped
# row = true           # or: every row is a person of its own
# key = ["...", "..."] # or: a row is about two people, as a tie or a message is, and is a secret of both (docs/guide/analyses.md)
# within = "..."       # beside key, if questions about households are to be asked too: the public column that names them,
# size = 12            #    and the most persons of one household

# >> May it be known that somebody is in the table at all?
# presence = "secret"  # no:  also hide who is in the table
# presence = "public"  # yes: only what the rows say is a secret

# Only if people may learn roughly where somebody is, and moves of at most delta are the secret (docs/guide/places.md):
# distance = { columns = ["lon", "lat"], metric = "great-circle", delta = "500 m" }
)";

constexpr const char* kColumns =
    R"(# Only columns listed here can be used. From general knowledge, NOT from looking at the data. What may change after
# the first answer, and what may not: docs/guide/policy.md ("What may change later").
#   values = [...]            everything the column can be; needed to group by it; anything else in the data reads as NULL
#   lower = ..., upper = ...  numbers beyond are moved to the bound; needed to sum or average
#   public = true             only if everybody knows this column for every person
#   public = "per row"        the same, where rows of one person differ in it (a visit, a year)
#   required = true           never NULL: a missing value reads as the first value or as lower
#   constant = true           the same in all rows of a person (sex, year of birth): read from the first row, charged once in
#                             questions about persons
)";

constexpr const char* kInPlace =
    R"(# >> These data are read in place. Promise what is true of them; otherwise every charge counts for everybody, whichever
#    public cell it is about, and 'by' and 'within' cannot be used (docs/guide/data.md, "Data that change"):
# frozen = true               # they do not change under one version
# public_columns = "fixed"    # no person's public columns and group ever change, from one version to the next or under one
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
#    Less noise, if all that ties members is one cause that acts in the same direction on all. FALSE where they infect each
#    other, inherit from two parents or share two causes (docs/guide/dependence.md, "One cause that all members share"):
# attribute = "..."    #    the yes or no that it is about, a secret column with two values; in place of odds_ratio:
# shared = { sd = 0.8 }

[budget]
# >> How much may all answers together reveal? 1.0 is usual; smaller is safer and noisier. (To limit what presence reveals, as
#    most libraries do, add neighbours = "add-or-remove": docs/guide/policy.md.)
# epsilon = 1.0
)";

constexpr const char* kMore = R"(
# Only if the table grows and is released step by step (docs/guide/streams.md):
# [stream]
# time = "..."            # the column that says when a row was seen
# step = "1 hour"
# start = "2026-01-01"
# window = 24             # the most consecutive steps in which a person is present

# Only if rows that are not sensitive may be released as they are (docs/guide/one_sided.md):
# [[one_sided.attribute]]
# name = "..."
# columns = ["..."]
# sensitive = "..."       # a condition: rows for which it holds are never released
# epsilon = 1.0
)";

/// `where`: the lines of [data] that say which server is meant.
std::string Draft(const std::string& table, const std::string& where, const std::string& source,
                  const FileSketch& sketch) {
  const std::string name = NameProblem(table).empty() && IsUtf8(table) ? table : "data";
  std::string text = kHead;
  text += "[data]\n" + where;
  for (const std::string& remark : sketch.remarks) text += "# " + remark + "\n";
  text += fmt::format("tables.{} = {}\n{}\n[unit]\ntable = {}\n", TomlKey(name), SourceText(source, sketch.format),
                      where.empty() && IsCsvName(source) ? "" : kInPlace, TomlText(name));
  text += kUnit;
  text += fmt::format("\n[columns.{}]\n", TomlKey(name));
  text += kColumns;
  std::unordered_set<std::string> seen;
  for (std::size_t i = 0; i < sketch.columns.size(); ++i) {
    const ColumnSketch& column = sketch.columns[i];
    std::string problem = column.skipped ? column.remark : NameProblem(column.name);
    if (!column.skipped && !problem.empty()) problem = "its name " + problem;
    if (!column.skipped && !IsUtf8(column.name)) problem = "its name is not UTF-8";
    if (problem.empty() && !seen.insert(FoldName(column.name)).second) problem = "its name is there twice";
    if (!problem.empty()) {
      text += fmt::format("# column {} is left out: {}\n", i + 1, problem);
      continue;
    }
    if (!column.remark.empty()) text += fmt::format("# column {}: {}\n", i + 1, column.remark);
    text += ColumnLine(column);
  }
  text += kRest;
  text += fmt::format("ledger = {}    # the file that records what was spent; never delete it\n",
                      TomlText(name + ".ledger"));
  text += kMore;
  return text;
}

}  // namespace

std::string StartingPolicy(const std::string& table, const std::string& source, const FileSketch& sketch) {
  return Draft(table, "", source, sketch);
}

std::string StartingPolicyOnServer(const Policy& data, const FileSketch& sketch) {
  std::string where = fmt::format("engine = {}\n", TomlText(data.engine));
  const auto add = [&where](const char* key, const std::string& word) {
    if (!word.empty()) where += fmt::format("{} = {}\n", key, TomlText(word));
  };
  const Server& server = data.server;
  const bool trino = data.engine == "trino";
  add("service", server.service);
  if (trino) {
    add("url", server.port == 0 ? server.host : fmt::format("{}:{}", server.host, server.port));
  } else {
    add("host", server.host);
    add("socket", server.socket);
    if (server.port != 0) where += fmt::format("port = {}\n", server.port);
  }
  add(trino ? "catalog" : "database", server.database);
  add("user", server.user);
  if (!data.rows_out) where += "rows_out = false\n";
  add("version", data.data_version);
  const Table& table = data.tables.front();
  return Draft(table.name, where, table.source, sketch);
}

}  // namespace kith
