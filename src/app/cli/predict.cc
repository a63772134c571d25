// kith predict: applies a published classifier to new rows. Post-processing: it reads a model and a file of the user's
// own, no protected data, and costs nothing.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>
#include <iostream>

#include "app/cli/commands.h"
#include "app/cli/fail.h"
#include "app/cli/show.h"
#include "base/json.h"
#include "document/csv.h"
#include "engine/duckdb/csv_line.h"
#include "query/bind/typing.h"

namespace kith::cli {
namespace {

struct PredictOptions {
  std::string model, csv;
  bool json = false;
};

struct ModelFeature {
  std::string name;
  bool number = false, constant = false;
  double lower = 0, upper = 1;
  std::vector<std::string> values;  // as text
  bool null_is_a_category = false;
  std::vector<double> weights;
  std::size_t column = 0;  // of the file
};

struct Model {
  bool logistic = false;
  std::string positive, negative;
  std::vector<ModelFeature> features;
};

std::string TextOf(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

Error NotAModel(const std::string& file) {
  return InvalidArgument(fmt::format("{} is not a model written by kith", Shortened(file)), {},
                         "write one with: kith analyse policy.toml svm ... --model model.json");
}

ModelFeature FeatureOf(const Json& json) {
  ModelFeature feature;
  feature.name = json.at("name");
  const std::string kind = json.at("kind");
  feature.number = kind == "number";
  feature.constant = kind == "constant";
  feature.weights = json.at("weights").get<std::vector<double>>();
  if (feature.number) {
    feature.lower = json.at("lower");
    feature.upper = json.at("upper");
  } else if (!feature.constant) {
    for (const auto& value : json.at("values")) {
      if (value.is_null())
        feature.null_is_a_category = true;
      else
        feature.values.push_back(TextOf(value));
    }
  }
  const std::size_t expected = kind == "categories" ? feature.values.size() + (feature.null_is_a_category ? 1 : 0) : 1;
  if (feature.weights.size() != expected || (kind == "two values" && feature.values.size() != 2) ||
      !(feature.lower < feature.upper))
    throw std::invalid_argument("weights");
  return feature;
}

Result<Model> ReadModel(const std::string& file) {
  std::ifstream in(file);
  if (!in) return InvalidArgument(fmt::format("there is no file {}", Shortened(file)), {}, "check the path");
  try {
    const auto json = Json::parse(in);
    Model model;
    const std::string kind = json.at("analysis");
    if (kind != "svm" && kind != "logistic") return NotAModel(file);
    model.logistic = kind == "logistic";
    model.positive = TextOf(json.at("positive"));
    model.negative = json.at("negative").size() == 1 ? TextOf(json.at("negative")[0]) : "not " + model.positive;
    for (const auto& feature : json.at("features")) model.features.push_back(FeatureOf(feature));
    return model;
  } catch (const std::exception&) {
    return NotAModel(file);
  }
}

/// What the user should know about the rows.
struct Tally {
  std::size_t undeclared = 0;  // fields with a value that the model does not know
  std::size_t unread = 0;      // rows without a prediction
};

// What a field adds to the score; nothing if it is a number that cannot be read.
std::optional<double> Term(const ModelFeature& feature, std::string_view text, Tally& tally) {
  if (feature.number) {
    double number = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc() || end != text.data() + text.size() || std::isnan(number)) return std::nullopt;
    const double cut = std::clamp(number, feature.lower, feature.upper);
    return feature.weights[0] * (2 * (cut - feature.lower) / (feature.upper - feature.lower) - 1);
  }
  const auto found = std::find(feature.values.begin(), feature.values.end(), text);
  const auto at = static_cast<std::size_t>(found - feature.values.begin());
  if (found == feature.values.end() && !text.empty()) ++tally.undeclared;
  if (feature.weights.size() == 1) return found == feature.values.end() ? 0 : feature.weights[0] * (at == 0 ? -1 : 1);
  if (found != feature.values.end()) return feature.weights[at];
  return feature.null_is_a_category ? feature.weights.back() : feature.weights[0];  // required: as the first value
}

/// The file's rows, one after another.
class Table {
 public:
  explicit Table(const std::string& file) : in_(file) {}

