#include "engine/memory/texts.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "engine/frame_values.h"

namespace kith::memory {
namespace {

template <class T>
std::uint64_t Load(const char* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// Strings of at most 8 bytes with the same length and the same mark are equal.
std::uint64_t MarkOf(std::string_view text) {
  constexpr std::uint64_t kOdd = 0x9E3779B97F4A7C15;
  const std::size_t size = text.size();
  const char* const at = text.data();
  if (size > 8) return (Load<std::uint64_t>(at) * kOdd) ^ Load<std::uint64_t>(at + size - 8) ^ size;
  if (size >= 4) return Load<std::uint32_t>(at) | (Load<std::uint32_t>(at + size - 4) << 32);
  if (size == 0) return 0;
  return Load<std::uint8_t>(at) | (Load<std::uint8_t>(at + size / 2) << 8) | (Load<std::uint8_t>(at + size - 1) << 16);
}

std::size_t Hashed(std::uint64_t mark, std::size_t size) {
  return static_cast<std::size_t>(((mark ^ size) * 0xD6E8FEB86659FD93) >> 32);
}

}  // namespace

TextNumbers::TextNumbers(std::vector<std::string> texts, std::int64_t otherwise)
    : texts_(std::move(texts)), otherwise_(otherwise), slots_(std::bit_ceil(2 * texts_.size() + 2)) {
  for (std::size_t k = 0; k < texts_.size(); ++k) {
    const std::uint64_t mark = MarkOf(texts_[k]);
    std::size_t slot = Hashed(mark, texts_[k].size()) % slots_.size();
    while (slots_[slot].number >= 0 && texts_[static_cast<std::size_t>(slots_[slot].number)] != texts_[k])
      slot = (slot + 1) % slots_.size();
    if (slots_[slot].number < 0) slots_[slot] = {mark, static_cast<std::int64_t>(k)};
  }
}

std::int64_t TextNumbers::Of(std::string_view text) const {
  const std::uint64_t mark = MarkOf(text);
  const std::size_t last = slots_.size() - 1;
  for (std::size_t slot = Hashed(mark, text.size()) & last; slots_[slot].number >= 0; slot = (slot + 1) & last) {
    if (slots_[slot].mark != mark) continue;
    const std::string& known = texts_[static_cast<std::size_t>(slots_[slot].number)];
    if (known.size() == text.size() && (text.size() <= 8 || known == text)) return slots_[slot].number;
  }
  return otherwise_;
}

CodedColumn::CodedColumn(const TextNumbers& numbers, const FrameColumn& column, const ArrowArray& batch,
                         const ArrowArray& array, const CodedColumn* before)
    : numbers_(numbers), column_(column), array_(array), first_(batch.offset + array.offset) {
  if (column.index_bytes == 0) return;
  const ArrowArray& values = *array.dictionary;
  if (before != nullptr) {
    const ArrowArray& known = *before->array_.dictionary;
    const bool same = known.length == values.length && known.offset == values.offset &&
                      known.n_buffers == values.n_buffers &&
                      std::equal(values.buffers, values.buffers + values.n_buffers, known.buffers);
    if (same) {
      dictionary_ = before->dictionary_;
      return;
    }
  }
  auto codes = std::make_shared<std::vector<std::int64_t>>(static_cast<std::size_t>(values.length));
  for (std::int64_t k = 0; k < values.length; ++k) {
    const std::int64_t place = k + values.offset;
    const bool there = !frame::HasNulls(values) || frame::BitAt(values.buffers[0], place);
    (*codes)[static_cast<std::size_t>(k)] =
        there ? numbers.Of(frame::TextAt(column, values, place)) : numbers.otherwise();
  }
  dictionary_ = std::move(codes);
}

template <class Index>
void CodedColumn::ReadIndexes(std::int64_t at, std::size_t count, std::int64_t* into) const {
  const auto size = static_cast<std::uint64_t>(dictionary_->size());
  const std::int64_t* const codes = dictionary_->data();
  const std::int64_t otherwise = numbers_.otherwise();
  const auto* from = static_cast<const char*>(array_.buffers[1]) + at * static_cast<std::int64_t>(sizeof(Index));
  for (std::size_t i = 0; i < count; ++i) {
    Index index;
    std::memcpy(&index, from + i * sizeof index, sizeof index);
    const auto place = static_cast<std::uint64_t>(static_cast<std::int64_t>(index));  // below 0: beyond every end
    into[i] = place < size ? codes[place] : otherwise;
  }
}

void CodedColumn::ReadTexts(std::int64_t at, std::size_t count, std::int64_t* into) const {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t place = at + static_cast<std::int64_t>(i);
    const bool there = !frame::HasNulls(array_) || frame::BitAt(array_.buffers[0], place);
    into[i] = there ? numbers_.Of(frame::TextAt(column_, array_, place)) : numbers_.otherwise();
  }
}

void CodedColumn::Read(std::int64_t first, std::size_t count, std::int64_t* into) const {
  const std::int64_t at = first_ + first;
  if (!dictionary_) return ReadTexts(at, count, into);
  const bool sign = column_.index_signed;
  switch (column_.index_bytes) {
    case 1:
      sign ? ReadIndexes<std::int8_t>(at, count, into) : ReadIndexes<std::uint8_t>(at, count, into);
      break;
    case 2:
      sign ? ReadIndexes<std::int16_t>(at, count, into) : ReadIndexes<std::uint16_t>(at, count, into);
      break;
    case 4:
      sign ? ReadIndexes<std::int32_t>(at, count, into) : ReadIndexes<std::uint32_t>(at, count, into);
      break;
    default:
      ReadIndexes<std::int64_t>(at, count, into);
  }
  if (!frame::HasNulls(array_)) return;
  for (std::size_t i = 0; i < count; ++i) {
    if (!frame::BitAt(array_.buffers[0], at + static_cast<std::int64_t>(i))) into[i] = numbers_.otherwise();
  }
}

Codings::Codings(const Program& program, const Frame& frame) {
  for (const Step& step : program.steps) {
    if (step.what != Do::kCode) continue;
    const TextNumbers& numbers = *numbers_.emplace_back(
        std::make_unique<TextNumbers>(program.texts.at(static_cast<std::size_t>(step.whole)), step.otherwise));
    auto& column = columns_[step.place];
    column.reserve(frame.batches());
    for (std::size_t k = 0; k < frame.batches(); ++k) {
      const ArrowArray& batch = frame.batch(k);
      column.emplace_back(numbers, frame.columns()[step.place], batch, *batch.children[step.place],
                          column.empty() ? nullptr : &column.back());
    }
  }
}

}  // namespace kith::memory
