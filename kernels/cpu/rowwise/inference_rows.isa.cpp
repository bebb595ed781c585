// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include <cmath>

#include "kernels/cpu/vector.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

constexpr int kVectors = 4;  // looked at together
constexpr int64_t kBlock = kVectors * kLanes;

}  // namespace

void layer_norm_rows(int64_t rows, int64_t width, const float* x, const float* gamma,
                     const float* beta, double epsilon, float* y) {
  const int64_t whole = width / kLanes * kLanes;
  const auto rest = [&](const float* from) { return load_first(from + whole, width - whole); };
  for (int64_t r = 0; r < rows; ++r, x += width, y += width) {
    Vector sum = whole < width ? rest(x) : Vector{};
    for (int64_t c = 0; c < whole; c += kLanes) sum += load(x + c);
    const float mean = sum_of(sum) / static_cast<float>(width);
    Vector squares{};
    for (int64_t c = 0; c < whole; c += kLanes) {
      const Vector centred = load(x + c) - mean;
      squares += centred * centred;
    }
    if (whole < width) {
      const Vector centred = first_lanes(rest(x) - mean, width - whole, 0.0f);
      squares += centred * centred;
    }
    const double variance = static_cast<double>(sum_of(squares)) / static_cast<double>(width);
    const auto factor = static_cast<float>(1.0 / std::sqrt(variance + epsilon));
    for (int64_t c = 0; c < whole; c += kLanes)
      store(y + c, (load(x + c) - mean) * factor * load(gamma + c) + load(beta + c));
    for (int64_t c = whole; c < width; ++c) y[c] = (x[c] - mean) * factor * gamma[c] + beta[c];
  }
}

void rms_norm_rows(int64_t rows, int64_t width, const float* x, const float* gamma, double epsilon,
                   float* y) {
  const int64_t whole = width / kLanes * kLanes;
  for (int64_t r = 0; r < rows; ++r, x += width, y += width) {
    Vector squares{};
    for (int64_t c = 0; c < whole; c += kLanes) squares += load(x + c) * load(x + c);
    if (whole < width) {
      const Vector rest = load_first(x + whole, width - whole);
      squares += rest * rest;
    }
    const double mean = static_cast<double>(sum_of(squares)) / static_cast<double>(width);
    const auto factor = static_cast<float>(1.0 / std::sqrt(mean + epsilon));
    for (int64_t c = 0; c < whole; c += kLanes)
      store(y + c, load(x + c) * factor * load(gamma + c));
    for (int64_t c = whole; c < width; ++c) y[c] = x[c] * factor * gamma[c];
  }
}

void multiply_into(int64_t size, const float* y, float* x) {
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) store(x + i, load(x + i) * load(y + i));
  for (; i < size; ++i) x[i] *= y[i];
}

void ssru_step(const SsruStep& call) {
  for_vectors(call.width, [&](int64_t c, int64_t count) {
    const auto read = [&](const float* from) { return load(from + c, count); };
    const auto write = [&](float* to, Vector x) { store(to + c, x, count); };
    const Vector negative = -read(call.gate);
    const Vector most = broadcast(kLargestExponent);
    const Vector forget = 1.0f / (1.0f + exponential(negative > most ? most : negative));
    Vector state = (1.0f - forget) * read(call.candidate);
    if (call.before != nullptr) state += forget * read(call.before);
    write(call.state, state);
    write(call.residual, read(call.residual) + (state < 0.0f ? Vector{} : state));
  });
}

int64_t next_above(const float* row, int64_t first, int64_t count, float limit) {
  int64_t v = first;
  for (; v + kBlock <= count; v += kBlock) {
    IntVector above{};
#pragma GCC unroll 4
    for (int s = 0; s < kVectors; ++s) above |= load(row + v + s * kLanes) > limit;
    if (sum_of(__builtin_convertvector(above, Vector)) != 0.0f) break;
  }
  while (v < count && !(row[v] > limit)) ++v;
  return v;
}

void add_probabilities(const float* row, int64_t count, float normalizer, float* sums) {
  int64_t v = 0;
  for (; v + kLanes <= count; v += kLanes)
    store(sums + v, load(sums + v) + exponential(load(row + v) - normalizer));
  if (v == count) return;
  const Vector last = exponential(load_first(row + v, count - v) - normalizer);
  for (int64_t lane = 0; v + lane < count; ++lane) sums[v + lane] += last[lane];
}

}  // namespace dietmt::kernels::DIETMT_ISA
