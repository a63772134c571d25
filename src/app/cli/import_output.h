// What an import found, for the curator: as a table on a terminal, and as a page.
#pragma once
#include <string>

#include "document/import_report.h"

namespace kith::cli {

std::string ImportText(const document::ImportReport& report, std::size_t width);
std::string ImportPage(const document::ImportReport& report, const std::string& command);

/// How many rows do not count at which max_rows, beside the noise of a count. Empty where units have one row each.
std::string LimitsText(const UnitsReport& units, double plain, std::size_t width);

}  // namespace kith::cli
