#include "release/cells_release.h"

#include "analysis/cells/cells.h"
#include "query/sparse_question.h"

namespace kith {

Result<std::unique_ptr<Release>> OrLargeCells(Result<std::unique_ptr<Release>> made, const QuestionRequest& request,
                                              const Price& price, const Ground& ground) {
  if (made || made.error().parameter != "request.cells" || request.unit != UnitLevel::kPerson) return made;
  const auto question = ReadSparseQuestion(request.sql, ground.policy);
  if (!question) return question.error();
  if (!*question) return made;
  auto cells = CellCounts::Make(**question, ground.policy);
  if (!cells) return cells.error();
  return MakeRelease(StudyRequest{std::shared_ptr<const Study>(std::move(*cells))}, price, ground);
}

}  // namespace kith
