// The decoder for devices other than the CPU: it decodes one batch of tensors after another. On the
// CPU it is the reference for tests of the engine.
#pragma once

#include <vector>

#include "nmt/network/translation_model.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class BatchDecoder : public SentenceDecoder {
 public:
  /// Keeps the pointers. Several models form an ensemble: their probabilities are averaged.
  BatchDecoder(std::vector<const TranslationModel*> models, const SpecialTokens& special);

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;

  /// Always uses one worker, because a device has one queue.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  void decode(std::span<const FedSentence> batch, SentenceFeed& feed) const;
  std::vector<NBest> search(std::span<const FedSentence> batch) const;

  std::vector<const TranslationModel*> models_;
  SpecialTokens special_;
};

}  // namespace dietmt::nmt
