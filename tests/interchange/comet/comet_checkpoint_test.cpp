// What import refuses, and the options in hparams.yaml. tests/bert/comet compares the numbers of
// imported models.
#include "interchange/comet/comet_checkpoint.h"

#include <gmock/gmock.h>

#include <string>

#include "common/error.h"
#include "common/files.h"
#include "encoders/comet/comet_config.h"
#include "interchange/comet/comet_hparams.h"
#include "tests/common/scratch.h"
#include "tests/common/test_directory.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using encoders::CometConfig;
using testing::ElementsAre;
using testing::HasSubstr;

fs::path comet_case(const std::string& name) { return fs::path(DIETMT_COMET_CASES) / name; }

class CometCheckpointTest : public ScratchTest {
 protected:
  CometConfig read(const std::string& yaml) const {
    write("hparams.yaml", yaml);
    encoders::BertConfig encoder = encoders::BertConfig::preset("tiny");
    encoder.vocabulary = 100;
    return read_comet_hparams(scratch() / "hparams.yaml", encoder);
  }
  std::string failure(const std::string& yaml) const {
    return message_of<CheckpointError>([&] { read(yaml); });
  }
};

TEST_F(CometCheckpointTest, LeftOutChoicesAreThoseOfThePackage) {
  const CometConfig regression = read("class_identifier: regression_metric");
  EXPECT_EQ(regression.kind, "regression");
  EXPECT_EQ(regression.layer, CometConfig::kAllLayers);
  EXPECT_EQ(regression.layer_weights, "softmax");
  EXPECT_TRUE(regression.layer_norm);
  EXPECT_EQ(regression.pooling, "avg");
  EXPECT_THAT(regression.hidden_sizes, ElementsAre(3072, 1024));
  EXPECT_EQ(regression.activation, "tanh");
  EXPECT_EQ(regression.final_activation, "none");

  const CometConfig referenceless = read("class_identifier: referenceless_regression_metric");
  EXPECT_FALSE(referenceless.reads_reference);
  EXPECT_THAT(referenceless.hidden_sizes, ElementsAre(2048, 1024));

  const CometConfig unified = read("class_identifier: unified_metric\npool: avg");
  EXPECT_TRUE(unified.reads_source && unified.reads_reference);
  EXPECT_EQ(unified.layer_weights, "sparsemax");
  EXPECT_EQ(unified.pooling, "cls");
}

TEST_F(CometCheckpointTest, ThePatchOfSparsemaxIsSoftmax) {
  const CometConfig kiwi = read(
      "class_identifier: unified_metric\ninput_segments:\n- mt\n- src\n"
      "layer_transformation: sparsemax_patch\nlayer_norm: false\nsent_layer: 2\nhidden_sizes: [4]");
  EXPECT_EQ(kiwi.layer_weights, "softmax");
  EXPECT_FALSE(kiwi.reads_reference);
  EXPECT_FALSE(kiwi.layer_norm);
  EXPECT_EQ(kiwi.layer, 2);
  EXPECT_THAT(kiwi.hidden_sizes, ElementsAre(4));
}

TEST_F(CometCheckpointTest, OtherMetricsAreNamed) {
  EXPECT_THAT(failure("class_identifier: xcomet_metric"),
              HasSubstr("hparams.yaml: class_identifier is 'xcomet_metric'; known: regression_"));
  EXPECT_THAT(failure("layer: mix"), HasSubstr("class_identifier is ''"));
  EXPECT_THAT(failure("- a"), HasSubstr("hparams.yaml: must hold keys and values"));
  EXPECT_THAT(failure("a: [b"), HasSubstr("hparams.yaml: "));
  const std::string regression = "class_identifier: regression_metric\n";
  EXPECT_THAT(failure(regression + "encoder_model: RemBERT"), HasSubstr("'RemBERT'; known: XLM-"));
  EXPECT_THAT(failure(regression + "pool: default"), HasSubstr("pool is 'default'"));
  EXPECT_THAT(failure(regression + "layer: top"), HasSubstr("layer has an unexpected value"));
  EXPECT_THAT(failure(regression + "layer: 9"), HasSubstr("layer is 9"));
  EXPECT_THAT(failure(regression + "activations: ReLU"), HasSubstr("activations is 'relu'"));
  EXPECT_THAT(failure(regression + "layer_transformation: max"), HasSubstr("is 'max'; known"));
}

TEST_F(CometCheckpointTest, DamagedCheckpointsAreNamed) {
  const fs::path encoder = comet_case("encoder");
  fs::copy(comet_case("normed"), scratch() / "copy", fs::copy_options::recursive);
  EXPECT_EQ(import_comet(scratch() / "copy", encoder)->config().name, "copy");
  const auto failed = [&](const fs::path& xlm_r) {
    return message_of<CheckpointError>([&] { import_comet(scratch() / "copy", xlm_r); });
  };
  // Lacks some of the layers in the encoder's configuration.
  std::string config = read_file(encoder / "config.json");
  const std::string layers = "\"num_hidden_layers\": 2";
  config.replace(config.find(layers), layers.size(), "\"num_hidden_layers\": 3");
  fs::create_directory(scratch() / "deeper");
  write("deeper/config.json", config);
  EXPECT_THAT(
      failed(scratch() / "deeper"),
      testing::AllOf(HasSubstr("model.ckpt: has no tensor encoder.model.encoder.layer.2.")));

  const fs::path weights = scratch() / "copy" / "checkpoints" / "model.ckpt";
  fs::resize_file(weights, fs::file_size(weights) / 2);
  EXPECT_THAT(failed(encoder), HasSubstr("model.ckpt: "));
}

TEST_F(CometCheckpointTest, NamesComeFromTheDirectoryOrTheCache) {
  const fs::path cached = scratch() / "models--Unbabel--wmt22-comet-da" / "snapshots" / "2760a22";
  fs::create_directories(cached.parent_path());
  fs::copy(comet_case("normed"), cached, fs::copy_options::recursive);
  EXPECT_EQ(import_comet(cached, comet_case("encoder"))->config().name, "wmt22-comet-da");
  EXPECT_TRUE(is_comet_checkpoint(cached));
  EXPECT_FALSE(is_comet_checkpoint(comet_case("encoder")));
}

}  // namespace
}  // namespace dietmt::interchange
