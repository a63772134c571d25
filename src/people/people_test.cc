#include "people/people.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <cmath>
#include <set>
#include <thread>

#include "base/duration.h"
#include "ledger/ledger_test_tools.h"
#include "people/enrol.h"
#include "people/people_test_tools.h"
#include "people/secrets.h"

namespace kith::people {
namespace {

namespace fs = std::filesystem;
using ledger::ReadAll;
using ledger::Scratch;
using ledger::Sql;
using std::chrono::hours;
using std::chrono::seconds;

PlainUnits Units(double epsilon) { return PlainUnits::Floor(epsilon).value(); }

mode_t ModeOf(const fs::path& path) {
  struct stat info = {};
  EXPECT_EQ(::stat(path.c_str(), &info), 0);
  return info.st_mode & 0777U;
}

TEST(People, TheFileIsForItsOwnerAlone) {
  Office office;
  EXPECT_EQ(ModeOf(office.scratch / "state"), 0700U);
  EXPECT_EQ(ModeOf(office.file()), 0600U);
  EXPECT_FALSE(People::Exists(office.scratch / "elsewhere"));
  const auto none = People::Open(office.scratch / "elsewhere", false);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().parameter, "state");
  ASSERT_EQ(::chmod(office.file().c_str(), 0640), 0);
  const auto open = People::Open(office.scratch / "state", false);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().what.find("others may read"), std::string::npos);
}

TEST(People, ATokenIsShownOnceAndStoredAsASaltedHash) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->SetGrant("ada", "clinic", Units(0.5)));
  const auto made = office->AddToken("ada", "laptop", hours(24));
  const auto other = office->AddToken("ada", "server", std::nullopt);
  ASSERT_TRUE(made && other);
  EXPECT_NE(made->token, other->token);
  EXPECT_EQ(made->token.size(), 86U);
  EXPECT_TRUE(made->token.starts_with("kith_" + made->line.id + "_"));
  const auto who = office->ByToken(made->token, "10.0.0.1");
  ASSERT_TRUE(who) << who.error().Text();
  EXPECT_EQ(who->user, "ada");
  EXPECT_TRUE(who->MaySee("clinic"));
  EXPECT_FALSE(who->MaySee("school"));
  EXPECT_EQ(who->AllowanceFor("clinic"), Units(0.5));
  EXPECT_EQ(who->AllowanceFor("school"), PlainUnits()) << "what was not granted is not unlimited";
  EXPECT_EQ((Identity{"curie", Role::kCurator, {}, {}}).AllowanceFor("clinic"), std::nullopt);
  EXPECT_EQ((Identity{"otto", Role::kAuditor, {{"clinic", Units(1)}}, {}}).AllowanceFor("clinic"), PlainUnits());
  // Nothing of the secret is in any file, not even in the log.
  const std::string secret = made->token.substr(22);
  for (const auto& file : fs::directory_iterator(office.scratch / "state")) {
    EXPECT_EQ(ReadAll(file.path()).find(secret), std::string::npos) << file.path();
    EXPECT_EQ(ModeOf(file.path()), 0600U) << file.path();
  }
  // Another process sees the same.
  EXPECT_TRUE(People::Open(office.scratch / "state", false, office.options)->ByToken(made->token, ""));
}

TEST(People, WrongExpiredRevokedAndUnknownTokensGetOneAnswer) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  const auto brief = office->AddToken("ada", "brief", hours(1)), lost = office->AddToken("ada", "lost", std::nullopt);
  const auto kept = office->AddToken("ada", "kept", std::nullopt);
  ASSERT_TRUE(office->Revoke("ada", "lost"));
  std::string wrong = kept->token;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  std::string unknown = kept->token;
  unknown[6] = unknown[6] == '0' ? '1' : '0';
  *office.now += 3600;
  std::set<std::string> texts;
  for (const std::string& bad : {brief->token, lost->token, wrong, unknown, std::string("kith_"), std::string()}) {
    const auto who = office->ByToken(bad, "");
    ASSERT_FALSE(who);
    texts.insert(who.error().Text() + who.error().parameter);
  }
  EXPECT_EQ(texts.size(), 1U);
  EXPECT_TRUE(office->ByToken(kept->token, ""));
  // A removed user is gone at once, and the name comes back without the old token.
  ASSERT_TRUE(office->Remove("ada"));
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  EXPECT_EQ(Parameter(office->ByToken(kept->token, "")), kNotRecognised);
}

