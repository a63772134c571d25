// Rows that are public, against adding up what each unit lost: no unit loses more than the largest total of the cells
// that its rows are in, whatever is asked, however the policy grows and while rows are added. The same for squares of
// Gaussian losses under caps.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <set>

#include "query/plan.h"
#include "release/curator_state.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<std::string>;

struct Declared {
  Values visits;
  std::int64_t max_rows = 2;
};

Policy PolicyOf(const Declared& declared) {
  std::string visits;
  for (const auto& value : declared.visits) visits += (visits.empty() ? "\"" : ", \"") + value + "\"";
  return testing::MakePolicy(
      "[data]\ntables.t = \"t.parquet\"\npublic_columns = \"fixed\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = " +
      std::to_string(declared.max_rows) + "\npresence = \"public\"\n[columns.t]\nid = { type = \"integer\" }\n" +
      "arm = { values = [\"A\", \"B\"], public = true, required = true }\nvisit = { values = [" + visits +
      "], public = \"per row\" }\nill = { values = [\"no\", \"yes\"] }\n"
      "[dependence]\nsource = \"public\"\nkind = \"independent\"\n[budget]\nepsilon = 100.0\nledger = \"t.ledger\"\n");
}

struct Person {
  std::string arm;
  Values visits;  // one for each row
  double lost = 0;

  std::int64_t At(const std::string& visit) const { return std::count(visits.begin(), visits.end(), visit); }
  std::int64_t Rows() const { return static_cast<std::int64_t>(visits.size()); }
};

bool Lists(const Declared& declared, const std::string& visit) {
  return std::find(declared.visits.begin(), declared.visits.end(), visit) != declared.visits.end();
}

/// How a person's change is spread over groups: all of it in one, one in each, half of it in each of two.
enum class Spread { kOne, kEach, kTwo };

/// A question, and how much the records of one person can differ in it at most: all rows ill, or none.
struct Asked {
  std::string sql;
  std::function<std::int64_t(const Person&, const Declared&)> change;
  Spread spread = Spread::kOne;

  double Squared(const Person& person, const Declared& declared) const {
    const auto steps = static_cast<double>(change(person, declared));
    return spread == Spread::kEach ? steps : spread == Spread::kTwo ? steps * steps / 2 : steps * steps;
  }
};

std::vector<Asked> Questions(const std::string& visit) {
  const std::string ill = " FROM t WHERE ill = 'yes'", at = " AND visit = '" + visit + "'";
  return {
      {"SELECT count(*)" + ill + at,
       [visit](const Person& p, const Declared& d) { return Lists(d, visit) ? p.At(visit) : 0; }},
      {"SELECT count(DISTINCT id)" + ill + at,
       [visit](const Person& p, const Declared& d) -> std::int64_t { return Lists(d, visit) && p.At(visit) > 0; }},
      {"SELECT visit, count(DISTINCT id)" + ill + " GROUP BY visit",
       [](const Person& p, const Declared& d) {
         std::set<std::string> read;
         for (const auto& v : p.visits) read.insert(Lists(d, v) ? v : "NULL");
         return static_cast<std::int64_t>(read.size());
       },
       Spread::kEach},
      {"SELECT count(*)" + ill + " AND arm = 'A'",
       [](const Person& p, const Declared&) { return p.arm == "A" ? p.Rows() : 0; }},
      {"SELECT ill, count(*) FROM t WHERE visit IS NULL GROUP BY ill",
       [](const Person& p, const Declared& d) {
         return 2 * std::count_if(p.visits.begin(), p.visits.end(), [&](const auto& v) { return !Lists(d, v); });
       },
       Spread::kTwo},
  };
}

enum class Fault { kNone, kCellsStay, kRowsAsUnits, kRowsGo };

std::size_t CellOf(const std::string& arm, const std::string& visit, const Policy& policy, const Declared& declared) {
  const std::string name = "arm=" + arm + ", visit=" + (Lists(declared, visit) ? visit : "NULL");
  for (std::size_t cell = 0; cell < policy.cells.size(); ++cell) {
    if (policy.cells.Name(cell) == name) return cell;
  }
  throw std::runtime_error("no cell " + name);
}

/// Normal noise for this square of a Gaussian loss, under caps beyond which nothing goes here.
GaussianCharge ByCaps(std::int64_t mu) {
  GaussianCharge charge{.mu = mu};
  charge.caps = [](const std::vector<PlainUnits>& before) -> Result<LedgerCaps> {
    return LedgerCaps{std::vector<std::int64_t>(before.size(), Loss::Largest(LossKind::kMu)),
                      std::vector<std::int64_t>(before.size(), 0)};
  };
  charge.words = "caps";
  return charge;
}

