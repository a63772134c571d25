// The file of users: how it is made and opened, and what those who run the server do with it.
#include "people/people.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/digest.h"
#include "base/entropy.h"
#include "base/private_folder.h"
#include "people/secrets.h"
#include "people/state.h"

namespace kith::people {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::pair<Role, std::string_view>, 4> kRoles = {{{Role::kCurator, "curator"},
                                                                      {Role::kAnalyst, "analyst"},
                                                                      {Role::kAuditor, "auditor"},
                                                                      {Role::kOperator, "operator"}}};

constexpr const char* kSchema =
    "PRAGMA application_id = 0x6b697468;"
    "PRAGMA user_version = 1;"
    "CREATE TABLE server (secret TEXT NOT NULL) STRICT;"
    "CREATE TABLE users (name TEXT PRIMARY KEY, role TEXT NOT NULL, made INTEGER NOT NULL, password TEXT NOT NULL) "
    "STRICT;"
    "CREATE TABLE grants (user TEXT NOT NULL, dataset TEXT NOT NULL, units INTEGER NOT NULL, "
    "PRIMARY KEY (user, dataset)) STRICT;"
    "CREATE TABLE tokens (id TEXT PRIMARY KEY, user TEXT NOT NULL, name TEXT NOT NULL, made INTEGER NOT NULL, "
    "ends INTEGER NOT NULL, revoked INTEGER NOT NULL, salt TEXT NOT NULL, hash TEXT NOT NULL, "
    "stored_key TEXT NOT NULL, server_key TEXT NOT NULL) STRICT;"
    "CREATE INDEX tokens_of ON tokens (user);"
    "CREATE TABLE sessions (id TEXT PRIMARY KEY, user TEXT NOT NULL, token TEXT NOT NULL, made INTEGER NOT NULL, "
    "seen INTEGER NOT NULL) STRICT;"
    "CREATE INDEX sessions_of ON sessions (user);"
    "CREATE TABLE approvals (id INTEGER PRIMARY KEY AUTOINCREMENT, user TEXT NOT NULL, dataset TEXT NOT NULL, "
    "request TEXT NOT NULL, explanation TEXT NOT NULL, units INTEGER NOT NULL, made INTEGER NOT NULL, "
    "lapses INTEGER NOT NULL, state INTEGER NOT NULL, decided_by TEXT NOT NULL, decided INTEGER NOT NULL, "
    "reason TEXT NOT NULL) STRICT;"
    "CREATE INDEX approvals_of ON approvals (user);";
// Where passwords were right. Files of before do not have it, and older versions do not look for it.
constexpr const char* kPlaces =
    "CREATE TABLE IF NOT EXISTS places (user TEXT NOT NULL, place TEXT NOT NULL, seen INTEGER NOT NULL, "
    "PRIMARY KEY (user, place)) STRICT";

fs::path FileIn(const fs::path& folder) { return folder / "people.sqlite"; }

bool IsLine(std::string_view text, std::size_t most) {
  return !text.empty() && text.size() <= most &&
         std::none_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

Result<void> CheckName(const std::string& name) {
  constexpr std::size_t kLongest = 64;
  const auto letter = [](unsigned char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  const auto fits = [&](unsigned char c) { return letter(c) || c == '.' || c == '_' || c == '-' || c == '@'; };
  // "ada." beside "ada" would be one name to whoever reads a sentence that ends with it.
  if (!name.empty() && name.size() <= kLongest && letter(static_cast<unsigned char>(name.front())) &&
      letter(static_cast<unsigned char>(name.back())) && std::all_of(name.begin(), name.end(), fits))
    return {};
  return InvalidArgument("this cannot be the name of a user", {},
                         "take 1 to 64 letters, digits, '.', '_', '-' and '@', with a letter or digit first and last")
      .For("user.name");
}

Error NoUser(const std::string& name) {
  return InvalidArgument("there is no such user", fmt::format("'{:.64}'", name), "look at the list of users")
      .For("user.name");
}

// In one step: others find a whole file, or none.
Result<void> Create(const fs::path& folder, const fs::path& file) {
  if (const auto failed = MakePrivateFolder(folder)) {
    return StorageError(fmt::format("the folder for the users cannot be made: {}", failed.message()), folder.string(),
                        "name a folder that this user may make and write to")
        .For("state");
  }
  const fs::path fresh = fmt::format("{}.{}.new", file.string(), RandomHex(8));
  const int fd = open(fresh.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0)
    return StorageError("the file of users cannot be made", folder.string(), "make the folder writable for this user");
  close(fd);
  const auto remove = [&] {
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm", "-journal"}) fs::remove(fresh.string() + ending, ignored);
  };
  const auto filled = [&]() -> Result<void> {
    const auto connection = Connection::Open(fresh, std::chrono::seconds(5));
    if (!connection) return connection.error();
    if (auto done = (*connection)->Run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL"); !done) return done;
    if (auto done = (*connection)->Run(kSchema); !done) return done;
    return (*connection)->Run(fmt::format("INSERT INTO server VALUES ('{}')", RandomHex(32)).c_str());
  }();
  // The first one stays.
  const bool linked = filled && (::link(fresh.c_str(), file.c_str()) == 0 || errno == EEXIST);
  remove();
  if (!filled) return OfUsers(filled.error(), file);
  if (!linked) return StorageError("the file of users cannot be made", folder.string(), "check the disk");
  return {};
}

Result<void> CheckPrivate(const fs::path& file) {
  struct stat info = {};
  if (::stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
    return StorageError("the file of users cannot be looked at", file.string(), "check that this user may read it");
  if ((info.st_mode & 0077U) == 0) return {};
  return StorageError("others may read or write the file of users", file.string(),
                      "take their rights away (mode 0600), and replace every token if others have read it");
}

}  // namespace

std::string_view NameOf(Role role) {
  return std::find_if(kRoles.begin(), kRoles.end(), [&](const auto& each) { return each.first == role; })->second;
}

Result<Role> RoleOf(std::string_view name) {
  for (const auto& [role, word] : kRoles) {
    if (word == name) return role;
  }
  return InvalidArgument("this is no role", {}, "choose curator, analyst, auditor or operator").For("user.role");
}

Result<PlainUnits> AllowanceOf(double epsilon) {
  const auto down = PlainUnits::Floor(epsilon);
  if (!down) return down.error();
  return PlainUnits::Of(down->count() + (down->epsilon() < epsilon ? 1 : 0));
}

bool Identity::MaySee(std::string_view dataset) const {
  if (anybody || role == Role::kCurator) return true;
  return role != Role::kOperator &&
         std::any_of(grants.begin(), grants.end(), [&](const Grant& grant) { return grant.dataset == dataset; });
}

std::optional<PlainUnits> Identity::AllowanceFor(std::string_view dataset) const {
  if (anybody || role == Role::kCurator) return std::nullopt;
  for (const Grant& grant : grants) {
    if (role == Role::kAnalyst && grant.dataset == dataset) return grant.allowance;
  }
  return PlainUnits();
}

Error OfUsers(const Error& error, const fs::path& file) {
  if (error.code != Code::kStorage) return error;
  return StorageError("the file of users cannot be read or written", file.string(),
                      "check that this user may read and write it and its folder, that the disk has room, and that no "
                      "other process holds it for long");
}

People::State::~State() {
  if (connection && getpid() != owner) connection->Abandon();
}

Result<Statement*> People::State::Get(const char* sql) {
  const auto found = prepared.find(sql);
  if (found != prepared.end()) return &found->second;
  auto made = connection->Prepare(sql);
  if (!made) return Ours(made.error());
  return &prepared.emplace(sql, std::move(*made)).first->second;
}

Result<Role> People::State::RoleOfUser(const std::string& name) {
  std::string word;
  auto asked = Ask(
      "SELECT role FROM users WHERE name = ?", [&](const Statement& row) { word = row.Bytes(0); }, name);
  if (!asked) return asked.error();
  if (word.empty()) return NoUser(name);
  return RoleOf(word);
}

Result<std::vector<Grant>> People::State::GrantsOf(std::string_view name) {
  std::vector<Grant> grants;
  auto asked = Ask(
      "SELECT dataset, units FROM grants WHERE user = ? ORDER BY dataset",
      [&](const Statement& row) {
        const auto units = std::clamp<std::int64_t>(row.Int(1), 0, PlainUnits::kMax);
        grants.push_back({std::string(row.Bytes(0)), PlainUnits::Of(units)});
      },
      name);
  if (!asked) return asked.error();
  return grants;
}

Result<User> People::State::UserOf(const std::string& name) {
  User user;
  user.name = name;
  const auto role = RoleOfUser(name);
  if (!role) return role.error();
  user.role = *role;
  auto asked = Ask(
      "SELECT made, password <> '' FROM users WHERE name = ?",
      [&](const Statement& row) { user.made = row.Int(0), user.password = row.Int(1) != 0; }, name);
  if (!asked) return asked.error();
  auto grants = GrantsOf(name);
  if (!grants) return grants.error();
  user.grants = std::move(*grants);
  asked = Ask(
      "SELECT name, id, made, ends, revoked FROM tokens WHERE user = ? ORDER BY made, rowid",
      [&](const Statement& row) {
        user.tokens.push_back(
            {std::string(row.Bytes(0)), std::string(row.Bytes(1)), row.Int(2), row.Int(3), row.Int(4) != 0});
      },
      name);
  if (!asked) return asked.error();
  return user;
}

Result<void> People::State::EndSessions(const std::string& user, const std::string& token) {
  return token.empty() ? Run("DELETE FROM sessions WHERE user = ?", user)
                       : Run("DELETE FROM sessions WHERE user = ? AND token = ?", user, token);
}

People::People(std::unique_ptr<State> state) : state_(std::move(state)) {}
People::People(People&&) noexcept = default;
People& People::operator=(People&&) noexcept = default;
People::~People() = default;

bool People::Exists(const fs::path& folder) {
  std::error_code failed;
  return fs::is_regular_file(FileIn(folder), failed);
}

Result<People> People::Open(const fs::path& folder, bool create, const PeopleOptions& options) {
  const fs::path file = FileIn(folder);
  if (!Exists(folder)) {
    if (!create)
      return InvalidArgument("there are no users in this folder", folder.string(), "add the first one").For("state");
    if (auto made = Create(folder, file); !made) return made.error();
  }
  if (auto fine = CheckPrivate(file); !fine) return fine.error();
  auto state = std::make_unique<State>(options);
  state->file = file;
  state->owner = getpid();
  auto connection = Connection::Open(file, options.patience);
  if (!connection) return OfUsers(connection.error(), file);
  state->connection = std::move(*connection);
  const auto format = state->connection->Ask("PRAGMA user_version");
  if (!format) return OfUsers(format.error(), file);
  if (*format != "1")
    return StorageError("this is not a file of users that this version of kith can read", file.string(),
                        "use the version that wrote it, or a newer one");
  if (auto done = state->connection->Run("PRAGMA synchronous = FULL"); !done) return OfUsers(done.error(), file);
  const auto places = state->connection->Ask("SELECT count(*) FROM sqlite_schema WHERE name = 'places'");
  if (!places) return OfUsers(places.error(), file);
  if (*places == "0") {
    if (auto done = state->connection->Run(kPlaces); !done) return OfUsers(done.error(), file);
  }
  auto secret = state->connection->Ask("SELECT secret FROM server");
  if (!secret) return OfUsers(secret.error(), file);
  state->secret = std::move(*secret);
  return People(std::move(state));
}

Result<void> People::Add(const std::string& name, Role role) {
  if (auto fine = CheckName(name); !fine) return fine;
  return state_->Write([&]() -> Result<void> {
    std::string taken;
    auto asked = state_->Ask(
        "SELECT name FROM users WHERE name = ? COLLATE NOCASE", [&](const Statement& row) { taken = row.Bytes(0); },
        name);
    if (!asked) return asked;
    // Histories and allowances belong to names, and those that differ in capitals look the same to people.
    if (!taken.empty())
      return InvalidArgument("there is a user of this name already", fmt::format("'{}'", taken), "take another name")
          .For("user.name");
    return state_->Run("INSERT INTO users VALUES (?, ?, ?, '')", name, NameOf(role), state_->Now());
  });
}

namespace {

Result<void> CheckWhom(Role role, Whom whom) {
  if (whom == Whom::kAnybody || role == Role::kAnalyst || role == Role::kAuditor) return {};
  return InvalidArgument("curators and operators are not changed from here", {},
                         "whoever runs the server does it, beside the server's own files")
      .For(kNotTheirs);
}

}  // namespace

Result<void> People::Remove(const std::string& name, Whom whom) {
  return state_->Write([&]() -> Result<void> {
    const auto role = state_->RoleOfUser(name);
    if (!role) return role.error();
    if (auto theirs = CheckWhom(*role, whom); !theirs) return theirs;
    for (const char* sql :
         {"DELETE FROM users WHERE name = ?", "DELETE FROM grants WHERE user = ?", "DELETE FROM tokens WHERE user = ?",
          "DELETE FROM sessions WHERE user = ?", "DELETE FROM places WHERE user = ?",
          "DELETE FROM approvals WHERE user = ? AND state IN (0, 1)"}) {
      if (auto done = state_->Run(sql, name); !done) return done;
    }
    return {};
  });
}

Result<void> People::SetGrant(const std::string& name, const std::string& dataset,
                              std::optional<PlainUnits> allowance) {
  constexpr std::size_t kLongest = 128;
  if (!IsLine(dataset, kLongest))
    return InvalidArgument("this cannot be the name of a dataset", {}, "take its [data] name, or its policy's name")
        .For("user.dataset");
  return state_->Write([&]() -> Result<void> {
    const auto role = state_->RoleOfUser(name);
    if (!role) return role.error();
    if (*role == Role::kCurator || *role == Role::kOperator)
      return InvalidArgument(fmt::format("a {} is granted no dataset", NameOf(*role)), fmt::format("'{}'", name),
                             *role == Role::kCurator ? "curators see all of them, and ask under no name of an analyst"
                                                     : "operators see none")
          .For("user.role");
    if (!allowance) return state_->Run("DELETE FROM grants WHERE user = ? AND dataset = ?", name, dataset);
    return state_->Run("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", name, dataset,
                       *role == Role::kAnalyst ? allowance->count() : 0);
  });
}

Result<NewToken> People::AddToken(const std::string& name, const std::string& token_name,
                                  std::optional<std::chrono::seconds> lasts, Whom whom) {
  constexpr std::size_t kLongest = 64;
  if (!IsLine(token_name, kLongest))
    return InvalidArgument("this cannot be the name of a token", {}, "take 1 to 64 characters").For("user.token");
  const std::string id = RandomHex(8), salt = RandomHex(16);
  const std::string token = fmt::format("kith_{}_{}", id, RandomHex(32));
  return state_->Write([&]() -> Result<NewToken> {
    const std::int64_t now = state_->Now(), ends = lasts ? now + lasts->count() : 0;
    const auto user = state_->UserOf(name);
    if (!user) return user.error();
    if (auto theirs = CheckWhom(user->role, whom); !theirs) return theirs.error();
    std::size_t usable = 0;
    for (const TokenLine& line : user->tokens) {
      if (line.revoked || (line.ends != 0 && line.ends <= now)) continue;
      ++usable;
      if (line.name == token_name)
        return InvalidArgument("the user has a token of this name", fmt::format("'{}'", token_name),
                               "revoke that one, or take another name")
            .For("user.token");
    }
    if (usable >= kMostTokens)
      return InvalidArgument(fmt::format("the user has {} tokens already", usable), fmt::format("'{}'", name),
                             "revoke one that is not needed")
          .For("user.token");
    const ScramKeys keys = ScramKeysOf(token, Unhex(state_->SaltOf(name)), kScramIterations);
    auto done = state_->Run("INSERT INTO tokens VALUES (?, ?, ?, ?, ?, 0, ?, ?, ?, ?)", id, name, token_name, now, ends,
                            salt, HmacSha256(salt, token), Hex(keys.stored_key), Hex(keys.server_key));
    if (!done) return done.error();
    return NewToken{token, {token_name, id, now, ends, false}};
  });
}

Result<void> People::Revoke(const std::string& name, const std::string& token_name) {
  return state_->Write([&]() -> Result<void> {
    const auto user = state_->UserOf(name);
    if (!user) return user.error();
    bool found = false;
    for (const TokenLine& line : user->tokens) {
      if (!token_name.empty() && line.name != token_name) continue;
      found = true;
      if (auto done = state_->Run("UPDATE tokens SET revoked = 1 WHERE id = ?", line.id); !done) return done;
      if (auto done = state_->EndSessions(name, line.id); !done) return done;
    }
    if (token_name.empty()) return state_->EndSessions(name, {});  // also those of a password
    if (found) return {};
    return InvalidArgument("the user has no such token", fmt::format("'{:.64}'", token_name), "look at the list")
        .For("user.token");
  });
}

Result<void> People::SetPassword(const std::string& name, const std::string& password) {
  constexpr std::size_t kShortest = 12, kLongest = 1024;
  if (password.size() < kShortest || password.size() > kLongest)
    return InvalidArgument(fmt::format("a password has {} to {} characters", kShortest, kLongest), {}, "take another")
        .For("user.password");
  const std::string stored = HashPassword(password, RandomBytes(16), state_->options.scrypt_log_n);
  return state_->Write([&]() -> Result<void> {
    if (const auto role = state_->RoleOfUser(name); !role) return role.error();
    if (auto done = state_->Run("UPDATE users SET password = ? WHERE name = ?", stored, name); !done) return done;
    return state_->EndSessions(name, {});
  });
}

Result<std::vector<User>> People::List() const {
  return state_->Read([&]() -> Result<std::vector<User>> {
    std::vector<std::string> names;
    auto asked = state_->Ask("SELECT name FROM users ORDER BY name",
                             [&](const Statement& row) { names.emplace_back(row.Bytes(0)); });
    if (!asked) return asked.error();
    std::vector<User> users;
    for (const std::string& name : names) {
      auto user = state_->UserOf(name);
      if (!user) return user.error();
      users.push_back(std::move(*user));
    }
    return users;
  });
}

Result<User> People::Find(const std::string& name) const {
  return state_->Read([&] { return state_->UserOf(name); });
}

}  // namespace kith::people
