// What travels with a call: how it is stopped, and who hears how it goes. Nothing of it changes what is answered.
#pragma once
#include <functional>
#include <string>
#include <utility>

#include "base/cancel.h"

namespace kith {

/// Progress of long work, in [0,1]; called from the working thread.
using Progress = std::function<void(double)>;
/// Sentences for people about what happens meanwhile.
using Notice = std::function<void(const std::string&)>;

struct Call {
  CancelFlag cancel;  // holds the deadline too
  Progress progress;  // may be empty
  Notice notice;      // may be empty

  Call() = default;
  /// A call that can be stopped and reports nothing.
  Call(CancelFlag flag) : cancel(std::move(flag)) {}  // NOLINT(google-explicit-constructor)

  /// Stops by itself at a deadline: kCancelled, and the error says why.
  Call Until(Deadline deadline) const {
    Call call = *this;
    call.cancel = cancel.Until(deadline);
    return call;
  }
  void Tell(const std::string& text) const {
    if (notice) notice(text);
  }
};

}  // namespace kith
