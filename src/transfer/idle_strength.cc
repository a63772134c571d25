#include "transfer/idle_strength.h"

#include <fmt/format.h>

#include "transfer/transfer.h"

namespace kith {
namespace {

constexpr double kHardlyMore = 1.02;

double BudgetOf(std::int64_t size, const Group& model, const GroupClass& group, double dependent) {
  Group one{size, {group}, model.attribute, model.ties, model.shared};
  if (!group.odds_ratio) one.ties = Ties::kEither, one.shared = SharedBy::kNothing;
  const auto transfer = Transfer::Make(std::move(one));
  if (!transfer) return 0;
  return transfer->PlainBudget(dependent).value_or(0);
}

}  // namespace

std::string IdleStrength(const Model& model, double dependent) {
  const auto* group = std::get_if<Group>(&model);
  if (group == nullptr || group->size < 2) return {};
  for (std::size_t k = 0; k < group->classes.size(); ++k) {
    const GroupClass& one = group->classes[k];
    const std::int64_t size = group->SizeOf(k);
    if (!one.odds_ratio || size < 2) continue;
    const double with = BudgetOf(size, *group, {one.label, one.odds_ratio, {}, one.cause}, dependent);
    const double without = BudgetOf(size, *group, {one.label, std::nullopt}, dependent);
    if (!(without > 0) || with > kHardlyMore * without) continue;
    return fmt::format(
        "an odds ratio of {} in groups of {} buys nothing: the budget is what it is where members depend on each "
        "other "
        "in any way; smaller groups or weaker ties would buy something",
        *one.odds_ratio, size);
  }
  return {};
}

}  // namespace kith
