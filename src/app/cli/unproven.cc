#include "app/cli/unproven.h"

#include <fmt/format.h>

#include "app/cli/text.h"
#include "loss/loss_text.h"

namespace kith::cli {

std::string Warning(const std::string& unproven) {
  return unproven.empty() ? "" : Wrap(unproven, TerminalWidth(), 0) + "\n\n";
}

std::string AuditLine(const std::string& unproven, double claimed, const std::optional<Audit>& audit,
                      std::size_t width) {
  if (unproven.empty()) return "";
  if (!audit)
    return Labelled("audit", "none: pairs alone do not say how more than two records depend on each other", width);
  const bool exceeded = audit->exact && audit->dependent > claimed * (1 + 1e-9);
  return Labelled("audit",
                  fmt::format("the true loss is {}{} {}{}", audit->exact ? "" : "at most ", LossText(audit->dependent),
                              audit->of, exceeded ? fmt::format(": ABOVE the claimed {}", LossText(claimed)) : ""),
                  width);
}

std::string Warnings(const Guarantee& guarantee) { return Warning(guarantee.one_sided) + Warning(guarantee.unproven); }

std::string AuditLine(const Guarantee& guarantee, std::size_t width) {
  return AuditLine(guarantee.unproven, guarantee.dependent, guarantee.audit, width);
}

std::string StayOf(const Policy& policy) {
  if (!policy.stream) return "";
  const std::int64_t counted = policy.CountedSteps(), window = policy.stream->window;
  return counted == 1 && window > 1
             ? fmt::format("in its state at any one step, if it is present in at most {} consecutive steps", window)
             : fmt::format("in any stay of at most {} consecutive steps (longer stays lose more)", window);
}

}  // namespace kith::cli
