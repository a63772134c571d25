// How a dependent loss that is no theorem is shown: first, and with what the true loss is.
#pragma once
#include <optional>
#include <string>

#include "transfer/transfer.h"

namespace kith::cli {

/// The label, as the first line; nothing if there is none.
std::string Warning(const std::string& unproven);

/// What the audit beside the label says, or why there is none; nothing without a label.
std::string AuditLine(const std::string& unproven, double claimed, const std::optional<Audit>& audit,
                      std::size_t width);

}  // namespace kith::cli
