// The decoder for devices other than the CPU. Plain beam search runs on the device without waiting
// for it (beam_worker.h). Searches in which the host takes part at each step decode one batch of
// tensors after another, and take turns with it: sampling, diverse groups, limits on repetition,
// terms, alignments, the coverage penalty, and those of an ensemble. On the CPU it is the reference
// for tests of the engine.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "nmt/network/translation_model.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

class BeamWorker;

class TensorDecoder : public SentenceDecoder {
 public:
  /// Keeps the pointers. Several models form an ensemble: their probabilities are averaged. `type`:
  /// in which they compute on a device, bf16 or fp16, with copies of their weights; none: fp32.
  TensorDecoder(std::vector<const TranslationModel*> models, const SpecialTokens& special,
                std::optional<at::ScalarType> type = {});
  ~TensorDecoder() override;

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;
  bool aligns() const override;
  int64_t capacity(int64_t workers, int64_t batch_tokens) const override;

  /// Always uses one worker, since a device has one queue. It decodes 128 times `batch_tokens`
  /// source tokens at once on a device, or as many as fit in half of the free memory.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  RequestLimits limits() const;
  bool searches_on_device(const FedSentence& sentence) const;
  using BetweenSteps = std::function<void()>;

  void run_on_host(std::span<const FedSentence> others, SentenceFeed& feed,
                   const BetweenSteps& between_steps) const;
  void decode(std::span<const FedSentence> batch, SentenceFeed& feed,
              const BetweenSteps& between_steps) const;
  std::vector<NBest> search(std::span<const FedSentence> batch,
                            const BetweenSteps& between_steps) const;
  void align(std::span<const FedSentence> batch, std::vector<NBest>& found) const;

  std::unique_ptr<BeamWorker> idle_worker() const;

  std::vector<const TranslationModel*> models_;
  SpecialTokens special_;
  std::vector<std::unique_ptr<encoders::WeightCopies>> copies_;
  std::vector<DecodingModel> decoding_;  // per model
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<BeamWorker>> idle_;
};

}  // namespace dietmt::nmt
