// The rows of a ledger in SQLite: schema, settings, reading and appending. Knows nothing about limits.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ledger/chain.h"
#include "ledger/files.h"
#include "ledger/schema.h"
#include "ledger/sqlite.h"
#include "ledger/view.h"

namespace kith::ledger {

class Store {
 public:
  /// Builds an empty ledger in an empty file, durable when this returns.
  static Result<void> Create(const std::filesystem::path& file, const Birth& birth);
  /// Fails: kStorage if the file is not a ledger, damaged, locked, not writable (unless `read_only`), or has another
  /// format.
  static Result<std::unique_ptr<Store>> Open(const Places& places, std::chrono::milliseconds patience,
                                             bool read_only = false);

  /// Changes what a ledger without entries belongs to. Requires: a write transaction and no entries.
  Result<void> Rebind(const Birth& birth);

  const Birth& birth() const { return birth_; }
  /// The cells of this ledger, and the sets of them that were read or made: those of its last generation.
  CellBook& book() { return eras_.back().book; }
  /// From this position on, cells are those of a generation. Positions that were met before change nothing.
  void Enter(std::int64_t position, const View& view);
  /// Cells that an entry at this position names, as cells of the last generation.
  CellSet Today(std::int64_t position, CellSet cells) const;
  const Connection& connection() const { return *connection_; }
  /// Read-only: true if the ledger should be opened again, because something writes to it.
  bool Outdated() const;
  /// Fails: kStorage if the ledger's files are no longer the ones that were opened.
  Result<void> StillInPlace() const;
  /// Whether another store has the same files open.
  bool SameFile(const Store& other) const { return identity_ == other.identity_; }
  /// The generations that another store of the same file has met.
  void TakeEras(const Store& other) { eras_ = other.eras_; }
  /// After a fork: leaves everything to the parent.
  void Abandon();

  /// Called for each entry with its stored head; text returned says that the entry is wrong, and why.
  using Take = std::function<std::optional<std::string>(const Entry& entry, std::string_view head)>;
  /// Hands over the entries after one position up to another, in order. Fails: kStorage if a posting belongs to no
  /// entry or names no set of cells, or as `take` says.
  Result<void> Replay(std::int64_t after, std::int64_t until, const Take& take);
  /// A number that stays the same until another connection, of any process, has changed the file.
  /// Requires: a transaction, which sees the file as of this number.
  Result<std::int64_t> Version();
  /// Brings a verified view up to date and compares it with the summary row. `follow`, if given, is called for every
  /// entry after it was added to the view.
  /// Requires: a transaction. Fails: kStorage if the ledger was tampered with or set back.
  using Follow = std::function<void(const Entry& entry, const View& after)>;
  Result<void> CatchUp(View& view, const Follow& follow = {});
  /// With its postings. Requires: a write transaction.
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
  static Result<std::unique_ptr<Store>> OpenOnce(const Places& places, std::chrono::milliseconds patience,
                                                 bool read_only);
  Result<void> CheckSettings();
  /// Reads all that is fixed: tables and birth.
  Result<void> Load();
  Result<void> CheckTables();
  Result<void> ReadBirth();
  Result<void> PrepareAll();
  void DropStatements();
  Result<std::optional<AnswerRow>> ReadAnswerRow(Statement& statement);

  Result<void> ReadColumnsAndCells(std::string_view columns);
  Result<void> AppendPostings(const Entry& entry);
  /// The postings of an entry into it; `more` is false at the end of the table.
  Result<void> TakePostings(Entry& entry, bool& more);
  Result<NamedSetPtr> FindSet(std::int64_t position, std::string_view digest);
  CellBook& BookAt(std::int64_t position);
  /// Forgets all generations: the cells are those of the columns.
  void StartWith(const std::vector<LedgerColumn>& columns);

  Places places_;
  Use use_;
  Identity identity_;
  Stamp stamp_;
  Birth birth_;
  struct Era {
    std::int64_t after = 0;  // the position of the generation that begins it
    CellBook book;
    std::shared_ptr<const CellMap> map;  // from the cells of the era before
  };
  std::vector<Era> eras_;
  std::unique_ptr<Connection> connection_;
  Statement read_version_, replay_, replay_postings_, read_set_, read_summary_, write_summary_, append_, append_set_,
      append_posting_, append_text_, read_text_, find_charge_, find_answer_, find_key_, find_charge_key_;
};

}  // namespace kith::ledger
