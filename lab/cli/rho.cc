// kith rho: the dependence coefficient of a declared model, or of the columns of a public table.
#include "document/rho.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <set>

#include "app/cli/fail.h"
#include "app/cli/model_file.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "audit/audit.h"
#include "base/text_file.h"
#include "cli/rho_output.h"
#include "cli/verbs.h"
#include "document/rho.h"
#include "estimate/protected_file.h"
#include "estimate/public_table.h"

namespace kith::cli::lab {
namespace {

using audit::RhoReport;

struct Options {
  std::string model, table, policy, query, report;
  std::vector<std::string> columns;
  double epsilon = 1, scale = 0;
  bool json = false;
  Option* has_scale = nullptr;
};

/// Numbers as they are; other strings are numbered in their order.
std::vector<double> Numbers(const std::vector<std::string>& texts, bool& numeric) {
  std::vector<double> numbers;
  numeric = true;
  for (const std::string& text : texts) {
    double number = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
    numeric = numeric && bad == std::errc() && end == text.data() + text.size() && std::isfinite(number);
    numbers.push_back(number);
  }
  if (numeric) return numbers;
  std::map<std::string, double> places;
  for (const std::string& text : texts) places[text] = 0;
  double next = 0;
  for (auto& [text, place] : places) place = next++;
  for (std::size_t k = 0; k < texts.size(); ++k) numbers[k] = places[texts[k]];
  return numbers;
}

/// Every row is one pair, family or place: its columns are the records, and the rows are counted as their joint law.
Result<RhoReport> OfTable(const Options& options, const audit::Target& target, const CancelFlag& cancel) {
  constexpr std::size_t kMostRows = 1'000'000, kMostValues = 64, kMostDatabases = 4096;
  if (options.columns.size() < 2) {
    return InvalidArgument("a table needs the columns that are compared", "--columns",
                           "name two or more: --columns left,right");
  }
  if (auto ok = estimate::RefuseProtected({options.table}, options.policy, cancel); !ok) return ok.error();
  const auto table = estimate::ReadPublicTable(options.table, options.columns, kMostRows, cancel);
  if (!table) return table.error();
  if (table->rows.empty()) return InvalidArgument("no row is complete", options.table, "name other columns");
  std::vector<std::vector<double>> values;
  std::string named;
  for (std::size_t k = 0; k < options.columns.size(); ++k) {
    std::vector<std::string> texts;
    for (const auto& row : table->rows) texts.push_back(row[k]);
    bool numeric = true;
    values.push_back(Numbers(texts, numeric));
    if (!numeric) named += (named.empty() ? "" : ", ") + options.columns[k];
    if (std::set<double>(values.back().begin(), values.back().end()).size() > kMostValues) {
      return InvalidArgument(fmt::format("column '{}' has more than {} values", options.columns[k], kMostValues),
                             options.table, "put values together first");
    }
  }
  std::map<std::vector<double>, double> counts;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    std::vector<double> at;
    for (const auto& column : values) at.push_back(column[row]);
    ++counts[at];
  }
  if (counts.size() > kMostDatabases)
    return InvalidArgument("there are too many different rows", options.table, "name fewer columns");
  published::ListedLaw law;
  for (const auto& [at, count] : counts) law.push_back({at, count / static_cast<double>(table->rows.size())});
  auto report = audit::RhoOfRows(law, target);
  if (!report) return report.error();
  report->names = options.columns;
  std::vector<std::string> notes = {
      fmt::format("{} rows counted as a joint law, {} left out because something is missing. This is for PUBLIC data: "
                  "a coefficient that is counted from protected data is itself a release",
                  table->rows.size(), table->left_out),
      "counted shares are taken for the law; few rows make coefficients too large or too small"};
  if (!named.empty()) notes.push_back("values that are no numbers are numbered 0, 1, 2, ... in their order: " + named);
  report->notes.insert(report->notes.begin(), notes.begin(), notes.end());
  return report;
}

Result<RhoReport> OfCase(const std::string& path, const std::string& text, const audit::Target& target) {
  const auto found = audit::GalleryCaseFromJson(text, path);
  if (!found) return found.error();
  if (const auto* rows = std::get_if<published::ListedLaw>(&found->law)) return audit::RhoOfRows(*rows, target);
  const auto& law = std::get<audit::FiniteLaw>(found->law);
  const auto question = audit::QuestionFrom("sum", law);
  if (!question) return question.error();
  return audit::RhoOfLaw(law, *question, target);
}

Result<RhoReport> ReportOf(const Options& options, const CancelFlag& cancel) {
  audit::Target target;
  if (options.has_scale->given()) target.scale = options.scale;
  if (!options.has_scale->given()) target.epsilon = options.epsilon;
  if (options.model.empty() == options.table.empty()) {
    return InvalidArgument("one thing to look at is needed", "kith rho",
                           "name a model or a policy, or --table public.csv --columns left,right");
  }
  if (!options.table.empty()) return OfTable(options, target, cancel);
  if (!options.columns.empty())
    return InvalidArgument("--columns belong to a table", options.model, "add --table, or leave them out");
  const Call call = TerminalCall(cancel);
  const Stage stage(call, "computing coefficients");
  if (options.model.ends_with(".toml")) {
    const auto model = ModelOfPolicy(options.model, call);
    if (!model) return model.error();
    return audit::RhoOfModel(*model, options.query, target);
  }
  const auto text = ReadTextFile(options.model);
  if (!text) return text.error();
  if (audit::IsGalleryCase(*text)) return OfCase(options.model, *text, target);
  const auto model = ModelOfFile(options.model, call);
  if (!model) return model.error();
  return audit::RhoOfModel(*model, options.query, target);
}

int Run(const Options& options, const CancelFlag& cancel, const std::string& command) {
  const auto report = ReportOf(options, cancel);
  if (!report) return Fail(report.error(), options.json);
  const auto written =
      options.report.empty() ? Result<void>() : WriteTextFile(options.report, RhoPage(*report, command));
  Show(options.json ? JsonText(document::ToJson(*report)) + "\n" : RhoText(*report, TerminalWidth()));
  if (!written) return Fail(written.error(), options.json);
  if (!options.json && !options.report.empty()) Show(fmt::format("\nThe report is in {}\n", options.report));
  return 0;
}

}  // namespace

