// The attention that decoders return with their translations equals that of teacher forcing.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "common/error.h"
#include "nmt/search/coverage.h"
#include "nmt/tensor_decoding/token_attention.h"
#include "tests/nmt/engine/engine_run.h"

namespace dietmt::nmt {
namespace {

SearchOptions aligning(SearchOptions options) {
  options.alignment = true;
  return options;
}

// The largest difference between the attention of found translations and teacher forcing.
double largest_gap(const Models& models, const std::vector<NBest>& found,
                   const std::vector<TranslationRequest>& requests) {
  std::vector<const TranslationModel*> pointers;
  for (const auto& model : models) pointers.push_back(model.get());
  double largest = 0.0;
  for (size_t i = 0; i < found.size(); ++i) {
    for (const Hypothesis& one : found[i]) {
      const AlignmentRequest pair{requests[i].source, one.ids};
      const auto wanted = token_attention(pointers, std::vector{pair}, SpecialTokens{}).front();
      EXPECT_EQ(one.attention.size(), wanted.size());
      EXPECT_EQ(wanted.size(), requests[i].source.size() * (one.ids.size() + 1));
      for (size_t w = 0; w < wanted.size() && w < one.attention.size(); ++w) {
        const double gap = std::abs(one.attention[w] - wanted[w]);
        if (!(gap <= largest)) largest = gap;  // also for NaN
      }
    }
  }
  return largest;
}

double engine_gap(const Models& models, const SearchOptions& options) {
  const auto requests = random_requests(12, 20, 5);
  return largest_gap(models, decode(*engine_of(models), requests, aligning(options)), requests);
}

TEST(EngineAttentionTest, EqualsTeacherForcingWithPositionsOfCrossAttention) {
  for (const char* spec : {"none", "diet-rel", "diet-rel(clip=3,share=all)", "diet-abs(rank=3)"}) {
    for (const int64_t head : {0, 3}) {
      ModelConfig config = engine_config();
      config.cross_position = spec;
      config.alignment_head = head;
      EXPECT_LT(engine_gap({lively_model(config, 3)}, short_search(2, 2)), 1e-4) << spec;
    }
  }
}

TEST(EngineAttentionTest, OfAHeadAndOfTheMeanOfALayer) {
  for (const int64_t layer : {0, 1, 2}) {
    for (const int64_t head : {0, 1, 4}) {
      ModelConfig config = engine_config();
      config.alignment_layer = layer;
      config.alignment_head = head;
      EXPECT_LT(engine_gap({lively_model(config, 3)}, short_search(4, 4)), 1e-4)
          << "layer " << layer << ", head " << head;
    }
  }
}

TEST(EngineAttentionTest, OfSamplesAndOfRecurrentDecoders) {
  SearchOptions sampling = short_search(1, 3);
  sampling.sample = true;
  EXPECT_LT(engine_gap({lively_model(engine_config(), 4)}, sampling), 1e-4);
  ModelConfig recurrent = engine_config();
  recurrent.decoder_layer = "ssru";
  EXPECT_LT(engine_gap({lively_model(recurrent, 4)}, short_search(3, 3)), 1e-4);
}

TEST(EngineAttentionTest, OfAnEnsembleIsTheMean) {
  const Models models = {lively_model(engine_config(), 5), lively_model(engine_config(), 6)};
  EXPECT_LT(engine_gap(models, short_search(3, 2)), 1e-4);
}

TEST(EngineAttentionTest, TheTensorDecoderReturnsItToo) {
  const Models models = {lively_model(engine_config(), 5), lively_model(engine_config(), 6)};
  const auto requests = random_requests(12, 20, 5);
  const auto found = decode(*torch_of(models), requests, aligning(short_search(3, 2)));
  EXPECT_LT(largest_gap(models, found, requests), 1e-5);
}

TEST(EngineAttentionTest, RowsSumToOne) {
  const auto requests = random_requests(8, 20, 9);
  const Models models = {lively_model(engine_config(), 7)};
  for (const NBest& translations :
       decode(*engine_of(models), requests, aligning(short_search(3, 3)))) {
    for (const Hypothesis& one : translations) {
      const double sum = std::accumulate(one.attention.begin(), one.attention.end(), 0.0);
      EXPECT_NEAR(sum, static_cast<double>(one.ids.size() + 1), 1e-3);
    }
  }
}

// Whether or not it is requested, also by neighbours in the batch.
TEST(EngineAttentionTest, TranslationsDoNotDependOnIt) {
  const auto requests = random_requests(30, 20, 8);
  const Models models = {lively_model(engine_config(), 7)};
  const auto plain = decode(*engine_of(models), requests, short_search(4, 3));
  const auto aligned = decode(*engine_of(models), requests, aligning(short_search(4, 3)));
  expect_identical(aligned, plain);
  EXPECT_TRUE(plain.front().front().attention.empty());
  EXPECT_FALSE(aligned.front().front().attention.empty());
}

// Both decoders rank the hypotheses finished by the search without a penalty.
TEST(EngineAttentionTest, TheCoveragePenaltyRanksWhatIsFinished) {
  const Models models = {lively_model(engine_config(), 7), lively_model(engine_config(), 8)};
  const auto requests = random_requests(15, 20, 8);
  SearchOptions options = aligning(short_search(6, 6));
  options.max_length_factor = 0.5;  // longer translations would cover everything
  options.max_length_offset = 2;
  std::vector<NBest> wanted = decode(*torch_of(models), requests, options);
  options.coverage_penalty = 5.0;
  int64_t changed = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::vector<int32_t> before = wanted[i].front().ids;
    const auto length = std::ssize(requests[i].source);
    for (Hypothesis& one : wanted[i]) one.score += 5.0 * coverage(one, length);
    std::ranges::stable_sort(wanted[i], std::greater(), &Hypothesis::score);
    wanted[i].resize(1);
    changed += wanted[i].front().ids != before;
  }
  EXPECT_GT(changed, 0);
  options.nbest = 1;
  options.alignment = false;
  const auto found = decode(*engine_of(models), requests, options);
  expect_equal(found, wanted);
  expect_equal(decode(*torch_of(models), requests, options), wanted);
  EXPECT_TRUE(found.front().front().attention.empty());
}

TEST(EngineAttentionTest, CompressedKeysAlignNothing) {
  ModelConfig config = engine_config();
  config.cross_position = "linformer(length=6)";
  const Models models = {lively_model(config, 7)};
  const auto requests = random_requests(2, 5, 8);
  EXPECT_FALSE(engine_of(models)->aligns());
  EXPECT_FALSE(torch_of(models)->aligns());
  EXPECT_TRUE(engine_of({lively_model(engine_config(), 7)})->aligns());
  EXPECT_TRUE(torch_of({lively_model(engine_config(), 7)})->aligns());
  EXPECT_THROW(decode(*engine_of(models), requests, aligning(short_search(1, 1))), DataError);
  EXPECT_THROW(decode(*torch_of(models), requests, aligning(short_search(1, 1))), ConfigError);
}

}  // namespace
}  // namespace dietmt::nmt
