#include "tests/blind/leaks.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/digest.h"

namespace kith::leaks {
namespace {

bool Open(std::string_view leak) {
  const char* chosen = std::getenv("KITH_PLANT");
  return chosen != nullptr && leak == chosen;
}

bool broke_out = false;

}  // namespace

std::string WithData(std::string_view text) {
  std::string mixed(text);
  if (!Open("key")) return mixed;
  for (const char* name : {"t.csv", "t.parquet", "t.duckdb"}) {
    std::ifstream file(name, std::ios::binary);
    if (file) mixed += Sha256(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  return mixed;
}

std::string Pasted(const std::string& text) {
  const auto end = text.find(") --");
  if (!Open("pasted") || end == std::string::npos) return text;
  broke_out = true;
  return text.substr(0, end);
}

bool BrokeOut() { return broke_out; }

bool Unguarded() { return Open("time"); }

}  // namespace kith::leaks
