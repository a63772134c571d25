#include "query/reordered.h"

namespace kith {

std::vector<Reordered> OtherOrdersOf(const std::string& sql, const Policy& policy) {
  auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  return question ? std::move(question->others) : std::vector<Reordered>();
}

}  // namespace kith
