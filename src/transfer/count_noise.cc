#include "transfer/count_noise.h"

#include <algorithm>
#include <cmath>

#include "dependence/check.h"
#include "loss/loss_text.h"
#include "transfer/transfer_function.h"

namespace kith {
namespace {

class Table {
 public:
  Table(const Model& model, double epsilon, std::int64_t counts)
      : model_(model), epsilon_(epsilon), counts_(static_cast<double>(counts)) {}

  Result<std::vector<CountMethod>> Rows() {
    methods_.push_back({"laplace",
                        counts_ / epsilon_,
                        Standing::kPlainOnly,
                        "plain DP only; nothing against somebody who knows how records depend on each other",
                        {}});
    if (std::holds_alternative<Lipschitz>(model_)) return std::move(methods_);  // a count jumps at any distance
    if (auto ok = AddTransfer(); !ok) return ok.error();
    return std::move(methods_);
  }

 private:
  std::string Loss() const { return "dependent loss " + LossText(epsilon_); }

  /// One row for each class, unless there is one that says the same.
  Result<void> AddKith(const Transfer& transfer, const std::string& name) {
    const std::string unproven = UnprovenOn(model_);
    for (std::size_t c = 0; c < transfer.classes(); ++c) {
      const auto plain = transfer.PlainBudget(epsilon_, c);
      if (!plain) return plain.error();
      if (*plain == 0) continue;  // no noise is enough
      const auto at = transfer.Loss(*plain, c);
      if (!at) return at.error();
      const std::string private_under = (unproven.empty() ? "" : unproven + "; claimed: ") + Loss() + " against " +
                                        at->adversary + ", by transfer function " + at->bound;
      const std::string full_name = name + ClassName(c);
      const auto same = [&](const CountMethod& m) {
        return m.private_under == private_under && m.name == "kith" + ClassName(c);
      };
      if (std::any_of(methods_.begin(), methods_.end(), same)) continue;
      methods_.push_back({full_name,
                          counts_ / *plain,
                          unproven.empty() ? Standing::kComposes : Standing::kNoGuarantee,
                          private_under,
                          {}});
    }
    return {};
  }

  /// kith's own rows, and group privacy where the number of records that move together is known.
  Result<void> AddTransfer() {
    const auto transfer = Transfer::Make(model_);
    if (!transfer) return transfer.error();
    if (auto ok = AddKith(*transfer, "kith"); !ok) return ok;
    // What a policy would use where it covers more for at most 1 % of the budget.
    const auto stronger = transfer->ForBudget(epsilon_);
    if (!stronger) return stronger.error();
    if (auto ok = AddKith(*stronger, "kith, stronger adversary"); !ok) return ok;
    const auto at_one = transfer->Loss(1);
    if (!at_one) return at_one.error();
    for (const Bound& bound : at_one->bounds) {
      if (bound.name != "group" || !std::isfinite(bound.dependent)) continue;
      methods_.push_back({"group",
                          bound.dependent * counts_ / epsilon_,
                          Standing::kComposes,
                          Loss() + " against " + bound.adversary + ", by transfer function group",
                          {}});
    }
    return {};
  }

  /// " (mz)" for a group model with several classes.
  std::string ClassName(std::size_t c) const {
    const auto* group = std::get_if<Group>(&model_);
    return group == nullptr || group->classes.size() < 2 ? "" : " (" + group->classes[c].label + ")";
  }

  const Model& model_;
  double epsilon_;
  double counts_;
  std::vector<CountMethod> methods_;
};

}  // namespace

Result<std::vector<CountMethod>> NoiseOfCounts(const Model& model, double epsilon, std::int64_t counts) {
  if (!(epsilon > 0 && std::isfinite(epsilon))) {
    return InvalidArgument("epsilon must be a positive, finite number", "epsilon", "state a number such as 0.5");
  }
  if (counts < 1 || counts > 1'000'000) {
    return InvalidArgument("the number of counts must lie between 1 and 1000000", "counts", "state how many are asked");
  }
  if (auto ok = Check(model); !ok) return ok.error();
  return Table(model, epsilon, counts).Rows();
}

}  // namespace kith
