#include "pgwire/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <exception>

#include "base/unexpected.h"
#include "document/codes.h"

namespace kith::pgwire {
namespace {

// About what it takes in memory: its text is in its tokens again.
std::size_t BytesOf(const Statement& statement) {
  return 2 * statement.text.size() + statement.tokens.size() * sizeof(Token);
}

std::size_t BytesOf(const Rows& rows) {
  std::size_t all = 0;
  for (const auto& row : rows.rows) {
    all += row.size() * sizeof(Value);
    for (const Value& value : row) {
      if (const auto* text = std::get_if<std::string>(&value)) all += text->size();
    }
  }
  return all;
}

Error TooMuchHeld() {
  return InvalidArgument("what is prepared and bound is too long in all", {}, "close some statements or portals");
}

Error Broken() {
  return InvalidArgument("a message is not as the protocol says", {}, "use another client").For(kProtocol);
}

Error NoSuch(const char* what) {
  return InvalidArgument(fmt::format("there is no such {}", what), {}, "prepare it first").For(kProtocolName);
}

// "character 12: ...": where the parser stopped.
std::optional<int> PositionIn(const std::string& where) {
  constexpr std::string_view kMark = "character ";
  if (!where.starts_with(kMark)) return std::nullopt;
  int position = 0;
  const auto [end, error] = std::from_chars(where.data() + kMark.size(), where.data() + where.size(), position);
  if (error != std::errc() || position <= 0) return std::nullopt;
  return position;
}

std::string StateOf(const Error& error) {
  if (error.parameter == kProtocol) return "08P01";
  if (error.parameter == kProtocolName) return "26000";
  if (error.parameter == kFailedBlock) return "25P02";
  if (error.parameter == kRole) return "42501";
  if (error.parameter == people::kNotRecognised) return "28000";
  if (error.parameter == people::kNotApproved) return "42501";
  if (error.parameter == "question.syntax") return "42601";
  return std::string(document::SqlStateOf(error.code));
}

std::string HintOf(const Error& error) {
  if (error.parameter == "price" || error.parameter == "price.epsilon" || error.parameter == "price.error")
    return fmt::format(
        "{}{}SET kith.epsilon = 0.1, SET kith.error = 50, or a comment in the question: -- kith: "
        "epsilon 0.1",
        error.next, error.next.empty() ? "" : ": ");
  if (error.parameter == "price.split") return fmt::format("{}: SET kith.split = '2, 1'", error.next);
  if (error.parameter == "request.unit") return fmt::format("{}: SET kith.unit", error.next);
  return error.next;
}

}  // namespace

Remark RemarkOf(const Error& given, const Statement* statement) {
  const Error error = server::WithoutPlaces(given);
  Remark remark{"ERROR", StateOf(error), error.what, error.where, HintOf(error), {}, error.charged};
  if (const auto position = PositionIn(error.where); position && statement != nullptr)
    remark.position = *position + static_cast<int>(statement->before);
  return remark;
}

void Session::Tell(const char* severity, const char* sqlstate, const std::string& message, const std::string& detail,
                   const std::string& hint) {
  reply_.bytes += Bytes(Remark{severity, sqlstate, message, detail, hint, {}});
}

void Session::Fail(const Error& error, const Statement* statement) {
  const Remark remark = RemarkOf(error, statement);
  reply_.bytes += Bytes(remark);
  reply_.sqlstate = remark.sqlstate;
  if (block_) failed_ = true;
  if (error.parameter == people::kNotRecognised) reply_.ends = true;
}

Result<std::string> Session::Begin(const std::vector<std::pair<std::string, std::string>>& parameters) {
  std::string told;
  const auto set = [&](const std::string& name, const std::string& value) -> Result<void> {
    const auto done = settings_.Set(name, value);
    if (!done) return done.error();
    return {};
  };
  for (const auto& [name, value] : parameters) {
    if (name == "user" || name == "database" || name == "replication" || name.starts_with("_pq_.")) continue;
    if (name != "options") {
      if (auto done = set(name, value); !done) return done.error();
      continue;
    }
    // "-c name=value", "-cname=value" or "--name=value", with blanks between them
    std::vector<std::string> words(1);
    for (std::size_t k = 0; k < value.size(); ++k) {
      if (value[k] == '\\' && k + 1 < value.size()) {
        words.back() += value[++k];
      } else if (value[k] == ' ') {
        words.emplace_back();
      } else {
        words.back() += value[k];
      }
    }
    std::erase(words, "");
    for (std::size_t k = 0; k < words.size(); ++k) {
      std::string word = words[k];
      if (word == "-c" && k + 1 < words.size()) {
        word = words[++k];
      } else if (word.starts_with("-c") || word.starts_with("--")) {
        word = word.substr(2);
      }
      const std::size_t equals = word.find('=');
      if (equals == std::string::npos || equals == 0)
        return InvalidArgument("an option of the connection is not known", {}, "write it like -c kith.epsilon=0.1");
      std::string option = word.substr(0, equals);
      std::replace(option.begin(), option.end(), '-', '_');
      if (auto done = set(option, word.substr(equals + 1)); !done) return done.error();
    }
  }
  settings_.KeepAsDefaults();
  for (const auto& [name, key] :
       {std::pair("application_name", "application_name"), std::pair("client_encoding", "client_encoding"),
        std::pair("DateStyle", "datestyle"), std::pair("integer_datetimes", "integer_datetimes"),
        std::pair("IntervalStyle", "intervalstyle"), std::pair("is_superuser", "is_superuser"),
        std::pair("server_encoding", "server_encoding"), std::pair("server_version", "server_version"),
        std::pair("standard_conforming_strings", "standard_conforming_strings"), std::pair("TimeZone", "timezone"),
        std::pair("default_transaction_read_only", "default_transaction_read_only"),
        std::pair("in_hot_standby", "in_hot_standby")})
    told += ParameterStatus(name, settings_.Find(key).value_or("off"));
  told += ParameterStatus("session_authorization", user());
  return told;
}

Reply Session::Handle(char type, std::string_view body, const CancelFlag& cancel) {
  reply_ = Reply();
  try {
    if (type == 'Q') {
      skipping_ = false;
      Query(body, cancel);
      reply_.bytes += ReadyForQuery(status());
    } else if (type == 'S') {
      skipping_ = false;
      if (!block_) portals_.clear();
      reply_.bytes += ReadyForQuery(status());
    } else if (type == 'X') {
      reply_.ends = true;
    } else if (type == 'H' || type == 'd' || type == 'c' || type == 'f') {
      // Flush: whatever there is was sent. Data for a COPY that never began are ignored.
    } else if (!skipping_) {
      if (auto done = Extended(type, body, cancel); !done) {
        Fail(done.error(), nullptr);
        skipping_ = true;
      }
    }
  } catch (const std::exception& error) {
    Fail(Unexpected(error), nullptr);
    reply_.ends = true;
  }
  return std::move(reply_);
}

void Session::Query(std::string_view body, const CancelFlag& cancel) {
  Reader in(body);
  const std::string text = in.Text();
  if (!in.AtEnd()) return Fail(Broken(), nullptr);
  const auto statements = StatementsIn(text);
  if (!statements) return Fail(statements.error(), nullptr);
  if (statements->empty()) reply_.bytes += std::move(Message('I')).Done();
  for (const Statement& statement : *statements) {
    if (reply_.bytes.size() > of_.limits.reply_bytes)
      return Fail(Unsupported("the answers to one message are too long", {}, "send fewer statements at a time"),
                  &statement);
    const auto done = statement.parameters > 0
                          ? Result<Done>(InvalidArgument("parameters have no values here", {}, "bind them"))
                          : Run(statement, cancel);
    if (!done) return Fail(done.error(), &statement);
    if (done->rows) reply_.bytes += RowDescription(done->rows->fields, {});
    Send(*done, {});
    if (reply_.ends) return;
  }
}

void Session::Send(const Done& done, const Formats& formats) {
  if (done.rows) {
    for (const auto& row : done.rows->rows) reply_.bytes += DataRow(done.rows->fields, row, formats);
  }
  reply_.bytes +=
      CommandComplete(done.rows && done.tag.empty() ? fmt::format("SELECT {}", done.rows->rows.size()) : done.tag);
}

Result<void> Session::Extended(char type, std::string_view body, const CancelFlag& cancel) {
  Reader in(body);
  switch (type) {
    case 'P':
      return Parse(in);
    case 'B':
      return Bind(in);
    case 'D':
      return Describe(in, cancel);
    case 'E':
      return Execute(in, cancel);
    case 'C':
      return Close(in);
    default:
      reply_.ends = true;
      return Broken();
  }
}

Result<void> Session::Parse(Reader& in) {
  const std::string name = in.Text(), text = in.Text();
  Prepared prepared;
  const int types = in.Int16();
  for (int k = 0; k < types && in.ok(); ++k) prepared.types.push_back(static_cast<Oid>(in.Int32()));
  if (!in.AtEnd()) return Broken();
  auto statements = StatementsIn(text);
  if (!statements) return statements.error();
  if (statements->size() > 1)
    return Unsupported("one statement at a time can be prepared", {}, "prepare them one after another");
  if (!statements->empty()) prepared.statement = std::move(statements->front());
  if (prepared.statement.parameters > 1000)
    return Unsupported("a statement has at most 1000 parameters", {}, "write values into it");
  prepared.types.resize(std::max(prepared.types.size(), static_cast<std::size_t>(prepared.statement.parameters)), 0);
  if (!name.empty() && prepared_.contains(name))
    return InvalidArgument("a statement of this name is prepared already", {}, "close it first").For(kProtocol);
  if (prepared_.size() >= of_.limits.statements)
    return InvalidArgument("too many statements are prepared", {}, "close some");
  prepared.bytes = BytesOf(prepared.statement);
  if (Held(&name) + prepared.bytes > of_.limits.held_bytes) return TooMuchHeld();
  prepared_[name] = std::move(prepared);
  reply_.bytes += std::move(Message('1')).Done();
  return {};
}

Result<void> Session::Bind(Reader& in) {
  const std::string portal_name = in.Text(), name = in.Text();
  Formats formats;
  for (int k = in.Int16(); k > 0 && in.ok(); --k) formats.push_back(in.Int16());
  std::vector<std::optional<std::string>> values;
  for (int k = in.Int16(); k > 0 && in.ok(); --k) {
    const std::int32_t size = in.Int32();
    values.push_back(size < 0 ? std::nullopt : std::optional(std::string(in.Bytes(static_cast<std::size_t>(size)))));
  }
  Portal portal;
  for (int k = in.Int16(); k > 0 && in.ok(); --k) portal.formats.push_back(in.Int16());
  if (!in.AtEnd()) return Broken();
  const auto found = prepared_.find(name);
  if (found == prepared_.end()) return NoSuch("prepared statement");
  const Prepared& prepared = found->second;
  if (auto fine = CheckFormats(formats, values.size()); !fine) return fine;
  if (values.size() != prepared.types.size()) return Broken();
  std::vector<std::string> literals;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const std::int16_t format = formats.empty() ? std::int16_t{0} : formats.size() == 1 ? formats[0] : formats[k];
    auto literal = LiteralOf(prepared.types[k], format, values[k]);
    if (!literal) return literal.error();
    literals.push_back(std::move(*literal));
  }
  portal.statement = prepared.statement;
  if (prepared.statement.parameters > 0) {
    // Read again: a value is one token of its kind, and nothing else has changed.
    auto whole = StatementsIn(WithValues(prepared.statement, literals));
    if (!whole) return whole.error();
    if (whole->size() != 1) return Broken();
    portal.statement = std::move(whole->front());
    portal.statement.price = prepared.statement.price;
    portal.statement.intervals = prepared.statement.intervals;
  }
  if (!portal_name.empty() && portals_.contains(portal_name))
    return InvalidArgument("a portal of this name is open", {}, "close it first").For(kProtocol);
  portals_.erase(portal_name);
  if (portals_.size() >= of_.limits.portals) return InvalidArgument("too many portals are open", {}, "close some");
  portal.bytes = BytesOf(portal.statement);
  if (Held() + portal.bytes > of_.limits.held_bytes) return TooMuchHeld();
  portals_[portal_name] = std::move(portal);
  reply_.bytes += std::move(Message('2')).Done();
  return {};
}

