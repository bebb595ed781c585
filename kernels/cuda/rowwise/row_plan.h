// The arguments of the row kernels for a call. They depend only on the call, never on the device,
// so results do not either. Throw Error where the kernels cannot run a call.
#pragma once

#include "kernels/cuda/rowwise/row_arguments.h"

namespace dietmt::kernels {

/// Threads that hold a row of this width: 8, 16, .., 256.
int row_lanes(int64_t width);

/// `together`: rows that a thread reads before it computes.
RowSplit split_rows(int64_t rows, int64_t units, int together);

enum class ColumnTarget { kReplace, kAdd };

AddNormArguments plan(const AddNorm& call);
AddNormBackwardArguments plan(const AddNormBackward& call, const RowMemory& memory);
ActivateArguments plan(const Activate& call);
ActivateBackwardArguments plan(const ActivateBackward& call, const RowMemory& memory);
ColumnSumsArguments plan(const DeviceColumnSums& call, const RowMemory& memory,
                         ColumnTarget target = ColumnTarget::kReplace);
EmbedArguments plan(const DeviceEmbed& call);
EmbedBackwardArguments plan(const DeviceEmbedBackward& call, const RowMemory& memory);
CrossEntropyArguments plan(const DeviceCrossEntropy& call);
RotateArguments plan(const Rotate& call);

/// Numbers of RowMemory::partial for a call.
int64_t partial_numbers(const DeviceEmbedBackward& call);
template <typename Call>
int64_t partial_numbers(const Call& call) {
  return plan(call, RowMemory{}).reduction.numbers();
}

}  // namespace dietmt::kernels
