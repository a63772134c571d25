#include "app/python/local.h"

#include <algorithm>
#include <array>

#include "app/cli/estimate.h"
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

Result<std::vector<std::int64_t>> Counts(const std::vector<std::size_t>& given, std::size_t wanted, const char* name) {
  if (!given.empty() && given.size() != wanted)
    return InvalidArgument("a study has a count for each of its kinds", name,
                           wanted == 4 ? "give both, left, right, neither" : "give none, one, both");
  return std::vector<std::int64_t>(given.begin(), given.end());
}

Result<std::string> Estimate(const std::string& text, const Call& call) {
  cli::EstimateOptions o;
  std::vector<std::size_t> table, counts;
  std::size_t pairs = 0, size = 0;
  auto& file = o.file;
  const auto read = Fields(server::ObjectIn(text))
                        .Must("of", o.question.of)
                        .Must("source", o.question.consent)
                        .May("file", file.path)
                        .May("left", file.left)
                        .May("right", file.right)
                        .May("by", file.by)
                        .May("order", file.order)
                        .May("id", file.id)
                        .May("value", file.value)
                        .May("stratum", file.stratum)
                        .May("yes", file.yes)
                        .May("edges", file.edges)
                        .May("exchangeable", file.exchangeable)
                        .May("common", file.common)
                        .May("ids", file.ids)
                        .May("left_at", file.left_at)
                        .May("right_at", file.right_at)
                        .May("axes", o.axes)
                        .May("table", table)
                        .May("counts", counts)
                        .May("pairs", pairs)
                        .May("concordance", o.concordance)
                        .May("concordance_kind", o.concordance_kind)
                        .May("prevalence", o.prevalence)
                        .May("size", size)
                        .May("policy", o.policy)
                        .May("confidence", o.question.confidence)
                        .May("epsilon", o.question.epsilon)
                        .Finish();
  if (!read) return read.error();
  constexpr std::array<std::string_view, 5> kKinds = {"pairs", "households", "chain", "network", "distances"};
  if (std::find(kKinds.begin(), kKinds.end(), o.question.of) == kKinds.end())
    return InvalidArgument("there is no such kind of study", "of",
                           "choose pairs, households, chain, network or distances");
  if (o.question.consent != "public" && o.question.consent != "consented")
    return InvalidArgument("it must be said whose data these are", "source",
                           "\"public\", or \"consented\": of people who agreed to it");
  auto four = Counts(table, 4, "table"), three = Counts(counts, 3, "counts");
  if (!four) return four.error();
  if (!three) return three.error();
  o.table = std::move(*four);
  o.counts = std::move(*three);
  o.pairs = static_cast<std::int64_t>(pairs);
  o.size = static_cast<std::int64_t>(size);
  auto report = cli::ReportOf(o, call.cancel);
  if (!report) return report.error();
  auto out = Json::parse(document::JsonLine(*report));
  out["in_words"] = document::InWords(*report);
  if (o.question.of == "chain") out["model"] = Json::parse(document::ModelText(*report), nullptr, false);
  return JsonText(out) + "\n";
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
    return InvalidArgument("nothing of this name can be computed", std::string(what));
  });
}

std::string Document(const Error& error) { return document::JsonLine(error); }

}  // namespace kith::python
