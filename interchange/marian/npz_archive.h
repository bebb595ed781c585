// NumPy's .npy arrays and .npz files, which are ZIP archives of arrays, stored or deflated
// (numpy.lib.format). npz.h turns them into tensors.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace dietmt::interchange {

/// Views the bytes that it was read from.
struct NpyArray {
  std::string_view type;  // NumPy's name, one of npy_type_bytes()
  std::vector<int64_t> shape;
  std::string_view data;  // row by row
};

/// Bytes per element; 0 for an unknown type.
uint64_t npy_type_bytes(std::string_view type);

/// Parses a .npy file. Throws CheckpointError with the reason.
NpyArray read_npy(std::string_view bytes);

/// Calls `take` for each entry of an archive, in order, with its name without ".npy" and its array.
/// Never allocates more than a deflated entry can hold. Throws CheckpointError with the entry and
/// the reason.
void read_npz(std::string_view bytes,
              const std::function<void(const std::string& name, const NpyArray& array)>& take);

}  // namespace dietmt::interchange
