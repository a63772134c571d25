// Losses as people read them. The last printed digit is rounded to the safe side: what was lost is never stated too
// small, what is left or allowed never too large. tools/check_losses.py keeps other formats of losses out.
#pragma once
#include <string>

namespace kith {

/// What is lost, at most: four significant digits, rounded up; "∞" for infinity.
/// Ensures [LOSS-TEXT-1]: the text, read as a number, is not below `loss`, and at most one unit of its last digit
/// above it.
std::string LossText(double loss, int digits = 4);

/// What is left, allowed or proved as a lower bound: the same, rounded down.
/// Ensures [LOSS-TEXT-1]: the text, read as a number, is not above `amount`, and at most one unit of its last digit
/// below it.
std::string LeftText(double amount, int digits = 4);

}  // namespace kith
