// What an attack found, for people and for programs: tables, JSON, CSV, charts, a report.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "attack/attack.h"
#include "base/result.h"
#include "report/chart.h"
#include "report/page.h"

namespace kith::cli::lab {

/// The run as it was asked for, and what was found.
struct AttackRun {
  std::string question;            // in words
  std::string setting;             // what was attacked, in words
  std::vector<std::string> notes;  // what a reader must know: assumptions and what was left out
  std::string command;             // to repeat it
  std::vector<double> epsilons;
  std::vector<std::string> methods;
  std::vector<attack::Adversary> adversaries;
  std::size_t users = 0;
  std::uint64_t seed = 0;
  std::size_t repetitions = 0;
  attack::Found found;
};

std::string AttackText(const AttackRun& run, std::size_t width);
std::string AttackJson(const AttackRun& run);

struct NamedChart {
  std::string file;  // without ending
  report::LineChart chart;
};
/// The charts that the run has data for: error and leak by adversary, underestimated coefficients, methods, knowledge.
std::vector<NamedChart> AttackCharts(const AttackRun& run);

/// before.csv, after.csv and one SVG for each chart. Makes the folder. Fails: kStorage.
Result<void> WriteAttackFolder(const AttackRun& run, const std::filesystem::path& folder);
/// One HTML file. Fails: kStorage.
Result<void> WriteAttackReport(const AttackRun& run, const std::string& file);

}  // namespace kith::cli::lab
