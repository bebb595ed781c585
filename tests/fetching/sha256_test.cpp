#include "fetching/sha256.h"

#include <gtest/gtest.h>

namespace dietmt::fetching {
namespace {

// FIPS 180-2, appendix B.
constexpr const char* kOfAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

TEST(Sha256Test, PublishedValues) {
  Sha256 hash;
  EXPECT_EQ(hash.digest(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  hash.add("a");
  hash.add("bc");
  EXPECT_EQ(hash.digest(), kOfAbc);
  hash.add("x");
  hash.restart();
  hash.add("abc");
  EXPECT_EQ(hash.digest(), kOfAbc);
}

TEST(Sha256Test, Form) {
  EXPECT_TRUE(is_sha256(kOfAbc));
  EXPECT_FALSE(is_sha256(""));
  EXPECT_FALSE(is_sha256(std::string(kOfAbc).substr(1)));
  EXPECT_FALSE(is_sha256(std::string(64, 'A')));
  EXPECT_FALSE(is_sha256(std::string(64, 'g')));
}

}  // namespace
}  // namespace dietmt::fetching
