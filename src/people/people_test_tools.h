// A file of users for tests.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "ledger/ledger_test_tools.h"
#include "people/people.h"

namespace kith::people {

// A server with a clock that tests move.
struct Office {
  ledger::Scratch scratch;
  std::shared_ptr<std::int64_t> now = std::make_shared<std::int64_t>(1'000'000);
  PeopleOptions options;
  std::optional<People> people;

  Office() {
    options.clock = [now = now] { return *now; };
    options.scrypt_log_n = 4;
    options.most_per_name = 3;
    options.most_per_address = 5;
    options.most_tries = 8;
    Reopen();
  }
  void Reopen() {
    auto opened = People::Open(scratch / "state", true, options);
    if (!opened) ADD_FAILURE() << opened.error().Text();
    people.emplace(std::move(*opened));
  }
  People& operator*() { return *people; }
  People* operator->() { return &*people; }
  std::filesystem::path file() const { return scratch / "state" / "people.sqlite"; }
};

inline std::string Parameter(const auto& result) { return result ? "recognised" : result.error().parameter; }

}  // namespace kith::people
