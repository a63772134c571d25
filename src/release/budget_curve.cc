#include "release/budget_curve.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/analysis.h"
#include "base/digest.h"
#include "base/json.h"
#include "dependence/links.h"
#include "graph/edges_table.h"
#include "release/kept_graph.h"
#include "release/model_fit.h"

namespace kith {
namespace {

namespace fs = std::filesystem;
constexpr int kSteps = 16;     // points up to the budget
constexpr int kDoublings = 4;  // and beyond it, for histories that a changed policy no longer allows

// All that the table depends on. The change time shows a file that was rewritten under an old date.
Result<std::string> GraphVersion(const fs::path& file, const Policy& policy) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) {
    return InvalidArgument("there is no such file of edges", file.string(),
                           "check [dependence] edges: it is relative to the policy");
  }
  const EdgesFile& edges = *policy.dependence.edges;
  return Sha256(fmt::format("kith graph table 3\n{} {} {} {}.{} {}.{}\n{} {} {}\n{}", info.st_dev, info.st_ino,
                            info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec, info.st_ctim.tv_sec,
                            info.st_ctim.tv_nsec, edges.nodes, edges.theta.value_or(-1), policy.epsilon_total,
                            policy.dependence.canonical));
}

// Links are read each time, so that what they say can name them.
std::string LinksVersion(const PairLaws& pairs) {
  std::string text = fmt::format("kith links 1\n{} {}\n", pairs.nodes, pairs.degree);
  for (const auto& [a, b] : pairs.links) text += fmt::format("{} {}\n", a, b);
  return Sha256(text);
}

Json PointJson(const BudgetCurve::Point& point) {
  return {{"plain", point.plain},
          {"dependent", point.result.dependent},
          {"bound", point.result.bound},
          {"adversary", point.result.adversary},
          {"assumption", point.result.assumption}};
}

BudgetCurve::Point PointOf(const Json& j) {
  BudgetCurve::Point point;
  point.plain = j.at("plain");
  point.result.dependent = j.at("dependent");
  point.result.bound = j.at("bound");
  point.result.adversary = j.at("adversary");
  point.result.assumption = j.at("assumption");
  return point;
}

struct Kept {
  double budget = 0;
  std::vector<BudgetCurve::Point> points;
};

