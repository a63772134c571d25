#include "app/cli/show.h"

#include <fmt/format.h>

#include <cstdio>

namespace kith::cli {

void Show(std::string_view text) { fmt::print("{}", text); }

void Tell(std::string_view text) { fmt::print(stderr, "{}", text); }

}  // namespace kith::cli
