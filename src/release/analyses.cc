#include "release/analyses.h"

#include <algorithm>
#include <array>

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

namespace kith {
namespace {

constexpr const char* kRows = "A condition as in SQL: only these rows";
constexpr const char* kUnits = "A condition as in SQL: only these units";
constexpr const char* kFrom =
    "A sub-select with one row for each unit, where units have several rows: SELECT key, ... GROUP BY key";

template <class Kind, class Made>
Result<AnyAnalysis> As(Result<std::unique_ptr<Made>> made) {
  if (!made) return made.error();
  return AnyAnalysis(std::shared_ptr<const Kind>(std::move(*made)));
}

AnalysisForm KmeansForm() {
  const auto o = std::make_shared<KmeansOptions>();
  return {{Must("columns", &o->columns, "Numbers with declared bounds, e.g. x,y"),
           Must("clusters", &o->clusters, "How many clusters").Letter('k').Within(2, KmeansOptions::kMaxClusters),
           May("steps", &o->steps, "Lloyd rounds that share the price; 1 with up to four columns, otherwise 4")
               .Within(1, KmeansOptions::kMaxSteps),
           May("where", &o->where, kRows)},
          [o](const Policy& policy) { return As<Analysis>(Kmeans::Make(*o, policy)); }};
}

AnalysisForm DegreesForm() {
  struct Given {
    DegreesOptions options;
    std::vector<std::string> ends;
  };
  const auto o = std::make_shared<Given>();
  DegreesOptions& d = o->options;
  return {{Must("ends", &o->ends, "The two columns that name people, e.g. a,b").Exactly(2),
           Must("max_degree", &d.max_degree,
                "Larger degrees are counted as this one; where a person is the unit, this many pairs are kept")
               .Within(1, DegreesOptions::kMaxDegree),
           May("people", &d.people, "How many people there are, if that is public knowledge").Within(1, nullptr),
           May("once", &d.once, "Every pair is in the table once: faster; a duplicate would be counted twice"),
           May("where", &d.where, "Only pairs whose row meets this condition, as in SQL"),
           May("by", &d.by, "Degrees of each group: a public column of people, e.g. people.team"),
           May("names", &d.names, "The column of that table that names the person, e.g. id")},
          [o](const Policy& policy) {
            o->options.ends = {o->ends.at(0), o->ends.at(1)};
            return As<Analysis>(Degrees::Make(o->options, policy));
          }};
}

AnalysisForm IdentityForm() {
  struct Given {
    IdentityOptions options;
    std::vector<std::int64_t> units;
  };
  const auto o = std::make_shared<Given>();
  return {{Must("columns", &o->options.columns, "Numbers with declared bounds, e.g. age,income"),
           Must("units", &o->units, "The first and the last key, e.g. 1,300: the public list of units").Exactly(2)},
          [o](const Policy& policy) {
            o->options.first = o->units.at(0);
            o->options.last = o->units.at(1);
            return As<Analysis>(kith::Identity::Make(o->options, policy));
          }};
}

AnalysisForm LearnForm(learn::Loss loss) {
  const auto o = std::make_shared<LearnOptions>();
  o->loss = loss;
  return {
      {Must("label", &o->design.label,
            "What to predict: a column with two declared values, or a condition, e.g. \"income > 50000\""),
       May("positive", &o->design.positive,
           "The value to distinguish from all others; by default the second one declared"),
       Must("features", &o->design.features,
            "What to predict it from, e.g. age,hours,education; or numbers made of columns, as in SQL")
           .OfExpressions(),
       May("where", &o->design.where, kRows),
       May("regularise", &o->regularise, "How strongly weights are pulled to zero; by default chosen from the price"),
       May("holdout", &o->holdout, "Part of the units to test the classifier on, e.g. 0.2; costs nothing extra")
           .Within(0, 0.9)},
      [o](const Policy& policy) { return As<Study>(Learn::Make(*o, policy)); }};
}
AnalysisForm SvmForm() { return LearnForm(learn::Loss::kHinge); }
AnalysisForm LogisticForm() { return LearnForm(learn::Loss::kLogistic); }

AnalysisForm SurvivalForm() {
  const auto o = std::make_shared<SurvivalOptions>();
  return {
      {Must("time", &o->time, "How long the unit was followed: a number with bounds, from 0 on"),
       Must("event", &o->event, "A condition: true if that time ended with the event; otherwise the unit was censored"),
       Must("step", &o->step, "Length of a step of time, e.g. 30"),
       May("by", &o->by, "A curve for each value of this column or expression"),
       May("compare", &o->compare,
           "As by, for two declared values or a condition: with the hazard ratio of the second against the first"),
       May("where", &o->where, kUnits), May("from", &o->from, kFrom)},
      [o](const Policy& policy) { return As<Derived>(Survival::Make(*o, policy)); }};
}

AnalysisForm CutoffForm() {
  const auto o = std::make_shared<CutoffOptions>();
  return {{May("table", &o->table, "A table of the units (needed if rows of several can be left out)"),
           May("at_most", &o->at_most,
               "How many rows of one unit beyond max_rows are counted (default: ten times max_rows)")
               .Within(1, nullptr)},
          [o](const Policy& policy) { return As<Analysis>(Cutoff::Make(*o, policy)); }};
}

AnalysisForm TopForm() {
  const auto o = std::make_shared<TopOptions>();
  return {{Must("column", &o->column, "A column with declared values"),
           Must("count", &o->count, "How many values to name").Letter('k').Within(1, TopOptions::kMax),
           May("where", &o->where, kRows)},
          [o](const Policy& policy) { return As<Study>(Top::Make(*o, policy)); }};
}

AnalysisForm CellsForm() {
  const auto o = std::make_shared<CellsOptions>();
  return {{Must("columns", &o->columns, "What tells cells apart, e.g. postcode,diagnosis"),
           May("false_cells", &o->false_cells, "How many cells that hold nothing may be shown on average"),
           May("threshold", &o->threshold, "Or the smallest noisy count that is shown"), May("where", &o->where, kRows),
           May("units", &o->units, "Counts units instead of rows"),
           May("most", &o->most, "The most cells to show: those with the largest noisy counts")
               .Within(1, CellsOptions::kMost)},
          [o](const Policy& policy) { return As<Study>(CellCounts::Make(*o, policy)); }};
}

AnalysisForm KeysForm() {
  const auto o = std::make_shared<KeysOptions>();
  return {
      {Must("columns", &o->columns, "What makes a key, e.g. surname or surname,town"), May("where", &o->where, kRows),
       May("keys_per_unit", &o->per_unit, "The most keys that a unit counts for").Within(1, nullptr),
       May("most", &o->most, "The most keys to show: those with the largest noisy counts")
           .Within(1, KeysOptions::kMost)},
      [o](const Policy& policy) { return As<Study>(KeyCounts::Make(*o, policy)); }};
}

AnalysisForm CumulativeForm() {
  const auto o = std::make_shared<CumulativeOptions>();
  return {{Must("column", &o->column, "A number with declared bounds"),
           May("cells", &o->cells, "Equal parts of the bounds").Within(2, CumulativeOptions::kMaxCells).ShowsDefault(),
           May("where", &o->where, kRows)},
          [o](const Policy& policy) { return As<Study>(Cumulative::Make(*o, policy)); }};
}

AnalysisForm PercentilesForm() {
  const auto o = std::make_shared<PercentilesOptions>();
  return {{Must("column", &o->column, "A number with declared bounds"),
           May("ranks", &o->ranks, "Ranks between 0 and 1, ascending; 0.01 to 0.99 if left out"),
           May("cells", &o->cells, "Equal parts of the bounds that are counted")
               .Within(2, PercentilesOptions::kMaxCells)
               .ShowsDefault(),
           May("where", &o->where, kRows)},
          [o](const Policy& policy) { return As<Derived>(Percentiles::Make(*o, policy)); }};
}

AnalysisForm ContingencyForm() {
  const auto o = std::make_shared<ContingencyOptions>();
  return {{Must("rows", &o->rows, "A column or expression with declared values"),
           Must("columns", &o->columns, "Another one"), May("where", &o->where, kUnits), May("from", &o->from, kFrom)},
          [o](const Policy& policy) { return As<Derived>(Contingency::Make(*o, policy)); }};
}

AnalysisForm RegressionForm() {
  const auto o = std::make_shared<RegressionOptions>();
  return {{Must("target", &o->target, "What is explained: a number with declared bounds"),
           Must("features", &o->features, "Numbers with declared bounds, e.g. age,schooling"),
           May("where", &o->where, kUnits)},
          [o](const Policy& policy) { return As<Derived>(Regression::Make(*o, policy)); }};
}

AnalysisForm PointsForm() {
  struct Given {
    points::PointsOptions options;
    std::string method;
  };
  const auto o = std::make_shared<Given>();
  points::PointsOptions& p = o->options;
  std::vector<std::string> methods;
  for (const auto& [name, method] : points::Methods()) methods.push_back(name);
  return {
      {Must("columns", &p.columns, "One or two numbers with declared bounds, e.g. lon,lat"),
       May("method", &o->method, "How to count; by default chosen by the unit").OneOf(methods),
       May("cells", &p.cells,
           "Grid cells along each side, a power of two; by default chosen by the price and the number of points")
           .Within(nullptr, points::PointsOptions::kMaxLineCells),
       May("groups", &p.groups, "Sorted points in this many groups: the mean of each")
           .Within(1, points::PointsOptions::kMaxGroups),
       May("quantiles", &p.quantiles, "Quantiles between 0 and 1, e.g. 0.25,0.5,0.75"), May("where", &p.where, kRows)},
      [o](const Policy& policy) {
        for (const auto& [name, method] : points::Methods()) {
          if (name == o->method) o->options.method = method;
        }
        return As<Study>(points::MakePoints(o->options, policy));
      }};
}

AnalysisForm HistogramForm() {
  struct Given {
    HistogramRequest request;
    std::string method = "one-sided";
    bool one_sided = false;
  };
  const auto o = std::make_shared<Given>();
  return {{Must("one_sided", &o->one_sided, "Required, as a reminder: rows that are not sensitive are not protected"),
           May("attribute", &o->request.attribute, "Which attribute of [one_sided], if there are several"),
           Must("by", &o->request.by, "As after GROUP BY: columns, or expressions with few values"),
           May("method", &o->method, "one-sided or dawaz").OneOf({"one-sided", "dawaz"}).ShowsDefault(),
           May("noisy_epsilon", &o->request.noisy_epsilon,
               "dawaz: price of the two-sided part, a part of the policy's epsilon"),
           May("partition_share", &o->request.partition_share, "dawaz: how much of that is for choosing buckets")
               .Within(0, 1)
               .ShowsDefault()},
          [o](const Policy&) -> Result<AnyAnalysis> {
            if (!o->one_sided)
              return InvalidArgument("rows that are not sensitive are not protected here", {}, "say that you know it")
                  .For("histogram.one_sided");
            if ((o->method == "dawaz") != o->request.noisy_epsilon.has_value())
              return InvalidArgument("dawaz also counts with two-sided noise, which has a price of its own", {},
                                     "the method dawaz needs it, and nothing else has it")
                  .For("histogram.noisy_epsilon");
            return AnyAnalysis(o->request);
          }};
}

AnalysisForm SyntheticForm() {
  const auto o = std::make_shared<SyntheticOptions>();
  return {{Must("columns", &o->columns, "Columns with declared values, or numbers with bounds"),
           May("together", &o->together,
               "One or two of them: households are drawn by how many of their members have each value"),
           May("parts", &o->parts, "Equal parts of the bounds of a number")
               .Within(2, SyntheticOptions::kMaxParts)
               .ShowsDefault(),
           May("rows", &o->rows, "Rows of the table; as many as there are, with noise, if left out")
               .Within(1, SyntheticOptions::kMaxRows),
           May("where", &o->where, kRows)},
          [o](const Policy& policy) { return As<Study>(Synthetic::Make(*o, policy)); }};
}

constexpr auto kAnalyses = std::to_array<AnalysisEntry>({
    {"kmeans", "Clusters", "Clusters by noisy Lloyd rounds: centres, sizes, inertia", "",
     "Example:\n  kith analyse policy.toml kmeans --columns x,y --clusters 5 --epsilon 0.5 --out clusters\n"
     "Distances are measured after scaling every column to its declared bounds.",
     KmeansForm},
    {"degrees", "Numbers of friends", "How many people have how many friends, from a table of pairs",
     "a table of pairs whose unit is a pair, a person's own list, or a person",
     "Example:\n  kith analyse policy.toml degrees --ends a,b --max-degree 50 --epsilon 0.5 --out degrees\n"
     "  kith analyse policy.toml degrees --ends a,b --max-degree 50 --by people.team --names id --epsilon 0.5\n"
     "The unit is a row (row = true: one friendship), all rows of the first end (key = \"a\": a person's own list) "
     "or\n"
     "all rows that name a person (key = [\"a\", \"b\"]): then at most --max-degree of each person's pairs are kept.",
     DegreesForm},
    {"identity", "The value of every unit", "Every unit's value with noise of its own; presence must be public",
     "presence = \"public\"",
     "Example:\n  kith analyse policy.toml identity --columns age --units 1,300 --epsilon 0.5 --format csv\n"
     "The noise of one value is as wide as its bounds: useful for sums over many units, not for single ones.",
     IdentityForm},
    {"svm", "A classifier with large margins", "A linear classifier with large margins (support vector machine)", "",
     "Example:\n  kith analyse policy.toml svm --label income --features age,hours,education --epsilon 0.9 "
     "--holdout 0.2 --model model.json\n"
     "Then:\n  kith predict model.json --csv new.csv\n"
     "Numbers need declared bounds; columns with declared values get a weight for each value.",
     SvmForm},
    {"logistic", "A classifier with probabilities", "A linear classifier with probabilities (logistic regression)", "",
     "Example:\n  kith analyse policy.toml logistic --label income --features age,hours,education --epsilon 0.9 "
     "--holdout 0.2 --model model.json\n"
     "Then:\n  kith predict model.json --csv new.csv\n"
     "Numbers need declared bounds; columns with declared values get a weight for each value.",
     LogisticForm},
    {"survival", "Survival curves", "Time to an event, with censoring: Kaplan-Meier curves with a band, by group", "",
     "Example:\n  kith analyse policy.toml survival --time days --event \"died = 'yes'\" --step 30 --by arm --epsilon "
     "0.5 --out curves\n"
     "Events and censored units are counted with noise in every step of time; the curve is computed on these counts.",
     SurvivalForm},
    {"cutoff", "Rows that do not count", "How many units have more than max_rows rows, and how many rows do not count",
     "a table whose units may have more than max_rows rows",
     "Example:\n  kith analyse policy.toml cutoff --table visits --epsilon 0.1\n"
     "Both numbers have noise. Once they are bought, they are said with every answer about the table.",
     CutoffForm},
    {"top", "The most frequent values", "The most frequent values of a column with declared values, by name alone", "",
     "Example:\n  kith analyse policy.toml top --column drug -k 5 --epsilon 0.5\n"
     "Values are chosen by how many units have them. Where a unit has one row, noisy counts are as good and show "
     "more:\n"
     "  kith query policy.toml \"SELECT drug, count(*) AS n FROM visits GROUP BY drug ORDER BY n DESC LIMIT 5\" "
     "--epsilon 0.5",
     TopForm},
    {"cells", "The large ones of many cells",
     "Counts by columns with very many declared values: the cells that are large", "",
     "Example:\n  kith analyse policy.toml cells --columns postcode,diagnosis --false-cells 1 --epsilon 0.5\n"
     "Columns have declared values, bounds (whole numbers and dates) or a pattern (pattern = \"[0-9]{5}\"), and may "
     "make 10^9 cells or more. A cell that is not shown is not empty for that: docs/guide/many_cells.md",
     CellsForm},
    {"keys", "Values that nobody declared", "Counts by columns of which nobody declared the values: keys of many units",
     "a delta in [budget], of which keys_delta is kept for this",
     "Example:\n  kith analyse policy.toml keys --columns surname --epsilon 0.5\n"
     "Columns are texts, whole numbers or dates. The policy has a delta, of which keys_delta is kept for this. A key "
     "that is not shown may occur; one that a household shares does not appear because of that: "
     "docs/guide/many_cells.md",
     KeysForm},
    {"cumulative", "A cumulative curve of a number",
     "How many rows have at most each value: a curve, its ranges and percentiles", "",
     "Examples:\n  kith analyse policy.toml cumulative --column age --epsilon 0.5 --out curve\n"
     "  kith analyse policy.toml cumulative --column age --epsilon 0.5 --range 18,29 --range 30,64\n"
     "What is measured is chosen without data: counts of blocks on several levels, or, under a budget with a delta, "
     "sums with the weights of a square root. --explain shows which, and how large the error will be.",
     CumulativeForm},
    {"percentiles", "Percentiles of a number", "All percentiles of a column at one price, each with its interval", "",
     "Example:\n  kith analyse policy.toml percentiles --column income --epsilon 0.5 --out percentiles\n"
     "  kith analyse policy.toml percentiles --column income --ranks 0.1,0.25,0.5,0.75,0.9 --epsilon 0.5\n"
     "They are read off one noisy histogram: other ranks of the same histogram are free.",
     PercentilesForm},
    {"contingency", "Two columns against each other",
     "A table of two columns, and a chi-square test that takes the noise into account", "",
     "Example:\n  kith analyse policy.toml contingency --rows smokes --columns ill --epsilon 0.5\n"
     "  kith analyse policy.toml contingency --rows \"floor(age / 10)\" --columns ill --epsilon 0.5",
     ContingencyForm},
    {"regression", "Linear regression",
     "Linear regression with several features, with intervals that include the noise", "",
     "Example:\n  kith analyse policy.toml regression --target income --features age,schooling --epsilon 1\n"
     "A line through one feature by groups: SELECT regr_slope(y, x) ... GROUP BY.",
     RegressionForm},
    {"points", "Where points are", "Where points are: a map, a curve, ranges, quantiles", "",
     "Examples:\n"
     "  kith analyse city.toml points --columns lon,lat --epsilon 0.5 --range -74.02,40.70,-73.96,40.76 --out map\n"
     "  kith analyse wages.toml points --columns wage --quantiles 0.1,0.5,0.9 --epsilon 0.2\n"
     "With a metric unit ([unit] distance) noise hides moves of delta; without one, any change of a unit's rows.\n"
     "Methods: pyramid, hat, quadtree, equi-width; on a line with a metric unit also cumulative, groups, quantiles.",
     PointsForm},
    {"histogram", "Counts under one-sided privacy", "Counts by group under one-sided privacy",
     "[one_sided]: which rows are sensitive",
     "Example:\n  kith analyse policy.toml histogram --one-sided --attribute arrival --by \"width_bucket(arrival, 360, "
     "600, 8)\" --epsilon 0.5\n"
     "one-sided: rows that are not sensitive, with noise that only ever subtracts, and its median added back.\n"
     "dawaz: all rows, sensitive ones too, with two-sided noise over buckets of groups; groups where the one-sided\n"
     "histogram is zero become zero. For sparse histograms.",
     HistogramForm, "One-sided loss for each row, from the attribute's account"},
    {"synthetic", "A table that looks like the data", "A table that looks like the data, drawn from noisy counts", "",
     "Example:\n  kith analyse policy.toml synthetic --columns sex,age,income --epsilon 1 --out made --format csv\n"
     "  kith analyse policy.toml synthetic --columns age,ill --together ill --epsilon 1 --parquet made.parquet",
     SyntheticForm},
});

}  // namespace

const OptionSpec& AnalysisForm::Option(std::string_view name) const {
  const auto found = std::find_if(options.begin(), options.end(), [&](const auto& each) { return each.name == name; });
  KITH_CHECK(found != options.end());
  return *found;
}

std::span<const AnalysisEntry> Analyses() { return kAnalyses; }

const AnalysisEntry* FindAnalysis(std::string_view name) {
  const auto* found =
      std::find_if(kAnalyses.begin(), kAnalyses.end(), [&](const AnalysisEntry& each) { return name == each.name; });
  return found == kAnalyses.end() ? nullptr : found;
}

}  // namespace kith
