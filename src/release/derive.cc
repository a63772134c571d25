#include "release/derive.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "mechanism/noise.h"
#include "release/analyse.h"
#include "release/answer_json.h"

namespace kith {
namespace {

/// The law of each number, as the lines of a price or of a certificate have it.
Result<std::vector<NoiseDistribution>> LawsIn(const Derived& derived, const std::vector<NoiseLine>& lines) {
  std::vector<NoiseDistribution> laws;
  for (const std::size_t k : derived.question().statistics) {
    const Statistic& statistic = derived.question().plan.statistics[k];
    if (!statistic.noisy()) {
      laws.push_back({});
      continue;
    }
    const auto named = [&](const NoiseLine& line) { return line.statistic == statistic.name; };
    const auto line = std::find_if(lines.begin(), lines.end(), named);
    const bool known = line != lines.end() && std::none_of(line + 1, lines.end(), named) && line->stratum.empty() &&
                       line->law == kDiscreteLaplaceName.id && line->scale > 0 && line->lattice > 0;
    if (!known) {
      return Unsupported(
                 "groups of the answer have noise of different sizes here, and the analysis knows one size only", {},
                 "ask the question itself: its answer shows every group's bar")
          .For("derived.question");
    }
    laws.push_back({line->scale, line->lattice});
  }
  return laws;
}

}  // namespace

QuestionRequest QuestionFor(const Derived& derived) { return {derived.question().sql, UnitLevel::kPerson, true}; }

Result<void> KnowsNoise(const Derived& derived, const Explanation& explanation) {
  const auto laws = LawsIn(derived, explanation.noise);
  if (!laws) return laws.error();
  return {};
}

Explanation ExplainDerived(const Derived& derived, Explanation explanation) {
  explanation.plan.notes.push_back(
      {NoteKind::kMethod, fmt::format("a private question is asked: {}", derived.question().sql)});
  explanation.plan.notes.push_back({NoteKind::kMethod, derived.Method()});
  return explanation;
}

Answer Derive(const Derived& derived, Answer answer) {
  Json asked{{"question", derived.question().sql}, {"columns", answer.columns}};
  PutRows(answer.rows, asked["rows"], asked["error_95"]);
  const auto laws = LawsIn(derived, answer.certificate.noise);
  Findings findings;
  if (laws) {
    NoisyTable table{derived.question().keys, {}, *laws};
    for (const auto& row : answer.rows) {
      auto& cells = table.rows.emplace_back();
      for (const AnswerCell& cell : row) cells.push_back(cell.value);
    }
    findings = derived.Conclude(table);
  } else {
    findings.notes.push_back({NoteKind::kAccuracy, laws.error().what});
  }
  answer.columns = std::move(findings.columns);
  answer.rows = CellsOf(findings);
  answer.histograms.clear();
  answer.notes.insert(answer.notes.end(), findings.notes.begin(), findings.notes.end());
  answer.certificate.claims.emplace_back("DERIVED-1");
  for (std::string& claim : findings.claims) answer.certificate.claims.push_back(std::move(claim));
  Json details = findings.details.empty() ? Json::object() : *findings.details;
  details["asked"] = std::move(asked);
  answer.details = JsonValue(std::move(details));
  return answer;
}

}  // namespace kith
