// Compares with results of transformers (make_cases.py), and exports back to its files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "common/files.h"
#include "encoders/weights/safetensors.h"
#include "interchange/huggingface/bert_huggingface.h"
#include "tests/common/scratch.h"
#include "tests/interchange/bert_outputs.h"
#include "tests/interchange/cases.h"
#include "tests/interchange/torch_tensors.h"

namespace dietmt::interchange {
namespace {

namespace fs = std::filesystem;
using at::Tensor;
using encoders::Bert;
using encoders::BertHeads;
using testing::HasSubstr;
using Tensors = std::map<std::string, Tensor>;

constexpr const char* kBertCases[] = {"absolute", "relative_key", "relative_key_query", "bare"};
constexpr const char* kXlmRCases[] = {"xlm_roberta", "xlm_roberta_classes", "xlm_roberta_spans"};

fs::path bert_case(const std::string& name) { return fs::path(DIETMT_BERT_CASES) / name; }

Tensors expected_of(const std::string& name) {
  return encoders::load_safetensors(bert_case(name) / "expected.safetensors");
}

void expect_bert_outputs(const Bert& model, Tensors expected) {
  const NamedOutputs batch = {{"pieces", expected.at("pieces")},
                              {"segments", expected.at("segments")},
                              {"lengths", expected.at("lengths")}};
  for (const auto& [name, tensor] : batch) expected.erase(name);
  const NamedOutputs outputs = outputs_of(model, batch);
  ASSERT_EQ(outputs.size(), expected.size());
  for (const auto& [name, tensor] : expected) {
    ASSERT_EQ(outputs.at(name).sizes(), tensor.sizes()) << name;
    EXPECT_LT((outputs.at(name) - tensor).abs().max().item<double>(), 1e-5) << name;
  }
}

class HuggingFace : public ScratchTest {
 protected:
  /// The case "absolute" with other tensors.
  void write_absolute(const std::function<void(Tensors&)>& change) const {
    fs::copy_file(bert_case("absolute") / "config.json", scratch() / "config.json",
                  fs::copy_options::overwrite_existing);
    Tensors tensors = encoders::load_safetensors(bert_case("absolute") / "model.safetensors");
    change(tensors);
    encoders::save_safetensors(scratch() / "model.safetensors", {tensors.begin(), tensors.end()});
  }
  std::string import_failure() const {
    return failure<CheckpointError>([&] { import_huggingface(scratch()); });
  }
};

void expect_case(const std::string& name) {
  SCOPED_TRACE(name);
  const auto model = import_huggingface(bert_case(name));
  for (const encoders::Backend backend :
       {encoders::Backend::kAuto, encoders::Backend::kReference, encoders::Backend::kSdpa}) {
    model->set_attention_backend(backend);
    expect_bert_outputs(*model, expected_of(name));
  }
}

TEST_F(HuggingFace, ModelsComputeTheSame) {
  for (const char* name : kBertCases) expect_case(name);
  for (const char* name : kXlmRCases) expect_case(name);
}

TEST_F(HuggingFace, TheTokenizerOfXlmRGivesTheSameIds) {
  const auto tokenizer = data::load_bert_tokenizer(bert_case("xlm_roberta"));
  const auto cases = nlohmann::json::parse(read_file(bert_case("xlm_roberta") / "texts.json"));
  ASSERT_FALSE(cases.empty());
  for (const auto& texts_and_ids : cases) {
    SCOPED_TRACE(texts_and_ids.dump());
    const auto& texts = texts_and_ids.at("texts");
    const std::vector<int32_t> first = tokenizer->encode(texts.at(0).get<std::string>()).ids;
    std::vector<int32_t> second;
    std::optional<std::span<const int32_t>> second_text;
    if (texts.size() > 1) {
      second = tokenizer->encode(texts.at(1).get<std::string>()).ids;
      second_text = second;
    }
    EXPECT_EQ(data::encoder_input(first, second_text, tokenizer->special(), 100).ids,
              texts_and_ids.at("ids").get<std::vector<int32_t>>());
  }
}

TEST_F(HuggingFace, XlmRIsExportedAsXlmR) {
  const auto tokenizer = data::load_bert_tokenizer(bert_case("xlm_roberta"));
  for (const char* name : kXlmRCases) {
    SCOPED_TRACE(name);
    export_huggingface(scratch(), *import_huggingface(bert_case(name)), tokenizer.get());
    expect_bert_outputs(*import_huggingface(scratch()), expected_of(name));
    const auto theirs = nlohmann::json::parse(read_file(bert_case(name) / "config.json"));
    const auto ours = nlohmann::json::parse(read_file(scratch() / "config.json"));
    for (const char* key : {"architectures", "max_position_embeddings", "model_type",
                            "pad_token_id", "type_vocab_size", "vocab_size"})
      EXPECT_EQ(ours.at(key), theirs.at(key)) << key;
    const Tensors weights = encoders::load_safetensors(bert_case(name) / "model.safetensors");
    const Tensors exported = encoders::load_safetensors(scratch() / "model.safetensors");
    for (const auto& [tensor, value] : weights) {
      const bool has_padding = tensor == "roberta.embeddings.position_embeddings.weight";
      if (tensor.ends_with("position_ids") || tensor.starts_with("lm_head.decoder")) continue;
      ASSERT_TRUE(exported.contains(tensor)) << tensor;
      const int64_t first = has_padding ? 2 : 0;
      EXPECT_TRUE(at::equal(exported.at(tensor).slice(0, first), value.slice(0, first))) << tensor;
    }
  }
}

TEST_F(HuggingFace, ByteLevelSubwordsAreRefused) {
  write("vocab.json", "{}");
  write("merges.txt", "");
  EXPECT_THAT(failure<DataError>([&] { data::load_bert_tokenizer(scratch()); }),
              HasSubstr("dietmt does not read byte-level BPE (merges.txt)"));
}

TEST_F(HuggingFace, ErrorsHaveTheNamesOfRoberta) {
  fs::copy_file(bert_case("xlm_roberta") / "config.json", scratch() / "config.json");
  Tensors tensors = encoders::load_safetensors(bert_case("xlm_roberta") / "model.safetensors");
  tensors.erase("roberta.encoder.layer.1.output.dense.bias");
  encoders::save_safetensors(scratch() / "model.safetensors", {tensors.begin(), tensors.end()});
  EXPECT_THAT(import_failure(), HasSubstr("roberta.encoder.layer.1.output.dense.bias"));
}

TEST_F(HuggingFace, ExportsAreTheSameModels) {
  for (const char* name : kBertCases) {
    SCOPED_TRACE(name);
    export_huggingface(scratch(), *import_huggingface(bert_case(name)), nullptr);
    expect_bert_outputs(*import_huggingface(scratch()), expected_of(name));
  }
}

TEST_F(HuggingFace, ExportHasTheNamesOfTransformers) {
  export_huggingface(scratch(), *import_huggingface(bert_case("absolute")), nullptr);
  const Tensors theirs = encoders::load_safetensors(bert_case("absolute") / "model.safetensors");
  const Tensors ours = encoders::load_safetensors(scratch() / "model.safetensors");
  ASSERT_EQ(ours.size(), theirs.size());
  for (const auto& [name, tensor] : theirs) EXPECT_TRUE(at::equal(ours.at(name), tensor)) << name;
}

TEST_F(HuggingFace, OldNamesOfNormsAreRead) {
  write_absolute([](Tensors& tensors) {
    for (const char* norm : {"bert.embeddings.LayerNorm", "cls.predictions.transform.LayerNorm"}) {
      auto weight = tensors.extract(std::string(norm) + ".weight");
      weight.key() = std::string(norm) + ".gamma";
      tensors.insert(std::move(weight));
    }
  });
  expect_bert_outputs(*import_huggingface(scratch()), expected_of("absolute"));
}

// BERTs from 2019: the old format, old norm names, a copy of the tied output layer, a buffer.
TEST_F(HuggingFace, OldFilesOfPyTorchAreRead) {
  Tensors tensors = encoders::load_safetensors(bert_case("absolute") / "model.safetensors");
  for (const char* norm : {"bert.embeddings.LayerNorm", "cls.predictions.transform.LayerNorm"}) {
    for (const auto& [modern, old] :
         {std::pair(".weight", ".gamma"), std::pair(".bias", ".beta")}) {
      auto renamed = tensors.extract(norm + std::string(modern));
      renamed.key() = norm + std::string(old);
      tensors.insert(std::move(renamed));
    }
  }
  tensors["cls.predictions.decoder.weight"] = tensors.at("bert.embeddings.word_embeddings.weight");
  tensors["bert.embeddings.position_ids"] = torch::arange(12).unsqueeze(0);
  auto config = nlohmann::json::parse(read_file(bert_case("absolute") / "config.json"));
  config.erase("model_type");
  config.erase("architectures");
  write("config.json", config.dump());
  write("pytorch_model.bin", torch_file(tensors, TorchFormat::kOld));
  expect_bert_outputs(*import_huggingface(scratch()), expected_of("absolute"));
}

TEST_F(HuggingFace, NamesMissingTensors) {
  write_absolute([](Tensors& tensors) {
    tensors.erase("bert.encoder.layer.1.attention.self.key.bias");
    tensors.erase("bert.embeddings.LayerNorm.bias");
  });
  EXPECT_THAT(import_failure(), HasSubstr("has no tensor bert.embeddings.LayerNorm.bias, "
                                          "bert.encoder.layer.1.attention.self.key.bias"));
}

TEST_F(HuggingFace, NamesATensorOfAnotherShape) {
  write_absolute([](Tensors& tensors) {
    Tensor& weight = tensors.at("bert.encoder.layer.0.output.dense.weight");
    weight = weight.narrow(1, 0, 20).contiguous();
  });
  EXPECT_THAT(import_failure(),
              HasSubstr("tensor bert.encoder.layer.0.output.dense.weight makes a parameter of "
                        "shape [16, 20], but config.json says [16, 24]"));
}

TEST_F(HuggingFace, AnUntiedOutputLayerIsRefused) {
  write_absolute([](Tensors& tensors) {
    tensors["cls.predictions.decoder.weight"] =
        tensors.at("bert.embeddings.word_embeddings.weight") + 1;
  });
  EXPECT_THAT(import_failure(), HasSubstr("a separate output layer"));
}

TEST_F(HuggingFace, WrongConfigsAreNamed) {
  const auto with = [&](const char* key, const nlohmann::json& value) {
    write_absolute([](Tensors&) {});
    auto json = nlohmann::json::parse(read_file(scratch() / "config.json"));
    json[key] = value;
    write_file_atomically(scratch() / "config.json", json.dump());
    return import_failure();
  };
  EXPECT_THAT(with("model_type", "electra"), HasSubstr("model_type is 'electra'"));
  EXPECT_THAT(with("hidden_act", "silu"), HasSubstr("hidden_act is 'silu'"));
  EXPECT_THAT(with("position_embedding_type", "rotary"), HasSubstr("is 'rotary'; known: absolute"));
  EXPECT_THAT(with("hidden_size", "wide"), HasSubstr("config.json: "));
}

TEST_F(HuggingFace, HeadsOfTheFileCanBeReplaced) {
  const BertHeads heads = {.classes = 4, .spans = true};
  const auto model =
      import_huggingface(bert_case("relative_key"), {.position = {}, .heads = heads});
  EXPECT_EQ(model->config().task_heads.classes, 4);
  EXPECT_EQ(model->named_parameters()["classifier.bias"].size(0), 4);
  EXPECT_TRUE(at::equal(model->named_parameters()["spans.bias"], torch::zeros({2})));
  // The pooler comes from the file.
  const auto original = import_huggingface(bert_case("relative_key"));
  EXPECT_TRUE(at::equal(model->named_parameters()["pooler.weight"],
                        original->named_parameters()["pooler.weight"]));
}

TEST_F(HuggingFace, TokenClassifiersKeepTheirHead) {
  const auto tokenizer = data::load_bert_tokenizer(bert_case("xlm_roberta"));
  for (const char* name : {"absolute", "xlm_roberta"}) {
    SCOPED_TRACE(name);
    const auto model = import_huggingface(
        bert_case(name), {.position = {}, .heads = BertHeads{.pooler = false, .tags = 3}});
    export_huggingface(scratch(), *model, name[0] == 'x' ? tokenizer.get() : nullptr,
                       {"O", "B-LOC", "I-LOC"});
    const auto json = nlohmann::json::parse(read_file(scratch() / "config.json"));
    EXPECT_THAT(json.at("architectures").dump(), HasSubstr("ForTokenClassification"));
    EXPECT_EQ(json.at("id2label").at("1"), "B-LOC");
    EXPECT_EQ(
        encoders::load_safetensors(scratch() / "model.safetensors").at("classifier.weight").size(0),
        3);
    const auto again = import_huggingface(scratch());
    EXPECT_EQ(again->config().task_heads.tags, 3);
    EXPECT_EQ(again->config().task_heads.classes, 0);
    EXPECT_TRUE(at::equal(again->named_parameters()["tags.weight"],
                          model->named_parameters()["tags.weight"]));
  }
}

TEST_F(HuggingFace, PositionsCanBeReplaced) {
  const auto original = import_huggingface(bert_case("absolute"));
  const auto kept = import_huggingface(bert_case("absolute"),
                                       {.position = "learned+diet-rel(share=layers)", .heads = {}});
  const auto replaced =
      import_huggingface(bert_case("absolute"), {.position = "tupe-a", .heads = {}});
  const auto kept_parameters = kept->named_parameters();
  const auto replaced_parameters = replaced->named_parameters();
  for (const auto& item : original->named_parameters()) {
    EXPECT_TRUE(at::equal(kept_parameters[item.key()], item.value())) << item.key();
    const Tensor* found = replaced_parameters.find(item.key());
    if (item.key() == "encoder.encoder.position.learned.table") {
      EXPECT_EQ(found, nullptr);
    } else {
      EXPECT_TRUE(at::equal(*found, item.value())) << item.key();
    }
  }
  EXPECT_EQ(kept->config().position, "learned+diet-rel(share=layers)");
  EXPECT_TRUE(kept_parameters.contains("encoder.encoder.position.diet_rel.table"));
}

TEST_F(HuggingFace, ExportRefusesWhatTransformersLacks) {
  const auto refusal = [&](const char* position, const char* segments) {
    encoders::BertConfig config = import_huggingface(bert_case("absolute"))->config();
    config.position = position;
    config.segment_encoding = segments;
    const Bert model(config, 1);
    return failure<ConfigError>([&] { export_huggingface(scratch(), model, nullptr); });
  };
  EXPECT_THAT(refusal("diet-rel", "heads"), HasSubstr("no position encoding 'diet-rel'"));
  EXPECT_THAT(refusal("diet-rel", "heads"), HasSubstr("no segments inside attention"));
  EXPECT_THAT(refusal("relative-key(clip=4)", "input"), HasSubstr("'relative-key(clip=4)'"));
  EXPECT_EQ(refusal("relative-key", "none"), "succeeded");
}

}  // namespace
}  // namespace dietmt::interchange
