// What an analyst should know about a question besides its answer. Internal to query.
#pragma once
#include <vector>

#include "base/note.h"
#include "policy/policy.h"
#include "query/question.h"

namespace kith {

/// Constants that no row can equal, columns that are clamped, rows that are left out: a line for each. Only from the
/// question and the policy.
std::vector<Note> NotesOf(const Question& question, const Policy& policy);

}  // namespace kith
