#include "release/stored_answer.h"

#include <utility>

#include "base/json.h"
#include "release/answer_json.h"
#include "release/curator_state.h"
#include "release/free_answer.h"

namespace kith {
namespace {

// What the ledger keeps of a plan, and of several private answers on which something was computed, is what their
// answers are made of: noisy numbers before they were cut, keys, sizes of groups. None of that was given.
void ShowGiven(Answer& answer) {
  constexpr const char* kAnswers = "answers";
  if (answer.details.empty() || !answer.details->contains(kAnswers)) return;
  const JsonValue kept = std::exchange(answer.details, JsonValue());
  if (kept->contains("counts")) {
    answer.notes.push_back(
        {NoteKind::kMethod,
         "the answers of a plan are computed from what the ledger keeps of it: they are given again, "
         "free of charge, to whoever asks the same plan at the same price"});
    return;
  }
  Json shown = Json::array();
  for (const Json& one : kept->at(kAnswers)) {
    const Answer inner = AnswerOf(one);
    Json& part = shown.emplace_back(Json{{"columns", inner.columns}});
    PutRows(inner.rows, part["rows"], part["error_95"]);
  }
  Json after = Json::object();
  after[kAnswers] = std::move(shown);
  answer.details = JsonValue(Json{{"after", std::move(after)}});
}

}  // namespace

Result<std::optional<Answer>> StoredAnswerTo(const Curator& curator, std::int64_t number) {
  const Policy& policy = curator.policy();
  const auto exists = Ledger::Exists(policy.ledger);
  if (!exists) return exists.error();
  if (!*exists) return std::optional<Answer>();
  LedgerOptions looking;
  looking.read_only = true;
  constexpr bool kCreate = false;
  const auto book = Ledger::Open(policy.ledger, BindingOf(policy, curator.account().version()), kCreate, looking);
  if (!book) return book.error();
  const auto kept = book->AnswerTo(number);
  if (!kept) return kept.error();
  if (!*kept) return std::optional<Answer>();
  auto answer = AnswerFromJson((*kept)->answer);
  if (!answer) return std::optional<Answer>();  // true rows and steps are kept in their own forms
  answer->stored = true;
  ShowCombined(*answer);  // as it was given
  try {
    ShowGiven(*answer);
  } catch (const JsonError&) {  // of another version
    answer->details = JsonValue();
  }
  return std::optional<Answer>(std::move(*answer));
}

}  // namespace kith
