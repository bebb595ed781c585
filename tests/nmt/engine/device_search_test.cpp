// Beam search in tensors, with the host a step behind the device
// (nmt/tensor_decoding/beam_worker.h), here on the CPU: compared with the engine, and with
// searching one batch after another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "common/error.h"
#include "nmt/tensor_decoding/beam_worker.h"
#include "nmt/tensor_decoding/host_searches.h"
#include "nmt/tensor_decoding/replicated_decoder.h"
#include "nmt/tensor_decoding/step_scorer.h"
#include "tests/nmt/engine/engine_run.h"
#include "tests/nmt/engine/mixed_feed.h"

namespace dietmt::nmt {
namespace {

Models one_model(uint64_t seed, const std::string& position = "diet-rel") {
  ModelConfig config = engine_config();
  config.encoder_position = config.decoder_position = position;
  return {lively_model(config, seed)};
}

// The search with log-probabilities that the host reads.
std::vector<NBest> search_of_the_host(const Models& models,
                                      const std::vector<TranslationRequest>& requests,
                                      const SearchOptions& options) {
  const c10::InferenceMode inference;
  const TranslationModel* const model = models.front().get();
  std::vector<SearchTask> tasks;
  std::vector<const std::vector<int32_t>*> sources;
  for (const TranslationRequest& request : requests) {
    tasks.push_back(search_task(request, options, model->max_target_length()));
    sources.push_back(&request.source);
  }
  const DecodingModel decoding{model};
  const auto scorer = make_scorer({&decoding, 1}, sources, options.beam);
  return search_on_host(*scorer, tasks, SpecialTokens{}, options);
}

TEST(DeviceSearch, EqualsTheSearchOfTheHost) {
  const Models models = one_model(21);
  auto requests = random_requests(25, 20, 22);
  requests[3].prefix = {9, 1, 20};
  requests[8].prefix = {30};
  for (const int64_t beam : {1, 4}) {
    SearchOptions options = short_search(beam, beam);
    options.min_length = 3;
    expect_equal(decode(*torch_of(models), requests, options),
                 search_of_the_host(models, requests, options));
    options.length_penalty = 0.4;
    options.patience = 2.0;
    expect_equal(decode(*torch_of(models), requests, options),
                 search_of_the_host(models, requests, options));
  }
}

TEST(DeviceSearch, EqualsTheEngine) {
  for (const char* position : {"rope", "shaw(clip=3)", "cope(positions=3)"}) {
    ModelConfig config = engine_config();
    config.decoder_position = position;
    const Models models = {lively_model(config, 23)};
    const auto requests = random_requests(20, 30, 24);
    const SearchOptions options = short_search(5, 2);
    expect_equal(decode(*torch_of(models), requests, options),
                 decode(*engine_of(models), requests, options));
  }
}

TEST(DeviceSearch, EqualsTheEngineWithARecurrentDecoder) {
  ModelConfig config = engine_config();
  config.decoder_layer = "ssru";
  config.decoder_position = "sinusoidal";
  const Models models = {lively_model(config, 25)};
  const auto requests = random_requests(20, 20, 26);
  const SearchOptions options = short_search(3, 1);
  expect_equal(decode(*torch_of(models), requests, options),
               decode(*engine_of(models), requests, options));
}

// Sentences join others that are being decoded when there is room.
TEST(DeviceSearch, DoesNotDependOnTheSizeOfABatch) {
  const Models models = one_model(27);
  const auto requests = random_requests(40, 20, 28);
  SearchOptions options = short_search(3, 2);
  options.batch_tokens = 1;
  const auto alone = decode(*torch_of(models), requests, options);
  for (const int64_t tokens : {30, 100, 10'000}) {
    options.batch_tokens = tokens;
    expect_equal(decode(*torch_of(models), requests, options), alone);
  }
}

TEST(DeviceSearch, EachSentenceHasItsOwnFate) {
  const Models models = one_model(29, "sinusoidal");
  const auto decoder = torch_of(models);
  const auto requests = random_requests(10, 12, 30);
  std::vector<MixedFeed::Item> items;
  for (size_t i = 0; i < requests.size(); ++i)
    items.push_back({requests[i], short_search(1 + static_cast<int64_t>(i % 3), 1)});
  items[1].options.sample = true;
  items[2].request.source[0] = kVocabulary;
  items[3].abandoned = true;
  items[4].request.prefix = {-1};
  items[5].request.source.clear();
  items[6].options.no_repeat_ngram = 2;
  MixedFeed feed(items);
  decoder->run(feed, 1, 1, 1000);
  for (const size_t i : {0, 1, 6, 7, 8, 9}) {
    EXPECT_EQ(feed.items[i].error, "");
    expect_equal({feed.items[i].found}, decode(*decoder, {requests[i]}, items[i].options));
  }
  EXPECT_THAT(feed.items[2].error,
              testing::HasSubstr("token 70 is outside the source vocabulary of 70 tokens"));
  EXPECT_THAT(feed.items[4].error, testing::HasSubstr("token -1"));
  EXPECT_THAT(feed.items[5].error, testing::HasSubstr("0 tokens"));
  EXPECT_TRUE(feed.items[3].found.empty());
  EXPECT_THAT(feed.dropped, testing::ElementsAre(3));
}

// Rows for one or two sentences at a time.
void decode_with_rows(const Models& models, SentenceFeed& feed, int64_t rows) {
  const c10::InferenceMode inference;
  const SpecialTokens special;
  const RequestLimits limits{kVocabulary, kVocabulary, 128, 128};
  BeamWorker worker({models.front().get()}, special, limits, rows);
  worker.run(feed, 10'000,
             {[](const FedSentence&) { return false; },
              [](std::span<const FedSentence>, const auto&) { FAIL() << "a step has failed"; }});
}

TEST(DeviceSearch, EncodedSentencesWaitForRows) {
  const Models models = one_model(37);
  const auto requests = random_requests(20, 20, 38);
  const SearchOptions options = short_search(3, 2);
  for (const int64_t rows : {3, 6}) {
    RequestFeed feed(requests, options, {});
    decode_with_rows(models, feed, rows);
    expect_equal(std::move(feed).results(), decode(*torch_of(models), requests, options));
  }
}

// Sentences 0 to 5 come first; the last one is urgent, and 4 is abandoned meanwhile.
class LateUrgentFeed : public SentenceFeed {
 public:
  explicit LateUrgentFeed(const SearchOptions& options) : options_(options) {}

  std::vector<FedSentence> take(int64_t, bool) override {
    std::vector<FedSentence> first;
    for (; next_ < 6; ++next_)
      first.push_back({next_, &requests_[next_], &options_, next_ == 4 ? &abandoned_ : nullptr});
    return first;
  }
  std::vector<FedSentence> take_urgent(int64_t) override {
    if (next_ != 6) return {};
    abandoned_ = true;
    return {{next_++, &requests_[6], &options_, nullptr, true}};
  }
  void deliver(uint64_t ticket, NBest) override { order.push_back(ticket); }
  void fail(uint64_t, std::exception_ptr error) override { std::rethrow_exception(error); }
  void drop(uint64_t ticket) override { dropped.push_back(ticket); }

  std::vector<uint64_t> order, dropped;

 private:
  const std::vector<TranslationRequest> requests_ = random_requests(7, 12, 40);
  const SearchOptions& options_;
  std::atomic<bool> abandoned_ = false;
  uint64_t next_ = 0;
};

TEST(DeviceSearch, UrgentSentencesDoNotWaitBehindEncodedOnes) {
  const SearchOptions options = short_search(3, 1);
  LateUrgentFeed feed(options);
  decode_with_rows(one_model(39), feed, 3);
  EXPECT_THAT(feed.order, testing::ElementsAre(0, 6, 1, 2, 3, 5));
  EXPECT_THAT(feed.dropped, testing::ElementsAre(4));
}

// A search on the host comes first, and plain sentences while it runs.
class HostFirstFeed : public SentenceFeed {
 public:
  explicit HostFirstFeed(std::vector<SearchOptions> options) : options_(std::move(options)) {}

  std::vector<FedSentence> take(int64_t, bool) override {
    if (next_ == requests_.size()) return {};
    const uint64_t ticket = next_++;
    return {{ticket, &requests_[ticket], &options_[ticket == 0 ? 0 : 1]}};
  }
  void deliver(uint64_t ticket, NBest) override { order.push_back(ticket); }
  void fail(uint64_t, std::exception_ptr error) override { std::rethrow_exception(error); }
  void drop(uint64_t) override {}

  std::vector<uint64_t> order;

 private:
  const std::vector<TranslationRequest> requests_ = random_requests(4, 6, 44);
  const std::vector<SearchOptions> options_;
  uint64_t next_ = 0;
};

TEST(DeviceSearch, PlainSentencesDoNotWaitForASearchOnTheHost) {
  SearchOptions sample = short_search(1, 1), plain = short_search(2, 1);
  sample.sample = true;
  sample.min_length = 100;
  sample.max_length_offset = 100;
  HostFirstFeed feed({sample, plain});
  torch_of(one_model(43))->run(feed, 1, 1, 1000);
  ASSERT_EQ(feed.order.size(), 4U);
  EXPECT_EQ(feed.order.back(), 0U);
}

// Those that enter meanwhile, too, if nothing else is left.
TEST(DeviceSearch, EverySearchOnTheHostIsAnswered) {
  const Models models = one_model(45);
  const auto requests = random_requests(2, 6, 46);
  SearchOptions sample = short_search(1, 1);
  sample.sample = true;
  std::vector<MixedFeed::Item> items = {{requests[0], sample}, {requests[1], sample}};
  MixedFeed feed(items);
  const c10::InferenceMode inference;
  const SpecialTokens special;
  const RequestLimits limits{kVocabulary, kVocabulary, 128, 128};
  BeamWorker worker({models.front().get()}, special, limits);
  std::vector<uint64_t> answered;
  worker.run(feed, 1000,
             {[](const FedSentence&) { return true; },
              [&](std::span<const FedSentence> some, const std::function<void()>& between_steps) {
                between_steps();  // takes the other one
                for (const FedSentence& one : some) answered.push_back(one.ticket);
              }});
  EXPECT_THAT(answered, testing::ElementsAre(0, 1));
}

class ThrowingDecoder : public SentenceDecoder {
 public:
  int64_t max_source_length() const override { return kNoLimit; }
  int64_t max_target_length() const override { return kNoLimit; }
  void run(SentenceFeed& feed, int64_t, int64_t, int64_t) const override {
    while (feed.take(10, true).empty()) {
    }
    throw Error("a device is lost");
  }
};

TEST(DeviceSearch, AReplicaThatThrowsFailsItsSentences) {
  const Models models = one_model(47);
  const auto requests = random_requests(2, 6, 48);
  std::vector<MixedFeed::Item> items = {{requests[0], short_search(1, 1)},
                                        {requests[1], short_search(1, 1)}};
  MixedFeed feed(items);
  std::vector<ReplicatedDecoder::Replica> replicas;
  replicas.push_back({nullptr, std::make_unique<ThrowingDecoder>()});
  EXPECT_THROW(ReplicatedDecoder(std::move(replicas)).run(feed, 1, 1, 100), Error);
  EXPECT_EQ(feed.items[0].error, "a device is lost");
  EXPECT_EQ(feed.items[1].error, "");
}

TEST(DeviceSearch, ReplicasShareAFeed) {
  const Models models = one_model(41);
  const auto requests = random_requests(30, 20, 42);
  const SearchOptions options = short_search(3, 2);
  std::vector<ReplicatedDecoder::Replica> replicas;
  for (int i = 0; i < 2; ++i) replicas.push_back({nullptr, torch_of(models)});
  const ReplicatedDecoder both(std::move(replicas));
  EXPECT_EQ(both.capacity(1, 100), 200);
  expect_equal(decode(both, requests, options), decode(*torch_of(models), requests, options));
}

// Counts what a decoder requests, and what it holds at the same time.
class CountingFeed : public SentenceFeed {
 public:
  // The requests have these options in turn.
  CountingFeed(std::vector<TranslationRequest> requests, std::vector<SearchOptions> options)
      : requests_(std::move(requests)), options_(std::move(options)) {}

  std::vector<FedSentence> take(int64_t tokens, bool idle) override {
    most_asked = std::max(most_asked, tokens);
    if (idle && next_ > 0) ++idle_calls;
    if (next_ == requests_.size()) return {};
    most_open = std::max(most_open, static_cast<int64_t>(next_) + 1 - delivered);
    const TranslationRequest& request = requests_[next_];
    const SearchOptions& options = options_[next_ % options_.size()];
    return {{next_++, &request, &options}};
  }
  void deliver(uint64_t ticket, NBest) override {
    requests_[ticket].source.assign(1000, 1);  // the decoder must not read it any more
    ++delivered;
  }
  void fail(uint64_t, std::exception_ptr error) override { std::rethrow_exception(error); }
  void drop(uint64_t) override {}

  int64_t most_asked = 0, most_open = 0, delivered = 0, idle_calls = 0;

 private:
  std::vector<TranslationRequest> requests_;
  std::vector<SearchOptions> options_;
  size_t next_ = 0;
};

// Also those of another beam size.
TEST(DeviceSearch, FillsTheRoomOfFinishedSentences) {
  for (const std::vector<SearchOptions>& options :
       {std::vector{short_search(2, 1)}, {short_search(2, 1), short_search(3, 1)}}) {
    CountingFeed feed(random_requests(60, 12, 31), options);
    torch_of(one_model(32))->run(feed, 1, 1, 50);
    EXPECT_EQ(feed.delivered, 60);
    EXPECT_LE(feed.most_asked, 50);
    EXPECT_GT(feed.most_open, 3);
    EXPECT_EQ(feed.idle_calls, 1);  // the last: until then the batch never ran empty
  }
}

TEST(DeviceSearch, PassesAFailureOn) {
  auto requests = random_requests(5, 12, 33);
  requests[2].source.assign(129, 5);
  EXPECT_THROW(CountingFeed feed(requests, {short_search(2, 1)});
               torch_of(one_model(34, "learned"))->run(feed, 1, 1, 50), DataError);
}

}  // namespace
}  // namespace dietmt::nmt
