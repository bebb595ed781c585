#include "encoders/ops/bf16_products.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/native/CPUBlas.h>

#include <algorithm>
#include <exception>
#include <vector>

#include "kernels/bf16_layouts.h"
#include "kernels/cpu/instruction_sets.h"

namespace dietmt::encoders {
namespace {

using at::Tensor;
namespace blas = at::native::cpublas;
using Bits = kernels::BFloat16;

constexpr int64_t kPanel = 64;       // columns of the right side that are multiplied together
constexpr int64_t kTileRows = 32;    // of the left side
constexpr int64_t kBlockRows = 128;  // of the left side that stay in the cache
constexpr int64_t kDepth = 1024;     // of a product of two tiles

const Bits* bits(const Tensor& x) {
  return x.defined() ? static_cast<const Bits*>(x.const_data_ptr()) : nullptr;
}
Bits* mutable_bits(const Tensor& x) { return static_cast<Bits*>(x.mutable_data_ptr()); }

int64_t parts(int64_t size, int64_t part) { return (size + part - 1) / part; }

int64_t panel_count(const Bf16Panels& side) { return parts(side.columns, kPanel); }

int64_t width(const Bf16Panels& side, int64_t panel) {
  return std::min(kPanel, side.columns - panel * kPanel);
}

/// The place of an even row.
uint32_t* pairs(const Bf16Panels& side, int64_t panel, int64_t row) {
  return static_cast<uint32_t*>(side.pairs.mutable_data_ptr()) +
         (panel * ((side.depth + 1) / 2) + row / 2) * kPanel;
}

const at::BFloat16* numbers(const Bf16Panels& side, int64_t panel, int64_t row) {
  return reinterpret_cast<const at::BFloat16*>(pairs(side, panel, row));
}

Bf16Panels empty_panels(int64_t depth, int64_t columns) {
  Bf16Panels side{depth, columns, {}};
  side.pairs = at::empty({panel_count(side), (depth + 1) / 2, kPanel}, at::kInt);
  return side;
}

constexpr int64_t kFillRows = 32;  // whose lines are read together

/// Rows `begin`, a multiple of kFillRows, to `end` of a side. matrix: [rows, stride]; zeros come
/// below it.
void fill(const Bf16Panels& side, const Bits* matrix, int64_t rows, int64_t stride, int64_t begin,
          int64_t end) {
  for (int64_t r = begin; r < end; r += kFillRows) {
    const int64_t here = std::clamp<int64_t>(rows - r, 0, kFillRows);
    const int64_t zeros_end = std::min((side.depth + 1) / 2 * 2, r + kFillRows);
    for (int64_t p = 0; p < panel_count(side); ++p) {
      kernels::layout_kernels().pair_rows(matrix + r * stride + p * kPanel, stride, here,
                                          width(side, p), pairs(side, p, r), kPanel);
      std::fill(pairs(side, p, r + (here + 1) / 2 * 2), pairs(side, p, zeros_end), 0);
    }
  }
}

/// The rows of `left` that a tile from row r on computes. The last tile of many is whole, too:
/// tiles of ever new sizes would cost a kernel each.
struct TileRows {
  TileRows(int64_t r, int64_t all)
      : start(std::max<int64_t>(0, std::min(r, all - kTileRows))),
        count(std::min(kTileRows, all)),
        skipped(r - start),
        written(std::min(kTileRows, all - r)) {}
  int64_t start, count;
  int64_t skipped, written;  // of them
};

/// One product of two tiles, and what follows. Places in `follows` are those of the first row and
/// column of the result.
void multiply_tile(const Tensor& left, const Bf16Panels& right, const TileRows& rows, int64_t panel,
                   const kernels::Bf16Tile& follows, float* sums) {
  const auto* const a =
      reinterpret_cast<const at::BFloat16*>(bits(left) + rows.start * right.depth);
  for (int64_t k = 0; k < right.depth; k += kDepth)
    blas::brgemm(rows.count, width(right, panel), std::min(kDepth, right.depth - k), right.depth,
                 kPanel, kPanel, k > 0, a + k, numbers(right, panel, k), sums);
  const int64_t begin = (rows.start + rows.skipped) * right.columns + panel * kPanel;
  kernels::Bf16Tile tile = follows;
  tile.rows = rows.written;
  tile.columns = width(right, panel);
  tile.from = sums + rows.skipped * kPanel;
  tile.from_stride = kPanel;
  tile.to_stride = right.columns;
  if (tile.bias != nullptr) tile.bias += panel * kPanel;
  if (tile.addend != nullptr) tile.addend += begin;
  if (tile.passes != nullptr) tile.passes += begin;
  tile.to += begin;
  kernels::layout_kernels().bf16_tile(tile);
}

/// Threads share blocks of rows and, if these are few, panels.
void multiply(const Tensor& left, const Bf16Panels& right, const kernels::Bf16Tile& follows) {
  const int64_t rows = left.size(0), blocks = parts(rows, kBlockRows);
  const int64_t wanted = blocks == 0 ? 1 : parts(4 * at::get_num_threads(), blocks);
  const int64_t panels = parts(panel_count(right), std::min(wanted, panel_count(right)));
  const int64_t groups = parts(panel_count(right), panels);
  at::parallel_for(0, blocks * groups, 1, [&](int64_t first, int64_t last) {
    std::vector<float> sums(static_cast<size_t>(kTileRows * kPanel));
    for (int64_t task = first; task < last; ++task) {
      const int64_t block = task / groups * kBlockRows, begin = task % groups * panels;
      for (int64_t p = begin; p < std::min(panel_count(right), begin + panels); ++p)
        for (int64_t r = block; r < std::min(rows, block + kBlockRows); r += kTileRows)
          multiply_tile(left, right, TileRows(r, rows), p, follows, sums.data());
    }
    blas::brgemm_release();
  });
}

/// Row stride of transposed blocks; a power of two would crowd few sets of the cache.
constexpr int64_t kLeftStride = kDepth + 32;

/// a [R, M] as [M, 1024] for each 1024 rows, with zeros up to `padded_rows`. The stride is the same
/// for all numbers of rows, because each stride costs a kernel.
Tensor transposed(const Tensor& a, int64_t padded_rows) {
  constexpr int64_t kBlock = 64;  // rows
  const int64_t rows = a.size(0), columns = a.size(1);
  const Tensor to = at::empty({parts(padded_rows, kDepth), columns, kLeftStride}, a.options());
  auto* const pairs = static_cast<uint32_t*>(to.mutable_data_ptr());
  at::parallel_for(0, parts(padded_rows, kBlock), 1, [&](int64_t first, int64_t last) {
    std::vector<uint32_t> block(static_cast<size_t>(kBlock / 2 * columns));
    for (int64_t r = first * kBlock; r < last * kBlock; r += kBlock) {
      const int64_t here = std::clamp<int64_t>(rows - r, 0, kBlock);
      std::fill(block.begin() + (here + 1) / 2 * columns, block.end(), 0);
      kernels::layout_kernels().pair_rows(bits(a) + r * columns, columns, here, columns,
                                          block.data(), columns);
      kernels::layout_kernels().transpose_pairs(
          block.data(), columns, kBlock / 2, columns,
          pairs + (r / kDepth * columns * kLeftStride + r % kDepth) / 2, kLeftStride / 2);
    }
  });
  return to;
}

constexpr int64_t kGroupPanels = 4;  // of the right side, filled just before they are read

/// sums += left right, or =. left: [M, kLeftStride]; sums: [M, N], rows perhaps apart.
void add_product(const Tensor& left, const Bf16Panels& right, const Tensor& sums, bool accumulate) {
  const auto* const from = reinterpret_cast<const at::BFloat16*>(left.const_data_ptr());
  const int64_t outputs = left.size(0), stride = sums.stride(0);
  for (int64_t p = 0; p < panel_count(right); ++p)
    for (int64_t m = 0; m < outputs; m += kBlockRows)
      blas::brgemm(std::min(kBlockRows, outputs - m), width(right, p), right.depth, kLeftStride,
                   kPanel, stride, accumulate, from + m * kLeftStride, numbers(right, p, 0),
                   sums.mutable_data_ptr<float>() + m * stride + p * kPanel);
}

/// The environment may keep oneDNN, which makes the kernels, from what the processor has.
bool has_micro_kernels() {
  const kernels::InstructionSet* const needed = kernels::find_instruction_set("avx512_bf16");
  if (needed == nullptr || &kernels::chosen_instruction_set() < needed) return false;
  const Tensor left = at::zeros({1, 32}, at::kBFloat16),
               right = at::zeros({32 / 2, kPanel * 2}, at::kBFloat16);
  float sums[kPanel];
  try {
    blas::brgemm(1, kPanel, 32, 32, kPanel, kPanel, false, left.const_data_ptr<at::BFloat16>(),
                 right.const_data_ptr<at::BFloat16>(), sums);
    blas::brgemm_release();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

bool has_bf16_products(const Tensor& x, const Tensor& weight) {
  static const bool has_kernels = has_micro_kernels();
  return has_kernels && x.is_cpu() && x.scalar_type() == at::kBFloat16 && x.size(1) % 32 == 0 &&
         weight.size(0) % 2 == 0;
}

Bf16Panels bf16_panels(const Tensor& matrix) {
  TORCH_INTERNAL_ASSERT(matrix.is_contiguous());
  const Bf16Panels side = empty_panels(matrix.size(0), matrix.size(1));
  at::parallel_for(0, parts(side.depth, kFillRows), 1, [&](int64_t first, int64_t last) {
    fill(side, bits(matrix), side.depth, side.columns, first * kFillRows,
         std::min(side.depth, last * kFillRows));
  });
  return side;
}

Bf16Panels bf16_panels_of_transposed(const Tensor& matrix) {
  TORCH_INTERNAL_ASSERT(matrix.is_contiguous());
  const Bf16Panels side = empty_panels(matrix.size(1), matrix.size(0));
  // Rows of the matrix are columns of the side, whose pairs they contain.
  const auto* const from = static_cast<const uint32_t*>(matrix.const_data_ptr());
  const int64_t stride = side.depth / 2;
  at::parallel_for(0, panel_count(side), 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p)
      kernels::layout_kernels().transpose_pairs(from + p * kPanel * stride, stride, width(side, p),
                                                stride, pairs(side, p, 0), kPanel);
  });
  return side;
}

Tensor bf16_linear(const Tensor& x, const Bf16Panels& transposed, const Tensor& bias, bool relu) {
  const Tensor to = at::empty({x.size(0), transposed.columns}, x.options().requires_grad(false));
  kernels::Bf16Tile follows;
  follows.bias = bits(bias);
  follows.relu = relu;
  follows.to = mutable_bits(to);
  multiply(x, transposed, follows);
  return to;
}

void bf16_input_gradient(const Tensor& gradient, const Bf16Panels& weight, const Tensor& addend,
                         const Tensor& passes, const Tensor& to) {
  kernels::Bf16Tile follows;
  follows.addend = bits(addend);
  follows.passes = bits(passes);
  follows.to = mutable_bits(to);
  multiply(gradient, weight, follows);
}

void bf16_transposed_product(const Tensor& a, const Tensor& b, const Tensor& sums,
                             bool accumulate) {
  constexpr int64_t kMultiple = 64;
  if (b.size(0) == 0) {
    if (!accumulate) sums.zero_();
    return;
  }
  const int64_t rows = b.size(0), columns = b.size(1);
  const int64_t padded = parts(rows, kMultiple) * kMultiple;
  const Tensor left = transposed(a, padded);
  const int64_t panels = parts(columns, kPanel);
  const int64_t group = std::clamp<int64_t>(panels / at::get_num_threads(), 1, kGroupPanels);
  at::parallel_for(0, parts(panels, group), 1, [&](int64_t first, int64_t last) {
    Bf16Panels right = empty_panels(std::min(kDepth, padded), group * kPanel);
    for (int64_t task = first; task < last; ++task) {
      const int64_t begin = task * group * kPanel;
      right.columns = std::min(group * kPanel, columns - begin);
      for (int64_t k = 0; k < padded; k += kDepth) {
        right.depth = std::min(kDepth, padded - k);
        fill(right, bits(b) + k * columns + begin, rows - k, columns, 0, right.depth);
        add_product(left[k / kDepth], right, sums.narrow(1, begin, right.columns),
                    accumulate || k > 0);
      }
    }
    blas::brgemm_release();
  });
}

Tensor bf16_weight_gradient(const Tensor& gradient, const Tensor& x) {
  const int64_t outputs = gradient.size(1), inputs = x.size(1);
  const auto fp32 = x.options().dtype(at::kFloat).requires_grad(false);
  // The narrower one is transposed, if its width is a multiple of 32.
  if (outputs <= inputs && outputs % 32 == 0) {
    const Tensor sums = at::empty({outputs, inputs}, fp32);
    bf16_transposed_product(gradient, x, sums, false);
    return sums;
  }
  const Tensor sums = at::empty({inputs, outputs}, fp32);
  bf16_transposed_product(x, gradient, sums, false);
  return sums.t().contiguous();
}

Tensor bf16_column_sums(const Tensor& x) {
  constexpr int64_t kPart = 1024;  // rows that one thread sums
  const int64_t rows = x.size(0), columns = x.size(1),
                count = std::max<int64_t>(1, parts(rows, kPart));
  const Tensor sums =
      at::empty({count, columns}, x.options().dtype(at::kFloat).requires_grad(false));
  auto* const to = sums.mutable_data_ptr<float>();
  at::parallel_for(0, count, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p)
      kernels::layout_kernels().column_sums(bits(x) + p * kPart * columns,
                                            std::min(kPart, rows - p * kPart), columns,
                                            to + p * columns);
  });
  return count == 1 ? sums.squeeze(0) : sums.sum(0);
}

}  // namespace dietmt::encoders
