// A law that was audited, and the gallery.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "document/audits.h"
#include "document/to_json.h"
#include "loss/loss_text.h"

namespace kith::document {
namespace {

using audit::KnownLoss;
using audit::Knows;
using audit::MethodLine;
using audit::Promise;
using nlohmann::json;

bool Claims(Knows adversary, const MethodLine& line) {
  return line.promise != Promise::kPlainOnly && (adversary == Knows::kNone || line.covers_known);
}

/// The methods whose number does not hold against one adversary, the same for all.
std::string ExceededBy(Knows adversary, const ModelAudit& report) {
  std::string exceeded;
  for (const MethodLine& line : report.table.methods) {
    if (line.HoldsAgainst(adversary)) continue;
    exceeded +=
        fmt::format("{}{} ({} for {}{})", exceeded.empty() ? "" : ", ", line.name, LossText(line.TrueLoss(adversary)),
                    LossText(line.claimed), Claims(adversary, line) ? "" : ", not claimed");
  }
  return exceeded;
}

json JsonOf(const KnownLoss& loss) {
  return {{"loss", NumberToJson(loss.worst.loss)},
          {"record", loss.worst.record},
          {"value", loss.worst.high},
          {"against", loss.worst.low},
          {"known", loss.known},
          {"known_values", loss.values}};
}

}  // namespace

/// A plain loss ignores dependence: it is for somebody who knows all the others.
std::string ClaimedAgainst(const MethodLine& line) {
  return line.promise == Promise::kPlainOnly ? "all" : line.covers_known ? "any" : "none";
}

std::string TrueText(double loss, double claimed, bool holds) {
  return LossText(holds ? std::min(loss, claimed) : loss);
}

std::string Verdict(const ModelAudit& report) {
  const std::string by_none = ExceededBy(Knows::kNone, report), by_any = ExceededBy(Knows::kAnyOther, report);
  std::string text = "Against somebody who knows no other record, ";
  text += by_none.empty() ? "every stated number holds on this law"
                          : "the true loss on this law is larger than stated for " + by_none;
  for (const MethodLine& line : report.table.methods) {
    if (line.name != "kith") continue;
    text += line.HoldsAgainst(Knows::kNone) ? "; kith keeps its claim" : "; kith does not keep its claim";
    text += line.covers_known ? ", which also covers somebody who knows other records" : ", which covers nobody else";
  }
  text += ". Against somebody who knows others as well, ";
  return text + (by_any.empty() ? "every stated number holds too." : "it is larger than stated for " + by_any + ".");
}

json ToJson(const ModelAudit& report) {
  json out = {{"question", report.table.question},
              {"records", report.table.records},
              {"methods", json::array()},
              {"verdict", Verdict(report)}};
  if (report.table.target.epsilon) out["epsilon"] = *report.table.target.epsilon;
  if (report.table.target.scale) out["scale"] = *report.table.target.scale;
  for (std::size_t k = 0; k < report.table.methods.size(); ++k) {
    const MethodLine& line = report.table.methods[k];
    json row = {{"name", line.name},
                {"scale", line.scale},
                {"claimed", line.claimed},
                {"promise", Words(line.promise)},
                {"claimed_against", ClaimedAgainst(line)},
                {"kept", line.KeepsItsWord()},
                {"kept_against_none", line.HoldsAgainst(Knows::kNone)},
                {"kept_against_anybody", line.HoldsAgainst(Knows::kAnyOther)},
                {"knows_none", JsonOf(line.truth.none)},
                {"knows_all", JsonOf(line.truth.all)}};
    if (line.truth.any) row["knows_some"] = JsonOf(*line.truth.any);
    if (report.delta) row["delta"] = report.delta->of_methods[k];
    out["methods"].push_back(std::move(row));
  }
  if (report.delta) out["delta_at"] = report.delta->epsilon;
  if (report.information) {
    out["information"] = {{"method", report.informed},
                          {"record", report.information->record},
                          {"nats", report.information->mutual},
                          {"largest_divergence", report.information->divergence},
                          {"bound", report.information->bound}};
  }
  return out;
}

std::string Verdict(const std::vector<GalleryLine>& lines) {
  const auto failed = std::count_if(lines.begin(), lines.end(), [](const GalleryLine& l) { return l.result.Fails(); });
  return fmt::format("{} of {} claims fail.", failed, lines.size());
}

json ToJson(const std::vector<GalleryLine>& lines) {
  json out = {{"cases", json::array()}, {"verdict", Verdict(lines)}};
  for (const GalleryLine& line : lines) {
    out["cases"].push_back({{"file", line.file},
                            {"title", line.what.title},
                            {"refutes", line.what.refutes},
                            {"noise", Words(line.what.recipe)},
                            {"scale", line.result.scale},
                            {"claimed", NumberToJson(line.result.claimed)},
                            {"true", NumberToJson(line.result.truth)},
                            {"measure", line.what.information ? "information" : "loss"},
                            {"fails", line.result.Fails()}});
  }
  return out;
}

}  // namespace kith::document
