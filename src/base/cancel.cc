#include "base/cancel.h"

#include <algorithm>
#include <atomic>

#include "base/clock.h"

namespace kith {

Deadline Deadline::In(std::chrono::microseconds from_now) { return Deadline(SteadyMicroseconds() + from_now.count()); }

bool Deadline::passed() const { return SteadyMicroseconds() >= at_; }

std::chrono::microseconds Deadline::left() const {
  return std::chrono::microseconds(std::max<std::int64_t>(0, at_ - SteadyMicroseconds()));
}

struct CancelFlag::Shared {
  std::atomic<bool> set = false;
};

CancelFlag::CancelFlag() : set_(std::make_shared<Shared>()) {}
CancelFlag::CancelFlag(const CancelFlag&) = default;
CancelFlag& CancelFlag::operator=(const CancelFlag&) = default;
CancelFlag::~CancelFlag() = default;

void CancelFlag::Cancel() { set_->set.store(true, std::memory_order_relaxed); }

bool CancelFlag::cancelled() const {
  return set_->set.load(std::memory_order_relaxed) || (deadline_ && deadline_->passed());
}

CancelFlag CancelFlag::Until(Deadline deadline) const {
  CancelFlag flag = *this;
  if (!flag.deadline_ || deadline < *flag.deadline_) flag.deadline_ = deadline;
  return flag;
}

std::optional<std::chrono::microseconds> CancelFlag::left() const {
  return deadline_ ? std::optional(deadline_->left()) : std::nullopt;
}

bool CancelFlag::late() const { return !set_->set.load(std::memory_order_relaxed) && deadline_ && deadline_->passed(); }

}  // namespace kith
