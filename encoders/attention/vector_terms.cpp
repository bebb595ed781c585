#include "encoders/attention/vector_terms.h"

#include <ATen/ATen.h>
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

#include "encoders/attention/head_layout.h"
#include "encoders/device/device.h"
#include "encoders/ops/row_kernels.h"
#include "encoders/position/score_terms.h"

namespace dietmt::encoders {
namespace {

/// Rotations of pairs of coordinates (encoders/position/encodings/rotary.cpp).
struct Rotation {
  at::Tensor cosines;                  // [H|1, T, Dh/2]
  at::Tensor sines;                    // [H|1, T, Dh/2]
  std::vector<RotaryPairing> pairing;  // [1] or [H]
};

/// The row of each position: [H|1, T, W] -> [N|1, H|1, W].
at::Tensor rows_of(const at::Tensor& table, const at::Tensor& positions) {
  const at::Tensor by_row = table.transpose(0, 1);
  if (by_row.size(0) == 1) return by_row;
  // The gradient of embedding() adds rows faster than that of index_select().
  const at::Tensor rows = at::embedding(by_row.flatten(1), positions);
  return rows.view({positions.size(0), table.size(0), table.size(2)});
}

at::Tensor shift(const at::Tensor& x, const at::Tensor& table, const at::Tensor& positions) {
  return table.defined() ? x + rows_of(table, positions).to(x.scalar_type()) : x;
}

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// One table of [T, H|1, Dh/2] cosines, then sines, and where each head's pairs lie.
struct Turn {
  at::Tensor table;             // [T, 2, H|1, Dh/2], contiguous, fp32 or double
  at::Tensor positions;         // [N] or undefined
  std::vector<int64_t> halves;  // [1] or [H]: 1 where the pairs are m and m + Dh/2
  bool back;                    // the transposed rotation

