// The decoder of devices other than the CPU: batches of tensors, each decoded to its end, one at a
// time. On the CPU it is what the engine is tested against.
#pragma once

#include <vector>

#include "nmt/network/translation_model.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class BatchDecoder : public SentenceDecoder {
 public:
  /// Several models are an ensemble, whose probabilities are averaged. They are kept by pointer.
  BatchDecoder(std::vector<const TranslationModel*> models, const SpecialTokens& special);

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;

  /// One worker, whatever is asked for: a device has one queue.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  void decode(std::span<const FedSentence> batch, SentenceFeed& feed) const;
  std::vector<NBest> search(std::span<const FedSentence> batch) const;

  std::vector<const TranslationModel*> models_;
  SpecialTokens special_;
};

}  // namespace dietmt::nmt
