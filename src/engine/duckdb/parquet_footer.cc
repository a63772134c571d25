#include "engine/duckdb/parquet_footer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <vector>

#include "engine/duckdb/folder.h"

namespace kith {

namespace {

// Types of Thrift's compact protocol.
constexpr int kTrue = 1, kFalse = 2, kByte = 3, kI16 = 4, kI32 = 5, kI64 = 6, kDouble = 7, kBinary = 8, kList = 9,
              kSet = 10, kMap = 11, kStruct = 12;
constexpr int kDeepest = 32;

// Of parquet.thrift.
constexpr std::int64_t kSchema = 2;                                   // in FileMetaData
constexpr std::int64_t kPhysical = 1, kConverted = 6, kLogical = 10;  // in SchemaElement
constexpr std::int64_t kInt64 = 2, kByteArray = 6;
constexpr std::int64_t kUtf8 = 0, kEnum = 4, kMilliseconds = 9;  // converted types
constexpr std::int64_t kLogicalString = 1, kLogicalEnum = 4, kLogicalTimestamp = 8;
constexpr std::int64_t kUnit = 2, kUnitMilliseconds = 1;  // in TimestampType, in TimeUnit

struct ThriftField {
  std::int64_t id = 0;
  int type = 0;
  std::string_view value;
};

/// Reads what it is asked for; once something does not fit, it is bad and stays bad.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool bad() const { return bad_; }
  std::size_t at() const { return at_; }

