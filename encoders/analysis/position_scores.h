// What positions do to the scores of a trained stack: the part that they add by themselves, and the
// first layer's attention in sentences that repeat one word, so that only positions can make a
// difference ("identical word probing", Wang et al. 2021, "On Position Embeddings in BERT"). This
// is plain tensor algebra, one sentence at a time; training does not use it.
#pragma once

#include <torch/nn/module.h>

#include <string>
#include <vector>

#include "encoders/position/scheme/position_scheme.h"
#include "encoders/transformer/layers.h"

namespace dietmt::encoders {

/// The self-attention of one stack.
struct InspectedStack {
  const torch::nn::Module& module;  // an EncoderStack or DecoderStack
  const PositionScheme& position;
  int64_t heads = 1;  // H
  int64_t width = 1;  // D
  NormPlacement norm = NormPlacement::kPost;
  bool causal = false;
  bool embedding_norm = false;  // BERT's, after the positions
  double norm_epsilon = kernels::kLayerNormEpsilon;
  int64_t own_head_width = 0;  // Dh; 0: D / H

  int64_t head_width() const { return own_head_width > 0 ? own_head_width : width / heads; }
  /// Whether positions that are added to the embeddings reach the first scores unmixed with words,
  /// by linear projections only.
  bool reads_plain_positions() const;
  /// Whether the module has the parameters of a norm of this name.
  bool has_norm(const char* name) const;
};

constexpr const char* kQueryNorm = "layer0.self_attention.query_norm";
constexpr const char* kKeyNorm = "layer0.self_attention.key_norm";

/// The scores that the terms give to queries and keys without content: [H, T, S]. Undefined if keys
/// are compressed (Linformer), because scores do not belong to pairs of positions then.
at::Tensor scores_without_content(const ScoreTerms& terms, const Extent& extent, int64_t heads,
                                  int64_t head_width);

/// Names of the terms that act through the words, e.g. "relative keys".
std::vector<std::string> terms_with_content(const ScoreTerms& terms);

/// What positions add by themselves to the scores of self-attention among `length` positions,
/// before masking: [L] of [H, n, n]. In the first layer of a post-norm stack this includes
/// positions added to the embeddings, projected to queries and keys: (P W_Q) (P W_K)^T / sqrt(Dh).
/// In other layers and after a norm these are mixed with words and left out. Scores of pairs of
/// segments are no part of it; embeddings of segments are those of segment 0.
std::vector<at::Tensor> position_scores(const InspectedStack& stack, int64_t length);

/// Means over sentences that repeat one word, in double: [H, n, n] each; undefined if keys are
/// compressed.
struct Probe {
  at::Tensor scores;     // before the softmax; minus infinity where causal attention does not look
  at::Tensor attention;  // after it
};

/// The first layer's attention in sentences that repeat one word `length` times, as mean over the
/// words. words: [W, D], their embeddings without positions; all of segment 0. ends: [2, D], what
/// stands in place of the first and the last word, such as [CLS] and [SEP]; undefined: words.
Probe probe_identical_words(const InspectedStack& stack, const at::Tensor& words, int64_t length,
                            const at::Tensor& ends = {});

}  // namespace dietmt::encoders
