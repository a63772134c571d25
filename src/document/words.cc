#include "document/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

#include "loss/loss_text.h"
#include "mechanism/noise.h"

namespace kith::document {
namespace {

std::string Thousands(double whole) {
  const std::string digits = fmt::format("{:.0f}", whole);
  std::string text;
  for (std::size_t k = 0; k < digits.size(); ++k) {
    if (k > 0 && (digits.size() - k) % 3 == 0) text += ',';
    text += digits[k];
  }
  return text;
}

}  // namespace

std::string Short(double value) {
  if (value == 0) return "0";
  if (std::isinf(value)) return value > 0 ? "∞" : "-∞";
  if (std::fabs(value) >= 1e4 && std::fabs(value) < 1e9) {  // no exponents where people read digits
    const double step = std::pow(10, std::floor(std::log10(std::fabs(value))) - 3);
    return fmt::format("{:.0f}", std::round(value / step) * step);
  }
  return fmt::format("{:.4g}", value);
}

std::string WithError(double value, double error) {
  if (!(error > 0) || !std::isfinite(error)) return fmt::format("{}", value);
  const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(error))), 0, 12);
  return fmt::format("{:.{}f}", value, std::floor(value) == value && error >= 1 ? 0 : digits);
}

namespace {

double WidthOf(const Interval& interval) {
  const auto low = NumberIn(interval.low), high = NumberIn(interval.high);
  return low && high ? *high - *low : 0;
}

std::string EndText(const Value& end, double width) {
  const auto* real = std::get_if<double>(&end);
  return real ? WithError(*real, width) : ToText(end);
}

}  // namespace

std::string CellText(const AnswerCell& cell) {
  const auto* real = std::get_if<double>(&cell.value);
  if (!real) return ToText(cell.value);
  const double error = cell.interval_95 ? WidthOf(*cell.interval_95) / 2 : cell.error_95.value_or(0);
  if (error > 0) return WithError(*real, error);
  // Without a bar, nobody reads more than six digits.
  const double value = *real, size = std::fabs(value);
  if (size == 0 || !std::isfinite(size) || size >= 1e15 || size < 1e-9) return fmt::format("{}", value);
  const int decimals = std::clamp(5 - static_cast<int>(std::floor(std::log10(size))), 0, 14);
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text += '0';
  }
  return text;
}

std::string IntervalText(const Interval& interval) {
  const double width = WidthOf(interval) / 2;
  return fmt::format("{}{} to {}", interval.everything ? "anything from " : "", EndText(interval.low, width),
                     EndText(interval.high, width));
}

std::string InStratum(const std::string& what, const std::string& stratum) {
  return stratum.empty() ? what : fmt::format("{}, {}", what, stratum);
}

namespace {

std::string RowsText(double rows) {
  const std::string text = Short(rows);
  return text + (text == "1" ? " row" : " rows");
}

}  // namespace

std::string NoiseText(const NoiseLine& line) {
  const std::string what = InStratum(line.statistic, line.stratum);
  if (line.sensitivity == 0) return what + ": none, made of public facts only";
  if (line.in_rows && !line.law.empty()) {
    return fmt::format("{}: discrete Laplace on the rows at every value, scale {}, on a lattice of {}", what,
                       RowsText(line.scale), Short(line.lattice));
  }
  if (line.in_rows) {
    return fmt::format("{}: permute-and-flip by rank, scale {}, on a lattice of {}", what, RowsText(line.scale),
                       Short(line.lattice));
  }
  return fmt::format("{}: {}, scale {} on a lattice of {}", what, LawText(line.law), Short(line.scale),
                     Short(line.lattice));
}

namespace {

std::string BeyondText(Usefulness::Beyond beyond) {
  switch (beyond) {
    case Usefulness::Beyond::kNothing:
      return "";
    case Usefulness::Beyond::kLeft:
      return ", but that is more than is left";
    case Usefulness::Beyond::kBudget:
      return ", but that is more than the whole budget";
  }
  return "";
}

// Which group a bar that depends on how many are in it is about.
std::string AmongText(const Usefulness& worth) {
  if (worth.assumed)
    return fmt::format(", if all {} units were in {}; with fewer the bar is wider", Thousands(worth.units),
                       worth.several ? "one group" : "it");
  const std::string all =
      worth.units == 1 ? "the one unit that can be" : fmt::format("all {} units that can be", Thousands(worth.units));
  return worth.several ? fmt::format(", in the largest group, with {} in it; smaller groups have wider bars", all)
                       : fmt::format(", with {} in it", all);
}

// A loss that has a delta is never shown without it.
std::string BesideText(double delta) { return delta > 0 ? fmt::format(" beside a delta of {}", DeltaText(delta)) : ""; }

std::string OnceText(double plain, double delta) { return delta > 0 ? PairText(plain, delta) : LossText(plain); }

}  // namespace

