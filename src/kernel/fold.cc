#include "kernel/fold.h"

#include <algorithm>
#include <cmath>

namespace kith {
namespace {

/// What the function adds for one row.
class RowSum final : public v1::Contribution {
 public:
  explicit RowSum(std::size_t numbers) : amounts_(numbers, 0.0) {}
  void Add(std::size_t number, double amount) override {
    if (number >= amounts_.size() || std::isnan(amount)) return;
    if (amounts_[number] == 0) touched_.push_back(number);
    amounts_[number] += amount;
  }
  double At(std::size_t number) const { return amounts_[number]; }
  void Forget() {
    for (const std::size_t number : touched_) amounts_[number] = 0;
    touched_.clear();
  }

 private:
  std::vector<double> amounts_;
  std::vector<std::size_t> touched_;
};

void AddRow(const RowFold& fold, std::span<const double> row, std::int64_t limit, RowSum& scratch,
            std::vector<Int128>& sums) {
  try {
    fold.function(row, scratch);
  } catch (...) {  // whatever it is, it may depend on the row only as a contribution does
    scratch.Forget();
  }
  limit = fold.limit ? std::clamp<std::int64_t>(limit, 0, fold.limit->one) : 0;  // never more than was declared
  const auto cut = [&](std::int64_t bound) {
    return fold.limit ? static_cast<std::int64_t>(Int128{bound} * limit / fold.limit->one) : bound;  // towards 0
  };
  for (const FoldPart& part : fold.parts) {
    std::int64_t left = part.most ? cut(*part.most) : 0;
    const std::int64_t low = cut(part.low), high = cut(part.high);
    for (std::size_t k = part.first; k < part.first + part.size; ++k) {
      // Infinities of both signs do not make a number.
      const double amount = std::isnan(scratch.At(k)) ? 0 : scratch.At(k) / part.step;
      auto added = static_cast<std::int64_t>(
          std::nearbyint(std::clamp(amount, static_cast<double>(low), static_cast<double>(high))));
      if (part.most) {
        added = std::clamp(added, -left, left);
        left -= std::abs(added);
      }
      sums[k] += added;
    }
  }
  scratch.Forget();
}

}  // namespace

// A unit's rows may be there or not, so each adds a number between the smaller of low and 0 and the larger of high and
// 0; and in all at most `most` in size, before and after.
Result<Sensitivities> ChangeOf(const FoldPart& part, std::int64_t rows) {
  const Int128 width = Int128{std::max<std::int64_t>(part.high, 0)} - std::min<std::int64_t>(part.low, 0);
  Int128 of_row = width * static_cast<Int128>(part.size);
  if (part.most) of_row = std::min(of_row, 2 * Int128{*part.most});
  if (of_row * rows > Sensitivity::kMax)
    return InvalidArgument("one unit could change the sums of a part by more than 2^31 steps", {},
                           "declare tighter bounds, `most`, or a larger step");
  return Sensitivities::OfL1(static_cast<std::int64_t>(of_row * rows));
}

Result<std::vector<Int128>> FoldRows(const Session& session, const RowFold& fold, const CancelFlag& cancel) {
  std::vector<Int128> sums(fold.numbers(), 0);
  RowSum scratch(fold.numbers());
  const std::size_t columns = fold.rows.values.size();
  if (fold.values > columns || (fold.limit && fold.limit->column >= columns))
    return InternalError("a fold reads more than its rows have");
  std::vector<double> row(fold.values);
  row.insert(row.end(), fold.known.begin(), fold.known.end());
  const auto scanned = session.Scan(
      fold.rows.Values(),
      [&](IntegerColumns chunk) -> Result<void> {
        if (chunk.size() < columns) return InternalError("rows have another form than planned");
        for (std::size_t i = 0; i < chunk[0].size(); ++i) {
          for (std::size_t k = 0; k < fold.values; ++k)
            row[k] = static_cast<double>(chunk[k][i]) * fold.rows.values[k].lattice.step();
          AddRow(fold, row, fold.limit ? chunk[fold.limit->column][i] : 0, scratch, sums);
        }
        return {};
      },
      cancel);
  if (!scanned) return scanned.error();
  return sums;
}

}  // namespace kith
