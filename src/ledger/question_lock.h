// The lock of one question: only its holder may charge for it.  Claims: claims/ledger.md, LEDGER-8
#pragma once
#include <filesystem>
#include <string_view>

#include "base/cancel.h"
#include "base/result.h"

namespace kith {

/// Held until it is destroyed, moved from or its process dies. A child of a fork shares it until it ends or calls exec.
class QuestionLock {
 public:
  /// Takes over an open file whose lock is held.
  explicit QuestionLock(int descriptor) : descriptor_(descriptor) {}
  QuestionLock(QuestionLock&& other) noexcept;
  QuestionLock& operator=(QuestionLock&& other) noexcept;
  ~QuestionLock();

 private:
  int descriptor_;  // -1: none
};

namespace ledger {

/// Waits for the lock of a key in `file`, which is made if it is not there.
/// Fails: kCancelled; kStorage.
Result<QuestionLock> LockQuestion(const std::filesystem::path& file, std::string_view key, const CancelFlag& cancel);

}  // namespace ledger

}  // namespace kith
