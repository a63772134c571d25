#include "engine/duckdb/sketch_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "engine/duckdb/csv_scan.h"
#include "engine/duckdb/csv_sniff.h"
#include "engine/duckdb/lockdown.h"

namespace kith {

namespace {

constexpr std::int64_t kSampleBytes = std::int64_t{1} << 20;  // of a CSV file

// DuckDB's memory grows with the square of the aggregates in one SELECT.
constexpr std::size_t kAggregates = 240;

bool IsNumeric(const std::string& text) {
  const bool digits = std::any_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return digits && text.find_first_not_of("0123456789+-.eE ") == std::string::npos;
}

/// A first line that cannot be a header would show somebody's record as column names. The first name may be empty, and
/// the last: programs write row names without one, and separators at the end of lines.
Result<void> CheckHeader(const CsvFile& csv) {
  std::set<std::string> seen;
  const std::vector<std::string>& names = csv.header();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const bool at_end = names.size() > 1 && (k == 0 || k + 1 == names.size());
    if (names[k].empty() && at_end) continue;
    if (names[k].empty() || IsNumeric(names[k]) || !seen.insert(names[k]).second) {
      return InvalidArgument("the first line is not a header: it has an empty, a numeric or a repeated name",
                             csv.path(), "put a line with the names of the columns at the top of the file");
    }
  }
  if (seen.empty()) return InvalidArgument("the first line is not a header: it names nothing", csv.path());
  return {};
}

/// Words for what is missing that programs write: all of them where a column without them is something other than text,
/// the first few also in text.
constexpr const char* kMarks[] = {"NA",  "N/A",  "#N/A", "<NA>", ".", "?",  "n/a", "NaN",
                                  "nan", "NULL", "null", "None", "-", "--", "*"};
constexpr std::size_t kMarksInTexts = 6;
/// Numbers that mean a missing value where they are the only negative ones.
constexpr const char* kNumberMarks[] = {"-9", "-99", "-999", "-9999"};
constexpr int kFewest = 5;  // times that a number must occur: one record's value is not shown

std::string ListOf(const char* const* begin, const char* const* end) {
  std::string list;
  for (; begin != end; ++begin) list += (list.empty() ? "" : ", ") + QuotedText(*begin);
  return list;
}

/// A kind of column, and SQL that says whether text {0} can be in it.
struct Guess {
  ColumnType type;
  std::string fits;
  std::string dates = {};   // the format that it means
  std::string remark = {};  // for the curator
};

/// From the narrowest on: the first that fits all values wins.
const std::vector<Guess>& Types() {
  static const std::vector<Guess> kTypes = {
      {ColumnType::kBoolean, "lower({0}) IN ('true', 'false')"},
      {ColumnType::kInteger, "regexp_full_match({0}, '[+-]?[0-9]+') AND TRY_CAST({0} AS BIGINT) IS NOT NULL"},
      {ColumnType::kInteger,
       "regexp_full_match({0}, '[+-]?[0-9]+[.]0+') AND TRY_CAST({0} AS BIGINT) IS NOT NULL",
       {},
       "whole numbers, written with .0 behind them, as pandas does where some are missing"},
      {ColumnType::kReal, "TRY_CAST({0} AS DOUBLE) IS NOT NULL"},
      {ColumnType::kDate,
       "regexp_full_match({0}, '[0-9]+[-/][0-9]+[-/][0-9]+') AND TRY(TRY_CAST({0} AS DATE)) IS NOT NULL"},
      {ColumnType::kTimestamp, "TRY(TRY_CAST({0} AS TIMESTAMP WITH TIME ZONE)) IS NOT NULL"},
  };
  return kTypes;
}

Guess Dates(const std::string& pattern, const std::string& format) {
  const ColumnType type = HasTimeOfDay(format) ? ColumnType::kTimestamp : ColumnType::kDate;
  return {type,
          fmt::format("regexp_full_match({{0}}, '{}') AND TRY(try_strptime({{0}}, '{}')) IS NOT NULL", pattern, format),
          format};
}

/// What text can be beyond these. Numbers with a comma come first; of the formats of dates, several may fit.
const std::vector<Guess>& Formats() {
  static const std::string kDay = "[0-9]{{1,2}}", kYear = "[0-9]{{4}}", kTime = " [0-9]{{1,2}}:[0-9]{{2}}";
  static const std::vector<Guess> kFormats = {
      {ColumnType::kReal, "regexp_full_match({0}, '[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?|[+-]?[0-9]+')"},
      Dates(kDay + "[.]" + kDay + "[.]" + kYear, "%d.%m.%Y"),
      Dates(kDay + "[.]" + kDay + "[.][0-9]{{2}}", "%d.%m.%y"),
      Dates(kDay + "/" + kDay + "/" + kYear, "%d/%m/%Y"),
      Dates(kDay + "/" + kDay + "/" + kYear, "%m/%d/%Y"),
      Dates(kDay + "-" + kDay + "-" + kYear, "%d-%m-%Y"),
      Dates(kDay + "-" + kDay + "-" + kYear, "%m-%d-%Y"),
      Dates(kDay + "[A-Za-z]{{3}}" + kYear, "%d%b%Y"),
      Dates(kDay + "-[A-Za-z]{{3}}-" + kYear, "%d-%b-%Y"),
      Dates(kDay + " [A-Za-z]{{3}} " + kYear, "%d %b %Y"),
      Dates(kDay + "[.]" + kDay + "[.]" + kYear + kTime, "%d.%m.%Y %H:%M"),
      Dates(kDay + "[.]" + kDay + "[.]" + kYear + kTime + ":[0-9]{{2}}", "%d.%m.%Y %H:%M:%S"),
      Dates(kDay + "/" + kDay + "/" + kYear + kTime, "%d/%m/%Y %H:%M"),
      Dates(kDay + "/" + kDay + "/" + kYear + kTime, "%m/%d/%Y %H:%M"),
  };
  return kFormats;
}

/// What was found in one column of the sample.
struct Found {
  std::size_t at = 0;  // in the header
  ColumnSketch sketch;
  bool filled = false;               // something is there besides marks
  bool has_marks = false;            // words for what is missing
  bool has_numbers = false;          // its only negative values are numbers for what is missing
  bool points = false;               // numbers with a decimal point
  bool commas = false;               // numbers with a decimal comma
  std::vector<std::string> formats;  // of dates, that fit
  std::vector<std::string> marks;
};

/// Asks for counts about columns of the sample, as many at a time as fit into one statement.
class Sample {
 public:
  Sample(const CsvFile& csv, Look look, const CancelFlag& cancel) : csv_(csv), look_(look), cancel_(cancel) {}

