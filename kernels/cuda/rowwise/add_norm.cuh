// Dropout + residual + norm of kernels/device_kernels.h: each row is read once, held in registers
// and written once, while the next one is on its way.
#pragma once

#include <cmath>

#include "kernels/cuda/rowwise/row_team.cuh"

namespace dietmt::kernels {

/// grid: blocks.
template <typename E, int kRowLanes>
struct AddNormBlock {
  using Arguments = AddNormArguments;
  using Team = RowTeam<E, kRowLanes>;
  static constexpr int kBlockThreads = kNormThreads;
  static constexpr int kBlocksTogether = sizeof(E) == 4 ? 1 : 2;
  static constexpr int kVectors = kNormVectors<E>;
  static constexpr int kPerVector = kVector<E>;

  using Numbers = float[kVectors][kPerVector];

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const AddNormArguments&) {
    return RowSums<kRowLanes>::kNumbers * int64_t{sizeof(float)};
  }

  struct Parameters {
    Numbers gamma, beta, bias;

    DIETMT_DEVICE explicit Parameters(const AddNormArguments& arguments) {
      const AddNorm& call = arguments.call;
      const int width = static_cast<int>(call.width);
      DIETMT_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        load_parameter(gamma[v], call.gamma, Team::column(v), width, arguments.rows);
        load_parameter(beta[v], call.beta, Team::column(v), width, arguments.rows);
        load_parameter(bias[v], call.branch_bias, Team::column(v), width, arguments.rows);
      }
    }
  };

  struct RawSum {
    RawRow<E> residual, branch;

    DIETMT_DEVICE void load(const AddNormArguments& arguments, int64_t row) {
      const AddNorm& call = arguments.call;
      if (row >= call.rows) return;
      const int width = static_cast<int>(call.width);
      residual.template load<kRowLanes>(call.residual, row, width, arguments.rows);
      branch.template load<kRowLanes>(call.branch, row, width, arguments.rows);
    }
  };

  /// residual + dropout(branch + bias).
  DIETMT_DEVICE static void add(const AddNormArguments& arguments, const RawSum& raw,
                                const Parameters& parameters, const DropoutMask& mask, int64_t row,
                                Numbers& sum) {
    const auto base = static_cast<uint32_t>(row * arguments.call.width);
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float branch[kPerVector];
      unpack<E>(raw.residual.vectors[v], sum[v]);
      unpack<E>(raw.branch.vectors[v], branch);
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) branch[e] += parameters.bias[v][e];
      mask.apply(branch, base + static_cast<uint32_t>(Team::column(v)));
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) sum[v][e] += branch[e];
    }
  }

  /// Normalizes the sum and returns its factor.
  DIETMT_DEVICE static float normalize(const AddNorm& call, RowSums<kRowLanes>& sums, Numbers& x) {
    const int width = static_cast<int>(call.width);
    const float share = 1.0f / static_cast<float>(width);
    float total[1] = {};
    if (call.beta != nullptr) {
      DIETMT_UNROLL
      for (int v = 0; v < kVectors; ++v) {
        DIETMT_UNROLL
        for (int e = 0; e < kPerVector; ++e) total[0] += x[v][e];
      }
      sums.add(total);
    }
    const float mean = total[0] * share;
    float squares[1] = {};
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) {
        x[v][e] -= mean;
        if (Team::column(v) + e < width) squares[0] += x[v][e] * x[v][e];
      }
    }
    sums.add(squares);
    const float inverse_std =
        1.0f / std::sqrt(squares[0] * share + static_cast<float>(call.epsilon));
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) x[v][e] *= inverse_std;
    }
    return inverse_std;
  }

  DIETMT_DEVICE static void store(const AddNormArguments& arguments, const Parameters& parameters,
                                  int64_t row, Numbers& x) {
    const AddNorm& call = arguments.call;
    const int width = static_cast<int>(call.width);
    E* const normalized = static_cast<E*>(call.normalized);
    E* const output = static_cast<E*>(call.output) + row * width;
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      if (normalized != nullptr) {
        store_columns(normalized + row * width, Team::column(v), width, arguments.rows,
                      packed<E>(x[v]));
      }
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) {
        x[v][e] = x[v][e] * parameters.gamma[v][e] + parameters.beta[v][e];
      }
      store_columns(output, Team::column(v), width, arguments.rows, packed<E>(x[v]));
    }
  }

  DIETMT_DEVICE static void run(const AddNormArguments& arguments, BlockIndex block, char* shared) {
    const AddNorm& call = arguments.call;
    RowSums<kRowLanes> sums(reinterpret_cast<float*>(shared));
    const Parameters parameters(arguments);
    const DropoutMask mask(arguments.dropout);
    const int64_t step = int64_t{arguments.blocks} * Team::kTeams;
    int64_t row = int64_t{block.x} * Team::kTeams + Team::index();
    RawSum next = {};
    next.load(arguments, row);
    for (int64_t base = int64_t{block.x} * Team::kTeams; base < call.rows; base += step) {
      const RawSum raw = next;
      next.load(arguments, row + step);
      Numbers x;
      add(arguments, raw, parameters, mask, row, x);
      const float inverse_std = normalize(call, sums, x);
      if (row < call.rows) {
        store(arguments, parameters, row, x);
        if (call.inverse_std != nullptr && thread_index() % kRowLanes == 0) {
          call.inverse_std[row] = inverse_std;
        }
      }
      row += step;
    }
  }
};

}  // namespace dietmt::kernels
