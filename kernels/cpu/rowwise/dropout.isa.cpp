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
void add_dropped(const DropoutAdd<Number>& call) {
  const DropoutLanes lanes = dropout_lanes(call.dropout, call.dropout_key);
  for_all_vectors(call.size, [=](int64_t i, int64_t count) {  // copies: stores may alias `call`
    Vector x = lanes.dropped(load(call.branch + i, count), i);
    if (call.residual != nullptr) x += load(call.residual + i, count);
    store(call.output + i, x, count);
  });
}

}  // namespace

void dropout_add(const DropoutAdd<float>& call) { add_dropped(call); }

void dropout_add(const DropoutAdd<BFloat16>& call) { add_dropped(call); }

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
