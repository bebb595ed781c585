// The decoder of the CPU: several workers over one copy of the weights
// (nmt/search/sentence_feed.h).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "nmt/engine/engine_model.h"
#include "nmt/engine/open_sentence.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class EngineDecoder : public SentenceDecoder {
 public:
  /// Several models form an ensemble: they share vocabularies, and their probabilities are
  /// averaged. With a shortlist, a translation has only tokens that the shortlist gives to its
  /// sentence, and probabilities are those among these tokens.
  EngineDecoder(std::vector<EngineModel> models, const SpecialTokens& special,
                OutputShortlist shortlist = {});
  ~EngineDecoder() override;

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;
  bool aligns() const override;

  /// The caller is the first worker. The decoder keeps all workers with their caches and threads
  /// for the next run. Workers = 0 means one for each core. A sentence's translations depend
  /// neither on the other sentences nor on the numbers of workers, threads and tokens. Throws Error
  /// if the system cannot start enough threads, before it takes a sentence.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  class Session;

  std::vector<EngineModel> models_;
  SpecialTokens special_;
  OutputShortlist shortlist_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<Session> idle_;  // of the last run
};

}  // namespace dietmt::nmt
