// Attention over packed sentences with every score term of encoders/position/score_terms.h, forward
// and backward, without a table of scores: plain pointers and sizes, the same for CPU and CUDA.
//
//   score[h,i,j] = content_scale[h] * (q_i . k_j + q_i . relative_keys[h,o]
//                                      + k_j . relative_queries[h,o])
//                + position_bias[h,i,j] + query_features[h,i] . key_features[h,j]
//                + offset_bias[h,o] + segment_bias[h,segment_i,segment_j]
//   output[h,i]  = sum_j dropout(softmax_j(score[h,i,:]))[j] (v_j + relative_values[h,o])
//
// o = clip(j - i, -C, C) + C with each table's own C; i and j count from the start of the sentence.
// Sums are fp32 for every element type. The running softmax is that of Milakov and Gimelshein 2018
// ("Online normalizer calculation for softmax"), the tiling and recomputation of Dao et al. 2022
// ("FlashAttention"). Letters: N packed query tokens, M packed key tokens, B sentences, H heads,
// T and S the longest query and key sentence, Dh head width, R rank, G segments.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/dropout.h"

namespace dietmt::kernels {

enum class ElementType { kFloat, kBFloat16, kHalf };

/// Vectors of all heads, [tokens, H, Dh]: token n, head h starts at element n * token_stride +
/// h * Dh. Null: absent.
struct HeadRows {
  void* data = nullptr;
  int64_t token_stride = 0;
};

/// A table of fp32 numbers for each head, contiguous within a head: head h starts at element
/// h * head_stride, and head_stride is 0 if the heads share it. Null: absent.
struct HeadTable {
  float* data = nullptr;
  int64_t head_stride = 0;
};

/// Where the sentences of packed tokens begin, [B + 1]: sentence b owns tokens offsets[b] ..
/// offsets[b+1]-1. Each memory has its own type, so that mixing them does not compile.
struct HostOffsets {
  const int64_t* data = nullptr;
  int64_t operator[](int64_t sentence) const { return data[sentence]; }
};
struct DeviceOffsets {
  const int64_t* data = nullptr;
};

/// A tile of the rows of a sentence, for the blocks of a GPU; or, if `tile` is -n, of n whole
/// sentences from `sentence` on.
struct TileOfSentence {
  int32_t sentence = 0;
  int32_t tile = 0;  // rows kDeviceTileRows * tile .. of the sentence
};
constexpr int64_t kDeviceTileRows = 128;

/// The tiles of a batch on the device, longest sentences first; those past a sentence are idle.
struct DeviceTiles {
  const TileOfSentence* data = nullptr;
  int64_t count = 0;
};

/// Both ways to divide the same rows into tiles.
struct DeviceTilings {
  DeviceTiles single;  // a sentence each
  DeviceTiles packed;  // neighbouring sentences share a tile if it has room for them; count 0:
                       // they never do
};

struct AttentionSizes {
  ElementType type = ElementType::kFloat;  // of queries, keys, values, output and their gradients
  int64_t sentences = 0;
  int64_t heads = 0;
  int64_t head_width = 0;
  HostOffsets query_offsets;           // for the CPU kernels
  HostOffsets key_offsets;             // the same
  DeviceOffsets device_query_offsets;  // for the CUDA kernels
  DeviceOffsets device_key_offsets;    // the same
  DeviceTilings device_query_tiles;    // the same
  DeviceTilings device_key_tiles;      // the same
  int64_t query_rows = 0;              // of the tensors of queries, at least N; for a device
  int64_t key_rows = 0;                // of those of keys, at least M; for a device
  int64_t max_queries = 0;             // T
  int64_t max_keys = 0;                // S
  bool causal = false;                 // key j is hidden from query i < j
  double dropout = 0.0;                // of the probabilities: column j of row
                                       // (b H + h) T + i, kernels/dropout.h
  uint64_t dropout_key = 0;            // for the CPU kernels
  DropoutKey device_dropout_key;       // for the CUDA kernels
};

/// The score terms, or their gradients. Terms are finite: where all scores of a query are minus
/// infinity, the output is NaN on the CPU and 0 on a GPU.
struct AttentionTables {
  HeadTable position_bias;     // [H|1, T, S]
  HeadTable query_features;    // [H|1, T, R]
  HeadTable key_features;      // [H|1, S, R]
  HeadTable offset_bias;       // [H|1, 2C+1]
  HeadTable relative_keys;     // [H|1, 2C+1, Dh]
  HeadTable relative_queries;  // [H|1, 2C+1, Dh]
  HeadTable relative_values;   // [H|1, 2C+1, Dh]
  HeadTable segment_bias;      // [H|1, G, G]
};

struct AttentionTerms {
  const float* content_scale = nullptr;  // [H], positive
  AttentionTables tables;
  int64_t rank = 0;                   // R of the features
  int64_t bias_clip = 0;              // C of offset_bias
  int64_t key_clip = 0;               // C of relative_keys
  int64_t query_clip = 0;             // C of relative_queries
  int64_t value_clip = 0;             // C of relative_values
  int64_t segment_kinds = 0;          // G
  const int64_t* segments = nullptr;  // [N], only with segment_bias (self-attention)
};

struct AttentionForward {
  AttentionSizes sizes;
  AttentionTerms terms;
  HeadRows queries;  // [N, H, Dh]
  HeadRows keys;     // [M, H, Dh]
  HeadRows values;   // [M, H, Dh]
  HeadRows output;   // [N, H, Dh]
  /// [H, N]: the log-sum-exp of a query's scores, which backward needs; infinity for a query
  /// without keys. Null: not kept.
  float* log_normalizer = nullptr;
  /// [N, H, Dh], for 16-bit types: the rounding error of the output, so that backward computes
  /// output . grad_output more exactly. An error there is the same for all keys of a query and
  /// accumulates in the gradients of the tables. Null: not kept.
  HeadRows output_rest;
};

struct AttentionBackward {
  AttentionForward forward;  // as it was called, with its output and log_normalizer
  HeadRows grad_output;      // [N, H, Dh]
  HeadRows grad_queries;     // [N, H, Dh], overwritten
  HeadRows grad_keys;        // [M, H, Dh], overwritten
  HeadRows grad_values;      // [M, H, Dh], overwritten
  /// Null: not wanted; the same head_stride as the table's. The CPU adds to the contents, a device
  /// overwrites it.
  AttentionTables grad_tables;
};

/// Attention on the CPU by one instruction set. Types: kFloat, kBFloat16. Results do not depend on
/// the number of threads. Workspace: O((T + S) * Dh) a thread, and the partial sums of the tables'
/// gradients: at most as much as the gradients of queries and keys, 4 MB or one table for each
/// head, whichever is largest. Both throw std::bad_alloc.
struct AttentionKernels {
  const char* instruction_set;
  void (*forward)(const AttentionForward& call);
  void (*backward)(const AttentionBackward& call);
};

/// One table for each instruction set that makes a difference, in the order of
/// instruction_sets() (kernels/cpu/instruction_sets.h).
std::span<const AttentionKernels* const> attention_tables();

/// The best table that runs on this processor, chosen once.
const AttentionKernels& attention_kernels();

/// By the best table. Throw Error for kHalf, which needs a GPU.
void attention_forward_cpu(const AttentionForward& call);
void attention_backward_cpu(const AttentionBackward& call);

}  // namespace dietmt::kernels
