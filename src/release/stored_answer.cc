#include "release/stored_answer.h"

#include "release/curator_state.h"
#include "release/free_answer.h"

namespace kith {

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
  if (!answer) return std::optional<Answer>();  // true rows and steps are kept in forms of their own
  answer->stored = true;
  ShowCombined(*answer);  // as it was given
  return std::optional<Answer>(std::move(*answer));
}

}  // namespace kith
