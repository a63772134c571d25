#include "leakage/leak_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/json.h"
#include "leakage/leak_reading.h"

namespace kith::leakage {

using one_sided::LawSet;
using one_sided::Observation;
using one_sided::Range;
using one_sided::SensitivityLaw;

std::string Quote(const std::string& text) {
  return "'" + (text.size() > 60 ? text.substr(0, 57) + "..." : text) + "'";
}

std::optional<std::size_t> IndexOf(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

Error UnknownAttribute(const std::string& name, const std::string& where) {
  return InvalidArgument("there is no attribute " + Quote(name), where, "name one of the model's attributes");
}

Result<void> KnownKeys(const Json& object, const std::set<std::string>& known, const std::string& where) {
  for (const auto& [key, value] : object.items()) {
    if (!known.contains(key))
      return InvalidArgument("this key is not known: " + Quote(key), where,
                             fmt::format("known are: {}", fmt::join(known, ", ")));
  }
  return {};
}

Result<double> NotNegative(const Json& value, const std::string& what, const std::string& where) {
  if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
    return InvalidArgument(what + " must be a number of 0 or more", where);
  return value.get<double>();
}

Result<std::vector<std::string>> ReadNames(const Json& model, const std::string& where) {
  std::vector<std::string> names;
  if (!model.contains("attributes") || !model["attributes"].is_array() || model["attributes"].empty())
    return InvalidArgument("the model has no list of attributes", where, R"(add "attributes": ["arrival", "level"])");
  for (const Json& name : model["attributes"]) {
    if (!name.is_string() || name.get<std::string>().empty())
      return InvalidArgument("an attribute's name must be text", where);
    if (IndexOf(names, name)) return InvalidArgument("an attribute is listed twice: " + Quote(name), where);
    names.push_back(name);
  }
  if (names.size() > SensitivityLaw::kMostAttributes)
    return InvalidArgument("a joint law of more than 20 attributes is too large", where, "split it into parts");
  return names;
}

Result<Range> ReadRange(const Json& value, const std::string& what, const std::string& where) {
  const auto number = [](const Json& one) {
    return one.is_number() && one.get<double>() >= 0 && one.get<double>() <= 1;
  };
  if (number(value)) return Range{value.get<double>(), value.get<double>()};
  if (value.is_array() && value.size() == 2 && number(value[0]) && number(value[1]) && value[0] <= value[1])
    return Range{value[0].get<double>(), value[1].get<double>()};
  return InvalidArgument(what + " must be a number from 0 to 1, or two of them: [least, most]", where);
}

namespace {

/// The state in which exactly the listed attributes are sensitive.
Result<std::size_t> StateOf(const Json& row, const std::vector<std::string>& names, const std::string& where) {
  if (!row.contains("sensitive") || !row["sensitive"].is_array())
    return InvalidArgument("a state must list which attributes are sensitive", where, R"(e.g. "sensitive": [])");
  std::size_t state = (std::size_t{1} << names.size()) - 1;
  for (const Json& name : row["sensitive"]) {
    const auto index = name.is_string() ? IndexOf(names, name) : std::nullopt;
    if (!index) return UnknownAttribute(name.is_string() ? name.get<std::string>() : name.dump(), where);
    state &= ~(std::size_t{1} << *index);
  }
  return state;
}

/// Limits for each state, from rows {"sensitive": [...], `number`: x}; states that are not listed have 0.
Result<std::vector<Range>> ReadStates(const Json& rows, const std::vector<std::string>& names,
                                      const std::string& number, const std::string& where) {
  std::vector<Range> states(std::size_t{1} << names.size());
  std::vector<bool> seen(states.size(), false);
  if (!rows.is_array()) return InvalidArgument("the joint law must be a list of states", where);
  for (const Json& row : rows) {
    if (!row.is_object()) return InvalidArgument("a state must be an object", where);
    const auto known = KnownKeys(row, {"sensitive", number}, where);
    if (!known) return known.error();
    const auto state = StateOf(row, names, where);
    if (!state) return state.error();
    if (seen[*state]) return InvalidArgument("a state is listed twice", where, "add its lines up");
    if (!row.contains(number)) return InvalidArgument(fmt::format("a state has no \"{}\"", number), where);
    const auto value = ReadCell(row[number], number, where);
    if (!value) return value.error();
    seen[*state] = true;
    states[*state] = *value;
  }
  return states;
}

}  // namespace

Result<Range> ReadCell(const Json& value, const std::string& number, const std::string& where) {
  const std::string what = fmt::format("\"{}\"", number);
  if (number == "p" && value.is_array()) return ReadRange(value, what, where);
  const auto one = NotNegative(value, what, where);
  if (!one) return one.error();
  return Range{*one, *one};
}

// Where the law comes from is never guessed: a law that was counted on protected rows is itself a release.
Result<std::string> ReadSource(const Json& model, const std::string& where) {
  const char* next =
      "add \"source\": \"declared\" (assumed, or published by others), or \"public\" or \"consented\" (a sample)";
  if (!model.contains("source")) return InvalidArgument("the model does not say where its law comes from", where, next);
  const Json& source = model["source"];
  if (source != "declared" && source != "public" && source != "consented")
    return InvalidArgument("the source of a law must be declared, public or consented", where,
                           "a law counted on protected rows would itself be a release; use a sample that may be shown");
  if (model.contains("counts") && source == "declared")
    return InvalidArgument("counts come from a sample: its source must be public or consented", where, next);
  return source.get<std::string>();
}

Error In(Error error, const std::string& where) {
  if (error.where.empty()) error.where = where;
  return error;
}

Result<CountedCells> CountCells(const Json& model, const std::vector<Range>& cells, const std::string& where) {
  const bool counted = model.contains("counts");
  CountedCells out;
  double least = 0, sum = 0;
  for (const Range& cell : cells) {
    out.limits = out.limits || cell.low < cell.high;
    least += cell.low;
  }
  if (!counted) {
    if (!out.limits) {
      if (!(std::abs(least - 1) <= 1e-9)) return InvalidArgument("the probabilities do not add up to 1", where);
      for (const Range& cell : cells) out.law.push_back(cell.low / least);
      return out;
    }
    auto set = LawSet::Make(cells);
    if (!set) return In(set.error(), where);
    out.law = set->inside();
    out.set = std::move(*set);
    return out;
  }
  if (!model.contains("smoothing"))
    return InvalidArgument("counts need a smoothing", where,
                           "add \"smoothing\": 1 (added to each state; 0: what was never seen cannot happen)");
  const auto smoothing = NotNegative(model["smoothing"], "smoothing", where);
  if (!smoothing) return smoothing.error();
  for (const Range& cell : cells) {
    out.sample += cell.low;
    sum += cell.low + *smoothing;
  }
  if (!(sum > 0)) return InvalidArgument("the sample is empty", where, "give counts, or a law");
  for (const Range& cell : cells) out.law.push_back((cell.low + *smoothing) / sum);
  return out;
}

namespace {

Result<CountedLaw> ReadLaw(const Json& model, const std::vector<std::string>& names, const std::string& where) {
  if (model.contains("law") == model.contains("counts"))
    return InvalidArgument("the model needs either a law or counts", where,
                           R"(e.g. "law": [{"sensitive": ["arrival"], "p": 0.2}, ...])");
  const bool counted = model.contains("counts");
  if (!counted && model.contains("smoothing"))
    return InvalidArgument("smoothing is for counts, not for a law", where, "leave it out");
  const auto states = counted ? ReadStates(model["counts"], names, "n", where + ": counts")
                              : ReadStates(model["law"], names, "p", where + ": law");
  if (!states) return states.error();
  auto cells = CountCells(model, *states, where);
  if (!cells) return cells.error();
  auto law = SensitivityLaw::Make(std::move(cells->law));
  if (!law) return In(law.error(), where);
  return CountedLaw{std::move(*law), cells->sample, cells->limits ? std::move(cells->set) : std::nullopt};
}

}  // namespace

Result<std::vector<std::optional<double>>> ReadNumbers(const Json& object, const std::vector<std::string>& names,
                                                       const std::string& what, const std::string& where) {
  std::vector<std::optional<double>> numbers(names.size());
  if (!object.is_object()) return InvalidArgument(what + " must be an object with attributes as keys", where);
  for (const auto& [name, value] : object.items()) {
    const auto index = IndexOf(names, name);
    if (!index) return UnknownAttribute(name, where);
    if (value == "inf" && what == "an epsilon") {  // JSON has no infinity
      numbers[*index] = std::numeric_limits<double>::infinity();
      continue;
    }
    const auto number = NotNegative(value, what, where);
    if (!number) return number.error();
    numbers[*index] = *number;
  }
  return numbers;
}

Result<std::vector<Application>> ReadApplications(const Json& model, const std::vector<std::string>& names,
                                                  const std::string& where) {
  std::vector<Application> applications;
  if (!model.contains("applications")) return applications;
  if (!model["applications"].is_object())
    return InvalidArgument("applications must be an object", where, R"(e.g. {"heating": {"arrival": 0.7}})");
  for (const auto& [name, served] : model["applications"].items()) {
    const auto epsilons = ReadNumbers(served, names, "an epsilon", fmt::format("{}: {}", where, Quote(name)));
    if (!epsilons) return epsilons.error();
    Application application{name, {}};
    for (const auto& epsilon : *epsilons) application.epsilons.push_back(epsilon.value_or(0));
    applications.push_back(std::move(application));
  }
  return applications;
}

namespace {

Result<double> ToNumber(const std::string& text, const std::string& whole, bool may_be_infinite = false) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || std::isnan(value) || (std::isinf(value) && !may_be_infinite) || value < 0)
    return InvalidArgument("this is not a number of 0 or more: " + Quote(text), whole);
  return value;
}

/// Splits "name:a:b" from the right into `parts` pieces, so that a name may hold colons.
Result<std::vector<std::string>> Split(const std::string& text, std::size_t parts, const char* example,
                                       const char* parameter) {
  std::vector<std::string> pieces(parts);
  std::string rest = text;
  for (std::size_t k = parts; k-- > 1;) {
    const auto colon = rest.rfind(':');
    if (colon == std::string::npos)
      return InvalidArgument("this observation is not complete: " + Quote(text), {}, std::string("e.g. ") + example)
          .For(parameter);
    pieces[k] = rest.substr(colon + 1);
    rest.resize(colon);
  }
  pieces[0] = rest;
  return pieces;
}

}  // namespace

