// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA, without
// contraction of products and sums: results of int8 layers have the same bits everywhere.
#include <algorithm>

#include "kernels/cpu/linear/linear_products.h"
#if defined(__AMX_TILE__)
#include "kernels/cpu/linear/linear_tiles.h"
#elif defined(__ARM_FEATURE_MATMUL_INT8)
#include "kernels/cpu/linear/linear_matrices.h"
#endif

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// NaN stays NaN in all activations. erf(x) of |x|, absolute error below 5e-7 (Abramowitz and
/// Stegun 1964, 7.1.26).
inline Vector error_function_of_magnitude(Vector x) {
  const Vector t = 1.0f / (x * 0.3275911f + 1.0f);
  Vector p = t * 1.061405429f - 1.453152027f;
  p = p * t + 1.421413741f;
  p = p * t - 0.284496736f;
  p = p * t + 0.254829592f;
  return 1.0f - p * t * exponential(-(x * x));
}

/// x sigmoid(y).
inline Vector times_sigmoid(Vector x, Vector y) {
  const Vector minus = y < -kLargestExponent ? broadcast(kLargestExponent) : -y;
  return x / (exponential(minus) + 1.0f);
}

template <LinearActivation kActivation>
inline Vector activate(Vector x) {
  if constexpr (kActivation == LinearActivation::kRelu) {
    return x < 0.0f ? Vector{} : x;
  } else if constexpr (kActivation == LinearActivation::kGelu) {  // x Phi(x)
    const Vector magnitude = x < 0.0f ? -x : x;
    const Vector erf = error_function_of_magnitude(magnitude * 0.707106781f);
    return (x + magnitude * erf) * 0.5f;
  } else if constexpr (kActivation == LinearActivation::kSilu) {
    return times_sigmoid(x, x);
  } else if constexpr (kActivation == LinearActivation::kGeluTanh) {
    // (1 + tanh(y)) / 2 is sigmoid(2 y).
    constexpr float kTwice = 1.595769122f;  // 2 sqrt(2 / pi)
    return times_sigmoid(x, (x * x * 0.044715f + 1.0f) * x * kTwice);
  } else {
    return x;
  }
}

GroupRows groups_of(const PreparedRows& rows) {
  if (rows.type == WeightType::kFloat)
    return {reinterpret_cast<const char*>(rows.values), rows.stride * kGroupBytes};
  return {static_cast<const char*>(rows.storage) + prepared_scales(rows.type, rows.rows),
          prepared_stride(rows.type, rows.inputs)};
}

/// Bias, scales and sums of a panel's outputs, padded with zeros.
struct PanelColumns {
  PanelColumns(const LinearCall& call, int64_t begin, int64_t end)
      : first(begin), count(std::min(kPanelOutputs, end - begin)) {
    const PackedWeights& weights = *call.weights;
    read(call.bias, bias);
    if (weights.type == WeightType::kInt8) {
      read(weights.scales, scales);
      read(weights.sums, start);
      for (int32_t& sum : start) sum *= -kByteOffset;
    } else {
      std::memcpy(start, bias, sizeof start);
    }
  }

  int64_t first, count;
  alignas(64) float bias[kPanelOutputs];
  alignas(64) float scales[kPanelOutputs];   // only int8
  alignas(64) int32_t start[kPanelOutputs];  // of the sums; bits of floats unless int8

 private:
  template <typename Number>
  void read(const Number* from, Number (&to)[kPanelOutputs]) {
    if (from && count == kPanelOutputs) {
      std::memcpy(to, from + first, sizeof to);
    } else {
      std::memset(to, 0, sizeof to);
      if (from) std::copy_n(from + first, count, to);
    }
  }
};

/// Outputs of a block of rows from its sums, row by row. kFull: the panel has all its outputs.
template <WeightType kType, LinearActivation kActivation, bool kFull>
void finish_rows(const LinearCall& call, const PanelColumns& columns, const SumRow* sums,
                 int64_t first, int64_t rows) {
  const float* row_scales = static_cast<const float*>(call.input->storage);
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = first + r;
    float* output = call.output + row * call.output_stride + columns.first;
    const float* residual = call.residual;
    if (residual) residual += row * call.residual_stride + columns.first;
    for (int64_t c = 0; c < (kFull ? kPanelOutputs : columns.count); c += kLanes) {
      const int64_t count = kFull ? kLanes : std::min<int64_t>(kLanes, columns.count - c);
      const IntVector bits = load_ints(sums[r] + c);
      Vector x = reinterpret_cast<Vector>(bits);
      if constexpr (kType == WeightType::kInt8) {
        const Vector scale = load(columns.scales + c) * row_scales[row];
        x = __builtin_convertvector(bits, Vector) * scale + load(columns.bias + c);
      }
      x = activate<kActivation>(x);
      if (residual) x += kFull ? load(residual + c) : load_first(residual + c, count);
      if constexpr (kFull) {
        store(output + c, x);
      } else {
        std::memcpy(output + c, &x, static_cast<size_t>(count) * sizeof(float));
      }
    }
  }
}

