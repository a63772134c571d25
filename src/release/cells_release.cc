#include "release/cells_release.h"

#include "analysis/cells/cells.h"
#include "analysis/keys/keys.h"
#include "query/sparse_question.h"

namespace kith {
namespace {

// Without a delta for keys the refusal stays what it was: it also says how to go on without one.
Result<std::unique_ptr<Release>> OrOpenKeys(Result<std::unique_ptr<Release>> made, const QuestionRequest& request,
                                            const Price& price, const ReleaseContext& context) {
  if (!context.policy.with_delta || context.policy.with_delta->keys == 0) return made;
  const auto question = ReadOpenQuestion(request.sql, context.policy);
  if (!question) return question.error();
  auto keys = KeyCounts::Make(*question, context.policy);
  if (!keys) return keys.error();
  return MakeRelease(StudyRequest{std::shared_ptr<const Study>(std::move(*keys))}, price, context);
}

}  // namespace

Result<std::unique_ptr<Release>> OrLargeCells(Result<std::unique_ptr<Release>> made, const QuestionRequest& request,
                                              const Price& price, const ReleaseContext& context) {
  if (made || request.unit != UnitLevel::kPerson) return made;
  if (made.error().parameter == "request.keys") return OrOpenKeys(std::move(made), request, price, context);
  if (made.error().parameter != "request.cells") return made;
  const auto question = ReadSparseQuestion(request.sql, context.policy);
  if (!question) return question.error();
  if (!*question) return made;
  auto cells = CellCounts::Make(**question, context.policy);
  if (!cells) return cells.error();
  return MakeRelease(StudyRequest{std::shared_ptr<const Study>(std::move(*cells))}, price, context);
}

}  // namespace kith
