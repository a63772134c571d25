#include "engine/duckdb/frame_cells.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "base/int128.h"
#include "base/utf8.h"
#include "engine/frame_values.h"

namespace kith {
namespace {

using frame::At;
using frame::BitAt;
using frame::HasNulls;
using frame::IndexAt;
using frame::TextAt;

// Where cells are among the values: next to each other, or anywhere in a dictionary.
struct Places {
  std::int64_t first = 0;
  const std::int64_t* each = nullptr;  // set: of a dictionary
  std::int64_t operator()(idx_t row) const {
    return each != nullptr ? each[row] : first + static_cast<std::int64_t>(row);
  }
};

// Marks cells as NULL; the mask is made when the first one is.
class Nulls {
 public:
  explicit Nulls(duckdb_vector vector) : vector_(vector) {}
  void Add(idx_t row) {
    if (mask_ == nullptr) {
      duckdb_vector_ensure_validity_writable(vector_);
      mask_ = duckdb_vector_get_validity(vector_);
    }
    mask_[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }

 private:
  duckdb_vector vector_;
  std::uint64_t* mask_ = nullptr;
};

template <class T>
void CopyFixed(const ArrowArray& values, const Places& places, idx_t count, void* into) {
  if (places.each == nullptr) {
    std::memcpy(into, static_cast<const char*>(values.buffers[1]) + places.first * static_cast<std::int64_t>(sizeof(T)),
                count * sizeof(T));
    return;
  }
  for (idx_t row = 0; row < count; ++row) {
    if (places(row) >= 0) static_cast<T*>(into)[row] = At<T>(values.buffers[1], places(row));
  }
}

void CopyOfSize(int bytes, const ArrowArray& values, const Places& places, idx_t count, void* into) {
  switch (bytes) {
    case 1:
      return CopyFixed<std::uint8_t>(values, places, count, into);
    case 2:
      return CopyFixed<std::uint16_t>(values, places, count, into);
    case 4:
      return CopyFixed<std::uint32_t>(values, places, count, into);
    default:
      return CopyFixed<std::uint64_t>(values, places, count, into);
  }
}

float HalfToFloat(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  const float sign = (half & 0x8000) != 0 ? -1.0F : 1.0F;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

Int128 DecimalAt(const ArrowArray& values, std::int64_t place, int bytes) {
  if (bytes == 4) return At<std::int32_t>(values.buffers[1], place);
  if (bytes == 8) return At<std::int64_t>(values.buffers[1], place);
  return At<Int128>(values.buffers[1], place);
}

template <class T>
void CopyDecimals(const FrameColumn& column, const ArrowArray& values, const Places& places, idx_t count, void* into,
                  Nulls* nulls) {
  Int128 beyond = 1;
  for (int k = 0; k < column.width; ++k) beyond *= 10;
  for (idx_t row = 0; row < count; ++row) {
    if (places(row) < 0) continue;
    const Int128 value = DecimalAt(values, places(row), column.bytes);
    const bool fits = -beyond < value && value < beyond;
    static_cast<T*>(into)[row] = static_cast<T>(fits ? value : Int128{0});
    if (!fits) nulls->Add(row);
  }
}

void CopyDecimals(const FrameColumn& column, const ArrowArray& values, const Places& places, idx_t count, void* into,
                  Nulls* nulls) {
  if (column.width <= 4) return CopyDecimals<std::int16_t>(column, values, places, count, into, nulls);
  if (column.width <= 9) return CopyDecimals<std::int32_t>(column, values, places, count, into, nulls);
  if (column.width <= 18) return CopyDecimals<std::int64_t>(column, values, places, count, into, nulls);
  return CopyDecimals<Int128>(column, values, places, count, into, nulls);
}

// Times with a zone are shown in microseconds.
void CopyZoned(const FrameColumn& column, const ArrowArray& values, const Places& places, idx_t count, void* into,
               Nulls* nulls) {
  constexpr std::int64_t kMicro = 1'000'000;
  for (idx_t row = 0; row < count; ++row) {
    if (places(row) < 0) continue;
    const auto value = At<std::int64_t>(values.buffers[1], places(row));
    std::int64_t micro = value;
    if (column.per_second > kMicro) {
      const std::int64_t by = column.per_second / kMicro;
      micro = value / by - (value % by < 0 ? 1 : 0);
    } else if (__builtin_mul_overflow(value, kMicro / column.per_second, &micro)) {
      micro = 0;
      nulls->Add(row);
    }
    static_cast<std::int64_t*>(into)[row] = micro;
  }
}

bool IsText(std::string_view text) {
  std::uint8_t all = 0;
  for (const char c : text) all |= static_cast<std::uint8_t>(c);
  return all < 0x80 || IsUtf8(text);
}

void CopyTexts(const FrameColumn& column, const ArrowArray& values, const Places& places, idx_t count, void* into,
               Nulls* nulls) {
  constexpr std::size_t kInlined = 12, kLongest = std::size_t{1} << 30;
  auto* strings = static_cast<duckdb_string_t*>(into);
  for (idx_t row = 0; row < count; ++row) {
    duckdb_string_t& out = strings[row];
    std::memset(&out, 0, sizeof out);
    if (places(row) < 0) continue;
    const std::string_view text = TextAt(column, values, places(row));
    if (text.size() > kLongest || !IsText(text)) {
      nulls->Add(row);
      continue;
    }
    if (text.size() <= kInlined) {
      out.value.inlined.length = static_cast<std::uint32_t>(text.size());
      if (!text.empty()) std::memcpy(out.value.inlined.inlined, text.data(), text.size());
    } else {
      // It stays where it is: the frame outlives every query.
      out.value.pointer.length = static_cast<std::uint32_t>(text.size());
      std::memcpy(out.value.pointer.prefix, text.data(), sizeof out.value.pointer.prefix);
      out.value.pointer.ptr = const_cast<char*>(text.data());
    }
  }
}

void CopyValues(const FrameColumn& column, const ArrowArray& values, const Places& places, idx_t count, void* into,
                Nulls* nulls) {
  switch (column.type) {
    case FrameType::kBoolean:
      for (idx_t row = 0; row < count; ++row)
        static_cast<bool*>(into)[row] = places(row) >= 0 && BitAt(values.buffers[1], places(row));
      return;
    case FrameType::kHalf:
      for (idx_t row = 0; row < count; ++row) {
        if (places(row) >= 0)
          static_cast<float*>(into)[row] = HalfToFloat(At<std::uint16_t>(values.buffers[1], places(row)));
      }
      return;
    case FrameType::kDecimal:
      return CopyDecimals(column, values, places, count, into, nulls);
    case FrameType::kTime:
      return column.zoned ? CopyZoned(column, values, places, count, into, nulls)
                          : CopyOfSize(column.bytes, values, places, count, into);
    case FrameType::kText:
    case FrameType::kLargeText:
    case FrameType::kTextView:
      return CopyTexts(column, values, places, count, into, nulls);
    default:
      return CopyOfSize(column.bytes, values, places, count, into);
  }
}

}  // namespace

duckdb_logical_type TypeOfColumn(const FrameColumn& column) {
  constexpr duckdb_type kSigned[] = {DUCKDB_TYPE_TINYINT, DUCKDB_TYPE_SMALLINT, DUCKDB_TYPE_INTEGER,
                                     DUCKDB_TYPE_BIGINT};
  constexpr duckdb_type kUnsigned[] = {DUCKDB_TYPE_UTINYINT, DUCKDB_TYPE_USMALLINT, DUCKDB_TYPE_UINTEGER,
                                       DUCKDB_TYPE_UBIGINT};
  constexpr duckdb_type kTimes[] = {DUCKDB_TYPE_TIMESTAMP_S, DUCKDB_TYPE_TIMESTAMP_MS, DUCKDB_TYPE_TIMESTAMP,
                                    DUCKDB_TYPE_TIMESTAMP_NS};
  const auto simple = [](duckdb_type type) -> ::duckdb_logical_type { return duckdb_create_logical_type(type); };
  const int size = std::countr_zero(static_cast<unsigned>(column.bytes));
  switch (column.type) {
    case FrameType::kBoolean:
      return simple(DUCKDB_TYPE_BOOLEAN);
    case FrameType::kInteger:
      return simple(column.is_signed ? kSigned[size] : kUnsigned[size]);
    case FrameType::kHalf:
    case FrameType::kFloat:
      return simple(DUCKDB_TYPE_FLOAT);
    case FrameType::kDouble:
      return simple(DUCKDB_TYPE_DOUBLE);
    case FrameType::kDecimal:
      return duckdb_create_decimal_type(static_cast<std::uint8_t>(column.width),
                                        static_cast<std::uint8_t>(column.scale));
    case FrameType::kDay:
      return simple(DUCKDB_TYPE_DATE);
    case FrameType::kTime: {
      int unit = 0;
      for (std::int64_t per = column.per_second; per > 1; per /= 1000) ++unit;
      return simple(column.zoned ? DUCKDB_TYPE_TIMESTAMP_TZ : kTimes[unit]);
    }
    case FrameType::kText:
    case FrameType::kLargeText:
    case FrameType::kTextView:
    case FrameType::kNothing:
      return simple(DUCKDB_TYPE_VARCHAR);
    case FrameType::kOther:
      break;
  }
  return simple(DUCKDB_TYPE_BLOB);
}

std::string TypeNameOf(const FrameColumn& column) {
  constexpr const char* kWhole[] = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"};
  constexpr const char* kTimes[] = {"TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP", "TIMESTAMP_NS"};
  switch (column.type) {
    case FrameType::kBoolean:
      return "BOOLEAN";
    case FrameType::kInteger:
      return std::string(column.is_signed ? "" : "U") + kWhole[std::countr_zero(static_cast<unsigned>(column.bytes))];
    case FrameType::kHalf:
    case FrameType::kFloat:
      return "FLOAT";
    case FrameType::kDouble:
      return "DOUBLE";
    case FrameType::kDecimal:
      return fmt::format("DECIMAL({},{})", column.width, column.scale);
    case FrameType::kDay:
      return "DATE";
    case FrameType::kTime: {
      int unit = 0;
      for (std::int64_t per = column.per_second; per > 1; per /= 1000) ++unit;
      return column.zoned ? "TIMESTAMP WITH TIME ZONE" : kTimes[unit];
    }
    case FrameType::kText:
    case FrameType::kLargeText:
    case FrameType::kTextView:
    case FrameType::kNothing:
      return "VARCHAR";
    case FrameType::kOther:
      break;
  }
  return "BLOB";
}

void CopyCells(const FrameColumn& column, const ArrowArray& array, std::int64_t first, idx_t count,
               duckdb_vector into) {
  Nulls nulls(into);
  void* const data = duckdb_vector_get_data(into);
  if (column.type == FrameType::kNothing || column.type == FrameType::kOther) {
    std::memset(data, 0, count * sizeof(duckdb_string_t));
    for (idx_t row = 0; row < count; ++row) nulls.Add(row);
    return;
  }
  const Places own{first + array.offset};
  std::vector<std::int64_t> places;
  if (column.index_bytes > 0) {
    const ArrowArray& dictionary = *array.dictionary;
    places.assign(count, -1);
    for (idx_t row = 0; row < count; ++row) {
      if (HasNulls(array) && !BitAt(array.buffers[0], own(row))) continue;
      const std::int64_t index = IndexAt(column, array.buffers[1], own(row));
      if (index < 0 || index >= dictionary.length) continue;
      const std::int64_t place = index + dictionary.offset;
      if (!HasNulls(dictionary) || BitAt(dictionary.buffers[0], place)) places[row] = place;
    }
    CopyValues(column, dictionary, {0, places.data()}, count, data, &nulls);
    for (idx_t row = 0; row < count; ++row) {
      if (places[row] < 0) nulls.Add(row);
    }
    return;
  }
  const bool texts = column.type == FrameType::kText || column.type == FrameType::kLargeText ||
                     column.type == FrameType::kTextView || column.type == FrameType::kDecimal;
  // What is under a NULL may be anything: strings and decimals are not read there.
  if (texts && HasNulls(array)) {
    places.resize(count);
    for (idx_t row = 0; row < count; ++row) places[row] = BitAt(array.buffers[0], own(row)) ? own(row) : -1;
    CopyValues(column, array, {0, places.data()}, count, data, &nulls);
  } else {
    CopyValues(column, array, own, count, data, &nulls);
  }
  if (!HasNulls(array)) return;
  for (idx_t row = 0; row < count; ++row) {
    if (!BitAt(array.buffers[0], own(row))) nulls.Add(row);
  }
}

}  // namespace kith
