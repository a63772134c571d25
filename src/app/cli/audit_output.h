// How audits are shown: tables of 80 columns, JSON, and report pages.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "audit/audit.h"
#include "policy/distance.h"
#include "release/guarantee.h"

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
struct PolicyReport {
  std::string file;
  audit::PolicyLeak leak;
  double epsilon_total = 0;
  std::optional<double> epsilon;     // of one more answer
  std::size_t answers = 0;           // noisy ones, so far
  std::string dependence;            // kind of the model
  Guarantee guarantee;               // of the answers so far, as certificates state it
  std::string stay;                  // of a stream: what its totals are about
  std::optional<Distance> distance;  // of a metric unit: losses are for moves of its delta
  double steps = 1;                  // how many such moves any change of a unit takes; infinite: no number is enough
  double any = 0;                    // the part of every loss that is for any change already
  double largest = 0;                // dependent loss of any stratum

  /// What a loss for moves means for any change of a unit within its region.
  double AnyChange(double loss) const { return loss <= any ? loss : (loss - any) * steps + any; }
};
std::string Verdict(const PolicyReport& report);
std::string Text(const PolicyReport& report, std::size_t width);
std::string Json(const PolicyReport& report);
std::string Page(const PolicyReport& report, const std::string& command);

}  // namespace kith::cli::audit_verb
