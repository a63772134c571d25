#include "engine/frame.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>

#include "base/utf8.h"

namespace kith {
namespace {

constexpr char kExample[] = "hand over a data frame or a table: pandas, polars, pyarrow, or any other Arrow stream";

// Releases what a stream handed over, at the end of a scope.
template <class T>
struct Handed {
  T value{};
  ~Handed() {
    if (value.release != nullptr) value.release(&value);
  }
};

Error Misshapen(const char* what) { return InvalidArgument(what, "the frame", kExample); }

bool Whole(char letter, FrameColumn* column, int* bytes, bool* is_signed) {
  constexpr std::string_view kLetters = "cCsSiIlL";
  const std::size_t at = kLetters.find(letter);
  if (at == std::string_view::npos) return false;
  *bytes = 1 << (at / 2);
  *is_signed = at % 2 == 0;
  return column != nullptr;
}

// "d:19,10" or "d:19,10,64"
void ReadDecimal(std::string_view format, FrameColumn* column) {
  int numbers[3] = {0, 0, 128};
  const char* at = format.data() + 2;
  const char* const end = format.data() + format.size();
  for (int k = 0; k < 3 && at < end; ++k) {
    const auto [stop, wrong] = std::from_chars(at, end, numbers[k]);
    if (wrong != std::errc()) return;
    at = stop < end ? stop + 1 : end;
  }
  const bool known = numbers[2] == 32 || numbers[2] == 64 || numbers[2] == 128;
  if (!known || numbers[0] < 1 || numbers[0] > 38 || numbers[1] < 0 || numbers[1] > numbers[0]) return;
  column->type = FrameType::kDecimal;
  column->width = numbers[0];
  column->scale = numbers[1];
  column->bytes = numbers[2] / 8;
}

// "tsu:Europe/Paris"
void ReadTime(std::string_view format, FrameColumn* column) {
  if (format == "tdD") {
    column->type = FrameType::kDay;
    column->bytes = 4;
  } else if (format == "tdm") {
    column->type = FrameType::kTime;
    column->per_second = 1000;
    column->bytes = 8;
  } else if (format.size() >= 4 && format.starts_with("ts")) {
    constexpr std::string_view kUnits = "smun";
    const std::size_t at = kUnits.find(format[2]);
    if (at == std::string_view::npos || format[3] != ':') return;
    for (std::size_t k = 0; k < at; ++k) column->per_second *= 1000;
    column->type = FrameType::kTime;
    column->zoned = format.size() > 4;
    column->bytes = 8;
  }
}

void ReadFormat(std::string_view format, FrameColumn* column) {
  if (format.size() == 1 && Whole(format[0], column, &column->bytes, &column->is_signed)) {
    column->type = FrameType::kInteger;
  } else if (format == "b") {
    column->type = FrameType::kBoolean;
  } else if (format == "e" || format == "f" || format == "g") {
    column->type = format == "e" ? FrameType::kHalf : format == "f" ? FrameType::kFloat : FrameType::kDouble;
    column->bytes = format == "e" ? 2 : format == "f" ? 4 : 8;
  } else if (format == "u" || format == "U") {
    column->type = format == "u" ? FrameType::kText : FrameType::kLargeText;
  } else if (format == "vu") {
    column->type = FrameType::kTextView;
  } else if (format == "n") {
    column->type = FrameType::kNothing;
  } else if (format.starts_with("d:")) {
    ReadDecimal(format, column);
  } else if (format.starts_with("t")) {
    ReadTime(format, column);
  }
}

FrameColumn ColumnOf(const ArrowSchema& schema) {
  FrameColumn column;
  column.name = schema.name == nullptr ? "" : schema.name;
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  if (schema.dictionary == nullptr) {
    ReadFormat(format, &column);
    return column;
  }
  if (format.size() != 1 || !Whole(format[0], &column, &column.index_bytes, &column.index_signed)) return column;
  if (schema.dictionary->dictionary == nullptr && schema.dictionary->format != nullptr)
    ReadFormat(schema.dictionary->format, &column);
  return column;
}

Result<std::vector<FrameColumn>> ColumnsOf(const ArrowSchema& schema) {
  if (schema.format == nullptr || std::string_view(schema.format) != "+s" || schema.n_children < 1)
    return Misshapen("what was handed over is no table with columns");
  std::vector<FrameColumn> columns;
  for (std::int64_t k = 0; k < schema.n_children; ++k) columns.push_back(ColumnOf(*schema.children[k]));
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (!IsUtf8(columns[k].name)) return Misshapen("a column's name is not UTF-8");
    for (std::size_t j = 0; j < k; ++j) {
      if (columns[j].name == columns[k].name)
        return InvalidArgument("two columns of the frame have one name", columns[k].name, "rename one of them");
    }
  }
  return columns;
}

std::int64_t BuffersOf(FrameType type) {
  switch (type) {
    case FrameType::kText:
    case FrameType::kLargeText:
    case FrameType::kTextView:
      return 3;
    case FrameType::kNothing:
    case FrameType::kOther:
      return 0;
    default:
      return 2;
  }
}

bool HasBuffers(const ArrowArray& array, FrameType type) {
  const std::int64_t wanted = BuffersOf(type);
  if (wanted == 0) return true;
  if (array.n_buffers < wanted || array.offset < 0 || array.length < 0) return false;
  return array.length == 0 || array.buffers[1] != nullptr;  // offsets, views or values
}

// Lengths and buffers are there as the schema says: what is in the buffers is the exporter's business.
bool Fits(const ArrowArray& batch, const std::vector<FrameColumn>& columns) {
  if (batch.n_children != static_cast<std::int64_t>(columns.size()) || batch.length < 0 || batch.offset < 0)
    return false;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const ArrowArray& child = *batch.children[k];
    if (columns[k].type != FrameType::kNothing && child.length < batch.length + batch.offset) return false;
    if (columns[k].index_bytes == 0) {
      if (!HasBuffers(child, columns[k].type)) return false;
    } else if (columns[k].type != FrameType::kOther &&
               (child.dictionary == nullptr || !HasBuffers(child, FrameType::kInteger) ||
                !HasBuffers(*child.dictionary, columns[k].type))) {
      return false;
    }
  }
  return true;
}

