// Whether a question is about all rows together.
#pragma once
#include <string>

#include "policy/policy.h"

namespace kith {

struct Question;

/// True if a question that can be planned has no WHERE, no join and no GROUP BY.
bool IsAboutEverybody(const std::string& sql, const Policy& policy);
bool IsAboutEverybody(const Question& question);

}  // namespace kith
