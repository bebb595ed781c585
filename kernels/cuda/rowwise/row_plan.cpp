#include "kernels/cuda/rowwise/row_plan.h"

#include <algorithm>
#include <initializer_list>
#include <string>

#include "common/error.h"

namespace dietmt::kernels {
namespace {

int64_t ceil_of(int64_t count, int64_t size) { return (count + size - 1) / size; }

/// Elements of 16 bytes.
int64_t vector_of(ElementType type) { return type == ElementType::kFloat ? 4 : 8; }

/// `period`: elements after which a row, or a half of it, begins again.
Rows rows_of(ElementType type, int64_t period, std::initializer_list<const void*> tensors) {
  const bool aligned = std::all_of(tensors.begin(), tensors.end(), [](const void* tensor) {
    return reinterpret_cast<uintptr_t>(tensor) % 16 == 0;
  });
  return aligned && period % vector_of(type) == 0 ? Rows::kVectors : Rows::kRagged;
}

DropoutNumbers numbers_of(const DropoutCall& call) {
  return {call.key, dropout_threshold(call.p), static_cast<float>(1.0 / (1.0 - call.p))};
}

int norm_blocks(int64_t rows, int64_t width) {
  const int64_t teams = kNormThreads / row_lanes(width);
  return static_cast<int>(std::clamp<int64_t>(ceil_of(rows, teams), 1, kNormBlocks));
}

ColumnReduction reduction_of(const RowMemory& memory, std::initializer_list<float*> sums,
                             int64_t width, int parts, int strips) {
  ColumnReduction reduction;
  reduction.partial = memory.partial;
  reduction.tickets = memory.tickets;
  for (float* const sum : sums) reduction.sums[reduction.count++] = sum;
  reduction.parts = parts;
  reduction.strips = strips;
  reduction.width = width;
  if (int64_t{strips} * (1 + reduction.groups()) > kTicketCount) {
    throw Error("column sums on a GPU: rows of " + std::to_string(width) +
                " elements are too wide");
  }
  return reduction;
}

RowSplit split_columns(ElementType type, int64_t rows, int64_t width, int together) {
  return split_rows(rows, ceil_of(width, vector_of(type)), together);
}

}  // namespace

int row_lanes(int64_t width) {
  if (width > kWidestDeviceNorm) {
    throw Error("a norm on a GPU: rows of " + std::to_string(width) + " elements, more than " +
                std::to_string(kWidestDeviceNorm));
  }
  int lanes = 8;
  while (width > int64_t{lanes} * kNormElements) lanes *= 2;
  return lanes;
}

RowSplit split_rows(int64_t rows, int64_t units, int together) {
  RowSplit split;
  split.rows = rows;
  split.units = static_cast<int>(units);
  split.strips = static_cast<int>(std::max<int64_t>(ceil_of(units, kRowThreads), 1));
  split.per_strip = static_cast<int>(std::max<int64_t>(ceil_of(units, split.strips), 1));
  split.lanes = kRowThreads / split.per_strip;
  const int64_t most = std::max(kMostBlocks / split.strips, 1);
  const int64_t useful = ceil_of(rows, int64_t{split.lanes} * together);
  split.parts = static_cast<int>(std::clamp<int64_t>(useful, 1, most));
  return split;
}

AddNormArguments plan(const AddNorm& call) {
  const Rows rows = rows_of(call.type, call.width,
                            {call.residual, call.branch, call.branch_bias, call.gamma, call.beta,
                             call.normalized, call.output});
  return {call, numbers_of(call.dropout), rows, norm_blocks(call.rows, call.width)};
}

AddNormBackwardArguments plan(const AddNormBackward& call, const RowMemory& memory) {
  const Rows rows = rows_of(
      call.type, call.width,
      {call.grad_output, call.normalized, call.gamma, call.grad_residual, call.grad_branch});
  return {call, numbers_of(call.dropout), rows,
          reduction_of(memory, {call.grad_gamma, call.grad_beta, call.grad_branch_bias}, call.width,
                       norm_blocks(call.rows, call.width), 1)};
}

ActivateArguments plan(const Activate& call) {
  return {call, numbers_of(call.dropout),
          rows_of(call.type, call.width, {call.x, call.bias, call.residual, call.output}),
          split_columns(call.type, call.rows, call.width, 2)};
}

ActivateBackwardArguments plan(const ActivateBackward& call, const RowMemory& memory) {
  const Activate& forward = call.forward;
  ActivateBackwardArguments arguments;
  arguments.call = call;
  arguments.dropout = numbers_of(forward.dropout);
  arguments.rows = rows_of(forward.type, forward.width,
                           {forward.x, forward.bias, call.grad_output, call.grad_x});
  const RowSplit& split = arguments.split =
      split_columns(forward.type, forward.rows, forward.width, 2);
  if (call.grad_bias == nullptr) return arguments;
  const bool gated = forward.activation == Activation::kSwiglu;
  float* const right = call.grad_bias + forward.width;
  arguments.reduction =
      gated
          ? reduction_of(memory, {call.grad_bias, right}, forward.width, split.parts, split.strips)
          : reduction_of(memory, {call.grad_bias}, forward.width, split.parts, split.strips);
  return arguments;
}

ColumnSumsArguments plan(const DeviceColumnSums& call, const RowMemory& memory,
                         ColumnTarget target) {
  ColumnSumsArguments arguments;
  arguments.call = call;
  arguments.rows = rows_of(call.type, call.width, {call.x});
  if (call.row_stride % vector_of(call.type) != 0) arguments.rows = Rows::kRagged;
  const RowSplit& split = arguments.split = split_columns(call.type, call.rows, call.width, 8);
  arguments.reduction = reduction_of(memory, {call.sums}, call.width, split.parts, split.strips);
  arguments.reduction.add = target == ColumnTarget::kAdd;
  return arguments;
}

EmbedArguments plan(const DeviceEmbed& call) {
  return {call, numbers_of(call.dropout),
          rows_of(call.type, call.width, {call.table, call.position_table, call.output}),
          split_columns(call.type, call.rows, call.width, 2)};
}

EmbedBackwardArguments plan(const DeviceEmbedBackward& call, const RowMemory& memory) {
  const int64_t chunks = ceil_of(call.rows, kPlacesOfChunk);
  EmbedBackwardArguments arguments{
      call, numbers_of(call.dropout),
      rows_of(call.type, call.width, {call.grad_output, call.grad_table}),
      split_columns(call.type, chunks, call.width, 1), memory.partial};
  arguments.split.parts = static_cast<int>(ceil_of(chunks, arguments.split.lanes));
  return arguments;
}

int64_t partial_numbers(const DeviceEmbedBackward& call) { return plan(call, {}).numbers(); }

CrossEntropyArguments plan(const DeviceCrossEntropy& call) {
  return {call, rows_of(call.type, call.classes, {call.logits, call.bias})};
}

RotateArguments plan(const Rotate& call) {
  RotateArguments arguments;
  arguments.call = call;
  const int64_t pairs = vector_of(call.type);
  arguments.rows = rows_of(call.type, call.head_width / 2, {call.x, call.table, call.output});
  if (call.row_stride % pairs != 0) arguments.rows = Rows::kRagged;
  arguments.groups = static_cast<int>(ceil_of(call.head_width / 2, pairs));
  arguments.split = split_rows(call.rows, call.heads * arguments.groups, 1);
  return arguments;
}

}  // namespace dietmt::kernels
