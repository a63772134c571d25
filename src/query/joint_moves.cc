#include "query/joint_moves.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/int128.h"
#include "policy/per_row.h"
#include "query/bind/bind.h"
#include "query/bounds.h"
#include "query/per_unit.h"
#include "query/question.h"
#include "query/range/range.h"
#include "query/range/range_ops.h"

namespace kith {
namespace {

constexpr std::size_t kMostStates = 400;  // what a row can add, in at most this many parts; moves are pairs of them
constexpr std::size_t kMostMoves = 1000;
constexpr std::size_t kMostBranches = 3;     // conditions that a part leaves open, each of which holds or does not
constexpr double kLargestCut = 0x1p400;      // columns without useful bounds are not divided
constexpr double kSmallestCut = 0x1p-100;    // nor are ends that are read as zero [kTinyExponent] put into other parts
constexpr std::int64_t kPiecesOfOne = 96;    // of one column's range
constexpr std::int64_t kPiecesOfTwo = 12;    // of each of two columns
constexpr std::int64_t kPiecesOfThree = 5;   // of each of three
constexpr std::size_t kMostNullColumns = 6;  // of which NULL is a separate part
constexpr std::int64_t kPartsOfAMove = 64;   // of many columns: moves are rounded up to such parts of a change

struct Steps {
  Int128 low = 0, high = 0;
  auto operator<=>(const Steps&) const = default;
};

// What a row adds to each statistic is between these, whatever else is true of it.
using State = std::vector<Steps>;

bool SurelyTrue(const Range& truth) { return truth.may_true && !truth.may_false && !truth.may_null; }

Steps StepsOf(const Range& value, Type type, Lattice lattice) {
  if (type == Type::kReal) return {Quantise(value.real_low, lattice), Quantise(value.real_high, lattice)};
  if (lattice.exponent == 0) return {value.low, value.high};
  return {Quantise(static_cast<double>(value.low), lattice), Quantise(static_cast<double>(value.high), lattice)};
}

// The parts of a column's range, NULL among them: together all that it can be.
class Pieces {
 public:
  Pieces(const Column& column, const Range& whole) : column_(column), whole_(whole) {}

  std::vector<Range> Divide(std::int64_t most, bool null_apart) const {
    std::vector<Range> pieces;
    if (!whole_.may_value) return {whole_};
    Range values = whole_;
    if (null_apart) values.may_null = false;
    if (most > 1) Cut(values, most, pieces);
    if (pieces.empty()) pieces.push_back(values);
    if (null_apart && whole_.may_null) pieces.push_back(NullRange());
    return pieces;
  }

 private:
  void Cut(const Range& values, std::int64_t most, std::vector<Range>& pieces) const {
    if (!column_.values.empty()) {
      if (static_cast<std::int64_t>(column_.values.size()) > most) return;
      for (const Value& value : column_.values) pieces.push_back(RangeOf(column_, value));
      return;
    }
    if (column_.type == ColumnType::kReal) return CutReal(values, most, pieces);
    if (column_.type == ColumnType::kText || column_.type == ColumnType::kBoolean) return;
    const Int128 width = values.high - values.low + 1;
    const Int128 parts = std::min<Int128>(most, width);
    for (Int128 i = 0; i < parts; ++i) {
      Range& piece = pieces.emplace_back(values);
      piece.low = values.low + width * i / parts;
      piece.high = values.low + width * (i + 1) / parts - 1;
    }
  }

  static void CutReal(const Range& values, std::int64_t most, std::vector<Range>& pieces) {
    const auto tiny = [](double x) { return x != 0 && std::abs(x) < kSmallestCut; };
    const double low = values.real_low, high = values.real_high;
    if (!(low < high) || tiny(low) || tiny(high) || low < -kLargestCut || high > kLargestCut) return;
    double from = low;
    for (std::int64_t i = 1; i <= most; ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(most);
      double to = i == most ? high : low * (1 - part) + high * part;
      if (tiny(to)) to = 0;
      if (!(to > from && to <= high)) continue;
      Range& piece = pieces.emplace_back(values);
      piece.real_low = from;
      piece.real_high = to;
      from = to;
    }
  }

