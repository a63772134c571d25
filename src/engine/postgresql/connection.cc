#include "engine/postgresql/connection.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <future>
#include <thread>

#include "engine/postgresql/binary.h"
#include "engine/postgresql/copy_stream.h"
#include "engine/postgresql/failure.h"
#include "sql/quote.h"

namespace kith {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kPollMs = 20;  // between checks of the flag
constexpr auto kConnecting = std::chrono::seconds(15);
constexpr auto kPatience = std::chrono::seconds(5);       // with a server that was asked to stop
constexpr auto kCancelling = std::chrono::seconds(2);     // until the request to stop has been sent
constexpr auto kGrace = std::chrono::milliseconds(2000);  // the server's clock starts later, and kith stops first
constexpr int kOldest = 140000, kKnown = 150000;

Error Stopped() { return Cancelled("stopped before the engine had finished"); }

/// All that the meaning of a statement could follow from.
constexpr const char* kSettings[] = {"search_path = pg_catalog, pg_temp",
                                     "TimeZone = 'UTC'",
                                     "DateStyle = 'ISO, YMD'",
                                     "IntervalStyle = 'postgres'",
                                     "extra_float_digits = 1",
                                     "standard_conforming_strings = on",
                                     "transform_null_equals = off",
                                     "row_security = off",
                                     "jit = off",
                                     "client_min_messages = error",
                                     "default_transaction_read_only = on",
                                     "xmlbinary = base64",
                                     "bytea_output = hex"};

/// "SET" for the connection, "SET LOCAL" for a transaction.
std::string Settings(const char* set) {
  std::string text;
  for (const char* setting : kSettings) text += fmt::format("{} {}; ", set, setting);
  return text;
}

void Quiet(void*, const char*) {}

/// Waits for the socket, for a moment. False: nothing came.
bool PollSocket(PGconn* connection, short events) {
  pollfd waiting{.fd = PQsocket(connection), .events = events, .revents = 0};
  return ::poll(&waiting, 1, kPollMs) > 0;
}

}  // namespace

PgConnection::~PgConnection() { PQfinish(connection_); }

Result<std::unique_ptr<PgConnection>> PgConnection::Connect(const Server& server, const CancelFlag& cancel) {
  if (auto loaded = libpq.Load(); !loaded) return loaded.error();
  const std::string port = server.port == 0 ? "" : fmt::format("{}", server.port);
  const std::string& host = server.host.empty() ? server.socket : server.host;
  std::vector<const char*> keys, values;
  const auto add = [&](const char* key, const std::string& value) {
    if (value.empty()) return;
    keys.push_back(key);
    values.push_back(value.c_str());
  };
  // Whatever the policy leaves out comes from the service file or the environment.
  const std::string encoding = "UTF8", program = "kith", idle = "30", interval = "10", count = "3";
  add("service", server.service);
  add("host", host);
  add("port", port);
  add("dbname", server.database);
  add("user", server.user);
  add("client_encoding", encoding);
  add("fallback_application_name", program);
  add("keepalives_idle", idle);
  add("keepalives_interval", interval);
  add("keepalives_count", count);
  keys.push_back(nullptr);
  values.push_back(nullptr);
  PGconn* raw = PQconnectStartParams(keys.data(), values.data(), 0);
  if (raw == nullptr) return StorageError("there is no memory for a connection");
  std::unique_ptr<PgConnection> made(new PgConnection(raw));
  PQsetErrorVerbosity(raw, PQERRORS_SQLSTATE);
  PQsetNoticeProcessor(raw, Quiet, nullptr);
  const auto since = Clock::now();
  PostgresPollingStatusType state = PQstatus(raw) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (state != PGRES_POLLING_OK && state != PGRES_POLLING_FAILED) {
    if (cancel.cancelled()) return Cancelled("stopped before the server had answered");
    if (Clock::now() - since > kConnecting) return BeforeData({}, server.Text());
    const bool writes = state == PGRES_POLLING_WRITING;
    if (PollSocket(raw, writes ? POLLOUT : POLLIN)) state = PQconnectPoll(raw);
  }
  if (state == PGRES_POLLING_FAILED) return BeforeData(SqlStateOf(PQerrorMessage(raw)), server.Text());
  if (auto pinned = made->Pin(cancel); !pinned) return pinned.error();
  return made;
}

