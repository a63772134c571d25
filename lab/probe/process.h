// Runs a program to its end and keeps what it printed.
#pragma once
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"

namespace kith::probe {

struct Finished {
  int exit_code = 0;  // 128 + signal if a signal ended it
  bool timed_out = false;
  std::string output, errors;  // standard output and error, up to 64 MB and 64 kB; more is cut off
};

/// Standard input is empty. At the time limit the program is killed with all its children that are still in its group.
/// Fails: kStorage if it cannot be started (kInvalidArgument if there is no such program), kCancelled.
Result<Finished> RunProgram(const std::vector<std::string>& words, double seconds, const CancelFlag& cancel);

}  // namespace kith::probe
