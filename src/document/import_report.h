// What an import found, only for the curator: in words, and as a document (to_json.h).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/data_report.h"

namespace kith::document {

struct ImportReport {
  DataReport found;
  std::string version;  // that the data became; empty: the import was refused
};

/// Said with every such report.
inline constexpr char kForTheCurator[] =
    "For the curator alone: the counts and spellings below are exact and not protected. Do not show them to analysts.";

/// A sentence about something that the curator should look at.
struct Finding {
  bool grave = false;  // nothing of a column is left, or questions will be refused
  std::string text;
};

/// In the order of tables and columns, then units and groups; grave ones first. None: everything is as declared.
std::vector<Finding> FindingsOf(const DataReport& report);

/// "32,894"
std::string CountText(std::int64_t count);
/// "12.3 %": 0 % and 100 % only where it is exactly so. A part of nothing is "-".
std::string ShareText(std::int64_t part, std::int64_t whole);
/// "integer"; "-" where the policy declares no type.
std::string TypeText(const ColumnReport& column);

/// Units and groups in one line each; empty where there are none.
std::string UnitsText(const UnitsReport& units);
std::string GroupsText(const GroupsReport& groups);

}  // namespace kith::document
