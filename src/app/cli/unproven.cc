#include "app/cli/unproven.h"

#include "app/cli/text.h"
#include "document/words.h"

namespace kith::cli {

std::string Warning(const std::string& unproven, std::size_t width) {
  return unproven.empty() ? "" : Wrap(unproven, width, 0) + "\n\n";
}

std::string Warnings(const Guarantee& guarantee, std::size_t width) {
  return Warning(guarantee.alarm, width) + Warning(guarantee.one_sided, width) + Warning(guarantee.unproven, width);
}

std::string AuditLine(const std::string& unproven, double claimed, const std::optional<Audit>& audit,
                      std::size_t width) {
  return unproven.empty() ? "" : Labelled("audit", document::AuditText(claimed, audit), width);
}

std::string AuditLine(const Guarantee& guarantee, std::size_t width) {
  return AuditLine(guarantee.unproven, guarantee.dependent, guarantee.audit, width);
}

}  // namespace kith::cli
