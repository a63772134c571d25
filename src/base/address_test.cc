#include "base/address.h"

#include <gtest/gtest.h>

namespace kith {
namespace {

TEST(Addresses, HaveOneSpelling) {
  EXPECT_EQ(IpAddressOf("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(IpAddressOf("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(IpAddressOf("2001:0DB8::0:1"), "2001:db8::1");
  for (const char* bad : {"", "192.0.2", "192.0.2.1:80", "[::1]", "a", "192.0.2.1 ", "localhost", "192.0.2.1\n"})
    EXPECT_EQ(IpAddressOf(bad), std::nullopt) << bad;
  EXPECT_EQ(IpAddressOf(std::string_view("::1\0x", 5)), std::nullopt);
}

TEST(Addresses, OfOneHouseAreOneNetwork) {
  EXPECT_EQ(NetworkOf("192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(NetworkOf("::ffff:192.0.2.1"), "192.0.2.1");
  EXPECT_EQ(NetworkOf("2001:db8:1:2:3:4:5:6"), NetworkOf("2001:db8:1:2:f::"));
  EXPECT_NE(NetworkOf("2001:db8:1:2:3:4:5:6"), NetworkOf("2001:db8:1:3:3:4:5:6"));
  EXPECT_EQ(NetworkOf("a"), "a");
}

}  // namespace
}  // namespace kith
