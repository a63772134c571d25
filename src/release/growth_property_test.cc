// Raw databases before and after a policy grows: whatever is declared later, nobody lost more than the total of the
// cell that their raw record is read into now.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>

#include "policy/growth.h"
#include "release/curator_state.h"
#include "tests/support/policies.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
using Values = std::vector<std::string>;

struct Declared {
  Values wards;
  bool required = false;  // of ward
  bool area_public = false;
  std::int64_t reviewed = 1;
};

Policy PolicyOf(const Declared& declared) {
  std::string wards;
  for (const auto& value : declared.wards) wards += (wards.empty() ? "\"" : ", \"") + value + "\"";
  return testing::MakePolicy(
      "[data]\nfrozen = true\ntables.t = \"t.parquet\"\n[unit]\ntable = \"t\"\nkey = \"id\"\nmax_rows = 1\n"
      "presence = \"public\"\n[columns.t]\nill = { values = [\"no\", \"yes\"] }\nward = { values = [" +
      wards + "], public = true" + (declared.required ? ", required = true" : "") +
      " }\narea = { values = [\"n\", \"s\"]" + (declared.area_public ? ", public = true" : "") +
      " }\n[dependence]\nsource = \"public\"\nkind = \"independent\"\nreviewed = " + std::to_string(declared.reviewed) +
      "\n[budget]\nepsilon = 100.0\nledger = \"t.ledger\"\n");
}

// The public part of a raw record; ill is the secret in which neighbouring databases differ.
struct Raw {
  std::string ward, area;
};

std::string ReadAs(const std::string& raw, const Values& values, bool required) {
  if (std::find(values.begin(), values.end(), raw) != values.end()) return raw;
  return required ? values.front() : "NULL";
}

std::size_t CellOf(const Raw& raw, const Policy& policy) {
  const auto& columns = policy.cells.columns();
  std::size_t cell = 0;
  for (const CellColumn& column : columns) {
    Values values;
    for (const Value& value : column.values) values.push_back(ToText(value));
    const bool required = values.back() != "NULL";
    if (!required) values.pop_back();
    const std::string read = ReadAs(column.name == "ward" ? raw.ward : raw.area, values, required);
    const auto at = std::find(values.begin(), values.end(), read) - values.begin();  // after the last: NULL
    cell = cell * column.values.size() + static_cast<std::size_t>(at);
  }
  return cell;
}

// An answer is a count of those who are ill in some cells, plus noise of this law: P(k) is proportional to
// exp(-epsilon |k - count|). What an observer of the answer gains at most between neighbouring databases.
double LossOf(double epsilon, int count, int neighbour) {
  double worst = 0;
  for (int k = -3; k <= 4; ++k)
    worst = std::max(worst, std::abs(-epsilon * std::abs(k - count) + epsilon * std::abs(k - neighbour)));
  return worst;
}

