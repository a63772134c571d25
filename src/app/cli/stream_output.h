// Steps of a stream as people and programs read them: lines in a terminal, CSV, JSON lines, and a page with a chart.
#pragma once
#include <string>
#include <vector>

#include "release/stream/stream.h"

namespace kith::cli {

/// What holds for everybody, in words.
void PrintGuarantee(const StreamRelease& stream, const Policy& policy);
std::string GuaranteeJson(const StreamRelease& stream, const Policy& policy);

std::string StepLine(const StreamRelease& stream, const StepRelease& step);
std::string StepJson(const StreamRelease& stream, const StepRelease& step);
/// The header, and one line for each row of a step.
std::string StepCsvHeader(const StreamRelease& stream);
std::string StepCsv(const StepRelease& step);

/// `command`: how to get the page again.
std::string StreamPage(const StreamRelease& stream, const Policy& policy, const std::vector<StepRelease>& steps,
                       const std::string& command);

/// The chart of what was released alone, as SVG: the first noisy column.
std::string StreamPicture(const StreamRelease& stream, const std::vector<StepRelease>& steps);

/// A file that grows by a step at a time, CSV or JSON lines by its name. Knows which steps it has; a line that was
/// truncated off by a crash is removed; only one process may write it.
class StepFile {
 public:
  /// Fails: kInvalidArgument if the name ends neither in .csv nor in .jsonl; kStorage if it cannot be written, is
  /// locked by another process or is not such a file.
  static Result<StepFile> Open(const std::string& path, const StreamRelease& stream, const Policy& policy);
  /// Adds a step unless the file has it or a later one.
  Result<void> Append(const StreamRelease& stream, const StepRelease& step);
  StepFile(StepFile&& other) noexcept;
  StepFile& operator=(StepFile&&) = delete;
  ~StepFile();

 private:
  StepFile(int file, bool csv) : file_(file), csv_(csv) {}
  Result<void> Write(const std::string& text) const;

  int file_;
  bool csv_;
  std::int64_t last_ = -1;
};

}  // namespace kith::cli
