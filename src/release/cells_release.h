// Questions whose declared values make more groups than a plan has, and that state a threshold: the large cells. And
// questions about columns whose values nobody declared: the keys that enough units have.
#pragma once
#include <memory>

#include "release/pipeline.h"

namespace kith {

/// `made`, unless it was refused because there are too many groups and the question is one that can be asked of very
/// many cells (query/sparse_question.h), or because nobody declared the groups, and the policy keeps a part of its
/// delta for such keys (query/sparse_question.h). For what a person asks: questions inside others have all their
/// groups.
Result<std::unique_ptr<Release>> OrLargeCells(Result<std::unique_ptr<Release>> made, const QuestionRequest& request,
                                              const Price& price, const ReleaseContext& context);

}  // namespace kith
