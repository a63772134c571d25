#include "ledger/sqlite.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ledger/files.h"

namespace kith::ledger {
namespace {

Error Unwritable(const std::string& file) {
  return StorageError(
      "the ledger cannot be written", file,
      "make the file and its folder writable for this user, on a disk that is not read-only; every question "
      "must be charged before it is answered");
}

Error Full(const std::string& file) {
  return StorageError("the disk of the ledger is full", file,
                      "free some space and ask again; the question was not answered");
}

Error CannotLook(const std::string& file) {
  return StorageError("the ledger cannot be looked at where it is", file,
                      "check that this user may read it; if its -wal file is there, the index of that can neither be "
                      "read nor made: copy both files to a disk with room and look there");
}

Error DiskFailed(const std::string& how, const std::string& file) {
  return StorageError(fmt::format("the disk of the ledger failed ({})", how), file,
                      "make room or check the disk, then ask again; the budget shows whether it was charged")
      .For("budget");
}

// As in a URI: nothing in the name of a file may pass for a parameter.
std::string FrozenName(const std::filesystem::path& file) {
  std::string name = "file:";
  for (const char each : file.string()) {
    const auto byte = static_cast<unsigned char>(each);
    const bool plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                       byte == '/' || byte == '.' || byte == '-' || byte == '_';
    if (plain) {
      name += each;
    } else {
      name += fmt::format("%{:02X}", byte);
    }
  }
  return name + "?immutable=1";
}

// Whether every byte can be read. SQLite calls a read error of the disk damage, and a backup does not fix that.
bool CanBeRead(const std::filesystem::path& file) {
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return errno == ENOENT;
  std::array<char, 65536> block;
  while (true) {
    const auto got = read(fd.get(), block.data(), block.size());
    if (got < 0 && errno != EINTR) return false;
    if (got == 0) return true;
  }
}

}  // namespace

Connection::Connection(std::filesystem::path file, std::chrono::milliseconds patience, Use use)
    : file_(std::move(file)), patience_(patience), use_(use) {}

Connection::~Connection() {
  often_ = {};
  sqlite3_close_v2(handle_);
}

void Connection::Abandon() { handle_ = nullptr; }

Result<std::unique_ptr<Connection>> Connection::Open(const std::filesystem::path& file,
                                                     std::chrono::milliseconds patience, Use use) {
  std::unique_ptr<Connection> connection(new Connection(file, patience, use));
  const int flags = (use == Use::kWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                    (use == Use::kFrozen ? SQLITE_OPEN_URI : 0) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  const std::string name = use == Use::kFrozen ? FrozenName(file) : file.string();
  const int opened = sqlite3_open_v2(name.c_str(), &connection->handle_, flags, nullptr);
  if (opened != SQLITE_OK) return connection->Failure(opened);
  sqlite3_extended_result_codes(connection->handle_, 1);
  sqlite3_busy_timeout(connection->handle_, static_cast<int>(patience.count()));
  if (use == Use::kWrite && sqlite3_db_readonly(connection->handle_, "main") != 0) return Unwritable(file.string());
  // The file is not trusted: no code that it carries may run, and nothing may write to its insides.
  for (const int off : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW, SQLITE_DBCONFIG_TRUSTED_SCHEMA}) {
    sqlite3_db_config(connection->handle_, off, 0, nullptr);
  }
  sqlite3_db_config(connection->handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  return connection;
}

Result<Statement> Connection::Prepare(const char* sql) const {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) return Failure(code);
  return Statement(this, statement);
}

Result<void> Connection::Run(const char* sql) const {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return Failure(code);
  return {};
}

Result<void> Connection::Run(Often which) const {
  constexpr std::array<const char*, 4> kSql = {"BEGIN", "BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"};
  const auto at = static_cast<std::size_t>(which);
  if (!often_[at]) {
    auto prepared = Prepare(kSql[at]);
    if (!prepared) return prepared.error();
    often_[at] = std::make_unique<Statement>(std::move(*prepared));
  }
  return often_[at]->Run();
}

Result<std::string> Connection::Ask(const char* sql) const {
  auto statement = Prepare(sql);
  if (!statement) return statement.error();
  const auto row = statement->Step();
  if (!row) return row.error();
  return *row ? std::string(statement->Bytes(0)) : std::string();
}

Result<void> Connection::CopyTo(const std::filesystem::path& file) const {
  Connection to(file, patience_, Use::kWrite);
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE;
  if (const int opened = sqlite3_open_v2(file.c_str(), &to.handle_, flags, nullptr); opened != SQLITE_OK)
    return to.Failure(opened);
  sqlite3_backup* const copying = sqlite3_backup_init(to.handle_, "main", handle_, "main");
  if (copying == nullptr) return to.Failure(sqlite3_extended_errcode(to.handle_));
  const int copied = sqlite3_backup_step(copying, -1);
  const int finished = sqlite3_backup_finish(copying);
  if (copied != SQLITE_DONE) return to.Failure(copied);
  if (finished != SQLITE_OK) return to.Failure(finished);
  if (sqlite3_close(std::exchange(to.handle_, nullptr)) != SQLITE_OK)
    return DiskFailed("it stayed open", file.string());
  const Descriptor written(open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (written.get() < 0 || fsync(written.get()) != 0) return DiskFailed(std::strerror(errno), file.string());
  return {};
}

bool Connection::in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

Error Connection::Failure(int code) const {
  const std::string where = file_.string();
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return StorageError(
          fmt::format("another process kept the ledger locked for {:g} seconds",
                      static_cast<double>(patience_.count()) / 1000.0),
          where, "ask again when the other process is done, or end it if it is stuck (its finished charges are kept)");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return use_ == Use::kWrite ? Unwritable(where) : CannotLook(where);
    case SQLITE_CANTOPEN: {
      if (use_ != Use::kWrite) return CannotLook(where);
      const int reason = sqlite3_system_errno(handle_);
      return StorageError(fmt::format("the ledger cannot be opened{}{}", reason != 0 ? ": " : "",
                                      reason != 0 ? std::strerror(reason) : ""),
                          where, "check that the file and its folder exist and that this user may read and write both");
    }
    case SQLITE_FULL:
      return Full(where);
    case SQLITE_NOTADB:
      return StorageError(
          "this file is not a kith ledger", where,
          "check the name under [budget] ledger; if the ledger was overwritten, restore it from a backup");
    case SQLITE_CORRUPT:
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_CONSTRAINT:
      return Damaged();
    case SQLITE_IOERR: {
      const int reason = sqlite3_system_errno(handle_);
      return DiskFailed(
          fmt::format("SQLite {}{}{}", code, reason != 0 ? ": " : "", reason != 0 ? std::strerror(reason) : ""), where);
    }
    default:
      return StorageError(fmt::format("the ledger failed: {}", sqlite3_errstr(code)), where,
                          "ask again; the question was not answered");
  }
}

Error Connection::Damaged() const {
  const bool failed = errno == EIO;  // of the call that brought the code
  if (failed || !CanBeRead(file_) || !CanBeRead(file_.string() + "-wal"))
    return DiskFailed("it could not be read", file_.string());
  return StorageError(
      "the ledger file is damaged", file_.string(),
      "ask again: a disk that fails for a moment looks the same. If it stays damaged, restore it from a backup at "
      "least as new as the last answer (compare the head printed on it); do not start a new ledger for the same data");
}

Statement::Statement(Statement&& other) noexcept { *this = std::move(other); }

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(handle_, other.handle_);
  std::swap(bind_failure_, other.bind_failure_);
  return *this;
}

