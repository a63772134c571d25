// One step of a stream whose release is a study, such as a map: charged before its rows are read, with shares by the
// study's weights. Does not know the ledger (the caller charges).  Claims: claims/stream.md
#pragma once
#include "analysis/analysis.h"
#include "release/release.h"
#include "release/stream/stream_step.h"

namespace kith {

/// All that a step is released with.
struct StudyWork {
  const stream::Terms& terms;
  const Study& study;  // reads only the rows of this step
  const StreamPast& past;
  std::int64_t tick = 0;
  const Vault& vault;
  const ChargeStep& charge;
};

/// Whole shares in proportion to the weights, rounded down; empty if one of them would be nothing.
std::vector<PlainUnits> SharesByWeight(const std::vector<double>& weights, PlainUnits units);

/// A step and what its study found, as JSON; nothing found if the step was skipped or lost.
struct StudyStep {
  StepNumbers numbers;
  std::string found;
};

/// As the ledger keeps it. Fails: kInternal if the text is not one of these.
std::string StudyToText(const StudyStep& step);
Result<StudyStep> StudyFromText(const std::string& text);

/// Requires: a rule that is not adaptive.
/// Ensures [STREAM-6]: given the past, what is found and what is charged have plain loss at most what was charged, and
/// depend on no data but those of this step.
/// Fails: as `charge` and as the study; what was charged stays charged.
Result<StudyStep> ReleaseStudy(const StudyWork& work);

/// What a study found: only the named columns, in this order. Fails: kInternal if one is missing.
Result<Answer> FoundIn(const StudyStep& step, const std::vector<std::string>& columns);

}  // namespace kith
