// Sets of cells by number, as formats 1 to 4 had them.
#include "base/check.h"
#include "ledger/bytes.h"
#include "ledger/old_formats.h"

namespace kith::ledger {
namespace {

constexpr char kRanges = 0;
constexpr char kBitmap = 1;

std::size_t CountRanges(const CellSet& cells) {
  std::size_t count = cells.empty() ? 0 : 1;
  for (std::size_t i = 1; i < cells.size(); ++i) count += cells[i] != cells[i - 1] + 1 ? 1 : 0;
  return count;
}

std::string Ranges(const CellSet& cells, std::size_t count) {
  Pairs pairs(count);
  std::size_t end = 0;  // of the last range
  for (std::size_t i = 0; i < cells.size();) {
    std::size_t j = i + 1;
    while (j < cells.size() && cells[j] == cells[j - 1] + 1) ++j;
    pairs.Put(cells[i] - end, j - i);
    end = cells[j - 1] + 1;
    i = j;
  }
  return std::string(1, kRanges) + pairs.Take();
}

std::string Bitmap(const CellSet& cells) {
  std::string out(1, kBitmap);
  if (!cells.empty()) out.resize(2 + cells.back() / 8, 0);
  for (const std::size_t cell : cells) {
    out[1 + cell / 8] = static_cast<char>(static_cast<unsigned char>(out[1 + cell / 8]) | (1U << (cell % 8)));
  }
  return out;
}

std::optional<CellSet> FromRanges(std::string_view bytes, std::size_t cell_count) {
  CellSet cells;
  std::size_t next = 0;
  while (!bytes.empty()) {
    const auto gap = TakeVarint(bytes);
    const auto length = gap ? TakeVarint(bytes) : std::nullopt;
    if (!length || *gap > cell_count - next || *length > cell_count - next - *gap) return std::nullopt;
    next += *gap;
    for (std::uint64_t i = 0; i < *length; ++i) cells.push_back(next++);
  }
  return cells;
}

std::optional<CellSet> FromBitmap(std::string_view bytes, std::size_t cell_count) {
  if (bytes.size() > (cell_count + 7) / 8) return std::nullopt;
  CellSet cells;
  for (std::size_t cell = 0; cell < bytes.size() * 8; ++cell) {
    if (((static_cast<unsigned char>(bytes[cell / 8]) >> (cell % 8)) & 1U) == 0) continue;
    if (cell >= cell_count) return std::nullopt;
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace

std::string EncodeCells(const CellSet& cells) {
  for (std::size_t i = 1; i < cells.size(); ++i) KITH_CHECK(cells[i - 1] < cells[i]);
  const std::size_t count = CountRanges(cells);
  const std::size_t bitmap_size = cells.empty() ? 1 : 2 + cells.back() / 8;
  if (1 + 2 * count > bitmap_size) return Bitmap(cells);  // a range takes at least two bytes
  auto ranges = Ranges(cells, count);
  return ranges.size() <= bitmap_size ? ranges : Bitmap(cells);
}

std::optional<CellSet> DecodeCells(std::string_view bytes, std::size_t cell_count) {
  if (bytes.empty() || (bytes[0] != kRanges && bytes[0] != kBitmap)) return std::nullopt;
  return bytes[0] == kRanges ? FromRanges(bytes.substr(1), cell_count) : FromBitmap(bytes.substr(1), cell_count);
}

}  // namespace kith::ledger
