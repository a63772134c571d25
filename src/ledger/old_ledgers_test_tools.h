// Ledgers that older versions wrote, as SQL: formats 1 and 3 (three cells; charges 1 to 3, the first answered; in
// format 3 the third has a one-sided part) and format 2 (two cells; steps 0, 2 and 3, the second answered). Made by the
// program of that time; not to be changed.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ledger/ledger_test_tools.h"
#include "ledger/old_ledgers4_test_tools.h"

namespace kith::ledger {

inline constexpr const char* kFormat1 = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'b87c23dc5b6c95b91e5caa605ec48ffa',1794764971,'identity');
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
INSERT INTO cells VALUES(2,'cell 2');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, head TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
INSERT INTO entries VALUES(1,1,1,1794764971,5,X'0103','policy','SELECT count(*) FROM t','key 1','','bae954381b1cce0348407b7c70dcd5892f11472c46d8176255f2d0470607db9e');
INSERT INTO entries VALUES(2,1,2,1794764971,7,X'0102','policy','SELECT count(*) FROM t WHERE a','key 2','','c2565fd4019d3994a7425fe9e4d6ea16b7a1bd840440393e1164b9f9a5d94db4');
INSERT INTO entries VALUES(3,2,1,1794764971,0,X'','','','key 1','5cc47001f7c1334db3c568ddbb1c8ee51812aa8e75582ca616b1ec31bf2ddc16','67b27b78ad562580955a0d0b1f1cf45fa2dd28b4032d4912c4df4098aa1af36a');
INSERT INTO entries VALUES(4,1,3,1794764971,9,X'0107','policy','q','key 3','','02db707aff40a7f35450d3c231f93d42dd05d9b76bdee6dd8738ad58912ffa86');
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'forty-two');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,4,3,'02db707aff40a7f35450d3c231f93d42dd05d9b76bdee6dd8738ad58912ffa86',X'010e01150109');
)sql";

inline constexpr const char* kFormat2 = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'91b1646518bac4fb2e70e5f3fe911b1d',1794764971,'identity');
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, tick INTEGER NOT NULL CHECK (tick >= 0), head TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
CREATE UNIQUE INDEX charge_by_key ON entries (answer_key) WHERE kind = 1;
INSERT INTO entries VALUES(1,1,1,1794764971,10,X'0101','policy','q','step 0','',0,'ec7482b04a7cb6769e71d860a6c72073620bd54a1e7111657a4ef2f60d5f8042');
INSERT INTO entries VALUES(2,1,2,1794764971,12,X'0101','policy','q','step 2','',2,'2697fd8b7f4c9da213bd4ac52ea3d01241ee606c709bbad07fc74bb77cbd21d5');
INSERT INTO entries VALUES(3,2,2,1794764971,0,X'','','','step 2','3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3',0,'3423a87f66ff4ed7805fa8dc871ffb4813e61665e19f59e986ea7d519ebfde80');
INSERT INTO entries VALUES(4,1,3,1794764971,13,X'0102','policy','q','step 3','',3,'547d2586c8622931b01255a3ca5e1123c9348f370f428ba4b38a6822ac321e1f');
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'two');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,4,3,'547d2586c8622931b01255a3ca5e1123c9348f370f428ba4b38a6822ac321e1f',X'0116010d');
)sql";

