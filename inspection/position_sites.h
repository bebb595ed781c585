// What the positions of one attention site do: the parts of a position report. Layers and heads
// count from 0, as in specs and parameter names.
#pragma once

#include <string>
#include <vector>

#include "encoders/analysis/indicators.h"
#include "encoders/analysis/position_scores.h"

namespace dietmt::inspection {

/// The layers and heads that read the same values.
struct Readers {
  int64_t first_layer = 0;
  int64_t last_layer = 0;
  int64_t head = 0;
  bool all_heads = false;

  std::string layers() const;  // "2" or "0-5"
  std::string heads() const;   // "3" or "all"
};

/// The part of the scores that depends only on positions.
struct PositionTerm {
  Readers readers;
  at::Tensor scores;  // [n, n] double; NaN where causal attention does not look
  int64_t rank = 0;   // of the whole matrix, masked part included
};

/// Similarity of the vectors of different offsets, for the offsets that occur.
struct OffsetTable {
  Readers readers;
  std::string name;  // "relative keys", "relative queries" or "relative values"
  int64_t first_offset = 0;
  encoders::CosineMap map;
};

/// Attention of the first layer in sentences of one repeated word.
struct HeadAttention {
  at::Tensor probabilities;  // [n, n] double, mean over the words
  encoders::AttentionIndicators indicators;
};

struct SiteReport {
  std::string name;  // "encoder", "decoder" or "cross"
  std::string spec;
  std::vector<std::string> notes;
  std::vector<PositionTerm> terms;  // only those that are not zero
  std::vector<OffsetTable> tables;
  std::vector<HeadAttention> attention;  // [H]; empty for cross-attention
};

/// words: [W, D], embeddings of the words that sentences of `length` repeat.
SiteReport self_attention_report(const std::string& name, const encoders::InspectedStack& stack,
                                 const at::Tensor& words, int64_t length);

SiteReport cross_attention_report(const encoders::PositionScheme& position, int64_t heads,
                                  int64_t width, int64_t length);

}  // namespace dietmt::inspection
