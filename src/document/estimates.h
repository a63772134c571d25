// An estimated strength as a value: what was found, the declaration to paste, what it buys, and on what conditions.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "dependence/model.h"
#include "estimate/estimate.h"

namespace kith::document {

/// What was asked, besides the sample.
struct EstimateQuestion {
  std::string of;           // "pairs", "households", "chain", "network" or "distances"
  std::string source;       // the file, or "typed in"
  std::string consent;      // "public" or "consented"
  std::string by, stratum;  // columns; may be empty
  std::string model_file;   // of a chain: where the model is written; may be empty
  std::string edges;        // of a network: the file
  std::string attribute;    // set: of households whose members share one cause, the column with yes or no
  double confidence = 0.95;
  double epsilon = 1;     // the dependent loss that noise is compared at
  std::int64_t size = 2;  // the largest group, the longest chain, or the nodes of the network
  std::int64_t left_out = 0;
};

/// Noise of a count at the same dependent loss, as multiples of what it would be if everybody were independent.
struct EstimateWorth {
  std::string stratum;
  double declared = 1;  // with the estimated strength
  double group = 1;     // group privacy: whatever the strength is
};

struct EstimateReport {
  EstimateQuestion question;
  std::int64_t sample = 0;
  std::string unit;  // "pairs"
  estimate::Estimate estimate;
  estimate::Outlook outlook;
  std::vector<EstimateWorth> worth;
  std::string declaration;  // TOML
  std::vector<std::string> conditions;
};

/// `network`: for a network, otherwise empty. Fails: as estimate::Make and Transfer.
Result<EstimateReport> MakeReport(const EstimateQuestion& question, const estimate::Sample& sample,
                                  const estimate::Network& network);

/// How many times the noise of independent records a count needs under this model.
Result<double> NoiseMultiple(const Model& model, double epsilon);

/// The declared model of a network; of groups that of one stratum.
Model DeclaredModel(const EstimateQuestion& question, double theta, const estimate::Network& network);
/// Of a chain, as a file that a policy can name.
std::string ModelText(const EstimateReport& report);

Json ToJson(const EstimateReport& report);
/// The result for people who decide but do not calculate.
std::string InWords(const EstimateReport& report);

}  // namespace kith::document
