// The row operations of kernels/device_kernels.h on an NVIDIA GPU of compute capability 8.0 or
// newer. `stream` is a cudaStream_t. The calls return before the work is done; they throw Error if
// a kernel cannot run or be started.
#pragma once

#include "kernels/cuda/rowwise/row_plan.h"

namespace dietmt::kernels {

void add_norm_cuda(const AddNorm& call, void* stream);
void activate_cuda(const Activate& call, void* stream);
void embed_cuda(const DeviceEmbed& call, void* stream);
void cross_entropy_cuda(const DeviceCrossEntropy& call, void* stream);
void rotate_cuda(const Rotate& call, void* stream);

/// memory.partial: partial_numbers(call) numbers at 16 bytes, free once the stream has passed.
/// memory.tickets: zeros, for the calls of one stream; they leave zeros.
void add_norm_backward_cuda(const AddNormBackward& call, const RowMemory& memory, void* stream);
void activate_backward_cuda(const ActivateBackward& call, const RowMemory& memory, void* stream);
void embed_backward_cuda(const DeviceEmbedBackward& call, const RowMemory& memory, void* stream);
void column_sums_cuda(const DeviceColumnSums& call, const RowMemory& memory, void* stream,
                      ColumnTarget target = ColumnTarget::kReplace);

/// For one element type, in the objects of rowwise_instance.cu.
template <typename E, typename Arguments>
void launch_rows_on(const Arguments& arguments, void* stream);

}  // namespace dietmt::kernels
