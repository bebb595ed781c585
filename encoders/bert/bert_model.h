// The BERT encoder (Devlin et al. 2019) over packed batches, with any position encoding:
//
//   x = dropout(LN(E[piece] + S[segment] + P[position]))     hidden states = post-norm layers of x
//
// S is absent where segments are encoded inside attention, P where positions are.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "encoders/attention/attention.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/bert_config.h"
#include "encoders/ops/dropout.h"

namespace dietmt::encoders {

class EncoderStack;
class PositionScheme;

class BertModel : public torch::nn::Module {
 public:
  /// Parameters are drawn from LibTorch's generator: weights from N(0, 0.02^2), position encodings
  /// as their headers say. Throws ConfigError with all problems of `config`.
  explicit BertModel(const BertConfig& config);

  /// `config` with the position encoding in its canonical form.
  const BertConfig& config() const { return config_; }

  /// pieces: [N] int64, each input from [CLS] on. Without packing.segments() all tokens belong to
  /// segment 0. Returns the last hidden states [N, D].
  at::Tensor forward(const at::Tensor& pieces, const Packing& packing,
                     DropoutKeys* dropout = nullptr) const;

  /// What the first layer reads, then the output of every layer: [L + 1] of [N, D].
  std::vector<at::Tensor> hidden_states(const at::Tensor& pieces, const Packing& packing,
                                        DropoutKeys* dropout = nullptr) const;

  /// E: [V, D].
  const at::Tensor& piece_embedding() const { return piece_embedding_; }

  const PositionScheme& position() const;

  /// The longest input, in tokens, that the position encodings define.
  int64_t max_length() const;

  void set_attention_backend(Backend backend) { backend_ = backend; }

  /// Whether training runs layers again in backward instead of keeping their results
  /// (encoders/transformer/recomputation.h).
  void set_recomputation(bool wanted);

 private:
  BertConfig config_;
  Backend backend_ = Backend::kAuto;
  at::Tensor piece_embedding_;
  std::shared_ptr<EncoderStack> encoder_;
};

}  // namespace dietmt::encoders
