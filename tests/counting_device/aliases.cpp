#include "tests/counting_device/aliases.h"

#include <ATen/ATen.h>
#include <c10/core/TensorImpl.h>

#include <cstring>
#include <memory>

#include "common/error.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

at::Tensor tensor_over(c10::Storage storage, c10::DispatchKey key, const at::Tensor& like) {
  at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
      std::move(storage), c10::DispatchKeySet(key), like.dtype());
  c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
  impl->set_storage_offset(like.storage_offset());
  impl->set_sizes_and_strides(like.sizes(), like.strides());
  return tensor;
}

c10::Storage storage_over(c10::DataPtr data, size_t bytes, c10::Allocator* allocator) {
  return {c10::Storage::use_byte_size_t(), bytes, std::move(data), allocator,
          /*resizable=*/allocator != nullptr};
}

/// Keeps the memory of a CPU kernel's result.
c10::Storage device_storage_of(const c10::Storage& storage) {
  const c10::Device device(c10::kPrivateUse1, 0);
  const void* const mirror = storage.data();
  if (mirror == nullptr) return storage_over({nullptr, device}, 0, &device_allocator());
  if (!is_mirror(mirror)) {
    c10::DataPtr copy = device_allocator().allocate(storage.nbytes());
    std::memcpy(mirror_of(copy.get()), mirror, storage.nbytes());
    return storage_over(std::move(copy), storage.nbytes(), &device_allocator());
  }
  auto owner = std::make_unique<c10::Storage>(storage);
  void* const context = owner.release();
  return storage_over({device_address_of(mirror), context,
                       [](void* kept) { delete static_cast<c10::Storage*>(kept); }, device},
                      storage.nbytes(), &device_allocator());
}

}  // namespace

at::Tensor mirror_alias(const at::Tensor& device_tensor) {
  const c10::Storage& storage = device_tensor.storage();
  note_use(mirror_of(storage.data()));
  return tensor_over(
      storage_over({mirror_of(storage.data()), c10::kCPU}, storage.nbytes(), nullptr),
      c10::DispatchKey::CPU, device_tensor);
}

at::Tensor device_tensor_of(const at::Tensor& result) {
  if (result.layout() != at::kStrided) throw Error("the counting device has only dense tensors");
  return tensor_over(device_storage_of(result.storage()), c10::DispatchKey::PrivateUse1, result);
}

void adopt(const at::Tensor& device_tensor, const at::Tensor& result) {
  c10::TensorImpl* const impl = device_tensor.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(device_storage_of(result.storage()));
  impl->set_storage_offset(result.storage_offset());
  impl->set_sizes_and_strides(result.sizes(), result.strides());
}

}  // namespace dietmt::counting
