#include "document/rho.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "loss/loss_text.h"

namespace kith::document {

using audit::RhoEquation;
using audit::RhoPair;
using audit::RhoReport;
std::string NameOf(const RhoReport& report, std::size_t record) {
  return record < report.names.size() ? report.names[record] : std::to_string(record);
}

std::vector<RhoPair> LargestPairs(const RhoEquation& equation, std::size_t most) {
  std::vector<RhoPair> pairs = equation.pairs;
  std::stable_sort(pairs.begin(), pairs.end(), [](const RhoPair& a, const RhoPair& b) { return a.rho > b.rho; });
  if (pairs.size() > most) pairs.resize(most);
  return pairs;
}

std::string Verdict(const RhoReport& report) {
  if (report.equations.empty()) return "The published coefficient is not a number of this model.";
  std::string text;
  for (const RhoEquation& equation : report.equations) {
    text += text.empty() ? "" : " ";
    const std::string claimed = LossText(equation.claimed);
    if (equation.at_most) {
      text += fmt::format(
          "{}: at most {} for any law that is allowed, a dependent sensitivity of at most {}; sums over pairs are no "
          "theorem, so this is not a bound on the loss.",
          equation.name, LossText(equation.Most()), LossText(equation.largest));
    } else if (equation.Exceeded()) {
      text += fmt::format("{} UNDERSTATES the loss: the true dependent loss is {} where {} is claimed.", equation.name,
                          LossText(*equation.truth), claimed);
    } else if (equation.truth) {
      text += fmt::format("{}: the true dependent loss is {}, within the claimed {}{}.", equation.name,
                          LossText(std::min(*equation.truth, equation.claimed)), claimed,
                          equation.proved ? ", as is proved for such laws" : ", which is not proved");
    } else {
      text += fmt::format("{}: a loss of {} is claimed{}.", equation.name, claimed,
                          equation.proved ? "" : ", which is UNPROVEN; the true loss can be larger");
    }
  }
  return text;
}

Json ToJson(const RhoReport& report) {
  constexpr std::size_t kMostPairs = 10'000;
  Json out = {{"question", report.question},
              {"records", report.records},
              {"equations", Json::array()},
              {"notes", report.notes},
              {"verdict", Verdict(report)}};
  if (!report.names.empty()) out["names"] = report.names;
  if (report.target.epsilon) out["epsilon"] = *report.target.epsilon;
  if (report.target.scale) out["scale"] = *report.target.scale;
  for (const RhoEquation& equation : report.equations) {
    Json row = {{"name", equation.name},
                {"scale", NumberToJson(equation.scale)},
                {"claimed", NumberToJson(equation.claimed)},
                {"dependent_sensitivity", NumberToJson(equation.largest)},
                {"per_record", equation.sensitivity},
                {"least", equation.Least()},
                {"most", equation.Most()},
                {"at_most", equation.at_most},
                {"proved", equation.proved},
                {"ordered_pairs", equation.pairs.size()},
                {"pairs", Json::array()}};
    if (equation.truth) {
      row["true_loss"] = NumberToJson(*equation.truth);
      row["exceeded"] = equation.Exceeded();
    }
    if (const auto pair = equation.MostAsymmetric())
      row["most_asymmetric"] = {
          {"i", pair->i}, {"j", pair->j}, {"rho", pair->rho}, {"back", pair->rho - pair->dependent}};
    for (const RhoPair& pair : LargestPairs(equation, kMostPairs)) {
      row["pairs"].push_back({{"i", pair.i},
                              {"j", pair.j},
                              {"rho", pair.rho},
                              {"self", NumberToJson(pair.self)},
                              {"dependent", NumberToJson(pair.dependent)}});
    }
    out["equations"].push_back(std::move(row));
  }
  return out;
}

}  // namespace kith::document
