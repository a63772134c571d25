// How strongly are records tied? Limits of odds ratios from public or consented data, at a stated confidence, and the
// declaration that follows from them. Nothing here reads files or knows about policies; lab/estimate_input.h reads
// samples and refuses protected ones.  Claims: claims/estimate.md
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"

namespace kith::estimate {

/// More pairs, groups or transitions than this are not accepted.
inline constexpr std::int64_t kMaxSample = 10'000'000;
inline constexpr double kLeastConfidence = 0.5, kMostConfidence = 1 - 1e-9;

/// Pairs of people, in order (husband and wife, older and younger): how many pairs show which two values.
struct PairTable {
  std::string stratum;  // empty if there is one
  std::int64_t both = 0, left = 0, right = 0, neither = 0;
  std::int64_t Total() const { return both + left + right + neither; }
};

/// Groups of one size whose members are exchangeable (twins, housemates): with[k] groups have k members that say yes.
struct GroupTable {
  std::string stratum;
  std::vector<std::int64_t> with;  // 0 .. size
  std::int64_t size() const { return static_cast<std::int64_t>(with.size()) - 1; }
  std::int64_t Total() const;
};

/// Each is one stratum; strata are never pooled.
struct Pairs {
  std::vector<PairTable> tables;
};
/// Tables of one stratum differ in their size.
struct Groups {
  std::vector<GroupTable> tables;
};
/// A chain, or many with the same law: counts[a][b] steps led from value a to value b.
struct Steps {
  std::vector<std::string> values;
  std::vector<std::vector<std::int64_t>> counts;
};
/// Pairs of a network that, given everybody else, are independent of each other (ChoosePairs), in strata in which the
/// two ends have the same odds. There is one odds ratio for all strata.
struct Ties {
  std::vector<PairTable> strata;
  std::int64_t chosen = 0;  // pairs
  std::int64_t edges = 0;   // that they were chosen from
};
/// Pairs of people at places of a grid (the points of the axes, the last axis varies fastest), and the law of where one
/// is given the other: (d + b)^-c at distance d, summed over the axes. In two halves, each of which is judged by what
/// fits the other: counts[half][u * places + v] pairs have the first at u and the second at v.
struct Places {
  std::vector<std::vector<double>> axes;
  std::array<std::vector<std::int64_t>, 2> counts;
};
using Sample = std::variant<Pairs, Groups, Steps, Ties, Places>;

/// Pairs, groups, steps or chosen pairs.
std::int64_t SizeOf(const Sample& sample);
/// "pairs", "groups", "steps", "independent pairs".
std::string UnitOf(const Sample& sample);
/// The same sample, k times over: what more data of the same kind would look like.
Sample Times(const Sample& sample, std::int64_t k);

/// An interval that contains a parameter, rounded outwards.
struct Limits {
  double lower = 0, upper = 0;
};

/// The log odds ratio between two members given that `others` of the others say yes, from the groups with others,
/// others + 1 and others + 2. Either limit is missed with probability at most alpha, whatever the law of a group is.
/// Infinite where the groups say nothing. Ensures [ESTIMATE-1].
/// Requires: 0 <= others <= size - 2, 0 < alpha < 1, counts from 0, at most kMaxSample in all.
Limits GroupLimits(const GroupTable& table, std::int64_t others, double alpha);

/// If that log odds ratio is theta: the probability of at least as many groups with others + 2 yeses as there are,
/// given how many groups and yeses the three counts have in all. Not less than the true one; rises with theta. Falls in
/// the counts of others and of others + 2, and rises in that of others + 1 [CHECK-1]. Requires: as above.
double GroupTail(const GroupTable& table, std::int64_t others, double theta);

/// The log odds ratio common to all strata, given the margins of each. Ensures [ESTIMATE-2]: either limit is missed
/// with probability at most alpha. Requires: as above.
Limits CommonLimits(const std::vector<PairTable>& strata, double alpha);

/// The probability of an event that was seen `hits` times in `trials`. Ensures [ESTIMATE-3]: the interval contains it
/// at all times at once, except with probability alpha: so whenever one stops, for whatever reason.
/// Requires: 0 <= hits <= trials, 0 < alpha < 1.
Limits AnytimeLimits(std::int64_t hits, std::int64_t trials, double alpha);

/// One parameter, for people: odds ratios, or probabilities of a step.
struct Finding {
  std::string stratum, of;  // "two members, 1 of the others yes"
  std::int64_t sample = 0;  // how many pairs, groups or steps bear on it
  double estimate = 0;      // no guarantee; NaN where there is none
  Limits limits;
};

/// What follows for one stratum.
struct Strength {
  std::string stratum;
  std::int64_t sample = 0;
  double theta = 0;       // log odds ratio, either sign; infinite: nothing short of "anything goes" will do
  double odds_ratio = 1;  // to be declared: e^theta with three digits, rounded up
  double estimate = 1;    // of the same, without guarantee
};

struct Estimate {
  double confidence = 0;  // that every declared strength is large enough
  double each = 0;        // the probability left to a miss in each finding
  std::vector<Finding> findings;
  std::vector<Strength> strengths;  // one for each stratum, in the order of the sample
  double Largest() const;           // odds ratio to be declared
};

/// Which odds ratios are to be covered.
enum class Sign {
  kEither,
  kNonNegative,  // ties are promised never to be negative: only upper limits count
};

/// Ensures [ESTIMATE-4]: with probability at least `confidence` every law of the sample's population is in the class
/// that the strengths declare; of those with ties of that sign. Fails: kInvalidArgument for a confidence out of range,
/// counts that are negative or too many, nothing to count, and where the sample contradicts the sign.
Result<Estimate> Make(const Sample& sample, double confidence, Sign sign = Sign::kEither);

/// What k times as much data of the same kind would give.
struct More {
  std::int64_t times = 1;
  std::int64_t sample = 0;
  double odds_ratio = 0;  // the largest of all strata
};
struct Outlook {
  std::vector<More> steps;  // 1, 2, 4, ... times
  std::int64_t half = 0;    // times that bring the declared odds ratio to half; 0: no amount up to the largest
  double half_of = 0;       // that half
};
/// Fails: as Make.
Result<Outlook> LookAhead(const Sample& sample, double confidence, Sign sign = Sign::kEither);

/// All counts that fit a published concordance, prevalence and number of pairs, as their text is rounded.
/// Concordance is probandwise (2C / (2C + D)) or pairwise (C / (C + D)). Fails: kInvalidArgument: not numbers between 0
/// and 1, nothing fits, or more than 400 tables do.
Result<std::vector<GroupTable>> FromConcordance(const std::string& concordance, bool pairwise,
                                                const std::string& prevalence, std::int64_t pairs);
/// The table whose declared odds ratio is largest. Fails: as Make.
Result<GroupTable> Worst(const std::vector<GroupTable>& tables, double confidence);

/// The standard deviation of a random intercept of a logistic model, rounded up, whose variance is the share `icc` of
/// all variance on the latent logistic scale: sigma^2 = icc / (1 - icc) * pi^2 / 3. Ensures [ESTIMATE-8]. Requires: 0
/// <= icc < 1.
double SdOfIcc(double icc);

/// The value rounded up to three digits.
double RoundedUp(double value);

/// Who is tied with whom, and a value of each.
struct Network {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // of nodes 0 .. values.size() - 1; either order, once
  std::vector<int> values;                                     // 0, 1; -1: not known
  std::vector<int> classes;                                    // public class of each node; empty: one class
};

/// Edges no two of which share an end or are joined by an edge, among those whose ends and all their neighbours have a
/// known value; chosen only by who is tied with whom, quiet ones first.
/// Ensures [ESTIMATE-5]: given all other nodes, the pairs are independent in every field on the network; values are not
/// used, except for whether they are known.
std::vector<std::size_t> ChoosePairs(const Network& network);
/// The chosen pairs in strata by public class, number of neighbours and number of those that say yes, of both ends.
Ties TiesOf(const Network& network);

}  // namespace kith::estimate
