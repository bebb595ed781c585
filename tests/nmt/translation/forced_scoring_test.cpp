// Scores of given translations do not depend on the batches in which they are computed.
#include "nmt/translation/forced_scoring.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "common/random.h"
#include "nmt/network/translation_model.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "nmt/translation/translator.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kWideVocabulary = 700;

std::vector<int32_t> random_words(Random& random) {
  std::vector<int32_t> ids;
  for (uint64_t length = random.below(40); length > 0; --length)
    ids.push_back(static_cast<int32_t>(3 + random.below(kWideVocabulary - 3)));
  return ids;
}

// As wide as real models: products of few inputs have the same bits in any case.
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
  const std::shared_ptr<const SentenceDecoder> decoder = make_decoder(models, SpecialTokens{});
  Random random(random_key(5, 0));
  std::vector<TranslationRequest> pairs(60);
  for (TranslationRequest& pair : pairs) {
    pair.source = random_words(random);
    pair.source.push_back(2);
    pair.prefix = random_words(random);
  }

  const auto scores = [&](int64_t batch_tokens) {
    SearchOptions options = forced_search({.workers = 1});
    options.batch_tokens = batch_tokens;
    std::vector<std::vector<float>> of_pairs;
    for (const NBest& found : Translator({.decoder = decoder}, options).translate(pairs))
      of_pairs.push_back(found.front().token_scores);
    return of_pairs;
  };
  const auto expected = scores(4096);
  for (size_t i = 0; i < pairs.size(); ++i)
    ASSERT_EQ(expected[i].size(), pairs[i].prefix.size() + 1);
  for (const int64_t batch_tokens : {1, 50, 64, 100, 333, 900}) {
    SCOPED_TRACE(batch_tokens);
    EXPECT_EQ(scores(batch_tokens), expected);
  }
}

}  // namespace
}  // namespace dietmt::nmt
