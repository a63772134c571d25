#include "app/cli/estimate_forms.h"

#include <gtest/gtest.h>

#include <set>

namespace kith::cli {
namespace {

EstimateOptions Typed() {
  EstimateOptions options;
  options.question.consent = "public";
  options.counts = {270, 18, 12};
  return options;
}

TEST(EstimateForms, EachHasItsOptionsOnceAndAPlaceForEach) {
  for (const EstimateForm& form : EstimateForms()) {
    EstimateOptions options;
    std::set<std::string> names;
    std::size_t many = 0;
    for (const OptionSpec& option : OptionsOf(form, options)) {
      names.insert(option.name);
      ++many;
      EXPECT_FALSE(option.help.empty()) << form.name << ' ' << option.name;
    }
    EXPECT_EQ(names.size(), many) << form.name;
    EXPECT_EQ(FindEstimate(form.name), &form);
  }
  EXPECT_EQ(FindEstimate("triplets"), nullptr);
}

TEST(EstimateForms, WhatNoTypeSaysIsRefusedWithItsOption) {
  const EstimateForm& pairs = *FindEstimate("pairs");
  EXPECT_TRUE(ReportOf(pairs, Typed(), CancelFlag()));
  auto options = Typed();
  options.size = 1001;
  EXPECT_EQ(ReportOf(pairs, options, CancelFlag()).error().parameter, "estimate.size");
  options = Typed();
  options.question.epsilon = 0;
  EXPECT_EQ(ReportOf(pairs, options, CancelFlag()).error().parameter, "estimate.epsilon");
  options = Typed();
  options.question.consent = "stolen";
  EXPECT_NE(ReportOf(pairs, options, CancelFlag()).error().next.find("consented"), std::string::npos);
  options = Typed();
  options.counts = {1, 2};
  EXPECT_NE(ReportOf(pairs, options, CancelFlag()).error().what.find("a list of 3"), std::string::npos);
}

TEST(EstimateForms, OneOddsRatioForAllHasNoStrata) {
  EstimateOptions options;
  options.question.consent = "public";
  options.file.path = "nowhere.csv";
  options.file.by = "house";
  options.file.value = "ill";
  options.file.common = true;
  options.file.stratum = "ward";
  EXPECT_EQ(ReportOf(*FindEstimate("households"), options, CancelFlag()).error().parameter, "estimate.common");
}

}  // namespace
}  // namespace kith::cli
