// Who may ask a server: users with roles, what each may ask about and how much of the budget each may use, their
// tokens, passwords and sessions, and questions that wait for a curator. One SQLite file in the server's state folder,
// shared by processes. It holds no secret that could be used again: tokens, passwords and sessions are stored hashed.
// Guide: docs/guide/people.md
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "loss/loss.h"

namespace kith::people {

/// What a user is for. Nobody has two roles: a person who needs two gets two names.
enum class Role {
  kCurator,   // sees data reports and everybody's history, grants, approves
  kAnalyst,   // asks, within allowances
  kAuditor,   // sees budgets, histories and certificates of the datasets granted; asks nothing
  kOperator,  // sees metrics and timings; no dataset
};
/// "curator", "analyst", "auditor", "operator".
std::string_view NameOf(Role role);
Result<Role> RoleOf(std::string_view name);

/// What a user may use of one dataset (by its name: `[data] name`, or the policy's file name).
struct Grant {
  std::string dataset;
  PlainUnits allowance;  // for an analyst: plain loss, over all time; for others 0, meaningless
  bool operator==(const Grant&) const = default;
};

/// An allowance as a person writes it, rounded up to whole units, so that it reads as it was written.
/// Fails: kInvalidArgument unless 0 <= epsilon <= 2^20.
Result<PlainUnits> AllowanceOf(double epsilon);

/// A token as it is listed: without anything that could be used.
struct TokenLine {
  std::string name;       // unique among the tokens of a user
  std::string id;         // public part, also in the token itself: "kith_<id>_..."
  std::int64_t made = 0;  // unix seconds
  std::int64_t ends = 0;  // unix seconds; 0: never
  bool revoked = false;   // it stays listed
};

struct User {
  std::string name;
  Role role = Role::kAnalyst;
  std::int64_t made = 0;
  bool password = false;          // one is set
  std::vector<Grant> grants;      // by name of dataset
  std::vector<TokenLine> tokens;  // oldest first
};

/// Somebody who was recognised, as of that moment.
struct Identity {
  std::string user;
  Role role = Role::kAnalyst;
  std::vector<Grant> grants;
  std::string token;     // id of the token that was shown; empty: a password
  bool anybody = false;  // a server has no users: whoever reaches it is an analyst without a name

  static Identity Anybody() { return {.anybody = true}; }

  /// Curators see every dataset, operators none, the others those that were granted to them.
  bool MaySee(std::string_view dataset) const;
  /// What may be used of it: for Caller::allowance. Nothing only for curators, whom the policy limits; 0 for those who
  /// were not granted it, or ask nothing.
  std::optional<PlainUnits> AllowanceFor(std::string_view dataset) const;
};

/// A new secret. This is the only time that it is seen.
struct NewToken {
  std::string token;  // "kith_" + 16 hexadecimal digits + "_" + 64 hexadecimal digits: 256 bits of the system's entropy
  TokenLine line;
};

/// A browser's session.
struct NewSession {
  std::string cookie;     // value of the cookie; stored hashed
  std::string csrf;       // to be sent back with every request that changes something
  std::int64_t ends = 0;  // unix seconds, whatever is done until then
};
struct OpenSession {
  Identity who;
  std::string csrf;
  std::int64_t ends = 0;
};

/// What a SCRAM-SHA-256 server sends first (RFC 5802). Every name has it, whether there is such a user or not.
struct ScramChallenge {
  std::string salt;  // bytes
  int iterations = 4096;
};
struct ScramAccepted {
  Identity who;
  std::string server_signature;  // 32 bytes
};

/// The state of a question that waits for a curator.
enum class ApprovalState { kWaiting, kGranted, kRefused, kLapsed, kTaken };
std::string_view NameOf(ApprovalState state);  // "waiting", "granted", ...

struct NewApproval {
  std::string user, dataset;
  std::string request;             // canonical text of what is asked, price included: Take compares it byte for byte
  std::string explanation;         // the document of the explanation: all that the curator sees
  PlainUnits price;                // plain, from the explanation
  std::chrono::seconds lapses{0};  // from now: [server] approval_expires
};
struct Approval {
  std::int64_t id = 0;
  std::string user, dataset, request, explanation;
  PlainUnits price;
  std::int64_t made = 0, lapses = 0;  // unix seconds
  ApprovalState state = ApprovalState::kWaiting;
  std::string decided_by;  // empty: nobody yet
  std::int64_t decided = 0;
  std::string reason;  // the curator's words for the analyst; may be empty
};

struct PeopleOptions {
  std::function<std::int64_t()> clock = UnixSeconds;
  std::chrono::milliseconds patience{5'000};  // for a lock that another process holds
  std::chrono::seconds session_idle{30 * 60}, session_whole{12 * 60 * 60};
  // Failed logins within `span`, in this process: this many for one name (passwords) and from one address.
  int most_per_name = 10, most_per_address = 50;
  int most_tries = 500;  // failures from one address, after which SCRAM is not even begun
  std::chrono::seconds span{15 * 60};
  int scrypt_log_n = 15;  // N = 2^15, r = 8, p = 1: 32 MB and about 0.1 s; tests take less
};

/// Error::parameter of what recognising somebody fails with. Everything else is a fault (kStorage).
inline constexpr char kNotRecognised[] = "login";  // HTTP 401: one sentence for every reason
inline constexpr char kTooMany[] = "login.wait";   // HTTP 429: too many failures; try later
/// Of approvals.
inline constexpr char kNotApproved[] = "approval";  // HTTP 403/409: not granted, lapsed, taken, somebody else's

/// Whom a change may be about. The role is checked in the transaction that makes the change.
enum class Whom {
  kAnybody,
  kThoseWhoAsk,  // analysts and auditors: all that a curator changes from afar
};
/// Error::parameter where it is about somebody else.
inline constexpr char kNotTheirs[] = "user.whom";

/// Safe to use from several threads and processes. After a fork the child opens its own.
class People {
 public:
  /// `folder`: the server's state folder, made with mode 0700 where `create` is true; the file in it has mode 0600.
  /// Fails: kInvalidArgument if there is none and `create` is false; kStorage, also if others may read the file.
  static Result<People> Open(const std::filesystem::path& folder, bool create, const PeopleOptions& options = {});
  /// Whether the folder has users at all: a server without them listens only on loopback.
  static bool Exists(const std::filesystem::path& folder);
  People(People&&) noexcept;
  People& operator=(People&&) noexcept;
  ~People();

