// What comes back: explanations, answers with their certificates, and what was spent.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kith/guarantee.h"

namespace kith::v1 {

struct Null {
  bool operator==(const Null&) const = default;
};
using Value = std::variant<Null, bool, std::int64_t, double, std::string>;

/// As a person would write it: NULL, true, 42, 0.5, mz.
std::string ToText(const Value& value);

/// What a reader of an answer should know besides.
struct Note {
  std::string kind;  // "cut", "row_limit", "left_out", "slip", "method", "accuracy", "finding", "protects", ...
  std::string text;  // for people
};

struct NoiseLine {  // one statistic's share of the price
  std::string statistic;
  double share = 0;  // plain loss of just this statistic
  double scale = 0;  // in the statistic's own units
  double lattice = 0;
  double sensitivity = 0;   // in the statistic's own units
  double error_95 = 0;      // of one number
  double error_95_all = 0;  // of all numbers at once
  bool in_rows = false;     // a quantile: scale, sensitivity and errors are of its rank, in rows
  std::string stratum;      // the groups that it is about ("persons=1"); empty: all
};

/// What a request would cost and give; computed without touching data.
struct Explanation {
  double plain = 0;                      // the price, in plain loss: of any change of a record
  std::optional<double> plain_presence;  // the same for a unit that comes or goes; nothing: presence is public
  std::vector<NoiseLine> noise;
  std::string sql;                // what the engine will be asked (first)
  double plain_spent_before = 0;  // largest over cells
  double dependent_before = 0;
  Guarantee guarantee;  // afterwards
  std::size_t charged_cells = 0, cells = 0;
  bool affordable = false;
  std::string refusal;  // why not, if not affordable
  std::vector<Note> notes;
  double delta = 0;  // in addition to `plain`: the probability that the answer loses more; 0: never
};

/// Where a quantile lies, with 95 % probability.
struct Interval {
  Value low, high;
  bool everything = false;  // it is as wide as the policy's bounds, and so says nothing
};

struct AnswerCell {
  Value value;  // key value, or the noisy number
  std::optional<double> error_95;
  std::optional<Interval> interval_95;  // of a quantile, instead of an error bar
  bool only_noise = false;              // the bar covers all that is possible: the number says nothing
};

struct Certificate {
  std::vector<NoiseLine> noise;
  double plain = 0;                      // loss of this answer, by any change of a record
  std::optional<double> plain_presence;  // the same for a unit that comes or goes; nothing: presence is public
  Unit unit = Unit::kPerson;             // whom that is about
  Guarantee guarantee;                   // of all answers so far
  std::vector<std::string> claims;
  std::int64_t ledger_entry = 0;
  std::string ledger_hash;
  double delta = 0;  // in addition to `plain`: the probability that this answer loses more; 0: never
};

struct Answer {
  std::vector<std::string> columns;
  std::vector<std::vector<AnswerCell>> rows;
  Certificate certificate;
  bool stored = false;  // true: this very question was answered before; nothing was charged
  std::vector<Note> notes;
  std::string details;  // a JSON object with what does not fit a table: of a statistic, or the private answers below
  std::string json;     // all of it as one document, as `kith query --json` prints it
};

/// What was spent on what and what is left, in both losses.
struct BudgetReport {
  double epsilon_total = 0;
  double epsilon_left = 0;  // the price that a question about everybody may still have
  struct Cell {
    std::string name;
    double plain_spent = 0, plain_budget = 0, dependent_spent = 0;
    double epsilon_left = 0;    // the price that a question about only these people may still have
    double plain_presence = 0;  // as plain_spent, for a unit that comes or goes
  };
  std::vector<Cell> cells;
  struct Line {
    std::int64_t number = 0;
    std::int64_t unix_seconds = 0;
    std::string question;
    double plain = 0;
    double plain_presence = 0;      // as plain, for a unit that comes or goes
    std::string one_sided_account;  // not empty: true records released, paid from this account without a plain loss
    double one_sided = 0;
    Unit unit = Unit::kPerson;  // whom it was about
    bool answered = false;  // false: charged, but no answer was stored (crash, error or cancellation after the charge)
    std::string caller;     // who asked; empty if nobody said
  };
  std::vector<Line> history;
  Guarantee guarantee;  // of all that was spent
  std::string head;     // of the ledger's hash chain
};

}  // namespace kith::v1
