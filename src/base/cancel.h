// A flag that one thread (or a signal handler) sets and long work looks at.
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace kith {

/// A moment of the clock that never jumps.
class Deadline {
 public:
  static Deadline In(std::chrono::microseconds from_now);
  bool passed() const;
  bool operator<(const Deadline& other) const { return at_ < other.at_; }
  /// Time until then; never below 0.
  std::chrono::microseconds left() const;

 private:
  explicit Deadline(std::int64_t at) : at_(at) {}
  std::int64_t at_;
};

/// Copies are the same flag: any holder may set it for all.
class CancelFlag {
 public:
  CancelFlag();
  CancelFlag(const CancelFlag&);
  CancelFlag& operator=(const CancelFlag&);
  ~CancelFlag();

  /// Safe in a signal handler.
  void Cancel();
  bool cancelled() const;

  /// The same flag, which also counts as set once the deadline (the earlier one, if there is one already) has passed.
  CancelFlag Until(Deadline deadline) const;
  /// For work done elsewhere that cannot look at the flag.
  std::optional<std::chrono::microseconds> left() const;
  /// True if it was not set by anybody, but its deadline has passed.
  bool late() const;

 private:
  struct Shared;
  std::shared_ptr<Shared> set_;
  std::optional<Deadline> deadline_;
};

}  // namespace kith
