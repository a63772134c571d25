// Blocks of lanes: some hundred rows of a program at a time, so that everything in between stays near the processor.
// Internal to engine/memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/memory/program.h"

namespace kith::memory {

inline constexpr std::size_t kLanes = 512;

/// What a step has made, in its own lanes or in those of another, or of a frame. The content of a lane that is not
/// there is meaningless.
struct Lanes {
  const double* real = nullptr;
  const std::int64_t* whole = nullptr;  // whole numbers and truth
  const std::int64_t* valid = nullptr;  // like truth; nothing: all are there
};

/// The longest registers that are used, of those that the processor has. What comes out is the same.
enum class Lane { kWidest, k256, kAny };

/// The lanes that belong to a step.
struct alignas(64) Block {
  double real[kLanes];
  std::int64_t whole[kLanes];
  std::int64_t valid[kLanes];
};

class CodedColumn;

/// Where the values of a column are, one after another.
struct StoredColumn {
  FrameType type = FrameType::kDouble;  // or kFloat, kInteger
  int bytes = 8;
  bool is_signed = true;
  const char* values = nullptr;
  const std::uint8_t* valid = nullptr;  // bits of rows that are there; nothing: all are
  std::int64_t first = 0;               // the place of row 0 in both
  const CodedColumn* coded = nullptr;   // texts.h: for a column of strings, instead of all this
};

/// The state of one thread.
class Machine {
 public:
  explicit Machine(const Program& program, Lane lane = Lane::kWidest);

  /// Adds rows to the sums: from `first` up to but not including `end`, at most kMostRows. The columns are at their
  /// places; those that no step reads may be missing.
  void Take(std::span<const StoredColumn> columns, std::int64_t first, std::int64_t end);
  static constexpr std::int64_t kMostRows = std::int64_t{1} << 30;  // sums of numbers of 32 bits fit into 64
  /// Adds what another has added up.
  void Join(Machine& other);
  /// All totals of the first group, then of the next.
  const std::vector<Int128>& sums() {
    Flush();
    return sums_;
  }

 private:
  friend struct Kernels;
  void Load(std::size_t step, const StoredColumn& column, std::int64_t first, std::size_t count);
  void Flush();

  const Program& program_;
  void (*const run_)(Machine&, std::size_t rows);
  std::vector<std::size_t> columns_, each_;  // steps: those that read, and those that compute, for every block
  std::unique_ptr<Block[]> blocks_;
  std::vector<Lanes> made_;         // by each step, of the rows of a block
  std::unique_ptr<Block> counted_;  // whole: rows that count; valid: those that count for one total
  std::vector<Int128> sums_;
  std::vector<std::int64_t> narrow_;  // what is not yet in the sums,
  std::int64_t rows_ = 0;             // of this many rows
};

}  // namespace kith::memory