template <WeightType kType, LinearActivation kActivation>
void finish(const LinearCall& call, const PanelColumns& columns, const SumRow* sums, int64_t first,
            int64_t rows) {
  if (columns.count == kPanelOutputs) {
    finish_rows<kType, kActivation, true>(call, columns, sums, first, rows);
  } else {
    finish_rows<kType, kActivation, false>(call, columns, sums, first, rows);
  }
}

/// Prefetches the output of a block while it is multiplied.
void prefetch(const float* output, int64_t stride, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < kPanelOutputs; c += 16) __builtin_prefetch(output + r * stride + c, 1);
  }
}

template <typename Product, LinearActivation kActivation>
void run(const LinearCall& call) {
  const PackedWeights& weights = *call.weights;
  const int64_t groups = kernels::groups_of(Product::kType, weights.inputs);
  const GroupRows inputs = groups_of(*call.input);
  const int64_t rows = call.input->rows;
  const int64_t blocks = (rows + Product::kRows - 1) / Product::kRows;
  if (blocks == 0) return;
  const Product product((rows + blocks - 1) / blocks, groups);
  const int64_t last = call.last_output < 0 ? weights.outputs : call.last_output;
  for (int64_t n = call.first_output; n < last; n += kPanelOutputs) {
    const PanelColumns columns(call, n, last);
    const char* panel = static_cast<const char*>(weights.panels) + n * groups * kGroupBytes;
    for (int64_t b = 0; b < blocks; ++b) {  // of almost equal size, the last one the largest
      alignas(64) SumRow sums[Product::kRows];
      const int64_t first = rows * b / blocks;
      const int64_t count = rows * (b + 1) / blocks - first;
      if constexpr (Product::kPrefetchesOutput)
        prefetch(call.output + first * call.output_stride + n, call.output_stride, count);
      product.multiply(count, inputs.from(first), panel, columns.start, sums);
      finish<Product::kType, kActivation>(call, columns, sums, first, count);
    }
  }
}

template <typename Product>
void run(const LinearCall& call) {
  switch (call.activation) {
    case LinearActivation::kNone:
      return run<Product, LinearActivation::kNone>(call);
    case LinearActivation::kRelu:
      return run<Product, LinearActivation::kRelu>(call);
    case LinearActivation::kGelu:
      return run<Product, LinearActivation::kGelu>(call);
    case LinearActivation::kSilu:
      return run<Product, LinearActivation::kSilu>(call);
    case LinearActivation::kGeluTanh:
      return run<Product, LinearActivation::kGeluTanh>(call);
  }
}

/// Uses tiles or matrices if the instruction set has them, tiles if the groups of a row fill them.
template <typename Dots>
void run_rounded(const LinearCall& call) {
#if defined(__AMX_TILE__)
  // A single row is faster with vectors. Only int8 may switch: its sums are exact, those of bf16
  // would differ.
  const bool faster = Dots::kType != WeightType::kInt8 || call.input->rows > 1;
  if (faster && kernels::groups_of(Dots::kType, call.weights->inputs) % kTileGroups == 0)
    return run<TileProduct<Dots::kType>>(call);
#elif defined(__ARM_FEATURE_MATMUL_INT8)
  if (call.input->rows > 1) return run<MatrixProduct<Dots::kType>>(call);
#endif
  run<VectorProduct<Dots>>(call);
}

}  // namespace

// Defined in the other sources of this folder.
std::remove_pointer_t<decltype(LinearKernels::prepare_rows)> prepare_rows;
std::remove_pointer_t<decltype(LinearKernels::select_tokens)> select_tokens;

static void linear(const LinearCall& call) {
  switch (call.weights->type) {
    case WeightType::kFloat:
      return run<VectorProduct<FloatDots>>(call);
    case WeightType::kBFloat16:
      return run_rounded<BFloat16Dots>(call);
    case WeightType::kInt8:
      return run_rounded<Int8Dots>(call);
  }
}

extern const LinearKernels kLinearKernels = {DIETMT_ISA_NAME, prepare_rows, linear, select_tokens};

}  // namespace dietmt::kernels::DIETMT_ISA
