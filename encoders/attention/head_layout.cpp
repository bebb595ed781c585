#include "encoders/attention/head_layout.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <cstring>
#include <utility>

namespace dietmt::encoders {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

/// Sentence b owns rows offsets[b] .. offsets[b+1]-1; T is the longest.
struct Rows {
  std::vector<int64_t> offsets;
  int64_t longest;

  int64_t sentences() const { return static_cast<int64_t>(offsets.size()) - 1; }
};

at::Tensor with_whole_rows(const at::Tensor& x) { return x.stride(-1) == 1 ? x : x.contiguous(); }

const char* bytes(const at::Tensor& x) { return static_cast<const char*>(x.const_data_ptr()); }

char* mutable_bytes(const at::Tensor& x) { return static_cast<char*>(x.mutable_data_ptr()); }

/// [N, H, Dh] -> [B, H, T, Dh]
at::Tensor copy_to_padded(const at::Tensor& packed, const Rows& rows) {
  const at::Tensor from = with_whole_rows(packed);
  const int64_t heads = from.size(1);
  const at::Tensor to =
      at::empty({rows.sentences(), heads, rows.longest, from.size(2)}, from.options());
  const int64_t item = from.element_size();
  const int64_t width = from.size(2) * item;
  at::parallel_for(0, rows.sentences(), 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      const int64_t length = rows.offsets[b + 1] - rows.offsets[b];
      for (int64_t h = 0; h < heads; ++h) {
        const char* source =
            bytes(from) + (rows.offsets[b] * from.stride(0) + h * from.stride(1)) * item;
        char* target = mutable_bytes(to) + (b * heads + h) * rows.longest * width;
        for (int64_t t = 0; t < length; ++t)
          std::memcpy(target + t * width, source + t * from.stride(0) * item, width);
        std::memset(target + length * width, 0, (rows.longest - length) * width);
      }
    }
  });
  return to;
}

/// [B, H, T, Dh] -> [N, H, Dh]
at::Tensor copy_to_packed(const at::Tensor& padded, const Rows& rows) {
  const at::Tensor from = with_whole_rows(padded);
  const int64_t heads = from.size(1);
  const at::Tensor to = at::empty({rows.offsets.back(), heads, from.size(3)}, from.options());
  const int64_t item = from.element_size();
  const int64_t width = from.size(3) * item;
  at::parallel_for(0, rows.sentences(), 1, [&](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      char* target = mutable_bytes(to) + rows.offsets[b] * heads * width;
      const int64_t length = rows.offsets[b + 1] - rows.offsets[b];
      for (int64_t t = 0; t < length; ++t) {
        const char* source = bytes(from) + (b * from.stride(0) + t * from.stride(2)) * item;
        for (int64_t h = 0; h < heads; ++h)
          std::memcpy(target + (t * heads + h) * width, source + h * from.stride(1) * item, width);
      }
    }
  });
  return to;
}

void save(AutogradContext* context, const Rows& rows) {
  context->saved_data["offsets"] = rows.offsets;
  context->saved_data["longest"] = rows.longest;
}

Rows load(AutogradContext* context) {
  return {context->saved_data["offsets"].toIntVector(), context->saved_data["longest"].toInt()};
}

// Each is the other's adjoint.
struct PadHeads : torch::autograd::Function<PadHeads> {
  static Variable forward(AutogradContext* context, const Variable& packed, const Rows& rows) {
    save(context, rows);
    return copy_to_padded(packed, rows);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {copy_to_packed(gradients[0], load(context)), {}};
  }
};

struct UnpadHeads : torch::autograd::Function<UnpadHeads> {
  static Variable forward(AutogradContext* context, const Variable& padded, const Rows& rows) {
    save(context, rows);
    return copy_to_packed(padded, rows);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {copy_to_padded(gradients[0], load(context)), {}};
  }
};

using at::Tensor;

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

struct HeldGradients : torch::CustomClassHolder {
  explicit HeldGradients(std::shared_ptr<PartGradients> given) : gradients(std::move(given)) {}
  std::shared_ptr<PartGradients> gradients;
};

struct SplitSharedHeads : torch::autograd::Function<SplitSharedHeads> {
  static variable_list forward(AutogradContext* context, const Tensor& projected,
                               const c10::intrusive_ptr<HeldGradients>& held) {
    context->saved_data["gradients"] = at::IValue::make_capsule(held);
    return projected.unbind(1);
  }
  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    c10::static_intrusive_pointer_cast<HeldGradients>(context->saved_data["gradients"].toCapsule())
        ->gradients->release();
    if (are_parts(gradients)) return {whole(gradients[0], std::ssize(gradients)), {}};
    return {at::stack(gradients, 1), {}};
  }
};

}  // namespace

PartGradients::PartGradients(const Tensor& projected)
    : sizes_(projected.sizes().vec()), options_(projected.options().requires_grad(false)) {}

Tensor PartGradients::part(int64_t p) {
  if (!memory_.defined()) memory_ = at::empty(sizes_, options_);
  return memory_.select(1, p);
}

HeadParts split_shared_heads(const Tensor& projected) {
  HeadParts split;
  split.gradients = std::make_shared<PartGradients>(projected);
  split.parts =
      SplitSharedHeads::apply(projected, c10::make_intrusive<HeldGradients>(split.gradients));
  return split;
}

at::Tensor pad_heads(const at::Tensor& packed, const Packing& packing) {
  const int64_t sentences = packing.sentences();
  const int64_t longest = packing.max_length();
  if (packing.uniform()) return packed.unflatten(0, {sentences, longest}).transpose(1, 2);
  if (packed.is_cpu()) return PadHeads::apply(packed, Rows{packing.offsets(), longest});
  return packed.new_zeros({sentences * longest, packed.size(1), packed.size(2)})
      .index_copy(0, packing.padded_rows(), packed)
      .unflatten(0, {sentences, longest})
      .transpose(1, 2);
}

at::Tensor unpad_heads(const at::Tensor& padded, const Packing& packing) {
  if (packing.uniform()) return padded.transpose(1, 2).flatten(0, 1);
  if (padded.is_cpu())
    return UnpadHeads::apply(padded, Rows{packing.offsets(), packing.max_length()});
  return padded.transpose(1, 2).flatten(0, 1).index_select(0, packing.padded_rows());
}

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
