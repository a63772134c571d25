// What whoever fails has to wait for, and who does not.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "ledger/ledger_test_tools.h"
#include "ledger/sqlite.h"
#include "people/people.h"
#include "people/people_test_tools.h"

namespace {
std::atomic<std::uint64_t> hashing_cost;  // the N of every hashing of this program, added up
}  // namespace

// Stands before OpenSSL's own, which it calls.
extern "C" int EVP_PBE_scrypt(const char* pass, size_t passlen, const unsigned char* salt, size_t saltlen, uint64_t N,
                              uint64_t r, uint64_t p, uint64_t maxmem, unsigned char* key, size_t keylen) {
  static const auto real = reinterpret_cast<decltype(&EVP_PBE_scrypt)>(dlsym(RTLD_NEXT, "EVP_PBE_scrypt"));
  hashing_cost += N;
  return real(pass, passlen, salt, saltlen, N, r, p, maxmem, key, keylen);
}

namespace kith::people {
namespace {

using ledger::ReadAll;
using std::chrono::seconds;

TEST(People, PasswordsAreCheckedAndGuessingStops) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kCurator));
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  EXPECT_EQ(ReadAll(office.file()).find("correct horse"), std::string::npos);
  EXPECT_TRUE(office->ByPassword("ada", "correct horse battery", "a"));
  for (const char* name : {"ada", "nobody"}) {
    for (int i = 0; i < 2; ++i) EXPECT_EQ(Parameter(office->ByPassword(name, "wrong", "")), kNotRecognised) << name;
  }
  EXPECT_TRUE(office->ByPassword("ada", "correct horse battery", "")) << "which forgets failures";
  for (const char* name : {"ada", "nobody"}) {
    for (int i = 0; i < 3; ++i) (void)office->ByPassword(name, "wrong", "");
    EXPECT_EQ(Parameter(office->ByPassword(name, "correct horse battery", "")), kTooMany) << name;
  }
  *office.now += 15 * 60;
  EXPECT_TRUE(office->ByPassword("ada", "correct horse battery", ""));
  // By address, whatever the name.
  for (int i = 0; i < 5; ++i) (void)office->ByPassword("x" + std::to_string(i), "wrong", "b");
  EXPECT_EQ(Parameter(office->ByPassword("ada", "correct horse battery", "b")), kTooMany);
  EXPECT_TRUE(office->ByPassword("ada", "correct horse battery", "c"));
  // A user without a password has none that fits.
  ASSERT_TRUE(office->Add("eve", Role::kAnalyst));
  EXPECT_FALSE(office->ByPassword("eve", "", "d"));
}

// An analyst's own failures, somebody else's, and the office's address, from which ada has logged in before.
TEST(People, NobodyIsKeptOutByWhatOthersGuess) {
  Office office;
  office.options.most_per_address = 1000;
  office.Reopen();
  const std::string right = "correct horse battery";
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->SetPassword("ada", right));
  ASSERT_TRUE(office->ByPassword("ada", right, "192.0.2.1"));
  office.Reopen();  // it is in the file
  // From many other addresses: far more than one may fail with a name.
  for (int i = 0; i < 40; ++i) (void)office->ByPassword("ada", "wrong", "198.51.100." + std::to_string(i));
  EXPECT_EQ(Parameter(office->ByPassword("ada", right, "203.0.113.1")), kTooMany) << "the name must wait elsewhere";
  EXPECT_TRUE(office->ByPassword("ada", right, "192.0.2.1"));
  EXPECT_TRUE(office->ByPassword("ada", right, "::ffff:192.0.2.1")) << "the same address";
  EXPECT_EQ(Parameter(office->ByPassword("ada", right, "203.0.113.1")), kTooMany)
      << "that ada logged in does not forget what others guessed";
  // Where she was before, guesses are limited as well.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Parameter(office->ByPassword("ada", "wrong", "192.0.2.1")), kNotRecognised);
  EXPECT_EQ(Parameter(office->ByPassword("ada", right, "192.0.2.1")), kTooMany);
  *office.now += 15 * 60;
  EXPECT_TRUE(office->ByPassword("ada", right, "192.0.2.1"));
  // Addresses are not in the file, and what stands for them goes with the user.
  for (const char* ending : {"", "-wal"})
    EXPECT_EQ(ReadAll(office.file().string() + ending).find("192.0.2.1"), std::string::npos);
  const auto places = [&] {
    return ledger::Connection::Open(office.file(), seconds(1)).value()->Ask("SELECT count(*) FROM places").value();
  };
  EXPECT_EQ(places(), "1");
  ASSERT_TRUE(office->SetPassword("ada", right + " staple"));
  EXPECT_TRUE(office->ByPassword("ada", right + " staple", "192.0.2.1")) << "also with a new password";
  ASSERT_TRUE(office->Remove("ada"));
  EXPECT_EQ(places(), "0");
}

