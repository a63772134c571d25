#include "server/analyses.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/cells/cells.h"
#include "analysis/cumulative/cumulative.h"
#include "analysis/cutoff/cutoff.h"
#include "analysis/degrees/degrees.h"
#include "analysis/derived/contingency.h"
#include "analysis/derived/percentiles.h"
#include "analysis/derived/regression.h"
#include "analysis/derived/survival.h"
#include "analysis/identity/identity.h"
#include "analysis/keys/keys.h"
#include "analysis/kmeans/kmeans.h"
#include "analysis/learn/learn.h"
#include "analysis/points/study.h"
#include "analysis/synthetic/synthetic.h"
#include "analysis/top/top.h"
#include "base/json.h"
#include "base/spelling.h"
#include "server/body.h"

namespace kith::server {
namespace {

// No table has more: numbers beyond it are cut before they are made smaller.
constexpr std::size_t kMostOfAll = std::size_t{1} << 62;

std::string Choices(const std::vector<std::string>& names) {
  return fmt::format("choose from: {}", fmt::join(names, ", "));
}

template <class As, class Kind, class Options>
Result<AnyAnalysis> Made(const Result<void>& read, const Options& options, const Policy& policy) {
  if (!read) return read.error();
  auto made = Kind::Make(options, policy);
  if (!made) return made.error();
  return AnyAnalysis(std::shared_ptr<const As>(std::move(*made)));
}

Result<AnyAnalysis> MakeKmeans(Fields fields, const Policy& policy) {
  KmeansOptions o;
  const auto read = fields.Must("columns", o.columns)
                        .Must("clusters", o.clusters)
                        .May("steps", o.steps)
                        .May("where", o.where)
                        .Finish();
  return Made<Analysis, Kmeans>(read, o, policy);
}

Result<AnyAnalysis> MakeTop(Fields fields, const Policy& policy) {
  TopOptions o;
  const auto read = fields.Must("column", o.column).Must("count", o.count).May("where", o.where).Finish();
  return Made<Study, Top>(read, o, policy);
}

Result<AnyAnalysis> MakeCutoff(Fields fields, const Policy& policy) {
  CutoffOptions o;
  std::optional<std::size_t> at_most;
  const auto read = fields.May("table", o.table).May("at_most", at_most).Finish();
  if (at_most) o.at_most = static_cast<std::int64_t>(std::clamp<std::size_t>(*at_most, 1, kMostOfAll));
  return Made<Analysis, Cutoff>(read, o, policy);
}

Result<AnyAnalysis> MakeCells(Fields fields, const Policy& policy) {
  CellsOptions o;
  const auto read = fields.Must("columns", o.columns)
                        .May("false_cells", o.false_cells)
                        .May("threshold", o.threshold)
                        .May("where", o.where)
                        .May("units", o.units)
                        .May("most", o.most)
                        .Finish();
  return Made<Study, CellCounts>(read, o, policy);
}

Result<AnyAnalysis> MakeSynthetic(Fields fields, const Policy& policy) {
  SyntheticOptions o;
  const auto read = fields.Must("columns", o.columns)
                        .May("together", o.together)
                        .May("parts", o.parts)
                        .May("rows", o.rows)
                        .May("where", o.where)
                        .Finish();
  return Made<Study, Synthetic>(read, o, policy);
}

Result<AnyAnalysis> MakeKeys(Fields fields, const Policy& policy) {
  KeysOptions o;
  const auto read = fields.Must("columns", o.columns)
                        .May("where", o.where)
                        .May("keys_per_unit", o.per_unit)
                        .May("most", o.most)
                        .Finish();
  return Made<Study, KeyCounts>(read, o, policy);
}

Result<AnyAnalysis> MakeCumulative(Fields fields, const Policy& policy) {
  CumulativeOptions o;
  const auto read = fields.Must("column", o.column).May("cells", o.cells).May("where", o.where).Finish();
  return Made<Study, Cumulative>(read, o, policy);
}

Result<AnyAnalysis> MakePercentiles(Fields fields, const Policy& policy) {
  PercentilesOptions o;
  const auto read =
      fields.Must("column", o.column).May("ranks", o.ranks).May("cells", o.cells).May("where", o.where).Finish();
  return Made<Derived, Percentiles>(read, o, policy);
}

Result<AnyAnalysis> MakeContingency(Fields fields, const Policy& policy) {
  ContingencyOptions o;
  const auto read =
      fields.Must("rows", o.rows).Must("columns", o.columns).May("where", o.where).May("from", o.from).Finish();
  return Made<Derived, Contingency>(read, o, policy);
}

Result<AnyAnalysis> MakeRegression(Fields fields, const Policy& policy) {
  RegressionOptions o;
  const auto read = fields.Must("target", o.target).Must("features", o.features).May("where", o.where).Finish();
  return Made<Derived, Regression>(read, o, policy);
}

Result<AnyAnalysis> MakeSurvival(Fields fields, const Policy& policy) {
  SurvivalOptions o;
  const auto read = fields.Must("time", o.time)
                        .Must("event", o.event)
                        .Must("step", o.step)
                        .May("by", o.by)
                        .May("where", o.where)
                        .May("from", o.from)
                        .May("compare", o.compare)
                        .Finish();
  return Made<Derived, Survival>(read, o, policy);
}

Result<AnyAnalysis> MakeLearn(learn::Loss loss, Fields fields, const Policy& policy) {
  LearnOptions o;
  o.loss = loss;
  const auto read = fields.Must("label", o.design.label)
                        .Must("features", o.design.features)
                        .May("positive", o.design.positive)
                        .May("where", o.design.where)
                        .May("regularise", o.regularise)
                        .May("holdout", o.holdout)
                        .Finish();
  return Made<Study, Learn>(read, o, policy);
}

Result<AnyAnalysis> MakeSvm(Fields fields, const Policy& policy) {
  return MakeLearn(learn::Loss::kHinge, std::move(fields), policy);
}

Result<AnyAnalysis> MakeLogistic(Fields fields, const Policy& policy) {
  return MakeLearn(learn::Loss::kLogistic, std::move(fields), policy);
}

Result<AnyAnalysis> MakeDegrees(Fields fields, const Policy& policy) {
  DegreesOptions o;
  std::vector<std::string> ends;
  std::optional<std::size_t> people;
  const auto read = fields.Must("ends", ends)
                        .Must("max_degree", o.max_degree)
                        .May("people", people)
                        .May("once", o.once)
                        .May("where", o.where)
                        .May("by", o.by)
                        .May("names", o.names)
                        .Finish();
  if (!read) return read.error();
  if (ends.size() != 2) return InvalidArgument("a pair has two ends", "options", "\"ends\" is a list of two columns");
  o.ends = {ends[0], ends[1]};
  if (people) o.people = static_cast<std::int64_t>(std::min(*people, kMostOfAll));
  return Made<Analysis, Degrees>({}, o, policy);
}

Result<AnyAnalysis> MakeIdentity(Fields fields, const Policy& policy) {
  IdentityOptions o;
  std::vector<std::size_t> units;
  const auto read = fields.Must("columns", o.columns).Must("units", units).Finish();
  if (!read) return read.error();
  if (units.size() != 2)
    return InvalidArgument("the units are those from one key to another", "options", "\"units\" is like [1, 300]");
  o.first = static_cast<std::int64_t>(std::min(units[0], kMostOfAll));
  o.last = static_cast<std::int64_t>(std::min(units[1], kMostOfAll));
  return Made<Analysis, kith::Identity>({}, o, policy);
}

Result<AnyAnalysis> MakePoints(Fields fields, const Policy& policy) {
  points::PointsOptions o;
  std::string method;
  const auto read = fields.Must("columns", o.columns)
                        .May("method", method)
                        .May("cells", o.cells)
                        .May("groups", o.groups)
                        .May("quantiles", o.quantiles)
                        .May("where", o.where)
                        .Finish();
  if (!read) return read.error();
  for (const auto& [name, known] : points::Methods()) {
    if (name == method) o.method = known;
  }
  if (!method.empty() && !o.method) {
    std::vector<std::string> names;
    for (const auto& [name, known] : points::Methods()) names.push_back(name);
    return InvalidArgument("there is no such method", "options", DidYouMean(method, names) + Choices(names));
  }
  auto made = points::MakePoints(o, policy);
  if (!made) return made.error();
  return AnyAnalysis(std::shared_ptr<const Study>(std::move(*made)));
}

Result<AnyAnalysis> MakeHistogram(Fields fields, const Policy&) {
  HistogramRequest request;
  bool one_sided = false;
  std::string method = "one-sided";
  const auto read = fields.Must("one_sided", one_sided)
                        .Must("by", request.by)
                        .May("attribute", request.attribute)
                        .May("method", method)
                        .May("noisy_epsilon", request.noisy_epsilon)
                        .May("partition_share", request.partition_share)
                        .Finish();
  if (!read) return read.error();
  if (!one_sided)
    return InvalidArgument("rows that are not sensitive are not protected here", "options",
                           "say that you know it: \"one_sided\": true");
  if (method != "one-sided" && method != "dawaz")
    return InvalidArgument("there is no such method", "options", Choices({"one-sided", "dawaz"}));
  if ((method == "dawaz") != request.noisy_epsilon.has_value())
    return InvalidArgument("dawaz also counts with two-sided noise, which has a price of its own", "options",
                           "\"noisy_epsilon\" goes with \"method\": \"dawaz\", and with nothing else");
  return AnyAnalysis(request);
}

struct Maker {
  const char* name;
  Result<AnyAnalysis> (*make)(Fields, const Policy&);
};
constexpr Maker kMakers[] = {{"cells", MakeCells},
                             {"contingency", MakeContingency},
                             {"cumulative", MakeCumulative},
                             {"cutoff", MakeCutoff},
                             {"degrees", MakeDegrees},
                             {"histogram", MakeHistogram},
                             {"identity", MakeIdentity},
                             {"keys", MakeKeys},
                             {"kmeans", MakeKmeans},
                             {"logistic", MakeLogistic},
                             {"percentiles", MakePercentiles},
                             {"points", MakePoints},
                             {"regression", MakeRegression},
                             {"survival", MakeSurvival},
                             {"svm", MakeSvm},
                             {"synthetic", MakeSynthetic},
                             {"top", MakeTop}};

}  // namespace

std::vector<std::string> AnalysisNames() {
  std::vector<std::string> names;
  for (const Maker& each : kMakers) names.emplace_back(each.name);
  return names;
}

Result<AnyAnalysis> AnalysisFrom(const std::string& name, const Json& options, const Policy& policy) {
  for (const Maker& each : kMakers) {
    if (name == each.name) return each.make(Fields(options, "options"), policy);
  }
  const auto names = AnalysisNames();
  return InvalidArgument("there is no analysis of this name here", "analysis",
                         DidYouMean(name, names) + Choices(names));
}

}  // namespace kith::server
