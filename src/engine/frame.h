// A table in the memory of the program that contains kith, handed over by the Arrow C stream interface: a source like
// a Parquet file. Its columns stay where they are, and are read whenever they are asked about.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/arrow.h"

namespace kith {

/// How the values of a column are stored.
enum class FrameType {
  kBoolean,  // bits
  kInteger,  // of `bytes`, signed or not
  kHalf,     // floating point of 16 bits
  kFloat,
  kDouble,
  kText,       // offsets of 32 bits
  kLargeText,  // offsets of 64 bits
  kTextView,   // views of 16 bytes
  kDecimal,    // of `bytes`
  kDay,        // days since 1970-01-01, 32 bits
  kTime,       // 64 bits since 1970-01-01, `per_second` of them in a second
  kNothing,    // no values at all
  kOther,      // lists, structures, binary data, times of day: cannot be used
};

struct FrameColumn {
  std::string name;
  FrameType type = FrameType::kOther;
  int bytes = 0;
  bool is_signed = true;
  int width = 0, scale = 0;     // kDecimal
  std::int64_t per_second = 1;  // kTime
  bool zoned = false;           // kTime: the numbers are of UTC
  int index_bytes = 0;          // not 0: numbers of values in a dictionary of this type
  bool index_signed = true;
};

/// Immutable. Thread-safe. What it holds is released with it; the program that handed it over promises not to write to
/// it.
class Frame {
 public:
  /// Reads the stream to its end and keeps what it gives, as it is: no value is copied. The stream is used up.
  /// Ensures [ENGINE-17] with engine/duckdb/frame_scan.h.
  /// Fails: kInvalidArgument if it is not a stream of rows with named columns, or breaks its own promises about
  /// lengths; kStorage if it fails.
  static Result<std::shared_ptr<const Frame>> Take(ArrowArrayStream* stream);

  const std::vector<FrameColumn>& columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }
  /// Rows that were handed over together; never empty.
  std::size_t batches() const { return batches_.size(); }
  const ArrowArray& batch(std::size_t k) const { return batches_[k]; }
  /// A name for this frame, unique on this machine.
  const std::string& id() const { return id_; }

  Frame();
  ~Frame();
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

 private:
  std::vector<FrameColumn> columns_;
  std::vector<ArrowArray> batches_;
  std::int64_t rows_ = 0;
  std::string id_;
};

/// "frame:people": the source of a table that the program hands over under this name, which has 1 to 64 letters,
/// digits, '_' and '-'. Empty: it is not one.
std::string FrameNamed(std::string_view source);

}  // namespace kith
