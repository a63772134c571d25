#include "engine/duckdb/csv_line.h"

#include <cstdint>
#include <cstring>

#include "base/utf8.h"

namespace kith {

std::string_view CsvField::Plain(std::string* space) const {
  if (!doubled) return text;
  space->clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    space->push_back(text[i]);
    if (text[i] == '"') ++i;  // the second of a pair
  }
  return *space;
}

namespace {

/// The end of the quoted field whose first character is at `begin`, or npos.
std::size_t ClosingQuote(std::string_view line, std::size_t begin, bool* doubled) {
  for (std::size_t at = line.find('"', begin); at != std::string_view::npos; at = line.find('"', at + 2)) {
    if (at + 1 >= line.size() || line[at + 1] != '"') return at;
    *doubled = true;
  }
  return std::string_view::npos;
}

}  // namespace

bool SplitCsvLine(std::string_view line, char delimiter, std::size_t most, std::vector<CsvField>* fields) {
  fields->clear();
  std::size_t at = 0;
  while (true) {
    if (fields->size() == most) return false;
    CsvField field;
    std::size_t end = at;
    if (at < line.size() && line[at] == '"') {
      const std::size_t close = ClosingQuote(line, at + 1, &field.doubled);
      if (close == std::string_view::npos) return false;
      field.quoted = true;
      field.text = line.substr(at + 1, close - at - 1);
      end = close + 1;
      if (end < line.size() && line[end] != delimiter) return false;
    } else {
      while (end < line.size() && line[end] != delimiter) {
        if (line[end] == '"') return false;
        ++end;
      }
      field.text = line.substr(at, end - at);
    }
    fields->push_back(field);
    if (end >= line.size()) return true;
    at = end + 1;
  }
}

namespace {

bool IsAscii(std::string_view text) {
  std::uint64_t high = 0;
  std::size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + i, 8);
    high |= word;
  }
  for (; i < text.size(); ++i) high |= static_cast<unsigned char>(text[i]);
  return (high & 0x8080808080808080U) == 0;
}

}  // namespace

bool IsCsvText(std::string_view text) { return IsAscii(text) || IsUtf8(text); }

}  // namespace kith
