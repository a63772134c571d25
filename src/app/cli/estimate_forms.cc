#include "app/cli/estimate_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "estimate/estimate.h"
#include "estimate/protected_file.h"

namespace kith::cli {
namespace {

using estimate::Study;
using estimate::StudyFile;
using Options = EstimateOptions;
using Specs = std::vector<OptionSpec>;

constexpr const char* kStratum = "A public column: each of its values gets its own limit";
constexpr const char* kYes = "The value that counts as yes; all others are no";

Specs OfPairs(Options& o) {
  return {May("left", &o.file.left, "Column of one of the two"),
          May("right", &o.file.right, "Column of the other"),
          May("exchangeable", &o.file.exchangeable, "Nothing tells which of the two comes first (twins)"),
          May("stratum", &o.file.stratum, kStratum),
          May("yes", &o.file.yes, kYes),
          May("size", &o.size, "The largest group in the world (default 2)").Within(2, 1000),
          May("table", &o.table, "Pairs by their values: both,left,right,neither").Exactly(4),
          May("counts", &o.counts, "Exchangeable pairs by number of yes: none,one,both").Exactly(3),
          May("pairs", &o.pairs, "With --concordance: how many pairs there were"),
          May("concordance", &o.concordance, "As published, with all its digits: 0.45"),
          May("prevalence", &o.prevalence, "As published: how many of all people say yes"),
          May("concordance_kind", &o.concordance_kind, "Which concordance was published")
              .OneOf({"probandwise", "pairwise"})
              .ShowsDefault()};
}

Specs OfHouseholds(Options& o) {
  return {Must("by", &o.file.by, "Column that tells groups apart"),
          Must("value", &o.file.value, "Column with yes or no"),
          May("shared", &o.shared,
              "All that ties members is one cause that acts in the same direction on all: less noise, if it is true"),
          May("stratum", &o.file.stratum, kStratum),
          May("common", &o.file.common,
              "One odds ratio whatever the others are: where some combinations never occur; not with --stratum"),
          May("size", &o.size, "The largest group in the world (default: in the study)").Within(2, 1000),
          May("yes", &o.file.yes, kYes)};
}

Specs OfChain(Options& o) {
  return {
      Must("order", &o.file.order, "Column that orders the values"),
      Must("value", &o.file.value, "Column with the values, at most 20 different ones"),
      May("by", &o.file.by, "Column that tells chains apart, if there are several"),
      May("length", &o.size, "Of the chain that is protected (default: the longest in the study)").Within(2, 100'000)};
}

Specs OfNetwork(Options& o) {
  return {Must("id", &o.file.id, "Column that names people"), Must("value", &o.file.value, "Column with yes or no"),
          Must("edges", &o.file.edges, "File of ties: its first two columns name people"),
          May("stratum", &o.file.stratum, "A public column of people: those with one value of it are alike"),
          May("yes", &o.file.yes, kYes)};
}

Specs OfDistances(Options& o) {
  return {Must("left", &o.file.left_at, "Columns of where the one is, one for each axis: x,y"),
          Must("right", &o.file.right_at, "Columns of where the other is: x2,y2"),
          Must("id", &o.file.ids, "Columns that name the one and the other: nobody may be in two pairs").Exactly(2),
          Must("axis", &o.axes, "The places along one axis: 0,1,2.5; once for each axis").Repeated()};
}

constexpr auto kForms = std::to_array<EstimateForm>({
    {"pairs", "Twins, couples: two people each", OfPairs},
    {"households", "Households, classes: groups of people who are alike", OfHouseholds},
    {"chain", "Values in the order of time", OfChain},
    {"network", "Friends, contacts: people and who is tied with whom", OfNetwork},
    {"distances", "Places of two linked people each: the law of distances", OfDistances},
});

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

// What no type says, and no study.
Result<void> Check(const EstimateForm& form, Options& options) {
  const std::string where = std::string("kith estimate ") + form.name;
  for (const OptionSpec& option : OptionsOf(form, options)) {
    const Json value = option.Value();
    const bool given = !value.is_null() && !(value.is_array() && value.empty());
    if (auto fine = given ? option.Check(where) : Result<void>(); !fine) return fine.error();
    if (given && !option.least.is_null() && (value < option.least || value > option.most))
      return InvalidArgument(fmt::format("'{}' is from {} to {}", option.name, option.least.dump(), option.most.dump()),
                             where)
          .For("estimate." + option.name);
  }
  if (!(options.question.epsilon > 0))
    return InvalidArgument("noise is compared at a loss above 0", where).For("estimate.epsilon");
  if (options.file.common && !options.file.stratum.empty())
    return InvalidArgument("one odds ratio for all does not differ by stratum", where, "leave one of the two out")
        .For("estimate.common");
  return {};
}

}  // namespace

std::span<const EstimateForm> EstimateForms() { return kForms; }

const EstimateForm* FindEstimate(std::string_view name) {
  const auto* found = std::find_if(kForms.begin(), kForms.end(), [&](const auto& each) { return name == each.name; });
  return found == kForms.end() ? nullptr : found;
}

std::vector<OptionSpec> OptionsOf(const EstimateForm& form, EstimateOptions& o) {
  Specs all = {May("file", &o.file.path, "The study: .csv, .tsv, .txt (with .gz or not), .parquet"),
               Must("source", &o.question.consent, "Whose data these are: public, or of people who consented")
                   .OneOf({"public", "consented"}),
               May("policy", &o.policy, "The policy that is to be declared: its own data are refused"),
               May("confidence", &o.question.confidence, "That the declared strength is large enough").ShowsDefault(),
               May("epsilon", &o.question.epsilon, "The dependent loss at which noise is compared").ShowsDefault()};
  all.front().needed = form.own != OfPairs;  // counts of pairs may be typed in
  for (OptionSpec& each : form.own(o)) all.push_back(std::move(each));
  return all;
}

Result<document::EstimateReport> ReportOf(const EstimateForm& form, EstimateOptions options, const CancelFlag& cancel) {
  document::EstimateQuestion& question = options.question;
  question.of = form.name;
  if (auto fine = Check(form, options); !fine) return fine.error();
  const auto study = StudyOf(options, cancel);
  if (!study) return study.error();
  question.source = options.file.path.empty() ? "typed in" : options.file.path;
  question.by = options.file.by;
  question.stratum = options.file.stratum;
  question.edges = options.file.edges;
  if (options.shared) question.attribute = options.file.value;
  question.left_out = study->left_out;
  question.size = options.size.value_or(study->size);
  if (question.size < study->size && question.of != "chain") {
    return InvalidArgument(fmt::format("the study has a group of {}, more than --size", study->size),
                           fmt::format("--size {}", question.size), "state the largest group in the world");
  }
  return document::MakeReport(question, study->sample, study->network);
}

}  // namespace kith::cli
