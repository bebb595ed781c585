// The gradients of add_norm.cuh. With g = grad_output * gamma, means over the columns of a row:
//   grad_sum = inverse_std (g - mean(g) - normalized mean(g normalized)), without mean(g) for RMS
// and the column sums for gamma, beta and the branch's bias, in one kernel.
#pragma once

#include "kernels/cuda/rowwise/column_reduction.cuh"
#include "kernels/cuda/rowwise/row_team.cuh"

namespace dietmt::kernels {

/// grid: blocks.
template <typename E, int kRowLanes>
struct AddNormBackwardBlock {
  using Arguments = AddNormBackwardArguments;
  using Team = RowTeam<E, kRowLanes>;
  static constexpr int kBlockThreads = kNormThreads;
  static constexpr int kBlocksTogether = sizeof(E) == 4 ? 1 : 2;
  static constexpr int kVectors = kNormVectors<E>;
  static constexpr int kPerVector = kVector<E>;

  using Numbers = float[kVectors][kPerVector];

  /// Memory of a block: the sums of rows, which later holds the columns of every team.
  static constexpr int kSharedNumbers = Team::kTeams * Team::kColumns;

  DIETMT_HOST_DEVICE static int64_t shared_bytes(const AddNormBackwardArguments&) {
    return (kSharedNumbers + 4) * int64_t{sizeof(float)};
  }

  struct Raw {
    RawRow<E> grad, normalized;
    float inverse_std = 0.0f;

    DIETMT_DEVICE void load(const AddNormBackwardArguments& arguments, int64_t row) {
      const AddNormBackward& call = arguments.call;
      if (row >= call.rows) {
        *this = {};
        return;
      }
      const int width = static_cast<int>(call.width);
      grad.template load<kRowLanes>(call.grad_output, row, width, arguments.rows);
      normalized.template load<kRowLanes>(call.normalized, row, width, arguments.rows);
      inverse_std = call.inverse_std[row];
    }
  };

  struct ColumnSums {
    Numbers gamma, beta, bias;
  };

  /// From the cache for every row: registers hold the column sums.
  DIETMT_DEVICE static void load_gamma(const AddNormBackwardArguments& arguments, int v,
                                       float (&gamma)[kPerVector]) {
    load_parameter(gamma, arguments.call.gamma, Team::column(v),
                   static_cast<int>(arguments.call.width), arguments.rows);
  }

  /// The sums of g and of g normalized; adds to the sums for gamma and beta.
  DIETMT_DEVICE static void add_row(const AddNormBackwardArguments& arguments, const Raw& raw,
                                    float (&totals)[2], ColumnSums& columns) {
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float gamma[kPerVector];
      load_gamma(arguments, v, gamma);
      float grad[kPerVector];
      float normalized[kPerVector];
      unpack<E>(raw.grad.vectors[v], grad);
      unpack<E>(raw.normalized.vectors[v], normalized);
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) {
        const float g = grad[e] * gamma[e];
        totals[0] += g;
        totals[1] += g * normalized[e];
        columns.gamma[v][e] += grad[e] * normalized[e];
        columns.beta[v][e] += grad[e];
      }
    }
  }

  DIETMT_DEVICE static void store_row(const AddNormBackwardArguments& arguments, const Raw& raw,
                                      const DropoutMask& mask, const float (&means)[2], int64_t row,
                                      ColumnSums& columns) {
    const AddNormBackward& call = arguments.call;
    const int width = static_cast<int>(call.width);
    const auto base = static_cast<uint32_t>(row * call.width);
    E* const grad_residual = static_cast<E*>(call.grad_residual) + row * width;
    E* const grad_branch = static_cast<E*>(call.grad_branch);
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      const int column = Team::column(v);
      float gamma[kPerVector];
      load_gamma(arguments, v, gamma);
      float grad[kPerVector];
      float normalized[kPerVector];
      unpack<E>(raw.grad.vectors[v], grad);
      unpack<E>(raw.normalized.vectors[v], normalized);
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) {
        grad[e] = raw.inverse_std * (grad[e] * gamma[e] - means[0] - normalized[e] * means[1]);
      }
      store_columns(grad_residual, column, width, arguments.rows, packed<E>(grad));
      mask.apply(grad, base + static_cast<uint32_t>(column));
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) {
        columns.bias[v][e] += grad[e];
      }
      if (grad_branch != nullptr) {
        store_columns(grad_branch + row * width, column, width, arguments.rows, packed<E>(grad));
      }
    }
  }

  /// The block's sum `sum` from the sums of its teams, in their order.
  DIETMT_DEVICE static void store_columns_of_block(const ColumnReduction& reduction, int sum,
                                                   int part, const Numbers& own, float* shared) {
    if (reduction.sums[sum] == nullptr) return;
    sync_block();
    DIETMT_UNROLL
    for (int v = 0; v < kVectors; ++v) {
      float* const to = shared + Team::index() * Team::kColumns + Team::column(v);
      DIETMT_UNROLL
      for (int e = 0; e < kPerVector; ++e) to[e] = own[v][e];
    }
    sync_block();
    float* const row = reduction.row(sum, part);
    for (int column = thread_index(); column < reduction.width; column += kNormThreads) {
      float total = 0.0f;
      DIETMT_UNROLL
      for (int team = 0; team < Team::kTeams; ++team)
        total += shared[team * Team::kColumns + column];
      row[column] = total;
    }
  }

  DIETMT_DEVICE static void run(const AddNormBackwardArguments& arguments, BlockIndex block,
                                char* shared) {
    const AddNormBackward& call = arguments.call;
    const ColumnReduction& reduction = arguments.reduction;
    auto* const numbers = reinterpret_cast<float*>(shared);
    RowSums<kRowLanes> sums(numbers);
    const float share = 1.0f / static_cast<float>(call.width);
    const DropoutMask mask(arguments.dropout);
    ColumnSums columns = {};
    const int64_t step = int64_t{reduction.parts} * Team::kTeams;
    int64_t row = int64_t{block.x} * Team::kTeams + Team::index();
    Raw next;
    next.load(arguments, row);
    for (int64_t base = int64_t{block.x} * Team::kTeams; base < call.rows; base += step) {
      const Raw raw = next;
      next.load(arguments, row + step);
      float means[2] = {};
      add_row(arguments, raw, means, columns);
      sums.add(means);
      means[0] *= call.beta != nullptr ? share : 0.0f;
      means[1] *= share;
      if (row < call.rows) store_row(arguments, raw, mask, means, row, columns);
      row += step;
    }
    store_columns_of_block(reduction, 0, block.x, columns.gamma, numbers);
    store_columns_of_block(reduction, 1, block.x, columns.beta, numbers);
    store_columns_of_block(reduction, 2, block.x, columns.bias, numbers);
    finish_columns(reduction, {0, reduction.width}, block.x, 0,
                   reinterpret_cast<uint32_t*>(numbers + kSharedNumbers));
  }
};

}  // namespace dietmt::kernels