  const Column& column_;
  const Range& whole_;
};

class Mover {
 public:
  Mover(const Question& question, const Plan& plan)
      : question_(question),
        policy_(*question.policy),
        table_(policy_.unit_table()),
        plan_(plan),
        steps_(plan.statistics.size()),
        move_(plan.statistics.size()) {
    for (std::size_t k = 0; k < plan.statistics.size(); ++k) {
      const Counter& counter = question.counters[k];
      added_up_.push_back(plan.statistics[k].noisy() &&
                          (counter.kind == CounterKind::kRows || counter.kind == CounterKind::kSum));
      terms_.emplace_back();
      if (added_up_[k]) AddTerms(counter, terms_[k]);
    }
    Look();
  }

  /// `presence`: moves by one unit that comes or goes.
  std::vector<JointMove> Run(bool presence) {
    presence_ = presence;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      const Statistic& statistic = plan_.statistics[k];
      steps_[k] = (presence ? statistic.OfPresence() : statistic.change).l1().steps();
    }
    const std::size_t divided = columns_.size();
    if (failed_) return {};
    std::int64_t most = divided == 1 ? kPiecesOfOne : divided == 2 ? kPiecesOfTwo : divided == 3 ? kPiecesOfThree : 1;
    for (;; most /= 2) {
      if (most == 0) return {};
      // What a row can add is the same for both kinds of moves.
      if (states_of_ != most && !FindStates(most)) continue;
      states_of_ = most;
      if (failed_) return {};
      if (FindMoves(divided > 1)) break;
    }
    const bool all_at_once = std::any_of(moves_.begin(), moves_.end(), [&](const JointMove& m) { return m == steps_; });
    return all_at_once ? std::vector<JointMove>() : std::move(moves_);
  }

 private:
  // A row counts if all its terms are true; terms that are spelled alike are one.
  void AddTerms(const Counter& counter, std::vector<std::size_t>& terms) {
    AddTerm(counter.filter, terms);
    if (!counter.value) return;
    const ExprPtr null = MakeExpr(Op::kIsNull, Type::kBoolean, {counter.value});
    AddTerm(MakeExpr(Op::kNot, Type::kBoolean, {null}), terms);
  }

  void AddTerm(const ExprPtr& condition, std::vector<std::size_t>& terms) {
    if (!condition) return;
    if (condition->op == Op::kAnd) {
      for (const ExprPtr& arg : condition->args) AddTerm(arg, terms);
      return;
    }
    const auto [at, is_new] = term_of_.try_emplace(CanonicalText(*condition, table_), conditions_.size());
    if (is_new) conditions_.push_back(condition);
    terms.push_back(at->second);
  }

  // What does not depend on the parts.
  void Look() {
    std::set<std::size_t> used;
    const auto mark = [&](const ExprPtr& expr) {
      if (expr) ForEachColumn(*expr, [&](std::size_t column) { used.insert(column); });
    };
    for (std::size_t k = 0; k < question_.counters.size(); ++k) {
      if (!added_up_[k]) continue;
      mark(question_.counters[k].value);
      mark(question_.counters[k].filter);
    }
    for (const std::size_t column : used) {
      if (!table_.columns[column].is_public) columns_.push_back(column);
    }
    RangeEvaluator evaluator(table_, question_.columns);
    std::size_t groups = 1;
    bool group_secret = false;
    for (const Key& key : question_.keys) {
      groups *= key.shown.size();
      group_secret = group_secret || evaluator.Evaluate(*key.expr).secret;
    }
    between_groups_ = group_secret && groups > 1;
    // What the rules say about rows by themselves: whether they can come and go, and how many of them one unit has.
    // Where they say anything other than is assumed here, no moves are listed.
    Question rows = question_;
    rows.counters.assign(1, Counter());
    const auto bounds = BoundQuestion(rows, policy_, question_.columns);
    const Int128 most = Int128{policy_.unit.max_rows} * (between_groups_ ? 2 : 1);
    const Int128 found = bounds ? bounds->counters[0].change.l1().steps() : -1;
    failed_ = evaluator.error().has_value() || (found != 0 && found != most);
    may_miss_ = found != 0 || group_secret || policy_.unit.presence == Presence::kSecret || policy_.unit.max_rows > 1 ||
                !question_.joins.empty();
  }

  // False: too many.
  bool FindStates(std::int64_t most) {
    states_of_ = 0;
    states_.clear();
    if (may_miss_) states_.insert(State(steps_.size()));
    std::vector<std::vector<Range>> pieces;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Pieces parts(table_.columns[columns_[i]], question_.columns[columns_[i]]);
      pieces.push_back(parts.Divide(most, i < kMostNullColumns));
    }
    std::vector<Range> ranges = question_.columns;
    return Visit(pieces, 0, ranges);
  }

