// Compiled once for each instruction set, in namespace dietmt::kernels::DIETMT_ISA.
#include <algorithm>
#include <cmath>

#include "kernels/cpu/buffer.h"
#include "kernels/cpu/vector.h"
#include "kernels/rowwise.h"

namespace dietmt::kernels::DIETMT_ISA {
namespace {

/// A row of logits by vectors; the last one may have fewer numbers. Computes in fp32.
template <typename Number>
class LogitRow {
 public:
  LogitRow(Number* numbers, int64_t classes) : numbers_(numbers), classes_(classes) {}

  Vector at(int64_t c) const {
    return c + kLanes <= classes_ ? load(numbers_ + c) : load_first(numbers_ + c, classes_ - c);
  }
  /// A vector with `other` after the last number.
  Vector at(int64_t c, float other) const { return within(c, at(c), other); }
  Vector within(int64_t c, Vector x, float other) const {
    return c + kLanes <= classes_ ? x : first_lanes(x, classes_ - c, other);
  }

  void put(int64_t c, Vector x) { put(c, x, std::min(kLanes, classes_ - c)); }
  void put(int64_t c, Vector x, int64_t count) { store(numbers_ + c, x, count); }

 private:
  Number* numbers_;
  int64_t classes_;
};

/// exponentials: room for [classes + kLanes], overwritten.
template <typename Number>
void row_cross_entropy(const CrossEntropy<Number>& call, int64_t r, float* exponentials) {
  const int64_t classes = call.classes;
  LogitRow<Number> row(call.logits + r * classes, classes);
  const int64_t target = call.targets[r];
  if (target < 0) {
    call.losses[r] = call.target_losses[r] = 0.0;
    if (call.gradient)
      for (int64_t c = 0; c < classes; c += kLanes) row.put(c, Vector{});
    return;
  }
  const float target_logit = row.at(target)[0];

  Vector largest = broadcast(target_logit), total = {};
  for (int64_t c = 0; c < classes; c += kLanes) {
    largest = larger(row.at(c, target_logit), largest);
    total += row.at(c);  // zeros after the end
  }
  const float maximum = largest_of(largest);
  Vector partition = {};
  for (int64_t c = 0; c < classes; c += kLanes) {
    const Vector x = exponential(row.at(c) - maximum);
    store(exponentials + c, x);
    partition += row.within(c, x, 0.0f);
  }
  const float sum = sum_of(partition);

  const double log_partition = static_cast<double>(maximum) + std::log(sum);
  const double mean_loss =
      log_partition - static_cast<double>(sum_of(total)) / static_cast<double>(classes);
  const double target_loss = log_partition - target_logit;
  const double loss = (1.0 - call.smoothing) * target_loss + call.smoothing * mean_loss;
  const float weight = call.weights == nullptr ? 1.0f : call.weights[r];
  call.target_losses[r] = weight * target_loss;
  call.losses[r] = weight * loss;
  if (!call.gradient) return;

  const float scale = weight * static_cast<float>(call.gradient_scale);
  const float factor = scale / sum;
  const float shift = scale * static_cast<float>(call.smoothing / static_cast<double>(classes));
  const auto gradient = [&](Vector exponential) { return exponential * factor - shift; };
  for (int64_t c = 0; c < classes; c += kLanes) row.put(c, gradient(load(exponentials + c)));
  const float confidence = scale * static_cast<float>(1.0 - call.smoothing);
  row.put(target, gradient(broadcast(exponentials[target])) - confidence, 1);
}

template <typename Number>
void all_rows(const CrossEntropy<Number>& call) {
  ThreadBuffers exponentials(call.classes + kLanes);
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < call.rows; ++r) row_cross_entropy(call, r, exponentials.own());
}

}  // namespace

void cross_entropy(const CrossEntropy<float>& call) { all_rows(call); }

void cross_entropy(const CrossEntropy<BFloat16>& call) { all_rows(call); }

}  // namespace dietmt::kernels::DIETMT_ISA
