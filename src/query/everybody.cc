#include "query/everybody.h"

#include "query/question.h"

namespace kith {

bool IsAboutEverybody(const std::string& sql, const Policy& policy) {
  const auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  return question && IsAboutEverybody(*question);
}

bool IsAboutEverybody(const Question& question) {
  return !question.per_unit && !question.where && question.joins.empty() && question.keys.empty();
}

}  // namespace kith
