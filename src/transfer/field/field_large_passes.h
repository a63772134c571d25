// Passes of messages over a big graph: who renews which nodes when, and what a pass has found.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "dependence/graph.h"
#include "dependence/graph_array.h"
#include "transfer/check/node_losses.h"
#include "transfer/field/field_large_blocks.h"
#include "transfer/field/field_large_kernel.h"

namespace kith::field_large {

/// A node's bound, and which of its bounds it is.
struct NodeBound {
  double value = -1;
  const char* name = "";
  std::uint32_t node = 0;
};

struct PassFound {
  NodeBound worst;  // the largest over the nodes of the smallest of their bounds
  Product largest;  // product of messages, over the nodes that count
  std::uint32_t largest_node = 0;
  double limit = -1;           // no product with a smaller excess can be the worst
  std::uint64_t fallen = 0;    // by how much the nodes fell together, in units of 2^-30 of z
  std::uint64_t standing = 0;  // what they add up to
  bool cancelled = false;

  void NoteProduct(const Product& product, std::uint32_t node);
  void Join(const PassFound& other);
};

/// Messages between the nodes of one graph for one set of plain losses, from infinity downwards. After every pass they
/// should be valid bounds, which is checked in the end. What a pass computes depends only on the graph, not on the
/// number of threads. `Sent`: float or double.
template <class Sent>
class Messages {
 public:
  /// Throws std::bad_alloc. All arguments must live longer.
  Messages(const NodeLosses& losses, const GraphBlocks& cliques);

  /// Renews every message once.
  PassFound Pass(unsigned threads, const CancelFlag* cancel);

  /// What was found so far. Until the next pass, and only as long as this lives.
  GraphNumbers<Sent> Numbers() const;

  /// Roughly what the constructor allocates for a graph.
  static std::size_t Bytes(const Graph& graph);

 private:
  /// A chunk of nodes is renewed by one thread. A stripe of chunks is renewed at a time: no node of a stripe sees what
  /// another node of it becomes before all are done.
  struct Stripe {
    std::uint32_t first_chunk = 0;
    std::uint32_t last_chunk = 0;
  };
  /// One thread's working memory for a chunk.
  struct Desk {
    explicit Desk(std::uint32_t nodes) : products(nodes), own(nodes) {}
    std::vector<Product> products;
    std::vector<double> own;
  };

  void Divide();
  void Start();
  Rows<Sent> RowsFor(std::uint32_t first, std::uint32_t last, std::vector<double>& own);
  void Renew(std::uint32_t chunk, const Stripe& stripe, Desk& desk, PassFound& found);
  void Consider(std::uint32_t node, const Product& product, PassFound& found) const;
  void Publish(const Stripe& stripe);

  const Graph& graph_;
  const NodeLosses& losses_;
  const GraphBlocks& cliques_;
  std::vector<double> coupling_;  // by strength
  std::optional<Blocks<Sent>> blocks_;
  std::vector<std::uint32_t> chunks_;  // first nodes, and the end
  std::vector<Stripe> stripes_;
  std::uint32_t chunk_nodes_ = 0;  // most nodes in a chunk
  BigArray<Sent> sent_;            // by slot
  BigArray<double> seen_;          // by node
  BigArray<double> pending_;       // by node of the current stripe
  std::atomic<std::uint32_t> next_chunk_{0};
  bool first_pass_ = true;
};

extern template class Messages<float>;
extern template class Messages<double>;

}  // namespace kith::field_large