std::string StrataText(const std::vector<Guarantee::Stratum>& strata) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t k = 0; k < strata.size() && k < kShown; ++k) {
    text += fmt::format("{}{}: {} plain, {} dependent", k == 0 ? "" : "; ", strata[k].name, LossText(strata[k].plain),
                        LossText(strata[k].dependent));
  }
  return strata.size() > kShown ? fmt::format("{}; and {} more", text, strata.size() - kShown) : text;
}

std::string UsefulnessText(const Usefulness& worth) {
  const std::string possible = worth.low == 0 ? fmt::format("of at most {}", Short(worth.high))
                                              : fmt::format("between {} and {}", Short(worth.low), Short(worth.high));
  const char* const rows = worth.in_rows ? " rows" : "";
  const std::string error = worth.in_rows ? RowsText(worth.error_95) : Short(worth.error_95);
  std::string text = fmt::format("{}: {}±{} {}", InStratum(worth.output, worth.stratum),
                                 worth.at_best ? "at best " : "", error, possible);
  if (worth.at_best || worth.in_rows) text += AmongText(worth);
  if (!worth.only_noise) return text;
  text += ": this is only noise";
  if (!(worth.times > 1)) return text;
  const auto smaller = static_cast<std::int64_t>(std::floor(static_cast<double>(worth.group) / worth.times));
  const std::string groups = smaller > 0 ? fmt::format(", or groups of {} instead of {},", smaller, worth.group) : "";
  text += fmt::format("; {} times the epsilon{} would make it ±{}{}", Short(worth.times), groups, Short(worth.then_95),
                      rows);
  return text + BeyondText(worth.beyond);
}

std::string AverageText(const AverageError& line) {
  std::string text;
  for (const auto& at : line.at) {
    if (at.rows < 1000) continue;
    text += fmt::format("{}{} with {}", text.empty() ? InStratum(line.output, line.stratum) + ": about " : ", ",
                        Short(at.error_95), Thousands(at.rows));
  }
  return text + " rows in the group: from the bars of its statistics";
}

std::string PlainText(const Certificate& c) {
  const Guarantee& g = c.guarantee;
  const std::string total = PlainTotalText(g);
  if (c.mu > 0) {
    const std::string pure = c.plain_epsilon > 0 ? fmt::format(" (a pure loss of {})", LossText(c.plain_epsilon)) : "";
    return fmt::format("a Gaussian loss of {}{} for this answer{}; in all {}", LossText(c.mu), BesideText(c.delta),
                       pure, total);
  }
  if (c.sides == Sides::kOne) {
    return fmt::format("no bound for this answer, which is one-sided (its noisy part: {}); {} in all noisy answers",
                       LossText(c.plain_epsilon), total);
  }
  const std::string once = fmt::format("{} for this answer{}", OnceText(c.plain_epsilon, c.delta),
                                       c.unit == UnitLevel::kHousehold ? ", of a household" : "");
  return g.CountsDelta() ? fmt::format("{}; in all {}", once, total)
                         : fmt::format("{}; {} in all{}", once, total, g.household ? ", of a person" : "");
}

std::string PlainText(const Explanation& e, const std::string& what) {
  const Guarantee& g = e.guarantee;
  const std::string total = PlainTotalText(g);
  if (e.mu > 0) {
    return fmt::format("a Gaussian loss of {}{} for {}, {} % of the budget; in all {}", LossText(e.mu),
                       BesideText(e.delta), what, LossText(100 * e.mu * e.mu / (g.mu_cap * g.mu_cap), 3), total);
  }
  const std::string once = fmt::format("{} for {}{}", OnceText(e.units.epsilon(), e.delta), what,
                                       e.unit == UnitLevel::kHousehold ? ", of a household" : "");
  return g.CountsDelta() ? fmt::format("{}; in all {}", once, total)
                         : fmt::format("{}; {} in all afterwards{}", once, total, g.household ? ", of a person" : "");
}