/// Random charges and growths. Returns by how much somebody lost more than the total of their cell at any time.
using Fault = std::function<void(LedgerGrowth&)>;
double LargestExcess(std::uint64_t seed, const Fault& fault, int* generations = nullptr) {
  std::string name =
      (fs::exists("/dev/shm") ? std::string("/dev/shm") : fs::temp_directory_path().string()) + "/kith-growth-XXXXXX";
  const fs::path folder = ::mkdtemp(name.data());
  std::mt19937_64 bits(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(bits() % n); };
  std::vector<std::pair<Raw, double>> people;  // with what they lost
  for (const char* ward : {"a", "b", "c", "d", "?"}) {
    for (const char* area : {"n", "s", "?"}) people.push_back({{ward, area}, 0});
  }
  const Values all = {"a", "b", "c", "d"};
  const auto random_wards = [&] {
    Values wards = all;
    std::shuffle(wards.begin(), wards.end(), bits);
    wards.resize(1 + below(all.size()));
    return wards;
  };
  Declared declared{random_wards(), below(2) == 0, false, 1};
  double excess = 0;
  std::optional<Policy> policy;
  std::optional<Ledger> book;
  const auto open = [&](const Declared& with) {
    policy.emplace(PolicyOf(with));
    LedgerBinding binding = BindingOf(*policy, "");
    binding.grow = [judge = binding.grow, fault](const LedgerPast& past) {
      auto growth = judge(past);
      if (growth) fault(*growth);
      return growth;
    };
    book.reset();
    auto opened = Ledger::Open(folder / "t.ledger", binding, true);
    EXPECT_TRUE(opened) << opened.error().Text();
    book.emplace(std::move(*opened));
  };
  open(declared);
  for (int step = 0; step < 14; ++step) {
    if (step > 0 && below(3) == 0) {
      declared.wards = random_wards();
      declared.required = below(2) == 0;
      declared.area_public = declared.area_public || below(3) == 0;
      declared.reviewed = book->Generation().value() + 1;
      open(declared);
      // The first entry under a policy makes it a generation: here a charge of nothing.
      const std::vector<PlainUnits> none(policy->cells.size());
      EXPECT_TRUE(book->Charge({PlainUnits(), {}, none, "nothing", "grown " + std::to_string(step)}));
    } else {
      std::vector<std::size_t> cells;
      for (std::size_t cell = 0; cell < policy->cells.size(); ++cell) {
        if (below(3) == 0) cells.push_back(cell);
      }
      const PlainUnits units = PlainUnits::Of(PlainUnits::kOne * static_cast<std::int64_t>(1 + below(8)) / 8);
      const std::vector<PlainUnits> limits(policy->cells.size(), PlainUnits::Of(PlainUnits::kMax));
      const auto charged = book->Charge({units, cells, limits, "q", "key " + std::to_string(step)});
      EXPECT_TRUE(charged) << charged.error().Text();
      for (auto& [raw, lost] : people) {
        const bool counted = std::find(cells.begin(), cells.end(), CellOf(raw, *policy)) != cells.end();
        lost += LossOf(units.epsilon(), 0, counted ? 1 : 0);
      }
    }
    const auto spent = book->Totals().value().spent;
    for (const auto& [raw, lost] : people) excess = std::max(excess, lost - spent[CellOf(raw, *policy)].epsilon());
  }
  if (generations != nullptr) *generations += static_cast<int>(book->Generation().value()) - 1;
  EXPECT_TRUE(book->Verify());
  book.reset();
  fs::remove_all(folder);
  return excess;
}

TEST(GrowthProperty, NobodyLostMoreThanTheTotalOfTheirCell_GROWTH3) {
  int generations = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed)
    EXPECT_LE(LargestExcess(
                  seed, [](LedgerGrowth&) {}, &generations),
              1e-9)
        << "seed " << seed;
  EXPECT_GT(generations, 100) << "the policies did grow";
}

TEST(GrowthProperty, TheCheckAboveSeesANewCellFromElsewhereAndAValueThatIsNotMerged) {
  const Fault fresh = [](LedgerGrowth& growth) {  // a new value takes the total of the last value, whatever it was
    for (LedgerOrigins& column : growth.origins) {
      std::string last;
      for (const auto& [value, from] : column.from) last = from.back();
      for (auto& [value, from] : column.from) {
        if (from.size() == 1 && from[0] != value) from = {last};
      }
    }
  };
  const Fault apart = [](LedgerGrowth& growth) {  // what is gone goes to some value, not to where it is read now
    for (LedgerOrigins& column : growth.origins) {
      for (auto& [value, from] : column.from) {
        if (from.size() < 2) continue;
        auto& other = column.from.begin()->second;
        other.insert(other.end(), from.begin() + 1, from.end());
        from.resize(1);
      }
    }
  };
  for (const Fault& fault : {fresh, apart}) {
    double excess = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      excess = std::max(excess, LargestExcess(seed, [&](LedgerGrowth& growth) {
                          LedgerGrowth broken = growth;
                          fault(broken);
                          for (std::size_t k = 0; k < broken.origins.size(); ++k) {  // a valid map, but a wrong one
                            std::vector<std::string> kept;
                            for (const auto& [value, from] : broken.origins[k].from)
                              kept.insert(kept.end(), from.begin(), from.end());
                            bool whole = true;
                            for (const auto& [value, from] : growth.origins[k].from) {
                              for (const auto& one : from)
                                whole = whole && std::find(kept.begin(), kept.end(), one) != kept.end();
                            }
                            if (whole) growth.origins[k] = broken.origins[k];
                          }
                        }));
    }
    EXPECT_GT(excess, 0.1);
  }
}

}  // namespace
}  // namespace kith
