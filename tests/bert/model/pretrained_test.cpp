#include "bert/model/pretrained.h"

#include <gmock/gmock.h>

#include "common/error.h"
#include "tests/common/scratch.h"

namespace dietmt::bert {
namespace {

class IsBertTest : public ScratchTest {
 protected:
  bool with_config(const std::string& text) const {
    write("config.json", text);
    return is_bert(scratch());
  }
};

TEST_F(IsBertTest, ReadsTheKindOfModel) {
  EXPECT_FALSE(is_bert(scratch()));
  EXPECT_TRUE(with_config(R"({"architecture": "bert"})"));
  EXPECT_TRUE(with_config(R"({"model_type": "bert"})"));
  EXPECT_FALSE(with_config(R"({"model_type": "marian"})"));
  EXPECT_FALSE(with_config(R"({"architecture": 3})"));
}

TEST_F(IsBertTest, ADamagedConfigurationIsNamed) {
  for (const char* text : {"", "{", "null", "[\"bert\"]"}) {
    try {
      with_config(text);
      ADD_FAILURE() << "accepted " << text;
    } catch (const CheckpointError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("config.json: "));
    }
  }
}

}  // namespace
}  // namespace dietmt::bert