Result<void> PgConnection::Pin(const CancelFlag& cancel) {
  const int version = PQserverVersion(connection_);
  if (version < kOldest) {
    return InvalidArgument(
        fmt::format("the server is PostgreSQL {}, or says so", version / 10000), "[data]",
        fmt::format("kith needs version {} or later, and is tested with {}", kOldest / 10000, kKnown / 10000));
  }
  PQsetnonblocking(connection_, 1);
  if (auto set = Execute(Settings("SET"), cancel); !set) return set.error();
  const auto encoding = Metadata("SELECT current_setting('server_encoding')", cancel);
  if (!encoding) return encoding.error();
  if (encoding->empty() || (*encoding)[0][0] != "UTF8") {
    return InvalidArgument("the database does not store texts as UTF-8", "[data] database",
                           "copy the tables into a database with ENCODING 'UTF8'");
  }
  return {};
}

void PgConnection::AskToStop() {
  asked_ = true;
  asked_at_ = Clock::now();
  PGcancel* request = PQgetCancel(connection_);
  if (request == nullptr) return;
  // It connects again, and waits as long as the network lets it: nothing else waits longer than a moment.
  std::promise<void> done;
  std::future<void> sent = done.get_future();
  std::thread([request, done = std::move(done)]() mutable {
    std::array<char, 256> ignored{};
    PQcancel(request, ignored.data(), ignored.size());
    PQfreeCancel(request);
    done.set_value();
  }).detach();
  sent.wait_for(kCancelling);
}

bool PgConnection::Wait(const CancelFlag& cancel) {
  while (true) {
    const int unsent = PQflush(connection_);
    if (unsent < 0 || broken_) return false;
    const bool came = PollSocket(connection_, unsent > 0 ? POLLIN | POLLOUT : POLLIN);
    if (came && PQconsumeInput(connection_) == 0) return false;
    if (came) return true;
    if (!cancel.cancelled()) continue;
    if (!asked_) {
      AskToStop();
    } else if (Clock::now() - asked_at_ > kPatience) {
      broken_ = true;
      return false;
    }
  }
}

PgConnection::Answer PgConnection::Next(const CancelFlag& cancel) {
  while (PQisBusy(connection_) != 0) {
    if (!Wait(cancel)) {
      broken_ = true;
      return nullptr;
    }
  }
  return Answer(PQgetResult(connection_));
}

PgConnection::Answer PgConnection::Finish(const CancelFlag& cancel) {
  Answer last;
  while (Answer next = Next(cancel)) {
    const bool failed = last && PQresultStatus(last.get()) == PGRES_FATAL_ERROR;
    if (!failed) last = std::move(next);  // the first failure counts
    if (PQstatus(connection_) != CONNECTION_OK) break;
  }
  return last;
}

Error PgConnection::Failure(const PGresult* result, const CancelFlag& cancel, const char* stage) {
  const char* field = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const std::string state = field == nullptr ? "08006" : field;
  if (field == nullptr || PQstatus(connection_) != CONNECTION_OK) broken_ = true;
  if (asked_ || cancel.cancelled()) return Stopped();
  if (!reads_data_) return BeforeData(state, {});
  if (log_) log_(state, stage);
  return AfterData();
}

Result<void> PgConnection::Execute(const std::string& sql, const CancelFlag& cancel) {
  asked_ = false;
  if (PQsendQuery(connection_, sql.c_str()) == 0) return Failure(nullptr, cancel, "execute");
  const Answer answer = Finish(cancel);
  const ExecStatusType status = PQresultStatus(answer.get());
  if (!broken_ && (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK)) return {};
  return Failure(answer.get(), cancel, "execute");
}

Result<void> PgConnection::Begin(const CancelFlag& cancel) {
  return Execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; " + Settings("SET LOCAL"), cancel);
}

