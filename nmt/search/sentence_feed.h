// Continuous decoding: workers take sentences from a feed whenever they have room and return each
// translation as soon as it is finished, so that a batch never waits for its longest sentence. A
// feed may represent a file or the requests of a server.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <limits>
#include <span>
#include <vector>

#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"

namespace dietmt::nmt {

/// A sentence in a decoder. What it points to lives until the worker has delivered, failed or
/// dropped it.
struct FedSentence {
  uint64_t ticket = 0;  // the feed's id of the sentence
  const TranslationRequest* request = nullptr;
  const SearchOptions* options = nullptr;  // valid; sentences of one batch may have different ones
  const std::atomic<bool>* abandoned = nullptr;  // set when nobody waits for it; null: never
  bool is_urgent = false;                        // decode it before the worker's other sentences
  double weight = 1.0;                           // of its work in a batch: above 1 for a wide beam

  /// How much of a batch it takes up, in source tokens.
  int64_t load() const {
    return static_cast<int64_t>(weight * static_cast<double>(request->work()));
  }

  /// Cheap: workers ask at every step, and drop() an abandoned sentence.
  bool is_abandoned() const {
    return abandoned != nullptr && abandoned->load(std::memory_order_relaxed);
  }
};

/// Called by several workers at once.
class SentenceFeed {
 public:
  virtual ~SentenceFeed() = default;

  /// Sentences to decode now, with a total load of at most `room`. For an `idle` worker, which has
  /// nothing else to decode, the call waits and returns at least one sentence of any length, or
  /// none at the end of the feed. For a busy worker it returns at once, possibly with none.
  virtual std::vector<FedSentence> take(int64_t room, bool idle) = 0;

  /// Urgent sentences for a busy worker without room for others. Returns at once.
  virtual std::vector<FedSentence> take_urgent(int64_t /*room*/) { return {}; }

  /// The translations of a sentence, best first.
  virtual void deliver(uint64_t ticket, NBest translations) = 0;

  /// The sentence could not be decoded; the others continue.
  virtual void fail(uint64_t ticket, std::exception_ptr error) = 0;

  /// The worker no longer decodes an abandoned sentence, and neither delivers nor fails it.
  virtual void drop(uint64_t ticket) = 0;
};

/// A model, or an ensemble, ready to decode.
class SentenceDecoder {
 public:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  virtual ~SentenceDecoder() = default;

  /// Maximum numbers of source and target tokens, with end of sentence, that the position encodings
  /// cover; kNoLimit if they cover any number.
  virtual int64_t max_source_length() const = 0;
  virtual int64_t max_target_length() const = 0;

  /// Whether it fills Hypothesis::attention for SearchOptions::alignment. A model that compresses
  /// the keys of cross-attention does not, since they are not tokens.
  virtual bool aligns() const { return false; }

  /// Maximum number of source tokens under these options.
  int64_t source_limit(const SearchOptions& options) const {
    return std::min(options.max_source_length, max_source_length());
  }

  /// Source tokens that run() decodes at once.
  virtual int64_t capacity(int64_t workers, int64_t batch_tokens) const {
    return std::max<int64_t>(1, workers) * batch_tokens;
  }

  /// Decodes the sentences of `feed` until it ends, with `workers` workers of `threads` threads
  /// each, which share the weights. A worker decodes at most `batch_tokens` source tokens at a
  /// time.
  virtual void run(SentenceFeed& feed, int64_t workers, int64_t threads,
                   int64_t batch_tokens) const = 0;
};

}  // namespace dietmt::nmt
