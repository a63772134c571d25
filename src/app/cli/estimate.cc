// kith estimate: how strongly records are tied, from public or consented data, as a declaration with its confidence.
#include "app/cli/estimate.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <memory>

#include "app/cli/commands.h"
#include "app/cli/estimate_output.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "app/cli/text.h"
#include "base/text_file.h"
#include "document/json_line.h"
#include "estimate/estimate.h"
#include "estimate/protected_file.h"

namespace kith::cli {
namespace {

using document::EstimateQuestion;
using estimate::Study;
using estimate::StudyFile;
using Options = EstimateOptions;

/// Counts that were typed in instead of a file.
Result<std::optional<Study>> Typed(const Options& options) {
  Study study;
  study.size = 2;
  const bool concordance = !options.concordance.empty() || !options.prevalence.empty();
  const int ways = !options.table.empty() + !options.counts.empty() + concordance;
  if (ways + !options.file.path.empty() > 1)
    return InvalidArgument("there are several studies at once", "kith estimate pairs",
                           "give a file, --table, --counts, or --concordance with --prevalence");
  if (ways == 0) return std::optional<Study>();
  if (!options.table.empty()) {
    const auto& t = options.table;
    study.sample = estimate::Pairs{{{"", t[0], t[1], t[2], t[3]}}};
    return study;
  }
  if (!options.counts.empty()) {
    study.sample = estimate::Groups{{{"", options.counts}}};
    return study;
  }
  if (options.concordance.empty() || options.prevalence.empty() || options.pairs == 0)
    return InvalidArgument("concordance alone is no study", "kith estimate pairs",
                           "give --concordance, --prevalence and --pairs together");
  const auto tables = estimate::FromConcordance(options.concordance, options.concordance_kind == "pairwise",
                                                options.prevalence, options.pairs);
  if (!tables) return tables.error();
  auto worst = estimate::Worst(*tables, options.question.confidence);
  if (!worst) return worst.error();
  study.sample = estimate::Groups{{*std::move(worst)}};
  return study;
}

Result<Study> ReadDistances(const Options& options, const CancelFlag& cancel) {
  StudyFile file = options.file;
  std::size_t places = 1;
  for (const std::string& text : options.axes) {
    auto& axis = file.axes.emplace_back();
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t to = std::min(text.find(',', from), text.size());
      double value = 0;
      const auto [end, error] = std::from_chars(text.data() + from, text.data() + to, value);
      if (error != std::errc() || end != text.data() + to || !std::isfinite(value) ||
          (!axis.empty() && value <= axis.back())) {
        return InvalidArgument("an axis is a list of increasing numbers", fmt::format("--axis {}", text),
                               "write it like --axis 0,1,2.5");
      }
      axis.push_back(value);
      from = to + 1;
    }
    places *= axis.size();
    if (places > 400)
      return InvalidArgument("there are more than 400 places", fmt::format("--axis {}", text), "take fewer values");
  }
  return estimate::ReadPlaces(file, cancel);
}

Result<Study> StudyOf(const Options& options, const CancelFlag& cancel) {
  if (options.question.of == "pairs") {
    auto typed = Typed(options);
    if (!typed) return typed.error();
    if (*typed) return **std::move(typed);
    if (options.file.path.empty() || options.file.left.empty() || options.file.right.empty())
      return InvalidArgument("there is no study", "kith estimate pairs",
                             "give a file with --left and --right, or --table, --counts, or --concordance");
  }
  std::vector<std::string> files = {options.file.path};
  if (!options.file.edges.empty()) files.push_back(options.file.edges);
  if (auto ok = estimate::RefuseProtected(files, options.policy, cancel); !ok) return ok.error();
  if (options.question.of == "pairs") return estimate::ReadPairs(options.file, cancel);
  if (options.question.of == "households") return estimate::ReadGroups(options.file, cancel);
  if (options.question.of == "distances") return ReadDistances(options, cancel);
  if (options.question.of == "chain") return estimate::ReadSteps(options.file, cancel);
  return estimate::ReadNetwork(options.file, cancel);
}

}  // namespace

