#include "encoders/position/table_cache.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <bit>

#include "encoders/device/device.h"

namespace dietmt::encoders {

at::Tensor TableCache::rows(int64_t first, int64_t count, const at::TensorOptions& options,
                            const Make& make) const {
  if (options.device().is_cpu()) return make(first, count).to(options);
  const std::scoped_lock lock(mutex_);
  const int64_t needed = first + count;
  const bool fits = !kept_.empty() && kept_.back().size(0) >= needed &&
                    kept_.back().device() == options.device() &&
                    kept_.back().dtype() == options.dtype();
  if (!fits) {
    const c10::InferenceMode off(false);  // training may read the table later
    const auto size = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(needed)));
    const at::Tensor table = make(0, size).to(options.dtype().toScalarType());
    kept_.push_back(copy_to_device(table, options.device()));
  }
  return kept_.back().narrow(0, first, count);
}

at::Tensor table_rows(const at::Tensor& table, const at::Tensor& index) {
  // The gradient of index_select() adds rows in any order there.
  if (!table.is_cpu()) return at::embedding(table, index);
  return table.index_select(0, index.flatten()).unflatten(0, index.sizes());
}

}  // namespace dietmt::encoders
