// Every fault in a declared model is named, with what to do about it.
#include "dependence/check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kith {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

/// What Check says: empty if it is content. An error without advice is itself a fault.
std::string Complaint(const Model& model) {
  const auto ok = Check(model);
  if (ok) return "";
  EXPECT_EQ(ok.error().code, Code::kInvalidArgument);
  EXPECT_FALSE(ok.error().next.empty()) << ok.error().what;
  return ok.error().what;
}

#define EXPECT_COMPLAINT(model, text) EXPECT_NE(Complaint(model).find(text), std::string::npos) << Complaint(model)

const LawTable kFair = {{0.5, 0.5}, {0.5, 0.5}};

TEST(Check, Groups) {
  EXPECT_EQ(Complaint(Independent{}), "");
  EXPECT_EQ(Complaint(Group{2, {{"", 3}}}), "");
  EXPECT_COMPLAINT((Group{0, {{"", 3}}}), "size of a group");
  EXPECT_COMPLAINT((Group{kMaxGroupSize + 1, {{"", 3}}}), "size of a group");
  EXPECT_COMPLAINT((Group{2, {}}), "at least one class");
  EXPECT_COMPLAINT((Group{2, {{"mz", 3}, {"mz", 4}}}), "same label");
  for (const double odds : {0.5, 0.0, -1.0, kNaN, kInfinity}) EXPECT_COMPLAINT((Group{2, {{"", odds}}}), "odds ratio");
  EXPECT_EQ(Complaint(Overlap{10, 0.5}), "");
  for (const double eta : {-0.1, 1.1, kNaN}) EXPECT_COMPLAINT((Overlap{10, eta}), "total variation");
}

TEST(Check, Fields) {
  Field good{4, {{0, 1, 0.7}, {1, 2, kInfinity}}, {{{0, 2}, 0.1}}, {3}, Prevalence{0, 0.1}, nullptr};
  EXPECT_EQ(Complaint(good), "");
  const auto with = [&](auto change) {
    Field field = good;
    change(field);
    return field;
  };
  EXPECT_COMPLAINT(with([](Field& f) { f.nodes = 0; }), "nodes");
  EXPECT_COMPLAINT(with([](Field& f) { f.edges[0].b = 4; }), "an edge leads to record 4, but there are only 4");
  EXPECT_COMPLAINT(with([](Field& f) { f.edges[0].b = 0; }), "to itself");
  EXPECT_COMPLAINT(with([](Field& f) { f.edges[0].theta = -1; }), "strength");
  EXPECT_COMPLAINT(with([](Field& f) { f.edges[0].theta = kNaN; }), "strength");
  EXPECT_COMPLAINT(with([](Field& f) { f.factors[0].records = {1}; }), "at least two records");
  EXPECT_COMPLAINT(with([](Field& f) { f.factors[0].records = {1, 1}; }), "twice");
  EXPECT_COMPLAINT(with([](Field& f) { f.factors[0].records = {1, 9}; }), "record 9");
  EXPECT_COMPLAINT(with([](Field& f) { f.factors[0].theta = kNaN; }), "strength");
  EXPECT_COMPLAINT(with([](Field& f) { f.hidden = {4}; }), "hidden node does not exist");
  EXPECT_COMPLAINT(with([](Field& f) { f.hidden = {0, 1, 2, 3}; }), "every node is hidden");
  EXPECT_COMPLAINT(with([](Field& f) { f.hidden = {3, 3}; }), "twice");
  EXPECT_COMPLAINT(with([](Field& f) { f.prevalence = {0.2, 0.1}; }), "prevalence");
  EXPECT_COMPLAINT(with([](Field& f) { f.prevalence = {0, kNaN}; }), "prevalence");
}

