#include "bert/model/model_directory.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "encoders/weights/safetensors.h"
#include "tests/common/scratch.h"

namespace dietmt::bert {
namespace {

namespace fs = std::filesystem;
using encoders::Bert;
using encoders::BertConfig;
using testing::HasSubstr;

using Weights = std::vector<std::pair<std::string, at::Tensor>>;

/// Has a given number of pieces; save() writes a file.
class FakeTokenizer : public data::BertTokenizer {
 public:
  explicit FakeTokenizer(int64_t pieces) : pieces_(pieces) {}
  data::TextPieces encode(std::string_view) const override { return {}; }
  std::string decode(std::span<const int32_t>) const override { return {}; }
  int64_t vocabulary_size() const override { return pieces_; }
  std::string piece(int32_t) const override { return {}; }
  bool continues_word(int32_t) const override { return false; }
  const data::SpecialPieces& special() const override { return special_; }
  void save(const fs::path& directory) const override {
    write_file_atomically(directory / "vocab.txt", "a\n");
  }

 private:
  int64_t pieces_;
  data::SpecialPieces special_;
};

BertConfig small_config() {
  BertConfig config;
  config.vocabulary = 30;
  config.layers = 2;
  config.width = 16;
  config.feed_forward = 24;
  config.heads = 2;
  config.max_positions = 20;
  config.position = "tupe-r+learned";
  config.task_heads = {
      .pooler = true, .masked_lm = true, .next_sentence = true, .classes = 3, .spans = true};
  return config;
}

class BertDirectory : public ScratchTest {
 protected:
  Weights weights() const {
    Weights weights;
    for (const auto& item : model_.named_parameters())
      weights.emplace_back(item.key(), item.value());
    return weights;
  }
  void write_model() const { write_bert(scratch(), model_.config(), weights(), nullptr); }

  void change_config(const std::function<void(nlohmann::json&)>& change) const {
    auto json = nlohmann::json::parse(read_file(scratch() / "config.json"));
    change(json);
    write_file_atomically(scratch() / "config.json", json.dump());
  }

  std::string failure() const {
    try {
      load_bert(scratch());
    } catch (const CheckpointError& error) {
      return error.what();
    }
    return "loaded";
  }

  Bert model_{small_config(), 3};
};

TEST_F(BertDirectory, SavesAndLoadsExactly) {
  write_model();
  const auto loaded = load_bert(scratch());
  const auto expected = model_.named_parameters();
  ASSERT_EQ(loaded->named_parameters().size(), expected.size());
  for (const auto& item : loaded->named_parameters())
    EXPECT_TRUE(at::equal(item.value(), expected[item.key()])) << item.key();
  EXPECT_EQ(to_json(loaded->config()), to_json(model_.config()));
  EXPECT_EQ(loaded->config().position, "learned+tupe-r");
}

TEST_F(BertDirectory, SavesTheTokenizerBeside) {
  write_bert(scratch(), model_.config(), weights(), std::make_unique<FakeTokenizer>(29).get());
  EXPECT_TRUE(fs::exists(scratch() / "vocab.txt"));
  EXPECT_THROW(
      write_bert(scratch(), model_.config(), weights(), std::make_unique<FakeTokenizer>(31).get()),
      ConfigError);
}

TEST_F(BertDirectory, NamesWhatIsWrongWithTheConfig) {
  write_model();
  change_config([](nlohmann::json& json) { json["model"].erase("width"); });
  EXPECT_THAT(failure(), HasSubstr("config.json: width is missing"));
  change_config([](nlohmann::json& json) { json["format"] = 99; });
  EXPECT_THAT(failure(), HasSubstr("format 99"));
  change_config([](nlohmann::json& json) { json["architecture"] = "translation"; });
  EXPECT_THAT(failure(), HasSubstr("is not a BERT configuration"));
  change_config([](nlohmann::json& json) { json = {{"model_type", "bert"}}; });
  EXPECT_THAT(failure(), HasSubstr("import the model first"));
}

TEST_F(BertDirectory, NamesATensorThatDoesNotFit) {
  write_model();
  change_config([](nlohmann::json& json) { json["model"]["feed_forward"] = 25; });
  EXPECT_THAT(failure(), HasSubstr("layer0.feed_forward.inner_weight' has shape [24, 16]"));
  change_config([](nlohmann::json& json) {
    json["model"]["feed_forward"] = 24;
    json["model"]["spans"] = false;
  });
  EXPECT_THAT(failure(), HasSubstr("tensor 'spans."));
}

TEST(BertConfigJson, KeepsEveryField) {
  encoders::BertConfig config = encoders::BertConfig::preset("mini");
  config.vocabulary = 123;
  config.max_positions = 77;
  config.segments = 3;
  config.position = "learned+diet-rel";
  config.segment_encoding = "heads";
  config.activation = "relu";
  config.norm_epsilon = 1e-7;
  config.dropout = 0.2;
  config.attention_dropout = 0.3;
  config.activation_dropout = 0.4;
  config.embedding_dropout = 0.5;
  config.head_dropout = 0.6;
  config.task_heads = {.pooler = true,
                       .masked_lm = true,
                       .next_sentence = true,
                       .classes = 5,
                       .spans = true,
                       .tags = 4};
  const nlohmann::json json = to_json(config);
  EXPECT_EQ(to_json(config_from_json(json)), json);
  const nlohmann::json defaults = to_json(encoders::BertConfig());
  for (const auto& [name, value] : json.items()) {
    if (name != "pooler") {
      EXPECT_NE(value, defaults.at(name)) << name << " is not told apart";
    }
  }
}

TEST(BertConfigJson, NamesAMissingField) {
  nlohmann::json json = to_json(encoders::BertConfig());
  json.erase("norm_epsilon");
  try {
    config_from_json(json);
    FAIL() << "accepted";
  } catch (const CheckpointError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("norm_epsilon is missing"));
  }
}

TEST(BertConfigJson, ModelsFromBeforeTagsAreRead) {
  nlohmann::json json = to_json(encoders::BertConfig());
  json.erase("tags");
  EXPECT_EQ(config_from_json(json).task_heads.tags, 0);
}

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
