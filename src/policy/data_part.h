// A policy that has only its [data] part so far: where `kith init` finds out which table of which server is meant.
#pragma once
#include <filesystem>
#include <string>

#include "base/result.h"
#include "policy/policy.h"

namespace kith {

/// Engine, server and tables; every other part of the file is left alone, and is empty in what is returned.
/// Fails: kInvalidArgument with file:line, kStorage.
Result<Policy> LoadDataPart(const std::filesystem::path& file);

/// As StartingPolicy, for the only table of a data part that is on a server.
std::string StartingPolicyOnServer(const Policy& data, const FileSketch& sketch);

}  // namespace kith
