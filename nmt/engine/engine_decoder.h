// The decoder of the CPU: several workers over one copy of the weights
// (nmt/search/sentence_feed.h).
#pragma once

#include <cstdint>
#include <vector>

#include "nmt/engine/engine_model.h"
#include "nmt/search/output_shortlist.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class EngineDecoder : public SentenceDecoder {
 public:
  /// Several models are an ensemble, whose probabilities are averaged; they share vocabularies.
  /// With a shortlist a sentence's translations have no other tokens than its own, and
  /// probabilities are those among them.
  EngineDecoder(std::vector<EngineModel> models, const SpecialTokens& special,
                OutputShortlist shortlist = {});

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;

  /// With workers = 0 there is one for each core. A sentence's translations depend neither on the
  /// other sentences nor on the numbers of workers, threads and tokens.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  std::vector<EngineModel> models_;
  SpecialTokens special_;
  OutputShortlist shortlist_;
};

}  // namespace dietmt::nmt
