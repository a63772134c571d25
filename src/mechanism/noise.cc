#include "mechanism/noise.h"

#include <algorithm>
#include <bit>

namespace kith {
namespace {

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;

// The smallest whole number whose square is not below the value.
std::uint64_t RootUp(UInt128 value) {
  UInt128 low = 0, high = UInt128{1} << 63;
  while (low < high) {
    const UInt128 middle = low + (high - low) / 2;
    if (middle * middle >= value)
      high = middle;
    else
      low = middle + 1;
  }
  return static_cast<std::uint64_t>(low);
}

// sigma^2 >= l2_squared / mu^2 in whole numbers: sigma = num / 2^k, and mu^2 = amount / 2^40.
Result<RoundedNormal> NormalFor(std::int64_t l2_squared, std::int64_t amount) {
  constexpr int kMuBits = 40, kRoom = 122;  // the squared numerator fits in 128 bits, and the numerator in 61
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(l2_squared)));
  const int k = std::min((kRoom - kMuBits - bits) / 2, 42);
  const UInt128 scaled = UInt128{static_cast<std::uint64_t>(l2_squared)} << (kMuBits + 2 * k);
  const UInt128 squared = (scaled + static_cast<UInt128>(amount) - 1) / static_cast<UInt128>(amount);
  const std::uint64_t den = std::uint64_t{1} << k;
  // There is no smaller sigma than 2^-6: a little more noise than would be needed.
  return RoundedNormal::Make(std::max(RootUp(squared), den >> 6), den);
}

}  // namespace

std::string_view LawText(std::string_view id) {
  for (const LawName& name : {kDiscreteLaplaceName, kRoundedNormalName}) {
    if (id == name.id) return name.text;
  }
  return id;
}

Result<Noise> Noise::For(const Sensitivities& change, const Loss& share) {
  const Loss loss = change.IsNone() ? Loss() : share;
  const std::int64_t mu = share.amount(LossKind::kMu);
  const auto normal = Loss::Of(LossKind::kMu, mu);
  if (mu > 0 && normal && share == *normal && !change.IsNone()) {
    const auto law = NormalFor(change.l2_squared(), mu);
    if (!law) return law.error();
    return Noise(*law, change, loss);
  }
  if (!share.IsPure() && !change.IsNone()) {
    return Unsupported("there is no noise yet for a loss of this kind", {},
                       "offer a pure loss, an epsilon, or a Gaussian one");
  }
  const auto units = PlainUnits::Of(share.amount(LossKind::kPure));
  const auto law = DiscreteLaplace::Make(change.l1(), units);
  if (!law) return law.error();
  return Noise(*law, change, loss);
}

Result<PlainUnits> Noise::ShareForError(const Sensitivities& change, double error_in_steps, double confidence,
                                        std::uint64_t cells) {
  return DiscreteLaplace::ShareForError(change.l1(), error_in_steps, confidence, cells);
}

Int128 Noise::Release(Int128 value, BitSource& bits) const {
  return std::visit([&](const auto& law) { return law.Release(value, bits); }, law_);
}

void Noise::ReleaseAll(std::span<Int128> values, BitSource& bits) const {
  std::visit([&](const auto& law) { law.ReleaseAll(values, bits); }, law_);
}

double Noise::ErrorBarAll(double confidence, std::uint64_t cells) const {
  return std::visit([&](const auto& law) { return law.ErrorBarAll(confidence, cells); }, law_);
}

double Noise::scale() const {
  return std::visit([](const auto& law) { return law.scale(); }, law_);
}

// Of the continuous law with the same scale: Laplace's is less than a sixth of a squared step above that of the
// discrete one, and rounding adds less than a squared step to a normal law.
double Noise::variance() const {
  return std::visit(Overloaded{[](const DiscreteLaplace& law) { return 2 * law.scale() * law.scale(); },
                               [](const RoundedNormal& law) { return law.scale() * law.scale(); }},
                    law_);
}

LawName Noise::Name() const {
  return std::holds_alternative<RoundedNormal>(law_) ? kRoundedNormalName : kDiscreteLaplaceName;
}

std::vector<std::string> Noise::Claims() const {
  if (std::holds_alternative<RoundedNormal>(law_)) return {"NORMAL-1"};
  return {"DL-1"};
}

std::string Noise::PlanClaim() const { return std::holds_alternative<RoundedNormal>(law_) ? "PLAN-4" : "PLAN-1"; }

}  // namespace kith
