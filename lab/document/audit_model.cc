// A law that was audited, and the gallery.
#include <fmt/format.h>

#include <algorithm>

#include "document/law_audits.h"
#include "loss/loss_text.h"

namespace kith::document {
namespace {

using audit::KnownLoss;
using audit::Knows;
using audit::MethodLine;
using audit::Promise;

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

Json JsonOf(const KnownLoss& loss) {
  return {{"loss", NumberToJson(loss.worst.loss)},
          {"record", loss.worst.record},
          {"value", loss.worst.high},
          {"against", loss.worst.low},
          {"known", loss.known},
          {"known_values", loss.values}};
}

std::string MeasureWord(bool information) { return information ? "information" : "loss"; }

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

Json ToJson(const ModelAudit& report) {
  Json out = {{"file", report.file},
              {"question", report.table.question},
              {"records", report.table.records},
              {"methods", Json::array()},
              {"verdict", Verdict(report)}};
  if (!report.table.not_shown.empty()) out["not_shown"] = report.table.not_shown;
  if (report.table.target.epsilon) out["epsilon"] = *report.table.target.epsilon;
  if (report.table.target.scale) out["scale"] = *report.table.target.scale;
  for (std::size_t k = 0; k < report.table.methods.size(); ++k) {
    const MethodLine& line = report.table.methods[k];
    Json row = {{"name", line.name},
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

Json ToJson(const std::vector<GalleryLine>& lines) {
  Json out = {{"cases", Json::array()}, {"verdict", Verdict(lines)}};
  for (const GalleryLine& line : lines) {
    out["cases"].push_back({{"file", line.file},
                            {"title", line.what.title},
                            {"refutes", line.what.refutes},
                            {"shows", line.what.shows},
                            {"noise", Words(line.what.recipe)},
                            {"scale", line.result.scale},
                            {"claimed", NumberToJson(line.result.claimed)},
                            {"true", NumberToJson(line.result.truth)},
                            {"measure", MeasureWord(line.what.information)},
                            {"fails", line.result.Fails()}});
  }
  return out;
}

}  // namespace kith::document
