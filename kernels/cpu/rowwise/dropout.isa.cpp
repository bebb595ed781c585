// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include "kernels/dropout.h"

#include "kernels/cpu/rowwise/entry_points.h"
#include "kernels/cpu/vector.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// for_vectors() on all threads.
template <typename Run>
void for_all_vectors(int64_t size, Run run) {
  constexpr int64_t kBlock = 4096;
#pragma omp parallel for schedule(static)
  for (int64_t block = 0; block < size; block += kBlock)
    for_vectors(std::min(kBlock, size - block),
                [&](int64_t i, int64_t count) { run(block + i, count); });
}

template <typename Number>
void add_dropped(const Activate& call) {
  const DropoutLanes lanes = dropout_lanes(call.dropout);
  const auto* const x = static_cast<const Number*>(call.x);
  const auto* const residual = static_cast<const Number*>(call.residual);
  auto* const output = static_cast<Number*>(call.output);
  for_all_vectors(call.rows * call.width, [=](int64_t i, int64_t count) {
    Vector sum = lanes.dropped(load(x + i, count), i);
    if (residual != nullptr) sum += load(residual + i, count);
    store(output + i, sum, count);
  });
}

}  // namespace

void activate(const Activate& call) {
  call.type == ElementType::kFloat ? add_dropped<float>(call) : add_dropped<BFloat16>(call);
}

void dropout_mask(uint64_t key, double p, int64_t size, float* mask) {
  const DropoutLanes lanes = dropout_lanes(p, key);
  for_all_vectors(size, [&](int64_t i, int64_t count) {
    store(mask + i, lanes.factors(static_cast<uint32_t>(i)), count);
  });
}

void probability_dropout_mask(uint64_t key, double p, int64_t rows, int64_t columns, float* mask) {
  const DropoutLanes lanes = dropout_lanes(p, key);
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const uint32_t start = dropout_row_start(key, static_cast<uint32_t>(r));
    for_vectors(columns, [&](int64_t c, int64_t count) {
      store(mask + r * columns + c, lanes.factors_of_row(start, static_cast<uint32_t>(c)), count);
    });
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
