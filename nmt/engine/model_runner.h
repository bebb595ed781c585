// Runs one model for one worker: encodes sentences, and decodes one token for many hypotheses at a
// time, each at its own position. Workspaces and cache grow to the largest batch and are used
// again; after a large batch an idle worker makes a new runner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nmt/engine/aligned_buffer.h"
#include "nmt/engine/engine_model.h"
#include "nmt/engine/thread_team.h"

namespace dietmt::nmt {

/// What decoding needs of one source sentence: its keys and values in the cross-attention of every
/// layer. The hypotheses of the sentence share them.
struct SentenceMemory {
  const SitePositions* self = nullptr;
  const SitePositions* cross = nullptr;
  int64_t keys = 0;
  int64_t key_stride = 0;
  int64_t layer_bytes = 0;
  int64_t values_at = 0;  // offset of the values in a layer, in bytes
  AlignedBuffer<uint8_t>
      bytes;  // of each layer: keys [heads, Dh, key_stride], values [keys, value row]

  uint8_t* key_columns(size_t layer) {
    return bytes.data() + static_cast<int64_t>(layer) * layer_bytes;
  }
  uint8_t* value_rows(size_t layer) { return key_columns(layer) + values_at; }
};

struct EncodeItem {
  std::span<const int32_t> source;
  int64_t max_target_length = 0;
  SentenceMemory* memory = nullptr;  // filled
};

/// The hypotheses of one sentence in a step: rows first_row .. first_row + rows - 1.
struct StepSentence {
  int64_t first_row = 0;
  int64_t rows = 0;
  int64_t position = 0;
  SentenceMemory* memory = nullptr;
  const int32_t* slots = nullptr;  // [rows, position + 1]: where keys and values of each row lie
  int64_t slots_stride = 0;
  // [rows, source tokens]: the attention that aligns is added to it; null: not wanted.
  float* attention = nullptr;
};

class ModelRunner {
 public:
  /// Keeps references to both.
  ModelRunner(const EngineModel& model, ThreadTeam& team);

  /// Faster if sentences of equal length are neighbours.
  void encode(std::span<const EncodeItem> items);

  /// The cache has slots 0 .. count - 1.
  void reserve_slots(int64_t count);

  /// Feeds tokens[r] to row r; writes its keys and values to the last of its slots.
  void step(std::span<const int32_t> tokens, std::span<const StepSentence> sentences);

  /// Logits of `count` rows of the last step, by the model's output layer or by some of its
  /// outputs: [count, outputs], valid until the next call.
  const float* logits(const LinearWeights& outputs, int64_t first, int64_t count);

 private:
  struct Rows {
    float* values;
    int64_t stride;
  };
  struct LinearEnd {
    float* output;
    int64_t stride;
    kernels::LinearActivation activation = kernels::LinearActivation::kNone;
    const float* residual = nullptr;  // with the output's stride
  };

  void reserve_rows(int64_t rows);
  kernels::PreparedRows prepare(const LinearWeights& weights, int64_t rows, const float* values);
  void linear(const LinearWeights& weights, const kernels::PreparedRows& input,
              const LinearEnd& end);
  void linear(const LinearWeights& weights, int64_t rows, const float* values,
              const LinearEnd& end);

  void embed(const kernels::PackedWeights& table, int32_t token, const SitePositions& positions,
             int64_t position, float* to) const;
  void normalize(const NormWeights& norm, int64_t rows, const float* from, float* to) const;
  /// The vectors of `heads` heads, side by side; does nothing without a norm.
  void normalize_heads(const NormWeights& norm, int64_t heads, float* vectors) const;
  const float* block_input(const NormWeights& norm, int64_t rows);
  void end_block(const LinearWeights& output, const float* branch, const NormWeights& norm,
                 int64_t rows);
  void end_norm(const NormWeights& norm, int64_t rows);
  void feed_forward(const FeedForwardWeights& block, int64_t rows);
  void adapt(const AdapterWeights& block, int64_t rows);
  /// Replaces the residual stream by its norm; does nothing if there is none.
  void norm_stream(const NormWeights& norm, int64_t rows);

