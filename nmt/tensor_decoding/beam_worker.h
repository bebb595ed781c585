// Continuous beam search with tensors: sentences are encoded ahead, many at a time, enter when
// there are rows and leave when they are finished, each at its own step. The host never waits for
// the device: it enqueues a step, then reads the candidates of the previous one, in one
// asynchronous copy. A sentence therefore stays one step longer than needed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "encoders/device/delayed_copy.h"
#include "nmt/network/step_runner.h"
#include "nmt/search/beam.h"
#include "nmt/search/sentence_feed.h"
#include "nmt/tensor_decoding/admission.h"
#include "nmt/tensor_decoding/device_beams.h"
#include "nmt/tensor_decoding/recorded_steps.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

class BeamWorker {
 public:
  /// Searches that do not run on the device.
  struct HostSearches {
    std::function<bool(const FedSentence&)> need;  // whether a sentence needs one
    /// Decodes sentences and answers the feed.
    std::function<void(std::span<const FedSentence>)> run;
  };

  /// Limit on the rows of a step: its fixed costs are small by then.
  static constexpr int64_t kMostRows = 16384;

  /// Keeps a reference to `special`.
  BeamWorker(const DecodingModel& model, const SpecialTokens& special, const RequestLimits& limits,
             int64_t most_rows = kMostRows);
  ~BeamWorker();

  /// Decodes until the feed ends, with a load of at most `batch_tokens` at a time, and as much
  /// again of urgent sentences. All sentences in the batch have the same beam size; others wait for
  /// their turn.
  void run(SentenceFeed& feed, int64_t batch_tokens, const HostSearches& on_host);

 private:
  struct OpenSentence;
  struct Step {
    std::vector<std::shared_ptr<OpenSentence>> sentences;
    encoders::DelayedCopy candidates;
  };

  bool run_step();
  bool attempt(const std::function<void()>& work);
  void drop_abandoned();
  void leave();
  int64_t load() const;
  void clear();
  void prepare(int64_t beam);
  bool admit();
  void sort_out(std::span<const FedSentence> fed);
  void encode_waiting();
  void open_encoded();
  Step enqueue_step();
  bool read_last();
  void decode_alone();

  const TranslationModel& model_;
  const encoders::PassPrecision precision_;
  const SpecialTokens& special_;
  const RequestLimits limits_;
  const int64_t most_rows_;
  SentenceFeed* feed_ = nullptr;           // in this run
  const HostSearches* on_host_ = nullptr;  // in this run
  int64_t batch_tokens_ = 0;
  Admission admission_;
  std::unique_ptr<encoders::DeviceGraphs> graphs_;
  std::unique_ptr<StepRunner> runner_;  // for sentences of one beam size
  std::unique_ptr<DeviceBeams> beams_;
  std::unique_ptr<RecordedSteps> steps_;
  std::vector<std::shared_ptr<OpenSentence>> open_;    // in row order
  std::optional<Step> last_;                           // not read yet
  std::deque<std::shared_ptr<OpenSentence>> encoded_;  // wait for rows
  std::deque<FedSentence> waiting_;                    // for a batch of their beam size
};

}  // namespace dietmt::nmt
