// libdietmt-torch.so: models without packed weights, and devices.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "dietmt/translator.h"

namespace dietmt {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string model_of(const char* variable) {
  const char* directory = std::getenv(variable);
  return directory == nullptr ? "" : directory;
}

class TorchLibraryTest : public testing::Test {
 protected:
  void SetUp() override {
    if (full_.empty() || packed_.empty()) GTEST_SKIP() << "DIETMT_FULL_MODEL names no model";
  }

  const std::string full_ = model_of("DIETMT_FULL_MODEL");
  const std::string packed_ = model_of("DIETMT_PACKED_MODEL");
  const std::vector<std::string> lines_ = {"red dog", "", "the big house sees an old tree"};
};

TEST_F(TorchLibraryTest, AModelWithFullWeightsTranslatesLikeItsPackedCopy) {
  Translator full(full_);
  const Translator packed(packed_);
  const TranslateOptions options{.nbest = 3, .alignment = "hard"};
  const std::vector<Translation> found = full.translate(lines_, options);
  EXPECT_EQ(found, packed.translate(lines_, options));
  EXPECT_FALSE(found[0].text().empty());
  EXPECT_EQ(full.score({"red dog"}, {found[0].text()}),
            packed.score({"red dog"}, {found[0].text()}));
  full.reload();
  EXPECT_EQ(full.translate(lines_, options), found);
}

TEST_F(TorchLibraryTest, FullWeightsCanBePackedAtLoading) {
  const Translator small(full_, {.weights = "int8"});
  EXPECT_EQ(small.translate(lines_).size(), lines_.size());
  EXPECT_THAT([&] { Translator(full_, {.weights = "fp16"}); },
              ThrowsMessage<UsageError>(HasSubstr("fp16")));
}

TEST_F(TorchLibraryTest, ADeviceThatIsNotThereIsNamed) {
  EXPECT_THAT([&] { Translator(full_, {.device = "cuda:64"}); },
              ThrowsMessage<UsageError>(HasSubstr("cuda:64")));
  EXPECT_THAT([&] { Translator(full_, {.device = "gpu"}); },
              ThrowsMessage<UsageError>(HasSubstr("gpu")));
}

}  // namespace
}  // namespace dietmt
