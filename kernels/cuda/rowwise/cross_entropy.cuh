// Label-smoothed cross-entropy of kernels/device_kernels.h: a block holds a row of logits in
// shared memory, so that memory is read once and written once; of rows that are too wide for that,
// the rest is read again. With p the softmax, V classes, s the smoothing, t the target and w the
// row's weight:
//   gradient[c] = w (p[c] - s / V - (1 - s) [c = t])
// The running maximum and sum are those of Milakov and Gimelshein 2018.
#pragma once

#include <cmath>

#include "kernels/cuda/rowwise/vectors.cuh"

namespace dietmt::kernels {

/// grid: rows.
template <typename E>
struct CrossEntropyBlock {
  using Arguments = CrossEntropyArguments;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = kRowBlocksTogether;
  static constexpr int kBlockWarps = kBlockThreads / kWarpThreads;
  static constexpr int kHeld = 16;  // vectors of a thread in shared memory
  static constexpr int64_t kHeldBytes = int64_t{kHeld} * kBlockThreads * 16;
  static constexpr int kStep = kBlockThreads * kVector<E>;
  static constexpr float kLog2E = 1.44269504f;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const CrossEntropyArguments&) {
    return kHeldBytes + 3 * kBlockWarps * int64_t{sizeof(float)};
  }

  /// The vectors of a row that belong to this thread; nobody else reads where they are held.
  struct RowOfLogits {
    E* row;
    const float* bias;
    int classes;
    Rows rows;
    Words* held;

    DIETMT_DEVICE RowOfLogits(const CrossEntropyArguments& arguments, int64_t index, char* shared)
        : row(static_cast<E*>(arguments.call.logits) + index * arguments.call.classes),
          bias(arguments.call.bias),
          classes(static_cast<int>(arguments.call.classes)),
          rows(arguments.rows),
          held(reinterpret_cast<Words*>(shared) + thread_index()) {
      for (int i = 0; i < kHeld && column(i) < classes; ++i) {
        Words* const to = held + i * kBlockThreads;
        if (rows == Rows::kVectors) {
          copy_async(to, row + column(i), true);
        } else {
          *to = load_columns(row, column(i), classes, rows);
        }
      }
      commit_copies();
      wait_copies<0>();
    }

    DIETMT_DEVICE static int column(int i) { return i * kStep + thread_index() * kVector<E>; }

    template <typename Use>
    DIETMT_DEVICE void use_vector(const Words& words, int first, const Use& use) const {
      float numbers[kVector<E>];
      float offsets[kVector<E>];
      unpack<E>(words, numbers);
      load_parameter(offsets, bias, first, classes, rows);
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) numbers[e] += offsets[e];
      use(first, numbers);
    }

