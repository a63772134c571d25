// Opening a CSV file: its header, and what is refused at first sight.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/spelling.h"
#include "engine/duckdb/csv_scan.h"
#include "policy/sections/section.h"

namespace kith {

namespace {

bool StartsWith(const std::string& text, std::string_view start) { return text.compare(0, start.size(), start) == 0; }

std::string Capped(const std::string& name) { return name.size() <= 60 ? name : fmt::format("{:.57}...", name); }

/// The first line, from bytes that start after a byte order mark. Fails: kInvalidArgument.
Result<std::vector<std::string>> ParseHeader(std::string_view line, char delimiter, const UpperCharacters* upper,
                                             const std::string& path) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::vector<CsvField> fields;
  if (line.empty()) {
    return InvalidArgument("the first line is empty; it must name the columns", path, "put a header into the file");
  }
  std::string decoded;
  if (upper != nullptr) {
    AppendDecoded(line, *upper, &decoded);
    line = decoded;
  }
  if (!SplitCsvLine(line, delimiter, CsvFile::kLongestLine, &fields)) {
    return InvalidArgument("the header is broken: its quotes do not match", path);
  }
  if (!IsCsvText(line)) {
    return InvalidArgument("the header is not in the encoding that the policy says", path,
                           "declare it beside the source: encoding = \"windows-1252\" is usual for files from Windows");
  }
  std::vector<std::string> names;
  std::string space;
  for (const CsvField& field : fields) names.emplace_back(field.Plain(&space));
  return names;
}

/// A file that is not what its name or the policy says. Fails: kInvalidArgument.
Result<void> CheckKind(const std::string& start, const std::string& path) {
  if (start.empty()) return InvalidArgument("the file is empty; its first line must name the columns", path);
  if (StartsWith(start, "\xFF\xFE") || StartsWith(start, "\xFE\xFF")) {
    return InvalidArgument("the file is UTF-16", path,
                           "declare encoding = \"utf-16\" beside the source, or save it as UTF-8");
  }
  if (StartsWith(start, "\x1F\x8B") || StartsWith(start, "\x28\xB5\x2F\xFD")) {
    return InvalidArgument("the file is compressed, which its name does not say", path,
                           "name it .csv.gz or .csv.zst, or decompress it first");
  }
  if (StartsWith(start, "PK\x03\x04")) return InvalidArgument("the file is compressed", path, "decompress it first");
  return {};
}

/// What the name of a column was probably meant to be, as the end of a sentence; empty if nothing is close.
std::string NearName(const std::string& column, const std::vector<std::string>& header) {
  for (const std::string& name : header) {
    const std::size_t first = name.find_first_not_of(' ');
    if (first == std::string::npos) continue;
    const std::string trimmed = name.substr(first, name.find_last_not_of(' ') - first + 1);
    if (name != column && FoldName(trimmed) == FoldName(column)) {
      return fmt::format("; it has \"{}\"{}", Capped(name), trimmed == name ? "" : ", with a blank");
    }
  }
  const std::string near = NearestWord(column, header);
  return near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", Capped(near));
}

}  // namespace

Result<CsvFile> CsvFile::Open(const std::string& path, char delimiter) {
  const CancelFlag never;
  CsvOpening opening;
  opening.shape.separator = delimiter;
  return Open(path, opening, never);
}

Result<CsvFile> CsvFile::Open(const std::string& path, const CsvOpening& opening, const CancelFlag& cancel) {
  CsvFile csv;
  csv.path_ = path;
  csv.shape_ = opening.shape;
  csv.upper_ = UpperCharactersOf(opening.shape.encoding);
  csv.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!csv.file_.open()) {
    return StorageError(fmt::format("the file cannot be read ({})", std::strerror(errno)), path);
  }
  auto identity = Identify(csv.file_.get(), path);
  if (!identity) return identity.error();
  csv.identity_ = *identity;
  if (auto opened = csv.OpenText(opening, cancel); !opened) return opened.error();
  std::string start;
  const auto size = static_cast<std::size_t>(std::min<std::int64_t>(csv.size_, kLongestLine));
  if (auto read = csv.Read(0, size, &start); !read) return read.error();
  if (auto checked = CheckKind(start, path); !checked) return checked.error();
  const std::size_t mark = StartsWith(start, "\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t newline = start.find('\n');
  if (newline == std::string::npos && static_cast<std::int64_t>(start.size()) < csv.size_) {
    return InvalidArgument("the first line is longer than a header can be", path, "put a header into the file");
  }
  const std::size_t end = newline == std::string::npos ? start.size() : newline;
  const auto line = std::string_view(start).substr(std::min(mark, end), end - std::min(mark, end));
  auto header = ParseHeader(line, csv.delimiter(), csv.upper_, path);
  if (!header) return header.error();
  csv.header_ = std::move(*header);
  csv.data_begin_ = static_cast<std::int64_t>(newline == std::string::npos ? end : end + 1);
  return csv;
}

Result<void> CsvFile::OpenText(const CsvOpening& opening, const CancelFlag& cancel) {
  size_ = identity_.size;
  const PlainOptions plain{opening.shape.packing, opening.shape.encoding, opening.scratch, opening.most};
  if (!NeedsPlain(plain)) return {};
  auto written = WritePlain(file_.get(), path_, plain, cancel);
  if (!written) return written.error();
  auto identity = Identify(written->get(), path_);
  if (!identity) return identity.error();
  size_ = identity->size;
  plain_ = std::move(*written);
  return {};
}

Result<std::size_t> CsvFile::Find(const std::string& column) const {
  const auto count = std::count(header_.begin(), header_.end(), column);
  if (count == 1) return static_cast<std::size_t>(std::find(header_.begin(), header_.end(), column) - header_.begin());
  if (count > 1) {
    return InvalidArgument(fmt::format("the header names the column \"{}\" {} times", Capped(column), count), path_,
                           "give each column its own name");
  }
  std::string next = "add the column to the file, or remove it from the policy";
  if (header_.size() == 1) {
    next = fmt::format(
        "the header has one column only: if its fields are not separated by {}, declare the separator beside the "
        "source",
        delimiter() == '\t' ? "tabs" : "commas");
  }
  return InvalidArgument(
      fmt::format("the header does not name the column \"{}\"{}", Capped(column), NearName(column, header_)), path_,
      next);
}

bool CsvFile::Unchanged() const {
  const auto open = Identify(file_.get(), path_);
  const auto named = Identify(path_);
  return open && named && *open == identity_ && *named == identity_;
}

Result<void> CsvFile::Read(std::int64_t offset, std::size_t size, std::string* bytes) const {
  bytes->resize(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t got = ::pread(plain_ ? plain_->get() : file_.get(), bytes->data() + done, size - done,
                                offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return StorageError(fmt::format("the file cannot be read ({})", std::strerror(errno)), path_);
    if (got == 0) return StorageError("the file became shorter while it was read", path_, "wait until it is complete");
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace kith
