// What an engine is asked for a question whose bounds are known. Internal to query.
#pragma once
#include "query/bounds.h"
#include "query/question.h"

namespace kith {

/// Puts all statements of the question into the plan, which has the question's statistics.
void MakeStatements(const Question& question, const Bounds& bounds, Plan& plan);

}  // namespace kith
