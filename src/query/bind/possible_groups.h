// Groups that no row can be in: values that keys can have singly, but not together.
#pragma once
#include <vector>

#include "query/question.h"

namespace kith {

/// For each group of the finest level, the first key slowest: true if WHERE, or what keys of one column have in common,
/// leaves no row for it. Empty: no such group is known. Made only from question and policy.
/// Ensures [PLAN-5]: no row of any data that passes WHERE is in such a group.
std::vector<bool> ImpossibleGroups(const Table& table, const std::vector<Range>& columns, const Question& question);

}  // namespace kith
