#include "app/cli/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/cli/estimate_forms.h"
#include "release/analyses.h"

namespace kith::cli {
namespace {

// tools/check_messages.py: every parameter that the library names is here, unless it is an option of an analysis or
// an estimate and its flag is all that is to be said.
constexpr auto kAdvice = std::to_array<Advice>({
    {"account.allowance", "kith user grant"},
    {"account.household", "kith budget"},
    {"account.one_sided", "kith budget"},
    {"approval", "--approval NUMBER; kith approvals"},
    {"budget", "kith budget"},
    {"cells.false", "--false-cells 1, or --threshold 50"},
    {"check.column", "--column"},
    {"check.false_alarm", "--false-alarm 0.05"},
    {"check.value", "--value"},
    {"check.where", "--where"},
    {"columns", "kith columns lists tables and columns"},
    {"contingency.rows", "--rows and --columns"},
    {"cumulative.range", "--range 18,29"},
    {"cumulative.ranks", "--ranks 0.1,0.5,0.9"},
    {"degrees.by", "--by people.team"},
    {"degrees.ends", "--ends a,b"},
    {"degrees.names", "--names id"},
    {"derived.from", "--from \"SELECT key, min(day) AS day FROM visits GROUP BY key\""},
    {"derived.question", "kith analyse --explain shows it; kith query asks it"},
    {"dependence.kind", "kith transfer"},
    {"estimate.axis", "--axis 0,1,2 --axis 0,1,2 --left x,y --right x2,y2"},
    {"estimate.confidence", "--confidence 0.95"},
    {"estimate.sample", "kith estimate --help"},
    {"identity.columns", "--columns x,y"},
    {"identity.units", "--units 1,1000"},
    {"import", "kith import"},
    {"import.lines", "kith import"},
    {"keys.delta", "keys_delta in [budget]"},
    {"keys.per_unit", "--keys-per-unit"},
    {"kmeans.columns", "--columns x,y"},
    {"learn.features", "--features age,hours"},
    {"learn.holdout", "--holdout"},
    {"learn.label", "--label"},
    {"learn.positive", "--positive"},
    {"learn.where", "--where"},
    {"login", "kith user token"},
    {"login.wait", "wait"},
    {"login.page", "kith user token"},
    {"output", "--output"},
    {"percentiles.ranks", "--ranks 0.1,0.5,0.9"},
    {"points.groups", "--method groups --groups"},
    {"points.quantiles", "--method quantiles --quantiles"},
    {"policy", "kith init data.csv > policy.toml"},
    {"policy.growth", "kith policy diff OLD NEW"},
    {"price", "--epsilon 0.1 or --error 50"},
    {"price.epsilon", "--epsilon"},
    {"price.error", "--error"},
    {"price.split", "--split; see kith explain"},
    {"public.columns", "--columns"},
    {"question", "kith query"},
    {"question.groups", ""},
    {"question.syntax", ""},
    {"records.attribute", "--attribute"},
    {"regression.features", "--features age,schooling"},
    {"request.cells", "kith analyse POLICY cells"},
    {"request.degrees", "kith analyse POLICY degrees"},
    {"request.keys", "kith analyse POLICY keys"},
    {"request.points", "kith analyse POLICY points"},
    {"request.stream", "kith analyse POLICY stream --statistic \"SELECT ...\""},
    {"request.unit", "--unit person or --unit household"},
    {"state", "--state FOLDER; kith user add NAME --role curator"},
    {"stream.rate", "--rate"},
    {"stream.rule", "--rule"},
    {"stream.statistic", "--statistic"},
    {"survival.compare", "--compare arm, or --compare \"arm = 'new'\""},
    {"survival.step", "--step 30"},
    {"synthetic.parquet", "--parquet"},
    {"synthetic.parts", "--parts 16"},
    {"top.k", "-k"},
    {"steps", "--steps; --follow waits"},
    {"user.dataset", "--dataset"},
    {"user.epsilon", "--epsilon, or --none"},
    {"user.expires", "--expires"},
    {"user.name", "kith user list"},
    {"user.password", "the first line of the standard input"},
    {"user.role", "--role"},
    {"user.token", "--token"},
});

// An option of a table has its flag from there: "kmeans.steps" is changed by --steps, "estimate.by" by --by.
std::string FlagOf(std::string_view parameter) {
  const std::size_t dot = std::min(parameter.find('.'), parameter.size());
  if (parameter.starts_with("estimate.")) {
    EstimateOptions unused;
    for (const EstimateForm& form : EstimateForms()) {
      for (const OptionSpec& option : OptionsOf(form, unused)) {
        if (option.name == parameter.substr(dot + 1)) return option.Flag();
      }
    }
  }
  const AnalysisEntry* entry = FindAnalysis(parameter.substr(0, dot));
  if (entry == nullptr || dot == parameter.size()) return {};
  const AnalysisForm form = entry->form();
  for (const OptionSpec& option : form.options) {
    if (option.name == parameter.substr(dot + 1)) return option.Flag();
  }
  return {};
}

std::span<const Advice> more;  // set once, before anything is said

// Where to look up what the text is about.
std::string_view LookUp(const Error& error) {
  if (error.parameter != "price.epsilon") return {};
  if (error.code == Code::kBudgetExhausted) return "; see kith budget";
  if (error.code == Code::kUnsupportedQuery) return "; see kith explain";
  return {};
}

}  // namespace

std::string AdviceFor(std::string_view parameter) {
  for (const std::span<const Advice> table : {std::span<const Advice>(kAdvice), more}) {
    for (const auto& [known, advice] : table) {
      if (known == parameter) return std::string(advice);
    }
  }
  return FlagOf(parameter);
}

void AlsoAdvise(std::span<const Advice> table) { more = table; }

std::string ErrorText(const Error& error) {
  const std::string advice = fmt::format("{}{}", AdviceFor(error.parameter), LookUp(error));
  if (advice.empty()) return error.Text();
  Error shown = error;
  shown.next = error.next.empty() ? advice : fmt::format("{} ({})", error.next, advice);
  return shown.Text();
}

}  // namespace kith::cli
