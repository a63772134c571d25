#include "engine/duckdb/csv_plain.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>

#include "engine/duckdb/csv_text.h"

namespace kith {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;

bool IsUtf16(const std::string& encoding) { return encoding.rfind("utf-16", 0) == 0; }

/// Takes a piece of what was unpacked; false: enough.
using Take = std::function<Result<bool>(std::string_view)>;

class PackedFile {
 public:
  PackedFile(int file, const std::string& path, const CancelFlag& cancel) : file_(file), path_(path), cancel_(cancel) {}

  /// The next bytes; none at the end of the file.
  Result<std::string_view> Next() {
    if (cancel_.cancelled()) return Cancelled("stopped while reading a CSV file");
    bytes_.resize(kPiece);
    while (true) {
      const ssize_t got = ::pread(file_, bytes_.data(), bytes_.size(), offset_);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return StorageError(fmt::format("the file cannot be read ({})", std::strerror(errno)), path_);
      offset_ += got;
      return std::string_view(bytes_).substr(0, static_cast<std::size_t>(got));
    }
  }
  Error Damaged() const {
    return InvalidArgument("the compressed file is cut off or damaged, or is not compressed as its name says", path_,
                           "write it again");
  }

 private:
  int file_;
  const std::string& path_;
  const CancelFlag& cancel_;
  std::string bytes_;
  off_t offset_ = 0;
};

Result<void> CopyBytes(PackedFile* file, const Take& take) {
  while (true) {
    auto bytes = file->Next();
    if (!bytes) return bytes.error();
    if (bytes->empty()) return {};
    auto more = take(*bytes);
    if (!more) return more.error();
    if (!*more) return {};
  }
}

Result<void> UnpackGzip(PackedFile* file, const Take& take) {
  z_stream stream{};
  constexpr int kGzipOnly = 15 + 16;
  if (::inflateInit2(&stream, kGzipOnly) != Z_OK) return StorageError("not enough memory to unpack a file");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, ::inflateEnd);
  std::string plain(kPiece, '\0');
  bool inside = false;  // of one of the parts that make up a file
  bool any = false;
  while (true) {
    auto bytes = file->Next();
    if (!bytes) return bytes.error();
    if (bytes->empty()) return any && !inside ? Result<void>() : file->Damaged();
    any = true;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes->data()));
    stream.avail_in = static_cast<uInt>(bytes->size());
    bool full = false;  // the output was: more may come without further input
    while (stream.avail_in > 0 || full) {
      inside = true;
      stream.next_out = reinterpret_cast<Bytef*>(plain.data());
      stream.avail_out = static_cast<uInt>(plain.size());
      const int state = ::inflate(&stream, Z_NO_FLUSH);
      if (state != Z_OK && state != Z_STREAM_END && !(state == Z_BUF_ERROR && full)) return file->Damaged();
      auto more = take(std::string_view(plain).substr(0, plain.size() - stream.avail_out));
      if (!more) return more.error();
      if (!*more) return {};
      full = state == Z_OK && stream.avail_out == 0;
      if (state == Z_STREAM_END) {
        inside = false;
        ::inflateReset(&stream);
      }
    }
  }
}

Result<void> UnpackZstd(PackedFile* file, const Take& take) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(::ZSTD_createDStream(),
                                                                             ::ZSTD_freeDStream);
  if (!stream) return StorageError("not enough memory to unpack a file");
  std::string plain(kPiece, '\0');
  std::size_t wanted = 1;  // 0 between the parts that make up a file
  while (true) {
    auto bytes = file->Next();
    if (!bytes) return bytes.error();
    if (bytes->empty()) return wanted == 0 ? Result<void>() : file->Damaged();
    ZSTD_inBuffer in{bytes->data(), bytes->size(), 0};
    bool full = false;
    while (in.pos < in.size || full) {
      ZSTD_outBuffer out{plain.data(), plain.size(), 0};
      wanted = ::ZSTD_decompressStream(stream.get(), &out, &in);
      if (::ZSTD_isError(wanted) != 0) return file->Damaged();
      auto more = take(std::string_view(plain).substr(0, out.pos));
      if (!more) return more.error();
      if (!*more) return {};
      full = out.pos == out.size && wanted != 0;
    }
  }
}

