// The numbers of a step as the ledger keeps them, and lists of steps as people write them.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "release/stream/stream_step.h"

namespace kith {

std::string StepToText(const StepNumbers& numbers);
/// Fails: kInternal if the text is not from StepToText (the ledger has verified it before).
Result<StepNumbers> StepFromText(const std::string& text);

/// "released", "repeated", "skipped" or "lost".
std::string StateName(StepState state);

/// "0..95", "3", "0..95:4" (every fourth) and commas between them, ascending. Fails: kInvalidArgument; also if there
/// are more than `most`, before any is written down.
Result<std::vector<std::int64_t>> StepListOf(const std::string& text, std::size_t most = 10'000'000);
/// The shortest such list.
std::string StepListText(const std::vector<std::int64_t>& steps);

}  // namespace kith