  bool Visit(const std::vector<std::vector<Range>>& pieces, std::size_t i, std::vector<Range>& ranges) {
    if (i == pieces.size()) {
      AddStates(ranges);
      return failed_ || states_.size() <= kMostStates;
    }
    const Range before = ranges[columns_[i]];
    for (const Range& piece : pieces[i]) {
      ranges[columns_[i]] = piece;
      if (!Visit(pieces, i + 1, ranges)) return false;
      if (failed_) break;
    }
    ranges[columns_[i]] = before;
    return true;
  }

  // What a row with its columns in these ranges can add: nothing where WHERE is not true; otherwise one state for each
  // way in which the open conditions can hold.
  void AddStates(const std::vector<Range>& ranges) {
    RangeEvaluator evaluator(table_, ranges);
    if (question_.where) {
      const Range where = evaluator.Evaluate(*question_.where);
      if (!SurelyTrue(where)) states_.insert(State(steps_.size()));
      if (!where.may_true) return;
    }
    std::vector<std::optional<bool>> holds;
    std::vector<std::size_t> open;
    for (std::size_t t = 0; t < conditions_.size(); ++t) {
      const Range truth = evaluator.Evaluate(*conditions_[t]);
      holds.push_back(SurelyTrue(truth) ? std::optional(true) : truth.may_true ? std::nullopt : std::optional(false));
      if (!holds.back() && open.size() < kMostBranches) open.push_back(t);
    }
    std::vector<Steps> values(steps_.size());
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      if (added_up_[k]) values[k] = ValueOf(k, evaluator);
    }
    if (evaluator.error()) failed_ = true;
    for (std::size_t choice = 0; choice < (std::size_t{1} << open.size()); ++choice) {
      for (std::size_t i = 0; i < open.size(); ++i) holds[open[i]] = (choice >> i & 1) != 0;
      State state(steps_.size());
      for (std::size_t k = 0; k < steps_.size(); ++k) {
        if (added_up_[k]) state[k] = Counted(terms_[k], holds, values[k]);
      }
      states_.insert(std::move(state));
    }
  }

  Steps ValueOf(std::size_t k, RangeEvaluator& evaluator) const {
    const Counter& counter = question_.counters[k];
    if (counter.kind == CounterKind::kRows) return {1, 1};
    const Range value = evaluator.Evaluate(*counter.value);
    if (!value.may_value || evaluator.error()) return {};
    return StepsOf(value, counter.value->type, plan_.statistics[k].lattice);
  }

  static Steps Counted(const std::vector<std::size_t>& terms, const std::vector<std::optional<bool>>& holds,
                       const Steps& value) {
    bool certain = true;
    for (const std::size_t t : terms) {
      if (holds[t] == std::optional(false)) return {};
      certain = certain && holds[t].has_value();
    }
    if (certain) return value;
    return {std::min<Int128>(value.low, 0), std::max<Int128>(value.high, 0)};
  }

  // False: too many.
  bool FindMoves(bool rounded) {
    // There are thousands of pairs of states: where 64 bits are enough, they are compared in these.
    constexpr Int128 kSmall = Int128{1} << 60;
    const bool small = std::all_of(states_.begin(), states_.end(), [&](const State& state) {
      return std::all_of(state.begin(), state.end(),
                         [&](const Steps& each) { return -kSmall < each.low && each.high < kSmall; });
    });
    return small ? FindMovesIn<std::int64_t>(rounded) : FindMovesIn<Int128>(rounded);
  }

  template <class Number>
  bool FindMovesIn(bool rounded) {
    struct Ends {
      Number low, high;
    };
    moves_.clear();
    const std::size_t size = steps_.size();
    std::vector<Ends> states;
    for (const State& state : states_) {
      for (const Steps& each : state) states.push_back({static_cast<Number>(each.low), static_cast<Number>(each.high)});
    }
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const Ends* const a = states.data() + i * size;
      const auto largest = [&](std::size_t k) {
        return std::max<Number>(a[k].low < 0 ? -a[k].low : a[k].low, a[k].high < 0 ? -a[k].high : a[k].high);
      };
      if (presence_) {
        Add(largest, rounded);
        continue;
      }
      // All rows leave groups and enter others.
      if (between_groups_) Add([&](std::size_t k) { return 2 * largest(k); }, rounded);
      // They stay where they are: in cells whose groups are public, that may be the larger move.
      for (std::size_t j = states_.size(); j-- > i;) {
        const Ends* const b = states.data() + j * size;
        Add([&](std::size_t k) { return std::max<Number>(a[k].high - b[k].low, b[k].high - a[k].low); }, rounded);
      }
      if (moves_.size() > kMostMoves) return false;
    }
    return true;
  }

  // Moves that another one covers are left out. A row's are never negative.
  template <class OfRow>
  void Add(const OfRow& of_row, bool rounded) {
    JointMove& move = move_;
    const std::int64_t rows = policy_.unit.max_rows;
    for (std::size_t k = 0; k < steps_.size(); ++k) {
      move[k] = steps_[k];
      if (!added_up_[k]) continue;
      const auto one = of_row(k);
      if (one > steps_[k] / rows) continue;  // all rows of a unit: as much as there is, or more
      move[k] = static_cast<std::int64_t>(one) * rows;
      if (!rounded) continue;
      const Int128 unit = std::max<Int128>(1, steps_[k] / kPartsOfAMove);
      move[k] = static_cast<std::int64_t>(std::min<Int128>((move[k] + unit - 1) / unit * unit, steps_[k]));
    }
    const auto covers = [](const JointMove& a, const JointMove& b) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] < b[k]) return false;
      }
      return true;
    };
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (!covers(moves_[i], move)) continue;
      std::swap(moves_[i], moves_[i / 2]);  // what covered one is likely to cover the next
      return;
    }
    std::erase_if(moves_, [&](const JointMove& other) { return covers(move, other); });
    moves_.push_back(move);
  }

  const Question& question_;
  const Policy& policy_;
  const Table& table_;
  const Plan& plan_;
  JointMove steps_;                              // the change of each statistic
  JointMove move_;                               // the one that is examined
  std::vector<bool> added_up_;                   // row by row; others count with their whole change
  std::vector<std::vector<std::size_t>> terms_;  // of each statistic
  std::map<std::string, std::size_t> term_of_;
  std::vector<ExprPtr> conditions_;
  std::vector<std::size_t> columns_;  // that are divided
  bool presence_ = false;
  std::int64_t states_of_ = 0;  // into how many pieces columns were divided for them
  bool between_groups_ = false, may_miss_ = false, failed_ = false;
  std::set<State> states_;
  std::vector<JointMove> moves_;
};