std::string NewId() {
  static std::atomic<std::uint64_t> count = 0;
  return fmt::format("{}-{}-{}-{}", ::getpid(), std::chrono::system_clock::now().time_since_epoch().count(),
                     std::chrono::steady_clock::now().time_since_epoch().count(), ++count);
}

}  // namespace

Frame::Frame() : id_(NewId()) {}

Frame::~Frame() {
  for (ArrowArray& batch : batches_) {
    if (batch.release != nullptr) batch.release(&batch);
  }
}

Result<std::shared_ptr<const Frame>> Frame::Take(ArrowArrayStream* stream) {
  const auto failed = [] { return StorageError("the frame could not be handed over", "its Arrow stream", kExample); };
  if (stream == nullptr || stream->release == nullptr) return Misshapen("this stream has been read already");
  Handed<ArrowArrayStream> source{*stream};
  stream->release = nullptr;
  Handed<ArrowSchema> schema;
  if (source.value.get_schema(&source.value, &schema.value) != 0) return failed();
  auto columns = ColumnsOf(schema.value);
  if (!columns) return columns.error();
  auto frame = std::make_shared<Frame>();
  frame->columns_ = std::move(*columns);
  while (true) {
    Handed<ArrowArray> next;
    if (source.value.get_next(&source.value, &next.value) != 0) return failed();
    if (next.value.release == nullptr) break;
    if (!Fits(next.value, frame->columns_)) return Misshapen("the frame's columns are not what its schema says");
    if (next.value.length == 0) continue;
    frame->rows_ += next.value.length;
    frame->batches_.push_back(next.value);
    next.value.release = nullptr;
  }
  return std::shared_ptr<const Frame>(std::move(frame));
}

std::string FrameNamed(std::string_view source) {
  constexpr std::string_view kPrefix = "frame:";
  if (!source.starts_with(kPrefix)) return {};
  const std::string_view name = source.substr(kPrefix.size());
  // It names a file beside the ledger (release/upkeep/ledger_register.h).
  const auto fits = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return name.size() <= 64 && std::all_of(name.begin(), name.end(), fits) ? std::string(name) : std::string();
}

}  // namespace kith
