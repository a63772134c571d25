// Single values in the buffers of a frame's columns. Places count without the offset of an array.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

#include "engine/frame.h"

namespace kith::frame {

template <class T>
T At(const void* buffer, std::int64_t position) {
  T value;
  std::memcpy(&value, static_cast<const char*>(buffer) + position * static_cast<std::int64_t>(sizeof(T)), sizeof value);
  return value;
}

inline bool BitAt(const void* bits, std::int64_t position) {
  return ((static_cast<const std::uint8_t*>(bits)[position / 8] >> (position % 8)) & 1) != 0;
}

inline bool HasNulls(const ArrowArray& array) { return array.null_count != 0 && array.buffers[0] != nullptr; }

// Any bytes. Empty if the array's reference to it leads nowhere.
inline std::string_view TextAt(const FrameColumn& column, const ArrowArray& values, std::int64_t place) {
  if (column.type == FrameType::kTextView) {
    const char* view = static_cast<const char*>(values.buffers[1]) + place * 16;
    const auto length = At<std::int32_t>(view, 0);
    if (length < 0) return {};
    if (length <= 12) return {view + 4, static_cast<std::size_t>(length)};
    const auto buffer = At<std::int32_t>(view, 2), offset = At<std::int32_t>(view, 3);
    // Buffers of views, their views and their validity, and last the lengths of the former.
    if (buffer < 0 || offset < 0 || buffer + 3 >= values.n_buffers) return {};
    return {static_cast<const char*>(values.buffers[buffer + 2]) + offset, static_cast<std::size_t>(length)};
  }
  const bool large = column.type == FrameType::kLargeText;
  const auto offset = [&](std::int64_t k) {
    return large ? At<std::int64_t>(values.buffers[1], k) : std::int64_t{At<std::int32_t>(values.buffers[1], k)};
  };
  const std::int64_t begin = offset(place), end = offset(place + 1);
  if (begin < 0 || end <= begin || values.buffers[2] == nullptr) return {};
  return {static_cast<const char*>(values.buffers[2]) + begin, static_cast<std::size_t>(end - begin)};
}

// The number of a dictionary's value.
inline std::int64_t IndexAt(const FrameColumn& column, const void* buffer, std::int64_t place) {
  switch (column.index_bytes) {
    case 1:
      return column.index_signed ? std::int64_t{At<std::int8_t>(buffer, place)} : At<std::uint8_t>(buffer, place);
    case 2:
      return column.index_signed ? std::int64_t{At<std::int16_t>(buffer, place)} : At<std::uint16_t>(buffer, place);
    case 4:
      return column.index_signed ? std::int64_t{At<std::int32_t>(buffer, place)} : At<std::uint32_t>(buffer, place);
    default:
      return At<std::int64_t>(buffer, place);
  }
}

}  // namespace kith::frame
