#include "app/python/local.h"

#include <array>

#include "app/cli/estimate_forms.h"
#include "app/cli/transfer.h"
#include "audit/policy_audit.h"
#include "base/json.h"
#include "base/meter.h"
#include "base/unexpected.h"
#include "document/columns.h"
#include "document/import_report.h"
#include "document/json_line.h"
#include "document/to_json.h"
#include "document/words.h"
#include "policy/stay.h"
#include "release/release.h"
#include "release/stored_answer.h"
#include "server/body.h"
#include "server/requests.h"

namespace kith::python {
namespace {

using server::Fields;

struct Asked {
  const Curator& curator;
  const std::string& file;
  const std::string& body;
  const Call& call;
};

template <class Found>
Result<std::string> Documented(const Result<Found>& found) {
  if (!found) return found.error();
  return document::JsonLine(*found);
}

Result<std::string> Columns(const Asked& asked) {
  return document::JsonLine(document::FactsOf(asked.curator.policy()));
}

Result<std::string> Explain(const Asked& asked) {
  const auto wanted = server::QuestionIn(asked.body);
  if (!wanted) return wanted.error();
  return Documented(asked.curator.Explain(wanted->request, wanted->price, asked.call));
}

Result<std::string> ReleaseWanted(const Asked& asked, const Result<server::WantedQuestion>& wanted) {
  if (!wanted) return wanted.error();
  if (wanted->approval) return InvalidArgument("nobody approves here: there are no users", "approval", "leave it out");
  return Documented(asked.curator.Release(wanted->request, wanted->price, {}, asked.call));
}

Result<std::string> Release(const Asked& asked) { return ReleaseWanted(asked, server::QuestionIn(asked.body)); }
Result<std::string> ReleasePlan(const Asked& asked) { return ReleaseWanted(asked, server::PlanIn(asked.body)); }

Result<std::string> ExplainPlan(const Asked& asked) {
  const auto wanted = server::PlanIn(asked.body);
  if (!wanted) return wanted.error();
  return Documented(asked.curator.Explain(wanted->request, wanted->price, asked.call));
}

Result<std::string> ExplainAnalysis(const Asked& asked) {
  const auto wanted = server::AnalysisIn(asked.body, asked.curator.policy());
  if (!wanted) return wanted.error();
  return Documented(ExplainAny(asked.curator, wanted->analysis, wanted->epsilon, {}, asked.call));
}

Result<std::string> Analyse(const Asked& asked) {
  const auto wanted = server::AnalysisIn(asked.body, asked.curator.policy());
  if (!wanted) return wanted.error();
  if (wanted->approval) return InvalidArgument("nobody approves here: there are no users", "approval", "leave it out");
  return Documented(ReleaseAny(asked.curator, wanted->analysis, wanted->epsilon, {}, asked.call));
}

Result<std::string> Budget(const Asked& asked) {
  bool history = true;
  if (!asked.body.empty()) {
    if (const auto read = Fields(server::ObjectIn(asked.body)).May("history", history).Finish(); !read)
      return read.error();
  }
  const auto report = asked.curator.Budget({}, history);
  if (!report) return report.error();
  Json budget = document::ToJson(*report, StayOf(asked.curator.policy()));
  if (!history) budget.erase("history");
  return JsonText(budget) + "\n";
}

Result<std::string> Audit(const Asked& asked) {
  std::optional<double> epsilon;
  if (const auto read = Fields(server::ObjectIn(asked.body)).May("epsilon", epsilon).Finish(); !read)
    return read.error();
  auto audit = AuditPolicy(asked.curator, epsilon, asked.call);
  if (!audit) return audit.error();
  audit->file = asked.file;
  return document::JsonLine(*audit);
}

Result<std::string> StoredAnswer(const Asked& asked) {
  std::size_t number = 0;
  if (const auto read = Fields(server::ObjectIn(asked.body)).Must("number", number).Finish(); !read)
    return read.error();
  const auto answer = StoredAnswerTo(asked.curator, static_cast<std::int64_t>(number));
  if (!answer) return answer.error();
  if (!*answer)
    return InvalidArgument("there is no answer with this number", {}, "the history says which answers were kept");
  return document::JsonLine(**answer);
}

Result<std::string> Import(const Asked& asked) {
  std::optional<document::ImportReport> report;
  const auto data = asked.curator.Import(asked.call, [&report](const DataReport& found) {
    report = document::ImportReport{found, {}};
  });
  if (!data) return data.error();
  if (!report) return InternalError("the import has no report");
  report->version = data->Shown();
  return document::JsonLine(*report);
}

struct Verb {
  std::string_view what;
  Result<std::string> (*answer)(const Asked&);
};
constexpr auto kVerbs = std::to_array<Verb>({{"columns", Columns},
                                             {"explain", Explain},
                                             {"release", Release},
                                             {"plan/explain", ExplainPlan},
                                             {"plan/release", ReleasePlan},
                                             {"analyses/explain", ExplainAnalysis},
                                             {"analyses", Analyse},
                                             {"budget", Budget},
                                             {"audit", Audit},
                                             {"answer", StoredAnswer},
                                             {"import", Import}});

template <class Work>
Result<std::string> Guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return Unexpected(error);
  }
}