TEST(Check, ChainsAndTrees) {
  EXPECT_EQ(Complaint(Chain{kFair, {0.5, 0.5}, 100}), "");
  EXPECT_EQ(Complaint(Chain{{{1.0 / 3, 2.0 / 3}, {0.1, 0.9}}, {0.333333333, 0.666666667}, 1}), "");
  EXPECT_COMPLAINT((Chain{kFair, {0.5, 0.4}, 100}), "add up to 0.9");
  EXPECT_COMPLAINT((Chain{kFair, {0.5, 0.5}, 0}), "length");
  EXPECT_COMPLAINT((Chain{{{0.5, 0.5}}, {0.5, 0.5}, 3}), "1 rows");
  EXPECT_COMPLAINT((Chain{{{0.5, 0.5}, {1}}, {0.5, 0.5}, 3}), "differ in length");
  EXPECT_COMPLAINT((Chain{kFair, {1.5, -0.5}, 100}), "between 0 and 1");
  EXPECT_COMPLAINT((Chain{kFair, {kNaN, 1}, 100}), "between 0 and 1");

  EXPECT_EQ(Complaint(Tree{{-1, 0, 0}, {{{0.5, 0.5}}, kFair, kFair}}), "");
  EXPECT_EQ(Complaint(Tree{{1, -1}, {kFair, {{0.5, 0.5}}}}), "");
  EXPECT_COMPLAINT((Tree{{1, 2, 0}, {kFair, kFair, kFair}}), "cycle through record 0");
  EXPECT_COMPLAINT((Tree{{-1, 1}, {{{0.5, 0.5}}, kFair}}), "cycle through record 1");
  EXPECT_COMPLAINT((Tree{{-1, 7}, {{{0.5, 0.5}}, kFair}}), "parent does not exist");
  EXPECT_COMPLAINT((Tree{{-1, 0}, {{{0.5, 0.5}}}}), "2 parents but 1 tables");
  EXPECT_COMPLAINT((Tree{{-1, 0}, {{{0.2, 0.3, 0.5}}, kFair}}), "2 rows");
  EXPECT_COMPLAINT((Tree{{-1, 0}, {{{0.5, 0.5}}, {{0.5, 0.5}, {0.5, 0.6}}}}), "add up to");
}

TEST(Check, StarsInfluencesAndJointLaws) {
  EXPECT_EQ(Complaint(Star{{kFair}}), "");
  EXPECT_EQ(Complaint(Star{}), "");
  EXPECT_COMPLAINT((Star{{kFair, {{0.5, 0.5}}}}), "1 rows");

  EXPECT_EQ(Complaint(Lipschitz{{{0, 0.5}, {2, 0}}, {}}), "");  // without either record nothing is left to contract
  EXPECT_COMPLAINT((Lipschitz{{{0, 0.5, 0}, {2, 0, 0}, {0, 0, 0}}, {}}), "without record 2 the spectral radius");
  EXPECT_COMPLAINT((Lipschitz{{{0, 1, 1}, {1, 0, 1}, {1, 1, 0}}, {}}), "spectral radius");
  EXPECT_COMPLAINT((Lipschitz{{{0.1, 0}, {0, 0}}, {}}), "on itself");
  EXPECT_COMPLAINT((Lipschitz{{{0, kNaN}, {0, 0}}, {}}), "finite number");
  EXPECT_COMPLAINT((Lipschitz{{{0, 1}}, {}}), "not square");
  EXPECT_COMPLAINT((Lipschitz{{{0, 0}, {0, 0}}, {1}}), "number of diameters");
  EXPECT_COMPLAINT((Lipschitz{{{0}}, {0}}), "diameter");

  EXPECT_EQ(Complaint(Joint{{2, 2}, {0.4, 0.1, 0.1, 0.4}}), "");
  EXPECT_COMPLAINT((Joint{{2, 2}, {0.4, 0.1, 0.1}}), "call for 4");
  EXPECT_COMPLAINT((Joint{{2, 2}, {0.4, 0.1, 0.1, 0.5}}), "add up to 1.1");
  EXPECT_COMPLAINT((Joint{std::vector<std::int64_t>(13, 2), Law(8192, 1.0 / 8192)}), "more than 4096 states");
  EXPECT_COMPLAINT((Joint{}), "at least one record");
}

TEST(SpectralRadius, AgreesWithKnownMatrices) {
  const auto ring = [](double c) {
    return std::vector<std::vector<double>>{{0, c, 0, c}, {c, 0, c, 0}, {0, c, 0, c}, {c, 0, c, 0}};  // radius 2c
  };
  EXPECT_TRUE(SpectralRadiusBelowOne(ring(0.499), 4));
  EXPECT_FALSE(SpectralRadiusBelowOne(ring(0.5), 4));
  EXPECT_FALSE(SpectralRadiusBelowOne(ring(0.501), 4));
  EXPECT_TRUE(SpectralRadiusBelowOne(ring(0.7), 0));  // a path of three: radius c sqrt 2
  EXPECT_FALSE(SpectralRadiusBelowOne(ring(0.708), 0));
}

}  // namespace
}  // namespace kith
