// Data-parallel training: each process handles a share of every update's batches (Li et al. 2020)
// and of the optimiser's state (ZeRO stage 1: Rajbhandari et al. 2020).
//
//   for (m = 0; m < accumulate; ++m) {
//     if (!parallel.owns(m)) continue;
//     if (parallel.is_last(m)) parallel.send_gradients(Sending::kWhileComputed);
//     sums += backward(...);
//   }
//   sums = parallel.sum(sums);            // and the gradients
//   ... step the slices of this process ...
//   parallel.share_weights();
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <vector>

#include "data/corpus/epoch_batches.h"
#include "training/distributed/gradient_buckets.h"
#include "training/distributed/process_group.h"

namespace dietmt::training {

/// Sums over the batches of an update.
struct UpdateSums {
  at::Tensor losses;  // [2] fp64 on the model's device, like BatchLoss::sums
  double targets = 0;
  double tokens = 0;
  at::Tensor gradient_norm;  // of the summed gradient, unscaled: an fp64 scalar on that device
  bool stop = false;         // some process received a signal to stop
};

class DataParallel {
 public:
  /// Moves the parameters of `model` into one vector. `per_update`: batches per update, at least
  /// one per process. `wire`: the type in which gradients are exchanged. The arguments must outlive
  /// this.
  DataParallel(torch::nn::Module& model, ProcessGroup& group, int64_t per_update,
               at::ScalarType wire = at::kFloat);

  /// Whether this process handles batch `index` of an update, and whether it is its last one.
  bool owns(int64_t index) const { return share_.owns(index); }
  bool is_last(int64_t index) const;

  /// The slice of each parameter that this process steps and keeps moments for.
  std::vector<Slice> slices() const { return flat_.slices_in(group_.rank()); }

  /// Announces that the next backward pass is the update's last.
  void send_gradients(Sending sending) { buckets_.begin(sending); }

  /// Sums over the processes; afterwards the parameters' gradients are those of all batches. A
  /// parameter has a gradient if it had one in any process.
  UpdateSums sum(const UpdateSums& own);

  /// Sends each process the weights that the others have stepped.
  void share_weights() { group_.share_parts(flat_.weights()); }

  /// Gives every process the weights of rank 0.
  void copy_weights_of_first() { group_.broadcast(flat_.weights()); }

  /// Assembles whole parameter-shaped tensors at rank 0 from every process's slices(); other ranks
  /// get nothing.
  std::vector<at::Tensor> gather(const std::vector<at::Tensor>& slices) const;

 private:
  ProcessGroup& group_;
  data::BatchShare share_;
  FlatParameters flat_;
  GradientBuckets buckets_;
};

}  // namespace dietmt::training
