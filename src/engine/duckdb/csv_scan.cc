// The pass over a CSV file. The file is divided into ranges of bytes; a line belongs to the range in which it starts.
// Because no row spans lines, every thread finds the first line of its range by itself.
#include "engine/duckdb/csv_scan.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>

#include "base/check.h"
#include "base/digest.h"
#include "engine/duckdb/duckdb_state.h"

namespace kith {

/// What one thread holds: a range of the file and the place in it.
class CsvScan::Reader {
 public:
  explicit Reader(CsvScan* scan) : scan_(scan), filled_(scan->wanted_.size()) {}

  /// Fills the chunk with the next records; none at the end or after a failure.
  void Fill(duckdb_data_chunk chunk);

 private:
  bool NextLine(std::string_view* line);
  bool LoadRange();
  void Broken();
  void Store(duckdb_data_chunk chunk, idx_t row);

  CsvScan* scan_;
  std::optional<std::size_t> range_;
  std::string bytes_;             // the range, and enough after it to finish its last line
  std::size_t begin_ = 0;         // where the range starts in bytes_
  std::size_t at_ = 0, end_ = 0;  // next line; lines start before end_
  std::vector<CsvField> fields_;
  std::string space_, decoded_;
  Lines lines_;  // of this range
  std::vector<std::int64_t> filled_;
};

CsvScan::CsvScan(const CsvFile& file, std::vector<std::size_t> wanted, const CancelFlag& cancel,
                 const Progress& progress, Cut cut)
    : file_(file),
      wanted_(std::move(wanted)),
      missing_(wanted_.size()),
      cancel_(cancel),
      progress_(progress),
      range_(cut.range),
      filled_(wanted_.size()) {
  const std::int64_t size = file_.size() - file_.data_begin();
  const auto all = static_cast<std::size_t>((size + range_ - 1) / range_);
  ranges_ = std::min(all, cut.most.value_or(all));
  range_digests_.resize(ranges_);
  range_lines_.resize(ranges_);
}

std::optional<std::size_t> CsvScan::TakeRange() {
  if (cancel_.cancelled()) {
    Fail(Cancelled("stopped while reading a CSV file"));
    return std::nullopt;
  }
  const std::size_t range = next_range_.fetch_add(1);
  return range < ranges_ ? std::optional(range) : std::nullopt;
}

void CsvScan::FinishRange(std::size_t range, std::string_view bytes, Lines lines,
                          const std::vector<std::int64_t>& filled) {
  std::string digest = Sha256(bytes);
  const std::lock_guard lock(mutex_);
  range_digests_[range] = std::move(digest);
  broken_ += lines.broken;
  range_lines_[range] = std::move(lines);
  for (std::size_t k = 0; k < filled.size(); ++k) filled_[k] += filled[k];
  ++finished_;
  if (progress_) progress_(static_cast<double>(finished_) / static_cast<double>(ranges_));
}

void CsvScan::Fail(Error error) {
  const std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
}

std::optional<Error> CsvScan::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

std::vector<std::int64_t> CsvScan::FirstBroken() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::int64_t> numbers;
  std::int64_t before = 2;  // the number of a range's first line; the header is line 1
  for (const Lines& lines : range_lines_) {
    for (const std::int64_t line : lines.first_broken) {
      if (numbers.size() < kShownBroken) numbers.push_back(before + line);
    }
    before += lines.all;
  }
  return numbers;
}

std::string CsvScan::ContentDigest() const {
  KITH_CHECK(finished_ == ranges_);
  std::string header;
  if (!file_.Read(0, static_cast<std::size_t>(file_.data_begin()), &header)) return {};
  std::string all = Sha256(header);
  for (const std::string& digest : range_digests_) all += digest;
  return Sha256(all);
}

bool CsvScan::Reader::LoadRange() {
  if (range_) {
    scan_->FinishRange(*range_, std::string_view(bytes_).substr(begin_, end_ - begin_), lines_, filled_);
    lines_ = {};
    std::fill(filled_.begin(), filled_.end(), 0);
  }
  range_ = scan_->TakeRange();
  if (!range_) return false;
  const CsvFile& file = scan_->file_;
  const std::int64_t start = file.data_begin() + static_cast<std::int64_t>(*range_) * scan_->range_;
  const std::int64_t stop = std::min(start + scan_->range_, file.size());
  // One byte before the range shows whether a line starts with it.
  begin_ = *range_ == 0 ? 0 : 1;
  const std::int64_t from = start - static_cast<std::int64_t>(begin_);
  const std::int64_t to = std::min(stop + static_cast<std::int64_t>(CsvFile::kLongestLine), file.size());
  if (auto read = file.Read(from, static_cast<std::size_t>(to - from), &bytes_); !read) {
    range_.reset();
    scan_->Fail(read.error());
    return false;
  }
  end_ = static_cast<std::size_t>(stop - from);
  at_ = 0;
  if (begin_ == 1) {
    const std::size_t newline = bytes_.find('\n');
    at_ = newline == std::string::npos ? end_ : newline + 1;
  }
  return true;
}

bool CsvScan::Reader::NextLine(std::string_view* line) {
  while (!range_ || at_ >= end_) {
    if (!LoadRange()) return false;
  }
  const void* newline = std::memchr(bytes_.data() + at_, '\n', bytes_.size() - at_);
  const std::size_t stop =
      newline == nullptr ? bytes_.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - bytes_.data());
  *line = std::string_view(bytes_).substr(at_, stop - at_);
  at_ = stop + 1;  // without a line end: beyond end_, so the range is done
  ++lines_.all;
  return true;
}

