// What engines hand over beside numbers, for one mechanism alone: keys that nobody declared, each with its count, of
// which it decides which are shown (mechanism/unknown_keys.h).
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

/// Rows of a statement of texts with, last, a whole number, some at a time: all spans have the same length and are
/// valid during the call.
struct CountedKeys {
  std::span<const std::span<const std::string_view>> keys;  // one span for each text column
  std::span<const std::int64_t> counts;
};
/// Takes them; an error of its own ends the scan and is what the scan returns.
using KeySink = std::function<Result<void>(const CountedKeys&)>;

/// Sessions that can. In the engine's own words, as Session::ScanText.
class KeyScan {
 public:
  virtual ~KeyScan() = default;
  /// In no order. Texts as they are stored, of any bytes; never NULL. Fails: as Session::Scan.
  virtual Result<void> ScanKeysText(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) const = 0;
};

/// Fails: as Session::Scan; kInternal if the session is of an engine that hands over numbers alone.
inline Result<void> ScanKeys(const Session& session, const sql::Statement& statement, const KeySink& sink,
                             const CancelFlag& cancel) {
  const auto* keys = dynamic_cast<const KeyScan*>(&session);
  if (keys == nullptr) return InternalError("this engine hands over no keys");
  return keys->ScanKeysText(session.dialect().Write(statement, session.unit_rows()), sink, cancel);
}

}  // namespace kith
