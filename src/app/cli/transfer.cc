// kith transfer: plain loss to dependent loss for a model, or back, with every bound that applies.
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/commands.h"
#include "app/cli/report.h"
#include "app/cli/text.h"
#include "dependence/model_json.h"
#include "transfer/transfer.h"

namespace kith::cli {
namespace {

struct Options {
  std::string model;
  double plain = 0, dependent = 0;
  bool json = false;
  CLI::Option* has_plain = nullptr;
  CLI::Option* has_dependent = nullptr;
};

Result<std::string> ReadText(const std::string& path) {
  constexpr std::size_t kLargest = 64u << 20;
  std::ifstream in(path, std::ios::binary);
  if (!in) return StorageError("cannot read the model", path, "check the path and its permissions");
  std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  if (text.size() > kLargest) return InvalidArgument("the model file is larger than 64 MB", path, "give big graphs as \"edges\": \"file.csv\"");
  return text;
}

void PrintJson(double plain, const Transferred& t) {
  nlohmann::json out = {{"plain", plain},   {"dependent", t.dependent}, {"bound", t.bound},
                        {"adversary", t.adversary}, {"assumes", t.assumes},     {"per_record", t.per_record}};
  out["bounds"] = nlohmann::json::object();
  for (const auto& bound : t.bounds) out["bounds"][bound.name] = bound.dependent;
  fmt::print("{}\n", out.dump());
}

void PrintText(double plain, const Transferred& t) {
  const std::size_t width = TerminalWidth();
  fmt::print("plain {}  →  dependent {}   (by {})\n\n", Short(plain), Short(t.dependent), t.bound);
  TextTable table({"bound", "dependent", "covers an adversary who"});
  for (const auto& bound : t.bounds) table.Add({bound.name, Short(bound.dependent), bound.adversary});
  fmt::print("{}\n", table.Render(width));
  fmt::print("{}{}", Labelled("against", t.adversary, width), Labelled("assuming", t.assumes, width));
  if (!t.per_record.empty() && t.per_record.size() <= 20) {
    std::string values;
    for (const double v : t.per_record) values += Short(v) + " ";
    fmt::print("{}", Labelled("per record", values, width));
  }
}

int Run(const Options& options) {
  const auto text = ReadText(options.model);
  if (!text) return Fail(text.error(), options.json);
  auto model = ModelFromJson(*text, options.model);
  if (!model) return Fail(model.error(), options.json);
  const auto transfer = Transfer::Make(std::move(*model));
  if (!transfer) return Fail(transfer.error(), options.json);
  double plain = options.plain;
  if (options.has_dependent->count() > 0) {
    const auto budget = transfer->PlainBudget(options.dependent);
    if (!budget) return Fail(budget.error(), options.json);
    plain = *budget;
  }
  const auto result = transfer->Loss(plain);
  if (!result) return Fail(result.error(), options.json);
  options.json ? PrintJson(plain, *result) : PrintText(plain, *result);
  return 0;
}

}  // namespace

void AddTransfer(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("transfer", "Turn plain loss into dependent loss for a model, or back");
  command->footer("Example:\n  kith transfer household.json --plain 0.25\n  kith transfer household.json --dependent 1.0 --json");
  auto options = std::make_shared<Options>();
  command->add_option("model", options->model, "A dependence model as JSON")->required();
  options->has_plain = command->add_option("--plain", options->plain, "Plain loss: prints the dependent loss");
  options->has_dependent = command->add_option("--dependent", options->dependent, "Dependent loss: prints the plain loss it allows");
  options->has_plain->excludes(options->has_dependent);
  command->add_flag("--json", options->json, "Machine-readable output, full precision");
  command->callback([options, command, &context] {
    if (options->has_plain->count() + options->has_dependent->count() == 0) {
      context.exit_code = Fail(InvalidArgument("nothing to compute", command->get_name(), "add --plain x or --dependent y"), options->json);
      return;
    }
    context.exit_code = Run(*options);
  });
}

}  // namespace kith::cli
