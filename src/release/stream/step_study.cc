#include "release/stream/step_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/json.h"
#include "release/analyse.h"
#include "release/stream/stream_text.h"

namespace kith {

std::vector<PlainUnits> SharesByWeight(const std::vector<double>& weights, PlainUnits units) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<PlainUnits> shares;
  std::int64_t left = units.count();
  for (const double weight : weights) {
    const auto part = static_cast<std::int64_t>(std::floor(static_cast<double>(units.count()) * (weight / all)));
    const std::int64_t share = std::min(part, left);
    if (share <= 0) return {};
    left -= share;
    shares.push_back(PlainUnits::Of(share));
  }
  return shares;
}

std::string StudyToText(const StudyStep& step) {
  Json out = Json::parse(StepToText(step.numbers));
  if (!step.found.empty()) out["study"] = Json::parse(step.found);
  return out.dump();
}

Result<StudyStep> StudyFromText(const std::string& text) {
  auto numbers = StepFromText(text);
  if (!numbers) return numbers.error();
  const Json in = Json::parse(text);
  return StudyStep{std::move(*numbers), in.contains("study") ? in["study"].dump() : std::string()};
}

Result<StudyStep> ReleaseStudy(const StudyWork& work) {
  StudyStep out;
  StepNumbers& step = out.numbers;
  const auto sum = [](const std::vector<PlainUnits>& shares) { return PlainUnits::Sum(shares).value(); };
  PlainUnits wanted = sum(SharesByWeight(work.study.Weights(), work.terms.Release(work.tick, work.past.released)));
  if (wanted < LeastOfUse(work.terms)) wanted = PlainUnits();
  auto paid = wanted.count() > 0 ? work.charge(StepPart::kRelease, wanted) : Result<Paid>(Paid::Nothing());
  if (!paid) return paid.error();
  step.charged = paid->units();
  step.shares = SharesByWeight(work.study.Weights(), paid->units());
  if (step.shares.empty()) {
    if (step.charged.count() == 0) {  // recorded, so that the step has its place
      const auto recorded = work.charge(StepPart::kNothing, PlainUnits());
      if (!recorded) return recorded.error();
    }
    return out;
  }
  Priced priced;
  priced.shares = step.shares;
  priced.total = sum(step.shares);
  const auto found = RunStudy(work.study, work.vault, priced, *paid);
  if (!found) return found.error();
  step.state = StepState::kReleased;
  out.found = AnswerToJson(*found);
  return out;
}

Result<Answer> FoundIn(const StudyStep& step, const std::vector<std::string>& columns) {
  auto found = AnswerFromJson(step.found);
  if (!found) return found;
  std::vector<std::size_t> at;
  for (const std::string& name : columns) {
    const auto position = std::find(found->columns.begin(), found->columns.end(), name);
    if (position == found->columns.end()) return InternalError(fmt::format("a study has no column {}", name));
    at.push_back(static_cast<std::size_t>(position - found->columns.begin()));
  }
  for (auto& row : found->rows) {
    std::vector<AnswerCell> shown;
    for (const std::size_t k : at) shown.push_back(row.at(k));
    row = std::move(shown);
  }
  found->columns = columns;
  return found;
}

}  // namespace kith
