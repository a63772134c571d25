// Records that are released, or would be, as people read them.
#pragma once
#include <string>

#include "release/one_sided/one_sided.h"

namespace kith::cli {

/// `explain`: nothing was released.
std::string RecordsText(const RecordsReport& report, bool explain, std::size_t width);

}  // namespace kith::cli