  bool is_halved(size_t head) const { return halves[std::min(head, halves.size() - 1)] != 0; }
};

at::Tensor turn_by_tensor_algebra(const at::Tensor& x, const Turn& turn) {
  const at::Tensor rows =
      turn.positions.defined() ? turn.table.index_select(0, turn.positions) : turn.table;
  const at::Tensor cosines = rows.select(1, 0).to(x.scalar_type());  // [N|1, H|1, Dh/2]
  const at::Tensor sines = (turn.back ? -rows.select(1, 1) : rows.select(1, 1)).to(x.scalar_type());
  const auto turned = [&](int64_t dim) {
    const auto shape = dim == -1 ? std::vector<int64_t>{-1, 2} : std::vector<int64_t>{2, -1};
    const at::Tensor pairs = x.unflatten(-1, shape);
    const at::Tensor a = pairs.select(dim, 0);
    const at::Tensor b = pairs.select(dim, 1);
    return at::stack({a * cosines - b * sines, b * cosines + a * sines}, dim).flatten(-2);
  };
  const size_t halved = static_cast<size_t>(std::count(turn.halves.begin(), turn.halves.end(), 1));
  if (halved == 0) return turned(-1);
  if (halved == turn.halves.size()) return turned(-2);
  const at::Tensor mask =
      copy_to_device(at::tensor(turn.halves, at::kLong).to(at::kBool), x.device());
  return at::where(mask.unsqueeze(-1), turned(-2), turned(-1));
}

/// The heads whose pairs are halves, one bit each.
uint64_t halved_heads(const Turn& turn, int64_t heads) {
  uint64_t bits = 0;
  for (int64_t h = 0; h < heads; ++h)
    if (turn.is_halved(static_cast<size_t>(h))) bits |= uint64_t{1} << h;
  return bits;
}

using RotateKernel = void (*)(const kernels::Rotate& call);

/// Null if there is none for these rows.
RotateKernel rotate_kernel(const at::Tensor& x, const Turn& turn) {
  if (x.size(1) > 64 || turn.table.scalar_type() != at::kFloat) return nullptr;
  const kernels::DeviceKernels* const kernels = row_kernels(x);
  return kernels != nullptr ? kernels->rotate : nullptr;
}

at::Tensor turned(const at::Tensor& given, const Turn& turn) {
  const auto kernel = rotate_kernel(given, turn);
  if (kernel == nullptr) return turn_by_tensor_algebra(given, turn);
  const bool dense = given.stride(2) == 1 && given.stride(1) == given.size(2);
  const at::Tensor x = dense ? given : given.contiguous();
  const at::Tensor y = at::empty(x.sizes(), x.options());
  kernels::Rotate call;
  call.type = element_type(x.scalar_type());
  call.rows = x.size(0);
  call.heads = x.size(1);
  call.head_width = x.size(2);
  call.x = x.const_data_ptr();
  call.row_stride = x.stride(0);
  call.table = turn.table.const_data_ptr<float>();
  call.table_heads = turn.table.size(2);
  if (turn.positions.defined()) call.positions = turn.positions.const_data_ptr<int64_t>();
  call.halved_heads = halved_heads(turn, x.size(1));
  call.back = turn.back;
  call.output = y.mutable_data_ptr();
  const c10::DeviceGuard guard(x.device());
  kernel(call);
  return y;
}

struct Rotate : torch::autograd::Function<Rotate> {
  static Variable forward(AutogradContext* context, const Variable& x, const Turn& turn) {
    context->saved_data["table"] = turn.table;
    context->saved_data["positions"] = turn.positions;
    context->saved_data["halves"] = turn.halves;
    return turned(x, turn);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const Turn turn{context->saved_data["table"].toTensor(),
                    context->saved_data["positions"].toTensor(),
                    context->saved_data["halves"].toIntVector(), true};
    return {turned(gradients[0], turn), {}};
  }
};

/// Cosines and sines, [H|1, T, Dh/2] each, as one [T, 2, H|1, Dh/2]: a view if they lie so.
at::Tensor turn_table(const at::Tensor& cosines, const at::Tensor& sines) {
  const int64_t heads = cosines.size(0), pairs = cosines.size(2);
  const int64_t row = 2 * heads * pairs;
  const auto lies_so = [&](const at::Tensor& x) {
    return x.stride(2) == 1 && x.stride(1) == row && (heads == 1 || x.stride(0) == pairs);
  };
  if (lies_so(cosines) && lies_so(sines) && sines.is_alias_of(cosines) &&
      sines.storage_offset() == cosines.storage_offset() + heads * pairs)
    return cosines.as_strided({cosines.size(1), 2, heads, pairs}, {row, heads * pairs, pairs, 1});
  return at::stack({cosines, sines}).permute({2, 0, 1, 3}).contiguous();
}

/// (a, b) -> (a c - b s, b c + a s) for each pair of x [N, H, Dh], with the table row of the
/// token's position; positions: [N] int64, or undefined if the tables have one row. The tables
/// have no gradient.
at::Tensor rotate(const at::Tensor& x, const at::Tensor& positions, const Rotation& rotation) {
  Turn turn;
  turn.table = turn_table(rotation.cosines, rotation.sines);
  if (turn.table.size(0) > 1) turn.positions = positions;
  for (const RotaryPairing pairing : rotation.pairing)
    turn.halves.push_back(pairing == RotaryPairing::kHalves ? 1 : 0);
  turn.back = false;
  return Rotate::apply(x, turn);
}

}  // namespace

at::Tensor move_queries(const at::Tensor& queries, const at::Tensor& positions,
                        const ScoreTerms& terms) {
  const at::Tensor shifted = shift(queries, terms.query_shift, positions);
  if (!terms.query_cosines.defined()) return shifted;
  return rotate(shifted, positions, {terms.query_cosines, terms.query_sines, terms.pairing});
}

at::Tensor move_keys(const at::Tensor& keys, const at::Tensor& positions, const ScoreTerms& terms) {
  const at::Tensor shifted = shift(keys, terms.key_shift, positions);
  if (!terms.key_cosines.defined()) return shifted;
  return rotate(shifted, positions, {terms.key_cosines, terms.key_sines, terms.pairing});
}

bool compresses(const ScoreTerms& terms) { return terms.key_compression.defined(); }

Packing compressed_packing(const Packing& packing, const ScoreTerms& terms) {
  return compresses(terms) ? packing.with_rows(terms.key_compression.size(1)) : packing;
}

at::Tensor compress(const at::Tensor& rows, const Packing& packing, const at::Tensor& compression) {
  if (!compression.defined()) return rows;
  const at::Tensor padded = pad_heads(rows, packing);  // [B, H, S, Dh], zeros after each sentence
  const at::Tensor weights = compression.narrow(2, 0, packing.max_length()).to(rows.scalar_type());
  return at::matmul(weights, padded).transpose(1, 2).flatten(0, 1);
}

}  // namespace dietmt::encoders
