// How audits are shown: tables of 80 columns, JSON, and report pages.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "lab/policy_audit.h"

namespace kith::cli::audit_verb {

/// A law that was audited, with what is said of it besides the table.
struct ModelReport {
  std::string file;
  audit::LawAudit table;
  struct Delta {
    double epsilon = 0;
    std::vector<double> of_methods;  // in the order of the table; discrete noise
  };
  std::optional<Delta> delta;
  std::optional<audit::ExactAudit::Information> information;  // at the noise of `informed`
  std::string informed;
};
std::string Verdict(const ModelReport& report);
std::string Text(const ModelReport& report, std::size_t width);
std::string Json(const ModelReport& report);
std::string Page(const ModelReport& report, const std::string& command);

/// Files of the gallery.
struct GalleryLine {
  std::string file;
  audit::GalleryCase what;
  audit::GalleryResult result;
};
std::string Verdict(const std::vector<GalleryLine>& lines);
std::string Text(const std::vector<GalleryLine>& lines, std::size_t width);
std::string Json(const std::vector<GalleryLine>& lines);
std::string Page(const std::vector<GalleryLine>& lines, const std::string& command);

/// A policy's history.
struct PolicyReport : PolicyAudit {
  std::string stay;  // of a stream: what its totals are about
};
std::string Verdict(const PolicyReport& report);
std::string Text(const PolicyReport& report, std::size_t width);
std::string Json(const PolicyReport& report);
std::string Page(const PolicyReport& report, const std::string& command);

}  // namespace kith::cli::audit_verb
