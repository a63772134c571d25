// What `kith leakage` found, for people and programs.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/one_sided/choose.h"
#include "analysis/one_sided/leakage.h"
#include "lab/leak_input.h"

namespace kith::cli {

/// What an application's attribute says about another one.
struct PairLine {
  std::string application;
  std::size_t served = 0, about = 0;
  double epsilon = 0;
  one_sided::PairDependence pair;
  double stayed_away = 0;  // f1
  double released = 0;     // f2
  bool closed = false;     // f2 exceeds e^kappa of `about`: no epsilon helps
};

/// What one application, or all of them together, learn about an attribute.
struct InformationLine {
  std::string application;  // empty: all together
  std::size_t about = 0;
  double nats = 0, entropy = 0;
};

struct OddsLine {
  std::size_t about = 0;
  one_sided::Odds odds;
};

struct LeakageReport {
  std::string file, command;
  LeakageModel model;
  std::vector<PairLine> pairs;
  std::vector<InformationLine> information;
  std::string seen;  // in words
  std::vector<OddsLine> odds;
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
  double saturated = 0;  // the leakage when everything that the caps allow is released
};

std::string LeakageText(const LeakageReport& report, std::size_t width);
std::string LeakageJson(const LeakageReport& report);
std::string LeakagePage(const LeakageReport& report);
std::string LeakageText(const ChoiceReport& report, std::size_t width);
std::string LeakageJson(const ChoiceReport& report);
std::string LeakagePage(const ChoiceReport& report);

}  // namespace kith::cli
