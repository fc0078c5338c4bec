#include "studio/address.h"

#include <gtest/gtest.h>

#include "studio/token.h"

namespace sinew::studio {
namespace {

TEST(Address, OnLoopbackOnlyItsOwnNames) {
  for (const char* host : {"127.0.0.1:80", "localhost:80", "[::1]:80"})
    EXPECT_TRUE(host_allowed(host, "127.0.0.1", 80)) << host;
  for (const char* host : {"", "127.0.0.1", "127.0.0.1:81", "evil.example:80", "localhost.evil.example:80",
                           "10.0.0.1:80", "127.0.0.1:80:80", "127.0.0.1@evil:80"})
    EXPECT_FALSE(host_allowed(host, "127.0.0.1", 80)) << host;
}

TEST(Address, ElsewhereNumbersAndTheNameThatItWasTold) {
  EXPECT_TRUE(host_allowed("192.168.1.7:80", "0.0.0.0", 80));
  EXPECT_TRUE(host_allowed("[fe80::1]:80", "::", 80));
  EXPECT_FALSE(host_allowed("evil.example:80", "0.0.0.0", 80));
  EXPECT_FALSE(host_allowed("1.2.3.4.evil:80", "0.0.0.0", 80));
}

TEST(Address, PagesOfOtherSitesAreOthers) {
  EXPECT_TRUE(origin_allowed("http://127.0.0.1:80", "127.0.0.1:80"));
  EXPECT_TRUE(origin_allowed("", "127.0.0.1:80"));
  for (const char* origin : {"null", "http://evil.example", "https://127.0.0.1:80", "http://127.0.0.1:81"})
    EXPECT_FALSE(origin_allowed(origin, "127.0.0.1:80")) << origin;
}

TEST(Address, TargetsAreTakenApart) {
  const Target target = read_target("/import?name=a%20b+c.bvh&token=x%zz&=&empty");
  EXPECT_EQ(target.path, "/import");
  EXPECT_EQ(target.query.at("name"), "a b c.bvh");
  EXPECT_EQ(target.query.at("token"), "x%zz");
  EXPECT_EQ(target.query.at("empty"), "");
  EXPECT_TRUE(read_target("").path.empty());
}

TEST(Token, NeverTheSameTwice) {
  EXPECT_EQ(random_token().size(), 32u);
  EXPECT_NE(random_token(), random_token());
  EXPECT_TRUE(same_secret("abc", "abc"));
  EXPECT_FALSE(same_secret("abc", "abd"));
  EXPECT_FALSE(same_secret("abc", "abcd"));
  EXPECT_FALSE(same_secret("", "a"));
}

}  // namespace
}  // namespace sinew::studio
