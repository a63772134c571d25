#include "loss/loss_kinds.h"

#include <algorithm>
#include <cmath>

namespace kith {
namespace {

constexpr std::array<std::string_view, kLossKinds.size()> kNames = {"pure", "mu", "rho", "delta"};
constexpr std::array<int, kLossKinds.size()> kBits = {32, 40, 40, 60};

std::size_t Position(LossKind kind) { return static_cast<std::size_t>(kind) - 1; }

}  // namespace

std::string_view NameOf(LossKind kind) { return kNames[Position(kind)]; }

std::optional<LossKind> LossKindFrom(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return kLossKinds[static_cast<std::size_t>(found - kNames.begin())];
}

Loss Loss::Pure(PlainUnits units) {
  Loss loss;
  loss.amounts_[At(LossKind::kPure)] = units.count();
  return loss;
}

Result<Loss> Loss::Of(LossKind kind, std::int64_t amount) {
  if (amount < 0 || amount > Largest(kind)) return InvalidArgument("no such amount of loss", std::string(NameOf(kind)));
  Loss loss;
  loss.amounts_[At(kind)] = amount;
  return loss;
}

Result<Loss> Loss::Ceil(LossKind kind, double value) {
  const double units = std::ceil(std::ldexp(value, kBits[Position(kind)]));  // exact, or far below a unit
  if (!(value >= 0 && units <= static_cast<double>(Largest(kind)))) {
    return InvalidArgument("a loss must be a number from zero to the largest that can be counted",
                           std::string(NameOf(kind)));
  }
  return Of(kind, value > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(units)) : 0);
}

double Loss::value(LossKind kind) const {
  const std::int64_t amount = amounts_[At(kind)];
  double rounded = static_cast<double>(amount);  // exact up to 2^53
  if (static_cast<std::int64_t>(rounded) < amount) rounded = std::nextafter(rounded, HUGE_VAL);
  return std::ldexp(rounded, -kBits[Position(kind)]);
}

bool Loss::IsPure() const {
  return std::all_of(kLossKinds.begin(), kLossKinds.end(),
                     [&](LossKind kind) { return kind == LossKind::kPure || amount(kind) == 0; });
}

Loss Loss::operator+(const Loss& other) const {
  Loss sum;
  for (const LossKind kind : kLossKinds) {
    sum.amounts_[At(kind)] = std::min(amount(kind) + other.amount(kind), Largest(kind) + 1);
  }
  return sum;
}

std::partial_ordering Loss::operator<=>(const Loss& other) const {
  bool less = false, more = false;
  for (const LossKind kind : kLossKinds) {
    less = less || amount(kind) < other.amount(kind);
    more = more || amount(kind) > other.amount(kind);
  }
  if (less && more) return std::partial_ordering::unordered;
  if (less) return std::partial_ordering::less;
  return more ? std::partial_ordering::greater : std::partial_ordering::equivalent;
}

}  // namespace kith
