// Who is there: tokens, passwords, SCRAM and sessions. Whatever is wrong, the work and the words are the same.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/address.h"
#include "base/digest.h"
#include "base/entropy.h"
#include "people/secrets.h"
#include "people/state.h"

namespace kith::people {
namespace {

constexpr std::string_view kMark = "kith_";
constexpr std::size_t kIdDigits = 16, kSecretDigits = 64;
constexpr std::size_t kTokenSize = kMark.size() + kIdDigits + 1 + kSecretDigits;

// From the text of a token; something that nobody has if it is not one.
std::string IdOf(std::string_view token) {
  const bool formed = token.size() == kTokenSize && token.starts_with(kMark) && token[kMark.size() + kIdDigits] == '_';
  return formed ? std::string(token.substr(kMark.size(), kIdDigits)) : std::string("none");
}

std::string CsrfOf(std::string_view cookie) { return HmacSha256(cookie, "csrf"); }

}  // namespace

Error NotRecognised() {
  return InvalidArgument("not recognised", {}, "check the name and the secret; a token may have ended or been revoked")
      .For(kNotRecognised);
}

Error TooManyFailures() {
  return InvalidArgument("too many failed attempts", {}, "wait some minutes before the next one").For(kTooMany);
}

std::string People::State::SaltOf(const std::string& name) const {
  return Hex(HmacBytes(secret, "salt of " + name)).substr(0, 32);
}

std::string People::State::PlaceOf(const std::string& name, const std::string& network) const {
  return HmacSha256(secret, "place of " + name + " " + network);
}

Result<void> People::State::NotePlace(const std::string& name, const std::string& place) {
  constexpr int kKept = 32;
  if (auto done = Run("INSERT OR REPLACE INTO places VALUES (?, ?, ?)", name, place, Now()); !done) return done;
  return Run(
      "DELETE FROM places WHERE user = ?1 AND place NOT IN (SELECT place FROM places WHERE user = ?1 ORDER BY seen "
      "DESC, rowid DESC LIMIT ?2)",
      name, kKept);
}

Error People::State::Failed(std::string_view address) {
  if (address.empty()) return NotRecognised();
  const std::string from(address);
  const std::int64_t now = Now();
  const bool too_many = by_token.MustWait(from, now);
  by_token.Failed(from, now);
  return too_many ? TooManyFailures() : NotRecognised();
}

// 256 random bits cannot be guessed, so a limit has nothing to protect: a good token is accepted no matter who else
// fails from its address.
Result<Identity> People::ByToken(std::string_view token, std::string_view address) const {
  if (token.empty()) return NotRecognised();  // nobody guesses
  const std::string id = IdOf(token);
  auto found = state_->Read([&]() -> Result<std::optional<Identity>> {
    Identity who;
    std::string salt(32, '0'), hash(64, '0'), role;
    std::int64_t ends = 1;
    bool revoked = true;
    auto asked = state_->Ask(
        "SELECT users.name, users.role, tokens.salt, tokens.hash, tokens.ends, tokens.revoked FROM tokens JOIN users "
        "ON users.name = tokens.user WHERE tokens.id = ?",
        [&](const Statement& row) {
          who.user = row.Bytes(0);
          role = row.Bytes(1);
          salt = row.Bytes(2);
          hash = row.Bytes(3);
          ends = row.Int(4);
          revoked = row.Int(5) != 0;
        },
        id);
    if (!asked) return asked.error();
    const bool same = SameSecret(HmacSha256(salt, token), hash);
    const bool lives = !revoked && (ends == 0 || state_->Now() < ends);
    if (!same || !lives || who.user.empty()) return std::optional<Identity>();
    const auto known = RoleOf(role);
    if (!known) return known.error();
    who.role = *known;
    auto grants = state_->GrantsOf(who.user);
    if (!grants) return grants.error();
    who.grants = std::move(*grants);
    who.token = id;
    return std::optional<Identity>(std::move(who));
  });
  if (!found) return found.error();
  if (!*found) return state_->Failed(address);
  return std::move(**found);
}

Result<bool> People::WasHere(const std::string& name, std::string_view address) const {
  bool here = false;
  if (address.empty()) return here;
  auto asked = state_->Read([&]() -> Result<void> {
    return state_->Ask(
        "SELECT 1 FROM places WHERE user = ? AND place = ?", [&](const Statement&) { here = true; }, name,
        state_->PlaceOf(name, NetworkOf(address)));
  });
  return asked ? Result<bool>(here) : asked.error();
}

// Whoever fails often must wait: with a name at an address; with a name anywhere, a little longer each time; with any
// name at an address. Somebody who fails on purpose must not keep a person out: the last two do not count where this
// name's password was right before. A failure is counted before the password is looked at, and taken back if it is
// right, so that guesses at the same moment count as well.
Result<Identity> People::ByPassword(std::string_view name, std::string_view password, std::string_view address) const {
  const std::string who(name), from = address.empty() ? std::string() : NetworkOf(address), here = who + "\n" + from;
  const std::string place = state_->PlaceOf(who, from);
  // For an unknown name: as long as it takes for a user.
  std::string stored;
  auto asked = state_->Read([&]() -> Result<void> {
    return state_->Ask(
        "SELECT password FROM users WHERE name = ?", [&](const Statement& row) { stored = row.Bytes(0); }, who);
  });
  if (!asked) return asked.error();
  const auto been_here = WasHere(who, address);
  if (!been_here) return been_here.error();
  struct Count {
    Attempts& attempts;
    const std::string& of;
    bool counts, limits;
  };
  const std::array<Count, 3> counts = {{{state_->by_place, here, !from.empty(), true},
                                        {state_->by_name, who, true, !*been_here},
                                        {state_->by_address, from, !from.empty(), !*been_here}}};
  {
    const std::lock_guard lock(state_->counting);
    const std::int64_t now = state_->Now();
    for (const Count& each : counts) {
      if (each.counts && each.limits && each.attempts.MustWait(each.of, now)) return TooManyFailures();
    }
    for (const Count& each : counts) {
      if (each.counts) each.attempts.Failed(each.of, now);
    }
  }
  const bool known = !stored.empty();
  if (!known) {
    const std::string salt = HmacBytes(state_->secret, "password of " + who).substr(0, 16);
    stored = fmt::format("scrypt${}${}${}", state_->options.scrypt_log_n, Hex(salt), std::string(64, '0'));
  }
  const bool same = IsPassword(password, stored);
  if (!same || !known) return NotRecognised();
  // Of the failures elsewhere, only those from here: what somebody else guesses goes on counting.
  const int own = from.empty() ? state_->by_name.Forgive(who) : state_->by_place.Forgive(here);
  if (!from.empty()) {
    state_->by_name.Forgive(who, own);
    state_->by_address.Forgive(from, own);
  }
  return state_->Write([&]() -> Result<Identity> {
    const auto role = state_->RoleOfUser(who);
    if (!role) return NotRecognised();  // removed in the meantime
    if (!from.empty()) {
      if (auto noted = state_->NotePlace(who, place); !noted) return noted.error();
    }
    auto grants = state_->GrantsOf(who);
    if (!grants) return grants.error();
    return Identity{who, *role, std::move(*grants), {}};
  });
}

// A good token is accepted no matter who else fails from its address, until what they cost is too much: for each proof
// as many tokens are tried as a user may have. Failures over HTTP do not count here: they may be those of everybody
// behind one proxy.
Result<void> People::MayTry(std::string_view address) const {
  if (!address.empty() && state_->by_scram.MustWait(std::string(address), state_->Now())) return TooManyFailures();
  return {};
}

ScramChallenge People::Challenge(std::string_view name) const {
  return {Unhex(state_->SaltOf(std::string(name))), kScramIterations};
}

// All tokens of a user share its salt, so that the server need not know which one is meant before it sees the proof.
// It always tries as many as a user may have.
Result<ScramAccepted> People::ByScram(std::string_view name, std::string_view auth_message, std::string_view proof,
                                      std::string_view address) const {
  struct Verifier {
    std::string token, stored_key = std::string(32, '\0'), server_key = std::string(32, '\0');
  };
  const std::string who(name);
  auto found = state_->Read([&]() -> Result<std::optional<ScramAccepted>> {
    std::array<Verifier, kMostTokens> verifiers;
    std::size_t count = 0;
    auto asked = state_->Ask(
        "SELECT id, stored_key, server_key FROM tokens WHERE user = ? AND revoked = 0 AND (ends = 0 OR ends > ?)",
        [&](const Statement& row) {
          if (count < kMostTokens)
            verifiers[count++] = {std::string(row.Bytes(0)), Unhex(row.Bytes(1)), Unhex(row.Bytes(2))};
        },
        who, state_->Now());
    if (!asked) return asked.error();
    const Verifier* right = nullptr;
    for (const Verifier& each : verifiers) {
      if (Proves(each.stored_key, auth_message, proof) && !each.token.empty()) right = &each;
    }
    if (right == nullptr) return std::optional<ScramAccepted>();
    const auto role = state_->RoleOfUser(who);
    if (!role) return role.error();
    auto grants = state_->GrantsOf(who);
    if (!grants) return grants.error();
    return std::optional(
        ScramAccepted{{who, *role, std::move(*grants), right->token}, HmacBytes(right->server_key, auth_message)});
  });
  if (!found) return found.error();
  if (!*found) {
    if (!address.empty()) state_->by_scram.Failed(std::string(address), state_->Now());
    return state_->Failed(address);
  }
  return std::move(**found);
}

Result<Identity> People::Still(const Identity& who) const {
  return state_->Read([&]() -> Result<Identity> {
    bool lives = false;
    const std::int64_t now = state_->Now();
    auto asked = state_->Ask(
        "SELECT ends FROM tokens WHERE id = ? AND user = ? AND revoked = 0",
        [&](const Statement& row) { lives = row.Int(0) == 0 || now < row.Int(0); }, who.token, who.user);
    if (!asked) return asked.error();
    const auto role = state_->RoleOfUser(who.user);
    if (!role || !lives) return NotRecognised();
    auto grants = state_->GrantsOf(who.user);
    if (!grants) return grants.error();
    return Identity{who.user, *role, std::move(*grants), who.token};
  });
}

Result<NewSession> People::Begin(const Identity& who) const {
  const std::string cookie = RandomHex(32);
  return state_->Write([&]() -> Result<NewSession> {
    const std::int64_t now = state_->Now();
    const auto role = state_->RoleOfUser(who.user);
    if (!role) return NotRecognised();
    const std::int64_t whole = state_->options.session_whole.count();
    auto swept = state_->Run("DELETE FROM sessions WHERE made <= ? OR seen <= ?", now - whole,
                             now - state_->options.session_idle.count());
    if (!swept) return swept.error();
    auto done =
        state_->Run("INSERT INTO sessions VALUES (?, ?, ?, ?, ?)", Sha256(cookie), who.user, who.token, now, now);
    if (!done) return done.error();
    return NewSession{cookie, CsrfOf(cookie), now + whole};
  });
}

Result<OpenSession> People::BySession(std::string_view cookie) const {
  const std::string id = Sha256(cookie);
  const std::int64_t now = state_->Now();
  std::int64_t seen = 0;
  auto found = state_->Read([&]() -> Result<OpenSession> {
    OpenSession session;
    std::int64_t made = 0;
    bool token_lives = true;
    auto asked = state_->Ask(
        "SELECT user, token, made, seen FROM sessions WHERE id = ?",
        [&](const Statement& row) {
          session.who.user = row.Bytes(0);
          session.who.token = row.Bytes(1);
          made = row.Int(2);
          seen = row.Int(3);
        },
        id);
    if (!asked) return asked.error();
    session.ends = made + state_->options.session_whole.count();
    if (session.who.user.empty() || now >= session.ends || now >= seen + state_->options.session_idle.count())
      return NotRecognised();
    if (!session.who.token.empty()) {
      token_lives = false;
      asked = state_->Ask(
          "SELECT ends FROM tokens WHERE id = ? AND revoked = 0",
          [&](const Statement& row) { token_lives = row.Int(0) == 0 || now < row.Int(0); }, session.who.token);
      if (!asked) return asked.error();
    }
    const auto role = state_->RoleOfUser(session.who.user);
    if (!role || !token_lives) return NotRecognised();
    session.who.role = *role;
    auto grants = state_->GrantsOf(session.who.user);
    if (!grants) return grants.error();
    session.who.grants = std::move(*grants);
    session.csrf = CsrfOf(cookie);
    return session;
  });
  if (!found) return found;
  constexpr std::int64_t kNoted = 60;  // not a commit for every request
  if (now >= seen + kNoted) {
    auto noted = state_->Write([&] { return state_->Run("UPDATE sessions SET seen = ? WHERE id = ?", now, id); });
    if (!noted) return noted.error();
  }
  return found;
}

Result<void> People::End(std::string_view cookie) const {
  return state_->Write([&] { return state_->Run("DELETE FROM sessions WHERE id = ?", Sha256(cookie)); });
}

}  // namespace kith::people