  /// `terms` are SQL conditions about {0}, the value without marks, and {1}, the value; `take` gets how many values
  /// meet each.
  template <class Take>
  Result<void> Count(const std::vector<Found*>& columns, const std::vector<std::string>& terms, Take take) {
    const std::size_t at_a_time = std::max<std::size_t>(1, kAggregates / terms.size());
    for (std::size_t begin = 0; begin < columns.size(); begin += at_a_time) {
      const std::size_t end = std::min(columns.size(), begin + at_a_time);
      const std::vector<Found*> some(columns.begin() + static_cast<std::ptrdiff_t>(begin),
                                     columns.begin() + static_cast<std::ptrdiff_t>(end));
      auto counted = CountSome(some, terms);
      if (!counted) return counted.error();
      for (std::size_t k = 0; k < some.size(); ++k) {
        take(some[k], [&](std::size_t j) { return counted->rows[0][k * terms.size() + j].value_or(0); });
      }
    }
    return {};
  }

 private:
  Result<IntegerTable> CountSome(const std::vector<Found*>& columns, const std::vector<std::string>& terms) {
    std::vector<std::size_t> wanted;
    for (const Found* column : columns) wanted.push_back(column->at);
    const Progress silent;
    CsvScan scan(csv_, wanted, cancel_, silent, CsvScan::Cut{kSampleBytes, 1});
    auto database = OpenSmall();
    if (!database) return database.error();
    auto connection = database->Connect();
    if (!connection) return connection.error();
    if (auto locked = LockDown(*connection, {}, cancel_); !locked) return locked.error();
    if (auto registered = scan.Register(*connection, "kith_csv"); !registered) return registered.error();
    std::string values, counts;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const std::string plain = fmt::format("c{}", k);
      const std::string value = look_ == Look::kAsDeclared
                                    ? plain
                                    : fmt::format("CASE WHEN trim({0}) NOT IN ({1}) THEN {0} END", plain,
                                                  ListOf(std::begin(kMarks), std::end(kMarks)));
      values += fmt::format("{0}{1}, {2} AS v{3}", k == 0 ? "" : ", ", plain, value, k);
      for (const std::string& term : terms) {
        // Without FILTER, for each of which DuckDB keeps a copy of all columns.
        counts += fmt::format("{}count(CASE WHEN {} THEN 1 END)", counts.empty() ? "" : ", ",
                              fmt::format(fmt::runtime(term), fmt::format("v{}", k), fmt::format("c{}", k)));
      }
    }
    auto counted =
        connection->Integers(fmt::format("SELECT {} FROM (SELECT {} FROM kith_csv())", counts, values), cancel_);
    if (const auto error = scan.error()) return *error;
    return counted;
  }