/// The line that was read last is not a row.
void CsvScan::Reader::Broken() {
  if (lines_.first_broken.size() < kShownBroken) lines_.first_broken.push_back(lines_.all - 1);
  ++lines_.broken;
}

namespace {

/// "-99" for "-99.0" and "-99,00"; anything else as it is.
std::string_view WithoutZeros(std::string_view text) {
  std::string_view rest = text;
  while (!rest.empty() && rest.back() == '0') rest.remove_suffix(1);
  if (rest.size() == text.size() || rest.empty() || (rest.back() != '.' && rest.back() != ',')) return text;
  rest.remove_suffix(1);
  const std::string_view digits = rest.substr(!rest.empty() && rest.front() == '-' ? 1 : 0);
  return digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos ? text : rest;
}

bool IsMark(std::string_view text, const std::vector<std::string>& marks) {
  if (marks.empty()) return false;
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  const std::string_view whole = WithoutZeros(text);
  return std::any_of(marks.begin(), marks.end(),
                     [&](const std::string& mark) { return mark == text || mark == whole; });
}

}  // namespace

void CsvScan::Reader::Store(duckdb_data_chunk chunk, idx_t row) {
  const UpperCharacters* upper = scan_->file_.upper();
  for (std::size_t k = 0; k < scan_->wanted_.size(); ++k) {
    const duckdb_vector vector = duckdb_data_chunk_get_vector(chunk, k);
    const CsvField& field = fields_[scan_->wanted_[k] + scan_->file_.first_field()];
    std::string_view text = field.Plain(&space_);
    if (upper != nullptr) {
      decoded_.clear();
      AppendDecoded(text, *upper, &decoded_);
      text = decoded_;
    }
    const bool filled = (field.quoted || !field.text.empty()) && !IsMark(text, scan_->missing_[k]);
    if (filled) ++filled_[k];
    if (filled && IsCsvText(text)) {
      duckdb_vector_assign_string_element_len(vector, row, text.data(), text.size());
    } else {
      duckdb_vector_ensure_validity_writable(vector);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(vector), row);
    }
  }
}

void CsvScan::Reader::Fill(duckdb_data_chunk chunk) {
  const idx_t most = duckdb_vector_size();
  const std::size_t columns = scan_->file_.fields();
  idx_t row = 0;
  std::string_view line;
  while (row < most && NextLine(&line)) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) {
      if (columns == 1) Broken();
      continue;
    }
    if (line.size() > CsvFile::kLongestLine || !SplitCsvLine(line, scan_->file_.delimiter(), columns, &fields_) ||
        fields_.size() != columns) {
      Broken();
      continue;
    }
    Store(chunk, row++);
  }
  duckdb_data_chunk_set_size(chunk, row);
}

namespace {

// DuckDB calls these; nothing may be thrown through it.

void Bind(duckdb_bind_info info) {
  const auto* scan = static_cast<const CsvScan*>(duckdb_bind_get_extra_info(info));
  const OwnedType text(duckdb_create_logical_type(DUCKDB_TYPE_VARCHAR));
  for (std::size_t k = 0; k < scan->columns(); ++k) {
    const std::string name = "c" + std::to_string(k);
    duckdb_bind_add_result_column(info, name.c_str(), text.get());
  }
}

void Init(duckdb_init_info info) {
  const auto* scan = static_cast<const CsvScan*>(duckdb_init_get_extra_info(info));
  duckdb_init_set_max_threads(info, std::max<idx_t>(1, scan->ranges()));
}

void InitThread(duckdb_init_info info) {
  auto* scan = static_cast<CsvScan*>(duckdb_init_get_extra_info(info));
  duckdb_init_set_init_data(info, new CsvScan::Reader(scan),
                            [](void* reader) { delete static_cast<CsvScan::Reader*>(reader); });
}

void Fill(duckdb_function_info info, duckdb_data_chunk chunk) {
  auto* scan = static_cast<CsvScan*>(duckdb_function_get_extra_info(info));
  try {
    static_cast<CsvScan::Reader*>(duckdb_function_get_local_init_data(info))->Fill(chunk);
  } catch (const std::exception&) {
    scan->Fail(StorageError("not enough memory to read a CSV file", scan->file().path()));
  }
  // The query must fail, or a part of the file would pass for the whole.
  if (scan->error()) duckdb_function_set_error(info, "reading stopped");
}

}  // namespace

Result<void> CsvScan::Register(const DuckDbConnection& connection, const std::string& name) {
  DuckDbOwned<duckdb_table_function, duckdb_destroy_table_function> function(duckdb_create_table_function());
  duckdb_table_function_set_name(function.get(), name.c_str());
  duckdb_table_function_set_extra_info(function.get(), this, nullptr);
  duckdb_table_function_set_bind(function.get(), Bind);
  duckdb_table_function_set_init(function.get(), Init);
  duckdb_table_function_set_local_init(function.get(), InitThread);
  duckdb_table_function_set_function(function.get(), Fill);
  if (duckdb_register_table_function(connection.state().connection, function.get()) != DuckDBSuccess) {
    return InternalError("DuckDB does not take the CSV reader");
  }
  return {};
}

}  // namespace kith
