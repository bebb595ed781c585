// Kernels that a GPU adds to LibTorch's: one function for each fused operation, on plain
// pointers. encoders::device_kernels() finds the table of a device. Tensors are contiguous and on
// the device unless a comment says otherwise; functions enqueue work on the current stream and
// return before it is done. Sums are fp32 for every element type, and results are the same bits in
// every run: no atomics on numbers.
// Memory for partial sums comes from the device's allocator. Rows of a multiple of 16 bytes that
// start at 16 bytes are fastest; others work too.
//
// Letters: `rows` packed tokens, `width` model width D (or F of the feed-forward network).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/attention.h"
#include "kernels/rotate.h"
#include "kernels/row_calls.h"

namespace dietmt::kernels {

/// The widest rows of add_norm, in elements.
constexpr int64_t kWidestDeviceNorm = 4096;

/// The gradient of the residual is grad_output itself.
struct ActivateBackward {
  Activate forward;                   // its x and bias
  const void* grad_output = nullptr;  // [rows, width]
  void* grad_x = nullptr;             // as x; may be grad_output unless kSwiglu
  float* grad_bias = nullptr;         // of x's width, or null
};

/// sums[c] = sum over r of x[r,c], in fp32.
struct DeviceColumnSums {
  ElementType type = ElementType::kFloat;
  int64_t rows = 0;
  int64_t width = 0;
  const void* x = nullptr;  // [rows, width], row r at r * row_stride
  int64_t row_stride = 0;
  float* sums = nullptr;  // [width]
};

/// output[r] = dropout(scale * table[ids[r]] + positions_table[positions[r]]).
struct DeviceEmbed {
  ElementType type = ElementType::kFloat;  // of output
  int64_t rows = 0;
  int64_t width = 0;
  const float* table = nullptr;  // [V, width]
  const int64_t* ids = nullptr;  // [rows]
  double scale = 1.0;
  const float* position_table = nullptr;  // [T, width] or null
  const int64_t* positions = nullptr;     // [rows], with position_table
  DropoutCall dropout;
  void* output = nullptr;  // [rows, width]
};

/// grad_table[id] += scale * sum over the rows of an id of dropout(grad_output[row]), in the order
/// of `order`: the same bits in every run.
struct DeviceEmbedBackward {
  ElementType type = ElementType::kFloat;  // of grad_output
  int64_t rows = 0;
  int64_t width = 0;
  const void* grad_output = nullptr;  // [rows, width]
  const int64_t* ids = nullptr;       // [rows]
  const int64_t* order = nullptr;     // [rows]: a stable argsort of ids
  double scale = 1.0;
  DropoutCall dropout;
  float* grad_table = nullptr;  // [V, width]
};

/// Label-smoothed cross-entropy of a block of rows (Szegedy et al. 2016); computed in fp32. losses
/// gets the smoothed loss and -log p(target) of each row, in nats. With `gradient`, logits are
/// replaced by the gradient of the smoothed loss. Both are multiplied by the weight of the row, and
/// zero in rows without a target.
struct DeviceCrossEntropy {
  ElementType type = ElementType::kFloat;
  int64_t rows = 0;
  int64_t classes = 0;
  void* logits = nullptr;            // [rows, classes]
  const float* bias = nullptr;       // [classes] or null; added to the logits
  const int64_t* targets = nullptr;  // [rows]; below 0: none
  const float* weights = nullptr;    // [rows] or null: 1
  double smoothing = 0.0;
  bool gradient = false;
  float* losses = nullptr;  // [rows, 2]
};

/// y = x W^T [+ bias, relu], by the vendor's library. x: [rows, inputs]; W: [outputs, inputs]; both
/// of `type`, which y has as well.
struct DeviceLinear {
  ElementType type = ElementType::kFloat;
  int64_t rows = 0;
  int64_t inputs = 0;
  int64_t outputs = 0;
  const void* x = nullptr;
  const void* weight = nullptr;
  const void* bias = nullptr;  // [outputs] of `type`, as the library wants it, or null
  bool relu = false;
  void* output = nullptr;  // [rows, outputs]
};

/// grad_x = [grad_x +] grad_output W; grad_weight = grad_output^T x and grad_bias = its column sums
/// in fp32, added to the existing contents if `accumulate`. Null: not wanted.
struct DeviceLinearBackward {
  ElementType type = ElementType::kFloat;
  int64_t rows = 0;
  int64_t inputs = 0;
  int64_t outputs = 0;
  const void* x = nullptr;
  const void* weight = nullptr;
  const void* grad_output = nullptr;  // [rows, outputs]
  void* grad_x = nullptr;             // [rows, inputs]
  bool add_to_grad_x = false;
  float* grad_weight = nullptr;  // [outputs, inputs]
  float* grad_bias = nullptr;    // [outputs]
  bool accumulate = false;
};

/// Attention of one step of cached decoding: K queries of each of G groups, which stand at the
/// position of their group, to the keys in the slots that the group names. Scores are those of
/// kernels/attention.h. Only if has_step_attention().
struct DeviceStepAttention {
  ElementType type = ElementType::kFloat;  // of queries, keys, values and output
  int64_t groups = 0;                      // G
  int64_t rows_per_group = 1;              // K
  int64_t heads = 0;
  int64_t head_width = 0;
  HeadRows queries;     // [G * K, H, Dh]
  HeadRows keys;        // the cache: [slots, H, Dh]
  HeadRows values;      // [slots, H, Dh]
  HeadRows new_keys;    // [G, H, Dh], with K = 1: the last key of each group, which the kernel
                        // also writes to its slot; null: it is there
  HeadRows new_values;  // [G, H, Dh]
  const int32_t* slots = nullptr;      // [G, S], row g at g * slot_stride
  int64_t slot_stride = 0;             // numbers
  const int64_t* counts = nullptr;     // [G]: keys that a group sees, at least 1
  const int64_t* positions = nullptr;  // [G]
  AttentionTerms terms;                // content_scale is in host memory
  int64_t bias_keys = 0;               // row stride of position_bias
  HeadRows output;                     // [G * K, H, Dh]
};
constexpr bool has_step_attention(int64_t heads, int64_t head_width) {
  constexpr int64_t kWidestHead = 256, kMostHeads = 128;
  return heads <= kMostHeads && head_width % 8 == 0 && head_width <= kWidestHead;
}

/// The choice of beam search among the continuations of K hypotheses of each of B sentences: the
/// C = 2 K with the largest sums of log-probabilities, and of these the first K that do not end.
/// Equal sums are ordered by hypothesis, then by token. At most kWidestStepBeam hypotheses.
struct DeviceBeamStep {
  ElementType type = ElementType::kFloat;  // of logits
  int64_t sentences = 0;                   // B
  int64_t beam = 1;                        // K
  int64_t classes = 0;                     // V, at least C
  const void* logits = nullptr;            // [B * K, V]
  const int64_t* forced = nullptr;  // [B]: the only token that may follow, or -1; null: any may
  const int64_t* early = nullptr;   // [B]: 1 where no hypothesis may end; null: all may
  int64_t end = 0;
  int64_t never[2] = {-1, -1};     // tokens that are not generated; -1: none
  double* sums = nullptr;          // [B * K], replaced; minus infinity: no hypothesis
  int64_t* tokens = nullptr;       // [B * K]: of the rows that go on
  int64_t* parents = nullptr;      // [B * K]: the rows that they continue
  int32_t* candidates = nullptr;   // [B, C, 3], best first: hypothesis, token, the bits of the
                                   // log-probability; minus infinity: none
  float* row_log_probs = nullptr;  // [B * K, C], workspace
  int32_t* row_tokens = nullptr;   // [B * K, C], workspace
};
constexpr int64_t kWidestStepBeam = 8;

struct DeviceKernels {
  /// Empty if the attention kernels can run the call. In all calls of attention the offsets and
  /// tiles of the device are set, and content_scale is in host memory.
  std::vector<std::string> (*reasons_against_attention)(const AttentionForward& call) = nullptr;
  void (*attention_forward)(const AttentionForward& call) = nullptr;
  void (*attention_backward)(const AttentionBackward& call) = nullptr;
  /// attention_forward by other instructions, for some calls (kernels/cuda/sm90/attention_cuda.h).
  std::vector<std::string> (*reasons_against_warpgroup_attention)(const AttentionForward& call) =
      nullptr;
  void (*warpgroup_attention_forward)(const AttentionForward& call) = nullptr;
  void (*add_norm)(const AddNorm& call) = nullptr;
  void (*add_norm_backward)(const AddNormBackward& call) = nullptr;
  void (*activate)(const Activate& call) = nullptr;
  void (*activate_backward)(const ActivateBackward& call) = nullptr;
  void (*column_sums)(const DeviceColumnSums& call) = nullptr;
  void (*embed)(const DeviceEmbed& call) = nullptr;
  void (*embed_backward)(const DeviceEmbedBackward& call) = nullptr;
  void (*cross_entropy)(const DeviceCrossEntropy& call) = nullptr;
  void (*rotate)(const Rotate& call) = nullptr;
  /// False, and nothing is done, if the library has no algorithm for the call.
  bool (*linear)(const DeviceLinear& call) = nullptr;
  void (*linear_backward)(const DeviceLinearBackward& call) = nullptr;
  void (*step_attention)(const DeviceStepAttention& call) = nullptr;
  void (*beam_step)(const DeviceBeamStep& call) = nullptr;
  /// The backward pass of warpgroup_attention_forward; null: attention_backward is.
  void (*warpgroup_attention_backward)(const AttentionBackward& call) = nullptr;
};

}  // namespace dietmt::kernels
