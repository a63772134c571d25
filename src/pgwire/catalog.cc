#include "pgwire/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "sql/quote.h"

namespace kith::pgwire {
namespace {

constexpr std::chrono::seconds kLongest{3};  // they take milliseconds
constexpr std::size_t kIdle = 4;

bool IsCatalog(const Relation& relation) {
  return relation.schema == "pg_catalog" || relation.schema == "information_schema" || relation.name.starts_with("pg_");
}

// What reveals the program's own state, or could reach for files if there were any to reach.
bool IsForbidden(const Token& token) {
  if (!token.Names()) return false;
  for (const char* begin :
       {"duckdb_",      "pragma_",          "read_",        "parquet_",     "sniff_",         "query",     "glob",
        "which_secret", "getvariable",      "arrow_",       "seq_scan",     "sql_auto",       "summary",   "test_",
        "checkpoint",   "force_checkpoint", "storage_",     "json_execute", "from_substrait", "write_log", "enable_",
        "disable_",     "truncate_",        "parse_duckdb", "getenv"}) {
    if (token.text.starts_with(begin)) return true;
  }
  return false;
}

// PostgreSQL's names and signs as the database understands them.
class Rewriter {
 public:
  Rewriter(const Statement& statement, const std::string& user) : statement_(statement), user_(user) {}

  std::string Text() {
    const auto& tokens = statement_.tokens;
    for (at_ = 0; at_ < tokens.size();) {
      const Token& token = tokens[at_];
      if (token.Is("generate_series") && Sign(1, "(")) NoteAlias();
      if (token.Names() && token.text == "pg_catalog" && Sign(1, ".")) {
        at_ += 2;
      } else if (token.Names() && token.text == "information_schema" && Sign(1, ".") && at_ + 2 < tokens.size()) {
        Put("information_schema_" + tokens[at_ + 2].text, 3);
      } else if (token.Is("operator") && Sign(1, "(")) {
        Operator();
      } else if (dropped_.contains(at_)) {
        ++at_;
      } else if (token.IsSign("=") && at_ + 3 < tokens.size() && tokens[at_ + 1].Is("any") && Sign(2, "(") && Any()) {
        continue;
      } else if (at_ == alias_) {
        Put(fmt::format("{0}({0})", Name(token)));
      } else if (token.Is("json_build_object")) {
        Put("json_object");
      } else if (token.Is("collate")) {
        at_ += Sign(2, ".") ? 4 : 2;
      } else if (token.kind == TokenKind::kText && Sign(1, "::") && Cast()) {
        continue;
      } else if ((token.Is("current_user") || token.Is("session_user") || token.Is("current_role")) && !Sign(1, "(")) {
        Put(QuotedText(user_));
      } else if ((token.Is("current_schema") || token.Is("current_catalog")) && !Sign(1, "(")) {
        Put(token.text + "()");
      } else {
        Put(token.Names() ? Name(token) : statement_.text.substr(token.at, token.size));
      }
    }
    return out_;
  }

 private:
  bool Sign(std::size_t ahead, std::string_view sign) const {
    return at_ + ahead < statement_.tokens.size() && statement_.tokens[at_ + ahead].IsSign(sign);
  }
  static std::string Name(const Token& token) {
    return token.kind == TokenKind::kName ? QuotedName(token.text) : token.text;
  }
  // In place of the next `count` tokens. Signs that are one in the text stay one.
  void Put(const std::string& text, std::size_t count = 1) {
    const auto& tokens = statement_.tokens;
    if (end_ != tokens[at_].at) out_ += ' ';
    out_ += text;
    at_ += count;
    end_ = tokens[at_ - 1].at + tokens[at_ - 1].size;
  }

  // OPERATOR(pg_catalog.~)
  void Operator() {
    std::size_t close = at_;
    while (close < statement_.tokens.size() && !statement_.tokens[close].IsSign(")")) ++close;
    std::string sign;
    for (std::size_t k = at_ + 2; k < close; ++k) {
      const Token& token = statement_.tokens[k];
      if (token.kind == TokenKind::kSign && token.text != ".") sign += token.text;
    }
    out_ += " " + sign + " ";
    at_ = close + 1;
  }

  // The parenthesis that closes the one at `open`; the end if none does.
  std::size_t Closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t k = open; k < statement_.tokens.size(); ++k) {
      if (statement_.tokens[k].IsSign("(")) ++depth;
      if (statement_.tokens[k].IsSign(")") && --depth == 0) return k;
    }
    return statement_.tokens.size();
  }