Result<PgConnection::Texts> PgConnection::Metadata(const std::string& sql, const CancelFlag& cancel) {
  asked_ = false;
  if (PQsendQueryParams(connection_, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0) == 0)
    return Failure(nullptr, cancel, "metadata");
  const Answer answer = Finish(cancel);
  if (broken_ || PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return Failure(answer.get(), cancel, "metadata");
  Texts texts(static_cast<std::size_t>(PQntuples(answer.get())));
  for (int row = 0; row < PQntuples(answer.get()); ++row) {
    for (int column = 0; column < PQnfields(answer.get()); ++column) {
      texts[static_cast<std::size_t>(row)].emplace_back(
          PQgetvalue(answer.get(), row, column), static_cast<std::size_t>(PQgetlength(answer.get(), row, column)));
    }
  }
  return texts;
}

/// A backstop on the server's side, should nobody be left to ask it to stop.
Result<void> PgConnection::LimitTime(const CancelFlag& cancel) {
  const auto left = cancel.left();
  if (!left && !limited_) return {};
  limited_ = left.has_value();
  if (!left) return Execute("SET statement_timeout TO DEFAULT", cancel);
  const std::int64_t most = std::chrono::duration_cast<std::chrono::milliseconds>(*left + kGrace).count();
  return Execute(fmt::format("SET statement_timeout = {}", std::min<std::int64_t>(most, 2'000'000'000)), cancel);
}

/// The types of its columns. What a server says here follows only from the statement.
Result<std::vector<unsigned>> PgConnection::Prepare(const std::string& sql, const CancelFlag& cancel) {
  if (cancel.cancelled()) return Cancelled("stopped before the engine had begun");
  if (sql.find('\0') != std::string::npos) return InternalError("the SQL for the engine contains a zero byte");
  if (auto limited = LimitTime(cancel); !limited) return limited.error();
  asked_ = false;
  if (PQsendPrepare(connection_, "", sql.c_str(), 0, nullptr) == 0) return Failure(nullptr, cancel, "prepare");
  Answer answer = Finish(cancel);
  if (!broken_ && PQresultStatus(answer.get()) == PGRES_COMMAND_OK) {
    if (PQsendDescribePrepared(connection_, "") == 0) return Failure(nullptr, cancel, "prepare");
    answer = Finish(cancel);
  }
  if (broken_ || PQresultStatus(answer.get()) != PGRES_COMMAND_OK) {
    const char* state = answer ? PQresultErrorField(answer.get(), PG_DIAG_SQLSTATE) : nullptr;
    const bool words = state != nullptr && std::string_view(state).starts_with("42");
    if (!words || asked_) return Failure(answer.get(), cancel, "prepare");
    if (log_) log_(state, "prepare");
    return InternalError(fmt::format("the database server does not take the SQL (SQLSTATE {})", state));
  }
  std::vector<unsigned> types;
  for (int column = 0; column < PQnfields(answer.get()); ++column) types.push_back(PQftype(answer.get(), column));
  if (types.empty()) return InternalError("the engine takes SELECT only");
  return types;
}

Result<IntegerTable> PgConnection::Integers(const std::string& sql, const CancelFlag& cancel) {
  const auto types = Prepare(sql, cancel);
  if (!types) return types.error();
  for (const unsigned type : *types) {
    if (!HoldsIntegers(PgType{type})) return InternalError("the engine was asked for something that is not an integer");
  }
  if (PQsendQueryPrepared(connection_, "", 0, nullptr, nullptr, nullptr, 1) == 0)
    return Failure(nullptr, cancel, "run");
  const Answer answer = Finish(cancel);
  if (broken_ || PQresultStatus(answer.get()) != PGRES_TUPLES_OK) return Failure(answer.get(), cancel, "run");
  IntegerTable table;
  table.columns = types->size();
  table.rows.assign(static_cast<std::size_t>(PQntuples(answer.get())),
                    std::vector<std::optional<Int128>>(table.columns));
  for (int row = 0; row < PQntuples(answer.get()); ++row) {
    for (int column = 0; column < PQnfields(answer.get()); ++column) {
      if (PQgetisnull(answer.get(), row, column) != 0) continue;
      const std::string_view bytes(PQgetvalue(answer.get(), row, column),
                                   static_cast<std::size_t>(PQgetlength(answer.get(), row, column)));
      const auto value = IntegerOf(PgType{(*types)[static_cast<std::size_t>(column)]}, bytes);
      if (!value) {
        if (log_) log_("22003", "decode");
        return AfterData();
      }
      table.rows[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)] = *value;
    }
  }
  return table;
}

Result<void> PgConnection::Scan(const std::string& sql, const IntegerSink& sink, const CancelFlag& cancel) {
  const auto types = Prepare(sql, cancel);
  if (!types) return types.error();
  std::vector<PgType> columns;
  for (const unsigned type : *types) {
    if (!HoldsNarrowIntegers(PgType{type}))
      return InternalError("the engine was asked to stream something wider than 64 bits");
    columns.push_back(PgType{type});
  }
  return CopyOut(sql, CopyStream(std::move(columns), sink), cancel);
}

Result<void> PgConnection::Scan(const std::string& sql, const KeySink& sink, const CancelFlag& cancel) {
  const auto types = Prepare(sql, cancel);
  if (!types) return types.error();
  std::vector<PgType> columns;
  for (const unsigned type : *types) columns.push_back(PgType{type});
  const bool fits = columns.size() > 1 && std::all_of(columns.begin(), columns.end() - 1, IsStreamedText) &&
                    HoldsNarrowIntegers(columns.back());
  if (!fits) return InternalError("the engine was asked for something else than texts and a number");
  return CopyOut(sql, CopyStream(std::move(columns), sink), cancel);
}

Result<void> PgConnection::CopyOut(const std::string& sql, CopyStream stream, const CancelFlag& cancel) {
  const std::string copy = fmt::format("COPY ({}) TO STDOUT (FORMAT binary)", sql);
  if (PQsendQuery(connection_, copy.c_str()) == 0) return Failure(nullptr, cancel, "scan");
  const Answer begun = Next(cancel);
  if (broken_ || PQresultStatus(begun.get()) != PGRES_COPY_OUT) {
    const Error failed = Failure(begun.get(), cancel, "scan");
    if (!broken_) Finish(cancel);
    return failed;
  }
  auto received = Receive(stream, cancel);
  if (!received) broken_ = true;  // what is still on its way is useless
  return received;
}

Result<void> PgConnection::Receive(CopyStream& stream, const CancelFlag& cancel) {
  constexpr std::size_t kBetweenLooks = 1024;
  for (std::size_t messages = 1;; ++messages) {
    if (messages % kBetweenLooks == 0 && !asked_ && cancel.cancelled()) {
      AskToStop();
      return Stopped();
    }
    char* bytes = nullptr;
    const int size = PQgetCopyData(connection_, &bytes, 1);
    const std::unique_ptr<char, void (*)(void*)> owned(bytes, PQfreemem);
    if (size > 0) {
      if (auto taken = stream.Take({bytes, static_cast<std::size_t>(size)}); !taken) return taken;
      continue;
    }
    if (size < 0) break;  // at its end, or failed: the result says which
    if (!Wait(cancel)) return Failure(nullptr, cancel, "scan");
  }
  const Answer ended = Finish(cancel);
  if (broken_ || PQresultStatus(ended.get()) != PGRES_COMMAND_OK) return Failure(ended.get(), cancel, "scan");
  return stream.End();
}

bool PgConnection::Reset() {
  if (broken()) return false;
  const PGTransactionStatusType status = PQtransactionStatus(connection_);
  if (status == PQTRANS_IDLE) return true;
  if (status == PQTRANS_ACTIVE || status == PQTRANS_UNKNOWN) return false;
  ReadsData(false);
  const CancelFlag soon = CancelFlag().Until(Deadline::In(kPatience));
  return Execute("ROLLBACK", soon).has_value() && !broken();
}

}  // namespace kith
