// What engines hand over besides numbers, for one mechanism only: keys that nobody declared, each with its count; the
// mechanism decides which are shown (mechanism/partition_selection.h).
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/cancel.h"
#include "base/result.h"
#include "engine/session.h"
#include "sql/statement.h"

namespace kith {

/// Rows of a statement of strings and, last, a whole number, some at a time: all spans have the same length and are
/// valid during the call.
struct CountedKeys {
  std::span<const std::span<const std::string_view>> keys;  // one span for each text column
  std::span<const std::int64_t> counts;
};
/// Takes them; an error from it ends the scan, which returns that error.
using KeySink = std::function<Result<void>(const CountedKeys&)>;

/// Sessions that can do this. In the engine's own SQL, as Session::ScanText.
class KeyScan {
 public:
  virtual ~KeyScan() = default;
  /// In no particular order. Strings as they are stored, any bytes; never NULL. Fails: as Session::Scan.
  virtual Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const = 0;
};

/// Fails: as Session::Scan; kInternal if the session's engine hands over only numbers.
inline Result<void> ScanKeys(const Session& session, const sql::Statement& statement, const KeySink& sink,
                             const CancelFlag& cancel) {
  const auto* keys = dynamic_cast<const KeyScan*>(&session);
  if (keys == nullptr) return InternalError("this engine hands over no keys");
  return keys->ScanKeysText(session.dialect().Write(statement, session.unit_rows()), sink, cancel);
}

}  // namespace kith
