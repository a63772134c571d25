#include "base/result.h"

namespace kith {

Error::Error() = default;
Error::Error(Code why, std::string said, std::string place, std::string advice, std::string part)
    : code(why),
      what(std::move(said)),
      where(std::move(place)),
      next(std::move(advice)),
      parameter(std::move(part)),
      charged(why == Code::kInternal ? Charged::kMaybe : Charged::kNo) {}

std::string Error::Text() const {
  std::string text = what;
  if (!where.empty()) text += "\n  at: " + where;
  if (!next.empty()) text += "\n  try: " + next;
  return text;
}

Error InvalidArgument(std::string what, std::string where, std::string next) {
  return Error{Code::kInvalidArgument, std::move(what), std::move(where), std::move(next)};
}
Error BudgetExhausted(std::string what, std::string where, std::string next) {
  return Error{Code::kBudgetExhausted, std::move(what), std::move(where), std::move(next)};
}
Error Unsupported(std::string what, std::string where, std::string next) {
  return Error{Code::kUnsupportedQuery, std::move(what), std::move(where), std::move(next)};
}
Error StorageError(std::string what, std::string where, std::string next) {
  return Error{Code::kStorage, std::move(what), std::move(where), std::move(next)};
}
Error Cancelled(std::string what) { return Error{Code::kCancelled, std::move(what), {}, {}}; }
Error InternalError(std::string what) {
  return Error{
      Code::kInternal, std::move(what), {}, "this is a bug in kith: please report it with the question and the policy"};
}

}  // namespace kith
