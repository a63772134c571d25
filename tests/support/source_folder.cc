#include "tests/support/source_folder.h"

namespace kith::testing {

std::filesystem::path SourceFolder() { return KITH_SOURCE_DIR; }

}  // namespace kith::testing
