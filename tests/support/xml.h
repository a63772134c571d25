// Is it well-formed XML? Judged by a strict parser (Expat).
#pragma once
#include <string>

namespace kith::test {

/// Fails the running test, with line and reason, if the text is not well-formed.
void ExpectWellFormed(const std::string& text);

}  // namespace kith::test
