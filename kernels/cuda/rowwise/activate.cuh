// Bias + activation + dropout + residual of kernels/device_kernels.h, and its gradients with the
// column sums for the bias, one pass each. GELU is x Phi(x) with the exact normal distribution
// (Hendrycks and Gimpel 2016), SiLU x sigmoid(x) (Elfwing et al. 2018), SwiGLU that of Shazeer
// 2020.
#pragma once

#include <cmath>

#include "kernels/cuda/rowwise/row_walk.cuh"

namespace dietmt::kernels {

DIETMT_DEVICE float sigmoid(float x) {
  constexpr float kLog2E = 1.44269504f;
  return 1.0f / (1.0f + exp2_fast(-x * kLog2E));
}

DIETMT_DEVICE float normal_distribution(float x) {
  constexpr float kSqrtHalf = 0.70710678f;
  return 0.5f * (1.0f + std::erf(x * kSqrtHalf));
}

template <Activation kActivation>
DIETMT_DEVICE float activation(float x) {
  if constexpr (kActivation == Activation::kRelu) {
    return x <= 0.0f ? 0.0f : x;  // NaN stays NaN, as on the CPU, so that divergence shows
  } else if constexpr (kActivation == Activation::kGelu) {
    return x * normal_distribution(x);
  } else if constexpr (kActivation == Activation::kNone) {
    return x;
  } else {
    return x * sigmoid(x);
  }
}

template <Activation kActivation>
DIETMT_DEVICE float slope(float x) {
  if constexpr (kActivation == Activation::kRelu) {
    return x <= 0.0f ? 0.0f : 1.0f;  // the gradient of NaN passes, as in LibTorch
  } else if constexpr (kActivation == Activation::kGelu) {
    constexpr float kHalfLog2E = 0.72134752f;
    constexpr float kInverseSqrt2Pi = 0.39894228f;
    return normal_distribution(x) + x * exp2_fast(-x * x * kHalfLog2E) * kInverseSqrt2Pi;
  } else if constexpr (kActivation == Activation::kNone) {
    return 1.0f;
  } else {
    const float s = sigmoid(x);
    return s * (1.0f + x * (1.0f - s));
  }
}

/// What both passes read of x: its columns, and with kSwiglu those of the right half.
template <typename E, Activation kActivation>
struct ActivationInput {
  static constexpr bool kGated = kActivation == Activation::kSwiglu;
  static constexpr int kHalves = kGated ? 2 : 1;
  static constexpr int kPerVector = kVector<E>;

  struct Bias {
    float half[kHalves][kPerVector];

    DIETMT_DEVICE Bias(const Activate& call, int column, Rows rows) {
      const int width = static_cast<int>(call.width);
      load_parameter(half[0], call.bias, column, width, rows);
      if constexpr (kGated) {
        const float* const right = call.bias == nullptr ? nullptr : call.bias + width;
        load_parameter(half[1], right, column, width, rows);
      }
    }
  };

  Words half[kHalves];

  DIETMT_DEVICE void load(const Activate& call, int64_t row, int column, Rows rows) {
    const int width = static_cast<int>(call.width);
    const E* const start = static_cast<const E*>(call.x) + row * kHalves * width;
    half[0] = load_columns(start, column, width, rows);
    if constexpr (kGated) half[1] = load_columns(start + width, column, width, rows);
  }

  DIETMT_DEVICE void numbers(const Bias& bias, float (&x)[kHalves][kPerVector]) const {
    DIETMT_UNROLL
    for (int h = 0; h < kHalves; ++h) {
      unpack<E>(half[h], x[h]);
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) x[h][e] += bias.half[h][e];
    }
  }
};

