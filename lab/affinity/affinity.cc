#include "affinity/affinity.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>
#include <thread>

#include "affinity/affinity_kernel.h"

namespace kith {
namespace {

using affinity::kLanes;
constexpr std::size_t kRows = 32;   // records that are compared with the same run before the next run is fetched
constexpr std::size_t kRun = 1024;  // records of a run: their columns stay in the cache
constexpr float kNever = 3e38f;     // the length of padding: no product reaches it

std::optional<Error> Unusable(const Profiles& profiles, Threshold threshold) {
  const std::size_t columns = profiles.categories.size() + profiles.numbers.size();
  if (columns == 0 || columns > Affinity::kMaxColumns || profiles.records() == 0)
    return InvalidArgument("profiles need at least one attribute and one record", "profiles", "at most 256 attributes");
  if (profiles.records() > std::size_t{0x7fffffff})
    return InvalidArgument("there are too many records", "profiles", "at most 2^31 - 1");
  for (const auto* side : {&profiles.categories, &profiles.numbers}) {
    for (const auto& column : *side) {
      if (column.size() != profiles.records())
        return InvalidArgument("attributes have different numbers of records", "profiles", "one value for each record");
    }
  }
  bool large = profiles.unit == 0 || profiles.unit > Affinity::kMaxSteps;
  for (const auto& column : profiles.numbers)
    large |= *std::max_element(column.begin(), column.end()) > Affinity::kMaxSteps;
  if (large) return InvalidArgument("a number of a profile is too large", "profiles", "at most 2^21 steps; scale it");
  const auto part = [](std::uint32_t n) { return n >= 1 && n <= Affinity::kMaxPart; };
  if (!part(threshold.numerator) || !part(threshold.denominator))
    return InvalidArgument("a threshold is a fraction of whole numbers up to 1000", "threshold", "4/5 for 0.8");
  return std::nullopt;
}

/// Disjoint sets with the smallest member as the name of each.
class Sets {
 public:
  explicit Sets(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::uint32_t Find(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void Join(std::uint32_t a, std::uint32_t b) {
    a = Find(a);
    b = Find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

std::size_t Profiles::records() const {
  return !categories.empty() ? categories.front().size() : numbers.empty() ? 0 : numbers.front().size();
}

Result<Affinity> Affinity::Make(const Profiles& profiles, Similarity similarity, Threshold threshold) {
  if (const auto error = Unusable(profiles, threshold)) return *error;
  Affinity made;
  made.records_ = profiles.records();
  made.padded_ = (made.records_ + kLanes - 1) / kLanes * kLanes;
  made.profiles_ = profiles;
  made.similarity_ = similarity;
  made.threshold_ = threshold;
  const Int128 unit = profiles.unit, of_categories = static_cast<Int128>(profiles.categories.size());
  made.sizes_.assign(made.records_, of_categories * (similarity == Similarity::kCosine ? unit * unit : unit));
  for (const auto& column : profiles.numbers) {
    for (std::size_t i = 0; i < made.records_; ++i)
      made.sizes_[i] += similarity == Similarity::kCosine ? Int128{column[i]} * column[i] : Int128{column[i]};
  }
  made.codes_.assign(profiles.categories.size() * made.padded_, 0);
  made.steps_.assign(profiles.numbers.size() * made.padded_, 0);
  made.lengths_.assign(made.padded_, kNever);
  for (std::size_t k = 0; k < profiles.categories.size(); ++k)
    std::copy(profiles.categories[k].begin(), profiles.categories[k].end(), made.codes_.data() + k * made.padded_);
  for (std::size_t k = 0; k < profiles.numbers.size(); ++k) {
    for (std::size_t i = 0; i < made.records_; ++i)
      made.steps_[k * made.padded_ + i] = static_cast<float>(profiles.numbers[k][i]);
  }
  for (std::size_t i = 0; i < made.records_; ++i) {
    const auto size = static_cast<double>(made.sizes_[i]);
    made.lengths_[i] = static_cast<float>(similarity == Similarity::kCosine ? std::sqrt(size) : size);
  }
  return made;
}

Int128 Affinity::Product(std::uint32_t a, std::uint32_t b) const {
  Int128 agree = 0, product = 0;
  for (const auto& column : profiles_.categories) agree += column[a] == column[b] ? 1 : 0;
  for (const auto& column : profiles_.numbers) product += Int128{column[a]} * column[b];
  return product + agree * profiles_.unit * profiles_.unit;
}

bool Affinity::Similar(std::uint32_t a, std::uint32_t b) const {
  // Products are below 2^8 * 2^42, their squares below 2^100, and the parts of the threshold below 2^10.
  const Int128 product = Product(a, b), sizes = sizes_[a] * sizes_[b];
  const Int128 numerator = threshold_.numerator, denominator = threshold_.denominator;
  if (similarity_ == Similarity::kPrinted) return product * denominator > sizes * numerator;
  return product * product * (denominator * denominator) > sizes * (numerator * numerator);
}

/// Finds the later partners of a few neighbouring records, run by run.
class Affinity::Worker {
 public:
  Worker(const Affinity& join, const Sink& sink, unsigned number)
      : join_(join), sink_(sink), number_(number), found_(kRows) {
    columns_ = {join.codes_.data(),
                join.profiles_.categories.size(),
                join.steps_.data(),
                join.profiles_.numbers.size(),
                join.lengths_.data(),
                join.padded_,
                0};
    columns_.agreement = static_cast<float>(join.profiles_.unit) * static_cast<float>(join.profiles_.unit);
    // Every term is positive, so n terms in single precision are within (n + 8) half units of their sum.
    const auto terms = static_cast<double>(columns_.categories + columns_.numbers);
    margin_ = (terms + 16) * 0x1p-23;
    threshold_ = static_cast<double>(join.threshold_.numerator) / static_cast<double>(join.threshold_.denominator);
    codes_.resize(columns_.categories);
    steps_.resize(columns_.numbers);
  }

  void Do(std::size_t first, std::size_t last) {
    for (auto& later : found_) later.clear();
    for (std::size_t run = (first + 1) / kLanes * kLanes; run < join_.padded_; run += kRun) {
      const std::size_t count = std::min(kRun, join_.padded_ - run);
      for (std::size_t i = first; i < last; ++i) Run(i, run, count, found_[i - first]);
    }
    for (std::size_t i = first; i < last; ++i) sink_(number_, static_cast<std::uint32_t>(i), found_[i - first]);
  }

 private:
  void Run(std::size_t i, std::size_t run, std::size_t count, std::vector<std::uint32_t>& later) {
    if (run + count <= i + 1) return;
    for (std::size_t k = 0; k < codes_.size(); ++k) codes_[k] = columns_.codes[k * columns_.stride + i];
    for (std::size_t k = 0; k < steps_.size(); ++k) steps_[k] = columns_.steps[k * columns_.stride + i];
    const double length = threshold_ * columns_.lengths[i];
    const affinity::Probe probe{codes_.data(), steps_.data(), static_cast<float>(length * (1 - margin_)),
                                static_cast<float>(length * (1 + margin_))};
    affinity::Compare(columns_, probe, run, count, possible_.data(), sure_.data());
    for (std::size_t word = 0; word < count / kLanes; ++word) {
      for (unsigned bits = possible_[word]; bits != 0; bits &= bits - 1) {
        const int lane = std::countr_zero(bits);
        const std::size_t j = run + word * kLanes + static_cast<std::size_t>(lane);
        if (j <= i || j >= join_.records_) continue;
        const auto partner = static_cast<std::uint32_t>(j);
        if (((sure_[word] >> lane) & 1u) != 0 || join_.Similar(static_cast<std::uint32_t>(i), partner))
          later.push_back(partner);
      }
    }
  }

  const Affinity& join_;
  const Sink& sink_;
  const unsigned number_;
  affinity::Columns columns_;
  double margin_ = 0, threshold_ = 0;
  std::vector<std::uint32_t> codes_;
  std::vector<float> steps_;
  std::vector<std::vector<std::uint32_t>> found_;
  std::array<std::uint16_t, kRun / kLanes> possible_{}, sure_{};
};

Result<void> Affinity::ForEach(const Sink& sink, unsigned threads, const CancelFlag& cancel) const {
  std::atomic<std::size_t> next{0};
  const auto work = [&](unsigned number) {
    Worker worker(*this, sink, number);
    while (!cancel.cancelled()) {
      const std::size_t first = next.fetch_add(kRows);
      if (first >= records_) return;
      worker.Do(first, std::min(records_, first + kRows));
    }
  };
  std::vector<std::thread> others;
  for (unsigned t = 1; t < threads; ++t) others.emplace_back(work, t);
  work(0);
  for (auto& thread : others) thread.join();
  if (cancel.cancelled()) return Cancelled("the search for similar records was stopped");
  return {};
}

Result<AffinityGraph> Summarise(const Affinity& affinity, unsigned threads, const CancelFlag& cancel) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  struct Part {
    std::uint64_t edges = 0;
    std::vector<std::uint32_t> degrees;
    Sets sets;
  };
  std::vector<Part> parts(threads,
                          Part{0, std::vector<std::uint32_t>(affinity.records(), 0), Sets(affinity.records())});
  const auto done = affinity.ForEach(
      [&](unsigned worker, std::uint32_t record, std::span<const std::uint32_t> later) {
        Part& part = parts[worker];
        part.edges += later.size();
        part.degrees[record] += static_cast<std::uint32_t>(later.size());
        for (const std::uint32_t other : later) {
          ++part.degrees[other];
          part.sets.Join(record, other);
        }
      },
      threads, cancel);
  if (!done) return done.error();
  AffinityGraph graph;
  graph.degrees.assign(affinity.records(), 0);
  Sets sets(affinity.records());
  for (Part& part : parts) {
    graph.edges += part.edges;
    for (std::uint32_t i = 0; i < affinity.records(); ++i) {
      graph.degrees[i] += part.degrees[i];
      sets.Join(i, part.sets.Find(i));
    }
  }
  std::vector<std::uint32_t> sizes(affinity.records(), 0);
  for (std::uint32_t i = 0; i < affinity.records(); ++i) {
    graph.component.push_back(sets.Find(i));
    graph.largest_degree = std::max(graph.largest_degree, graph.degrees[i]);
    graph.largest_component = std::max(graph.largest_component, ++sizes[graph.component.back()]);
  }
  return graph;
}

}  // namespace kith
