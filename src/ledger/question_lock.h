// The lock of one question: whoever holds it is the only one who may charge for it.  Claims: claims/ledger.md, LEDGER-8
#pragma once

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

}  // namespace kith
