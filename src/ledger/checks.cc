#include "ledger/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "loss/loss_text.h"

namespace kith::ledger {
namespace {

constexpr std::size_t kLongest = 128;

// Short text that can be shown as it is.
bool IsLine(const std::string& text) {
  return text.size() <= kLongest &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

// As epsilon, of amounts that may be beyond every limit.
double EpsilonOf(std::int64_t units) { return static_cast<double>(units) / static_cast<double>(PlainUnits::kOne); }

std::string FirstLine(const std::string& identity) { return identity.substr(0, identity.find('\n')); }

using Words = std::map<std::string, std::string>;  // "column people.age" -> "integer, secret"

Words WordsOf(const std::string& identity) {
  Words words;
  std::istringstream lines(identity);
  std::string line;
  std::getline(lines, line);  // the fingerprint
  while (std::getline(lines, line)) {
    const auto colon = line.find(": ");
    if (colon != std::string::npos) words[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return words;
}

std::string Difference(const std::string& what, const std::string* before, const std::string* now) {
  if (before == nullptr) return fmt::format("{:.60} is new", what);
  if (now == nullptr) return fmt::format("{:.60} is gone", what);
  return fmt::format("{:.60} was \"{:.120}\" and is now \"{:.120}\"", what, *before, *now);
}

// The first few differences; both sides are policies, so nothing here is secret.
std::string Differences(const Words& before, const Words& now) {
  constexpr std::size_t kShown = 3;
  std::vector<std::string> found;
  for (const auto& [what, text] : before) {
    const auto other = now.find(what);
    if (other == now.end() || other->second != text)
      found.push_back(Difference(what, &text, other == now.end() ? nullptr : &other->second));
  }
  for (const auto& [what, text] : now) {
    if (!before.contains(what)) found.push_back(Difference(what, nullptr, &text));
  }
  if (found.empty()) return "it is about another unit, other tables or other public facts";
  const std::size_t more = found.size() > kShown ? found.size() - kShown : 0;
  found.resize(found.size() - more);
  return fmt::format("{}", fmt::join(found, "; ")) + (more > 0 ? fmt::format("; and {} more", more) : "");
}

}  // namespace

Result<void> CheckBinding(const LedgerBinding& binding) {
  if (binding.identity.empty() || binding.policy.empty()) return InternalError("a ledger must be bound to a policy");
  if (binding.cells.empty() || binding.cells.size() > Ledger::kMaxCells) {
    return InvalidArgument(
        fmt::format("a ledger counts for 1 to {} cells, not {}", Ledger::kMaxCells, binding.cells.size()));
  }
  if (!ProperColumns(binding.columns, binding.cells.size()))
    return InternalError("the cells of a ledger are all combinations of its columns' values");
  return {};
}

Result<void> CheckOwner(const Birth& birth, const LedgerBinding& binding, const std::filesystem::path& file) {
  if (FirstLine(birth.identity) != FirstLine(binding.identity) || birth.stream != binding.stream) {
    return InvalidArgument(
        "the policy changed since the first answer in a way that its ledger does not allow: " +
            Differences(WordsOf(birth.identity), WordsOf(binding.identity)),
        file.string(),
        "undo that change in the policy: what was spent on these data stays spent. Name a new ledger file only for "
        "other data");
  }
  if (birth.cells != binding.cells || birth.columns != binding.columns) {
    return InvalidArgument("the policy now divides the units into other cells than this ledger counts", file.string(),
                           "go back to a dependence part whose classes fit the cells; what was spent stays spent");
  }
  return {};
}

Result<CellSet> ChargedCells(const ChargeRequest& request, std::size_t cell_count) {
  if (request.limits.size() != cell_count) {
    return InvalidArgument(fmt::format("{} limits for {} cells", request.limits.size(), cell_count));
  }
  CellSet cells(request.cells.begin(), request.cells.end());
  if (!std::is_sorted(cells.begin(), cells.end())) std::sort(cells.begin(), cells.end());
  if (std::adjacent_find(cells.begin(), cells.end()) != cells.end()) return InvalidArgument("a cell is charged twice");
  if (!cells.empty() && cells.back() >= cell_count) return InvalidArgument("a charged cell does not exist");
  return cells;
}

Result<void> CheckStep(const std::optional<StreamStep>& step, bool stream) {
  if (step.has_value() != stream)
    return InvalidArgument(stream ? "a charge to the ledger of a stream needs the step that it is for"
                                  : "this ledger counts over all time: it has no steps");
  constexpr std::int64_t kMost = std::int64_t{1} << 60;  // sums of a step and a window do not overflow
  if (step && (step->tick < 0 || step->tick > kMost || step->window < 1 || step->window > kMost))
    return InvalidArgument("a charge is for a step that does not exist");
  return {};
}

Result<void> CheckData(const std::string& label, const std::string& import) {
  if (!IsLine(label) || !IsLine(import))
    return InvalidArgument(fmt::format("a version of the data is a text of at most {} bytes in one line", kLongest));
  return {};
}

Result<void> CheckCaller(const std::string& caller) {
  if (IsLine(caller)) return {};
  return InvalidArgument(fmt::format("the name of a caller is a text of at most {} bytes in one line", kLongest));
}

Result<void> CheckLimits(const std::vector<std::int64_t>& before, const std::vector<std::int64_t>& after,
                         const std::vector<PlainUnits>& limits, const std::vector<std::string>& names,
                         bool of_presence) {
  for (std::size_t cell = 0; cell < after.size(); ++cell) {
    const std::int64_t limit = limits[cell].count();
    if (after[cell] <= limit) continue;
    return BudgetExhausted(
        fmt::format("the budget does not allow this charge: {} {} was spent, {} is allowed, this would make it {}",
                    of_presence ? "a loss by presence of" : "plain loss", LossText(EpsilonOf(before[cell])),
                    LeftText(EpsilonOf(limit)), LossText(EpsilonOf(after[cell]))),
        fmt::format("cell '{:.60}'", names[cell]),
        before[cell] < limit ? "ask for less, or ask a question that does not touch this cell; nothing was charged"
                             : "ask a question that was answered before (free); what is spent never comes back");
  }
  return {};
}

Result<void> CheckNested(const View& before, const View& after, const ChargeRequest& request,
                         const std::vector<std::string>& names) {
  const auto persons = [&] {
    return request.limits_presence ? CheckLimits(before.presence, after.presence, request.limits, names, true)
                                   : CheckLimits(before.totals, after.totals, request.limits, names);
  };
  if (!request.nested) return persons();
  const NestedLimits& nested = *request.nested;
  const PlainUnits loss = HouseholdLoss(UnitsOf(after.totals), UnitsOf(after.household), nested.size);
  if (loss > nested.limit) {
    auto refusal = BudgetExhausted(
        fmt::format("the budget of households does not allow this charge: it would make their plain loss {}, and {} is "
                    "allowed",
                    LossText(loss.epsilon()), LeftText(nested.limit.epsilon())),
        "[budget]", "ask for less, or ask a question that was answered before (free); nothing was charged");
    return std::move(refusal).For("account.household");
  }
  if (nested.enough && loss <= *nested.enough) return {};
  return persons();
}

Result<void> CheckLevel(const ChargeRequest& request, std::size_t cell_count) {
  if (request.nested && (request.nested->size < 1 || request.step))
    return InvalidArgument("a household has at least one person, and is not for streams");
  if (request.level == UnitLevel::kPerson) return {};
  // Its members may be in different cells: a total that counts only for some of them would count too little.
  if (!request.cells.empty() && request.cells.size() != cell_count)
    return InvalidArgument("a charge about households is for all cells or for none");
  if (request.covers != Covers::kAny || request.step || request.one_sided)
    return InvalidArgument("a charge about households is for any change, and not for streams or one-sided releases");
  return {};
}

Result<void> CheckParts(const ChargeRequest& request, const CellSet& cells) {
  if (request.parts.empty()) return {};
  if (request.step || request.level != UnitLevel::kPerson)
    return InvalidArgument("cells pay different amounts for persons only, and not in a stream");
  CellSet paying;
  PlainUnits most;
  for (const CellCharge& part : request.parts) {
    paying.insert(paying.end(), part.cells.begin(), part.cells.end());
    most = std::max(most, part.units);
  }
  std::sort(paying.begin(), paying.end());
  if (paying != cells || most != request.units)
    return InvalidArgument("the parts of a charge are not those of the charged cells");
  return {};
}

Result<void> CheckPresence(const ChargeRequest& request) {
  bool apart = false;
  const auto lawful = [&](PlainUnits units, const std::optional<PlainUnits>& presence) {
    apart = apart || presence.has_value();
    return !presence || (*presence <= units && units.count() - presence->count() <= presence->count());
  };
  bool fine = lawful(request.units, request.presence);
  for (const CellCharge& part : request.parts) fine = lawful(part.units, part.presence) && fine;
  if (!fine) return InvalidArgument("presence loses at most what any change does, and at least half of that");
  const bool ordinary = request.level == UnitLevel::kPerson && request.covers == Covers::kAny && !request.step;
  if ((apart && !ordinary) || (request.limits_presence && request.step))
    return InvalidArgument("presence has an amount of its own for persons and any change only, and not in a stream");
  return {};
}

Result<void> CheckOneSided(const ChargeRequest& request, bool stream) {
  if (!request.one_sided) return {};
  if (stream) return InvalidArgument("the ledger of a stream has no one-sided accounts");
  if (request.one_sided->units.count() == 0) return InvalidArgument("a one-sided release of nothing cannot be charged");
  if (request.one_sided->account.empty()) return InvalidArgument("a one-sided charge needs an account");
  return {};
}

Result<void> CheckOneSidedLimit(const View& before, const OneSidedCharge& charge) {
  const std::int64_t spent = before.one_sided.Of(charge.account), limit = charge.limit.count();
  if (charge.units.count() <= limit && spent <= limit - charge.units.count()) return {};
  auto refusal = BudgetExhausted(
      fmt::format("the one-sided account does not allow this charge: {} was spent, {} is allowed, this would add {}",
                  LossText(PlainUnits::Of(spent).epsilon()), LeftText(charge.limit.epsilon()),
                  LossText(charge.units.epsilon())),
      fmt::format("attribute '{:.60}'", charge.account),
      spent < limit ? "offer a smaller epsilon; nothing was charged"
                    : "nothing of this attribute can be released any more; what is spent never comes back");
  return std::move(refusal).For("account.one_sided");
}

std::int64_t UsedOf(const ChargeRequest& request) {
  const PlainUnits units = request.gaussian ? request.gaussian->used : request.units;
  std::int64_t used = request.cells.empty() ? 0 : units.count();
  if (request.one_sided) used += request.one_sided->units.count();  // each at most 2^52
  return std::min(used, PlainUnits::kMax + 1);
}

Result<void> CheckAllowance(const ChargeRequest& request) {
  if (!request.allowance || !request.caller.empty()) return {};
  return InvalidArgument("an allowance belongs to somebody with a name");
}

Result<void> CheckAllowanceLimit(const View& before, const ChargeRequest& request) {
  const std::int64_t used = UsedOf(request);
  if (!request.allowance || used == 0) return {};
  const std::int64_t spent = before.analysts.Of(request.caller), limit = request.allowance->count();
  if (used <= limit && spent <= limit - used) return {};
  auto refusal = BudgetExhausted(
      fmt::format(
          "the allowance does not cover this charge: {} of plain loss was used, {} is allowed, this would add {}",
          LossText(EpsilonOf(spent)), LeftText(EpsilonOf(limit)), LossText(EpsilonOf(used))),
      fmt::format("'{:.60}'", request.caller),
      spent < limit ? "ask for less, or ask a question that was answered before (free); nothing was charged"
                    : "ask a question that was answered before (free), or ask the curator for a larger allowance");
  return std::move(refusal).For("account.allowance");
}

}  // namespace kith::ledger