Result<void> Session::Describe(Reader& in, const CancelFlag& cancel) {
  const char kind = in.Byte();
  const std::string name = in.Text();
  if (!in.AtEnd()) return Broken();
  Statement statement;
  Formats formats;
  if (kind == 'S') {
    const auto found = prepared_.find(name);
    if (found == prepared_.end()) return NoSuch("prepared statement");
    Message types('t');
    types.Int16(static_cast<std::int16_t>(found->second.types.size()));
    std::vector<std::string> examples;
    for (const Oid type : found->second.types) {
      types.Int32(static_cast<std::int32_t>(type == 0 ? kText : type));
      examples.push_back(ExampleOf(type));
    }
    reply_.bytes += std::move(types).Done();
    statement = found->second.statement;
    if (statement.parameters > 0) {
      auto whole = StatementsIn(WithValues(statement, examples));
      if (!whole || whole->size() != 1) return Broken();
      statement = std::move(whole->front());
    }
  } else if (kind == 'P') {
    const auto found = portals_.find(name);
    if (found == portals_.end()) return NoSuch("portal");
    statement = found->second.statement;
    formats = found->second.formats;
  } else {
    return Broken();
  }
  const auto columns = Columns(statement, cancel);
  if (!columns) return columns.error();
  if (!*columns) {
    reply_.bytes += std::move(Message('n')).Done();
    return {};
  }
  if (auto fine = CheckFormats(formats, (*columns)->size()); !fine) return fine;
  reply_.bytes += RowDescription(**columns, formats);
  return {};
}

