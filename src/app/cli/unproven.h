// What must be said with a dependent loss, when it is shown: that it is not proved, and what the true loss is.
#pragma once
#include <optional>
#include <string>

#include "release/guarantee.h"
#include "transfer/transfer.h"

namespace kith::cli {

/// The label, as the first lines; nothing if there is none.
std::string Warning(const std::string& unproven, std::size_t width);

/// Everything that must be said before a guarantee.
std::string Warnings(const Guarantee& guarantee, std::size_t width);

/// What the audit that goes with the label says, or why there is none; nothing without a label.
std::string AuditLine(const std::string& unproven, double claimed, const std::optional<Audit>& audit,
                      std::size_t width);
std::string AuditLine(const Guarantee& guarantee, std::size_t width);

}  // namespace kith::cli
