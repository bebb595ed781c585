#include "encoders/bert/heads.h"

#include <ATen/ATen.h>
#include <torch/types.h>

#include "encoders/ops/linear.h"

namespace dietmt::encoders {

using at::Tensor;

Dense::Dense(int64_t inputs, int64_t outputs) {
  weight_ =
      register_parameter("weight", torch::empty({outputs, inputs}).normal_(0.0, kBertDeviation));
  bias_ = register_parameter("bias", torch::zeros({outputs}));
}

Tensor Dense::forward(const Tensor& x) const { return linear_layer(x, weight_, bias_); }

MaskedLmHead::MaskedLmHead(const BertConfig& config, const Tensor& piece_embedding)
    : relu_(config.activation == "relu"), piece_embedding_(piece_embedding) {
  dense_ = register_module("dense", std::make_shared<Dense>(config.width, config.width));
  norm_ = register_module("norm", std::make_shared<LayerNorm>(config.width, config.norm_epsilon));
  output_bias_ = register_parameter("output_bias", torch::zeros({config.vocabulary}));
}

Tensor MaskedLmHead::transform(const Tensor& rows) const {
  const Tensor inner = dense_->forward(rows);
  return norm_->forward(relu_ ? at::relu(inner) : at::gelu(inner));
}

Tensor MaskedLmHead::logits(const Tensor& rows) const {
  return at::linear(transform(rows), piece_embedding_, output_bias_);
}

}  // namespace dietmt::encoders
