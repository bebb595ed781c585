// The encoder-decoder Transformer (Vaswani et al. 2017) over packed batches.
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "encoders/attention/attention.h"
#include "encoders/attention/packing.h"
#include "encoders/ops/dropout_keys.h"
#include "nmt/model/config.h"
#include "nmt/network/decoder_cache.h"

namespace dietmt::encoders {
class DecoderStack;
class EncoderStack;
class PositionScheme;
}  // namespace dietmt::encoders

namespace dietmt::nmt {

class TranslationModel : public torch::nn::Module {
 public:
  /// Parameters are drawn from `seed`. Throws ConfigError with all problems of `config`.
  TranslationModel(const ModelConfig& config, uint64_t seed);

  const ModelConfig& config() const { return config_; }

  /// tokens: [M] int64, each sentence ending in end of sentence. Returns the memory [M, D].
  at::Tensor encode(const at::Tensor& tokens, const encoders::Packing& packing,
                    encoders::DropoutKeys* dropout = nullptr) const;

  /// Teacher forcing. tokens: [N] int64, begin of sentence and the target without its last token.
  /// Returns hidden states [N, D], row i predicting target token i.
  at::Tensor decode(const at::Tensor& tokens, const encoders::Packing& packing,
                    const at::Tensor& memory, const encoders::Packing& memory_packing,
                    encoders::DropoutKeys* dropout = nullptr) const;

  /// The output projection: [V, D].
  const at::Tensor& output_weight() const;

  /// [V], or undefined without config().output_bias.
  const at::Tensor& output_bias() const;

  /// hidden: [rows, D]. Returns [rows, V]: the projection and the output bias.
  at::Tensor logits(const at::Tensor& hidden) const;

  /// Prepares cached decoding of every sentence of `memory` with `beams` rows each, for at most
  /// `max_steps` tokens.
  DecoderCache start(const at::Tensor& memory, const encoders::Packing& memory_packing,
                     int64_t beams, int64_t max_steps) const;

  /// Feeds one token to every row and advances the cache. tokens: [B * K] int64.
  /// Returns hidden states [B * K, D] that predict the next token.
  at::Tensor step(const at::Tensor& tokens, DecoderCache& cache) const;

  /// Longest source and target, in tokens, that the position encodings define.
  int64_t max_source_length() const;
  int64_t max_target_length() const;

  /// The position encodings of the three sites; they may outlive the model.
  std::shared_ptr<const encoders::PositionScheme> encoder_position() const;
  std::shared_ptr<const encoders::PositionScheme> decoder_position() const;
  std::shared_ptr<const encoders::PositionScheme> cross_position() const;

  void set_attention_backend(encoders::Backend backend);

  /// Whether training runs layers again in backward instead of keeping their results
  /// (encoders/transformer/recomputation.h).
  void set_recomputation(bool wanted);

 private:
  at::Tensor embed_tokens(const at::Tensor& table, const at::Tensor& tokens) const;

  ModelConfig config_;
  encoders::Backend backend_ = encoders::Backend::kAuto;
  std::shared_ptr<encoders::EncoderStack> encoder_;
  std::shared_ptr<encoders::DecoderStack> decoder_;
  at::Tensor source_embedding_;  // [Vs, D]
  at::Tensor target_embedding_;  // [Vt, D]; the same tensor as source_embedding_ if all are tied
  at::Tensor output_weight_;     // [Vt, D]; the same tensor as target_embedding_ if tied
  at::Tensor output_bias_;       // [Vt] or undefined
};

}  // namespace dietmt::nmt
