#include "dependence/graph_rows.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

namespace kith {
namespace {

/// Strengths of repeated pairs added up, rounded up. Both ends of a pair see the same strengths in the same order.
double AddStrengths(const GraphRows& rows, std::uint64_t begin, std::uint64_t end) {
  double sum = 0;
  for (std::uint64_t s = begin; s < end; ++s) {
    const double theta = rows.thetas[rows.strengths.empty() ? 0 : rows.strengths[s]];
    sum = sum == 0 ? theta : std::nextafter(sum + theta, std::numeric_limits<double>::infinity());
  }
  return sum;
}

std::uint64_t EndOfRun(const GraphRows& rows, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t s = begin + 1;
  while (s < end && rows.neighbours[s] == rows.neighbours[begin]) ++s;
  return s;
}

void SortRow(GraphRows& rows, std::uint64_t begin, std::uint64_t end, std::vector<std::uint64_t>& scratch) {
  if (rows.strengths.empty()) {
    std::sort(rows.neighbours.begin() + static_cast<std::ptrdiff_t>(begin),
              rows.neighbours.begin() + static_cast<std::ptrdiff_t>(end));
    return;
  }
  scratch.clear();
  for (std::uint64_t s = begin; s < end; ++s) {
    scratch.push_back(std::uint64_t{rows.neighbours[s]} << 16 | rows.strengths[s]);
  }
  std::sort(scratch.begin(), scratch.end());
  for (std::uint64_t s = begin; s < end; ++s) {
    rows.neighbours[s] = static_cast<std::uint32_t>(scratch[s - begin] >> 16);
    rows.strengths[s] = static_cast<std::uint16_t>(scratch[s - begin] & 0xffff);
  }
}

/// What sorting the rows has found.
struct Found {
  std::uint64_t repeated_slots = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> first;  // that is repeated
  StrengthTable sums;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> too_strong;

