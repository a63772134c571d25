// kith affinity: which records of a public table have similar profiles, as a file of edges.
#include "affinity/affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "base/text_file.h"
#include "cli/verbs.h"
#include "document/csv.h"
#include "estimate/protected_file.h"
#include "estimate/public_table.h"

namespace kith::cli::lab {
namespace {

constexpr std::size_t kMostRows = 1'000'000;
constexpr std::uint64_t kMostEdges = 20'000'000;

struct Options {
  std::string table, id, output, policy;
  std::vector<std::string> columns;
  double threshold = 0.8;
  std::size_t bands = 0;
  bool json = false;
};

struct Found {
  std::size_t records = 0;
  std::int64_t left_out = 0;
  AffinityGraph graph;
};

/// Codes of equal strings; for numbers, the band that they are in, if bands are asked for.
std::vector<std::uint32_t> Codes(const std::vector<std::string>& texts, std::size_t bands) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    double number = 0;
    const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (bands == 0 || bad != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) break;
    numbers.push_back(number);
  }
  std::vector<std::uint32_t> codes;
  if (bands > 0 && numbers.size() == texts.size() && !numbers.empty()) {
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    const double width = (*most - *least) / static_cast<double>(bands);
    for (const double number : numbers) {
      const double band = width > 0 ? std::floor((number - *least) / width) : 0;
      codes.push_back(static_cast<std::uint32_t>(std::min(band, static_cast<double>(bands - 1))));
    }
    return codes;
  }
  std::map<std::string, std::uint32_t> known;
  for (const std::string& text : texts)
    codes.push_back(known.emplace(text, static_cast<std::uint32_t>(known.size())).first->second);
  return codes;
}

/// Edges of all records, in order.
Result<std::string> EdgeText(const Affinity& affinity, const std::vector<std::string>& names,
                             const CancelFlag& cancel) {
  constexpr unsigned kWorkers = 2;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> of_worker(kWorkers);
  const auto sink = [&](unsigned worker, std::uint32_t record, std::span<const std::uint32_t> later) {
    for (const std::uint32_t other : later) of_worker[worker].emplace_back(record, other);
  };
  if (auto ok = affinity.ForEach(sink, kWorkers, cancel); !ok) return ok.error();
  auto& edges = of_worker[0];
  for (unsigned w = 1; w < kWorkers; ++w) edges.insert(edges.end(), of_worker[w].begin(), of_worker[w].end());
  std::sort(edges.begin(), edges.end());
  std::string text = "a,b\n";
  for (const auto& [a, b] : edges) text += fmt::format("{},{}\n", names[a], names[b]);
  return text;
}

Result<Found> Make(const Options& options, const CancelFlag& cancel) {
  if (auto ok = estimate::RefuseProtected({options.table}, options.policy, cancel); !ok) return ok.error();
  std::vector<std::string> columns = {options.id};
  columns.insert(columns.end(), options.columns.begin(), options.columns.end());
  auto table = estimate::ReadPublicTable(options.table, columns, kMostRows, cancel);
  if (!table) return table.error();
  std::sort(table->rows.begin(), table->rows.end());
  Found found{table->rows.size(), table->left_out, {}};
  std::vector<std::string> names;
  for (const auto& row : table->rows) {
    if (!names.empty() && names.back() == row[0]) {
      return InvalidArgument(fmt::format("column '{}' names two rows alike", options.id), options.table,
                             "name the column that tells records apart");
    }
    names.push_back(row[0]);
  }
  Profiles profiles;
  for (std::size_t k = 1; k < columns.size(); ++k) {
    std::vector<std::string> texts;
    for (const auto& row : table->rows) texts.push_back(row[k]);
    profiles.categories.push_back(Codes(texts, options.bands));
  }
  const Threshold threshold{static_cast<std::uint32_t>(std::lround(options.threshold * 1000)), 1000};
  const auto affinity = Affinity::Make(profiles, Similarity::kCosine, threshold);
  if (!affinity) return affinity.error();
  auto graph = Summarise(*affinity, 0, cancel);
  if (!graph) return graph.error();
  found.graph = std::move(*graph);
  if (found.graph.edges > kMostEdges) {
    return InvalidArgument(fmt::format("there are {} edges, too many for a file", found.graph.edges), options.table,
                           "raise the threshold, or compare more columns");
  }
  for (std::string& name : names) name = document::CsvField(name);
  const auto text = EdgeText(*affinity, names, cancel);
  if (!text) return text.error();
  if (auto written = WriteTextFile(options.output, *text); !written) return written.error();
  return found;
}

