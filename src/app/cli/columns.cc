// kith columns: what may be asked about, only from the policy.
#include "document/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "document/json_line.h"

namespace kith::cli {
namespace {

using document::ColumnFacts;
using document::TableFacts;

constexpr std::size_t kWhole = 10'000;  // into a file or a pipe: nothing is cut

// Values or bounds; for a long list, its beginning.
std::string DomainText(const ColumnFacts& column) {
  if (column.lower) return fmt::format("{} to {}", ToText(*column.lower), ToText(*column.upper));
  if (!column.pattern.empty()) return column.pattern;
  constexpr std::size_t kShown = 6;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, column.values.size()); ++k)
    text += (k == 0 ? "" : ", ") + ToText(column.values[k]);
  return column.values.size() > kShown ? fmt::format("{}, ... ({} values)", text, column.values.size()) : text;
}

// Any column can be counted and compared: only what else can be done is said.
std::string MoreText(const ColumnFacts& column) {
  std::vector<std::string> more;
  for (const std::string& may : column.may_ask) {
    if (may != "count" && may != "compare") more.push_back(may);
  }
  return more.empty() ? "count and compare only" : fmt::format("{}", fmt::join(more, ", "));
}

std::string KnownText(const ColumnFacts& column) {
  const char* known = column.per_row ? "public per row" : column.is_public ? "public" : "secret";
  return fmt::format("{}{}", known, column.constant ? ", constant" : "");
}

std::string TableText(const TableFacts& table, std::size_t width) {
  TextTable columns({"column", "type", "values or bounds", "known", "may be asked"});
  for (const ColumnFacts& column : table.columns) {
    columns.Add({column.name, column.type, DomainText(column), KnownText(column), MoreText(column)});
  }
  return Wrap(fmt::format("{}: {}", table.name, table.about), width, 2) + "\n" +
         (table.columns.empty() ? "  no column is declared: count(*) alone can be asked\n"
                                : columns.Render(OnTerminal() ? width : kWhole));
}

// Of the policy, or of a dataset of a server.
Result<std::vector<TableFacts>> TablesOf(const std::string& name, const Context& context) {
  if (!context.server.empty()) return ReadFrom(AskServer(context, name, "", nullptr), document::TableFactsFrom);
  const auto policy = Policy::Load(name);
  if (!policy) return policy.error();
  return document::FactsOf(*policy);
}

}  // namespace

void AddColumns(Command& app, Context& context) {
  auto* command = app.AddVerb("columns", "List tables and columns, and what may be asked about them");
  command->Footer("Example:\n  kith columns policy.toml");
  struct Options {
    std::string policy;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->AddOption("policy", options->policy, "The policy file")->Required();
  command->AddFlag("--json", options->json, "Machine-readable output: all values of every column");
  command->Run([options, &context] {
    const auto tables = TablesOf(options->policy, context);
    if (!tables) {
      context.exit_code = Fail(tables.error(), options->json);
      return;
    }
    if (options->json) {
      Show(document::JsonLine(*tables));
      return;
    }
    std::string text;
    for (const TableFacts& table : *tables) text += (text.empty() ? "" : "\n") + TableText(table, TerminalWidth());
    Show(text);
  });
}

}  // namespace kith::cli
