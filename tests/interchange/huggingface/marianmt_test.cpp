// Compares with results of transformers (make_cases.py), and exports back to its files.
#include "interchange/huggingface/marianmt.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "common/error.h"
#include "data/text/tokenizer_training.h"
#include "interchange/huggingface/marianmt_config.h"
#include "tests/common/scratch.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/torch_tensors.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;

constexpr const char* kCases[] = {"shared", "separate"};

json read_json(const fs::path& path) { return json::parse(read_file(path)); }

class MarianMt : public ScratchTest {
 protected:
  /// The case "shared", to be modified.
  void copy_shared() const {
    fs::copy(case_directory("shared"), scratch(),
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
  void change_config(const std::function<void(json&)>& change) const {
    json description = read_json(case_directory("shared") / "config.json");
    change(description);
    write("config.json", description.dump());
  }
  void change_tensors(const std::function<void(std::map<std::string, at::Tensor>&)>& change) const {
    auto tensors = encoders::load_safetensors(case_directory("shared") / "model.safetensors");
    change(tensors);
    encoders::save_safetensors(scratch() / "model.safetensors", {tensors.begin(), tensors.end()});
  }
  std::string import_failure() const {
    return failure<Error>([&] { import_marianmt(scratch()); });
  }
};

TEST_F(MarianMt, ModelsComputeTheSame) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    expect_outputs(import_marianmt(case_directory(name)), case_directory(name));
  }
}

TEST_F(MarianMt, ExportIsImportedAsItWas) {
  for (const char* name : kCases) {
    SCOPED_TRACE(name);
    const fs::path directory = scratch() / name;
    fs::create_directory(directory);
    const nmt::LoadedModel first = import_marianmt(case_directory(name));
    export_marianmt(directory, first);
    const nmt::LoadedModel second = import_marianmt(directory);
    EXPECT_EQ(second.model->config().to_json(), first.model->config().to_json());
    EXPECT_EQ(second.source_tokenizer->serialized(), first.source_tokenizer->serialized());
    EXPECT_EQ(second.target_tokenizer->serialized(), first.target_tokenizer->serialized());
    const auto expected = first.model->named_parameters();
    ASSERT_EQ(second.model->named_parameters().size(), expected.size());
    for (const auto& item : second.model->named_parameters())
      EXPECT_TRUE(at::equal(item.value(), expected[item.key()])) << item.key();
    EXPECT_EQ(fs::exists(directory / "target_vocab.json"), std::string(name) == "separate");
  }
}

TEST_F(MarianMt, TheSearchIsExported) {
  copy_shared();
  nlohmann::json generation = read_json(scratch() / "generation_config.json");
  generation.update({{"num_beams", 3},
                     {"length_penalty", 0.5},
                     {"max_length", 40},
                     {"min_length", 4},
                     {"no_repeat_ngram_size", 2},
                     {"repetition_penalty", 1.5}});
  write("generation_config.json", generation.dump());
  const nmt::LoadedModel first = import_marianmt(scratch());
  fs::create_directory(scratch() / "exported");
  export_marianmt(scratch() / "exported", first);
  const nmt::SearchDefaults& search = first.model->config().search;
  EXPECT_EQ(search.size(), 7U);
  EXPECT_EQ(import_marianmt(scratch() / "exported").model->config().search, search);
}

TEST_F(MarianMt, TagsAreWhereMarianTokenizerLooksForThem) {
  data::TokenizerOptions options;
  options.inputs = {write("text", "a b c\nb c a\nd e f\n")};
  options.vocabulary_size = 17;
  options.tags = {">>de<<"};
  data::train_tokenizer(options, scratch() / "own.model");
  const auto tokenizer = std::make_shared<data::Tokenizer>(scratch() / "own.model");
  write_marian_tokenizers(scratch(), {tokenizer, tokenizer}, 64);
  EXPECT_TRUE(read_json(scratch() / "vocab.json").contains(">>de<<"));
  EXPECT_EQ(read_json(scratch() / "tokenizer_config.json").at("model_max_length"), 64);
  const MarianTokenizers read = read_marian_tokenizers(
      scratch(),
      {{"decoder_start_token_id", tokenizer->begin_id()}, {"eos_token_id", tokenizer->end_id()}});
  EXPECT_EQ(read.tokenizers.source->encode(">>de<< a b"), tokenizer->encode(">>de<< a b"));
}

TEST_F(MarianMt, AStoredModelIsTheImportedOne) {
  const nmt::LoadedModel imported = import_marianmt(case_directory("separate"));
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (const auto& item : imported.model->named_parameters())
    weights.emplace_back(item.key(), item.value());
  nmt::write_model(scratch(), imported.model->config(), weights, *imported.source_tokenizer,
                   *imported.target_tokenizer);
  expect_outputs(nmt::load_model(scratch()), case_directory("separate"));
}

TEST_F(MarianMt, CopiesOfTiedTensorsAndTablesOfSinusoidsAreNoNews) {
  copy_shared();
  change_tensors([](auto& tensors) {
    tensors["lm_head.weight"] = tensors["model.shared.weight"].clone();
    tensors["model.decoder.embed_tokens.weight"] = tensors["model.shared.weight"].clone();
    tensors["model.encoder.embed_positions.weight"] = at::zeros({64, 8});
  });
  expect_outputs(import_marianmt(scratch()), case_directory("shared"));
}

