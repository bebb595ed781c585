#include "kernels/cuda/rowwise/rowwise_cuda.h"

namespace dietmt::kernels {
namespace {

template <typename Arguments>
void launch(ElementType type, const Arguments& arguments, void* stream) {
  switch (type) {
    case ElementType::kFloat:
      return launch_rows_on<float>(arguments, stream);
    case ElementType::kBFloat16:
      return launch_rows_on<BFloat16>(arguments, stream);
    case ElementType::kHalf:
      return launch_rows_on<Half>(arguments, stream);
  }
}

}  // namespace

void add_norm_cuda(const AddNorm& call, void* stream) {
  if (call.rows > 0) launch(call.type, plan(call), stream);
}

void activate_cuda(const Activate& call, void* stream) {
  if (call.rows > 0) launch(call.type, plan(call), stream);
}

void embed_cuda(const DeviceEmbed& call, void* stream) {
  if (call.rows > 0) launch(call.type, plan(call), stream);
}

void cross_entropy_cuda(const DeviceCrossEntropy& call, void* stream) {
  launch(call.type, plan(call), stream);
}

void rotate_cuda(const Rotate& call, void* stream) {
  if (call.rows > 0) launch(call.type, plan(call), stream);
}

void add_norm_backward_cuda(const AddNormBackward& call, const RowMemory& memory, void* stream) {
  launch(call.type, plan(call, memory), stream);
}

void activate_backward_cuda(const ActivateBackward& call, const RowMemory& memory, void* stream) {
  launch(call.forward.type, plan(call, memory), stream);
}

void embed_backward_cuda(const DeviceEmbedBackward& call, const RowMemory& memory, void* stream) {
  if (call.rows > 0) launch(call.type, plan(call, memory), stream);
}

void column_sums_cuda(const DeviceColumnSums& call, const RowMemory& memory, void* stream,
                      ColumnTarget target) {
  launch(call.type, plan(call, memory, target), stream);
}

}  // namespace dietmt::kernels
