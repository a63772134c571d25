// A power-law graph as a stream of edges, the same in every run and for every number of threads.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <thread>
#include <vector>

namespace kith::bench {

/// Edge i joins two nodes drawn independently, the r-th most popular with probability proportional to r^-0.6: degrees
/// fall with exponent 2.7. Popularity has nothing to do with a node's number, as in data that was not sorted.
class PowerLawEdges {
 public:
  PowerLawEdges(std::uint64_t nodes, std::uint64_t edges) : nodes_(nodes), edges_(edges) {}

  std::uint64_t nodes() const { return nodes_; }
  std::uint64_t edges() const { return edges_; }

  /// Edges begin .. begin + a.size() - 1.
  void Draw(std::uint64_t begin, std::vector<std::uint32_t>& a, std::vector<std::uint32_t>& b) const {
    for (std::size_t i = 0; i < a.size(); ++i) {
      a[i] = Node(Mix(2 * (begin + i)));
      b[i] = Node(Mix(2 * (begin + i) + 1));
    }
  }

  /// Calls use(a, b) for parts of the stream, drawing the next part on `threads` threads while nothing else runs.
  template <class Use>
  void ForEachPart(unsigned threads, const Use& use) const {
    constexpr std::uint64_t kPart = 1 << 20;
    std::vector<std::vector<std::uint32_t>> a(threads);
    std::vector<std::vector<std::uint32_t>> b(threads);
    for (std::uint64_t begin = 0; begin < edges_; begin += kPart * threads) {
      std::vector<std::thread> drawing;
      for (unsigned t = 0; t < threads; ++t) {
        const std::uint64_t from = std::min(edges_, begin + t * kPart);
        a[t].resize(std::min(edges_, from + kPart) - from);
        b[t].resize(a[t].size());
        drawing.emplace_back([&, t, from] { Draw(from, a[t], b[t]); });
      }
      for (std::thread& thread : drawing) thread.join();
      for (unsigned t = 0; t < threads; ++t) use(a[t], b[t]);
    }
  }

 private:
  static std::uint64_t Mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }
  std::uint32_t Node(std::uint64_t bits) const {
    const double u = static_cast<double>(bits >> 11) * 0x1p-53;
    const auto rank =
        std::min(nodes_ - 1, static_cast<std::uint64_t>(static_cast<double>(nodes_) * u * u * std::sqrt(u)));
    return static_cast<std::uint32_t>((rank * 2654435761 + 12345) % nodes_);
  }

  std::uint64_t nodes_;
  std::uint64_t edges_;
};

}  // namespace kith::bench
