// Continuous decoding: workers take sentences when they have room and hand back each translation
// when it is finished, so that a batch never waits for its longest sentence. A feed is the place
// where they take from: a file that is being translated, or the requests of a server.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// A sentence on its way through a decoder. What it points to lives until the worker has delivered,
/// failed or dropped it.
struct FedSentence {
  uint64_t ticket = 0;  // the feed's own name for it
  const TranslationRequest* request = nullptr;
  const SearchOptions* options = nullptr;  // valid; sentences of one batch may have different ones
  const std::atomic<bool>* abandoned = nullptr;  // set when nobody waits for it; null: never

  /// Cheap: workers ask at every step, and drop() an abandoned sentence.
  bool is_abandoned() const {
    return abandoned != nullptr && abandoned->load(std::memory_order_relaxed);
  }
};

/// Called by several workers at once.
class SentenceFeed {
 public:
  virtual ~SentenceFeed() = default;

  /// Sentences to decode now: as long as there are any, and their source tokens sum up to no more
  /// than `tokens`. An `idle` worker, which has nothing else to decode, waits for some and gets at
  /// least one, and none means the end to it; a busy one gets none at once where none are there.
  virtual std::vector<FedSentence> take(int64_t tokens, bool idle) = 0;

  /// The translations of a sentence, best first.
  virtual void deliver(uint64_t ticket, NBest translations) = 0;

  /// The sentence could not be decoded; others go on.
  virtual void fail(uint64_t ticket, std::exception_ptr error) = 0;

  /// The worker no longer decodes an abandoned sentence, and neither delivers nor fails it.
  virtual void drop(uint64_t ticket) = 0;
};

/// A model, or an ensemble, ready to decode.
class SentenceDecoder {
 public:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  virtual ~SentenceDecoder() = default;

  /// Source and target tokens, end of sentence included, that the position encodings define;
  /// kNoLimit where these go on for ever.
  virtual int64_t max_source_length() const = 0;
  virtual int64_t max_target_length() const = 0;

  /// Decodes what `feed` has in `workers` threads of `threads` threads each, all with the same
  /// weights, until it ends. At most `batch_tokens` source tokens are being decoded by a worker.
  virtual void run(SentenceFeed& feed, int64_t workers, int64_t threads,
                   int64_t batch_tokens) const = 0;
};

}  // namespace dietmt::nmt
