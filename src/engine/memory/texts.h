// Columns of strings as numbers: which of the declared ones each is.
// Internal to engine/memory.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/frame.h"
#include "engine/memory/program.h"

namespace kith::memory {

/// Places of strings in a list, by a table of hashes. Strings are equal if their bytes are.
class TextNumbers {
 public:
  TextNumbers(std::vector<std::string> texts, std::int64_t otherwise);
  /// The first place.
  std::int64_t Of(std::string_view text) const;
  std::int64_t otherwise() const { return otherwise_; }

 private:
  struct Slot {
    std::uint64_t mark = 0;
    std::int64_t number = -1;  // of no text
  };
  std::vector<std::string> texts_;
  std::int64_t otherwise_;
  std::vector<Slot> slots_;  // a power of 2, at most half of them taken
};

/// A column of one batch.
class CodedColumn {
 public:
  /// All must outlive it. `before`: of an earlier batch, whose dictionary may be the same; may be null.
  CodedColumn(const TextNumbers& numbers, const FrameColumn& column, const ArrowArray& batch, const ArrowArray& array,
              const CodedColumn* before);
  /// Of rows from the batch's first on.
  void Read(std::int64_t first, std::size_t count, std::int64_t* into) const;

 private:
  template <class Index>
  void ReadIndexes(std::int64_t at, std::size_t count, std::int64_t* into) const;
  void ReadTexts(std::int64_t at, std::size_t count, std::int64_t* into) const;

  const TextNumbers& numbers_;
  const FrameColumn& column_;
  const ArrowArray& array_;
  std::int64_t first_;                                           // the place of row 0
  std::shared_ptr<const std::vector<std::int64_t>> dictionary_;  // the number of each value
};

/// All that a program compares, in all batches.
class Codings {
 public:
  Codings(const Program& program, const Frame& frame);
  const CodedColumn* Of(std::size_t batch, std::size_t place) const { return &columns_.at(place)[batch]; }

 private:
  std::vector<std::unique_ptr<TextNumbers>> numbers_;
  std::map<std::size_t, std::vector<CodedColumn>> columns_;
};

}  // namespace kith::memory
