// The folder .kith beside policies and ledgers: what is in it is for the user who runs kith and for nobody else.
#pragma once
#include <filesystem>
#include <system_error>

namespace kith {

/// Makes the folder with mode 0700, and takes other people's rights to an existing one away where it is this user's. A
/// copy of data in it must not be readable for people who cannot read the original, whatever protects that.
/// An error only if there is no such folder afterwards.
std::error_code MakePrivateFolder(const std::filesystem::path& folder);

}  // namespace kith
