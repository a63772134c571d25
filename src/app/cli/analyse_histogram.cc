// kith analyse policy.toml histogram
#include <fmt/format.h>

#include "app/cli/analyse.h"
#include "app/cli/answer_output.h"
#include "app/cli/fail.h"
#include "app/cli/remote.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/json.h"
#include "document/from_json.h"

namespace kith::cli {
namespace {

struct HistogramFlags {
  HistogramRequest request;
  std::string method, format = "table";
  double noisy_epsilon = 0;
  Option* has_noisy = nullptr;
  bool one_sided = false, json = false;
};

Json BodyOf(const HistogramFlags& flags) {
  Json options = {{"one_sided", flags.one_sided}, {"by", flags.request.by}};
  if (!flags.request.attribute.empty()) options["attribute"] = flags.request.attribute;
  if (!flags.method.empty()) options["method"] = flags.method;
  if (flags.request.noisy_epsilon) {
    options["noisy_epsilon"] = *flags.request.noisy_epsilon;
    options["partition_share"] = flags.request.partition_share;
  }
  return {{"analysis", "histogram"}, {"epsilon", flags.request.epsilon}, {"options", std::move(options)}};
}

int ReleaseHistogram(const std::string& policy, HistogramFlags& flags, const Context& context) {
  const bool json = flags.json || flags.format == "json";
  const bool dawaz = flags.method == "dawaz";
  if (dawaz != flags.has_noisy->given()) {
    return Fail(
        InvalidArgument(dawaz ? "DAWAz also counts with two-sided noise, which has a price of its own"
                              : "--noisy-epsilon is the price of --method dawaz",
                        {}, dawaz ? "add --noisy-epsilon 0.1 (a part of the policy's epsilon)" : "leave it out"),
        json);
  }
  if (dawaz) flags.request.noisy_epsilon = flags.noisy_epsilon;
  const Call call = TerminalCall(*context.cancel);
  if (!context.server.empty()) {
    const auto document = AskServerToWork(context, policy, "analyses", BodyOf(flags), call);
    if (json) return ShowDocument(document);
    const auto answer = ReadFrom(document, document::AnswerFrom);
    if (!answer) return Fail(answer.error(), json);
    ShowAnswer(*answer, flags.format, TerminalWidth());
    return 0;
  }
  const auto curator = Curator::Open(policy, {}, call);
  if (!curator) return Fail(curator.error(), json);
  const auto answer = curator->Release(flags.request, {}, {}, call);
  if (!answer) return Fail(answer.error(), json);
  ShowAnswer(*answer, json ? "json" : flags.format, TerminalWidth());
  return 0;
}

}  // namespace

void AddHistogram(Command& analyse, const std::shared_ptr<std::string>& policy, Context& context) {
  auto* command = analyse.AddVerb("histogram", "Counts by group under one-sided privacy");
  command->Footer(
      "Example:\n  kith analyse policy.toml histogram --one-sided --attribute arrival --by \"width_bucket(arrival, "
      "360, "
      "600, 8)\" --epsilon 0.5\n"
      "one-sided: rows that are not sensitive, with noise that only ever subtracts, and its median added back.\n"
      "dawaz: all rows, sensitive ones too, with two-sided noise over buckets of groups; groups where the one-sided\n"
      "histogram is zero become zero. For sparse histograms.");
  auto flags = std::make_shared<HistogramFlags>();
  command
      ->AddFlag("--one-sided", flags->one_sided,
                "Required, as a reminder: rows that are not sensitive are not protected")
      ->Required();
  command->AddOption("--attribute", flags->request.attribute, "Which attribute of [one_sided], if there are several");
  command->AddOption("--by", flags->request.by, "As after GROUP BY: columns, or expressions with few values")
      ->Required();
  command->AddOption("--epsilon", flags->request.epsilon, "One-sided loss for each row, from the attribute's account")
      ->Required();
  command->AddOption("--method", flags->method, "one-sided or dawaz")
      ->OneOf({"one-sided", "dawaz"})
      ->ShowDefault("one-sided");
  flags->has_noisy = command->AddOption("--noisy-epsilon", flags->noisy_epsilon,
                                        "dawaz: price of the two-sided part, a part of the policy's epsilon");
  command
      ->AddOption("--partition-share", flags->request.partition_share,
                  "dawaz: how much of that is for choosing buckets")
      ->ShowDefault();
  command->AddFlag("--json", flags->json, "Machine-readable output");
  command->AddOption("--format", flags->format, "table, json or csv")->OneOf({"table", "json", "csv"});
  command->Run([policy, flags, &context] { context.exit_code = ReleaseHistogram(*policy, *flags, context); });
}

}  // namespace kith::cli
