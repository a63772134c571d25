// What a term can be, over all rows and all data, and on what it depends. Everything the checker knows of values.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/value.h"

namespace kith::check {

inline constexpr double kEndless = std::numeric_limits<double>::infinity();
/// Whole numbers up to here are exact as doubles. An end beyond is endless.
inline constexpr double kExact = 0x1p53;

/// What rows are known by.
enum class Role {
  kNone,
  kUnit,       // the key of the unit whose row it is
  kOwner,      // of rows that name two units: the key of either
  kHousehold,  // of the unit
};

/// The names of columns that something has to do with.
using Names = std::shared_ptr<const std::set<std::string>>;

struct Possible {
  double low = -kEndless, high = kEndless;          // unless it is NULL; of truth values 0 and 1; empty if low > high
  bool null = true;                                 // may be NULL
  bool real = false;                                // may be no whole number
  bool secret = false;                              // may change when the record of the row's unit is replaced
  bool by_row = false;                              // may differ between the rows of a unit
  double values = kEndless;                         // it has at most so many different values, besides NULL
  std::optional<Value> is;                          // it is just this
  std::shared_ptr<const std::vector<Value>> never;  // and none of these
  // Of a row that is made of rows of several units: how far one of them can move it while it is there before and after,
  // and how large it is if it is there only before or only after. Claim GROUP-2.
  double own = kEndless, alone = kEndless;
  Role role = Role::kNone;
  bool of_household = false;  // the same for all persons of a household
  // Set: the place of a row in an order. Rows that tie agree in these columns, and perhaps in no others.
  Names places;
  // Set: it also depends on rows of other units, of those that agree in these columns.
  Names others;

  // An engine takes any number but 0 for true.
  bool MayBeTrue() const { return low <= high && (low != 0 || high != 0); }
  bool MustBeTrue() const { return !null && low >= 1; }
  bool MustBeFalse() const { return !null && low == 0 && high == 0; }
  bool OfUnit() const { return !secret && !by_row; }
};

Possible Constant(const Value& value);
Possible Between(double low, double high);
Possible Truth(bool may_be_true, bool may_be_false, bool null);
/// Either of them.
Possible Hull(const Possible& a, const Possible& b);
/// A function of them, of which nothing else is known.
Possible Made(const std::vector<Possible>& of);
/// The same, with these dependences added: which of several values it is depends on `by`.
Possible Chosen(Possible value, const Possible& by);
/// Both ends are wide enough for their type, and what is always the same is no secret.
Possible Settled(Possible value);

Possible Plus(const Possible& a, const Possible& b);
Possible Minus(const Possible& a, const Possible& b);
Possible Times(const Possible& a, const Possible& b);
/// Towards zero, unless it is real. NULL by 0.
Possible Quotient(const Possible& a, const Possible& b, bool real);
Possible Remainder(const Possible& a, const Possible& b);
Possible Negated(const Possible& a);
/// The same value, less than before but for NULL: a unit moves it by no more.
Possible Kept(Possible value, const Possible& of);
/// A function that nowhere falls.
Possible Mapped(Possible value, double (*function)(double));
/// Cut to the ends; NULL stays NULL.
Possible Cut(Possible value, double low, double high);

Possible And(const std::vector<Possible>& all);
Possible Or(const std::vector<Possible>& any);
Possible Not(const Possible& a);
/// sign: "=", "<>", "<", "<=", ">", ">=".
Possible Compared(const std::string& sign, const Possible& a, const Possible& b);

}  // namespace kith::check
