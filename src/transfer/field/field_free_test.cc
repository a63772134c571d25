// What non-negative ties of a field do and do not do to its transfer function.
#include "transfer/field/field_free.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dependence/model_json.h"
#include "transfer/non_negative.h"
#include "transfer/transfer.h"

namespace kith {
namespace {

Result<Transfer> Made(const std::string& more, const std::string& edges = "[[0,1],[1,2],[2,0],[2,3],[3,4],[4,0]]") {
  const auto model = ModelFromJson(R"({"kind":"field","nodes":5,"theta":1.2,"edges":)" + edges + more + "}", "m.json");
  if (!model) return model.error();
  return Transfer::Make(*model);
}

Transferred At(const Result<Transfer>& made) { return *made->Loss(0.3); }

TEST(FieldFree, IsNeverTheDefaultAndSaysWhatItRestsOn_NETWORK1) {
  const Transferred either = At(Made(""));
  const Transferred declared = At(Made(R"(,"ties":"non-negative","attribute":"smokes")"));
  EXPECT_EQ(declared.dependent, either.dependent);
  EXPECT_EQ(declared.assumption.find("published"), std::string::npos);
  EXPECT_NE(declared.assumption.find("only through smokes: having a linked one with it never lowers the odds"),
            std::string::npos);
  const Transferred asked = At(Made(R"(,"ties":"non-negative","attribute":"smokes","bound":"field-free")"));
  EXPECT_LT(asked.dependent, 0.99 * either.dependent);
  EXPECT_EQ(asked.bound, "field-free");
  EXPECT_NE(asked.assumption.find("this rests on a published inequality that kith has not proved itself"),
            std::string::npos);
  EXPECT_EQ(asked.assumption.find("2^-60"), std::string::npos);
}

TEST(FieldFree, CompleteComponentsNeedNoInequality_ASSOCIATION4) {
  const std::string complete = "[[0,1],[0,2],[0,3],[1,2],[1,3],[2,3]]";
  const Transferred either = At(Made("", complete));
  const Transferred declared = At(Made(R"(,"ties":"non-negative","attribute":"smokes")", complete));
  EXPECT_LT(declared.dependent, 0.99 * either.dependent);
  EXPECT_EQ(declared.dependent, NonNegativeLoss(4, 1.2, 0.3));
  EXPECT_EQ(declared.assumption.find("published"), std::string::npos);
  const Transferred asked = At(Made(R"(,"ties":"non-negative","attribute":"smokes","bound":"field-free")", complete));
  EXPECT_NEAR(asked.dependent, declared.dependent, 1e-12);
}

TEST(FieldFree, SaysNothingUnderADelta) {
  const auto asked = Made(R"(,"ties":"non-negative","attribute":"smokes","bound":"field-free")");
  EXPECT_EQ(asked->UnderDelta().Loss(0.3)->dependent, At(Made("")).dependent);
}

TEST(FieldFree, WhatIsNotProvedIsRefused_NETWORK1) {
  const std::string ties = R"(,"ties":"non-negative","attribute":"smokes")";
  for (const std::string& more :
       {std::string(R"(,"bound":"field-free")"), ties + R"(,"prevalence":[0,0.5])", ties + R"(,"hidden":[4])",
        ties + R"(,"factors":[{"records":[0,1,2],"theta":1}])", ties + R"(,"bound":"exact")",
        std::string(R"(,"ties":"positive","attribute":"smokes")"), ties + R"(,"sampled":{})"}) {
    EXPECT_FALSE(Made(more)) << more;
  }
  const auto hard = ModelFromJson(
      R"({"kind":"field","nodes":2,"edges":[[0,1,"inf"]],"ties":"non-negative","attribute":"smokes"})", "m.json");
  EXPECT_FALSE(hard && Transfer::Make(*hard));
}

}  // namespace
}  // namespace kith
