// Opening a CSV file: its header, and what is refused at first sight.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/duckdb/csv_scan.h"

namespace kith {

namespace {

bool StartsWith(const std::string& text, std::string_view start) { return text.compare(0, start.size(), start) == 0; }

std::string Capped(const std::string& name) { return name.size() <= 60 ? name : fmt::format("{:.57}...", name); }

/// The first line, from bytes that start after a byte order mark. Fails: kInvalidArgument.
Result<std::vector<std::string>> ParseHeader(std::string_view line, char delimiter, const std::string& path) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::vector<CsvField> fields;
  if (line.empty()) {
    return InvalidArgument("the first line is empty; it must name the columns", path, "put a header into the file");
  }
  if (!SplitCsvLine(line, delimiter, CsvFile::kLongestLine, &fields) || !IsCsvText(line)) {
    return InvalidArgument("the header is broken: its quotes do not match or it is not UTF-8", path);
  }
  std::vector<std::string> names;
  std::string space;
  for (const CsvField& field : fields) names.emplace_back(field.Plain(&space));
  return names;
}

}  // namespace

Result<CsvFile> CsvFile::Open(const std::string& path, char delimiter) {
  CsvFile csv;
  csv.path_ = path;
  csv.delimiter_ = delimiter;
  csv.file_ = Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!csv.file_.open()) {
    return StorageError(fmt::format("the file cannot be read ({})", std::strerror(errno)), path);
  }
  auto identity = Identify(csv.file_.get(), path);
  if (!identity) return identity.error();
  csv.identity_ = *identity;
  std::string start;
  const auto size = static_cast<std::size_t>(std::min<std::int64_t>(identity->size, kLongestLine));
  if (auto read = csv.Read(0, size, &start); !read) return read.error();
  if (start.empty()) return InvalidArgument("the file is empty; its first line must name the columns", path);
  if (StartsWith(start, "\xFF\xFE") || StartsWith(start, "\xFE\xFF")) {
    return InvalidArgument("the file is UTF-16", path, "save it as UTF-8");
  }
  if (StartsWith(start, "\x1F\x8B") || StartsWith(start, "PK\x03\x04") || StartsWith(start, "\x28\xB5\x2F\xFD")) {
    return InvalidArgument("the file is compressed", path, "decompress it first");
  }
  const std::size_t mark = StartsWith(start, "\xEF\xBB\xBF") ? 3 : 0;
  const std::size_t newline = start.find('\n');
  if (newline == std::string::npos && static_cast<std::int64_t>(start.size()) < identity->size) {
    return InvalidArgument("the first line is longer than a header can be", path, "put a header into the file");
  }
  const std::size_t end = newline == std::string::npos ? start.size() : newline;
  auto header =
      ParseHeader(std::string_view(start).substr(std::min(mark, end), end - std::min(mark, end)), delimiter, path);
  if (!header) return header.error();
  csv.header_ = std::move(*header);
  csv.data_begin_ = static_cast<std::int64_t>(newline == std::string::npos ? end : end + 1);
  return csv;
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
    next = fmt::format("the header has one column only: fields must be separated by {}",
                       delimiter_ == '\t' ? "tabs" : "commas");
  }
  return InvalidArgument(fmt::format("the header does not name the column \"{}\"", Capped(column)), path_, next);
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
    const ssize_t got =
        ::pread(file_.get(), bytes->data() + done, size - done, offset + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return StorageError(fmt::format("the file cannot be read ({})", std::strerror(errno)), path_);
    if (got == 0) return StorageError("the file became shorter while it was read", path_, "wait until it is complete");
    done += static_cast<std::size_t>(got);
  }
  return {};
}

}  // namespace kith