Result<LeakageModel> ReadLeakageModel(const std::string& text, const std::string& where) {
  const Json model = Json::parse(text, nullptr, false);
  if (model.is_discarded())
    return InvalidArgument("this is not JSON", where, "look up what a model is made of").For("leakage.model");
  if (!model.is_object()) return InvalidArgument("a model must be a JSON object", where);
  const auto known = KnownKeys(
      model,
      {"source", "attributes", "law", "counts", "smoothing", "applications", "worth", "kappa", "values", "sensitive"},
      where);
  if (!known) return known.error();
  const auto source = ReadSource(model, where);
  if (!source) return source.error();
  const auto names = ReadNames(model, where);
  if (!names) return names.error();
  std::optional<ValueLaw> values;
  if (model.contains("values")) {
    auto read = ReadValueLaw(model, *names, where);
    if (!read) return read.error();
    values = std::move(*read);
  } else if (model.contains("sensitive")) {
    return InvalidArgument("\"sensitive\" says which values are sensitive, but there are no values", where,
                           R"(add "values": {"arrival": ["early", "late"]})");
  }
  auto law = values ? StatesOf(*values, model, *names, where) : ReadLaw(model, *names, where);
  if (!law) return law.error();
  auto applications = ReadApplications(model, *names, where);
  if (!applications) return applications.error();
  const auto worth = ReadNumbers(model.value("worth", Json::object()), *names, "a worth", where + ": worth");
  if (!worth) return worth.error();
  auto kappa = ReadNumbers(model.value("kappa", Json::object()), *names, "a kappa", where + ": kappa");
  if (!kappa) return kappa.error();
  LeakageModel read{*source, law->sample, *names, std::move(law->law), std::move(*applications), {}, std::move(*kappa)};
  read.set = std::move(law->set);
  read.values = std::move(values);
  for (const auto& one : *worth) read.worth.push_back(one.value_or(1));
  return read;
}