Result<document::EstimateReport> ReportOf(const EstimateOptions& options, const CancelFlag& cancel) {
  const auto study = StudyOf(options, cancel);
  if (!study) return study.error();
  EstimateQuestion question = options.question;
  question.source = options.file.path.empty() ? "typed in" : options.file.path;
  question.by = options.file.by;
  question.stratum = options.file.stratum;
  question.edges = options.file.edges;
  if (options.shared) question.attribute = options.file.value;
  question.model_file = options.model;
  question.left_out = study->left_out;
  question.size = study->size;
  if (options.size > 0) {
    if (options.size < study->size && question.of != "chain") {
      return InvalidArgument(fmt::format("the study has a group of {}, more than --size", study->size),
                             fmt::format("--size {}", options.size), "state the largest group in the world");
    }
    question.size = options.size;
  }
  return document::MakeReport(question, study->sample, study->network);
}

namespace {

int Run(const Options& options, const CancelFlag& cancel) {
  const auto report = ReportOf(options, cancel);
  if (!report) return Fail(report.error(), options.json);
  Result<void> written;
  for (const auto& [file, text] :
       {std::pair{options.plot, EstimateChart(*report)},
        std::pair{options.model, options.model.empty() ? "" : document::ModelText(*report)}}) {
    if (written && !file.empty()) written = WriteTextFile(file, text);
  }
  if (options.json)
    Show(document::JsonLine(*report));
  else if (options.explain)
    Show(Wrap(document::InWords(*report), TerminalWidth(), 0) + "\n");
  else
    Show(EstimateText(*report, TerminalWidth()));
  return written ? 0 : Fail(written.error(), options.json);
}

/// One kind of study, with the options that all have.
Command* AddStudy(Command& estimate, Context& context, const std::string& of, const std::string& help,
                  const std::shared_ptr<Options>& options) {
  auto* command = estimate.AddVerb(of, help);
  options->question.of = of;
  auto* path =
      command->AddOption("file", options->file.path, "The study: .csv, .tsv, .txt (with .gz or not), .parquet");
  if (of != "pairs") path->Required();
  command->AddOption("--source", options->question.consent, "Whose data these are: public, or of people who consented")
      ->Required()
      ->OneOf({"public", "consented"});
  command->AddOption("--policy", options->policy, "The policy that is to be declared: its own data are refused");
  command->AddOption("--confidence", options->question.confidence, "That the declared strength is large enough")
      ->ShowDefault();
  command->AddOption("--epsilon", options->question.epsilon, "The dependent loss at which noise is compared")
      ->Positive()
      ->ShowDefault();
  command->AddOption("--plot", options->plot, "Draw how the limit falls with more data, as SVG, into this file");
  command->AddFlag("--explain", options->explain, "In words, for those who decide");
  command->AddFlag("--json", options->json, "Machine-readable output, full precision");
  command->Run([options, &context] { context.exit_code = Run(*options, *context.cancel); });
  return command;
}

void AddYes(Command& command, Options& options) {
  command.AddOption("--yes", options.file.yes, "The value that counts as yes; all others are no");
}

void AddPairStudy(Command& estimate, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = AddStudy(estimate, context, "pairs", "Twins, couples: two people each", options);
  command->AddOption("--left", options->file.left, "Column of one of the two");
  command->AddOption("--right", options->file.right, "Column of the other");
  command->AddFlag("--exchangeable", options->file.exchangeable, "Nothing tells which of the two comes first (twins)");
  command->AddOption("--stratum", options->file.stratum, "A public column: each of its values gets its own limit");
  AddYes(*command, *options);
  command->AddOption("--size", options->size, "The largest group in the world (default 2)")
      ->Within(std::size_t{2}, std::size_t{1000});
  command->AddOption("--table", options->table, "Pairs by their values: both,left,right,neither")
      ->Separated()
      ->Exactly(4);
  command->AddOption("--counts", options->counts, "Exchangeable pairs by number of yes: none,one,both")
      ->Separated()
      ->Exactly(3);
  command->AddOption("--pairs", options->pairs, "With --concordance: how many pairs there were");
  command->AddOption("--concordance", options->concordance, "As published, with all its digits: 0.45");
  command->AddOption("--prevalence", options->prevalence, "As published: how many of all people say yes");
  command->AddOption("--concordance-kind", options->concordance_kind, "Which concordance was published")
      ->OneOf({"probandwise", "pairwise"})
      ->ShowDefault();
}

void AddHouseholds(Command& estimate, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command =
      AddStudy(estimate, context, "households", "Households, classes: groups of people who are alike", options);
  command->AddOption("--by", options->file.by, "Column that tells groups apart")->Required();
  command->AddOption("--value", options->file.value, "Column with yes or no")->Required();
  command->AddFlag(
      "--shared", options->shared,
      "All that ties members is one cause that acts in the same direction on all: less noise, if it is true");
  auto* stratum =
      command->AddOption("--stratum", options->file.stratum, "A public column: each of its values gets its own limit");
  command
      ->AddFlag("--common", options->file.common,
                "One odds ratio whatever the others are: where some combinations never occur")
      ->Excludes(stratum);
  command->AddOption("--size", options->size, "The largest group in the world (default: in the study)")
      ->Within(std::size_t{2}, std::size_t{1000});
  AddYes(*command, *options);
}

void AddChain(Command& estimate, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = AddStudy(estimate, context, "chain", "Values in the order of time", options);
  command->AddOption("--order", options->file.order, "Column that orders the values")->Required();
  command->AddOption("--value", options->file.value, "Column with the values, at most 20 different ones")->Required();
  command->AddOption("--by", options->file.by, "Column that tells chains apart, if there are several");
  command->AddOption("--length", options->size, "Of the chain that is protected (default: the longest in the study)")
      ->Within(std::size_t{2}, std::size_t{100'000});
  command->AddOption("--model", options->model, "Write the model that the declaration names into this file");
}

void AddNetwork(Command& estimate, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command =
      AddStudy(estimate, context, "network", "Friends, contacts: people and who is tied with whom", options);
  command->AddOption("--id", options->file.id, "Column that names people")->Required();
  command->AddOption("--value", options->file.value, "Column with yes or no")->Required();
  command->AddOption("--edges", options->file.edges, "File of ties: its first two columns name people")->Required();
  command->AddOption("--class", options->file.stratum, "A public column of people: those of one class are alike");
  AddYes(*command, *options);
}

void AddDistances(Command& estimate, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command =
      AddStudy(estimate, context, "distances", "Places of two linked people each: the law of distances", options);
  command->AddOption("--left", options->file.left_at, "Columns of where the one is, one for each axis: x,y")
      ->Required()
      ->Separated();
  command->AddOption("--right", options->file.right_at, "Columns of where the other is: x2,y2")
      ->Required()
      ->Separated();
  command->AddOption("--id", options->file.ids, "Columns that name the one and the other: nobody may be in two pairs")
      ->Required()
      ->Separated()
      ->Exactly(2);
  command->AddOption("--axis", options->axes, "The places along one axis: 0,1,2.5; once for each axis")
      ->Required()
      ->Repeatable();
}

}  // namespace

void AddEstimate(Command& app, Context& context) {
  auto* command = app.AddVerb("estimate", "Find the strength to declare, from public or consented data");
  command->Footer(
      "Examples:\n  kith estimate pairs twins.csv --left a --right b --exchangeable --source public\n"
      "  kith estimate pairs --counts 270,18,12 --source public\n"
      "  kith estimate households survey.csv --by house --value ill --source consented --policy policy.toml\n"
      "  kith estimate cause --sd 0.4,0.8 --by school --attribute smoked --size 30 --source public\n"
      "  kith estimate distances friends.csv --id a,b --left x --right x2 --axis 0,1,2 --source public\n\n"
      "Never from the data that are to be protected: these are refused.");
  command->RequireVerb();
  AddPairStudy(*command, context);
  AddHouseholds(*command, context);
  AddChain(*command, context);
  AddNetwork(*command, context);
  AddDistances(*command, context);
  AddCause(*command, context);
}

}  // namespace kith::cli
