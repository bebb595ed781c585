// Headers of safetensors files cost time in proportion to their size.
#include <gtest/gtest.h>

#include "common/error.h"
#include "storage/safetensors_file.h"
#include "tests/common/cpu_cost.h"
#include "tests/common/scratch.h"

namespace dietmt::storage {
namespace {

class SafetensorsCostTest : public ScratchTest {
 protected:
  std::string file_of(const std::string& header, size_t data) const {
    const uint64_t length = header.size();
    std::string bytes(reinterpret_cast<const char*>(&length), sizeof length);
    return write(std::to_string(header.size()), bytes + header + std::string(data, '\0'));
  }

  template <typename Make>
  static double growth_of_reading(const Make& make) {
    return cost_growth(50'000, make, [](const std::string& file) {
      try {
        open_safetensors(file);
        load_safetensors_metadata(file);
      } catch (const CheckpointError&) {
      }
    });
  }
};

TEST_F(SafetensorsCostTest, OfManyTensors) {
  const auto make = [&](size_t bytes) {
    std::string header = "{";
    size_t count = 0;
    for (; header.size() < bytes; ++count) {
      const std::string place = std::to_string(count);
      header += (count == 0 ? "\"" : ",\"") + place +
                "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[" + place + "," +
                std::to_string(count + 1) + "]}";
    }
    return file_of(header + "}", count);
  };
  EXPECT_LE(growth_of_reading(make), kLinearGrowth);
}

TEST_F(SafetensorsCostTest, OfOddHeaders) {
  struct Header {
    std::string begin, part, end;
  };
  const std::string tensor = "{\"a\":{\"dtype\":\"U8\",\"data_offsets\":[0,1],\"shape\":[1";
  for (const auto& [begin, part, end] :
       std::vector<Header>{{tensor, ",1", "]}}"},
                           {tensor, ",-1", "]}}"},
                           {tensor, ",[", ""},
                           {"{\"__metadata__\":{\"a\":\"\"", ",\"@\":\"b\"", "}}"},
                           {"{\"a\":0", ",\"a\":0", "}"},
                           {"{\"", "\\u00e4", "\":0}"},
                           {"{\"", "\\", ""},
                           {"", "{\"a\":", ""},
                           {"", " ", "{}"}}) {
    SCOPED_TRACE(begin + "..." + part);
    const auto make = [&](size_t bytes) { return file_of(begin + repeated(part, bytes) + end, 1); };
    EXPECT_LE(growth_of_reading(make), kLinearGrowth);
  }
}

}  // namespace
}  // namespace dietmt::storage
