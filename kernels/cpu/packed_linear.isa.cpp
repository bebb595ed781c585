// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA, without
// contraction of products and sums: what follows exact integers has the same bits everywhere.
#include <algorithm>

#include "kernels/cpu/activations.h"
#include "kernels/cpu/linear_dots.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr int64_t kBlockOutputs = kPanelVectors * kLanes;

/// Rows of 32-bit groups.
struct GroupRows {
  const char* data;
  int64_t stride;  // bytes

  GroupRows from(int64_t row) const { return {data + row * stride, stride}; }
};

GroupRows groups_of(const PreparedRows& rows) {
  if (rows.type == WeightType::kFloat)
    return {reinterpret_cast<const char*>(rows.values), rows.stride * kGroupBytes};
  return {static_cast<const char*>(rows.storage) + prepared_scales(rows.type, rows.rows),
          prepared_stride(rows.type, rows.inputs)};
}

/// What belongs to the outputs of a panel, filled up with zeros.
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
  alignas(64) float scales[kPanelOutputs];   // int8 alone
  alignas(64) int32_t start[kPanelOutputs];  // of the sums; bits of floats but for int8

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

/// Sums of products of a block of rows and a panel: integers or the bits of floats.
using SumRow = int32_t[kPanelOutputs];

/// Products of kRows rows and kBlockOutputs outputs, whose groups are kPanelStep apart, on top of
/// `start`.
template <typename Dots, int kRows>
void multiply(GroupRows inputs, int64_t groups, const char* weights, const int32_t* start,
              SumRow* to) {
  typename Dots::Sums sums[kRows][kPanelVectors];
  for (int v = 0; v < kPanelVectors; ++v) {
    const auto first = reinterpret_cast<typename Dots::Sums>(load_ints(start + v * kLanes));
    for (int r = 0; r < kRows; ++r) sums[r][v] = first;
  }
  for (int64_t g = 0; g < groups; ++g) {
    typename Dots::Weights w[kPanelVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      w[v] = Dots::read(weights + g * kPanelStep + v * kLanes * kGroupBytes);
    }
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
      int32_t group;
      std::memcpy(&group, inputs.data + r * inputs.stride + g * kGroupBytes, sizeof group);
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) sums[r][v] = Dots::add(sums[r][v], w[v], group);
    }
  }
  for (int r = 0; r < kRows; ++r) {
    for (int v = 0; v < kPanelVectors; ++v)
      store_ints(to[r] + v * kLanes, reinterpret_cast<IntVector>(sums[r][v]));
  }
}

template <typename Dots>
void multiply_rows(int64_t rows, GroupRows inputs, int64_t groups, const char* weights,
                   const int32_t* start, SumRow* to) {
  switch (rows) {
    case 1:
      return multiply<Dots, 1>(inputs, groups, weights, start, to);
    case 2:
      return multiply<Dots, 2>(inputs, groups, weights, start, to);
    case 3:
      return multiply<Dots, 3>(inputs, groups, weights, start, to);
    case 4:
      return multiply<Dots, 4>(inputs, groups, weights, start, to);
    case 5:
      if constexpr (Dots::kRows > 4) return multiply<Dots, 5>(inputs, groups, weights, start, to);
      break;
    case 6:
      if constexpr (Dots::kRows > 4) return multiply<Dots, 6>(inputs, groups, weights, start, to);
      break;
    default:
      break;
  }
}

