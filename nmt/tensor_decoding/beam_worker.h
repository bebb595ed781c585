// Continuous beam search with tensors: sentences are encoded ahead, many at a time, enter when
// there are rows and leave when they are finished, each at its own step. Each beam size has its
// batch; their steps, and those of searches in which the host takes part, take turns.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "nmt/search/sentence_feed.h"
#include "nmt/tensor_decoding/admission.h"
#include "nmt/tensor_decoding/beam_batch.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

class BeamWorker {
 public:
  /// Searches in which the host takes part at each step.
  struct HostSearches {
    std::function<bool(const FedSentence&)> need;  // whether a sentence needs one
    /// Decodes sentences and answers the feed. Calls `between_steps`, which does not throw, before
    /// each step.
    std::function<void(std::span<const FedSentence>, const std::function<void()>& between_steps)>
        run;
  };

  /// Limit on the rows of a step: its fixed costs are small by then.
  static constexpr int64_t kMostRows = 16384;

  /// Keeps a reference to `special`.
  BeamWorker(const DecodingModel& model, const SpecialTokens& special, const RequestLimits& limits,
             int64_t most_rows = kMostRows);
  ~BeamWorker();

  /// Decodes until the feed ends, with a load of at most `batch_tokens` at a time, and as much
  /// again of urgent sentences.
  void run(SentenceFeed& feed, int64_t batch_tokens, const HostSearches& on_host);

 private:
  using Batches = std::map<int64_t, std::unique_ptr<BeamBatch>>;  // by beam size

  bool take_turn(bool may_wait);
  void search_on_host();
  bool attempt(int64_t beam, const std::function<void(BeamBatch&)>& work);
  template <typename Work>
  void attempt_all(const Work& work);
  bool admit(bool may_wait);
  void encode(std::span<const FedSentence> fed);
  std::vector<FedSentence> wanted(std::vector<FedSentence> sentences);
  std::vector<FedSentence> fitting(std::vector<FedSentence> fed);
  bool forget_empty_batches();
  BeamBatch& batch_of(int64_t beam);
  int64_t sum(int64_t (BeamBatch::*number)() const) const;

  const DecodingModel model_;
  const SpecialTokens& special_;
  const RequestLimits limits_;
  const int64_t most_rows_;
  SentenceFeed* feed_ = nullptr;           // in this run
  const HostSearches* on_host_ = nullptr;  // in this run
  Admission admission_;
  std::unique_ptr<encoders::DeviceGraphs> graphs_;
  Batches batches_;
  std::vector<FedSentence> for_host_;  // wait for a search there
  std::vector<FedSentence> failed_;    // to be decoded one by one
  int64_t host_load_ = 0;              // of the search that runs there
};

}  // namespace dietmt::nmt
