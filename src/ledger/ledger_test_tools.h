// What the tests of the ledger share: a scratch folder, short ways to bind and charge, SQL behind the ledger's back.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "ledger/ledger.h"
#include "ledger/sqlite.h"

namespace kith::ledger {

/// A separate folder, deleted at the end. In memory where possible: these tests make thousands of commits, and what a
/// disk may lose is simulated (test_disk.h), not waited for.
class Scratch {
 public:
  Scratch() {
    const bool memory = access("/dev/shm", W_OK) == 0;
    std::string name = (memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/kith-ledger-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

inline LedgerBinding Binding(std::size_t cells) {
  LedgerBinding binding{"identity", "policy", {}};
  for (std::size_t i = 0; i < cells; ++i) binding.cells.push_back("cell " + std::to_string(i));
  binding.columns = {{"cell", binding.cells}};
  return binding;
}

/// Waits longer for other processes than a person would: the machine may be busy with other tests.
inline LedgerOptions Patient() {
  LedgerOptions options;
  options.patience = std::chrono::minutes(2);
  return options;
}

inline Ledger OpenOrDie(const std::filesystem::path& file, std::size_t cells) {
  auto opened = Ledger::Open(file, Binding(cells), true, Patient());
  if (!opened) ADD_FAILURE() << opened.error().Text();
  return std::move(opened.value());
}

/// `units` on `cells`, with the same limit for each of `cell_count` cells.
inline ChargeRequest Request(std::int64_t units, std::vector<std::size_t> cells, std::size_t cell_count,
                             std::int64_t limit = PlainUnits::kMax) {
  return {PlainUnits::Of(units), std::move(cells), std::vector<PlainUnits>(cell_count, PlainUnits::Of(limit)),
          "SELECT count(*) FROM t", "key"};
}

inline std::vector<std::int64_t> Counts(const std::vector<PlainUnits>& units) {
  std::vector<std::int64_t> counts;
  for (const PlainUnits each : units) counts.push_back(each.count());
  return counts;
}

inline std::string ReadAll(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

inline void WriteAll(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
}

/// Puts the marker back to no charges: a test that sets a ledger back on purpose starts with this.
inline void ForgetCount(const std::filesystem::path& marker) {
  std::string text = ReadAll(marker);
  const auto digits = text.find("charges ");
  ASSERT_NE(digits, std::string::npos);
  WriteAll(marker, text.replace(digits + 8, 20, 20, '0'));
}

/// Changes the file as somebody with an SQLite shell would.
inline void Sql(const std::filesystem::path& file, const std::string& sql) {
  const auto connection = Connection::Open(file, std::chrono::seconds(1));
  ASSERT_TRUE(connection) << connection.error().Text();
  const auto done = (*connection)->Run(sql.c_str());
  ASSERT_TRUE(done) << sql << ": " << done.error().Text();
}

}  // namespace kith::ledger
