#include "tests/support/vectors.h"

#include <fstream>

#include "base/check.h"
#include "tests/support/source_folder.h"

namespace kith::testing {

std::vector<Vector> Vectors(const std::string& file, const std::string& prefix) {
  std::ifstream in(SourceFolder() / "tests/vectors" / (file + ".json"));
  KITH_CHECK(in.good());
  const auto read = nlohmann::json::parse(in);
  const auto& all = read.is_object() ? read.at("vectors") : read;
  std::vector<Vector> found;
  for (const auto& v : all) {
    const auto id = v.at("id").get<std::string>();
    if (id.rfind(prefix, 0) != 0) continue;
    found.push_back({id, v.at("inputs"), v.at("expected"), v.value("tolerance", 1e-9)});
  }
  KITH_CHECK(!found.empty());
  return found;
}

}  // namespace kith::testing
