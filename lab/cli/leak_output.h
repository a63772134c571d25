// What `kith leakage` found, for people and programs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "leakage/choose.h"
#include "leakage/leak_input.h"
#include "leakage/leak_policy.h"
#include "leakage/leakage.h"
#include "leakage/observed.h"
#include "report/page.h"

namespace kith::cli::lab {

using leakage::Application;
using leakage::LeakageModel;
using leakage::ObservedCount;
using leakage::PartialModel;
using leakage::PolicyLaw;
using leakage::ReleasedSoFar;
using leakage::WrittenEpsilons;

/// What an application's attribute says about another. `worst`: over all laws within the limits, where there are
/// any.
struct PairLine {
  std::string application;
  std::size_t served = 0, about = 0;
  double epsilon = 0;
  one_sided::PairDependence pair;
  double stayed_away = 0;  // f1
  double limit = 0;        // of f1 as epsilon grows: d1 / d2
  double released = 0;     // f2
  double nats = 0;         // I(X_about; M_served)
  bool closed = false;     // f2, at worst, exceeds e^kappa of `about`: no epsilon helps
  struct Worst {
    double stayed_away = 0, limit = 0, released = 0, nats = 0;
  };
  std::optional<Worst> worst;
};

/// I_i: what one served attribute says about itself and all others, added up.
struct ServedLine {
  std::string application;
  std::size_t served = 0;
  double epsilon = 0, nats = 0;
  std::optional<double> worst;
};

/// What one application, or all of them together, learn about an attribute.
struct InformationLine {
  std::string application;  // empty: all together
  std::size_t about = 0;
  double nats = 0, entropy = 0;
  std::optional<double> worst;  // a bound, where several attributes are seen
};

struct OddsLine {
  std::size_t about = 0;
  one_sided::Odds odds;
  std::optional<one_sided::Range> posterior, factor;  // over the limits
};

/// One value of a variable before and after what was seen.
struct ValueLine {
  std::size_t variable = 0, value = 0;
  double before = 0, after = 0;
  std::optional<one_sided::Range> limits;  // of `after`
};

/// What was observed next to what is predicted.
struct ObservedLine {
  ObservedCount count;
  one_sided::Range predicted;  // P(sensitive), after what was seen
  one_sided::Disagreement found;
  std::optional<double> factor;  // observed, where all rows are known
};

struct LeakageReport {
  std::string file, command;
  LeakageModel model;
  std::vector<PairLine> pairs;
  std::vector<ServedLine> served;
  std::vector<InformationLine> information;
  std::string seen;  // in words
  std::vector<OddsLine> odds;
  std::vector<OddsLine> allowed;  // of a policy: once everything that it allows was suppressed
  std::vector<OddsLine> naive;    // as `odds`, at an infinite epsilon
  std::vector<ValueLine> values;
  std::optional<ObservedLine> observed;
};

/// The best choice under a total, and what other totals would bring.
struct ChoiceReport {
  std::string file, command;
  LeakageModel model;
  std::string objective;  // "records" or "sum-epsilon"
  double total = 0;
  double largest_epsilon = 0;  // of sum-epsilon
  std::vector<std::size_t> served;
  std::vector<std::vector<std::size_t>> dependents;  // per served attribute: which attribute a dependent is
  one_sided::Choice choice;
  one_sided::Choice other;  // of the other objective, where this one is sum-epsilon
  struct Point {
    double total = 0, objective = 0;
  };
  std::vector<Point> curve;
  double saturated = 0;                               // the leakage when everything that the caps allow is released
  double possible = 0;                                // the worth of all records that are not sensitive
  std::optional<double> worst;                        // of the leakage, over the limits
  std::vector<std::optional<std::size_t>> worst_cap;  // per served attribute: whose kappa binds at worst
  std::optional<WrittenEpsilons> written;
};

/// What is known of pairs only.
struct PartialReport {
  std::string file, command;
  PartialModel model;
  struct Line {
    std::string application;
    std::size_t served = 0, about = 0;
    double epsilon = 0;
    one_sided::Range away, released, own;  // own: with its own record suppressed as well, where it is served
    double nats = 0;
  };
  std::vector<Line> lines;
};

std::string LeakageText(const LeakageReport& report, std::size_t width);
std::string LeakageJson(const LeakageReport& report);
std::string LeakagePage(const LeakageReport& report);
std::string LeakageText(const ChoiceReport& report, std::size_t width);
std::string LeakageJson(const ChoiceReport& report);
std::string LeakagePage(const ChoiceReport& report);
std::string LeakageText(const PartialReport& report, std::size_t width);
std::string LeakageJson(const PartialReport& report);
std::string LeakagePage(const PartialReport& report);

// Parts of the above that the page and the text share.
namespace leak {
std::string SourceWords(const LeakageModel& model);
/// Factors and nats are sums of a few products: 0.6000000000000001 is 0.6.
std::string Told(double value);
std::string Rendered(const report::Table& table, std::size_t width);
report::Table AccountTable(const LeakageReport& report);
report::Table PairTable(const LeakageReport& report);
report::Table ServedTable(const LeakageReport& report);
report::Table InformationTable(const LeakageReport& report);
report::Table OddsTable(const LeakageReport& report, const std::vector<OddsLine>& lines);
report::Table NaiveTable(const LeakageReport& report);
report::Table ValueTable(const LeakageReport& report);
std::vector<std::string> Closures(const LeakageReport& report);
std::vector<std::string> Effects(const LeakageReport& report);
std::string ObservedWords(const LeakageReport& report);
std::string Verdict(const LeakageReport& report);
bool ProductFails(const LeakageReport& report);
inline constexpr const char* kProductFails =
    "Where 'multiply' says NO the observations depend on each other given the attribute, and the product of pair "
    "factors is wrong; 'odds x' is exact.";
inline constexpr const char* kNaive =
    "Naive rejection releases every record that is not sensitive (epsilon is infinite): whoever misses a record knows "
    "that it is sensitive. That is the exclusion attack; a coin for each record prevents it.";
inline constexpr const char* kWorst =
    "At worst, and after '≤': the largest that any law within the limits gives. Of several attributes together it is a "
    "bound.";
}  // namespace leak

}  // namespace kith::cli::lab
