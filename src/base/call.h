// What travels with a call: how it is stopped, and who is told how it is going. None of it changes the answer.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/cancel.h"

namespace kith {

/// Progress of long work, in [0,1]; called from the working thread.
using Progress = std::function<void(double)>;
/// Sentences for people about what is happening.
using Notice = std::function<void(const std::string&)>;

/// Which stage of long work begins; nothing: the stage that began last ends, and the one around it goes on. Those who
/// ask may watch, so stages and their names follow only from request and policy, never from data.
using StageChange = std::function<void(std::optional<std::string_view>)>;

struct Call {
  CancelFlag cancel;   // holds the deadline too
  Progress progress;   // may be empty
  Notice notice;       // may be empty
  StageChange stages;  // may be empty

  Call() = default;
  /// A call that can be stopped and reports nothing.
  Call(CancelFlag flag);  // NOLINT(google-explicit-constructor)

  /// Stops by itself at a deadline: kCancelled, and the error says why.
  Call Until(Deadline deadline) const;
  void Tell(const std::string& text) const;
};

/// A stage of long work, for as long as this lives. The call must outlive it.
class Stage {
 public:
  Stage(const Call& call, std::string_view name);
  ~Stage();
  Stage(const Stage&) = delete;
  Stage& operator=(const Stage&) = delete;

 private:
  const StageChange& stages_;
};

}  // namespace kith
