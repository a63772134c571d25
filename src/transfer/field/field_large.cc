#include "transfer/field/field_large.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "base/meter.h"
#include "transfer/check/node_losses.h"
#include "transfer/field/field_large_passes.h"
#include "transfer/rounding.h"

namespace kith {
namespace {

using field_large::Messages;
using field_large::PassFound;

constexpr std::uint64_t kMostSlotsInDouble = 1 << 20;

Error BadLoss() {
  return InvalidArgument("a plain loss is negative, infinite or not a number", "plain", "give a loss of 0 or more");
}

Error Stopped() { return Cancelled("stopped while bounding the dependence of the graph"); }

/// Watches a falling number and says when it no longer falls enough.
class Fall {
 public:
  explicit Fall(double gain) : gain_(gain) {}

  bool Ended(double value) {
    if (std::isinf(value)) return true;  // it says nothing yet, or never
    const double fell = last_ <= 0 || value <= 0 ? 0 : (last_ - value) / value;
    // If gains shrink by a constant ratio, this much is still to come.
    const double to_come = fell > 0 && fell < last_fell_ ? fell * fell / (last_fell_ - fell) : fell;
    last_ = value;
    last_fell_ = fell;
    return fell <= gain_ && to_come <= gain_;
  }

 private:
  double gain_;
  double last_ = std::numeric_limits<double>::infinity();
  double last_fell_ = std::numeric_limits<double>::infinity();
};

double MessagesAlone(const Graph& graph, const PassFound& found) {
  const std::uint32_t node = found.largest_node;
  return LossOf(found.largest, graph.offsets()[node + 1] - graph.offsets()[node]);
}

template <class Stored>
Result<FoundOnGraph> Iterate(const GraphBlocks& blocks, const NodeLosses& losses, const FieldOptions& options,
                             const CancelFlag* cancel) {
  const auto messages = std::make_shared<Messages<Stored>>(losses, blocks);
  Fall of_bound(options.gain);
  Fall of_messages(options.gain);
  FoundOnGraph found;
  double least = std::numeric_limits<double>::infinity();
  double least_messages = least;
  while (found.passes < options.most_passes && !found.settled) {
    const PassFound pass = messages->Pass(options.threads, cancel);
    if (pass.cancelled) return Stopped();
    ++found.passes;
    least = std::min(least, std::max(0.0, pass.worst.value));
    least_messages = std::min(least_messages, MessagesAlone(blocks.graph(), pass));
    // A cap can hide that the messages still fall, and the worst node that others do: all three must have ended.
    const bool bound_ended = of_bound.Ended(least);
    const bool messages_ended = of_messages.Ended(least_messages);
    found.settled = bound_ended && messages_ended &&
                    static_cast<double>(pass.fallen) <= options.gain * static_cast<double>(pass.standing);
  }
  found.witness = {messages->Numbers(), messages};
  return found;
}

}  // namespace

Result<LargeField> LargeField::Make(std::shared_ptr<const Graph> graph, std::vector<std::uint32_t> hidden,
                                    FieldOptions options) {
  if (graph == nullptr) return InvalidArgument("there is no graph");
  if (!(options.gain >= 0) || options.most_passes < 1 || options.threads < 1 || options.threads > 1024) {
    return InvalidArgument("gain, passes or threads out of range", "options");
  }
  std::sort(hidden.begin(), hidden.end());
  if (!hidden.empty() && hidden.back() >= graph->records()) {
    return InvalidArgument("a hidden record does not exist", "hidden",
                           "records are numbered from 0 to " + std::to_string(graph->records() - 1));
  }
  try {
    GraphBlocks blocks =
        options.cliques ? field_large::BlocksOf(graph, options.threads) : *GraphBlocks::Make(graph, {}, {});
    return LargeField(std::move(graph), std::move(blocks), std::move(hidden), options);
  } catch (const std::bad_alloc&) {
    return StorageError("there is not enough memory to look for cliques", "edges");
  }
}

bool LargeField::UsesSingle() const {
  if (options_.precision == FieldOptions::Precision::kBySize) return graph_->slots() > kMostSlotsInDouble;
  return options_.precision == FieldOptions::Precision::kSingle;
}

std::size_t LargeField::Bytes() const {
  std::size_t blocks = 0;
  if (!blocks_->empty()) {
    blocks = UsesSingle() ? field_large::Blocks<float>::Bytes(*blocks_) : field_large::Blocks<double>::Bytes(*blocks_);
  }
  return graph_->Bytes() + blocks + (UsesSingle() ? Messages<float>::Bytes(*graph_) : Messages<double>::Bytes(*graph_));
}

Result<FoundOnGraph> LargeField::Find(const NodeLosses& losses, const CancelFlag* cancel) const {
  try {
    return UsesSingle() ? Iterate<float>(*blocks_, losses, options_, cancel)
                        : Iterate<double>(*blocks_, losses, options_, cancel);
  } catch (const std::bad_alloc&) {
    return StorageError("there is not enough memory for the messages", "edges", "they take 8 bytes an edge");
  }
}

Result<FieldBound> LargeField::Loss(const PlainLosses& plain, const CancelFlag* cancel) const {
  const std::size_t losses_given = plain.uniform() ? 1 : plain.each().size();
  if (!plain.uniform() && losses_given != graph_->records()) {
    return InvalidArgument("there is not one plain loss for each record", "plain");
  }
  for (std::size_t i = 0; i < losses_given; ++i) {
    if (!(plain[i] >= 0) || std::isinf(plain[i])) return BadLoss();
  }
  const NodeLosses losses(*graph_, hidden_, plain);
  const auto found = Find(losses, cancel);
  if (!found) return found.error();
  FieldBound bound{ProvedOnGraph(*graph_, losses, *blocks_, found->witness, options_.per_record)};
  bound.block = losses.LargestBlock();
  bound.group = losses.LargestGroup();
  bound.passes = found->passes;
  bound.settled = found->settled;
  return bound;
}

Result<double> LargeField::PlainBudget(double dependent, double precision, const CancelFlag* cancel) const {
  if (!(dependent > 0) || std::isinf(dependent) || !(precision > 0)) {
    return InvalidArgument("the dependent loss and the precision must be above 0", "dependent");
  }
  const auto loss_at = [&](double plain) -> Result<double> {
    const auto bound = Loss(PlainLosses::All(plain), cancel);
    if (!bound) return bound.error();
    return bound->dependent;
  };
  // Too much, or just right if nothing depends on anything.
  double high = dependent;
  auto loss = loss_at(high);
  if (!loss) return loss.error();
  if (*loss <= dependent) return high;
  double high_loss = *loss;
  // Small enough by the group bound alone.
  std::uint32_t largest = 1;
  for (const std::uint32_t records : graph_->component_records()) largest = std::max(largest, records);
  double low = dependent / largest * (1 - 1e-12 - largest * 0x1p-51);
  loss = loss_at(low);
  if (!loss) return loss.error();
  if (*loss > dependent) return 0.0;
  double low_loss = *loss;
  // The curve is close to a power of the plain loss between two near points: aim at where that power meets the target,
  // and halve the interval whenever aiming does not shorten it.
  bool aim = true;
  while (high > low * (1 + precision)) {
    Meter::Look();
    const double span = std::log(high / low);
    double plain = std::sqrt(low) * std::sqrt(high);
    if (aim && high_loss > low_loss && low_loss > 0) {
      const double part = std::log(dependent / low_loss) / std::log(high_loss / low_loss);
      // A little off the mark, towards the nearer end, so that the interval closes from both sides.
      const double step = part < 0.5 ? part + precision / span / 4 : part - precision / span / 4;
      plain = low * std::exp(span * std::clamp(step, 0.0, 1.0));
    }
    if (!(plain > low && plain < high)) plain = low + (high - low) / 2;
    if (!(plain > low && plain < high)) break;
    loss = loss_at(plain);
    if (!loss) return loss.error();
    (*loss <= dependent ? low : high) = plain;
    (*loss <= dependent ? low_loss : high_loss) = *loss;
    aim = std::log(high / low) < span / 2;
  }
  return low;
}

}  // namespace kith