/// By how much somebody lost more than the largest total of the cells of their rows at any time; with caps: of squares.
double LargestExcess(std::uint64_t seed, Fault fault, bool caps) {
  std::string name =
      (fs::exists("/dev/shm") ? std::string("/dev/shm") : fs::temp_directory_path().string()) + "/kith-rows-XXXXXX";
  const fs::path folder = ::mkdtemp(name.data());
  std::mt19937_64 bits(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(bits() % n); };
  const Values all = {"1", "2", "3", "4"};
  const auto random_visits = [&] {
    Values visits = all;
    std::shuffle(visits.begin(), visits.end(), bits);
    visits.resize(2 + below(3));
    return visits;
  };
  Declared declared{random_visits(), static_cast<std::int64_t>(1 + below(3))};
  std::vector<Person> people;
  for (const char* arm : {"A", "B"}) {
    for (int i = 0; i < 12; ++i) {
      people.push_back({arm, {}, 0});
      for (std::size_t rows = 1 + below(static_cast<std::size_t>(declared.max_rows)); rows > 0; --rows)
        people.back().visits.push_back(all[below(4)]);
    }
  }
  std::optional<Policy> policy;
  std::optional<Ledger> book;
  const auto open = [&] {
    policy.emplace(PolicyOf(declared));
    LedgerBinding binding = BindingOf(*policy, "");
    binding.grow = [judge = binding.grow, fault](const LedgerPast& past) {
      auto growth = judge(past);
      for (std::size_t k = 0; fault == Fault::kCellsStay && growth && k < growth->origins.size(); ++k) {
        auto& from = growth->origins[k].from;
        const bool whole = std::all_of(from.begin(), from.end(), [&](const auto& one) {
          const auto& [value, origins] = one;
          return origins.size() == from.size() && std::find(origins.begin(), origins.end(), value) != origins.end();
        });
        for (auto& [value, origins] : from) {
          if (whole) origins = {value};
        }
      }
      return growth;
    };
    book.reset();
    auto opened = Ledger::Open(folder / "t.ledger", binding, true);
    EXPECT_TRUE(opened) << opened.error().Text();
    book.emplace(std::move(*opened));
  };
  open();
  double excess = 0;
  for (int step = 0; step < 20; ++step) {
    const auto what = step == 0 ? 9 : below(10);
    if (what == 0) {
      std::int64_t most = 1;
      for (const Person& person : people) most = std::max(most, person.Rows());
      declared.max_rows = most + static_cast<std::int64_t>(below(3));
      if (below(2) == 0) declared.visits = random_visits();
      open();
      const std::vector<PlainUnits> none(policy->cells.size());
      ChargeRequest nothing{PlainUnits(), {}, none, "nothing", "grown " + std::to_string(step)};
      nothing.data = book->Data().value().number;
      const auto grown = book->Charge(nothing);
      EXPECT_TRUE(grown) << grown.error().Text();
    } else if (what == 1) {
      EXPECT_TRUE(book->ReplaceData(book->Data().value().number, "", ""));
      for (Person& person : people) {
        if (fault == Fault::kRowsGo) person.visits.clear();
        if (person.Rows() < declared.max_rows && (person.visits.empty() || below(2) == 0))
          person.visits.push_back(all[below(4)]);
      }
    } else {
      const auto questions = Questions(declared.visits[below(declared.visits.size())]);
      const Asked& asked = questions[below(questions.size())];
      Policy seen = *policy;
      for (Column& column : seen.tables[0].columns) column.per_row = column.per_row && fault != Fault::kRowsAsUnits;
      const auto plan = PlanQuestion(asked.sql, seen);
      EXPECT_TRUE(plan) << asked.sql << plan.error().Text();
      std::vector<std::size_t> cells;
      for (std::size_t cell = 0; cell < plan->charged.size(); ++cell) {
        if (plan->charged[cell]) cells.push_back(cell);
      }
      const PlainUnits units = PlainUnits::Of(PlainUnits::kOne * static_cast<std::int64_t>(1 + below(8)) / 8);
      const std::vector<PlainUnits> limits(policy->cells.size(), PlainUnits::Of(PlainUnits::kMax));
      ChargeRequest request{caps ? PlainUnits() : units, cells, limits, "q", "key " + std::to_string(step)};
      request.data = book->Data().value().number;
      request.covers = Covers::kAny;
      if (caps) request.gaussian = ByCaps(units.count());  // the same numbers, as squares
      const auto charged = book->Charge(request);
      EXPECT_TRUE(charged) << charged.error().Text();
      const Sensitivities& change = plan->statistics.at(0).change;
      const auto whole = static_cast<double>(caps ? change.l2_squared() : change.l1().steps());
      for (Person& person : people) {
        const double own = caps ? asked.Squared(person, declared) : static_cast<double>(asked.change(person, declared));
        if (own > 0) person.lost += units.epsilon() * own / whole;
      }
    }
    std::vector<PlainUnits> spent = book->Totals().value().spent;
    if (const auto gaussian = book->Totals().value().gaussian; gaussian) {
      for (std::size_t cell = 0; cell < spent.size(); ++cell) spent[cell] = PlainUnits::Of(gaussian->mu[cell]);
    }
    for (const Person& person : people) {
      double largest = 0;
      for (const auto& visit : person.visits)
        largest = std::max(largest, spent[CellOf(person.arm, visit, *policy, declared)].epsilon());
      excess = std::max(excess, person.lost - largest);
    }
  }
  EXPECT_TRUE(book->Verify());
  book.reset();
  fs::remove_all(folder);
  return excess;
}

TEST(RowsProperty, NoUnitLosesMoreThanACellOfItsRows_ROW3) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed)
    EXPECT_LE(LargestExcess(seed, Fault::kNone, false), 1e-9) << "seed " << seed;
}

TEST(RowsProperty, NorByNormalNoiseUnderCaps_ROW3) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed)
    EXPECT_LE(LargestExcess(seed, Fault::kNone, true), 1e-9) << "seed " << seed;
}

// Cells that keep their totals when more rows are allowed; distinct units charged to the cells of rows that they were
// asked about; rows that go under the promise that they stay.
TEST(RowsProperty, TheCheckAboveSeesPlantedFaults) {
  for (const bool caps : {false, true}) {
    for (const Fault fault : {Fault::kCellsStay, Fault::kRowsAsUnits, Fault::kRowsGo}) {
      int seen = 0;
      for (std::uint64_t seed = 1; seed <= 80 && seen == 0; ++seed)
        seen += LargestExcess(seed, fault, caps) > 1e-3 ? 1 : 0;
      EXPECT_GT(seen, 0) << static_cast<int>(fault) << caps;
    }
  }
}

}  // namespace
}  // namespace kith