Result<Seen> ReadObservations(const LeakageModel& model, const std::vector<std::string>& suppressed,
                              const std::vector<std::string>& released) {
  std::map<std::size_t, Observation> seen;
  Seen out;
  const auto attribute = [&](const std::string& name, const std::string& whole) -> Result<std::size_t> {
    const auto index = IndexOf(model.names, name);
    if (!index) return UnknownAttribute(name, whole);
    return *index;
  };
  for (const std::string& text : suppressed) {
    const auto parts = Split(text, 3, "arrival:3:0.7 (attribute, times, epsilon)", "leakage.suppressed");
    if (!parts) return parts.error();
    const auto index = attribute((*parts)[0], text);
    if (!index) return index.error();
    const auto times = ToNumber((*parts)[1], text);
    const auto epsilon = ToNumber((*parts)[2], text, true);
    if (!times) return times.error();
    if (!epsilon) return epsilon.error();
    if (*times != std::floor(*times) || *times > 1e9)
      return InvalidArgument("a number of tries must be a whole number", text);
    // n tries at epsilon say as much as one at n * epsilon.
    Observation& one = seen[*index];
    one.attribute = *index;
    one.suppressed = 1;
    if (*times > 0) one.epsilon += *times * *epsilon;
  }
  for (const std::string& text : released) {
    const auto parts = Split(text, 2, "level:0.5 (attribute, epsilon)", "leakage.released");
    if (!parts) return parts.error();
    std::string name = (*parts)[0];
    if (const auto equals = name.find('='); equals != std::string::npos && !IndexOf(model.names, name)) {
      const auto value = ReadValue(model, name.substr(0, equals), name.substr(equals + 1), text);
      if (!value) return value.error();
      out.values.push_back(*value);
      name.resize(equals);
    }
    const auto index = attribute(name, text);
    if (!index) return index.error();
    const auto epsilon = ToNumber((*parts)[1], text, true);
    if (!epsilon) return epsilon.error();
    if (*epsilon == 0) return InvalidArgument("at epsilon 0 nothing is released", text);
    // A release says everything there is to say about its own attribute: suppressed tries add nothing.
    seen[*index] = {*index, *epsilon, 0, true};
  }
  for (const auto& [index, one] : seen) out.observations.push_back(one);
  return out;
}

