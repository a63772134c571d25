// Every vector about published formulas has a test: a new one in the file fails here until it gets one.
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "tests/support/source_folder.h"
#include "tests/support/vectors.h"

namespace kith::published {
namespace {

TEST(PublishedVectors, EveryIdIsUsedByATest) {
  const std::set<std::string> of_the_audit = {"ndss.attack", "ndss.eq5"};
  std::stringstream tests;
  for (const char* file :
       {"ddp_vectors_test.cc", "ddp_formula_vectors_test.cc", "idp_vectors_test.cc", "pufferfish_vectors_test.cc"}) {
    std::ifstream in(kith::testing::SourceFolder() / "src/published" / file);
    ASSERT_TRUE(in.good()) << file;
    tests << in.rdbuf();
  }
  const std::string text = tests.str();
  std::size_t used = 0;
  for (const char* family : {"ndss.", "idp.", "puf.", "mqm.", "zhu."}) {
    for (const auto& v : kith::testing::Vectors("papers", family)) {
      if (of_the_audit.count(v.id) != 0) continue;
      // By its own id, or by the prefix of a family that is run through as a whole.
      bool found = text.find("\"" + v.id + "\"") != std::string::npos;
      for (std::size_t dot = v.id.find('.'); dot != std::string::npos; dot = v.id.find('.', dot + 1)) {
        found = found || text.find("Vectors(\"papers\", \"" + v.id.substr(0, dot + 1) + "\")") != std::string::npos;
      }
      EXPECT_TRUE(found) << v.id;
      ++used;
    }
  }
  EXPECT_GE(used, 51U);
}

}  // namespace
}  // namespace kith::published
