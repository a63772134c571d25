// The engine of the configuration, and from its rows to the answer without noise.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <stdexcept>

#include "query/output/output.h"
#include "tests/support/tiny_db_engine.h"

namespace kith::testing {
namespace {

int CompareValues(const Value& a, const Value& b) {
  const bool a_null = std::holds_alternative<Null>(a);
  const bool b_null = std::holds_alternative<Null>(b);
  if (a_null || b_null) return a_null && b_null ? 0 : a_null ? 1 : -1;
  if (const auto* text = std::get_if<std::string>(&a)) return text->compare(std::get<std::string>(b));
  const auto number = [](const Value& v) {
    if (const auto* flag = std::get_if<bool>(&v)) return *flag ? 1.0 : 0.0;
    if (const auto* integer = std::get_if<std::int64_t>(&v)) return static_cast<double>(*integer);
    return std::get<double>(v);
  };
  return number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0;
}

}  // namespace

std::unique_ptr<SqlRunner> OpenConfigured() {
  if (const char* url = std::getenv("KITH_TEST_TRINO")) return OpenTrino(url);
  const char* connection = std::getenv("KITH_TEST_POSTGRESQL");
  return connection == nullptr ? OpenDuckDb() : OpenPostgreSql(connection);
}

std::vector<std::vector<Int128>> StatisticsOf(const Plan& plan, const IntegerRows& rows) {
  std::vector<std::vector<Int128>> result(plan.statistics.size(), std::vector<Int128>(plan.groups(), 0));
  std::vector<bool> seen(plan.finest_groups(), false);
  for (const auto& row : rows) {
    if (row.size() != plan.keys.size() + plan.statistics.size()) throw std::runtime_error("wrong number of columns");
    std::size_t group = 0;
    for (std::size_t k = 0; k < plan.keys.size(); ++k) {
      const std::size_t size = plan.keys[k].values.size();
      if (!row[k] || *row[k] < 0 || *row[k] >= static_cast<Int128>(size))
        throw std::runtime_error("a group out of range");
      group = group * size + static_cast<std::size_t>(*row[k]);
    }
    if (seen[group]) throw std::runtime_error("a group came twice");
    seen[group] = true;
    for (std::size_t s = 0; s < plan.statistics.size(); ++s) result[s][group] = row[plan.keys.size() + s].value_or(0);
  }
  // Coarser groups are sums of the finest ones that agree with them in the keys that they have.
  for (std::size_t g = plan.finest_groups(); g < plan.groups(); ++g) {
    const auto place = plan.PlaceOf(g).keys;
    for (std::size_t fine = 0; fine < plan.finest_groups(); ++fine) {
      const auto part = plan.PlaceOf(fine).keys;
      bool agrees = true;
      for (std::size_t k = 0; k < place.size(); ++k) agrees = agrees && (!place[k] || place[k] == part[k]);
      for (std::size_t s = 0; agrees && s < plan.statistics.size(); ++s) result[s][g] += result[s][fine];
    }
  }
  return result;
}

std::vector<std::vector<Datum>> ImagesOf(const Plan& plan) {
  const auto datum = [](const Value& value) {
    if (const auto* truth = std::get_if<bool>(&value)) return BooleanDatum(*truth);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return IntegerDatum(static_cast<long double>(*whole));
    if (const auto* real = std::get_if<double>(&value)) return RealDatum(*real);
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return NullDatum();
    const bool dated = text->size() >= 10 && (*text)[4] == '-' && (*text)[7] == '-';
    if (!dated) return TextDatum(*text);
    return FromText(*text, text->size() == 10 ? ColumnType::kDate : ColumnType::kTimestamp);
  };
  std::vector<std::vector<Datum>> images;
  for (const GroupKey& key : plan.keys) {
    images.emplace_back();
    for (const Value& value : key.values) images.back().push_back(datum(value));
  }
  return images;
}

std::vector<std::vector<Value>> ExactAnswer(const Plan& plan, const std::vector<std::vector<Int128>>& statistics) {
  std::vector<std::vector<Value>> rows;
  std::vector<std::size_t> shown_order(plan.groups());
  std::iota(shown_order.begin(), shown_order.end(), 0);
  // Totals after their parts.
  std::stable_sort(shown_order.begin(), shown_order.end(), [&](std::size_t a, std::size_t b) {
    const auto x = plan.PlaceOf(a).keys, y = plan.PlaceOf(b).keys;
    for (std::size_t k = 0; k < x.size(); ++k)
      if (x[k] != y[k]) return x[k] && (!y[k] || *x[k] < *y[k]);
    return false;
  });
  for (const std::size_t g : shown_order) {
    const std::vector<Value> keys = plan.ShownKeys(g);
    std::vector<Estimate> estimates;
    for (std::size_t s = 0; s < plan.statistics.size(); ++s)
      estimates.push_back({static_cast<double>(statistics[s][g]) * plan.statistics[s].lattice.step(), 0});
    std::vector<Value> row;
    for (const OutputColumn& output : plan.outputs) row.push_back(output.expr->Evaluate(keys, estimates).value);
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    for (const OrderBy& order : plan.order_by) {
      const int c = CompareValues(a[order.output], b[order.output]);
      if (c != 0) return order.descending ? c > 0 : c < 0;
    }
    return false;
  });
  const auto skipped = std::min(rows.size(), static_cast<std::size_t>(plan.offset));
  rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(skipped));
  if (plan.limit && rows.size() > static_cast<std::size_t>(*plan.limit))
    rows.resize(static_cast<std::size_t>(*plan.limit));
  return rows;
}

}  // namespace kith::testing
