#include "release/whole_ticks.h"

#include <thread>
#include <utility>

namespace kith {
namespace {

thread_local const WholeTicks* innermost = nullptr;

}  // namespace

WholeTicks::WholeTicks(std::chrono::milliseconds tick, Turns* turns)
    : outer_(innermost), began_(std::chrono::steady_clock::now()), tick_(tick), turns_(turns) {
  innermost = this;
  if (turns_ != nullptr) turns_->Take();
}

WholeTicks::~WholeTicks() {
  EndTurn();
  innermost = outer_;
}

void WholeTicks::EndTurn() const {
  if (Turns* const taken = std::exchange(turns_, nullptr)) taken->GiveBack();
}

void WholeTicks::Wait() {
  if (innermost == nullptr) return;
  innermost->EndTurn();
  if (innermost->tick_.count() == 0) return;
  const auto tick = innermost->tick_;
  const auto took = std::chrono::steady_clock::now() - innermost->began_ + Earlier(tick);
  const auto ticks = (took + tick - std::chrono::nanoseconds(1)) / tick;
  std::this_thread::sleep_until(innermost->began_ + ticks * tick - Earlier(tick));
}

}  // namespace kith
