// How the vectors of heads lie in memory: packed sentences as a padded block, for backends that
// need equal lengths, and the queries, keys and values of one fused projection side by side.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "encoders/attention/packing.h"

namespace dietmt::encoders {

/// [N, H, Dh] -> [B, H, T, Dh] with zeros after each sentence.
at::Tensor pad_heads(const at::Tensor& packed, const Packing& packing);

/// [B, H, T, Dh] -> [N, H, Dh]; drops the padding after each sentence.
at::Tensor unpad_heads(const at::Tensor& padded, const Packing& packing);

/// The parts of [N, P, H, Dh], each [N, H, Dh], as views. If their gradients are parts of one
/// tensor (empty_like_parts), that tensor becomes the gradient without a copy.
std::vector<at::Tensor> split_heads(const at::Tensor& projected);

/// The memory of the gradients of [N, P, H, Dh], for operations that each read some of the parts:
/// if all write theirs here, the whole is the gradient without a copy.
class PartGradients {
 public:
  explicit PartGradients(const at::Tensor& projected);

  /// Part p, [N, H, Dh], uninitialised; parts of the same backward pass lie in one tensor.
  at::Tensor part(int64_t p);

  /// Releases the memory; tensors that are parts of it keep it alive.
  void release() { memory_.reset(); }

 private:
  std::vector<int64_t> sizes_;
  at::TensorOptions options_;
  at::Tensor memory_;
};

struct HeadParts {
  std::vector<at::Tensor> parts;             // [N, H, Dh] each
  std::shared_ptr<PartGradients> gradients;  // of all parts
};

/// split_heads() for parts that several operations read.
HeadParts split_shared_heads(const at::Tensor& projected);

/// True if the tensors, each [N, H, Dh], are all parts of one [N, P, H, Dh], in order.
bool are_parts(const std::vector<at::Tensor>& tensors);

/// Uninitialised tensors like `tensors`: parts of one [N, P, H, Dh] if those are.
std::vector<at::Tensor> empty_like_parts(const std::vector<at::Tensor>& tensors);

}  // namespace dietmt::encoders