std::string DependentText(const Explanation& e) {
  const Guarantee& g = e.guarantee;
  // Under caps the total is that of the whole budget from the first charge on: nothing to compare it with.
  return g.CountsDelta() ? fmt::format("in all {}, by {}", kith::DependentText(g), g.bound)
                         : fmt::format("{} before, {} afterwards, by {}", LossText(e.dependent_before),
                                       kith::DependentText(g), g.bound);
}

std::string PresenceText(double once, const std::string& when, const Guarantee& guarantee) {
  return fmt::format(
      "{} {}; {} in all: {}", LossText(once), when, LossText(*guarantee.plain_presence),
      guarantee.counts_presence
          ? "of being in the table, which is what the budget limits; the other losses are of any change to a record"
          : "of being in the table; the other losses are of any change to a record");
}

std::string HouseholdText(const Guarantee::Household& household) {
  std::string text = fmt::format("{} in all, of a household ({}, at most {} person{})", LossText(household.plain),
                                 household.level, household.size, household.size == 1 ? "" : "s");
  if (household.dependent > household.plain)
    text += fmt::format("; {} where households depend on each other", LossText(household.dependent));
  return household.cap ? fmt::format("{}; {} is allowed", text, LeftText(*household.cap)) : text;
}

std::string AuditText(double claimed, const std::optional<Audit>& audit) {
  if (!audit) return "none: pairs alone do not say how more than two records depend on each other";
  const bool exceeded = audit->exact && audit->dependent > claimed * (1 + 1e-9);
  return fmt::format("the true loss is {}{} {}{}", audit->exact ? "" : "at most ", LossText(audit->dependent),
                     audit->of, exceeded ? fmt::format(": ABOVE the claimed {}", LossText(claimed)) : "");
}

std::string StayText(const StreamGuarantee& g) {
  return g.single_states
             ? fmt::format(
                   "a unit's state at one step: dependent loss {}; plain loss {} for each step, {} for a stay of "
                   "{} steps",
                   LossText(g.dependent), LossText(g.plain_step), LossText(g.plain), g.window)
             : fmt::format(
                   "a unit present for at most {} consecutive steps: plain loss {}, dependent loss {}, however long "
                   "the stream runs under this policy",
                   g.window, LossText(g.plain), LossText(g.dependent));
}

std::string LongerText(const StreamGuarantee& g) {
  std::string text;
  for (const auto& stay : g.longer) {
    text += fmt::format("{}{} windows: plain {}, dependent {}", text.empty() ? "" : "; ", stay.windows,
                        LossText(stay.plain), LossText(stay.dependent));
  }
  return text + "; every return counts as a stay of its own";
}

double TotalAtMost(const BudgetReport& report) {
  // Any change loses at most twice what presence does.
  double total = report.guarantee.counts_presence ? 2 * report.epsilon_total : report.epsilon_total;
  for (const auto& cell : report.cells) total = std::max(total, cell.dependent_spent);
  return total;
}

std::string TotalText(const BudgetReport& report, const std::string& stay) {
  const double total = TotalAtMost(report);
  const Guarantee& g = report.guarantee;
  const std::string most = g.CountsDelta() ? PairText(total, g.delta) : LossText(total);
  std::string text =
      std::isfinite(total) ? fmt::format("at most {} of dependent loss", most) : "no bound on the dependent loss";
  if (!report.guarantee.one_sided.empty()) text += ", noisy answers alone";
  text += fmt::format(", by {}", report.guarantee.bound);
  if (!stay.empty()) text += ", of a unit " + stay;
  if (report.guarantee.counts_presence) {
    const double presence = *report.guarantee.plain_presence;
    text += fmt::format("; the budget limits presence to {}", LossText(std::max(presence, report.epsilon_total)));
    if (presence <= report.epsilon_total * (1 + 1e-9)) return text;
  }
  if (report.guarantee.counts_presence || total > report.epsilon_total * (1 + 1e-9))
    text +=
        fmt::format("; spent before, and more than the {} that the policy now allows", LeftText(report.epsilon_total));
  return text;
}

std::string VersionText(const DataLine& line) {
  const std::string name = line.label.empty() ? fmt::format("{}", line.number) : fmt::format("'{}'", line.label);
  return fmt::format("data: version {}{}", name,
                     line.merged ? "; every cell starts with the most that anybody can have lost" : "");
}

std::string TimeText(std::int64_t unix_seconds) {
  const std::time_t time = unix_seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

}  // namespace kith::document