Json JsonOf(const Options& options, const Found& found) {
  return {{"records", found.records},
          {"left_out", found.left_out},
          {"columns", options.columns},
          {"threshold", options.threshold},
          {"edges", found.graph.edges},
          {"largest_degree", found.graph.largest_degree},
          {"largest_component", found.graph.largest_component},
          {"output", options.output}};
}

std::string TextOf(const Options& options, const Found& found, std::size_t width) {
  std::string text = fmt::format("{} records, {} columns, similarity above {}\n\n", found.records,
                                 options.columns.size(), options.threshold);
  TextTable table({"edges", "most for one record", "largest connected part", "rows left out"});
  table.Add({std::to_string(found.graph.edges), std::to_string(found.graph.largest_degree),
             std::to_string(found.graph.largest_component), std::to_string(found.left_out)});
  text += table.Render(width) + "\n";
  text +=
      Wrap(fmt::format("The edges are in {}. A policy names them with nodes = {} (or how many units there are in the "
                       "world) and edges = \"{}\", with kind = \"field\" and a strength, or with kind = \"pairs\" "
                       "and a table, which is not proved.",
                       options.output, found.records, options.output),
           width, 0) +
      "\n";
  return text +
         Wrap(
             "Edges say who depends on whom, so they must come from PUBLIC data: edges that are made from "
             "protected columns are themselves a release. That two records are alike does not show that they "
             "depend on each other, nor the reverse.",
             width, 0) +
         "\n";
}

}  // namespace

void AddAffinity(Command& app, Context& context) {
  auto* command = app.AddVerb("affinity", "Make a file of edges between the records of a public table that are alike");
  command->Footer(
      "Example:\n  kith affinity people.csv --id name --columns town,school,club --threshold 0.8 --output edges.csv\n\n"
      "Two records are alike if more than this share of the columns is equal: the cosine of their one-hot profiles,\n"
      "the affinity graph of Liu, Chakraborty and Mittal (NDSS 2016), section VII. For public data only.");
  auto options = std::make_shared<Options>();
  command->AddOption("table", options->table, "The public table: .csv, .tsv, .txt (with .gz or not), .parquet")
      ->Required();
  command->AddOption("--columns", options->columns, "The columns that are compared")->Required()->Separated();
  command->AddOption("--id", options->id, "Column that names records, as the policy's key does")->Required();
  command->AddOption("--output", options->output, "Write the edges to this file")->Required();
  command->AddOption("--threshold", options->threshold, "A pair is an edge if it is more alike than that")
      ->Within(0.001, 1.0)
      ->ShowDefault();
  command->AddOption("--bands", options->bands, "First put numbers into this many bands of equal width")
      ->Within(std::size_t{1}, std::size_t{1000});
  command->AddOption("--policy", options->policy, "A policy whose own data are refused");
  command->AddFlag("--json", options->json, "Machine-readable output");
  command->Run([options, &context] {
    const auto found = Make(*options, *context.cancel);
    if (!found) {
      context.exit_code = Fail(found.error(), options->json);
      return;
    }
    Show(options->json ? JsonText(JsonOf(*options, *found)) + "\n" : TextOf(*options, *found, TerminalWidth()));
  });
}

}  // namespace kith::cli::lab