  void encoder_attention(std::span<const EncodeItem> items, size_t layer);
  void attend_run(std::span<const EncodeItem> run, int64_t first_token, size_t layer);
  /// Keys or values of `count` tokens, of G heads, for `heads` heads.
  Rows repeated(const Rows& rows, int64_t count, int64_t heads, AlignedBuffer<float>& to) const;
  Rows compressed(const PositionRows& compression, const Rows& rows, int64_t heads,
                  int64_t sentences, int64_t length, int64_t keys, AlignedBuffer<float>& to) const;
  void project_memory(std::span<const EncodeItem> items, int64_t tokens);
  void write_memory(const EncodeItem& item, float* projected, size_t layer);

  void cache_rows(std::span<const StepSentence> sentences, size_t layer);
  void self_attention(std::span<const StepSentence> sentences, size_t layer);
  void recurrence(std::span<const StepSentence> sentences, size_t layer, int64_t rows);
  void cross_attention(std::span<const StepSentence> sentences, size_t layer);
  int64_t reserve_attention(std::span<const StepSentence> sentences, size_t layer);
  void add_attention(const StepSentence& sentence, int64_t stride) const;
  /// Attends from queries that are query_stride apart; threads share out the heads.
  /// fill(sentence, call) sets the keys and values of each sentence.
  template <typename Fill>
  void attend_step(std::span<const StepSentence> sentences, int64_t query_stride, const Fill& fill);

  const EngineModel& model_;
  const EngineWeights& weights_;
  ThreadTeam& team_;
  const int64_t width_;        // D
  const int64_t query_width_;  // H * Dh
  const int64_t key_width_;    // G * Dh
  const int64_t self_width_;   // of projected queries, keys and values: (H + 2 G) Dh
  // Heads of cached keys and values: G, or H if the heads of a group move or compress them
  // differently.
  const int64_t self_heads_;
  const int64_t memory_heads_;
  const int64_t padded_width_;  // of self-attention's keys: heads * Dp
  // fp32, or bf16 if the weights were rounded for decoding: keys and values are as exact as the
  // weights.
  const kernels::CacheType cache_type_;
  const int64_t number_bytes_;
  // Strides of value rows, and of slots with keys and values, in numbers. Rows a power of two apart
  // would compete for a few sets of the CPU cache.
  const int64_t value_stride_;
  const int64_t slot_stride_;
  AlignedBuffer<float> x_;          // [rows, D]: the residual stream
  AlignedBuffer<float> normed_;     // [rows, D]
  AlignedBuffer<float> projected_;  // [rows, (H + 2 G) Dh], of a recurrence [rows, 2D]
  AlignedBuffer<float> mixed_;      // [rows, H Dh]
  AlignedBuffer<float> inner_;      // [rows, F]
  AlignedBuffer<float> gated_;      // [rows, F]
  AlignedBuffer<uint8_t> prepared_;
  AlignedBuffer<float> logits_;
  AlignedBuffer<float> repeated_keys_;  // of all heads
  AlignedBuffer<float> repeated_values_;
  AlignedBuffer<float> key_rows_;  // compressed keys and values
  AlignedBuffer<float> value_rows_;
  AlignedBuffer<float> bias_;            // the part of position_bias that a run of sentences reads
  AlignedBuffer<float> head_attention_;  // [rows, H * S] of the layer that aligns
  std::vector<int64_t> query_offsets_, key_offsets_;
  struct StepCalls {
    std::vector<kernels::StepAttention> calls;  // of the sentences
    AlignedBuffer<float> workspace;
  };
  std::vector<StepCalls> attention_;  // of the threads
  // Of each layer [slots, slot stride]: keys, then values [heads, Dp]; of recurrent layers the
  // state, D floats.
  std::vector<AlignedBuffer<uint8_t>> cache_;
};

}  // namespace dietmt::nmt