    /// use(first column, kVector logits) for every vector.
    template <typename Use>
    DIETMT_DEVICE void each(const Use& use) const {
      for (int i = 0; i < kHeld && column(i) < classes; ++i) {
        use_vector(held[i * kBlockThreads], column(i), use);
      }
      for (int first = column(kHeld); first < classes; first += kStep) {
        use_vector(load_columns(row, first, classes, rows), first, use);
      }
    }
  };

  /// A thread's sums over its part of the row: sum of exp(x - maximum), sum of x.
  struct Totals {
    float maximum = -3.402823466e38f;
    float exponentials = 0.0f;
    float logits = 0.0f;

    DIETMT_DEVICE void add(int first, int classes, const float (&x)[kVector<E>]) {
      float largest = maximum;
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) {
        if (first + e < classes && x[e] > largest) largest = x[e];
      }
      exponentials *= exp2_fast((maximum - largest) * kLog2E);
      maximum = largest;
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) {
        if (first + e >= classes) continue;
        exponentials += exp2_fast((x[e] - largest) * kLog2E);
        logits += x[e];
      }
    }

    DIETMT_DEVICE void add(const Totals& other) {
      const float largest = maximum > other.maximum ? maximum : other.maximum;
      exponentials = exponentials * exp2_fast((maximum - largest) * kLog2E) +
                     other.exponentials * exp2_fast((other.maximum - largest) * kLog2E);
      maximum = largest;
      logits += other.logits;
    }

    /// The totals of the block, in every thread.
    DIETMT_DEVICE void add_threads(float* shared) {
      DIETMT_UNROLL
      for (int mask = kWarpThreads / 2; mask > 0; mask /= 2) {
        add({shuffle_xor(maximum, mask), shuffle_xor(exponentials, mask),
             shuffle_xor(logits, mask)});
      }
      if (lane_index() == 0) {
        shared[3 * warp_index()] = maximum;
        shared[3 * warp_index() + 1] = exponentials;
        shared[3 * warp_index() + 2] = logits;
      }
      sync_block();
      *this = {};
      for (int warp = 0; warp < kBlockWarps; ++warp) {
        add({shared[3 * warp], shared[3 * warp + 1], shared[3 * warp + 2]});
      }
    }
  };

  DIETMT_DEVICE static float one_logit(const RowOfLogits& logits, int64_t column) {
    return to_float(logits.row[column]) + (logits.bias == nullptr ? 0.0f : logits.bias[column]);
  }

  DIETMT_DEVICE static float weight_of(const DeviceCrossEntropy& call, int64_t row) {
    return call.weights == nullptr ? 1.0f : call.weights[row];
  }

  DIETMT_DEVICE static void store_losses(const DeviceCrossEntropy& call, int64_t row,
                                         const Totals& totals, float target_logit) {
    const float log_partition = totals.maximum + std::log(totals.exponentials);
    const float target_loss = log_partition - target_logit;
    const float mean_loss = log_partition - totals.logits / static_cast<float>(call.classes);
    const auto smoothing = static_cast<float>(call.smoothing);
    const float weight = weight_of(call, row);
    call.losses[2 * row] = weight * ((1.0f - smoothing) * target_loss + smoothing * mean_loss);
    call.losses[2 * row + 1] = weight * target_loss;
  }

  DIETMT_DEVICE static void ignore_row(const CrossEntropyArguments& arguments, int64_t index) {
    const DeviceCrossEntropy& call = arguments.call;
    if (thread_index() < 2) call.losses[2 * index + thread_index()] = 0.0f;
    if (!call.gradient) return;
    const auto classes = static_cast<int>(call.classes);
    E* const row = static_cast<E*>(call.logits) + index * call.classes;
    constexpr float kZeros[kVector<E>] = {};
    for (int first = thread_index() * kVector<E>; first < classes; first += kStep) {
      store_columns(row, first, classes, arguments.rows, packed<E>(kZeros));
    }
  }

  DIETMT_DEVICE static void run(const CrossEntropyArguments& arguments, BlockIndex block,
                                char* shared) {
    const DeviceCrossEntropy& call = arguments.call;
    const int64_t target = call.targets[block.x];
    if (target < 0) return ignore_row(arguments, block.x);
    const RowOfLogits logits(arguments, block.x, shared);
    const float target_logit = one_logit(logits, target);
    Totals totals;
    logits.each(
        [&](int first, const float(&x)[kVector<E>]) { totals.add(first, logits.classes, x); });
    // After its barrier nobody reads the target's logit any more.
    totals.add_threads(reinterpret_cast<float*>(shared + kHeldBytes));
    if (thread_index() == 0) store_losses(call, block.x, totals, target_logit);
    if (!call.gradient) return;

    const float weight = weight_of(call, block.x);
    const float factor = weight / totals.exponentials;
    const float shift =
        weight * static_cast<float>(call.smoothing / static_cast<double>(call.classes));
    const float confidence = weight * static_cast<float>(1.0 - call.smoothing);
    logits.each([&](int first, const float(&x)[kVector<E>]) {
      float gradient[kVector<E>];
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) {
        gradient[e] = exp2_fast((x[e] - totals.maximum) * kLog2E) * factor - shift;
        if (first + e == target) gradient[e] -= confidence;
      }
      store_columns(logits.row, first, logits.classes, arguments.rows, packed<E>(gradient));
    });
  }
};

}  // namespace dietmt::kernels