Statement::~Statement() { sqlite3_finalize(handle_); }

Statement& Statement::Bind(int index, std::int64_t value) {
  const int code = sqlite3_bind_int64(handle_, index, value);
  if (bind_failure_ == SQLITE_OK) bind_failure_ = code;
  return *this;
}

Statement& Statement::BindText(int index, std::string_view text) {
  const int code = sqlite3_bind_text64(handle_, index, text.data() == nullptr ? "" : text.data(), text.size(),
                                       SQLITE_TRANSIENT, SQLITE_UTF8);
  if (bind_failure_ == SQLITE_OK) bind_failure_ = code;
  return *this;
}

Statement& Statement::BindBlob(int index, std::string_view bytes) {
  const int code =
      sqlite3_bind_blob64(handle_, index, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(), SQLITE_TRANSIENT);
  if (bind_failure_ == SQLITE_OK) bind_failure_ = code;
  return *this;
}

Result<bool> Statement::Step() {
  const int code = bind_failure_ != SQLITE_OK ? bind_failure_ : sqlite3_step(handle_);
  if (code == SQLITE_ROW) return true;
  Error failure;
  if (code != SQLITE_DONE) failure = connection_->Failure(code);
  Reset();
  if (code != SQLITE_DONE) return failure;
  return false;
}

Result<void> Statement::Run() {
  while (true) {
    const auto row = Step();
    if (!row) return row.error();
    if (!*row) return {};
  }
}

void Statement::Reset() {
  sqlite3_reset(handle_);
  bind_failure_ = SQLITE_OK;
}

std::int64_t Statement::Int(int column) const { return sqlite3_column_int64(handle_, column); }

std::string_view Statement::Bytes(int column) const {
  const auto* bytes = sqlite3_column_type(handle_, column) == SQLITE_BLOB
                          ? static_cast<const char*>(sqlite3_column_blob(handle_, column))
                          : reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  return bytes == nullptr ? std::string_view() : std::string_view(bytes, size);
}

Result<Transaction> Transaction::BeginWrite(const Connection& connection) {
  if (auto begun = connection.Run(Connection::Often::kBeginWrite); !begun) return begun.error();
  return Transaction(&connection);
}

Result<Transaction> Transaction::BeginRead(const Connection& connection) {
  if (auto begun = connection.Run(Connection::Often::kBeginRead); !begun) return begun.error();
  return Transaction(&connection);
}

Result<void> Transaction::Commit() {
  auto done = connection_->Run(Connection::Often::kCommit);
  if (done) connection_ = nullptr;
  return done;
}

Transaction::~Transaction() {
  // A failed ROLLBACK leaves nothing committed; the next BEGIN reports what is wrong with the disk.
  if (connection_ != nullptr && connection_->in_transaction()) (void)connection_->Run(Connection::Often::kRollback);
}

}  // namespace kith::ledger
