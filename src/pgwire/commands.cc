// Statements that are not questions: settings, transaction blocks that do nothing, catalogs.
#include <fmt/format.h>

#include <algorithm>

#include "pgwire/session.h"
#include "pgwire/shape.h"

namespace kith::pgwire {
namespace {

constexpr const char* kSelects[] = {"select", "with", "values", "table"};

bool IsSelect(const Statement& statement) {
  if (statement.tokens.front().IsSign("(")) return true;
  return std::any_of(std::begin(kSelects), std::end(kSelects),
                     [&](const char* word) { return statement.Begins(word); });
}

bool Second(const Statement& statement, std::string_view word) {
  return statement.tokens.size() > 1 && statement.tokens[1].Is(word);
}

std::string Upper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

// 'it''s' and names in quotes, without them.
std::string Plain(const Statement& statement, const Token& token) {
  if (token.kind != TokenKind::kText) {
    return token.kind == TokenKind::kWord ? statement.text.substr(token.at, token.size) : token.text;
  }
  std::string inside;
  const std::size_t open = token.text.find('\'');
  if (open == std::string::npos || token.text.size() < open + 2) return token.text;
  for (std::size_t k = open + 1; k + 1 < token.text.size(); ++k) {
    inside += token.text[k];
    if (token.text[k] == '\'') ++k;
  }
  return inside;
}

Rows OneText(const std::string& name, const std::string& value) { return Rows{{{name, kText}}, {{Value(value)}}}; }

}  // namespace

Result<Session::Done> Session::Run(const Statement& statement, const CancelFlag& cancel) {
  const bool ends_block = statement.Begins("rollback") || statement.Begins("commit") || statement.Begins("end") ||
                          statement.Begins("abort");
  if (failed_ && !ends_block)
    return InvalidArgument("the transaction block has failed: nothing is done until it ends", {}, "ROLLBACK")
        .For(kFailedBlock);
  if (statement.Begins("explain")) return Explain(statement, cancel);
  if (!IsSelect(statement)) return Utility(statement);
  if (!of_.catalog->IsFor(statement)) return Ask(statement, cancel);
  if (reply_.what.empty()) reply_.what = "catalog";
  if (auto who = WhoNow(); !who) return who.error();
  auto rows = of_.catalog->Select(statement, user().empty() ? "kith" : user(), cancel);
  if (!rows) return rows.error();
  return Done{std::move(*rows), {}};
}

Result<Session::Done> Session::Utility(const Statement& statement) {
  for (const char* word : {"begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release"}) {
    if (statement.Begins(word)) return Transaction(statement);
  }
  if (statement.Begins("set") || statement.Begins("reset")) return SetCommand(statement);
  if (statement.Begins("show")) return ShowCommand(statement);
  for (const char* word : {"discard", "deallocate", "close", "unlisten"}) {
    if (statement.Begins(word)) return Discard(statement);
  }
  return Unsupported("only SELECT is answered", {}, "start the question with SELECT; nothing can be changed here");
}

Result<Session::Done> Session::Transaction(const Statement& statement) {
  if (statement.Begins("begin") || statement.Begins("start")) {
    if (block_) Tell("WARNING", "25001", "there is already a transaction in progress");
    if (!block_) settings_.Begin();
    block_ = true;
    return Done{{}, statement.Begins("begin") ? "BEGIN" : "START TRANSACTION"};
  }
  if (statement.Begins("savepoint")) return Done{{}, "SAVEPOINT"};
  if (statement.Begins("release")) return Done{{}, "RELEASE"};
  const bool back = statement.Begins("rollback") || statement.Begins("abort") || failed_;
  const bool to = statement.Begins("rollback") &&
                  (Second(statement, "to") || (statement.tokens.size() > 2 && statement.tokens[2].Is("to")));
  if (back && asked_in_block_ > 0)
    Tell("NOTICE", "00000", "what was charged stays charged: a rollback does not give budget back");
  if (to) {
    failed_ = false;
    return Done{{}, "ROLLBACK"};
  }
  if (!block_) Tell("WARNING", "25P01", "there is no transaction in progress");
  settings_.End(!back);
  block_ = failed_ = false;
  asked_in_block_ = 0;
  return Done{{}, back ? "ROLLBACK" : "COMMIT"};
}

Result<Session::Done> Session::SetCommand(const Statement& statement) {
  const auto& tokens = statement.tokens;
  const auto unknown = [] { return InvalidArgument("this cannot be set so", {}, "write SET name = value"); };
  const bool reset = statement.Begins("reset");
  std::size_t at = 1;
  bool local = false;
  if (!reset && at < tokens.size() && (tokens[at].Is("session") || tokens[at].Is("local"))) {
    local = tokens[at].Is("local");
    ++at;
  }
  if (at >= tokens.size()) return unknown();
  // Isolation and the like: there is one snapshot for each answer, and nothing is written.
  if (tokens[at].Is("transaction") || tokens[at].Is("characteristics") || tokens[at].Is("authorization") ||
      tokens[at].Is("role"))
    return Done{{}, reset ? "RESET" : "SET"};
  if (reset && tokens[at].Is("all")) {
    settings_.ResetAll();
    return Done{{}, "RESET"};
  }
  std::string name;
  if (tokens[at].Is("time") && at + 1 < tokens.size() && tokens[at + 1].Is("zone")) {
    name = "timezone";
    at += 2;
  } else if (tokens[at].Is("names")) {
    name = "client_encoding";
    ++at;
  } else if (tokens[at].Names()) {
    name = tokens[at++].text;
    while (at + 1 < tokens.size() && tokens[at].IsSign(".") && tokens[at + 1].Names()) {
      name += "." + tokens[at + 1].text;
      at += 2;
    }
    if (!reset) {
      if (at >= tokens.size() || (!tokens[at].IsSign("=") && !tokens[at].Is("to"))) return unknown();
      ++at;
    }
  } else {
    return unknown();
  }
  if (reset || (at < tokens.size() && tokens[at].Is("default"))) {
    settings_.Reset(name);
    return Done{{}, reset ? "RESET" : "SET"};
  }
  std::string value;
  for (; at < tokens.size(); ++at) {
    if (tokens[at].IsSign(",")) {
      value += ", ";
    } else {
      value += Plain(statement, tokens[at]);
    }
  }
  if (value.empty() && name.starts_with("kith.")) return unknown();
  if (local && !block_) {
    Tell("WARNING", "25P01", "SET LOCAL can only be used in transaction blocks");
    return Done{{}, "SET"};
  }
  const auto changed = settings_.Set(name, value, local);
  if (!changed) return changed.error();
  if (!changed->empty()) Tell("NOTICE", "00000", *changed);
  if (name == "application_name") reply_.bytes += ParameterStatus(name, value);
  return Done{{}, "SET"};
}

Result<Session::Done> Session::ShowCommand(const Statement& statement) {
  const auto& tokens = statement.tokens;
  std::string name;
  for (std::size_t k = 1; k < tokens.size(); ++k) name += tokens[k].text;
  if (name == "all") {
    Rows rows{{{"name", kText}, {"setting", kText}, {"description", kText}}, {}};
    for (const auto& [each, value] : settings_.all()) rows.rows.push_back({each, value, std::string()});
    return Done{std::move(rows), "SHOW"};
  }
  if (name == "transactionisolationlevel") name = "transaction_isolation";
  if (name == "timezone" || name == "timezonezone") name = "timezone";
  const auto value = settings_.Find(name);
  if (!value && name.starts_with("kith.")) return Done{OneText(name, "(not set)"), "SHOW"};
  if (!value) return InvalidArgument("there is no such setting", {}, "SHOW ALL lists what is set");
  return Done{OneText(name, *value), "SHOW"};
}

Result<Session::Done> Session::Discard(const Statement& statement) {
  const std::string command = Upper(statement.tokens.front().text);
  const bool all = Second(statement, "all");
  if (statement.Begins("discard") && all) {
    settings_.ResetAll();
    prepared_.clear();
    portals_.clear();
    return Done{{}, "DISCARD ALL"};
  }
  if (statement.Begins("deallocate")) {
    std::size_t at = 1;
    if (Second(statement, "prepare")) ++at;
    if (at < statement.tokens.size() && statement.tokens[at].Is("all")) {
      prepared_.clear();
      return Done{{}, "DEALLOCATE ALL"};
    }
    if (at < statement.tokens.size()) prepared_.erase(statement.tokens[at].text);
  }
  return Done{{}, statement.Begins("close") ? "CLOSE CURSOR" : command};
}

// Ensures [PG-1]: planned at most; nothing is charged, and no data are read.
Result<std::optional<std::vector<Field>>> Session::Columns(const Statement& statement, const CancelFlag& cancel) {
  using Fields = std::optional<std::vector<Field>>;
  if (statement.empty()) return Fields();
  if (statement.Begins("explain")) return Fields(std::vector<Field>{{"QUERY PLAN", kText}});
  if (statement.Begins("show")) {
    const bool saved = failed_;
    const auto shown = ShowCommand(statement);
    failed_ = saved;
    if (!shown) return shown.error();
    return Fields(shown->rows->fields);
  }
  if (!IsSelect(statement)) return Fields();
  if (of_.catalog->IsFor(statement)) {
    if (auto who = WhoNow(); !who) return who.error();
    const auto rows = of_.catalog->Select(statement, user().empty() ? "kith" : user(), cancel);
    if (!rows) return rows.error();
    return Fields(rows->fields);
  }
  if (auto who = WhoAsks(); !who) return who.error();
  const auto wanted = settings_.WantedOf(statement);
  if (!wanted) return wanted.error();
  const auto shape = Shape::Of(std::get<QuestionRequest>(wanted->request), of_.dataset->curator->policy(), cancel);
  if (!shape) return shape.error();
  return Fields(shape->fields());
}

}  // namespace kith::pgwire
