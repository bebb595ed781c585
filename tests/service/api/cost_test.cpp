// Untrusted fields, keys and glossaries take time in proportion to their size.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "service/api/api_keys.h"
#include "service/api/fields.h"
#include "tests/common/cpu_cost.h"
#include "tests/common/scratch.h"

namespace dietmt::service {
namespace {

// `count` copies of `text`, with # replaced by the copy's number.
std::string numbered(const std::string& text, size_t count) {
  std::string all;
  for (size_t i = 0; i < count; ++i)
    for (const char c : text) c == '#' ? all += std::to_string(1'000'000 + i) : all += c;
  return all;
}

void read_fields(const std::string& type, const std::string& body) {
  Call call;
  call.content_type = type;
  call.body = body;
  try {
    const Fields fields(call);
    fields.allow_only({"q"});
    fields.texts("q");
  } catch (const RequestError&) {
  }
}

TEST(FieldCostTest, OfBodies) {
  struct Input {
    const char* type;
    std::string begin, part, end;
  };
  for (const auto& [type, begin, part, end] :
       std::vector<Input>{{"application/json", "{\"q\":", "[", ""},
                          {"application/json", "{\"q\":", "{\"a\":", ""},
                          {"application/json", "{\"q\":[\"\"", ",\"a\"", "]}"},
                          {"application/json", "{\"q\":[0", ",1e9", "]}"},
                          {"application/json", "{\"q\":\"", "\\u00e4", "\"}"},
                          {"application/json", "{\"q\":\"", "\\", "\"}"},
                          {"application/json", "{\"q\":\"a\"", ",\"#\":1", "}"},
                          {"application/json", "{\"q\":\"a\"", ",\"b\":1", "}"},
                          {"application/json", "", " ", ""},
                          {"application/x-www-form-urlencoded", "q=", "%00", ""},
                          {"application/x-www-form-urlencoded", "q=a", "&q=a", ""},
                          {"application/x-www-form-urlencoded", "q=a", "&#=a", ""}}) {
    SCOPED_TRACE(begin + "..." + part);
    const auto make = [&](size_t count) { return begin + numbered(part, count) + end; };
    // Enough of them to exceed a core's cache, where half of them would be cheaper each.
    EXPECT_LE(cost_growth(16'000, make, [&](const std::string& body) { read_fields(type, body); }),
              kLinearGrowth);
  }
}

TEST(FieldCostTest, OfFormsWithManyParts) {
  for (const bool is_same : {false, true}) {
    const auto make = [&](size_t count) {
      Call call;
      call.content_type = "multipart/form-data";
      for (size_t i = 0; i < count; ++i)
        call.form.emplace_back(is_same ? "q" : std::to_string(1'000'000 + i), "a");
      return call;
    };
    EXPECT_LE(cost_growth(3'000, make, [](const Call& call) { Fields fields(call); }),
              kLinearGrowth);
  }
}

class KeyCostTest : public ScratchTest {};

TEST_F(KeyCostTest, OfAFileOfKeys) {
  const auto make = [&](size_t count) {
    return write("keys" + std::to_string(count), numbered("0123456789#,name#,0\n", count));
  };
  EXPECT_LE(cost_growth(1'500, make, [](const std::string& file) { ApiKeys keys(file); }),
            kLinearGrowth);
}

}  // namespace
}  // namespace dietmt::service
