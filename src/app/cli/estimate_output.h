// What `kith estimate` found, for people: text for a terminal, a chart.
#pragma once
#include <string>

#include "document/estimates.h"

namespace kith::cli {

std::string EstimateText(const document::EstimateReport& report, std::size_t width);
/// How the limit would fall with more data, as SVG.
std::string EstimateChart(const document::EstimateReport& report);

}  // namespace kith::cli
