// Any bytes as a question: never a crash, never an error without words, and what is planned holds together. The length
// chooses the unit.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "query/test_checks.h"
#include "query/test_policy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const kith::Policy kPolicies[] = {kith::TestPolicy(),
                                           kith::TestPolicy("key = \"id\"\nmax_rows = 1\npresence = \"secret\""),
                                           kith::TestPolicy("key = \"id\"\nmax_rows = 3\npresence = \"public\"")};
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string fault = kith::QuestionFault(text, kPolicies[size % 3]);
  if (!fault.empty()) {
    std::fprintf(stderr, "%s\n%s\n", fault.c_str(), text.c_str());
    std::abort();
  }
  return 0;
}
