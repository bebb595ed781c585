// The decoder for devices other than the CPU. Plain beam search runs on the device, without waiting
// for it (beam_worker.h). Searches in which the host takes part at each step decode one batch of
// tensors after another: sampling, diverse groups, limits on repetition, terms, alignments, the
// coverage penalty, and those of an ensemble. On the CPU it is the reference for tests of the
// engine.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "nmt/batch_decoding/step_scorer.h"
#include "nmt/network/translation_model.h"
#include "nmt/search/search_options.h"
#include "nmt/search/search_task.h"
#include "nmt/search/sentence_feed.h"

namespace dietmt::nmt {

class BeamWorker;

class BatchDecoder : public SentenceDecoder {
 public:
  /// Keeps the pointers. Several models form an ensemble: their probabilities are averaged. `type`:
  /// in which they compute on a device, bf16 or fp16, with copies of their weights; none: fp32.
  BatchDecoder(std::vector<const TranslationModel*> models, const SpecialTokens& special,
               std::optional<at::ScalarType> type = {});
  ~BatchDecoder() override;

  int64_t max_source_length() const override;
  int64_t max_target_length() const override;
  bool aligns() const override;

  /// Always uses one worker, because a device has one queue. On a device it decodes 32 times
  /// `batch_tokens` source tokens at a time, or as many as fit into half of the free memory.
  void run(SentenceFeed& feed, int64_t workers, int64_t threads,
           int64_t batch_tokens) const override;

 private:
  RequestLimits limits() const;
  bool searches_on_device(const FedSentence& sentence) const;
  void decode_others(std::span<const FedSentence> others, SentenceFeed& feed) const;
  void decode(std::span<const FedSentence> batch, SentenceFeed& feed) const;
  std::vector<NBest> search(std::span<const FedSentence> batch) const;
  void align(std::span<const FedSentence> batch, std::vector<NBest>& found) const;

  std::unique_ptr<BeamWorker> idle_worker() const;

  std::vector<const TranslationModel*> models_;
  SpecialTokens special_;
  std::vector<std::unique_ptr<encoders::WeightCopies>> copies_;
  std::vector<DecodingModel> decoding_;  // of the models
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<BeamWorker>> idle_;
};

/// Beam search. With K = options.beam hypotheses per sentence, each step takes the best 2 K
/// continuations of all hypotheses. Those of the best K that end the sentence are done; the best K
/// others go on. A sentence is finished, and leaves the batch, when ceil(K * options.patience)
/// hypotheses are done (Kasai et al. 2022) or when no open one can enter the n best: sums only
/// fall, so length_normalized(sum, max_length) bounds the score of an open hypothesis. K = 1 is
/// greedy search. With options.diverse_groups above 1 each group is such a search
/// (nmt/search/diverse_step.h).
///
/// Here and in sampling, nmt/search/repetition.h takes tokens out or changes their
/// log-probabilities; scores have the changed ones. Forced tokens are exempt.
///
/// `scorer` was made for the sentences of `tasks` with options.beam rows each. Returns the
/// options.nbest best hypotheses of each task.
std::vector<NBest> beam_search(StepScorer& scorer, std::span<const SearchTask> tasks,
                               const SpecialTokens& special, const SearchOptions& options);

/// Samples translations, token by token, from the model's distribution: from all of it, from its
/// `top_k` most probable tokens, or from the smallest set of tokens with probability `top_p`
/// (nucleus, Holtzman et al. 2020). A temperature below 1 sharpens it, one above 1 flattens it. The
/// random numbers are a function of (seed, sentence index, sample, step), so that a sample does not
/// depend on its batch.
///
/// Draws one token for each row. log_probs: [rows, V]; uniforms: [rows] in [0, 1). Returns [rows]
/// int64 on the CPU.
at::Tensor draw_tokens(const at::Tensor& log_probs, std::span<const double> uniforms,
                       const SearchOptions& options);

/// `scorer` was made for the sentences of `tasks` with options.nbest rows each. Returns
/// options.nbest samples of each task, best score first. Scores do not depend on the
/// temperature.
std::vector<NBest> sample_translations(StepScorer& scorer, std::span<const SearchTask> tasks,
                                       const SpecialTokens& special, const SearchOptions& options);

}  // namespace dietmt::nmt
