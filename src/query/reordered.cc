#include "query/reordered.h"

namespace kith {

Bare BareOf(const std::string& sql, const Policy& policy) {
  auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  return question ? Bare{std::move(question->bare), question->any_order} : Bare();
}

std::vector<Reordered> OtherOrdersOf(const std::string& sql, const Policy& policy) {
  auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  return question ? std::move(question->others) : std::vector<Reordered>();
}

}  // namespace kith