  const CsvFile& csv_;
  const Look look_;
  const CancelFlag& cancel_;
};

Result<void> FindTypes(Sample* sample, Look look, const std::vector<Found*>& columns) {
  std::vector<std::string> terms = {"{0} IS NOT NULL", "{1} IS NOT NULL"};
  const std::string numbers = ListOf(std::begin(kNumberMarks), std::end(kNumberMarks));
  terms.push_back("starts_with({0}, '-')");
  terms.push_back(fmt::format("regexp_replace({{0}}, '[.]0+$', '') IN ({})", numbers));
  const std::size_t first = terms.size();
  for (const Guess& guess : Types()) terms.push_back(guess.fits);
  return sample->Count(columns, terms, [&](Found* column, const auto& count) {
    column->filled = count(0) > 0;
    column->has_marks = column->filled && count(1) > count(0);
    for (std::size_t j = Types().size(); j > 0 && column->filled; --j) {
      if (count(first + j - 1) != count(0) || (look == Look::kAsDeclared && !Types()[j - 1].remark.empty())) continue;
      column->sketch.type = Types()[j - 1].type;
      column->sketch.remark = Types()[j - 1].remark;
    }
    column->points = column->sketch.type == ColumnType::kReal;
    const bool number = column->points || column->sketch.type == ColumnType::kInteger;
    column->has_numbers = number && count(2) >= kFewest && count(2) == count(3);
  });
}

Result<void> FindFormats(Sample* sample, const std::vector<Found*>& columns) {
  std::vector<std::string> terms = {"{0} IS NOT NULL"};
  for (const Guess& guess : Formats()) terms.push_back(guess.fits);
  return sample->Count(columns, terms, [&](Found* column, const auto& count) {
    column->commas = count(1) == count(0);
    for (std::size_t j = 1; j < Formats().size(); ++j) {
      if (count(j + 1) == count(0)) column->formats.push_back(Formats()[j].dates);
    }
  });
}

Result<void> FindMarks(Sample* sample, const std::vector<Found*>& columns) {
  std::vector<std::string> terms;
  for (const char* mark : kMarks) terms.push_back(fmt::format("trim({{1}}) = {}", QuotedText(mark)));
  for (const char* mark : kNumberMarks) {
    terms.push_back(fmt::format("regexp_replace({{1}}, '[.]0+$', '') = {}", QuotedText(mark)));
  }
  return sample->Count(columns, terms, [&](Found* column, const auto& count) {
    const bool text = column->sketch.type == ColumnType::kText && !column->commas && column->formats.empty();
    for (std::size_t j = 0; j < (text ? kMarksInTexts : std::size(kMarks)); ++j) {
      if (count(j) > 0) column->marks.emplace_back(kMarks[j]);
    }
    std::string numbers;
    for (std::size_t j = 0; j < std::size(kNumberMarks) && column->has_numbers; ++j) {
      if (count(std::size(kMarks) + j) < kFewest) continue;
      numbers += fmt::format("{}\"{}\"", numbers.empty() ? "" : ", ", kNumberMarks[j]);
    }
    if (numbers.empty()) return;
    if (!column->sketch.remark.empty()) column->sketch.remark += "; ";
    column->sketch.remark +=
        fmt::format("nothing else is below 0: if it stands for missing values, add missing = [{}]", numbers);
  });
}

