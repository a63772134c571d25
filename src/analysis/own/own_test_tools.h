// Rows handed to a statistic as an engine would, and functions that misbehave.
#pragma once
#include <cmath>
#include <limits>
#include <stdexcept>

#include "analysis/own/own.h"
#include "tests/support/handed_rows.h"
#include "tests/support/policies.h"

namespace kith::testing {

/// x in [-2, 6], y in 0..9, and a public weight of 0, 1/4, ... 1; two rows for each unit.
inline Policy OwnPolicy(const std::string& presence = "public", int max_rows = 2) {
  return MakePolicy(
      "[data]\ntables.t = \"t.csv\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " + std::to_string(max_rows) +
      "\npresence = \"" + presence +
      "\"\n[columns.t]\nx = { type = \"real\", lower = -2, upper = 6, required = true }\n"
      "y = { lower = 0, upper = 9, required = true }\nquarters = { type = \"integer\", lower = 0, upper = 4, public = "
      "true, required = true }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 1\n"
      "ledger = \"l\"\n");
}

/// A sum in [-1, 2] by quarters, and counts of which at most two rise.
inline OwnOptions TwoParts() {
  OwnOptions options;
  options.name = "test 1";
  options.values = {"x", "y"};
  options.parts = {{.name = "sum", .low = -1, .high = 2, .step = 0.25, .most = {}},
                   {.name = "counts", .size = 5, .low = 0, .high = 1, .step = 1, .most = 2, .weight = 3}};
  return options;
}

}  // namespace kith::testing
