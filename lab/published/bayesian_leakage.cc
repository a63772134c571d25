#include "published/bayesian_leakage.h"

#include <algorithm>

#include "published/laplace_loss.h"

namespace kith::published {

Result<double> LeakageKnowing(const ListedLaw& law, const Query& query, double scale, std::size_t record,
                              std::span<const std::size_t> known) {
  double worst = 0;
  for (const ListedLaw& rest : Knowing(law, known)) {
    const auto secret = SecretOf(rest, query, record);
    if (!secret) return secret.error();
    worst = std::max(worst, LaplaceLoss(*secret, scale));
  }
  return worst;
}

Result<std::vector<Leakage>> AllLeakages(const ListedLaw& law, const Query& query, double scale) {
  constexpr std::size_t kMostRecords = 12;
  const std::size_t records = law.empty() ? 0 : law[0].values.size();
  if (records > kMostRecords) {
    return InvalidArgument("there are too many sets of records that somebody may know", "law",
                           "ask for single sets, or list at most 12 records");
  }
  std::vector<Leakage> all;
  for (std::size_t i = 0; i < records; ++i) {
    for (std::size_t set = 0; set < std::size_t{1} << records; ++set) {
      if ((set >> i & 1) != 0) continue;
      Leakage leakage{i, {}, 0};
      for (std::size_t j = 0; j < records; ++j) {
        if ((set >> j & 1) != 0) leakage.known.push_back(j);
      }
      const auto loss = LeakageKnowing(law, query, scale, i, leakage.known);
      if (!loss) return loss.error();
      leakage.loss = *loss;
      all.push_back(std::move(leakage));
    }
  }
  return all;
}

}  // namespace kith::published
