// Shared by the engine tests: small models and requests, and decoding with the engine and with
// LibTorch.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <memory>
#include <vector>

#include "common/random.h"
#include "nmt/engine/engine_decoder.h"
#include "nmt/network/translation_model.h"
#include "nmt/packing/engine_models.h"
#include "nmt/tensor_decoding/tensor_decoder.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {

constexpr int64_t kVocabulary = 70;

inline ModelConfig engine_config() {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = kVocabulary;
  config.encoder_layers = config.decoder_layers = 2;
  config.width = 16;
  config.feed_forward = 40;
  config.heads = 4;
  config.max_positions = 128;
  return config;
}

/// A model whose parameters are all large enough to matter, including biases and position tables.
inline std::shared_ptr<TranslationModel> lively_model(const ModelConfig& config, uint64_t seed) {
  auto model = std::make_shared<TranslationModel>(config, seed);
  const torch::NoGradGuard no_grad;
  at::manual_seed(seed);
  for (const at::Tensor& parameter : model->parameters())
    parameter.add_(0.2 * at::randn_like(parameter));
  model->eval();
  return model;
}

inline std::vector<int32_t> random_words(int64_t count, Random& random) {
  std::vector<int32_t> words;
  for (int64_t i = 0; i < count; ++i)
    words.push_back(static_cast<int32_t>(3 + random.below(kVocabulary - 3)));
  return words;
}

/// Sources of 1 to `longest` words and end of sentence.
inline std::vector<TranslationRequest> random_requests(int64_t count, uint64_t longest,
                                                       uint64_t seed) {
  Random random(seed);
  std::vector<TranslationRequest> requests;
  for (int64_t i = 0; i < count; ++i) {
    requests.push_back(
        {.source = random_words(1 + static_cast<int64_t>(random.below(longest)), random),
         .prefix = {},
         .index = i});
    requests.back().source.push_back(2);
  }
  return requests;
}

inline SearchOptions short_search(int64_t beam, int64_t nbest) {
  SearchOptions options;
  options.beam = beam;
  options.nbest = nbest;
  options.max_length_factor = 1.0;
  options.max_length_offset = 8;
  options.workers = 1;
  return options;
}

inline std::vector<NBest> decode(const SentenceDecoder& decoder,
                                 const std::vector<TranslationRequest>& requests,
                                 const SearchOptions& options) {
  RequestFeed feed(requests, options, {});
  decoder.run(feed, options.workers, options.threads, options.batch_tokens);
  return std::move(feed).results();
}

/// Equal up to rounding of scores.
inline void expect_equal(const std::vector<NBest>& found, const std::vector<NBest>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), wanted[i].size()) << "sentence " << i;
    for (size_t n = 0; n < found[i].size(); ++n) {
      EXPECT_EQ(found[i][n].ids, wanted[i][n].ids) << "sentence " << i << " rank " << n;
      EXPECT_NEAR(found[i][n].score, wanted[i][n].score, 1e-4);
    }
  }
}

/// Equal to the last bit.
inline void expect_identical(const std::vector<NBest>& found, const std::vector<NBest>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), wanted[i].size()) << "sentence " << i;
    for (size_t n = 0; n < found[i].size(); ++n) {
      EXPECT_EQ(found[i][n].ids, wanted[i][n].ids) << "sentence " << i << " rank " << n;
      EXPECT_EQ(found[i][n].token_scores, wanted[i][n].token_scores);
      EXPECT_EQ(found[i][n].score, wanted[i][n].score);
    }
  }
}

using Models = std::vector<std::shared_ptr<TranslationModel>>;

inline std::unique_ptr<SentenceDecoder> engine_of(
    const Models& models, kernels::WeightType type = kernels::WeightType::kFloat) {
  std::vector<EngineModel> packed;
  for (const auto& model : models) packed.push_back(make_engine_model(*model, type));
  return std::make_unique<EngineDecoder>(std::move(packed), SpecialTokens{});
}

inline std::unique_ptr<SentenceDecoder> torch_of(const Models& models) {
  std::vector<const TranslationModel*> pointers;
  for (const auto& model : models) pointers.push_back(model.get());
  return std::make_unique<TensorDecoder>(pointers, SpecialTokens{});
}

}  // namespace dietmt::nmt
