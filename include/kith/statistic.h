// Your own statistic: any sum over records whose contribution to each number is bounded. You say how large a
// contribution may be and write a function of one row; kith enforces the bounds, adds up, and adds noise for exactly
// what was declared. The function cannot break the guarantee by returning too much: what it returns is cut.
//
//   void Busy(std::span<const double> row, kith::Contribution& out) {  // row: the values, in the order of `values`
//     out.Add(0, row[0] * row[1]);                                     // number 0 of the statistic
//   }
//   kith::Statistic statistic;
//   statistic.name = "busy hours 1";                                   // change it whenever the function changes
//   statistic.values = {"hours", "CASE WHEN open THEN 1 ELSE 0 END"};  // expressions as in SQL
//   statistic.parts = {{.name = "busy", .low = 0, .high = 24, .step = 0.25}};
//   statistic.function = Busy;
//   const auto answer = curator->Release(statistic, price);            // charged first, certified, kept
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kith::v1 {

/// Numbers of the statistic that share their bounds and their noise.
struct StatisticPart {
  std::string name;
  std::size_t size = 1;        // how many numbers
  double low = 0, high = 0;    // what one row may contribute to each of them; there is no default that would do
  double step = 1;             // contributions are rounded to multiples of it; a power of two
  std::optional<double> most;  // what one row may contribute to all of them together, sizes added up
  double weight = 1;           // of this part's share of the price
};

struct StatisticOptions {
  std::string name;                 // of the statistic and its version: the same name means the same function
  std::vector<std::string> values;  // expressions as in SQL over columns with declared bounds; what the function sees
  std::string where;                // a condition as in SQL; may be empty
  /// An expression over public columns with values from 0 to 1, or empty: the row of a record may contribute at most
  /// this part of the bounds. Then the record's loss is at most this part of the price.
  std::string limit;
  std::vector<StatisticPart> parts;

  static constexpr std::size_t kMaxNumbers = 65536, kMaxValues = 64;
};

/// What one row adds. Numbers count from 0, through all parts.
class Contribution {
 public:
  Contribution(const Contribution&) = delete;
  Contribution& operator=(const Contribution&) = delete;
  /// Several calls for one number add up. Not a number counts as nothing; numbers that do not exist are ignored.
  virtual void Add(std::size_t number, double amount) = 0;

 protected:
  Contribution() = default;
  ~Contribution() = default;
};

/// A function of one row and of nothing else. An ordinary function (or a lambda without captures), so that it cannot
/// itself carry anything from row to row; keeping state elsewhere, or passing on what it saw, is the caller's breach.
using RowFunction = void (*)(std::span<const double> row, Contribution& out);

/// Answers have the columns part, number and value.
struct Statistic : StatisticOptions {
  RowFunction function = nullptr;
};

}  // namespace kith::v1
