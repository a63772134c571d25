// The black-box tester: given answers of a program to one question on two neighbouring databases, how large is its loss
// at least? It never proves privacy; it proves that there is less of it than was claimed.
// Claims: claims/probe.md. How to collect answers: probe/collect.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "probe/bounds.h"

namespace kith::probe {

/// The probability that a proof is wrong, over all events of one probe together.
inline constexpr double kFalseAlarm = 1e-9;

/// What one run gave. A failure is an outcome too: its exit code and error text are then the text, without numbers.
struct Outcome {
  std::string text;
  std::vector<double> numbers;
};

/// An event that was chosen on the first half of the runs and counted on the second half.
struct TestedEvent {
  std::string family;  // what kind of event it is
  std::string event;   // in words
  bool left_likelier = true;
  Hits likelier, other;      // on the second half
  double loss_at_least = 0;  // proven by these counts; may be negative or minus infinity
};

struct Proof {
  double loss_at_least = 0;          // the best of all events, never below 0
  double delta = 0;                  // the loss is at this delta
  double false_alarm = kFalseAlarm;  // computed: the sum over all bounds that were used
  std::uint64_t runs_left = 0, runs_right = 0;
  std::vector<TestedEvent> events;  // best first
  std::vector<std::string> notes;   // what a reader should know about the runs
};

/// Requires: runs on each side are independent of each other and follow the same law.
/// Fails: kInvalidArgument if a side has fewer than 100 runs, or delta is not in [0, 1).
/// Ensures [PROBE-1]: if the program is (epsilon, delta)-close on the two databases, loss_at_least exceeds epsilon with
/// probability at most kFalseAlarm.
Result<Proof> ProvenLoss(const std::vector<Outcome>& left, const std::vector<Outcome>& right, double delta);

}  // namespace kith::probe
