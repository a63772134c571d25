#include "analysis/learn/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/learn/learn.h"
#include "base/json.h"
#include "loss/loss_text.h"

namespace kith::learn {
namespace {

Json JsonOf(const Value& value) {
  return std::visit(
      [](const auto& x) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(x)>, Null>)
          return nullptr;
        else
          return x;
      },
      value);
}

const char* KindName(Feature::Kind kind) {
  switch (kind) {
    case Feature::Kind::kNumber:
      return "number";
    case Feature::Kind::kTwoValues:
      return "two values";
    case Feature::Kind::kCategories:
      return "categories";
    case Feature::Kind::kConstant:
      return "constant";
  }
  return "";
}

Json ModelOf(const Design& design, Loss loss, const std::vector<double>& weights, const WeightBars& bars) {
  Json model = {{"analysis", loss == Loss::kHinge ? "svm" : "logistic"}};
  model["positive"] = JsonOf(design.positive);
  for (const Value& value : design.negative) model["negative"].push_back(JsonOf(value));
  for (std::size_t k = 0; k < design.features.size(); ++k) {
    const Feature& feature = design.features[k];
    Json one = {{"name", feature.name}, {"kind", KindName(feature.kind)}};
    if (feature.kind == Feature::Kind::kNumber) {
      one["lower"] = feature.lower;
      one["upper"] = feature.upper;
    }
    for (const Value& value : feature.values) one["values"].push_back(JsonOf(value));
    if (feature.null_is_a_category) one["values"].push_back(nullptr);
    const Attribute& attribute = design.shape.attributes()[k];
    for (std::size_t j = attribute.first; j < attribute.first + attribute.weights(); ++j)
      one["weights"].push_back(weights[j]);
    one["error_95"] = bars.each[attribute.first];
    one["error_95_all"] = bars.all[attribute.first];
    model["features"].push_back(std::move(one));
  }
  return model;
}

// "Right" and "all" are each two of the four counts: within twice the bar that holds for all of them at once.
struct Accuracy {
  double value = 0, low = 0, high = 1;
  bool known = false;
};

Accuracy AccuracyOf(const Trial& trial) {
  const double right = trial.right(), wrong = trial.all() - right, bar = 2 * trial.error_95_all;
  if (right + wrong <= 2 * bar) return {};
  const double low = std::max(right - bar, 0.0) / (std::max(right - bar, 0.0) + wrong + bar);
  const double high = (right + bar) / (right + bar + std::max(wrong - bar, 0.0));
  return {std::clamp(right / (right + wrong), 0.0, 1.0), low, high, true};
}

Json TrialJson(const Trial& trial, const Accuracy& accuracy) {
  Json json = {{"says_no_is_no", trial.counts[0]},  {"says_no_is_yes", trial.counts[1]},
               {"says_yes_is_no", trial.counts[2]}, {"says_yes_is_yes", trial.counts[3]},
               {"error_95", trial.error_95},        {"error_95_all", trial.error_95_all}};
  if (accuracy.known) json["accuracy"] = {accuracy.low, accuracy.value, accuracy.high};
  return json;
}

std::string TrialNote(const Trial& trial, const Accuracy& accuracy) {
  if (!accuracy.known) return "too few rows were held out to judge the classifier: their count is lost in noise";
  return fmt::format(
      "of about {:.0f} held-out rows {:.1f} % are classified correctly (between {:.1f} % and {:.1f} % given the noise, "
      "at 95 %); "
      "always saying the commoner value would be right for about {:.1f} %",
      trial.all(), 100 * accuracy.value, 100 * accuracy.low, 100 * accuracy.high,
      100 * std::clamp(std::max(trial.counts[0] + trial.counts[2], trial.counts[1] + trial.counts[3]) / trial.all(),
                       0.0, 1.0));
}

}  // namespace

Result<Trial> Try(const Examples& rows, const std::vector<double>& weights, std::int64_t max_rows, PlainUnits share,
                  BitSource& bits) {
  std::array<Int128, 4> counts{};
  for (std::size_t row = 0; row < rows.size(); ++row)
    ++counts[(ScoreOf(rows, row, weights) > 0 ? 2u : 0u) + (rows.Side(row) > 0 ? 1u : 0u)];
  const auto change = Sensitivities::OfL1(2 * max_rows);  // rows leave one count and enter another
  if (!change) return change.error();
  const auto noise = Noise::For(*change, share);
  if (!noise) return noise.error();
  noise->ReleaseAll(counts, bits);
  Trial trial;
  for (std::size_t k = 0; k < counts.size(); ++k) trial.counts[k] = static_cast<double>(counts[k]);
  trial.error_95 = noise->ErrorBar(0.95);
  trial.error_95_all = noise->ErrorBarAll(0.95, counts.size());
  return trial;
}

