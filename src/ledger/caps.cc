// Charges by Gaussian loss, and deltas with pure ones: whether they fit the caps, and the entries that fix these.
// Claims: claims/caps.md
#include <fmt/format.h>

#include <algorithm>
#include <map>

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

Error AllowsLess(const std::string& cell) {
  return BudgetExhausted(
      "the policy now allows less than the caps that were fixed when this ledger began to count with a delta",
      fmt::format("cell '{:.60}'", cell),
      "go back to an epsilon, a delta and a dependence part that the caps were fixed for; nothing was charged");
}

// Whether one more charge fits on top of what was spent of a cap.
Result<void> Fits(kith::LossKind kind, const char* what, std::int64_t spent, std::int64_t more, std::int64_t cap,
                  const std::string& cell) {
  if (more <= cap && spent <= cap - more) return {};
  return BudgetExhausted(
      fmt::format("the budget does not allow this charge: {} of {} was spent, {} is allowed, this would add {}", what,
                  AmountText(kind, spent), AmountText(kind, cap), AmountText(kind, more)),
      fmt::format("cell '{:.60}'", cell),
      spent < cap ? "ask for less, or ask a question that does not touch this cell; nothing was charged"
                  : "ask a question that does not touch this cell; what is spent never comes back");
}

bool IsOrdinary(const ChargeRequest& request, bool stream) {
  return request.level == UnitLevel::kPerson && !request.step && !request.nested && !request.one_sided &&
         !request.limits_presence && !stream;
}

}  // namespace

Result<void> CheckBeside(const ChargeRequest& request, bool stream) {
  if (!request.beside) return {};
  if (!IsOrdinary(request, stream) || request.gaussian || !request.beside->caps)
    return InvalidArgument("a delta is charged beside a pure loss of persons, and against caps");
  const std::int64_t delta = request.beside->delta;
  // A delta without any loss would belong to an answer about which nothing else is said.
  if (delta < 0 || delta > Loss::Largest(kith::LossKind::kDelta) || (delta > 0 && request.units.count() == 0))
    return InvalidArgument("this is no delta that can be charged");
  return {};
}

Result<void> CheckGaussian(const ChargeRequest& request, bool stream) {
  if (!request.gaussian) return {};
  const GaussianCharge& charge = *request.gaussian;
  if (!IsOrdinary(request, stream) || request.covers != Covers::kAny || request.presence || !request.parts.empty() ||
      !charge.caps)
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
    if (before.caps.mu[cell] > allowed.mu.at(cell) || before.caps.delta[cell] > allowed.delta.at(cell))
      return AllowsLess(names[cell]);
  }
  for (const std::size_t cell : request.cells) {
    auto fits = Fits(kith::LossKind::kMu, "a squared Gaussian loss", before.mu[cell], charge.mu, before.caps.mu[cell],
                     names[cell]);
    if (fits)
      fits = Fits(kith::LossKind::kDelta, "a delta", before.delta[cell], charge.delta, before.caps.delta[cell],
                  names[cell]);
    if (!fits) return fits;
  }
  return {};
}

Result<void> CheckDeltaCaps(const LedgerGaussian& before, const std::vector<std::int64_t>& allowed,
                            const ChargeRequest& request, const std::vector<std::string>& names) {
  for (std::size_t cell = 0; cell < before.delta.size(); ++cell) {
    if (before.caps.delta[cell] > allowed.at(cell)) return AllowsLess(names[cell]);
  }
  for (const std::size_t cell : request.cells) {
    auto fits = Fits(kith::LossKind::kDelta, "a delta", before.delta[cell], request.beside->delta,
                     before.caps.delta[cell], names[cell]);
    if (!fits) return fits;
  }
  return {};
}

}  // namespace ledger

// Caps that do not exist have no postings. One posting of each kind for all cells with the same cap.
Result<void> Ledger::State::AddCapEntry(const LedgerCaps& caps, const std::string& words, std::vector<Step>& steps) {
  const bool again = (steps.empty() ? view : steps.back().after).gaussian.has_value();
  Entry entry{.kind = ledger::Kind::kCap,
              .number = again ? 2 : 1,  // caps of Gaussian loss may come after those of deltas
              .policy = binding.policy,
              .subject = words};
  const auto post = [&](ledger::LossKind kind, const std::vector<std::int64_t>& amounts) {
    std::map<std::int64_t, ledger::CellSet> by_amount;
    for (std::size_t cell = 0; cell < amounts.size(); ++cell) by_amount[amounts[cell]].push_back(cell);
    for (const auto& [amount, cells] : by_amount)
      entry.postings.push_back(
          {.cells = store->book().Of(cells), .loss = kind, .covers = Covers::kAny, .amount = amount});
  };
  post(ledger::LossKind::kMu, caps.mu);
  post(ledger::LossKind::kDelta, caps.delta);
  if (const auto wrong = Next(steps, std::move(entry))) return InternalError(*wrong);
  const auto& fixed = steps.back().after.gaussian;
  if (!fixed || fixed->open != caps.mu.empty()) return InternalError("these caps cannot be fixed");
  return {};
}

Result<void> Ledger::State::FixCaps(const ChargeRequest& request, std::vector<Step>& steps) {
  const ledger::View& before = steps.empty() ? view : steps.back().after;
  const bool fixed = before.gaussian && !before.gaussian->open;
  const auto spent = before.PureTotals();
  const auto allowed = request.gaussian->caps(fixed ? before.gaussian->before : spent);
  if (!allowed) return allowed.error();
  if (allowed->mu.size() != spent.size() || allowed->delta.size() != spent.size())
    return InternalError("there is not one cap for each cell");
  if (!fixed) {
    // Caps of deltas that are there stay as they are.
    const LedgerCaps missing{allowed->mu, before.gaussian ? std::vector<std::int64_t>() : allowed->delta};
    if (auto added = AddCapEntry(missing, request.gaussian->words, steps); !added) return added;
  }
  const ledger::View& now = steps.empty() ? view : steps.back().after;
  return ledger::CheckCaps(*now.gaussian, *allowed, request, binding.cells);
}

Result<void> Ledger::State::FixDeltaCaps(const ChargeRequest& request, std::vector<Step>& steps) {
  const ledger::View& before = steps.empty() ? view : steps.back().after;
  if (!before.gaussian && request.beside->delta == 0) return {};
  const auto allowed = request.beside->caps(before.PureTotals());
  if (!allowed) return allowed.error();
  if (allowed->size() != before.totals.size()) return InternalError("there is not one cap for each cell");
  if (!before.gaussian) {
    if (auto added = AddCapEntry({{}, *allowed}, request.beside->words, steps); !added) return added;
  }
  const ledger::View& now = steps.empty() ? view : steps.back().after;
  return ledger::CheckDeltaCaps(*now.gaussian, *allowed, request, binding.cells);
}

}  // namespace kith
