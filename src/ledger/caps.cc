// Charges by Gaussian loss: whether they fit the caps, and the entry that fixes these.  Claims: claims/caps.md
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/clock.h"
#include "ledger/checks.h"
#include "ledger/state.h"
#include "loss/loss_kinds.h"
#include "loss/loss_text.h"

namespace kith {

using ledger::Entry;
using ledger::Posting;

namespace ledger {
namespace {

std::string AmountText(kith::LossKind kind, std::int64_t amount) {
  return LossText(Loss::Of(kind, std::min(amount, Loss::Largest(kind))).value().value(kind));
}

}  // namespace

Result<void> CheckGaussian(const ChargeRequest& request, bool stream) {
  if (!request.gaussian) return {};
  const GaussianCharge& charge = *request.gaussian;
  const bool ordinary = request.level == UnitLevel::kPerson && request.covers == Covers::kAny && !request.step &&
                        !request.nested && !request.one_sided && request.parts.empty() && !request.presence &&
                        !request.limits_presence && !stream;
  if (!ordinary || !charge.caps)
    return InvalidArgument("Gaussian loss is charged for any change of a person's record, and against caps");
  const bool amounts = charge.mu >= 0 && charge.mu <= Loss::Largest(kith::LossKind::kMu) && charge.delta >= 0 &&
                       charge.delta <= Loss::Largest(kith::LossKind::kDelta);
  // What is charged at all is charged some Gaussian loss: the filter is about nothing else.
  if (!amounts || (charge.mu == 0 && (charge.delta > 0 || request.units.count() > 0)))
    return InvalidArgument("this is no Gaussian loss that can be charged");
  return {};
}

Result<void> CheckCaps(const LedgerGaussian& before, const LedgerCaps& allowed, const ChargeRequest& request,
                       const std::vector<std::string>& names) {
  const GaussianCharge& charge = *request.gaussian;
  for (std::size_t cell = 0; cell < before.mu.size(); ++cell) {
    if (before.caps.mu[cell] > allowed.mu.at(cell) || before.caps.delta[cell] > allowed.delta.at(cell)) {
      return BudgetExhausted(
          "the policy now allows less than the caps that were fixed when this ledger began to count with a delta",
          fmt::format("cell '{:.60}'", names[cell]),
          "go back to an epsilon, a delta and a dependence part that the caps were fixed for; nothing was charged");
    }
  }
  for (const std::size_t cell : request.cells) {
    const auto beyond = [&](std::int64_t spent, std::int64_t more, std::int64_t cap) {
      return more > cap || spent > cap - more;
    };
    const auto refuse = [&](kith::LossKind kind, const char* what, std::int64_t spent, std::int64_t more,
                            std::int64_t cap) {
      return BudgetExhausted(
          fmt::format("the budget does not allow this charge: {} of {} was spent, {} is allowed, this would add {}",
                      what, AmountText(kind, spent), AmountText(kind, cap), AmountText(kind, more)),
          fmt::format("cell '{:.60}'", names[cell]),
          spent < cap ? "ask for less, or ask a question that does not touch this cell; nothing was charged"
                      : "ask a question that does not touch this cell; what is spent never comes back");
    };
    if (beyond(before.mu[cell], charge.mu, before.caps.mu[cell]))
      return refuse(kith::LossKind::kMu, "a squared Gaussian loss", before.mu[cell], charge.mu, before.caps.mu[cell]);
    if (beyond(before.delta[cell], charge.delta, before.caps.delta[cell]))
      return refuse(kith::LossKind::kDelta, "a delta", before.delta[cell], charge.delta, before.caps.delta[cell]);
  }
  return {};
}

}  // namespace ledger

// One posting of each kind for all cells with the same cap.
Entry Ledger::State::CapEntry(const ledger::View& before, const LedgerCaps& caps, const std::string& words) {
  Entry entry;
  entry.position = before.position + 1;
  entry.kind = ledger::Kind::kCap;
  entry.number = 1;
  entry.unix_seconds = UnixSeconds();
  entry.policy = binding.policy;
  entry.subject = words;
  const auto post = [&](ledger::LossKind kind, const std::vector<std::int64_t>& amounts) {
    std::map<std::int64_t, ledger::CellSet> by_amount;
    for (std::size_t cell = 0; cell < amounts.size(); ++cell) by_amount[amounts[cell]].push_back(cell);
    for (const auto& [amount, cells] : by_amount) {
      Posting posting;
      posting.loss = kind;
      posting.covers = Covers::kAny;
      posting.cells = store->book().Of(cells);
      posting.amount = amount;
      entry.postings.push_back(std::move(posting));
    }
  };
  post(ledger::LossKind::kMu, caps.mu);
  post(ledger::LossKind::kDelta, caps.delta);
  return entry;
}

Result<void> Ledger::State::FixCaps(const ChargeRequest& request, std::vector<Step>& steps) {
  const ledger::View& before = steps.empty() ? view : steps.back().after;
  std::vector<PlainUnits> spent;
  for (const std::int64_t total : before.totals) spent.push_back(PlainUnits::Of(total));
  const auto allowed = request.gaussian->caps(before.gaussian ? before.gaussian->before : spent);
  if (!allowed) return allowed.error();
  if (allowed->mu.size() != spent.size() || allowed->delta.size() != spent.size())
    return InternalError("there is not one cap for each cell");
  if (!before.gaussian) {
    steps.push_back({CapEntry(before, *allowed, request.gaussian->words), before});
    if (const auto wrong = steps.back().after.Add(steps.back().entry)) return InternalError(*wrong);
    if (!steps.back().after.gaussian) return InternalError("these caps cannot be fixed");
  }
  const ledger::View& now = steps.empty() ? view : steps.back().after;
  return ledger::CheckCaps(*now.gaussian, *allowed, request, binding.cells);
}

Result<std::optional<LedgerGaussian>> Ledger::Gaussian() const {
  return state_->Read([&](State& at) -> Result<std::optional<LedgerGaussian>> {
    if (auto may = at.MayTotal(); !may) return may.error();
    ledger::View room;
    return at.Counted(room).gaussian;
  });
}

}  // namespace kith
