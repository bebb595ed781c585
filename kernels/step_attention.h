// One step of cached decoding: attention of one query for each hypothesis of sentences, with the
// score terms of kernels/attention.h and the contextual positions of CoPE. All queries of a
// sentence are at one position i, so terms that depend only on positions are computed once for all
// hypotheses. Plain pointers, fp32, one thread, no allocation. Keys and values are fp32 or rounded
// to bf16, which halves the reads of a step.
//
// Queries have H heads, keys and values G; heads h * H/G .. (h + 1) * H/G - 1 of the queries share
// head h of keys and values (Ainslie et al. 2023). Often G = H.
//
// Vectors of a head are padded with zeros to a multiple of kHeadLanes, in the cache and in the
// tables of relative and contextual vectors: Dp = padded_head(Dh).
//
//   self-attention   keys and values [slots, G, Dp]; key j of hypothesis r lies in slot
//                    slots[r, j], so beams are reordered by their slots and share common ones
//   memory           keys [G, Dh, S'] and values [S, G, Dp] of the sentence, for all hypotheses
//
// Relative and contextual vectors are those of self-attention.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/attention.h"

namespace dietmt::kernels {

constexpr int64_t kHeadLanes = 16;
constexpr int64_t padded_head(int64_t size) {
  return (size + kHeadLanes - 1) / kHeadLanes * kHeadLanes;
}

/// The numbers of keys and values.
enum class CacheType { kFloat, kBFloat16 };
constexpr int64_t cache_bytes(CacheType type) { return type == CacheType::kFloat ? 4 : 2; }

/// The score terms of one layer; relative vectors are [H|1, 2C+1, Dp].
struct StepTerms {
  AttentionTerms terms;
  int64_t bias_keys = 0;             // row stride of position_bias
  HeadTable contextual;              // [H|1, P, Dp]
  int64_t contextual_positions = 0;  // P
};

struct StepAttention {
  int64_t head_width = 0;  // Dh
  int64_t first_head = 0;  // only heads first .. last - 1 are computed: threads share them
  int64_t last_head = 0;
  int64_t heads_per_key = 1;  // H / G
  int64_t hypotheses = 0;
  int64_t position = 0;  // i
  int64_t keys = 0;      // S; i + 1 in self-attention
  const StepTerms* terms = nullptr;
  const float* queries = nullptr;  // [hypotheses, H, Dh], row r at r * query_stride
  int64_t query_stride = 0;
  float* output = nullptr;  // [hypotheses, H, Dh]
  int64_t output_stride = 0;
  float* weights = nullptr;  // [hypotheses, H, S]: also the probabilities; null: not wanted
  int64_t weights_stride = 0;

  const int32_t* slots = nullptr;  // [hypotheses, S], row r at r * slots_stride; null: memory
  int64_t slots_stride = 0;
  const void* key_rows = nullptr;     // [slots, G, Dp], self-attention
  const void* value_rows = nullptr;   // [slots or S, G, Dp]
  int64_t row_stride = 0;             // numbers, of both
  const void* key_columns = nullptr;  // [G, Dh, key_stride], memory
  int64_t key_stride = 0;             // a multiple of kHeadLanes, at least S
};

/// The kernels of one instruction set. One thread.
struct StepKernels {
  const char* instruction_set;
  /// Numbers that `attention` needs for this call.
  int64_t (*attention_workspace)(const StepAttention& call);
  /// Sentences one after the other. They share `workspace`, which is aligned to 64 bytes and has
  /// attention_workspace() numbers for each call.
  void (*attention)(CacheType cache, std::span<const StepAttention> calls, float* workspace);
  /// Keeps a token's keys or values [heads, Dh] in a row of the cache [heads, Dp].
  void (*cache_row)(CacheType type, int64_t heads, int64_t head_width, const float* from,
                    void* row);
  /// Keeps one dimension of the keys of a memory: from[j * stride] for j < keys, then zeros up to
  /// padded_head(keys).
  void (*cache_column)(CacheType type, int64_t keys, const float* from, int64_t stride,
                       void* column);
};

/// One table for each instruction set that makes a difference, in the order of
/// instruction_sets() (kernels/cpu/instruction_sets.h).
std::span<const StepKernels* const> step_tables();

/// The best table that runs on this processor, chosen once.
const StepKernels& step_kernels();

}  // namespace dietmt::kernels
