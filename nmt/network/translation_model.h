// The encoder-decoder Transformer (Vaswani et al. 2017) over packed batches.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/corpus/batches.h"
#include "encoders/attention/attention.h"
#include "encoders/attention/observed_attention.h"
#include "encoders/attention/packing.h"
#include "encoders/ops/dropout_keys.h"
#include "encoders/ops/token_embedding.h"
#include "encoders/transformer/inheritance.h"
#include "encoders/transformer/layers.h"
#include "nmt/model/config.h"

namespace dietmt::encoders {
class DecoderStack;
class EncoderStack;
class PositionScheme;
}  // namespace dietmt::encoders

namespace dietmt::nmt {

encoders::StackConfig encoder_config(const ModelConfig& config);
encoders::StackConfig decoder_config(const ModelConfig& config);

/// Problems of the position encodings, each once. With a `file` they name it and
/// its keys.
std::vector<std::string> position_problems(const ModelConfig& config, const std::string& file = "");

struct DecoderCache;

class TranslationModel : public torch::nn::Module {
 public:
  /// Draws the parameters from `seed`. Throws ConfigError, which lists all problems of `config` or
  /// says that the weights do not fit into memory.
  TranslationModel(const ModelConfig& config, uint64_t seed);

  const ModelConfig& config() const { return config_; }

  /// tokens: [M] int64, each sentence ending in end of sentence. Returns the memory [M, D].
  at::Tensor encode(const encoders::TokenIds& tokens, const encoders::Packing& packing,
                    encoders::DropoutKeys* dropout = nullptr) const;

  /// Teacher forcing. tokens: [N] int64, begin of sentence and the target without its last token.
  /// Returns hidden states [N, D]; row i predicts target token i. Fills `observed`, unless it is
  /// null, with the cross-attention of its layer.
  at::Tensor decode(const encoders::TokenIds& tokens, const encoders::Packing& packing,
                    const at::Tensor& memory, const encoders::Packing& memory_packing,
                    encoders::DropoutKeys* dropout = nullptr,
                    encoders::ObservedAttention* observed = nullptr) const;

  /// The output projection: [V, D].
  const at::Tensor& output_weight() const;

  /// [V], or undefined without config().output_bias.
  const at::Tensor& output_bias() const;

  /// hidden: [rows, D]. Returns [rows, V]: the projection and the output bias.
  at::Tensor logits(const at::Tensor& hidden) const;

  /// An empty cache for cached decoding (nmt/network/decoder_cache.h).
  DecoderCache empty_cache() const;

  /// The keys of cross-attention for a source of so many tokens: as many, or those that the
  /// position encoding compresses them to.
  int64_t memory_keys(int64_t source_tokens) const;

  /// Whether the keys of cross-attention are source tokens, which no position encoding compresses.
  bool aligns() const;

  /// Keeps the keys and values of cross-attention. slots: [keys of all sentences] int64, end to
  /// end, for which the cache has room.
  void keep_memory(const at::Tensor& memory, const encoders::Packing& packing,
                   const at::Tensor& slots, DecoderCache& cache) const;

  /// Makes the cache ready for steps at positions below `longest` and for sources of so many
  /// tokens. Returns whether its tables have moved.
  bool cover(int64_t longest, DecoderCache& cache) const;

  /// Whether the work of a step depends only on the number of rows. The cache covers some position.
  bool steps_have_fixed_work(const DecoderCache& cache) const;

  /// Feeds one token to each row, at positions that the cache covers. tokens: [B * K] int64.
  /// Returns hidden states [B * K, D] that predict the next token.
  at::Tensor step(const at::Tensor& tokens, const encoders::StepRows& rows,
                  DecoderCache& cache) const;

  /// The longest source and target, in tokens, that the position encodings cover.
  int64_t max_source_length() const;
  int64_t max_target_length() const;

  /// The position encodings of the three sites; they may outlive the model.
  std::shared_ptr<const encoders::PositionScheme> encoder_position() const;
  std::shared_ptr<const encoders::PositionScheme> decoder_position() const;
  std::shared_ptr<const encoders::PositionScheme> cross_position() const;

  void set_attention_backend(encoders::Backend backend);

  /// Whether the backward pass recomputes activations instead of keeping them
  /// (encoders/transformer/recomputation.h).
  void set_recomputation(bool wanted);

  /// Dropout in addition to the configuration's: of whole embeddings of source and target tokens
  /// (Sennrich et al. 2016, "Edinburgh Neural Machine Translation Systems"), of whole layers (Fan
  /// et al. 2020).
  struct WholeDropout {
    double source_words = 0.0;
    double target_words = 0.0;
    double layers = 0.0;
  };
  void set_whole_dropout(const WholeDropout& probabilities);
  const WholeDropout& whole_dropout() const { return whole_dropout_; }

  /// Sets the target vector of piece `begin` to zeros, which training keeps.
  void start_from_zeros(int32_t begin);
  bool starts_from_zeros(int32_t begin) const;

  /// Numbers that encode() and decode() keep for the backward pass on the CPU, at least.
  double kept_elements(const encoders::Packing& source, const encoders::Packing& target) const;

 private:
  encoders::TokenEmbedding embedding(const at::Tensor& table,
                                     const encoders::TokenIds& tokens) const;

  ModelConfig config_;
  encoders::Backend backend_ = encoders::Backend::kAuto;
  WholeDropout whole_dropout_;
  std::shared_ptr<encoders::EncoderStack> encoder_;
  std::shared_ptr<encoders::DecoderStack> decoder_;
  at::Tensor source_embedding_;  // [Vs, D]
  at::Tensor target_embedding_;  // [Vt, D]; source_embedding_ if all are tied
  at::Tensor output_weight_;     // [Vt, D]; target_embedding_ if tied
  at::Tensor output_bias_;       // [Vt] or undefined
};

/// Packs the sentences end to end.
data::PackedTokens pack(std::span<const std::vector<int32_t>* const> sentences);

/// The decoder inputs for these targets: `begin`, then the sentence without its last token.
data::PackedTokens shifted_right(const data::PackedTokens& target, int32_t begin);

struct RebuiltModel {
  std::shared_ptr<TranslationModel> model;
  encoders::Inheritance inheritance;
};

/// A model of `config` that continues from a trained one, for another domain or with other
/// positions. It takes the parameters that `trained` has (encoders::inherit()) and draws the others
/// from `seed`.
RebuiltModel rebuild(const TranslationModel& trained, const ModelConfig& config, uint64_t seed);

}  // namespace dietmt::nmt
