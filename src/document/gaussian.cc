#include "document/gaussian.h"

#include "base/json.h"

namespace kith::document {

Json ToJson(const ManyAnswers& row) {
  Json out = {{"counts", row.counts},
              {"laplace", NumberToJson(row.laplace)},
              {"gaussian", NumberToJson(row.gaussian)},
              {"gaussian_by", row.gaussian_by},
              {"offset", NumberToJson(row.offset)}};
  const auto add = [&](const char* name, const std::optional<double>& noise) {
    if (noise) out[name] = NumberToJson(*noise);
  };
  add("laplace_delta", row.laplace_delta);
  add("group", row.group);
  return out;
}

Json ToJson(const GaussianReport& report) {
  Json out = {{"plain_mu", NumberToJson(report.mu)}, {"counts", report.counts},
              {"noise", NumberToJson(report.noise)}, {"curve", Json::array()},
              {"adversary", report.adversary},       {"assumption", report.assumption}};
  if (report.target) out["target"] = {{"epsilon", report.target->first}, {"delta", report.target->second}};
  if (report.budget) {
    out["by"] = report.budget->by;
    out["bounds"] = {{"offset", NumberToJson(report.budget->offset)}};
    if (report.budget->messages) out["bounds"]["messages"] = NumberToJson(*report.budget->messages);
    out["plain_epsilon"] = NumberToJson(report.budget->plain_epsilon);
    out["plain_delta"] = NumberToJson(report.budget->plain_delta);
  }
  if (report.dependent_mu) out["dependent_mu"] = NumberToJson(*report.dependent_mu);
  for (const auto& [epsilon, loss] : report.curve)
    out["curve"].push_back({{"epsilon", epsilon}, {"delta", NumberToJson(loss.delta)}, {"by", loss.by}});
  if (report.methods) out["methods"] = ToJson(*report.methods);
  if (!report.unproven.empty()) out["unproven"] = report.unproven;
  return out;
}

}  // namespace kith::document
