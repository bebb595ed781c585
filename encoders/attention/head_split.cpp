#include "encoders/attention/head_split.h"

#include <ATen/ATen.h>
#include <torch/csrc/autograd/custom_function.h>

namespace dietmt::encoders {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The [N, P, H, Dh] whose first part is `first`.
Tensor whole(const Tensor& first, int64_t parts) {
  const int64_t heads = first.size(1);
  const int64_t width = first.size(2);
  return first.as_strided({first.size(0), parts, heads, width},
                          {parts * heads * width, heads * width, width, 1});
}

struct SplitHeads : torch::autograd::Function<SplitHeads> {
  static variable_list forward(AutogradContext*, const Tensor& projected) {
    return projected.unbind(1);
  }
  static variable_list backward(AutogradContext*, const variable_list& gradients) {
    if (are_parts(gradients)) return {whole(gradients[0], std::ssize(gradients))};
    return {at::stack(gradients, 1)};
  }
};

}  // namespace

std::vector<Tensor> split_heads(const Tensor& projected) { return SplitHeads::apply(projected); }

bool are_parts(const std::vector<Tensor>& tensors) {
  for (const Tensor& tensor : tensors)
    if (!tensor.defined()) return false;
  const Tensor& first = tensors.front();
  const int64_t size = first.size(1) * first.size(2);
  for (size_t p = 0; p < tensors.size(); ++p) {
    const Tensor& part = tensors[p];
    const bool in_place =
        part.is_alias_of(first) && part.sizes() == first.sizes() &&
        part.strides() == at::IntArrayRef({std::ssize(tensors) * size, first.size(2), 1}) &&
        part.storage_offset() == first.storage_offset() + static_cast<int64_t>(p) * size;
    if (!in_place) return false;
  }
  return true;
}

std::vector<Tensor> empty_like_parts(const std::vector<Tensor>& tensors) {
  if (are_parts(tensors)) {
    const Tensor& first = tensors.front();
    return at::empty({first.size(0), std::ssize(tensors), first.size(1), first.size(2)},
                     first.options())
        .unbind(1);
  }
  std::vector<Tensor> empty;
  for (const Tensor& tensor : tensors) empty.push_back(at::empty(tensor.sizes(), tensor.options()));
  return empty;
}

}  // namespace dietmt::encoders