// Rows that are public, steps of a stream, households and distances have their own rules.
bool HasOwnRules(const Question& question) {
  const Policy& policy = *question.policy;
  return question.tick || !question.levels.empty() || policy.stream || policy.unit.other_key || policy.unit.distance ||
         policy.unit.level == UnitLevel::kHousehold || RowsArePublic(policy);
}

}  // namespace

std::vector<JointMove> JointMovesOf(const std::string& sql, const Policy& policy, const Plan& plan) {
  if (plan.noisy().size() < 2 || !plan.levels.empty()) return {};
  const auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  if (!question || question->counters.size() != plan.statistics.size() || HasOwnRules(*question)) return {};
  return Mover(*question, plan).Run(false);
}

MovesOfBoth MovesOfBothFor(const std::string& sql, const Policy& policy, const Plan& plan) {
  if (plan.noisy().size() < 2 || !plan.levels.empty()) return {};
  const auto question = BindQuestion(sql, policy, kMaxQuestionBytes);
  return question ? MovesOfBothFor(*question, policy, plan) : MovesOfBoth();
}

MovesOfBoth MovesOfBothFor(const Question& question, const Policy& policy, const Plan& plan) {
  if (plan.noisy().size() < 2 || !plan.levels.empty()) return {};
  if (question.counters.size() != plan.statistics.size() || HasOwnRules(question)) return {};
  Mover mover(question, plan);
  MovesOfBoth moves{mover.Run(false), {}};
  const bool of_groups = question.per_unit && question.per_unit->OfGroups();  // a unit that comes or goes changes a row
  // In a table of pairs, rows of others come back where a unit goes.
  if (policy.unit.presence == Presence::kSecret && !of_groups && !plan.of_pairs) moves.presence = mover.Run(true);
  return moves;
}

}  // namespace kith
