#include "base/call.h"

#include <utility>

namespace kith {

Call::Call(CancelFlag flag) : cancel(std::move(flag)) {}

Call Call::Until(Deadline deadline) const {
  Call call = *this;
  call.cancel = cancel.Until(deadline);
  return call;
}

void Call::Tell(const std::string& text) const {
  if (notice) notice(text);
}

Stage::Stage(const Call& call, std::string_view name) : stages_(call.stages) {
  if (stages_) stages_(name);
}

Stage::~Stage() {
  if (stages_) stages_(std::nullopt);
}

}  // namespace kith
