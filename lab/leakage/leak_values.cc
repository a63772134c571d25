// Laws of values, and laws of which only pairs are known, as `kith leakage` reads them.
#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "leakage/leak_reading.h"

namespace kith::leakage {
namespace {

using one_sided::LawSet;
using one_sided::PairLimits;
using one_sided::Range;
using one_sided::SensitivityLaw;

/// One attribute's values, and which of them are sensitive.
struct Values {
  std::vector<std::string> names;
  std::vector<bool> sensitive;
};

Result<Values> ReadValues(const Json& model, const std::string& attribute, const std::string& where) {
  const std::string there = where + ": values of " + Quote(attribute);
  const Json& all = model["values"];
  if (!all.is_object() || !all.contains(attribute) || !all[attribute].is_array() || all[attribute].empty())
    return InvalidArgument("an attribute has no list of values", there,
                           R"(e.g. "values": {"arrival": ["early", "late"]})");
  Values values;
  for (const Json& name : all[attribute]) {
    if (!name.is_string()) return InvalidArgument("a value must be text", there, "put it into quotes");
    if (IndexOf(values.names, name)) return InvalidArgument("a value is listed twice: " + Quote(name), there);
    values.names.push_back(name);
  }
  values.sensitive.assign(values.names.size(), false);
  const Json sensitive = model.value("sensitive", Json::object());
  if (!sensitive.is_object())
    return InvalidArgument("\"sensitive\" must say for each attribute which values are", where,
                           R"(e.g. "sensitive": {"arrival": ["late"]})");
  if (!sensitive.contains(attribute)) return values;
  for (const Json& name : sensitive[attribute]) {
    const auto index = name.is_string() ? IndexOf(values.names, name) : std::nullopt;
    if (!index) return InvalidArgument("a sensitive value is not among the values", there);
    values.sensitive[*index] = true;
  }
  return values;
}

}  // namespace

Result<ValueLaw> ReadValueLaw(const Json& model, const std::vector<std::string>& names, const std::string& where) {
  if (model.contains("law") == model.contains("counts"))
    return InvalidArgument("the model needs either a law or counts", where,
                           R"(e.g. "law": [{"arrival": "late", "level": "full", "p": 0.2}, ...])");
  for (const char* key : {"values", "sensitive"}) {
    if (!model.contains(key) || !model[key].is_object()) continue;
    for (const auto& [name, value] : model[key].items()) {
      if (!IndexOf(names, name)) return UnknownAttribute(name, fmt::format("{}: {}", where, key));
    }
  }
  std::vector<ValueLaw::Variable> variables;
  std::vector<Values> values;
  std::size_t cells = 1;
  for (std::size_t a = 0; a < names.size(); ++a) {
    auto read = ReadValues(model, names[a], where);
    if (!read) return read.error();
    cells *= read->names.size();
    if (cells > LawSet::kMostCells)
      return InvalidArgument("the values make more than 4096 combinations", where, "put values together");
    variables.push_back({names[a], read->names, a, {}});
    values.push_back(std::move(*read));
  }
  std::vector<std::size_t> state(cells, 0);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::size_t rest = cell;
    for (std::size_t a = 0; a < names.size(); ++a) {
      const std::size_t value = rest % values[a].names.size();
      rest /= values[a].names.size();
      variables[a].of.push_back(value);
      if (!values[a].sensitive[value]) state[cell] |= std::size_t{1} << a;
    }
  }
  const std::string number = model.contains("counts") ? "n" : "p";
  const Json& rows = model.contains("counts") ? model["counts"] : model["law"];
  std::set<std::string> known(names.begin(), names.end());
  known.insert(number);
  std::vector<Range> limits(cells);
  std::vector<bool> seen(cells, false);
  if (!rows.is_array()) return InvalidArgument("the law must be a list of combinations of values", where);
  for (const Json& row : rows) {
    if (!row.is_object()) return InvalidArgument("a combination of values must be an object", where);
    if (const auto ok = KnownKeys(row, known, where); !ok) return ok.error();
    std::size_t cell = 0, stride = 1;
    for (std::size_t a = 0; a < names.size(); ++a) {
      const auto value =
          row.contains(names[a]) && row[names[a]].is_string() ? IndexOf(values[a].names, row[names[a]]) : std::nullopt;
      if (!value)
        return InvalidArgument("a combination needs a listed value of " + Quote(names[a]), where, "name one of them");
      cell += *value * stride;
      stride *= values[a].names.size();
    }
    if (seen[cell]) return InvalidArgument("a combination is listed twice", where, "add its lines up");
    if (!row.contains(number)) return InvalidArgument(fmt::format("a combination has no \"{}\"", number), where);
    const auto range = ReadCell(row[number], number, where);
    if (!range) return range.error();
    seen[cell] = true;
    limits[cell] = *range;
  }
  auto counted = CountCells(model, limits, where);
  if (!counted) return counted.error();
  if (!counted->set) {
    for (std::size_t cell = 0; cell < cells; ++cell) limits[cell] = {counted->law[cell], counted->law[cell]};
    auto set = LawSet::Make(limits, counted->law);
    if (!set) return In(set.error(), where);
    counted->set = std::move(*set);
  }
  return ValueLaw{std::move(variables), std::move(state), std::move(*counted->set)};
}

