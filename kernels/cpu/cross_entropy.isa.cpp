// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include <cmath>

#include "kernels/cpu/vector.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

struct RowSummary {
  float largest = 0.0f;
  float total = 0.0f;
};

RowSummary summarize(const float* logits, int64_t classes) {
  Vector largest = broadcast(logits[0]), total = {};
  int64_t c = 0;
  for (; c + kLanes <= classes; c += kLanes) {
    const Vector x = load(logits + c);
    largest = larger(largest, x);
    total += x;
  }
  if (c < classes) {
    const Vector x = load_first(logits + c, classes - c);
    largest = larger(largest, first_lanes(x, classes - c, logits[0]));
    total += x;
  }
  return {largest_of(largest), sum_of(total)};
}

/// The sum of exp(logit - largest); if `keep`, these take the logits' places.
float sum_exponentials(float* logits, int64_t classes, float largest, bool keep) {
  constexpr int kSums = 4;  // at a time, for an addition waits for the one before
  Vector sums[kSums] = {};
  int64_t c = 0;
  for (; c + kSums * kLanes <= classes; c += kSums * kLanes) {
    for (int v = 0; v < kSums; ++v) {
      const Vector e = exponential(load(logits + c + v * kLanes) - largest);
      sums[v] += e;
      if (keep) store(logits + c + v * kLanes, e);
    }
  }
  float sum = sum_of(sums[0] + sums[1] + (sums[2] + sums[3]));
  for (; c < classes; ++c) {
    const float e = std::exp(logits[c] - largest);
    sum += e;
    if (keep) logits[c] = e;
  }
  return sum;
}

}  // namespace

void cross_entropy(const CrossEntropy& call) {
  const int64_t classes = call.classes;
  const float uniform = static_cast<float>(call.smoothing / static_cast<double>(classes));
  const float confidence = static_cast<float>(1.0 - call.smoothing);
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < call.rows; ++r) {
    float* logits = call.logits + r * classes;
    const int64_t target = call.targets[r];
    const float target_logit = logits[target];
    const RowSummary row = summarize(logits, classes);
    const float exponentials = sum_exponentials(logits, classes, row.largest, call.gradient);
    const double log_partition = static_cast<double>(row.largest) + std::log(exponentials);
    call.target_losses[r] = log_partition - target_logit;
    const double mean_loss =
        log_partition - static_cast<double>(row.total) / static_cast<double>(classes);
    call.losses[r] = (1.0 - call.smoothing) * call.target_losses[r] + call.smoothing * mean_loss;
    if (!call.gradient) continue;
    const float scale = static_cast<float>(call.gradient_scale);
    const float factor = scale / exponentials;
    const float shift = scale * uniform;
#pragma omp simd
    for (int64_t c = 0; c < classes; ++c) logits[c] = logits[c] * factor - shift;
    logits[target] -= scale * confidence;
  }
}

}  // namespace dietmt::kernels::DIETMT_ISA
