// Files of the attack as people have them, and samples.
#include "experiment/attack_input.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "engine/duckdb/duckdb_session.h"
#include "experiment/sample.h"

namespace kith::cli {
namespace {

class AttackInputTest : public ::testing::Test {
 protected:
  AttackInputTest() { std::filesystem::create_directories(folder_); }
  ~AttackInputTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  Result<AttackInput> Read(const std::string& visits, const std::string& friends, const std::string& columns = "") {
    return ReadAttackInput({visits, friends, columns}, CancelFlag());
  }
  static std::string All(const std::filesystem::path& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  const std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) /
      ("attack_" + std::to_string(::getpid()) + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

constexpr const char* kFriends = "a,b\n10,9\n9,10\n10,10\n9,77\n";

void ExpectThePeople(const AttackInput& input) {
  ASSERT_EQ(input.visits.users, 2u);
  EXPECT_EQ(input.check_ins, 4u);
  EXPECT_EQ(input.friendships, 1u);
  EXPECT_EQ(input.friends, (attack::Friends{{1}, {0}}));
  ASSERT_EQ(input.visits.places.size(), 2u);
  EXPECT_NEAR(input.visits.places[0].lat, 40.5, 1e-9) << "place 9 comes before place 10";
  ASSERT_EQ(input.visits.visits.size(), 3u);
  EXPECT_EQ(input.visits.visits[0].user, 0u) << "user 9 comes before user 10";
  EXPECT_EQ(input.visits.visits[0].times, 2u);
}

TEST_F(AttackInputTest, HeadersTabsAndParquetReadTheSame) {
  const auto friends = Write("friends.csv", kFriends);
  const auto csv = Write("visits.csv",
                         "uid,time,latitude,longitude,venue\n10,t,41,-74,10\n9,t,40.5,-73,9\n9,t,40.5,-73,9\n"
                         "10,t,40.5,-73,9\n10,t,,,9\n10,t,99,0,9\n");
  const auto input = Read(csv, friends);
  ASSERT_TRUE(input) << input.error().Text();
  ExpectThePeople(*input);
  EXPECT_EQ(input->left_out_visits, 2u);
  EXPECT_EQ(input->left_out_edges, 3u) << "the header, a user and themselves, a stranger";
  const auto tsv =
      Write("visits.tsv", "10\tt\t41\t-74\t10\n9\tt\t40.5\t-73\t9\n9\tt\t40.5\t-73\t9\n10\tt\t40.5\t-73\t9\n");
  const auto tabs = Read(tsv, friends, "user, time, lat, lon, place");
  ASSERT_TRUE(tabs) << tabs.error().Text();
  ExpectThePeople(*tabs);
  const auto database = DuckDb::Open("", {}).value();
  const auto connection = database.Connect().value();
  const std::string parquet = (folder_ / "visits.parquet").string();
  ASSERT_TRUE(connection.Execute("COPY (SELECT uid, latitude AS lat, longitude AS lon, venue AS place FROM read_csv(" +
                                     QuotedText(csv) + ") WHERE latitude < 90) TO " + QuotedText(parquet),
                                 CancelFlag()));
  const auto packed = Read(parquet, friends);
  ASSERT_TRUE(packed) << packed.error().Text();
  ExpectThePeople(*packed);
}

TEST_F(AttackInputTest, CoordinatesAreThePlacesWhereNoneIsNamed) {
  const auto visits = Write("visits.csv", "user,lat,lon\nb,41,-74\na,40.5,-73\na,40.5,-73\nb,40.5,-73\n");
  const auto input = Read(visits, Write("friends.csv", "a,b\n"));
  ASSERT_TRUE(input) << input.error().Text();
  ExpectThePeople(*input);
}

TEST_F(AttackInputTest, ErrorsSayWhatToDoAndQuoteNoData) {
  const auto friends = Write("friends.csv", kFriends);
  const auto visits = Write("visits.csv", "user,lat,lon\n1,secret,-74\n");
  for (const auto& input : {Read(visits, friends), Read(Write("no.csv", "a,b,c\n1,2,3\n"), friends),
                            Read(Write("v.xlsx", "x"), friends), Read((folder_ / "missing.csv").string(), friends),
                            Read(Write("fields.csv", "user,lat,lon\n1,2,3\nsecret,1\n4,5,6,7,8\n"), friends),
                            Read(visits, Write("one.csv", "a\n1\n"))}) {
    ASSERT_FALSE(input);
    EXPECT_EQ(input.error().Text().find("secret"), std::string::npos);
    EXPECT_FALSE(input.error().next.empty()) << input.error().Text();
  }
}

TEST_F(AttackInputTest, SamplesAreTheSameForTheSameSeedAndLookLikeACity) {
  for (const char* part : {"one", "two", "three"}) std::filesystem::create_directories(folder_ / part);
  ASSERT_TRUE(WriteGowallaLike({400, 5, folder_ / "one"}));
  ASSERT_TRUE(WriteGowallaLike({400, 5, folder_ / "two"}));
  ASSERT_TRUE(WriteGowallaLike({400, 6, folder_ / "three"}));
  for (const char* file : {"visits.csv", "friends.csv"}) {
    EXPECT_EQ(All(folder_ / "one" / file), All(folder_ / "two" / file));
    EXPECT_NE(All(folder_ / "one" / file), All(folder_ / "three" / file));
  }
  const auto input = Read((folder_ / "one/visits.csv").string(), (folder_ / "one/friends.csv").string());
  ASSERT_TRUE(input) << input.error().Text();
  EXPECT_EQ(input->visits.users, 400u);
  EXPECT_EQ(input->left_out_edges, 1u) << "nothing but the header";
  // Heavy tail: somebody has ten times as many visits as people have on average.
  std::vector<std::size_t> visits(400, 0);
  for (const auto& visit : input->visits.visits) visits[visit.user] += visit.times;
  EXPECT_GT(*std::max_element(visits.begin(), visits.end()) * 400, 10 * input->check_ins);
  // Friends live nearer to each other than strangers.
  const auto patterns = attack::TopPlaces(input->visits, 1).value();
  double near = 0, far = 0, pairs = 0;
  for (std::uint32_t a = 0; a < 400; ++a) {
    for (const std::uint32_t b : input->friends[a]) {
      near += PatternDistanceKm(patterns.Of(a), patterns.Of(b));
      far += PatternDistanceKm(patterns.Of(a), patterns.Of((b + 200) % 400));
      ++pairs;
    }
  }
  EXPECT_GT(pairs, 400);
  EXPECT_LT(near, 0.8 * far);
}

}  // namespace
}  // namespace kith::cli
