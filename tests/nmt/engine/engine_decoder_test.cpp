// Several runs of one decoder: the threads that they use, and a run after a failed one.
#include "nmt/engine/engine_decoder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <unistd.h>

#include <mutex>
#include <set>
#include <thread>

#include "common/error.h"
#include "tests/common/thread_limit.h"
#include "tests/nmt/engine/engine_run.h"

namespace dietmt::nmt {
namespace {

// Records the threads that take sentences. Each worker gets one sentence at a time.
class ThreadFeed : public SentenceFeed {
 public:
  ThreadFeed(const std::vector<TranslationRequest>& requests, const SearchOptions& options)
      : requests_(requests), options_(options) {}

  std::vector<FedSentence> take(int64_t, bool) override {
    const std::lock_guard lock(mutex_);
    threads.insert(gettid());
    if (next_ == requests_.size()) return {};
    const TranslationRequest& request = requests_[next_];
    return {{next_++, &request, &options_}};
  }
  void deliver(uint64_t ticket, NBest) override {
    if (ticket == failing) throw DataError("nobody takes it");
    ++delivered;
  }
  void fail(uint64_t ticket, std::exception_ptr error) override {
    if (ticket == failing) std::rethrow_exception(error);
  }
  void drop(uint64_t) override {}

  std::set<pid_t> threads;
  std::atomic<int64_t> delivered = 0;
  uint64_t failing = std::numeric_limits<uint64_t>::max();

 private:
  const std::vector<TranslationRequest>& requests_;
  const SearchOptions& options_;
  std::mutex mutex_;
  size_t next_ = 0;
};

class EngineDecoderTest : public testing::Test {
 protected:
  std::set<pid_t> threads_of_run(int64_t workers, int64_t threads = 1) {
    ThreadFeed feed(requests_, options_);
    engine_->run(feed, workers, threads, 1000);
    EXPECT_EQ(feed.delivered, std::ssize(requests_));
    return feed.threads;
  }

  const std::unique_ptr<SentenceDecoder> engine_ = engine_of({lively_model(engine_config(), 1)});
  const std::vector<TranslationRequest> requests_ = random_requests(30, 12, 2);
  const SearchOptions options_ = short_search(2, 1);
};

TEST_F(EngineDecoderTest, OneWorkerIsTheCaller) {
  const int before = omp_get_max_threads();
  EXPECT_THAT(threads_of_run(1), testing::ElementsAre(gettid()));
  EXPECT_THAT(threads_of_run(1, 2), testing::ElementsAre(gettid()));
  EXPECT_EQ(omp_get_max_threads(), before) << "the caller's OpenMP threads";
}

TEST_F(EngineDecoderTest, RunsUseTheSameThreadsAgain) {
  const std::set<pid_t> first = threads_of_run(3);
  EXPECT_THAT(first, testing::SizeIs(3));
  EXPECT_EQ(threads_of_run(3), first);
  EXPECT_THAT(threads_of_run(1), testing::ElementsAre(gettid()));
  EXPECT_THAT(first, testing::IsSupersetOf(threads_of_run(2)));
  EXPECT_EQ(threads_of_run(3), first);
}

TEST_F(EngineDecoderTest, RunsSideBySide) {
  const auto wanted = decode(*engine_, requests_, options_);
  std::vector<std::vector<NBest>> found(3);
  std::vector<std::thread> callers;
  for (auto& own : found)
    callers.emplace_back([&] { own = decode(*engine_, requests_, options_); });
  for (std::thread& caller : callers) caller.join();
  for (const auto& own : found) expect_identical(own, wanted);
}

TEST_F(EngineDecoderTest, DecodesAfterARunThatHasFailed) {
  const auto wanted = decode(*engine_, requests_, options_);
  for (const int64_t workers : {1, 2}) {
    ThreadFeed feed(requests_, options_);
    feed.failing = 5;
    EXPECT_THROW(engine_->run(feed, workers, 1, 1000), DataError);
    expect_identical(decode(*engine_, requests_, options_), wanted);
  }
}

TEST_F(EngineDecoderTest, TakesNoSentenceWithoutEnoughThreads) {
  if (!ThreadLimit::works()) GTEST_SKIP() << "sanitizers reserve the whole address space";
  for (const auto& [workers, threads] :
       std::vector<std::pair<int64_t, int64_t>>{{1000, 1}, {1, 1000}}) {
    ThreadFeed feed(requests_, options_);
    {
      const ThreadLimit few;
      EXPECT_THROW(engine_->run(feed, workers, threads, 1000), Error);
    }
    EXPECT_TRUE(feed.threads.empty());
  }
  EXPECT_THAT(threads_of_run(1), testing::SizeIs(1));
}

}  // namespace
}  // namespace dietmt::nmt
