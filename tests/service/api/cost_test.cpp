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
                          {"application/json", "{\"q\":\"a\"", ",\"@\":1", "}"},
                          {"application/json", "{\"q\":\"a\"", ",\"b\":1", "}"},
                          {"application/json", "", " ", ""},
                          {"application/x-www-form-urlencoded", "q=", "%00", ""},
                          {"application/x-www-form-urlencoded", "q=a", "&q=a", ""},
                          {"application/x-www-form-urlencoded", "q=a", "&@=a", ""}}) {
    SCOPED_TRACE(begin + "..." + part);
    const auto make = [&](size_t bytes) { return begin + repeated(part, bytes) + end; };
    // Large enough to exceed a core's cache, where half of it would be cheaper.
    EXPECT_LE(cost_growth(100'000, make, [&](const std::string& body) { read_fields(type, body); }),
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
  const auto make = [&](size_t bytes) {
    return write("keys" + std::to_string(bytes), repeated("0123456789abcdef@,name@,0\n", bytes));
  };
  EXPECT_LE(cost_growth(50'000, make, [](const std::string& file) { ApiKeys keys(file); }),
            kLinearGrowth);
}

}  // namespace
}  // namespace dietmt::service
