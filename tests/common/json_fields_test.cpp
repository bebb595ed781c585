#include "common/json_fields.h"

#include <gtest/gtest.h>

#include "common/error.h"

namespace dietmt {
namespace {

int64_t parsed(const char* text) { return whole_number(nlohmann::json::parse(text)); }

TEST(WholeNumber, HasSixtyFourBits) {
  EXPECT_EQ(parsed("0"), 0);
  EXPECT_EQ(parsed("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parsed("9223372036854775807"), INT64_MAX);
  for (const char* text : {"9223372036854775808", "18446744073709551616", "3.7e+45", "1.5", "2.0",
                           "\"3\"", "null", "true", "[1]"})
    EXPECT_THROW(parsed(text), CheckpointError) << text;
}

TEST(WholeNumber, IsToldFromOthers) {
  EXPECT_TRUE(is_whole_number(-7));
  EXPECT_FALSE(is_whole_number(7.0));
  EXPECT_FALSE(is_whole_number(UINT64_MAX));
}

TEST(ReadField, TakesOtherTypesAsTheyAre) {
  int64_t count = 0;
  double share = 0;
  std::string name;
  read_field(nlohmann::json(3), count);
  read_field(nlohmann::json(0.5), share);
  read_field(nlohmann::json("x"), name);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(share, 0.5);
  EXPECT_EQ(name, "x");
  EXPECT_THROW(read_field(nlohmann::json(1e30), count), CheckpointError);
}

}  // namespace
}  // namespace dietmt
