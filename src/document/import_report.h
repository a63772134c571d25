// What an import found, only for the curator: in words, and as a document (to_json.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/data_report.h"

namespace kith::document {

struct ImportReport {
  DataReport found;
  std::string version;     // that the data became; empty: the import was refused, or nothing was imported
  bool only_look = false;  // nothing was imported: the data were only looked at

  bool refused() const { return version.empty() && !only_look; }
};

/// Said with every such report.
inline constexpr char kForTheCurator[] =
    "For the curator alone: the counts and spellings below are exact and not protected. Do not show them to analysts.";

/// A sentence about something that the curator should look at.
struct Finding {
  bool grave = false;  // nothing of a column is left, questions will be refused, or a loss that is stated is too small
  std::string text;
};

/// In the order of tables and columns, then units and groups; grave ones first. None: all that was looked at is as
/// declared.
std::vector<Finding> FindingsOf(const DataReport& report);

/// "32,894"
std::string CountText(std::int64_t count);
/// "12.3 %": 0 % and 100 % only where it is exactly so. A part of nothing is "-".
std::string ShareText(std::int64_t part, std::int64_t whole);
/// "integer"; "-" where the policy declares no type.
std::string TypeText(const ColumnReport& column);

/// Said where there are no findings: that everything is as declared only if nothing is merely promised.
std::string NoFindingsText(const ImportReport& report);
/// What nobody counted, whatever was found elsewhere; empty if nothing is promised.
std::string PromisedText(const DataReport& report);

/// Units of all tables, the unit's table first.
std::vector<UnitsReport> AllUnits(const DataReport& report);

/// Said with every proposal of a max_rows.
inline constexpr char kNotCovered[] =
    "A number that is chosen by looking at the data is not covered by the guarantee: choose max_rows from what is "
    "known "
    "about the world if you can.";
/// What is proposed; empty where units have one row each.
std::string ProposalText(const UnitsReport& units, double plain);

/// Units and groups in one line each; empty where there are none.
std::string UnitsText(const UnitsReport& units);
std::string GroupsText(const GroupsReport& groups);

}  // namespace kith::document
