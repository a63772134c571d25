// A file that grows by a step at a time and survives crashes: knows which steps it has, and who writes it.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "release/release.h"

namespace kith {

/// How steps are written. Every line ends with a line break.
struct StepFormat {
  std::string head;                                      // the first line of a new file
  bool same_head = false;                                // a file with another first line is not of this stream
  std::function<std::string(const Answer& step)> lines;  // at least one for each step
  std::function<std::optional<std::int64_t>(const std::string& line)> tick_of;  // of the last line of a file
};

/// Only one process may write it. A line that was cut off by a crash is removed, and its step written again.
class StepFile {
 public:
  /// Fails: kInvalidArgument if the file is of another stream; kStorage if it cannot be written or is locked by another
  /// process.
  static Result<StepFile> Open(const std::string& path, StepFormat format);
  /// Adds a step unless the file has it or a later one. Fails: kStorage; the ledger keeps the step.
  Result<void> Append(const Answer& step);
  StepFile(StepFile&& other) noexcept;
  StepFile& operator=(StepFile&&) = delete;
  ~StepFile();

 private:
  StepFile(int file, StepFormat format) : file_(file), format_(std::move(format)) {}
  Result<void> Write(const std::string& text) const;

  int file_;
  StepFormat format_;
  std::int64_t last_ = -1;
};

}  // namespace kith
