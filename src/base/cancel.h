// A flag that one thread (or a signal handler) sets and long work looks at.
#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/clock.h"

namespace kith {

/// A moment of the clock that never jumps.
class Deadline {
 public:
  static Deadline In(std::chrono::microseconds from_now) { return Deadline(SteadyMicroseconds() + from_now.count()); }
  bool passed() const { return SteadyMicroseconds() >= at_; }
  bool operator<(const Deadline& other) const { return at_ < other.at_; }
  /// Time until then; never below 0.
  std::chrono::microseconds left() const {
    return std::chrono::microseconds(std::max<std::int64_t>(0, at_ - SteadyMicroseconds()));
  }

 private:
  explicit Deadline(std::int64_t at) : at_(at) {}
  std::int64_t at_;
};

/// Copies are the same flag: any holder may set it for all.
class CancelFlag {
 public:
  CancelFlag() : set_(std::make_shared<std::atomic<bool>>(false)) {}
  CancelFlag(const CancelFlag&) = default;
  CancelFlag& operator=(const CancelFlag&) = default;
  ~CancelFlag() = default;

  /// Safe in a signal handler.
  void Cancel() { set_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return set_->load(std::memory_order_relaxed) || (deadline_ && deadline_->passed()); }

  /// The same flag, which also counts as set once the deadline (the earlier one, if there is one already) has passed.
  CancelFlag Until(Deadline deadline) const {
    CancelFlag flag = *this;
    if (!flag.deadline_ || deadline < *flag.deadline_) flag.deadline_ = deadline;
    return flag;
  }
  /// For work done elsewhere that cannot look at the flag.
  std::optional<std::chrono::microseconds> left() const {
    return deadline_ ? std::optional(deadline_->left()) : std::nullopt;
  }
  /// True if it was not set by anybody, but its deadline has passed.
  bool late() const { return !set_->load(std::memory_order_relaxed) && deadline_ && deadline_->passed(); }

 private:
  std::shared_ptr<std::atomic<bool>> set_;
  std::optional<Deadline> deadline_;
};

}  // namespace kith
