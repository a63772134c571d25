// From the answer to an ordinary question to what is computed on it. Claims: claims/derived.md
#pragma once
#include "analysis/derived/derived.h"
#include "release/release.h"

namespace kith {

/// The question that it is computed on: its numbers have the laws that its certificate names.
QuestionRequest QuestionFor(const Derived& derived);

/// Whether what is computed can know its noise: one law for all groups of each number. Asked before the charge, with
/// the explanation of the question. Fails: kUnsupportedQuery.
Result<void> KnowsNoise(const Derived& derived, const Explanation& explanation);

/// The explanation of the question, with what is computed afterwards.
Explanation ExplainDerived(const Derived& derived, Explanation explanation);

/// Ensures [DERIVED-1]: what leaves is a function of the answer to the question and of public text; only that question
/// is charged, and its answer is stored under its own key.
/// Requires: an answer to the question of `derived`. If its noise is not known, nothing is computed, and a note says
/// so.
Answer Derive(const Derived& derived, Answer answer);

}  // namespace kith
