// One table of a policy, read key by key: every error names file and line, what is wrong and how to fix it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/document.h"
#include "policy/hints.h"

namespace kith {

/// A name of a table or column: 1 to 63 bytes (PostgreSQL cuts longer ones), no control characters. Empty if it is
/// fine, otherwise what is wrong with it.
std::string NameProblem(std::string_view name);

/// The same for all names that are equal in SQL, which ignores case (ASCII).
std::string FoldName(std::string_view name);

class Section {
 public:
  /// `title` as a person would point at it: "[unit]", "column 'age'". `line` is where the section starts.
  Section(const std::string& file, std::string title, int line, const Node& table)
      : file_(file), title_(std::move(title)), line_(line), table_(table) {}

  const std::string& title() const { return title_; }
  int line() const { return line_; }
  const std::vector<Member>& members() const { return table_.members; }
  /// By its present name, also where the policy has the old one (policy/renamed_keys.h).
  const Member* Find(std::string_view key) const;

  Error At(int line, std::string what, std::string next) const;
  /// The error for a mandatory key that is not there; `next` says what to write.
  Error Missing(std::string_view key, std::string next) const;

  /// Fails if there is a key that the part of this name has not, of [dependence] for one kind (policy/fields.h).
  Result<void> AllowOnly(std::string_view part, std::string_view kind = {}) const;

  /// These read a member that must be of the named kind.
  Result<std::string> Text(const Member& member) const;
  Result<bool> Boolean(const Member& member) const;
  Result<std::int64_t> Integer(const Member& member) const;
  /// Whole or real; NaN is refused, infinity is not.
  Result<double> Number(const Member& member) const;
  /// The table below a key; `example` is what to write instead of something else.
  Result<Section> Table(const Member& member, std::string title, const std::string& example) const;

  /// A table of a list.
  Section Item(const Node& table, std::string title) const { return {file_, std::move(title), table.line, table}; }

  /// True if the key is there and says true.
  Result<bool> Flag(std::string_view key) const;

 private:
  Error WrongKind(const Member& member, const std::string& wanted) const;

  const std::string& file_;
  std::string title_;
  int line_;
  const Node& table_;
};

}  // namespace kith