void AddRho(Command& app, Context& context) {
  auto* command = app.AddVerb("rho", "Show the published dependence coefficient of a model, beside the true loss");
  command->Footer(
      "Example:\n  kith rho twins.json                          every ordered pair, Eq. 14 and Eq. 18\n"
      "  kith rho policy.toml --epsilon 0.5           the model that a policy declares\n"
      "  kith rho chain.json --scale 3 --json         at one noise scale\n"
      "  kith rho --table study.csv --columns a,b     two columns of a PUBLIC table, counted as their joint law\n\n"
      "The coefficient, self and dependent indistinguishability and dependent sensitivity are those of Liu, "
      "Chakraborty\n"
      "and Mittal (NDSS 2016), Eqs. 14-24. They set no noise here; docs/guide/rho.md says what they are worth.");
  auto options = std::make_shared<Options>();
  command->AddOption("model", options->model, "A dependence model as JSON, a policy, or a case for `kith audit`");
  command->AddOption("--table", options->table, "A table of public data: .csv, .tsv, .txt (with .gz or not), .parquet");
  command->AddOption("--columns", options->columns, "With --table: the columns that are the records")->Separated();
  command->AddOption("--policy", options->policy, "With --table: a policy whose own data are refused");
  command->AddOption("--query", options->query, "count, count:2, sum or sum:0,3,10 (default: the sum of the values)");
  auto* epsilon =
      command->AddOption("--epsilon", options->epsilon, "The claimed loss that each equation's noise is for")
          ->Positive()
          ->ShowDefault();
  options->has_scale = command->AddOption("--scale", options->scale, "One noise scale for both equations");
  options->has_scale->Positive()->Excludes(epsilon);
  command->AddOption("--report", options->report,
                     "Also write a page with all coefficients as squares to this HTML file");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, command, &context] {
    context.exit_code = Run(*options, *context.cancel, "kith rho" + command->Given());
  });
}

}  // namespace kith::cli::lab
