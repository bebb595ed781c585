#include "nmt/network/translation_model.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <ostream>
#include <string>
#include <vector>

#include "common/memory_use.h"
#include "encoders/transformer/stacks.h"
#include "nmt/network/step_runner.h"
#include "nmt/network/unset_model.h"
#include "tests/common/measurable_memory.h"

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

TEST(UnsetModel, TakesNoMemoryForItsMatrices) {
  if (!kMemoryIsMeasurable) GTEST_SKIP() << "the address sanitizer fills memory";
  ModelConfig config = small_config("sinusoidal");
  config.source_vocabulary = config.target_vocabulary = 1 << 20;  // 128 MiB
  config.feed_forward = 1 << 18;                                  // 256 MiB
  const int64_t before = resident_memory();
  const auto model = unset_model(config);
  EXPECT_LT(resident_memory(), before + (40 << 20));
  EXPECT_EQ(model->named_parameters()["source_embedding"].size(0), 1 << 20);
  EXPECT_GT(TranslationModel(small_config("sinusoidal"), 1).output_weight().std().item<float>(),
            0.1)
      << "others are drawn again";
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

/// RMS norms, normalized queries and keys, and keys and values shared by heads.
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

/// A new adapter changes nothing; this model's adapter does.
std::shared_ptr<TranslationModel> model_of(const ModelConfig& config, uint64_t seed) {
  auto model = std::make_shared<TranslationModel>(config, seed);
  const torch::NoGradGuard no_grad;
  at::manual_seed(static_cast<int64_t>(seed));
  for (auto& item : model->named_parameters())
    if (item.key().ends_with(".adapter.up_weight")) item.value().normal_();
  return model;
}

/// Building a model, for example to load it, does not affect other random draws.
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

/// Cached decoding of given targets: for each sentence, the hidden states of all positions.
class CachedTargets {
 public:
  explicit CachedTargets(const TranslationModel& model) : model_(model) {}

  void add(int64_t source_length, int64_t target_length) {
    Sentence sentence{random_words(source_length), random_words(target_length)};
    const Tensor source = encoders::ids_of(sentence.source, at::kCPU);
    const Tensor target = encoders::ids_of(sentence.target, at::kCPU);
    const Packing one_source({source_length}), one_target({target_length});
    sentence.full =
        model_.decode(target, one_target, model_.encode(source, one_source), one_source);
    sentences_.push_back(std::move(sentence));
  }

  std::vector<const std::vector<int32_t>*> sources(size_t first, size_t count) const {
    std::vector<const std::vector<int32_t>*> all;
    for (size_t i = first; i < first + count; ++i) all.push_back(&sentences_[i].source);
    return all;
  }

  /// One step of these sentences; all rows of a sentence have the same tokens.
  void step(StepRunner& runner, const std::vector<size_t>& open) {
    std::vector<int64_t> tokens;
    for (const size_t i : open)
      for (int64_t k = 0; k < runner.beams(); ++k)
        tokens.push_back(sentences_[i].target[sentences_[i].position]);
    runner.advance();
    const Tensor hidden =
        runner.step(at::tensor(tokens)).unflatten(0, {std::ssize(open), runner.beams()});
    for (size_t b = 0; b < open.size(); ++b) {
      Sentence& sentence = sentences_[open[b]];
      const Tensor wanted = sentence.full[static_cast<int64_t>(sentence.position)];
      for (int64_t k = 0; k < runner.beams(); ++k)
        EXPECT_TRUE(at::allclose(hidden[static_cast<int64_t>(b)][k], wanted, 1e-4, 1e-5))
            << "sentence " << open[b] << " row " << k << " position " << sentence.position;
      ++sentence.position;
    }
  }

 private:
  struct Sentence {
    std::vector<int32_t> source, target;
    Tensor full = {};  // [T, D], from a full pass
    size_t position = 0;
  };

  static std::vector<int32_t> random_words(int64_t count) {
    const Tensor tokens = random_tokens(count).to(at::kInt);
    return {tokens.const_data_ptr<int32_t>(), tokens.const_data_ptr<int32_t>() + count};
  }

  const TranslationModel& model_;
  std::vector<Sentence> sentences_;
};

// Sentences come and go at different positions, across the ends of pages and tables.
TEST_P(TranslationModelTest, CachedDecodingEqualsFullPasses) {
  const torch::NoGradGuard no_grad;
  const auto shared = model_of(config(), 2);
  CachedTargets targets(*shared);
  for (const auto& [source, target] : {std::pair(6, 40), {4, 20}, {33, 19}, {1, 2}})
    targets.add(source, target);
  StepRunner runner(*shared, 2, 4);
  runner.begin(runner.encode(targets.sources(0, 2)));
  for (int64_t t = 0; t < 18; ++t) targets.step(runner, {0, 1});
  runner.begin(runner.encode(targets.sources(2, 1)));
  targets.step(runner, {0, 1, 2});
  runner.keep(std::vector<int64_t>{2, 0}, torch::tensor({4, 5, 0, 1}));
  runner.begin(runner.encode(targets.sources(3, 1)));
  for (int64_t t = 0; t < 2; ++t) targets.step(runner, {2, 0, 3});
  runner.keep(std::vector<int64_t>{0, 1}, torch::tensor({0, 1, 2, 3}));
  for (int64_t t = 0; t < 16; ++t) targets.step(runner, {2, 0});
  for (int64_t t = 37; t < 40; ++t) {
    runner.keep(std::vector<int64_t>{runner.sentences() - 1},
                torch::tensor({runner.sentences() * 2 - 2, runner.sentences() * 2 - 1}));
    targets.step(runner, {0});
  }
}

TEST_P(TranslationModelTest, RowsFollowTheirParents) {
  const torch::NoGradGuard no_grad;
  const auto shared = model_of(config(), 3);
  const TranslationModel& model = *shared;
  const std::vector<int32_t> sources[] = {{4, 5, 6, 7, 8, 2}, {9, 10, 11, 2}, {12, 13, 14, 15, 2}};
  StepRunner runner(model, 2, 3);
  runner.begin(runner.encode(std::vector{&sources[0], &sources[1], &sources[2]}));
  runner.advance();
  runner.step(torch::tensor({4, 5, 6, 7, 8, 9}));
  runner.keep(std::vector<int64_t>{0, 2}, torch::tensor({1, 0, 5, 5}));
  runner.advance();
  runner.step(torch::tensor({10, 11, 12, 13}));
  runner.follow(torch::tensor({0, 0, 3, 2}));
  runner.advance();
  const Tensor hidden = runner.step(torch::tensor({14, 15, 16, 17}));
  // The same hypotheses from the start: sentence 0 with 5 10, sentence 2 with 9 13 and 9 12.
  StepRunner fresh(model, 2, 2);
  fresh.begin(fresh.encode(std::vector{&sources[0], &sources[2]}));
  fresh.advance();
  fresh.step(torch::tensor({5, 5, 9, 9}));
  fresh.advance();
  fresh.step(torch::tensor({10, 10, 13, 12}));
  fresh.advance();
  const Tensor expected = fresh.step(torch::tensor({14, 15, 16, 17}));
  EXPECT_TRUE(at::allclose(hidden, expected, 1e-4, 1e-5));
}

// What grows while sentences are translated invalidates recorded graphs.
TEST_P(TranslationModelTest, TranslationsAsLongAsTheirSourcesMoveNothing) {
  const torch::NoGradGuard no_grad;
  const auto model = model_of(config(), 3);
  const std::vector<int32_t> source(40, 5);
  constexpr int64_t kSentences = 30, kBeams = 2;
  StepRunner runner(*model, kBeams, kSentences);
  runner.begin(runner.encode(std::vector(kSentences, &source)));
  const int64_t before = runner.moves();
  for (int64_t t = 0; t < 40; ++t) {
    runner.advance();
    runner.step(at::full({kSentences * kBeams}, 4, at::kLong));
  }
  EXPECT_EQ(runner.moves(), before);
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
