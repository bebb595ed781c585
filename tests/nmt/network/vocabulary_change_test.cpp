#include "nmt/network/vocabulary_change.h"

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

#include "data/text/piece_list.h"
#include "tests/data/toy_text.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;

// The logits of each piece of a translation, [T, V].
Tensor logits_of(const ChangedModel& changed, const std::string& text) {
  const c10::InferenceMode inference;
  TranslationModel model(changed.config, 1);
  for (auto& parameter : model.named_parameters())
    parameter.value().copy_(changed.weights.at(parameter.key()));
  model.eval();
  const auto packed = [&](const data::Tokenizer& tokenizer) {
    std::vector<int32_t> ids = tokenizer.encode(text);
    ids.push_back(tokenizer.end_id());
    data::PackedTokens tokens;
    tokens.append(ids);
    return tokens;
  };
  const data::PackedTokens source = packed(*changed.tokenizers.source),
                           target = shifted_right(packed(*changed.tokenizers.target),
                                                  changed.tokenizers.target->begin_id());
  const encoders::Packing sources = encoders::packing_of(source, at::kCPU);
  const Tensor memory = model.encode(encoders::ids_of(source.tokens, at::kCPU), sources);
  return model.logits(model.decode(encoders::ids_of(target.tokens, at::kCPU),
                                   encoders::packing_of(target, at::kCPU), memory, sources));
}

// How embeddings are tied, and whether both sides have one tokenizer.
struct Tables {
  const char* tied;
  bool is_joint;
};

class VocabularyChangeTest : public data::ToyTextTest, public testing::WithParamInterface<Tables> {
 protected:
  VocabularyChangeTest() {
    source_ = trained({source_file(), target_file()}, 160, "source.model");
    target_ = GetParam().is_joint ? source_
                                  : trained({target_file(), source_file()}, 140, "target.model");
    ModelConfig config = ModelConfig::preset("tiny");
    config.encoder_layers = config.decoder_layers = 1;
    config.source_vocabulary = source_->vocabulary_size();
    config.target_vocabulary = target_->vocabulary_size();
    config.tied_embeddings = GetParam().tied;
    config.output_bias = true;
    TranslationModel model(config, 3);
    std::vector<std::pair<std::string, Tensor>> weights;
    for (const auto& item : model.named_parameters())
      weights.emplace_back(
          item.key(), item.key() == "output_bias" ? at::randn_like(item.value()) : item.value());
    std::filesystem::create_directory(scratch() / "model");
    write_model(scratch() / "model", model.config(), weights, *source_, *target_);
  }

  std::shared_ptr<const data::Tokenizer> trained(std::vector<std::string> files, int64_t pieces,
                                                 const char* name) const {
    data::TokenizerOptions options;
    options.inputs = std::move(files);
    options.vocabulary_size = pieces;
    train_tokenizer(options, scratch() / name);
    return std::make_shared<const data::Tokenizer>(scratch() / name);
  }

  ModelFiles files() const { return open_model(scratch() / "model"); }
  ChangedModel full() const { return {files().config, read_weights(files()), files().tokenizers}; }

  std::shared_ptr<const data::Tokenizer> source_, target_;
};

TEST_P(VocabularyChangeTest, TrimmedModelsScorePiecesAsBefore) {
  const std::string line = text_.source[0] + " " + text_.target[0];
  const std::string text = write("text", line + "\n");
  const ChangedModel less = trim_vocabulary(files(), {{text}, {text}}, {});
  const data::Tokenizer& fewer = *less.tokenizers.target;
  ASSERT_LT(fewer.vocabulary_size(), target_->vocabulary_size() - 10);
  EXPECT_EQ(less.tokenizers.source == less.tokenizers.target, GetParam().is_joint);
  std::vector<int32_t> kept;  // ids in the full model
  std::vector<std::string> all;
  for (int32_t id = 0; id < target_->vocabulary_size(); ++id) all.push_back(target_->piece(id));
  for (int32_t id = 0; id < fewer.vocabulary_size(); ++id)
    kept.push_back(data::piece_id(all, fewer.piece(id)));
  const Tensor before = logits_of(full(), line), after = logits_of(less, line);
  const Tensor columns = at::tensor(kept, at::kInt);
  EXPECT_LT((before.index_select(1, columns) - after).abs().max().item<float>(), 1e-5);
  // No piece gets less probable by the absence of others.
  const Tensor gained =
      at::log_softmax(after, 1) - at::log_softmax(before, 1).index_select(1, columns);
  EXPECT_GT(gained.min().item<float>(), -1e-5);
}

TEST_P(VocabularyChangeTest, ExtendedModelsTranslateKnownTextAsBefore) {
  std::string text = "\u0431\u0430 \u0431\u0430 " + text_.source[1] + "\n";
  text = write("text", text + text);
  const ChangedModel more = extend_vocabulary(files(), {{text}, {text}}, 8);
  const int64_t old = target_->vocabulary_size(), size = more.tokenizers.target->vocabulary_size();
  ASSERT_GE(size, old + 8);
  EXPECT_EQ(more.tokenizers.source == more.tokenizers.target, GetParam().is_joint);
  // A line that none of the new pieces is in.
  std::string line;
  for (const std::string& one : text_.target)
    if (more.tokenizers.source->encode(one) == source_->encode(one) &&
        more.tokenizers.target->encode(one) == target_->encode(one))
      line = one;
  ASSERT_NE(line, "");
  const Tensor before = logits_of(full(), line), after = logits_of(more, line);
  EXPECT_LT((before - after.narrow(1, 0, old)).abs().max().item<float>(), 1e-5);
  EXPECT_TRUE(at::equal(before.argmax(1), after.argmax(1)));
  EXPECT_TRUE((after.narrow(1, old, size - old).amax(1) <= before.amax(1)).all().item<bool>());
}

TEST_P(VocabularyChangeTest, NewRowsAreMeansOfTheirParts) {
  const Tensor table = at::arange(12, at::kFloat).view({4, 3});
  const RowSources sources{.rows = {{0}, {3}, {1, 3}, {}}, .text = {1, 2}};
  const Tensor expected =
      at::tensor({0., 1., 2., 9., 10., 11., 6., 7., 8., 4.5, 5.5, 6.5}, at::kFloat).view({4, 3});
  EXPECT_TRUE(at::equal(changed_rows(table, sources), expected));
  EXPECT_TRUE(at::equal(changed_rows(table.select(1, 0), sources), expected.select(1, 0)));
}

TEST_P(VocabularyChangeTest, OnlyTheSideWithTextChanges) {
  if (GetParam().is_joint) GTEST_SKIP() << "has one vocabulary";
  const std::string text = write("text", text_.source[0] + "\n");
  const ChangedModel less = trim_vocabulary(files(), {{text}, {}}, {});
  EXPECT_LT(less.config.source_vocabulary, source_->vocabulary_size());
  EXPECT_EQ(less.config.target_vocabulary, target_->vocabulary_size());
  EXPECT_TRUE(
      at::equal(less.weights.at("target_embedding"), full().weights.at("target_embedding")));
}

INSTANTIATE_TEST_SUITE_P(Tables, VocabularyChangeTest,
                         testing::Values(Tables{"all", true}, Tables{"decoder", true},
                                         Tables{"none", false}));

}  // namespace
}  // namespace dietmt::nmt
