// Which noise when: several models side by side, as a document.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "published/many_answers.h"

namespace kith::document {

struct ManyAnswersTable {
  double epsilon = 0, delta = 0;
  std::vector<std::pair<std::string, std::vector<published::ManyAnswers>>> models;
};
Json ToJson(const ManyAnswersTable& table);

}  // namespace kith::document
