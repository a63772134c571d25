// Leaks that kith once had, planted again for the twin of the blind test (kith_blind_leaky). KITH_PLANT names the one
// that is open: key, pasted or time.
#pragma once
#include <string>
#include <string_view>

namespace kith::leaks {

/// key: what an answer is known by has the bytes of the data in it, and the ledger's head with it.
std::string WithData(std::string_view text);

/// pasted: text that closes a parenthesis and begins a comment breaks out of its place ...
std::string Pasted(const std::string& text);
/// ... and what came after it, that no value is NULL, is gone.
bool BrokeOut();

/// time: values of time types are cast as they are, and some casts stop the whole statement.
bool Unguarded();

}  // namespace kith::leaks
