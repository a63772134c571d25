#include "engine/duckdb/unit_rows.h"

#include <fmt/format.h>

#include <optional>

#include "engine/duckdb/promises.h"

namespace kith {

namespace {

/// Keys that are counted at a time: a hash table of so many takes some 400 MB.
constexpr std::int64_t kRowsAtOnce = 6'000'000;
constexpr std::int64_t kMostParts = 4096;

class Look {
 public:
  Look(const DuckDbConnection& connection, const Policy& policy, const CancelFlag& cancel)
      : connection_(connection), policy_(policy), cancel_(cancel), table_(QuotedName(policy.unit.table)) {
    key_ = QuotedName(*policy.unit.key);
    group_ = key_;
    for (const Column& column : policy.unit_table().columns) {
      if (column.constant) varies_ += (varies_.empty() ? "" : " OR ") + Varies(column.name);
    }
  }

  /// What is asked about, for marks.
  std::string Subject() const { return fmt::format("{} of {}: {}", key_, table_, varies_); }

  Result<sql::UnitRows> Run() {
    const auto columns = Describe(connection_, table_, cancel_);
    if (!columns) return columns.error();
    for (const PhysicalColumn& column : *columns) {
      if (column.name == *policy_.unit.key && column.type == "VARCHAR") group_ = fmt::format("hash({})", key_);
    }
    const auto rows = One(fmt::format("SELECT count(*) FROM {}", table_));
    if (!rows) return rows.error();
    std::int64_t parts = 1;
    while (parts<kMostParts&& * rows / parts> kRowsAtOnce) parts *= 2;
    sql::UnitRows found{.most = 1};
    Int128 with_key = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      const auto seen = LookAtPart(part, parts);
      if (!seen) return seen.error();
      if (seen->most > policy_.unit.max_rows || seen->differ) return sql::UnitRows{};
      if (seen->most > 1) found.most = policy_.unit.max_rows;
      with_key += seen->rows;
    }
    found.all_have_keys = with_key == *rows;
    return found;
  }

 private:
  struct Seen {
    Int128 most = 0, rows = 0;
    bool differ = false;  // a constant column, in some unit
  };

  Result<Int128> One(const std::string& sql) const {
    const auto table = connection_.Integers(sql, cancel_);
    if (!table) return table.error();
    return table->rows.at(0).at(0).value_or(Int128{0});
  }

  /// Units whose key has this remainder, in bits of its hash that the engine's own tables do not use first. Texts are
  /// grouped by their hash, which takes less room: units that share one look like one with more rows, never with fewer.
  Result<Seen> LookAtPart(std::int64_t part, std::int64_t parts) const {
    const std::string mine = parts == 1 ? "" : fmt::format(" AND (hash({}) >> 24) & {} = {}", key_, parts - 1, part);
    const std::string units =
        fmt::format("SELECT count(*) AS n{} FROM {} WHERE {} IS NOT NULL{} GROUP BY {}",
                    varies_.empty() ? "" : fmt::format(", {} AS v", varies_), table_, key_, mine, group_);
    const std::string differ = varies_.empty() ? "0" : "count(*) FILTER (WHERE v)";
    const auto table = connection_.Integers(fmt::format("SELECT max(n), sum(n), {} FROM ({})", differ, units), cancel_);
    if (!table) return table.error();
    const auto number = [&](std::size_t k) { return table->rows.at(0).at(k).value_or(Int128{0}); };
    return Seen{number(0), number(1), number(2) > 0};
  }

  const DuckDbConnection& connection_;
  const Policy& policy_;
  const CancelFlag& cancel_;
  std::string table_, key_, group_, varies_;
};

/// Everything that a look can find, one mark for each: what is not known is remembered as well.
std::vector<sql::UnitRows> Findings(const Policy& policy) {
  std::vector<sql::UnitRows> findings = {{}};
  for (const bool keys : {false, true}) {
    findings.push_back({.most = 1, .all_have_keys = keys});
    if (policy.unit.max_rows > 1) findings.push_back({.most = policy.unit.max_rows, .all_have_keys = keys});
  }
  return findings;
}

std::string MarkOf(const std::string& subject, const sql::UnitRows& found) {
  const std::string most = found.most ? fmt::format("{}", *found.most) : "unknown";
  return Sha256(fmt::format("rows of units, {}, {}: {}", most, found.all_have_keys ? "keys" : "some keys", subject));
}

}  // namespace

std::string StateOf(const std::vector<OpenedTable>& tables) {
  std::string states;
  for (const OpenedTable& table : tables) states.append(table.state).append("\n");
  return states;
}

Result<sql::UnitRows> LookAtUnitRows(const DuckDbConnection& connection, const Policy& policy,
                                     const std::vector<OpenedTable>& tables, const KithFolder& folder,
                                     const CancelFlag& cancel) {
  if (!policy.unit.key || policy.unit.other_key) return sql::UnitRows{};
  Look look(connection, policy, cancel);
  const std::string subject = fmt::format("{}\nat most {}\n{}", look.Subject(), policy.unit.max_rows, StateOf(tables));
  for (const sql::UnitRows& finding : Findings(policy)) {
    if (folder.Marked(MarkOf(subject, finding))) return finding;
  }
  const auto found = look.Run();
  if (!found) {
    if (found.error().code == Code::kCancelled) return found.error();
    return sql::UnitRows{};
  }
  // What was read belongs to this state only if no file changed under the look.
  for (const OpenedTable& table : tables) {
    if (auto unchanged = CheckUnchanged(table); !unchanged) return unchanged.error();
  }
  folder.Mark(MarkOf(subject, *found));
  return found;
}

}  // namespace kith
