// Pieces of the models that `kith leakage` reads, shared by their readers.
#pragma once
#include <set>

#include "base/json.h"
#include "leakage/leak_input.h"

namespace kith::leakage {

std::string Quote(const std::string& text);
std::optional<std::size_t> IndexOf(const std::vector<std::string>& names, const std::string& name);
Error UnknownAttribute(const std::string& name, const std::string& where);
/// The error, with a place if it has none.
Error In(Error error, const std::string& where);

Result<void> KnownKeys(const Json& object, const std::set<std::string>& known, const std::string& where);
Result<double> NotNegative(const Json& value, const std::string& what, const std::string& where);
/// 0.4, or [0.3, 0.5].
Result<one_sided::Range> ReadRange(const Json& value, const std::string& what, const std::string& where);
/// The same for a cell of a law ("p"); a count ("n") is one number.
Result<one_sided::Range> ReadCell(const Json& value, const std::string& number, const std::string& where);
Result<std::vector<std::string>> ReadNames(const Json& model, const std::string& where);
Result<std::string> ReadSource(const Json& model, const std::string& where);
/// {"arrival": 0.7}: one number per attribute; nothing for those that are not named. An epsilon may be "inf".
Result<std::vector<std::optional<double>>> ReadNumbers(const Json& object, const std::vector<std::string>& names,
                                                       const std::string& what, const std::string& where);
Result<std::vector<Application>> ReadApplications(const Json& model, const std::vector<std::string>& names,
                                                  const std::string& where);

/// A law from cells of "law" or "counts".
struct CountedCells {
  std::vector<double> law;
  double sample = 0;
  bool limits = false;                   // some cell is known only within limits
  std::optional<one_sided::LawSet> set;  // then
};
Result<CountedCells> CountCells(const Json& model, const std::vector<one_sided::Range>& cells,
                                const std::string& where);

struct CountedLaw {
  one_sided::SensitivityLaw law;
  double sample = 0;
  std::optional<one_sided::LawSet> set;  // where there are limits
};
/// "values", "sensitive" and a law or counts of values.
Result<ValueLaw> ReadValueLaw(const Json& model, const std::vector<std::string>& names, const std::string& where);
/// Which attributes are sensitive together, from a law of values.
Result<CountedLaw> StatesOf(const ValueLaw& values, const Json& model, const std::vector<std::string>& names,
                            const std::string& where);
/// A value that was seen: the variable and the position of the value.
Result<std::pair<std::size_t, std::size_t>> ReadValue(const LeakageModel& model, const std::string& name,
                                                      const std::string& value, const std::string& where);

}  // namespace kith::leakage