TEST_F(MarianMt, AnOutputOfItsOwnBehindSharedEmbeddings) {
  copy_shared();
  change_config([](json& description) { description["tie_word_embeddings"] = false; });
  EXPECT_THAT(import_failure(), HasSubstr("lm_head.weight"));
  change_tensors(
      [](auto& tensors) { tensors["lm_head.weight"] = tensors["model.shared.weight"].clone(); });
  const nmt::LoadedModel model = import_marianmt(scratch());
  EXPECT_EQ(model.model->config().tied_embeddings, "none");
  expect_outputs(model, case_directory("shared"));
}

// OPUS-MT repositories have pytorch_model.bin, often in fp16.
TEST_F(MarianMt, WeightsOfPyTorchAreThoseOfSafetensors) {
  copy_shared();
  const auto original = encoders::load_safetensors(scratch() / "model.safetensors");
  for (const at::ScalarType type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    auto rounded = original;
    for (auto& [name, tensor] : rounded) tensor = tensor.to(type);
    encoders::save_safetensors(scratch() / "model.safetensors", {rounded.begin(), rounded.end()});
    const nmt::LoadedModel expected = import_marianmt(scratch());
    fs::remove(scratch() / "model.safetensors");
    for (const TorchFormat format : {TorchFormat::kArchive, TorchFormat::kOld}) {
      write("pytorch_model.bin", torch_file(rounded, format));
      const nmt::LoadedModel model = import_marianmt(scratch());
      if (type == at::kFloat) expect_outputs(model, case_directory("shared"));
      const auto parameters = expected.model->named_parameters();
      for (const auto& item : model.model->named_parameters()) {
        EXPECT_EQ(item.value().scalar_type(), at::kFloat);
        EXPECT_TRUE(at::equal(item.value(), parameters[item.key()])) << item.key();
      }
    }
  }
}

TEST_F(MarianMt, AClassInTheWeightsIsNamed) {
  copy_shared();
  fs::remove(scratch() / "model.safetensors");
  const std::string path =
      write("pytorch_model.bin", torch_bytes::archive(torch_bytes::known("os", "system"), {}));
  EXPECT_EQ(import_failure(), path + ": holds the class os.system: only tensors are read");
}

TEST_F(MarianMt, WhatDoesNotFitIsNamed) {
  copy_shared();
  change_tensors([](auto& tensors) { tensors.erase("model.decoder.layers.0.fc1.bias"); });
  EXPECT_THAT(import_failure(), HasSubstr("has no tensor model.decoder.layers.0.fc1.bias"));
  change_tensors(
      [](auto& tensors) { tensors["model.decoder.layers.0.fc1.bias"] = at::zeros({5}); });
  EXPECT_THAT(import_failure(), HasSubstr("decoder.layer0.feed_forward.inner_bias has shape [5]"));
  change_tensors([](auto& tensors) {
    at::Tensor& weight = tensors["model.decoder.layers.0.fc1.weight"];
    weight = weight.to(at::kChar);
  });
  EXPECT_THAT(import_failure(),
              HasSubstr("model.decoder.layers.0.fc1.weight holds integers, so it is quantized"));
  copy_shared();
  change_config([](json& description) { description["vocab_size"] = 1000; });
  EXPECT_THAT(import_failure(), HasSubstr("pieces, but the model has 1000"));
  copy_shared();
  write("vocab.json", R"({"</s>": 0, "<unk>": 2})");
  EXPECT_THAT(import_failure(), HasSubstr("vocab.json: has 2 pieces, but the id of '<unk>' is 2"));
}

TEST_F(MarianMt, OtherArchitecturesAreNamed) {
  copy_shared();
  change_config([](json& description) { description["model_type"] = "bart"; });
  EXPECT_THAT(import_failure(), AllOf(HasSubstr("config.json"), HasSubstr("'bart'")));
  change_config([](json& description) {
    description["scale_embedding"] = false;
    description["normalize_before"] = true;
    description["decoder_ffn_dim"] = 99;
  });
  EXPECT_THAT(import_failure(),
              AllOf(HasSubstr("scale_embedding is false"), HasSubstr("normalize_before is true"),
                    HasSubstr("encoder_ffn_dim differs")));
  change_config([](json& description) { description["activation_function"] = "tanh"; });
  EXPECT_THAT(import_failure(), HasSubstr("'tanh'"));
  change_config([](json& description) { description.erase("d_model"); });
  EXPECT_THAT(import_failure(), HasSubstr("d_model"));
}

TEST(MarianMtConfig, ExportNamesAllThatTheyDoNotHave) {
  nmt::ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = 10;
  config.encoder_position = "shaw";
  config.cross_position = "diet-rel";
  config.norm = "pre";
  config.norm_epsilon = 1e-6;
  config.activation = "swiglu";
  config.norm_type = "rms";
  config.qk_norm = true;
  config.kv_heads = 2;
  config.adapter_size = 4;
  config.context = 1;
  EXPECT_THAT(
      failure<ConfigError>([&] { to_marianmt_config(config); }),
      AllOf(HasSubstr("'shaw'"), HasSubstr("sinusoidal(layout=halves-2m)"),
            HasSubstr("(--cross-position diet-rel)"), HasSubstr("(--norm)"), HasSubstr("1e-5"),
            HasSubstr("swiglu"), HasSubstr("(--norm-type rms)"), HasSubstr("(--qk-norm)"),
            HasSubstr("(--kv-heads)"), HasSubstr("(--adapter-size)"), HasSubstr("(--context)")));
}

}  // namespace
}  // namespace dietmt::interchange