TEST(People, NamesRolesAndGrantsAreChecked) {
  Office office;
  for (const char* bad : {"", "-ada", "a b", "a/b", "ä", "\n", "ada.", "ada_", "ada-", "ada@"})
    EXPECT_FALSE(office->Add(bad, Role::kAnalyst)) << bad;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  ASSERT_TRUE(office->Add("curie", Role::kCurator));
  ASSERT_TRUE(office->Add("otto", Role::kAuditor));
  EXPECT_FALSE(office->Add("ada", Role::kCurator));
  for (const char* same : {"ADA", "Ada", "aDa"}) {
    const auto added = office->Add(same, Role::kAnalyst);
    ASSERT_FALSE(added) << same;
    EXPECT_NE(added.error().where.find("'ada'"), std::string::npos) << added.error().Text();
  }
  EXPECT_FALSE(office->SetGrant("nobody", "clinic", Units(1)));
  EXPECT_FALSE(office->SetGrant("curie", "clinic", Units(1)));
  ASSERT_TRUE(office->SetGrant("otto", "clinic", Units(1)));
  ASSERT_TRUE(office->SetGrant("ada", "clinic", Units(1)));
  ASSERT_TRUE(office->SetGrant("ada", "clinic", Units(2)));
  const auto all = office->List();
  ASSERT_EQ(all->size(), 3U);
  EXPECT_EQ(all->at(0).grants, (std::vector<Grant>{{"clinic", Units(2)}}));
  EXPECT_EQ(all->at(2).grants, (std::vector<Grant>{{"clinic", PlainUnits()}})) << "an auditor asks nothing";
  ASSERT_TRUE(office->SetGrant("ada", "clinic", std::nullopt));
  EXPECT_TRUE(office->Find("ada")->grants.empty());
  EXPECT_FALSE(office->AddToken("ada", "", std::nullopt));
  ASSERT_TRUE(office->AddToken("ada", "one", std::nullopt));
  EXPECT_FALSE(office->AddToken("ada", "one", std::nullopt));
  ASSERT_TRUE(office->Revoke("ada", "one"));
  EXPECT_TRUE(office->AddToken("ada", "one", std::nullopt)) << "a revoked name may be used again";
  EXPECT_FALSE(office->Revoke("ada", "two"));
  for (int i = 1; i < 16; ++i) EXPECT_TRUE(office->AddToken("ada", "t" + std::to_string(i), std::nullopt));
  EXPECT_FALSE(office->AddToken("ada", "too many", std::nullopt));
  EXPECT_FALSE(office->SetPassword("ada", "short"));
}

// What a client computes from the password (RFC 5802); PBKDF2 and HMAC are tested by the vector below.
struct ScramClient {
  std::string proof, server_signature;
  ScramClient(const std::string& password, const ScramChallenge& challenge, const std::string& message) {
    const ScramKeys keys = ScramKeysOf(password, challenge.salt, challenge.iterations);
    // ClientKey is not kept: it is found again from its parts.
    proof = HmacBytes(keys.stored_key, message);
    const std::string client_key = ClientKey(password, challenge);
    for (std::size_t i = 0; i < proof.size(); ++i) proof[i] = static_cast<char>(proof[i] ^ client_key[i]);
    server_signature = HmacBytes(keys.server_key, message);
  }
  static std::string ClientKey(const std::string& password, const ScramChallenge& challenge) {
    // PBKDF2 with one block, by hand.
    std::string block = HmacBytes(password, challenge.salt + std::string("\0\0\0\1", 4)), sum = block;
    for (int i = 1; i < challenge.iterations; ++i) {
      block = HmacBytes(password, block);
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] = static_cast<char>(sum[k] ^ block[k]);
    }
    return HmacBytes(sum, "Client Key");
  }
};

