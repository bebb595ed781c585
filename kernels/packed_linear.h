// Linear layers of inference on the CPU: weights are packed once into panels, and a layer reads
// them in the order in which it multiplies. Letters: rows x K inputs -> rows x N outputs.
//
// Panels: kPanelOutputs outputs each (the last padded with zeros), inputs in groups of one (fp32),
// two (bf16) or four (int8) that are adjacent for each output, as the dot products of the
// instruction sets want them: [ceil(N / P), ceil(K / G), P, G]. The layout is the same for every
// instruction set, so that packed weights can be stored in a file and used where it is mapped.
//
// int8: w[n,k] = scale[n] * integer, |integer| <= 127, scale[n] = max_k |w[n,k]| / 127. Inputs are
// quantized row by row in the same way. Products are exact integers, for which K may be at most
// kMostInt8Inputs: the same bits on every instruction set. A row or an output with a number that is
// not finite has the scale NaN, and NaN as its results.
//
// Layers of other programs may have one multiplier for all inputs: integer = x * multiplier,
// rounded and cut to +-127, plus 127 (intgemm's Int8Shift). Then scale[n] is that of the products
// and sums[n] is 0; the bias subtracts the effect of the 127, so the results have that program's
// bits.
//
// A row of the output does not depend on the other rows or on the number of rows, to the last bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dietmt::kernels {

enum class WeightType { kFloat, kBFloat16, kInt8 };

constexpr int64_t kPanelOutputs = 64;

/// Sums of so many products of int8 weights and inputs as bytes, 127 * 255 each, fit into 32 bits.
constexpr int64_t kMostInt8Inputs = 65'536;

/// Weights [N, K] as panels. The memory is the caller's and is aligned to 64 bytes.
struct PackedWeights {
  WeightType type = WeightType::kFloat;
  int64_t outputs = 0;  // N
  int64_t inputs = 0;   // K
  const void* panels = nullptr;
  const float* scales = nullptr;      // [N]: only int8
  const int32_t* sums = nullptr;      // [N], sum over k of the integers: only int8
  float input_multiplier = 0.0F;      // of all inputs, only int8; 0: each row has its own scale
  const float* row_scales = nullptr;  // [N], of unpack_output(); null: scales
};

/// Bytes of the panels.
size_t packed_bytes(WeightType type, int64_t outputs, int64_t inputs);

/// weights: [N, K], row n starting at n * stride. Writes packed_bytes() to `panels`, and for int8 N
/// numbers each to `scales` and `sums` (else null). Throws ConfigError if int8 has too many inputs,
/// as pack_integers() does.
void pack_weights(WeightType type, int64_t outputs, int64_t inputs, const float* weights,
                  int64_t stride, void* panels, float* scales, int32_t* sums);

/// Packs int8 weights that are integers already: [N, K]. None may be -128.
void pack_integers(int64_t outputs, int64_t inputs, const int8_t* integers, void* panels,
                   int32_t* sums);

/// Row `output` of the weights as they were rounded: [K].
void unpack_output(const PackedWeights& weights, int64_t output, float* row);

/// Packs only those outputs, in the order given: packed_bytes() of their number to `panels`, and
/// for int8 one number each to `scales` and `sums`. A layer gives the same bits for them as for the
/// same outputs of `weights`.
void gather_outputs(const PackedWeights& weights, std::span<const int32_t> outputs, void* panels,
                    float* scales, int32_t* sums);

/// After the product: output = activation(x W^T + bias) + residual.
enum class LinearActivation { kNone, kRelu, kGelu, kSilu, kGeluTanh };

/// Rows [rows, K] prepared for weights of one type, for all layers that read them.
/// `storage` has prepared_bytes(): integers and a scale a row for int8, bf16 for bf16, nothing for
/// fp32 (rows are read where they are); it is aligned to 64 bytes.
struct PreparedRows {
  WeightType type = WeightType::kFloat;
  int64_t rows = 0;
  int64_t inputs = 0;
  const float* values = nullptr;  // row r at r * stride
  int64_t stride = 0;
  void* storage = nullptr;
};
size_t prepared_bytes(WeightType type, int64_t rows, int64_t inputs);

struct LinearCall {
  const PackedWeights* weights = nullptr;
  const PreparedRows* input = nullptr;
  const float* bias = nullptr;  // [N] or null
  LinearActivation activation = LinearActivation::kNone;
  const float* residual = nullptr;  // [rows, N] or null; may be the output
  int64_t residual_stride = 0;
  float* output = nullptr;  // row r at r * output_stride
  int64_t output_stride = 0;
  // Only outputs first .. last - 1 are computed, for threads that share a layer: multiples of
  // kPanelOutputs, or N as the end, which -1 means.
  int64_t first_output = 0;
  int64_t last_output = -1;
};

/// Decoding needs two things from the logits of the vocabulary: the normalizer of their softmax and
/// the largest few. Neither takes a full sort, and no probabilities are written:
/// log softmax(logits)[i] = logits[i] - log_normalizer.
struct TokenSelection {
  int64_t rows = 0;
  int64_t size = 0;               // V
  const float* logits = nullptr;  // [rows, V], row r at r * stride
  int64_t stride = 0;
  /// Never selected, but counted in the normalizer. A short list: it is read for each candidate.
  const int32_t* forbidden = nullptr;
  int64_t forbidden_count = 0;
  int64_t count = 0;  // to be selected in each row

  /// [rows]: log-sum-exp of the logits; null: not wanted. NaN if a logit of the row is NaN or plus
  /// infinity; the row's selection then means nothing.
  float* log_normalizers = nullptr;
  /// [rows, count]: the largest logits, largest first, the smaller index first among equals. If
  /// there are fewer (the rest forbidden or minus infinity): index -1, value minus infinity.
  int32_t* indices = nullptr;
  float* values = nullptr;
};

/// Packed layers and the vocabulary by one instruction set. One thread, no allocation; a row does
/// not depend on the other rows.
struct LinearKernels {
  const char* instruction_set;
  /// `multiplier`: PackedWeights::input_multiplier.
  PreparedRows (*prepare_rows)(WeightType type, int64_t rows, int64_t inputs, const float* values,
                               int64_t stride, void* storage, float multiplier);
  void (*linear)(const LinearCall& call);
  void (*select_tokens)(const TokenSelection& call);
};

/// One table for each instruction set that makes a difference, in the order of
/// instruction_sets() (kernels/cpu/instruction_sets.h).
std::span<const LinearKernels* const> linear_tables();

/// The best table that runs on this processor, chosen once.
const LinearKernels& linear_kernels();

}  // namespace dietmt::kernels
