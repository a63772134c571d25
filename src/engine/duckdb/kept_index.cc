#include "engine/duckdb/kept_index.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string_view>

#include "base/digest.h"
#include "engine/duckdb/duckdb_state.h"
#include "engine/duckdb/tables.h"
#include "sql/quote.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

constexpr char kFormat[] = "kith-kept-1\n";
constexpr char kPrefix[] = "kept-";
constexpr char kUnfinished[] = "making-";
constexpr std::size_t kDigits = 16;  // of an owner's digest in a name
constexpr std::uint64_t kRowMask = (std::uint64_t{1} << kFileBits) - 1;

using OwnedFunction = DuckDbOwned<duckdb_scalar_function, duckdb_destroy_scalar_function>;

void Append(std::string* bytes, std::uint64_t number) {
  bytes->append(reinterpret_cast<const char*>(&number), sizeof(number));
}

/// Takes numbers from bytes, one after the other.
class Numbers {
 public:
  explicit Numbers(std::string_view bytes) : left_(bytes) {}
  bool Take(std::uint64_t* numbers, std::size_t count) {
    if (count > left_.size() / sizeof(std::uint64_t)) return false;
    if (count > 0) std::memcpy(numbers, left_.data(), count * sizeof(std::uint64_t));
    left_.remove_prefix(count * sizeof(std::uint64_t));
    return true;
  }
  bool empty() const { return left_.empty(); }
  std::size_t left() const { return left_.size() / sizeof(std::uint64_t); }

 private:
  std::string_view left_;
};

fs::path Folder(const KithFolder& folder) { return folder.path() / "checked"; }

std::string EndOf(const std::string& subject) { return Sha256("kept rows of " + subject); }

// DuckDB hands over flat vectors; rows always have a number.
void LookAtChunk(duckdb_function_info info, duckdb_data_chunk chunk, duckdb_vector output) {
  const auto* index = static_cast<const KeptIndex*>(duckdb_scalar_function_get_extra_info(info));
  const auto* rows = static_cast<const std::int64_t*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(chunk, 0)));
  index->Look(rows, duckdb_data_chunk_get_size(chunk), static_cast<bool*>(duckdb_vector_get_data(output)));
}

}  // namespace

void KeptIndex::Drop(std::int64_t row) {
  const auto bits = static_cast<std::uint64_t>(row);
  const std::size_t file = bits >> kFileBits, word = (bits & kRowMask) >> 6;
  if (dropped_.size() <= file) dropped_.resize(file + 1);
  std::vector<std::uint64_t>& words = dropped_[file];
  if (words.size() <= word) words.resize(word + 1);
  words[word] |= std::uint64_t{1} << (bits & 63);
}

bool KeptIndex::Kept(std::int64_t row) const {
  bool kept = true;
  Look(&row, 1, &kept);
  return kept;
}

void KeptIndex::Look(const std::int64_t* rows, std::size_t count, bool* kept) const {
  static const std::vector<std::uint64_t> none;
  for (std::size_t i = 0; i < count;) {
    const std::uint64_t file = static_cast<std::uint64_t>(rows[i]) >> kFileBits;
    const std::vector<std::uint64_t>& words = file < dropped_.size() ? dropped_[file] : none;
    const std::uint64_t* data = words.data();
    const std::uint64_t size = words.size();
    for (; i < count; ++i) {
      const auto bits = static_cast<std::uint64_t>(rows[i]);
      if (bits >> kFileBits != file) break;
      const std::uint64_t word = (bits & kRowMask) >> 6;
      kept[i] = word >= size || ((data[word] >> (bits & 63)) & 1) == 0;
    }
  }
}

std::string KeptIndex::ToBytes(const std::string& subject) const {
  std::string bytes = kFormat + EndOf(subject);
  Append(&bytes, dropped_.size());
  for (const auto& words : dropped_) {
    Append(&bytes, words.size());
    for (const std::uint64_t word : words) Append(&bytes, word);
  }
  return bytes + Sha256(bytes);
}

std::optional<KeptIndex> KeptIndex::FromBytes(const std::string& bytes, const std::string& subject) {
  const std::string begin = kFormat + EndOf(subject);
  const std::size_t digest = Sha256("").size();
  if (bytes.size() < begin.size() + digest || !bytes.starts_with(begin)) return std::nullopt;
  const std::string_view whole = std::string_view(bytes).substr(0, bytes.size() - digest);
  if (Sha256(whole) != std::string_view(bytes).substr(whole.size())) return std::nullopt;
  Numbers numbers(whole.substr(begin.size()));
  std::uint64_t files = 0, words = 0;
  KeptIndex index;
  if (!numbers.Take(&files, 1) || files > numbers.left()) return std::nullopt;
  for (std::uint64_t k = 0; k < files; ++k) {
    if (!numbers.Take(&words, 1) || words > numbers.left()) return std::nullopt;
    index.dropped_.emplace_back(words);
    if (!numbers.Take(index.dropped_.back().data(), words)) return std::nullopt;
  }
  if (!numbers.empty()) return std::nullopt;
  return index;
}

