// What a page needs besides questions: who it is that looks, single answers of a history, and the shape of a
// dependence.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/json.h"
#include "document/json_line.h"
#include "document/to_json.h"
#include "release/accountant.h"
#include "release/stored_answer.h"
#include "server/api.h"
#include "server/requests.h"

namespace kith::server {
namespace {

std::optional<std::int64_t> WholeNumber(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || value < 1) return std::nullopt;
  return value;
}

// The most links of one record, of an explicit list.
std::int64_t LargestDegree(const Field& field) {
  std::vector<std::int64_t> degrees(static_cast<std::size_t>(field.nodes), 0);
  std::int64_t most = 0;
  for (const Edge& edge : field.edges) {
    for (const std::uint32_t node : {edge.a, edge.b}) {
      if (node < degrees.size()) most = std::max(most, ++degrees[node]);
    }
  }
  return most;
}

// Sizes and strengths that a drawing can show; what a model does not have is left out.
Json Shape(const Model& model) {
  Json shape = {{"kind", Kind(model)}};
  if (const auto* group = std::get_if<Group>(&model)) {
    shape["size"] = group->size;
    std::optional<double> strongest = 1.0;
    for (const GroupClass& each : group->classes)
      strongest = strongest && each.odds_ratio ? std::optional(std::max(*strongest, *each.odds_ratio)) : std::nullopt;
    if (strongest) shape["odds_ratio"] = *strongest;
  } else if (const auto* field = std::get_if<Field>(&model)) {
    if (!field->edges.empty()) shape["size"] = LargestDegree(*field);
    double theta = 0;
    for (const Edge& edge : field->edges) theta = std::max(theta, edge.theta);
    if (theta > 0 && theta < 700) shape["odds_ratio"] = std::exp(theta);
  } else if (const auto* chain = std::get_if<Chain>(&model)) {
    shape["size"] = chain->length;
    if (chain->transition.size() == 2) shape["stay"] = std::max(chain->transition[0][0], chain->transition[1][1]);
  } else if (const auto* region = std::get_if<ChainRegion>(&model)) {
    shape["size"] = region->length;
  } else if (const auto* cause = std::get_if<HiddenCause>(&model)) {
    shape["size"] = cause->size;
    if (cause->theta < 700) shape["odds_ratio"] = std::exp(cause->theta);
  }
  return shape;
}

constexpr std::size_t kMostLosses = 64;

// "0.1,0.25": losses that were asked for.
Result<std::vector<double>> LossesIn(const std::string& text) {
  std::vector<double> all;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    double value = 0;
    const auto [stop, wrong] = std::from_chars(at, end, value);
    if (wrong != std::errc() || !(value >= 0) || (stop != end && *stop != ',') || all.size() == kMostLosses)
      return InvalidArgument("'plain' is not a list of losses", {},
                             fmt::format("write plain=0.1,0.25, at most {}", kMostLosses));
    all.push_back(value);
    at = stop == end ? end : stop + 1;
  }
  return all;
}

}  // namespace

HttpResponse Api::AnswerOfHistory(const Asked& asked) {
  const auto none = [] {
    return Failure(InvalidArgument("there is no answer with this number that you may see", {},
                                   "GET the history: it lists yours, and says which were kept"),
                   404);
  };
  const auto number = WholeNumber(asked.values[1]);
  if (!number) return none();
  // As much as the caller may see.
  const auto line = asked.dataset->curator->History({.from = *number, .count = 1});
  if (!line) return Failure(line.error());
  const Caller who = CallerOf(asked);
  if (line->empty() || (who.own_history && line->front().caller != who.name)) return none();
  const auto answer = StoredAnswerTo(*asked.dataset->curator, *number);
  if (!answer) return Failure(answer.error());
  if (!*answer) return none();
  return Documented(document::JsonLine(**answer));
}

HttpResponse Api::Dependence(const Asked& asked) {
  const Curator& curator = *asked.dataset->curator;
  const auto wanted = LossesIn(ValueIn(asked.http.query, "plain").value_or(""));
  if (!wanted) return Failure(wanted.error());
  Json losses = Json::array();
  for (const double plain : *wanted) {
    const auto units = PlainUnits::Floor(plain);
    if (!units) return Failure(units.error());
    Totals totals;
    totals.spent.assign(curator.policy().cells.size(), *units);
    const auto loss = curator.account().Dependent(totals);
    if (!loss) return Failure(loss.error());
    losses.push_back({{"plain", NumberToJson(plain)}, {"dependent", NumberToJson(loss->dependent)}});
  }
  Json out = Shape(curator.policy().dependence.model);
  out["losses"] = std::move(losses);
  return Documented(JsonText(out) + "\n");
}

HttpResponse Api::CompareNoise(const Asked& asked) {
  const auto comparison = ComparisonIn(asked.http.body, asked.call.cancel);
  return comparison ? Documented(document::JsonLine(*comparison)) : Failure(comparison.error());
}

}  // namespace kith::server
