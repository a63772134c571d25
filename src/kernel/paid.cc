#include "kernel/paid.h"

#include <algorithm>

namespace kith {
namespace {

Error NotPaid() { return InternalError("a number was to be opened for which nothing was paid"); }

}  // namespace

Paid& Paid::operator=(Paid&& other) noexcept {
  left_ = std::exchange(other.left_, {});
  one_sided_ = std::exchange(other.one_sided_, {});
  units_ = std::exchange(other.units_, {});
  entry_ = std::exchange(other.entry_, {});
  return *this;
}

Paid Paid::For(const ChargeRequest& request) {
  Paid paid;
  paid.units_ = request.units;
  if (request.one_sided) paid.one_sided_ = request.one_sided->units;
  const auto add = [&](const std::vector<std::size_t>& cells, const Left& left) {
    for (const std::size_t cell : cells) {
      if (cell >= paid.left_.size()) paid.left_.resize(cell + 1);
      paid.left_[cell] = left;
    }
  };
  if (request.parts.empty()) {
    Left left{request.units, request.presence.value_or(request.units), 0, 0};
    if (request.beside) left.delta = request.beside->delta;
    // By caps: either it is pure noise, whose Gaussian loss is charged as well, or it is normal noise.
    if (request.gaussian && !request.gaussian->pure)
      left = {.any = {}, .presence = {}, .mu = request.gaussian->mu, .delta = request.gaussian->delta};
    add(request.cells, left);
  }
  for (const CellCharge& part : request.parts) add(part.cells, {part.units, part.presence.value_or(part.units), 0, 0});
  return paid;
}

Result<Paid> Paid::Charge(Ledger& book, const ChargeRequest& request) {
  auto entry = book.Charge(request);
  if (!entry) return entry.error();
  Paid paid = For(request);
  paid.entry_ = std::move(*entry);
  return paid;
}

Result<void> Paid::Spend(const std::vector<bool>& cells, const Cost& cost) {
  if (cost.any.count() == 0 && cost.mu == 0) return {};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (!cells[cell]) continue;
    if (cell >= left_.size()) return NotPaid();
    const Left& left = left_[cell];
    const bool plain = cost.any <= left.any && cost.presence <= left.presence;
    if (!plain || left.mu < cost.mu || left.delta < cost.delta) return NotPaid();
  }
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (!cells[cell]) continue;
    Left& left = left_[cell];
    left = {left.any - cost.any, left.presence - cost.presence, left.mu - cost.mu, left.delta - cost.delta};
  }
  return {};
}

Result<void> Paid::SpendOneSided(PlainUnits units) {
  if (units.count() == 0 || one_sided_ < units) return NotPaid();
  one_sided_ = one_sided_ - units;
  return {};
}

void Paid::SpendAll() {
  left_.clear();
  one_sided_ = {};
}

}  // namespace kith
