#include "document/cause.h"

#include <fmt/format.h>

#include <cmath>

#include "dependence/model.h"
#include "document/estimates.h"
#include "estimate/estimate.h"

namespace kith::document {
namespace {

constexpr double kMostSd = 26;  // beyond, e^(sd^2) is no number

Error Wrong(std::string what, std::string next) {
  return InvalidArgument(std::move(what), {}, std::move(next)).For("estimate.sample");
}

std::string Quoted(const std::string& name) {
  return fmt::format("{}", JsonText(Json(name)));  // TOML's basic strings are JSON's
}

}  // namespace

Result<CauseReport> MakeCauseReport(const CauseQuestion& question) {
  const auto& [lower, upper] = std::pair(question.lower, question.upper);
  if (!(lower >= 0 && lower <= upper))
    return Wrong("the interval is not two numbers that are not negative, the smaller one first",
                 "write it like 0.4,0.8");
  const bool icc = question.scale == "icc";
  if (icc && !(upper < 1)) return Wrong("an ICC is a share of variance, below 1", "write it like 0.05,0.12");
  if (!(question.confidence >= estimate::kLeastConfidence && question.confidence <= estimate::kMostConfidence))
    return Wrong("the confidence must lie between 0.5 and 1", "state that of the published interval, such as 0.95");
  CauseReport report;
  report.question = question;
  report.sd = estimate::RoundedUp(icc ? estimate::SdOfIcc(upper) : upper);
  if (!(report.sd <= kMostSd)) return Wrong("a cause that spreads so far says nothing", "declare no strength at all");
  report.odds_ratio = OddsRatioOf(SharedBy::kSd, report.sd);
  Group group{question.size, {{"", report.odds_ratio}}};
  const auto either = NoiseMultiple(group, question.epsilon);
  if (!either) return either.error();
  group.classes.front().cause = report.sd;
  group.attribute = question.attribute;
  group.ties = Ties::kNonNegative;
  group.shared = SharedBy::kSd;
  const auto shared = NoiseMultiple(group, question.epsilon);
  if (!shared) return shared.error();
  report.noise = *shared;
  report.either_noise = *either;
  report.group_noise = static_cast<double>(question.size);
  report.declaration = fmt::format(
      "[dependence]\nsource = \"public\"\nconfidence = {}\nkind = \"group\"\nby = {}\nsize = {}\nattribute = "
      "{}\nshared = {{ "
      "sd = {} }}  # upper end of a published {} ({})\n",
      question.confidence, Quoted(question.by), question.size, Quoted(question.attribute), report.sd,
      icc ? "ICC on the latent scale" : "standard deviation", question.consent);
  report.conditions = {
      "The study's groups are a random sample of the groups that are protected, or of groups that are tied no less.",
      "The model fits: a random intercept with a normal law in a logistic regression, no slope of it above 1, and "
      "nothing else "
      "that members share.",
      "All that ties members is this one cause, which acts in the same direction on all. That is false where they "
      "infect "
      "each other, inherit from two parents or share two causes, and no study shows that it is true.",
      "Everything else in a record depends on its own yes or no only."};
  return report;
}

Json ToJson(const CauseReport& report) {
  const CauseQuestion& question = report.question;
  return {{"cause", question.scale},
          {"published", {question.lower, question.upper}},
          {"data", question.consent},
          {"confidence", question.confidence},
          {"size", question.size},
          {"epsilon", question.epsilon},
          {"sd", report.sd},
          {"odds_ratio", report.odds_ratio},
          {"noise", NumberToJson(report.noise)},
          {"either_noise", NumberToJson(report.either_noise)},
          {"group_noise", NumberToJson(report.group_noise)},
          {"declaration", report.declaration},
          {"conditions", report.conditions}};
}

}  // namespace kith::document
