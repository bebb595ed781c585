// Stacks of Transformer layers. A stack owns its position encodings and lowers them once a pass.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "encoders/ops/token_embedding.h"
#include "encoders/position/scheme/position_scheme.h"
#include "encoders/transformer/layers.h"

namespace dietmt::encoders {

/// What enters a stack, without positions: vectors [N, D], or tokens whose vectors a device makes
/// together with their positions.
struct StackInput {
  StackInput(at::Tensor vectors) : embeddings(std::move(vectors)) {}  // NOLINT: a complete input
  explicit StackInput(TokenEmbedding given, double dropped_words = 0.0)
      : tokens(std::move(given)), word_dropout(dropped_words) {}

  at::Tensor vectors(DropoutKeys* keys) const;
  bool fuses_positions(const DropoutKeys* keys) const;

  at::Tensor embeddings;  // undefined if there are tokens
  std::optional<TokenEmbedding> tokens;
  double word_dropout = 0.0;  // of whole vectors
};

/// The context in which a stack's encodings of `site` are built.
EncodingContext encoding_context(const StackConfig& config, AttentionSite site);

/// Bidirectional self-attention over packed sentences.
class EncoderStack : public torch::nn::Module {
 public:
  explicit EncoderStack(const StackConfig& config);

  /// Returns [N, D].
  at::Tensor forward(const StackInput& input, const Packing& packing, Backend backend,
                     DropoutKeys* keys) const;

  /// The input of the first layer, then the output of every layer: [L + 1] of [N, D]. The last is
  /// what forward() returns.
  std::vector<at::Tensor> hidden_states(const StackInput& input, const Packing& packing,
                                        Backend backend, DropoutKeys* keys) const;

  const PositionScheme& position() const { return *position_; }

  /// Whether backward runs the layers again instead of keeping their activations
  /// (recomputation.h).
  void set_recomputation(bool wanted) { recomputation_ = wanted; }

  /// The probability of each layer to be left out of a forward() with dropout (Fan et al. 2020).
  void set_layer_drop(double p) { layer_drop_ = p; }

  /// Elements that forward() keeps for the backward pass on the CPU, at least: a layer's input,
  /// queries, keys, values, the attention's output, the input of the feed-forward block and its
  /// inner values; with recomputation the input; and what positions keep for pairs of tokens.
  double kept_elements(const Packing& packing) const;

 private:
  at::Tensor recomputed_layer(size_t l, const at::Tensor& x, const Packing& packing,
                              const ScoreTerms& terms, Backend backend, DropoutKeys* keys) const;

  StackConfig config_;
  std::shared_ptr<PositionScheme> position_;
  std::shared_ptr<Norm> embedding_norm_;  // only if the configuration asks for it
  std::vector<std::shared_ptr<EncoderLayer>> layers_;
  std::shared_ptr<Norm> final_norm_;  // only with pre-norm
  bool recomputation_ = false;
  double layer_drop_ = 0.0;
};

/// Causal self-attention and attention to a memory.
class DecoderStack : public torch::nn::Module {
 public:
  explicit DecoderStack(const StackConfig& config);

  /// memory: [M, D]. Returns [N, D]. Fills `observed`, unless it is null, with the cross-attention
  /// of its layer, which is not recomputed in backward then.
  at::Tensor forward(const StackInput& input, const Packing& packing, const at::Tensor& memory,
                     const Packing& memory_packing, Backend backend, DropoutKeys* keys,
                     ObservedAttention* observed = nullptr) const;

  /// Cross-attention keys and values, compressed where the position encoding does so.
  struct ProjectedMemory {
    std::vector<CrossAttention::Memory> layers;
    Packing packing;  // of the keys and values
  };
  ProjectedMemory project_memory(const at::Tensor& memory, const Packing& packing) const;

  /// What all steps of cached decoding read of the position encodings.
  struct StepTables {
    int64_t length = 0;    // of the longest sentence and translation that they cover
    at::Tensor embedding;  // [length, D]: added to the embeddings; undefined: none
    std::vector<StepTerms> self;
    std::vector<StepTerms> cross;
  };
  /// Tables for sentences of `length` tokens, or of the longest that the encodings cover.
  StepTables step_tables(int64_t length, const at::Tensor& like) const;

  /// tokens: of the rows; `cache` has one entry a layer. Returns [rows, D].
  at::Tensor step(const TokenEmbedding& tokens, const StepRows& rows, const StepTables& tables,
                  std::vector<DecoderLayer::StepCache>& cache) const;

  const PositionScheme& position() const { return *position_; }
  const PositionScheme& cross_position() const { return *cross_position_; }

  /// As EncoderStack has them.
  void set_recomputation(bool wanted) { recomputation_ = wanted; }
  void set_layer_drop(double p) { layer_drop_ = p; }
  double kept_elements(const Packing& packing, const Packing& memory_packing) const;

 private:
  /// Cross-attention keys and values of all layers in one product, where that is possible; else
  /// each layer makes its own, and this returns none.
  std::vector<CrossAttention::Memory> project_for_all(const at::Tensor& memory,
                                                      DropoutKeys* keys) const;
  std::vector<const CrossAttention*> cross_attentions() const;

  StackConfig config_;
  std::shared_ptr<PositionScheme> position_;
  std::shared_ptr<PositionScheme> cross_position_;
  std::shared_ptr<Norm> embedding_norm_;  // only if the configuration asks for it
  std::vector<std::shared_ptr<DecoderLayer>> layers_;
  std::shared_ptr<Norm> final_norm_;  // only with pre-norm
  bool recomputation_ = false;
  double layer_drop_ = 0.0;
};

}  // namespace dietmt::encoders
