// A loaded model whose threads decode the sentences in its queue.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "nmt/translation/loaded_decoder.h"
#include "service/scheduling/request_queue.h"

namespace dietmt::service {

/// The threads and batch size of a decoder.
struct DecodingThreads {
  int64_t workers = 1;
  int64_t threads = 1;         // per worker
  int64_t batch_tokens = 512;  // source tokens that a worker decodes at once
  int niceness = 0;            // for give_way()
};

/// Every request holds a reference to the model that it uses. When the last request releases a
/// replaced model, its queue is empty, its threads end and its memory is freed.
class ServedModel {
 public:
  ServedModel(nmt::LoadedDecoder model, const DecodingThreads& threads, QueueLimits limits,
              std::shared_ptr<ModelObserver> observer);
  ~ServedModel();
  ServedModel(const ServedModel&) = delete;
  ServedModel& operator=(const ServedModel&) = delete;

  const nmt::LoadedDecoder& model() const { return model_; }
  RequestQueue& queue() { return queue_; }

  /// Differs between all models that this process has loaded.
  int64_t version() const { return version_; }

  /// False after the decoder has failed and stopped.
  bool decoding() const { return decoding_; }

 private:
  const int64_t version_;
  const nmt::LoadedDecoder model_;
  RequestQueue queue_;
  std::atomic<bool> decoding_{true};
  std::jthread runner_;
};

}  // namespace dietmt::service
