#include "base/entropy.h"

#include <fmt/format.h>
#include <sys/random.h>

#include "base/check.h"

namespace kith {

std::string RandomHex(std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) {
    unsigned char byte = 0;
    KITH_CHECK(getentropy(&byte, 1) == 0);
    text += fmt::format("{:02x}", byte);
  }
  return text;
}

}  // namespace kith