std::vector<std::int64_t> DropBeyondFirst(std::vector<RowOfUnit>* rows, std::int64_t most, int bits, KeptIndex* index) {
  std::sort(rows->begin(), rows->end());
  std::vector<std::int64_t> ties;
  std::int64_t place = 0;  // of the row in its unit
  for (std::size_t k = 0; k < rows->size(); ++k) {
    const RowOfUnit& row = (*rows)[k];
    place = k > 0 && (*rows)[k - 1].unit == row.unit ? place + 1 : 0;
    if (place < most) continue;
    index->Drop(row.row);
    if (place == most && (*rows)[k - 1].hash >> bits == row.hash >> bits) ties.push_back(row.unit);
  }
  return ties;
}

std::shared_ptr<const KeptIndex> LoadKept(const KithFolder& folder, const std::string& subject) {
  std::error_code failed;
  const std::string end = EndOf(subject);
  for (fs::directory_iterator entry(Folder(folder), failed), last; !failed && entry != last; entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(end)) continue;
    std::error_code unread;
    const auto size = fs::file_size(entry->path(), unread);
    std::string bytes(unread ? 0 : size, '\0');
    std::ifstream in(entry->path(), std::ios::binary);
    if (!in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) continue;
    if (auto index = KeptIndex::FromBytes(bytes, subject)) return std::make_shared<const KeptIndex>(std::move(*index));
  }
  return nullptr;
}

bool SaveKept(const KithFolder& folder, const std::string& owner, const std::string& subject, const KeptIndex& index) {
  if (!folder.Create()) return false;
  ::mkdir(Folder(folder).c_str(), 0777);
  const std::string begin = fmt::format("{}{}-", kPrefix, Sha256(owner).substr(0, kDigits));
  const fs::path final_path = Folder(folder) / (begin + EndOf(subject));
  std::string made = (Folder(folder) / (std::string(kUnfinished) + "XXXXXX")).string();  // mkstemp: mode 0600
  const Descriptor file(::mkstemp(made.data()));
  if (!file.open()) return false;
  const std::string bytes = index.ToBytes(subject);
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t more = ::write(file.get(), bytes.data() + written, bytes.size() - written);
    if (more <= 0) break;
    written += static_cast<std::size_t>(more);
  }
  const bool done = written == bytes.size() && ::fchmod(file.get(), 0400) == 0 && ::fsync(file.get()) == 0 &&
                    ::rename(made.c_str(), final_path.c_str()) == 0;
  if (!done) {
    ::unlink(made.c_str());
    return false;
  }
  std::error_code ignored;
  for (fs::directory_iterator entry(Folder(folder), ignored), last; !ignored && entry != last;
       entry.increment(ignored)) {
    std::error_code stays;
    const std::string name = entry->path().filename().string();
    // A process that is still writing one that is removed has it in memory.
    if (entry->path() != final_path && (name.starts_with(begin) || name.starts_with(kUnfinished)))
      fs::remove(entry->path(), stays);
  }
  return true;
}

Result<void> ShowKept(const DuckDbConnection& connection, const std::string& name, const std::string& columns,
                      const std::string& numbered_sql, const KeptIndex& index, const CancelFlag& cancel) {
  const OwnedFunction function(duckdb_create_scalar_function());
  const OwnedType row(duckdb_create_logical_type(DUCKDB_TYPE_BIGINT));
  const OwnedType kept(duckdb_create_logical_type(DUCKDB_TYPE_BOOLEAN));
  duckdb_scalar_function_set_name(function.get(), "kith_kept");
  duckdb_scalar_function_add_parameter(function.get(), row.get());
  duckdb_scalar_function_set_return_type(function.get(), kept.get());
  // DuckDB only hands it back.
  duckdb_scalar_function_set_extra_info(function.get(), const_cast<KeptIndex*>(&index), nullptr);
  duckdb_scalar_function_set_function(function.get(), LookAtChunk);
  if (duckdb_register_scalar_function(connection.state().connection, function.get()) != DuckDBSuccess)
    return InternalError("DuckDB does not take the index of kept rows");
  return connection.Execute(fmt::format("CREATE VIEW {} AS SELECT {} FROM ({}) WHERE kith_kept({})", QuotedName(name),
                                        columns, numbered_sql, QuotedName(kRowNumber)),
                            cancel);
}

}  // namespace kith