NoisePart NoiseOf(const Design& design, const Terms& terms) {
  NoisePart part;
  part.name = "push on each weight's slope";
  part.lattice = std::ldexp(1, terms.push_exponent);
  part.law = kDiscreteLaplaceName.id;  // rounded down to the lattice
  for (const LaplaceFloor& push : terms.pushes) part.scale = std::max(part.scale, push.scale() * part.lattice);
  part.sensitivity = 2 * static_cast<double>(design.rows.max_rows) * static_cast<double>(design.features.size());
  part.error_95 = part.scale * std::log(20);
  part.error_95_all = part.scale * std::log(20 * static_cast<double>(design.shape.weights()));
  return part;
}

std::vector<Note> NotesOf(const Design& design, const Terms& terms, const WeightBars& bars) {
  std::vector<Note> notes = design.rows.notes;
  notes.push_back(
      {NoteKind::kMethod, fmt::format("{} weights; a pull to zero of {:.4g} takes {} of the plain loss, "
                                      "the rounding of the minimum "
                                      "{}; noise of scale {:.2g} goes into each weight after it",
                                      design.shape.weights(), terms.pull, LossText(terms.curvature_share.epsilon(), 2),
                                      LossText(terms.finish_share.epsilon(), 2),
                                      terms.finish.scale() * std::ldexp(1, terms.step_exponent))});
  const auto [least, most] = std::minmax_element(bars.each.begin(), bars.each.end());
  // Rounded up: a reader may rely on a bar.
  const std::string size =
      *least == *most ? LossText(*most, 2) : fmt::format("{} to {}", LossText(*least, 2), LossText(*most, 2));
  double wider = 1;  // of all attributes
  for (std::size_t j = 0; j < bars.each.size(); ++j) wider = std::max(wider, bars.all[j] / bars.each[j]);
  notes.push_back(
      {NoteKind::kAccuracy,
       fmt::format(
           "bars of weights (±{}): with a probability of 95 %, the weight that the same fit of the same rows, "
           "with the same pull to zero, would have without noise is within them; all weights at once are within "
           "{} times as much. They hold whatever the data are, so more rows do not make them smaller, "
           "although they make the noise matter less; how far other people would have moved a weight is not in "
           "them",
           size, LossText(wider, 2))});
  return notes;
}

namespace {

// What the weight adds to the score for one more of what the feature is counted in, or from its first value to the
// second. Nothing: a value of several adds its weight, as it is.
Value PerUnit(const Design& design, std::size_t weight, double value) {
  const auto& attributes = design.shape.attributes();
  std::size_t k = attributes.size() - 1;
  while (attributes[k].first > weight) --k;
  const Feature& feature = design.features[k];
  if (feature.kind == Feature::Kind::kTwoValues) return 2 * value;
  const double width = feature.upper - feature.lower;
  if (feature.kind != Feature::Kind::kNumber || weight > attributes[k].first || !(width > 0)) return Null{};
  return 2 * value / width;
}

}  // namespace

Findings Report(const Design& design, Loss loss, const Terms& terms, const Fitted& fitted) {
  Findings findings;
  const WeightBars bars = BarsOf(design.shape, terms);
  findings.columns = {"feature", "value", "weight", "per unit"};
  for (std::size_t j = 0; j < fitted.weights.size(); ++j) {
    auto [name, value] = design.NameOf(j);
    findings.rows.push_back(
        {std::move(name), std::move(value), fitted.weights[j], PerUnit(design, j, fitted.weights[j])});
    const Value per_unit = PerUnit(design, j, bars.each[j]);
    const auto* bar = std::get_if<double>(&per_unit);
    findings.errors_95.push_back({std::nullopt, std::nullopt, bars.each[j], bar ? std::optional(*bar) : std::nullopt});
  }
  findings.notes = NotesOf(design, terms, bars);
  findings.notes.push_back(
      {NoteKind::kMethod,
       fmt::format(
           "a row is predicted to be {} if its weights add up to more than 0; a number's bounds count as -1 and 1, two "
           "values as -1 and 1; per unit: what one more of a number adds, or the second of two values instead of the "
           "first",
           ToText(design.positive))});
  Json details = ModelOf(design, loss, fitted.weights, bars);
  details["regularise"] = terms.pull;
  if (fitted.trial) {
    const Accuracy accuracy = AccuracyOf(*fitted.trial);
    details["held_out"] = TrialJson(*fitted.trial, accuracy);
    findings.notes.push_back({NoteKind::kFinding, TrialNote(*fitted.trial, accuracy)});
  }
  findings.claims = {"ROWS-1", "LEARN-1", "LEARN-2", "LEARN-3", "LEARN-4", "LEARN-5", "DL-1"};
  findings.details = JsonValue(std::move(details));
  return findings;
}

}  // namespace kith::learn
