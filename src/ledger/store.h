// The rows of a ledger in SQLite: schema, settings, reading and appending. Knows nothing of limits.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/files.h"
#include "ledger/sqlite.h"
#include "ledger/view.h"
#include "ledger/windows.h"

namespace kith::ledger {

class Store {
 public:
  /// Builds an empty ledger in an empty file, durable when this returns.
  static Result<void> Create(const std::filesystem::path& file, const Birth& birth);
  /// Fails: kStorage if the file is no ledger, damaged, locked, not writable (unless `read_only`), or made by a newer
  /// kith.
  static Result<std::unique_ptr<Store>> Open(const Places& places, std::chrono::milliseconds patience,
                                             bool read_only = false);

  /// True if the tables are those of an older format; then nothing can be appended.
  bool old() const { return format_ < kFormat; }
  /// Makes a ledger of an older format one of this format, in one transaction: it gets a secret, and an entry that says
  /// so. Whatever it holds is verified before, and keeps its digests. Does nothing if another process was faster.
  Result<void> Upgrade(std::int64_t unix_seconds);

  /// Says anew what a ledger without entries belongs to. Requires: a write transaction and no entries.
  Result<void> Rebind(const Birth& birth);

  const Birth& birth() const { return birth_; }
  const Connection& connection() const { return *connection_; }
  /// Read-only: true if the ledger should be opened again, because somebody writes to it.
  bool Outdated() const;
  /// Fails: kStorage if the ledger's files are no longer the ones that were opened.
  Result<void> StillInPlace() const;
  /// After a fork: leaves everything to the parent.
  void Abandon();

  /// Called for each entry with its stored head; a text returned means that the entry is wrong, and why.
  using Take = std::function<std::optional<std::string>(const Entry& entry, std::string_view head)>;
  /// Hands over the entries after `position`, in order.
  Result<void> Replay(std::int64_t position, const Take& take);
  /// Brings a verified view up to date and compares it with the summary row.
  /// Requires: a transaction. Fails: kStorage if the ledger was tampered with or went back.
  /// `windows`, if given, belongs to the view and follows it.
  Result<void> CatchUp(View& view, CellReader& reader, Windows* windows = nullptr);
  /// Requires: a write transaction.
  Result<void> Append(const Entry& entry, std::string_view head);
  /// Requires: a write transaction.
  Result<void> WriteSummary(const View& view);

  struct ChargeRow {
    std::string head, answer_key;
  };
  Result<std::optional<ChargeRow>> FindCharge(std::int64_t number);
  struct NumberRow {
    std::int64_t number = 0;
    std::string head;
  };
  /// Requires: the ledger of a stream, where a key is charged at most once.
  Result<std::optional<NumberRow>> FindChargeByKey(std::string_view answer_key);
  struct AnswerRow {
    std::int64_t position = 0, number = 0;
    std::string digest;
  };
  Result<std::optional<AnswerRow>> FindAnswerTo(std::int64_t number);
  Result<std::optional<AnswerRow>> FindAnswerByKey(std::string_view answer_key);
  Result<void> AppendText(std::int64_t position, std::string_view text);
  /// Fails: kStorage if the stored text is not the one that `digest` was made of.
  Result<std::string> ReadText(std::int64_t position, std::string_view digest);

  Error Tampered(const std::string& why) const;

 private:
  Store(Places places, Use use, std::unique_ptr<Connection> connection);
  Result<void> CheckSettings();
  /// Reads all that is fixed: format, tables, birth. In one transaction, unless there is one.
  Result<void> Load();
  Result<void> CheckTables();
  Result<void> ReadBirth();
  Result<void> PrepareAll();
  void DropStatements();
  Result<std::optional<AnswerRow>> ReadAnswerRow(Statement& statement);

  static constexpr std::int64_t kFormat = 4;

  Places places_;
  Use use_;
  Identity identity_;
  Stamp stamp_;
  std::int64_t format_ = kFormat;
  Birth birth_;
  std::unique_ptr<Connection> connection_;
  Statement replay_, read_summary_, write_summary_, append_, append_text_, read_text_, find_charge_, find_answer_,
      find_key_, find_charge_key_;
};

}  // namespace kith::ledger