  // x = ANY(list): x IN list.
  bool Any() {
    const auto& tokens = statement_.tokens;
    const std::size_t close = Closing(at_ + 2);
    const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = tokens.begin() + static_cast<std::ptrdiff_t>(close);
    const bool cast = std::any_of(begin, end, [](const Token& each) { return each.IsSign("::"); });
    if (close == tokens.size() || tokens[at_ + 3].Is("select") || cast) return false;
    out_ += " IN ";
    dropped_.insert(close);
    at_ += 3;
    return true;
  }

  // generate_series(...) s: the name is also that of its column.
  void NoteAlias() {
    const auto& tokens = statement_.tokens;
    std::size_t next = Closing(at_ + 1) + 1;
    if (next < tokens.size() && tokens[next].Is("as")) ++next;
    if (next >= tokens.size() || tokens[next].kind != TokenKind::kWord) return;
    for (const char* word :
         {"where", "join", "on", "left", "inner", "cross", "group", "order", "limit", "union", "as"}) {
      if (tokens[next].Is(word)) return;
    }
    if (next + 1 < tokens.size() && tokens[next + 1].IsSign("(")) return;
    alias_ = next;
  }

  // 'people'::regclass is a number here.
  bool Cast() {
    const auto& tokens = statement_.tokens;
    std::size_t type = at_ + 2;
    if (type + 2 < tokens.size() && tokens[type].text == "pg_catalog" && tokens[type + 1].IsSign(".")) type += 2;
    if (type >= tokens.size() || (tokens[type].text != "regclass" && tokens[type].text != "regtype")) return false;
    Put(fmt::format("to_{}({})", tokens[type].text, statement_.text.substr(tokens[at_].at, tokens[at_].size)),
        type + 1 - at_);
    return true;
  }

  const Statement& statement_;
  const std::string& user_;
  std::size_t at_ = 0, alias_ = std::string::npos, end_ = std::string::npos;  // end_: of what was put last
  std::set<std::size_t> dropped_;
  std::string out_;
};

}  // namespace

bool Catalog::IsFor(const Statement& statement) const {
  const auto relations = RelationsOf(statement);
  bool catalog = false, other = false;
  for (const Relation& each : relations) {
    const bool own = std::any_of(tables_.begin(), tables_.end(), [&](const auto& t) { return t.name == each.name; });
    if (own && !IsCatalog({each.schema, "", false})) return false;
    catalog = catalog || IsCatalog(each);
    other = other || !each.function;
  }
  return catalog || !other;
}

Result<Scratch> Catalog::Made() const {
  auto scratch = Scratch::Open();
  if (!scratch) return scratch;
  for (const std::string& statement : CatalogStatements(dataset_, version_, tables_)) {
    if (auto made = scratch->Execute(statement); !made) return InternalError("the catalogs cannot be made");
  }
  return scratch;
}

Result<Scratch> Catalog::Take() const {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      Scratch scratch = std::move(idle_.back());
      idle_.pop_back();
      return scratch;
    }
  }
  return Made();
}

Result<Rows> Catalog::Select(const Statement& statement, const std::string& user, const CancelFlag& cancel) const {
  if (std::any_of(statement.tokens.begin(), statement.tokens.end(), IsForbidden))
    return Unsupported("this is not answered about catalogs", {}, "ask for tables, columns or types");
  auto scratch = Take();
  if (!scratch) return scratch.error();
  auto found = scratch->Select(Rewriter(statement, user).Text(), cancel.Until(Deadline::In(kLongest)));
  {  // to make one takes a tenth of a second, so it goes back whatever came of the statement
    const std::lock_guard lock(mutex_);
    if (idle_.size() < kIdle) idle_.push_back(std::move(*scratch));
  }
  if (!found) {
    if (found.error().code != Code::kUnsupportedQuery) return found.error();
    return Unsupported("this cannot be asked about catalogs", found.error().what,
                       "name a table of the dataset after FROM to ask about data");
  }
  Rows rows;
  for (const Scratch::Column& column : found->columns) rows.fields.push_back({column.name, TypeOf(column.type)});
  rows.rows = std::move(found->rows);
  return rows;
}

}  // namespace kith::pgwire
