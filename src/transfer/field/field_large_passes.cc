#include "transfer/field/field_large_passes.h"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>

#include "transfer/rounding.h"

namespace kith::field_large {
namespace {

using rounding::AddUp;
using rounding::Log1pUp;
using rounding::Widen;

/// Up to this many slots every node is its own stripe, which needs the fewest passes.
constexpr std::uint64_t kSmallGraph = 1 << 16;
constexpr std::uint64_t kStripes = 128;
constexpr std::uint64_t kChunkSlots = 1 << 14;
constexpr std::uint32_t kChunkNodes = 1 << 12;
constexpr double kFallUnit = 0x1p30;
/// Bounds that differ by less are the same up to rounding: the result then says "field".
constexpr double kTie = 1e-6;
/// More than LossOf can add to a product, at any degree.
constexpr double kLimitSlack = 0x1p-18;

std::uint64_t InUnits(double z) { return static_cast<std::uint64_t>(z * kFallUnit); }

}  // namespace

void PassFound::NoteProduct(const Product& product, std::uint32_t node) {
  const auto size = std::pair(product.shift, product.excess);
  const auto so_far = std::pair(largest.shift, largest.excess);
  if (size < so_far || (size == so_far && node >= largest_node)) return;
  largest = product;
  largest_node = node;
}

void PassFound::Join(const PassFound& other) {
  if (other.worst.value > worst.value || (other.worst.value == worst.value && other.worst.node < worst.node)) {
    worst = other.worst;
  }
  NoteProduct(other.largest, other.largest_node);
  fallen += other.fallen;
  standing += other.standing;
}

template <class Sent>
Messages<Sent>::Messages(const NodeLosses& losses, const GraphBlocks& cliques)
    : graph_(cliques.graph()),
      losses_(losses),
      cliques_(cliques),
      coupling_(CouplingsOf(graph_)),
      sent_(graph_.slots()),
      seen_(graph_.nodes()) {
  if (!cliques.empty()) blocks_.emplace(losses, cliques, coupling_);
  Divide();
  Start();
}

template <class Sent>
std::size_t Messages<Sent>::Bytes(const Graph& graph) {
  const std::uint64_t pending = graph.slots() <= kSmallGraph ? 1 : graph.nodes() / kStripes + kChunkNodes;
  return (graph.nodes() + pending) * sizeof(double) + graph.slots() * sizeof(Sent);
}

template <class Sent>
void Messages<Sent>::Divide() {
  const bool small = graph_.slots() <= kSmallGraph;
  const std::uint64_t most_slots = small ? 1 : std::clamp<std::uint64_t>(graph_.slots() / 1024, 256, kChunkSlots);
  const std::uint32_t most_nodes = small ? 1 : kChunkNodes;
  chunks_.push_back(0);
  for (std::uint32_t node = 0; node < graph_.nodes(); ++node) {
    const std::uint32_t first = chunks_.back();
    const bool full = graph_.offsets()[node + 1] - graph_.offsets()[first] > most_slots || node - first == most_nodes;
    if (full && node != first) chunks_.push_back(node);
  }
  chunks_.push_back(graph_.nodes());
  const auto chunks = static_cast<std::uint32_t>(chunks_.size() - 1);
  const std::uint32_t in_stripe = small ? 1 : static_cast<std::uint32_t>((chunks + kStripes - 1) / kStripes);
  std::uint32_t most_pending = 0;
  for (std::uint32_t first = 0; first < chunks; first += in_stripe) {
    const std::uint32_t last = std::min(chunks, first + in_stripe);
    stripes_.push_back({first, last});
    most_pending = std::max(most_pending, chunks_[last] - chunks_[first]);
  }
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    chunk_nodes_ = std::max(chunk_nodes_, chunks_[chunk + 1] - chunks_[chunk]);
  }
  pending_.resize(most_pending);
}

template <class Sent>
Rows<Sent> Messages<Sent>::RowsFor(std::uint32_t first, std::uint32_t last, std::vector<double>& own) {
  Rows<Sent> rows;
  rows.offsets = graph_.offsets().data();
  rows.neighbours = graph_.neighbours().data();
  rows.strengths = graph_.strengths().empty() ? nullptr : graph_.strengths().data();
  rows.coupling = coupling_.data();
  rows.seen = seen_.data();
  rows.sent = sent_.data();
  if (blocks_) {
    rows.taken = cliques_.taken().data();
    rows.own = blocks_->own() + first;
  } else if (losses_.uniform()) {
    rows.own_of_all = OwnExcess(losses_.Of(first));
  } else {
    for (std::uint32_t node = first; node < last; ++node) own[node - first] = OwnExcess(losses_.Of(node));
    rows.own = own.data();
  }
  return rows;
}