TEST(People, ScramAgreesWithTheVectorOfRfc7677) {
  // Salt "W22ZaJ0SNY7soEsUEjb6gQ==" in hexadecimal, without spaces.
  const ScramChallenge vector{Unhex("5b6d99689d12358eeca04b141236fa81"), 4096};
  const std::string message =
      "n=user,r=rOprNGfwEbeRWgbNEkqO,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,"
      "i=4096,c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0";
  const ScramClient client("pencil", vector, message);
  // "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=" and "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=".
  EXPECT_EQ(Hex(client.proof), "747cdb65aa56224e2352137e52d7bdcad6a0f738df30782caa69a2cfb0277554");
  EXPECT_EQ(Hex(client.server_signature), "eabae24d1062db75a9451ff0b6ea7e98c8546549ff741e672d3251b2397de46e");
  EXPECT_TRUE(Proves(ScramKeysOf("pencil", vector.salt, 4096).stored_key, message, client.proof));
  EXPECT_FALSE(Proves(ScramKeysOf("pencils", vector.salt, 4096).stored_key, message, client.proof));
}

TEST(People, AnyTokenOfAUserIsItsPostgresqlPassword) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  const auto one = office->AddToken("ada", "one", std::nullopt), two = office->AddToken("ada", "two", hours(1));
  const ScramChallenge challenge = office->Challenge("ada");
  EXPECT_EQ(challenge.salt.size(), 16U);
  for (const auto* token : {&*one, &*two}) {
    const ScramClient client(token->token, challenge, "message");
    const auto accepted = office->ByScram("ada", "message", client.proof, "");
    ASSERT_TRUE(accepted) << accepted.error().Text();
    EXPECT_EQ(accepted->server_signature, client.server_signature);
    EXPECT_EQ(accepted->who.token, token->line.id);
    EXPECT_FALSE(office->ByScram("ada", "another message", client.proof, ""));
    EXPECT_FALSE(office->ByScram("eve", "message", client.proof, ""));
  }
  *office.now += 3600;
  EXPECT_FALSE(office->ByScram("ada", "message", ScramClient(two->token, challenge, "message").proof, ""));
  ASSERT_TRUE(office->Revoke("ada", ""));
  EXPECT_FALSE(office->ByScram("ada", "message", ScramClient(one->token, challenge, "message").proof, ""));
  // For an unknown name: its own salt, always the same one.
  EXPECT_EQ(office->Challenge("nobody").salt, office->Challenge("nobody").salt);
  EXPECT_NE(office->Challenge("nobody").salt, office->Challenge("none").salt);
  EXPECT_EQ(office->Challenge("nobody").salt.size(), 16U);
  const std::string before = office->Challenge("new").salt;
  ASSERT_TRUE(office->Add("new", Role::kAnalyst));
  EXPECT_EQ(office->Challenge("new").salt, before) << "it does not tell who has an account";
}

