// What `kith leakage` reads: a joint law of sensitivity with its source, applications, worths and caps, as JSON; and
// what was observed, from the command line. A law may be known only within limits, and may be about values.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "leakage/law_set.h"
#include "leakage/leakage.h"

namespace kith::leakage {

struct Application {
  std::string name;
  std::vector<double> epsilons;  // per attribute; 0: not served
};

/// The law of values, not only of whether they are sensitive: cells are combinations of values.
struct ValueLaw {
  struct Variable {
    std::string name;
    std::vector<std::string> values;
    std::optional<std::size_t> attribute;  // whose values they are; nothing: of something else
    std::vector<std::size_t> of;           // cell: which value
  };
  std::vector<Variable> variables;
  std::vector<std::size_t> state;  // cell: which attributes are sensitive, as in SensitivityLaw
  one_sided::LawSet set;           // of one law where it is known exactly
};

/// An attribute of a policy, and what its ledger says was released of it.
struct ReleasedSoFar {
  std::string attribute, application, rule;
  double limit = 0, spent = 0;
  int releases = 0;
};

struct LeakageModel {
  std::string source;  // "declared", "public" or "consented"
  double sample = 0;   // how many entities were counted; 0: the law is declared
  std::vector<std::string> names;
  one_sided::SensitivityLaw law;
  std::vector<Application> applications;
  std::vector<double> worth;                 // of one released record, per attribute
  std::vector<std::optional<double>> kappa;  // the odds of an attribute may grow by at most e^kappa
  std::optional<one_sided::LawSet> set;      // the law is known within limits; `law` is one of them
  double confidence = 0;                     // of the limits, which were counted; 0: they are declared
  std::optional<ValueLaw> values;
  std::vector<ReleasedSoFar> accounts;  // of a policy
};

/// What is known of pairs only.
struct PartialModel {
  std::string source;
  std::vector<std::string> names;
  std::vector<Application> applications;
  std::vector<one_sided::Range> prior;                     // P(sensitive)
  std::vector<std::vector<one_sided::PairLimits>> limits;  // [served][about]
};

/// Does the text give limits of pairs ("given") instead of a law? Then ReadPartialModel reads it.
bool IsPartialModel(const std::string& text);
/// Fails: as below.
Result<PartialModel> ReadPartialModel(const std::string& text, const std::string& where);

/// Fails: kInvalidArgument: not JSON, an unknown key, no source, a sample that is neither public nor consented,
/// a state twice, probabilities that do not add up to 1, numbers out of range.
Result<LeakageModel> ReadLeakageModel(const std::string& text, const std::string& where);

/// "arrival:3:0.7", suppressed three times at epsilon 0.7; "level:0.5", released at epsilon 0.5. What is said about one
/// attribute several times is put together. "level=low:0.5": released, with this value; needs a law of values.
struct Seen {
  std::vector<one_sided::Observation> observations;
  std::vector<std::pair<std::size_t, std::size_t>> values;  // of ValueLaw: variable, value
};
Result<Seen> ReadObservations(const LeakageModel& model, const std::vector<std::string>& suppressed,
                              const std::vector<std::string>& released);

/// "presence:120:450": of 450 rows to which what was seen applies, 120 are sensitive. "presence:120:450:150:650": and
/// of all 650 rows 150 are; then the rows to which it does not apply are known as well.
struct ObservedCount {
  std::size_t attribute = 0;
  std::int64_t sensitive = 0, of = 0;
  std::optional<std::pair<std::int64_t, std::int64_t>> all;  // sensitive, rows
};
Result<ObservedCount> ReadObservedCount(const LeakageModel& model, const std::string& text);

}  // namespace kith::leakage