Result<Descriptor> MakeFile(const fs::path& scratch) {
  if (scratch.empty()) {
    Descriptor file(::memfd_create("kith-csv", MFD_CLOEXEC));
    if (!file.open()) return StorageError("not enough memory to unpack a file");
    return file;
  }
  std::string name = (scratch / "import-XXXXXX").string();
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));  // mode 0600
  if (!file.open()) return FolderError("a file for the import cannot be made", scratch, errno);
  ::unlink(name.c_str());
  return file;
}

Result<void> WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return FolderError("the unpacked text of a CSV file cannot be written", {}, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

/// Decodes pieces and writes them.
class PlainWriter {
 public:
  PlainWriter(int file, const PlainOptions& options) : file_(file), options_(options) {}

  Result<bool> Take(std::string_view bytes) {
    if (!IsUtf16(options_.encoding)) return Write(bytes);
    start_.append(bytes);  // until the byte order mark can be seen
    if (start_.size() < 2) return true;
    if (!decoder_) decoder_ = Decoder();
    text_.clear();
    decoder_->Append(start_, &text_);
    start_.clear();
    return Write(text_);
  }
  Result<void> Finish() {
    if (!IsUtf16(options_.encoding)) return {};
    text_.clear();
    if (!decoder_) decoder_ = Utf16Decoder(false);
    decoder_->Append(start_, &text_);
    decoder_->Finish(&text_);
    auto written = Write(text_);
    if (!written) return written.error();
    return {};
  }

 private:
  /// The mark at the start of a file says which of the two orders it is; it stays, as UTF-8's mark.
  Utf16Decoder Decoder() const {
    if (start_.rfind("\xFF\xFE", 0) == 0) return Utf16Decoder(false);
    if (start_.rfind("\xFE\xFF", 0) == 0) return Utf16Decoder(true);
    return Utf16Decoder(options_.encoding == "utf-16be");
  }
  Result<bool> Write(std::string_view text) {
    if (options_.most) text = text.substr(0, static_cast<std::size_t>(*options_.most - written_));
    if (auto done = WriteAll(file_, text); !done) return done.error();
    written_ += static_cast<std::int64_t>(text.size());
    return !options_.most || written_ < *options_.most;
  }

  int file_;
  const PlainOptions& options_;
  std::string start_, text_;
  std::optional<Utf16Decoder> decoder_;
  std::int64_t written_ = 0;
};

}  // namespace

Packing PackingOf(const std::string& name) {
  const auto ends = [&name](std::string_view end) {
    if (name.size() < end.size()) return false;
    for (std::size_t k = 0; k < end.size(); ++k) {
      const char c = name[name.size() - end.size() + k];
      if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != end[k]) return false;
    }
    return true;
  };
  return ends(".gz") ? Packing::kGzip : ends(".zst") ? Packing::kZstd : Packing::kNone;
}

bool NeedsPlain(const PlainOptions& options) { return options.packing != Packing::kNone || IsUtf16(options.encoding); }

Result<Descriptor> WritePlain(int packed, const std::string& path, const PlainOptions& options,
                              const CancelFlag& cancel) {
  auto made = MakeFile(options.scratch);
  if (!made) return made.error();
  PackedFile file(packed, path, cancel);
  PlainWriter writer(made->get(), options);
  const Take take = [&writer](std::string_view bytes) { return writer.Take(bytes); };
  const auto done = options.packing == Packing::kGzip   ? UnpackGzip(&file, take)
                    : options.packing == Packing::kZstd ? UnpackZstd(&file, take)
                                                        : CopyBytes(&file, take);
  if (!done) return done.error();
  if (auto finished = writer.Finish(); !finished) return finished.error();
  return made;
}

}  // namespace kith
