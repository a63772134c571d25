// How audits of laws and of the gallery are shown: tables of 80 columns and report pages.
#pragma once
#include <string>
#include <vector>

#include "document/law_audits.h"

namespace kith::cli::lab {

std::string AuditText(const document::ModelAudit& report, std::size_t width);
std::string AuditText(const std::vector<document::GalleryLine>& lines, std::size_t width);

std::string AuditPage(const document::ModelAudit& report, const std::string& command);
std::string AuditPage(const std::vector<document::GalleryLine>& lines, const std::string& command);

}  // namespace kith::cli::lab
