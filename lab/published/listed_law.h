// Joint laws as lists of databases with probabilities, and what answers reveal about each record.
// Source: docs/theory/published.md#exact-losses, #known-records.
#pragma once
#include <functional>

#include "dependence/model.h"
#include "published/secret.h"

namespace kith::published {

/// One possible database: the values of its records, and its probability.
struct Database {
  std::vector<double> values;
  double p = 0;
};
using ListedLaw = std::vector<Database>;

/// The databases of positive probability; value v of a record becomes the number v.
ListedLaw Listed(const Joint& joint);

/// What is asked of a database; a number is a vector of one.
using Query = std::function<std::vector<double>(const std::vector<double>& values)>;
/// The sum of all values.
std::vector<double> Sum(const std::vector<double>& values);
/// The value of one record.
Query Value(std::size_t record);

/// The secret "what is record i" for every record that can have two or more values.
/// Requires: all databases have the same number of records.
/// Fails: as OnGrid.
Result<std::vector<Secret>> Secrets(const ListedLaw& law, const Query& query);

/// One secret; its `given` has a single law if the record cannot vary.
Result<Secret> SecretOf(const ListedLaw& law, const Query& query, std::size_t record);

/// The laws that remain when the values of `known` records are known, one for each combination of values that occurs;
/// their probabilities add up to those of the combinations, not to 1.
std::vector<ListedLaw> Knowing(const ListedLaw& law, std::span<const std::size_t> known);

}  // namespace kith::published
