// kith transfer --compare and --table: noise beside that of other methods.
#include "app/cli/transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/meter.h"
#include "cli/verbs.h"
#include "document/json_line.h"
#include "document/many_answers.h"
#include "document/prefix_sums.h"
#include "loss/loss_text.h"
#include "published/compare.h"
#include "transfer/gaussian/probit.h"

namespace kith::cli::lab {
namespace {

using document::Comparison;
using document::ManyAnswersTable;
using published::ManyAnswers;

struct Options {
  std::string model, table;
  double dependent = 1, delta = 1e-6;
  std::int64_t counts = 1;
  bool compare = false, gaussian = false, json = false;
  Option* has_dependent = nullptr;
};

std::string OrDash(const std::optional<double>& noise) { return noise ? Short(*noise) : "-"; }

std::string DeltaText(double delta) { return LossText(delta, 3); }

// Noise for counts under every method, and what each is worth.
std::string ComparisonText(const Comparison& comparison, bool by_distance, std::size_t width) {
  const auto& methods = comparison.methods;
  const std::int64_t counts = comparison.counts;
  std::string text = fmt::format("Noise for {}, for a dependent loss of {}{}:\n\n",
                                 counts == 1 ? "one count" : fmt::format("each of {} counts", counts),
                                 LossText(comparison.epsilon), counts == 1 ? "" : " in all");
  // A true loss needs a law; most models state only strengths.
  const bool law = std::any_of(methods.begin(), methods.end(), [](const auto& m) { return m.loss.has_value(); });
  std::vector<std::string> head = {"method", "noise scale"};
  if (law) head.push_back("true loss");
  TextTable table(head);
  for (const auto& m : methods) {
    std::vector<std::string> row = {m.name, Short(m.scale)};
    if (law) row.push_back(m.loss ? LossText(*m.loss) : "-");
    table.Add(std::move(row));
  }
  text += table.Render(width) + "\n";
  for (const auto& m : methods) text += Wrap(m.name + " is private under: " + m.private_under, width, 4) + "\n";
  if (by_distance) {
    text += Wrap(
                "kith has no line: this model bounds losses by distance, and a count is charged for any change of a "
                "record, however far",
                width, 4) +
            "\n";
  }
  return text;
}

int Compare(const Transfer& transfer, double epsilon, std::int64_t counts, bool as_json, const Call& call) {
  auto methods = [&] {
    const Stage stage(call, "comparing methods");
    return published::CompareForCounts(transfer.model(), epsilon, counts);
  }();
  if (!methods) return Fail(methods.error(), as_json);
  const Comparison comparison{epsilon, counts, std::move(*methods)};
  Show(as_json ? document::JsonLine(comparison)
               : ComparisonText(comparison, std::holds_alternative<Lipschitz>(transfer.model()), TerminalWidth()));
  return 0;
}

std::string Text(const ManyAnswersTable& table, std::size_t width) {
  std::string text = fmt::format("Noise of each count, as a standard deviation, for a dependent ({}, {}) in all:\n\n",
                                 LossText(table.epsilon), DeltaText(table.delta));
  TextTable rows({"model", "counts", "Laplace", "with delta", "normal", "group", "quilt", "W", "Renyi"});
  for (const auto& [name, noise] : table.models) {
    for (const ManyAnswers& row : noise) {
      rows.Add({row.counts == noise.front().counts ? name : "", std::to_string(row.counts), Short(row.laplace),
                OrDash(row.laplace_delta), Short(row.gaussian), OrDash(row.group), OrDash(row.quilt),
                OrDash(row.wasserstein), OrDash(row.renyi)});
    }
  }
  return text + rows.Render(std::max<std::size_t>(width, 110)) + "\n" +
         Wrap(
             "Laplace: pure losses add up. with delta: the same noise, all counts fixed in one plan and read with the "
             "delta. normal: normal noise. group: everybody who may depend on each other as one, the better law. "
             "quilt: "
             "Markov quilts. W, Renyi: Wasserstein and Renyi Pufferfish, for one count only, because they do not "
             "compose. A dash: not defined for the model.",
             width, 0) +
         "\n";
}

std::string Text(const document::PrefixSumsTable& table, std::size_t width) {
  TextTable rows({"cells", "Laplace, cells", "simple tree", "best tree", "normal, cells", "square root"});
  for (const auto& row : table.rows) {
    rows.Add({std::to_string(row.cells), Short(row.laplace_cells), Short(row.simple_tree), Short(row.tree),
              Short(row.normal_cells), Short(row.toeplitz)});
  }
  return fmt::format(
             "Errors of cumulative sums (root mean square) at a plain loss of {}, or of ({}, {}) with normal "
             "noise:\n\n",
             LossText(table.epsilon), LossText(table.epsilon), LossText(table.delta, 3)) +
         rows.Render(width) + "\n" +
         Wrap(
             "simple tree: blocks of one fan-out, equal shares, each sum from as few blocks as possible. best tree: "
             "shares by level, put together by least squares. square root: sums with the weights 1, 1/2, 3/8, ... "
             "Dependence multiplies all errors of one law of noise alike.",
             width, 0) +
         "\n";
}

/// The guide's models, or one that was named.
int RunManyAnswers(std::vector<published::NamedModel> models, std::vector<std::int64_t> counts, double epsilon,
                   double delta, bool as_json, const Call& call) {
  ManyAnswersTable table{epsilon, delta, {}};
  {
    const Stage stage(call, "comparing methods");
    for (auto& [name, model] : models) {
      const auto transfer = Transfer::Make(std::move(model));
      if (!transfer) return Fail(transfer.error(), as_json);
      auto rows = published::NoiseByEveryMethod(*transfer, epsilon, delta, counts);
      if (!rows) return Fail(rows.error(), as_json);
      table.models.emplace_back(name, std::move(*rows));
    }
  }
  Show(as_json ? JsonText(ToJson(table)) + "\n" : Text(table, TerminalWidth()));
  return 0;
}

int RunPrefixSums(double epsilon, double delta, bool as_json, const Call& call) {
  document::PrefixSumsTable table{epsilon, delta, 0, {}};
  if (!(epsilon > 0 && epsilon <= 1e3) || !(delta > 0 && delta < 1))
    return Fail(InvalidArgument("the table needs a loss above 0 and a delta between 0 and 1", "--table",
                                "--dependent 1 --delta 1e-6"),
                as_json);
  table.mu = LargestMu(epsilon, delta);
  {
    const Stage stage(call, "comparing what to measure");
    for (const std::size_t cells : {64, 1024, 65536}) {
      auto errors = published::ErrorsOfPrefixSums(cells, epsilon, table.mu);
      if (!errors) return Fail(errors.error(), as_json);
      table.rows.push_back(*errors);
    }
  }
  Show(as_json ? JsonText(ToJson(table)) + "\n" : Text(table, TerminalWidth()));
  return 0;
}

int Run(const Options& options, const CancelFlag& cancel) {
  const Call call = TerminalCall(cancel);
  if (options.table == "prefix-sums") return RunPrefixSums(options.dependent, options.delta, options.json, call);
  if (options.table == "many-answers")
    return RunManyAnswers(published::ModelsOfManyAnswers(), {1, 20, 1000}, options.dependent, options.delta,
                          options.json, call);
  if (!options.has_dependent->given()) {
    return Fail(InvalidArgument("--compare needs a target", "--compare",
                                "add --dependent 1.0: the loss that every method aims at"),
                options.json);
  }
  const auto transfer = TransferOf(options.model, options.gaussian, call);
  if (!transfer) return Fail(transfer.error(), options.json);
  if (transfer->known()) {
    return Fail(InvalidArgument("the other methods say nothing about somebody who knows exact totals", options.model,
                                "compare a model without 'known', or leave --compare out"),
                options.json);
  }
  if (!options.gaussian) return Compare(*transfer, options.dependent, options.counts, options.json, call);
  return RunManyAnswers({{options.model, transfer->model()}}, {options.counts}, options.dependent, options.delta,
                        options.json, call);
}

}  // namespace

void AddTransfer(Command& app, Context& context) {
  auto* command = app.AddVerb("transfer", "Compare the noise that a model calls for with that of other methods");
  command->Footer(
      "Example:\n  kith transfer household.json --dependent 1 --compare --counts 20\n"
      "  kith transfer household.json --gaussian --dependent 1 --delta 1e-6 --counts 1000 --compare\n"
      "  kith transfer --table many-answers\n  kith transfer --table prefix-sums\n\n"
      "Without --compare and --table: kith transfer --help.");
  auto options = std::make_shared<Options>();
  auto* model =
      command->AddOption("model", options->model, "A dependence model as JSON, or a policy (its strongest class)");
  options->has_dependent =
      command->AddOption("--dependent", options->dependent, "The dependent loss that every method aims at");
  command->AddOption("--delta", options->delta, "Of tables and of normal noise")->ShowDefault();
  auto* compare = command->AddFlag("--compare", options->compare,
                                   "The noise of counts under every method, kith's and published ones");
  command->AddOption("--counts", options->counts, "How many counts are asked together")->ShowDefault();
  auto* gaussian = command->AddFlag("--gaussian", options->gaussian, "Normal noise, with --delta");
  command
      ->AddOption("--table", options->table,
                  "Instead of a model: which noise when, for one count and for many, or what to measure for cumulative "
                  "sums (--dependent 1 --delta 1e-6)")
      ->OneOf({"many-answers", "prefix-sums"})
      ->Excludes(model)
      ->Excludes(gaussian)
      ->Excludes(compare);
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, command, &context] {
    if (options->model.empty() && options->table.empty()) {
      context.exit_code =
          Fail(InvalidArgument("there is no model", command->name(),
                               "name a JSON file or a policy: kith transfer household.json --dependent 1 --compare"),
               options->json);
      return;
    }
    const auto done =
        Metered(Meter::kNoLimit, *context.cancel, [&]() -> Result<int> { return Run(*options, *context.cancel); });
    context.exit_code = done ? *done : Fail(done.error(), options->json);
  });
}

}  // namespace kith::cli::lab
