// Tables that depend only on positions, such as sines and cosines, on the device that reads them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace dietmt::encoders {

/// A table with a row for each position. On the CPU its rows are computed at each call. A device
/// gets them once, by an asynchronous copy, and again when a longer table is needed. Shorter ones
/// stay, because recorded work may read them.
class TableCache {
 public:
  /// Computes rows first .. first + count - 1 on the CPU.
  using Make = std::function<at::Tensor(int64_t first, int64_t count)>;

  /// Rows first .. first + count - 1, [count, ...], with these options.
  at::Tensor rows(int64_t first, int64_t count, const at::TensorOptions& options,
                  const Make& make) const;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<at::Tensor> kept_;  // from row 0, the last one in use; none on the CPU
};

/// Row index[i] of a table [rows, W] for each i: [index.sizes(), W]. On a device the gradient of
/// the table is the same in every run.
at::Tensor table_rows(const at::Tensor& table, const at::Tensor& index);

}  // namespace dietmt::encoders
