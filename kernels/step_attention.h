// One step of cached decoding: attention of one query for each hypothesis of a sentence, with the
// score terms of kernels/attention.h and the contextual positions of CoPE. All queries stand at one
// position i, so what depends on positions alone is computed once for the hypotheses. Plain
// pointers, fp32, one thread, no allocation.
//
// Vectors of a head lie in kHeadLanes-fold rows with zeros behind them, in the cache as in the
// tables of relative and contextual vectors: Dp = padded_head(Dh).
//
//   self-attention   keys and values [slots, H, Dp]; key j of hypothesis r lies in slot
//                    slots[r, j], so beams are reordered by their slots and share what they share
//   memory           keys [H, Dh, S'] and values [S, H, Dp] of the sentence, for all hypotheses
//
// Relative and contextual vectors are those of self-attention.
#pragma once

#include <cstdint>

#include "kernels/attention.h"

namespace dietmt::kernels {

constexpr int64_t kHeadLanes = 16;
constexpr int64_t padded_head(int64_t size) {
  return (size + kHeadLanes - 1) / kHeadLanes * kHeadLanes;
}

/// The score terms of one layer; relative vectors are [H|1, 2C+1, Dp].
struct StepTerms {
  AttentionTerms terms;
  int64_t bias_keys = 0;             // row stride of position_bias
  HeadTable contextual;              // [H|1, P, Dp]
  int64_t contextual_positions = 0;  // P
};

struct StepAttention {
  int64_t head_width = 0;  // Dh
  int64_t first_head =
      0;  // heads first .. last - 1 alone are computed, for threads that share them
  int64_t last_head = 0;
  int64_t hypotheses = 0;
  int64_t position = 0;  // i
  int64_t keys = 0;      // S; i + 1 in self-attention
  const StepTerms* terms = nullptr;
  const float* queries = nullptr;  // [hypotheses, H, Dh], row r at r * query_stride
  int64_t query_stride = 0;
  float* output = nullptr;  // [hypotheses, H, Dh]
  int64_t output_stride = 0;

  const int32_t* slots = nullptr;  // [hypotheses, S], row r at r * slots_stride; null: memory
  int64_t slots_stride = 0;
  const float* key_rows = nullptr;     // [slots, H, Dp], self-attention
  const float* value_rows = nullptr;   // [slots or S, H, Dp]
  int64_t row_stride = 0;              // of both
  const float* key_columns = nullptr;  // [H, Dh, key_stride], memory
  int64_t key_stride = 0;              // a multiple of kHeadLanes, at least S

  float* workspace = nullptr;  // aligned to 64 bytes, step_attention_workspace() numbers
};

int64_t step_attention_workspace(const StepAttention& call);
void step_attention(const StepAttention& call);

}  // namespace dietmt::kernels
