// Every counterexample of the gallery: the loss it prints is the one of the papers' vectors, and exceeds what is
// claimed.
#include "audit/gallery/gallery.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "audit/exact/exact_test_tools.h"
#include "base/json.h"
#include "tests/support/json_place.h"
#include "tests/support/source_folder.h"

namespace kith::audit {
namespace {

using kith::testing::Vector;
using published::reference::OneVector;

const std::filesystem::path kFolder = kith::testing::SourceFolder() / "examples" / "counterexamples";

std::string TextOf(const std::filesystem::path& file) {
  std::ifstream in(file);
  EXPECT_TRUE(in.good()) << file;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

GalleryResult ResultOf(const std::string& name) {
  const auto c = GalleryCaseFromJson(TextOf(kFolder / (name + ".json")), name);
  EXPECT_TRUE(c.has_value()) << name << (c ? "" : c.error().Text());
  const auto result = RunCase(c.value());
  EXPECT_TRUE(result.has_value()) << name << (result ? "" : result.error().Text());
  return result.value();
}

/// Where the papers' vectors hold the true loss of a file.
struct Expectation {
  const char* vector;
  const char* truth;  // path into `expected`
  double claimed;
};

const std::map<std::string, Expectation> kFromVectors = {
    {"xor", {"ndss.dpm.xor_sum", "/eps=1/rho14/true_eps", 1}},
    {"outbreak_10", {"ndss.dpm.outbreak", "/n=10,p=0.1,eta=0.001,eps=1/true_eps", 1}},
    {"outbreak_50", {"ndss.dpm.outbreak", "/n=50,p=0.1,eta=1e-06,eps=1/true_eps", 1}},
    {"parity", {"ndss.dpm.parity", "/eps=1/rho14/true_eps", 1}},
    {"conservative", {"ndss.dpm.eq18_violation", "/eps=1/rho18a/true_eps", 1}},
    {"chain", {"ndss.dpm.chain_violation", "/case1/true_eps", 1}},
    {"parallel", {"ndss.parallel.flip0", "/joint_true", 1}},
    {"repeated", {"idp.comp_outbreak", "/eps=1/two_queries_true", 2}},
    {"one_shot", {"ndss.fixedpoint_naive", "/one_shot_rho14_true_eps", 1}},
    {"units", {"ndss.dpm.asym_tenth_sum", "/eps=1/rho14/true_eps", 1}},
    {"zero_plus_zero", {"idp.comp_parity", "/joint/2", 0}},
    {"known_bit", {"idp.prop4_false", "/cond_mi", 0}},
    {"masked_pairs", {"ndss.dpm.identity_pairs", "/true_eps/1", 1}},
};

double NumberAt(const kith::testing::Json& top, const std::string& path) {
  const kith::testing::Json* at = &top;
  std::istringstream names(path.substr(1));
  for (std::string name; std::getline(names, name, '/');)
    at = at->is_array() ? &at->at(std::stoul(name)) : &at->at(name);
  return at->get<double>();
}

TEST(Gallery, PrintsTheLossesOfThePapers_AUDIT8) {
  for (const auto& [name, expected] : kFromVectors) {
    const Vector v = OneVector(expected.vector);
    const GalleryResult result = ResultOf(name);
    EXPECT_NEAR(result.truth, NumberAt(v.expected, expected.truth), v.tolerance) << name;
    EXPECT_NEAR(result.claimed, expected.claimed, 1e-9) << name;
  }
}

TEST(Gallery, TheCheckAboveSeesAWrongLaw) {
  Json file = Json::parse(TextOf(kFolder / "outbreak_10.json"));
  file["law"]["common_cause"]["cause"] = {0.9989, 0.0011};
  const Vector v = OneVector("ndss.dpm.outbreak");
  const double truth = v.expected["n=10,p=0.1,eta=0.001,eps=1"]["true_eps"];
  EXPECT_GT(std::abs(RunCase(GalleryCaseFromJson(file.dump(), "changed").value())->truth - truth), 1e-3);
}

TEST(Gallery, CasesWithoutAVector) {
  // The other bit is known, so the whole step of 1 shows: 1 / scale.
  const Vector floor = OneVector("puf.dp_floor");
  EXPECT_NEAR(ResultOf("floor").scale, floor.expected["exact_sigma"][1], floor.tolerance);
  EXPECT_NEAR(ResultOf("floor").truth, 1 / floor.expected["exact_sigma"][1].get<double>(), 1e-6);
  // Correlated sensitivity: the ten squares move together, so the noise is theirs; record 0 moves one more.
  EXPECT_NEAR(ResultOf("correlation").scale, 10, 1e-9);
  EXPECT_GT(ResultOf("correlation").truth, 1.05);
  const Vector outbreak = OneVector("ndss.dpm.outbreak");
  EXPECT_NEAR(ResultOf("correlation_outbreak").scale, outbreak.expected["n=50,p=0.1,eta=1e-06,eps=1"]["CS_zhu"], 1e-7);
  EXPECT_GT(ResultOf("correlation_outbreak").truth, 30);
  const Vector f2 = OneVector("osdp.f2_unbounded");
  EXPECT_NEAR(ResultOf("released_record").truth, std::log(f2.expected["f2"].get<double>()), 1e-9);
  EXPECT_EQ(ResultOf("two_released_records").truth, INFINITY);
  EXPECT_NEAR(ResultOf("two_released_records").claimed, 0, 1e-12);
}

TEST(Gallery, EveryFileIsTestedDocumentedAndFails) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".json") continue;
    ++files;
    const std::string text = TextOf(entry.path());
    EXPECT_TRUE(IsGalleryCase(text)) << entry.path();
    const GalleryCase c = GalleryCaseFromJson(text, entry.path().string()).value();
    EXPECT_FALSE(c.title.empty() || c.refutes.empty() || c.shows.empty()) << entry.path();
    const GalleryResult result = RunCase(c).value();
    EXPECT_TRUE(result.Fails()) << entry.path() << " claimed " << result.claimed << " true " << result.truth;
  }
  EXPECT_EQ(files, kFromVectors.size() + 5);
}

