#include "tests/counting_device/operators.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include <set>
#include <string>
#include <vector>

#include "tests/counting_device/aliases.h"
#include "tests/counting_device/device_memory.h"
#include "tests/counting_device/fallback.h"
#include "tests/counting_device/launch_log.h"
#include "tests/counting_device/recording.h"

namespace dietmt::counting {
namespace {

using at::Tensor;

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
             std::optional<at::Device>, std::optional<bool>,
             std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(sizes, &device_allocator(), kKeys, c10::dtype_or_default(type),
                                   format);
}

Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                     std::optional<at::ScalarType> type, std::optional<at::Layout>,
                     std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(sizes, strides, &device_allocator(), kKeys,
                                           c10::dtype_or_default(type));
}

const Tensor& resize(const Tensor& self, at::IntArrayRef sizes, std::optional<at::MemoryFormat>) {
  int64_t numbers = 1;
  for (const int64_t size : sizes) numbers *= size;
  const auto bytes = static_cast<size_t>(numbers) * self.element_size();
  if (bytes > self.storage().nbytes()) {
    const Tensor grown = at::empty(sizes, self.options());
    const Tensor old = mirror_alias(self).flatten();
    do_and_record(
        [into = mirror_alias(grown).flatten().narrow(0, 0, old.numel()), old] { into.copy_(old); });
    self.unsafeGetTensorImpl()->set_storage_keep_dtype(grown.storage());
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  return self;
}

Tensor& set_storage(Tensor& self, at::Storage storage, int64_t offset, at::IntArrayRef sizes,
                    at::IntArrayRef strides) {
  c10::TensorImpl* const impl = self.unsafeGetTensorImpl();
  impl->set_storage_keep_dtype(std::move(storage));
  impl->set_storage_offset(offset);
  if (strides.empty() && !sizes.empty())
    impl->set_sizes_contiguous(sizes);
  else
    impl->set_sizes_and_strides(sizes, strides);
  return self;
}

bool is_dense_in_order(const Tensor& tensor, const Tensor& like) {
  return tensor.is_contiguous() && tensor.sizes() == like.sizes();
}

/// LibTorch copies through contiguous tensors of one type; on the host these are not pinned.
void copy_from_host(const Tensor& host, const Tensor& device, bool non_blocking) {
  const bool direct = is_dense_in_order(host, device) && host.scalar_type() == device.scalar_type();
  const bool waits = !(non_blocking && direct && is_pinned(host.storage().data()));
  log_copy(CopyKind::kHostToDevice);
  if (waits) log_wait("copy from the host");
  if (!device.is_contiguous()) log_launches("copy_");
  mirror_alias(device).copy_(host);
}

void copy_to_host(const Tensor& device, const Tensor& host, bool non_blocking) {
  const bool same_type = host.scalar_type() == device.scalar_type();
  const bool direct = host.is_contiguous() && same_type;
  const bool waits = !(non_blocking && direct && is_pinned(host.storage().data()));
  if (!is_dense_in_order(device, host)) log_launches("copy_");
  log_copy(CopyKind::kDeviceToHost);
  if (waits) log_wait("copy to the host");
  host.copy_(mirror_alias(device));
}

void copy_on_device(const Tensor& from, const Tensor& to) {
  const bool is_memory_copy =
      from.scalar_type() == to.scalar_type() && to.is_contiguous() && is_dense_in_order(from, to);
  if (is_memory_copy) log_copy(CopyKind::kDeviceToDevice);
  log_launches("copy_");
  if (!computes() && to.is_floating_point() && to.numel() > kMostZeroedNumbers) return;
  do_and_record([into = mirror_alias(to), read = mirror_alias(from)] { into.copy_(read); });
}

Tensor copy_from(const Tensor& from, const Tensor& to, bool non_blocking) {
  if (to.numel() == 0) return to;
  const DeviceWork work;
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (from.is_cpu())
    copy_from_host(from, to, non_blocking);
  else if (to.is_cpu())
    copy_to_host(from, to, non_blocking);
  else
    copy_on_device(from, to);
  return to;
}

Tensor copy_from_and_resize(const Tensor& from, const Tensor& to) {
  to.resize_(from.sizes());
  return copy_from(from, to, false);
}

at::Scalar local_scalar(const Tensor& self) {
  const DeviceWork work;
  log_copy(CopyKind::kDeviceToHost);
  log_wait("item()");
  return mirror_alias(self).item();
}

template <typename Product>
void store_product(const Tensor& result, const Product& product) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  if (computes()) do_and_record([into = mirror_alias(result), product] { into.copy_(product()); });
}

