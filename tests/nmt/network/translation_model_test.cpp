#include "nmt/network/translation_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <ostream>
#include <string>
#include <vector>

#include "encoders/transformer/stacks.h"

namespace dietmt::nmt {
namespace {

using at::Tensor;
using encoders::Packing;

ModelConfig small_config(const std::string& position) {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = 50;
  config.encoder_layers = config.decoder_layers = 2;
  config.width = 32;
  config.feed_forward = 48;
  config.heads = 4;
  config.max_positions = 64;
  config.encoder_position = config.decoder_position = position;
  return config;
}

Tensor random_tokens(int64_t count) { return torch::randint(3, 50, {count}, at::kLong); }

/// Specs of the encoder, the decoder and cross-attention.
struct Positions {
  std::string encoder;
  std::string decoder = encoder;
  std::string cross = "none";
  std::string decoder_layer = "self-attention";
};

void PrintTo(const Positions& printed, std::ostream* out) {
  *out << printed.encoder << ", " << printed.decoder << ", cross " << printed.cross << ", "
       << printed.decoder_layer;
}

ModelConfig small_config(const Positions& positions) {
  ModelConfig config = small_config(positions.encoder);
  config.decoder_position = positions.decoder;
  config.cross_position = positions.cross;
  config.decoder_layer = positions.decoder_layer;
  return config;
}

/// RMS norms, normalized queries and keys, and keys and values that heads share.
ModelConfig grouped(ModelConfig config) {
  config.norm_type = "rms";
  config.qk_norm = true;
  config.kv_heads = 2;
  return config;
}

enum class Parts { kPlain, kGrouped, kAdapted };

ModelConfig with_parts(ModelConfig config, Parts parts) {
  if (parts == Parts::kGrouped) return grouped(config);
  if (parts == Parts::kAdapted) config.adapter_size = 5;
  return config;
}

/// A new adapter changes nothing; one of this model does.
std::shared_ptr<TranslationModel> model_of(const ModelConfig& config, uint64_t seed) {
  auto model = std::make_shared<TranslationModel>(config, seed);
  const torch::NoGradGuard no_grad;
  at::manual_seed(static_cast<int64_t>(seed));
  for (auto& item : model->named_parameters())
    if (item.key().ends_with(".adapter.up_weight")) item.value().normal_();
  return model;
}

/// Building a model, for example to load it, leaves the draws of others alone.
TEST(TranslationModel, LeavesTheGlobalGeneratorAsItWas) {
  at::manual_seed(5);
  const Tensor wanted = torch::rand({4});
  at::manual_seed(5);
  const TranslationModel model(small_config("learned"), 1);
  EXPECT_TRUE(at::equal(torch::rand({4}), wanted));
}

class TranslationModelTest : public testing::TestWithParam<std::tuple<Positions, Parts>> {
 protected:
  static ModelConfig config() {
    const auto& [positions, parts] = GetParam();
    return with_parts(small_config(positions), parts);
  }
};

TEST_P(TranslationModelTest, ABatchEqualsItsSentencesOneByOne) {
  const torch::NoGradGuard no_grad;
  const auto shared = model_of(config(), 1);
  const TranslationModel& model = *shared;
  const std::vector<int64_t> source_lengths = {5, 1, 9};
  const std::vector<int64_t> target_lengths = {7, 3, 1};
  const Tensor source = random_tokens(15);
  const Tensor target = random_tokens(11);
  const Packing source_packing(source_lengths), target_packing(target_lengths);
  const Tensor memory = model.encode(source, source_packing);
  const Tensor hidden = model.decode(target, target_packing, memory, source_packing);
  for (size_t b = 0; b < 3; ++b) {
    const Packing one_source({source_lengths[b]}), one_target({target_lengths[b]});
    const Tensor one_memory =
        model.encode(source.narrow(0, source_packing.offsets()[b], source_lengths[b]), one_source);
    const Tensor one_hidden =
        model.decode(target.narrow(0, target_packing.offsets()[b], target_lengths[b]), one_target,
                     one_memory, one_source);
    EXPECT_TRUE(at::allclose(
        one_hidden, hidden.narrow(0, target_packing.offsets()[b], target_lengths[b]), 1e-4, 1e-5))
        << "sentence " << b;
  }
}

TEST_P(TranslationModelTest, CachedDecodingEqualsOneFullPass) {
  const torch::NoGradGuard no_grad;
  const auto shared = model_of(config(), 2);
  const TranslationModel& model = *shared;
  const Packing source_packing({6, 4});
  const Packing target_packing({8, 8});
  const Tensor memory = model.encode(random_tokens(10), source_packing);
  const Tensor target = random_tokens(16);
  const Tensor full = model.decode(target, target_packing, memory, source_packing).view({2, 8, 32});
  DecoderCache cache = model.start(memory, source_packing, 3, 8);
  for (int64_t t = 0; t < 8; ++t) {
    const Tensor tokens = target.view({2, 8}).select(1, t).repeat_interleave(3);
    const Tensor hidden = model.step(tokens, cache).view({2, 3, 32});
    EXPECT_TRUE(at::allclose(hidden, full.select(1, t).unsqueeze(1).expand({2, 3, 32}), 1e-4, 1e-5))
        << "step " << t;
  }
}

TEST_P(TranslationModelTest, ReorderingKeepsTheChosenRows) {
  const torch::NoGradGuard no_grad;
  const auto shared = model_of(config(), 3);
  const TranslationModel& model = *shared;
  const Packing packing({6, 4, 5});
  const Tensor memory = model.encode(random_tokens(15), packing);
  DecoderCache cache = model.start(memory, packing, 2, 8);
  model.step(torch::tensor({4, 5, 6, 7, 8, 9}), cache);
  cache.reorder(torch::tensor({0, 2}), torch::tensor({1, 0, 5, 5}));
  const Tensor hidden = model.step(torch::tensor({10, 11, 12, 13}), cache);
  // The same hypotheses from the start: sentence 0 with 5 10 and 4 11, sentence 2 with 9 12 and
  // 9 13.
  const Packing kept({6, 5});
  const Tensor kept_memory = at::cat({memory.narrow(0, 0, 6), memory.narrow(0, 10, 5)});
  DecoderCache fresh = model.start(kept_memory, kept, 2, 8);
  model.step(torch::tensor({5, 4, 9, 9}), fresh);
  const Tensor expected = model.step(torch::tensor({10, 11, 12, 13}), fresh);
  EXPECT_TRUE(at::allclose(hidden, expected, 1e-4, 1e-5));
}

const std::vector<Positions> kPositions = {
    {"none"},
    {"sinusoidal"},
    {"learned"},
    {"learnable-sinusoidal"},
    {"diet-rel"},
    {"shaw(clip=2)"},
    {"shaw(clip=3,values=false)"},
    {"t5"},
    {"learned+diet-rel"},
    {"heads[diet-rel:0-1,shaw(clip=2):2-3]"},
    {"bert-r"},
    {"alibi"},
    {"kerple"},
    {"fire(threshold=4)"},
    {"relative-sinusoidal(clip=5,learned=true)"},
    {"relative-key-query"},
    {"deberta(span=4)"},
    {"transformer-xl"},
    {"tupe-a"},
    {"tupe-r"},
    {"bert-a-d"},
    {"diet-abs(share=layers)", "diet-abs(rank=3)", "diet-abs"},
    {"linformer(length=3)", "rope", "linformer(length=4)"},
    {"diet-abs-lin(length=3)", "xpos", "diet-abs-lin(length=2,share=layers)"},
    {"rope(pairs=halves)", "cope(positions=3)", "diet-rel(clip=2)"},
    {"diet-rel", "none", "diet-rel", "ssru"},
    {"sinusoidal", "sinusoidal", "none", "ssru"},
    {"heads[rope:0,alibi:1,bert-a-d:2,tupe-a:3]", "heads[cope:0,xpos:1,transformer-xl:2,fire:3]"},
};

INSTANTIATE_TEST_SUITE_P(Encodings, TranslationModelTest,
                         testing::Combine(testing::ValuesIn(kPositions),
                                          testing::Values(Parts::kPlain, Parts::kGrouped,
                                                          Parts::kAdapted)));

TEST(TranslationModel, BeginsAsTheModelWithoutAdapters) {
  const torch::NoGradGuard no_grad;
  for (const char* norm_type : {"layer", "rms"}) {
    ModelConfig config = small_config("rope");
    config.norm_type = norm_type;
    const TranslationModel base(config, 4);
    config.adapter_size = 7;
    const RebuiltModel adapted = rebuild(base, config, 5);
    EXPECT_EQ(adapted.inheritance.drawn.size(), 4U * (norm_type == std::string("rms") ? 5U : 6U));
    const Tensor source = random_tokens(9), target = random_tokens(6);
    const auto hidden = [&](const TranslationModel& model) {
      const Packing one_source({9}), one_target({6});
      return model.decode(target, one_target, model.encode(source, one_source), one_source);
    };
    EXPECT_TRUE(at::equal(hidden(*adapted.model), hidden(base)));
  }
}

TEST(TranslationModel, TinyHasThePublishedParameterCount) {
  ModelConfig config = ModelConfig::preset("tiny");
  config.source_vocabulary = config.target_vocabulary = 9712;
  const TranslationModel model(config, 1);
  int64_t count = 0;
  for (const auto& parameter : model.parameters()) count += parameter.numel();
  // Wu et al. 2021 state 2.57 M.
  EXPECT_NEAR(static_cast<double>(count) / 1e6, 2.57, 0.005);
}

TEST(TranslationModel, TyingDecidesHowManyTablesThereAre) {
  const auto tables = [](const char* tied) {
    ModelConfig config = small_config("none");
    config.tied_embeddings = tied;
    const TranslationModel model(config, 1);
    int64_t count = 0;
    for (const auto& item : model.named_parameters()) count += item.value().size(0) == 50;
    return count;
  };
  EXPECT_EQ(tables("all"), 1);
  EXPECT_EQ(tables("decoder"), 2);
  EXPECT_EQ(tables("none"), 3);
}

TEST(TranslationModel, TheOutputBiasIsAddedToTheLogits) {
  const torch::NoGradGuard no_grad;
  ModelConfig config = small_config("none");
  EXPECT_FALSE(TranslationModel(config, 1).output_bias().defined());
  config.output_bias = true;
  const TranslationModel model(config, 1);
  const Tensor hidden = torch::randn({3, 32});
  const Tensor plain = at::matmul(hidden, model.output_weight().t());
  EXPECT_TRUE(at::allclose(model.logits(hidden), plain, 1e-5, 1e-6));
  model.output_bias().normal_();
  EXPECT_TRUE(at::allclose(model.logits(hidden), plain + model.output_bias(), 1e-5, 1e-6));
}

TEST(TranslationModel, TheSeedDecidesTheWeights) {
  const TranslationModel a(small_config("diet-rel"), 7), b(small_config("diet-rel"), 7),
      c(small_config("diet-rel"), 8);
  EXPECT_TRUE(at::equal(a.output_weight(), b.output_weight()));
  EXPECT_FALSE(at::equal(a.output_weight(), c.output_weight()));
}

}  // namespace
}  // namespace dietmt::nmt
