#include "ledger/marker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <sstream>
#include <system_error>

#include "base/private_folder.h"

namespace kith::ledger {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCharges = "charges ";
constexpr std::size_t kDigits = 20;
constexpr std::size_t kLongest = 4096;

std::string FirstLine(const std::string& ledger_id) { return "kith ledger " + ledger_id; }

// All that is changed in place: one length, whatever the number.
std::string TwoLines(const std::string& ledger_id, std::int64_t charges) {
  return fmt::format("{}\n{}{:0{}} or more\n", FirstLine(ledger_id), kCharges, charges, kDigits);
}

std::string MarkerText(const Places& places, const std::string& ledger_id, std::int64_t charges) {
  return TwoLines(ledger_id, charges) +
         fmt::format(
             "The ledger {} was created. It counts the privacy that was spent on its data.\n"
             "This file makes a lost ledger an error instead of a fresh start. Deleting both starts the count at "
             "zero\n"
             "again, and every guarantee given for these data before and after is void.\n",
             places.file.filename().string());
}

// The number in the second line; nothing if it is not such a line.
std::optional<std::int64_t> CountIn(std::string_view line) {
  if (!line.starts_with(kCharges) || line.size() < kCharges.size() + kDigits) return std::nullopt;
  const std::string_view digits = line.substr(kCharges.size(), kDigits);
  std::int64_t count = 0;
  const auto [stop, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (failed != std::errc() || stop != digits.data() + digits.size() || count < 0) return std::nullopt;
  return count;
}

}  // namespace

Result<std::optional<Marker>> ReadMarker(const Places& places) {
  // Asked once: another process may be creating the marker at this moment.
  const Descriptor fd(open(places.marker.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0 && (errno == ENOENT || errno == ENOTDIR)) return std::optional<Marker>();
  std::string text(kLongest, '\0');
  const ssize_t length = fd.get() < 0 ? -1 : pread(fd.get(), text.data(), text.size(), 0);
  if (length < 0) {
    return StorageError("the ledger's marker cannot be read", places.marker.string(), "make it readable for this user");
  }
  text.resize(static_cast<std::size_t>(length));
  std::istringstream in(text);
  Marker marker;
  std::string second;
  std::getline(in, marker.first_line);
  std::getline(in, second);
  marker.charges = CountIn(second);
  return std::optional<Marker>(std::move(marker));
}

Result<void> CheckMarker(const Places& places, const Marker& marker, const std::string& ledger_id) {
  if (marker.first_line == FirstLine(ledger_id)) return {};
  return StorageError(
      "another ledger was created under this name: the file was swapped, or the marker is damaged",
      places.marker.string(),
      std::string("bring back the ledger that the marker names. Delete the marker only if this ledger counts "
                  "every answer ever given for these data: otherwise that voids every guarantee"));
}

Result<void> CheckCount(const Places& places, const Marker& marker, std::int64_t charges) {
  if (!marker.charges || *marker.charges <= charges) return {};
  return StorageError(
      fmt::format("the ledger went back: it has {} charges, but had {} or more. It, or its -wal file, is an older copy",
                  charges, *marker.charges),
      places.file.string(),
      fmt::format("bring back the newest ledger with its -wal file. If that is gone for good, whatever was answered "
                  "after charge {} is not counted any more; delete {} only if nothing was: otherwise that voids every "
                  "guarantee",
                  charges, places.marker.string()));
}

Result<void> KeepMarker(const Places& places, const std::optional<Marker>& marker, const std::string& ledger_id,
                        std::int64_t charges) {
  if (marker && marker->charges) return {};
  if (const auto failed = MakePrivateFolder(places.marker.parent_path())) {
    return StorageError("the ledger's marker cannot be written: " + failed.message(), places.marker.string(),
                        "check the disk space and that this user may write to the folder");
  }
  if (auto written = WriteDurably(places.marker, MarkerText(places, ledger_id, charges)); !written) return written;
  return SyncFolder(places.file.parent_path());  // .kith itself may be new
}

void NoteCharges(const Places& places, const std::string& ledger_id, std::int64_t charges) {
  const Descriptor fd(open(places.marker.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  if (fd.get() < 0) return;
  const std::string wanted = TwoLines(ledger_id, charges);
  const std::size_t second = FirstLine(ledger_id).size() + 1;
  std::string there(wanted.size(), '\0');
  if (pread(fd.get(), there.data(), there.size(), 0) != static_cast<ssize_t>(there.size())) return;
  if (there.compare(0, second, wanted, 0, second) != 0) return;
  const auto before = CountIn(std::string_view(there).substr(second));
  if (!before || *before >= charges) return;
  const std::size_t at = second + kCharges.size();
  if (pwrite(fd.get(), wanted.data() + at, kDigits, static_cast<off_t>(at)) < 0) return;
}

}  // namespace kith::ledger
