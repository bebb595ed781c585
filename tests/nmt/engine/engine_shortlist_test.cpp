// Shortlists in the engine: their effect on tokens and scores.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "common/error.h"
#include "nmt/packing/engine_models.h"
#include "tests/nmt/engine/engine_run.h"

namespace dietmt::nmt {
namespace {

using kernels::WeightType;

// A few words per source word.
std::vector<int32_t> listed(std::span<const int32_t> source) {
  std::set<int32_t> tokens;
  for (const int32_t word : source)
    for (const int32_t step : {1, 5, 17})
      tokens.insert(3 + (word * step) % static_cast<int32_t>(kVocabulary - 3));
  return {tokens.begin(), tokens.end()};
}

void list_some(std::span<const int32_t> source, std::vector<int32_t>& tokens) {
  tokens = listed(source);
}

void list_all(std::span<const int32_t>, std::vector<int32_t>& tokens) {
  tokens.resize(static_cast<size_t>(kVocabulary));
  std::iota(tokens.begin(), tokens.end(), 0);
}

void list_none(std::span<const int32_t>, std::vector<int32_t>& tokens) { tokens = {2}; }

std::unique_ptr<SentenceDecoder> engine_with(const Models& models, const OutputShortlist& shortlist,
                                             WeightType type = WeightType::kFloat) {
  std::vector<EngineModel> packed;
  for (const auto& model : models) packed.push_back(make_engine_model(*model, type));
  return std::make_unique<EngineDecoder>(std::move(packed), SpecialTokens{}, shortlist);
}

Models models_of(int64_t count) {
  ModelConfig config = engine_config();
  config.output_bias = true;
  Models models;
  for (int64_t m = 0; m < count; ++m)
    models.push_back(lively_model(config, static_cast<uint64_t>(20 + m)));
  return models;
}

// Beams, minimum lengths and samples.
std::vector<SearchOptions> all_kinds() {
  std::vector<SearchOptions> kinds = {short_search(1, 1), short_search(5, 3), short_search(4, 4)};
  kinds.back().min_length = 6;
  kinds.push_back(short_search(4, 2));
  kinds.back().no_repeat_ngram = 2;
  kinds.back().repetition_penalty = 1.3;
  // With a short list all its words are soon used up.
  kinds.push_back(short_search(4, 2));
  kinds.back().no_repeat_ngram = 1;
  kinds.back().min_length = 40;
  kinds.back().max_length_offset = 50;
  SearchOptions sampling = short_search(1, 3);
  sampling.sample = true;
  kinds.push_back(sampling);
  sampling.no_repeat_ngram = 1;
  kinds.push_back(sampling);
  sampling.no_repeat_ngram = 0;
  sampling.top_k = 9;
  kinds.push_back(sampling);
  sampling.top_k = 0;
  sampling.top_p = 0.8;
  kinds.push_back(sampling);
  return kinds;
}

std::vector<TranslationRequest> requests_with_prefixes() {
  auto requests = random_requests(30, 15, 21);
  Random random(22);
  for (size_t i = 0; i < requests.size(); i += 4)
    requests[i].prefix = random_words(1 + static_cast<int64_t>(i % 3), random);
  return requests;
}

TEST(EngineShortlist, OfAllTokensChangesNothing) {
  const auto requests = requests_with_prefixes();
  for (const int64_t count : {1, 2}) {
    const Models models = models_of(count);
    for (const WeightType type : {WeightType::kFloat, WeightType::kBFloat16, WeightType::kInt8}) {
      const auto without = engine_of(models, type);
      for (const auto list : {list_all, list_none}) {
        const auto with = engine_with(models, list, type);
        for (const SearchOptions& options : all_kinds())
          expect_identical(decode(*with, requests, options), decode(*without, requests, options));
      }
    }
  }
}

TEST(EngineShortlist, LeavesNoOtherTokens) {
  const auto requests = requests_with_prefixes();
  for (const int64_t count : {1, 2}) {
    const auto engine = engine_with(models_of(count), list_some);
    for (const SearchOptions& options : all_kinds()) {
      const auto found = decode(*engine, requests, options);
      for (size_t i = 0; i < requests.size(); ++i) {
        const auto& prefix = requests[i].prefix;
        std::vector<int32_t> allowed = listed(requests[i].source);
        allowed.insert(allowed.end(), prefix.begin(), prefix.end());
        ASSERT_FALSE(found[i].empty());
        for (const Hypothesis& hypothesis : found[i]) {
          EXPECT_THAT(hypothesis.ids, testing::Each(testing::AnyOfArray(allowed)));
          EXPECT_TRUE(std::isfinite(hypothesis.score));
          ASSERT_GE(hypothesis.ids.size(), prefix.size());
          EXPECT_TRUE(std::equal(prefix.begin(), prefix.end(), hypothesis.ids.begin()));
        }
      }
    }
  }
}

// A search over the whole vocabulary in which the other tokens have probability zero.
TEST(EngineShortlist, ScoresAreThoseAmongItsTokens) {
  const auto requests = random_requests(12, 10, 23);
  const SearchOptions options = short_search(4, 3);
  const auto engine = engine_with(models_of(1), list_some);
  for (const TranslationRequest& request : requests) {
    std::vector<int32_t> allowed = listed(request.source);
    allowed.push_back(SpecialTokens{}.end);
    const Models pushed = models_of(1);
    const torch::NoGradGuard no_grad;
    at::Tensor bias = pushed.front()->output_bias();
    for (int32_t token = 0; token < kVocabulary; ++token)
      if (std::ranges::find(allowed, token) == allowed.end()) bias[token] = -1e4;
    const auto wanted = decode(*engine_of(pushed), {request}, options);
    const auto found = decode(*engine, {request}, options);
    ASSERT_EQ(found.front().size(), wanted.front().size());
    for (size_t n = 0; n < found.front().size(); ++n) {
      EXPECT_EQ(found.front()[n].ids, wanted.front()[n].ids);
      EXPECT_NEAR(found.front()[n].score, wanted.front()[n].score, 1e-5);
    }
  }
}

TEST(EngineShortlist, NeighboursChangeNoBit) {
  const auto requests = requests_with_prefixes();
  const Models models = models_of(1);
  for (const WeightType type : {WeightType::kFloat, WeightType::kInt8}) {
    const auto engine = engine_with(models, list_some, type);
    for (SearchOptions options : all_kinds()) {
      options.batch_tokens = 1;
      const auto alone = decode(*engine, requests, options);
      for (const auto& [batch_tokens, workers, threads] :
           std::vector<std::tuple<int64_t, int64_t, int64_t>>{{100, 1, 1}, {90, 3, 2}}) {
        options.batch_tokens = batch_tokens;
        options.workers = workers;
        options.threads = threads;
        expect_identical(decode(*engine, requests, options), alone);
      }
    }
  }
}

TEST(EngineShortlist, OfOtherVocabulariesIsAnError) {
  const auto engine =
      engine_with(models_of(1), [](std::span<const int32_t>, std::vector<int32_t>& tokens) {
        tokens = {5, static_cast<int32_t>(kVocabulary)};
      });
  EXPECT_THROW(decode(*engine, random_requests(2, 5, 24), short_search(2, 1)), DataError);
}

}  // namespace
}  // namespace dietmt::nmt
