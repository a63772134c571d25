#include "ledger/chain.h"

#include <algorithm>

#include "base/check.h"
#include "base/digest.h"

namespace kith::ledger {
namespace {

constexpr char kRanges = 0;
constexpr char kBitmap = 1;

void PutFixed(std::string& out, std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>((bits >> (56 - 8 * i)) & 0xff);
  out.append(bytes, sizeof bytes);
}

// A length before every text: two different entries never have the same bytes.
void PutText(std::string& out, std::string_view text) {
  PutFixed(out, static_cast<std::int64_t>(text.size()));
  out.append(text);
}

// Seven bits a byte, least significant first; returns the end. Room for ten bytes is needed.
char* PutVarint(char* out, std::uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<char>(value);
  return out;
}

// Pairs of numbers into a text of its own size.
class Pairs {
 public:
  explicit Pairs(std::size_t most) : bytes_(20 * most, '\0'), end_(bytes_.data()) {}
  void Put(std::uint64_t first, std::uint64_t second) { end_ = PutVarint(PutVarint(end_, first), second); }
  std::string Take() {
    bytes_.resize(static_cast<std::size_t>(end_ - bytes_.data()));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  char* end_;
};

std::optional<std::uint64_t> TakeVarint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

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

std::string FirstHead(const Birth& birth) {
  const bool old = birth.old_format != 0;
  std::string bytes = !old ? "kith ledger 4\n" : birth.stream ? "kith ledger 2\n" : "kith ledger 1\n";
  PutText(bytes, birth.ledger_id);
  PutFixed(bytes, birth.unix_seconds);
  PutText(bytes, birth.identity);
  PutFixed(bytes, static_cast<std::int64_t>(birth.cells.size()));
  for (const auto& cell : birth.cells) PutText(bytes, cell);
  if (old) return Sha256(bytes);
  PutFixed(bytes, birth.stream ? 1 : 0);
  return HmacSha256(birth.secret, bytes);
}

std::string NextHead(std::string_view head, const Entry& entry, const Formula& formula) {
  const bool old = entry.position <= formula.old_entries;
  std::string bytes;
  bytes.reserve(192 + head.size() + entry.cells.size() + entry.policy.size() + entry.question.size() +
                entry.answer_key.size() + entry.answer_digest.size());
  bytes = !old ? "kith entry 4\n" : formula.stream ? "kith entry 2\n" : "kith entry 1\n";
  PutText(bytes, head);
  PutFixed(bytes, entry.position);
  PutFixed(bytes, static_cast<std::int64_t>(entry.kind));
  PutFixed(bytes, entry.number);
  PutFixed(bytes, entry.unix_seconds);
  PutFixed(bytes, entry.units);
  for (const auto text : {entry.cells, entry.policy, entry.question, entry.answer_key, entry.answer_digest}) {
    PutText(bytes, text);
  }
  if (!old || formula.stream) PutFixed(bytes, entry.tick);
  if (old) return Sha256(bytes);
  PutFixed(bytes, entry.how);
  return HmacSha256(formula.secret, bytes);
}

std::string EncodeCells(const CellSet& cells) {
  for (std::size_t i = 1; i < cells.size(); ++i) KITH_CHECK(cells[i - 1] < cells[i]);
  const std::size_t count = CountRanges(cells);
  const std::size_t bitmap_size = cells.empty() ? 1 : 2 + cells.back() / 8;
  if (1 + 2 * count > bitmap_size) return Bitmap(cells);  // a range takes two bytes at least
  auto ranges = Ranges(cells, count);
  return ranges.size() <= bitmap_size ? ranges : Bitmap(cells);
}

std::optional<CellSet> DecodeCells(std::string_view bytes, std::size_t cell_count) {
  if (bytes.empty() || (bytes[0] != kRanges && bytes[0] != kBitmap)) return std::nullopt;
  return bytes[0] == kRanges ? FromRanges(bytes.substr(1), cell_count) : FromBitmap(bytes.substr(1), cell_count);
}

std::string EncodeTotals(std::span<const std::int64_t> totals) {
  Pairs pairs(totals.size());
  for (std::size_t i = 0; i < totals.size();) {
    std::size_t j = i + 1;
    while (j < totals.size() && totals[j] == totals[i]) ++j;
    pairs.Put(j - i, static_cast<std::uint64_t>(totals[i]));
    i = j;
  }
  return pairs.Take();
}

const CellSet* CellReader::Read(std::string_view bytes) {
  constexpr std::size_t kKept = 256;
  if (const auto known = known_.find(bytes); known != known_.end()) return &known->second;
  auto cells = DecodeCells(bytes, cell_count_);
  if (!cells) return nullptr;
  if (known_.size() >= kKept) known_.clear();
  return &known_.emplace(bytes, std::move(*cells)).first->second;
}

}  // namespace kith::ledger
