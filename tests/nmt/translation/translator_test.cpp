#include "nmt/translation/translator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "common/error.h"
#include "common/random.h"
#include "nmt/tensor_decoding/decoder_loader.h"
#include "tests/nmt/teacher_forcing.h"

namespace dietmt::nmt {
namespace {

constexpr int64_t kVocabulary = 50;

ModelConfig small_config(const std::string& position) {
  ModelConfig config;
  config.source_vocabulary = config.target_vocabulary = kVocabulary;
  config.encoder_layers = config.decoder_layers = 2;
  config.width = 16;
  config.feed_forward = 32;
  config.heads = 2;
  config.max_positions = 64;
  config.encoder_position = config.decoder_position = position;
  return config;
}

std::shared_ptr<TranslationModel> small_model(uint64_t seed,
                                              const std::string& position = "sinusoidal") {
  auto model = std::make_shared<TranslationModel>(small_config(position), seed);
  return model;
}

std::vector<TranslationRequest> random_requests(int64_t count, uint64_t seed) {
  Random random(seed);
  std::vector<TranslationRequest> requests;
  for (int64_t i = 0; i < count; ++i) {
    TranslationRequest request;
    for (uint64_t length = 1 + random.below(15); length > 0; --length)
      request.source.push_back(static_cast<int32_t>(3 + random.below(kVocabulary - 3)));
    request.source.push_back(2);
    request.index = i;
    requests.push_back(std::move(request));
  }
  return requests;
}

SearchOptions search_options() {
  SearchOptions options;
  options.beam = 4;
  options.nbest = 3;
  options.max_length_factor = 1.0;
  options.max_length_offset = 8;
  options.workers = 1;
  return options;
}

std::vector<NBest> translate(const std::vector<std::shared_ptr<TranslationModel>>& models,
                             const std::vector<TranslationRequest>& requests,
                             const SearchOptions& options) {
  std::vector<const TranslationModel*> pointers;
  for (const auto& model : models) pointers.push_back(model.get());
  return Translator({.decoder = make_decoder(pointers, SpecialTokens{})}, options)
      .translate(requests);
}

// The sum of log-probabilities of a hypothesis with teacher forcing.
double forced_sum(const std::vector<const TranslationModel*>& models,
                  const TranslationRequest& request, const Hypothesis& hypothesis) {
  ScoringRequest pair{request.source, hypothesis.ids};
  pair.target.push_back(2);
  const auto scores = score_targets(models, {&pair, 1})[0];
  return std::accumulate(scores.begin(), scores.end(), 0.0);
}

class TranslatorWith : public testing::TestWithParam<std::string> {};

TEST_P(TranslatorWith, ScoresAreThoseOfTeacherForcing) {
  const auto model = small_model(1, GetParam());
  const auto requests = random_requests(12, 2);
  const auto found = translate({model}, requests, search_options());
  for (size_t i = 0; i < requests.size(); ++i) {
    ASSERT_EQ(found[i].size(), 3U);
    for (const Hypothesis& hypothesis : found[i]) {
      EXPECT_EQ(hypothesis.token_scores.size(), hypothesis.ids.size() + 1);
      EXPECT_NEAR(hypothesis.sum, forced_sum({model.get()}, requests[i], hypothesis), 1e-4);
      EXPECT_NEAR(hypothesis.score, hypothesis.sum / static_cast<double>(hypothesis.ids.size() + 1),
                  1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, TranslatorWith,
                         testing::Values("sinusoidal", "diet-rel", "shaw", "t5", "learned"));

void expect_equal(const std::vector<NBest>& found, const std::vector<NBest>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size());
    for (size_t n = 0; n < found[i].size(); ++n) {
      EXPECT_EQ(found[i][n].ids, expected[i][n].ids) << "sentence " << i << " rank " << n;
      EXPECT_NEAR(found[i][n].score, expected[i][n].score, 1e-5);
    }
  }
}

TEST(Translator, ResultsDoNotDependOnBatchSizeOrThreads) {
  const auto model = small_model(4);
  const auto requests = random_requests(60, 5);
  SearchOptions options = search_options();
  const auto expected = translate({model}, requests, options);
  for (const int64_t batch_tokens : {1, 64, 300}) {
    options.batch_tokens = batch_tokens;
    options.workers = batch_tokens == 64 ? 3 : 1;
    expect_equal(translate({model}, requests, options), expected);
  }
  options.sample = true;
  options.top_k = 10;
  const auto sampled = translate({model}, requests, options);
  options.batch_tokens = 1;
  expect_equal(translate({model}, requests, options), sampled);
}

TEST(Translator, AFewRowsGiveWhatManyGive) {
  const auto model = small_model(13);
  const auto requests = random_requests(40, 14);
  SearchOptions options = search_options();
  for (const int64_t beam : {1, 2, 3}) {
    options.beam = beam;
    options.nbest = 1;
    options.batch_tokens = 1000;
    const auto expected = translate({model}, requests, options);
    options.batch_tokens = 1;
    const auto alone = translate({model}, requests, options);
    for (size_t i = 0; i < requests.size(); ++i) {
      EXPECT_EQ(alone[i][0].ids, expected[i][0].ids);
      EXPECT_EQ(alone[i][0].token_scores, expected[i][0].token_scores);  // to the last bit
    }
  }
}

TEST(Translator, AnEnsembleOfOneModelTwiceIsThatModel) {
  const auto model = small_model(6);
  const auto requests = random_requests(10, 7);
  expect_equal(translate({model, model}, requests, search_options()),
               translate({model}, requests, search_options()));
}

TEST(Translator, AnEnsembleAveragesProbabilities) {
  const auto first = small_model(8);
  const auto second = small_model(9);
  const auto requests = random_requests(5, 10);
  const auto found = translate({first, second}, requests, search_options());
  for (size_t i = 0; i < requests.size(); ++i) {
    const Hypothesis& best = found[i].front();
    EXPECT_NEAR(best.sum, forced_sum({first.get(), second.get()}, requests[i], best), 1e-4);
    // By the definition, token by token.
    ScoringRequest pair{requests[i].source, best.ids};
    pair.target.push_back(2);
    const TranslationModel* models[] = {first.get(), second.get()};
    const auto a = score_targets({models, 1}, {&pair, 1})[0];
    const auto b = score_targets({models + 1, 1}, {&pair, 1})[0];
    for (size_t t = 0; t < a.size(); ++t) {
      EXPECT_NEAR(best.token_scores[t], std::log((std::exp(a[t]) + std::exp(b[t])) / 2.0), 1e-5);
    }
  }
}

TEST(Translator, PrefixesAndLimitsHold) {
  const auto model = small_model(11, "learned");
  auto requests = random_requests(4, 12);
  requests[0].prefix = {7, 8, 9};
  requests[2].prefix = {5};
  requests[3].prefix.assign(200, 6);  // longer than the position table
  SearchOptions options = search_options();
  options.min_length = 6;
  const auto found = translate({model}, requests, options);
  for (const Hypothesis& hypothesis : found[0]) {
    ASSERT_GE(hypothesis.ids.size(), 6U);
    EXPECT_THAT(std::vector<int32_t>(hypothesis.ids.begin(), hypothesis.ids.begin() + 3),
                testing::ElementsAre(7, 8, 9));
  }
  EXPECT_EQ(found[2].front().ids.front(), 5);
  EXPECT_EQ(found[3].front().token_scores.size(), 64U);
  for (size_t i = 0; i < 3; ++i) {
    const auto limit = static_cast<size_t>(
        options.max_target_length(static_cast<int64_t>(requests[i].source.size())));
    for (const Hypothesis& hypothesis : found[i]) {
      EXPECT_LE(hypothesis.token_scores.size(), limit);
      EXPECT_NEAR(hypothesis.sum, forced_sum({model.get()}, requests[i], hypothesis), 1e-4);
    }
  }
}

// Delivers an empty translation for each sentence, and records each run's number of workers.
class CountingDecoder : public SentenceDecoder {
 public:
  int64_t max_source_length() const override { return kNoLimit; }
  int64_t max_target_length() const override { return kNoLimit; }
  void run(SentenceFeed& feed, int64_t workers, int64_t, int64_t batch_tokens) const override {
    asked.push_back(workers);
    for (auto taken = feed.take(batch_tokens, true); !taken.empty();
         taken = feed.take(batch_tokens, true))
      for (const FedSentence& one : taken) feed.deliver(one.ticket, NBest(1));
  }

  mutable std::vector<int64_t> asked;
};

TEST(Translator, WakesOneWorkerForWhatFitsIntoItsBatch) {
  const auto decoder = std::make_shared<CountingDecoder>();
  SearchOptions options;
  options.workers = 3;
  options.batch_tokens = 40;
  const Translator translator({.decoder = decoder}, options);
  const TranslationRequest ten{.source = {3, 4, 5, 6, 7, 8, 9, 10, 11, 2}, .prefix = {}};
  const TranslationRequest fifty{.source = std::vector<int32_t>(50, 5), .prefix = {}};
  EXPECT_EQ(translator.translate({&ten, 1}).size(), 1U);
  EXPECT_EQ(translator.translate({&fifty, 1}).size(), 1U);
  translator.translate(std::vector<TranslationRequest>(4, ten));
  translator.translate(std::vector<TranslationRequest>(5, ten));
  EXPECT_THAT(decoder->asked, testing::ElementsAre(1, 1, 1, 3));
}

TEST(SearchOptionsTest, TakeTemperaturesInTheirRange) {
  SearchOptions options;
  options.sample = true;
  for (const double good : {1e-3, 0.5, 1.0, 1e3}) {
    options.temperature = good;
    EXPECT_THAT(options.problems(), testing::IsEmpty()) << good;
  }
  for (const double bad : {1e-50, 0.00099, 0.0, -1.0, 1001.0, std::nan("")}) {
    options.temperature = bad;
    EXPECT_THAT(options.problems(), testing::ElementsAre(testing::AllOf(
                                        testing::StartsWith("--temperature is "),
                                        testing::EndsWith("; it must be from 0.001 to 1000"))))
        << bad;
  }
}

TEST(SearchOptionsTest, LengthsHaveABound) {
  SearchOptions options;
  EXPECT_EQ(options.max_target_length(10), 70);
  options.max_length_factor = 100.0;
  options.max_length_offset = 10'000;
  EXPECT_THAT(options.problems(), testing::IsEmpty());
  EXPECT_EQ(options.max_target_length(100), 20'000);
  EXPECT_EQ(options.max_target_length(100'000), SearchOptions::kLongestTarget);
  EXPECT_EQ(options.max_target_length(INT64_MAX), SearchOptions::kLongestTarget);
}

TEST(SearchOptionsTest, RefuseWhatWouldOverflow) {
  SearchOptions options;
  options.beam = 2000;
  options.length_penalty = INFINITY;
  options.max_length_factor = 1e18;
  options.max_length_offset = INT64_MAX;
  options.workers = 3000;
  options.threads = 100'000;
  EXPECT_THAT(options.problems(),
              testing::ElementsAre("--beam is 2000; it must be from 1 to 1000",
                                   "--length-penalty is inf; it must be from 0 to 10",
                                   "--max-length-factor is 1e+18; it must be from 0 to 100",
                                   "--max-length-offset is 9223372036854775807; it must be from 1 "
                                   "to 10000",
                                   "--workers is 3000; it must be from 0 to 1024",
                                   "--threads is 100000; it must be from 1 to 256"));
}

TEST(Translator, NamesAllWrongOptions) {
  const auto model = small_model(1);
  SearchOptions options;
  options.beam = 0;
  options.temperature = 0.0;
  try {
    const TranslationModel* const models[] = {model.get()};
    Translator({.decoder = make_decoder(models, SpecialTokens{})}, options);
    FAIL() << "no exception";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("--beam"));
    EXPECT_THAT(error.what(), testing::HasSubstr("--temperature"));
  }
}

}  // namespace
}  // namespace dietmt::nmt
