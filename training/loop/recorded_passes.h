// Forward and backward passes of training batches as device graphs. For small models, whose host is
// slower than the device, a pass then costs the host one launch instead of hundreds.
//
// A pass is recorded when its sizes occur for the second time and replayed from then on: the
// batch's numbers and its dropout key are copied to where the graph reads them. All graphs share
// their working memory. A replay leaves its gradients in tensors shared by all sizes; they become
// the parameters' gradients or are added to them, and the next replay first moves earlier ones out
// of the way.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "encoders/device/device_graphs.h"
#include "encoders/ops/dropout_keys.h"

namespace dietmt::training {

class RecordedPasses {
 public:
  static constexpr size_t kMostGraphs = 256;

  /// What the host must know about a batch. It enqueues the same work for all batches of equal
  /// sizes.
  using Sizes = std::vector<int64_t>;

  /// Adds a batch's gradients to those of the parameters and returns the sums of its loss. `place`:
  /// where the recorded pass reads its batch; null: the batch that was given.
  using Pass = std::function<at::Tensor(const at::Tensor* place, encoders::DropoutKeys& dropout)>;

  /// `graphs`: null: passes are enqueued without recording.
  RecordedPasses(const torch::nn::Module& model, std::unique_ptr<encoders::DeviceGraphs> graphs);

  bool records() const { return graphs_ != nullptr; }

  /// How many sizes are recorded.
  size_t graphs() const;

  /// Enqueues the pass over a batch of these sizes and numbers, and returns its sums. If the device
  /// cannot record it or runs out of memory, all passes continue without graphs; a warning says
  /// why.
  at::Tensor run(const Sizes& sizes, const at::Tensor& numbers, encoders::DropoutKeys& dropout,
                 const Pass& pass);

 private:
  struct Recorded {
    at::Tensor numbers;           // of a batch: the graph's input
    at::Tensor sums;              // of its loss
    std::vector<size_t> trained;  // parameters that get a gradient
    std::unique_ptr<encoders::DeviceGraph> graph;
  };
  struct Entry {
    int64_t uses = 0;
    std::unique_ptr<Recorded> recorded;
  };

  at::Tensor enqueue(encoders::DropoutKeys& dropout, const Pass& pass);
  void forget_graphs();
  bool is_worth(const Entry& entry);
  bool record(Entry& entry, const at::Tensor& numbers, const Pass& pass);
  std::unique_ptr<Recorded> recorded_pass(const at::Tensor& numbers, const Pass& pass);
  void store_gradients(Recorded& recorded);
  bool move_gradients_away();
  void add_gradients(const Recorded& recorded);

  std::unique_ptr<encoders::DeviceGraphs> graphs_;
  std::map<Sizes, Entry> entries_;
  at::Tensor dropout_key_;  // [] int64: read by all graphs
  // By parameter:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> results_;  // gradients of the last replay
  std::vector<at::Tensor> moved_;    // sums of earlier ones, in an update of several batches
};

}  // namespace dietmt::training
