#include "server/analyses.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/spelling.h"
#include "server/body.h"

namespace kith::server {
namespace {

std::string Choices(const std::vector<std::string>& names) {
  return fmt::format("choose from: {}", fmt::join(names, ", "));
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const AnalysisEntry& each : Analyses()) names.emplace_back(each.name);
  std::sort(names.begin(), names.end());
  return names;
}

// What may be given for a place of this type.
Json TypeOf(const std::string&) { return {{"type", "string"}}; }
Json TypeOf(bool) { return {{"type", "boolean"}}; }
Json TypeOf(double) { return {{"type", "number"}}; }
Json TypeOf(std::size_t) { return {{"type", "integer"}, {"minimum", 0}}; }
Json TypeOf(std::int64_t) { return {{"type", "integer"}}; }
template <class T>
Json TypeOf(const std::optional<T>&) {
  return TypeOf(T());
}
template <class T>
Json TypeOf(const std::vector<T>&) {
  return {{"type", "array"}, {"items", TypeOf(T())}};
}

Json SchemaOf(const OptionSpec& option) {
  Json schema = std::visit([](const auto* place) { return TypeOf(*place); }, option.place);
  schema["description"] = option.help;
  if (!option.least.is_null()) schema["minimum"] = option.least;
  if (!option.most.is_null()) schema["maximum"] = option.most;
  if (option.shows_default) schema["default"] = option.Value();
  if (!option.choices.empty()) schema["enum"] = option.choices;
  if (option.exactly != 0) schema["minItems"] = schema["maxItems"] = option.exactly;
  return schema;
}

Json SchemaOf(const AnalysisEntry& entry) {
  const AnalysisForm form = entry.form();
  Json options = Json::object(), needed = Json::array(), order = Json::array();
  for (const OptionSpec& option : form.options) {
    options[option.name] = SchemaOf(option);
    order.push_back(option.name);
    if (option.needed) needed.push_back(option.name);
  }
  Json schema = {
      {"title", entry.title},
      {"description", entry.about},
      {"type", "object"},
      {"properties",
       {{"analysis", {{"const", entry.name}}},
        {"epsilon", {{"type", "number"}, {"description", entry.price}}},
        {"options",
         {{"type", "object"},
          {"properties", std::move(options)},
          {"required", needed},
          {"additionalProperties", false},
          {"x-order", std::move(order)}}},
        {"approval",
         {{"type", "integer"}, {"description", "The number of a curator's approval, where the price needs one"}}}}},
      {"required", needed.empty() ? Json{"analysis", "epsilon"} : Json{"analysis", "epsilon", "options"}},
      {"additionalProperties", false}};
  if (*entry.needs != '\0') schema["x-needs"] = entry.needs;
  return schema;
}

}  // namespace

Result<AnyAnalysis> AnalysisFrom(const std::string& name, const Json& options, const Policy& policy) {
  const AnalysisEntry* entry = FindAnalysis(name);
  if (entry == nullptr) {
    const auto names = Names();
    return InvalidArgument("there is no analysis of this name here", "analysis",
                           DidYouMean(name, names) + Choices(names));
  }
  const AnalysisForm form = entry->form();
  Fields fields(options, "options");
  if (const auto read = fields.Read(form.options).Finish(); !read) return read.error();
  for (const OptionSpec& option : form.options) {
    if (auto fine = option.Check("options"); !fine) return fine.error();
  }
  return form.make(policy);
}

Json AnalysisSchema() {
  Json all = Json::array();
  for (const AnalysisEntry& each : Analyses()) all.push_back(SchemaOf(each));
  return {{"oneOf", std::move(all)}};
}

}  // namespace kith::server
