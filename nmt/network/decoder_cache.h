// What cached decoding keeps between steps.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dietmt::nmt {

/// Rows are hypotheses: row b * K + k is hypothesis k of sentence b. All rows have decoded the same
/// number of tokens. Cross-attention keys and values are held once per sentence, never per row.
struct DecoderCache {
  struct Layer {
    at::Tensor self_keys;     // [B * K, H, capacity, Dh], the first `position` entries are filled
    at::Tensor self_values;   // [B * K, H, capacity, Dh]
    at::Tensor cross_keys;    // [B, H, S, Dh]
    at::Tensor cross_values;  // [B, H, S, Dh]
  };
  std::vector<Layer> layers;
  at::Tensor source_mask;  // [B, S] bool, true where a source token is real; undefined: all are
  int64_t sentences = 0;   // B
  int64_t beams = 1;       // K
  int64_t position = 0;    // tokens decoded so far

  /// Keeps the sentences `sentence_index` [B'] and the rows `row_index` [B' * K] (both int64), in
  /// that order: reorders beams and drops finished sentences.
  void reorder(const at::Tensor& sentence_index, const at::Tensor& row_index);
};

}  // namespace dietmt::nmt
