// A feed of requests that are all known. It hands out the longest first, so that no worker gets a
// long one at the end.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class RequestFeed : public SentenceFeed {
 public:
  /// Keeps references to `requests` and `options`. Calls `progress` with the number of sentences
  /// done since the last call, from one thread at a time.
  RequestFeed(std::span<const TranslationRequest> requests, const SearchOptions& options,
              std::function<void(int64_t)> progress);

  std::vector<FedSentence> take(int64_t tokens, bool idle) override;
  void deliver(uint64_t ticket, NBest translations) override;
  void fail(uint64_t ticket, std::exception_ptr error) override;
  void drop(uint64_t) override {}

  /// In the order of the requests. Rethrows the first failure.
  std::vector<NBest> results() &&;

 private:
  std::span<const TranslationRequest> requests_;
  const SearchOptions& options_;
  std::function<void(int64_t)> progress_;
  std::mutex mutex_;
  std::vector<size_t> order_;
  size_t next_ = 0;  // in order_
  std::vector<NBest> results_;
  std::exception_ptr failure_;
  std::atomic<bool> failed_ = false;  // abandons all other sentences
};

}  // namespace dietmt::nmt
