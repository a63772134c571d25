// Steps of a stream as people and programs read them: lines in a terminal, CSV, JSON lines, and a page with a chart.
#pragma once
#include <string>
#include <vector>

#include "document/to_json.h"
#include "release/stream/stream.h"

namespace kith::cli {

document::StreamHead HeadOf(const StreamRelease& stream, const Policy& policy);
/// What holds for everybody, in words.
std::string StreamHeadText(const document::StreamHead& head, std::size_t width);
std::string StreamHeadJson(const document::StreamHead& head);

std::string StepText(const std::vector<std::string>& columns, const StepRelease& step);
std::string StepJson(const StepRelease& step);

/// `command`: how to get the page again.
std::string StreamPage(const StreamRelease& stream, const Policy& policy, const std::vector<StepRelease>& steps,
                       const std::string& command);

/// The chart of what was released alone, as SVG: the first noisy column.
std::string StreamPicture(const StreamRelease& stream, const std::vector<StepRelease>& steps);

/// A file that grows by a step at a time, CSV or JSON lines by its name. Knows which steps it has; a line that was cut
/// off by a crash is removed; only one process may write it.
class StepFile {
 public:
  /// Fails: kInvalidArgument if the name ends neither in .csv nor in .jsonl; kStorage if it cannot be written, is
  /// locked by another process or is no such file.
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
