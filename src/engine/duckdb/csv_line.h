// One line of a CSV file into fields. A record never spans lines, so that a broken record can damage only itself.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kith {

struct CsvField {
  std::string_view text;  // without the outer quotes
  bool quoted = false;
  bool doubled = false;  // holds "" for "

  /// The field without an escape; uses `space` if something has to be taken out.
  std::string_view Plain(std::string* space) const;
};

/// Splits a line without its line end. The only quote is ", doubled inside a quoted field. Returns false for a broken
/// line: a quote that does not close on this line, is inside an unquoted field or is followed by anything but a
/// delimiter; or more than `most` fields.
/// Ensures [ENGINE-2]: looks at nothing but this line.
bool SplitCsvLine(std::string_view line, char delimiter, std::size_t most, std::vector<CsvField>* fields);

/// UTF-8? Fast for ASCII, which most fields are.
bool IsCsvText(std::string_view text);

}  // namespace kith
