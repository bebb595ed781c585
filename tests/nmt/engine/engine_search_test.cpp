// The engine finds the same translations as the search on tensors, in any batch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <deque>

#include "common/error.h"
#include "tests/nmt/engine/engine_run.h"
#include "tests/nmt/engine/mixed_feed.h"

namespace dietmt::nmt {
namespace {

// Position encodings differ in what they need when a beam is reordered.
Models model_with(const std::string& position, uint64_t seed = 1) {
  ModelConfig config = engine_config();
  config.encoder_position = config.decoder_position = position;
  return {lively_model(config, seed)};
}

Models recurrent_models() {
  ModelConfig config = engine_config();
  config.decoder_layer = "ssru";
  return {lively_model(config, 1)};
}

TEST(EngineSearch, EqualsTheSearchOnTensors) {
  std::vector<Models> all = {recurrent_models()};
  for (const char* position : {"sinusoidal", "shaw(clip=3)", "rope", "relative-key-query"})
    all.push_back(model_with(position));
  for (const Models& models : all) {
    const auto requests = random_requests(40, 20, 2);
    for (const auto& [beam, nbest] : std::vector<std::pair<int64_t, int64_t>>{
             {1, 1}, {2, 1}, {3, 3}, {5, 1}, {5, 5}, {12, 4}}) {
      const SearchOptions options = short_search(beam, nbest);
      expect_equal(decode(*engine_of(models), requests, options),
                   decode(*torch_of(models), requests, options));
    }
  }
}

TEST(EngineSearch, EqualsTheSearchOnTensorsWithEveryOption) {
  const Models models = model_with("learned");
  auto requests = random_requests(30, 15, 3);
  Random random(4);
  for (size_t i = 0; i < requests.size(); i += 3)
    requests[i].prefix = random_words(1 + static_cast<int64_t>(i % 5), random);
  requests.back().prefix = random_words(200, random);  // longer than the position table
  const auto expect_same = [&](const SearchOptions& options) {
    expect_equal(decode(*engine_of(models), requests, options),
                 decode(*torch_of(models), requests, options));
  };
  expect_same(short_search(4, 2));
  SearchOptions options = short_search(4, 4);
  options.min_length = 7;
  expect_same(options);
  options.length_penalty = 0.0;
  expect_same(options);
  options.length_norm = "gnmt";
  options.length_penalty = 2.0;
  expect_same(options);
  options.max_length_factor = 0.0;
  options.max_length_offset = 1;
  expect_same(options);
}

// N-grams, penalties on both sides of 1, and a minimum length that no hypothesis can reach.
std::vector<SearchOptions> repetition_limits(const SearchOptions& options) {
  std::vector<SearchOptions> all;
  for (const auto& [ngram, penalty, min_length] : std::vector<std::tuple<int64_t, double, int64_t>>{
           {1, 1.0, 0}, {2, 1.0, 7}, {0, 1.4, 0}, {0, 0.6, 5}, {3, 1.2, 0}, {1, 3.0, 25}}) {
    all.push_back(options);
    all.back().no_repeat_ngram = ngram;
    all.back().repetition_penalty = penalty;
    all.back().min_length = min_length;
    if (min_length == 25) all.back().max_length_offset = 30;
  }
  return all;
}

TEST(EngineSearch, LimitsOnRepetitionEqualThoseOfTensors) {
  ModelConfig small = engine_config();
  small.source_vocabulary = small.target_vocabulary = 20;
  auto requests = random_requests(12, 8, 15);
  for (TranslationRequest& request : requests)
    for (int32_t& token : request.source) token = token > 2 ? 3 + token % 17 : token;
  for (size_t i = 0; i < requests.size(); i += 4) requests[i].prefix = {5, 6, 5, 6};
  const Models one = {lively_model(small, 16)};
  const Models two = {lively_model(small, 16), lively_model(small, 17)};
  SearchOptions sampling = short_search(1, 3);
  sampling.sample = true;
  SearchOptions nucleus = sampling;
  nucleus.top_p = 0.8;
  for (const Models& models : {one, two}) {
    for (const SearchOptions& kind : {short_search(1, 1), short_search(5, 3), sampling, nucleus}) {
      const auto free = decode(*engine_of(models), requests, kind);
      for (const SearchOptions& options : repetition_limits(kind)) {
        SCOPED_TRACE("ngram " + std::to_string(options.no_repeat_ngram) + " penalty " +
                     std::to_string(options.repetition_penalty));
        const auto found = decode(*engine_of(models), requests, options);
        expect_equal(found, decode(*torch_of(models), requests, options));
        int64_t changed = 0;
        for (size_t i = 0; i < found.size(); ++i)
          changed += found[i].front().ids != free[i].front().ids;
        EXPECT_GT(changed, 0);
      }
    }
  }
}

/// Whether some translation has the tokens one after the other.
bool any_has(const std::vector<NBest>& found, const std::vector<int32_t>& sequence) {
  return std::ranges::any_of(found, [&](const NBest& one) {
    return std::ranges::any_of(one, [&](const Hypothesis& hypothesis) {
      return !std::ranges::search(hypothesis.ids, sequence).empty();
    });
  });
}

TEST(EngineSearch, NeverGeneratesWhatTheModelSuppresses) {
  const Models models = model_with("sinusoidal");
  const std::unique_ptr<SentenceDecoder> all = engine_of(models);
  std::vector<EngineModel> packed;
  packed.push_back(make_engine_model(*models.front(), kernels::WeightType::kFloat));
  const EngineDecoder few(std::move(packed), SpecialTokens{},
                          [](std::span<const int32_t>, std::vector<int32_t>& tokens) {
                            for (int32_t token = 2; token < 30; ++token) tokens.push_back(token);
                          });
  const SentenceDecoder* const decoders[] = {all.get(), &few};
  SearchOptions sampling = short_search(1, 3);
  sampling.sample = true;
  for (const SearchOptions& options : {short_search(1, 1), short_search(5, 3), sampling}) {
    for (const SentenceDecoder* decoder : decoders) {
      auto requests = random_requests(20, 10, 31);
      const auto free = decode(*decoder, requests, options);
      const std::vector<int32_t>& ids = free.front().front().ids;
      ASSERT_GT(ids.size(), 3U);
      const std::vector<int32_t> one = {ids[1]}, two = {ids[2], ids[3]}, first = {ids[0]};
      for (TranslationRequest& request : requests)
        request.suppressed = std::make_shared<const SuppressedTokens>(
            std::vector<std::vector<int32_t>>{one, two}, first);
      const auto found = decode(*decoder, requests, options);
      EXPECT_FALSE(any_has(found, one) || any_has(found, two));
      for (const NBest& translations : found)
        for (const Hypothesis& hypothesis : translations)
          EXPECT_TRUE(hypothesis.ids.empty() || hypothesis.ids[0] != first[0]);
      if (decoder == all.get()) expect_equal(found, decode(*torch_of(models), requests, options));
    }
  }
}

TEST(EngineSearch, PatienceEqualsThatOfTensors) {
  const Models models = model_with("sinusoidal");
  const auto requests = random_requests(20, 12, 18);
  for (const double patience : {0.4, 1.5, 3.0}) {
    SearchOptions options = short_search(4, 2);
    options.patience = patience;
    expect_equal(decode(*engine_of(models), requests, options),
                 decode(*torch_of(models), requests, options));
  }
}

TEST(EngineSearch, DiverseSearchEqualsThatOfTensors) {
  const Models one = model_with("rope");
  const Models two = {lively_model(engine_config(), 6), lively_model(engine_config(), 7)};
  auto requests = random_requests(8, 10, 19);
  requests[3].prefix = {5, 6, 7};
  for (const Models& models : {one, two}) {
    const auto plain = decode(*engine_of(models), requests, short_search(6, 6));
    for (const auto& [groups, strength] :
         std::vector<std::pair<int64_t, double>>{{2, 0.5}, {6, 2.0}}) {
      SearchOptions options = short_search(6, 6);
      options.diverse_groups = groups;
      options.diversity_strength = strength;
      options.repetition_penalty = groups == 6 ? 1.3 : 1.0;
      const auto found = decode(*engine_of(models), requests, options);
      expect_equal(found, decode(*torch_of(models), requests, options));
      int64_t changed = 0;
      for (size_t i = 0; i < found.size(); ++i)
        changed += found[i].back().ids != plain[i].back().ids;
      EXPECT_GT(changed, 4);
    }
  }
}

TEST(EngineSearch, SamplesEqualThoseOfTensors) {
  const Models models = model_with("alibi");
  const auto requests = random_requests(25, 12, 5);
  SearchOptions options = short_search(1, 3);
  options.sample = true;
  for (const auto& [top_k, top_p, temperature] : std::vector<std::tuple<int64_t, double, double>>{
           {0, 1.0, 1.0}, {10, 1.0, 1.0}, {0, 0.8, 1.0}, {20, 0.7, 0.6}, {0, 0.99, 2.0}}) {
    options.top_k = top_k;
    options.top_p = top_p;
    options.temperature = temperature;
    options.seed += 1;
    expect_equal(decode(*engine_of(models), requests, options),
                 decode(*torch_of(models), requests, options));
  }
}

TEST(EngineSearch, AnEnsembleEqualsThatOfTensors) {
  const Models models = {lively_model(engine_config(), 6), lively_model(engine_config(), 7)};
  const auto requests = random_requests(20, 12, 8);
  SearchOptions options = short_search(4, 2);
  expect_equal(decode(*engine_of(models), requests, options),
               decode(*torch_of(models), requests, options));
  options.sample = true;
  expect_equal(decode(*engine_of(models), requests, options),
               decode(*torch_of(models), requests, options));
}

class NeighboursWith : public testing::TestWithParam<std::string> {};

TEST_P(NeighboursWith, ChangeNoBit) {
  const Models models = model_with(GetParam());
  const auto requests = random_requests(30, 70, 9);
  for (const kernels::WeightType type : {kernels::WeightType::kFloat, kernels::WeightType::kInt8}) {
    const auto engine = engine_of(models, type);
    SearchOptions options = short_search(4, 2);
    options.batch_tokens = 1;
    const auto alone = decode(*engine, requests, options);
    for (const auto& [batch_tokens, workers, threads] :
         std::vector<std::tuple<int64_t, int64_t, int64_t>>{
             {80, 1, 1}, {500, 3, 1}, {500, 2, 2}, {100000, 1, 3}}) {
      options.batch_tokens = batch_tokens;
      options.workers = workers;
      options.threads = threads;
      expect_identical(decode(*engine, requests, options), alone);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Encodings, NeighboursWith,
                         testing::Values("sinusoidal", "shaw(clip=9)", "tupe-r", "fire", "diet-abs",
                                         "deberta(span=7)", "transformer-xl"));

TEST(EngineSearch, SamplesDoNotDependOnTheirNeighbours) {
  const Models models = model_with("t5");
  const auto requests = random_requests(30, 20, 10);
  SearchOptions options = short_search(1, 4);
  options.sample = true;
  options.batch_tokens = 1;
  const auto alone = decode(*engine_of(models), requests, options);
  options.batch_tokens = 300;
  options.workers = 2;
  expect_identical(decode(*engine_of(models), requests, options), alone);
}

TEST(EngineSearch, EachSentenceHasItsOwnFate) {
  const Models models = model_with("sinusoidal");
  const auto engine = engine_of(models);
  const auto requests = random_requests(8, 12, 11);
  std::vector<MixedFeed::Item> items;
  for (size_t i = 0; i < requests.size(); ++i)
    items.push_back({requests[i], short_search(1 + static_cast<int64_t>(i % 4), 1)});
  items[1].options.sample = true;
  items[2].request.source[0] = kVocabulary;
  items[3].abandoned = true;
  items[4].request.prefix = {-1};
  items[5].request.source.clear();
  MixedFeed feed(items);
  engine->run(feed, 1, 1, 1000);
  for (const size_t i : {0, 1, 6, 7}) {
    EXPECT_EQ(feed.items[i].error, "");
    expect_identical({feed.items[i].found}, decode(*engine, {requests[i]}, items[i].options));
  }
  EXPECT_THAT(feed.items[2].error,
              testing::HasSubstr("token 70 is outside the source vocabulary of 70 tokens"));
  EXPECT_THAT(feed.items[4].error, testing::HasSubstr("token -1"));
  EXPECT_THAT(feed.items[5].error, testing::HasSubstr("0 tokens"));
  EXPECT_TRUE(feed.items[3].found.empty());
  EXPECT_EQ(feed.items[3].error, "");
  EXPECT_THAT(feed.dropped, testing::ElementsAre(3));
}

// Overwrites each request when its result is delivered, and records the largest request for room.
class ForgetfulFeed : public SentenceFeed {
 public:
  ForgetfulFeed(std::vector<TranslationRequest> requests, const SearchOptions& options)
      : requests_(std::move(requests)), options_(options) {}

  std::vector<FedSentence> take(int64_t tokens, bool) override {
    most_asked = std::max(most_asked, tokens);
    if (next_ == requests_.size()) return {};
    const TranslationRequest& request = requests_[next_];
    return {{next_++, &request, &options_}};
  }
  void deliver(uint64_t ticket, NBest) override {
    requests_[ticket].source.assign(1000, 1);
    ++delivered;
  }
  void fail(uint64_t, std::exception_ptr error) override { std::rethrow_exception(error); }
  void drop(uint64_t) override {}

  int64_t most_asked = 0;
  int64_t delivered = 0;

 private:
  std::vector<TranslationRequest> requests_;
  SearchOptions options_;
  size_t next_ = 0;
};

TEST(EngineSearch, ReadsNothingOfASentenceThatIsDelivered) {
  const Models models = model_with("sinusoidal");
  ForgetfulFeed feed(random_requests(60, 12, 13), short_search(2, 1));
  engine_of(models)->run(feed, 1, 1, 50);
  EXPECT_EQ(feed.delivered, 60);
  EXPECT_LE(feed.most_asked, 50);
}

// Long sentences, and from the fifth step on urgent ones, one after the other.
class UrgentFeed : public SentenceFeed {
 public:
  UrgentFeed(std::vector<TranslationRequest> requests, size_t slow)
      : found(requests.size()), slow_left(slow), requests_(std::move(requests)), slow_(slow) {
    slow_options_.min_length = 30;
    slow_options_.max_length_offset = 40;
  }

  std::vector<FedSentence> take(int64_t, bool) override {
    std::vector<FedSentence> all;
    for (; next_ < slow_; ++next_) all.push_back({next_, &requests_[next_], &slow_options_});
    return all;
  }
  std::vector<FedSentence> take_urgent(int64_t) override {
    ++steps;
    if (steps < 5 || urgent_open_ || next_ == requests_.size()) return {};
    urgent_open_ = true;
    FedSentence urgent{next_, &requests_[next_], &options};
    urgent.is_urgent = true;
    ++next_;
    return {urgent};
  }
  void deliver(uint64_t ticket, NBest translations) override {
    found[ticket] = std::move(translations);
    if (ticket >= slow_) urgent_open_ = false;
    if (ticket < slow_ && --slow_left == 0) urgent_before_slow = next_ - slow_;
    if (ticket == slow_) steps_of_first = steps - 5;
  }
  void fail(uint64_t, std::exception_ptr error) override { std::rethrow_exception(error); }
  void drop(uint64_t) override {}

  const SearchOptions options = short_search(2, 1);
  std::vector<NBest> found;
  size_t slow_left;
  int64_t steps = 0;
  int64_t steps_of_first = 0;     // while the first urgent sentence was decoded
  size_t urgent_before_slow = 0;  // urgent sentences before the last slow one was done

 private:
  std::vector<TranslationRequest> requests_;
  SearchOptions slow_options_ = short_search(4, 1);
  const size_t slow_;
  size_t next_ = 0;
  bool urgent_open_ = false;
};

TEST(EngineSearch, UrgentSentencesPassOthersWhichKeepTheirShare) {
  const Models models = model_with("sinusoidal");
  const auto engine = engine_of(models);
  const auto requests = random_requests(500, 12, 14);
  UrgentFeed feed(requests, 8);
  engine->run(feed, 1, 1, 1000);
  EXPECT_LE(feed.steps_of_first, feed.options.max_target_length(std::ssize(requests[8].source)));
  EXPECT_GT(feed.urgent_before_slow, 8U);
  EXPECT_LT(feed.urgent_before_slow, 492U);
  // The feed ends with the last slow sentence and the urgent one that was open then.
  const auto unknown = std::find_if(feed.found.begin() + 8, feed.found.end(),
                                    [](const NBest& one) { return one.empty(); });
  const auto decoded = unknown - feed.found.begin();
  ASSERT_GE(decoded, static_cast<ptrdiff_t>(8 + feed.urgent_before_slow - 1));
  const std::vector<TranslationRequest> urgent(requests.begin() + 8, requests.begin() + decoded);
  expect_identical({feed.found.begin() + 8, unknown}, decode(*engine, urgent, feed.options));
}

TEST(EngineSearch, PassesAFailureOn) {
  const Models models = model_with("learned");
  auto requests = random_requests(5, 12, 12);
  requests[2].source.assign(129, 5);
  EXPECT_THROW(decode(*engine_of(models), requests, short_search(2, 1)), DataError);
}

}  // namespace
}  // namespace dietmt::nmt