  Result<void> Open(Model& model, const std::string& file) {
    if (!in_) return InvalidArgument(fmt::format("there is no file {}", Shortened(file)), {}, "check the path");
    std::vector<std::string> header;
    if (Next()) {
      for (std::size_t k = 0; k < fields_.size(); ++k) header.emplace_back(Field(k));
    }
    for (ModelFeature& feature : model.features) {
      if (feature.constant) continue;
      const auto found = std::find(header.begin(), header.end(), feature.name);
      if (found == header.end()) {
        return InvalidArgument(
            fmt::format("the file has no column {}", Shortened(feature.name)), {},
            "its first line must name the model's features; for an expression, add a column of that name with "
            "its value");
      }
      feature.column = static_cast<std::size_t>(found - header.begin());
    }
    return {};
  }

  bool Next() {
    if (!std::getline(in_, line_)) return false;
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    if (!SplitCsvLine(line_, ',', 10'000, &fields_)) fields_.clear();
    return true;
  }

  std::string_view Field(std::size_t k) {
    space_.clear();
    return k < fields_.size() ? fields_[k].Plain(&space_) : std::string_view();
  }

 private:
  std::ifstream in_;
  std::string line_, space_;
  std::vector<::kith::CsvField> fields_;
};

std::optional<double> ScoreOf(const Model& model, Table& table, Tally& tally) {
  double score = 0;
  for (const ModelFeature& feature : model.features) {
    const auto term = feature.constant ? feature.weights[0] : Term(feature, table.Field(feature.column), tally);
    if (!term) {
      ++tally.unread;
      return std::nullopt;
    }
    score += *term;
  }
  return score;
}

std::string LineOf(const Model& model, const std::optional<double>& score, bool json) {
  const std::string said = !score ? "" : *score > 0 ? model.positive : model.negative;
  const double chance = score ? 1 / (1 + std::exp(-*score)) : 0;
  if (json) {
    Json out = {{"prediction", score ? Json(said) : Json()}};
    if (score) out["score"] = *score;
    if (score && model.logistic) out["probability"] = chance;
    return JsonText(out) + "\n";
  }
  return fmt::format("{},{}{}\n", document::CsvField(said), score ? fmt::format("{:.6g}", *score) : "",
                     !model.logistic ? ""
                     : score         ? fmt::format(",{:.6g}", chance)
                                     : ",");
}

int Predict(const PredictOptions& options, const CancelFlag& cancel) {
  auto model = ReadModel(options.model);
  if (!model) return Fail(model.error(), options.json);
  Table table(options.csv);
  if (const auto opened = table.Open(*model, options.csv); !opened) return Fail(opened.error(), options.json);
  if (!options.json) Show(fmt::format("prediction,score{}\n", model->logistic ? ",probability" : ""));
  Tally tally;
  while (!cancel.cancelled() && table.Next()) Show(LineOf(*model, ScoreOf(*model, table, tally), options.json));
  if (tally.undeclared > 0) {
    Tell(fmt::format(
        "note: {} fields hold a value that the model does not know; they are treated as missing (required: as the "
        "first declared value)\n",
        tally.undeclared));
  }
  if (tally.unread > 0) {
    Tell(fmt::format("note: {} rows have no prediction: a number is missing or cannot be read\n", tally.unread));
  }
  return cancel.cancelled() ? 130 : 0;
}

}  // namespace

void AddPredict(Command& app, Context& context) {
  auto* command = app.AddVerb("predict", "What a published classifier says about new rows: free, reads no data");
  command->Footer(
      "Example:\n  kith predict model.json --csv new.csv\n"
      "The file's first line names the columns; a feature that is an expression is a column of that name. A row with a "
      "number\n"
      "missing gets no prediction; a category that is not declared is read as missing. Both are counted at the end.");
  auto options = std::make_shared<PredictOptions>();
  command->AddOption("model", options->model, "The model file, from kith analyse ... --model")->Required();
  command->AddOption("--csv", options->csv, "The new rows: your own, or public")->Required();
  command->AddFlag("--json", options->json, "One JSON object for each row");
  command->Run([options, &context] { context.exit_code = Predict(*options, *context.cancel); });
}

}  // namespace kith::cli
