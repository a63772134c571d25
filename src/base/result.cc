#include "base/result.h"

#include <stdexcept>

namespace kith {

Error::Error() = default;
Error::Error(Code why, std::string said, std::string place, std::string advice, std::string part)
    : code(why),
      what(std::move(said)),
      where(std::move(place)),
      next(std::move(advice)),
      parameter(std::move(part)),
      charged(why == Code::kInternal ? Charged::kMaybe : Charged::kNo) {}
Error::Error(const Error&) = default;
Error::Error(Error&&) noexcept = default;
Error& Error::operator=(const Error&) = default;
Error& Error::operator=(Error&&) noexcept = default;
Error::~Error() = default;

std::string Error::Text() const {
  std::string text = what;
  if (!where.empty()) text += "\n  at: " + where;
  if (!next.empty()) text += "\n  try: " + next;
  return text;
}

namespace internal {

ErrorBox::ErrorBox(const Error& error) : error_(new Error(error)) {}
ErrorBox::ErrorBox(Error&& error) : error_(new Error(std::move(error))) {}
Error* ErrorBox::Copy(const Error& error) { return new Error(error); }
Error* ErrorBox::Moved() noexcept {
  static Error moved;
  return &moved;
}
void ErrorBox::Delete(Error* error) noexcept {
  if (error != Moved()) delete error;
}

void NoValue(const Error& error) { throw std::logic_error("the value of a result that has none: " + error.Text()); }

}  // namespace internal

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
