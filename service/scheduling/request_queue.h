// The queue of sentences for one model. Handlers wait in translate(); the decoder's workers take
// sentences through SentenceFeed.
//
// Requests take turns (fair_order.h) by load: source tokens, weighted by beam size. A request that
// fits in one turn is short: workers take its sentences even when their batch is full, and decode
// them first. The queue refuses requests that would make more than `max_tokens` wait in their
// priority.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "nmt/search/sentence_feed.h"
#include "service/scheduling/decoder_speed.h"
#include "service/scheduling/fair_order.h"
#include "service/scheduling/model_observer.h"
#include "service/scheduling/patience.h"

namespace dietmt::service {

struct QueueLimits {
  // Source tokens that may wait per priority; a single request may exceed it.
  int64_t max_tokens = 262'144;
  int64_t turn_tokens = 512;               // load of one turn
  std::chrono::milliseconds fill_wait{0};  // how long an idle worker waits for a full batch
  int64_t capacity = 1024;                 // source tokens that all workers can decode at once
};

/// Work waiting or being decoded.
struct QueueLoad {
  int64_t requests = 0;
  int64_t waiting_tokens = 0;
  int64_t decoding_tokens = 0;
};

class RequestQueue final : public nmt::SentenceFeed {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RequestQueue(const QueueLimits& limits,
                        std::shared_ptr<ModelObserver> observer = nullptr);

  /// Blocks until all sentences are translated; returns their translations in order. Throws
  /// QueueFull, Unavailable (closed), DeadlineExceeded, ClientGone, or the decoder's exception for
  /// a sentence, and then abandons the others.
  std::vector<nmt::NBest> translate(std::vector<nmt::TranslationRequest> sentences,
                                    const nmt::SearchOptions& options, const Patience& patience);

  /// Throws if translate() would refuse a short request now, before it is prepared in vain.
  void check_open() const;

  /// Refuses new requests; the decoder's run() ends when the waiting requests are done.
  void close();

  /// close(), and fails all requests with `error`.
  void abort(std::exception_ptr error);

  QueueLoad load() const;

  // SentenceFeed, for the decoder.
  std::vector<nmt::FedSentence> take(int64_t room, bool idle) override;
  std::vector<nmt::FedSentence> take_urgent(int64_t room) override;
  void deliver(uint64_t ticket, nmt::NBest translations) override;
  void fail(uint64_t ticket, std::exception_ptr error) override;
  void drop(uint64_t ticket) override;

 private:
  struct Request;
  struct Decoding {  // a sentence that a worker has taken
    std::shared_ptr<Request> request;
    size_t index;
  };

  std::shared_ptr<Request> admit(std::vector<nmt::TranslationRequest> sentences,
                                 const nmt::SearchOptions& options, const Patience& patience);
  int64_t waiting_tokens() const;
  int64_t retry_after() const;
  void await_batch(std::unique_lock<std::mutex>& lock, int64_t tokens);
  nmt::FedSentence hand_out(Request& request);
  void observe(const std::vector<nmt::FedSentence>& taken);
  Decoding finish(uint64_t ticket);
  void give_up(Request& request);

  const QueueLimits limits_;
  const std::shared_ptr<ModelObserver> observer_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  FairOrder<std::shared_ptr<Request>> waiting_;      // with sentences to hand out
  std::unordered_map<uint64_t, Decoding> decoding_;  // by ticket
  uint64_t last_ticket_ = 0;
  int64_t requests_ = 0;
  std::array<int64_t, 3> waiting_tokens_ = {};  // of each priority
  int64_t decoding_tokens_ = 0;
  int64_t decoding_load_ = 0;
  DecoderSpeed rate_;
  bool closed_ = false;
};

}  // namespace dietmt::service
