// What `kith leakage` reads: a joint law of sensitivity with its source, applications, worths and caps, as JSON; and
// what was observed, from the command line.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/one_sided/leakage.h"
#include "base/result.h"

namespace kith::cli {

struct Application {
  std::string name;
  std::vector<double> epsilons;  // per attribute; 0: not served
};

struct LeakageModel {
  std::string source;  // "declared", "public" or "consented"
  double sample = 0;   // how many entities were counted; 0: the law is declared
  std::vector<std::string> names;
  one_sided::SensitivityLaw law;
  std::vector<Application> applications;
  std::vector<double> worth;                 // of one released record, per attribute
  std::vector<std::optional<double>> kappa;  // the odds of an attribute may grow by at most e^kappa
};

/// Fails: kInvalidArgument: no JSON, a key that is not known, no source, a sample that is neither public nor consented,
/// a state twice, probabilities that do not add up to 1, numbers out of range.
Result<LeakageModel> ReadLeakageModel(const std::string& text, const std::string& where);

/// "arrival:3:0.7", suppressed three times at epsilon 0.7; "level:0.5", released at epsilon 0.5. What is said about one
/// attribute several times is put together.
Result<std::vector<one_sided::Observation>> ReadObservations(const LeakageModel& model,
                                                             const std::vector<std::string>& suppressed,
                                                             const std::vector<std::string>& released);

}  // namespace kith::cli
