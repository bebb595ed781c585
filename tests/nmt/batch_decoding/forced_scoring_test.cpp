// Scores of given translations do not depend on the batches that they are computed in.
#include "nmt/batch_decoding/forced_scoring.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "common/random.h"
#include "nmt/network/translation_model.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kWideVocabulary = 700;

std::vector<int32_t> random_sentence(Random& random) {
  std::vector<int32_t> ids;
  for (uint64_t length = random.below(40); length > 0; --length)
    ids.push_back(static_cast<int32_t>(3 + random.below(kWideVocabulary - 3)));
  ids.push_back(2);
  return ids;
}

// As wide as models in use: products of few inputs have the same bits in any case.
TEST(ForcedScoring, EveryBatchSizeGivesTheSameBits) {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = kWideVocabulary;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = 512;
  config.feed_forward = 2048;
  config.heads = 8;
  const auto model = std::make_shared<TranslationModel>(config, 1);
  model->eval();
  const TranslationModel* const models[] = {model.get()};
  Random random(random_key(5, 0));
  std::vector<ScoringRequest> pairs(60);
  for (ScoringRequest& pair : pairs) pair = {random_sentence(random), random_sentence(random)};

  const auto scores = [&](int64_t batch_tokens) {
    return score_targets(models, pairs, {.batch_tokens = batch_tokens, .threads = 1});
  };
  const auto expected = scores(4096);
  for (const int64_t batch_tokens : {1, 50, 64, 100, 333, 900}) {
    SCOPED_TRACE(batch_tokens);
    EXPECT_EQ(scores(batch_tokens), expected);
  }
}

}  // namespace
}  // namespace dietmt::nmt
