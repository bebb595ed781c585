// The parts of the heads of BERT (Devlin et al. 2019, sections 3 and 4). Weights start from
// N(0, 0.02^2), biases from zeros.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "encoders/bert/bert_config.h"
#include "encoders/transformer/layers.h"

namespace dietmt::encoders {

/// x W^T + b: the pooler's, and the whole of the simple heads.
class Dense : public torch::nn::Module {
 public:
  Dense(int64_t inputs, int64_t outputs);

  /// x: [rows, inputs]. Returns [rows, outputs].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_;  // [outputs, inputs]
  at::Tensor bias_;    // [outputs]
};

/// Scores of the vocabulary for masked tokens: LN(activation(h W^T + b)) E^T + c, with E the piece
/// embeddings. It works only on the rows of masked tokens.
class MaskedLmHead : public torch::nn::Module {
 public:
  /// The embeddings stay a parameter of the encoder.
  MaskedLmHead(const BertConfig& config, const at::Tensor& piece_embedding);

  /// rows: [M, D], hidden states of masked tokens. Returns [M, D], what weight() and bias() project
  /// to the vocabulary (training::linear_cross_entropy).
  at::Tensor transform(const at::Tensor& rows) const;

  const at::Tensor& weight() const { return piece_embedding_; }  // E: [V, D]
  const at::Tensor& bias() const { return output_bias_; }        // c: [V]

  /// rows: [M, D]. Returns [M, V].
  at::Tensor logits(const at::Tensor& rows) const;

 private:
  bool relu_;
  at::Tensor piece_embedding_;
  std::shared_ptr<Dense> dense_;
  std::shared_ptr<LayerNorm> norm_;
  at::Tensor output_bias_;
};

}  // namespace dietmt::encoders
