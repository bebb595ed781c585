// Rotary positions. Compiled once for each instruction set, in namespace
// dietmt::kernels::DIETMT_ISA.
#include "kernels/rotate.h"

#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

using Lanes = std::make_index_sequence<kLanes>;

constexpr int64_t kPairs = kLanes / 2;
using PairVector = float __attribute__((vector_size(kPairs * 4), aligned(4), may_alias));

template <size_t... kLane>
Vector twice(const float* from, std::index_sequence<kLane...>) {
  const PairVector x = *reinterpret_cast<const PairVector*>(from);
  return __builtin_shufflevector(x, x, (static_cast<int>(kLane) / 2)...);
}

/// Each of `count` / 2 numbers twice, followed by zeros; reads nothing past them.
Vector twice(const float* from, int64_t count) {
  if (count == kLanes) return twice(from, Lanes{});
  float pairs[kPairs] = {};
  std::memcpy(pairs, from, static_cast<size_t>(count / 2) * sizeof(float));
  return twice(pairs, Lanes{});
}

template <size_t... kLane>
Vector neighbours_exchanged(Vector x, std::index_sequence<kLane...>) {
  return __builtin_shufflevector(x, x, (static_cast<int>(kLane) ^ 1)...);
}

/// One head of a row: its numbers, and the cosines and sines of its pairs.
template <typename Number>
struct Head {
  int64_t width;
  const Number* x;
  const float* cosines;
  const float* sines;
  float sign;
  Number* output;
};

template <typename Number>
void turn_neighbours(const Head<Number>& head) {
  const UintVector odd = reinterpret_cast<UintVector>(lane_numbers()) & 1;
  const Vector signs = odd != 0 ? broadcast(head.sign) : broadcast(-head.sign);
  for_vectors(head.width, [&](int64_t c, int64_t count) {
    const Vector x = load(head.x + c, count);
    const Vector turned =
        neighbours_exchanged(x, Lanes{}) * signs * twice(head.sines + c / 2, count);
    store(head.output + c, x * twice(head.cosines + c / 2, count) + turned, count);
  });
}

template <typename Number>
void turn_halves(const Head<Number>& head) {
  const int64_t pairs = head.width / 2;
  for_vectors(pairs, [&](int64_t m, int64_t count) {
    const Vector a = load(head.x + m, count), b = load(head.x + m + pairs, count);
    const Vector cosines = load(head.cosines + m, count);
    const Vector sines = head.sign * load(head.sines + m, count);
    store(head.output + m, a * cosines - b * sines, count);
    store(head.output + m + pairs, b * cosines + a * sines, count);
  });
}

template <typename Number>
void rotate_rows(const Rotate& call) {
  const int64_t pairs = call.head_width / 2, entries = call.table_heads * pairs;
  const auto* const x = static_cast<const Number*>(call.x);
  auto* const output = static_cast<Number*>(call.output);
#pragma omp parallel for schedule(static)
  for (int64_t row = 0; row < call.rows; ++row) {
    const int64_t position = call.positions != nullptr ? call.positions[row] : 0;
    const float* const cosines = call.table + 2 * position * entries;
    for (int64_t h = 0; h < call.heads; ++h) {
      const int64_t of_head = call.table_heads == 1 ? 0 : h * pairs;
      const Head<Number> head{
          call.head_width,          x + row * call.row_stride + h * call.head_width,
          cosines + of_head,        cosines + entries + of_head,
          call.back ? -1.0f : 1.0f, output + (row * call.heads + h) * call.head_width};
      if ((call.halved_heads >> h & 1) != 0)
        turn_halves(head);
      else
        turn_neighbours(head);
    }
  }
}

}  // namespace

void rotate(const Rotate& call) {
  if (call.type == ElementType::kBFloat16)
    rotate_rows<BFloat16>(call);
  else
    rotate_rows<float>(call);
}

}  // namespace dietmt::kernels::DIETMT_ISA