TEST(People, SessionsEndWhenIdleWhenOldAndWithTheirToken) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  const auto token = office->AddToken("ada", "one", std::nullopt);
  const Identity who = office->ByToken(token->token, "").value();
  const auto begin = [&] { return office->Begin(who).value(); };
  const NewSession first = begin(), second = begin();
  EXPECT_NE(first.cookie, second.cookie);
  EXPECT_NE(first.csrf, second.csrf);
  EXPECT_EQ(ReadAll(office.file()).find(first.cookie), std::string::npos);
  EXPECT_EQ(ReadAll(office.file().string() + "-wal").find(first.cookie), std::string::npos);
  ASSERT_TRUE(office->BySession(first.cookie));
  EXPECT_EQ(office->BySession(first.cookie)->csrf, first.csrf);
  EXPECT_EQ(Parameter(office->BySession("x")), kNotRecognised);
  // Used, it lives; idle, it does not.
  for (int i = 0; i < 4; ++i) {
    *office.now += 20 * 60;
    EXPECT_TRUE(office->BySession(first.cookie)) << i;
  }
  EXPECT_FALSE(office->BySession(second.cookie));
  for (int i = 0; i < 40; ++i) {
    *office.now += 20 * 60;
    (void)office->BySession(first.cookie);
  }
  EXPECT_FALSE(office->BySession(first.cookie)) << "twelve hours are over";
  const NewSession third = begin(), fourth = begin();
  ASSERT_TRUE(office->End(third.cookie));
  EXPECT_FALSE(office->BySession(third.cookie));
  ASSERT_TRUE(office->Revoke("ada", "one"));
  EXPECT_FALSE(office->BySession(fourth.cookie));
  EXPECT_FALSE(office->ByToken(token->token, ""));
  const NewSession fifth = office->Begin({"ada", Role::kAnalyst, {}, {}}).value();
  ASSERT_TRUE(office->SetPassword("ada", "correct horse battery"));
  EXPECT_FALSE(office->BySession(fifth.cookie)) << "a new password ends sessions";
  const NewSession sixth = office->Begin({"ada", Role::kAnalyst, {}, {}}).value();
  ASSERT_TRUE(office->Revoke("ada", "one"));
  EXPECT_TRUE(office->BySession(sixth.cookie)) << "one token is not everything";
  ASSERT_TRUE(office->Revoke("ada", ""));
  EXPECT_FALSE(office->BySession(sixth.cookie)) << "taking all of them ends what a password has opened, too";
  ASSERT_TRUE(office->Remove("ada"));
  EXPECT_FALSE(office->Begin(who));
}

NewApproval Wanted(const std::string& request) {
  return {"ada", "clinic", request, "{\"plan\": 1}", Units(0.3), seconds(3600)};
}

TEST(People, ApprovalIsForOneQuestionOfOnePersonOnce) {
  Office office;
  for (const char* name : {"ada", "eve"}) ASSERT_TRUE(office->Add(name, Role::kAnalyst));
  const Identity curie{"curie", Role::kCurator, {}, {}}, eve{"eve", Role::kAnalyst, {}, {}};
  const auto asked = office->Submit(Wanted("q1"));
  ASSERT_TRUE(asked) << asked.error().Text();
  EXPECT_EQ(asked->state, ApprovalState::kWaiting);
  EXPECT_EQ(office->Submit(Wanted("q1"))->id, asked->id) << "asked twice, waits once";
  EXPECT_EQ(office->Approvals("", "", true)->size(), 1U);
  EXPECT_FALSE(office->Take(asked->id, "ada", "clinic", "q1"));
  EXPECT_FALSE(office->Decide(asked->id, eve, true, ""));
  EXPECT_FALSE(office->Decide(asked->id, {"ada", Role::kCurator, {}, {}}, true, "")) << "not about an own question";
  const auto decided = office->Decide(asked->id, curie, true, "fine");
  ASSERT_TRUE(decided);
  EXPECT_EQ(decided->decided_by, "curie");
  const auto twice = office->Decide(asked->id, curie, true, "");
  ASSERT_FALSE(twice) << "decided once";
  EXPECT_EQ(twice.error().next, "its user can ask it with its number until it lapses");
  EXPECT_FALSE(office->Take(asked->id, "eve", "clinic", "q1"));
  EXPECT_FALSE(office->Take(asked->id, "ada", "school", "q1"));
  EXPECT_FALSE(office->Take(asked->id, "ada", "clinic", "q2"));
  const auto taken = office->Take(asked->id, "ada", "clinic", "q1");
  ASSERT_TRUE(taken) << taken.error().Text();
  EXPECT_EQ(taken->price, Units(0.3));
  EXPECT_EQ(Parameter(office->Take(asked->id, "ada", "clinic", "q1")), kNotApproved) << "once";
  ASSERT_TRUE(office->PutBack(asked->id));
  EXPECT_TRUE(office->Take(asked->id, "ada", "clinic", "q1"));
  EXPECT_EQ(office->Decide(asked->id, curie, true, "").error().next,
            "its user has asked it; what was answered once is free");

  const auto vetoed = office->Submit(Wanted("q2"));
  ASSERT_TRUE(office->Decide(vetoed->id, curie, false, "too dear"));
  EXPECT_EQ(office->Decide(vetoed->id, curie, true, "").error().next,
            "the question can be asked again, and then waits again");
  EXPECT_FALSE(office->Take(vetoed->id, "ada", "clinic", "q2"));
  EXPECT_EQ(office->FindApproval(vetoed->id)->reason, "too dear");
}

