// One process of several that train the same model on shares of each update's batches
// (Li et al. 2020), with the state of the optimiser divided among them (ZeRO, stage 1: Rajbhandari
// et al. 2020).
//
//   for (m = 0; m < accumulate; ++m) {
//     if (!parallel.owns(m)) continue;
//     if (parallel.is_last(m)) parallel.send_gradients();
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

/// What an update adds up over its batches.
struct UpdateSums {
  at::Tensor losses;  // [2] fp64 on the model's device: as BatchLoss::sums
  double targets = 0;
  double tokens = 0;
  at::Tensor gradient_norm;  // of the summed gradient, unscaled: an fp64 scalar on that device
  bool stop = false;         // asked for by a signal, at any process
};

class DataParallel {
 public:
  /// Moves the parameters of `model` into one vector. `per_update`: batches, at least one a
  /// process. Gradients travel as numbers of type `wire`. What is passed outlives this.
  DataParallel(torch::nn::Module& model, ProcessGroup& group, int64_t per_update,
               at::ScalarType wire = at::kFloat);

  /// Whether batch `index` of an update is this process's, and the last one that is.
  bool owns(int64_t index) const { return share_.owns(index); }
  bool is_last(int64_t index) const;

  /// Elements of each parameter whose moments this process keeps and which it steps.
  std::vector<Slice> slices() const { return flat_.slices_in(group_.rank()); }

  /// The gradients of the next backward pass are the last ones of this update.
  void send_gradients() { buckets_.begin(); }

  /// Sums over the processes; the parameters' gradients then are those of all batches. A parameter
  /// has one if it had one anywhere.
  UpdateSums sum(const UpdateSums& own);

  /// Every process gets what the others have stepped.
  void share_weights() { group_.share_parts(flat_.weights()); }

  /// Every process gets the weights of rank 0.
  void copy_weights_of_first() { group_.broadcast(flat_.weights()); }

  /// Whole tensors of the shape of each parameter, at rank 0, from tensors of the shape of slices()
  /// in every process; nothing at the others.
  std::vector<at::Tensor> gather(const std::vector<at::Tensor>& slices) const;

 private:
  ProcessGroup& group_;
  data::BatchShare share_;
  FlatParameters flat_;
  GradientBuckets buckets_;
};

}  // namespace dietmt::training
