// Computations of a call before its tiles.
#pragma once

#include "kernels/cuda/tile.cuh"

namespace dietmt::kernels {

/// The part of x . y that falls to a thread of four.
template <typename E>
DIETMT_DEVICE float row_product(const HeadRows& x, const HeadRows& y, int64_t token, int64_t start,
                                int width) {
  const E* left = static_cast<const E*>(x.data) + token * x.token_stride + start;
  const E* right = static_cast<const E*>(y.data) + token * y.token_stride + start;
  float sum = 0.0f;
  constexpr int kPiece = kVector<E>;
  for (int column = thread_index() % 4 * kPiece; column < width; column += 4 * kPiece) {
    const Words a = load_words(left + column);
    const Words b = load_words(right + column);
    DIETMT_UNROLL
    for (int word = 0; word < 4; ++word) {
      sum += multiply_words<E>(a.of[word], b.of[word]);
    }
  }
  return sum;
}

/// D of a query, by four neighbouring threads; 0 if it is not valid. All lanes call it.
template <typename E>
DIETMT_DEVICE float query_delta(const AttentionForward& call, const HeadRows& grad_output,
                                int64_t token, int64_t head, bool valid) {
  const int width = static_cast<int>(call.sizes.head_width);
  float sum = 0.0f;
  if (valid) {
    sum = row_product<E>(call.output, grad_output, token, head * width, width);
    if (call.output_rest.data != nullptr) {
      sum += row_product<E>(call.output_rest, grad_output, token, head * width, width);
    }
  }
  sum += shuffle_xor(sum, 1);
  sum += shuffle_xor(sum, 2);
  return sum;
}

/// Clears the partial sums, converts the tables of relative vectors to the element type, and
/// computes D. Each block takes its share of each.
template <typename E, int kWidth>
struct PrepareBlock {
  using Arguments = PrepareArguments;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const PrepareArguments&) { return 0; }

  DIETMT_DEVICE static void convert(const PrepareArguments& arguments, const HeadTable& from,
                                    const ConvertedTable& to, int64_t clip, int64_t first) {
    if (to.data == nullptr) return;
    const int64_t width = arguments.call.sizes.head_width;
    const int64_t heads = to.head_stride == 0 ? 1 : arguments.call.sizes.heads;
    const int64_t entries = 2 * clip + 1;
    auto* const elements = static_cast<E*>(to.data);
    for (int64_t index = first; index < heads * entries * (kWidth / 2);
         index += arguments.blocks * kThreads) {
      const int64_t row = index / (kWidth / 2);
      const int64_t column = index % (kWidth / 2) * 2;
      const float* start =
          from.data + row / entries * from.head_stride + row % entries * width + column;
      const bool valid = column < width;
      store_pair<E>(elements + 2 * index, valid ? start[0] : 0.0f, valid ? start[1] : 0.0f);
    }
  }

  DIETMT_DEVICE static void compute_delta(const PrepareArguments& arguments, int64_t block) {
    const AttentionForward& call = arguments.call;
    const int64_t tokens = query_tokens(call.sizes);
    const int64_t heads = call.sizes.heads;
    constexpr int kBlockRows = kThreads / 4;
    for (int64_t first = block * kBlockRows; first < tokens * heads;
         first += arguments.blocks * kBlockRows) {
      const int64_t row = first + thread_index() / 4;
      const bool valid = row < tokens * heads;
      const int64_t token = row / heads;
      const int64_t head = row % heads;
      const float sum = query_delta<E>(call, arguments.grad_output, token, head, valid);
      if (valid && thread_index() % 4 == 0) arguments.delta[head * tokens + token] = sum;
    }
  }

  DIETMT_DEVICE static void run(const PrepareArguments& arguments, BlockIndex block, char*) {
    const int64_t first = int64_t{block.x} * kThreads + thread_index();
    for (int64_t i = first; i < arguments.zero_count; i += arguments.blocks * kThreads) {
      arguments.zeros[i] = 0.0f;
    }
    const AttentionTerms& terms = arguments.call.terms;
    const ConvertedTables& to = arguments.converted;
    convert(arguments, terms.tables.relative_keys, to.relative_keys, terms.key_clip, first);
    convert(arguments, terms.tables.relative_queries, to.relative_queries, terms.query_clip, first);
    convert(arguments, terms.tables.relative_values, to.relative_values, terms.value_clip, first);
    if (arguments.delta != nullptr) compute_delta(arguments, block.x);
  }
};

}  // namespace dietmt::kernels
