// How the audit of a policy's history is shown: tables of 80 columns and a report page.
#pragma once
#include <string>

#include "document/audits.h"

namespace kith::cli {

std::string AuditText(const PolicyAudit& report, std::size_t width);
std::string AuditPage(const PolicyAudit& report, const std::string& command);

}  // namespace kith::cli