/// All messages infinite: every factor is e^{theta/2}.
template <class Sent>
void Messages<Sent>::Start() {
  Desk desk(chunk_nodes_);
  for (std::size_t chunk = 0; chunk + 1 < chunks_.size(); ++chunk) {
    const std::uint32_t first = chunks_[chunk];
    const std::uint32_t last = chunks_[chunk + 1];
    StartRows(RowsFor(first, last, desk.own), first, last, seen_.data() + first);
  }
}

template <class Sent>
void Messages<Sent>::Consider(std::uint32_t node, const Product& product, PassFound& found) const {
  if (!losses_.Counts(node)) return;
  found.NoteProduct(product, node);
  // Most nodes cannot be the worst one; a logarithm for each would cost more than the messages.
  if (product.shift == 0 && product.excess < found.limit) return;
  const std::uint64_t degree = graph_.offsets()[node + 1] - graph_.offsets()[node];
  NodeBound best{LossOf(product, degree), "field", node};
  const auto consider = [&best](double value, const char* name) {
    if (value < best.value * (1 - kTie)) best.name = name;
    best.value = std::min(best.value, value);
  };
  consider(losses_.Group(node), "group");
  if (best.value > found.worst.value) consider(losses_.Block(node), "block");
  if (best.value <= found.worst.value) return;
  found.worst = best;
  found.limit = std::expm1(best.value / 2) * (1 - kLimitSlack);
}

template <class Sent>
void Messages<Sent>::Renew(std::uint32_t chunk, const Stripe& stripe, Desk& desk, PassFound& found) {
  const std::uint32_t first = chunks_[chunk];
  const std::uint32_t last = chunks_[chunk + 1];
  Rows<Sent> rows = RowsFor(first, last, desk.own);
  if (first_pass_) rows.fresh_from = chunks_[stripe.first_chunk];
  double* pending = pending_.data() + (first - chunks_[stripe.first_chunk]);
  RenewRows(rows, first, last, desk.products.data(), pending);
  for (std::uint32_t node = first; node < last; ++node) {
    const std::uint64_t old_units = InUnits(seen_[node]);
    const std::uint64_t new_units = InUnits(pending[node - first]);
    found.fallen += old_units > new_units ? old_units - new_units : 0;
    found.standing += new_units;
    const double own = rows.own == nullptr ? rows.own_of_all : rows.own[node - first];
    if (own >= kMostOwn) desk.products[node - first].shift = kInfiniteShift;
    Consider(node, desk.products[node - first], found);
  }
}

template <class Sent>
void Messages<Sent>::Publish(const Stripe& stripe) {
  const std::uint32_t first = chunks_[stripe.first_chunk];
  const std::uint32_t last = chunks_[stripe.last_chunk];
  std::copy_n(pending_.begin(), last - first, seen_.begin() + first);
  next_chunk_.store(stripe.last_chunk, std::memory_order_relaxed);
}

template <class Sent>
PassFound Messages<Sent>::Pass(unsigned threads, const CancelFlag* cancel) {
  if (graph_.slots() <= kSmallGraph) threads = 1;
  std::size_t at_stripe = 0;
  bool stop = false;
  const auto publish = [&]() noexcept {
    Publish(stripes_[at_stripe]);
    ++at_stripe;
    stop = at_stripe == stripes_.size() || (cancel != nullptr && cancel->cancelled());
  };
  std::barrier together(static_cast<std::ptrdiff_t>(threads), publish);
  std::mutex mutex;
  PassFound all;
  next_chunk_.store(0, std::memory_order_relaxed);
  std::vector<Desk> desks(threads, Desk(chunk_nodes_));
  const auto work = [&](Desk& desk) {
    PassFound found;
    // The barrier orders what one thread publishes before what the others read.
    while (!stop) {
      const Stripe stripe = stripes_[at_stripe];
      for (std::uint32_t chunk; (chunk = next_chunk_.fetch_add(1, std::memory_order_relaxed)) < stripe.last_chunk;) {
        Renew(chunk, stripe, desk, found);
      }
      together.arrive_and_wait();
    }
    const std::lock_guard lock(mutex);
    all.Join(found);
  };
  std::vector<std::thread> helpers;
  for (unsigned t = 1; t < threads; ++t) {
    try {
      helpers.emplace_back(work, std::ref(desks[t]));
    } catch (const std::system_error&) {
      (void)together.arrive_and_drop();  // one thread fewer only takes longer
    }
  }
  work(desks[0]);
  for (std::thread& helper : helpers) helper.join();
  all.cancelled = at_stripe < stripes_.size();
  if (blocks_ && !all.cancelled) blocks_->Renew(seen_.data(), threads);
  first_pass_ = false;
  return all;
}

template <class Sent>
GraphNumbers<Sent> Messages<Sent>::Numbers() const {
  return {sent_, blocks_ ? blocks_->inside() : std::span<const Sent>()};
}

template class Messages<float>;
template class Messages<double>;

}  // namespace kith::field_large