  void Join(const Found& other) {
    repeated_slots += other.repeated_slots;
    if (other.first && (!first || *other.first < *first)) first = other.first;
    sums.NoteAll(other.sums);
    too_strong.insert(too_strong.end(), other.too_strong.begin(), other.too_strong.end());
  }
};

void SortBlock(GraphRows& rows, std::uint32_t first, std::uint32_t last, std::vector<std::uint64_t>& scratch,
               Found& found) {
  for (std::uint32_t v = first; v < last; ++v) {
    const std::uint64_t end = rows.offsets[v + 1];
    const std::uint64_t begin = rows.offsets[v];
    SortRow(rows, begin, end, scratch);
    for (std::uint64_t s = begin; s < end;) {
      const std::uint64_t next = EndOfRun(rows, s, end);
      if (next - s > 1) {
        const double sum = AddStrengths(rows, s, next);
        found.repeated_slots += next - s - 1;
        if (!found.first || std::pair(v, rows.neighbours[s]) < *found.first) found.first.emplace(v, rows.neighbours[s]);
        if (sum <= kHardTheta) {
          found.sums.Note(sum);
        } else if (v < rows.neighbours[s]) {
          found.too_strong.push_back({v, rows.neighbours[s]});
        }
      }
      s = next;
    }
  }
}

/// Threads take blocks of rows in turn; what they find does not depend on which takes what.
Found SortAll(GraphRows& rows, unsigned threads) {
  constexpr std::uint32_t kBlock = 4096;
  const auto nodes = static_cast<std::uint32_t>(rows.offsets.size() - 1);
  std::atomic<std::uint64_t> next{0};
  std::mutex mutex;
  Found all;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      Found found;
      std::vector<std::uint64_t> scratch;
      for (std::uint64_t first; (first = next.fetch_add(kBlock)) < nodes;) {
        const auto last = static_cast<std::uint32_t>(std::min<std::uint64_t>(first + kBlock, nodes));
        SortBlock(rows, static_cast<std::uint32_t>(first), last, scratch, found);
      }
      const std::lock_guard lock(mutex);
      all.Join(found);
    } catch (...) {
      const std::lock_guard lock(mutex);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (unsigned t = 1; t < threads; ++t) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // Fewer threads only take longer.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
  return all;
}

/// Moves the sorted lists together, each run of one neighbour to one slot. `number` gives its strength's number.
template <class NumberOfRun>
void Compact(GraphRows& rows, const NumberOfRun& number) {
  std::uint64_t to = 0;
  std::uint64_t begin = 0;
  const std::size_t nodes = rows.offsets.size() - 1;
  for (std::size_t v = 0; v < nodes; ++v) {
    const std::uint64_t end = rows.offsets[v + 1];
    for (std::uint64_t s = begin; s < end;) {
      const std::uint64_t next = EndOfRun(rows, s, end);
      const std::uint16_t of_run = number(s, next);
      rows.neighbours[to] = rows.neighbours[s];
      if (!rows.strengths.empty()) rows.strengths[to] = of_run;
      ++to;
      s = next;
    }
    begin = end;
    rows.offsets[v + 1] = to;
  }
  rows.neighbours.resize(to);
  if (!rows.strengths.empty()) rows.strengths.resize(to);
}

void CompactAdding(GraphRows& rows, const Found& found) {
  StrengthTable table = found.sums;
  for (const double theta : rows.thetas) table.Note(theta);
  table.Settle();
  std::vector<std::uint16_t> renumbered;
  for (const double theta : rows.thetas) renumbered.push_back(table.NumberOf(theta));
  const bool had_one = rows.strengths.empty();
  if (had_one) rows.strengths.assign(rows.neighbours.size(), 0);  // from here on they differ
  Compact(rows, [&](std::uint64_t s, std::uint64_t next) {
    if (next - s == 1) return renumbered[rows.strengths[s]];
    return table.NumberOf(std::min(AddStrengths(rows, s, next), table.thetas().back()));
  });
  rows.thetas = table.thetas();
}

}  // namespace

Tidied TidyRows(GraphRows& rows, RepeatedPairs repeated, unsigned threads) {
  Found found = SortAll(rows, threads);
  Tidied tidied{found.repeated_slots / 2, found.first, {}};
  if (found.repeated_slots == 0 || repeated == RepeatedPairs::kRefuse) return tidied;
  if (repeated == RepeatedPairs::kAdd) {
    CompactAdding(rows, found);
    tidied.too_strong = std::move(found.too_strong);
  } else {
    // Runs are sorted by strength, so the last slot has the largest.
    Compact(rows, [&](std::uint64_t, std::uint64_t next) {
      return rows.strengths.empty() ? std::uint16_t{0} : rows.strengths[next - 1];
    });
  }
  return tidied;
}

GraphRows Contracted(const GraphRows& rows, const BigArray<std::uint32_t>& node_of, std::uint32_t nodes) {
  GraphRows to;
  to.thetas = rows.thetas;
  to.offsets.assign(std::size_t{nodes} + 1, 0);
  const auto for_each_slot = [&](const auto& use) {
    for (std::size_t v = 0; v + 1 < rows.offsets.size(); ++v) {
      for (std::uint64_t s = rows.offsets[v]; s < rows.offsets[v + 1]; ++s) {
        const std::uint32_t from = node_of[v];
        const std::uint32_t neighbour = node_of[rows.neighbours[s]];
        if (from != neighbour) use(from, neighbour, s);
      }
    }
  };
  // Two entries ahead, so that filling leaves the offsets where they belong.
  to.offsets.push_back(0);
  for_each_slot([&](std::uint32_t from, std::uint32_t, std::uint64_t) { ++to.offsets[from + 2]; });
  for (std::size_t v = 1; v < to.offsets.size(); ++v) to.offsets[v] += to.offsets[v - 1];
  to.neighbours.resize(to.offsets.back());
  if (!rows.strengths.empty()) to.strengths.resize(to.offsets.back());
  for_each_slot([&](std::uint32_t from, std::uint32_t neighbour, std::uint64_t s) {
    const std::uint64_t slot = to.offsets[from + 1]++;
    to.neighbours[slot] = neighbour;
    if (!rows.strengths.empty()) to.strengths[slot] = rows.strengths[s];
  });
  to.offsets.pop_back();
  return to;
}

}  // namespace kith
