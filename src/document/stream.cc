#include <array>

#include "base/json.h"
#include "document/from_json.h"
#include "document/reading.h"
#include "document/to_json.h"
#include "release/answer_json.h"
#include "release/guarantee_json.h"
#include "release/stream/stream_text.h"

namespace kith::document {
namespace {

constexpr std::array kStates = {StepState::kReleased, StepState::kRepeated, StepState::kSkipped, StepState::kLost};

StreamHead ReadHead(const Json& in) {
  StreamHead head;
  head.stream = in.at("stream");
  head.columns = in.at("columns").get<std::vector<std::string>>();
  head.step_0 = in.at("step_0");
  const Json& from = in.at("guarantee");
  StreamGuarantee& g = head.guarantee;
  static_cast<Guarantee&>(g) = GuaranteeFromJson(from);
  g.window = from.at("window");
  g.single_states = from.at("single_states");
  g.plain_step = NumberFromJson(from.at("plain_step"));
  g.allowed = NumberFromJson(from.at("allowed"));
  g.exceeded = from.at("exceeded");
  g.plain_stream = NumberFromJson(from.at("plain_stream"));
  g.plain_own_step = NumberFromJson(from.at("plain_own_step"));
  for (const Json& stay : from.at("longer"))
    g.longer.push_back({stay.at("windows"), NumberFromJson(stay.at("plain")), NumberFromJson(stay.at("dependent"))});
  g.claims = from.at("claims").get<std::vector<std::string>>();
  g.notes = NotesFrom(from);
  return head;
}

Answer ReadStep(const Json& in) {
  Answer answer;
  StepRelease& step = answer.step.emplace();
  step.tick = in.at("step");
  step.time = in.at("time");
  for (const StepState state : kStates) {
    if (in.at("state") == StateName(state)) step.state = state;
  }
  step.charged = PlainUnits::Of(in.at("plain_units"));
  step.window_spent = PlainUnits::Of(in.at("window_units"));
  answer.rows = RowsFromJson(in.at("rows"), in.at("error_95"));
  answer.certificate.ledger_entry = in.at("ledger_entry");
  answer.certificate.ledger_hash = in.at("ledger_hash");
  answer.stored = in.at("stored");
  if (in.contains("details")) answer.details = JsonValue(in.at("details"));
  return answer;
}

}  // namespace

Json ToJson(const StreamHead& head) {
  const StreamGuarantee& g = head.guarantee;
  Json guarantee = GuaranteeToJson(g);
  guarantee["window"] = g.window;
  guarantee["about"] = g.single_states ? "a unit's state at one step" : "a unit's whole stay";
  guarantee["single_states"] = g.single_states;
  guarantee["plain_step"] = g.plain_step;
  guarantee["allowed"] = g.allowed;
  guarantee["exceeded"] = g.exceeded;
  guarantee["plain_stream"] = g.plain_stream;
  guarantee["plain_own_step"] = g.plain_own_step;
  guarantee["longer"] = Json::array();
  for (const auto& stay : g.longer)
    guarantee["longer"].push_back(
        {{"windows", stay.windows}, {"plain", stay.plain}, {"dependent", NumberToJson(stay.dependent)}});
  guarantee["claims"] = g.claims;
  PutNotes(g.notes, guarantee);
  return {
      {"stream", head.stream}, {"columns", head.columns}, {"step_0", head.step_0}, {"guarantee", std::move(guarantee)}};
}

Json StepToJson(const Answer& answer) {
  const StepRelease& step = *answer.step;
  Json out = {{"step", step.tick},
              {"time", step.time},
              {"state", StateName(step.state)},
              {"plain_epsilon", step.charged.epsilon()},
              {"plain_units", step.charged.count()},
              {"window_spent", step.window_spent.epsilon()},
              {"window_units", step.window_spent.count()},
              {"ledger_entry", answer.certificate.ledger_entry},
              {"ledger_hash", answer.certificate.ledger_hash},
              {"stored", answer.stored}};
  PutRows(answer.rows, out["rows"], out["error_95"]);
  if (!answer.details.empty()) out["details"] = *answer.details;
  return out;
}

Result<StreamHead> StreamHeadFrom(const Json& in) { return ReadDocument("a stream", in, ReadHead); }

Result<Answer> StepFrom(const Json& in) { return ReadDocument("a step of a stream", in, ReadStep); }

}  // namespace kith::document