TEST(People, ApprovalsLapseBeforeAndAfterTheDecision) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  const Identity curie{"curie", Role::kCurator, {}, {}};
  const auto late = office->Submit(Wanted("late")), unused = office->Submit(Wanted("unused"));
  ASSERT_TRUE(office->Decide(unused->id, curie, true, ""));
  *office.now += 3600;
  EXPECT_FALSE(office->Decide(late->id, curie, true, ""));
  EXPECT_FALSE(office->Take(unused->id, "ada", "clinic", "unused"));
  const auto approvals = office->Approvals("ada", "", false).value();
  for (const auto& each : approvals) EXPECT_EQ(NameOf(each.state), "lapsed") << each.request;
  EXPECT_TRUE(office->Approvals("", "", true)->empty());
  EXPECT_NE(office->Submit(Wanted("late"))->id, late->id) << "it can be asked again";
}

TEST(People, EightMakeTheFileAtOnceAndShareOne) {
  const Scratch scratch;
  std::atomic<int> added = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      auto people = People::Open(scratch / "state", true);
      if (people && people->Add("user" + std::to_string(i), Role::kAuditor)) ++added;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(added, 8);
  EXPECT_EQ(People::Open(scratch / "state", false)->List()->size(), 8U);
  for (const auto& file : fs::directory_iterator(scratch / "state"))
    EXPECT_EQ(file.path().filename().string().find(".new"), std::string::npos) << file.path();
}

// Eight threads with a connection each want the one granted question; and eight with one.
TEST(People, AnApprovalIsTakenOnceWhoeverRaces) {
  Office office;
  ASSERT_TRUE(office->Add("ada", Role::kAnalyst));
  for (const bool shared : {false, true}) {
    const auto asked = office->Submit(Wanted(shared ? "shared" : "apart"));
    ASSERT_TRUE(office->Decide(asked->id, {"curie", Role::kCurator, {}, {}}, true, ""));
    std::atomic<int> taken = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto own = People::Open(office.scratch / "state", false, office.options);
        const People& people = shared ? *office : *own;
        if (people.Take(asked->id, "ada", "clinic", asked->request)) ++taken;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(taken, 1);
  }
}

// Checking the role beforehand would not do: the name may be somebody else's by then.
TEST(People, WhoeverMayNotBeChangedFromAfarIsNotWhateverWasSeenBefore) {
  Office office;
  for (const auto& [name, role] : {std::pair("cleo", Role::kCurator), {"otto", Role::kOperator}}) {
    ASSERT_TRUE(office->Add(name, role));
    EXPECT_EQ(Parameter(office->AddToken(name, "stolen", std::nullopt, Whom::kThoseWhoAsk)), kNotTheirs);
    EXPECT_EQ(Parameter(office->Remove(name, Whom::kThoseWhoAsk)), kNotTheirs);
    EXPECT_TRUE(office->Find(name)->tokens.empty());
    EXPECT_TRUE(office->AddToken(name, "own", std::nullopt));
  }
  for (const auto& [name, role] : {std::pair("ada", Role::kAnalyst), {"eve", Role::kAuditor}}) {
    ASSERT_TRUE(office->Add(name, role));
    EXPECT_TRUE(office->AddToken(name, "one", std::nullopt, Whom::kThoseWhoAsk));
    EXPECT_TRUE(office->Remove(name, Whom::kThoseWhoAsk));
  }
}