  // For those who run the server. All fail with kInvalidArgument for names that do not exist, or exist and must not.

  /// Names: 1 to 64 letters, digits, '.', '_', '-', '@', with a letter or digit first and last.
  Result<void> Add(const std::string& name, Role role);
  /// With tokens, sessions, grants and waiting questions. What was spent under the name stays in the ledgers.
  Result<void> Remove(const std::string& name, Whom whom = Whom::kAnybody);
  /// Sets what a user may use of a dataset; nothing: takes the grant away. What was spent stays spent.
  Result<void> SetGrant(const std::string& name, const std::string& dataset, std::optional<PlainUnits> allowance);
  /// `lasts`: nothing: it does not end.
  Result<NewToken> AddToken(const std::string& name, const std::string& token_name,
                            std::optional<std::chrono::seconds> lasts, Whom whom = Whom::kAnybody);
  /// Ends the sessions that were opened with it. Empty token_name: all of the user's tokens and sessions; a password
  /// stays.
  Result<void> Revoke(const std::string& name, const std::string& token_name);
  /// At least 12 characters. Ends the user's sessions.
  Result<void> SetPassword(const std::string& name, const std::string& password);
  /// By name.
  Result<std::vector<User>> List() const;
  Result<User> Find(const std::string& name) const;

  // Who is there? A wrong secret, an unknown name, an expired and a revoked token get one answer after the same work.
  // `address`: of the other side, for limits; may be empty (no limit by address).

  Result<Identity> ByToken(std::string_view token, std::string_view address) const;
  /// Whether this name's password was right before from where the address is.
  Result<bool> WasHere(const std::string& name, std::string_view address) const;
  Result<Identity> ByPassword(std::string_view name, std::string_view password, std::string_view address) const;
  /// Before a challenge. Fails: kInvalidArgument with kTooMany, if attempts from this address keep failing.
  Result<void> MayTry(std::string_view address) const;
  ScramChallenge Challenge(std::string_view name) const;
  /// The token is the password; any valid token of the user. `auth_message` as in RFC 5802, `proof`: 32 bytes.
  Result<ScramAccepted> ByScram(std::string_view name, std::string_view auth_message, std::string_view proof,
                                std::string_view address) const;
  /// The same person later, as of now: for connections that outlive a request. Requires: recognised by a
  /// token or by SCRAM. Fails: as ByToken if the token has expired or was revoked in the meantime.
  Result<Identity> Still(const Identity& who) const;

  /// After ByPassword or ByToken.
  Result<NewSession> Begin(const Identity& who) const;
  /// Counts as activity. Fails as ByToken if it is over.
  Result<OpenSession> BySession(std::string_view cookie) const;
  Result<void> End(std::string_view cookie) const;

  // Questions that wait for a curator. Nothing is reserved for them.

  Result<Approval> Submit(const NewApproval& wanted) const;
  /// The newest first. Of one user, one dataset, or all; `waiting`: only those that can still be decided.
  Result<std::vector<Approval>> Approvals(const std::string& user, const std::string& dataset, bool waiting) const;
  Result<Approval> FindApproval(std::int64_t id) const;
  /// By a curator who did not ask. Fails: kInvalidArgument if it is decided or has lapsed.
  Result<Approval> Decide(std::int64_t id, const Identity& by, bool granted, const std::string& reason) const;
  /// The analyst asks now, as `user`: a granted approval of this very request is used up, once; its price is what
  /// Caller::at_most may be. Fails: kInvalidArgument with kNotApproved.
  Result<Approval> Take(std::int64_t id, const std::string& user, const std::string& dataset,
                        std::string_view request) const;
  /// Nothing was charged after Take: it may be used again, until it lapses.
  Result<void> PutBack(std::int64_t id) const;

 private:
  struct State;
  explicit People(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Equality, in a time that depends only on the lengths.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace kith::people
