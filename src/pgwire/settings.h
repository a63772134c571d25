// What a session has set: prices for its questions, and what clients set out of habit.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "pgwire/sql_text.h"
#include "server/question.h"

namespace kith::pgwire {

class Settings {
 public:
  Settings();

  /// "kith.epsilon" and the like are checked; of the others, what is not possible is refused. Returns what else
  /// changed, as a sentence; usually empty. Fails: kInvalidArgument. `local`: until the transaction block ends.
  Result<std::string> Set(const std::string& name, const std::string& value, bool local = false);
  /// As it was at the start.
  void Reset(const std::string& name);
  void ResetAll();
  /// Nothing: there is no such setting.
  std::optional<std::string> Find(const std::string& name) const;
  const std::map<std::string, std::string>& all() const { return values_; }

  /// What the startup packet set is what RESET goes back to.
  void KeepAsDefaults() { defaults_ = values_; }

  /// Transaction blocks: SET LOCAL ends with them, and a rollback takes back every SET.
  void Begin() { before_ = values_; }
  void End(bool commit);

  /// The price of a question, from its own hints or as set, or none: there is no default, and a question without one is
  /// refused later. Its unit and its approval. Fails: kInvalidArgument.
  Result<server::WantedQuestion> WantedOf(const Statement& statement) const;
  /// An approval is for one question.
  void UsedApproval() { values_.erase("kith.approval"); }

 private:
  std::map<std::string, std::string> values_, defaults_;
  std::optional<std::map<std::string, std::string>> before_;
  std::set<std::string> local_;
};

}  // namespace kith::pgwire
