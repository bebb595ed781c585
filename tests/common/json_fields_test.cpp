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

TEST(ParseJson, RefusesWhatIsNestedTooDeeply) {
  const auto nested = [](int64_t levels) {
    return std::string(levels, '[') + R"("[[\"[[")" + std::string(levels, ']');
  };
  EXPECT_TRUE(parse_json(nested(500)).is_array());
  for (const int64_t levels : {501, 200'000}) {
    try {
      parse_json(nested(levels));
      FAIL() << levels;
    } catch (const CheckpointError& error) {
      EXPECT_STREQ(error.what(), "is nested more than 500 levels deep");
    }
  }
}

struct ReadFields {
  int64_t count = 0;
  double share = 0;
  bool flag = false;
  std::string name;
};

ReadFields fields(const char* text) {
  const auto object = nlohmann::json::parse(text);
  ReadFields read;
  read_field(object, "count", read.count);
  read_field(object, "share", read.share);
  read_field(object, "flag", read.flag);
  read_field(object, "name", read.name);
  return read;
}

std::string field_problem(const char* text) {
  try {
    fields(text);
  } catch (const CheckpointError& error) {
    return error.what();
  }
  return "none";
}

TEST(ReadField, TakesTheTypeOfTheField) {
  const ReadFields read = fields(R"({"count": 3, "share": 0.5, "flag": true, "name": "x"})");
  EXPECT_EQ(read.count, 3);
  EXPECT_EQ(read.share, 0.5);
  EXPECT_TRUE(read.flag);
  EXPECT_EQ(read.name, "x");
}

TEST(ReadField, NamesTheFieldAtFault) {
  EXPECT_EQ(field_problem("{}"), "count is missing");
  EXPECT_EQ(field_problem("[]"), "count is missing");
  EXPECT_EQ(field_problem(R"({"count": 1e30})"), "count is 1e+30; it must be a whole number");
  EXPECT_EQ(field_problem(R"({"count": 1, "share": "x"})"), "share is \"x\"; it must be a number");
  EXPECT_EQ(field_problem(R"({"count": 1, "share": 1, "flag": 1})"),
            "flag is 1; it must be true or false");
  EXPECT_EQ(field_problem(R"({"count": 1, "share": 1, "flag": true, "name": 3})"),
            "name is 3; it must be text in quotation marks");
}

TEST(JsonProblem, LeavesOutTheLibrarysPrefix) {
  try {
    const auto parsed = nlohmann::json::parse("{");
    FAIL() << parsed;
  } catch (const nlohmann::json::exception& error) {
    EXPECT_EQ(json_problem(error).rfind("parse error at line 1", 0), 0U);
  }
}

}  // namespace
}  // namespace dietmt