Result<ObservedCount> ReadObservedCount(const LeakageModel& model, const std::string& text) {
  const bool whole = std::count(text.begin(), text.end(), ':') >= 4;
  const auto parts =
      Split(text, whole ? 5 : 3, "presence:120:450 (attribute, sensitive rows, all rows)", "leakage.observed");
  if (!parts) return parts.error();
  const auto index = IndexOf(model.names, (*parts)[0]);
  if (!index) return UnknownAttribute((*parts)[0], text);
  std::vector<std::int64_t> counts;
  for (std::size_t k = 1; k < parts->size(); ++k) {
    const auto number = ToNumber((*parts)[k], text);
    if (!number) return number.error();
    if (*number != std::floor(*number) || *number > 1e8) return InvalidArgument("counts must be whole numbers", text);
    counts.push_back(static_cast<std::int64_t>(*number));
  }
  ObservedCount count{*index, counts[0], counts[1], std::nullopt};
  if (whole) count.all = std::pair(counts[2], counts[3]);
  if (count.sensitive > count.of || count.of == 0)
    return InvalidArgument("of two counts the first must not be larger than the second, which is not 0", text);
  if (count.all &&
      (count.all->first < count.sensitive || count.all->second - count.all->first < count.of - count.sensitive))
    return InvalidArgument("all rows must be at least those that were seen, sensitive or not", text);
  return count;
}

}  // namespace kith::leakage
