// The published spread of a shared cause as a value: the declaration to paste, what it buys, and on what conditions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kith::document {

struct CauseQuestion {
  std::string consent;  // "public" or "consented"
  std::string by, attribute;
  std::string scale;            // of the published numbers: "sd", or "icc" on the latent logistic scale
  double lower = 0, upper = 0;  // the published interval
  double confidence = 0.95;     // that the upper end is large enough
  double epsilon = 1;           // the dependent loss that noise is compared at
  std::int64_t size = 2;        // the largest group in the world
};

struct CauseReport {
  CauseQuestion question;
  double sd = 0;  // to be declared, with three digits, rounded up
  double odds_ratio = 1;
  double noise = 1, either_noise = 1, group_noise = 1;  // as multiples of what independent people need
  std::string declaration;                              // TOML
  std::vector<std::string> conditions;
};

/// Fails: kInvalidArgument where the interval is none, or its upper end says nothing; as Transfer::Make.
Result<CauseReport> MakeCauseReport(const CauseQuestion& question);

Json ToJson(const CauseReport& report);

}  // namespace kith::document