TEST(People, ANameThatIsGuessedFromEverywhereWaitsLongerEachTime) {
  Office office;
  office.options.most_per_address = 1000;
  office.Reopen();
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  for (const char* name : {"ada", "nobody"}) {
    int place = 0;
    const auto guess = [&] {
      return Parameter(office->ByPassword(name, "wrong", "2001:db8:0:" + std::to_string(++place) + "::1"));
    };
    for (int i = 0; i < 3; ++i) EXPECT_EQ(guess(), kNotRecognised) << name;
    std::int64_t all = 0;
    for (const std::int64_t wait : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900}) {
      *office.now += wait - 1;
      EXPECT_EQ(guess(), kTooMany) << name << " " << wait;
      *office.now += 1;
      EXPECT_EQ(guess(), kNotRecognised) << name << " " << wait;
      all += wait;
    }
    EXPECT_GT(all, 3600);
    *office.now += 24 * 60 * 60;  // a quiet day
    for (int i = 0; i < 3; ++i) EXPECT_EQ(guess(), kNotRecognised) << name;
    EXPECT_EQ(guess(), kTooMany) << name;
    *office.now += 24 * 60 * 60;
  }
}

TEST(People, OneHouseIsOneAddress) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  ASSERT_TRUE(office->ByPassword("ada", "correct horse battery", "2001:db8::1"));
  for (int i = 0; i < 5; ++i)
    (void)office->ByPassword("x" + std::to_string(i), "wrong", "2001:db8:1:2::" + std::to_string(i));
  EXPECT_EQ(Parameter(office->ByPassword("ada", "correct horse battery", "2001:db8:1:2:ffff::")), kTooMany);
  for (int i = 0; i < 5; ++i) (void)office->ByPassword("x" + std::to_string(i), "wrong", "2001:db8::2");
  EXPECT_TRUE(office->ByPassword("ada", "correct horse battery", "2001:db8::3")) << "she logged in from there before";
}

TEST(People, TokensThatFailAndRequestsWithoutOneKeepNoPasswordOut) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  for (int i = 0; i < 60; ++i) EXPECT_EQ(Parameter(office->ByToken("", "a")), kNotRecognised) << "nobody guesses";
  for (int i = 0; i < 60; ++i) (void)office->ByToken("kith_x", "a");
  for (int i = 0; i < 60; ++i) (void)office->ByScram("ada", "message", std::string(32, 'x'), "a");
  EXPECT_EQ(Parameter(office->ByToken("kith_x", "a")), kTooMany);
  EXPECT_TRUE(office->ByPassword("ada", "correct horse battery", "a"));
}

// As many guesses at one moment as there are threads are no way around the limit.
TEST(People, GuessesAtTheSameMomentCount) {
  Office office;
  office.options.most_per_name = 10;
  office.options.most_per_address = 1000;
  office.options.scrypt_log_n = 12;
  office.Reopen();
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  std::atomic<int> looked_at = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) looked_at += Parameter(office->ByPassword("ada", "wrong", "a")) == kNotRecognised;
    });
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(looked_at, 10);
}

// The work is the same for an unknown name: a known user's wrong password takes as long, within a factor that hashing
// decides.
// Otherwise the time of a refusal would tell which names there are. What hashing costs is counted, not timed.
TEST(People, APasswordOfNobodyIsHashedAsWell) {
  Office office;
  office.options.scrypt_log_n = 6;
  office.Reopen();
  ASSERT_TRUE(office->Add("ada", Role::kCurator));
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  const auto cost = [&](const char* name) {
    hashing_cost = 0;
    EXPECT_FALSE(office->ByPassword(name, "wrong", ""));
    return hashing_cost.load();
  };
  EXPECT_EQ(cost("ada"), 64U);
  EXPECT_EQ(cost("nobody"), 64U);
}

TEST(People, FailedTokensFromOneAddressAreSlowedDownAndGoodOnesAreNot) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  const auto made = office->AddToken("ada", "one", std::nullopt);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Parameter(office->ByToken("kith_x", "a")), kNotRecognised);
  EXPECT_EQ(Parameter(office->ByToken("kith_x", "a")), kTooMany);
  EXPECT_EQ(Parameter(office->ByToken("kith_x", "b")), kNotRecognised);
  EXPECT_TRUE(office->ByToken(made->token, "a"));
}

TEST(People, WhoeverFailsWithScramAllTheTimeIsNotEvenAsked) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  for (int i = 0; i < 50; ++i) (void)office->ByToken("kith_x", "a");
  EXPECT_TRUE(office->MayTry("a")) << "failures over HTTP may be those of everybody behind a proxy";
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(office->MayTry("a")) << i;
    EXPECT_FALSE(office->ByScram(i % 2 == 0 ? "ada" : "nobody", "message", std::string(32, 'x'), "a"));
    EXPECT_FALSE(office->ByScram("ada", "message", std::string(32, 'x'), "")) << "without an address there is no limit";
  }
  EXPECT_EQ(Parameter(office->MayTry("a")), kTooMany);
  EXPECT_TRUE(office->MayTry("b"));
  EXPECT_TRUE(office->MayTry(""));
  *office.now += 15 * 60;
  EXPECT_TRUE(office->MayTry("a"));
}

}  // namespace
}  // namespace kith::people
