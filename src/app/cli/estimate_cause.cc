#include "app/cli/estimate_cause.h"

#include <fmt/format.h>

#include <memory>

#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "document/cause.h"
#include "document/json_line.h"
#include "loss/loss_text.h"

namespace kith::cli {
namespace {

struct Options {
  document::CauseQuestion question;
  std::vector<double> sd, icc;
  std::string icc_scale;
  bool json = false;
};

constexpr char kScale[] =
    "an ICC on the observed scale, or of a linear model, depends on how common yes is, and says too little about odds: "
    "the "
    "same number can belong to a cause that spreads far";

Result<document::CauseReport> ReportOf(const Options& options) {
  document::CauseQuestion question = options.question;
  const std::string where = "kith estimate cause";
  if (options.sd.empty() == options.icc.empty())
    return InvalidArgument("there is one published number", where,
                           "give --sd or --icc, with both ends of its interval");
  if (options.icc.empty() != options.icc_scale.empty())
    return InvalidArgument("an ICC has a scale", where, "give --icc and --icc-scale together");
  if (!options.icc.empty() && options.icc_scale != "latent")
    return InvalidArgument(
        kScale, where,
        "look for the standard deviation of the random intercept of a logistic model, or for its ICC on "
        "the latent scale, sd^2 / (sd^2 + 3.29)");
  question.scale = options.icc.empty() ? "sd" : "icc";
  const auto& ends = options.icc.empty() ? options.sd : options.icc;
  question.lower = ends.front();
  question.upper = ends.back();
  return document::MakeCauseReport(question);
}

std::string Text(const document::CauseReport& report, std::size_t width) {
  const auto& question = report.question;
  std::string text =
      fmt::format("sd at most {}: an odds ratio of at most {} between two members, given all others\n\n{}\n", report.sd,
                  LossText(report.odds_ratio), report.declaration);
  TextTable noise({"declared as", "noise"});
  noise.Add({"shared", LossText(report.noise)});
  noise.Add({"odds_ratio alone", LossText(report.either_noise)});
  noise.Add({"groups of any kind", LossText(report.group_noise)});
  text += noise.Render(width) +
          Wrap(fmt::format("Noise of a count at a dependent loss of {}, in multiples of what independent people need.",
                           question.epsilon),
               width, 0) +
          "\n\nThis holds if:\n";
  for (const std::string& condition : report.conditions) text += Wrap("* " + condition, width, 2) + "\n";
  return text;
}

int Run(const Options& options) {
  const auto report = ReportOf(options);
  if (!report) return Fail(report.error(), options.json);
  Show(options.json ? document::JsonLine(*report) : Text(*report, TerminalWidth()));
  return 0;
}

}  // namespace

void AddCause(Command& estimate, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = estimate.AddVerb("cause", "A random intercept that was published: sd or ICC, with its interval");
  auto& question = options->question;
  command->AddOption("--sd", options->sd, "Both ends of the interval of its standard deviation: 0.4,0.8")
      ->Separated()
      ->Exactly(2);
  command->AddOption("--icc", options->icc, "Both ends of the interval of an ICC: 0.05,0.12")->Separated()->Exactly(2);
  command->AddOption("--icc-scale", options->icc_scale, "What the ICC is a share of: latent, observed or linear")
      ->OneOf({"latent", "observed", "linear"});
  command->AddOption("--size", question.size, "The largest group in the world")
      ->Within(std::size_t{1}, std::size_t{10'000})
      ->Required();
  command->AddOption("--by", question.by, "Column that will tell groups apart")->Required();
  command->AddOption("--attribute", question.attribute, "Column with the yes or no")->Required();
  command->AddOption("--source", question.consent, "Whose data these are: public, or of people who consented")
      ->Required()
      ->OneOf({"public", "consented"});
  command->AddOption("--confidence", question.confidence, "That of the published interval")->ShowDefault();
  command->AddOption("--epsilon", question.epsilon, "The dependent loss at which noise is compared")
      ->Positive()
      ->ShowDefault();
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] { context.exit_code = Run(*options); });
}

}  // namespace kith::cli
