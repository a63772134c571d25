// The curator's report about tables of a server (engine/data_report.h): the same words for every server.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/data_report.h"
#include "engine/look_at_units.h"
#include "engine/report_units.h"
#include "sql/dialect.h"

namespace kith {

/// A table as its server stores it and as it is read.
struct ServerTable {
  struct Column {
    std::string name;          // in the policy
    std::string stored, read;  // SQL over the table's own columns
  };
  std::string from;
  std::vector<Column> columns;
};

struct ServerWords {
  const sql::Dialect& dialect;
  Asking asking;
  /// Values as text: only for the curator.
  std::function<Result<std::vector<std::vector<std::string>>>(const std::string& sent)> texts;
  std::optional<StepWords> steps;  // of a stream
};

/// `tables`: in the policy's order. Checks no promise. Fails: as what it asks.
Result<DataReport> ReportServer(const ServerWords& words, const Policy& policy, const std::vector<ServerTable>& tables);

}  // namespace kith
