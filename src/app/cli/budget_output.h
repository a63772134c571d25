// What was spent and what is left, as people read it.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

struct BudgetWidths {
  std::size_t text = 80;
  std::size_t history = std::string::npos;  // a file gets the whole questions
};

/// `stay`: what the totals of a stream are about; empty without one.
std::string BudgetText(const BudgetReport& report, const std::string& stay, const BudgetWidths& widths);

}  // namespace kith::cli
