// What an import found, for the curator: as a table on a terminal, and as a page.
#pragma once
#include <string>

#include "document/import_report.h"

namespace kith::cli {

std::string ImportText(const document::ImportReport& report, std::size_t width);
std::string ImportPage(const document::ImportReport& report, const std::string& command);

}  // namespace kith::cli