/// Matrix products of 16-bit numbers with fp32 results, which only CUDA has.
template <typename Product>
Tensor wide_product(const char* name, at::IntArrayRef sizes, const Tensor& like,
                    at::ScalarType type, const Product& product) {
  const DeviceWork work;
  log_launches(name);
  const Tensor result = at::empty(sizes, like.options().dtype(type));
  store_product(result, product);
  return result;
}

Tensor wide(const Tensor& mirror) { return mirror.to(at::kFloat); }

Tensor mm_dtype(const Tensor& a, const Tensor& b, at::ScalarType type) {
  return wide_product(
      "mm", {a.size(0), b.size(1)}, a, type,
      [a = mirror_alias(a), b = mirror_alias(b)] { return at::mm(wide(a), wide(b)); });
}

Tensor bmm_dtype(const Tensor& a, const Tensor& b, at::ScalarType type) {
  return wide_product(
      "bmm", {a.size(0), a.size(1), b.size(2)}, a, type,
      [a = mirror_alias(a), b = mirror_alias(b)] { return at::bmm(wide(a), wide(b)); });
}

Tensor addmm_dtype(const Tensor& self, const Tensor& a, const Tensor& b, at::ScalarType type,
                   const at::Scalar& beta, const at::Scalar& alpha) {
  return wide_product("addmm", {a.size(0), b.size(1)}, a, type,
                      [self = mirror_alias(self), a = mirror_alias(a), b = mirror_alias(b), beta,
                       alpha] { return at::addmm(wide(self), wide(a), wide(b), beta, alpha); });
}

Tensor& mm_dtype_out(const Tensor& a, const Tensor& b, at::ScalarType, Tensor& out) {
  const DeviceWork work;
  log_launches("mm");
  store_product(out,
                [a = mirror_alias(a), b = mirror_alias(b)] { return at::mm(wide(a), wide(b)); });
  return out;
}

Tensor& addmm_dtype_out(const Tensor& self, const Tensor& a, const Tensor& b, at::ScalarType,
                        const at::Scalar& beta, const at::Scalar& alpha, Tensor& out) {
  const DeviceWork work;
  log_launches("addmm");
  store_product(out, [self = mirror_alias(self), a = mirror_alias(a), b = mirror_alias(b), beta,
                      alpha] { return at::addmm(wide(self), wide(a), wide(b), beta, alpha); });
  return out;
}

/// The operators above and the views, which need only sizes.
void register_own(torch::Library& library) {
  library.impl("empty.memory_format", TORCH_FN(empty));
  library.impl("empty_strided", TORCH_FN(empty_strided));
  library.impl("resize_", TORCH_FN(resize));
  library.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
  library.impl("_copy_from", TORCH_FN(copy_from));
  library.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  library.impl("_local_scalar_dense", TORCH_FN(local_scalar));
  library.impl("view", TORCH_FN(at::native::view));
  library.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  library.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  library.impl("unfold", TORCH_FN(at::native::unfold));
  library.impl("view_as_real", TORCH_FN(at::native::view_as_real));
  library.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  library.impl("mm.dtype", TORCH_FN(mm_dtype));
  library.impl("mm.dtype_out", TORCH_FN(mm_dtype_out));
  library.impl("bmm.dtype", TORCH_FN(bmm_dtype));
  library.impl("addmm.dtype", TORCH_FN(addmm_dtype));
  library.impl("addmm.dtype_out", TORCH_FN(addmm_dtype_out));
}

/// Operators with a kernel for the CPU, and so for CUDA, that would otherwise be composed of
/// others: layer norms and the like, and the multi-tensor operators, which only CUDA has.
bool is_one_kernel(const c10::OperatorHandle& op) {
  const c10::OperatorName& name = op.operator_name();
  if (!op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd)) return false;
  if (name.name.starts_with("aten::_foreach_"))
    return name.overload_name.find("out") == std::string::npos;
  return op.hasKernelForDispatchKey(c10::DispatchKey::CPU);
}

void register_one_kernel_operators(torch::Library& library) {
  const std::set<std::string> own = {"aten::view_as_real"};
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    if (!name.name.starts_with("aten::") || own.contains(name.name)) continue;
    const auto op = c10::Dispatcher::singleton().findOp(name);
    if (!op || !op->hasSchema() || !is_one_kernel(*op)) continue;
    const std::string full =
        name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
    library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_mirror>());
  }
}

}  // namespace

void register_operators() {
  constexpr auto kKey = c10::DispatchKey::PrivateUse1;
  static auto& all = *new torch::Library(torch::Library::IMPL, "_", kKey, __FILE__, __LINE__);
  all.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_mirror>());
  static auto& aten = *new torch::Library(torch::Library::IMPL, "aten", kKey, __FILE__, __LINE__);
  register_own(aten);
  register_one_kernel_operators(aten);
}

}  // namespace dietmt::counting
