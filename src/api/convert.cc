#include "api/convert.h"

#include <chrono>

#include "analysis/own/own.h"
#include "base/json.h"

namespace kith::api {
namespace {

v1::Code ToPublic(Code code) {
  switch (code) {
    case Code::kInvalidArgument:
      return v1::Code::kInvalidArgument;
    case Code::kBudgetExhausted:
      return v1::Code::kBudgetExhausted;
    case Code::kUnsupportedQuery:
      return v1::Code::kUnsupportedQuery;
    case Code::kStorage:
      return v1::Code::kStorage;
    case Code::kCancelled:
      return v1::Code::kCancelled;
    case Code::kInternal:
      return v1::Code::kInternal;
  }
  return v1::Code::kInternal;
}

v1::Charged ToPublic(Charged charged) {
  return charged == Charged::kNo    ? v1::Charged::kNo
         : charged == Charged::kYes ? v1::Charged::kYes
                                    : v1::Charged::kMaybe;
}

v1::Unit ToPublic(UnitLevel level) { return level == UnitLevel::kHousehold ? v1::Unit::kHousehold : v1::Unit::kPerson; }

v1::Value ToPublic(const Value& value) {
  struct Copy {
    v1::Value operator()(const Null&) const { return v1::Null{}; }
    v1::Value operator()(bool yes) const { return yes; }
    v1::Value operator()(std::int64_t whole) const { return whole; }
    v1::Value operator()(double number) const { return number; }
    v1::Value operator()(const std::string& text) const { return text; }
  };
  return std::visit(Copy{}, value);
}

std::vector<v1::Note> ToPublic(const std::vector<Note>& notes) {
  std::vector<v1::Note> out;
  for (const Note& note : notes) out.push_back({.kind = std::string(NameOf(note.kind)), .text = note.text});
  return out;
}

std::vector<v1::NoiseLine> ToPublic(const std::vector<NoiseLine>& lines) {
  std::vector<v1::NoiseLine> out;
  for (const NoiseLine& line : lines) {
    out.push_back({.statistic = line.statistic,
                   .share = line.share.epsilon(),
                   .scale = line.scale,
                   .lattice = line.lattice,
                   .sensitivity = line.sensitivity,
                   .error_95 = line.error_95,
                   .error_95_all = line.error_95_all,
                   .in_rows = line.in_rows,
                   .stratum = line.stratum});
  }
  return out;
}

v1::Certificate ToPublic(const Certificate& certificate) {
  return {.noise = ToPublic(certificate.noise),
          // No pure loss bounds an answer with normal noise.
          .plain = certificate.mu > 0 && certificate.plain_epsilon == 0 ? HUGE_VAL : certificate.plain_epsilon,
          .plain_presence = PresenceOf(certificate),
          .unit = ToPublic(certificate.unit),
          .guarantee = certificate.guarantee,
          .claims = certificate.claims,
          .ledger_entry = certificate.ledger_entry,
          .ledger_hash = certificate.ledger_hash,
          .delta = certificate.delta};
}

}  // namespace

v1::Error ToPublic(const Error& error) {
  return {.code = ToPublic(error.code),
          .what = error.what,
          .where = error.where,
          .next = error.next,
          .parameter = error.parameter,
          .charged = ToPublic(error.charged)};
}

v1::Explanation ToPublic(const Explanation& explanation) {
  return {.plain = explanation.mu > 0 && explanation.units.count() == 0 ? HUGE_VAL : explanation.units.epsilon(),
          .plain_presence = explanation.presence ? std::optional(explanation.presence->epsilon()) : std::nullopt,
          .noise = ToPublic(explanation.noise),
          .sql = explanation.sql,
          .plain_spent_before = explanation.plain_spent_before,
          .dependent_before = explanation.dependent_before,
          .guarantee = explanation.guarantee,
          .charged_cells = explanation.charged_cells,
          .cells = explanation.cells,
          .affordable = explanation.affordable,
          .refusal = explanation.refusal,
          .notes = ToPublic(explanation.plan.notes),
          .delta = explanation.delta};
}

v1::Answer ToPublic(const Answer& answer) {
  v1::Answer out = {.columns = answer.columns,
                    .rows = {},
                    .certificate = ToPublic(answer.certificate),
                    .stored = answer.stored,
                    .notes = ToPublic(answer.notes),
                    .details = answer.details.empty() ? std::string() : JsonText(*answer.details),
                    .json = AnswerToJson(answer)};
  for (const auto& row : answer.rows) {
    auto& cells = out.rows.emplace_back();
    for (const AnswerCell& cell : row) {
      cells.push_back({.value = ToPublic(cell.value), .error_95 = cell.error_95, .only_noise = cell.only_noise});
      if (const auto& interval = cell.interval_95)
        cells.back().interval_95 = {ToPublic(interval->low), ToPublic(interval->high), interval->everything};
    }
  }
  return out;
}

v1::BudgetReport ToPublic(const BudgetReport& report) {
  v1::BudgetReport out;
  out.epsilon_total = report.epsilon_total;
  out.epsilon_left = report.epsilon_left;
  for (const auto& cell : report.cells) {
    out.cells.push_back({.name = cell.name,
                         .plain_spent = cell.plain_spent,
                         .plain_budget = cell.plain_budget,
                         .dependent_spent = cell.dependent_spent,
                         .epsilon_left = cell.epsilon_left,
                         .plain_presence = cell.plain_presence});
  }
  for (const HistoryLine& line : report.history) {
    out.history.push_back({.number = line.number,
                           .unix_seconds = line.unix_seconds,
                           .question = line.question,
                           .plain = line.units.epsilon(),
                           .plain_presence = line.presence.epsilon(),
                           .one_sided_account = line.one_sided_account,
                           .one_sided = line.one_sided_units.epsilon(),
                           .unit = ToPublic(line.level),
                           .answered = line.answered,
                           .caller = line.caller});
  }
  out.guarantee = report.guarantee;
  out.head = report.head;
  return out;
}

Price ToInternal(const v1::Price& price) {
  Price out;
  out.epsilon = price.epsilon;
  out.error_95 = price.error;
  out.split = price.split;
  out.intervals = price.intervals;
  return out;
}

Call ToInternal(const v1::Call& call) {
  Call out(call.cancel.inside().flag);
  out.progress = call.progress;
  out.notice = call.notice;
  if (!call.deadline) return out;
  const auto left = *call.deadline - std::chrono::steady_clock::now();
  return out.Until(Deadline::In(std::chrono::duration_cast<std::chrono::microseconds>(left)));
}

Result<Request> ToInternal(const v1::Request& request, const Policy& policy) {
  if (const auto* question = std::get_if<v1::Question>(&request)) {
    const bool household = question->unit == v1::Unit::kHousehold;
    return Request(QuestionRequest{question->sql, household ? UnitLevel::kHousehold : UnitLevel::kPerson});
  }
  const auto& statistic = std::get<v1::Statistic>(request);
  auto study = OwnStatistic::Make(statistic, statistic.function, policy);
  if (!study) return study.error();
  return Request(StudyRequest{std::move(*study)});
}

}  // namespace kith::api