/// A vector of outputs of a block of rows from its sums. kFull: else it has `left` numbers.
template <WeightType kType, LinearActivation kActivation, bool kFull>
void finish_columns(const LinearCall& call, const PanelColumns& columns, int64_t c, int64_t left,
                    const SumRow* sums, int64_t first, int64_t rows) {
  const Vector scale = load(columns.scales + c);
  const Vector bias = load(columns.bias + c);
  const float* row_scales = static_cast<const float*>(call.input->storage) + first;
  const int64_t column = columns.first + c;
  const float* residual = call.residual;
  if (residual) residual += first * call.residual_stride + column;
  float* output = call.output + first * call.output_stride + column;
  const int64_t residual_stride = call.residual_stride;
  const int64_t output_stride = call.output_stride;
  for (int64_t r = 0; r < rows; ++r) {
    const IntVector bits = load_ints(sums[r] + c);
    Vector x = reinterpret_cast<Vector>(bits);
    if constexpr (kType == WeightType::kInt8)
      x = __builtin_convertvector(bits, Vector) * (scale * row_scales[r]) + bias;
    x = activate<kActivation>(x);
    if (residual) {
      const float* from = residual + r * residual_stride;
      x += kFull ? load(from) : load_first(from, left);
    }
    if constexpr (kFull) {
      store(output + r * output_stride, x);
    } else {
      std::memcpy(output + r * output_stride, &x, static_cast<size_t>(left) * sizeof(float));
    }
  }
}

template <WeightType kType, LinearActivation kActivation>
void finish(const LinearCall& call, const PanelColumns& columns, const SumRow* sums, int64_t first,
            int64_t rows) {
  int64_t c = 0;
  for (; c + kLanes <= columns.count; c += kLanes)
    finish_columns<kType, kActivation, true>(call, columns, c, kLanes, sums, first, rows);
  if (c < columns.count)
    finish_columns<kType, kActivation, false>(call, columns, c, columns.count - c, sums, first,
                                              rows);
}

/// What is going to be written comes near while the block is multiplied.
void prefetch(const float* output, int64_t stride, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < kPanelOutputs; c += 16) __builtin_prefetch(output + r * stride + c, 1);
  }
}

template <typename Dots, LinearActivation kActivation>
void run(const LinearCall& call) {
  const PackedWeights& weights = *call.weights;
  const int64_t groups = kernels::groups_of(Dots::kType, weights.inputs);
  const GroupRows inputs = groups_of(*call.input);
  const int64_t rows = call.input->rows;
  const int64_t blocks = (rows + Dots::kRows - 1) / Dots::kRows;
  const int64_t last = call.last_output < 0 ? weights.outputs : call.last_output;
  for (int64_t n = call.first_output; n < last; n += kPanelOutputs) {
    const PanelColumns columns(call, n, last);
    const char* panel = static_cast<const char*>(weights.panels) + n * groups * kGroupBytes;
    for (int64_t b = 0; b < blocks; ++b) {  // of almost the same size
      alignas(64) SumRow sums[Dots::kRows];
      const int64_t first = rows * b / blocks;
      const int64_t count = rows * (b + 1) / blocks - first;
      prefetch(call.output + first * call.output_stride + n, call.output_stride, count);
      for (int64_t c = 0; c < kPanelOutputs; c += kBlockOutputs)
        multiply_rows<Dots>(count, inputs.from(first), groups, panel + c * kGroupBytes,
                            columns.start + c, reinterpret_cast<SumRow*>(sums[0] + c));
      finish<Dots::kType, kActivation>(call, columns, sums, first, count);
    }
  }
}

template <typename Dots>
void run(const LinearCall& call) {
  switch (call.activation) {
    case LinearActivation::kNone:
      return run<Dots, LinearActivation::kNone>(call);
    case LinearActivation::kRelu:
      return run<Dots, LinearActivation::kRelu>(call);
    case LinearActivation::kGelu:
      return run<Dots, LinearActivation::kGelu>(call);
    case LinearActivation::kSilu:
      return run<Dots, LinearActivation::kSilu>(call);
  }
}

}  // namespace

void linear(const LinearCall& call) {
  switch (call.weights->type) {
    case WeightType::kFloat:
      return run<FloatDots>(call);
    case WeightType::kBFloat16:
      return run<BFloat16Dots>(call);
    case WeightType::kInt8:
      return run<Int8Dots>(call);
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
