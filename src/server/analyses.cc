#include "server/analyses.h"

#include <fmt/format.h>

#include "analysis/cells/cells.h"
#include "analysis/derived/contingency.h"
#include "analysis/derived/percentiles.h"
#include "analysis/derived/regression.h"
#include "analysis/derived/survival.h"
#include "analysis/kmeans/kmeans.h"
#include "analysis/learn/learn.h"
#include "analysis/top/top.h"
#include "base/spelling.h"
#include "server/body.h"

namespace kith::server {
namespace {

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

struct Maker {
  const char* name;
  Result<AnyAnalysis> (*make)(Fields, const Policy&);
};
constexpr Maker kMakers[] = {{"cells", MakeCells},
                             {"contingency", MakeContingency},
                             {"kmeans", MakeKmeans},
                             {"logistic", MakeLogistic},
                             {"percentiles", MakePercentiles},
                             {"regression", MakeRegression},
                             {"survival", MakeSurvival},
                             {"svm", MakeSvm},
                             {"top", MakeTop}};

}  // namespace

std::vector<std::string> AnalysisNames() {
  std::vector<std::string> names;
  for (const Maker& each : kMakers) names.emplace_back(each.name);
  return names;
}

Result<AnyAnalysis> AnalysisFrom(const std::string& name, const nlohmann::json& options, const Policy& policy) {
  for (const Maker& each : kMakers) {
    if (name == each.name) return each.make(Fields(options, "options"), policy);
  }
  const auto names = AnalysisNames();
  return InvalidArgument("there is no analysis of this name here", "analysis",
                         DidYouMean(name, names) + fmt::format("choose from: {}", fmt::join(names, ", ")));
}

}  // namespace kith::server
