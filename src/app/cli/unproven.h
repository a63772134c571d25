// What must be said with a dependent loss: that it is not proved, with what the true loss is, or whom it is about.
#pragma once
#include <optional>
#include <string>

#include "policy/policy.h"
#include "release/guarantee.h"
#include "transfer/transfer.h"

namespace kith::cli {

/// The label, as the first line; nothing if there is none.
std::string Warning(const std::string& unproven);

/// Everything that must be said before a guarantee.
std::string Warnings(const Guarantee& guarantee);

/// What the audit beside the label says, or why there is none; nothing without a label.
std::string AuditLine(const std::string& unproven, double claimed, const std::optional<Audit>& audit,
                      std::size_t width);
std::string AuditLine(const Guarantee& guarantee, std::size_t width);

/// What the totals of a stream are about, as the rest of a sentence; empty without one.
std::string StayOf(const Policy& policy);

}  // namespace kith::cli
