// Does a noisy table of groups contradict a declared odds ratio? And how strong must a contradiction be to be noticed?
// Source: docs/theory/transfer.md#checking-a-declaration.  Claims: claims/check.md
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace kith::check {

/// What a check is asked to find. Everything here is public.
struct Rule {
  std::int64_t size = 2;      // members of a group
  std::int64_t classes = 1;   // tables that are looked at
  double false_alarm = 0.05;  // the most that all of them together may raise one by chance

  /// How far noise may be off, in groups, before it is blamed: except with probability false_alarm / 2, no noise of any
  /// table goes beyond it in the direction that makes ties look stronger. `scale`: of discrete Laplace noise.
  std::int64_t Box(double scale) const;
  /// What is left to a chance finding in each comparison.
  double Each() const;
};

/// True if every table whose counts are within `box` of the noisy ones has a lower limit above the declared log odds
/// ratio. `noisy`: groups with 0, 1, ..., size members that say yes.
/// Ensures [CHECK-1]: the one table that is looked at for each comparison is the worst of them; so, if the groups are
/// drawn from one law whose odds ratios are at most e^theta, this is true with probability at most false_alarm.
bool Contradicts(const Rule& rule, std::span<const std::int64_t> noisy, double theta, std::int64_t box);

/// Where `odds_ratio` is contradicted: the largest among it, 1.25 times it, 1.25^2 times it, ... that the same counts
/// contradict as well (up to a million times it).
/// Ensures [CHECK-1]: if the odds ratios are at most r, this is r or more with probability at most false_alarm.
double ContradictedUpTo(const Rule& rule, std::span<const std::int64_t> noisy, double odds_ratio, std::int64_t box);

/// Of groups that are alike, with this share of yeses, one odds ratio between any two members, given the others: the
/// chances of 0, 1, ..., size yeses.
std::vector<double> LawOf(std::int64_t size, double share, double odds_ratio);

/// How often, in `tries` simulated tables of this many groups, an alarm is raised. The same for the same arguments.
double Power(const Rule& rule, std::int64_t groups, double share, double odds_ratio, double theta, double scale,
             int tries);

/// The smallest odds ratio of an increasing list that is noticed with 80 % probability; nothing if none is.
std::optional<double> Noticed(const Rule& rule, std::int64_t groups, double share, double theta, double scale);

}  // namespace kith::check
