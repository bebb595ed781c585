// The device's part of a decoding step, recorded once per batch size and replayed at the cost of
// one launch. Batches are padded with idle sentences to a few sizes.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "encoders/device/device_graphs.h"

namespace dietmt::nmt {

class RecordedSteps {
 public:
  /// Keeps the pointer. Null: steps are enqueued without recording.
  explicit RecordedSteps(encoders::DeviceGraphs* graphs) : graphs_(graphs) {}

  /// The size to which a batch of this many sentences is padded: 1, 2, 3, 4, 6, 8, 12, 16, ...
  static int64_t size_for(int64_t sentences);
  /// The largest of these sizes up to `most`.
  static int64_t largest_size(int64_t most);
  /// size_for(); without graphs there are no idle sentences.
  int64_t size_of(int64_t sentences) const {
    return graphs_ != nullptr ? size_for(sentences) : sentences;
  }

  /// Enqueues `work`, which must be the same for all steps of this size and `moves`, and returns
  /// its result, which is valid until the next step.
  at::Tensor run(int64_t size, int64_t moves, const std::function<at::Tensor()>& work);

 private:
  struct Step {
    bool is_ready = false;  // has run before, so that libraries have allocated what they keep
    std::unique_ptr<encoders::DeviceGraph> graph;
    at::Tensor result;
  };
  bool record(Step& step, const std::function<at::Tensor()>& work);

  encoders::DeviceGraphs* graphs_;
  std::map<int64_t, Step> steps_;  // by size
  int64_t moves_ = 0;
};

}  // namespace dietmt::nmt
