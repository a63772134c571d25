// Collects answers of a command or an HTTP endpoint on two databases, many times, several at once.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "probe/probe.h"

namespace kith::probe {

struct CollectOptions {
  std::uint64_t runs = 0;  // on each side
  bool shell = false;      // hand the command to /bin/sh instead of starting the program itself
  bool batch = false;      // one process answers all runs, one line each; {runs} in the command is their number
  double seconds = 30;     // time limit of one process or request
  std::string body;        // HTTP: POST this instead of GET
  std::vector<std::string> places;  // JSON pointers to the answers; empty: all numbers that were printed
  unsigned threads = 2;
};

struct Samples {
  std::vector<Outcome> left, right;
};

/// `left` and `right` are commands, or addresses that start with http://. {run} in them, and in the body, becomes the
/// number of the run, so that a program that stores its answers can be asked a new question each time. A run that fails
/// (exit code, HTTP status, time limit) is an outcome.
/// Fails: kInvalidArgument if nothing can be started, every run of both sides fails or lacks the place, or a batch ends
/// early; kStorage if a server does not answer; kCancelled.
Result<Samples> Collect(const std::string& left, const std::string& right, const CollectOptions& options,
                        const std::function<void(double)>& progress, const CancelFlag& cancel);

}  // namespace kith::probe
