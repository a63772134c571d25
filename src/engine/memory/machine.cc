#include <algorithm>
#include <cstring>

#include "engine/memory/kernels.h"
#include "engine/memory/texts.h"

namespace kith::memory {
namespace {

template <class Stored, class Lane>
void Widen(const char* from, std::size_t count, Lane* into) {
  for (std::size_t i = 0; i < count; ++i) {
    Stored value;
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    into[i] = static_cast<Lane>(value);
  }
  std::fill(into + count, into + kLanes, Lane{});
}

template <class Lane>
void WidenAny(const StoredColumn& column, const char* from, std::size_t count, Lane* into) {
  if (column.type == FrameType::kDouble) return Widen<double>(from, count, into);
  if (column.type == FrameType::kFloat) return Widen<float>(from, count, into);
  const bool is_signed = column.is_signed;
  switch (column.bytes) {
    case 1:
      return is_signed ? Widen<std::int8_t>(from, count, into) : Widen<std::uint8_t>(from, count, into);
    case 2:
      return is_signed ? Widen<std::int16_t>(from, count, into) : Widen<std::uint16_t>(from, count, into);
    case 4:
      return is_signed ? Widen<std::int32_t>(from, count, into) : Widen<std::uint32_t>(from, count, into);
    default:
      return Widen<std::int64_t>(from, count, into);
  }
}

}  // namespace

Machine::Machine(const Program& program, Lane lane)
    : program_(program),
      run_(Kernels::For(lane)),
      blocks_(std::make_unique<Block[]>(program.steps.size())),
      made_(program.steps.size()),
      counted_(std::make_unique<Block>()),
      sums_(program.groups() * program.totals.size()),
      narrow_(sums_.size()) {
  const std::vector<bool> needed = program.Needed();
  std::vector<bool> fixed(program.steps.size());  // depends on no column
  for (std::size_t k = 0; k < program.steps.size(); ++k) {
    const Step& step = program.steps[k];
    const bool reads = step.what == Do::kColumn || step.what == Do::kCode;
    fixed[k] = !reads;
    for (const int other : {step.a, step.b, step.c})
      fixed[k] = fixed[k] && (other < 0 || fixed[static_cast<std::size_t>(other)]);
    if (!needed[k]) continue;
    if (reads) {
      columns_.push_back(k);
    } else if (fixed[k]) {
      Kernels::Make(*this, k);
    } else {
      each_.push_back(k);
    }
  }
}

void Machine::Load(std::size_t step, const StoredColumn& column, std::int64_t first, std::size_t count) {
  if (column.coded != nullptr) {
    column.coded->Read(first, count, blocks_[step].whole);
    std::fill(blocks_[step].whole + count, blocks_[step].whole + kLanes, 0);
    made_[step].whole = blocks_[step].whole;
    return;
  }
  const bool real = program_.steps[step].kind == Kind::kReal;
  const std::int64_t at = column.first + first;
  const char* from = column.values + at * column.bytes;
  Block& own = blocks_[step];
  Lanes& made = made_[step];
  const bool as_it_is = count == kLanes && column.bytes == 8 && (column.type == FrameType::kDouble) == real &&
                        reinterpret_cast<std::uintptr_t>(from) % alignof(double) == 0;
  if (real) {
    if (!as_it_is) WidenAny(column, from, count, own.real);
    made.real = as_it_is ? reinterpret_cast<const double*>(from) : own.real;
  } else {
    if (!as_it_is) WidenAny(column, from, count, own.whole);
    made.whole = as_it_is ? reinterpret_cast<const std::int64_t*>(from) : own.whole;
  }
  made.valid = nullptr;
  if (column.valid == nullptr) return;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t bit = at + static_cast<std::int64_t>(i);
    own.valid[i] = -static_cast<std::int64_t>((column.valid[bit / 8] >> (bit % 8)) & 1);
  }
  std::fill(own.valid + count, own.valid + kLanes, 0);
  made.valid = own.valid;
}

void Machine::Take(std::span<const StoredColumn> columns, std::int64_t first, std::int64_t end) {
  if (rows_ + (end - first) > kMostRows) Flush();
  rows_ += end - first;
  for (std::int64_t row = first; row < end; row += kLanes) {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(kLanes, end - row));
    for (const std::size_t step : columns_) Load(step, columns[program_.steps[step].place], row, count);
    run_(*this, count);
  }
}

void Machine::Join(Machine& other) {
  other.Flush();
  for (std::size_t k = 0; k < sums_.size(); ++k) sums_[k] += other.sums_[k];
}

void Machine::Flush() {
  if (rows_ == 0) return;
  rows_ = 0;
  for (std::size_t k = 0; k < narrow_.size(); ++k) sums_[k] += std::exchange(narrow_[k], 0);
}

}  // namespace kith::memory
