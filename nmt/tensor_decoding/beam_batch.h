// The sentences of one beam size that a device decodes together. The host never waits for the
// device: it enqueues a step, then reads the candidates of the previous one, in one asynchronous
// copy. A sentence therefore stays one step longer than needed.
//
//   batch.encode(fed, feed);
//   while (!batch.is_empty()) {
//     batch.leave();
//     batch.open_encoded();
//     batch.step();
//     batch.deliver(feed);
//   }
//
// After an exception of anything but deliver() the batch is unusable: take unfinished().
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "encoders/device/delayed_copy.h"
#include "nmt/network/step_runner.h"
#include "nmt/search/beam.h"
#include "nmt/search/sentence_feed.h"
#include "nmt/tensor_decoding/device_beams.h"
#include "nmt/tensor_decoding/recorded_steps.h"
#include "nmt/tensor_decoding/step_scorer.h"

namespace dietmt::nmt {

class BeamBatch {
 public:
  /// Keeps references to the model and `special`. `most_open`: sentences that have rows at the same
  /// time, rounded down to RecordedSteps::largest_size(). `graphs`: made if steps can be recorded
  /// and it is null; must outlive this.
  BeamBatch(const DecodingModel& model, const SpecialTokens& special, int64_t max_target_length,
            int64_t beam, int64_t most_open, std::unique_ptr<encoders::DeviceGraphs>& graphs);
  ~BeamBatch();

  int64_t open() const { return std::ssize(open_); }
  int64_t waiting() const { return std::ssize(encoded_); }
  /// The load of open and waiting sentences, in source tokens.
  int64_t load() const;
  bool is_empty() const { return open_.empty() && encoded_.empty() && !last_; }

  /// Encodes sentences of this beam size, which then wait for rows, the urgent ones first. Fails
  /// those that cannot be searched for.
  void encode(std::span<const FedSentence> sentences, SentenceFeed& feed);

  /// Gives rows to waiting sentences.
  void open_encoded();

  /// Drops sentences that nobody waits for.
  void drop_abandoned(SentenceFeed& feed);

  /// Frees the rows of finished sentences, and of those whose last step has been enqueued.
  void leave();

  /// Enqueues a step of the open sentences, if there are any, and reads the one before.
  void step();

  /// Gives the feed what the step that was read has finished.
  void deliver(SentenceFeed& feed);

  /// Those that the feed still waits for.
  std::vector<FedSentence> unfinished() const;

 private:
  struct Sentence;
  struct Step {
    std::vector<std::shared_ptr<Sentence>> sentences;
    encoders::DelayedCopy candidates;
  };
  struct ReadStep {
    std::vector<std::shared_ptr<Sentence>> sentences;
    at::Tensor candidates;  // on the CPU
  };

  Step enqueue_step();

  const TranslationModel& model_;
  const encoders::PassPrecision precision_;
  const SpecialTokens& special_;
  const int64_t max_target_length_;
  const int64_t most_open_;
  // Graphs must go before the tensors that they use.
  StepRunner runner_;
  DeviceBeams beams_;
  std::optional<RecordedSteps> steps_;
  std::vector<std::shared_ptr<Sentence>> open_;    // in row order
  std::deque<std::shared_ptr<Sentence>> encoded_;  // wait for rows
  std::optional<Step> last_;                       // not read yet
  ReadStep read_;                                  // not delivered yet
};

}  // namespace dietmt::nmt
