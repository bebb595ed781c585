// Starts the row kernel of each call on a `launcher` with launch<Block>(grid, arguments): the
// device's stream, or the fibres of the tests.
#pragma once

#include "kernels/cuda/rowwise/activate.cuh"
#include "kernels/cuda/rowwise/add_norm.cuh"
#include "kernels/cuda/rowwise/add_norm_backward.cuh"
#include "kernels/cuda/rowwise/column_sums.cuh"
#include "kernels/cuda/rowwise/cross_entropy.cuh"
#include "kernels/cuda/rowwise/embed.cuh"
#include "kernels/cuda/rowwise/embed_backward.cuh"
#include "kernels/cuda/rowwise/rotate.cuh"
#include "kernels/cuda/rowwise/row_plan.h"

namespace dietmt::kernels {

/// Starts Block<E, threads of a row>.
template <template <typename, int> typename Block, typename E, typename Arguments,
          typename Launcher>
void launch_norm(int blocks, const Arguments& arguments, Launcher& launcher) {
  const BlockIndex grid{blocks, 1, 1};
  switch (row_lanes(arguments.call.width)) {
    case 8:
      return launcher.template launch<Block<E, 8>>(grid, arguments);
    case 16:
      return launcher.template launch<Block<E, 16>>(grid, arguments);
    case 32:
      return launcher.template launch<Block<E, 32>>(grid, arguments);
    case 64:
      return launcher.template launch<Block<E, 64>>(grid, arguments);
    case 128:
      return launcher.template launch<Block<E, 128>>(grid, arguments);
    default:
      return launcher.template launch<Block<E, 256>>(grid, arguments);
  }
}

/// Starts Block<E, activation>.
template <template <typename, Activation> typename Block, typename E, typename Arguments,
          typename Launcher>
void launch_activation(Activation activation, const Arguments& arguments, Launcher& launcher) {
  const BlockIndex grid = arguments.split.grid();
  switch (activation) {
    case Activation::kNone:
      return launcher.template launch<Block<E, Activation::kNone>>(grid, arguments);
    case Activation::kRelu:
      return launcher.template launch<Block<E, Activation::kRelu>>(grid, arguments);
    case Activation::kGelu:
      return launcher.template launch<Block<E, Activation::kGelu>>(grid, arguments);
    case Activation::kSilu:
      return launcher.template launch<Block<E, Activation::kSilu>>(grid, arguments);
    default:
      return launcher.template launch<Block<E, Activation::kSwiglu>>(grid, arguments);
  }
}

template <typename E, typename Launcher>
void run_rows(const AddNormArguments& arguments, Launcher& launcher) {
  launch_norm<AddNormBlock, E>(arguments.blocks, arguments, launcher);
}

template <typename E, typename Launcher>
void run_rows(const AddNormBackwardArguments& arguments, Launcher& launcher) {
  launch_norm<AddNormBackwardBlock, E>(arguments.reduction.parts, arguments, launcher);
}

template <typename E, typename Launcher>
void run_rows(const ActivateArguments& arguments, Launcher& launcher) {
  launch_activation<ActivateBlock, E>(arguments.call.activation, arguments, launcher);
}

template <typename E, typename Launcher>
void run_rows(const ActivateBackwardArguments& arguments, Launcher& launcher) {
  launch_activation<ActivateBackwardBlock, E>(arguments.call.forward.activation, arguments,
                                              launcher);
}

template <typename E, typename Launcher>
void run_rows(const ColumnSumsArguments& arguments, Launcher& launcher) {
  launcher.template launch<ColumnSumsBlock<E>>(arguments.split.grid(), arguments);
}

template <typename E, typename Launcher>
void run_rows(const EmbedArguments& arguments, Launcher& launcher) {
  launcher.template launch<EmbedBlock<E>>(arguments.split.grid(), arguments);
}

template <typename E, typename Launcher>
void run_rows(const EmbedBackwardArguments& arguments, Launcher& launcher) {
  const RowSplit& split = arguments.split;
  launcher.template launch<EmbedBackwardBlock<E>>(split.grid(), arguments);
  launcher.template launch<EmbedCrossingBlock<E>>(
      {static_cast<int>(split.rows) - 1, split.strips, 1}, arguments);
}

template <typename E, typename Launcher>
void run_rows(const CrossEntropyArguments& arguments, Launcher& launcher) {
  launcher.template launch<CrossEntropyBlock<E>>({static_cast<int>(arguments.call.rows), 1, 1},
                                                 arguments);
}

template <typename E, typename Launcher>
void run_rows(const RotateArguments& arguments, Launcher& launcher) {
  launcher.template launch<RotateBlock<E>>(arguments.split.grid(), arguments);
}

}  // namespace dietmt::kernels