/// grid: RowSplit::grid().
template <typename E, Activation kActivation>
struct ActivateBlock {
  using Arguments = ActivateArguments;
  using Input = ActivationInput<E, kActivation>;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = Input::kGated ? 2 : kRowBlocksTogether;
  static constexpr int kTogether = 2;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ActivateArguments&) { return 0; }

  struct Raw {
    Input x;
    Words residual;
  };

  DIETMT_DEVICE static void run(const ActivateArguments& arguments, BlockIndex block, char*) {
    const Activate& call = arguments.call;
    const int width = static_cast<int>(call.width);
    const RowWalk walk(arguments.split, block);
    const int column = walk.unit * kVector<E>;
    const typename Input::Bias bias(call, column, arguments.rows);
    const DropoutMask mask(arguments.dropout);
    const auto load = [&](int64_t row) {
      Raw raw = {};
      raw.x.load(call, row, column, arguments.rows);
      if (call.residual != nullptr) {
        raw.residual = load_columns(static_cast<const E*>(call.residual) + row * width, column,
                                    width, arguments.rows);
      }
      return raw;
    };
    walk.template each<kTogether>(call.rows, load, [&](int64_t row, const Raw& raw) {
      float x[Input::kHalves][kVector<E>];
      float y[kVector<E>];
      float sum[kVector<E>];
      raw.x.numbers(bias, x);
      unpack<E>(raw.residual, sum);
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) {
        y[e] = activation<kActivation>(x[0][e]);
        if constexpr (Input::kGated) y[e] *= x[1][e];
      }
      mask.apply(y, static_cast<uint32_t>(row * width + column));
      DIETMT_UNROLL
      for (int e = 0; e < kVector<E>; ++e) sum[e] += y[e];
      store_columns(static_cast<E*>(call.output) + row * width, column, width, arguments.rows,
                    packed<E>(sum));
    });
  }
};

/// grid: RowSplit::grid().
template <typename E, Activation kActivation>
struct ActivateBackwardBlock {
  using Arguments = ActivateBackwardArguments;
  using Input = ActivationInput<E, kActivation>;
  static constexpr int kBlockThreads = kRowThreads;
  static constexpr int kBlocksTogether = Input::kGated ? 2 : kRowBlocksTogether;
  static constexpr int kTogether = 2;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const ActivateBackwardArguments&) {
    return lane_columns_bytes(kVector<E>);
  }

  struct Raw {
    Input x;
    Words grad;
  };

  /// The gradient of x in place of x.
  DIETMT_DEVICE static void differentiate(const DropoutMask& mask, const Raw& raw, uint32_t index,
                                          float (&x)[Input::kHalves][kVector<E>]) {
    float grad[kVector<E>];
    unpack<E>(raw.grad, grad);
    mask.apply(grad, index);
    DIETMT_UNROLL
    for (int e = 0; e < kVector<E>; ++e) {
      float left = grad[e];
      if constexpr (Input::kGated) {
        left *= x[1][e];
        x[1][e] = grad[e] * activation<kActivation>(x[0][e]);
      }
      x[0][e] = left * slope<kActivation>(x[0][e]);
    }
  }

  DIETMT_DEVICE static void run(const ActivateBackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    const Activate& call = arguments.call.forward;
    const int width = static_cast<int>(call.width);
    const RowWalk walk(arguments.split, block);
    const int column = walk.unit * kVector<E>;
    const typename Input::Bias bias(call, column, arguments.rows);
    const DropoutMask mask(arguments.dropout);
    float sums[Input::kHalves][kVector<E>] = {};
    const auto load = [&](int64_t row) {
      Raw raw = {};
      if (kActivation != Activation::kNone) raw.x.load(call, row, column, arguments.rows);
      raw.grad = load_columns(static_cast<const E*>(arguments.call.grad_output) + row * width,
                              column, width, arguments.rows);
      return raw;
    };
    walk.template each<kTogether>(call.rows, load, [&](int64_t row, const Raw& raw) {
      float x[Input::kHalves][kVector<E>];
      raw.x.numbers(bias, x);
      differentiate(mask, raw, static_cast<uint32_t>(row * width + column), x);
      E* const grad_x = static_cast<E*>(arguments.call.grad_x) + row * Input::kHalves * width;
      DIETMT_UNROLL
      for (int h = 0; h < Input::kHalves; ++h) {
        store_columns(grad_x + h * width, column, width, arguments.rows, packed<E>(x[h]));
        DIETMT_UNROLL
        for (int e = 0; e < kVector<E>; ++e) sums[h][e] += x[h][e];
      }
    });
    const ColumnReduction& reduction = arguments.reduction;
    if (reduction.count == 0) return;
    auto* const numbers = reinterpret_cast<float*>(shared);
    DIETMT_UNROLL
    for (int h = 0; h < Input::kHalves; ++h) {
      store_lane_columns(reduction, h, arguments.split, walk, block, sums[h], numbers);
    }
    finish_columns(reduction, columns_of<kVector<E>>(arguments.split, block.y, width), block.x,
                   block.y, reinterpret_cast<uint32_t*>(numbers + kRowThreads * kVector<E>));
  }
};

}  // namespace dietmt::kernels
