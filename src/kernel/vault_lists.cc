// Doors for lists: what is shown is which of very many keys have a large noisy count.
#include <map>
#include <string>
#include <utility>

#include "engine/key_scan.h"
#include "kernel/vault.h"
#include "mechanism/partition_selection.h"
#include "mechanism/sparse_counts.h"

namespace kith {

Result<Vault::ShownTable> Vault::OpenSparse(const SparsePlan& plan, std::int64_t threshold, std::size_t most,
                                            PlainUnits share, Paid& paid) const {
  const auto law = SparseCounts::Make(plan.change.l1(), share, plan.cells, threshold);
  if (!law) return law.error();
  if (auto spent = paid.Spend(plan.charged, {.any = share, .presence = share}); !spent) return spent.error();
  ShownCells cells(*law, bits_);
  const std::size_t keys = plan.keys.size();
  std::vector<std::int64_t> indexes(keys);
  const auto scanned = session_.Scan(
      plan.statement,
      [&](IntegerColumns rows) -> Result<void> {
        if (rows.size() != keys + 1) return InternalError("a count has another form than planned");
        for (std::size_t row = 0; row < rows[keys].size(); ++row) {
          for (std::size_t k = 0; k < keys; ++k) indexes[k] = rows[k][row];
          UInt128 number = 0;
          if (plan.NumberOf(indexes, number)) cells.Add(number, rows[keys][row]);
        }
        return {};
      },
      cancel_);
  if (!scanned) return AsOneSentence(scanned.error());
  ShownTable shown;
  shown.cells = cells.Take(most);
  shown.passed = cells.passed();
  return shown;
}

Result<std::vector<Vault::ShownKey>> Vault::OpenKeys(const OpenKeysPlan& plan, const Loss& share, std::int64_t delta,
                                                     Paid& paid) const {
  const auto law = PartitionSelection::Make(plan.most_keys, share, delta);
  if (!law) return law.error();
  const auto pure = PlainUnits::Of(share.amount(LossKind::kPure));
  const Cost cost{.any = pure, .presence = pure, .mu = share.amount(LossKind::kMu), .delta = delta};
  if (auto spent = paid.Spend(plan.charged, cost); !spent) return spent.error();
  std::map<std::vector<std::string>, Int128> passed;  // sorted: in which order an engine found them may be a secret
  const auto scanned = ScanKeys(
      session_, plan.statement,
      [&](const CountedKeys& rows) -> Result<void> {
        if (rows.keys.size() != plan.columns.size()) return InternalError("a count has another form than planned");
        for (std::size_t row = 0; row < rows.counts.size(); ++row) {
          // All that is kept of a key is whether it passed.
          const auto noisy = law->Select(rows.counts[row], bits_);
          if (!noisy) continue;
          std::vector<std::string> key;
          for (const auto& column : rows.keys) key.emplace_back(column[row]);
          passed.emplace(std::move(key), *noisy);
        }
        return {};
      },
      cancel_);
  if (!scanned) return AsOneSentence(scanned.error());
  std::vector<ShownKey> shown;
  for (const auto& [texts, noisy] : passed) {
    const std::vector<std::string_view> key(texts.begin(), texts.end());
    auto values = plan.ValuesOf(key);
    if (!values) return AsOneSentence(values.error());
    if (*values) shown.push_back({std::move(**values), noisy});
  }
  return shown;
}

}  // namespace kith
