// Questions: who asks, at what price, and what is said with the answer.
#include <fmt/format.h>

#include "base/json.h"
#include "document/json_line.h"
#include "document/words.h"
#include "pgwire/session.h"
#include "pgwire/shape.h"
#include "release/whole_ticks.h"

namespace kith::pgwire {
namespace {

Rows Lines(const std::vector<std::string>& lines) {
  Rows rows{{{"QUERY PLAN", kText}}, {}};
  for (const std::string& line : lines) rows.rows.push_back({Value(line)});
  return rows;
}

std::vector<std::string> LinesOf(const Explanation& e) {
  const Guarantee& g = e.guarantee;
  std::vector<std::string> lines;
  for (const std::string& label : {g.alarm, g.one_sided, g.unproven}) {
    if (!label.empty()) lines.push_back("warning: " + label);
  }
  for (const NoiseLine& line : e.noise) {
    lines.push_back(fmt::format("{}; 95 % of its noise within {}{}", document::NoiseText(line),
                                document::Short(line.error_95), line.in_rows ? " rows" : ""));
  }
  for (const AverageError& line : e.averages) lines.push_back(document::AverageText(line));
  for (const Usefulness& line : e.usefulness) lines.push_back("worth: " + document::UsefulnessText(line));
  if (e.plan.groups() > 1) lines.push_back(fmt::format("groups: {}, the empty ones included", e.plan.shown_groups()));
  lines.push_back(fmt::format("charges: {} of {} public cells", e.charged_cells, e.cells));
  lines.push_back("plain loss: " + document::PlainText(e, "this question"));
  lines.push_back("dependent loss: " + document::DependentText(e));
  if (g.CountsDelta()) lines.push_back("delta: " + document::CapsText(g));
  lines.push_back("adversary: " + g.adversary);
  lines.push_back("assumption: " + g.assumption);
  for (const Note& note : e.plan.notes) lines.push_back("note: " + note.text);
  if (e.stored) lines.emplace_back("stored: asked before, or contained in an earlier answer; asking charges nothing");
  lines.push_back("verdict: " + (e.affordable ? std::string("affordable; no data was touched and nothing was charged")
                                              : "refused: " + e.refusal));
  return lines;
}

}  // namespace

Result<Explained> ExplainedBy(const Statement& statement) {
  Explained out;
  const auto& tokens = statement.tokens;
  std::size_t at = 1;
  const auto runs = [] {
    return Unsupported("EXPLAIN ANALYZE would ask the question", {}, "leave ANALYZE out: an explanation is free");
  };
  if (at < tokens.size() && tokens[at].IsSign("(")) {
    for (++at; at < tokens.size() && !tokens[at].IsSign(")"); ++at) {
      if (tokens[at].Is("analyze")) return runs();
      out.json = out.json || tokens[at].Is("json");
    }
    ++at;
  }
  for (; at < tokens.size() && (tokens[at].Is("analyze") || tokens[at].Is("verbose")); ++at) {
    if (tokens[at].Is("analyze")) return runs();
  }
  if (at >= tokens.size()) return InvalidArgument("EXPLAIN has no question", {}, "write EXPLAIN SELECT ...");
  // Blanks in place of what came before, so that positions stay what they are.
  std::string text(tokens[at].at, ' ');
  text += statement.text.substr(tokens[at].at);
  auto rest = StatementsIn(text);
  if (!rest) return rest.error();
  if (rest->size() != 1) return InvalidArgument("EXPLAIN has no question", {}, "write EXPLAIN SELECT ...");
  out.statement = std::move(rest->front());
  out.statement.price = statement.price;
  out.statement.intervals = statement.intervals;
  out.statement.before += statement.before;
  return out;
}

// As of now: a token may have been revoked while the connection was open.
Result<people::Identity> Session::WhoNow() {
  if (of_.person.anybody) return of_.person;
  auto who = of_.people->Still(of_.person);
  if (who && !who->MaySee(of_.dataset->name))
    return InvalidArgument("there is no such dataset, or not for you", {}, "connect to one that was granted to you")
        .For(kRole);
  return who;
}

Result<people::Identity> Session::WhoAsks() {
  auto who = WhoNow();
  if (!who || who->role == people::Role::kAnalyst || who->role == people::Role::kCurator) return who;
  return InvalidArgument("your role does not allow this", {}, "ask whoever runs the server for another role")
      .For(kRole);
}

Result<Session::Done> Session::Ask(const Statement& statement, const CancelFlag& cancel) {
  reply_.what = "question";
  reply_.tick = of_.dataset->tick();  // refusals as well: how long they take may reveal what was asked before
  const auto who = WhoAsks();
  if (!who) return who.error();
  const auto wanted = settings_.WantedOf(statement);
  if (!wanted) return wanted.error();
  const Curator& curator = *of_.dataset->curator;
  // First, so that nothing is charged for what could not be shown.
  const auto shape = Shape::Of(std::get<QuestionRequest>(wanted->request), curator.policy(), cancel);
  if (!shape) {
    const auto explained = curator.Explain(wanted->request, wanted->price, Call(cancel));
    return explained ? shape.error() : explained.error();
  }
  const server::Wanted asked = server::AsWanted("question", *wanted);
  const auto caller =
      server::WithApproval(of_.people.get(), of_.dataset->name, asked, server::CallerOf(*who, of_.dataset));
  if (!caller) return caller.error();
  Call call(cancel);
  call.notice = of_.tell;
  const auto answer = [&] {
    const WholeTicks ticks(of_.dataset->tick());
    return server::AskFor(curator, of_.people.get(), of_.dataset->name, asked, *caller, call, [](std::int64_t number) {
      return fmt::format("SET kith.approval = {}, and ask the same again", number);
    });
  }();
  if (!answer) {
    if (answer.error().charged != Charged::kNo) ++asked_in_block_;
    return answer.error();
  }
  if (wanted->approval) settings_.UsedApproval();
  if (block_ && !answer->stored) ++asked_in_block_;
  TellCertificate(*answer);
  return Done{shape->RowsOf(*answer), {}};
}

void Session::TellCertificate(const Answer& answer) {
  const Certificate& certificate = answer.certificate;
  const Guarantee& g = certificate.guarantee;
  for (const std::string& label : {g.alarm, g.one_sided, g.unproven}) {
    if (!label.empty()) Tell("WARNING", "01000", label);
  }
  for (const Note& note : answer.notes) Tell("NOTICE", "00000", note.text);
  Tell("NOTICE", "00000",
       fmt::format("{}plain loss {}; dependent loss {}, by {}",
                   answer.stored ? "asked before, nothing was charged; " : "", document::PlainText(certificate),
                   document::DependentText(g), g.bound),
       JsonText(document::ToJson(certificate)));
}

Result<Session::Done> Session::Explain(const Statement& statement, const CancelFlag& cancel) {
  reply_.what = "explain";
  const auto explained = ExplainedBy(statement);
  if (!explained) return explained.error();
  const auto who = WhoAsks();
  if (!who) return who.error();
  if (explained->statement.Begins("select") && of_.catalog->IsFor(explained->statement))
    return Done{Lines({"from the catalogs, which are made from the policy: free"}), "EXPLAIN"};
  const auto wanted = settings_.WantedOf(explained->statement);
  if (!wanted) return wanted.error();
  const auto found =
      of_.dataset->curator->Explain(wanted->request, wanted->price, Call(cancel), server::CallerOf(*who, of_.dataset));
  if (!found) return found.error();
  // What could not be asked here has no price here.
  if (const auto shape = Shape::Of(std::get<QuestionRequest>(wanted->request), of_.dataset->curator->policy(), cancel);
      !shape)
    return shape.error();
  if (!explained->json) return Done{Lines(LinesOf(*found)), "EXPLAIN"};
  std::string document = document::JsonLine(*found);
  while (!document.empty() && document.back() == '\n') document.pop_back();
  return Done{Lines({document}), "EXPLAIN"};
}

}  // namespace kith::pgwire
