#include "policy/renamed_keys.h"

#include <gtest/gtest.h>

#include "policy/policy.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

std::string Asking(const std::string& server) { return testing::TwinsPolicyText() + "\n[server]\n" + server + "\n"; }

TEST(RenamedKeys, AnOldNameMeansWhatTheNewOneDoesAndIsSaid) {
  const auto now = Policy::Parse(Asking("approval_expires = \"3d\""), "p.toml");
  const auto old = Policy::Parse(Asking("approval_lapses = \"3d\""), "p.toml");
  ASSERT_TRUE(now && old);
  EXPECT_EQ(old->serving.approval_expires, std::chrono::hours(72));
  EXPECT_EQ(now->serving.approval_expires, std::chrono::hours(72));
  EXPECT_TRUE(now->old_names.empty());
  ASSERT_EQ(old->old_names.size(), 1U);
  EXPECT_NE(old->old_names[0].find("approval_lapses of [server] is called approval_expires now"), std::string::npos);
}

TEST(RenamedKeys, BothNamesAtOnceAreRefused) {
  const auto both = Policy::Parse(Asking("approval_expires = \"3d\"\napproval_lapses = \"2d\""), "p.toml");
  ASSERT_FALSE(both);
  EXPECT_NE(both.error().what.find("are one key"), std::string::npos) << both.error().what;
}

TEST(RenamedKeys, TheOldNameOfOneSectionIsUnknownInAnother) {
  EXPECT_EQ(PresentName("[one_sided]", "law"), "model");
  EXPECT_EQ(PresentName("[dependence]", "law"), "law");
  EXPECT_EQ(PresentName("[one_sided]", "sensitive"), "sensitive");
}

}  // namespace
}  // namespace kith