  unsigned Byte() {
    if (at_ >= bytes_.size()) return Bad();
    return static_cast<unsigned char>(bytes_[at_++]);
  }
  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const std::uint64_t byte = Byte();
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return Bad();
  }
  std::int64_t Signed() {
    const std::uint64_t value = Varint();
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  /// The fields of a struct, up to its end.
  std::vector<ThriftField> Fields(int depth) {
    std::vector<ThriftField> fields;
    std::int64_t id = 0;
    while (!bad_) {
      const unsigned head = Byte();
      if (head == 0) return fields;
      const int type = static_cast<int>(head & 0xF);
      id = (head >> 4) != 0 ? id + (head >> 4) : Signed();
      const std::size_t begin = at_;
      if (type != kTrue && type != kFalse) Skip(type, depth);
      if (!bad_) fields.push_back({id, type, bytes_.substr(begin, at_ - begin)});
    }
    return {};
  }
  /// The number of elements and their type.
  std::pair<std::uint64_t, int> List() {
    const unsigned head = Byte();
    const std::uint64_t size = (head >> 4) == 15 ? Varint() : head >> 4;
    if (size > bytes_.size()) Bad();  // an element has at least a byte
    return {size, static_cast<int>(head & 0xF)};
  }

 private:
  unsigned Bad() {
    bad_ = true;
    at_ = bytes_.size();
    return 0;
  }
  void Jump(std::uint64_t bytes) {
    if (bytes > bytes_.size() - at_) {
      Bad();
    } else {
      at_ += bytes;
    }
  }
  void Skip(int type, int depth) {
    if (depth > kDeepest) Bad();
    if (bad_) return;
    switch (type) {
      case kTrue:  // as elements of a list these two take a byte
      case kFalse:
      case kByte:
        return Jump(1);
      case kI16:
      case kI32:
      case kI64:
        Varint();
        return;
      case kDouble:
        return Jump(8);
      case kBinary:
        return Jump(Varint());
      case kStruct:
        Fields(depth + 1);
        return;
      case kList:
      case kSet: {
        const auto [size, of] = List();
        for (std::uint64_t k = 0; k < size && !bad_; ++k) Skip(of, depth + 1);
        return;
      }
      case kMap: {
        const std::uint64_t size = Varint();
        const unsigned types = size == 0 ? 0 : Byte();
        for (std::uint64_t k = 0; k < size && !bad_; ++k) {
          Skip(static_cast<int>(types >> 4), depth + 1);
          Skip(static_cast<int>(types & 0xF), depth + 1);
        }
        return;
      }
      default:
        Bad();
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool bad_ = false;
};

const ThriftField* Find(const std::vector<ThriftField>& fields, std::int64_t id) {
  const auto found =
      std::find_if(fields.begin(), fields.end(), [id](const ThriftField& field) { return field.id == id; });
  return found == fields.end() ? nullptr : &*found;
}

std::int64_t NumberOf(const ThriftField* field) {
  return field == nullptr || field->type != kI32 ? -1 : Reader(field->value).Signed();
}

/// The one field of a union; -1 if there is none.
std::int64_t Member(const ThriftField* field) {
  if (field == nullptr || field->type != kStruct) return -1;
  const auto fields = Reader(field->value).Fields(0);
  return fields.size() == 1 ? fields[0].id : -1;
}

bool IsText(const std::vector<ThriftField>& element) {
  const std::int64_t converted = NumberOf(Find(element, kConverted)), logical = Member(Find(element, kLogical));
  return NumberOf(Find(element, kPhysical)) == kByteArray &&
         (converted == kUtf8 || converted == kEnum || logical == kLogicalString || logical == kLogicalEnum);
}

bool IsMilliseconds(const std::vector<ThriftField>& element) {
  if (NumberOf(Find(element, kPhysical)) != kInt64) return false;
  if (NumberOf(Find(element, kConverted)) == kMilliseconds) return true;
  const ThriftField* logical = Find(element, kLogical);
  if (Member(logical) != kLogicalTimestamp) return false;
  const auto timestamp = Reader(Reader(logical->value).Fields(0)[0].value).Fields(0);
  return Member(Find(timestamp, kUnit)) == kUnitMilliseconds;
}

void Append(std::string* out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out->push_back(static_cast<char>((value & 0x7F) | 0x80));
  out->push_back(static_cast<char>(value));
}

std::string Written(const std::vector<ThriftField>& fields) {
  std::string out;
  std::int64_t last = 0;
  for (const ThriftField& field : fields) {
    const std::int64_t step = field.id - last;
    if (step > 0 && step <= 15) {
      out.push_back(static_cast<char>((step << 4) | field.type));
    } else {
      out.push_back(static_cast<char>(field.type));
      Append(&out, (static_cast<std::uint64_t>(field.id) << 1) ^ static_cast<std::uint64_t>(field.id >> 63));
    }
    out += field.value;
    last = field.id;
  }
  out.push_back('\0');
  return out;
}

std::optional<std::string> PlainSchema(std::string_view list) {
  Reader reader(list);
  const auto [size, type] = reader.List();
  std::string out(list.substr(0, reader.at()));
  if (type != kStruct) return std::nullopt;
  for (std::uint64_t k = 0; k < size && !reader.bad(); ++k) {
    std::vector<ThriftField> element = reader.Fields(0);
    if (IsText(element) || IsMilliseconds(element)) {
      std::erase_if(element, [](const ThriftField& field) { return field.id == kConverted || field.id == kLogical; });
    }
    out += Written(element);
  }
  if (reader.bad() || reader.at() != list.size()) return std::nullopt;
  return out;
}

constexpr std::string_view kMagic = "PAR1";

Result<void> WriteAll(int file, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return FolderError("a copy of a file cannot be written", path, written < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<std::string> ReadAt(int file, std::int64_t offset, std::size_t size, const std::filesystem::path& path) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t got = ::pread(file, bytes.data() + done, size - done, offset + static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return FolderError("a file cannot be read", path, got < 0 ? errno : EIO);
    done += static_cast<std::size_t>(got);
  }
  return bytes;
}

Result<void> CopyBytes(int from, int to, std::int64_t size, const std::filesystem::path& path,
                       const CancelFlag& cancel) {
  constexpr std::int64_t kPart = std::int64_t{64} << 20;
  bool by_kernel = true;
  for (std::int64_t done = 0; done < size;) {
    if (cancel.cancelled()) return Cancelled("stopped while a file was copied");
    const auto part = static_cast<std::size_t>(std::min(kPart, size - done));
    if (by_kernel) {
      off_t offset = done;
      const ssize_t copied = ::copy_file_range(from, &offset, to, nullptr, part, 0);
      if (copied > 0) {
        done += copied;
        continue;
      }
      by_kernel = false;
    }
    auto bytes = ReadAt(from, done, std::min<std::size_t>(part, std::size_t{1} << 20), path);
    if (!bytes) return bytes.error();
    if (auto written = WriteAll(to, *bytes, path); !written) return written.error();
    done += static_cast<std::int64_t>(bytes->size());
  }
  return {};
}

}  // namespace

std::optional<std::string> PlainFooter(std::string_view footer) {
  Reader reader(footer);
  std::vector<ThriftField> fields = reader.Fields(0);
  if (reader.bad() || reader.at() != footer.size()) return std::nullopt;
  const auto schema =
      std::find_if(fields.begin(), fields.end(), [](const ThriftField& field) { return field.id == kSchema; });
  if (schema == fields.end() || schema->type != kList) return std::nullopt;
  const auto plain = PlainSchema(schema->value);
  if (!plain) return std::nullopt;
  schema->value = *plain;
  return Written(fields);
}

Result<void> CopyPlain(const std::filesystem::path& from, const std::filesystem::path& to, const CancelFlag& cancel) {
  const Descriptor in(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in.open()) return FolderError("a file cannot be opened", from, errno);
  struct stat info {};
  if (::fstat(in.get(), &info) != 0) return FolderError("a file cannot be looked at", from, errno);
  const auto damaged = StorageError("the end of this Parquet file cannot be understood", from.string());
  constexpr std::int64_t kTail = 8;
  if (info.st_size < kTail + 4) return damaged;
  auto tail = ReadAt(in.get(), info.st_size - kTail, kTail, from);
  if (!tail) return tail.error();
  if (tail->substr(4) != kMagic) return damaged;
  std::int64_t length = 0;
  for (std::size_t k = 4; k > 0; --k) length = length << 8 | static_cast<unsigned char>((*tail)[k - 1]);
  const std::int64_t begin = info.st_size - kTail - length;
  if (begin < 4) return damaged;
  auto footer = ReadAt(in.get(), begin, static_cast<std::size_t>(length), from);
  if (!footer) return footer.error();
  const auto plain = PlainFooter(*footer);
  if (!plain) return damaged;
  std::string end = *plain;
  for (unsigned k = 0; k < 4; ++k) end.push_back(static_cast<char>((plain->size() >> (8 * k)) & 0xFF));
  end += kMagic;
  const Descriptor out(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!out.open()) return FolderError("a copy of a file cannot be made", to, errno);
  if (auto copied = CopyBytes(in.get(), out.get(), begin, to, cancel); !copied) return copied.error();
  if (auto written = WriteAll(out.get(), end, to); !written) return written.error();
  if (::fsync(out.get()) != 0) return FolderError("a copy of a file cannot be written to disk", to, errno);
  return {};
}

}  // namespace kith