inline constexpr const char* kFormat3 = R"sql(
CREATE TABLE birth (id INTEGER PRIMARY KEY CHECK (id = 1), ledger_id TEXT NOT NULL, unix_seconds INTEGER NOT NULL, identity TEXT NOT NULL) STRICT;
INSERT INTO birth VALUES(1,'254aa1a16259130d9a932b5f87e66339',1794764971,'identity');
CREATE TABLE cells (cell INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
INSERT INTO cells VALUES(0,'cell 0');
INSERT INTO cells VALUES(1,'cell 1');
INSERT INTO cells VALUES(2,'cell 2');
CREATE TABLE entries (position INTEGER PRIMARY KEY, kind INTEGER NOT NULL CHECK (kind IN (1, 2)), number INTEGER NOT NULL CHECK (number > 0), unix_seconds INTEGER NOT NULL, units INTEGER NOT NULL CHECK (units >= 0), cells BLOB NOT NULL, policy TEXT NOT NULL, question TEXT NOT NULL, answer_key TEXT NOT NULL, answer_digest TEXT NOT NULL, head TEXT NOT NULL) STRICT;
CREATE UNIQUE INDEX entry_by_number ON entries (number, kind);
CREATE INDEX answer_by_key ON entries (answer_key) WHERE kind = 2;
INSERT INTO entries VALUES(1,1,1,1794764971,5,X'0103','policy','SELECT count(*) FROM t','key 1','','2258dca8c49a9dad09d47237f50f790369eeff51fb94396cadf909b11be0214c');
INSERT INTO entries VALUES(2,1,2,1794764971,7,X'0102','policy','SELECT count(*) FROM t WHERE a','key 2','','8e40fa8700235a39dc30b4e5d7f72ae8f7621116e0491732a9a8c343066fad9a');
INSERT INTO entries VALUES(3,2,1,1794764971,0,X'','','','key 1','5cc47001f7c1334db3c568ddbb1c8ee51812aa8e75582ca616b1ec31bf2ddc16','db77905c3d1ecbf20b3185cf9c3515ddffa5b4d89b6db22fd33ee7e82d0a2304');
INSERT INTO entries VALUES(4,1,3,1794764971,9,X'0107','policy','one-sided 60 7:arrival 9:ill = ''y''; q','key 3','','51e5a33257db7b8f3cb321bac07287a45a286c69c5bfa0a987b194d2194439fb');
CREATE TABLE answers (position INTEGER PRIMARY KEY REFERENCES entries (position), answer TEXT NOT NULL) STRICT;
INSERT INTO answers VALUES(3,'forty-two');
CREATE TABLE summary (id INTEGER PRIMARY KEY CHECK (id = 1), position INTEGER NOT NULL, charges INTEGER NOT NULL, head TEXT NOT NULL, totals BLOB NOT NULL) STRICT;
INSERT INTO summary VALUES(1,4,3,'51e5a33257db7b8f3cb321bac07287a45a286c69c5bfa0a987b194d2194439fb',X'010e01150109');
)sql";

/// An old ledger and what its program said about it.
struct OldLedger {
  const char* name;
  int format;
  const char* sql;
  LedgerBinding binding;
  std::vector<std::int64_t> totals;  // Spent
  std::vector<std::int64_t> any;     // SpentOnAny
  std::size_t charges;
  const char *key, *answer;  // of a stored answer; nullptr: there is none
  std::int64_t safe_from;
};

inline std::vector<OldLedger> OldLedgers() {
  const auto stream = [](LedgerBinding binding) {
    binding.stream = true;
    return binding;
  };
  LedgerBinding fixed = Binding(2);
  fixed.fixed_cells = true;
  return {
      {"1", 1, kFormat1, Binding(3), {14, 21, 9}, {0, 0, 0}, 3, "key 1", "forty-two", 3},
      {"2", 2, kFormat2, stream(Binding(2)), {22, 13}, {0, 0}, 3, "step 2", "two", 3},
      {"3", 3, kFormat3, Binding(3), {14, 21, 9}, {0, 0, 0}, 3, "key 1", "forty-two", 3},
      {"4, merged", 4, kFormat4Plain, Binding(3), {21, 21, 25}, {7, 7, 7}, 4, "key 4", "four", 0},
      {"4, apart", 4, kFormat4Apart, fixed, {100, 70}, {0, 0}, 2, nullptr, nullptr, 0},
      {"4, stream", 4, kFormat4Stream, stream(Binding(2)), {22, 35}, {0, 0}, 3, "step 2", "two", 0},
      {"4, once 1", 4, kFormat4From1, Binding(3), {114, 21, 9}, {0, 0, 0}, 4, "key 1", "forty-two", 3},
      {"4, once 2", 4, kFormat4From2, stream(Binding(2)), {122, 13}, {0, 0}, 4, "new key", "new answer", 3},
      {"4, once 3", 4, kFormat4From3, Binding(3), {114, 21, 9}, {0, 0, 0}, 4, "new key", "new answer", 3},
  };
}

/// The marker beside a ledger of that time.
inline void MarkOld(const std::filesystem::path& file, const OldLedger& old) {
  const std::string text = old.sql;
  const auto id = text.substr(text.find("VALUES(1,'") + 10, 32);
  std::filesystem::create_directories(file.parent_path() / ".kith");
  WriteAll(file.parent_path() / ".kith" / (file.filename().string() + ".created"), "kith ledger " + id + "\nmore\n");
}

/// The ledger as if its last user had closed it, with its marker.
inline void MakeOld(const std::filesystem::path& file, const OldLedger& old) {
  std::filesystem::remove(file);
  WriteAll(file, "");
  Sql(file, "PRAGMA application_id = 1802073192; PRAGMA user_version = " + std::to_string(old.format) + "; BEGIN;" +
                std::string(old.sql) + "; COMMIT; PRAGMA journal_mode = WAL");
  MarkOld(file, old);
}

/// Formats 1 to 3 by number.
inline void MakeOld(const std::filesystem::path& file, int format) {
  MakeOld(file, OldLedgers()[static_cast<std::size_t>(format - 1)]);
}
inline LedgerBinding OldBinding(int format) { return OldLedgers()[static_cast<std::size_t>(format - 1)].binding; }

}  // namespace kith::ledger