Result<CountedLaw> StatesOf(const ValueLaw& values, const Json& model, const std::vector<std::string>& names,
                            const std::string& where) {
  LawSet states = values.set.Merged(values.state, std::size_t{1} << names.size());
  auto law = SensitivityLaw::Make(states.inside());
  if (!law) return In(law.error(), where);
  double sample = 0;
  if (model.contains("counts")) {
    for (const Json& row : model["counts"]) sample += row["n"].get<double>();
  }
  const bool limits =
      std::any_of(states.cells().begin(), states.cells().end(), [](const Range& cell) { return cell.low < cell.high; });
  return CountedLaw{std::move(*law), sample, limits ? std::optional(std::move(states)) : std::nullopt};
}

Result<std::pair<std::size_t, std::size_t>> ReadValue(const LeakageModel& model, const std::string& name,
                                                      const std::string& value, const std::string& where) {
  if (!model.values)
    return InvalidArgument("a value was seen, but the law is about which attributes are sensitive, not about values",
                           where, "give \"values\" in the model, or leave the value out");
  for (std::size_t v = 0; v < model.values->variables.size(); ++v) {
    const auto& variable = model.values->variables[v];
    if (variable.name != name) continue;
    const auto index = IndexOf(variable.values, value);
    if (!index) return InvalidArgument("there is no value " + Quote(value), where, "name one of the model's values");
    return std::pair(v, *index);
  }
  return UnknownAttribute(name, where);
}

bool IsPartialModel(const std::string& text) {
  const Json model = Json::parse(text, nullptr, false);
  return model.is_object() && (model.contains("given") || model.contains("prior"));
}

Result<PartialModel> ReadPartialModel(const std::string& text, const std::string& where) {
  const Json model = Json::parse(text, nullptr, false);
  if (const auto known = KnownKeys(model, {"source", "attributes", "prior", "given", "applications"}, where); !known)
    return known.error();
  auto source = ReadSource(model, where);
  if (!source) return source.error();
  auto names = ReadNames(model, where);
  if (!names) return names.error();
  auto applications = ReadApplications(model, *names, where);
  if (!applications) return applications.error();
  if (applications->empty())
    return InvalidArgument("nothing is served", where, R"(add "applications": {"heating": {"arrival": 0.7}})");
  const std::size_t n = names->size();
  PartialModel read{*source, *names, std::move(*applications), std::vector<Range>(n, {0, 1}), {}};
  const Json prior = model.value("prior", Json::object()), given = model.value("given", Json::array());
  if (!prior.is_object() || !given.is_array())
    return InvalidArgument("\"prior\" must be an object with attributes as keys, and \"given\" a list", where);
  for (const auto& [name, value] : prior.items()) {
    const auto index = IndexOf(*names, name);
    if (!index) return UnknownAttribute(name, where + ": prior");
    const auto range = ReadRange(value, "a prior", where + ": prior");
    if (!range) return range.error();
    read.prior[*index] = *range;
  }
  read.limits.assign(n, std::vector<PairLimits>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j)
      read.limits[i][j] = {read.prior[j], i == j ? Range{1, 1} : Range{0, 1}, i == j ? Range{0, 0} : Range{0, 1}};
  }
  for (const Json& row : given) {
    const std::string there = where + ": given";
    if (!row.is_object()) return InvalidArgument("an entry must be an object", there);
    if (const auto ok = KnownKeys(row, {"served", "about", "if_sensitive", "if_not"}, there); !ok) return ok.error();
    std::optional<std::size_t> index[2];
    for (const int k : {0, 1}) {
      const char* key = k == 0 ? "served" : "about";
      if (row.contains(key) && row[key].is_string()) index[k] = IndexOf(*names, row[key]);
      if (!index[k])
        return InvalidArgument(fmt::format("an entry needs an attribute as \"{}\"", key), there,
                               R"(e.g. {"served": "arrival", "about": "level", "if_sensitive": [0.4, 0.6]})");
    }
    if (*index[0] == *index[1])
      return InvalidArgument("an attribute says everything about itself", there, "leave it out");
    PairLimits& pair = read.limits[*index[0]][*index[1]];
    for (const char* key : {"if_sensitive", "if_not"}) {
      if (!row.contains(key)) continue;
      const auto range = ReadRange(row[key], fmt::format("\"{}\"", key), there);
      if (!range) return range.error();
      (key == std::string("if_not") ? pair.d2 : pair.d1) = *range;
    }
  }
  return read;
}

}  // namespace kith::leakage
