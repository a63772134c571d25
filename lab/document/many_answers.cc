#include "document/many_answers.h"

#include "document/gaussian.h"

namespace kith::document {
namespace {

Json JsonOf(const published::ManyAnswers& row) {
  Json out = ToJson(static_cast<const ManyAnswers&>(row));
  const auto add = [&](const char* name, const std::optional<double>& noise) {
    if (noise) out[name] = NumberToJson(*noise);
  };
  add("markov_quilt", row.quilt);
  add("wasserstein", row.wasserstein);
  add("renyi_pufferfish", row.renyi);
  return out;
}

}  // namespace

Json ToJson(const ManyAnswersTable& table) {
  Json out = {{"epsilon", table.epsilon}, {"delta", table.delta}, {"models", Json::array()}};
  for (const auto& [name, rows] : table.models) {
    Json noise = Json::array();
    for (const auto& row : rows) noise.push_back(JsonOf(row));
    out["models"].push_back({{"model", name}, {"noise", std::move(noise)}});
  }
  return out;
}

}  // namespace kith::document
