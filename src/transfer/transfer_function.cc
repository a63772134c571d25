#include "transfer/transfer_function.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "loss/loss_text.h"
#include "transfer/rounding.h"

namespace kith {

std::string Words(Adversary adversary) {
  switch (adversary) {
    case Adversary::kEvidence:
      return "somebody who may know any of the other records, or have evidence about single ones, but no joint facts "
             "such as an exact total";
    case Adversary::kRecords:
      return "somebody who may know any of the other records, but has no other evidence about them";
    case Adversary::kNeighbours:
      return "somebody who may know any of the records next to the one in question";
    case Adversary::kNothing:
      return "somebody who knows how records depend on each other, but no other record";
  }
  KITH_CHECK(false);
}

double PlainLosses::Largest() const { return each_.empty() ? all_ : *std::max_element(each_.begin(), each_.end()); }

double PlainLosses::SumOver(std::size_t records) const {
  if (each_.empty()) return rounding::MulUp(all_, static_cast<double>(records));
  double sum = 0;
  for (const double p : each_) sum = rounding::AddUp(sum, p);
  return sum;
}

Transferred Combine(const std::vector<BoundValues>& bounds, std::string assumption) {
  constexpr std::size_t kMostPerRecord = 1000;
  std::size_t records = 1;
  for (const auto& b : bounds) records = std::max(records, b.values.size());
  Transferred out;
  out.dependent = -1;
  out.assumption = std::move(assumption);
  Adversary weakest = Adversary::kEvidence;
  for (std::size_t i = 0; i < records; ++i) {
    const BoundValues* winner = nullptr;
    double least = 0;
    for (const auto& b : bounds) {
      const double value = b.values.size() == 1 ? b.values[0] : b.values[i];
      KITH_CHECK(value >= 0);
      const bool better = winner == nullptr || value < least || (value == least && b.adversary < winner->adversary);
      if (!better) continue;
      winner = &b;
      least = value;
    }
    KITH_CHECK(winner != nullptr && std::isfinite(least));
    weakest = std::max(weakest, winner->adversary);
    if (least > out.dependent) {
      out.dependent = least;
      out.bound = winner->name;
    }
    if (records <= kMostPerRecord) out.per_record.push_back(least);
  }
  if (records == 1) out.per_record.clear();
  out.adversary = Words(weakest);
  out.bounds = Listed(bounds);
  return out;
}

std::vector<Bound> Listed(const std::vector<BoundValues>& bounds) {
  std::vector<Bound> listed;
  for (const auto& b : bounds) {
    const double worst = *std::max_element(b.values.begin(), b.values.end());
    if (std::isfinite(worst)) listed.push_back({b.name, worst, Words(b.adversary)});
  }
  return listed;
}

std::string AtMostText(double number) { return LeftText(number, 6); }
std::string AtLeastText(double number) { return LossText(number, 6); }

}  // namespace kith
