// The engine's log-probabilities equal the model's with teacher forcing.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/encoders/position/encoding_list.h"
#include "tests/nmt/engine/engine_run.h"
#include "tests/nmt/teacher_forcing.h"

namespace dietmt::nmt {
namespace {

// Sentences of several lengths, each with its forced target as tokens and as prefix.
struct Forced {
  std::vector<TranslationRequest> requests;
  std::vector<ScoringRequest> pairs;
};

Forced forced_pairs() {
  Forced forced;
  Random random(3);
  for (const int64_t length : {1, 4, 4, 17, 40, 90}) {
    TranslationRequest request;
    request.source = random_words(length - 1, random);
    request.source.push_back(2);
    request.prefix = random_words(1 + (length * 7) % 100, random);
    ScoringRequest pair{request.source, request.prefix};
    pair.target.push_back(2);
    forced.requests.push_back(std::move(request));
    forced.pairs.push_back(std::move(pair));
  }
  return forced;
}

// The largest difference between a token's log-probability in the engine and with teacher forcing.
double largest_gap(const Models& models, kernels::WeightType type = kernels::WeightType::kFloat) {
  const Forced forced = forced_pairs();
  SearchOptions options = short_search(1, 1);
  options.max_length_factor = 0.0;
  options.max_length_offset = 1;
  const auto found = decode(*engine_of(models, type), forced.requests, options);
  std::vector<const TranslationModel*> pointers;
  for (const auto& model : models) pointers.push_back(model.get());
  const auto wanted = score_targets(pointers, forced.pairs);
  double largest = 0.0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<float>& scores = found[i].front().token_scores;
    EXPECT_EQ(scores.size(), wanted[i].size());
    for (size_t t = 0; t < scores.size(); ++t) {
      const double gap = std::abs(scores[t] - wanted[i][t]);
      if (!(gap <= largest)) largest = gap;  // also for NaN
    }
  }
  return largest;
}

// RMS norms, normalized queries and keys, and keys and values shared by heads.
ModelConfig grouped_config() {
  ModelConfig config = engine_config();
  config.norm_type = "rms";
  config.qk_norm = true;
  config.kv_heads = 2;
  return config;
}

ModelConfig adapted_config(int64_t size) {
  ModelConfig config = engine_config();
  config.adapter_size = size;
  return config;
}

enum class Parts { kPlain, kGrouped, kAdapted };

ModelConfig config_with(Parts parts) {
  if (parts == Parts::kGrouped) return grouped_config();
  return parts == Parts::kAdapted ? adapted_config(12) : engine_config();
}

class EngineWith : public testing::TestWithParam<std::tuple<encoders::Encoding, Parts>> {};

TEST_P(EngineWith, EqualsTeacherForcing) {
  const auto& [encoding, parts] = GetParam();
  ModelConfig config = config_with(parts);
  if (encoding.encoder) config.encoder_position = encoding.spec;
  if (encoding.decoder) config.decoder_position = encoding.spec;
  EXPECT_LE(largest_gap({lively_model(config, 1)}), 1e-5) << encoding.spec;
}

// Words have no segments.
std::vector<encoders::Encoding> encodings_of_words() {
  std::vector<encoders::Encoding> all = encoders::kEncodings;
  std::erase_if(all, [](const encoders::Encoding& encoding) {
    return encoding.spec.find("segments") != std::string::npos;
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Encodings, EngineWith,
                         testing::Combine(testing::ValuesIn(encodings_of_words()),
                                          testing::Values(Parts::kPlain, Parts::kGrouped,
                                                          Parts::kAdapted)));

TEST(EngineScores, EqualTeacherForcingWithPositionsOfCrossAttention) {
  for (const char* spec : {"diet-rel", "diet-rel(clip=3,share=all)", "diet-abs", "diet-abs(rank=3)",
                           "linformer(length=6)", "diet-abs-lin(length=5,rank=3)"}) {
    for (ModelConfig config : {engine_config(), grouped_config()}) {
      config.cross_position = spec;
      EXPECT_LE(largest_gap({lively_model(config, 2)}), config.qk_norm ? 1e-4 : 1e-5) << spec;
    }
  }
}

TEST(EngineScores, EqualTeacherForcingInEveryArchitecture) {
  for (const char* norm : {"post", "pre"})
    for (const char* activation : {"relu", "gelu", "swiglu"})
      for (const char* tied : {"none", "decoder", "all"}) {
        ModelConfig config = engine_config();
        config.norm = norm;
        config.activation = activation;
        config.tied_embeddings = tied;
        EXPECT_LE(largest_gap({lively_model(config, 3)}), 1e-5)
            << norm << " " << activation << " " << tied;
      }
}

TEST(EngineScores, EqualTeacherForcingWithOtherNormsAndHeads) {
  for (const char* norm : {"post", "pre"})
    for (const char* type : {"layer", "rms"})
      for (const bool qk_norm : {false, true})
        for (const int64_t kv_heads : {1, 2, 4}) {
          ModelConfig config = engine_config();
          config.norm = norm;
          config.norm_type = type;
          config.qk_norm = qk_norm;
          config.kv_heads = kv_heads;
          config.encoder_position = config.decoder_position = "rope(factor=2)";
          EXPECT_LE(largest_gap({lively_model(config, 3)}), 1e-5)
              << norm << " " << type << " " << qk_norm << " " << kv_heads;
        }
}

ModelConfig recurrent_config(const std::string& norm, const std::string& positions) {
  ModelConfig config = engine_config();
  config.decoder_layer = "ssru";
  config.norm = norm;
  config.decoder_position = positions;
  return config;
}

TEST(EngineScores, EqualTeacherForcingWithARecurrentDecoder) {
  for (const char* norm : {"post", "pre"})
    for (const char* positions : {"none", "sinusoidal"}) {
      ModelConfig config = recurrent_config(norm, positions);
      EXPECT_LE(largest_gap({lively_model(config, 3)}), 1e-5) << norm << " " << positions;
      config.kv_heads = 1;
      config.qk_norm = true;
      config.norm_type = "rms";
      EXPECT_LE(largest_gap({lively_model(config, 3)}), 1e-5) << norm << " " << positions;
    }
  const Models mixed = {lively_model(recurrent_config("post", "none"), 4),
                        lively_model(engine_config(), 5)};
  EXPECT_LE(largest_gap(mixed), 1e-5);
}

TEST(EngineScores, OfARecurrentDecoderStayCloseWithRoundedWeights) {
  const Models models = {
      std::make_shared<TranslationModel>(recurrent_config("post", "sinusoidal"), 7)};
  EXPECT_LE(largest_gap(models, kernels::WeightType::kBFloat16), 0.05);
  EXPECT_LE(largest_gap(models, kernels::WeightType::kInt8), 0.1);
}

TEST(EngineScores, EqualTeacherForcingAtOtherSizes) {
  ModelConfig config = engine_config();
  config.source_vocabulary = 90;
  config.tied_embeddings = "decoder";
  config.width = 144;
  config.heads = 3;
  config.feed_forward = 200;
  config.encoder_layers = 1;
  config.decoder_layers = 3;
  config.decoder_position = "shaw(clip=4)+learned";
  EXPECT_LE(largest_gap({lively_model(config, 4)}), 1e-4);
}

TEST(EngineScores, OfAnEnsembleAreAveragedProbabilities) {
  ModelConfig other = engine_config();
  other.width = 32;
  other.decoder_position = "rope";
  EXPECT_LE(largest_gap({lively_model(engine_config(), 5), lively_model(other, 6)}), 1e-5);
}

TEST(EngineScores, StayCloseWithRoundedWeights) {
  for (const ModelConfig& config : {engine_config(), grouped_config()}) {
    const Models models = {std::make_shared<TranslationModel>(config, 7)};
    EXPECT_LE(largest_gap(models, kernels::WeightType::kBFloat16), 0.05);
    EXPECT_GT(largest_gap(models, kernels::WeightType::kBFloat16), 1e-5);
    EXPECT_LE(largest_gap(models, kernels::WeightType::kInt8), 0.1);
    EXPECT_GT(largest_gap(models, kernels::WeightType::kInt8), 1e-5);
  }
}

// A bottleneck narrower and wider than the feed-forward blocks.
TEST(EngineScores, EqualTeacherForcingWithAdapters) {
  for (const int64_t size : {1, 12, 72})
    for (const char* norm : {"post", "pre"})
      for (const char* type : {"layer", "rms"}) {
        ModelConfig config = adapted_config(size);
        config.norm = norm;
        config.norm_type = type;
        EXPECT_LE(largest_gap({lively_model(config, 3)}), 1e-5)
            << size << " " << norm << " " << type;
      }
  ModelConfig recurrent = recurrent_config("post", "sinusoidal");
  recurrent.adapter_size = 8;
  EXPECT_LE(largest_gap({lively_model(recurrent, 4)}), 1e-5);
}

TEST(EngineScores, WithAdaptersStayCloseWithRoundedWeights) {
  for (const int64_t size : {1, 12, 72}) {
    const auto model = std::make_shared<TranslationModel>(adapted_config(size), 7);
    const torch::NoGradGuard no_grad;
    at::manual_seed(7);
    for (auto& item : model->named_parameters())
      if (item.key().ends_with(".adapter.up_weight")) item.value().normal_(0.0, 0.1);
    EXPECT_LE(largest_gap({model}, kernels::WeightType::kBFloat16), 0.05) << size;
    EXPECT_LE(largest_gap({model}, kernels::WeightType::kInt8), 0.1) << size;
  }
}

}  // namespace
}  // namespace dietmt::nmt
