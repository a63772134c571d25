// Where the project's files are, for tests that read vectors, golden files and examples.
#pragma once
#include <filesystem>

namespace kith::testing {

/// The root of the source tree.
std::filesystem::path SourceFolder();

}  // namespace kith::testing
