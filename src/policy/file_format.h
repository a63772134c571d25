// How the files of a table are written: what is declared in addition to `source`. All of it is public, and the same for
// every record: nothing about reading follows from the data.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kith {

/// How the text of one column becomes values.
struct ColumnReading {
  std::vector<std::string> missing;  // strings (without surrounding blanks) that mean NULL
  std::string dates;                 // how dates or timestamps are written; empty: as in ISO 8601
  char decimal = '.';                // '.' or ','; numbers only

  bool operator==(const ColumnReading&) const = default;
};

/// What a table says about its file. Separator, decimal, encoding and row names apply only to CSV files.
struct FileFormat {
  std::optional<char> separator;     // nothing: a comma, or a tab where the name ends in .tsv
  std::string encoding = "utf-8";    // one of Encodings()
  bool row_names = false;            // a record has one field more than the header names: the first, which has no name
  char decimal = '.';                // of all numbers
  std::vector<std::string> missing;  // of columns that do not say their own
  std::string dates;                 // of date columns that do not say their own; of timestamps, if it has a time

  bool operator==(const FileFormat&) const = default;
};

/// The names of the encodings that can be declared.
const std::vector<std::string>& Encodings();
/// One of Encodings() for any usual spelling of it ("UTF8", "cp1252", "ISO-8859-1"); empty if there is none.
std::string EncodingOf(std::string_view name);

/// The separators that can be declared: , ; | tab, and one blank.
bool IsSeparator(char c);

/// What is wrong with a format of dates ("%d.%m.%Y"); empty if nothing is.
std::string DateFormatProblem(std::string_view format);
/// Does it hold a time of day?
bool HasTimeOfDay(std::string_view format);

/// Does the name say that it is a CSV file (.csv or .tsv, uncompressed or as .gz or .zst)?
bool IsCsvName(std::string_view source);
/// Is it a pattern for several files?
bool IsPattern(std::string_view source);

}  // namespace kith