/// The format of dates that most columns have becomes the table's.
void ChooseDates(std::vector<Found>* columns, FileSketch* file) {
  std::map<std::string, int> votes;
  for (Found& column : *columns) {
    if (column.formats.empty()) continue;
    if (column.formats.size() > 1) {
      column.sketch.remark = fmt::format(
          "dates, of which the order of day and month cannot be seen: write {{ type = \"date\", dates = \"{}\" }}, or "
          "\"{}\"",
          column.formats[0], column.formats[1]);
      continue;
    }
    column.sketch.dates = column.formats.front();
    column.sketch.type = HasTimeOfDay(column.sketch.dates) ? ColumnType::kTimestamp : ColumnType::kDate;
    ++votes[column.sketch.dates];
  }
  int most = 0;
  for (const auto& [format, count] : votes) {
    if (count > most) file->format.dates = format;
    most = std::max(most, count);
  }
  for (Found& column : *columns) {
    if (column.sketch.dates == file->format.dates) column.sketch.dates.clear();
  }
}

void ChooseDecimal(std::vector<Found>* columns, FileSketch* file) {
  const bool points = std::any_of(columns->begin(), columns->end(), [](const Found& column) { return column.points; });
  for (Found& column : *columns) {
    if (!column.commas) continue;
    if (points) {
      column.sketch.remark = "numbers with a comma, while others in this file have a point: write them alike to sum it";
      continue;
    }
    file->format.decimal = ',';
    column.sketch.type = ColumnType::kReal;
  }
}

void ChooseMarks(const std::vector<Found>& columns, FileSketch* file) {
  for (const char* mark : kMarks) {
    const auto has = [mark](const Found& column) {
      return std::find(column.marks.begin(), column.marks.end(), mark) != column.marks.end();
    };
    if (std::any_of(columns.begin(), columns.end(), has)) file->format.missing.emplace_back(mark);
  }
}

std::vector<Found> NamesOf(const CsvFile& csv) {
  std::vector<Found> columns;
  for (std::size_t k = 0; k < csv.header().size(); ++k) {
    Found column;
    column.at = k;
    const std::string& name = csv.header()[k];
    column.sketch = {.name = name, .type = ColumnType::kText};
    if (name.empty()) {
      column.sketch.skipped = true;
      column.sketch.remark = k == 0 ? "it has no name (pandas and R write row numbers so)" : "it has no name";
    } else if (name.front() == ' ' || name.back() == ' ') {
      column.sketch.remark = "its name begins or ends with a blank, as in the file";
    }
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

Result<DuckDb> OpenSmall() {
  EngineOptions options;
  options.threads = 1;
  return DuckDb::Open("", LockedSettings(options, {}));
}

Result<FileSketch> SketchCsv(const Source& source, Look look, const CancelFlag& cancel) {
  auto sniff = look == Look::kAsDeclared ? Result<CsvSniff>(CsvSniff{source.csv, {}}) : SniffCsv(source, cancel);
  if (!sniff) return sniff.error();
  const auto most = kSampleBytes + static_cast<std::int64_t>(CsvFile::kLongestLine);
  auto csv = CsvFile::Open(source.path, {.shape = sniff->shape, .scratch = {}, .most = most}, cancel);
  if (!csv) return csv.error();
  if (auto checked = CheckHeader(*csv); !checked) return checked.error();
  std::vector<Found> columns = NamesOf(*csv);
  Sample sample(*csv, look, cancel);
  const auto those = [&columns](const auto& which) {
    std::vector<Found*> chosen;
    for (Found& column : columns) {
      if (!column.sketch.skipped && which(column)) chosen.push_back(&column);
    }
    return chosen;
  };
  if (auto done = FindTypes(&sample, look, those([](const Found&) { return true; })); !done) return done.error();
  FileSketch file;
  if (look == Look::kAsDeclared) {
    for (Found& column : columns) file.columns.push_back(std::move(column.sketch));
    return file;
  }
  const auto texts = those([](const Found& c) { return c.filled && c.sketch.type == ColumnType::kText; });
  if (auto done = FindFormats(&sample, texts); !done) return done.error();
  const auto marked = those([](const Found& c) { return c.has_marks || c.has_numbers; });
  if (auto done = FindMarks(&sample, marked); !done) return done.error();

  file.remarks = sniff->remarks;
  if (sniff->shape.separator != source.csv.separator) file.format.separator = sniff->shape.separator;
  file.format.encoding = sniff->shape.encoding;
  file.format.row_names = sniff->shape.row_names;
  ChooseDates(&columns, &file);
  ChooseDecimal(&columns, &file);
  ChooseMarks(columns, &file);
  // Commas in numbers must be distinguished from those between fields.
  if (file.format.decimal == ',' && !file.format.separator) file.format.separator = sniff->shape.separator;
  for (Found& column : columns) file.columns.push_back(std::move(column.sketch));
  return file;
}

}  // namespace kith
