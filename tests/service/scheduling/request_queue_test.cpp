#include "service/scheduling/request_queue.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <future>

#include "service/scheduling/scheduling_errors.h"
#include "service/scheduling/served_model.h"
#include "tests/common/soon.h"
#include "tests/service/fake_decoder.h"

namespace dietmt::service {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

std::vector<nmt::TranslationRequest> sentences(const std::vector<std::string>& texts) {
  std::vector<nmt::TranslationRequest> all;
  for (const std::string& text : texts) {
    std::vector<int32_t> ids = characters(text);
    ids.push_back(2);
    all.push_back({.source = ids, .prefix = {}, .index = 0});
  }
  return all;
}

std::vector<std::string> best_texts(const std::vector<nmt::NBest>& translations) {
  std::vector<std::string> texts;
  for (const nmt::NBest& one : translations) texts.push_back(text_of(one.at(0).ids));
  return texts;
}

// A queue without a decoder: the test acts as the worker.
class RequestQueueTest : public testing::Test {
 protected:
  using Result = std::future<std::vector<nmt::NBest>>;

  Result send(RequestQueue& queue, const std::vector<std::string>& texts, Patience patience = {},
              int64_t beam = 5) {
    const int64_t before = queue.load().requests;
    Result result = std::async(std::launch::async, [&queue, texts, patience, beam] {
      return queue.translate(sentences(texts), {.beam = beam}, patience);
    });
    soon([&] { return queue.load().requests > before; });
    return result;
  }
  static std::vector<std::string> texts(const std::vector<nmt::FedSentence>& fed) {
    std::vector<std::string> all;
    for (const nmt::FedSentence& one : fed) {
      const auto& source = one.request->source;
      all.push_back(text_of({source.data(), source.size() - 1}));
    }
    return all;
  }
  // The source, end of sentence and all.
  static void deliver(RequestQueue& queue, const nmt::FedSentence& sentence) {
    nmt::Hypothesis copy;
    copy.ids = sentence.request->source;
    queue.deliver(sentence.ticket, {copy});
  }
  static void deliver_all(RequestQueue& queue, const std::vector<nmt::FedSentence>& fed) {
    for (const nmt::FedSentence& one : fed) deliver(queue, one);
  }
};

TEST_F(RequestQueueTest, TranslationsComeInTheOrderOfTheirSentences) {
  RequestQueue queue({});
  Result result = send(queue, {"one", "two", "three"});
  const auto fed = queue.take(100, true);
  ASSERT_EQ(fed.size(), 3U);
  for (const size_t i : {2, 0, 1}) deliver(queue, fed[i]);
  EXPECT_THAT(best_texts(result.get()), testing::ElementsAre("one</s>", "two</s>", "three</s>"));
  EXPECT_EQ(queue.load().requests, 0);
}

TEST_F(RequestQueueTest, ABatchHoldsNoMoreTokensThanAskedForButOneSentenceForAnIdleWorker) {
  RequestQueue queue({});
  Result result = send(queue, {"aaaa", "bbbb", "cccc"});  // five tokens each
  auto fed = queue.take(10, true);
  EXPECT_THAT(texts(fed), testing::ElementsAre("aaaa", "bbbb"));
  EXPECT_THAT(queue.take(4, false), testing::IsEmpty());
  const auto more = queue.take(3, true);
  EXPECT_THAT(texts(more), testing::ElementsAre("cccc"));
  EXPECT_THAT(queue.take(100, false), testing::IsEmpty());
  deliver_all(queue, fed);
  deliver_all(queue, more);
  result.get();
}

TEST_F(RequestQueueTest, ShortRequestsGoFirstAndLongOnesTakeTurns) {
  RequestQueue queue({.turn_tokens = 4});
  Result large = send(queue, {"a1", "a2", "a3", "a4", "a5", "a6"});  // three tokens each
  Result small = send(queue, {"b"});
  Result other = send(queue, {"c1", "c2", "c3"});
  const auto fed = queue.take(1000, true);
  EXPECT_THAT(texts(fed),
              testing::ElementsAre("b", "a1", "a2", "c1", "c2", "a3", "a4", "c3", "a5", "a6"));
  deliver_all(queue, fed);
  large.get();
  small.get();
  other.get();
}

TEST_F(RequestQueueTest, AWideBeamCountsSeveralTimes) {
  RequestQueue queue({});
  Result wide = send(queue, {"aaaa", "bbbb", "cccc"}, {}, 10);  // five tokens each, times two
  const auto fed = queue.take(25, true);
  EXPECT_THAT(texts(fed), testing::ElementsAre("aaaa", "bbbb"));
  const auto more = queue.take(10, false);
  EXPECT_THAT(texts(more), testing::ElementsAre("cccc"));
  deliver_all(queue, fed);
  deliver_all(queue, more);
  wide.get();
}

TEST_F(RequestQueueTest, WhatATranslationMustContainCounts) {
  RequestQueue queue({});
  std::vector<nmt::TranslationRequest> all = sentences({"aaaa", "bbbb", "cccc"});  // five tokens
  all[0].prefix = {7, 8, 9};
  all[1].constraints.terms = {{{7, 8}, {9}}, {{7, 8}}};
  Result result = std::async(std::launch::async, [&] { return queue.translate(all, {}, {}); });
  ASSERT_TRUE(soon([&] { return queue.load().requests > 0; }));
  EXPECT_EQ(queue.load().waiting_tokens, 8 + 10 + 5);
  const auto fed = queue.take(18, true);
  EXPECT_THAT(texts(fed), testing::ElementsAre("aaaa", "bbbb"));
  EXPECT_EQ(queue.load().decoding_tokens, 18);
  const auto more = queue.take(5, false);
  EXPECT_THAT(texts(more), testing::ElementsAre("cccc"));
  deliver_all(queue, fed);
  deliver_all(queue, more);
  result.get();
  EXPECT_EQ(queue.load().decoding_tokens, 0);
}

TEST_F(RequestQueueTest, OnlyShortRequestsAreUrgent) {
  RequestQueue queue({.max_tokens = 10, .turn_tokens = 4});
  Result large = send(queue, {"a1", "a2", "a3", "a4"});  // all that may wait in long requests
  Result job = send(queue, {"j"}, {.is_batch = true});
  Result small = send(queue, {"b"});
  const auto urgent = queue.take_urgent(100);
  EXPECT_THAT(texts(urgent), testing::ElementsAre("b"));
  EXPECT_TRUE(urgent.at(0).is_urgent);
  EXPECT_THAT(queue.take_urgent(100), testing::IsEmpty());
  const auto rest = queue.take(100, false);
  EXPECT_THAT(texts(rest), testing::ElementsAre("a1", "j", "a2", "a3", "a4"));
  for (const nmt::FedSentence& one : rest) EXPECT_FALSE(one.is_urgent);
  deliver_all(queue, urgent);
  deliver_all(queue, rest);
  for (Result* one : {&large, &job, &small}) one->get();
}

// Measured in tokens decoded by the worker, not in time.
TEST_F(RequestQueueTest, DocumentsOfOneClientHardlyDelayTheSentenceOfAnother) {
  const FakeDecoder decoder;
  const auto hypotheses = [&](int documents) {
    RequestQueue queue({});
    FakeWorker worker(decoder, queue, 512);
    std::vector<Result> large;
    const std::vector<std::string> lines(3000, "a sentence of words");
    for (int i = 0; i < documents; ++i) large.push_back(send(queue, lines, {.client = "a"}, 32));
    for (int i = 0; i < documents * 7; ++i) {
      worker.admit();
      worker.step();
    }
    Result small = send(queue, {"a sentence of words"}, {.client = "b"});
    int64_t count = 0;
    while (queue.load().requests > documents) {
      worker.admit();
      count += worker.step();
    }
    small.get();
    queue.abort(std::make_exception_ptr(std::runtime_error("the test ends")));
    for (Result& one : large) EXPECT_THROW(one.get(), std::runtime_error);
    return count;
  };
  EXPECT_LE(hypotheses(4), 5 * hypotheses(0));
}

TEST_F(RequestQueueTest, TooManyTokensAreRefusedWithATimeFromTheMeasuredRate) {
  RequestQueue queue({.max_tokens = 20, .turn_tokens = 1});  // all are long
  Result first = send(queue, {std::string(49, 'x')});        // allowed, because nothing else waits
  const auto start = Clock::now();
  auto fed = queue.take(1000, true);
  std::this_thread::sleep_for(100ms);  // 50 tokens in 0.1 s: 500 tokens a second
  deliver_all(queue, fed);
  const std::chrono::duration<double> busy = Clock::now() - start;
  first.get();
  Result waiting = send(queue, {std::string(1999, 'x')});
  try {
    queue.translate(sentences({"y"}), {}, {});
    FAIL() << "admitted";
  } catch (const QueueFull& error) {
    EXPECT_GE(error.retry_after(), 3);  // 2000 tokens at 500 a second, or a bit fewer
    EXPECT_LE(error.retry_after(), std::ceil(2000 * busy.count() / 50));
  }
  fed = queue.take(1000, true);
  Result admitted = send(queue, {"y"});  // nothing waits any more
  deliver_all(queue, fed);
  deliver_all(queue, queue.take(1000, true));
  waiting.get();
  admitted.get();
}

TEST_F(RequestQueueTest, PastItsDeadlineARequestLeavesTheQueueAndTheDecoder) {
  RequestQueue queue({});
  Result late = send(queue, {"a", "b"}, {.deadline = Clock::now() + 2s});
  const auto fed = queue.take(1, true);
  ASSERT_EQ(fed.size(), 1U);
  EXPECT_FALSE(fed[0].is_abandoned());
  EXPECT_THROW(late.get(), DeadlineExceeded);
  EXPECT_EQ(queue.load().waiting_tokens, 0);
  EXPECT_THAT(queue.take(100, false), testing::IsEmpty());
  EXPECT_TRUE(fed[0].is_abandoned());
  EXPECT_TRUE(fed[0].is_abandoned());
  EXPECT_EQ(queue.load().decoding_tokens, 2);    // until the worker has dropped it
  EXPECT_EQ(fed[0].request->source.size(), 2U);  // the worker may still read it
  queue.drop(fed[0].ticket);
  EXPECT_EQ(queue.load().decoding_tokens, 0);
}

// The queue calls its observer while it holds the lock.
TEST_F(RequestQueueTest, AskingWhetherASentenceIsAbandonedDoesNotWaitForTheQueue) {
  struct Observer : ModelObserver {
    void taken(int64_t, double) override {
      if (while_locked) while_locked();
    }
    void translated(int64_t, int64_t) override {}
    void loaded(double) override {}
    void load_failed() override {}
    void unloaded() override {}
    std::function<void()> while_locked;
  };
  const auto observer = std::make_shared<Observer>();
  RequestQueue queue({}, observer);
  Result first = send(queue, {"a"});
  const auto fed = queue.take(2, true);
  ASSERT_EQ(fed.size(), 1U);
  Result second = send(queue, {"b"});
  std::future<QueueLoad> load;  // of another thread that needs the lock
  std::future<bool> abandoned;
  observer->while_locked = [&] {
    load = std::async(std::launch::async, [&] { return queue.load(); });
    abandoned = std::async(std::launch::async, [&] { return fed[0].is_abandoned(); });
    EXPECT_EQ(abandoned.wait_for(10s), std::future_status::ready);
    EXPECT_EQ(load.wait_for(100ms), std::future_status::timeout) << "the queue is not locked";
  };
  deliver_all(queue, queue.take(2, false));
  EXPECT_FALSE(abandoned.get());
  load.get();
  deliver_all(queue, fed);
  first.get();
  second.get();
}

TEST_F(RequestQueueTest, AClientThatHasGoneIsNotTranslatedFor) {
  RequestQueue queue({});
  std::atomic<bool> gone{false};
  Result left = send(queue, {"a"}, {.client_gone = [&] { return gone.load(); }});
  Result stays = send(queue, {"b"});
  gone = true;
  EXPECT_THROW(left.get(), ClientGone);
  const auto fed = queue.take(100, true);
  EXPECT_THAT(texts(fed), testing::ElementsAre("b"));
  deliver_all(queue, fed);
  stays.get();
}

TEST_F(RequestQueueTest, AFailedSentenceFailsOnlyItsOwnRequest) {
  RequestQueue queue({});
  Result bad = send(queue, {"a1", "a2"});
  Result good = send(queue, {"b"});
  const auto fed = queue.take(100, true);
  ASSERT_EQ(fed.size(), 3U);
  queue.fail(fed[0].ticket, std::make_exception_ptr(std::runtime_error("bad")));
  EXPECT_THROW(bad.get(), std::runtime_error);
  EXPECT_TRUE(fed[1].is_abandoned());
  EXPECT_FALSE(fed[2].is_abandoned());
  deliver(queue, fed[2]);
  EXPECT_THAT(best_texts(good.get()), testing::ElementsAre("b</s>"));
}

TEST_F(RequestQueueTest, AnIdleWorkerWaitsForAFullBatchAndNoLongerThanSaid) {
  RequestQueue patient({.fill_wait = 60s});
  Result first = send(patient, {"aaa"});
  const auto start = Clock::now();
  auto taking = std::async(std::launch::async, [&] { return patient.take(8, true); });
  Result second = send(patient, {"bbb"});  // fills it
  const auto full = taking.get();
  EXPECT_EQ(full.size(), 2U);
  EXPECT_LT(Clock::now() - start, 30s);
  deliver_all(patient, full);

  RequestQueue queue({.fill_wait = 500ms});
  const auto again = Clock::now();
  Result third = send(queue, {"c"});
  const auto lone = queue.take(8, true);
  EXPECT_EQ(lone.size(), 1U);
  EXPECT_GE(Clock::now() - again, 500ms);
  deliver_all(queue, lone);
  for (Result* one : {&first, &second, &third}) one->get();
}

TEST_F(RequestQueueTest, AfterCloseWhatWaitsIsDoneAndThenTheWorkerEnds) {
  RequestQueue queue({});
  Result waiting = send(queue, {"a"});
  queue.close();
  EXPECT_THROW(queue.translate(sentences({"b"}), {}, {}), Unavailable);
  deliver_all(queue, queue.take(100, true));
  waiting.get();
  EXPECT_THAT(queue.take(100, true), testing::IsEmpty());
}

TEST(RequestQueueLoadTest, ManyClientsGetTheirOwnTranslations) {
  ServedModel model(fake_model(20us), {.workers = 3, .threads = 1, .batch_tokens = 64}, {},
                    nullptr);
  std::vector<std::jthread> clients;
  std::atomic<int> wrong{0};
  for (int client = 0; client < 24; ++client) {
    clients.emplace_back([&, client] {
      for (int i = 0; i < 10; ++i) {
        const std::string name = std::to_string(client) + "/" + std::to_string(i);
        const auto got = model.queue().translate(sentences({"a" + name, "bb" + name}), {}, {});
        if (best_texts(got) != std::vector<std::string>{"A" + name, "BB" + name}) ++wrong;
      }
    });
  }
  clients.clear();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(model.queue().load().requests, 0);
  EXPECT_EQ(model.queue().load().decoding_tokens, 0);
}

TEST(RequestQueueLoadTest, AShortRequestIsDoneLongBeforeALongOne) {
  ServedModel model(fake_model(1ms), {.workers = 1, .threads = 1, .batch_tokens = 64},
                    {.turn_tokens = 64}, nullptr);
  const auto start = Clock::now();
  auto large = std::async(std::launch::async, [&] {
    return model.queue().translate(sentences(std::vector<std::string>(2000, "sentence")), {}, {});
  });
  ASSERT_TRUE(soon([&] { return model.queue().load().decoding_tokens > 0; }));
  const auto before = Clock::now();
  model.queue().translate(sentences({"short"}), {}, {});
  const auto waited = Clock::now() - before;
  EXPECT_EQ(large.wait_for(0s), std::future_status::timeout);
  large.get();
  EXPECT_LT(waited * 5, Clock::now() - start);
}

TEST(RequestQueueLoadTest, ADecoderThatStopsFailsWhatWaits) {
  ServedModel model(fake_model(), {.workers = 1, .threads = 1, .batch_tokens = 8}, {}, nullptr);
  const std::string crash = text_of(std::vector<int32_t>{FakeDecoder::kCrash});
  EXPECT_THROW(model.queue().translate(sentences({crash, "a", "b"}), {}, {}), std::runtime_error);
  EXPECT_TRUE(soon([&] { return !model.decoding(); }));
  EXPECT_THROW(model.queue().translate(sentences({"a"}), {}, {}), Unavailable);
}

}  // namespace
}  // namespace dietmt::service
