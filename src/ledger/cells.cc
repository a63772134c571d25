#include "ledger/cells.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/digest.h"

namespace kith::ledger {
namespace {

void Put(std::string& out, std::string_view text) {
  out.append(std::to_string(text.size())).append(1, ':').append(text);
}

bool Take(std::string_view& text, char sign) {
  if (text.empty() || text.front() != sign) return false;
  text.remove_prefix(1);
  return true;
}

// "<bytes>:<text>", with one spelling for each number.
std::optional<std::string_view> TakeText(std::string_view& text) {
  std::size_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, size);
  if (failed != std::errc() || stop == end || *stop != ':') return std::nullopt;
  if (text.front() == '0' && stop != text.data() + 1) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()) + 1);
  if (size > text.size()) return std::nullopt;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

}  // namespace

CellBook::CellBook(std::vector<LedgerColumn> columns) {
  columns_.reserve(columns.size());
  for (LedgerColumn& column : columns) {
    Column next{std::move(column.name), std::move(column.values), {}, 1};
    for (std::size_t i = 0; i < next.values.size(); ++i) next.numbers.emplace(next.values[i], i);
    columns_.push_back(std::move(next));
  }
  for (std::size_t k = columns_.size(); k-- > 0;) {
    columns_[k].stride = size_;
    size_ *= columns_[k].values.size();
  }
}

// "." after the last column, otherwise "(<column>", for each group of values with the same rest "[<value>…]<rest>", and
// ")".
std::string CellBook::Write(std::size_t k, CellSet::const_iterator begin, CellSet::const_iterator end) const {
  if (k == columns_.size()) return ".";
  const Column& column = columns_[k];
  struct Group {
    std::string rest, values;
  };
  std::vector<Group> groups;
  while (begin != end) {
    const std::size_t prefix = *begin / column.stride;
    const auto after = std::lower_bound(begin, end, (prefix + 1) * column.stride);
    std::string rest = Write(k + 1, begin, after);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& other) { return other.rest == rest; });
    if (group == groups.end()) group = groups.insert(groups.end(), {std::move(rest), {}});
    Put(group->values, column.values[prefix % column.values.size()]);
    begin = after;
  }
  std::string out(1, '(');
  Put(out, column.name);
  for (const Group& group : groups) out.append(1, '[').append(group.values).append(1, ']').append(group.rest);
  return out.append(1, ')');
}

std::optional<CellSet> CellBook::Parse(std::size_t k, std::string_view& text) const {
  if (k == columns_.size()) return Take(text, '.') ? std::optional<CellSet>(CellSet{0}) : std::nullopt;
  const Column& column = columns_[k];
  if (!Take(text, '(') || TakeText(text) != column.name) return std::nullopt;
  CellSet cells;
  while (Take(text, '[')) {
    std::vector<std::size_t> values;
    while (!Take(text, ']')) {
      const auto value = TakeText(text);
      const auto number = value ? column.numbers.find(*value) : column.numbers.end();
      if (number == column.numbers.end() || values.size() == column.values.size()) return std::nullopt;
      values.push_back(number->second);
    }
    const auto rest = Parse(k + 1, text);
    if (!rest || cells.size() + values.size() * rest->size() > size_) return std::nullopt;
    for (const std::size_t value : values) {
      for (const std::size_t cell : *rest) cells.push_back(value * column.stride + cell);
    }
  }
  return Take(text, ')') ? std::optional<CellSet>(std::move(cells)) : std::nullopt;
}

NamedSetPtr CellBook::Of(const CellSet& cells) {
  if (const auto known = by_cells_.find(cells); known != by_cells_.end()) return known->second;
  for (std::size_t i = 1; i < cells.size(); ++i) KITH_CHECK(cells[i - 1] < cells[i]);
  KITH_CHECK(cells.empty() || cells.back() < size_);
  auto set = std::make_shared<NamedSet>();
  if (!cells.empty()) set->text = Write(0, cells.begin(), cells.end());
  set->digest = Sha256(set->text);
  set->cells = cells;
  Remember(set);
  return set;
}

NamedSetPtr CellBook::Seen(std::string_view digest) const {
  const auto known = by_digest_.find(digest);
  return known == by_digest_.end() ? nullptr : known->second;
}

NamedSetPtr CellBook::Read(std::string_view digest, std::string_view text) {
  if (Sha256(text) != digest) return nullptr;
  auto set = std::make_shared<NamedSet>();
  set->text = text;
  set->digest = digest;
  std::string_view left = text;
  auto cells = text.empty() ? std::optional<CellSet>(CellSet()) : Parse(0, left);
  if (cells) std::sort(cells->begin(), cells->end());
  // A set has one text: nothing may occur twice, or in another order.
  set->known = cells && left.empty() && std::adjacent_find(cells->begin(), cells->end()) == cells->end() &&
               (cells->empty() ? text.empty() : Write(0, cells->begin(), cells->end()) == text);
  if (!set->known) return set;
  set->cells = std::move(*cells);
  Remember(set);
  return set;
}

void CellBook::Remember(const NamedSetPtr& set) {
  constexpr std::size_t kKept = 256;
  if (by_digest_.size() >= kKept) {
    by_digest_.clear();
    by_cells_.clear();
  }
  by_digest_[set->digest] = set;
  by_cells_[set->cells] = set;
}

bool ProperColumns(const std::vector<LedgerColumn>& columns, std::size_t cells) {
  std::size_t size = 1;
  for (const LedgerColumn& column : columns) {
    if (column.values.empty() || column.values.size() > cells / size) return false;
    size *= column.values.size();
    auto values = column.values;
    std::sort(values.begin(), values.end());
    if (std::adjacent_find(values.begin(), values.end()) != values.end()) return false;
  }
  return size == cells;
}

std::string ColumnsText(const std::vector<LedgerColumn>& columns) {
  CellBook book(columns);
  CellSet all(book.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return book.Of(all)->text;
}

std::optional<std::vector<LedgerColumn>> ReadColumns(std::string_view text) {
  const std::string_view whole = text;
  std::vector<LedgerColumn> columns;
  while (Take(text, '(')) {
    const auto name = TakeText(text);
    if (!name || !Take(text, '[')) return std::nullopt;
    columns.push_back({std::string(*name), {}});
    while (!Take(text, ']')) {
      const auto value = TakeText(text);
      if (!value) return std::nullopt;
      columns.back().values.emplace_back(*value);
    }
  }
  std::size_t size = 1;
  for (const LedgerColumn& column : columns) size *= std::min<std::size_t>(column.values.size(), Ledger::kMaxCells + 1);
  if (size > Ledger::kMaxCells || !ProperColumns(columns, size) || ColumnsText(columns) != whole) return std::nullopt;
  return columns;
}

}  // namespace kith::ledger