Result<std::string> TransferOfFile(const std::string& text, const Call& call) {
  std::string file;
  std::optional<double> plain, dependent, delta;
  const auto read = Fields(server::ObjectIn(text))
                        .Must("file", file)
                        .May("plain", plain)
                        .May("dependent", dependent)
                        .May("delta", delta)
                        .Finish();
  if (!read) return read.error();
  return Metered(Meter::kNoLimit, call.cancel, [&]() -> Result<std::string> {
    const auto transfer = cli::TransferOf(file, false, call);
    if (!transfer) return transfer.error();
    return Documented(server::Transferred(*transfer, plain, dependent, delta));
  });
}

Result<std::string> Estimate(const std::string& text, const Call& call) {
  auto body = server::ObjectIn(text);
  if (!body) return body.error();
  const bool named = body->contains("of") && body->at("of").is_string();
  const cli::EstimateForm* form = named ? cli::FindEstimate(body->at("of").get<std::string>()) : nullptr;
  if (form == nullptr)
    return InvalidArgument("there is no such kind of study", "of",
                           "choose pairs, households, chain, network or distances");
  cli::EstimateOptions options;
  if (const auto read =
          Fields(std::move(body)).Must("of", options.question.of).Read(cli::OptionsOf(*form, options)).Finish();
      !read)
    return read.error();
  const auto report = cli::ReportOf(*form, options, call.cancel);
  if (!report) return report.error();
  auto out = Json::parse(document::JsonLine(*report));
  out["in_words"] = document::InWords(*report);
  if (options.question.of == "chain") out["model"] = Json::parse(document::ModelText(*report), nullptr, false);
  return JsonText(out) + "\n";
}

// The names of the options of each kind of study.
std::string OptionsOfEstimates() {
  Json all = Json::object();
  for (const cli::EstimateForm& form : cli::EstimateForms()) {
    cli::EstimateOptions unused;
    Json names = Json::array();
    for (const OptionSpec& option : cli::OptionsOf(form, unused)) names.push_back(option.name);
    all[form.name] = std::move(names);
  }
  return JsonText(all) + "\n";
}

}  // namespace

Result<std::shared_ptr<const Local>> Local::Open(const std::string& policy, const EngineOptions& options,
                                                 const Call& call, bool remembered) {
  auto curator = Curator::Open(policy, options, call, remembered);
  if (!curator) return curator.error();
  if (options.engine && curator->policy().engine != "duckdb")
    return InvalidArgument("frames in memory are read by DuckDB, and the policy names another engine", "[data] engine",
                           "leave the engine out, or put the frames into its tables");
  return std::shared_ptr<const Local>(new Local(std::make_shared<const Curator>(std::move(*curator)), policy));
}

Result<std::string> Local::Ask(std::string_view what, const std::string& body, const Call& call) const {
  for (const Verb& verb : kVerbs) {
    if (verb.what == what) return Guarded([&] { return verb.answer({*curator_, file_, body, call}); });
  }
  return InvalidArgument("nothing of this name can be asked", std::string(what), "ask one of the methods of a policy");
}

Result<std::string> Compute(std::string_view what, const std::string& body, const Call& call) {
  return Guarded([&]() -> Result<std::string> {
    if (what == "transfer") return Documented(server::TransferredIn(body, call.cancel));
    if (what == "transfer/file") return TransferOfFile(body, call);
    if (what == "compare") return Documented(server::ComparisonIn(body, call.cancel));
    if (what == "estimate") return Estimate(body, call);
    if (what == "estimate/options") return OptionsOfEstimates();
    return InvalidArgument("nothing of this name can be computed", std::string(what));
  });
}

std::string Document(const Error& error) { return document::JsonLine(error); }

}  // namespace kith::python