TEST(Gallery, SoundCasesDoNotFail) {
  Json file = Json::parse(TextOf(kFolder / "xor.json"));
  file["noise"] = "ddp eq18";
  EXPECT_FALSE(RunCase(GalleryCaseFromJson(file.dump(), "changed").value())->Fails());
  file["noise"] = "exact calibration";
  EXPECT_FALSE(RunCase(GalleryCaseFromJson(file.dump(), "changed").value())->Fails());
  file = Json::parse(TextOf(kFolder / "units.json"));
  file["noise"] = "ddp eq14";
  EXPECT_FALSE(RunCase(GalleryCaseFromJson(file.dump(), "changed").value())->Fails());
}

TEST(Gallery, BrokenFilesAreRefusedWithAReason) {
  const Json good = Json::parse(TextOf(kFolder / "xor.json"));
  const std::vector<std::pair<const char*, Json>> changes = {
      {"/noise", "magic"},          {"/noise", 3},        {"/epsilon", 0},
      {"/epsilon", "one"},          {"/law/rows/0/p", 2}, {"/law/rows/0/x", Json::array({0})},
      {"/law", Json::object()},     {"/ask", "mean"},     {"/ask", Json::parse(R"([[{"of":[7]}]])")},
      {"/ask", Json::array()},      {"/times", 3},        {"/claim", "smallest"},
      {"/measure", "feeling"},      {"/known", {9}},      {"/unheard_of", 1},
      {"/domains", {{0, 1}}},       {"/title", 5},        {"/ask", Json::parse(R"([[{"modulo":0}]])")},
      {"/ask", Json::parse("[[]]")}};
  for (const auto& [where, value] : changes) {
    Json bad = good;
    test::PlaceIn(bad, where) = value;
    const auto c = GalleryCaseFromJson(bad.dump(), "bad.json");
    ASSERT_FALSE(c.has_value()) << where << value;
    EXPECT_EQ(c.error().code, Code::kInvalidArgument);
  }
  EXPECT_FALSE(GalleryCaseFromJson("{", "bad.json").has_value());
  EXPECT_FALSE(IsGalleryCase(R"({"kind":"joint"})"));
}

}  // namespace
}  // namespace kith::audit
