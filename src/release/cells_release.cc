#include "release/cells_release.h"

#include "analysis/cells/cells.h"
#include "analysis/keys/keys.h"
#include "query/sparse_question.h"

namespace kith {
namespace {

// Without a delta for keys the refusal stays what it was: it also says how to go on without one.
Result<std::unique_ptr<Release>> OrOpenKeys(Result<std::unique_ptr<Release>> made, const QuestionRequest& request,
                                            const Price& price, const Ground& ground) {
  if (!ground.policy.with_delta || ground.policy.with_delta->keys == 0) return made;
  const auto question = ReadOpenQuestion(request.sql, ground.policy);
  if (!question) return question.error();
  auto keys = KeyCounts::Make(*question, ground.policy);
  if (!keys) return keys.error();
  return MakeRelease(StudyRequest{std::shared_ptr<const Study>(std::move(*keys))}, price, ground);
}

}  // namespace

Result<std::unique_ptr<Release>> OrLargeCells(Result<std::unique_ptr<Release>> made, const QuestionRequest& request,
                                              const Price& price, const Ground& ground) {
  if (made || request.unit != UnitLevel::kPerson) return made;
  if (made.error().parameter == "request.keys") return OrOpenKeys(std::move(made), request, price, ground);
  if (made.error().parameter != "request.cells") return made;
  const auto question = ReadSparseQuestion(request.sql, ground.policy);
  if (!question) return question.error();
  if (!*question) return made;
  auto cells = CellCounts::Make(**question, ground.policy);
  if (!cells) return cells.error();
  return MakeRelease(StudyRequest{std::shared_ptr<const Study>(std::move(*cells))}, price, ground);
}

}  // namespace kith
