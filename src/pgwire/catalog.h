// What clients ask before they ask anything: which tables and columns there are, what types are called, which version
// this is. Answered by a separate database that holds the catalogs of PostgreSQL, filled only from the policy.
// Thread-safe.
#pragma once
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/result.h"
#include "document/columns.h"
#include "engine/duckdb/scratch.h"
#include "pgwire/sql_text.h"
#include "pgwire/types.h"

namespace kith::pgwire {

class Catalog {
 public:
  /// Touches no data: `tables` are the policy's.
  Catalog(std::string dataset, std::string version, std::vector<document::TableFacts> tables)
      : dataset_(std::move(dataset)), version_(std::move(version)), tables_(std::move(tables)) {}

  /// Whether a SELECT is for the catalogs: it names one of them, or no table at all. One that names a table of the
  /// policy is not.
  bool IsFor(const Statement& statement) const;
  /// `user`: who asks. Requires: IsFor, and no parameters. Fails: kUnsupportedQuery, kCancelled.
  /// Ensures [AFTER-1]: what comes out is a function of policy, user and statement: it holds nothing else.
  Result<Rows> Select(const Statement& statement, const std::string& user, const CancelFlag& cancel) const;

 private:
  Result<Scratch> Take() const;
  Result<Scratch> Made() const;

  const std::string dataset_, version_;
  const std::vector<document::TableFacts> tables_;
  mutable std::mutex mutex_;
  mutable std::vector<Scratch> idle_;
};

/// The statements that make and fill the catalogs.
std::vector<std::string> CatalogStatements(const std::string& dataset, const std::string& version,
                                           const std::vector<document::TableFacts>& tables);

}  // namespace kith::pgwire
