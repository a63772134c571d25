#include "mechanism/noise.h"

namespace kith {

std::string_view LawText(std::string_view id) { return id == kDiscreteLaplaceName.id ? kDiscreteLaplaceName.text : id; }

Result<Noise> Noise::For(const Change& change, const Loss& share) {
  if (!share.IsPure()) {
    return Unsupported("there is no noise yet for a loss of this kind", {}, "offer a pure loss: an epsilon");
  }
  const auto units = PlainUnits::Of(share.amount(LossKind::kPure));
  const auto law = DiscreteLaplace::Make(change.l1(), units);
  if (!law) return law.error();
  return Noise(*law, change, change.IsNone() ? Loss() : share);
}

Result<PlainUnits> Noise::ShareForError(const Change& change, double error_in_steps, double confidence,
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

// Of the continuous law with the same scale: less than a sixth of a squared step above that of the discrete one.
double Noise::variance() const { return 2 * scale() * scale(); }

LawName Noise::Name() const { return kDiscreteLaplaceName; }

std::vector<std::string> Noise::Claims() const { return {"DL-1"}; }

std::string Noise::PlanClaim() const { return "PLAN-1"; }

}  // namespace kith