Result<void> Session::Execute(Reader& in, const CancelFlag& cancel) {
  const std::string name = in.Text();
  const std::int32_t most = in.Int32();
  if (!in.AtEnd()) return Broken();
  const auto found = portals_.find(name);
  if (found == portals_.end()) return NoSuch("portal");
  if (found->second.statement.empty()) {
    reply_.bytes += std::move(Message('I')).Done();
    return {};
  }
  if (!found->second.done) {
    // Before it is charged: what others hold is no reason to withhold an answer that has been paid for.
    if (Held() > of_.limits.held_bytes) return TooMuchHeld();
    auto done = Run(found->second.statement, cancel);
    if (!done) return done.error();
    const auto still = portals_.find(name);  // DISCARD ALL closes what it runs in
    if (still == portals_.end()) {
      Send(*done, {});
      return {};
    }
    still->second.done = std::move(*done);
    if (still->second.done->rows) still->second.bytes += BytesOf(*still->second.done->rows);
  }
  Portal& portal = portals_.find(name)->second;
  if (!portal.done->rows) {
    Send(*portal.done, {});
    return {};
  }
  Rows& rows = *portal.done->rows;
  if (auto fine = CheckFormats(portal.formats, rows.fields.size()); !fine) return fine;
  const std::size_t left = rows.rows.size() - portal.sent;
  const std::size_t now = most > 0 ? std::min(left, static_cast<std::size_t>(most)) : left;
  for (std::size_t k = 0; k < now; ++k) reply_.bytes += DataRow(rows.fields, rows.rows[portal.sent++], portal.formats);
  if (now < left) {
    reply_.bytes += std::move(Message('s')).Done();
    return {};
  }
  reply_.bytes += CommandComplete(portal.done->tag.empty() ? fmt::format("SELECT {}", now) : portal.done->tag);
  portal.bytes -= BytesOf(rows);
  rows.rows = {};
  portal.sent = 0;
  return {};
}

std::size_t Session::Held(const std::string* without) const {
  std::size_t all = 0;
  for (const auto& [name, each] : prepared_) all += without != nullptr && name == *without ? 0 : each.bytes;
  for (const auto& [name, each] : portals_) all += each.bytes;
  return all;
}

Result<void> Session::Close(Reader& in) {
  const char kind = in.Byte();
  const std::string name = in.Text();
  if (!in.AtEnd() || (kind != 'S' && kind != 'P')) return Broken();
  if (kind == 'S') prepared_.erase(name);
  if (kind == 'P') portals_.erase(name);
  reply_.bytes += std::move(Message('3')).Done();
  return {};
}

}  // namespace kith::pgwire
