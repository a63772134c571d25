// The binary form of COPY, as bytes arrive: rows of whole numbers in columns, or of strings with a number.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/key_scan.h"
#include "engine/postgresql/binary.h"
#include "engine/session.h"

namespace kith {

class CopyStream {
 public:
  /// Requires: every type HoldsNarrowIntegers.
  CopyStream(std::vector<PgType> types, const IntegerSink& sink);
  /// Requires: every type but the last IsStreamedText, the last HoldsNarrowIntegers.
  CopyStream(std::vector<PgType> types, const KeySink& sink);

  /// Further bytes. Fails: kInternal (NULL, or what COPY does not write), what the sink returns.
  Result<void> Take(std::string_view bytes);
  /// After the last byte. Fails: kInternal if the end is missing, what the sink returns.
  Result<void> End();

 private:
  bool TakeHeader();
  Result<bool> TakeRow();
  Result<void> HandOver();

  std::vector<PgType> types_;
  const IntegerSink* integers_ = nullptr;  // one of the two
  const KeySink* keys_ = nullptr;
  std::string bytes_;    // not used up yet
  std::size_t at_ = 0;   // in bytes_
  bool header_ = false;  // has been read
  bool ended_ = false;
  std::vector<std::vector<std::int64_t>> columns_;  // of keys: only the last
  std::vector<std::vector<std::string>> texts_;     // of keys: one for each but the last
};

/// A type whose binary form is its text.
bool IsStreamedText(PgType type);

}  // namespace kith
