#include "engine/postgresql/copy_stream.h"

#include <span>

#include "engine/postgresql/failure.h"

namespace kith {

namespace {

constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0", 11);
constexpr std::size_t kRows = 16'384;  // handed over at once

// Rows are already on their way: there is one message for whatever goes wrong with them.
Error NoCopy() { return AfterData(); }

}  // namespace

CopyStream::CopyStream(std::vector<PgType> types, const IntegerSink& sink)
    : types_(std::move(types)), integers_(&sink), columns_(types_.size()) {
  for (auto& column : columns_) column.reserve(kRows);
}

CopyStream::CopyStream(std::vector<PgType> types, const KeySink& sink)
    : types_(std::move(types)), keys_(&sink), columns_(1), texts_(types_.size() - 1) {}

bool IsStreamedText(PgType type) { return type == PgType::kText || type == PgType::kVarchar; }

/// Signature, flags, and an extension of this many bytes.
bool CopyStream::TakeHeader() {
  constexpr std::size_t kFixed = kSignature.size() + 8;
  const std::string_view all(bytes_);
  if (all.size() < kFixed) return true;
  if (all.substr(0, kSignature.size()) != kSignature || BigEndian(all.substr(kSignature.size(), 8)) != 0) return false;
  header_ = true;
  at_ = kFixed;
  return true;
}

/// False: not all of it is there yet.
Result<bool> CopyStream::TakeRow() {
  const std::string_view rest = std::string_view(bytes_).substr(at_);
  if (rest.size() < 2) return false;
  const std::int64_t fields = BigEndian(rest.substr(0, 2));
  if (fields == -1) {
    ended_ = true;
    at_ += 2;
    return true;
  }
  if (fields != static_cast<std::int64_t>(types_.size())) return NoCopy();
  std::size_t at = 2;
  for (std::size_t k = 0; k < types_.size(); ++k) {  // the whole row first
    if (rest.size() < at + 4) return false;
    const std::int64_t size = BigEndian(rest.substr(at, 4));
    if (size < 0) return NoCopy();  // a NULL, which a statement that is streamed does not give
    at += 4 + static_cast<std::size_t>(size);
    if (rest.size() < at) return false;
  }
  at = 2;
  for (std::size_t k = 0; k < types_.size(); ++k) {
    const auto size = static_cast<std::size_t>(BigEndian(rest.substr(at, 4)));
    const std::string_view field = rest.substr(at + 4, size);
    at += 4 + size;
    if (k < texts_.size()) {
      texts_[k].emplace_back(field);
      continue;
    }
    const auto value = IntegerOf(types_[k], field);
    if (!value) return NoCopy();
    columns_[k - texts_.size()].push_back(static_cast<std::int64_t>(*value));
  }
  at_ += at;
  return true;
}

Result<void> CopyStream::HandOver() {
  if (columns_.empty() || columns_[0].empty()) return {};
  if (keys_ != nullptr) {
    std::vector<std::vector<std::string_view>> views;
    for (auto& column : texts_) views.emplace_back(column.begin(), column.end());
    const std::vector<std::span<const std::string_view>> keys(views.begin(), views.end());
    if (auto taken = (*keys_)({keys, columns_[0]}); !taken) return taken.error();
    for (auto& column : texts_) column.clear();
  } else {
    const std::vector<std::span<const std::int64_t>> spans(columns_.begin(), columns_.end());
    if (auto taken = (*integers_)(spans); !taken) return taken.error();
  }
  for (auto& column : columns_) column.clear();
  return {};
}

Result<void> CopyStream::Take(std::string_view bytes) {
  bytes_.append(bytes);
  if (!header_ && !TakeHeader()) return NoCopy();
  while (header_ && !ended_) {
    const auto row = TakeRow();
    if (!row) return row.error();
    if (!*row) break;
    if (columns_[0].size() < kRows) continue;
    if (auto taken = HandOver(); !taken) return taken;
  }
  bytes_.erase(0, at_);
  at_ = 0;
  return {};
}

Result<void> CopyStream::End() {
  if (!ended_) return NoCopy();
  return HandOver();
}

}  // namespace kith