// Nothing if there is none, or if it is not whole: then it is computed again.
std::optional<Kept> ReadTable(const fs::path& file) {
  const auto j = ReadKept(file);
  if (!j) return std::nullopt;
  try {
    Kept table{j->at("budget"), {}};
    for (const auto& point : j->at("points")) table.points.push_back(PointOf(point));
    return table;
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

// Best effort: without the file the table is computed again next time.
void WriteTable(const fs::path& file, const Kept& table) {
  Json j = {{"budget", table.budget}, {"points", Json::array()}};
  for (const auto& point : table.points) j["points"].push_back(PointJson(point));
  WriteKept(file, j);
}

Result<Kept> Compute(const Transfer& transfer, double epsilon_total, const Call& call) {
  Kept table;
  const auto budget = transfer.PlainBudget(epsilon_total);
  if (!budget) return budget.error();
  table.budget = *budget;
  std::vector<double> plain = {0};
  for (int k = 1; k <= kSteps; ++k) plain.push_back(*budget * k / kSteps);
  for (int k = 1; k <= kDoublings; ++k) plain.push_back(std::ldexp(std::max(*budget, epsilon_total), k));
  std::sort(plain.begin(), plain.end());
  for (const double x : plain) {
    if (call.cancel.cancelled()) return Cancelled("stopped while the transfer function was computed");
    if (call.progress) call.progress(static_cast<double>(table.points.size()) / static_cast<double>(plain.size()));
    auto result = transfer.Loss(x);
    if (!result) return result.error();
    result->bounds.clear();
    result->per_record.clear();
    table.points.push_back({x, std::move(*result)});
  }
  if (call.progress) call.progress(1);
  return table;
}

/// Records without an edge depend on no other: a bound needs none of them, a list of all places does.
enum class Lonely { kKept, kLeftOut };

GraphFile LinksWanted(const Policy& policy) {
  GraphFile wanted;
  constexpr std::int64_t kFew = 1000;  // this many can be in the world whose true loss is computed
  wanted.may_leave_out_lonely = policy.dependence.edges->nodes > kFew;
  wanted.repeated = RepeatedPairs::kLargest;  // a link that is listed twice is one link
  return wanted;
}

GraphFile FieldWanted(const Field& field, Lonely lonely) {
  GraphFile wanted;
  // Hidden causes and factors name records by number: names that are numbered as they come would be different records.
  wanted.needs_record_numbers = !field.hidden.empty() || !field.factors.empty();
  // A sample is of the whole graph, with its numbers.
  wanted.may_leave_out_lonely = lonely == Lonely::kLeftOut && field.sample == nullptr;
  return wanted;
}

Result<Transfer> TransferOfField(Field field, Lonely lonely, std::int64_t nodes, Graph graph) {
  field.nodes = lonely == Lonely::kLeftOut ? graph.records() : nodes;
  field.graph = std::make_shared<const Graph>(std::move(graph));
  return Transfer::Make(std::move(field));
}

// In a table: counted by the engine. The links themselves are read where they are few, which is where they say more
// than their largest degree (SetLinks), and where rows may leave.
Result<PairLaws> PairsInTable(const Policy& policy, const EngineOptions& options, const Call& call) {
  constexpr std::int64_t kFewRecords = 20'000, kFewLinks = 200'000, kFewRows = 1'000'000;
  const auto table = EdgesTable::Open(policy, options, call);
  if (!table) return table.error();
  const SeenGraph seen(policy, table->state());
  auto counts = seen.Counts();
  if (!counts) {
    const auto counted = table->Count(call.cancel);
    if (!counted) return counted.error();
    counts = *counted;
    seen.KeepCounts(*counts);
  }
  PairLaws pairs = std::get<PairLaws>(policy.dependence.model);
  pairs.nodes = policy.dependence.edges->nodes;
  pairs.degree = counts->largest_degree;
  if (!policy.rows_out || counts->records > kFewRecords || counts->links > kFewLinks || counts->rows > kFewRows)
    return pairs;
  GraphFile wanted = LinksWanted(policy);
  wanted.records = policy.dependence.edges->nodes;
  const auto graph = table->Load(wanted, options, call);
  if (!graph) return graph.error();
  SetLinks(*graph, pairs);
  return pairs;
}

Result<Transfer> TransferOfGraph(const Policy& policy, Lonely lonely, const EngineOptions& options, const Call& call) {
  const EdgesFile& edges = *policy.dependence.edges;
  if (const auto* linked = std::get_if<PairLaws>(&policy.dependence.model)) {
    if (edges.in_table()) {
      auto pairs = PairsInTable(policy, options, call);
      if (!pairs) return pairs.error();
      return Transfer::Make(std::move(*pairs));
    }
    const auto graph = LoadGraphOf(policy, LinksWanted(policy), options, call);
    if (!graph) return graph.error();
    PairLaws pairs = *linked;
    SetLinks(*graph, pairs);
    return Transfer::Make(std::move(pairs));
  }
  const Field& field = std::get<Field>(policy.dependence.model);
  auto graph = LoadGraphOf(policy, FieldWanted(field, lonely), options, call);
  if (!graph) return graph.error();
  return TransferOfField(field, lonely, edges.nodes, std::move(*graph));
}

Result<Kept> TableOf(const Result<Transfer>& all, const Policy& policy, const Call& call) {
  if (!all) return all.error();
  const auto transfer = all->ForBudget(policy.epsilon_total);
  if (!transfer) return transfer.error();
  return Compute(*transfer, policy.epsilon_total, call);
}

Result<Kept> TableFromGraph(const Policy& policy, const EngineOptions& options, const Call& call) {
  call.Tell("reading the graph of " + policy.dependence.edges->source + " and computing its transfer function (once)");
  return TableOf(TransferOfGraph(policy, Lonely::kLeftOut, options, call), policy, call);
}

fs::path KeptAs(const Policy& policy, const std::string& version) {
  return fs::absolute(policy.file).parent_path() / ".kith" / ("graph-" + version.substr(0, 32) + ".json");
}

struct VersionOfTable {
  std::string version;
  Kept table;
};

// A table itself has no size and time: it is identified by its content. Where the engine has a name for the state of
// its data, the graph of a known state is not read again; elsewhere it is read for every command.
Result<VersionOfTable> FieldInTable(const Policy& policy, const EngineOptions& options, const Call& call) {
  if (auto may = MayReadWhole(policy); !may) return may.error();
  const EdgesFile& edges = *policy.dependence.edges;
  const Field& field = std::get<Field>(policy.dependence.model);
  const auto version_of = [&](const std::string& content) {
    return Sha256(fmt::format("kith graph in a table 1\n{}\n{} {} {}\n{}", content, edges.nodes,
                              edges.theta.value_or(-1), policy.epsilon_total, policy.dependence.canonical));
  };
  const auto table = EdgesTable::Open(policy, options, call);
  if (!table) return table.error();
  const SeenGraph seen(policy, table->state());
  if (const auto content = seen.Content()) {
    const std::string version = version_of(*content);
    if (auto kept = ReadTable(KeptAs(policy, version))) return VersionOfTable{version, std::move(*kept)};
  }
  GraphFile wanted = FieldWanted(field, Lonely::kLeftOut);
  wanted.records = edges.nodes;
  auto graph = table->Load(wanted, options, call);
  if (!graph) return graph.error();
  const std::string content = graph->Fingerprint();
  const std::string version = version_of(content);
  seen.KeepContent(content);
  if (auto kept = ReadTable(KeptAs(policy, version))) return VersionOfTable{version, std::move(*kept)};
  call.Tell("computing the transfer function of the graph in table " + edges.source + " (once)");
  auto computed = TableOf(TransferOfField(field, Lonely::kLeftOut, edges.nodes, std::move(*graph)), policy, call);
  if (!computed) return computed.error();
  WriteTable(KeptAs(policy, version), *computed);
  return VersionOfTable{version, std::move(*computed)};
}

}  // namespace

BudgetCurve BudgetCurve::FromPoints(std::vector<Point> points, double budget) {
  BudgetCurve curve;
  curve.points_ = std::move(points);
  curve.budget_ = budget;
  return curve;
}

Result<BudgetCurve> BudgetCurve::Make(const Policy& policy, const EngineOptions& options, const Call& call) {
  if (auto fits = ModelFitsTable(policy); !fits) return fits.error();
  const bool pairs = std::holds_alternative<PairLaws>(policy.dependence.model);
  if (!policy.dependence.edges || pairs) {
    BudgetCurve curve;
    if (policy.dependence.edges && !policy.dependence.edges->in_table()) {  // is there such a file?
      const auto found =
          GraphVersion(fs::absolute(policy.file).parent_path() / policy.dependence.edges->source, policy);
      if (!found) return found.error();
    }
    // Of pairs only the largest degree is needed, and the true loss is computed with each total: no table is kept.
    auto all = policy.dependence.edges
                   ? TransferOfGraph(policy, Lonely::kLeftOut, options, call)
                   : Transfer::Make(AboutEveryRecord(policy.dependence.model), policy.dependence.known);
    if (!all) return all.error();
    if (policy.with_delta) *all = all->UnderDelta();
    auto transfer = all->ForBudget(policy.epsilon_total);
    if (!transfer) return transfer.error();
    if (policy.dependence.edges) curve.version_ = LinksVersion(std::get<PairLaws>(all->model()));
    curve.epsilon_total_ = policy.epsilon_total;
    curve.whole_ = *all;
    curve.transfer_ = std::move(*transfer);
    // Every other record that moves loses for d / delta + kMoveSlack: DISTANCE-3.
    if (const auto* model = std::get_if<Lipschitz>(&policy.dependence.model))
      curve.widened_ = 1 + Study::kMoveSlack * static_cast<double>(model->influence.size());
    return curve;
  }
  if (policy.dependence.edges->in_table()) {
    auto found = FieldInTable(policy, options, call);
    if (!found) return found.error();
    BudgetCurve curve = FromPoints(std::move(found->table.points), found->table.budget);
    curve.version_ = std::move(found->version);
    return curve;
  }
  const auto version = GraphVersion(fs::absolute(policy.file).parent_path() / policy.dependence.edges->source, policy);
  if (!version) return version.error();
  auto table = ReadTable(KeptAs(policy, *version));
  if (!table) {
    auto computed = TableFromGraph(policy, options, call);
    if (!computed) return computed.error();
    table = std::move(*computed);
    WriteTable(KeptAs(policy, *version), *table);
  }
  BudgetCurve curve = FromPoints(std::move(table->points), table->budget);
  curve.version_ = *version;
  return curve;
}

Result<Transfer> BudgetCurve::Whole(const Policy& policy, const EngineOptions& options, const Call& call) const {
  if (whole_) return *whole_;
  return TransferOfGraph(policy, Lonely::kKept, options, call);
}

std::size_t BudgetCurve::classes() const { return transfer_ ? transfer_->classes() : 1; }

Result<Transferred> BudgetCurve::Loss(double plain, std::size_t of_class) const {
  if (transfer_) return transfer_->Loss(plain * widened_, of_class);
  const auto next = std::find_if(points_.begin(), points_.end(), [&](const Point& p) { return p.plain >= plain; });
  if (next != points_.end()) return next->result;
  Transferred unknown = points_.back().result;  // beyond the table: no promise
  unknown.dependent = std::numeric_limits<double>::infinity();
  return unknown;
}

Result<Transferred> BudgetCurve::LossBeside(double own, double largest, std::size_t of_class) const {
  constexpr std::int64_t kMostOthers = 100;
  const bool apart = transfer_ && std::holds_alternative<Independent>(transfer_->model());
  if (apart && !transfer_->known()) return Loss(own, of_class);
  if (!apart || transfer_->known()->range > kMostOthers) return Loss(largest, of_class);
  std::vector<double> plain(static_cast<std::size_t>(transfer_->known()->range) + 1, largest);
  plain[0] = own;
  auto loss = transfer_->LossPerRecord(plain, of_class);
  if (loss) loss->dependent = loss->per_record.at(0);
  return loss;
}

Result<double> BudgetCurve::Budget(std::size_t of_class) const {
  if (!transfer_) return budget_;
  auto budget = transfer_->PlainBudget(epsilon_total_, of_class);
  if (budget && widened_ > 1) *budget = *budget / widened_ * (1 - 1e-12);
  return budget;
}

}  // namespace kith
