#include "interchange/marian/marian_export.h"

#include <gmock/gmock.h>

#include <fstream>

#include "common/error.h"
#include "data/text/tokenizer_training.h"
#include "interchange/marian/marian.h"
#include "tests/common/test_directory.h"
#include "tests/interchange/cases.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

nmt::ModelConfig marian_config() {
  nmt::ModelConfig config;
  config.encoder_layers = 2;
  config.decoder_layers = 3;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 2;
  config.norm_epsilon = 1e-6;
  config.encoder_position = config.decoder_position = "sinusoidal(layout=halves)";
  return config;
}

class MarianExportTest : public testing::Test {
 protected:
  // A tokenizer of words that begin with `letter`.
  std::shared_ptr<const data::Tokenizer> tokenizer(char letter) {
    const std::string name(1, letter);
    std::ofstream text(folder_ / name);
    for (char a = 'a'; a <= 'z'; ++a)
      for (char b = 'a'; b <= 'f'; ++b) text << letter << a << b << letter << ' ' << a << b << '\n';
    text.close();
    data::TokenizerOptions options;
    options.inputs = {folder_ / name};
    options.vocabulary_size = letter == 'x' ? 60 : 70;
    data::train_tokenizer(options, folder_ / (name + ".model"));
    return std::make_shared<const data::Tokenizer>(folder_ / (name + ".model"));
  }

  // Random weights; the decoder starts from zeros.
  nmt::LoadedModel random_model(nmt::ModelConfig config) {
    const auto source = tokenizer('x');
    const auto target = config.tied_embeddings == "all" ? source : tokenizer('y');
    config.source_vocabulary = source->vocabulary_size();
    config.target_vocabulary = target->vocabulary_size();
    const auto model = std::make_shared<nmt::TranslationModel>(config, 7);
    model->start_from_zeros(target->begin_id());
    model->eval();
    return {model, source, target, "here"};
  }

  std::string refusal(const nmt::LoadedModel& model) {
    return message_of<ConfigError>([&] { export_marian(folder_.path(), model); });
  }

  TestDirectory folder_;
};

MarianFiles exported_files(const fs::path& directory) {
  MarianFiles files{directory / "model.bin", {}, {}};
  for (const char* name : {"vocab", "source", "target"})
    for (const char* kind : {".spm", ".yml"})
      if (const fs::path file = directory / (std::string(name) + kind); fs::exists(file))
        (fs::exists(fs::path(file).replace_extension(".yml")) && file.extension() == ".spm"
             ? files.pieces
             : files.vocabularies)
            .push_back(file);
  return files;
}

at::Tensor logits_of_sentence(const nmt::LoadedModel& model, const std::vector<int64_t>& target) {
  std::vector<int64_t> tokens = target;
  tokens.insert(tokens.begin(), model.target_tokenizer->begin_id());
  const std::vector<int64_t> source = {5, 9, 12, model.source_tokenizer->end_id()};
  return logits_of(*model.model, {{"source", at::tensor(source)},
                                  {"source_lengths", at::tensor({std::ssize(source)})},
                                  {"target", at::tensor(tokens)},
                                  {"target_lengths", at::tensor({std::ssize(tokens)})}});
}

TEST_F(MarianExportTest, ImportReadsTheSameModel) {
  std::vector<nmt::ModelConfig> configs(4, marian_config());
  configs[1].tied_embeddings = "none";
  configs[2].tied_embeddings = "decoder";
  configs[2].decoder_layer = "ssru";
  configs[2].activation = "silu";
  configs[3].output_bias = true;
  configs[3].alignment_layer = 2;
  configs[3].alignment_head = 1;
  for (const nmt::ModelConfig& config : configs) {
    const nmt::LoadedModel model = random_model(config);
    const fs::path directory = folder_ / "exported";
    fs::remove_all(directory);
    fs::create_directories(directory);
    export_marian(directory, model);
    const nmt::LoadedModel again = import_marian(exported_files(directory));

    EXPECT_EQ(again.model->config().alignment_layer, config.alignment_layer);
    EXPECT_EQ(again.source_tokenizer->encode("xabx ab"), model.source_tokenizer->encode("xabx ab"));
    // Import adds a piece, and begin of sentence is never generated.
    const at::Tensor expected = logits_of_sentence(model, {8, 11});
    const at::Tensor found = logits_of_sentence(again, {8, 11}).slice(1, 0, expected.size(1));
    const int32_t begin = model.target_tokenizer->begin_id();
    EXPECT_LT(found.select(1, begin).max().item<float>(), -1e8);
    expected.select(1, begin).zero_();
    found.select(1, begin).zero_();
    EXPECT_TRUE(at::allclose(found, expected, 1e-5, 1e-5))
        << config.tied_embeddings << " " << config.decoder_layer;
  }
}

TEST_F(MarianExportTest, AnImportedModelIsWrittenAsItWas) {
  const fs::path pieces = case_directory("shared");
  const nmt::LoadedModel model = import_marian({case_directory("marian") / "model.npz",
                                                {case_directory("marian") / "vocab.yml"},
                                                {pieces / "source.spm", pieces / "target.spm"}});
  export_marian(folder_.path(), model);
  const nmt::LoadedModel again = import_marian(exported_files(folder_.path()));
  expect_outputs(again, case_directory("marian"));
  const auto before = model.model->named_parameters(), after = again.model->named_parameters();
  for (const auto& parameter : before)
    EXPECT_TRUE(at::equal(parameter.value(), after[parameter.key()])) << parameter.key();
}

TEST_F(MarianExportTest, EveryChoiceThatMarianLacksIsNamed) {
  nmt::ModelConfig config = marian_config();
  config.encoder_position = "rope";
  config.activation = "gelu";
  config.norm_epsilon = 1e-5;
  config.norm = "pre";
  config.norm_type = "rms";
  config.qk_norm = true;
  config.kv_heads = 1;
  config.adapter_size = 4;
  EXPECT_THAT(
      refusal(random_model(config)),
      AllOf(HasSubstr("'rope'"), HasSubstr("gelu"), HasSubstr("1e-6"), HasSubstr("--norm pre"),
            HasSubstr("--norm-type"), HasSubstr("--qk-norm"), HasSubstr("--kv-heads"),
            HasSubstr("Marian does not support adapters after the layers"), HasSubstr("--marian")));
  EXPECT_TRUE(marian_problems(marian_config()).empty());
}

TEST_F(MarianExportTest, ALearnedStartIsRefused) {
  nmt::LoadedModel model = random_model(marian_config());
  model.model = std::make_shared<nmt::TranslationModel>(model.model->config(), 7);
  EXPECT_THAT(refusal(model), HasSubstr("starts from zeros"));
}

}  // namespace
}  // namespace dietmt::interchange
