#include "engine/duckdb/csv_sniff.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "engine/duckdb/csv_line.h"
#include "engine/duckdb/csv_text.h"

namespace kith {

namespace {

constexpr std::int64_t kLook = std::int64_t{1} << 18;
constexpr std::size_t kMostLines = 1000;
constexpr std::size_t kMostFields = 100'000;

/// The first bytes of a file, unpacked.
Result<std::string> FirstBytes(const Source& source, const CancelFlag& cancel) {
  const Descriptor file(::open(source.path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open()) {
    return StorageError(fmt::format("the file cannot be read ({})", std::strerror(errno)), source.path);
  }
  const PlainOptions options{.packing = source.csv.packing, .most = kLook};
  auto plain = WritePlain(file.get(), source.path, options, cancel);
  if (!plain) return plain.error();
  std::string bytes(static_cast<std::size_t>(kLook), '\0');
  const ssize_t got = ::pread(plain->get(), bytes.data(), bytes.size(), 0);
  if (got < 0) return StorageError("the file cannot be read", source.path);
  bytes.resize(static_cast<std::size_t>(got));
  return bytes;
}

bool StartsWith(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }

/// UTF-16 without a mark: every second byte of ASCII letters is 0.
std::string Utf16Of(std::string_view bytes) {
  if (StartsWith(bytes, "\xFF\xFE") || StartsWith(bytes, "\xFE\xFF")) return "utf-16";
  std::size_t zeros[2] = {0, 0};
  for (std::size_t k = 0; k < bytes.size(); ++k) zeros[k % 2] += bytes[k] == '\0' ? 1 : 0;
  const std::size_t many = bytes.size() / 4;
  if (many > 0 && zeros[1] > many && zeros[0] < many / 8) return "utf-16";
  if (many > 0 && zeros[0] > many && zeros[1] < many / 8) return "utf-16be";
  return {};
}

std::vector<std::string_view> Lines(std::string_view text, bool whole) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < kMostLines) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos && !whole && !lines.empty()) break;  // cut off
    std::string_view line = text.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (!line.empty() || lines.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

struct Fit {
  std::size_t names = 0;   // in the first line
  std::size_t same = 0;    // further lines with as many fields
  std::size_t longer = 0;  // with one more
};

Fit FitOf(const std::vector<std::string_view>& lines, char separator) {
  Fit fit;
  std::vector<CsvField> fields;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (!SplitCsvLine(lines[k], separator, kMostFields, &fields)) continue;
    if (k == 0) {
      fit.names = fields.size();
    } else if (fields.size() == fit.names) {
      ++fit.same;
    } else if (fields.size() == fit.names + 1) {
      ++fit.longer;
    }
  }
  return fit;
}

/// The separator that divides most lines as it divides the first one, into the most fields. A blank only if nothing
/// else does.
void FindSeparator(const std::vector<std::string_view>& lines, CsvShape* shape) {
  const std::size_t records = lines.empty() ? 0 : lines.size() - 1;
  std::size_t most = 1;
  Fit best = FitOf(lines, shape->separator);
  const char usual = shape->separator;
  for (const char separator : {usual, ',', ';', '\t', '|', ' '}) {
    const Fit fit = FitOf(lines, separator);
    const std::size_t alike = std::max(fit.same, fit.longer);
    const bool divides = fit.names > most || (fit.names == 1 && most == 1 && fit.longer > fit.same);
    if (!divides || 10 * alike < 8 * records) continue;
    if (separator == ' ' && (most > 1 || fit.names == 1 || records == 0)) continue;  // words have blanks too
    shape->separator = separator;
    most = fit.names;
    best = fit;
  }
  shape->row_names = best.longer > best.same;
}

}  // namespace

Result<CsvSniff> SniffCsv(const Source& source, const CancelFlag& cancel) {
  auto bytes = FirstBytes(source, cancel);
  if (!bytes) return bytes.error();
  const bool whole = static_cast<std::int64_t>(bytes->size()) < kLook;
  CsvSniff sniff{source.csv, {}};
  std::string text = *bytes;
  if (const std::string encoding = Utf16Of(*bytes); !encoding.empty()) {
    sniff.shape.encoding = encoding;
    text.clear();
    Utf16Decoder decoder(encoding == "utf-16be" || StartsWith(*bytes, "\xFE\xFF"));
    decoder.Append(*bytes, &text);
  } else if (!IsCsvText(whole ? text : text.substr(0, text.rfind('\n')))) {
    sniff.shape.encoding = "windows-1252";
    sniff.remarks.emplace_back(
        "the file is not UTF-8: that it is windows-1252 is a guess; other encodings are listed in docs/guide/data.md");
  }
  if (StartsWith(text, "\xEF\xBB\xBF")) text.erase(0, 3);
  FindSeparator(Lines(text, whole), &sniff.shape);
  if (sniff.shape.row_names) {
    sniff.remarks.emplace_back(
        "the header has one name too few: the first field of every line has no name and is left out");
  }
  return sniff;
}

}  // namespace kith
