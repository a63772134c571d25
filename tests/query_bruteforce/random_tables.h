// Random worlds of two tables of the same units, and questions about them with their meaning: for the brute-force test.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "query/plan.h"
#include "tests/query_bruteforce/random_questions.h"

namespace kith::testing::tables {

using Number = std::optional<int>;
using Word = std::optional<std::string>;
using Truth = std::optional<bool>;

struct Person {
  Word g, s;
  Number x;
};
struct Visit {
  Word g, k;
  Number y;
};
/// All that a unit is.
struct Unit {
  std::vector<Person> persons;
  std::vector<Visit> visits;
};
/// A row of FROM: either part can be missing.
struct Joined {
  const Person* p = nullptr;
  const Visit* v = nullptr;

  Number X() const { return p ? p->x : std::nullopt; }
  Number Y() const { return v ? v->y : std::nullopt; }
};

struct World {
  Policy policy;
  bool public_g = false;
  std::int64_t persons = 1, visits = 1;
};

enum class From { kPersons, kVisits, kInner, kTurned, kLeft };

/// A question and what it means: for each statistic, what a unit adds to which group.
struct Ask {
  std::string sql;
  From from = From::kInner;
  bool once = false;  // the unit counts once in each group
  std::function<Truth(const Joined&)> where = [](const Joined&) { return true; };
  std::function<Number(const Joined&)> value = [](const Joined&) { return 1; };
  std::vector<std::function<Word(const Joined&)>> keys = {};
  std::function<Number(const std::vector<Joined>&)> per_unit = {};  // set: the unit is one row, which adds this
};

/// What a unit adds: one number for each group.
using Added = std::vector<int>;

/// Persons p and visits v, with one or two rows of each unit, presence public or secret.
World RandomWorld(Dice& dice);
/// One aggregate of p, of v, or of a join, at times of one row for each unit around the join.
Ask RandomAsk(Dice& dice);
Truth Above(Number a, int b);
Added AddedBy(const Unit& unit, const Ask& ask, const Plan& plan);
/// Every record of a unit whose persons have this g, where it is public.
std::vector<Unit> AllUnits(const World& world, const Word& g);
/// What g can be.
inline const std::vector<Word> kG = {"a", "b", std::nullopt};

}  // namespace kith::testing::tables
