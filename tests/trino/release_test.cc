// Whole answers, with ledger and noise, from tables behind Trino.
#include "release/release.h"

#include <fstream>

#include "engine/trino/failure.h"
#include "tests/trino/relay.h"
#include "tests/trino/server.h"

namespace kith::testing {
namespace {

class TrinoRelease : public TrinoTest {
 protected:
  TrinoRelease() {
    other_.Do("CREATE TABLE " + In("lake") +
              " AS SELECT n AS id, n % 3 AS x FROM TABLE(sequence(start => 1, stop => 3000)) AS v(n)");
  }

  std::filesystem::path WritePolicy(int port) const {
    std::ofstream(folder_ / "p.toml") << "[data]\nengine = \"trino\"\nhost = \"127.0.0.1\"\ntls = false\nport = "
                                      << port << "\ncatalog = \"lake\"\nschema = \"" << schema_
                                      << "\"\nuser = \"kith\"\ntables.t = \"t\"\n[unit]\ntable = \"t\"\nkey = \"id\"\n"
                                         "max_rows = 1\npresence = \"secret\"\n[columns.t]\nx = { type = \"integer\", "
                                         "lower = 0, upper = 2 }\n[dependence]\nsource = \"public\"\nkind = "
                                         "\"independent\"\n[budget]\nepsilon = 10\nledger = \"p.ledger\"\n";
    return folder_ / "p.toml";
  }
  static int ServerPort() { return std::stoi(TrinoAddress().substr(TrinoAddress().rfind(':') + 1)); }

  static Result<Answer> Ask(const std::filesystem::path& policy, const std::string& question) {
    const auto curator = Curator::Open(policy, {});
    if (!curator) return curator.error();
    Price price;
    price.epsilon = 1;
    return curator->Release(QuestionRequest{question}, price, {}, {});
  }
  static double Spent(const std::filesystem::path& policy) {
    const auto curator = Curator::Open(policy, {});
    EXPECT_TRUE(curator) << curator.error().Text();
    const auto budget = curator->Budget();
    EXPECT_TRUE(budget) << budget.error().Text();
    return budget->cells.at(0).plain_spent;
  }
};

TEST_F(TrinoRelease, AnAnswerIsChargedAndNearTheTruth) {
  const auto policy = WritePolicy(ServerPort());
  const auto answer = Ask(policy, "SELECT count(*) FROM t WHERE x = 1");
  ASSERT_TRUE(answer) << answer.error().Text();
  EXPECT_NEAR(static_cast<double>(std::get<std::int64_t>(answer->rows.at(0).at(0).value)), 1000, 60);
  EXPECT_NEAR(Spent(policy), 1, 1e-9);
  const auto again = Ask(policy, "SELECT count(*) FROM t WHERE x = 1");
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->stored);
}

TEST_F(TrinoRelease, AWayThatIsCutInTheMiddleOfAQuestion) {
  int port = 0;
  std::filesystem::path policy;
  {
    const Relay relay(ServerPort(), "sum(");
    port = relay.port();
    policy = WritePolicy(port);
    const auto before = Ask(policy, "SELECT count(*) FROM t");
    ASSERT_TRUE(before) << before.error().Text();
    EXPECT_FALSE(relay.cut());
    const auto answer = Ask(policy, "SELECT sum(x) FROM t");
    EXPECT_TRUE(relay.cut());
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kStorage);
    EXPECT_NE(answer.error().Text().find(trino::AfterData().what), std::string::npos) << answer.error().Text();
  }
  EXPECT_NEAR(Spent(policy), 2, 1e-9);  // the charge remains
  const auto closed = Ask(policy, "SELECT sum(x) FROM t WHERE x > 0");
  ASSERT_FALSE(closed);
  EXPECT_NE(closed.error().Text().find("cannot be reached"), std::string::npos) << closed.error().Text();
  const double spent = Spent(policy);
  const Relay relay(ServerPort(), "", port);
  const auto next = Ask(policy, "SELECT sum(x) FROM t");  // no stored answer: a fresh one, charged again
  ASSERT_TRUE(next) << next.error().Text();
  EXPECT_FALSE(next->stored);
  EXPECT_NEAR(static_cast<double>(std::get<std::int64_t>(next->rows.at(0).at(0).value)), 3000, 100);
  EXPECT_NEAR(Spent(policy), spent + 1, 1e-9);
}

}  // namespace
}  // namespace kith::testing
