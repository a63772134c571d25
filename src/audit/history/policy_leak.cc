#include "audit/history/policy_leak.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "audit/history/policy_leak_places.h"
#include "loss/information.h"
#include "transfer/pair/pair.h"
#include "transfer/transfer_function.h"

namespace kith::audit {
namespace {

/// The pair formula of dependent differential privacy: what each neighbour adds by itself, added up. Nothing where it
/// says nothing new.
std::optional<Reading> StarReading(const Model& model, std::size_t of_class, double now, double after) {
  const std::string adversary = "somebody who knows any of the unit's neighbours";
  if (const auto* group = std::get_if<Group>(&model)) {
    const auto& odds = group->classes[of_class].odds_ratio;
    const std::int64_t size = group->SizeOf(of_class);
    if (!odds || size < 2) return {};
    const double others = static_cast<double>(size - 1);
    const auto at = [&](double plain) { return plain + others * Phi(std::log(*odds), plain); };
    return Reading{"star", at(now), at(after), adversary, size == 2};
  }
  if (const auto* field = std::get_if<Field>(&model); field != nullptr && field->factors.empty()) {
    const auto largest = LargestStar(*field, now, after);
    return Reading{"star", largest.now, largest.after, adversary, largest.only_pairs};
  }
  return {};
}

/// Readings of one class of records.
Result<std::vector<Reading>> ReadingsOf(const Transfer& transfer, std::size_t of_class, double now, double after) {
  const auto before = transfer.Loss(now, of_class);
  if (!before) return before.error();
  const auto then = transfer.Loss(after, of_class);
  if (!then) return then.error();
  std::vector<Reading> readings;
  for (const Bound& bound : before->bounds) {
    const auto same =
        std::find_if(then->bounds.begin(), then->bounds.end(), [&](const Bound& b) { return b.name == bound.name; });
    if (same == then->bounds.end()) continue;
    readings.push_back({bound.name, bound.dependent, same->dependent, bound.adversary, before->unproven.empty()});
  }
  const bool has_star =
      std::any_of(readings.begin(), readings.end(), [](const Reading& r) { return r.name == "star"; });
  if (transfer.known()) return readings;  // the others do not know about totals
  if (auto star = StarReading(transfer.model(), of_class, now, after); star && !has_star) readings.push_back(*star);
  return readings;
}

}  // namespace

double BitsOf(double loss) {
  return std::isfinite(loss) ? InformationBound(loss) / std::log(2.0) : std::numeric_limits<double>::infinity();
}

Result<PolicyLeak> LeakOf(const Transfer& transfer, std::span<const Stratum> strata, double more, double widened) {
  if (!(more >= 0 && std::isfinite(more))) return InvalidArgument("a plain loss is a number that is not negative");
  std::vector<double> largest(transfer.classes(), 0.0);
  for (const Stratum& stratum : strata) {
    if (stratum.of_class >= transfer.classes()) return InvalidArgument("a stratum names a class that does not exist");
    if (!(stratum.plain >= 0)) return InvalidArgument("a plain loss is a number that is not negative");
    // Relatives may be in any stratum of the class.
    largest[stratum.of_class] = std::max(largest[stratum.of_class], stratum.plain * widened);
  }
  const double wide = more * widened;
  PolicyLeak leak;
  leak.more = more;
  std::vector<std::vector<Reading>> readings;
  std::vector<std::pair<double, double>> dependent;
  std::vector<std::optional<double>> reached;
  std::size_t worst = 0;
  for (std::size_t k = 0; k < transfer.classes(); ++k) {
    auto of_class = ReadingsOf(transfer, k, largest[k], largest[k] + wide);
    if (!of_class) return of_class.error();
    readings.push_back(std::move(*of_class));
    const auto now = transfer.Loss(largest[k], k);
    const auto after = transfer.Loss(largest[k] + wide, k);
    if (!now) return now.error();
    if (!after) return after.error();
    dependent.emplace_back(now->dependent, after->dependent);
    reached.push_back(transfer.Reached(largest[k], k));
    if (leak.unproven.empty()) leak.unproven = now->unproven;
    if (leak.assumption.find(now->assumption) == std::string::npos) {
      leak.assumption += (leak.assumption.empty() ? "" : "; ") + now->assumption;
    }
    if (dependent[k].second > dependent[worst].second) worst = k;
  }
  for (const Stratum& stratum : strata) {
    StratumLeak& found = leak.strata.emplace_back();
    found.stratum = stratum;
    found.readings.push_back(
        {"plain", stratum.plain, stratum.plain + more, "anybody, if the unit's record depended on no other", true});
    const auto& of_class = readings[stratum.of_class];
    found.readings.insert(found.readings.end(), of_class.begin(), of_class.end());
    std::tie(found.dependent_now, found.dependent_after) = dependent[stratum.of_class];
    found.reached_now = reached[stratum.of_class];
    found.bits_now = BitsOf(found.dependent_now);
    found.bits_after = BitsOf(found.dependent_after);
  }
  if (transfer.known()) return leak;  // a total ties units wherever they are
  auto places = PlacesOf(transfer, worst, largest[worst], largest[worst] + wide);
  if (!places) return places.error();
  leak.places = std::move(*places);
  return leak;
}

}  // namespace kith::audit
