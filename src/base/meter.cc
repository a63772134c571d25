#include "base/meter.h"

#include <utility>

namespace kith {
namespace {

constexpr std::uint64_t kLookEvery = 4096;
thread_local Meter* current = nullptr;

}  // namespace

Meter::Meter(std::uint64_t most, const CancelFlag& cancel)
    : left_(most), cancel_(cancel), around_(std::exchange(current, this)) {}
Meter::~Meter() { current = around_; }

Meter::Pause::Pause() : paused_(std::exchange(current, nullptr)) {}
Meter::Pause::~Pause() { current = paused_; }

const CancelFlag* Meter::flag() { return current != nullptr ? &current->cancel_ : nullptr; }

void Meter::Look() {
  for (Meter* each = current; each != nullptr; each = each->around_) each->unlooked_ = kLookEvery;
  Count(1);
}

void Meter::Count(std::uint64_t steps) {
  for (Meter* each = current; each != nullptr; each = each->around_) {
    if (steps > each->left_) throw Ended{each, false};
    each->left_ -= steps;
    each->unlooked_ += steps;
    if (each->unlooked_ < kLookEvery) continue;
    each->unlooked_ = 0;
    if (each->cancel_.cancelled()) throw Ended{each, true};
  }
}

Error Meter::Ended::Why() const {
  if (stopped) return Cancelled("stopped");
  return Unsupported("working out what this can be takes too many steps", {},
                     "use shorter patterns and lists, or columns with fewer declared values");
}

}  // namespace kith