TEST(People, SomebodyIsEnrolledAsAWholeOrNotAtAll) {
  Office office;
  const auto made = Enrol(*office, {"ada", Role::kAnalyst, {{"clinic", 0.5}, {"school", 0.25}}, "laptop", hours(1)});
  ASSERT_TRUE(made);
  EXPECT_EQ(made->line.name, "laptop");
  EXPECT_EQ(office->ByToken(made->token, "")->AllowanceFor("school"), Units(0.25));
  EXPECT_FALSE(Enrol(*office, {"ada", Role::kAuditor, {}, "other", std::nullopt}));
  EXPECT_TRUE(office->ByToken(made->token, "")) << "whoever was there before stays as before";
  for (const NewUser& wrong : std::vector<NewUser>{{"bob", Role::kAnalyst, {{"clinic", std::nullopt}}, "one", {}},
                                                   {"bob", Role::kAnalyst, {{"clinic", -1.0}}, "one", {}},
                                                   {"bob", Role::kCurator, {{"clinic", 1.0}}, "one", {}},
                                                   {"bob", Role::kAnalyst, {{"clinic", 1.0}}, "", {}}}) {
    EXPECT_FALSE(Enrol(*office, wrong));
    EXPECT_FALSE(office->Find("bob"));
  }
  ASSERT_TRUE(Enrol(*office, {"eve", Role::kAuditor, {{"clinic", std::nullopt}}, "one", std::nullopt}));
  EXPECT_EQ(Parameter(SetGrant(*office, "ada", {"clinic", std::nullopt})), "user.epsilon");
  EXPECT_TRUE(SetGrant(*office, "eve", {"school", std::nullopt}));
  EXPECT_EQ(LifeOf("never").value(), std::nullopt);
  EXPECT_EQ(LifeOf(kUsualLife).value(), hours(24 * 90));
  EXPECT_EQ(Parameter(LifeOf("0s")), "user.expires");
}

TEST(People, AllowancesReadAsTheyWereWritten) {
  for (const double epsilon : {0.0, 0.1, 0.5, 0.8, 3.0, 1048576.0}) {
    const auto units = AllowanceOf(epsilon).value();
    EXPECT_GE(units.epsilon(), epsilon);
    EXPECT_LT(units.epsilon(), epsilon + 1e-9);
  }
  for (const double bad : {-0.1, 1048577.0, std::nan("")}) EXPECT_FALSE(AllowanceOf(bad));
}

TEST(People, LengthsOfTimeAreWholeNumbersWithAUnit) {
  EXPECT_EQ(DurationOf("100ms"), std::chrono::milliseconds(100));
  EXPECT_EQ(DurationOf("90d"), hours(24 * 90));
  EXPECT_EQ(DurationOf("2 w"), hours(24 * 14));
  for (const char* bad : {"", "d", "-1d", "1.5h", "1 year", "1d ", "99999999999999999999s", "999999d"})
    EXPECT_EQ(DurationOf(bad), std::nullopt) << bad;
}

TEST(People, ADamagedFileIsAnErrorAboutUsers) {
  Office office;
  office.people.reset();
  ledger::WriteAll(office.file(), "this is no database, but it is long enough to be looked at as if it were one");
  const auto opened = People::Open(office.scratch / "state", false);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::kStorage);
  EXPECT_EQ(opened.error().what, "the file of users cannot be read or written") << opened.error().Text();
}

}  // namespace
}  // namespace kith::people
