#include "bert/comet/comet_directory.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "interchange/comet/comet_checkpoint.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::bert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class CometDirectoryTest : public ScratchTest {
 protected:
  CometDirectoryTest()
      : model_(interchange::import_comet(fs::path(DIETMT_COMET_CASES) / "referenceless",
                                         fs::path(DIETMT_COMET_CASES) / "encoder")) {
    write_comet(scratch(), *model_,
                *data::load_bert_tokenizer(fs::path(DIETMT_COMET_CASES) / "encoder"));
  }
  std::string failure() const {
    return message_of<CheckpointError>([&] { load_comet(scratch()); });
  }
  void change(const std::function<void(nlohmann::json&)>& edit) const {
    auto json = nlohmann::json::parse(read_file(scratch() / "config.json"));
    edit(json);
    write("config.json", json.dump());
  }

  std::shared_ptr<encoders::CometModel> model_;
};

TEST_F(CometDirectoryTest, IsTheModelThatWasWritten) {
  const LoadedComet loaded = load_comet(scratch());
  EXPECT_EQ(loaded.model->config().name, "referenceless");
  EXPECT_EQ(loaded.model->config().kind, "referenceless");
  EXPECT_EQ(loaded.model->config().final_activation, "sigmoid");
  EXPECT_EQ(loaded.model->config().hidden_sizes, std::vector<int64_t>{10});
  EXPECT_EQ(loaded.tokenizer->vocabulary_size(), 34);
  const auto ours = loaded.model->named_parameters();
  for (const auto& parameter : model_->named_parameters())
    EXPECT_TRUE(at::equal(ours[parameter.key()], parameter.value())) << parameter.key();
}

TEST_F(CometDirectoryTest, ErrorsNameTheFileAndTheField) {
  change([](auto& json) { json["metric"]["pooling"] = "sum"; });
  EXPECT_THAT(failure(), HasSubstr("config.json: pooling is 'sum'"));
  change([](auto& json) { json["metric"].erase("pooling"); });
  EXPECT_THAT(failure(), HasSubstr("config.json: pooling is missing"));
  change([](auto& json) { json["metric"]["pooling"] = "avg"; });
  change([](auto& json) { json["metric"]["hidden_sizes"] = {4, "x"}; });
  EXPECT_THAT(failure(), HasSubstr("hidden_sizes is [4,\"x\"]; it must be a list of whole"));
  change([](auto& json) { json["format"] = 7; });
  EXPECT_THAT(failure(), HasSubstr("config.json: format 7 is unsupported"));
  change([](auto& json) { json["architecture"] = "bert"; });
  EXPECT_THAT(failure(), HasSubstr("is not a COMET model of dietmt"));
  write("config.json", "[]");
  EXPECT_THAT(failure(), HasSubstr("is not a COMET model of dietmt"));
}

}  // namespace
}  // namespace dietmt::bert
