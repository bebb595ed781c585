#include "kernels/cuda/linear/linear_cuda.h"

#include <cuda_runtime_api.h>

#include <string>

#include "common/error.h"
#include "kernels/cuda/rowwise/rowwise_cuda.h"

namespace dietmt::kernels {
namespace {

void require_done(ProductResult result, const Product& product) {
  if (result == ProductResult::kDone) return;
  throw Error("cuBLASLt has no algorithm for a product of " + std::to_string(product.m) + " x " +
              std::to_string(product.k) + " x " + std::to_string(product.n));
}

void run(const Product& product, const ProductMemory& memory) {
  require_done(run_product(product, memory), product);
}

DeviceColumnSums bias_sums(const DeviceLinearBackward& call) {
  DeviceColumnSums sums;
  sums.type = call.type;
  sums.rows = call.rows;
  sums.width = call.outputs;
  sums.x = call.grad_output;
  sums.row_stride = call.outputs;
  sums.sums = call.grad_bias;
  return sums;
}

void clear(float* numbers, int64_t count, void* stream) {
  if (numbers == nullptr) return;
  const auto bytes = static_cast<size_t>(count) * sizeof(float);
  if (cudaMemsetAsync(numbers, 0, bytes, static_cast<cudaStream_t>(stream)) != cudaSuccess) {
    throw Error("clearing the gradients of a linear layer without rows failed");
  }
}

Product gradient_of_x(const DeviceLinearBackward& call) {
  Product product;
  product.input = call.type;
  product.output = call.type;
  product.m = call.inputs;
  product.n = call.rows;
  product.k = call.outputs;
  product.a = {call.weight, Storage::kPlain};
  product.b = {call.grad_output, Storage::kPlain};
  product.d = call.grad_x;
  product.add = call.add_to_grad_x;
  return product;
}

Product gradient_of_weight(const DeviceLinearBackward& call) {
  Product product;
  product.input = call.type;
  product.output = ElementType::kFloat;
  product.m = call.inputs;
  product.n = call.outputs;
  product.k = call.rows;
  product.a = {call.x, Storage::kPlain};
  product.b = {call.grad_output, Storage::kTransposed};
  product.d = call.grad_weight;
  product.add = call.accumulate;
  return product;
}

Epilogue forward_epilogue(const DeviceLinear& call) {
  const bool has_bias = call.bias != nullptr;
  if (call.relu) return has_bias ? Epilogue::kReluBias : Epilogue::kRelu;
  return has_bias ? Epilogue::kBias : Epilogue::kNone;
}

/// Whether the sums for the bias came with the product.
bool weight_gradient_with_bias(const DeviceLinearBackward& call, const ProductMemory& memory) {
  Product product = gradient_of_weight(call);
  // The epilogue overwrites the sums.
  if (call.grad_bias != nullptr && !call.accumulate) {
    product.epilogue = Epilogue::kBiasGradientOfB;
    product.bias = call.grad_bias;
    if (run_product(product, memory) == ProductResult::kDone) return true;
    product.epilogue = Epilogue::kNone;
    product.bias = nullptr;
  }
  run(product, memory);
  return false;
}

}  // namespace

bool linear_cuda(const DeviceLinear& call, const ProductMemory& memory) {
  if (call.rows == 0 || call.outputs == 0) return true;
  Product product;
  product.input = call.type;
  product.output = call.type;
  product.m = call.outputs;
  product.n = call.rows;
  product.k = call.inputs;
  product.a = {call.weight, Storage::kTransposed};
  product.b = {call.x, Storage::kPlain};
  product.d = call.output;
  product.bias = const_cast<void*>(call.bias);
  product.epilogue = forward_epilogue(call);
  return run_product(product, memory) == ProductResult::kDone;
}

int64_t bias_partial_numbers(const DeviceLinearBackward& call) {
  return call.grad_bias == nullptr ? 0 : partial_numbers(bias_sums(call));
}

void linear_backward_cuda(const DeviceLinearBackward& call, const ProductMemory& memory,
                          const RowMemory& rows) {
  if (call.rows == 0) {
    if (call.accumulate) return;
    clear(call.grad_weight, call.outputs * call.inputs, memory.stream);
    clear(call.grad_bias, call.outputs, memory.stream);
    return;
  }
  if (call.grad_x != nullptr) run(gradient_of_x(call), memory);
  const bool has_bias = call.grad_weight != nullptr && weight_gradient_with_bias(call, memory);
  if (call.grad_bias == nullptr || has_bias) return;
  column_sums_cuda(bias_sums(call), rows, memory.stream,
                   call.accumulate ? ColumnTarget::kAdd : ColumnTarget::kReplace);
}

}  // namespace dietmt::kernels
