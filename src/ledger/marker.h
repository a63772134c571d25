// The marker beside a ledger: it distinguishes a lost ledger from a new one, a swapped one from the right one, and one
// that was set back from one that was not.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "ledger/files.h"

namespace kith::ledger {

struct Marker {
  std::string first_line;               // names the ledger
  std::optional<std::int64_t> charges;  // the ledger had this many, or more; markers of older versions do not say
};

/// Nothing if there is none. Fails: kStorage.
Result<std::optional<Marker>> ReadMarker(const Places& places);

/// Fails: kStorage if the marker names another ledger: this one was swapped.
Result<void> CheckMarker(const Places& places, const Marker& marker, const std::string& ledger_id);
/// Fails: kStorage if the ledger has fewer charges than it had when the marker was read: it is an older copy, or its
/// log is. Requires: the marker was read before the charges were counted.
Result<void> CheckCount(const Places& places, const Marker& marker, std::int64_t charges);

/// Writes the marker, durably, unless `marker` is one that says everything.
Result<void> KeepMarker(const Places& places, const std::optional<Marker>& marker, const std::string& ledger_id,
                        std::int64_t charges);
/// Notes how many charges there are, after a commit. Not synced and not reported: a marker that is behind only detects
/// less, and it cannot be ahead, because the charge is already durable.
void NoteCharges(const Places& places, const std::string& ledger_id, std::int64_t charges);

}  // namespace kith::ledger
