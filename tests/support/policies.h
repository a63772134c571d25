// Policies for tests of the modules that build on policy.
#pragma once
#include <cstdlib>
#include <iostream>
#include <string>

#include "policy/policy.h"

namespace kith::testing {

/// The policy from text that must be valid; otherwise the error is printed and the test program ends.
inline Policy MakePolicy(const std::string& text, const std::filesystem::path& file = "policy.toml") {
  auto policy = Policy::Parse(text, file);
  if (!policy) {
    std::cerr << "MakePolicy: " << policy.error().Text() << "\n" << text << "\n";
    std::abort();
  }
  return *std::move(policy);
}

/// Twins, pairs with odds ratios by zygosity, presence public.
inline std::string TwinsPolicyText() {
  return R"([data]
tables.twins = "twins.csv"

[unit]
table = "twins"
key = "id"
max_rows = 1
presence = "public"

[columns.twins]
stutter = { values = ["no", "yes"] }
age = { lower = 0, upper = 120 }
zyg = { values = ["mz", "dz", "os"], public = true }
sex = { values = ["female", "male"], public = true, required = true }

[dependence]
source = "public"
kind = "group"
by = "pair"
size = 2
odds_ratio = { zyg = { mz = 40, dz = 2.5, os = 2.5 } }

[budget]
epsilon = 1.0
ledger = "twins.ledger"
)";
}

}  // namespace kith::testing
