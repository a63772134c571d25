// Dependence coefficients for people: tables of 80 columns and a page with the coefficients as squares.
#pragma once
#include <string>

#include "audit/rho/rho.h"

namespace kith::cli::lab {

std::string RhoText(const audit::RhoReport& report, std::size_t width);
std::string RhoPage(const audit::RhoReport& report, const std::string& command);

}  // namespace kith::cli::lab
