// Trains low-rank updates of a model's matrices (LoRA, Hu et al. 2022) instead of the matrices.
//
// The model always computes with W = W0 + scale B A, so its forward pass, validation and decoding
// do not see the adapter. The gradients of A and B follow from that of W:
//
//   dA = scale B^T dW,  dB = scale dW A^T
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "encoders/weights/low_rank.h"
#include "training/optimization/optimizer.h"

namespace dietmt::training {

struct LowRankOptions {
  int64_t rank = 0;    // R; 0: train the matrices themselves
  double alpha = 1.0;  // scale times R
  // The matrices, by patterns as in freeze().
  std::vector<std::string> patterns = {"*attention.*_weight", "*feed_forward.*_weight"};
};

/// Names of the matrices that the options select. Throws ConfigError naming --lora-on if a pattern
/// matches no matrix, or --lora-rank if the rank exceeds the size of one of them.
std::set<std::string> low_rank_matrices(const torch::nn::Module& model,
                                        const LowRankOptions& options);

class LowRankTraining {
 public:
  /// Freezes the rest of `model`, which must outlive this. A is drawn from `seed`, B is 0. Throws
  /// like low_rank_matrices().
  LowRankTraining(torch::nn::Module& model, const LowRankOptions& options, uint64_t seed);

  /// "<parameter>.lora_a" and "<parameter>.lora_b" of each matrix.
  NamedTensors parameters() const;

  /// Moves the gradients of the matrices to A and B, which get none if the matrix has none.
  void take_gradients();

  /// Sets the matrices to W0 + scale B A.
  void merge();

  /// For a checkpoint: parameters(), and W0 as "<parameter>.base".
  NamedTensors state() const;
  /// Throws CheckpointError naming a missing tensor.
  void load_state(const std::map<std::string, at::Tensor>& state);

  encoders::LowRankAdapter adapter() const;

 private:
  struct Matrix {
    at::Tensor weight;  // W, the model's
    at::Tensor base;    // W0
    encoders::LowRankUpdate update;
  };

  double scale_;
  std::vector<Matrix> matrices_;
  std::map<std::string, at::Tensor> base_;  // all parameters, with W0 for W
};

}  // namespace dietmt::training
