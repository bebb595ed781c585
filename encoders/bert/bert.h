// A BERT encoder with the heads that its configuration names (Devlin et al. 2019). This is the
// module that is trained, fine-tuned and stored.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <vector>

#include "encoders/attention/attention.h"
#include "encoders/attention/packing.h"
#include "encoders/bert/bert_config.h"
#include "encoders/ops/dropout_keys.h"
#include "encoders/transformer/inheritance.h"
#include "encoders/transformer/layers.h"

namespace dietmt::encoders {

class EncoderStack;
class PositionScheme;

/// The layers of the encoder.
StackConfig stack_config(const BertConfig& config);

/// The BERT encoder (Devlin et al. 2019) over packed batches, with any position encoding:
///
///   x = dropout(LN(E[piece] + S[segment] + P[position]))     hidden states = post-norm layers of x
///
/// S is absent where segments are encoded inside attention, P where positions are.
class BertModel : public torch::nn::Module {
 public:
  /// Parameters are drawn from LibTorch's generator: weights from N(0, 0.02^2), position encodings
  /// as their sources say. Throws ConfigError with all problems of `config`, or if the weights do
  /// not fit into memory.
  explicit BertModel(const BertConfig& config);

  /// `config` with the position encoding in its canonical form.
  const BertConfig& config() const { return config_; }

  /// pieces: [N] int64, each input from [CLS] on. Without packing.segments() all tokens belong to
  /// segment 0. Returns the last hidden states [N, D].
  at::Tensor forward(const at::Tensor& pieces, const Packing& packing,
                     DropoutKeys* dropout = nullptr) const;

  /// The input of the first layer, then the output of every layer: [L + 1] of [N, D].
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

  /// Elements that forward() keeps for the backward pass on the CPU, at least.
  double kept_elements(const Packing& packing) const;

 private:
  BertConfig config_;
  Backend backend_ = Backend::kAuto;
  at::Tensor piece_embedding_;
  std::shared_ptr<EncoderStack> encoder_;
};

/// x W^T + b, with weights from N(0, 0.02^2) and biases from zeros: the pooler's, and the whole of
/// the simple heads.
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
  std::shared_ptr<Norm> norm_;
  at::Tensor output_bias_;
};

/// Using a head that the configuration does not have throws Error with its name.
class Bert : public torch::nn::Module {
 public:
  /// Parameters are drawn from `seed`. Throws ConfigError with all problems of `config`.
  Bert(const BertConfig& config, uint64_t seed);

  const BertConfig& config() const { return encoder_->config(); }
  const BertModel& encoder() const { return *encoder_; }
  void set_attention_backend(Backend backend) { encoder_->set_attention_backend(backend); }
  void set_recomputation(bool wanted) { encoder_->set_recomputation(wanted); }

  /// tanh(h W^T + b) of the first token of each input. hidden: [N, D]. Returns [B, D].
  at::Tensor pool(const at::Tensor& hidden, const Packing& packing) const;

  const MaskedLmHead& masked_lm() const;

  /// Whether the second segment follows the first one in its document (class 0: it does). pooled:
  /// [B, D]. Returns scores [B, 2].
  at::Tensor next_sentence(const at::Tensor& pooled) const;

  /// Scores of the classes of whole inputs, or the value of a regression. pooled: [B, D]. Returns
  /// [B, classes].
  at::Tensor classify(const at::Tensor& pooled, DropoutKeys* dropout = nullptr) const;

  /// Scores of each token as the first (column 0) and the last (column 1) of an answer. hidden:
  /// [N, D]. Returns [N, 2].
  at::Tensor spans(const at::Tensor& hidden) const;

  /// Scores of the tags of each token. hidden: [N, D]. Returns [N, tags].
  at::Tensor tags(const at::Tensor& hidden, DropoutKeys* dropout = nullptr) const;

 private:
  std::shared_ptr<BertModel> encoder_;
  std::shared_ptr<Dense> pooler_;
  std::shared_ptr<MaskedLmHead> masked_lm_;
  std::shared_ptr<Dense> next_sentence_;
  std::shared_ptr<Dense> classifier_;
  std::shared_ptr<Dense> spans_;
  std::shared_ptr<Dense> tags_;
};

/// The last hidden states of a batch, [N, D], and its boundaries.
struct PackedStates {
  at::Tensor hidden;
  Packing packing;
};

/// segments: [N], the kind of segment of each token.
PackedStates encode_packed(const Bert& model, const data::PackedTokens& tokens,
                           const std::vector<int32_t>& segments, at::Device device,
                           DropoutKeys* dropout);

/// A model with another configuration that continues from a trained one.
struct RebuiltBert {
  std::shared_ptr<Bert> model;
  Inheritance inheritance;
};

/// A model of `config` with the parameters that `trained` has (inherit()) and others drawn from
/// `seed`. For fine-tuning with another head or other positions.
RebuiltBert rebuild(const Bert& trained, const BertConfig& config, uint64_t seed);

}  // namespace dietmt::encoders
