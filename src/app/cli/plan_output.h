// Plans of workloads as people read them.
#pragma once
#include <string>

#include "release/release.h"

namespace kith::cli {

/// What is measured, the bar of every question next to its bar if asked by itself, and what it costs.
std::string PlanText(const Explanation& explanation, std::size_t width);

/// The answers one after another, and what holds for all of them.
std::string PlanAnswersText(const Answer& answer, std::size_t width);

}  // namespace kith::cli
